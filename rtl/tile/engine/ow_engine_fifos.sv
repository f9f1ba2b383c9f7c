// SPDX-License-Identifier: Apache-2.0
// The four circular buffers in memory that descriptors of kind FIFO name: base, capacity, and how
// far the reader and the writer are, in elements. The size of an element is the instruction's.
//
// A source takes and a destination adds elements when its beat is planned: the order of beats, and
// the write buffer's compare, keep data and counts together. Capacity is what DSR word 2 [15:0]
// said; writing it empties the buffer. A buffer of capacity 0 is a malformed descriptor.
//
// What is left to the end of the buffer, for each side, and what is free stand in registers of their
// own, so that the plan finds its limits without a subtraction.
//
//   set_*_i    a write of word 1 (base) or 2 (capacity) of a descriptor that names FIFO set_n_i
//   *_n_i      FIFO of an operand, and its element size
//   *_addr_o   address of the operand's next element
//   *_room_o   elements from there on at consecutive addresses that it may take (add), at most 16: a
//              thermometer
//   *_move_i   elements are taken (added) at this edge (late): v_i, or one with d_one_i
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
  output logic [15:0]      a_room_o,
  input  logic             a_move_i,
  input  logic [1:0]       b_n_i,
  input  logic [1:0]       b_sz_i,
  output logic [23:0]      b_addr_o,
  output logic [15:0]      b_room_o,
  input  logic             b_move_i,
  input  logic [1:0]       d_n_i,
  input  logic [1:0]       d_sz_i,
  output logic [23:0]      d_addr_o,
  output logic [15:0]      d_room_o,
  input  logic             d_move_i,
  input  logic [4:0]       v_i,
  input  logic             d_one_i,
  input  logic [1:0]       count_n_i,
  output logic [15:0]      count_o,
  output logic [3:0]       none_o,
  output logic [3:0]       empty_o,
  output logic [3:0]       full_o
);

  logic [23:0] base_q    [4];
  logic [15:0] cap_q     [4];
  logic [15:0] rd_q      [4];
  logic [15:0] wr_q      [4];
  logic [15:0] rd_left_q [4];  // capacity less rd, less wr, less count
  logic [15:0] wr_left_q [4];
  logic [15:0] free_q    [4];
  logic [15:0] count_q   [4];
  logic [3:0]  empty_q, full_q;

  function automatic logic [15:0] up_to(input logic [15:0] n);
    return n[15:4] != '0 ? '1 : 16'(~(32'hFFFF_FFFF << n[3:0]));
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
      a_room_o = up_to(count_q[a_n_i]) & up_to(rd_left_q[a_n_i]);
      b_room_o = up_to(count_q[b_n_i]) & up_to(rd_left_q[b_n_i]);
      d_room_o = up_to(free_q[d_n_i]) & up_to(wr_left_q[d_n_i]);
    end
  end
  assign empty_o = empty_q;
  assign full_o = full_q;

  // Both sides of a FIFO may move at one edge.
  logic [3:0]  takes, adds;
  logic [15:0] v, v_add;
  assign v = 16'(v_i);
  assign v_add = d_one_i ? 16'd1 : v;

  always_comb begin
    takes = '0;
    adds = '0;
    if (a_move_i) takes[a_n_i] = 1'b1;
    if (b_move_i) takes[b_n_i] = 1'b1;
    if (d_move_i) adds[d_n_i] = 1'b1;
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
        rd_left_q[n] <= '0;
        wr_left_q[n] <= '0;
        free_q[n] <= '0;
        count_q[n] <= '0;
      end
    end else begin
      if ((takes | adds) != '0) begin
        for (int unsigned n = 0; n < 4; n++) begin
          if (takes[n]) begin
            rd_q[n] <= rd_left_q[n] == v ? 16'd0 : rd_q[n] + v;
            rd_left_q[n] <= rd_left_q[n] == v ? cap_q[n] : rd_left_q[n] - v;
          end
          if (adds[n]) begin
            wr_q[n] <= wr_left_q[n] == v_add ? 16'd0 : wr_q[n] + v_add;
            wr_left_q[n] <= wr_left_q[n] == v_add ? cap_q[n] : wr_left_q[n] - v_add;
          end
          if (takes[n] && adds[n]) begin
            count_q[n] <= count_q[n] - v + v_add;
            free_q[n] <= free_q[n] + v - v_add;
            empty_q[n] <= count_q[n] + v_add == v;
            full_q[n] <= free_q[n] + v == v_add;
          end else if (takes[n]) begin
            count_q[n] <= count_q[n] - v;
            free_q[n] <= free_q[n] + v;
            empty_q[n] <= count_q[n] == v;
            full_q[n] <= 1'b0;
          end else if (adds[n]) begin
            count_q[n] <= count_q[n] + v_add;
            free_q[n] <= free_q[n] - v_add;
            empty_q[n] <= 1'b0;
            full_q[n] <= free_q[n] == v_add;
          end
        end
      end
      if (set_base_i) base_q[set_n_i] <= ow_engine_pkg::address(set_data_i);
      if (set_cap_i) begin
        cap_q[set_n_i] <= set_data_i[15:0];
        rd_q[set_n_i] <= '0;
        wr_q[set_n_i] <= '0;
        rd_left_q[set_n_i] <= set_data_i[15:0];
        wr_left_q[set_n_i] <= set_data_i[15:0];
        free_q[set_n_i] <= set_data_i[15:0];
        count_q[set_n_i] <= '0;
        empty_q[set_n_i] <= 1'b1;
        full_q[set_n_i] <= set_data_i[15:0] == 16'd0;
      end
    end
  end

endmodule
