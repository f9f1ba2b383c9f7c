// SPDX-License-Identifier: Apache-2.0
// One operation over all 16-bit second operands. The operands are made here, so a simulation
// evaluates little else than the datapath.
//
// start_i with op_i, fmt_i and a_i: from the next cycle on the second operand runs through
// 0..65535, eight values per cycle. valid_o with the results of eight operands, from base_o on,
// registered.
module ow_fp_sweep
  import ow_datapath_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             start_i,
  input  logic [4:0]       op_i,    // dp_op_e
  input  logic [2:0]       fmt_i,   // dp_fmt_e of operands and result
  input  logic [15:0]      a_i,     // first operand
  output logic             valid_o,
  output logic [15:0]      base_o,
  output logic [7:0][15:0] result_o
);

  logic             run_q;
  logic [12:0]      count_q;
  logic [RES_LATENCY-1:0]       on_way_q;  // there are operands in the datapath
  logic [RES_LATENCY-1:0][12:0] which_q;   // which operands these are
  dp_op_e           op_q;
  dp_fmt_e          fmt_q;
  logic [15:0]      a_q;
  logic [7:0][31:0] a, b, result;
  logic             late_valid;
  logic [31:0]      late, state;
  logic             unused;

  always_ff @(posedge clk_i) begin
    if (run_q) count_q <= count_q + 13'd1;
    if (run_q && count_q == 13'h1FFF) run_q <= 1'b0;
    if (start_i) begin
      run_q <= 1'b1;
      count_q <= '0;
      op_q <= dp_op_e'(op_i);
      fmt_q <= dp_fmt_e'(fmt_i);
      a_q <= a_i;
    end
    if (rst_i) run_q <= 1'b0;
    on_way_q <= {on_way_q[RES_LATENCY-2:0], run_q} & {RES_LATENCY{!rst_i}};
    which_q <= {which_q[RES_LATENCY-2:0], count_q};
    valid_o <= on_way_q[RES_LATENCY-1] && !rst_i;
    base_o <= {which_q[RES_LATENCY-1], 3'd0};
    for (int unsigned l = 0; l < 8; l++) result_o[l] <= result[l][15:0];
  end

  always_comb begin
    for (int unsigned l = 0; l < 8; l++) begin
      a[l] = {16'd0, a_q};
      b[l] = {16'd0, count_q, 3'(l)};
    end
  end

  ow_datapath #(.Lanes(8)) u_datapath (
    .clk_i,
    .rst_i,
    .valid_i     (run_q),
    .op_i        (op_q),
    .src_i       (fmt_q),
    .dst_i       (fmt_q),
    .stoch_i     (1'b0),
    .mask_i      (8'hFF),
    .i8_hi_i     (8'h00),
    .a_i         (a),
    .b_i         (b),
    .red_first_i (1'b0),
    .red_last_i  (1'b0),
    .red_base_i  (4'd0),
    .back_i      (2'd0),
    .c_i         ('0),
    .result_o    (result),
    .late_valid_o(late_valid),
    .late_o      (late),
    .prng_we_i   (1'b0),
    .prng_sel_i  (2'd0),
    .prng_wdata_i('0),
    .prng_rdata_o(state)
  );

  always_comb begin
    unused = late_valid ^ ^late ^ ^state;
    for (int unsigned l = 0; l < 8; l++) unused = unused ^ ^result[l][31:16];
  end

endmodule
