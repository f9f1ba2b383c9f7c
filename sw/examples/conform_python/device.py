#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A device under the conformance kit, whole: a grid of routers without switches, and binary16 arithmetic.

  ow conform run device.yaml --device "command:python3 device.py"
  ow conform run device.yaml --device "command:python3 device.py --wrong flushes"

It reads requests from standard input and answers each with a line (docs/conformance.md). With --wrong it
has one of the faults that are easy to make: `flushes` subnormal results to zero, `swaps` the east and the
west output of its routers. The kit says which rule that breaks.
"""
import math
import struct
import sys

WRONG = sys.argv[sys.argv.index("--wrong") + 1] if "--wrong" in sys.argv else ""
NAN = 0x7E00
ROUTES = 0xF0000000                      # of colour c: + 4c
STEP = {0: (-1, 0), 1: (0, 1), 2: (1, 0), 3: (0, -1)}  # north, east, south, west
RAMP = 4


# ---- Arithmetic: every sum and product of binary16 numbers is exact in a double.
def value(x):
    return struct.unpack("<e", struct.pack("<H", x))[0]


def encoding(x):
    if math.isnan(x):
        return NAN
    try:
        bits = struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        bits = 0x7C00 | (0x8000 if x < 0 else 0)
    if WRONG == "flushes" and bits & 0x7C00 == 0:
        bits &= 0x8000
    return bits


OPERATIONS = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}


def call(op, type_name, _result, count, *operands):
    if type_name != "f16" or op not in OPERATIONS:
        return f"no {op} of {type_name}"
    n = int(count)
    numbers = [value(int(word, 16)) for word in operands]
    results = [encoding(OPERATIONS[op](a, b)) for a, b in zip(numbers[:n], numbers[n:])]
    return "ok " + " ".join(f"{r:x}" for r in results)


# ---- Routers: a queue for each tile, port and colour; wavelets are kept as they are written.
class Grid:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.registers, self.queues, self.left = {}, {}, {}

    def queue(self, row, column, port, colour):
        return self.queues.setdefault((row, column, port, colour), [])

    def send(self, side, index, colour, wavelets):
        row = {0: 0, 2: self.rows - 1}.get(side, index)
        column = {1: self.columns - 1, 3: 0}.get(side, index)
        self.queue(row, column, side, colour).extend(wavelets)

    def move(self, row, column, colour, route):
        """One wavelet of a colour through one router."""
        waiting = self.queue(row, column, route >> 5 & 7, colour)
        if not route >> 8 & 1 or not waiting:
            return False
        wavelet = waiting.pop(0)
        for port in range(RAMP):
            if not route >> port & 1:
                continue
            out = {1: 3, 3: 1}.get(port, port) if WRONG == "swaps" else port
            r, c = row + STEP[out][0], column + STEP[out][1]
            if 0 <= r < self.rows and 0 <= c < self.columns:
                self.queue(r, c, (out + 2) % 4, colour).append(wavelet)
            else:
                self.left.setdefault((out, (row, column)[out % 2 == 0], colour), []).append(wavelet)
        return True

    def run(self):
        moved = True
        while moved:
            moved = False
            for (row, column, address), route in list(self.registers.items()):
                if ROUTES <= address < ROUTES + 96:
                    moved |= self.move(row, column, (address - ROUTES) // 4, route)


def answer(grid, what, words):
    """The answer to a request, and the grid after it."""
    if what == "test":
        return "ok", grid
    if what == "call":
        return call(*words), grid
    if what == "reset":
        return "ok", Grid(int(words[0]), int(words[1]))
    if grid is None:
        return "no grid before reset", grid
    if what in ("send", "take", "hold"):
        port = ("nesw".index(words[0]), int(words[1]), int(words[2]))
        if what == "send":
            grid.send(*port, words[3:])
        # A queue that never fills needs no credits: a held edge may as well take what comes.
        return " ".join(["ok"] + (grid.left.pop(port, []) if what == "take" else [])), grid
    if what == "write":
        row, column, address = int(words[0]), int(words[1]), int(words[2], 16)
        for k, word in enumerate(words[3:]):
            grid.registers[row, column, address + 4 * k] = int(word, 16)
        return "ok", grid
    if what == "run":
        grid.run()
        return "ok 0", grid
    return f"no {what}", grid


def main():
    grid = None
    for line in sys.stdin:
        what, *words = line.split()
        text, grid = answer(grid, what, words)
        print(text, flush=True)


if __name__ == "__main__":
    main()
