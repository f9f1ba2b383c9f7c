// SPDX-License-Identifier: Apache-2.0
// The reducer at the ramp: takes finished accumulator rows, adds what arrives from neighbours and a
// bias, and sends or stores the sums, without taking beats from the engine. It executes `drain`
// (docs/isa.md) with the parameters in the RED registers (docs/memory-map.md).
//
// Start: start_i while busy_o is low, with the completion action. The RED registers must not be
// written while busy_o is high. Rows are taken in the order in which they were closed, from row 0 of
// the ring on; rows may be closed before the start.
// Each row takes the action of its phase, counted from the first phase on, modulo the period; the
// action for equal from the pivot on, for as many phases more as RED_START says. A dropped row costs
// a cycle. Else each element is ((row + in0) + in1) + bias, in binary32 with each addition rounded,
// then rounded to binary16 and rectified if the action says so. An addition that the action lacks is
// left out, not made with 0.
// Three adders in a chain; an element with n additions enters at the n-th adder from the end, with
// all of its operands: wavelets of in0 and in1 are taken in the same cycle, when both are there.
// Throughput: one element a cycle, whatever the additions; two if the action adds nothing and
// rounds to 16 bits (to memory: if RED_DST and RED_PITCH are multiples of 4). Latency from a wavelet
// at the head of in0 to the push: 2n + 1 cycles. A row with fewer additions than the row before
// waits until the last element of that is past its adder: at most 2 cycles for each addition less,
// and no element leaves later for it.
// To the fabric, an fp32 element is a wavelet; two binary16 elements are one (the lower half first).
// To memory, elements are packed into 64-bit words; RED_DST must be aligned to the element size.
// A control wavelet at the head of in0 or in1 is discarded.
// A row is given back (row_free_o) when its last element has been read. The bias of the next row is
// read ahead, while the one before is in use.
// Done when the last element has left: done_valid_o for one cycle.
//
// Errors: a store beyond SramBytes is dropped, a bias beyond it reads as NaN; a row length that is
// 0 or no multiple of Lanes, a ring that does not fit the 16 accumulator words, a period of 0, a
// first phase that is not below it, an action whose in0 and in1 are the same queue, and addresses
// that are not aligned to their elements
// end the drain at once without taking a row. A write of a register while busy_o is high has no
// effect. Each sets RED_STATUS.error until the next start, and the first of them is shown in fault_o
// with its cause and address.
// halt_i: no further element is taken; those in the adders leave.
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
  input  logic [15:0]            reg_addr_i,
  input  logic [31:0]            reg_wdata_i,
  output logic [31:0]            reg_rdata_o,

  // Launch by the engine, with the action when done.
  input  logic                   start_i,
  input  logic [1:0]             start_kind_i,
  input  logic [4:0]             start_task_i,
  output logic                   busy_o,
  input  logic                   halt_i,

  // The first error since the start: cause (RED_BAD_* in ow_pkg) and byte address.
  output logic                   fault_o,
  output logic [4:0]             fault_cause_o,
  output logic [23:0]            fault_addr_o,

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

  output logic [1:0]             ev_elem_o,  // elements that leave in this cycle (counter)
  output logic                   wait_o,     // waits for what RED_STATUS.waits names (counter)
  output logic                   idle_o      // this clock edge changes no state of the reducer
);
`include "ow_assert.svh"

  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned AccWords = 16;

  `OW_ASSERT_INIT(lanes, Lanes == 2 || Lanes == 4 || Lanes == 8)

  // Reducer action, as in the registers RED_ACT_*.
  typedef struct packed {
    logic       bf16;     // the 16-bit format is bfloat16
    logic       relu;
    logic       f16;      // round to 16 bits
    logic       bias;
    logic [2:0] out_q;
    logic       memory;
    logic [2:0] in1_q;
    logic       in1;
    logic [2:0] in0_q;
    logic       in0;
    logic       enable;
  } act_t;

  // What the output needs to know of an element.
  typedef struct packed {
    logic       bf16;
    logic       relu;
    logic       f16;
    logic       memory;
    logic [2:0] out_q;
    logic       odd;      // second of a pair
    logic       pair;     // two elements in one
    logic       row_end;  // last of its row
  } out_t;

  // -------------------------------------------------------------------------------- registers ----
  logic [15:0] samples_q;
  logic [7:0]  ring_q;
  logic [15:0] count_q;
  logic [15:0] period_q;
  logic [15:0] pivot_q;
  logic [15:0] first_q;  // phase of the first row
  logic [15:0] more_q;   // phases after the pivot that count as equal to it
  act_t [2:0]  act_q;  // lower, equal, greater
  logic [23:0] bias_base_q;
  logic [23:0] dst_base_q;
  logic [15:0] pitch_q;

  logic        busy_q;

  // A byte address as written; beyond 24 bits: outside memory, the low bits kept.
  function automatic logic [23:0] address(input logic [31:0] written);
    return written[31:24] == '0 ? written[23:0] : {3'b011, written[20:0]};
  endfunction

  // What is written, by register.
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  red_acc_reg_t new_acc;
  red_count_reg_t new_count;
  red_phase_reg_t new_phase;
  red_action_t new_action;
  red_pitch_reg_t new_pitch;
  red_start_reg_t new_start;
  /* verilator lint_on UNUSEDSIGNAL */
  assign new_acc = reg_wdata_i;
  assign new_count = reg_wdata_i;
  assign new_phase = reg_wdata_i;
  assign new_action = reg_wdata_i;
  assign new_pitch = reg_wdata_i;
  assign new_start = reg_wdata_i;

  // An action as it is kept: bfloat16 is a rounding to 16 bits, too.
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  function automatic act_t kept(input red_action_t a);
    return '{bf16: a.bf16, relu: a.relu, f16: a.f16 || a.bf16, bias: a.bias, out_q: a.out_q,
             memory: a.memory, in1_q: a.in1_q, in1: a.in1, in0_q: a.in0_q, in0: a.in0,
             enable: a.enable};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
  function automatic red_action_t shown(input act_t a);
    return '{bf16: a.bf16, relu: a.relu, f16: a.f16, bias: a.bias, out_q: a.out_q,
             memory: a.memory, in1_q: a.in1_q, in1: a.in1, in0_q: a.in0_q, in0: a.in0,
             enable: a.enable, default: '0};
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      samples_q <= 16'd0;
      ring_q <= 8'd0;
      count_q <= 16'd0;
      period_q <= 16'd0;
      pivot_q <= 16'd0;
      first_q <= 16'd0;
      more_q <= 16'd0;
      act_q <= '0;
      bias_base_q <= 24'd0;
      dst_base_q <= 24'd0;
      pitch_q <= 16'd0;
    end else if (reg_we_i && !busy_q) begin
      case (reg_addr_i)
        REG_RED_ACC: {ring_q, samples_q} <= {new_acc.ring, new_acc.samples};
        REG_RED_COUNT: count_q <= new_count.rows;
        REG_RED_PHASE: begin  // RED_START is written after it, or is 0
          {pivot_q, period_q} <= {new_phase.pivot, new_phase.period};
          {more_q, first_q} <= '0;
        end
        REG_RED_ACT_LT: act_q[0] <= kept(new_action);
        REG_RED_ACT_EQ: act_q[1] <= kept(new_action);
        REG_RED_ACT_GT: act_q[2] <= kept(new_action);
        REG_RED_BIAS: bias_base_q <= address(reg_wdata_i);
        REG_RED_DST: dst_base_q <= address(reg_wdata_i);
        REG_RED_PITCH: pitch_q <= new_pitch.pitch;
        REG_RED_START: {more_q, first_q} <= {new_start.more, new_start.phase};
        default: ;
      endcase
    end
  end

  logic        error_q;
  logic [4:0]  fault_cause_q;
  logic [23:0] fault_addr_q;
  reducer_wait_e cause;
  logic [15:0] row_q;  // rows whose elements have all been issued

  always_comb begin
    case (reg_addr_i)
      REG_RED_ACC: reg_rdata_o = red_acc_reg_t'{ring: ring_q, samples: samples_q, default: '0};
      REG_RED_COUNT: reg_rdata_o = red_count_reg_t'{rows: count_q, default: '0};
      REG_RED_PHASE: reg_rdata_o = red_phase_reg_t'{pivot: pivot_q, period: period_q};
      REG_RED_ACT_LT: reg_rdata_o = shown(act_q[0]);
      REG_RED_ACT_EQ: reg_rdata_o = shown(act_q[1]);
      REG_RED_ACT_GT: reg_rdata_o = shown(act_q[2]);
      REG_RED_BIAS: reg_rdata_o = {8'd0, bias_base_q};
      REG_RED_DST: reg_rdata_o = {8'd0, dst_base_q};
      REG_RED_PITCH: reg_rdata_o = red_pitch_reg_t'{pitch: pitch_q, default: '0};
      REG_RED_STATUS: begin
        reg_rdata_o = red_status_reg_t'{running: busy_q, waits: cause, error: error_q, rows: row_q,
                                        default: '0};
      end
      REG_RED_START: reg_rdata_o = red_start_reg_t'{more: more_q, phase: first_q};
      default: reg_rdata_o = 32'd0;
    endcase
  end

  // Number of accumulator words a row, and whether the ring is a sensible one.
  logic [4:0] words;
  logic       config_bad;
  logic       queues_bad;
  logic       align_bad;
  assign words = samples_q[LaneBits +: 5];
  always_comb begin
    queues_bad = 1'b0;
    align_bad = 1'b0;
    config_bad = 1'b0;
    if (start_i) begin
      for (int unsigned i = 0; i < 3; i++) begin
        if (act_q[i].enable && act_q[i].in0 && act_q[i].in1 && act_q[i].in0_q == act_q[i].in1_q) begin
          queues_bad = 1'b1;
        end
        if (act_q[i].enable && act_q[i].memory) begin
          if (dst_base_q[0] || pitch_q[0]) align_bad = 1'b1;
          if (!act_q[i].f16 && (dst_base_q[1] || pitch_q[1])) align_bad = 1'b1;
        end
        if (act_q[i].enable && act_q[i].bias && bias_base_q[1:0] != 2'd0) align_bad = 1'b1;
      end
      config_bad = samples_q == 16'd0 || samples_q[LaneBits-1:0] != '0 || ring_q == 8'd0 ||
                   period_q == 16'd0 || first_q >= period_q || queues_bad || align_bad ||
                   samples_q > 16'(AccWords * Lanes) || ring_q > 8'(AccWords) ||
                   10'(ring_q[4:0]) * 10'(words) > 10'(AccWords);
    end
  end

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
  // Position: row, accumulator word, element.
  logic [15:0]         phase_q;
  logic [3:0]          base_q;     // first accumulator word of the row
  logic [7:0]          ring_row_q;
  logic [3:0]          word_q;
  logic [LaneBits-1:0] lane_q;

  logic        bias_valid_q;
  logic [31:0] bias_q;
  logic        bias_bad_q;
  logic [23:0] bias_at_q;   // its address

  logic        en;         // the pipeline moves
  act_t        act;
  logic [1:0]  adds;       // additions of the element
  logic        held;       // elements of a row with more additions are in the way
  logic        drop;
  logic        issue;
  logic        discard;
  logic        dual;       // two elements at a time
  logic [31:0] elem;       // the row's element and what is added to it, in this order
  logic [31:0] elem_hi;    // the element after it (dual)
  logic [31:0] op_1;
  logic [31:0] op_2;
  logic        lane_last;
  logic [LaneBits-1:0] lane_hi;
  logic        word_last;
  logic        row_end;    // this issue or drop is the row's last
  out_t        issue_out;

  // The chain: an element is in one of these stages, in the first that it enters or a later one.
  logic        r0_valid;     // rounding of the first adder
  logic        a1_valid_q;   // at the second adder
  logic        r1_valid;
  logic        a2_valid_q;
  logic        r2_valid;
  logic        s2_valid_q;   // output stage
  out_t        s2_out_q;
  logic        wreq_valid_q;  // a memory word waits for its grant

  assign lane_hi = lane_q | LaneBits'(1);
  assign word_last = word_q == 4'(words - 5'd1);
  assign row_taken = row_end;

  always_comb begin
    ramp_t head0;
    ramp_t head1;
    act = '0;
    adds = 2'd0;
    held = 1'b0;
    drop = 1'b0;
    issue = 1'b0;
    discard = 1'b0;
    dual = 1'b0;
    elem = 32'd0;
    elem_hi = 32'd0;
    lane_last = lane_q == LaneBits'(Lanes - 1);
    op_1 = 32'd0;
    op_2 = 32'd0;
    row_end = 1'b0;
    cause = RED_WAIT_NOTHING;
    inq_pop_o = '0;
    head0 = '0;
    head1 = '0;
    if (busy_q) begin
      act = phase_q < pivot_q ? act_q[0] :
            {1'b0, phase_q} <= {1'b0, pivot_q} + {1'b0, more_q} ? act_q[1] : act_q[2];
      adds = {1'b0, act.in0} + {1'b0, act.in1} + {1'b0, act.bias};
      dual = adds == 2'd0 && act.f16 && !(act.memory && (dst_base_q[1] || pitch_q[1]));
      if (dual) lane_last = lane_hi == LaneBits'(Lanes - 1);
      case (adds)
        2'd0: held = r0_valid || a1_valid_q || r1_valid || a2_valid_q || r2_valid;
        2'd1: held = r0_valid || a1_valid_q || r1_valid || a2_valid_q;
        2'd2: held = r0_valid || a1_valid_q;
        default: held = 1'b0;
      endcase
      if (halt_i) begin
        cause = RED_WAIT_NOTHING;
      end else if (!en) begin
        cause = s2_out_q.memory ? RED_WAIT_MEMORY : RED_WAIT_OUTPUT;
      end else if (row_q != count_q) begin
        if (closed_q == 5'd0) begin
          cause = RED_WAIT_ROW;
        end else if (!act.enable) begin
          drop = 1'b1;
        end else begin
          head0 = inq_head_i[act.in0_q];
          head1 = inq_head_i[act.in1_q];
          if (act.in0 && inq_valid_i[act.in0_q] && head0.ctrl) begin
            discard = 1'b1;
            inq_pop_o[act.in0_q] = 1'b1;
          end
          if (act.in1 && inq_valid_i[act.in1_q] && head1.ctrl) begin
            discard = 1'b1;
            inq_pop_o[act.in1_q] = 1'b1;
          end
          if (!discard) begin
            if (act.in0 && !inq_valid_i[act.in0_q]) cause = RED_WAIT_IN0;
            else if (act.in1 && !inq_valid_i[act.in1_q]) cause = RED_WAIT_IN1;
            else if (act.bias && !bias_valid_q) cause = RED_WAIT_MEMORY;
            else issue = !held;
          end
          if (issue) begin
            if (act.in0) inq_pop_o[act.in0_q] = 1'b1;
            if (act.in1) inq_pop_o[act.in1_q] = 1'b1;
            if (written_q[0]) begin
              elem = acc_rdata_i[32*lane_q +: 32];
              if (dual) elem_hi = acc_rdata_i[32*lane_hi +: 32];
            end
            op_1 = act.in0 ? head0.data : act.in1 ? head1.data : bias_q;
            op_2 = act.in0 && act.in1 ? head1.data : bias_q;
          end
        end
        row_end = drop || (issue && lane_last && word_last);
      end else if (wreq_valid_q) begin
        cause = RED_WAIT_MEMORY;
      end
    end
  end

  assign issue_out = '{bf16: act.bf16, relu: act.relu, f16: act.f16, memory: act.memory,
                       out_q: act.out_q,
                       odd: lane_q[0] || dual, pair: dual, row_end: row_end};
  assign acc_raddr_o = base_q + word_q;
  assign wait_o = busy_q && cause != RED_WAIT_NOTHING;

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
      phase_q <= first_q;
      base_q <= 4'd0;
      ring_row_q <= 8'd0;
      word_q <= 4'd0;
      lane_q <= '0;
    end else begin
      if (issue) begin
        lane_q <= lane_q + LaneBits'(dual) + 1'b1;  // wraps: Lanes is a power of two
        if (lane_last) word_q <= word_last ? 4'd0 : word_q + 4'd1;
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

  // ----------------------------------------------------------------------------------- adders ----
  // Operands that are added later travel with their element.
  logic [31:0] r0_sum;
  out_t        r0_out_q;
  logic [31:0] r0_op_2_q;
  logic [31:0] r0_op_3_q;
  logic [31:0] a1_sum_q;
  out_t        a1_out_q;
  logic [31:0] a1_op_2_q;
  logic [31:0] a1_op_3_q;
  logic [31:0] r1_sum;
  out_t        r1_out_q;
  logic [31:0] r1_op_q;
  logic [31:0] a2_sum_q;
  out_t        a2_out_q;
  logic [31:0] a2_op_q;
  logic [31:0] r2_sum;
  out_t        r2_out_q;
  logic [31:0] s2_sum_q;
  logic [31:0] s2_hi_q;  // second of two elements

  logic enter_0;
  logic enter_1;
  logic enter_2;
  logic enter_s2;
  assign enter_0 = issue && adds == 2'd3;
  assign enter_1 = issue && adds == 2'd2;
  assign enter_2 = issue && adds == 2'd1;
  assign enter_s2 = issue && adds == 2'd0;

  ow_fp_add u_add_0 (
    .clk_i,
    .rst_i,
    .en_i(en),
    .valid_i(enter_0),
    .a_i(elem),
    .b_i(op_1),
    .valid_o(r0_valid),
    .result_o(r0_sum)
  );
  ow_fp_add u_add_1 (
    .clk_i,
    .rst_i,
    .en_i(en),
    .valid_i(a1_valid_q || enter_1),
    .a_i(a1_valid_q ? a1_sum_q : elem),
    .b_i(a1_valid_q ? a1_op_2_q : op_1),
    .valid_o(r1_valid),
    .result_o(r1_sum)
  );
  ow_fp_add u_add_2 (
    .clk_i,
    .rst_i,
    .en_i(en),
    .valid_i(a2_valid_q || enter_2),
    .a_i(a2_valid_q ? a2_sum_q : elem),
    .b_i(a2_valid_q ? a2_op_q : op_1),
    .valid_o(r2_valid),
    .result_o(r2_sum)
  );

  always_ff @(posedge clk_i) begin
    if (en) begin
      if (enter_0) begin
        r0_out_q <= issue_out;
        r0_op_2_q <= op_2;
        r0_op_3_q <= bias_q;
      end
      if (r0_valid) begin
        a1_sum_q <= r0_sum;
        a1_out_q <= r0_out_q;
        a1_op_2_q <= r0_op_2_q;
        a1_op_3_q <= r0_op_3_q;
      end
      if (a1_valid_q || enter_1) begin
        r1_out_q <= a1_valid_q ? a1_out_q : issue_out;
        r1_op_q <= a1_valid_q ? a1_op_3_q : op_2;
      end
      if (r1_valid) begin
        a2_sum_q <= r1_sum;
        a2_out_q <= r1_out_q;
        a2_op_q <= r1_op_q;
      end
      if (a2_valid_q || enter_2) r2_out_q <= a2_valid_q ? a2_out_q : issue_out;
      if (r2_valid || enter_s2) begin
        s2_sum_q <= r2_valid ? r2_sum : elem;
        s2_hi_q <= elem_hi;
        s2_out_q <= r2_valid ? r2_out_q : issue_out;
      end
    end
    if (rst_i) begin
      a1_valid_q <= 1'b0;
      a2_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else if (en) begin
      a1_valid_q <= r0_valid;
      a2_valid_q <= r1_valid;
      s2_valid_q <= r2_valid || enter_s2;
    end
  end

  logic in_chain;  // an element is on its way to the output stage
  assign in_chain = r0_valid || a1_valid_q || r1_valid || a2_valid_q || r2_valid;

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
  logic [15:0] value_hi;    // and the element after it
  logic        word_full;   // the element completes its memory word
  logic [63:0] word_data;
  logic [7:0]  word_be;
  logic        blocked;

  always_comb begin
    value = 32'd0;
    value_hi = 16'd0;
    word_full = 1'b0;
    word_data = 64'd0;
    word_be = 8'd0;
    blocked = 1'b0;
    red_push_o = 1'b0;
    red_data_o = '0;
    if (s2_valid_q) begin
      if (s2_out_q.f16) begin
        value = {16'd0, s2_out_q.bf16 ? f32_to_bf16(s2_sum_q) : f32_to_f16(s2_sum_q)};
        if (s2_out_q.pair) value_hi = s2_out_q.bf16 ? f32_to_bf16(s2_hi_q) : f32_to_f16(s2_hi_q);
        if (s2_out_q.relu) begin
          value = {16'd0, s2_out_q.bf16 ? relu_bf16(value[15:0]) : relu_f16(value[15:0])};
          value_hi = s2_out_q.bf16 ? relu_bf16(value_hi) : relu_f16(value_hi);
        end
      end else begin
        value = s2_out_q.relu ? relu_f32(s2_sum_q) : s2_sum_q;
      end
      if (s2_out_q.memory) begin
        word_data = word_data_q;
        word_be = word_be_q;
        if (s2_out_q.f16) begin
          word_data |= {32'd0, value_hi, value[15:0]} << {elem_addr_q[2:1], 4'd0};
          word_be |= (s2_out_q.pair ? 8'h0F : 8'h03) << {elem_addr_q[2:1], 1'b0};
          word_full = s2_out_q.row_end || (elem_addr_q[2] && (elem_addr_q[1] || s2_out_q.pair));
        end else begin
          word_data |= {32'd0, value} << {elem_addr_q[2], 5'd0};
          word_be |= elem_addr_q[2] ? 8'hF0 : 8'h0F;
          word_full = s2_out_q.row_end || elem_addr_q[2];
        end
        blocked = word_full && wreq_valid_q;
      end else begin
        red_data_o.data = s2_out_q.pair ? {value_hi, value[15:0]} :
                          s2_out_q.f16 ? {value[15:0], half_q} : value;
        red_push_o = (!s2_out_q.f16 || s2_out_q.odd) && outq_ready_i[s2_out_q.out_q];
        blocked = (!s2_out_q.f16 || s2_out_q.odd) && !outq_ready_i[s2_out_q.out_q];
      end
    end
  end
  assign red_q_o = s2_out_q.out_q;
  assign en = !blocked;
  assign ev_elem_o = !(s2_valid_q && en) ? 2'd0 : s2_out_q.pair ? 2'd2 : 2'd1;

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
        if (s2_out_q.row_end) begin
          elem_addr_q <= row_addr_q + {{8{pitch_q[15]}}, pitch_q};
          row_addr_q <= row_addr_q + {{8{pitch_q[15]}}, pitch_q};
        end else begin
          elem_addr_q <= elem_addr_q + (s2_out_q.f16 && !s2_out_q.pair ? 24'd2 : 24'd4);
        end
      end else if (!s2_out_q.odd) begin
        half_q <= value[15:0];
      end
    end
    if (rst_i) wreq_valid_q <= 1'b0;
  end

  // ------------------------------------------------------------------------------------- bias ----
  // Two are kept, the next and the one after it, and read ahead while there are rows left.
  logic        bias_flight_q;
  logic [23:0] bias_addr_q;   // of the one to read next
  logic        ahead_valid_q;
  logic [31:0] ahead_q;
  logic        ahead_bad_q;
  logic [23:0] ahead_at_q;
  logic        bias_want;
  logic        bias_out;   // its address is outside memory
  logic        bias_used;  // the row that takes it is done
  logic        bias_come;
  logic [31:0] bias_new;

  assign bias_want = busy_q && !ahead_valid_q && !bias_flight_q && row_q != count_q &&
                     ((act_q[0].enable && act_q[0].bias) || (act_q[1].enable && act_q[1].bias) ||
                      (act_q[2].enable && act_q[2].bias));
  assign bias_out = {8'd0, bias_addr_q} >= SramBytes;
  assign bias_used = row_end && !drop && act.bias;
  assign bias_come = mem_rvalid_i || (bias_want && bias_out);
  assign bias_new = !mem_rvalid_i ? NAN32 : bias_addr_q[2] ? mem_rdata_i[63:32] : mem_rdata_i[31:0];

  always_ff @(posedge clk_i) begin
    if (rst_i || (start_i && !busy_q)) begin
      bias_valid_q <= 1'b0;
      ahead_valid_q <= 1'b0;
      bias_flight_q <= 1'b0;
      bias_bad_q <= 1'b0;
      ahead_bad_q <= 1'b0;
      bias_addr_q <= bias_base_q;
    end else begin
      if (mem_gnt_i && !mem_we_o) bias_flight_q <= 1'b1;
      if (bias_come) begin
        bias_flight_q <= 1'b0;
        bias_addr_q <= bias_addr_q + 24'd4;
      end
      // At most one comes at a time, and only while there is room behind the next one.
      if (!bias_valid_q || bias_used) begin
        bias_valid_q <= ahead_valid_q || bias_come;
        if (ahead_valid_q) begin
          bias_q <= ahead_q;
          bias_bad_q <= ahead_bad_q;
          bias_at_q <= ahead_at_q;
        end else if (bias_come) begin
          bias_q <= bias_new;
          bias_bad_q <= !mem_rvalid_i;
          bias_at_q <= bias_addr_q;
        end
        ahead_valid_q <= 1'b0;
      end else if (bias_come) begin
        ahead_valid_q <= 1'b1;
        ahead_q <= bias_new;
        ahead_bad_q <= !mem_rvalid_i;
        ahead_at_q <= bias_addr_q;
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

  assign done = busy_q && row_q == count_q && !in_chain && !s2_valid_q && !wreq_valid_q &&
                !bias_flight_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
      error_q <= 1'b0;
      fault_cause_q <= '0;
      fault_addr_q <= '0;
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
        fault_cause_q <= RED_BAD_REGISTERS;
        fault_addr_q <= '0;
      end else if (done) begin
        busy_q <= 1'b0;
        done_q <= 1'b1;
      end
      if (reg_we_i && busy_q) begin
        error_q <= 1'b1;
        if (!error_q) fault_cause_q <= RED_BUSY;
      end
      if (bias_used && bias_bad_q) begin
        error_q <= 1'b1;
        if (!error_q) begin
          fault_cause_q <= RED_BAD_BIAS;
          fault_addr_q <= bias_at_q;
        end
      end
      if (s2_valid_q && en && s2_out_q.memory && word_full && store_bad) begin
        error_q <= 1'b1;
        if (!error_q) begin
          fault_cause_q <= RED_BAD_STORE;
          fault_addr_q <= elem_addr_q;
        end
      end
    end
  end
  assign busy_o = busy_q;
  assign fault_o = error_q;
  assign fault_cause_o = fault_cause_q;
  assign fault_addr_o = fault_addr_q;
  assign done_valid_o = done_q;
  assign done_kind_o = kind_q;
  assign done_task_o = task_q;
  `OW_ASSERT(start_a, !start_i || !busy_q, "a drain may start only when the last one is done")

  assign idle_o = !reg_we_i && !start_i && !row_closed_i && !free_q && !done_q && !rst_i &&
                  (!busy_q || !(issue || drop || discard || done || mem_req_o || bias_flight_q ||
                                (bias_want && bias_out) || (en && (in_chain || s2_valid_q))));

endmodule
