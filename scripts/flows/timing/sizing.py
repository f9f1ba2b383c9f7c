# SPDX-License-Identifier: Apache-2.0
"""Buffers and drives of mapped gates by their real times: sizing.cpp, what it has to know of a
library, and a netlist as it reads and writes it.

A cell's delay is taken as linear in its load: from the table of its Liberty file at the middle
slope, the slower of rise and fall. In our library that is exact.
"""

import collections
import os
import subprocess

import liberty
from netlist import ONE, ROOT, ZERO, synth

ROUNDS = 20
SETUP = 0.0  # FO4, of a register whose library tells none
Kind = collections.namedtuple("Kind", "cell family area slope buffer pins")  # pins: (load, delay)


class Timing:
    """The cells of a library as sizing.cpp takes them: in FO4, NAND2 and loads of the inverter."""

    def __init__(self, library, fo4):
        self.lib = library
        self.fo4 = fo4
        self.unit = next(iter(library.inputs[library.inverter].values()))
        self.kinds = []    # [Kind]
        self.number = {}   # {cell: its index there}
        self.order = {}    # {cell: its input pins, in the order of its family}
        families = {}
        cells = [(area, name) for name, area in library.areas.items()]
        for _, name in sorted(cells):
            if name in library.sequential or len(library.functions[name]) != 1:
                continue
            key = tuple(sorted(library.functions[name].items()))
            first = families.setdefault(key, (len(families), list(library.inputs[name])))
            self.add(name, first[0], first[1], name in library.buffers)
        for group in (library.flip_flops, library.latches):
            for name, clock, _, _ in group:
                if clock == group[0][1] and library.inputs[name].keys() == (
                        library.inputs[group[0][0]].keys()):
                    self.add(name, len(families), [clock], False)
            families[id(group)] = None

    def add(self, name, family, pins, buffer):
        arcs = self.lib.arcs(name)
        if any(pin not in arcs for pin in pins):
            return
        clocked = name in self.lib.sequential
        slope = max(arcs[pin][1] for pin in pins) * self.unit / self.fo4
        self.number[name] = len(self.kinds)
        self.order[name] = pins
        self.kinds.append(Kind(
            name, family, self.lib.areas[name] / self.lib.nand2, slope, buffer,
            [(0 if clocked else self.lib.inputs[name][pin] / self.unit, arcs[pin][0] / self.fo4)
             for pin in pins]))

    def load(self, cell, pin):
        return self.lib.inputs[cell][pin] / self.unit

    def setup(self, cell, pin):
        return self.lib.setups(cell).get(pin, SETUP) / self.fo4


def program():
    """sizing.cpp, compiled."""
    source = os.path.join(ROOT, "scripts", "flows", "timing", "sizing.cpp")
    binary = os.path.join(ROOT, os.environ.get("BUILD", "build"), "synth", "sizing")
    texts = [source] + [os.path.join(ROOT, "scripts", "flows", "timing", h) for h in ("sizing.h", "buffering.h")]
    if not os.path.exists(binary) or any(os.path.getmtime(binary) < os.path.getmtime(t)
                                         for t in texts):
        done = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++17", "-O2", "-o",
                               f"{binary}.{os.getpid()}", source],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            synth.fail("sizing.cpp: " + done.stdout[-2000:])
        os.replace(f"{binary}.{os.getpid()}", binary)
    return binary


class Problem:
    """Gates, registers, and when their nets are there and have to be."""

    def __init__(self, timing, nets):
        """nets: how many there are; those of buffers come after them."""
        self.timing = timing
        self.nets = nets
        self.gates = []   # [cell, output, inputs]
        self.ends = []    # [net, time, load]
        self.starts = {ZERO: -1000.0, ONE: -1000.0}
        self.times = {}   # {net: (arrival, required)}, once it is solved
        self.clocks = [0.0]  # times; as an input of a gate, the first is -1

    def gate(self, cell, output, inputs):
        """Inputs in the order of the timing's; returns its number."""
        self.gates.append([cell, output, inputs])
        return len(self.gates) - 1

    def register(self, cell, output, time=0.0):
        """time: of its clock."""
        if time not in self.clocks:
            self.clocks.append(time)
        return self.gate(cell, output, [-1 - self.clocks.index(time)])

    def start(self, net, time):
        self.starts[net] = max(time, self.starts.get(net, time))

    def end(self, net, time, load):
        self.ends.append([net, time, load])
        return len(self.ends) - 1

    def text(self):
        for kind in self.timing.kinds:
            yield (f"kind {kind.family} {kind.area:.6g} {kind.slope:.6g} {int(kind.buffer)} "
                   + " ".join(f"{load:.6g} {delay:.6g}" for load, delay in kind.pins))
        for net, time in [*self.starts.items(), *enumerate(self.clocks, self.nets)]:
            yield f"start {net} {time:.6g}"
        for net, time, load in self.ends:
            yield f"end {net} {time:.6g} {load:.6g}"
        number = self.timing.number
        for cell, output, inputs in self.gates:
            pins = " ".join(str(self.nets - 1 - n if n < 0 else n) for n in inputs)
            yield f"gate {number[cell]} {output} {pins}"

    def solve(self, rounds=ROUNDS, mend=False):
        """Sizes in place, and with `mend` mends paths that are then too long; buffers come after the
        gates. Returns (area, FO4 by which the longest path is too long, the sum over all ends)."""
        if not self.gates:
            return 0.0, 0.0, 0.0
        done = subprocess.run([program(), str(rounds), str(int(mend))],
                              input="\n".join(self.text()) + "\n", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            synth.fail("sizing: " + done.stderr[-2000:])
        gate = end = 0
        result = None
        for line in done.stdout.splitlines():
            kind, *words = line.split()
            if kind == "gate":
                cell = self.timing.kinds[int(words[0])].cell
                if gate < len(self.gates):
                    now = self.gates[gate]
                    now[0] = cell
                    now[2] = [net if net < 0 else int(w)
                              for net, w in zip(now[2], words[2:])]
                else:
                    self.gates.append([cell, int(words[1]), [int(words[2])]])
                gate += 1
            elif kind == "end":
                self.ends[end][0] = int(words[0])
                end += 1
            elif kind == "net":
                self.times[int(words[0])] = (float(words[1]), float(words[2]))
            else:
                result = tuple(float(w) for w in words)
        return result
