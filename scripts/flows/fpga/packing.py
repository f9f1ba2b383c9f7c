# SPDX-License-Identifier: Apache-2.0
"""Blocks of the FPGA's design, each alone: mapped by Yosys, for ECP5 packed by nextpnr. What fpga
beside it takes the sizes from, and its tools."""

import collections
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time

import yaml

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
_LOADER = importlib.machinery.SourceFileLoader("synth", os.path.join(ROOT, "scripts", "flows", "timing", "synth"))
sys.dont_write_bytecode = True
synth = importlib.util.module_from_spec(importlib.util.spec_from_loader("synth", _LOADER))
_LOADER.exec_module(synth)

COMMON = ["rtl/common/files.f"]
TILE = COMMON + ["rtl/fabric/files.f", "rtl/tile/files.f"]
DESIGN = TILE + ["rtl/reticle/files.f", "fpga/rtl/files_bridge.f", "fpga/rtl/files.f"]
COLOURS = {"NumColours": synth.MINI["NumColours"]}
with open(os.path.join(ROOT, "sw/isa/fabric.yaml")) as fabric:
    NUMBERS = {k: v["value"] for k, v in yaml.safe_load(fabric)["constants"].items()}
with open(os.path.join(ROOT, "sw/isa/machine.yaml")) as machine:
    VALUES = yaml.safe_load(machine)["configurations"]["mini"]["values"]
ROUTER = {**COLOURS, "NumFilters": VALUES["Features"]["filters"],
          "NumPositions": VALUES["Features"]["positions"], "Small": VALUES["SmallRouter"],
          "Spaced": VALUES["SmallTile"]}
LANES = {"Groups": NUMBERS["MINI_LANE_GROUPS"], "GroupData": NUMBERS["MINI_GROUP_DATA"]}
# Blocks of the design: file lists, parameters, row of configs/targets.yaml (fpga).
Block = collections.namedtuple("Block", "lists parameters row")
BLOCKS = {
    "ow_tile": Block(TILE, synth.MINI, "tile_cells"),
    "ow_router": Block(COMMON + ["rtl/fabric/files.f"], ROUTER, "router_cells"),  # a part of the tile
    "ow_link": Block(COMMON + ["rtl/reticle/files_link.f"], {**COLOURS, **LANES, "Scan": 0}, "link_cells"),
    "ow_station": Block(TILE + ["rtl/reticle/files.f"], {"Scan": 0}, "station_cells"),
    "ow_bridge": Block(COMMON + ["fpga/rtl/files_bridge.f"], COLOURS, "bridge_cells"),
    "ow_uart": Block(COMMON + ["fpga/rtl/files_bridge.f"], {}, None),
}
COLUMNS = ["TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "MULT18X18D"]
# For a block alone: the largest package, because it has more ports than any board.
PART = ["--85k", "--package", "CABGA756", "--speed", "6"]
# How a design is placed and routed (docs/fpga.md says what else was tried).
PLACE = ["--placer", "static", "--router", "router2", "--tmg-ripup"]
# The share of a part that its blocks may take, at most. The target for the board is 90 %; 94 % has
# been placed.
FILL = 0.95
# Multiplexers of five and more inputs by look-up tables alone: a tenth smaller than with the slices'
# multiplexers, and the clock is slow.
SYNTH_ECP5 = "synth_ecp5 -nowidelut"
# Sums and comparisons of so many bits are look-up tables and not carry cells: each chain of these has
# an end of its own, and is in the way of what abc could join.
NO_CARRY = 12
# abc's proof that its look-up tables do what its gates did takes ten times as long as all the rest of
# a tile's synthesis, and is left out.
MAPPING = ["scratchpad -set abc9.verify false"]
LATCHES = re.compile(r"^(LDCE|LDPE|\$.*latch.*|\$_DLATCH.*|\$_SR_.*)$", re.IGNORECASE)


class Missing(Exception):
    """A tool, a board or a file that is not there, or is not what it must be: exit status 2."""


class Reason(Exception):
    """Why there is no bitstream: exit status 1."""


def relative(path):
    return os.path.relpath(path, ROOT)


def output(*parts):
    path = os.path.join(ROOT, os.environ.get("BUILD", "build"), "fpga", *parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def write_text(path, text):
    with open(path + ".tmp", "w") as f:
        f.write(text)
    os.replace(path + ".tmp", path)


def write_json(path, data):
    write_text(path, json.dumps(data, indent=1))


def check_report(path):
    """Missing if write_json() could not write there when all is done."""
    if os.path.basename(path) == "" or os.path.exists(path) and not os.path.isfile(path):
        raise Missing(f"--json '{path}': must be a file")
    try:
        with open(path + ".tmp", "w"):
            pass
        os.remove(path + ".tmp")
    except OSError as e:
        raise Missing(f"--json '{path}': cannot be written: {e.strerror}") from e


def tool(variable, name, hint):
    """A program: that of the environment, of .venv (YoWASP) or of the path."""
    named = os.environ.get(variable)
    if named:
        # As run() finds it.
        if not shutil.which(os.path.join(ROOT, named) if os.sep in named else named):
            raise Missing(f"{variable}={named}: is no program that can be run")
        return named
    local = os.path.join(ROOT, os.environ.get("OW_VENV", ".venv"), "bin", "yowasp-" + name)
    if os.path.exists(local):
        return local
    if shutil.which(name):
        return name
    raise Missing(f"no {name}: {hint}")


@functools.lru_cache(maxsize=None)
def knows_place(program):
    """Whether a nextpnr has what PLACE asks of it: older ones say so only once the design is there."""
    try:
        said = subprocess.run([program, "--help"], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout
    except OSError as e:
        raise Missing(f"{program} does not run: {e.strerror}") from e
    return all(re.search(r"(^|[\s,])" + word + r"\b", said) for word in ["static", "--tmg-ripup"])


def nextpnr():
    program = tool("NEXTPNR_ECP5", "nextpnr-ecp5", "run scripts/bootstrap fpga")
    if not knows_place(program):
        raise Missing(f"{program} has no placer 'static' or no --tmg-ripup: nextpnr 0.11 has; "
                      "scripts/bootstrap fpga fetches it, NEXTPNR_ECP5 names another")
    return program


def find_yosys():
    return tool("YOSYS", "yosys", "run scripts/bootstrap fpga")


def run(command, log, minutes, stuck=None):
    """Runs a tool from the top of the tree, its words in `log`; returns whether it went well. Reason
    if it takes longer than that, or if `stuck`, which gets the log's name now and then, says why it
    will not end."""
    with open(log, "w") as f:
        try:
            tool = subprocess.Popen(command, cwd=ROOT, stdout=f, stderr=subprocess.STDOUT)
        except OSError as e:
            raise Missing(f"{command[0]} does not run: {e.strerror}") from e
    end = time.monotonic() + 60 * minutes
    why = None
    while why is None:
        try:
            return tool.wait(timeout=5) == 0
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                why = f"was not done in {minutes} minutes"
            elif stuck:
                why = stuck(log)
    tool.kill()
    tool.wait()
    raise Reason(f"{os.path.basename(command[0])} {why} ({relative(log)})")


def router_stuck(log):
    """Whether the router has had fewer wires that two nets want in none of many rounds: it may be that
    a placement has left the two one way, and it would try for ever. A round with few such wires is
    short, and the last one may take dozens."""
    with open(log) as f:
        wanted = [int(count) for count in re.findall(r" iter=\d+ .*?overused=(\d+)", f.read())]
    rounds = 30 if not wanted or min(wanted) > 100 else 300
    if len(wanted) > rounds and min(wanted[-rounds:]) >= min(wanted[:-rounds]):
        return f"has found nothing better in {rounds} rounds: {wanted[-1]} wires for two nets each"
    return None


def last_errors(log):
    with open(log) as f:
        lines = [line.strip() for line in f if "ERROR" in line or "error:" in line]
    return "; ".join(lines[-3:]) or f"see {relative(log)}"


def yosys(name, commands):
    folder = output(name, "x")
    program = find_yosys()
    try:
        _, error = synth.run(program, os.path.dirname(folder), "synth", commands)
    except OSError as e:
        raise Missing(f"{e.filename or program} does not run: {e.strerror}") from e
    if error:
        raise Reason(f"synthesis of {name}: {error}")


def sources(lists):
    files = []
    seen = set()
    for path in lists:
        synth.read_list(path, files, seen)
    return files


def read_command(top, parameters, files, boxes=()):
    sets = "".join(f" -G {k}={v}" for k, v in parameters.items())
    black = "".join(f" --blackboxed-module {box}" for box in boxes)
    return f"read_slang -j 1 --top {top}{sets}{black} -I rtl/common " + " ".join(files)


# ---------------------------------------------------------------------------------------- blocks ----
def digest(name, block, family):
    """A digest of everything that a block's size depends on."""
    text = hashlib.sha256(json.dumps([name, block.parameters, family, synth_ecp5(name)]).encode())
    for path in sources(block.lists) + ["rtl/common/ow_assert.svh"]:
        with open(os.path.join(ROOT, path), "rb") as f:
            text.update(f.read())
    return text.hexdigest()


def by_module(path, depth):
    """{path of a block: cells by kind} of a netlist that nextpnr wrote, cut at `depth`. Cells keep
    the path of the block whose net they drive."""
    with open(path) as f:
        modules = json.load(f)["modules"]
    cells = max(modules.values(), key=lambda m: len(m["cells"]))["cells"]
    sizes = collections.defaultdict(collections.Counter)
    for name, cell in cells.items():
        parts = name.split(".")[:-1]
        for level in range(min(len(parts), depth) + 1):
            sizes[".".join(parts[:level])][cell["type"]] += 1
    return {name: {c: n for c, n in kinds.items() if c in COLUMNS}
            for name, kinds in sorted(sizes.items())}


def mapped(name):
    """The netlist of a block alone that `pack` leaves (RTLIL)."""
    return output(name, "mapped.il")


def synth_ecp5(top, options=""):
    """Commands that map what has been read."""
    return MAPPING + [f"{SYNTH_ECP5} -top {top} -run begin:map_gates",
                      f"techmap t:$alu r:Y_WIDTH<={NO_CARRY} %i",
                      f"{SYNTH_ECP5} -top {top} -run map_gates: {options}"]


def pack(name, block):
    """Cells of a block alone after packing, by its parts."""
    netlist, packed = output(name, "netlist.json"), output(name, "packed.json")
    yosys(name, [read_command(name, block.parameters, sources(block.lists))]
          + synth_ecp5(name, f"-json {relative(netlist)}")
          + [f"write_rtlil {relative(mapped(name))}"])
    log = output(name, "nextpnr.log")
    if not run([nextpnr()] + PART + ["--pack-only", "--lpf-allow-unconstrained",
                "--json", relative(netlist), "--write", relative(packed)], log, 30):
        raise Reason(f"packing {name}: {last_errors(log)}")
    parts = by_module(packed, 2)
    os.remove(packed)
    os.remove(netlist)
    return parts


def map_to_xilinx(top, stat):
    """Commands that map what has been read for 7 series, and count cells into a file."""
    return [f"synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top}",
            f"tee -q -o {relative(stat)} stat -json"]


def map_xilinx(name, block):
    """Cells of a block alone after synthesis for 7 series, and its latches."""
    stat = output(name, "stat.json")
    yosys(name, [read_command(name, block.parameters, sources(block.lists)),
                 *map_to_xilinx(name, stat)])
    return {"": xilinx_cells(stat)}


def xilinx_cells(stat):
    with open(stat) as f:
        text = f.read()
    cells = json.loads(text[text.index("{"):])["design"]["num_cells_by_type"]
    total = collections.Counter()
    for cell, count in cells.items():
        if re.match(r"LUT\d", cell):
            total["LUT"] += count
        elif cell.startswith("FD"):
            total["FF"] += count
        elif cell.startswith("RAMB"):
            total[cell] += count
        elif cell.startswith("RAM"):
            total["LUTRAM"] += count
        elif LATCHES.match(cell):
            total["latches"] += count
        else:
            total[cell] += count
    return dict(total)


def kept_parts(path, key):
    """What an earlier measure() has left there; None if it is of other sources, or cannot be read."""
    try:
        with open(path) as f:
            kept = json.load(f)
        return kept["parts"] if kept["digest"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def measure(names, family):
    """{block: cells by part}, from before if nothing has changed."""
    result = {}
    for name in names:
        block = BLOCKS[name]
        key = digest(name, block, family)
        path = output(f"{name}-{family}.json")
        parts = kept_parts(path, key)
        if parts is None or family == "ecp5" and not os.path.exists(mapped(name)):
            # It must not outlive the netlist that it is of: pack() writes over that one, whatever
            # becomes of the rest.
            if os.path.exists(path):
                os.remove(path)
            start = time.time()
            parts = pack(name, block) if family == "ecp5" else map_xilinx(name, block)
            print(f"  {name}: {time.time() - start:.0f} s", flush=True)
            # If sources changed in the meantime, it is unknown which version was read.
            if digest(name, block, family) == key:
                write_json(path, {"digest": key, "parts": parts})
        result[name] = parts
    return result


def print_parts(parts, columns, depth=2):
    for path, cells in parts.items():
        level = 0 if path == "" else path.count(".") + 1
        if level <= depth and (level == 0 or any(cells.get(c, 0) for c in columns)):
            label = "  " * level + (path.rpartition(".")[2] or "all")
            print(f"    {label:<36}" + "".join(f"{cells.get(c, 0):>14}" for c in columns))
