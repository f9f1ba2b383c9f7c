// SPDX-License-Identifier: Apache-2.0
// The 32 descriptors of the tensor engine: 6 words each (docs/isa.md). Two reads are combinational:
// one word for the core, and the words of three descriptors that a launch looks at. Words 2 to 5 of
// the three descriptors of the thread that stage I0 has chosen stand at the output in the next
// cycle, until another one is chosen.
//
// An address has 24 bits. One that is written with more becomes one outside any memory with the same
// low bits (ow_engine_pkg::address), so that its use is a fault and not an access somewhere else.
//
//   we_i ...       write of a word; save_* writes word 1 (address) and goes first
//   l_*_i, p_*_i   descriptors a, b, dst of the launch and of the plan
module ow_engine_dsr
  import ow_pkg::*;
  import ow_engine_pkg::address;
(
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [4:0]       idx_i,
  input  logic [2:0]       word_i,
  input  logic [31:0]      wdata_i,
  output logic [31:0]      rdata_o,
  output logic [31:0]      kind_word_o,  // word 0 of idx_i
  input  logic             save_i,
  input  logic [4:0]       save_idx_i,
  input  logic [23:0]      save_addr_i,
  input  logic [2:0][4:0]  l_idx_i,
  output logic [2:0][31:0] l_w0_o,
  output logic [2:0][23:0] l_w1_o,
  output logic [2:0][31:0] l_w2_o,
  output logic [2:0][31:0] l_w3_o,
  input  logic             p_any_i,
  input  logic [2:0][4:0]  p_idx_i,
  output logic [3:0][31:0] p_a_o,
  output logic [3:0][31:0] p_b_o,
  output logic [3:0][31:0] p_d_o
);

  logic [31:0] w0_q [NUM_DSRS];
  logic [23:0] w1_q [NUM_DSRS];
  logic [31:0] w2_q [NUM_DSRS];
  logic [31:0] w3_q [NUM_DSRS];
  logic [31:0] w4_q [NUM_DSRS];
  logic [31:0] w5_q [NUM_DSRS];

  always_comb begin
    unique case (word_i)
      DSR_KIND: rdata_o = w0_q[idx_i];
      DSR_ADDRESS: rdata_o = {8'd0, w1_q[idx_i]};
      DSR_DIM0: rdata_o = w2_q[idx_i];
      DSR_DIM1: rdata_o = w3_q[idx_i];
      DSR_DIM2: rdata_o = w4_q[idx_i];
      DSR_DIM3: rdata_o = w5_q[idx_i];
      default: rdata_o = '0;
    endcase
  end
  assign kind_word_o = w0_q[idx_i];

  always_comb begin
    for (int unsigned k = 0; k < 3; k++) begin
      l_w0_o[k] = w0_q[l_idx_i[k]];
      l_w1_o[k] = w1_q[l_idx_i[k]];
      l_w2_o[k] = w2_q[l_idx_i[k]];
      l_w3_o[k] = w3_q[l_idx_i[k]];
    end
  end

  logic [2:0][3:0][31:0] p_dim_q;
  always_ff @(posedge clk_i) begin
    if (p_any_i) begin
      for (int unsigned k = 0; k < 3; k++) begin
        p_dim_q[k] <= {w5_q[p_idx_i[k]], w4_q[p_idx_i[k]], w3_q[p_idx_i[k]], w2_q[p_idx_i[k]]};
      end
    end
  end
  assign p_a_o = p_dim_q[0];
  assign p_b_o = p_dim_q[1];
  assign p_d_o = p_dim_q[2];

  always_ff @(posedge clk_i) begin
    if (save_i) begin
      w1_q[save_idx_i] <= save_addr_i;
    end else if (we_i) begin
      unique case (word_i)
        DSR_KIND: w0_q[idx_i] <= wdata_i;
        DSR_ADDRESS: w1_q[idx_i] <= address(wdata_i);
        DSR_DIM0: w2_q[idx_i] <= wdata_i;
        DSR_DIM1: w3_q[idx_i] <= wdata_i;
        DSR_DIM2: w4_q[idx_i] <= wdata_i;
        DSR_DIM3: w5_q[idx_i] <= wdata_i;
        default: ;
      endcase
    end
  end

endmodule
