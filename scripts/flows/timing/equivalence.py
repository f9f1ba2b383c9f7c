# SPDX-License-Identifier: Apache-2.0
"""Whether a design computes what its RTL's gates did before they were mapped: both are simulated
with the same random values of all inputs, registers and memories' outputs, PATTERNS of them side by
side in the bits of a number, and everything that a register, a memory or an output takes is
compared. What mapping, joining, buffering and sizing may do wrong (a pin, a net, a block that is
taken for another one) is in sight there; that a mapping is right for every value is abc's word.
"""

import random
import re

import netlist
from netlist import ONE, ZERO

PATTERNS = 2048
ALL = (1 << PATTERNS) - 1
SEED = 1
GATES = {kind: "|".join("&".join(f"(~{p})" if c == "0" else p
                                 for p, c in zip(pins, cover) if c != "-") for cover in covers)
         for kind, (pins, covers) in netlist.COVERS.items()}


def function(text, pins):
    """The function of a text, with one number for each pin in this order."""
    text = re.sub(r"(\w+)'", r"!\1", text)
    text = text.replace("!", "~").replace("*", "&").replace("+", "|")
    return eval(f"lambda {', '.join(pins)}: ({text}) & {ALL}")  # pylint: disable=eval-used


def evaluate(gates, values):
    """Adds the outputs of (function, output, inputs) to {net: value}; what nobody drives is 0."""
    driver = {y: (f, ins) for f, y, ins in gates}
    for net in driver:
        stack = [net]
        while stack:
            net = stack[-1]
            if net in values:
                stack.pop()
                continue
            f, ins = driver.get(net, (None, ()))
            wait = [i for i in ins if i not in values]
            if wait:
                stack += wait
            else:
                values[net] = f(*[values[i] for i in ins]) if f else 0
                stack.pop()
    return values


class Reference:
    """The joined gates of a module before they are mapped."""

    def __init__(self, modules, top, boxes):
        self.flat, self.ports = netlist.join(modules, top, boxes)

    def starts(self):
        """The nets that hold or bring values: registers, boxes' outputs, inputs."""
        return starts(self.flat, self.ports)

    def ends(self):
        """[(name, value)] of what is taken, and the values of `starts`."""
        find = self.flat.find
        given = random.Random(SEED)
        values = {ZERO: 0, ONE: ALL}
        for net in self.starts():
            if net not in values:
                values[net] = given.getrandbits(PATTERNS)
        begun = [values[net] for net in self.starts()]
        table = {kind: function(text, netlist.COVERS[kind][0]) for kind, text in GATES.items()}
        evaluate([(table[k], find(y), [find(i) for i in ins]) for k, y, ins, _ in self.flat.gates],
                 values)
        found = [[values.get(find(n), 0) for n in nets] for nets in
                 [[d, e] for _, d, e, _ in self.flat.dffs] + taken(self.flat, self.ports)]
        return begun, found


def starts(flat, ports):
    nets = [q for q, _, _, _ in flat.dffs]
    for _, pins, directions in flat.macros:
        for port, bits in pins.items():
            nets += bits if directions[port] == "output" else []
    for _, direction, bits in ports:
        nets += bits if direction == "input" else []
    return [flat.find(net) for net in nets]


def taken(flat, ports):
    """The nets that boxes and outputs take."""
    found = [bits for _, pins, directions in flat.macros
             for port, bits in pins.items() if directions[port] == "input"]
    return found + [bits for _, direction, bits in ports if direction == "output"]


def differences(reference, design):
    """What differs in a design: names of registers and numbers of others."""
    begun, expected = reference.ends()
    find = design.find
    lib = design.lib
    values = {ZERO: 0, ONE: ALL, **dict(zip(starts(design.flat, design.ports), begun))}
    table = {name: function(next(iter(o.values())), lib.inputs[name])
             for name, o in lib.functions.items()
             if len(o) == 1 and name not in lib.sequential and next(iter(o.values()))}
    evaluate([(table[c[1]], find(c[3]), [find(c[4][p]) for p in lib.inputs[c[1]]])
              for c in design.cells if c[1] in table], values)
    gates = {c[3]: c for c in design.cells if lib.sequential.get(c[1]) == "gate"}
    pins = {c[0]: c[2] for c in lib.flip_flops + lib.latches + lib.clock_gates}
    registers = {find(c[3]): c for c in design.cells
                 if lib.sequential.get(c[1]) in ("ff", "latch")}
    clocks = {c[0]: c[1] for c in lib.flip_flops + lib.latches}
    wrong = []
    dffs = design.flat.dffs
    for (q, _, _, path), (data, enable) in zip(dffs, expected):
        cell = registers.get(find(q))
        if not cell:
            continue  # it drives nothing
        gate = gates.get(cell[4][clocks[cell[1]]])
        got = values.get(find(cell[4][pins[cell[1]]]), 0)
        on = values.get(find(gate[4][pins[gate[1]]]), 0) if gate else ALL
        if got != data or on != enable:
            wrong.append(f"{path}: {cell[5] or 'a register'}")
    for i, (nets, bits) in enumerate(zip(taken(design.flat, design.ports), expected[len(dffs):])):
        if [values.get(find(n), 0) for n in nets] != bits:
            wrong.append(f"what box or output {i} takes")
    return wrong
