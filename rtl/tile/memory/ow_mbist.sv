// SPDX-License-Identifier: Apache-2.0
// Memory self-test: March SS over all SRAM banks at once, with word backgrounds.
//
// March SS (Hamdioui, Al-Ars, van de Goor, "Testing static and dynamic faults in random access
// memories", VTS 2002) has 22 operations per word. It finds all simple static faults of one cell
// and of two cells:
//   any (w0); up (r0,r0,w0,r0,w1); up (r1,r1,w1,r1,w0); down (r0,r0,w0,r0,w1);
//   down (r1,r1,w1,r1,w0); any (r0)
// "0" is a background and "1" its complement. The backgrounds of a 64-bit word are all zeros, and
// the six with runs of 1, 2, 4, .. 32 equal bits. So any two bits of a word differ in one of them.
//
// Protocol: start_i begins. busy_o is high for 22 * 7 * Rows + 1 cycles, in each of which the banks
// must accept the access (mem_req_o). Then done_o is high. fail_o has a bit for each bank that
// answered wrongly, until the next start or reset. fail_row_o and fail_bits_o are the row and the
// differing bits of the first wrong answer of the lowest such bank. The contents are destroyed.
//
//   Rows   64-bit words of a bank
//   Banks  1 to 8
//   mem_*  the banks' ports, the same row and data for all; read data comes in the next cycle
`include "ow_assert.svh"

module ow_mbist
  import ow_onehot_pkg::lowest;
#(
  parameter int unsigned Rows = 768,
  parameter int unsigned Banks = 8,
  localparam int unsigned RowBits = $clog2(Rows)
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               start_i,
  output logic               busy_o,
  output logic               done_o,
  output logic [Banks-1:0]   fail_o,
  output logic [RowBits-1:0] fail_row_o,
  output logic [63:0]        fail_bits_o,
  output logic               mem_req_o,
  output logic               mem_we_o,
  output logic [RowBits-1:0] mem_row_o,
  output logic [63:0]        mem_wdata_o,
  input  logic [Banks-1:0][63:0] mem_rdata_i
);

  `OW_ASSERT_INIT(rows, Rows >= 2)
  `OW_ASSERT_INIT(banks, Banks >= 1 && Banks <= 8)

  localparam logic [2:0] LAST_ELEMENT = 3'd5;
  localparam logic [2:0] LAST_BACKGROUND = 3'd6;
  localparam logic [RowBits-1:0] LAST_ROW = RowBits'(Rows - 1);

  logic               run_q, done_q;
  logic [2:0]         background_q, element_q, op_q;
  logic [RowBits-1:0] row_q;
  logic               check_q;      // read data is at the port
  logic [63:0]        expected_q;
  logic [RowBits-1:0] checked_row_q;
  logic [Banks-1:0]   fail_q;
  logic [RowBits-1:0] fail_row_q;
  logic [63:0]        fail_bits_q;

  // Bit i of background k is bit k - 1 of the number i; background 0 is all zeros.
  logic [2:0]  number;
  logic [63:0] background;
  assign number = run_q ? background_q : '0;
  always_comb begin
    background = '0;
    if (number != '0) begin
      for (int unsigned i = 0; i < 64; i++) background[i] = 1'({6'(i), 1'b0} >> number);
    end
  end

  // One step. March elements 1 and 3 read "0" and end with "1"; 2 and 4 the other way round.
  logic one, write, down, last_op, last_row;
  always_comb begin
    write = 1'b0;
    one = 1'b0;
    down = 1'b0;
    last_op = 1'b0;
    last_row = 1'b0;
    if (run_q) begin
      write = element_q == 3'd0 || (element_q != LAST_ELEMENT && (op_q == 3'd2 || op_q == 3'd4));
      one = (element_q == 3'd2 || element_q == 3'd4) != (op_q == 3'd4);
      down = element_q == 3'd3 || element_q == 3'd4;
      last_op = element_q == 3'd0 || element_q == LAST_ELEMENT || op_q == 3'd4;
      last_row = row_q == (down ? '0 : LAST_ROW);
    end
  end

  // The banks that answer wrongly in this cycle, and the wrong bits of the lowest. Memory's data
  // arrives late, so the lowest bank is found first and selects the bits once.
  logic [Banks-1:0] wrong;
  logic [63:0]      bits;
  always_comb begin : answers
    logic [Banks-1:0][63:0] differs;
    logic [Banks-1:0]       first;
    differs = '0;
    wrong = '0;
    bits = '0;
    first = '0;
    if (check_q) begin
      for (int unsigned b = 0; b < Banks; b++) begin
        differs[b] = mem_rdata_i[b] ^ expected_q;
        wrong[b] = differs[b] != '0;
      end
      first = Banks'(lowest(32'(wrong)));
      for (int unsigned b = 0; b < Banks; b++) bits |= differs[b] & {64{first[b]}};
    end
  end

  assign mem_req_o = run_q;
  assign mem_we_o = write;
  assign mem_row_o = row_q;
  assign mem_wdata_o = one ? ~background : background;
  assign busy_o = run_q || check_q;
  assign done_o = done_q;
  assign fail_o = fail_q;
  assign fail_row_o = fail_row_q;
  assign fail_bits_o = fail_bits_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      run_q <= 1'b0;
      done_q <= 1'b0;
      check_q <= 1'b0;
      fail_q <= '0;
      fail_row_q <= '0;
      fail_bits_q <= '0;
    end else begin
      // The position in the test matters only while it runs; it is set as the test starts.
      if (start_i && !busy_o) begin
        run_q <= 1'b1;
        done_q <= 1'b0;
        fail_q <= '0;
        fail_row_q <= '0;
        fail_bits_q <= '0;
        background_q <= '0;
        element_q <= '0;
        op_q <= '0;
        row_q <= '0;
      end else if (run_q) begin
        if (!last_op) begin
          op_q <= op_q + 3'd1;
        end else begin
          op_q <= '0;
          if (!last_row) begin
            row_q <= down ? row_q - 1'b1 : row_q + 1'b1;
          end else if (element_q != LAST_ELEMENT) begin
            element_q <= element_q + 3'd1;
            row_q <= element_q == 3'd2 || element_q == 3'd3 ? LAST_ROW : '0;
          end else begin
            element_q <= '0;
            row_q <= '0;
            if (background_q != LAST_BACKGROUND) background_q <= background_q + 3'd1;
            else run_q <= 1'b0;
          end
        end
      end
      check_q <= run_q && !write;
      if (run_q && !write) begin
        expected_q <= mem_wdata_o;
        checked_row_q <= row_q;
      end
      if (check_q) begin
        fail_q <= fail_q | wrong;
        if (fail_q == '0 && wrong != '0) begin
          fail_row_q <= checked_row_q;
          fail_bits_q <= bits;
        end
        if (!run_q) done_q <= 1'b1;
      end
    end
  end

  `OW_ASSERT(rows_in_range, !run_q || row_q <= LAST_ROW, "a row that the bank does not have")

endmodule
