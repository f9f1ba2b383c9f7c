// SPDX-License-Identifier: Apache-2.0
// The four circular buffers in memory that descriptors of kind FIFO name: base, capacity, and the
// positions of reader and writer, in elements. The instruction says how large an element is.
//
// A source takes elements, and a destination adds them, when the beat is planned. The order of
// beats and the comparison in the write buffer keep data and counts together. DSR word 2 [15:0] is
// the capacity; writing it empties the buffer. A buffer of capacity 0 is a malformed descriptor.
//
// A register holds the address of each side's next element and the element size that it holds for,
// so the plan begins with an address. A side is computed again if it is used in another size, or if
// its buffer was set up anew. This takes a cycle per side, while its thread stays in stage I1
// (stale_o). Registers also hold what is left to the end of the buffer, for each side, and what is
// free, so the plan finds its limits without a subtraction.
//
//   set_*_i    a write of word 1 (base) or 2 (capacity) of a descriptor that names FIFO set_n_i
//   look_i     the thread in stage I1 plans a beat
//   *_en_i ... its operand is FIFO *_n_i; element size
//   stale_o    some of its addresses are not known: it moves nothing and looks again
//   *_addr_o   address of the operand's next element
//   *_room_o   elements at consecutive addresses from there on that it may take (add), at most 16:
//              a thermometer
//   move_i     elements are taken and added at this edge (arrives late): v_i, or one with d_one_i,
//              from the sources that are FIFOs, and to the destination with d_adds_i. The two
//              sources are never the same FIFO
//   none_o     FIFOs of capacity 0
//   empty_o    FIFOs that hold nothing; full_o: FIFOs without room
`include "ow_assert.svh"

module ow_engine_fifos
  import ow_engine_pkg::advance;
(
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             set_base_i,
  input  logic             set_cap_i,
  input  logic [1:0]       set_n_i,
  input  logic [31:0]      set_data_i,
  input  logic             look_i,
  input  logic             a_en_i,
  input  logic [1:0]       a_n_i,
  input  logic [1:0]       a_sz_i,
  output logic [23:0]      a_addr_o,
  output logic [15:0]      a_room_o,
  input  logic             b_en_i,
  input  logic [1:0]       b_n_i,
  input  logic [1:0]       b_sz_i,
  output logic [23:0]      b_addr_o,
  output logic [15:0]      b_room_o,
  input  logic             d_en_i,
  input  logic [1:0]       d_n_i,
  input  logic [1:0]       d_sz_i,
  output logic [23:0]      d_addr_o,
  output logic [15:0]      d_room_o,
  input  logic             d_adds_i,
  input  logic             move_i,
  input  logic [4:0]       v_i,
  input  logic             d_one_i,
  output logic             stale_o,
  input  logic [1:0]       count_n_i,
  output logic [15:0]      count_o,
  output logic [3:0]       none_o,
  output logic [3:0]       empty_o,
  output logic [3:0]       full_o
);

  localparam logic [1:0] NoSize = 2'd3;  // log2 of no element's size: the address is not known

  logic [23:0] base_q    [4];
  logic [15:0] cap_q     [4];
  logic [23:0] rd_addr_q [4];
  logic [23:0] wr_addr_q [4];
  logic [1:0]  rd_sz_q   [4];
  logic [1:0]  wr_sz_q   [4];
  logic [15:0] rd_left_q [4];  // capacity less what is before the side; 1 at least, if there is any
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
    if (a_en_i) begin
      a_addr_o = rd_addr_q[a_n_i];
      a_room_o = up_to(count_q[a_n_i]) & up_to(rd_left_q[a_n_i]);
    end
    if (b_en_i) begin
      b_addr_o = rd_addr_q[b_n_i];
      b_room_o = up_to(count_q[b_n_i]) & up_to(rd_left_q[b_n_i]);
    end
    if (d_en_i) begin
      d_addr_o = wr_addr_q[d_n_i];
      d_room_o = up_to(free_q[d_n_i]) & up_to(wr_left_q[d_n_i]);
    end
  end
  assign empty_o = empty_q;
  assign full_o = full_q;

  // ------------------------------------------------------------------------- sides anew --
  // look_i arrives last. The new address is computed without it.
  logic        a_old, b_old, d_old;  // the address that its operand would have is not known
  logic [1:0]  anew_n, anew_sz;
  logic [15:0] anew_at;  // elements before the side
  logic [23:0] anew;

  assign a_old = a_en_i && rd_sz_q[a_n_i] != a_sz_i;
  assign b_old = b_en_i && rd_sz_q[b_n_i] != b_sz_i;
  assign d_old = d_en_i && wr_sz_q[d_n_i] != d_sz_i;
  assign stale_o = look_i && (a_old || b_old || d_old);

  always_comb begin
    anew_n = d_old ? d_n_i : a_old ? a_n_i : b_n_i;
    anew_sz = d_old ? d_sz_i : a_old ? a_sz_i : b_sz_i;
    anew_at = '0;
    anew = '0;
    if (a_old || b_old || d_old) begin
      anew_at = cap_q[anew_n] - (d_old ? wr_left_q[anew_n] : rd_left_q[anew_n]);
      anew = base_q[anew_n] + ({8'd0, anew_at} << anew_sz);
    end
  end

  // ------------------------------------------------------------------------------- moves --
  logic [15:0] v, v_add;
  assign v = 16'(v_i);
  assign v_add = d_one_i ? 16'd1 : v;

  // A count plus or minus a few elements, which arrive late. The upper bits with a carry or a
  // borrow are computed before that.
  function automatic logic [15:0] more(input logic [15:0] n, input logic [4:0] late);
    logic [10:0] up;
    logic [5:0]  low;
    up = n[15:5] + 11'd1;
    low = {1'b0, n[4:0]} + {1'b0, late};
    return {low[5] ? up : n[15:5], low[4:0]};
  endfunction

  function automatic logic [15:0] less(input logic [15:0] n, input logic [4:0] late);
    logic [10:0] down;
    logic [5:0]  low;
    down = n[15:5] - 11'd1;
    low = {1'b0, n[4:0]} - {1'b0, late};
    return {low[5] ? down : n[15:5], low[4:0]};
  endfunction

  // Where the sides of the operands are afterwards, if they do not start again.
  typedef struct packed {
    logic        wraps;  // it starts again
    logic [23:0] addr;
    logic [15:0] left;
  } side_t;

  function automatic side_t moved(input logic [23:0] addr, input logic [15:0] left,
                                  input logic [15:0] by, input logic [1:0] sz);
    return '{wraps: left == by, addr: advance(addr, 7'(by[4:0]) << sz), left: less(left, by[4:0])};
  endfunction

  side_t       a_moved, b_moved, d_moved;
  side_t [3:0] rd_moved;  // of the operand that takes from the FIFO

  always_comb begin
    a_moved = '0;
    b_moved = '0;
    d_moved = '0;
    rd_moved = '0;
    if (a_en_i) a_moved = moved(a_addr_o, rd_left_q[a_n_i], v, a_sz_i);
    if (b_en_i) b_moved = moved(b_addr_o, rd_left_q[b_n_i], v, b_sz_i);
    if (d_en_i) d_moved = moved(d_addr_o, wr_left_q[d_n_i], v_add, d_sz_i);
    if (a_en_i || b_en_i) begin
      for (int unsigned n = 0; n < 4; n++) begin
        rd_moved[n] = a_en_i && a_n_i == 2'(n) ? a_moved : b_moved;
      end
    end
  end

  // Both sides of a FIFO may move at one edge: by the same number, or the writer by one. The effect
  // of a move is computed in parallel with the decision whether there is one.
  logic [3:0]       takes, adds, empty_d, full_d;
  logic [3:0][15:0] count_d, free_d;

  always_comb begin : after
    takes = '0;
    adds = '0;
    if (a_en_i) takes[a_n_i] = 1'b1;
    if (b_en_i) takes[b_n_i] = 1'b1;
    if (d_adds_i) adds[d_n_i] = 1'b1;
    count_d = '0;
    free_d = '0;
    empty_d = '0;
    full_d = '0;
    if ((takes | adds) != '0) begin
      for (int unsigned n = 0; n < 4; n++) begin
        if (takes[n] && adds[n]) begin
          count_d[n] = d_one_i ? less(count_q[n] + 16'd1, v_i) : count_q[n];
          free_d[n] = d_one_i ? more(free_q[n] - 16'd1, v_i) : free_q[n];
          empty_d[n] = d_one_i ? count_q[n] + 16'd1 == v : count_q[n] == '0;
          full_d[n] = d_one_i ? 16'd1 - free_q[n] == v : free_q[n] == '0;
        end else if (takes[n]) begin
          count_d[n] = less(count_q[n], v_i);
          free_d[n] = more(free_q[n], v_i);
          empty_d[n] = count_q[n] == v;
        end else begin
          count_d[n] = more(count_q[n], v_add[4:0]);
          free_d[n] = less(free_q[n], v_add[4:0]);
          full_d[n] = free_q[n] == v_add;
        end
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
        rd_addr_q[n] <= '0;
        wr_addr_q[n] <= '0;
        rd_sz_q[n] <= NoSize;
        wr_sz_q[n] <= NoSize;
        rd_left_q[n] <= '0;
        wr_left_q[n] <= '0;
        free_q[n] <= '0;
        count_q[n] <= '0;
      end
    end else begin
      if (stale_o && d_old) begin
        wr_addr_q[anew_n] <= anew;
        wr_sz_q[anew_n] <= anew_sz;
      end else if (stale_o) begin
        rd_addr_q[anew_n] <= anew;
        rd_sz_q[anew_n] <= anew_sz;
      end
      if (move_i) begin
        for (int unsigned n = 0; n < 4; n++) begin
          if (takes[n]) begin
            rd_addr_q[n] <= rd_moved[n].wraps ? base_q[n] : rd_moved[n].addr;
            rd_left_q[n] <= rd_moved[n].wraps ? cap_q[n] : rd_moved[n].left;
          end
          if (adds[n]) begin
            wr_addr_q[n] <= d_moved.wraps ? base_q[n] : d_moved.addr;
            wr_left_q[n] <= d_moved.wraps ? cap_q[n] : d_moved.left;
          end
          if (takes[n] || adds[n]) begin
            count_q[n] <= count_d[n];
            free_q[n] <= free_d[n];
            empty_q[n] <= empty_d[n];
            full_q[n] <= full_d[n];
          end
        end
      end
      if (set_base_i) base_q[set_n_i] <= ow_engine_pkg::address(set_data_i);
      if (set_cap_i) begin
        cap_q[set_n_i] <= set_data_i[15:0];
        rd_left_q[set_n_i] <= set_data_i[15:0];
        wr_left_q[set_n_i] <= set_data_i[15:0];
        free_q[set_n_i] <= set_data_i[15:0];
        count_q[set_n_i] <= '0;
        empty_q[set_n_i] <= 1'b1;
        full_q[set_n_i] <= set_data_i[15:0] == 16'd0;
      end
      if (set_base_i || set_cap_i) begin
        rd_sz_q[set_n_i] <= NoSize;
        wr_sz_q[set_n_i] <= NoSize;
      end
    end
  end

  `OW_ASSERT(known_where_it_moves, !(stale_o && move_i), "a FIFO moves whose address is not known")
  `OW_ASSERT(two_sources, !(move_i && a_en_i && b_en_i && a_n_i == b_n_i), "two sources of one FIFO")

endmodule
