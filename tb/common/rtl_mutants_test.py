#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/flows/faults/rtl-mutants draws: a fault of each kind of a module, none in what is no function; the
same ones for the same seed; every file of rtl/ has tests that tb/CMakeLists.txt makes; a verdict is
counted as what it is."""

import contextlib
import importlib.machinery
import importlib.util
import io
import itertools
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
_LOADER = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "scripts" / "flows" / "faults" / "rtl-mutants"))
mutants = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", _LOADER))
_LOADER.exec_module(mutants)

TEXT = """// if (comment == 1'b1)
module ow_thing #(
  parameter int unsigned Width = 3'd4
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic a_i
);
  typedef enum logic [1:0] {
    ONE = 2'd1, TWO = 2'd2
  } kind_e;
  logic b, unused;
  logic [3:0] n_q;
  assign b = a_i && n_q == 4'd7;
  assign unused = b && a_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      n_q <= '0;
    end else if (b) begin
      for (int unsigned i = 0; i < 4; i++) n_q[i] <= a_i;
    end
  end
  `OW_ASSERT(fine, n_q != 4'd9 || !(b && a_i), "text && text")
endmodule
"""
WANTED = {
    ("assign b = a_i && n_q == 4'd7;", "assign b = a_i || n_q == 4'd7;"),
    ("assign b = a_i && n_q == 4'd7;", "assign b = a_i && n_q != 4'd7;"),
    ("assign b = a_i && n_q == 4'd7;", "assign b = a_i && n_q == 4'd8;"),
    ("assign b = a_i && n_q == 4'd7;", "assign b = n_q == 4'd7;"),
    ("assign b = a_i && n_q == 4'd7;", "assign b = '0;"),
    ("assign b = a_i && n_q == 4'd7;", "assign b = 1'b1;"),
    ("end else if (b) begin", "end else if (!(b)) begin"),
    ("n_q <= '0;", "n_q <= '1;"),
}


class Mutants(unittest.TestCase):
    def all_of(self, text):
        plain = mutants.hidden(text)
        self.assertEqual(len(plain), len(text))
        for kind in mutants.KINDS:
            for span, after, name in kind(plain):
                yield mutants.Mutant("rtl/tile/ow_thing.sv", text, span, after, name)

    def test_every_kind_and_only_where_there_is_function(self):
        found = {(m.before, m.after) for m in self.all_of(TEXT)}
        self.assertEqual(found - {p for p in found if p[0].startswith("for")}, WANTED)
        self.assertEqual(found - WANTED, {("for (int unsigned i = 0; i < 4; i++) n_q[i] <= a_i;",
                                           "for (int unsigned i = 0; i < 4; i++) n_q[i] <= n_q[i];")})

    def test_a_fault_changes_one_place_of_its_line(self):
        for m in self.all_of(TEXT):
            changed = [(a, b) for a, b in zip(TEXT.split("\n"), m.text.split("\n")) if a != b]
            self.assertEqual([(a.strip(), b.strip()) for a, b in changed], [(m.before, m.after)])
            self.assertEqual(TEXT.split("\n")[m.line - 1].strip(), m.before)

    def test_the_seed_decides_and_areas_take_turns(self):
        texts = {f"{area}/ow_thing.sv": TEXT for area in mutants.AREAS}
        texts["rtl/tile/ow_other.sv"] = TEXT
        first, again, other = ([m.id for m in itertools.islice(mutants.draws(texts, seed), 20)] for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(len(set(first)), 20)
        areas = [m.file.rpartition("/")[0] for m in itertools.islice(mutants.draws(texts, 1), 8)]
        self.assertEqual(areas, mutants.AREAS * 2)

    def test_every_block_has_tests_that_are_built(self):
        table = mutants.yaml.safe_load((ROOT / mutants.TABLE).read_text())
        made = set()
        for path in (ROOT / "tb").rglob("CMakeLists.txt"):
            made |= set(re.findall(r"add_executable\((\w+)", path.read_text()))
            for target in re.findall(r"ow_test_sizes\((\w+)", path.read_text()):
                made |= {target, target + "_sizes"}
        for begin, targets in table["tests"].items():
            self.assertTrue(targets and set(targets) <= made, f"{begin}: {set(targets) - made}")
            where = ROOT / begin
            self.assertTrue(where.is_dir() or list(where.parent.glob(where.name + "*")), f"no file {begin}")
        for area in mutants.AREAS:
            self.assertIn(area + "/", table["tests"])
        for name, judged in (table.get("equivalent") or {}).items():
            self.assertRegex(name, "^[0-9a-f]{10}$")
            self.assertTrue(judged["what"] and judged["reason"])

    def test_only_what_was_run_counts(self):
        rows = [{"verdict": v} for v in ("caught", "caught", "timed out", "escaped", "equivalent", "not elaborated",
                                         "pending")]
        result = mutants.report(7, rows)
        self.assertEqual((result["faults"], result["caught"], result["escaped"], result["pending"]), (4, 2, 1, 1))
        self.assertEqual(result["timed_out"], 1)
        self.assertEqual((result["equivalent"], result["not_elaborated"]), (1, 1))

    def test_who_is_judged_equivalent_discards_no_verdict(self):
        listing = f"100644 blob 1\trtl/a.sv\n100644 blob 2\t{mutants.TABLE}\n"
        before = mutants.content(listing, {"rtl/": ["a_test"]})
        self.assertEqual(mutants.content(listing.replace("blob 2", "blob 3"), {"rtl/": ["a_test"]}), before)
        self.assertNotEqual(mutants.content(listing.replace("blob 1", "blob 3"), {"rtl/": ["a_test"]}), before)
        self.assertNotEqual(mutants.content(listing, {"rtl/": ["b_test"]}), before)

    def bench(self, directory, builds, ends):
        """A bench without a tree: `builds` and `ends` say how a build and a test of each target end."""
        bench = object.__new__(mutants.Bench)
        bench.blocks, bench.limits = {"rtl/": list(ends)}, {"build": 1, "test": 300, "baseline": 1}
        bench.state = {"baseline": {target: 0.1 for target in ends}}
        bench.build = lambda target: builds
        bench.test = lambda target, limit: ends[target]
        mutants.TREE = directory
        (pathlib.Path(directory) / "rtl").mkdir()
        file = pathlib.Path(directory) / "rtl" / "a.sv"
        file.write_text("good\n")
        fault = mutants.Mutant("rtl/a.sv", "good\n", (0, 4), "bad", "a kind")
        try:
            return bench.judge(fault)
        finally:
            self.assertEqual(file.read_text(), "good\n")

    def verdict(self, builds, ends):
        tree = mutants.TREE
        try:
            with tempfile.TemporaryDirectory() as d, contextlib.redirect_stderr(io.StringIO()):
                return self.bench(d, builds, ends)[0]
        finally:
            mutants.TREE = tree

    def test_a_build_that_fails_for_another_reason_is_no_verdict(self):
        ends = {"a_test": ("passes", "")}
        for said in ("%Error: rtl/tile/a.sv:12:3: syntax error", "%Error-PINNOTFOUND: rtl/a.sv:1:2: no pin",
                     "%Error: Internal Error: rtl/a.sv:1:2: ../V3Width.cpp:3: no width"):
            self.assertEqual(self.verdict((1, f"[1/2] Verilating\n{said}\n"), ends), "not elaborated")
        for status, said in ((1, "%Error: Verilator threw signal 9. Suggest trying --debug"),
                             (1, "ninja: fatal: no space left"),
                             (1, "g++: fatal error: Killed signal terminated program cc1plus"), (None, "[1/2]"),
                             (None, "%Error: rtl/tile/a.sv:12:3: syntax error")):
            with self.assertRaises(SystemExit) as stopped:
                self.verdict((status, said), ends)
            self.assertEqual(stopped.exception.code, 2)

    def test_a_test_that_does_not_end_catches_nothing(self):
        timed_out, caught, passes = ("timed out", "a"), ("caught", "b"), ("passes", "")
        for ends, wanted in (((timed_out, caught), "caught"), ((timed_out, passes), "timed out"),
                             ((passes, passes), "escaped"), ((passes, caught), "caught")):
            self.assertEqual(self.verdict((0, ""), dict(zip(("a_test", "b_test"), ends))), wanted)

    def test_a_slow_test_may_take_several_times_what_it_takes_without_a_fault(self):
        bench = object.__new__(mutants.Bench)
        bench.limits, bench.state = {"test": 300}, {"baseline": {"short_test": 2.5, "long_test": 100}}
        self.assertEqual(bench.baseline("short_test"), 300)
        self.assertEqual(bench.baseline("long_test"), 100 * mutants.TIMES)

    def test_numbers_of_draws(self):
        self.assertEqual(mutants.numbers("0,3-5"), {0, 3, 4, 5})
        for wrong in ("", "x", "1-", "-1", "1,,2", "9-3"):
            self.assertRaises(mutants.argparse.ArgumentTypeError, mutants.numbers, wrong)

    def test_seeds_have_64_bits(self):
        seed = mutants.whole(2**64 - 1)
        self.assertEqual(seed("18446744073709551615"), 2**64 - 1)
        for wrong in ("0", "18446744073709551616", "-1", "1.5", "x", ""):
            with self.assertRaisesRegex(mutants.argparse.ArgumentTypeError, "1 to 18446744073709551615"):
                seed(wrong)


if __name__ == "__main__":
    unittest.main()
