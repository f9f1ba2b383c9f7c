#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sums of scripts/flows/timing/gates: a design with a cell that drives nothing, a macro, a block used twice
and a flip-flop, counted by hand; the share of what is beside the tiles; the lists of blocks that scripts/flows/timing/synth maps, and its
check of lanes."""

import importlib.machinery
import importlib.util
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "flows", "timing")
sys.path.insert(0, SCRIPTS)
import netlist
_LOADER = importlib.machinery.SourceFileLoader("gates", os.path.join(SCRIPTS, "gates"))
gates = importlib.util.module_from_spec(importlib.util.spec_from_loader("gates", _LOADER))
_LOADER.exec_module(gates)

# In `pair`: an XOR (12 transistors) to the output, a NAND (4) that drives nothing. In `top`: two
# pairs, a flip-flop (16) to the output, and an inverter (2) in front of the macro.
DESIGN = r"""
attribute \blackbox 1
module \mac
  wire input 1 \clk_i
  wire width 2 input 2 \a_i
  wire width 2 output 3 \q_o
end
module \pair
  wire input 1 \a
  wire input 2 \b
  wire output 3 \y
  wire \dead
  cell $_XOR_ \g0
    connect \A \a
    connect \B \b
    connect \Y \y
  end
  cell $_NAND_ \g1
    connect \A \a
    connect \B \b
    connect \Y \dead
  end
end
module \top
  wire input 1 \clk_i
  wire width 2 input 2 \in
  wire output 3 \out
  wire \x
  wire \z
  wire \n
  wire width 2 \q
  cell \pair \p0
    connect \a \in [0]
    connect \b \in [1]
    connect \y \x
  end
  cell \pair \p1
    connect \a \x
    connect \b \q [1]
    connect \y \z
  end
  cell $_DFF_P_ \f
    connect \C \clk_i
    connect \D \z
    connect \Q \out
  end
  cell $_NOT_ \i
    connect \A \in [0]
    connect \Y \n
  end
  cell \mac \m
    connect \clk_i \clk_i
    connect \a_i { 1'0 \n }
    connect \q_o \q
  end
end
"""


class Gates(unittest.TestCase):
    def modules(self):
        with tempfile.NamedTemporaryFile("w", suffix=".il") as f:
            f.write(DESIGN)
            f.flush()
            modules = netlist.read_rtlil(f.name)
        for module in modules.values():  # as if abc had left these gates as they are
            module.gates = [(kind.strip("$_"), y, ins) for kind, y, ins in module.gates]
        return modules

    def test_live_cells_are_counted_at_their_costs(self):
        flops, equivalents = gates.count(*netlist.join(self.modules(), "top", ["mac"]))
        self.assertEqual(flops, 1)
        self.assertEqual(equivalents, (2 * 12 + 16 + 2) / 4)

    def test_a_gate_in_front_of_nothing_but_a_macro_counts(self):
        flat, ports = netlist.join(self.modules(), "top", ["mac"])
        kinds = sorted(kind for _, kind, _, _ in flat.cells(flat.live(ports, flat.drivers())))
        self.assertEqual(kinds, ["NOT", "XOR", "XOR", "dff"])

    def test_share_is_of_the_logical_tiles_with_their_memory(self):
        blocks = {"link": {"gates": 100.0, "count": 3}, "station": {"gates": 25.0, "count": 4}}
        result = gates.share(2, 5, blocks, {"gates": 300.0, "sram": 700.0})
        self.assertEqual(result["beside"], 400.0)
        self.assertEqual(result["tiles"], 10000.0)
        self.assertEqual(result["percent"], 4.0)

    def test_mapping_shares_the_blocks_out_evenly_and_all_of_them(self):
        with tempfile.NamedTemporaryFile("w", suffix=".il") as f:
            f.write("module \\lib\n  cell $_NOT_ \\a\nend\nmodule \\pair$top.p0\n"
                    "  cell $_NOT_ \\a\n  cell $_NOT_ \\b\nend\nmodule \\top\n"
                    "  cell $_NOT_ \\a\n  cell \\pair$top.p0 \\p0\nend\n")
            f.flush()
            sizes = netlist.synth.blocks_of(f.name, "top")
        self.assertEqual(sizes, {"\\pair$top.p0": 2, "\\top": 1})
        self.assertEqual(netlist.synth.shares({"a": 5, "b": 3, "c": 3}, 2), [["a"], ["b", "c"]])
        self.assertEqual(netlist.synth.shares({"a": 5}, 4), [["a"]])

    def unsynchronised(self, *cells, q=5):
        """What synth finds in a link's end of one lane, net 2, of these cells: type and connections."""
        cells = {str(i): {"type": kind, "connections": {p: [n] for p, n in nets.items()},
                          "port_directions": {p: "output" if p in "QY" else "input" for p in nets}}
                 for i, (kind, nets) in enumerate(cells)}
        ports = {"lane_i": {"direction": "input", "bits": [2]}, "q_o": {"direction": "output", "bits": [q]}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump({"modules": {"ow_link": {"ports": ports, "cells": cells}}}, f)
            f.flush()
            return netlist.synth.unsynchronised(f.name, "ow_link")

    def test_a_lane_passes_two_flip_flops_before_any_logic(self):
        first, second = ("$dff", {"D": 2, "Q": 3}), ("$dff", {"D": 3, "Q": 4})
        use = ("$not", {"A": 4, "Y": 5})
        self.assertEqual(self.unsynchronised(first, second, use), [])
        self.assertEqual(self.unsynchronised(first, ("$buf", {"A": 3, "Y": 6}), ("$dff", {"D": 6, "Q": 4}), use), [])
        for fault in ([first, ("$not", {"A": 3, "Y": 5})],               # one flip-flop
                      [first, ("$dff", {"D": 4, "Q": 5}), ("$not", {"A": 3, "Y": 4})],  # logic between
                      [first, second, use, ("$not", {"A": 2, "Y": 7})],  # the lane is read besides
                      [first, second, use, ("$and", {"A": 3, "B": 4, "Y": 7})],
                      [("$sdff", {"D": 2, "SRST": 9, "Q": 3}), second, use],
                      [("$dff", {"D": 7, "CLK": 2, "Q": 8}), first, second, use]):
            self.assertEqual(self.unsynchronised(*fault), ["lane_i[0]"])
        self.assertEqual(self.unsynchronised(first, second, use, q=3), ["lane_i[0]"])


if __name__ == "__main__":
    unittest.main()
