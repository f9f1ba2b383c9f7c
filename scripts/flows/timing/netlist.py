# SPDX-License-Identifier: Apache-2.0
"""From SystemVerilog to gates, block by block: what faults and gates beside it share.

1. `elaborate`: Yosys makes two-input gates, multiplexers and flip-flops of a module and all that is
   below it, with the hierarchy kept but for HELPERS. Boxes, modules that are macros, stay as they
   are; other memories become flip-flops and trees of multiplexers, or with `arrays` arrays of rows
   (arrays.py).
2. `read_rtlil`, `map_blocks`: abc optimises the logic of each block and maps it to a technology:
   the CMOS gates of `Cmos` (inverter, NAND, NOR, AND, OR, XOR, XNOR, multiplexer, AND-OR-invert and
   OR-AND-invert of three and four inputs, at the costs in transistors of Yosys' `stat -tech cmos`),
   or the cells of a Liberty library (mapping.py). Blocks that are alike are mapped once.
3. `join`: one netlist of all blocks, in which `live` finds what drives an output or a box.

Yosys' own way to gates takes too long for a tile where Yosys is WebAssembly, because its abc is so
as well. Here abc is a program of its own (`scripts/bootstrap formal`).
"""

import concurrent.futures
import copy
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
_LOADER = importlib.machinery.SourceFileLoader("synth", os.path.join(ROOT, "scripts", "flows", "timing", "synth"))
sys.dont_write_bytecode = True
synth = importlib.util.module_from_spec(importlib.util.spec_from_loader("synth", _LOADER))
_LOADER.exec_module(synth)

# Yosys' gates: inputs, and where the output is 1.
COVERS = {"$_BUF_": ("A", ["1"]), "$_NOT_": ("A", ["0"]), "$_AND_": ("AB", ["11"]),
          "$_NAND_": ("AB", ["0-", "-0"]), "$_OR_": ("AB", ["1-", "-1"]), "$_NOR_": ("AB", ["00"]),
          "$_XOR_": ("AB", ["10", "01"]), "$_XNOR_": ("AB", ["11", "00"]),
          "$_ANDNOT_": ("AB", ["10"]), "$_ORNOT_": ("AB", ["1-", "-0"]),
          "$_MUX_": ("ABS", ["1-0", "-11"]), "$_NMUX_": ("ABS", ["0-0", "-01"])}
# Names of the netlist's gates, transistors, function; inputs in the order of the netlist.
LIBRARY = [("NOT", 2, "!a", "a"), ("NAND", 4, "!(a*b)", "ab"), ("NOR", 4, "!(a+b)", "ab"),
           ("AND", 6, "a*b", "ab"), ("OR", 6, "a+b", "ab"), ("XOR", 12, "a*!b+!a*b", "ab"),
           ("XNOR", 12, "a*b+!a*!b", "ab"), ("MUX", 12, "a*!c+b*c", "abc"),
           ("NMUX", 10, "!(a*!c+b*c)", "abc"), ("AOI3", 6, "!(a*b+c)", "abc"),
           ("OAI3", 6, "!((a+b)*c)", "abc"), ("AOI4", 8, "!(a*b+c*d)", "abcd"),
           ("OAI4", 8, "!((a+b)*(c+d))", "abcd")]
TRANSISTORS = {"dff": 16, **{name: cost for name, cost, _, _ in LIBRARY}}
SPEED_STEPS = "strash; ifraig; dc2; dc2; strash; &get -n; &nf; &put"
# For area instead of speed: resubstitution, rewriting and refactoring of cuts of growing size, then a
# mapping for area.
SMALL_STEPS = ("strash; ifraig; scorr; balance -l; "
               + "".join(f"resub -K {k} -l; rewrite -l; resub -K {k} -N 2 -l; refactor -l; "
                         for k in (6, 8))
               + "balance -l; resub -K 10 -l; rewrite -z -l; resub -K 10 -N 2 -l; balance -l; "
               "resub -K 12 -l; refactor -z -l; resub -K 12 -N 2 -l; rewrite -z -l; balance -l; "
               "strash; amap -m")
# Modules that are part of the block that uses them: their logic is optimised with it. The router's
# parts, a link's queues with what uses them, and the core's stages work in one cycle together.
HELPERS = ("ow_lzc", "ow_arb_class", "ow_credit", "ow_skid", "ow_router_routes",
           "ow_router_switch", "ow_router_credits", "ow_router_words", "ow_router_filter", "ow_ctl_outputs",
           "ow_ctl_returns", "ow_link_queues", "ow_core_pipeline", "ow_core_decode", "ow_core_alu",
           "ow_core_csr", "ow_core_fetch", "ow_core_memory", "ow_core_write", "ow_core_execute",
           "ow_engine_span", "ow_engine_walk", "ow_engine_reach", "ow_engine_sched",
           "ow_engine_decode", "ow_engine_contexts", "ow_pack_claims")
TOKEN = re.compile(r"\{|\}|\[\d+(?::\d+)?\]|\d+'[01xzm-]*|[\\$]\S+|-?\d+")
ZERO, ONE = 0, 1


class Module:
    """A block: nets are numbers, 0 and 1 the constants."""

    def __init__(self, name):
        self.name = name
        self.parent = [ZERO, ONE]
        self.wires = {}    # name: (first net, width)
        self.ports = []    # (number, name, direction)
        self.gates = []    # (type, output, inputs)
        self.dffs = []     # (q, d, enable); the enable of one that always takes d is ONE
        self.latches = set()  # the q of those that are latches of an array
        self.children = []  # (name, type, {port: nets})
        self.parameters = {}  # {name of a child: {parameter: value}}

    def wire(self, name, width):
        self.wires[name] = (len(self.parent), width)
        self.parent.extend(range(len(self.parent), len(self.parent) + width))

    def bits(self, text):
        """The nets of a signal, lowest bit first."""
        stack = [[]]
        for token in TOKEN.findall(text):
            if token == "{":
                stack.append([])
            elif token == "}":
                parts = stack.pop()
                stack[-1].append([bit for part in reversed(parts) for bit in part])
            elif token[0] == "[":
                high, _, low = token[1:-1].partition(":")
                stack[-1][-1] = stack[-1][-1][int(low or high):int(high) + 1]
            elif token[0] in "\\$":
                first, width = self.wires[token]
                stack[-1].append(range(first, first + width))
            elif "'" in token:
                width, _, digits = token.partition("'")
                stack[-1].append([ONE if c == "1" else ZERO
                                  for c in reversed(digits.rjust(int(width), digits[:1] or "0"))])
            else:
                value = int(token)
                stack[-1].append([value >> i & 1 for i in range(32)])
        return list(stack[0][0])

    def find(self, net):
        parent = self.parent
        root = net
        while parent[root] != root:
            root = parent[root]
        while parent[net] != root:
            parent[net], net = root, parent[net]
        return root

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[max(a, b)] = min(a, b)


def directory():
    """Where scripts, logs and netlists go."""
    out = os.path.join(ROOT, os.environ.get("BUILD", "build"), "synth")
    os.makedirs(out, exist_ok=True)
    return out


def sources(lists):
    files = []
    for path in lists:
        synth.read_list(path, files, set(files))
    return files


def elaborate(name, tops, params, files, boxes=(), open_outputs=(), enables=False, flat=False,
              arrays=False):
    """Step 1; returns the RTLIL file and the seconds it took. `tops` is a module or several, each
    with all below it. `open_outputs` of the top module are not connected where it is used.
    Flip-flops have an enable with `enables`, else a multiplexer; `flat`: one block of all.
    `arrays`: memories stay as children of type $mem_v2, for arrays.expand, and sums of several have
    one carry."""
    tops = [tops] if isinstance(tops, str) else tops
    rtlil = os.path.join(directory(), name + ".il")
    black = " ".join(f"--blackboxed-module {box}" for box in boxes)
    sets = " ".join(f"-G {k}={v}" for k, v in params.items())
    seconds, error = synth.run(
        synth.find_yosys(), directory(), name,
        [f"read_slang -j 1 --keep-hierarchy {black} {' '.join('--top ' + t for t in tops)} {sets} "
         "-I rtl/common " + " ".join(files)]
        + ([f"hierarchy -check -top {tops[0]}"] if len(tops) == 1 else []) + ["proc"]
        + ([] if flat else ["setattr -mod -set keep_hierarchy 1 *"]
           + [f"setattr -mod -unset keep_hierarchy {h} {h}$*" for h in HELPERS])
        # Without a top, or Yosys keeps what is below one of them alone.
        + ["setattr -mod -unset top *", "flatten -noscopeinfo"]
        + [f"delete -output {tops[0]}/w:{port}" for port in open_outputs]
        + ["opt_expr", "opt_clean"]
        + (["memory_collect"] if arrays else [])  # tables that nobody writes are logic
        + ["memory_map" + (" t:$mem_v2 r:WR_PORTS=0 %i" if arrays else "")]
        + ["opt -full"] + (["alumacc t:$add t:$sub t:$mul t:$neg"] if arrays else [])
        + ["techmap", "opt_expr", "opt_merge", "opt_clean",
           "dfflegalize -cell $_DFF_P_ x" + (" -cell $_DFFE_PP_ x" if enables else ""), "opt_clean",
           "setattr -unset src */*", f"write_rtlil {os.path.relpath(rtlil, ROOT)}"])
    if error:
        synth.fail(error)
    return rtlil, seconds


def read_rtlil(path):
    modules = {}
    module = cell = None
    with open(path) as f:
        for line in f:
            words = line.split(None, 2)
            if not words or words[0] in ("attribute", "autoidx"):
                continue
            if words[0] == "parameter":
                if cell:
                    name, value = line.split()[-2:]
                    module.parameters.setdefault(cell[1], {})[name.lstrip("\\")] = value
                continue
            if words[0] == "wire":
                fields = line.split()
                width = 1
                if "width" in fields[:-1]:
                    width = int(fields[fields.index("width") + 1])
                module.wire(fields[-1], width)
                for direction in ("input", "output"):
                    if direction in fields[:-1]:
                        number = int(fields[fields.index(direction) + 1])
                        module.ports.append((number, fields[-1], direction))
            elif words[0] == "cell":
                cell = (words[1], words[2].strip(), {})
            elif words[0] == "connect":
                if cell:
                    cell[2][words[1]] = words[2]
                else:
                    module.pending.append(line)
            elif words[0] == "end":
                if cell:
                    module.cells.append(cell)
                    cell = None
                elif module:
                    finish(module)
                    module = None
            elif words[0] == "module":
                module = Module(words[1])
                module.pending = []
                module.cells = []
                modules[words[1]] = module
    return modules


def split_connect(text):
    """The two signals of a connect line."""
    depth = 0
    seen = False
    for match in TOKEN.finditer(text):
        token = match.group()
        if token == "{":
            if depth == 0 and seen:
                return text[:match.start()], text[match.start():]
            depth += 1
        elif token == "}":
            depth -= 1
            seen = True
        elif depth == 0 and token[0] != "[":
            if seen:
                return text[:match.start()], text[match.start():]
            seen = True
    synth.fail("cannot read: " + text)
    return None


def finish(module):
    for line in module.pending:
        a, b = split_connect(line.strip()[len("connect "):])
        for x, y in zip(module.bits(a), module.bits(b)):
            module.join(x, y)
    for kind, name, pins in module.cells:
        if kind in COVERS:
            inputs = [module.bits(pins["\\" + p])[0] for p in COVERS[kind][0]]
            module.gates.append((kind, module.bits(pins["\\Y"])[0], inputs))
        elif kind == "$_DFF_P_":
            module.dffs.append((module.bits(pins["\\Q"])[0], module.bits(pins["\\D"])[0], ONE))
        elif kind == "$_DFFE_PP_":
            module.dffs.append(tuple(module.bits(pins["\\" + p])[0] for p in "QDE"))
        elif kind.startswith("\\") or kind == "$mem_v2":
            module.children.append((name, kind, {p: module.bits(s) for p, s in pins.items()}))
        else:
            synth.fail(f"no gate: {kind} in {module.name}")
    find = module.find
    module.gates = [(k, find(y), [find(i) for i in ins]) for k, y, ins in module.gates]
    module.dffs = [(find(q), find(d), find(e)) for q, d, e in module.dffs]
    module.children = [(n, k, {p: [find(b) for b in bits] for p, bits in pins.items()})
                       for n, k, pins in module.children]
    del module.pending, module.cells


def is_box(kind, boxes):
    return kind.lstrip("\\").split("$")[0] in boxes


def port_nets(module, direction):
    return [module.find(first + i) for _, name, d in sorted(module.ports) if d == direction
            for first, width in [module.wires[name]] for i in range(width)]


def find_abc():
    if os.environ.get("ABC"):
        return os.environ["ABC"]
    for name in ("yosys-abc", "berkeley-abc", "abc"):
        if shutil.which(name):
            return shutil.which(name)
    synth.fail("no abc: run scripts/bootstrap formal")
    return None


class Cmos:
    """The gates of LIBRARY as a technology for map_blocks."""

    constants = {"ZERO": ZERO, "ONE": ONE}
    wires = ("BUF",)  # cells that are wires

    def __init__(self, steps=SPEED_STEPS):
        self.steps = [steps]
        self.pins = {name: ("O", pins) for name, _, _, pins in LIBRARY}
        self.pins["BUF"] = ("O", "a")
        self.inverter = "NOT"

    def library(self, out):
        """abc's command that reads the library; what it needs goes to the folder `out`."""
        genlib = os.path.join(out, "cmos.genlib")
        with open(genlib, "w") as f:
            f.write("GATE ZERO 0 O=CONST0;\nGATE ONE 0 O=CONST1;\n"
                    "GATE BUF 4 O=a; PIN * NONINV 1 999 1 0 1 0\n")
            for gate, transistors, function, _ in LIBRARY:
                f.write(f"GATE {gate} {transistors} O={function}; PIN * UNKNOWN 1 999 1 0 1 0\n")
        return f"read_genlib {genlib}"


def write_blif(module, path):
    """The gates of a block as abc reads them; returns the nets that enter and that leave."""
    driven = {y for _, y, _ in module.gates}
    used = set()
    for _, _, inputs in module.gates:
        used.update(inputs)
    inputs = sorted(used - driven - {ZERO, ONE})
    wanted = set(port_nets(module, "output"))
    for _, d, enable in module.dffs:
        wanted.update((d, enable))
    for _, _, pins in module.children:
        for bits in pins.values():
            wanted.update(bits)
    outputs = sorted(wanted & driven)
    with open(path, "w") as f:
        f.write(".model block\n.inputs " + " ".join(f"n{i}" for i in inputs) + "\n.outputs "
                + " ".join(f"n{o}" for o in outputs) + "\n.names n0\n.names n1\n1\n")
        for kind, y, ins in module.gates:
            names = " ".join(f"n{i}" for i in ins)
            f.write(f".names {names} n{y}\n" + "".join(f"{c} 1\n" for c in COVERS[kind][1]))
        f.write(".end\n")
    return inputs, outputs


def read_mapped(module, technology, path, outside):
    """The gates of a block become what abc made of them; `outside` are the nets it knows."""
    names = {f"n{i}": i for i in outside}
    names.update({"n0": ZERO, "n1": ONE})

    def net(name):
        if name not in names:
            names[name] = len(module.parent)
            module.parent.append(names[name])
        return names[name]

    module.gates = []
    with open(path) as f:
        lines = f.read().replace("\\\n", " ").split("\n")
    for i, line in enumerate(lines):
        words = line.split()
        if not words:
            continue
        if words[0] == ".gate":
            pins = dict(w.split("=") for w in words[2:])
            if words[1] in technology.constants:
                module.join(net(next(iter(pins.values()))), technology.constants[words[1]])
            else:
                output, order = technology.pins[words[1]]
                if words[1] in technology.wires:
                    module.join(net(pins[output]), net(pins[order[0]]))
                else:
                    module.gates.append((words[1], net(pins[output]),
                                         [net(pins[p]) for p in order]))
        elif words[0] == ".names":
            cover = lines[i + 1].split() if i + 1 < len(lines) else []
            if len(words) == 2:
                module.join(net(words[1]), ONE if cover == ["1"] else ZERO)
            elif cover == ["1", "1"]:
                module.join(net(words[2]), net(words[1]))
            elif cover == ["0", "1"]:
                module.gates.append((technology.inverter, net(words[2]), [net(words[1])]))
            else:
                synth.fail(f"{path}: {line}")


def run_abc(abc, script, out, name):
    """A script of abc's that writes the file `out`; `name` is of the block, for errors."""
    done = subprocess.run([abc, "-c", f"{script}; write_blif {out}"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or not os.path.exists(out):
        synth.fail(f"abc failed for {name}:\n{done.stdout[-2000:]}")


def trial(module):
    """A copy of a block that may be mapped."""
    other = copy.copy(module)
    other.parent = list(module.parent)
    return other


def map_logic(modules, abc, library, technology, stem):
    """Gives the gates of the first of some blocks that are alike to abc; those of all of them
    become cells of the technology, whose library the command `library` reads."""
    module = modules[0]
    if not module.gates:
        return
    inputs, outputs = write_blif(module, stem + ".blif")
    best = None
    for i, steps in enumerate(technology.steps):
        run_abc(abc, f"{library}; read_blif {stem}.blif; {steps}", f"{stem}.{i}", module.name)
        if len(technology.steps) == 1:
            best = (0.0, 0)
            break
        other = trial(module)
        read_mapped(other, technology, f"{stem}.{i}", inputs + outputs)
        cost = technology.cost(other)
        best = min(best or (cost, i), (cost, i))
    for same in modules:
        read_mapped(same, technology, f"{stem}.{best[1]}", inputs + outputs)


def alike(module):
    """Equal for blocks whose logic is the same, net by net."""
    return hash((tuple((k, y, tuple(ins)) for k, y, ins in module.gates), tuple(module.dffs),
                 tuple(tuple(sorted((p, tuple(b)) for p, b in pins.items()))
                       for _, _, pins in module.children),
                 tuple(sorted(module.ports)), tuple(port_nets(module, "output"))))


def below(modules, tops):
    """The names of modules that stand below some, and of these: others have become part of them."""
    found = []
    stack = ["\\" + top for top in tops]
    while stack:
        name = stack.pop()
        if name in modules and name not in found:
            found.append(name)
            stack += [kind for _, kind, _ in modules[name].children]
    return found


def groups(modules, tops, boxes=()):
    """The blocks below `tops` but the boxes, those that are alike together; the largest first, as
    they take longest."""
    same = {}
    for module in (modules[name] for name in below(modules, tops)):
        if not is_box(module.name, boxes):
            same.setdefault(alike(module), []).append(module)
    return sorted(same.values(), key=lambda g: -len(g[0].gates))


def each_group(found, one):
    """one(group, path without suffix for its files) for each; the results in their order."""
    with tempfile.TemporaryDirectory() as out, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = [pool.submit(one, g, os.path.join(out, f"block-{i}")) for i, g in enumerate(found)]
        return [job.result() for job in jobs]


def map_blocks(modules, tops, boxes=(), technology=None):
    """Step 2, for what is below `tops` but the boxes."""
    technology = technology or Cmos()
    abc = find_abc()
    with tempfile.TemporaryDirectory() as out:
        library = technology.library(out)
        each_group(groups(modules, tops, boxes),
                   lambda group, stem: map_logic(group, abc, library, technology, stem))


class Flat:
    """All blocks in one. Cells and boxes come with the path of the block they stand in."""

    def __init__(self, boxes):
        self.boxes = boxes
        self.parent = [ZERO, ONE]
        self.names = {}
        self.gates = []
        self.dffs = []
        self.latches = set()
        self.macros = []   # (path, {port: nets}, {port: direction})
        self.boxed = {}    # {path: (module, parameters)} of the macros
        self.bases = {}    # {path: (module, what its nets' numbers are here)}: see number

    find = Module.find
    join = Module.join

    def add(self, module, modules, path, outside):
        """`outside`: {port: nets of the flat netlist}."""
        base = len(self.parent) - 2
        self.bases[path] = (module.name, base)
        self.parent.extend(range(len(self.parent), len(self.parent) + len(module.parent) - 2))

        def up(net):
            net = module.find(net)
            return net if net <= ONE else base + net

        for _, name, _ in module.ports:
            first, width = module.wires[name]
            for i, net in enumerate(outside.get(name, [])):
                self.join(up(first + i), net)
        for name, (first, width) in module.wires.items():
            if name[0] == "\\":
                plain = ".".join(p for p in (path, name[1:]) if p)
                for i in range(width):
                    text = plain + (f"[{i}]" if width > 1 else "")
                    self.names.setdefault(up(first + i), text)
        self.gates += [(k, up(y), [up(i) for i in ins], path) for k, y, ins in module.gates]
        self.dffs += [(up(q), up(d), up(e), path) for q, d, e in module.dffs]
        self.latches.update(up(q) for q in module.latches)
        for name, kind, pins in module.children:
            inside = ".".join(p for p in (path, name.lstrip("\\")) if p)
            nets = {p: [up(b) for b in bits] for p, bits in pins.items()}
            if is_box(kind, self.boxes):
                directions = {port: d for _, port, d in modules[kind].ports}
                self.macros.append((inside, nets, directions))
                self.boxed[inside] = (kind, module.parameters.get(name, {}))
            else:
                self.add(modules[kind], modules, inside, nets)

    def drivers(self):
        """{net: inputs of the gate or flip-flop that drives it}"""
        driver = {}
        for _, y, ins, _ in self.gates:
            driver[self.find(y)] = [self.find(i) for i in ins]
        for q, d, enable, _ in self.dffs:
            driver[self.find(q)] = [self.find(d), self.find(enable)]
        return driver

    def live(self, ports, driver):
        """The nets that drive an output or a box, all the way back."""
        live = set()
        stack = [n for _, direction, nets in ports if direction == "output" for n in nets]
        for _, pins, directions in self.macros:
            for port, bits in pins.items():
                if directions[port] == "input" and port != "\\clk_i":
                    stack += [self.find(bit) for bit in bits]
        while stack:
            net = stack.pop()
            if net in live or net <= ONE:
                continue
            live.add(net)
            stack += driver.get(net, [])
        return live

    def cells(self, live):
        """(path, type or "dff", output, inputs) of each cell that drives something."""
        found = [(p, "dff", q, [d]) for q, d, _, p in self.dffs if self.find(q) in live]
        return found + [(p, k, y, ins) for k, y, ins, p in self.gates if self.find(y) in live]


def join(modules, top, boxes=()):
    """Step 3: (the netlist, ports of the top module as (name, direction, nets))."""
    top = modules["\\" + top]
    flat = Flat(boxes)
    flat.add(top, modules, "", {})
    # The top module comes first: its nets have the same numbers in the whole.
    ports = [(name[1:], direction, [flat.find(first + i) for i in range(width)])
             for _, name, direction in sorted(top.ports) for first, width in [top.wires[name]]]
    return flat, ports
