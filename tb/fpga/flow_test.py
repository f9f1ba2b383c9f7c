#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/flows/fpga/fpga with tools that only pretend: bad input is one line and exit status 2 and leaves
everything as it was; an old bitstream stays until a new one has room; what is kept of a block is of
the netlist beside it."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]

# A netlist is what it was made from: names of the modules that were read, and a digest of their
# sources; or the text of the netlists that were read.
YOSYS = """
import hashlib, re, sys
text = []
for line in open(sys.argv[-1]):
    words = line.split()
    if words[0] == "read_slang":
        own = hashlib.sha256()
        for path in words:
            if path.endswith(".sv"):
                own.update(open(path, "rb").read())
        text.append(words[words.index("--top") + 1] + " " + own.hexdigest() + "\\n")
    elif words[0] == "read_rtlil":
        text.append(open(words[-1]).read())
    elif words[0] == "tee":
        open(words[3], "w").write('{"design": {"num_cells_by_type": {"LUT4": 1}}}')
    elif words[0].startswith("write_") or "-json" in words:
        open(words[-1], "w").write("".join(text))
"""
NEXTPNR = """
import json, os, sys
def named(option):
    return sys.argv[sys.argv.index(option) + 1]
if "--help" in sys.argv:
    sys.exit("available: sa, static; --tmg-ripup")
packs = "--pack-only" in sys.argv
if os.environ.get("FAILS") == ("packing" if packs else "placing"):
    sys.exit("ERROR: no")
cells = {f"u.c{i}": {"type": "TRELLIS_COMB"} for i in range(int(os.environ.get("CELLS", 1)))}
json.dump({"modules": {"top": {"cells": cells}}}, open(named("--write"), "w"))
if not packs:
    open(named("--textcfg"), "w").write("configuration\\n")
    clocks = ["posedge $glbnet$clk_a", os.environ.get("OTHER", "posedge $glbnet$clk_b")]
    for_mhz = float(os.environ.get("PLACED", 50))
    json.dump({"fmax": {clock: {"achieved": 1000, "constraint": for_mhz} for clock in clocks},
               "critical_paths": [{"from": a, "to": b, "path": [{"delay": 0.1}]}
                                  for a in clocks for b in clocks if a != b],
               "utilization": {c: {"used": 1} for c in
                               ["TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "MULT18X18D"]}},
              open(named("--report"), "w"))
"""
ECPPACK = """
import os, sys
open(sys.argv[sys.argv.index("--bit") + 1], "w").write("bits")
sys.exit(os.environ.get("FAILS") == "ecppack" and "ERROR: no")
"""
LOADER = "import sys; sys.exit('no cable')"
BOARD = """family: ecp5
top: ow_ulx3s
cells: [EHXPLLL]
part: LFE5U-85F
constraints: constraints/ulx3s.lpf
grid: 2x2
clocks:
  50: {Divider: 12, Baud: 3000000}
  37.5: {Divider: 16, Baud: 2000000}
clock: 37.5
nextpnr: [--85k, --package, CABGA381, --speed, '6']
loader: [--board, ulx3s]
available: {TRELLIS_COMB: 83640, TRELLIS_FF: 83640, DP16KD: 208, MULT18X18D: 156}
"""


class FlowTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.root)
        for name in ["scripts", "fpga", "constraints"]:
            shutil.copytree(ROOT / name, self.root / name)
        for name in ["rtl", "sw"]:
            (self.root / name).symlink_to(ROOT / name)
        self.environment = {"PATH": "/nonexistent"}
        for variable, text in [("YOSYS", YOSYS), ("NEXTPNR_ECP5", NEXTPNR), ("ECPPACK", ECPPACK),
                               ("OPENFPGALOADER", LOADER)]:
            self.environment[variable] = self.program(variable.lower(), f"#!{sys.executable}\n{text}")
        self.script = self.load("fpga")
        self.board = self.root / "fpga/boards/ulx3s/board.yaml"
        self.own_board = self.board.read_text()
        self.board.write_text(BOARD)
        self.bitstream = self.root / "build/fpga/ulx3s/design.bit"
        self.uart = self.root / "build/fpga/ow_uart"

    def program(self, name, text):
        path = self.root / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def load(self, name):
        """A script of the copy, with the modules beside it."""
        for module in ["boards", "packing"]:
            sys.modules.pop(module, None)
        loader = importlib.machinery.SourceFileLoader(name, str(self.root / "scripts" / "flows" / "fpga" / name))
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
        with unittest.mock.patch.object(sys, "path", [str(self.root / "scripts" / "flows" / "fpga"), *sys.path]):
            loader.exec_module(script)
        return script

    def flow(self, *arguments, **environment):
        """Exit status, and what was said about errors. A variable that is None is not set."""
        own = {k: v for k, v in {**self.environment, **environment}.items() if v is not None}
        said = io.StringIO()
        status = 0
        with unittest.mock.patch.dict(os.environ, own, clear=True), \
                unittest.mock.patch.object(sys, "argv", ["fpga", *arguments]), \
                contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            try:
                self.script.main()
            except SystemExit as end:
                status = end.code
        return status, said.getvalue()

    def files(self):
        built = self.root / "build"
        return {path: path.read_bytes() for path in built.rglob("*") if path.is_file()}

    def forget(self):
        for kept in self.root.glob("build/fpga/*-ecp5.json"):
            kept.unlink()

    def refuses(self, text, *arguments, **environment):
        before = self.files()
        status, said = self.flow(*arguments, **environment)
        self.assertEqual(status, 2, said)
        self.assertIn(text, said)
        self.assertTrue(said.startswith("fpga: ") and said.count("\n") == 1, said)
        self.assertEqual(self.files(), before)

    def goes(self, *arguments, **environment):
        status, said = self.flow(*arguments, **environment)
        self.assertEqual((status, said), (0, ""))

    def fails(self, text, *arguments, **environment):
        status, said = self.flow(*arguments, **environment)
        self.assertEqual(status, 1, said)
        self.assertIn(text, said)

    def test_wrong_arguments_are_refused_before_anything_is_done(self):
        for text, arguments in [
                ("required: command", ""),
                ("invalid choice: 'make'", "make"),
                ("no block 'ow_core': ow_tile, ow_router", "sizes ow_core"),
                ("no board 'none': arty-a7, ulx3s", "build none"),
                ("no board '../boards/ulx3s'", "build ../boards/ulx3s"),
                ("--clock 0: must be one of ulx3s's frequencies in MHz: 50,", "build ulx3s --clock 0"),
                ("--clock -50: must be", "build ulx3s --clock=-50"),
                ("--clock nan: must be", "build ulx3s --clock nan"),
                ("--clock 50: must be one of arty-a7's frequencies in MHz: it has no choice",
                 "build arty-a7 --clock 50"),
                ("invalid float value: 'fast'", "build ulx3s --clock fast"),
                ("'2x3' is not ROWSxCOLUMNS", "build ulx3s --grid 2x3"),
                ("--seeds: '0' is not a whole number", "build ulx3s --seeds 0"),
                ("--minutes: '-1' is not a whole number", "build ulx3s --minutes=-1"),
                ("--grid 4x4: must be 1x2 or 2x2", "check --grid 4x4"),
                ("--grid 2: must be 1x2 or 2x2", "check --grid 2"),
                ("--json: only with --grid", "check --json report.json"),
                ("no build/fpga/ulx3s/design.bit: make fpga BOARD=ulx3s", "load ulx3s"),
                ("no build/fpga/arty-a7/design.bit: Vivado makes it", "load arty-a7"),
        ]:
            with self.subTest(arguments):
                self.refuses(text, *arguments.split())

    def test_a_report_that_cannot_be_written_is_refused_before_anything_is_done(self):
        self.refuses("--json 'none/r.json': cannot be written: No such file", "sizes", "--json",
                     "none/r.json")
        self.refuses("--json 'fpga': must be a file", "build", "ulx3s", "--json", "fpga")
        self.refuses("--json '': must be a file", "check", "--grid", "1x2", "--json", "")
        self.refuses("--json '/dev/null': must be a file", "clock", "--json", "/dev/null")
        self.goes("sizes", "ow_uart", "--json", "r.json")
        self.assertFalse((self.root / "r.json.tmp").exists())
        self.assertIn('"TRELLIS_COMB": 1', (self.root / "r.json").read_text())

    def test_tools_that_are_missing_or_do_not_run_are_named(self):
        self.refuses("no yosys: run scripts/bootstrap fpga", "build", "ulx3s", YOSYS=None)
        self.refuses("no yosys: run scripts/bootstrap fpga", "check", YOSYS=None)
        self.refuses("no nextpnr-ecp5: run", "sizes", NEXTPNR_ECP5=None)
        self.refuses("no ecppack: run", "build", "ulx3s", ECPPACK=None)
        for wrong in ["/nonexistent", "./scripts", str(self.board), "nothing"]:
            self.refuses(f"YOSYS={wrong}: is no program", "build", "arty-a7", YOSYS=wrong)
            self.refuses(f"YOSYS={wrong}: is no program", "sizes", "ow_uart", YOSYS=wrong)
            self.refuses(f"NEXTPNR_ECP5={wrong}: is no program", "clock", NEXTPNR_ECP5=wrong)
            self.refuses(f"ECPPACK={wrong}: is no program", "build", "ulx3s", ECPPACK=wrong)
        empty = self.program("empty", "")
        status, said = self.flow("sizes", "ow_uart", YOSYS=empty)
        self.assertEqual((status, said), (2, f"fpga: {empty} does not run: Exec format error\n"))
        old = self.program("old", f"#!{sys.executable}\nprint('available: sa, heap; --tmg-ripup')\n")
        self.refuses("old has no placer 'static' or no --tmg-ripup: nextpnr 0.11 has", "build", "ulx3s",
                     NEXTPNR_ECP5=old)
        self.goes("build", "ulx3s")
        self.refuses("OPENFPGALOADER=/tmp: is no program", "load", "ulx3s", OPENFPGALOADER="/tmp")
        self.refuses("no openFPGALoader: apt-get", "load", "ulx3s", OPENFPGALOADER=None)
        status, said = self.flow("load", "ulx3s", OPENFPGALOADER=empty)
        self.assertEqual((status, said), (2, f"fpga: {empty} does not run: Exec format error\n"))
        status, said = self.flow("load", "ulx3s")
        self.assertEqual((status, said), (2, "fpga: the board does not answer: no cable\n"))
        self.refuses("/proc/none", "check", BUILD="/proc/none")

    def test_a_wrong_board_is_refused_with_the_key_and_what_it_must_be(self):
        path = "fpga/boards/ulx3s/board.yaml"
        for old, new, text in [
                (BOARD, "", f"{path}: must hold keys and values: family, top"),
                (BOARD, "- a\n", f"{path}: must hold keys and values"),
                ("family: ecp5", "family: ecp6", "key 'family' is 'ecp6': must be ecp5 or xilinx"),
                ("family: ecp5", "family: [ecp5]", "key 'family' is ['ecp5']: must be"),
                ("family: ecp5\n", "", "key 'family' is missing: must be ecp5 or xilinx"),
                ("family: ecp5", "family: xilinx", "key 'nextpnr' is not known for family xilinx"),
                ("family: ecp5", "family: {ecp5", f"{path}:"),
                ("family: ecp5", "family: \x01", f"{path}: no YAML: special characters"),
                ("part: LFE5U-85F", "part: 2001-99-99", f"{path}: no YAML: month must be"),
                ("top: ow_ulx3s\n", "", "key 'top' is missing: must be the name of a module"),
                ("top: ow_ulx3s", "top: 5", "key 'top' is 5: must be the name of a module"),
                ("cells: [EHXPLLL]", "cells: EHXPLLL", "key 'cells' is 'EHXPLLL': must be a list"),
                ("constraints/ulx3s.lpf", "none.lpf", "key 'constraints' is 'none.lpf': must be a file"),
                ("grid: 2x2", "grid: 2x3", "key 'grid' is '2x3': must be ROWSxCOLUMNS"),
                ("grid: 2x2", "grid: 2", "key 'grid' is 2: must be ROWSxCOLUMNS"),
                ("speed, '6'", "speed, 6", "must be a list of nextpnr's arguments, each of them text"),
                ("DP16KD: 208, ", "", "must be a number above 0 for each of TRELLIS_COMB"),
                ("loader:", "colour:", "key 'colour' is not known for family ecp5, which has top"),
                ("clock: 37.5", "clock: 38", "key 'clock' is 38: must be one of 50, 37.5"),
                ("clock: 37.5\n", "", "key 'clock' is missing: must be one of the frequencies"),
                ("  50: {", "  fast: {", "must be {MHZ: {PARAMETER of the top: number above 0"),
                ("Divider: 12", "Divider: x", "must be {MHZ: {PARAMETER of the top: number above 0"),
        ]:
            with self.subTest(new):
                self.assertIn(old, BOARD)
                self.board.write_text(BOARD.replace(old, new))
                self.refuses(text, "build", "ulx3s")
        self.board.write_text(BOARD)
        for old, new, text in [
                ("MAXDELAY FROM", "MAXDELAY AT", " must be MAXDELAY FROM CLKNET"),
                ('NET "clk_b" 50 MHZ', 'NET "clk_b" 25 MHZ', "clocks of [25.0, 50.0] MHz: must be one"),
        ]:
            constraints = self.root / "constraints/ulx3s.lpf"
            kept = constraints.read_text()
            constraints.write_text(kept.replace(old, new))
            self.refuses(text, "build", "ulx3s")
            constraints.write_text(kept)
        (self.board.parent / "files.f").unlink()
        self.refuses("no fpga/boards/ulx3s/files.f: it names the board's sources", "build", "ulx3s")

    def test_an_old_bitstream_stays_until_there_is_room_for_the_new_one(self):
        self.goes("build", "ulx3s", "--json", "report.json")
        self.assertEqual(self.bitstream.read_text(), "bits")
        summary = self.bitstream.with_name("summary.json").read_bytes()
        self.assertEqual((self.root / "report.json").read_bytes(), summary)
        self.bitstream.write_text("old")
        self.refuses("--clock 0", "build", "ulx3s", "--clock", "0")
        self.refuses("no yosys", "build", "ulx3s", YOSYS=None)
        self.forget()
        self.fails("too large for LFE5U-85F", "build", "ulx3s", CELLS="30000")
        self.assertEqual(self.bitstream.read_text(), "old")
        self.assertEqual(self.bitstream.with_name("summary.json").read_bytes(), summary)
        self.forget()
        self.fails("nextpnr, seed 8: ERROR: no", "build", "ulx3s", FAILS="placing")
        self.assertFalse(self.bitstream.exists())
        self.assertFalse(self.bitstream.with_name("summary.json").exists())
        self.fails("ecppack: ERROR: no", "build", "ulx3s", FAILS="ecppack")
        self.assertFalse(self.bitstream.exists())

    def test_a_clock_that_nextpnr_did_not_hold_to_its_frequency_is_not_met(self):
        self.fails("no clock clk_b in the design, for which there is a frequency", "build", "ulx3s",
                   OTHER="posedge $glbnet$clk_c")
        self.assertFalse(self.bitstream.exists())
        self.fails("clk_a was placed for 12.0 MHz and not 37.5", "build", "ulx3s", PLACED="12")
        self.assertFalse(self.bitstream.exists())
        self.goes("build", "ulx3s", PLACED="37.5")

    def test_what_is_kept_of_a_block_is_of_the_netlist_beside_it(self):
        source = self.root / "fpga/rtl/ow_uart.sv"
        good = source.read_bytes()
        kept = self.root / "build/fpga/ow_uart-ecp5.json"
        self.goes("sizes", "ow_uart")
        first = (self.uart / "mapped.il").read_text()
        text = kept.read_text()
        source.write_bytes(good + b"// changed\n")
        self.fails("packing ow_uart: ERROR: no", "sizes", "ow_uart", FAILS="packing")
        self.assertNotEqual((self.uart / "mapped.il").read_text(), first)
        source.write_bytes(good)
        self.goes("sizes", "ow_uart")
        self.assertEqual((self.uart / "mapped.il").read_text(), first)
        self.assertEqual(kept.read_text(), text)
        # From what is kept: nothing is mapped or packed.
        self.goes("sizes", "ow_uart", FAILS="packing")
        for broken in [text[:-40], "", "[]", "{}", '{"digest": 1}', "\xff"]:
            kept.write_text(broken, encoding="latin-1")
            self.fails("packing ow_uart", "sizes", "ow_uart", FAILS="packing")
            self.goes("sizes", "ow_uart")
            self.assertEqual(kept.read_text(), text)
        (self.uart / "mapped.il").unlink()
        self.fails("packing ow_uart", "sizes", "ow_uart", FAILS="packing")

    def test_the_tile_of_a_netlist_is_that_of_its_sources(self):
        self.goes("build", "ulx3s")
        tile = (self.root / "build/fpga/ow_tile/mapped.il").read_text()
        netlist = (self.bitstream.parent / "netlist.json").read_text()
        self.assertTrue(netlist.startswith("ow_ulx3s ") and netlist.endswith(tile), netlist)

    def test_the_boards_of_the_tree_are_taken(self):
        self.board.write_text(self.own_board)
        for board in sorted(path.name for path in (ROOT / "fpga/boards").iterdir()):
            self.goes("build", board)

    def test_a_family_without_place_and_route_has_its_sizes(self):
        self.goes("build", "arty-a7")
        summary = (self.root / "build/fpga/arty-a7/summary.json").read_text()
        self.assertEqual(json.loads(summary)["latches"], 0)
        self.assertIn('"all around these"', summary)


if __name__ == "__main__":
    unittest.main()
