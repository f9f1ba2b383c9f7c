# SPDX-License-Identifier: Apache-2.0
"""Liberty libraries: ours, written from constraints/cells.yaml, and what the flow has to know of
anybody's (which cell is an inverter, a NAND2, a flip-flop ...).

Times of a library written here are in thousandths of a FO4 (the library calls them picoseconds),
capacitances in inputs of the smallest inverter, areas in NAND2.
"""

import os
import re

import yaml

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
CELLS = os.path.join(ROOT, "constraints", "cells.yaml")
UNITS = 1000.0  # time units of a library written here in a FO4
SLOPES = (0.0, 1000000.0)    # delays do not depend on slopes: two points are enough, and on loads
LOADS = (0.0, 100.0, 1000.0)  # linearly; abc wants three


def load_cells(path=CELLS):
    with open(path) as f:
        return yaml.safe_load(f)


def area(pairs):
    """The area of a cell of so many transistor pairs, in NAND2."""
    return (pairs + 1) / 3


def table(kind, at_zero, slope):
    row = ", ".join(f"{at_zero + slope * load:.2f}" for load in LOADS)
    rows = ", ".join(f'"{row}"' for _ in SLOPES)
    return f"          {kind} (slope_load) {{ values ({rows}); }}\n"


def delay_tables(tau, parasitic, drive):
    """Delays of a gate, and slopes as long: abc wants some, no delay depends on them."""
    return "".join(table(kind, parasitic * tau, tau / drive)
                   for kind in ("cell_rise", "cell_fall", "rise_transition",
                                "fall_transition"))


def input_pin(name, capacitance, more=""):
    return (f"    pin ({name}) {{ direction : input; capacitance : {capacitance:.3f}; "
            f"{more}}}\n")


def sense(function, pin):
    """Unateness of a pin in a function of Liberty, by trying all inputs."""
    names = sorted(set(re.findall(r"[A-Z]", function)))
    text = function.replace("!", " 1 ^ ").replace("*", " & ").replace("+", " | ")
    up = down = False
    for row in range(1 << len(names)):
        values = {n: row >> i & 1 for i, n in enumerate(names)}
        out = [eval(text, {"__builtins__": {}}, {**values, pin: v}) & 1  # pylint: disable=eval-used
               for v in (0, 1)]
        up |= out[1] > out[0]
        down |= out[1] < out[0]
    return "non_unate" if up and down else "positive_unate" if up else "negative_unate"


def gate(name, cell, drive, tau):
    strength = cell.get("strength", drive)
    slow = cell.get("slow", {})
    text = f"  cell ({name}) {{\n    area : {area(cell['pairs'] * drive):.4f};\n"
    for pin, effort in cell["effort"].items():
        text += input_pin(pin, effort * drive)
    text += (f"    pin (Y) {{\n      direction : output;\n      function : \"{cell['function']}\";\n"
             f"      max_capacitance : {LOADS[-1]:.1f};\n")
    for pin in cell["effort"]:
        text += (f"      timing () {{\n        related_pin : \"{pin}\";\n"
                 f"        timing_sense : {sense(cell['function'], pin)};\n"
                 + delay_tables(tau, cell["parasitic"] + slow.get(pin, 0.0), strength)
                 + "      }\n")
    return text + "    }\n  }\n"


def constraint(kind, related, setup):
    rows = ", ".join(f'"{setup:.2f}, {setup:.2f}"' for _ in SLOPES)
    return (f"timing () {{ related_pin : \"{related}\"; timing_type : {kind}; "
            f"rise_constraint (slope_slope) {{ values ({rows}); }} "
            f"fall_constraint (slope_slope) {{ values ({rows}); }} }} ")


def clock_arc(tau, parasitic, drive, kind="timing_type : rising_edge;"):
    return (f"      timing () {{\n        related_pin : \"CK\";\n        {kind}\n"
            + delay_tables(tau, parasitic, drive) + "      }\n")


STATE = {"DFF": "    ff (IQ, IQN) { clocked_on : \"CK\"; next_state : \"D\"; }\n",
         "LATCH": "    latch (IQ, IQN) { enable : \"CK\"; data_in : \"D\"; }\n",
         "ICG": "    dont_use : true;\n    clock_gating_integrated_cell : \"latch_posedge\";\n"}


def register(kind, cell, drive, tau):
    name = f"{kind}_X{drive}"
    pin = "E" if kind == "ICG" else "D"
    text = (f"  cell ({name}) {{\n    area : {area(cell['pairs'] + drive - 1):.4f};\n"
            + STATE[kind]
            + input_pin("CK", cell["clock"], "clock : true; ")
            + input_pin(pin, cell["effort"],
                        constraint("setup_rising", "CK", cell["setup"] * tau)))
    if kind == "ICG":
        return (text + "    pin (Y) {\n      direction : output;\n      function : \"CK & E\";\n"
                + clock_arc(tau, 0.0, drive, "timing_sense : positive_unate;") + "    }\n  }\n")
    return (text + "    pin (Q) {\n      direction : output;\n      function : \"IQ\";\n"
            + clock_arc(tau, cell["parasitic"], drive) + "    }\n  }\n")


def header(name, unit=1e-12):
    """Up to the cells; unit: of time, in seconds."""
    slopes = ", ".join(f"{s:.1f}" for s in SLOPES)
    loads = ", ".join(f"{c:.1f}" for c in LOADS)
    return (f"library ({name}) {{\n  delay_model : table_lookup;\n"
            f"  time_unit : \"{time_name(unit)}\";\n"
            "  voltage_unit : \"1V\";\n  current_unit : \"1mA\";\n"
            "  capacitive_load_unit (1, ff);\n  pulling_resistance_unit : \"1kohm\";\n"
            "  leakage_power_unit : \"1nW\";\n  nom_process : 1;\n  nom_temperature : 25;\n"
            "  nom_voltage : 1;\n  default_max_transition : 1000000;\n"
            + "".join(f"  {side}_{what} : {value};\n" for what, value in
                      [("threshold_pct_rise", 50), ("threshold_pct_fall", 50)]
                      for side in ("input", "output"))
            + "".join(f"  slew_{side}_{what} : {value};\n" for side, value in
                      [("lower", 20), ("upper", 80)]
                      for what in ("threshold_pct_rise", "threshold_pct_fall")) +
            f"  lu_table_template (slope_load) {{\n    variable_1 : input_net_transition;\n"
            f"    variable_2 : total_output_net_capacitance;\n    index_1 (\"{slopes}\");\n"
            f"    index_2 (\"{loads}\");\n  }}\n"
            f"  lu_table_template (slope_slope) {{\n    variable_1 : constrained_pin_transition;\n"
            f"    variable_2 : related_pin_transition;\n    index_1 (\"{slopes}\");\n"
            f"    index_2 (\"{slopes}\");\n  }}\n")


def write(path, cells=None):
    """The library of constraints/cells.yaml."""
    cells = cells or load_cells()
    tau = UNITS / cells["fo4"]
    with open(path, "w") as f:
        f.write(header("openwafer"))
        for name, cell in cells["gates"].items():
            for drive in cell.get("drives", cells["drives"]):
                f.write(gate(name if "strength" in cell else f"{name}_X{drive}", cell, drive, tau))
        for kind, cell in cells["registers"].items():
            for drive in cell["drives"]:
                f.write(register(kind, cell, drive, tau))
        f.write("}\n")


def macro(f, name, ports, fo4, memory):
    """A box as a cell of its own, of library times a FO4; ports are (name, direction, width) and
    the cell's pins name_0, name_1 ...; a box that is no memory has no arcs but its set-up."""
    f.write(f"  cell ({name}) {{\n    area : 0;\n")
    for port, direction, width in ports:
        for bit in range(width):
            pin = f"{port}_{bit}"
            if port == "clk_i":
                f.write(input_pin(pin, 1.0, "clock : true; "))
            elif direction == "input":
                f.write(input_pin(pin, 1.0, constraint("setup_rising", "clk_i_0",
                                                       memory["setup"] * fo4)))
            else:
                time = memory["clock_to_data"] * fo4
                f.write(f"    pin ({pin}) {{\n      direction : output;\n      timing () {{\n"
                        "        related_pin : \"clk_i_0\";\n        timing_type : rising_edge;\n"
                        + "".join(table(kind, time, 0) for kind in ("cell_rise", "cell_fall"))
                        + "".join(table(kind, 0, 0)
                                  for kind in ("rise_transition", "fall_transition"))
                        + "      }\n    }\n")
    f.write("  }\n")


class Library:
    """What the flow has to know of a Liberty file: areas, pins, and the cells for each purpose."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        with open(path) as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S).replace("\\\n", " ")
        self.areas = {}      # cell: its area
        self.functions = {}  # cell: {output: function}
        self.inputs = {}     # cell: {input: capacitance}
        self.sequential = {}  # cell: "ff", "latch" or "gate"
        self.bodies = {}      # cell: its text
        self.templates = {name: body for name, body in groups(text, "lu_table_template")}
        for name, body in groups(text, "cell"):
            self.areas[name] = float(attribute(body, "area") or 0)
            self.functions[name] = {}
            self.inputs[name] = {}
            self.bodies[name] = body
            for pin, inner in groups(body, "pin"):
                if attribute(inner, "direction") == "output":
                    self.functions[name][pin] = attribute(inner, "function")
                else:
                    self.inputs[name][pin] = float(attribute(inner, "capacitance") or 0)
            if attribute(body, "clock_gating_integrated_cell"):
                self.sequential[name] = "gate"
            elif re.search(r"\bff\s*\(", body):
                self.sequential[name] = "ff"
            elif re.search(r"\blatch\s*\(", body):
                self.sequential[name] = "latch"
        self.unit = time_unit(text)
        self.nand2 = self.areas[self.smallest(2, {1: 1, 2: 1, 0: 1, 3: 0})]
        self.inverter = self.smallest(1, {0: 1, 1: 0})
        self.buffers = [name for name in self.areas if self.is_buffer(name)]
        self.flip_flops = self.plain_registers("ff", 2)
        self.latches = self.plain_registers("latch", 2)
        self.clock_gates = self.plain_registers("gate", 2)
        if not self.flip_flops:
            raise ValueError(f"{path}: no flip-flop with a clock and a data pin")

    def smallest(self, pins, truth):
        """The least cell of a function of so many pins; truth: {row: value}."""
        found = []
        for name, inputs in self.inputs.items():
            outputs = self.functions[name]
            if len(inputs) != pins or len(outputs) != 1 or name in self.sequential:
                continue
            function = next(iter(outputs.values()))
            if function and all(evaluate(function, sorted(inputs), row) == value
                                for row, value in truth.items()):
                found.append((self.areas[name], name))
        if not found:
            raise ValueError(f"{self.path}: no inverter or no NAND2")
        return min(found)[1]

    def is_buffer(self, name):
        function = next(iter(self.functions[name].values()), None)
        return (len(self.inputs[name]) == 1 and len(self.functions[name]) == 1 and function
                and name not in self.sequential
                and [evaluate(function, list(self.inputs[name]), row) for row in (0, 1)] == [0, 1])

    def rows(self, body, kind):
        """The rows of a table of this kind in a group of timings: {slope: [(load, time)]}, as far as
        the table has slopes and loads."""
        name, table = next(iter(groups(body, kind)), ("", ""))
        template = self.templates.get(name, "")
        axes = [[float(v) for v in re.findall(r"[-+.\deE]+", found.group(1))] for found in (
            re.search(rf"\bindex_{i}\s*\(([^)]*)\)", table)
            or re.search(rf"\bindex_{i}\s*\(([^)]*)\)", template) for i in (1, 2)) if found]
        values = re.search(r"\bvalues\s*\(([^)]*)\)", table)
        values = [float(v) for v in re.findall(r"[-+.\deE]+", values.group(1))] if values else []
        if len(axes) != 2 or len(values) != len(axes[0]) * len(axes[1]):
            return {0.0: [(0.0, v) for v in values[:1]]} if values else {}
        wide = len(axes[1])
        if "capacitance" in (attribute(template, "variable_1") or ""):
            return {slope: [(load, values[i * wide + j]) for i, load in enumerate(axes[0])]
                    for j, slope in enumerate(axes[1])}
        return {slope: [(load, values[i * wide + j]) for j, load in enumerate(axes[1])]
                for i, slope in enumerate(axes[0])}

    @staticmethod
    def middle(rows):
        return rows[sorted(rows)[(len(rows) - 1) // 2]]

    def arcs(self, name):
        """{pin: (delay without load, delay a load) to the output} of a cell with one output: the
        slower of rise and fall, at the middle slope."""
        found = {}
        for _, pin in groups(self.bodies[name], "pin"):
            for _, timing in groups(pin, "timing"):
                for kind in ("cell_rise", "cell_fall"):
                    rows = self.rows(timing, kind)
                    if not rows or attribute(pin, "direction") != "output":
                        continue
                    (low, first), (high, last) = self.middle(rows)[0], self.middle(rows)[-1]
                    slope = (last - first) / (high - low) if high > low else 0.0
                    related = attribute(timing, "related_pin")
                    known = found.get(related, (0.0, 0.0))
                    found[related] = (max(known[0], first - slope * low), max(known[1], slope))
        return found

    def setups(self, name):
        """{pin: its set-up time} of a register."""
        found = {}
        for pin, body in groups(self.bodies[name], "pin"):
            for _, timing in groups(body, "timing"):
                if "setup" in (attribute(timing, "timing_type") or ""):
                    for kind in ("rise_constraint", "fall_constraint"):
                        rows = self.rows(timing, kind)
                        if rows:
                            found[pin] = max(found.get(pin, 0.0), self.middle(rows)[0][1])
        return found

    def plain_registers(self, kind, pins):
        """(cell, clock pin, data pin, output) of the registers with so many inputs, least first."""
        found = []
        for name, what in self.sequential.items():
            outputs = self.functions[name]
            if what != kind or len(self.inputs[name]) != pins:
                continue
            clock = next((p for p in self.inputs[name] if p in ("CK", "CLK", "CP", "C")), None)
            output = next((o for o in outputs if o in ("Q", "Y", "GCK", "GCLK", "Z")), None)
            if clock and output:
                data = next(p for p in self.inputs[name] if p != clock)
                found.append((self.areas[name], name, clock, data, output))
        return [f[1:] for f in sorted(found)]


def evaluate(function, names, row):
    text = re.sub(r"(\w+)'", r"!\1", function)
    text = text.replace("!", " 1^").replace("*", "&").replace("+", "|").replace("&&", "&")
    values = {n: row >> i & 1 for i, n in enumerate(names)}
    return eval(text, {"__builtins__": {}}, values) & 1  # pylint: disable=eval-used


def attribute(body, name):
    found = re.search(rf"\b{name}\s*:\s*\"?([^;\"]+)\"?\s*;", body)
    return found.group(1).strip() if found else None


def groups(text, kind):
    """(name, body) of the groups kind (name) { body }."""
    for start in re.finditer(rf"\b{kind}\s*\(\s*\"?([^)\"]*?)\"?\s*\)\s*{{", text):
        depth = 1
        at = start.end()
        for brace in re.finditer(r"[{}]", text[at:]):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                yield start.group(1), text[at:at + brace.start()]
                break


def time_unit(text):
    """Seconds."""
    found = re.search(r"time_unit\s*:\s*\"?\s*([\d.]+)\s*([munpf]?)s", text)
    if not found:
        return 1e-9
    return float(found.group(1)) * {"m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15,
                                    "": 1.0}[found.group(2)]


def time_name(seconds):
    for name, value in (("ns", 1e-9), ("ps", 1e-12)):
        if seconds >= 0.999 * value:
            return f"{round(seconds / value)}{name}"
    raise ValueError(f"time unit of {seconds} s")
