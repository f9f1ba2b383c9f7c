// SPDX-License-Identifier: Apache-2.0
// What happens to a sum. It is rounded and rectified, then sent or stored. To the fabric, an fp32
// element is a wavelet, and two 16-bit elements are one, the lower half first. For memory, elements
// are packed into 64-bit words. A complete word waits for its grant in a register of its own.
// Latency: 0 to a push, 1 cycle to a request for memory. Throughput: what arrives, while it can
// leave; en_o is low while it cannot, and nothing before it moves then. Errors: a word outside
// memory is dropped and reported (bad_o).
module ow_reduce_output
  import ow_pkg::*;
  import ow_fp_pkg::*;
  import ow_reduce_pkg::*;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  start_i,  // a drain has begun in the cycle before
  input  logic [23:0]           dst_base_i,
  input  logic [15:0]           pitch_i,

  input  logic                  valid_i,
  input  sum_t                  sum_i,
  output logic                  en_o,

  input  logic [NUM_QUEUES-1:0] outq_ready_i,
  output logic                  red_push_o,
  output logic [2:0]            red_q_o,
  output ramp_t                 red_data_o,

  // A word for memory, until gnt_i.
  output logic                  word_valid_o,
  output logic [20:0]           word_addr_o,  // of 8 bytes
  output logic [63:0]           word_data_o,
  output logic [7:0]            word_be_o,
  input  logic                  word_gnt_i,

  output logic                  bad_o,        // a word was dropped, of bad_addr_o
  output logic [23:0]           bad_addr_o,
  output logic [1:0]            ev_elem_o     // elements that leave in this cycle
);
  logic [15:0] half_q;       // the first of a pair that goes to the fabric
  logic [23:0] elem_addr_q;  // of the next element that is stored
  logic [23:0] row_addr_q;   // of the first element of its row
  logic [63:0] fill_data_q;  // the memory word being filled
  logic [7:0]  fill_be_q;
  logic        word_valid_q;
  logic [20:0] word_addr_q;
  logic [63:0] word_data_q;
  logic [7:0]  word_be_q;

  out_t        out;
  logic [31:0] value;        // what leaves
  logic [15:0] value_hi;     // and the element after it
  logic        word_full;    // the element completes its memory word
  logic [63:0] fill_data;
  logic [7:0]  fill_be;
  logic        blocked;

  assign out = sum_i.out;

  always_comb begin
    value = 32'd0;
    value_hi = 16'd0;
    word_full = 1'b0;
    fill_data = 64'd0;
    fill_be = 8'd0;
    blocked = 1'b0;
    red_push_o = 1'b0;
    red_data_o = '0;
    if (valid_i) begin
      if (out.f16) begin
        value = {16'd0, out.bf16 ? f32_to_bf16(sum_i.sum) : f32_to_f16(sum_i.sum)};
        if (out.pair) value_hi = out.bf16 ? f32_to_bf16(sum_i.hi) : f32_to_f16(sum_i.hi);
        if (out.relu) begin
          value = {16'd0, out.bf16 ? relu_bf16(value[15:0]) : relu_f16(value[15:0])};
          value_hi = out.bf16 ? relu_bf16(value_hi) : relu_f16(value_hi);
        end
      end else begin
        value = out.relu ? relu_f32(sum_i.sum) : sum_i.sum;
      end
      if (out.memory) begin
        fill_data = fill_data_q;
        fill_be = fill_be_q;
        if (out.f16) begin
          fill_data |= {32'd0, value_hi, value[15:0]} << {elem_addr_q[2:1], 4'd0};
          fill_be |= (out.pair ? 8'h0F : 8'h03) << {elem_addr_q[2:1], 1'b0};
          word_full = out.row_end || (elem_addr_q[2] && (elem_addr_q[1] || out.pair));
        end else begin
          fill_data |= {32'd0, value} << {elem_addr_q[2], 5'd0};
          fill_be |= elem_addr_q[2] ? 8'hF0 : 8'h0F;
          word_full = out.row_end || elem_addr_q[2];
        end
        blocked = word_full && word_valid_q;
      end else begin
        red_data_o.data = out.pair ? {value_hi, value[15:0]} :
                          out.f16 ? {value[15:0], half_q} : value;
        red_push_o = (!out.f16 || out.odd) && outq_ready_i[out.out_q];
        blocked = (!out.f16 || out.odd) && !outq_ready_i[out.out_q];
      end
    end
  end
  assign red_q_o = out.out_q;
  assign en_o = !blocked;
  assign ev_elem_o = !(valid_i && !blocked) ? 2'd0 : out.pair ? 2'd2 : 2'd1;

  logic outside;  // the complete word is outside memory
  assign outside = {8'd0, elem_addr_q} >= SramBytes;
  assign bad_o = valid_i && !blocked && out.memory && word_full && outside;
  assign bad_addr_o = elem_addr_q;

  always_ff @(posedge clk_i) begin
    if (word_gnt_i) word_valid_q <= 1'b0;
    if (start_i) begin
      elem_addr_q <= dst_base_i;
      row_addr_q <= dst_base_i;
      fill_data_q <= 64'd0;
      fill_be_q <= 8'd0;
    end else if (valid_i && !blocked) begin
      if (out.memory) begin
        fill_data_q <= word_full ? 64'd0 : fill_data;
        fill_be_q <= word_full ? 8'd0 : fill_be;
        if (word_full && !outside) begin
          word_valid_q <= 1'b1;
          word_addr_q <= elem_addr_q[23:3];
          word_data_q <= fill_data;
          word_be_q <= fill_be;
        end
        if (out.row_end) begin
          elem_addr_q <= row_addr_q + {{8{pitch_i[15]}}, pitch_i};
          row_addr_q <= row_addr_q + {{8{pitch_i[15]}}, pitch_i};
        end else begin
          elem_addr_q <= elem_addr_q + (out.f16 && !out.pair ? 24'd2 : 24'd4);
        end
      end else if (!out.odd) begin
        half_q <= value[15:0];
      end
    end
    if (rst_i) word_valid_q <= 1'b0;
  end
  assign word_valid_o = word_valid_q;
  assign word_addr_o = word_addr_q;
  assign word_data_o = word_data_q;
  assign word_be_o = word_be_q;
endmodule
