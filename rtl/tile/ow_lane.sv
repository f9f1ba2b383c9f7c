// SPDX-License-Identifier: Apache-2.0
// One SIMD lane: floating-point multiply-add of binary16 numbers with a binary16 or binary32
// addend, and what else goes through the same path.
//
// Protocol: no handshake and no stall. An operation enters with valid_i and moves on each cycle.
//   cycle t      stage M: valid_i, op_i, src_i, dst_i, a_i, b_i are read
//   cycle t + 1  stage A: valid_a_o is high; c_i is read (FMA only), straight into the aligner
//   cycle t + 2  stage R: valid_o is high, result_o holds the result for this cycle only
// result_o is combinational from registers: a consumer registers it. An accumulator register that
// takes result_o at the end of cycle t + 2 can feed c_i in cycle t + 3, so accumulate to accumulate
// takes 2 cycles (start dependent operations at least 2 cycles apart) without any bypass.
// Throughput: one operation a cycle. Latency: 2 cycles to result_o.
// Operations that are not defined for a format are the engine's to refuse; FMA and MUL read their
// factors as binary16 whatever src_i is.
//
// Where bfloat16 and integers come in: they unpack in stage M and pack in stage R, beside the
// present functions; the product and the adder are wide enough for them.
module ow_lane
  import ow_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,    // clears the valid bits
  // Stage M.
  input  logic        valid_i,  // an operation enters
  input  lane_op_e    op_i,     // what it does
  input  fp_fmt_e     src_i,    // format of a_i and b_i (FMA, MUL: binary16)
  input  fp_fmt_e     dst_i,    // format of the result, and of c_i
  input  logic [31:0] a_i,      // operand a; binary16 in the low half
  input  logic [31:0] b_i,      // operand b
  // Stage A, the cycle after.
  output logic        valid_a_o,  // an operation is in stage A
  input  logic [31:0] c_i,        // addend of FMA in the format dst_i; binary16 in the low half
  // Stage R, the cycle after that.
  output logic        valid_o,    // result_o is a result
  output logic [31:0] result_o    // binary16 in the low half, the upper half zero
);

  // Stage M: unpack, multiply.
  logic     m_valid_q;
  logic     m_fma_q;    // the addend is c_i
  logic     m_raw_q;    // no arithmetic: the result is the bits of m_raw_bits_q
  fp_fmt_e  m_dst_q;
  fp_num_t  m_x_q;      // product, or operand a
  fp_num_t  m_y_q;      // addend if it is not c_i

  // Raw results (MOV, MAX, MIN) travel in the number fields of x.
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      m_fma_q <= op_i == LANE_FMA;
      m_raw_q <= op_i == LANE_MAX || op_i == LANE_MIN || op_i == LANE_MOV;
      m_dst_q <= dst_i;
      m_y_q <= '0;
      unique case (op_i)
        LANE_FMA: m_x_q <= mul_f16(unpack_f16(a_i[15:0]), unpack_f16(b_i[15:0]));
        LANE_MUL: begin
          m_x_q <= mul_f16(unpack_f16(a_i[15:0]), unpack_f16(b_i[15:0]));
          m_y_q <= zero_like(a_i[15] ^ b_i[15]);
        end
        LANE_ADD, LANE_SUB: begin
          m_x_q <= unpack(a_i, src_i);
          m_y_q <= negate_if(unpack(b_i, src_i), op_i == LANE_SUB);
        end
        LANE_MAX, LANE_MIN: m_x_q <= {7'd0, max_min(a_i, b_i, src_i, op_i == LANE_MIN)};
        LANE_MOV: m_x_q <= {7'd0, a_i};
        LANE_CVT: begin
          m_x_q <= unpack(a_i, src_i);
          m_y_q <= zero_like(src_i == FMT_F32 ? a_i[31] : a_i[15]);
        end
      endcase
    end
    m_valid_q <= valid_i && !rst_i;
  end

  // Stage A: align, add.
  logic    a_valid_q;
  logic    a_raw_q;
  fp_fmt_e a_dst_q;
  fp_sum_t a_sum_q;

  always_ff @(posedge clk_i) begin
    if (m_valid_q) begin
      a_raw_q <= m_raw_q;
      a_dst_q <= m_dst_q;
      if (m_raw_q) a_sum_q <= {1'd0, m_x_q};
      else a_sum_q <= add_align(m_x_q, m_fma_q ? unpack(c_i, m_dst_q) : m_y_q);
    end
    a_valid_q <= m_valid_q && !rst_i;
  end

  // Stage R: normalise, round.
  always_comb begin
    result_o = 32'd0;
    if (a_valid_q) begin
      if (a_raw_q) result_o = a_dst_q == FMT_F32 ? a_sum_q[31:0] : {16'd0, a_sum_q[15:0]};
      else result_o = finish(a_sum_q, a_dst_q);
    end
  end

  assign valid_a_o = m_valid_q;
  assign valid_o = a_valid_q;

endmodule
