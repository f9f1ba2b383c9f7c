# SPDX-License-Identifier: Apache-2.0
"""Blocks as cells of a Liberty library, their area and their longest paths: what timing and gates
share. The first steps are netlist.py's.

1. `gate_clocks`: flip-flops with one enable share a clock gate, if they are CLOCK_GATE_BITS or
   more; the others get a multiplexer.
2. `Cells`, a technology for netlist.map_blocks: abc restructures and maps each block in the ways of
   STEPS, and the one is kept that costs least when it is buffered and sized.
3. `Design`: one netlist of all blocks, whose borders are gone: buffers and drives are chosen for the
   whole (sizing.py), with the times at which its inputs come and its outputs are wanted. `areas`
   adds up, `paths` asks OpenSTA. What `Static` names has SETTLES cycles more, and paths of its own.

Left out: wires, the clock tree, scan, hold.
"""

import collections
import copy
import os
import re
import shutil
import subprocess

import yaml

import liberty
import netlist
import sizing
from netlist import ONE, ROOT, ZERO, synth

CYCLE = 59.0  # FO4 between two registers with them: what is sized for
CLOCK_GATE_BITS = 4
FIRST = "strash; ifraig; scorr; dc2; strash; "
LAST = "&get -n; &st; &dch -f; &nf; &put"
# By the area; and by the depth before, where sums of products are balanced.
STEPS = [FIRST + LAST, FIRST + "if -g -K 6; strash; " + LAST]
# A block's mapping is chosen for this share of a cycle, as many paths go through several blocks, and
# at so many NAND2 for each FO4 that its longest path is over.
SHARE, OVER = 0.75, 1000.0


class Static:
    """Ports and registers that stand still while words go, by module: constraints/static.yaml."""

    def __init__(self):
        with open(os.path.join(ROOT, "constraints", "static.yaml")) as f:
            text = yaml.safe_load(f)
        self.modules = text["modules"]
        self.start = -CYCLE * text["settles"]  # FO4 at which they are there

    def nets(self, module, ports, registers):
        """Those of a module by itself, of its inputs (name, nets) and its registers (name, net)."""
        entry = self.modules.get(module.lstrip("\\").split("$")[0], {})
        found = {net for name, nets in ports if name in entry.get("ports", []) for net in nets}
        return found | {net for name, net in registers
                        if name.split("[")[0] in entry.get("registers", [])}


class Cells:
    """A Liberty library as a technology for netlist.map_blocks."""

    constants = {"_const0_": ZERO, "_const1_": ONE}

    def __init__(self, library, timing, static):
        self.lib = library
        self.timing = timing
        self.static = static
        self.wires = tuple(library.buffers)  # sizing puts its own
        self.inverter = library.inverter
        self.pins = {name: (next(iter(outputs)), list(library.inputs[name]))
                     for name, outputs in library.functions.items() if len(outputs) == 1}
        self.steps = STEPS

    def library(self, _):
        return f"read_lib -w {self.lib.path}"

    def cost(self, module):
        return self.worth(*self.sized(module))

    @staticmethod
    def worth(area, over):
        return area + OVER * max(over, 0.0)

    def sized(self, module, times=None):
        """(NAND2, FO4 by which the longest path is too long) of a mapping of a block: with its
        inputs at time 0 and a share of the cycle for all, or by `times`, {net: (when it is there,
        when it has to be)}."""
        problem = sizing.Problem(self.timing, len(module.parent))
        find = module.find
        there, due = {}, {}
        for net, (arrival, required) in (times or {}).items():
            net = find(net)
            there[net] = max(arrival, there.get(net, arrival))
            due[net] = min(required, due.get(net, required))

        def end(net, time, load):
            if net > ONE:
                problem.end(net, due.get(net, CYCLE) if times else time, load)
            return net

        driven = {find(y) for _, y, _ in module.gates} | {find(q) for q, _, _ in module.dffs}
        wires = [(name[1:], [find(first + i) for i in range(width)])
                 for name, (first, width) in module.wires.items()]
        static = self.static.nets(module.name, wires,
                                  [(name, net) for name, nets in wires for net in nets])
        used = {end(find(n), SHARE * CYCLE, 0.0) for n in netlist.port_nets(module, "output")}
        flop, _, data, _ = self.lib.flip_flops[0]
        time = SHARE * CYCLE - self.timing.setup(flop, data)
        for q, d, _ in module.dffs:
            problem.register(flop, find(q), self.static.start if find(q) in static else 0.0)
            used.add(end(find(d), time, self.timing.load(flop, data)))
        used |= {end(n, time, 1.0) for n in {find(e) for _, _, e in module.dffs}}
        for _, _, pins in module.children:
            used |= {end(n, time, 1.0) for bits in pins.values() for n in map(find, bits)
                     if n in driven}
        for kind, y, ins in module.gates:
            pins = dict(zip(self.pins[kind][1], map(find, ins)))
            problem.gate(kind, find(y), [pins[p] for p in self.timing.order[kind]])
        used |= {n for _, _, ins in problem.gates for n in ins if n >= 0}
        for net in used - driven - {ZERO, ONE}:
            problem.start(net, self.static.start if net in static else there.get(net, 0.0))
        return problem.solve(sizing.ROUNDS // 2)[:2]


def gate_clocks(module, least=CLOCK_GATE_BITS):
    """Groups of fewer than `least` flip-flops with one enable take a multiplexer instead."""
    groups = collections.Counter(enable for _, _, enable in module.dffs)
    for i, (q, d, enable) in enumerate(module.dffs):
        if enable != ONE and groups[enable] < least and q not in module.latches:
            net = len(module.parent)
            module.parent.append(net)
            module.gates.append(("$_MUX_", net, [q, d, enable]))
            module.dffs[i] = (q, net, ONE)


class Row(collections.namedtuple("Row", "area registers flops bits cells")):
    """NAND2 without macros, NAND2 of registers and clock gates, flip-flops, bits in macros."""


class Design:
    """The joined cells of a module."""

    def __init__(self, modules, top, boxes, timing, cells_file, static, outside=None, mend=False):
        """outside: {start of a port's name: [(bits below this one, FO4 at which inputs come, outputs
        are wanted), ...]}; what it does not tell comes at 0 and is wanted after a cycle. static: a
        Static."""
        self.name = top
        self.lib = library = timing.lib
        self.timing = timing
        self.outside = outside or {}
        self.memories = cells_file["memories"]
        self.flat, self.ports = netlist.join(modules, top, boxes)
        self.find = self.flat.find
        self.macros = self.flat.macros
        live = self.flat.live(self.ports, self.flat.drivers())
        self.cells = []    # [path, cell, output pin, output, {input pin: net}, register's name]
        self.gates = {}    # {(path, enable): clock net}
        self.inputs = {}   # {cell: its input pins}
        names = self.names()
        find = self.find
        latches = {self.find(q) for q in self.flat.latches}
        clk = next((find(nets[0]) for name, _, nets in self.ports if name == "clk_i"), None)
        for q, d, enable, path in self.flat.dffs:
            if find(q) in live:
                kinds = library.latches if find(q) in latches else library.flip_flops
                flop, clock, data, output = kinds[0]
                net = clk
                if find(enable) != ONE:
                    net = self.clock_gate(path, find(enable), clk, names)
                self.cells.append([path, flop, output, find(q), {clock: net, data: find(d)},
                                   names.get(find(q), "")])
        technology = {name: (next(iter(o)), list(library.inputs[name]))
                      for name, o in library.functions.items() if len(o) == 1}
        for kind, y, ins, path in self.flat.gates:
            if find(y) in live:
                pin, order = technology[kind]
                self.cells.append([path, kind, pin, find(y),
                                   {p: find(i) for p, i in zip(order, ins)}, ""])
        self.settled = static.start
        self.static = static.nets(
            top, [(name, [find(n) for n in nets]) for name, direction, nets in self.ports
                  if direction == "input"],
            [(cell[5], cell[3]) for cell in self.cells if not cell[0]])
        self.size(clk, mend)

    def names(self):
        """The shortest name of each net that has one in the source."""
        names = {}
        for net, text in self.flat.names.items():
            net = self.find(net)
            if "$" not in text and (net not in names or self.worth(text) < self.worth(names[net])):
                names[net] = text
        return names

    @staticmethod
    def worth(text):
        """Registers before other names, then the shortest."""
        return (not re.search(r"_q(\[|$|\.)", text), text.count("."), len(text))

    def clock_gate(self, path, enable, clk, names):
        key = (path, enable)
        if key not in self.gates:
            cell, clock, pin, output = self.lib.clock_gates[0]
            self.gates[key] = len(self.flat.parent)
            self.flat.parent.append(self.gates[key])
            self.cells.append([path, cell, output, self.gates[key], {clock: clk, pin: enable},
                               "enable " + names.get(enable, "")])
        return self.gates[key]

    def when(self, port, bit):
        """(FO4 at which a bit of an input comes, of an output is wanted)."""
        spans = next((s for start, s in self.outside.items() if port.startswith(start)), [])
        return next(((come, wanted) for below, come, wanted in spans if bit < below), (0.0, CYCLE))

    def problem(self, clk):
        """The whole as sizing takes it, and where its ends are: (a list, the index in it)."""
        timing = self.timing
        problem = sizing.Problem(timing, len(self.flat.parent))
        places = []
        clocks = {c[0]: c[1] for c in self.lib.flip_flops + self.lib.latches
                  + self.lib.clock_gates}

        def end(net, time, load, where, at):
            if net > ONE:
                problem.end(net, time, load)
                places.append((where, at))

        for cell in self.cells:
            _, kind, _, out, pins, _ = cell
            if kind in clocks:
                pin = next(p for p in pins if p != clocks[kind])
                end(pins[pin], CYCLE - timing.setup(kind, pin), timing.load(kind, pin), pins, pin)
                if kind in timing.number:
                    problem.register(kind, out, self.settled if out in self.static else 0.0)
            else:
                problem.gate(kind, out, [pins[p] for p in timing.order[kind]])
        for path, pins, directions in self.macros:
            memory = self.memories[self.flat.boxed[path][0].lstrip("\\").split("$")[0]]
            for port, bits in pins.items():
                for i, bit in enumerate(bits):
                    if directions[port] == "output":
                        problem.start(self.find(bit), memory["clock_to_data"])
                    elif port != "\\clk_i":
                        end(self.find(bit), CYCLE - memory["setup"], 1.0, bits, i)
        for name, direction, nets in self.ports:
            for i, net in enumerate(nets):
                if direction == "output":
                    end(self.find(net), self.when(name, i)[1], 0.0, nets, i)
                elif self.find(net) in self.static:
                    problem.start(self.find(net), self.settled)
                elif self.find(net) != clk:
                    problem.start(self.find(net), self.when(name, i)[0])
        return problem, places

    def size(self, clk, mend):
        """Buffers and drives; a buffer is of the block that drives it."""
        problem, places = self.problem(clk)
        sized = [c for c in self.cells if c[1] in self.timing.number]
        home = {c[3]: c[0] for c in sized}
        problem.solve(mend=mend)
        self.times = problem.times
        for cell, (kind, _, nets) in zip(sized, problem.gates):
            cell[1] = kind
            for pin, net in zip(self.timing.order[kind], nets):
                if net >= 0:
                    cell[4][pin] = net
        for (where, at), (net, _, _) in zip(places, problem.ends):
            where[at] = net
        for kind, out, (net,) in problem.gates[len(sized):]:
            home[out] = home.get(net, "")
            self.cells.append([home[out], kind, next(iter(self.lib.functions[kind])), out,
                               {self.timing.order[kind][0]: net}, ""])
        last = max((c[3] for c in self.cells), default=0)
        self.flat.parent.extend(range(len(self.flat.parent), last + 1))

    def part(self, path):
        """The cells of a block and all below it as a design of their own, as they stand here."""
        def inside(other):
            return not path or other == path or other.startswith(path + ".")

        part = copy.copy(self)
        part.cells = [c for c in self.cells if inside(c[0])]
        part.macros = [m for m in self.macros if inside(m[0])]
        find = self.find
        driven, used, outer = set(), set(), set()
        for cells, drives, uses in ((part.cells, driven, used),
                                    ([c for c in self.cells if not inside(c[0])], set(), outer)):
            for cell in cells:
                drives.add(cell[3])
                uses.update(cell[4].values())
        for macro in self.macros:
            for port, bits in macro[1].items():
                if macro[2][port] == "input":
                    (used if inside(macro[0]) else outer).update(map(find, bits))
                elif inside(macro[0]):
                    driven.update(map(find, bits))
        for _, direction, nets in self.ports:
            if direction == "output":
                outer.update(map(find, nets))
        clk = [(n, d, nets) for n, d, nets in self.ports if n == "clk_i"]
        clocks = {find(n) for _, _, nets in clk for n in nets}
        part.ports = clk + [
            ("i", "input", sorted(used - driven - clocks - {ZERO, ONE})),
            ("o", "output", sorted(driven & outer))]
        return part

    def bits(self, path):
        kind, parameters = self.flat.boxed[path]
        memory = self.memories[kind.lstrip("\\").split("$")[0]]
        values = {k: int(str(v).split("'")[-1], 2 if "'" in str(v) else 10)
                  for k, v in parameters.items()}
        return eval(memory["bits"], {"__builtins__": {}},  # pylint: disable=eval-used
                    {**memory.get("defaults", {}), **values})

    def areas(self):
        """{path of a block: Row of it and all below it}; "" is the whole."""
        sums = collections.defaultdict(lambda: [0.0, 0.0, 0, 0, 0])
        flops = {c[0] for c in self.lib.flip_flops + self.lib.latches}
        registers = flops | {c[0] for c in self.lib.clock_gates}

        def add(path, values):
            parts = path.split(".") if path else []
            for depth in range(len(parts) + 1):
                row = sums[".".join(parts[:depth])]
                for i, value in enumerate(values):
                    row[i] += value

        for path, kind, *_ in self.cells:
            area = self.lib.areas[kind] / self.lib.nand2
            add(path, (area, area if kind in registers else 0.0, int(kind in flops), 0, 1))
        for path, _, _ in self.macros:
            add(path, (0, 0, 0, self.bits(path), 0))
        return {path: Row(*row) for path, row in sums.items()}

    def macro_types(self):
        """{name of the cell: (module, {port: bits}, directions)}; one for each set of widths."""
        types = {}
        for path, pins, directions in self.macros:
            kind = self.flat.boxed[path][0].lstrip("\\").split("$")[0]
            shape = [(p.lstrip("\\"), directions[p], len(b)) for p, b in sorted(pins.items())]
            name = kind + "_" + "_".join(str(w) for _, _, w in shape)
            types[path] = (name, kind, shape)
        return types

    def write(self, stem, fo4):
        """Verilog of plain nets to stem.v, and the macros' library to stem.lib if there are any."""
        find = self.find
        driven = {c[3] for c in self.cells}
        for _, pins, directions in self.macros:
            for port, bits in pins.items():
                if directions[port] == "output":
                    driven.update(find(b) for b in bits)
        names = {ZERO: "1'b0", ONE: "1'b1"}
        ports, lines = [], []
        for name, direction, nets in self.ports:
            for i, net in enumerate(nets):
                port = f"{name}_{i}"
                ports.append(port)
                lines.append(f"{direction} {port};")
                if direction == "input":
                    driven.add(find(net))
                    names[find(net)] = port

        def net_name(net):
            net = find(net)
            if net not in names:
                names[net] = f"n{net}" if net in driven else "1'b0"
            return names[net]

        for i, (_, kind, pin, y, ins, _) in enumerate(self.cells):
            pins = ", ".join(f".{p}({net_name(n)})" for p, n in ins.items())
            lines.append(f"{kind} c{i} ({pins}, .{pin}({net_name(y)}));")
        types = self.macro_types()
        for i, (path, pins, _) in enumerate(self.macros):
            text = ", ".join(f".{p.lstrip(chr(92))}_{b}({net_name(n)})"
                             for p, bits in pins.items() for b, n in enumerate(bits))
            lines.append(f"{types[path][0]} m{i} ({text});")
        for name, direction, nets in self.ports:
            if direction == "output":
                lines += [f"assign {name}_{i} = {net_name(net)};" for i, net in enumerate(nets)]
        with open(stem + ".v", "w") as f:
            f.write(f"module {self.name} ({', '.join(ports)});\n" + "\n".join(lines)
                    + "\nendmodule\n")
        if types:
            with open(stem + ".lib", "w") as f:
                f.write(liberty.header("macros", self.lib.unit))
                for name, kind, shape in sorted({(n, k, tuple(s)) for n, k, s in types.values()}):
                    liberty.macro(f, name, shape, fo4, self.memories[kind])
                f.write("}\n")
        return bool(types)

    def still(self):
        """What stands still, for OpenSTA."""
        ports = [f"{name}_{i}" for name, direction, nets in self.ports if direction == "input"
                 for i, net in enumerate(nets) if self.find(net) in self.static]
        cells = [f"c{i}" for i, c in enumerate(self.cells)
                 if c[1] in self.lib.sequential and c[3] in self.static]
        return " ".join([f"[get_ports {{{' '.join(ports)}}}]"] * bool(ports)
                        + [f"[get_cells {{{' '.join(cells)}}}]"] * bool(cells))

    def end(self, pin):
        """The block and the name of a path's end that OpenSTA calls `pin`."""
        cell = pin.partition("/")[0]
        if re.fullmatch(r"c\d+", cell):
            path, _, _, _, _, name = self.cells[int(cell[1:])]
            inner = name[len(path) + 1:] if path and name.startswith(path + ".") else name
            return path, inner or "(no name)"
        if re.fullmatch(r"m\d+", cell):
            return self.macros[int(cell[1:])][0], pin.partition("/")[2]
        return "", "port " + re.sub(r"_(\d+)$", r"[\1]", pin)


Path = collections.namedtuple("Path", "kind fo4 start end")  # ends as OpenSTA calls them
Step = collections.namedtuple("Step", "fo4 pin cell")        # a point of a path, and when
# Slacks are negative: the clock's period is a thousandth of a time unit.
SCRIPT = """{libraries}
read_verilog {stem}.v
link_design {top}
{clock}
create_clock -name outside -period 0.001
proc show {{paths}} {{
  foreach p $paths {{
    puts "PATH [get_property $p slack] [get_full_name [get_property $p startpoint]]\
      [get_full_name [get_property $p endpoint]]"
  }}
}}
{questions}
exit
"""
ALL = """{still}
show [find_timing_paths -group_count {count}]
report_checks -path_delay max -format full -digits 4
{inputs}
show [find_timing_paths -from [all_inputs] -group_count {count}]
{outputs}
show [find_timing_paths -to [all_outputs] -group_count {count}]
show [find_timing_paths -from [all_inputs] -to [all_outputs] -group_count {count}]
{each}
"""
STILL = """{inputs}
{outputs}
show [find_timing_paths -from [concat {still}]]
"""


def find_sta():
    if os.environ.get("STA"):
        return os.environ["STA"]
    found = shutil.which("sta") or shutil.which("opensta")
    if not found:
        synth.fail("no OpenSTA: run scripts/bootstrap timing")
    return found


def run_sta(stem, script):
    with open(stem + ".tcl", "w") as f:
        f.write(script)
    done = subprocess.run([find_sta(), "-no_splash", "-exit", stem + ".tcl"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or "Error" in done.stdout:
        errors = [line for line in done.stdout.splitlines() if "Error" in line]
        synth.fail("OpenSTA: " + "\n".join(errors or done.stdout.splitlines()[-5:]))
    return done.stdout


def paths(design, stem, fo4, count=5000):
    """([Path], longest first; [Step] of the longest between registers) of a design: between
    registers, from inputs, to outputs, and from inputs to outputs; one for each end, and the longest
    from and to each bit of the ports that the design's `outside` names by their beginning. Those
    from what stands still are of a kind of their own, and the longest of them is all that is
    told."""
    macros = design.write(stem, fo4)
    libraries = [f"read_liberty {design.lib.path}"] + ([f"read_liberty {stem}.lib"] if macros
                                                       else [])
    clock = any(name == "clk_i" for name, _, _ in design.ports)

    def delays(command, direction):
        names = [f"{n}_{i}" for n, d, nets in design.ports if d == direction and n != "clk_i"
                 for i in range(len(nets))]
        return "\n".join(f"{command} 0 -clock outside [get_ports {n}]" for n in names)

    each = [(d, f"{n}_{i}") for n, d, nets in design.ports if n != "clk_i"
            and any(start and n.startswith(start) for start in design.outside)
            for i in range(len(nets))]
    setting = {"inputs": delays("set_input_delay", "input"), "count": count,
               "outputs": delays("set_output_delay", "output"),
               "each": "\n".join(f"show [find_timing_paths {'-from' if d == 'input' else '-to'} "
                                 f"[get_ports {n}]]" for d, n in each)}

    def ask(questions, still):
        return run_sta(stem, SCRIPT.format(
            libraries="\n".join(libraries), stem=stem, top=design.name,
            clock="create_clock -name clk -period 0.001 [get_ports clk_i_0]" if clock else "",
            questions=questions.format(still=still, **setting))).splitlines()

    found = []
    steps = []
    still = design.still()
    for line in ask(STILL, still) if still else []:
        if line.startswith("PATH"):
            _, slack, start, end = line.split()
            found.append(Path("static", (0.001 - float(slack)) / fo4, start, end))
    for line in ask(ALL, f"set_false_path -from [concat {still}]" if still else ""):
        words = line.split()
        if words[:1] == ["PATH"]:
            start, end = words[2:]
            kind = {(1, 1): "registers", (0, 1): "inputs", (1, 0): "outputs",
                    (0, 0): "through"}["/" in start, "/" in end]
            found.append(Path(kind, (0.001 - float(words[1])) / fo4, start, end))
        elif (len(words) == 5 and words[2] in "v^" and "/" in words[3]
              and (not steps or float(words[1]) / fo4 >= steps[-1].fo4)):
            steps.append(Step(float(words[1]) / fo4, words[3], words[4].strip("()")))
    return sorted(set(found), key=lambda p: -p.fo4), steps


def measure_fo4(library, stem):
    """The delay of an inverter that drives four of its kind, in the library's unit of time: the
    mean of two stages of a chain, one rising and one falling."""
    cell = library.inverter
    out = next(iter(library.functions[cell]))
    pin = next(iter(library.inputs[cell]))
    lines = ["module chain (a_0, y_0); input a_0; output y_0;"]
    before = "a_0"
    for stage in range(8):
        lines.append(f"{cell} c{stage} (.{pin}({before}), .{out}(n{stage}));")
        lines += [f"{cell} l{stage}_{i} (.{pin}(n{stage}));" for i in range(3)]
        before = f"n{stage}"
    with open(stem + ".v", "w") as f:
        f.write("\n".join(lines) + f"\nassign y_0 = {before};\nendmodule\n")
    text = run_sta(stem, f"read_liberty {library.path}\nread_verilog {stem}.v\n"
                   "link_design chain\ncreate_clock -name outside -period 0.001\n"
                   "set_input_delay 0 -clock outside a_0\nset_output_delay 0 -clock outside y_0\n"
                   "report_checks -path_delay max -format full -digits 6\nexit\n")
    at = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 5 and words[3].startswith("c"):
            at[words[3].partition("/")[0]] = float(words[1])
    return (at["c5"] - at["c3"]) / 2
