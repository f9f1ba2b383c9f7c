// SPDX-License-Identifier: Apache-2.0
// Reads biases ahead while there are rows left. It keeps two: the next one and the one after it. A
// bias beyond memory is NaN and marked (bad_o); the error is reported when a row takes it.
// Throughput: a bias every 2 cycles while memory grants. Latency: used_i makes the next bias stand
// at the output in the next cycle.
module ow_reduce_bias
  import ow_fp_pkg::*;
#(
  parameter int unsigned SramBytes = ow_pkg::FULL_SRAM_BYTES
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        busy_i,   // a drain runs; it begins with the bias at base_i
  input  logic [23:0] base_i,
  input  logic        want_i,   // rows are left, and one of the actions adds a bias

  // A read of a 64-bit word; gnt_i is the grant of this read. rvalid_i comes later.
  output logic        req_o,
  output logic [20:0] addr_o,   // of 8 bytes
  input  logic        gnt_i,
  input  logic        rvalid_i,
  input  logic [63:0] rdata_i,

  output logic        valid_o,
  output logic [31:0] bias_o,
  output logic        bad_o,
  output logic [23:0] at_o,     // its address
  input  logic        used_i,

  output logic        flight_o,  // a read is under way
  output logic        step_o     // one comes without a read
);
  logic        valid_q;
  logic [31:0] bias_q;
  logic        bad_q;
  logic [23:0] at_q;
  logic        flight_q;
  logic [23:0] addr_q;   // of the one to read next
  logic        ahead_valid_q;
  logic [31:0] ahead_q;
  logic        ahead_bad_q;
  logic [23:0] ahead_at_q;

  logic        want;
  logic        outside;  // its address is outside memory
  logic        come;
  logic [31:0] data;

  assign want = want_i && !ahead_valid_q && !flight_q;
  assign outside = {8'd0, addr_q} >= SramBytes;
  assign come = rvalid_i || (want && outside);
  assign data = !rvalid_i ? NAN32 : addr_q[2] ? rdata_i[63:32] : rdata_i[31:0];

  always_ff @(posedge clk_i) begin
    if (rst_i || !busy_i) begin
      valid_q <= 1'b0;
      ahead_valid_q <= 1'b0;
      flight_q <= 1'b0;
      bad_q <= 1'b0;
      ahead_bad_q <= 1'b0;
      addr_q <= base_i;
    end else begin
      if (gnt_i) flight_q <= 1'b1;
      if (come) begin
        flight_q <= 1'b0;
        addr_q <= addr_q + 24'd4;
      end
      // At most one bias arrives in a cycle, and only while there is room for it.
      if (!valid_q || used_i) begin
        valid_q <= ahead_valid_q || come;
        if (ahead_valid_q) begin
          bias_q <= ahead_q;
          bad_q <= ahead_bad_q;
          at_q <= ahead_at_q;
        end else if (come) begin
          bias_q <= data;
          bad_q <= !rvalid_i;
          at_q <= addr_q;
        end
        ahead_valid_q <= 1'b0;
      end else if (come) begin
        ahead_valid_q <= 1'b1;
        ahead_q <= data;
        ahead_bad_q <= !rvalid_i;
        ahead_at_q <= addr_q;
      end
    end
  end

  assign req_o = want && !outside;
  assign addr_o = addr_q[23:3];
  assign valid_o = valid_q;
  assign bias_o = bias_q;
  assign bad_o = bad_q;
  assign at_o = at_q;
  assign flight_o = flight_q;
  assign step_o = want && outside;
endmodule
