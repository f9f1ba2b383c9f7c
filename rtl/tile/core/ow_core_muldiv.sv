// SPDX-License-Identifier: Apache-2.0
// The M extension, one operation at a time.
//
// Protocol: start_i begins with the operands, which stay as they are until done_i. ready_o is high
// with result_o, from registers, in a later cycle and until done_i. clear_i drops an operation.
// Latency from start_i: mul 3 cycles; mulh, mulhsu and mulhu 4 (products of 16 bits by one 17 x 17
// bit multiplier, added up); divisions and remainders 33 (restoring, one quotient bit per cycle).
// Errors: none. Division by zero and overflow give what the specification says.
//
//   here_i    there is an operation, whether or not it may start; known early
//   start_i   only while nothing is under way
//   funct3_i  0 mul, 1 mulh, 2 mulhsu, 3 mulhu, 4 div, 5 divu, 6 rem, 7 remu
//   a_i, b_i  rs1, rs2

module ow_core_muldiv (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        clear_i,
  input  logic        here_i,
  input  logic        start_i,
  input  logic        done_i,
  input  logic [2:0]  funct3_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        ready_o,
  output logic [31:0] result_o
);

  logic        busy_q;
  logic [5:0]  count_q;  // steps done
  // Division: the remainder, and the dividend that becomes the quotient. Multiplication: the sum of
  // products above the finished half-word, and that half-word.
  logic signed [34:0] high_q;
  logic [31:0] low_q;

  logic        divide, a_neg, b_neg;
  logic [5:0]  last;
  logic signed [16:0] x, y;  // half-words, those above with the operand's sign
  logic signed [34:0] partial, sum;
  logic [32:0] rem;          // of the step, or below 0

  assign divide = funct3_i[2];
  // mulhu has no signed operand, mulhsu has one. mul takes the low half, which does not depend on
  // signs.
  assign a_neg = a_i[31] && (divide ? !funct3_i[0] : funct3_i[1:0] != 2'd3);
  assign b_neg = b_i[31] && (divide ? !funct3_i[0] : !funct3_i[1]);
  assign last = divide ? 6'd33 : funct3_i[1:0] == 2'd0 ? 6'd3 : 6'd4;
  assign ready_o = busy_q && count_q == last;

  // A step is always computed, since start_i arrives late.
  always_comb begin
    x = count_q[1] ? {a_neg, a_i[31:16]} : {1'b0, a_i[15:0]};
    y = count_q[0] ? {b_neg, b_i[31:16]} : {1'b0, b_i[15:0]};
    // Products: low x low, low x high, high x low, high x high. The second and the last begin a
    // half-word above the ones before.
    partial = high_q;
    if (count_q == 6'd0) partial = '0;
    else if (count_q[0]) partial = high_q >>> 16;
    // Minus |b|.
    rem = 33'(({high_q[31:0], low_q[31], 1'b1} + {{b_neg, b_i} ^ {33{!b_neg}}, !b_neg}) >> 1);
  end

  // One row for each bit of y, and the sum so far. Three rows are replaced by two with the same
  // sum, earliest rows first, until two are left for one carry chain.
  localparam int unsigned Rows = 18;
  localparam int unsigned Steps = Rows - 2;
  // Rows are unsigned. The product's signs are in this constant and in the highest bits of the
  // rows.
  localparam logic [34:0] Signs = 35'h6_0002_0000;

  logic [34:0] rows [Rows+2*Steps];
  always_comb begin
    for (int unsigned i = 0; i < Rows + 2 * Steps; i++) rows[i] = '0;
    sum = '0;
    if (here_i && !divide) begin
      rows[0] = partial;
      for (int unsigned i = 0; i < 16; i++) begin
        rows[i+1] = 35'({!(x[16] && y[i]), x[15:0] & {16{y[i]}}}) << i;
      end
      rows[1] |= Signs;
      rows[17] = {2'd0, x[16] && y[16], ~(x[15:0] & {16{y[16]}}), 16'd0};
      for (int unsigned k = 0; k < Steps; k++) begin
        rows[Rows+2*k] = ((rows[3*k] & rows[3*k+1]) |
                          (rows[3*k+2] & (rows[3*k] | rows[3*k+1]))) << 1;
        rows[Rows+2*k+1] = rows[3*k] ^ rows[3*k+1] ^ rows[3*k+2];
      end
      sum = rows[3*Steps] + rows[3*Steps+1];
    end
  end

  always_comb begin
    result_o = 32'd0;
    // The quotient or the remainder, with its sign.
    if (ready_o) begin
      unique case (funct3_i)
        3'd0: result_o = {high_q[15:0], low_q[15:0]};
        3'd1, 3'd2, 3'd3: result_o = high_q[31:0];
        3'd4, 3'd5: result_o = (a_neg ^ b_neg) && b_i != 32'd0 ? -low_q : low_q;
        default: result_o = a_neg ? -high_q[31:0] : high_q[31:0];
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i || done_i) begin
      busy_q <= 1'b0;
      count_q <= 6'd0;
    end else if (start_i || (busy_q && !ready_o)) begin
      busy_q <= 1'b1;
      count_q <= count_q + 6'd1;
      if (!divide) begin
        high_q <= sum;
        if (start_i) low_q[15:0] <= sum[15:0];
      end else if (start_i) begin
        high_q <= '0;
        low_q <= a_neg ? -a_i : a_i;
      end else begin
        high_q <= {3'd0, rem[32] ? {high_q[30:0], low_q[31]} : rem[31:0]};
        low_q <= {low_q[30:0], ~rem[32]};
      end
    end
  end

endmodule
