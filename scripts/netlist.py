# SPDX-License-Identifier: Apache-2.0
"""From SystemVerilog to gates, block by block: what faults and gates beside it share.

1. `elaborate`: Yosys makes two-input gates, multiplexers and plain flip-flops of a module and all
   that is below it, with the hierarchy kept. Boxes, modules that are macros, stay as they are;
   every other memory becomes flip-flops.
2. `read_rtlil`, `map_blocks`: abc optimises the logic of each block and maps it to CMOS gates:
   inverter, NAND, NOR, AND, OR, XOR, XNOR, multiplexer, AND-OR-invert and OR-AND-invert of three
   and four inputs, at the costs in transistors of Yosys' `stat -tech cmos`.
3. `join`: one netlist of all blocks, in which `live` finds what drives an output or a box.

Yosys' own way to the same gates, `abc -g cmos`, takes too long for a tile where Yosys is
WebAssembly, because abc is so as well. Here abc is a program of its own (`scripts/bootstrap
formal`).
"""

import concurrent.futures
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LOADER = importlib.machinery.SourceFileLoader("synth", os.path.join(ROOT, "scripts", "synth"))
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
ABC_STEPS = "strash; ifraig; dc2; dc2; strash; &get -n; &nf; &put"
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
        self.dffs = []     # (q, d)
        self.children = []  # (name, type, {port: nets})

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
                stack[-1].append([ONE if c == "1" else ZERO
                                  for c in reversed(token.partition("'")[2])])
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


def elaborate(name, top, params, files, boxes=(), open_outputs=()):
    """Step 1; returns the RTLIL file and the seconds it took. `open_outputs` of the top module are
    not connected where it is used."""
    rtlil = os.path.join(directory(), name + ".il")
    black = " ".join(f"--blackboxed-module {box}" for box in boxes)
    sets = " ".join(f"-G {k}={v}" for k, v in params.items())
    seconds, error = synth.run(
        synth.find_yosys(), directory(), name,
        [f"read_slang -j 1 --keep-hierarchy {black} --top {top} {sets} -I rtl/common "
         + " ".join(files),
         f"hierarchy -check -top {top}", "proc"]
        + [f"delete -output {top}/w:{port}" for port in open_outputs]
        + ["opt_expr", "opt_clean", "memory_map", "opt -full", "techmap", "opt_expr",
           "opt_merge", "opt_clean", "dfflegalize -cell $_DFF_P_ x", "opt_clean",
           f"write_rtlil {os.path.relpath(rtlil, ROOT)}"])
    if error:
        synth.fail(error)
    return rtlil, seconds


def read_rtlil(path):
    modules = {}
    module = cell = None
    with open(path) as f:
        for line in f:
            words = line.split(None, 2)
            if not words or words[0] in ("attribute", "parameter", "autoidx"):
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
            module.dffs.append((module.bits(pins["\\Q"])[0], module.bits(pins["\\D"])[0]))
        elif kind.startswith("\\"):
            module.children.append((name, kind, {p: module.bits(s) for p, s in pins.items()}))
        else:
            synth.fail(f"no gate: {kind} in {module.name}")
    find = module.find
    module.gates = [(k, find(y), [find(i) for i in ins]) for k, y, ins in module.gates]
    module.dffs = [(find(q), find(d)) for q, d in module.dffs]
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


def map_logic(module, abc, genlib, stem):
    """Gives the gates of one block to abc; its gates become those of the library."""
    if not module.gates:
        return
    driven = {y for _, y, _ in module.gates}
    used = set()
    for _, _, inputs in module.gates:
        used.update(inputs)
    inputs = sorted(used - driven - {ZERO, ONE})
    wanted = set(port_nets(module, "output")) | {d for _, d in module.dffs}
    for _, kind, pins in module.children:
        for port, bits in pins.items():
            wanted.update(bits)
    outputs = sorted(wanted & driven)
    with open(stem + ".blif", "w") as f:
        f.write(f".model block\n.inputs " + " ".join(f"n{i}" for i in inputs) + "\n.outputs "
                + " ".join(f"n{o}" for o in outputs) + "\n.names n0\n.names n1\n1\n")
        for kind, y, ins in module.gates:
            names = " ".join(f"n{i}" for i in ins)
            f.write(f".names {names} n{y}\n" + "".join(f"{c} 1\n" for c in COVERS[kind][1]))
        f.write(".end\n")
    done = subprocess.run(
        [abc, "-c", f"read_genlib {genlib}; read_blif {stem}.blif; {ABC_STEPS}; "
         f"write_blif {stem}.out"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or not os.path.exists(stem + ".out"):
        synth.fail(f"abc failed for {module.name}:\n{done.stdout[-2000:]}")
    names = {f"n{i}": i for i in inputs + outputs}
    names.update({"n0": ZERO, "n1": ONE})
    order = {name: pins for name, _, _, pins in LIBRARY}

    def net(name):
        if name not in names:
            names[name] = len(module.parent)
            module.parent.append(names[name])
        return names[name]

    module.gates = []
    with open(stem + ".out") as f:
        text = f.read().replace("\\\n", " ")
    lines = text.split("\n")
    for i, line in enumerate(lines):
        words = line.split()
        if not words:
            continue
        if words[0] == ".gate":
            pins = dict(w.split("=") for w in words[2:])
            if words[1] in ("ZERO", "ONE"):
                module.join(net(pins["O"]), ZERO if words[1] == "ZERO" else ONE)
            elif words[1] == "BUF":
                module.join(net(pins["O"]), net(pins["a"]))
            else:
                module.gates.append((words[1], net(pins["O"]),
                                     [net(pins[p]) for p in order[words[1]]]))
        elif words[0] == ".names":
            cover = lines[i + 1].split() if i + 1 < len(lines) else []
            if len(words) == 2:
                module.join(net(words[1]), ONE if cover == ["1"] else ZERO)
            elif cover == ["1", "1"]:
                module.join(net(words[2]), net(words[1]))
            elif cover == ["0", "1"]:
                module.gates.append(("NOT", net(words[2]), [net(words[1])]))
            else:
                synth.fail(f"{stem}.out: {line}")


def map_blocks(modules, boxes=()):
    """Step 2, for all blocks but the boxes."""
    abc = find_abc()
    with tempfile.TemporaryDirectory() as out:
        genlib = os.path.join(out, "cmos.genlib")
        with open(genlib, "w") as f:
            f.write("GATE ZERO 0 O=CONST0;\nGATE ONE 0 O=CONST1;\n"
                    "GATE BUF 4 O=a; PIN * NONINV 1 999 1 0 1 0\n")
            for gate, transistors, function, _ in LIBRARY:
                f.write(f"GATE {gate} {transistors} O={function}; PIN * UNKNOWN 1 999 1 0 1 0\n")
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            jobs = [pool.submit(map_logic, m, abc, genlib, os.path.join(out, f"block-{i}"))
                    for i, m in enumerate(modules.values()) if not is_box(m.name, boxes)]
            for job in jobs:
                job.result()


class Flat:
    """All blocks in one. Cells and boxes come with the path of the block they stand in."""

    def __init__(self, boxes):
        self.boxes = boxes
        self.parent = [ZERO, ONE]
        self.names = {}
        self.gates = []
        self.dffs = []
        self.macros = []   # (path, {port: nets}, {port: direction})

    find = Module.find
    join = Module.join

    def add(self, module, modules, path, outside):
        """`outside`: {port: nets of the flat netlist}."""
        base = len(self.parent) - 2
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
        self.dffs += [(up(q), up(d), path) for q, d in module.dffs]
        for name, kind, pins in module.children:
            inside = ".".join(p for p in (path, name.lstrip("\\")) if p)
            nets = {p: [up(b) for b in bits] for p, bits in pins.items()}
            if is_box(kind, self.boxes):
                directions = {port: d for _, port, d in modules[kind].ports}
                self.macros.append((inside, nets, directions))
            else:
                self.add(modules[kind], modules, inside, nets)

    def drivers(self):
        """{net: inputs of the gate or flip-flop that drives it}"""
        driver = {}
        for _, y, ins, _ in self.gates:
            driver[self.find(y)] = [self.find(i) for i in ins]
        for q, d, _ in self.dffs:
            driver[self.find(q)] = [self.find(d)]
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
        found = [(p, "dff", q, [d]) for q, d, p in self.dffs if self.find(q) in live]
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
