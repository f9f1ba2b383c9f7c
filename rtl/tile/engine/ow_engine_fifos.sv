// SPDX-License-Identifier: Apache-2.0
// The four circular buffers in memory that descriptors of kind FIFO name: base, capacity, and how
// far the reader and the writer are, in elements. The size of an element is the instruction's.
//
// A source takes and a destination adds elements when its beat is planned: the order of beats, and
// the write buffer's compare, keep data and counts together. Capacity is what DSR word 2 [15:0]
// said; writing it empties the buffer. A buffer of capacity 0 is a malformed descriptor.
//
//   set_*_i    a write of word 1 (base) or 2 (capacity) of a descriptor that names FIFO set_n_i
//   *_n_i      FIFO of an operand, and its element size
//   *_addr_o   address of the operand's next element
//   *_room_o   elements from there on at consecutive addresses that it may take (add), at most 16
//   *_move_i   elements taken (added) at this edge
//   none_o     FIFOs of capacity 0
//   empty_o    FIFOs that hold nothing; full_o: that have no room
module ow_engine_fifos (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             set_base_i,
  input  logic             set_cap_i,
  input  logic [1:0]       set_n_i,
  input  logic [31:0]      set_data_i,
  input  logic [1:0]       a_n_i,
  input  logic [1:0]       a_sz_i,
  output logic [23:0]      a_addr_o,
  output logic [4:0]       a_room_o,
  input  logic [4:0]       a_move_i,
  input  logic [1:0]       b_n_i,
  input  logic [1:0]       b_sz_i,
  output logic [23:0]      b_addr_o,
  output logic [4:0]       b_room_o,
  input  logic [4:0]       b_move_i,
  input  logic [1:0]       d_n_i,
  input  logic [1:0]       d_sz_i,
  output logic [23:0]      d_addr_o,
  output logic [4:0]       d_room_o,
  input  logic [4:0]       d_move_i,
  input  logic [1:0]       count_n_i,
  output logic [15:0]      count_o,
  output logic [3:0]       none_o,
  output logic [3:0]       empty_o,
  output logic [3:0]       full_o
);

  logic [23:0] base_q  [4];
  logic [15:0] cap_q   [4];
  logic [15:0] rd_q    [4];
  logic [15:0] wr_q    [4];
  logic [15:0] count_q [4];
  logic [3:0]  empty_q, full_q;

  function automatic logic [4:0] least(input logic [15:0] x, input logic [15:0] y);
    logic [15:0] m;
    m = x < y ? x : y;
    return m > 16'd16 ? 5'd16 : m[4:0];
  endfunction

  // A FIFO of capacity 0 is empty and full, one of another capacity never both.
  assign none_o = empty_q & full_q;
  assign count_o = count_q[count_n_i];
  always_comb begin
    a_addr_o = '0;
    b_addr_o = '0;
    d_addr_o = '0;
    a_room_o = '0;
    b_room_o = '0;
    d_room_o = '0;
    if (none_o != '1) begin
      a_addr_o = base_q[a_n_i] + ({8'd0, rd_q[a_n_i]} << a_sz_i);
      b_addr_o = base_q[b_n_i] + ({8'd0, rd_q[b_n_i]} << b_sz_i);
      d_addr_o = base_q[d_n_i] + ({8'd0, wr_q[d_n_i]} << d_sz_i);
      a_room_o = least(count_q[a_n_i], cap_q[a_n_i] - rd_q[a_n_i]);
      b_room_o = least(count_q[b_n_i], cap_q[b_n_i] - rd_q[b_n_i]);
      d_room_o = least(cap_q[d_n_i] - count_q[d_n_i], cap_q[d_n_i] - wr_q[d_n_i]);
    end
  end
  assign empty_o = empty_q;
  assign full_o = full_q;

  logic             moves;
  logic [3:0][15:0] rd_d, wr_d, count_d;  // once the words that move have moved

  assign moves = a_move_i != '0 || b_move_i != '0 || d_move_i != '0;

  always_comb begin : next
    logic [15:0] took, gave, rd, wr;
    rd_d = '0;
    wr_d = '0;
    count_d = '0;
    took = '0;
    gave = '0;
    rd = '0;
    wr = '0;
    if (moves) begin
      for (int unsigned n = 0; n < 4; n++) begin
        took = a_move_i != '0 && a_n_i == 2'(n) ? 16'(a_move_i)
             : b_move_i != '0 && b_n_i == 2'(n) ? 16'(b_move_i) : 16'd0;
        gave = d_move_i != '0 && d_n_i == 2'(n) ? 16'(d_move_i) : 16'd0;
        rd = rd_q[n] + took;
        wr = wr_q[n] + gave;
        rd_d[n] = rd == cap_q[n] ? 16'd0 : rd;
        wr_d[n] = wr == cap_q[n] ? 16'd0 : wr;
        count_d[n] = count_q[n] + gave - took;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      empty_q <= '1;
      full_q <= '1;
      for (int unsigned n = 0; n < 4; n++) begin
        base_q[n] <= '0;
        cap_q[n] <= '0;
        rd_q[n] <= '0;
        wr_q[n] <= '0;
        count_q[n] <= '0;
      end
    end else begin
      if (moves) begin
        for (int unsigned n = 0; n < 4; n++) begin
          rd_q[n] <= rd_d[n];
          wr_q[n] <= wr_d[n];
          count_q[n] <= count_d[n];
          empty_q[n] <= count_d[n] == 16'd0;
          full_q[n] <= count_d[n] == cap_q[n];
        end
      end
      if (set_base_i) base_q[set_n_i] <= ow_engine_pkg::address(set_data_i);
      if (set_cap_i) begin
        cap_q[set_n_i] <= set_data_i[15:0];
        rd_q[set_n_i] <= '0;
        wr_q[set_n_i] <= '0;
        count_q[set_n_i] <= '0;
        empty_q[set_n_i] <= 1'b1;
        full_q[set_n_i] <= set_data_i[15:0] == 16'd0;
      end
    end
  end

endmodule
