// SPDX-License-Identifier: Apache-2.0
// Assertion macros with one back end per tool. Include this file after the package imports.
//
//   `OW_ASSERT(name, prop, msg)    prop holds at every rising edge of clk_i while rst_i is low;
//                                  clk_i and rst_i are the names in the module that uses it
//   `OW_ASSERT_INIT(name, cond)    a parameter check: elaboration stops if cond is false
//
// OW_ASSERT is active in Verilator (built with --assert) and with FORMAL, and nothing elsewhere.
// OW_ASSERT_INIT is a generate-if and holds in every tool.

`ifndef OW_ASSERT_SVH
`define OW_ASSERT_SVH

`ifdef FORMAL
`define OW_ASSERT(name, prop, msg) \
  always_ff @(posedge clk_i) if (!rst_i) name : assert (prop);
`elsif VERILATOR
// Immediate, because the simulator would copy every signal of a concurrent one. The waivers are for
// bounds that some parameters make trivial.
`define OW_ASSERT(name, prop, msg) \
  /* verilator lint_off CMPCONST */ \
  /* verilator lint_off UNSIGNED */ \
  always_ff @(posedge clk_i) if (!rst_i) name : assert (prop) else $error("%m: %s", msg); \
  /* verilator lint_on CMPCONST */ \
  /* verilator lint_on UNSIGNED */
`else
`define OW_ASSERT(name, prop, msg)
`endif

`define OW_ASSERT_INIT(name, cond) \
  if (!(cond)) begin : gen_bad_``name \
    $fatal(1, "parameter check failed: name"); \
  end

`endif
