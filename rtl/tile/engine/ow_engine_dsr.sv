// SPDX-License-Identifier: Apache-2.0
// The descriptors of the tensor engine: 6 words each (docs/isa.md). Two reads are combinational:
// one word for the core, and the words of three descriptors that a launch looks at. Both come from
// the core and never in one cycle, so they share logic. Words 2 to 5 of the three descriptors of
// the thread that stage I0 has chosen are at the output from the next cycle until another is
// chosen.
//
// An address has 24 bits. A longer one is stored as an address outside any memory with the same low
// bits (ow_engine_pkg::address). So its use is a fault and not an access somewhere else.
//
//   Dims           dimensions, 2 or 4. With 2, words 4 and 5 read as 0, and l_more_o says which
//                  descriptors of the launch had a length written there
//   Dsrs           descriptors, 2 to 32. Reads of a number beyond return anything: the caller
//                  reports it as illegal
//   we_i ...       write of a word, not of word 1 (address) beside save_*, which writes that. There
//                  are no words 6 and 7
//   l_any_i        there is an instruction; else the l_* outputs mean nothing
//   l_*_i, p_*_i   descriptors a, b, dst of the launch and of the plan
`include "ow_assert.svh"

module ow_engine_dsr
  import ow_pkg::*;
  import ow_engine_pkg::address;
#(
  parameter int unsigned Dsrs = NUM_DSRS,
  parameter int unsigned Dims = NUM_DIMENSIONS
) (
  input  logic             clk_i,
  input  logic             rst_i,  // of the assertions only
  input  logic             we_i,
  /* verilator lint_off UNUSEDSIGNAL */ // with few descriptors not all bits
  input  logic [4:0]       idx_i,
  input  logic [2:0]       word_i,
  input  logic [31:0]      wdata_i,
  output logic [31:0]      rdata_o,
  output logic [31:0]      kind_word_o,  // word 0 of idx_i
  input  logic             save_i,
  input  logic [4:0]       save_idx_i,
  input  logic [23:0]      save_addr_i,
  input  logic             l_any_i,
  input  logic [2:0][4:0]  l_idx_i,
  output logic [2:0][31:0] l_w0_o,
  output logic [2:0][23:0] l_w1_o,
  output logic [2:0][31:0] l_w2_o,
  output logic [2:0][31:0] l_w3_o,
  output logic [2:0]       l_more_o,
  input  logic             p_any_i,
  input  logic [2:0][4:0]  p_idx_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [3:0][31:0] p_a_o,
  output logic [3:0][31:0] p_b_o,
  output logic [3:0][31:0] p_d_o
);

  typedef logic [$clog2(Dsrs)-1:0] dsr_t;

  dsr_t             idx, save_idx, look;  // look: what the core's port and the launch's first see
  dsr_t [2:0]       l_idx, p_idx;
  assign idx = dsr_t'(idx_i);
  assign save_idx = dsr_t'(save_idx_i);
  assign look = l_any_i ? dsr_t'(l_idx_i[0]) : idx;
  always_comb begin
    for (int unsigned k = 0; k < 3; k++) begin
      l_idx[k] = k == 0 ? look : dsr_t'(l_idx_i[k]);
      p_idx[k] = dsr_t'(p_idx_i[k]);
    end
  end

  logic [31:0] w0_q [Dsrs];
  logic [23:0] w1_q [Dsrs];
  logic [31:0] w2_q [Dsrs];
  logic [31:0] w3_q [Dsrs];

  logic [31:0] rdata_4, rdata_5;

  always_comb begin
    unique case (word_i)
      DSR_KIND: rdata_o = l_w0_o[0];
      DSR_ADDRESS: rdata_o = {8'd0, l_w1_o[0]};
      DSR_DIM0: rdata_o = l_w2_o[0];
      DSR_DIM1: rdata_o = l_w3_o[0];
      DSR_DIM2: rdata_o = rdata_4;
      DSR_DIM3: rdata_o = rdata_5;
      default: rdata_o = '0;
    endcase
  end
  assign kind_word_o = l_w0_o[0];

  always_comb begin
    for (int unsigned k = 0; k < 3; k++) begin
      l_w0_o[k] = w0_q[l_idx[k]];
      l_w1_o[k] = w1_q[l_idx[k]];
      l_w2_o[k] = w2_q[l_idx[k]];
      l_w3_o[k] = w3_q[l_idx[k]];
    end
  end

  // What the plan reads: dimensions 0 and 1, then 2 and 3.
  logic [2:0][1:0][31:0] p_inner_q, p_outer;
  assign p_a_o = {p_outer[0], p_inner_q[0]};
  assign p_b_o = {p_outer[1], p_inner_q[1]};
  assign p_d_o = {p_outer[2], p_inner_q[2]};

  always_ff @(posedge clk_i) begin
    if (p_any_i) begin
      for (int unsigned k = 0; k < 3; k++) p_inner_q[k] <= {w3_q[p_idx[k]], w2_q[p_idx[k]]};
    end
  end

  if (Dims == 4) begin : gen_outer
    logic [31:0] w4_q [Dsrs];
    logic [31:0] w5_q [Dsrs];
    logic [2:0][1:0][31:0] p_q;

    always_ff @(posedge clk_i) begin
      if (we_i && word_i == DSR_DIM2) w4_q[idx] <= wdata_i;
      if (we_i && word_i == DSR_DIM3) w5_q[idx] <= wdata_i;
      if (p_any_i) begin
        for (int unsigned k = 0; k < 3; k++) p_q[k] <= {w5_q[p_idx[k]], w4_q[p_idx[k]]};
      end
    end
    assign {rdata_4, rdata_5} = {w4_q[idx], w5_q[idx]};
    assign p_outer = p_q;
    assign l_more_o = '0;
  end else begin : gen_no_outer
    /* verilator lint_off UNUSEDSIGNAL */ // its length
    dsr_dim_t        word;
    /* verilator lint_on UNUSEDSIGNAL */
    logic more_4_q [Dsrs];  // a length has been written
    logic more_5_q [Dsrs];

    assign word = wdata_i;
    always_ff @(posedge clk_i) begin
      if (we_i && word_i == DSR_DIM2) more_4_q[idx] <= word.length != '0;
      if (we_i && word_i == DSR_DIM3) more_5_q[idx] <= word.length != '0;
    end
    always_comb begin
      for (int unsigned k = 0; k < 3; k++) l_more_o[k] = more_4_q[l_idx[k]] || more_5_q[l_idx[k]];
    end
    assign {rdata_4, rdata_5} = '0;
    assign p_outer = '0;
  end

  // Each memory has one write port.
  always_ff @(posedge clk_i) begin
    if (save_i || (we_i && word_i == DSR_ADDRESS)) begin
      w1_q[save_i ? save_idx : idx] <= save_i ? save_addr_i : address(wdata_i);
    end
    if (we_i) begin
      unique case (word_i)
        DSR_KIND: w0_q[idx] <= wdata_i;
        DSR_DIM0: w2_q[idx] <= wdata_i;
        DSR_DIM1: w3_q[idx] <= wdata_i;
        default: ;
      endcase
    end
  end

  logic unused;
  assign unused = rst_i;

  `OW_ASSERT_INIT(dsrs_in_range, Dsrs >= 2 && Dsrs <= NUM_DSRS)
  `OW_ASSERT_INIT(dims_2_or_4, Dims == 2 || Dims == 4)
  `OW_ASSERT(one_address, !(we_i && save_i && word_i == DSR_ADDRESS), "two addresses at once")
  `OW_ASSERT(one_looks, !(we_i && l_any_i), "a write of a descriptor beside a launch")

endmodule
