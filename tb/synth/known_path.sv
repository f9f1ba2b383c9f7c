// SPDX-License-Identifier: Apache-2.0
// What timing_test.py knows by hand: one NAND2 between registers, eight flip-flops that share an
// enable, a memory.
module known_path (
  input  logic        clk_i,
  input  logic        a_i,
  input  logic        b_i,
  input  logic        en_i,
  input  logic [7:0]  d_i,
  output logic        y_o,
  output logic [7:0]  d_o,
  output logic [63:0] rdata_o
);
  logic a_q, b_q, y_q;
  logic [7:0] d_q;

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    y_q <= !(a_q && b_q);
    if (en_i) d_q <= d_i;
  end

  ow_sram_bank #(.Rows(4)) u_bank (
    .clk_i,
    .req_i  (en_i),
    .we_i   (a_i),
    .be_i   (d_i),
    .addr_i (d_i[1:0]),
    .wdata_i({8{d_i}}),
    .rdata_o
  );

  assign y_o = y_q;
  assign d_o = d_q;
endmodule
