// SPDX-License-Identifier: Apache-2.0
// The reducer at the ramp: takes finished accumulator rows, adds what arrives from neighbours and a
// bias, and sends or stores the sums, without taking beats from the engine. It executes `drain`
// (docs/isa.md) with the parameters in the RED registers (docs/memory-map.md).
//
// Start: start_i while busy_o is low, with the completion action. The RED registers must not be
// written while busy_o is high. Rows are taken in the order in which they were closed, from row 0 of
// the ring on; rows may be closed before the start.
// Each row takes the action of its phase. A dropped row costs a cycle. Else each element is
// ((row + in0) + in1) + bias, in binary32 with each addition rounded, then rounded to binary16 and
// rectified if the action says so.
// Elements go in blocks of Lanes: first all first additions of a block, then all second ones, so
// that the adder's latency is never waited for. Throughput: one element a cycle with up to one
// addition, n cycles with n. Latency from a wavelet at the head of in0 to the push: 3 cycles.
// To the fabric, an fp32 element is a wavelet; two binary16 elements are one (the lower half first).
// To memory, elements are packed into 64-bit words; RED_DST must be aligned to the element size.
// A control wavelet at the head of in0 or in1 is discarded.
// A row is given back (row_free_o) when its last element has been read.
// Done when the last element has left: done_valid_o for one cycle.
//
// Errors: a store beyond SramBytes is dropped, a bias beyond it reads as NaN; a row length that is 0
// or no multiple of Lanes, a ring that does not fit the 16 accumulator words and a period of 0 end
// the drain at once without taking a row. Each sets RED_STATUS[27] until the next start.
module ow_reduce
  import ow_pkg::*;
  import ow_fp_pkg::*;
#(
  parameter int unsigned Lanes     = 8,     // fp32 numbers in an accumulator word: 2, 4 or 8
  parameter int unsigned SramBytes = 49152  // size of the tile's memory
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  // RED registers: word index 0 is RED_ACC. Reads are combinational.
  input  logic                   reg_we_i,
  input  logic [3:0]             reg_addr_i,
  input  logic [31:0]            reg_wdata_i,
  output logic [31:0]            reg_rdata_o,

  // Launch by the engine, with the action when done.
  input  logic                   start_i,
  input  logic [1:0]             start_kind_i,
  input  logic [4:0]             start_task_i,
  output logic                   busy_o,

  // Accumulator rows. row_closed_i comes when all sums of the row can be read; a row that got no
  // product (row_closed_written_i low) reads as +0. acc_rdata_i is acc_raddr_o's word, same cycle.
  input  logic                   row_closed_i,
  input  logic                   row_closed_written_i,
  output logic                   row_free_o,
  output logic [3:0]             acc_raddr_o,
  input  logic [32*Lanes-1:0]    acc_rdata_i,

  // Ramp queues. inq_owned_o: input queues that no task may take from while the drain runs.
  input  logic [NUM_QUEUES-1:0]  inq_valid_i,
  input  ramp_t [NUM_QUEUES-1:0] inq_head_i,
  output logic [NUM_QUEUES-1:0]  inq_pop_o,
  output logic [NUM_QUEUES-1:0]  inq_owned_o,
  input  logic [NUM_QUEUES-1:0]  outq_ready_i,
  output logic                   red_push_o,
  output logic [2:0]             red_q_o,
  output ramp_t                  red_data_o,

  // Memory, port "red" of ow_sram.
  output logic                   mem_req_o,
  output logic                   mem_we_o,
  output logic [7:0]             mem_be_o,
  output logic [23:0]            mem_addr_o,
  output logic [63:0]            mem_wdata_o,
  input  logic                   mem_gnt_i,
  input  logic                   mem_rvalid_i,
  input  logic [63:0]            mem_rdata_i,

  // Completion event.
  output logic                   done_valid_o,
  output logic [1:0]             done_kind_o,
  output logic [4:0]             done_task_o,

  output logic                   ev_elem_o,  // an element leaves in this cycle (counter)
  output logic                   wait_o,     // busy, and nothing could be issued in this cycle
  output logic                   idle_o      // this clock edge changes no state of the reducer
);
`include "ow_assert.svh"

  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned AccWords = 16;

  `OW_ASSERT_INIT(lanes, Lanes == 2 || Lanes == 4 || Lanes == 8)

  // Reducer action, as in the registers RED_ACT_*.
  typedef struct packed {
    logic       relu;     // [15]
    logic       f16;      // [14]
    logic       bias;     // [13]
    logic [2:0] out_q;    // [12:10]
    logic       memory;   // [9]
    logic [2:0] in1_q;    // [8:6]
    logic       in1;      // [5]
    logic [2:0] in0_q;    // [4:2]
    logic       in0;      // [1]
    logic       enable;   // [0]
  } act_t;

  // The part of it that the output needs.
  typedef struct packed {
    logic       relu;
    logic       f16;
    logic       memory;
    logic [2:0] out_q;
  } out_t;

  // -------------------------------------------------------------------------------- registers ----
  logic [15:0] samples_q;
  logic [7:0]  ring_q;
  logic [15:0] count_q;
  logic [15:0] period_q;
  logic [15:0] pivot_q;
  act_t [2:0]  act_q;  // lower, equal, greater
  logic [23:0] bias_base_q;
  logic [23:0] dst_base_q;
  logic [15:0] pitch_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      samples_q <= 16'd0;
      ring_q <= 8'd0;
      count_q <= 16'd0;
      period_q <= 16'd0;
      pivot_q <= 16'd0;
      act_q <= '0;
      bias_base_q <= 24'd0;
      dst_base_q <= 24'd0;
      pitch_q <= 16'd0;
    end else if (reg_we_i) begin
      case (reg_addr_i)
        4'd0: {ring_q, samples_q} <= reg_wdata_i[23:0];
        4'd1: count_q <= reg_wdata_i[15:0];
        4'd2: {pivot_q, period_q} <= reg_wdata_i;
        4'd3: act_q[0] <= reg_wdata_i[15:0];
        4'd4: act_q[1] <= reg_wdata_i[15:0];
        4'd5: act_q[2] <= reg_wdata_i[15:0];
        4'd6: bias_base_q <= reg_wdata_i[23:0];
        4'd7: dst_base_q <= reg_wdata_i[23:0];
        4'd8: pitch_q <= reg_wdata_i[15:0];
        default: ;
      endcase
    end
  end

  logic        busy_q;
  logic        error_q;
  logic [2:0]  cause;
  logic [15:0] row_q;  // rows whose elements have all been issued

  always_comb begin
    case (reg_addr_i)
      4'd0: reg_rdata_o = {8'd0, ring_q, samples_q};
      4'd1: reg_rdata_o = {16'd0, count_q};
      4'd2: reg_rdata_o = {pivot_q, period_q};
      4'd3: reg_rdata_o = {16'd0, act_q[0]};
      4'd4: reg_rdata_o = {16'd0, act_q[1]};
      4'd5: reg_rdata_o = {16'd0, act_q[2]};
      4'd6: reg_rdata_o = {8'd0, bias_base_q};
      4'd7: reg_rdata_o = {8'd0, dst_base_q};
      4'd8: reg_rdata_o = {16'd0, pitch_q};
      4'd9: reg_rdata_o = {busy_q, cause, error_q, 11'd0, row_q};
      default: reg_rdata_o = 32'd0;
    endcase
  end

  // Number of accumulator words a row, and whether the ring is a sensible one.
  logic [4:0] words;
  logic       config_bad;
  assign words = samples_q[LaneBits +: 5];
  assign config_bad = samples_q == 16'd0 || samples_q[LaneBits-1:0] != '0 || ring_q == 8'd0 ||
                      period_q == 16'd0 || samples_q > 16'(AccWords * Lanes) ||
                      ring_q > 8'(AccWords) || 10'(ring_q[4:0]) * 10'(words) > 10'(AccWords);

  // ------------------------------------------------------------------------------ closed rows ----
  logic [4:0]  closed_q;   // rows closed and not yet read
  logic [15:0] written_q;  // their flags, oldest in bit 0
  logic        row_taken;
  logic        free_q;

  always_ff @(posedge clk_i) begin
    free_q <= row_taken && !rst_i;
    if (rst_i) begin
      closed_q <= 5'd0;
      written_q <= 16'd0;
    end else if (row_closed_i || row_taken) begin
      logic [15:0] w;
      logic [4:0]  n;
      w = written_q >> row_taken;
      n = closed_q - {4'd0, row_taken};
      w[n[3:0]] = row_closed_i ? row_closed_written_i : w[n[3:0]];
      written_q <= w;
      closed_q <= n + {4'd0, row_closed_i};
    end
  end
  assign row_free_o = free_q;
  `OW_ASSERT(closed_a, !row_closed_i || closed_q < 5'd16, "more rows closed than there are")

  // ------------------------------------------------------------------------------------ issue ----
  // Position: row, accumulator word, additions of this word that are done, element.
  logic [15:0]         phase_q;
  logic [3:0]          base_q;     // first accumulator word of the row
  logic [7:0]          ring_row_q;
  logic [3:0]          word_q;
  logic [2:0]          added_q;    // {bias, in1, in0}
  logic [LaneBits-1:0] lane_q;

  logic        bias_valid_q;
  logic [31:0] bias_q;
  logic        bias_bad_q;

  logic        en;         // the pipeline moves
  act_t        act;
  logic [2:0]  todo;       // additions of this word that are left, this one included
  logic        first;      // first pass over the word: the row is read
  logic        last;       // last pass
  logic        drop;
  logic        issue;
  logic        discard;
  logic [31:0] op_a;
  logic [31:0] op_b;
  logic        lane_last;
  logic        word_last;
  logic        row_end;    // this issue or drop is the row's last
  logic [31:0] part_q [Lanes];  // sums between two passes
  out_t        s2_out_q;        // of the element in the output stage
  logic        wreq_valid_q;    // a memory word waits for its grant

  assign lane_last = lane_q == LaneBits'(Lanes - 1);
  assign word_last = word_q == 4'(words - 5'd1);

  always_comb begin
    ramp_t      head;
    logic [2:0] q;
    logic       from_queue;
    logic       rows_left;
    act = '0;
    todo = 3'd0;
    first = 1'b0;
    last = 1'b0;
    drop = 1'b0;
    issue = 1'b0;
    discard = 1'b0;
    op_a = 32'd0;
    op_b = 32'd0;
    row_end = 1'b0;
    row_taken = 1'b0;
    cause = 3'd0;
    inq_pop_o = '0;
    head = '0;
    q = 3'd0;
    from_queue = 1'b0;
    rows_left = row_q != count_q;
    if (busy_q) begin
      act = phase_q < pivot_q ? act_q[0] : phase_q == pivot_q ? act_q[1] : act_q[2];
      todo = {act.bias, act.in1, act.in0} & ~added_q;
      first = added_q == 3'd0;
      last = (todo & (todo - 3'd1)) == 3'd0;
      if (!en) begin
        cause = s2_out_q.memory ? 3'd5 : 3'd4;
      end else if (rows_left) begin
        from_queue = todo[0] || todo[1];
        q = todo[0] ? act.in0_q : act.in1_q;
        if (first && closed_q == 5'd0) begin
          cause = 3'd1;
        end else if (!act.enable) begin
          drop = 1'b1;
        end else if (from_queue) begin
          head = inq_head_i[q];
          if (!inq_valid_i[q]) cause = todo[0] ? 3'd2 : 3'd3;
          else if (head.ctrl) discard = 1'b1;
          else issue = 1'b1;
          inq_pop_o[q] = inq_valid_i[q];
        end else if (todo[2] && !bias_valid_q) begin
          cause = 3'd5;
        end else begin
          issue = 1'b1;
        end
        // Adding -0 changes no number: a row without additions takes the same way.
        op_b = from_queue ? head.data : todo[2] ? bias_q : 32'h8000_0000;
        if (!first) op_a = part_q[lane_q];
        else if (written_q[0]) op_a = acc_rdata_i[32*lane_q +: 32];
        row_end = drop || (issue && lane_last && word_last && last);
        row_taken = drop || (issue && first && lane_last && word_last);
      end else if (wreq_valid_q) begin
        cause = 3'd5;
      end
    end
  end

  assign acc_raddr_o = base_q + word_q;
  assign wait_o = busy_q && cause != 3'd0;

  always_comb begin
    inq_owned_o = '0;
    if (busy_q) begin
      for (int unsigned i = 0; i < 3; i++) begin
        if (act_q[i].enable && act_q[i].in0) inq_owned_o[act_q[i].in0_q] = 1'b1;
        if (act_q[i].enable && act_q[i].in1) inq_owned_o[act_q[i].in1_q] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || (start_i && !busy_q)) begin
      row_q <= 16'd0;
      phase_q <= 16'd0;
      base_q <= 4'd0;
      ring_row_q <= 8'd0;
      word_q <= 4'd0;
      added_q <= 3'd0;
      lane_q <= '0;
    end else begin
      if (issue) begin
        lane_q <= lane_q + 1'b1;  // wraps: Lanes is a power of two
        if (lane_last) begin
          added_q <= last ? 3'd0 : added_q | (todo & ~(todo - 3'd1));
          if (last) word_q <= word_last ? 4'd0 : word_q + 4'd1;
        end
      end
      if (row_end) begin
        row_q <= row_q + 16'd1;
        phase_q <= phase_q + 16'd1 == period_q ? 16'd0 : phase_q + 16'd1;
        if (ring_row_q + 8'd1 == ring_q) begin
          ring_row_q <= 8'd0;
          base_q <= 4'd0;
        end else begin
          ring_row_q <= ring_row_q + 8'd1;
          base_q <= base_q + words[3:0];
        end
      end
    end
  end

  // ------------------------------------------------------------------------------------ adder ----
  // Stage 1: the sum. It goes to part_q, or after the last pass to stage 2.
  logic                s1_valid;
  logic [31:0]         s1_sum;
  logic                s1_last_q;
  logic                s1_row_end_q;
  logic [LaneBits-1:0] s1_lane_q;
  out_t                s1_out_q;

  ow_fp_add u_add (
    .clk_i,
    .rst_i,
    .en_i(en),
    .valid_i(issue),
    .a_i(op_a),
    .b_i(op_b),
    .valid_o(s1_valid),
    .result_o(s1_sum)
  );

  // Stage 2: rounding, packing, output.
  logic        s2_valid_q;
  logic [31:0] s2_sum_q;
  logic        s2_odd_q;
  logic        s2_row_end_q;

  always_ff @(posedge clk_i) begin
    if (issue) begin
      s1_last_q <= last;
      s1_row_end_q <= row_end;
      s1_lane_q <= lane_q;
      s1_out_q <= '{relu: act.relu, f16: act.f16, memory: act.memory, out_q: act.out_q};
    end
    if (en && s1_valid) begin
      if (s1_last_q) begin
        s2_sum_q <= s1_sum;
        s2_odd_q <= s1_lane_q[0];
        s2_row_end_q <= s1_row_end_q;
        s2_out_q <= s1_out_q;
      end else begin
        part_q[s1_lane_q] <= s1_sum;
      end
    end
    if (rst_i) s2_valid_q <= 1'b0;
    else if (en) s2_valid_q <= s1_valid && s1_last_q;
  end

  // ----------------------------------------------------------------------------------- output ----
  logic [15:0] half_q;        // the first of a pair that goes to the fabric
  logic [23:0] elem_addr_q;   // of the next element that is stored
  logic [23:0] row_addr_q;    // of the first element of its row
  logic [63:0] word_data_q;   // the memory word being filled
  logic [7:0]  word_be_q;
  logic [20:0] wreq_addr_q;   // a word that waits for its grant
  logic [63:0] wreq_data_q;
  logic [7:0]  wreq_be_q;

  logic [31:0] value;       // what leaves
  logic        word_full;   // the element completes its memory word
  logic [63:0] word_data;
  logic [7:0]  word_be;
  logic        blocked;

  always_comb begin
    value = 32'd0;
    word_full = 1'b0;
    word_data = 64'd0;
    word_be = 8'd0;
    blocked = 1'b0;
    red_push_o = 1'b0;
    red_data_o = '0;
    if (s2_valid_q) begin
      if (s2_out_q.f16) begin
        value = {16'd0, f32_to_f16(s2_sum_q)};
        if (s2_out_q.relu) value = {16'd0, relu_f16(value[15:0])};
      end else begin
        value = s2_out_q.relu ? relu_f32(s2_sum_q) : s2_sum_q;
      end
      if (s2_out_q.memory) begin
        word_data = word_data_q;
        word_be = word_be_q;
        if (s2_out_q.f16) begin
          word_data |= {48'd0, value[15:0]} << {elem_addr_q[2:1], 4'd0};
          word_be |= 8'h03 << {elem_addr_q[2:1], 1'b0};
          word_full = s2_row_end_q || elem_addr_q[2:1] == 2'd3;
        end else begin
          word_data |= {32'd0, value} << {elem_addr_q[2], 5'd0};
          word_be |= elem_addr_q[2] ? 8'hF0 : 8'h0F;
          word_full = s2_row_end_q || elem_addr_q[2];
        end
        blocked = word_full && wreq_valid_q;
      end else begin
        red_data_o.data = s2_out_q.f16 ? {value[15:0], half_q} : value;
        red_push_o = (!s2_out_q.f16 || s2_odd_q) && outq_ready_i[s2_out_q.out_q];
        blocked = (!s2_out_q.f16 || s2_odd_q) && !outq_ready_i[s2_out_q.out_q];
      end
    end
  end
  assign red_q_o = s2_out_q.out_q;
  assign en = !blocked;
  assign ev_elem_o = s2_valid_q && en;

  logic store_bad;  // the word that is complete lies outside memory
  assign store_bad = {8'd0, elem_addr_q} >= SramBytes;

  always_ff @(posedge clk_i) begin
    if (mem_gnt_i && mem_we_o) wreq_valid_q <= 1'b0;
    if (start_i && !busy_q) begin
      elem_addr_q <= dst_base_q;
      row_addr_q <= dst_base_q;
      word_data_q <= 64'd0;
      word_be_q <= 8'd0;
    end else if (s2_valid_q && en) begin
      if (s2_out_q.memory) begin
        word_data_q <= word_full ? 64'd0 : word_data;
        word_be_q <= word_full ? 8'd0 : word_be;
        if (word_full && !store_bad) begin
          wreq_valid_q <= 1'b1;
          wreq_addr_q <= elem_addr_q[23:3];
          wreq_data_q <= word_data;
          wreq_be_q <= word_be;
        end
        if (s2_row_end_q) begin
          elem_addr_q <= row_addr_q + {{8{pitch_q[15]}}, pitch_q};
          row_addr_q <= row_addr_q + {{8{pitch_q[15]}}, pitch_q};
        end else begin
          elem_addr_q <= elem_addr_q + (s2_out_q.f16 ? 24'd2 : 24'd4);
        end
      end else if (!s2_odd_q) begin
        half_q <= value[15:0];
      end
    end
    if (rst_i) wreq_valid_q <= 1'b0;
  end

  // ------------------------------------------------------------------------------------- bias ----
  // The next bias is read ahead while there are rows left.
  logic        bias_flight_q;
  logic [23:0] bias_addr_q;
  logic        bias_want;
  logic        bias_out;   // its address is outside memory
  logic        bias_used;  // the row that takes it is done

  assign bias_want = busy_q && !bias_valid_q && !bias_flight_q && row_q != count_q &&
                     ((act_q[0].enable && act_q[0].bias) || (act_q[1].enable && act_q[1].bias) ||
                      (act_q[2].enable && act_q[2].bias));
  assign bias_out = {8'd0, bias_addr_q} >= SramBytes;
  assign bias_used = row_end && !drop && act.bias;

  always_ff @(posedge clk_i) begin
    if (rst_i || (start_i && !busy_q)) begin
      bias_valid_q <= 1'b0;
      bias_flight_q <= 1'b0;
      bias_bad_q <= 1'b0;
      bias_addr_q <= bias_base_q;
    end else begin
      if (bias_want && bias_out) begin
        bias_valid_q <= 1'b1;
        bias_bad_q <= 1'b1;
        bias_q <= NAN32;
      end
      if (mem_gnt_i && !mem_we_o) bias_flight_q <= 1'b1;
      if (mem_rvalid_i) begin
        bias_flight_q <= 1'b0;
        bias_valid_q <= 1'b1;
        bias_q <= bias_addr_q[2] ? mem_rdata_i[63:32] : mem_rdata_i[31:0];
      end
      if (bias_used) begin
        bias_valid_q <= 1'b0;
        bias_addr_q <= bias_addr_q + 24'd4;
      end
    end
  end

  assign mem_req_o = wreq_valid_q || (bias_want && !bias_out);
  assign mem_we_o = wreq_valid_q;
  assign mem_be_o = wreq_be_q;
  assign mem_addr_o = {wreq_valid_q ? wreq_addr_q : bias_addr_q[23:3], 3'd0};
  assign mem_wdata_o = wreq_data_q;

  // --------------------------------------------------------------------------- start and done ----
  logic       done;
  logic       done_q;
  logic [1:0] kind_q;
  logic [4:0] task_q;

  assign done = busy_q && row_q == count_q && !s1_valid && !s2_valid_q && !wreq_valid_q &&
                !bias_flight_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
      error_q <= 1'b0;
      kind_q <= 2'd0;
      task_q <= 5'd0;
    end else begin
      done_q <= 1'b0;
      if (start_i && !busy_q) begin
        kind_q <= start_kind_i;
        task_q <= start_task_i;
        busy_q <= !config_bad;
        done_q <= config_bad;
        error_q <= config_bad;
      end else if (done) begin
        busy_q <= 1'b0;
        done_q <= 1'b1;
      end
      if (bias_used && bias_bad_q) error_q <= 1'b1;
      if (s2_valid_q && en && s2_out_q.memory && word_full && store_bad) error_q <= 1'b1;
    end
  end
  assign busy_o = busy_q;
  assign done_valid_o = done_q;
  assign done_kind_o = kind_q;
  assign done_task_o = task_q;
  `OW_ASSERT(start_a, !start_i || !busy_q, "a drain may start only when the last one is done")
  `OW_ASSERT(config_a, !reg_we_i || !busy_q, "RED registers are fixed while a drain runs")

  assign idle_o = !reg_we_i && !start_i && !row_closed_i && !free_q && !done_q && !rst_i &&
                  (!busy_q || !(issue || drop || discard || done || mem_req_o || bias_flight_q ||
                                (bias_want && bias_out) || (en && (s1_valid || s2_valid_q))));

endmodule
