// SPDX-License-Identifier: Apache-2.0
// Weight buffer and row ring of the wavelet-triggered operations (axpyw, dotw): one runs at a time.
//
// Wavelets of the instruction's queue are popped ahead, one per cycle. In the cycle after the pop
// the address that the index selects is computed, and the wavelet enters a buffer of four. The
// engine looks at the first two entries. It takes one, or both if the second is a control wavelet
// that the beat of the first can carry.
//
// Rows, of an axpyw or of a dotw's results: the ring starts at slot 0 when all rows that were
// closed before have been freed (blocked_o until then); its slots are contiguous. row_first_o:
// nothing is in the row yet; row_full_o: one more result of a dotw fills it.
//
// The vector of a dotw: each row end moves on to the next vector, and from the last one to the
// first. Its addresses come from the descriptor; the plan checks their range.
//
//   SramBytes       size of the SRAM, for the range check; Dotw: the tile has dotw
//   start_i ...     launch: queue; address of the matrix; distance of its rows in bytes; first
//                   slot, slots, bytes per slot and words of the ring. ring_i: there is a ring.
//                   vec_i: first vector, distance of the next, number of vectors (0 counts as 1)
//   may_end_i       the beat that is planned in this cycle may end its vector. rest_o: entries
//                   after those that it then takes (early)
//   used_i          entries that the beat takes (0 to 2), if it goes. take_i (arrives late): it
//                   takes them at this edge. close_i: the row is closed. product_i: a weight has
//                   been added to the row, or a result put there
//   blocked_o       the next row of the ring is still in use; blocked_next_o: also after a row that
//                   is freed in this cycle
module ow_engine_weights
  import ow_pkg::*;
  import ow_onehot_pkg::increment;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter bit Dotw = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   start_i,
  input  logic                   ring_i,
  input  logic [2:0]             queue_i,
  input  logic [23:0]            base_i,
  input  logic [15:0]            pitch_i,
  input  logic [23:0]            slot_base_i,
  input  logic [7:0]             slots_i,
  input  logic [15:0]            slot_bytes_i,
  input  logic [7:0]             row_length_i,
  input  logic [23:0]            vec_i,
  input  logic [15:0]            vec_step_i,
  input  logic [15:0]            vecs_i,
  input  logic                   stop_i,
  // Queues.
  input  logic [NUM_QUEUES-1:0]  inq_valid_i,
  input  ramp_t [NUM_QUEUES-1:0] inq_head_i,
  output logic [NUM_QUEUES-1:0]  pop_o,
  // Entries.
  output logic                   valid_o,
  input  logic                   may_end_i,
  output logic                   rest_o,
  output logic                   ctrl_o,
  output logic                   bad_o,
  output logic [15:0]            val_o,
  output logic [15:0]            idx_o,
  output logic [23:0]            addr_o,
  output logic                   second_ctrl_o,
  output logic [1:0]             second_val_o,
  input  logic [1:0]             used_i,
  input  logic                   take_i,
  // Rows.
  input  logic                   close_i,
  input  logic                   product_i,
  input  logic                   row_free_i,
  output logic                   row_first_o,
  output logic                   row_full_o,
  output logic [23:0]            row_addr_o,
  output logic [23:0]            vec_o,
  output logic                   blocked_o,
  output logic                   blocked_next_o,
  output logic                   idle_o       // nothing changes at this edge by itself
);

  logic        active_q;
  logic        end_q;       // stream end has been popped
  logic [2:0]  queue_q;
  logic [23:0] base_q;
  logic [15:0] pitch_q;
  logic        fetched_q;   // a wavelet whose address is being computed
  ramp_t       fetched_head_q;
  logic [1:0]  rp_q, wp_q;
  logic [2:0]  cnt_q;
  logic [3:0]  ctrl_q, bad_q;
  logic [15:0] val_q  [4];
  logic [15:0] idx_q  [4];
  logic [23:0] addr_q [4];

  logic        ring_wait_q;
  logic        row_first_q;
  logic [7:0]  slot_q, slots_q, rows_used_q;
  logic [23:0] slot_base_q, slot_addr_q;
  logic [15:0] slot_bytes_q;
  logic [7:0]  results_q, row_length_q;  // in the row, that it has

  logic [23:0] vec_first_q, vec_q;
  logic [15:0] vec_step_q, vecs_q, vec_no_q;

  logic        fetch, bad;
  logic [23:0] addr;

  always_comb begin
    fetch = active_q && !end_q && cnt_q + 3'(fetched_q) < 3'd4 && inq_valid_i[queue_q];
    pop_o = '0;
    if (fetch) pop_o[queue_q] = 1'b1;
  end

  always_comb begin
    logic signed [33:0] sum;
    addr = '0;
    bad = 1'b0;
    sum = '0;
    if (fetched_q) begin
      sum = $signed({18'd0, fetched_head_q.data[31:16]}) * 34'($signed(pitch_q)) +
            $signed({10'd0, base_q});
      addr = sum[23:0];
      bad = sum < 34'sd0 || sum >= $signed(34'(SramBytes));
    end
  end

  logic [1:0] second;
  logic [2:0] may_use;
  assign second = rp_q + 2'd1;
  assign valid_o = cnt_q != 3'd0;
  assign ctrl_o = ctrl_q[rp_q];
  assign bad_o = bad_q[rp_q];
  assign val_o = val_q[rp_q];
  assign idx_o = idx_q[rp_q];
  assign addr_o = addr_q[rp_q];
  assign second_ctrl_o = cnt_q > 3'd1 && ctrl_q[second];
  assign second_val_o = val_q[second][1:0];
  assign may_use = ctrl_o ? 3'd1 : !may_end_i ? 3'd0 : second_ctrl_o ? 3'd2 : 3'd1;
  assign rest_o = cnt_q > may_use;
  assign row_first_o = row_first_q;
  assign row_full_o = Dotw && results_q + 8'd1 == row_length_q;
  assign vec_o = Dotw ? vec_q : '0;
  assign row_addr_o = slot_addr_q;
  assign blocked_o = ring_wait_q ? rows_used_q != 8'd0 : rows_used_q >= slots_q;
  assign blocked_next_o = ring_wait_q ? rows_used_q != 8'd0
                        : rows_used_q > slots_q || (rows_used_q == slots_q && !row_free_i);
  assign idle_o = !fetch && !fetched_q && !(ring_wait_q && rows_used_q == 8'd0);

  // A row end is among them: alone, or with the weight before it.
  logic row_ends;
  always_comb begin
    row_ends = 1'b0;
    if (used_i == 2'd2) row_ends = val_q[second][CTRL_ROW_END];
    else if (used_i == 2'd1) row_ends = ctrl_q[rp_q] && val_q[rp_q][CTRL_ROW_END];
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      vec_first_q <= vec_i;
      vec_q <= vec_i;
      vec_step_q <= vec_step_i;
      vecs_q <= vecs_i;
      vec_no_q <= '0;
    end else if (take_i && row_ends && vecs_q != '0) begin
      if (vec_no_q + 16'd1 == vecs_q) begin
        vec_no_q <= '0;
        vec_q <= vec_first_q;
      end else begin
        vec_no_q <= vec_no_q + 16'd1;
        vec_q <= vec_q + {{8{vec_step_q[15]}}, vec_step_q};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= 1'b0;
      end_q <= 1'b0;
      fetched_q <= 1'b0;
      rp_q <= '0;
      wp_q <= '0;
      cnt_q <= '0;
      ring_wait_q <= 1'b0;
      row_first_q <= 1'b1;
      slot_q <= '0;
      slots_q <= 8'd1;
      rows_used_q <= '0;
    end else begin
      if (close_i != row_free_i) begin
        // close_i arrives late, so it only selects between precomputed counts.
        rows_used_q <= close_i ? 8'(increment(32'(rows_used_q))) : rows_used_q - 8'd1;
      end
      if (start_i) begin
        active_q <= 1'b1;
        end_q <= 1'b0;
        fetched_q <= 1'b0;
        rp_q <= '0;
        wp_q <= '0;
        cnt_q <= '0;
        queue_q <= queue_i;
        base_q <= base_i;
        pitch_q <= pitch_i;
        ring_wait_q <= ring_i;
        row_first_q <= 1'b1;
        slot_q <= '0;
        slots_q <= ring_i ? slots_i : 8'hFF;
        slot_base_q <= slot_base_i;
        slot_addr_q <= slot_base_i;
        slot_bytes_q <= slot_bytes_i;
        row_length_q <= row_length_i;
        results_q <= '0;
      end else if (active_q) begin
        if (stop_i) active_q <= 1'b0;
        if (ring_wait_q && rows_used_q == 8'd0) ring_wait_q <= 1'b0;
        fetched_q <= fetch;
        if (fetch) begin
          fetched_head_q <= inq_head_i[queue_q];
          if (inq_head_i[queue_q].ctrl && inq_head_i[queue_q].data[CTRL_STREAM_END]) end_q <= 1'b1;
        end
        if (fetched_q) begin
          ctrl_q[wp_q] <= fetched_head_q.ctrl;
          bad_q[wp_q] <= bad;
          val_q[wp_q] <= fetched_head_q.data[15:0];
          idx_q[wp_q] <= fetched_head_q.data[31:16];
          addr_q[wp_q] <= addr;
          wp_q <= wp_q + 2'd1;
        end
        if (take_i) rp_q <= rp_q + used_i;
        if (take_i) cnt_q <= cnt_q + 3'(fetched_q) - {1'b0, used_i};
        else cnt_q <= cnt_q + 3'(fetched_q);
        if (close_i) begin
          row_first_q <= 1'b1;
          results_q <= '0;
          if (slot_q + 8'd1 == slots_q) begin
            slot_q <= '0;
            slot_addr_q <= slot_base_q;
          end else begin
            slot_q <= slot_q + 8'd1;
            slot_addr_q <= slot_addr_q + {8'd0, slot_bytes_q};
          end
        end else if (product_i) begin
          row_first_q <= 1'b0;
          results_q <= results_q + 8'd1;
        end
      end
    end
  end

endmodule
