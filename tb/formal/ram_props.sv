// SPDX-License-Identifier: Apache-2.0
// Properties of ow_ram_1r1w and ow_ram_1rw. One word, chosen in the first cycle, is followed
// through any accesses. A read of it returns what was written last.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module ram_props #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 3,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic [AddrW-1:0] watch_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic             bad_now_o,     // ow_ram_1r1w, ReadLatency 0
  output logic             bad_next_o,    // ReadLatency 1
  output logic             bad_single_o,  // ow_ram_1rw
  output logic             seen_old_word_o
);

  logic up_q;  // 0 in the first cycle
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [Width-1:0] now, next, single;
  ow_ram_1r1w #(.Width(Width), .Depth(Depth), .ReadLatency(0)) u_now (
    .clk_i, .rst_i(!up_q), .we_i, .waddr_i, .wdata_i, .re_i, .raddr_i, .rdata_o(now)
  );
  ow_ram_1r1w #(.Width(Width), .Depth(Depth), .ReadLatency(1)) u_next (
    .clk_i, .rst_i(!up_q), .we_i, .waddr_i, .wdata_i, .re_i, .raddr_i, .rdata_o(next)
  );
  ow_ram_1rw #(.Width(Width), .Depth(Depth)) u_single (
    .clk_i, .rst_i(!up_q), .req_i(we_i || re_i), .we_i, .addr_i(we_i ? waddr_i : raddr_i),
    .wdata_i, .rdata_o(single)
  );

  logic [AddrW-1:0] watch_q;
  logic [Width-1:0] word_q;     // the watched word, if it was written
  logic written_q;
  logic [Width-1:0] due_q, due_single_q;  // the value that its last read must return
  logic read_q, read_single_q;
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      watch_q <= 32'(watch_i) < Depth ? watch_i : '0;
      written_q <= 1'b0;
      read_q <= 1'b0;
      read_single_q <= 1'b0;
    end else begin
      if (we_i && waddr_i == watch_q) begin
        word_q <= wdata_i;
        written_q <= 1'b1;
      end
      if (re_i) begin
        read_q <= raddr_i == watch_q && written_q;
        due_q <= word_q;
      end
      if (re_i && !we_i) begin
        read_single_q <= raddr_i == watch_q && written_q;
        due_single_q <= word_q;
      end
    end
  end

  assign bad_now_o = up_q && written_q && raddr_i == watch_q && now != word_q;
  assign bad_next_o = up_q && read_q && next != due_q;
  assign bad_single_o = up_q && read_single_q && single != due_single_q;
  assign seen_old_word_o = up_q && read_q && due_q != word_q && waddr_i != watch_q;

endmodule
