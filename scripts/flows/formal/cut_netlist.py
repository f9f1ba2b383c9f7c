# SPDX-License-Identifier: Apache-2.0
"""A flat netlist of Yosys without its registers and memories, and pieces of it. For scripts/flows/formal/cover."""

import json
import sys

CLOCK = "clk_i"
BANK = 16384  # bits from which on ow_simgen leaves a memory one
REGISTERS = ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce")
BY_WIDTH = ("$mux", "$bwmux", "$bmux")  # cells with one parameter for all widths


def stop(text):
    print(f"cover: {text}", file=sys.stderr)
    sys.exit(2)


def number(cell, parameter):
    return int(cell["parameters"][parameter], 2)


def binary(value):
    return f"{value:032b}"


class CutNetlist:
    """A flat module without its registers and memories. Bits are Yosys' numbers, or "0" and "1".

    What a register holds is an input, what it takes at the edge an output: "register:NAME[k]" and
    "register':NAME[k]"; likewise ports and what goes to and comes from memories."""

    def __init__(self, path, top):
        with open(path, encoding="utf-8") as f:
            modules = json.load(f)["modules"]
        if top not in modules:
            stop(f"{path} has no module {top}")
        self.module, self.cells, self.ports = modules[top], {}, {}
        self.clock = self.module["ports"][CLOCK]["bits"][0]
        words = [n["bits"] for n in self.module["netnames"].values()]
        words += [w for c in self.module["cells"].values() for w in c["connections"].values()]
        self.last = max(bit for word in words for bit in word if isinstance(bit, int))
        self.used = set()  # bits that a port has for itself
        self.latches, self.gates = {}, {}
        self.names = self.names_of_bits()
        self.make()
        self.drivers = {bit: name for name, cell in self.cells.items() for bit in cell["connections"]["Y"]}
        self.sources = {p["bits"][0]: n for n, p in self.ports.items() if p["direction"] == "input"}

    def names_of_bits(self):
        """The shortest name of each bit, as ow_simgen has it."""
        names = {}
        for name, entry in sorted(self.module["netnames"].items()):
            for k, bit in enumerate(entry["bits"] if not entry.get("hide_name") else []):
                if bit not in names or len(name) < len(names[bit][0]):
                    names[bit] = (name, k)
        return names

    def wires(self, count):
        self.last += count
        return list(range(self.last - count + 1, self.last + 1))

    def add(self, kind, parameters, ports):
        self.cells[f"cut${len(self.cells)}"] = {
            "type": kind, "parameters": parameters, "attributes": {}, "connections": ports,
            "port_directions": {p: "output" if p == "Y" else "input" for p in ports}}
        return ports["Y"]

    def cell(self, kind, width, y=None, **ports):
        """A cell with an output of `width` bits, `y` or new ones; its output."""
        if kind in BY_WIDTH:
            parameters = {"WIDTH": binary(width)}
            if kind == "$bmux":
                parameters["S_WIDTH"] = binary(len(ports["S"]))
        else:
            parameters = {"Y_WIDTH": binary(width)}
            for port, bits in ports.items():
                parameters.update({port + "_WIDTH": binary(len(bits)), port + "_SIGNED": "0"})
        return self.add(kind, parameters, {**ports, "Y": y or self.wires(width)})

    def source(self, kind, name, bit):
        self.used.add(bit)
        self.port(f"{kind}:{name[0]}[{name[1]}]", "input", bit)

    def sink(self, kind, name, bit):
        if isinstance(bit, str) or bit in self.used:
            bit = self.cell("$pos", 1, A=[bit])[0]
        self.used.add(bit)
        self.port(f"{kind}:{name[0]}[{name[1]}]", "output", bit)

    def port(self, name, direction, bit):
        if name in self.ports:
            stop(f"two bits are called {name}")
        self.ports[name] = {"direction": direction, "bits": [bit]}

    def make(self):
        kinds = {}
        for name, cell in self.module["cells"].items():
            kinds.setdefault(cell["type"], []).append((name, cell))
        for name, port in self.module["ports"].items():
            for k, bit in enumerate(port["bits"] if port["direction"] == "input" and name != CLOCK else []):
                self.source("port", (name, k), bit)
        for _, cell in kinds.pop("$dlatch", []):
            self.latch(cell)
        for _, cell in kinds.get("$and", []):
            self.gate(cell)
        registers = [r for kind in REGISTERS for r in kinds.pop(kind, [])]
        memories = kinds.pop("$mem_v2", [])
        kinds.pop("$scopeinfo", None)
        for cells in kinds.values():
            self.cells.update(cells)
        for name, cell in registers:
            self.register(name, cell)
        for _, cell in memories:
            self.memory(cell)
        for name, port in self.module["ports"].items():
            for k, bit in enumerate(port["bits"] if port["direction"] == "output" else []):
                self.sink("port", (name, k), bit)
        # The clock is low: latches are open. An unknown value is 0.
        low = {self.clock: "0", "x": "0", "z": "0"}
        for cell in self.cells.values():
            for port, bits in cell["connections"].items():
                cell["connections"][port] = [low.get(bit, bit) for bit in bits]

    def latch(self, cell):
        """Of a clock gate: what it takes while the clock is low."""
        c = cell["connections"]
        if c["EN"] != [self.clock] or number(cell, "EN_POLARITY"):
            stop("a latch is not that of a clock gate")
        self.latches.update(zip(c["Q"], c["D"]))
        self.cell("$pos", len(c["Q"]), y=c["Q"], A=c["D"])

    def gate(self, cell):
        c = cell["connections"]
        for a, b, y in zip(c["A"], c["B"], c["Y"]):
            if self.clock in (a, b):
                self.gates[y] = b if a == self.clock else a

    def awake(self, clock):
        """What is 1 where a cell's clock runs, as a list; empty: it always does."""
        if clock == self.clock:
            return []
        if self.gates.get(clock) not in self.latches:
            stop("a clock is not gated by a latch")
        return [self.gates[clock]]

    def register(self, name, cell):
        c, kind = cell["connections"], cell["type"]
        old, new = c["Q"], c["D"]
        reset = list(reversed(cell["parameters"].get("SRST_VALUE", "")))

        def choose(select, one, zero):
            high = number(cell, select + "_POLARITY")
            return self.cell("$mux", len(old), A=zero if high else one, B=one if high else zero, S=c[select])

        if kind == "$sdffce":
            new = choose("SRST", reset, new)
        if kind in ("$dffe", "$sdffe", "$sdffce"):
            new = choose("EN", new, old)
        if kind in ("$sdff", "$sdffe"):
            new = choose("SRST", reset, new)
        awake = self.awake(c["CLK"][0])
        if awake:
            new = self.cell("$mux", len(old), A=old, B=new, S=awake)
        for k, bit in enumerate(old):
            label = self.names.get(bit, (name, k))
            self.source("register", label, bit)
            self.sink("register'", label, new[k])

    def memory(self, cell):
        c = cell["connections"]
        name = cell["parameters"]["MEMID"].lstrip("\\")
        width, size, address, first = (number(cell, p) for p in ("WIDTH", "SIZE", "ABITS", "OFFSET"))
        reads, writes = number(cell, "RD_PORTS"), number(cell, "WR_PORTS")

        def part(port, n, count):
            return c[port][n * count:(n + 1) * count]

        enables = []
        for n in range(writes):
            awake = self.awake(c["WR_CLK"][n])
            enable = part("WR_EN", n, width)
            enables.append(self.cell("$and", width, A=enable, B=awake * width) if awake else enable)
        if writes and width * size >= BANK:
            for n in range(reads):
                for k, bit in enumerate(part("RD_DATA", n, width)):
                    self.source(f"read{n}", (name, k), bit)
                for k, bit in enumerate(part("RD_ADDR", n, address)):
                    self.sink(f"address{n}", (name, k), bit)
            for n in range(writes):
                for what, bits in (("at", part("WR_ADDR", n, address)), ("enable", enables[n]),
                                   ("data", part("WR_DATA", n, width))):
                    for k, bit in enumerate(bits):
                        self.sink(f"{what}{n}", (name, k), bit)
            return
        init = list(reversed(cell["parameters"]["INIT"].replace("x", "0").rjust(width * size, "0")))
        words = [self.wires(width) if writes else init[n * width:(n + 1) * width] for n in range(size)]
        # A word that is not there reads as 0. Bit by bit, so that only what somebody reads is in a proof.
        used = min(address, (first + size - 1).bit_length())
        there = (["0"] * (first * width) + sum(words, []) + ["0"] * (width << used))[:width << used]
        for n in range(reads):
            at = part("RD_ADDR", n, address)
            beyond = self.cell("$reduce_or", 1, A=at[used:]) if at[used:] else ["0"]
            for k, bit in enumerate(part("RD_DATA", n, width)):
                y = self.cell("$bmux", 1, A=there[k::width], S=at[:used]) if used else [there[k]]
                self.cell("$mux", 1, y=[bit], A=y, B=["0"], S=beyond)
        for n, word in enumerate(words if writes else []):
            new = word
            index = list(reversed(f"{first + n:0{address}b}"))
            for w in range(writes):  # the last one counts
                here = self.cell("$eq", 1, A=part("WR_ADDR", w, address), B=index)
                takes = self.cell("$and", width, A=enables[w], B=here * width)
                new = self.cell("$bwmux", width, A=new, B=part("WR_DATA", w, width), S=takes)
            for k, bit in enumerate(word):
                self.source("register", (f"{name}[{first + n}]", k), bit)
                self.sink("register'", (f"{name}[{first + n}]", k), new[k])

    def units(self):
        """{unit: its outputs}"""
        found = {}
        for name, port in self.ports.items():
            if port["direction"] == "output":
                path = name.split(":", 1)[1].split(".")[:-1]
                found.setdefault(".".join(path[:3]) or "ports", []).append(name)
        return found

    def bit(self, output):
        """Of an output, or of "net:NUMBER"."""
        return int(output[4:]) if output.startswith("net:") else self.ports[output]["bits"][0]

    def nets(self, unit, outputs, cuts, owners):
        """(the nets of `cuts` that these outputs need, directly or through others, and that no unit has yet; the units
        that have the others). `owners`, {net: unit}, gets the new ones."""
        found, others, seen, stack = [], set(), set(), [self.bit(o) for o in outputs]
        while stack:
            bit = stack.pop()
            if bit in owners:
                others.add(owners[bit])
                continue
            name = self.drivers.get(bit)
            if name is None:
                continue
            if bit in cuts:
                owners[bit] = unit
                found.append(f"net:{bit}")
            if name not in seen:
                seen.add(name)
                for port, bits in self.cells[name]["connections"].items():
                    stack += bits if port != "Y" else []
        return found, others - {unit}

    def piece(self, outputs, cuts):
        """A module with these outputs. Nets of `cuts`, {net: (name, inverted)}, are inputs for what reads them."""
        cells, ports, variables, last = {}, {}, {}, self.last

        def new(kind, inputs):
            nonlocal last
            last += 1
            cells[f"piece${last}"] = {
                "type": kind, "parameters": {"A_SIGNED": "0", "A_WIDTH": binary(1), "Y_WIDTH": binary(1)},
                "attributes": {}, "connections": {"A": inputs, "Y": [last]},
                "port_directions": {"A": "input", "Y": "output"}}
            return last

        def read(bit):
            nonlocal last
            if bit not in cuts or bit not in self.drivers:
                if bit in self.sources:
                    ports[self.sources[bit]] = self.ports[self.sources[bit]]
                return bit
            if cuts[bit] not in variables:
                name, inverted = cuts[bit]
                if (name, False) not in variables:
                    last += 1
                    ports[name] = {"direction": "input", "bits": [last]}
                    variables[name, False] = last
                if inverted:
                    variables[name, True] = new("$not", [variables[name, False]])
            return variables[cuts[bit]]

        stack = []
        for output in outputs:
            bit = self.bit(output)
            if output.startswith("net:"):
                stack.append(bit)
            else:
                bit = read(bit)
                stack += [bit] if bit in self.drivers else []
            ports[output] = {"direction": "output", "bits": [new("$pos", [bit])]}
        while stack:
            name = self.drivers[stack.pop()]
            if name in cells:
                continue
            cell = dict(self.cells[name])
            cells[name] = cell
            cell["connections"] = {p: bits if p == "Y" else [read(b) for b in bits]
                                   for p, bits in cell["connections"].items()}
            stack += [b for p, bits in cell["connections"].items() if p != "Y" for b in bits if b in self.drivers]
        return {"attributes": {"top": "1"}, "ports": ports, "cells": cells, "netnames": {}}
