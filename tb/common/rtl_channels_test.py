#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/rtl-channels: every channel of this tree has a checker; of a tree with a channel of each
kind it finds those that have none, through instances, too; and the models that leave checkers out."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

LEAF = """// A comment with ow_nothing u_x (.a_i(b)); in it.
module ow_leaf
  import ow_pkg::*;
#(
  parameter int unsigned Width = (4)
) (
  input  logic             clk_i,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_i,
  output logic             req_o,   // no payload
  input  logic             gnt_i,
  input  link_t            link_n_i,
  output link_t            link_n_o,
  output ramp_t            req_req_o,
  output logic             only_valid_o
);
endmodule
"""
TOP = """module ow_top (
  input  logic  clk_i,
  input  logic  a_valid_i,
  output logic  a_ready_o,
  input  link_t link_n_i,
  output link_t link_n_o,
  output logic  m_req_o,
  input  logic  m_gnt_i
);
  ow_leaf #(.Width((2))) u_leaf (
    .clk_i, .in_valid_i(a_valid_i), .in_ready_o(a_ready_o), .in_i('0), .req_o(m_req_o),
    .gnt_i(m_gnt_i && a_valid_i), .link_n_i, .link_n_o, .req_req_o(), .only_valid_o()
  );
endmodule
"""
MODELS = """# ow_verilate(v_nothing FILES rtl/tile/files.f)
set(tile rtl/tile/files.f tb/ow_tb.sv)
ow_verilate(v_leaf CHECKS TOP ow_leaf FILES rtl/tile/files.f)
ow_verilate(v_top CHECKS TOP ow_top PARAMS Width=4
            FILES ${tile})
ow_verilate(v_other TOP ow_other FILES rtl/tile/files_other.f)
"""
BINDS = {
    "ow_leaf: channel in": "bind ow_leaf ow_stream_check #(.Width(4)) u_check_in (\n  .clk_i\n);\n",
    "ow_leaf: channel (no prefix)": "bind ow_leaf ow_stream_check u_check (.clk_i);\n",
    "ow_leaf: channel link_n": "bind ow_leaf ow_link_check u_check_link_n (.clk_i);\n",
    # Its answer is another one than the leaf's.
    "ow_top: channel m": "bind ow_top ow_stream_check u_check_m (.clk_i);\n",
}


def run(tree, *arguments):
    done = subprocess.run([sys.executable, ROOT / "scripts/rtl-channels", "--tree", tree, *arguments],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


class Channels(unittest.TestCase):
    def tree(self, directory, binds, listed=True, models=MODELS):
        area = pathlib.Path(directory) / "rtl" / "tile"
        area.mkdir(parents=True, exist_ok=True)
        (area / "ow_leaf.sv").write_text(LEAF)
        (area / "ow_top.sv").write_text(TOP)
        (area / "ow_tile_checks.sv").write_text("".join(binds))
        (area / "checks.f").write_text("rtl/tile/ow_tile_checks.sv\n" if listed else "")
        (pathlib.Path(directory) / "tb").mkdir(exist_ok=True)
        (pathlib.Path(directory) / "tb" / "CMakeLists.txt").write_text(models)
        return directory

    def test_every_channel_of_this_tree_has_a_checker(self):
        status, said = run(ROOT)
        self.assertEqual(status, 0, said)
        self.assertGreater(int(said.split()[-6]), 100, said)

    def test_a_channel_without_a_checker_is_named(self):
        with tempfile.TemporaryDirectory() as d:
            status, said = run(self.tree(d, BINDS.values()))
            self.assertEqual((status, said), (0, "6 channels, 0 without a checker\n"))
            for left_out in BINDS:
                status, said = run(self.tree(d, [b for n, b in BINDS.items() if n != left_out]))
                self.assertEqual(status, 1)
                self.assertIn(f"{left_out} has no checker", said)
            # What a module passes on stands without the checker of the inner one.
            status, said = run(self.tree(d, [BINDS["ow_top: channel m"]]))
            self.assertIn("ow_top: channel a has no checker", said)
            self.assertIn("ow_top: channel link_n has no checker", said)

    def test_a_checker_that_no_build_reads_counts_for_nothing(self):
        with tempfile.TemporaryDirectory() as d:
            status, said = run(self.tree(d, BINDS.values(), listed=False))
            self.assertEqual(status, 1)
            self.assertIn("in no rtl/*/checks*.f that a model reads", said)
            self.assertIn("ow_leaf: channel in has no checker", said)
            status, said = run(self.tree(d, BINDS.values(), models=MODELS.replace(" CHECKS", "")))
            self.assertEqual(status, 1)
            self.assertIn("ow_tile_checks.sv: in no rtl/*/checks*.f that a model reads", said)

    def test_a_model_that_leaves_its_checkers_out_is_named(self):
        with tempfile.TemporaryDirectory() as d:
            for name in ("v_leaf", "v_top"):
                models = MODELS.replace(f"{name} CHECKS", name)
                self.assertEqual(run(self.tree(d, BINDS.values(), models=models)),
                                 (1, f"{name}: a model without CHECKS, though there is rtl/tile/checks.f\n"
                                  "6 channels, 1 without a checker\n"))
            models = MODELS.replace("v_top", "v_fpga_wires")
            status, said = run(self.tree(d, BINDS.values(), models=models))
            self.assertEqual(status, 1)
            self.assertIn("v_fpga_wires: has CHECKS", said)

    def test_a_part_of_the_library_needs_a_checker_where_it_is_used(self):
        with tempfile.TemporaryDirectory() as d:
            tree = pathlib.Path(self.tree(d, BINDS.values()))
            (tree / "rtl" / "common").mkdir()
            skid = (ROOT / "rtl" / "common" / "ow_skid.sv").read_text()
            (tree / "rtl" / "common" / "ow_skid.sv").write_text(skid)
            self.assertEqual(run(tree), (0, "6 channels, 0 without a checker\n"))
            (tree / "rtl" / "tile" / "ow_user.sv").write_text("module ow_user (input logic clk_i);\n"
                                                              "  ow_skid u_skid (.clk_i);\nendmodule\n")
            status, said = run(tree)
            self.assertEqual(status, 1)
            self.assertIn("ow_skid: channel (no prefix) has no checker", said)

    def test_a_checker_of_a_module_that_is_gone_is_named(self):
        with tempfile.TemporaryDirectory() as d:
            gone = "bind ow_gone ow_stream_check u_check (.clk_i);\n"
            status, said = run(self.tree(d, [*BINDS.values(), gone]))
            self.assertEqual(status, 1)
            self.assertIn("ow_gone, which there is not", said)


if __name__ == "__main__":
    unittest.main()
