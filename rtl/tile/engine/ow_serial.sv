// SPDX-License-Identifier: Apache-2.0
// The tensor engine for area instead of speed. It does what ow_engine does, an element at a time,
// for the operations of streamed layers (ow_serial_decode). Bits, faults and order are those of
// docs/isa.md. What differs: the cycles, and the elements of a beat that a fault leaves undone
// (here from the faulty one on). Threads take turns, whatever their priority: an element or a
// weight each. One memory keeps descriptors and thread state in words of 32 bits. One adder moves
// addresses and counters on, a word at a time. Results come from ow_fp_serial in the reducer.
//
//   ow_serial_decode    turns an instruction into flags             ow_serial_words  the memory
//   ow_serial_threads   which threads run, wait, or have the turn   ow_serial_rows   rows of sums
//   ow_serial_next      the steps
//
// A launch takes 18 cycles (15 without b). An element takes about 9, 5 more for each operand in
// memory, and the time of ow_fp_serial. Each step addresses what the next one reads of memory.
//
//   SramBytes, NumThreads (2 to 4), QueueDepth, Queues, Dsrs (to 16)   as the registers tell them
//   tensor_*     instructions, valid/ready; sync_done_o: thread 0's is complete
//   dsr_*        descriptors: a write is taken with dsr_ready_o, a read answered with dsr_rvalid_o
//   rd_*, wr_*   SRAM (ow_sram), lines of 4 bytes; all else as of ow_engine
//   fp_*         the reducer's adder, which the engine has for an element at a time
//   fault_o ...  the first fault; it ends the thread
//   active_o     a thread has an instruction; idle_o: nothing changes at this edge, given these inputs
`include "ow_assert.svh"

module ow_serial
  import ow_pkg::*;
  import ow_serial_pkg::*;
#(
  parameter int unsigned SramBytes = MINI_SRAM_BYTES,
  parameter int unsigned NumThreads = MINI_NUM_THREADS,
  parameter int unsigned QueueDepth = MINI_QUEUE_DEPTH,
  parameter int unsigned Queues = 4,
  parameter int unsigned Dsrs = 16,
  localparam int unsigned Lanes = 2,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                halt_i,
  input  logic                tensor_valid_i,
  input  tensor_insn_t        tensor_i,
  output logic                tensor_ready_o,
  output logic                tensor_sync_done_o,
  input  logic                dsr_we_i,
  input  logic                dsr_re_i,
  input  logic [4:0]          dsr_idx_i,
  input  logic [2:0]          dsr_word_i,
  input  logic [31:0]         dsr_wdata_i,
  output logic                dsr_ready_o,
  output logic                dsr_rvalid_o,
  output logic [31:0]         dsr_rdata_o,
  output logic                rd_req_o,
  output logic [23:0]         rd_addr_o,
  input  logic                rd_gnt_i,
  input  logic [31:0]         rd_rdata_i,
  output logic                wr_req_o,
  output logic [23:0]         wr_addr_o,
  output logic [3:0]          wr_be_o,
  output logic [31:0]         wr_wdata_o,
  input  logic                wr_gnt_i,
  input  logic [7:0]          inq_valid_i,
  input  ramp_t [7:0]         inq_head_i,
  output logic [7:0]          inq_pop_o,
  output logic [7:0]          inq_owned_o,
  input  logic [7:0]          red_owned_i,
  input  logic [7:0][3:0]     outq_level_i,
  input  logic                eng_turn_i,
  output logic                eng_push_o,
  output logic [2:0]          eng_q_o,
  output ramp_t               eng_data_o,
  output logic                done_valid_o,
  output logic [1:0]          done_kind_o,
  output logic [4:0]          done_task_o,
  output logic                red_start_o,
  output logic [1:0]          red_start_kind_o,
  output logic [4:0]          red_start_task_o,
  input  logic                red_busy_i,
  output logic                row_closed_o,
  output logic                row_closed_written_o,
  input  logic                row_free_i,
  input  logic [3:0]          acc_raddr_i,
  output logic [32*Lanes-1:0] acc_rdata_o,
  output logic [31:0]         fault_o,
  output logic [31:0]         fault_pc_o,
  output logic [23:0]         fault_addr_o,
  input  logic [3:0]          thread_sel_i,
  output logic [31:0]         thread_state_o,
  output fp_ask_t             fp_o,
  input  logic                fp_ready_i,
  input  logic [31:0]         fp_result_i,
  output logic                ev_beat_o,
  output logic                ev_weight_o,
  output logic                active_o, idle_o
);

  `OW_ASSERT_INIT(threads_2_to_4, NumThreads >= 2 && NumThreads <= 4)
  `OW_ASSERT_INIT(dsrs_to_16, Dsrs >= 2 && Dsrs <= 16)

  typedef logic [ThreadW-1:0] tid_t;
  typedef logic [NumThreads-1:0] tmask_t;

  step_e       step_q, step_d;
  tid_t        t_q;             // the thread whose turn it is, or that is launched
  flags_t      f_q;             // its flags
  /* verilator lint_off UNUSEDSIGNAL */ // the numbers of 16 descriptors
  tensor_ctl_t c_q;             // its control word
  /* verilator lint_on UNUSEDSIGNAL */
  opnd_e       k_q;             // the operand in hand
  logic        early_q;         // dst as an addend, before the others
  logic        launch_q;        // a launch is being made
  logic        op_bad_q, dsr_bad_q, a_more_q;
  logic        end_0_q, end_1_q; // the element ends its inner vector, the instruction
  logic [23:0] at_q;            // address of the operand in hand; during a launch the length of a
  logic [31:0] moved_q;         // the element of a move
  logic [15:0] factor_q;        // b of a product, or 1
  logic        far_q;           // a weight's index leads beyond 24 bits
  tmask_t      ending_q;        // only the end is left
  tmask_t      fresh_q;         // dimension 1 is at its start
  tmask_t      last_q;          // the next tag's index would be the last one, which is none
  tmask_t      half_q, half_a_q, half_b_q;  // the lower half of a pair is done: dst, a, b
  logic        halt_q, ready_q, sync_q, refused_q, busy_q;
  logic        rd_req_q, wr_req_q, dsr_ok_q;
  logic        still_q;         // same step as before; what it reads has been read

  // ------------------------------------------------------------------------------- parts ----
  /* verilator lint_off UNUSEDSIGNAL */ // flags are wider than other words
  logic [35:0] r0, r1;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        more, dsr_write, row_wraps, half_we, index_we, ends_vector;
  tid_t        next;
  at_e         at;        // where the operand in hand is
  /* verilator lint_off UNUSEDSIGNAL */ // its sign
  logic [33:0] sum;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] result;

  assign dsr_write = dsr_we_i && dsr_ready_o;

  ow_serial_words #(.ThreadW(ThreadW)) u_words (
    .clk_i, .step_i(step_q), .thread_i(t_q), .flags_i(f_q), .ctl_i(c_q), .k_i(k_q),
    .at_i(at), .early_i(early_q), .ending_i(ending_q[t_q]), .wraps_i(row_wraps),
    .dsr_we_i(dsr_write), .dsr_re_i, .dsr_idx_i, .dsr_word_i, .dsr_wdata_i, .insn_i(tensor_i),
    .sum_i(sum[23:0]), .zero_i(step_q inside {L_N0, L_N1, L_INDEX, S_FINISH}), .ends_i(end_0_q),
    .result_i(result), .half_we_i(half_we), .index_we_i(index_we), .r0_o(r0), .r1_o(r1), .more_o(more)
  );

  flags_t flags_op, flags_first, flags_second;
  logic   op_bad, first_op, first_dsr, second_op, second_dsr, ring_bad;
  logic [12:0] ring, ring_q;
  assign ring_bad = f_q.axpyw && ring_q > 13'(16 * Lanes);

  ow_serial_decode #(.Lanes(Lanes), .Queues(Queues), .Dsrs(Dsrs)) u_decode (
    .insn_i(tensor_i), .opnd_i(k_q), .word0_i(r1[31:0]), .acc_i(r0[ACC_ADDR_BIT]),
    .word2_i(r0[31:0]), .word3_i(r1[31:0]),
    .more_i(more),
    .flags_i(f_q), .a_length_i(at_q[15:0]), .a_more_i(a_more_q),
    .op_o(flags_op), .op_bad_o(op_bad), .first_o(flags_first), .first_op_o(first_op),
    .first_dsr_o(first_dsr), .second_o(flags_second), .second_op_o(second_op),
    .second_dsr_o(second_dsr), .ring_o(ring)
  );

  tmask_t     active;
  logic       any, dsr_used, row_ok, row_first, row_settled;
  logic [7:0] room;
  logic       launched, ends, waits;
  for_e       wait_for;
  logic [2:0] wait_q;
  logic       launches_axpyw, close, product;

  ow_serial_threads #(.NumThreads(NumThreads), .QueueDepth(QueueDepth)) u_threads (
    .clk_i, .rst_i, .thread_i(t_q), .start_i(launched), .flags_i(f_q), .ctl_i(c_q), .dsr_i(dsr_idx_i),
    .op_i(tensor_i.op), .end_i(ends), .wait_i(waits), .for_i(wait_for), .q_i(wait_q),
    .go_i(step_q == S_LOAD), .row_ok_i(row_ok), .inq_valid_i, .outq_level_i,
    .active_o(active), .any_o(any), .next_o(next), .own_o(inq_owned_o), .room_o(room),
    .dsr_used_o(dsr_used), .sel_i(thread_sel_i), .state_o(thread_state_o)
  );

  ow_serial_rows u_rows (
    .clk_i, .rst_i, .start_i(launches_axpyw), .slots_i(r1[4:0]), .close_i(close),
    .free_i(row_free_i), .product_i(product),
    .ok_o(row_ok), .first_o(row_first), .wraps_o(row_wraps), .settled_o(row_settled)
  );

  logic        fp_load;
  logic [31:0] opnd;

  assign fp_o = '{want: f_q.op != SOP_MOV &&
                        step_q inside {S_OPERAND, S_STEP, S_OUTER, S_STEP_OUTER, S_AIM, S_ACCESS, S_TAKE},
                  load: fp_load, keep: f_q.op inside {SOP_ADD, SOP_SUB, SOP_FMA},
                  last: k_q == OPND_A, wide: k_q == OPND_D ? f_q.d32 : f_q.a32,
                  neg: k_q == OPND_B && f_q.op == SOP_SUB, narrow: !f_q.d32, factor: factor_q,
                  term: opnd};

  // ------------------------------------------------------------------------------- operands ----
  logic [2:0] q;         // its queue
  logic       wide;      // its elements have 32 bits
  ramp_t      head;
  logic       half_in;   // the lower half of its pair is done
  logic       upper;     // the element is the upper half of a word
  logic       head_valid;
  logic [31:0] acc_rdata, word;

  always_comb begin
    unique case (k_q)
      OPND_A: {at, q, wide} = {f_q.a_at, f_q.a_q, f_q.a32};
      OPND_B: {at, q, wide} = {f_q.b_at, f_q.b_q, f_q.a32};
      default: {at, q, wide} = {f_q.d_at, f_q.d_q, f_q.d32};
    endcase
  end
  // In S_CHECK, k_q names the queue that is looked at.
  assign head = inq_head_i[3'(q & 3'(Queues - 1))];
  assign head_valid = inq_valid_i[3'(q & 3'(Queues - 1))];
  assign half_in = k_q == OPND_A ? half_a_q[t_q] : half_b_q[t_q];

  logic none;   // the addend is +0
  logic reads;
  assign reads = k_q != OPND_D || early_q;
  assign none = early_q && (f_q.axpyw ? row_first : c_q.fresh && fresh_q[t_q]);

  always_comb begin
    word = '0;
    if (!none) begin
      unique case (at)
        AT_MEM: word = rd_rdata_i;
        AT_ACC: word = acc_rdata;
        AT_FAB: word = head.data;
        default: word = r0[31:0];
      endcase
    end
    upper = !wide && (at == AT_FAB ? half_in : at == AT_MEM && at_q[1]);
    opnd = {word[31:16], upper ? word[31:16] : word[15:0]};
  end

  // The accumulator cache: a copy for the engine, one for the reducer.
  logic        acc_we;
  (* ram_style = "block", no_rw_check *) logic [31:0] acc_q [16 * Lanes];
  logic [31:0] acc_0_q [16];
  logic [31:0] acc_1_q [16];
  assign acc_we = step_q == S_ACCESS && !reads && at == AT_ACC;

  always_ff @(posedge clk_i) begin
    if (acc_we) acc_q[at_q[6:2]] <= result;
    acc_rdata <= acc_q[at_q[6:2]];
    if (acc_we && !at_q[2]) acc_0_q[at_q[6:3]] <= result;
    if (acc_we && at_q[2]) acc_1_q[at_q[6:3]] <= result;
  end
  assign acc_rdata_o = {acc_1_q[acc_raddr_i], acc_0_q[acc_raddr_i]};

  assign result = f_q.op == SOP_MOV ? moved_q : fp_result_i;
  // ------------------------------------------------------------------------------- the adder ----
  logic signed [33:0] times_q;   // index times distance of a weight
  logic signed [16:0] index;
  logic signed [15:0] distance;
  assign index = {1'b0, head.data[31:16]};
  assign distance = r1[31:16];
  logic [33:0]        addend;
  logic               counts, steps, adds_row;
  assign counts = step_q inside {S_COUNT, S_COUNT_1} || (step_q == S_STEP && at == AT_FAB);
  assign steps = step_q inside {S_STEP, S_STEP_OUTER} && at != AT_FAB;
  assign adds_row = step_q == R_NEXT && !row_wraps;
  assign addend = counts ? 34'd1 : steps ? {{18{r1[31]}}, r1[31:16]}
                : step_q == W_PLACE ? unsigned'(times_q) : adds_row ? {18'd0, r1[13:0], 2'd0} : '0;
  assign sum = {10'd0, r0[23:0]} + addend;

  logic zero, zero_q, computed_q;  // those of the cycle before: the result stays in its register
  always_ff @(posedge clk_i) begin
    if (step_q == W_TIMES) times_q <= index * distance;
    if (step_q == L_SECOND) ring_q <= ring;
    computed_q <= f_q.op == SOP_MOV || fp_ready_i;
    zero_q <= zero && (f_q.op == SOP_MOV || fp_ready_i);  // the adder may be the reducer's
  end

  // ------------------------------------------------------------------------------- conditions ----
  logic misplaced, beyond, faulty, dst_room, takes;
  logic offer, launch_ok;
  // A cycle later: the thread's number comes out of the core's memory.
  logic drain_q, thread_ok_q;
  tid_t offer_q;
  assign offer = tensor_valid_i && !ready_q && !halt_q && !refused_q;
  always_ff @(posedge clk_i) begin
    if (step_q == S_IDLE && offer) begin
      {drain_q, offer_q} <= {tensor_i.op == TOP_DRAIN, tid_t'(tensor_i.ctl.thread)};
      thread_ok_q <= {1'b0, tensor_i.ctl.thread} < 5'(NumThreads);
    end
  end
  assign launch_ok = tensor_valid_i && (!thread_ok_q || (drain_q ? !red_busy_i : !active[offer_q]));
  assign ends_vector = last_of(r0[15:0], r1[15:0]) &&
                       (step_q == S_COUNT_1 || (step_q == S_COUNT && !f_q.inf));

  // Where the operand in hand lies.
  assign misplaced = at_q[0] || ((wide || at == AT_ACC) && at_q[1]);
  assign beyond = at == AT_ACC ? !at_q[23] || at_q[22:0] >= 23'(64 * Lanes)
                               : {8'd0, at_q} >= SramBytes || (f_q.axpyw && k_q == OPND_A && far_q);
  assign faulty = misplaced || beyond;

  assign dst_room = room[3'(f_q.d_q & 3'(Queues - 1))];
  assign zero = f_q.skip && (f_q.d32 ? result[30:16] == '0 && (!result[31] || f_q.flt)
                                     : !result[15] || f_q.flt) &&
                result[14:0] == '0 && (!f_q.d32 || !result[15]);

  // A launch waits for queues of others, and for the one axpyw.
  logic launch_waits, wtrig_q;
  logic [7:0] owned;
  assign owned = inq_owned_o | red_owned_i;
  assign launch_waits = (f_q.a_at == AT_FAB && owned[f_q.a_q]) ||
                        (f_q.b_at == AT_FAB && owned[f_q.b_q]) || (f_q.axpyw && wtrig_q);

  // An element is taken from the fabric, or from what has been read.
  assign takes = (step_q == S_TAKE) ||
                 (step_q == S_OPERAND && none && computed_q) ||
                 (step_q == S_STEP && k_q != OPND_D && at inside {AT_FAB, AT_IMM} && computed_q);

  logic waits_in, waits_out, waits_row, pop, push, skips, leaves;
  assign waits = waits_in || waits_out || waits_row;
  assign wait_for = waits_in ? FOR_INPUT : waits_out ? FOR_OUTPUT : FOR_ROW;
  assign wait_q = waits_in ? q : f_q.d_q;

  logic stuck;  // a step waits for another tile, or for a halt to end
  ow_serial_next u_next (
    .step_i(step_q), .step_o(step_d), .tensor_valid_i, .dsr_write_i(dsr_write), .dsr_re_i,
    .offer_i(offer), .launch_ok_i(launch_ok), .drain_i(drain_q), .thread_ok_i(thread_ok_q), .launch_i(launch_q),
    .launch_waits_i(launch_waits), .bad_i(op_bad_q || dsr_bad_q || ring_bad), .any_i(any), .halt_i(halt_q),
    .flags_i(f_q), .head_i(head), .head_valid_i(head_valid), .row_ok_i(row_ok),
    .dst_room_i(dst_room), .turn_i(eng_turn_i), .ending_i(ending_q[t_q]), .half_i(half_q[t_q]),
    .k_i(k_q), .at_i(at), .early_i(early_q), .wide_i(wide), .half_in_i(half_in), .none_i(none),
    .reads_i(reads), .faulty_i(faulty), .rd_gnt_i, .wr_gnt_i,
    .end_0_i(end_0_q), .end_1_i(end_1_q), .computed_i(computed_q), .zero_i(zero_q),
    .index_last_i(last_q[t_q]), .wait_in_o(waits_in), .wait_out_o(waits_out), .wait_row_o(waits_row),
    .pop_o(pop), .push_o(push), .skips_o(skips), .leaves_o(leaves), .stuck_o(stuck)
  );

  assign index_we = leaves && f_q.tag;
  assign half_we = leaves && !zero_q && !f_q.tag && !f_q.d32 && !half_q[t_q];

  logic failed;   // at this edge
  assign launched = step_q == L_INDEX && tensor_valid_i;
  assign failed = step_q == S_FAULT && (!launch_q || tensor_valid_i);
  assign close = step_q == R_NEXT;
  assign product = step_q == S_FINISH && !stuck && f_q.axpyw && end_0_q;
  assign launches_axpyw = step_q == L_JUDGE && !launch_waits && !op_bad_q && !dsr_bad_q && !ring_bad &&
                          f_q.axpyw;
  assign ends = (step_q == S_SAVE && f_q.save == '0) || (step_q == S_FAULT && !launch_q);

  // ------------------------------------------------------------------------------- registers ----
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      step_q <= S_IDLE;
      t_q <= '0;
      launch_q <= 1'b0;
      halt_q <= 1'b0;
      ready_q <= 1'b0;
      sync_q <= 1'b0;
      refused_q <= 1'b0;
      wtrig_q <= 1'b0;
      busy_q <= 1'b0;
      {rd_req_q, wr_req_q, dsr_ok_q, still_q} <= '0;
    end else begin
      step_q <= step_d;
      still_q <= step_d == step_q && !dsr_write;
      {rd_req_q, wr_req_q} <= {rd_req_q && !rd_gnt_i, wr_req_q && !wr_gnt_i} |
                              ({reads, !reads} & {2{step_q == S_AIM && step_d == S_ACCESS && at == AT_MEM}});
      if (step_q == S_IDLE) launch_q <= step_d == L_OFFER;
      if (step_q == L_OFFER && step_d == L_CTL) t_q <= offer_q;
      else if (step_q == S_IDLE && step_d == S_PICK) t_q <= next;
      {halt_q, busy_q} <= {halt_i, red_busy_i};
      dsr_ok_q <= dsr_we_i && !dsr_used && !dsr_ready_o;  // the descriptor's number arrives late
      ready_q <= launched || red_start_o || (failed && launch_q);
      sync_q <= (red_start_o && tensor_i.ctl.thread == '0) ||
                (step_q == S_SAVE && f_q.save == '0 && t_q == '0);
      if (ends || (busy_q && !red_busy_i) || !tensor_valid_i) refused_q <= 1'b0;
      else if ((step_q == L_JUDGE && launch_waits) || (step_q == L_OFFER && !launch_ok)) refused_q <= 1'b1;
      if (launched && f_q.axpyw) wtrig_q <= 1'b1;
      else if (ends && f_q.axpyw) wtrig_q <= 1'b0;
    end
  end

  // The instruction in hand.
  always_ff @(posedge clk_i) begin
    if (step_q inside {L_SCALAR, S_LOAD}) c_q <= r1[31:0];
    unique case (step_q)
      L_SCALAR: {f_q, op_bad_q, dsr_bad_q} <= {flags_op, op_bad, 1'b0};
      L_FIRST: {f_q, op_bad_q, dsr_bad_q} <= {flags_first, op_bad_q || first_op, dsr_bad_q || first_dsr};
      L_SECOND: begin
        {f_q, op_bad_q, dsr_bad_q} <= {flags_second, op_bad_q || second_op, dsr_bad_q || second_dsr};
        if (k_q == OPND_A) a_more_q <= more;
      end
      S_LOAD: f_q <= r0[FLAGS_BITS-1:0];
      S_SAVE: f_q.save <= f_q.save & (f_q.save - 3'd1);
      default: ;
    endcase
  end

  // The element in hand.
  always_ff @(posedge clk_i) begin
    unique case (step_q)
      L_SCALAR, S_LOAD: {k_q, early_q} <= {OPND_A, 1'b0};
      L_SECOND: k_q <= k_q == OPND_A && f_q.has_b ? OPND_B : OPND_D;
      S_SAVE: k_q <= f_q.save[0] ? OPND_A : f_q.save[1] ? OPND_B : OPND_D;
      S_CHECK: if (k_q == OPND_A && f_q.has_b && !skips) k_q <= OPND_B;
      S_COUNT, S_COUNT_1: begin
        early_q <= f_q.op == SOP_FMA;
        k_q <= f_q.op == SOP_FMA ? OPND_D : f_q.has_b ? OPND_B : OPND_A;
      end
      default: if (takes) begin
        early_q <= 1'b0;
        k_q <= k_q == OPND_A ? OPND_D : k_q == OPND_B || f_q.axpyw ? OPND_A : OPND_B;
      end
    endcase
    if (step_q == S_COUNT) {end_0_q, end_1_q} <= {ends_vector, ends_vector && !f_q.dim1};
    if (step_q == S_COUNT_1) end_1_q <= ends_vector && end_0_q;
    if (step_q == S_STEP || (step_q == L_SECOND && k_q == OPND_A)) at_q <= r0[23:0];
    if (step_q == W_PLACE) far_q <= sum[33:24] != '0;
    if (takes && k_q == OPND_A) moved_q <= opnd;
    if (step_q == S_CHECK) factor_q <= 16'h3C00;
    else if (step_q == W_TIMES) factor_q <= head.data[15:0];
    else if (takes && k_q == OPND_B && f_q.op inside {SOP_MUL, SOP_FMA}) factor_q <= opnd[15:0];
  end
  assign fp_load = takes && (k_q == OPND_A ? f_q.op != SOP_MOV
                           : k_q == OPND_D || f_q.op inside {SOP_ADD, SOP_SUB});

  // What else is known of each thread.
  always_ff @(posedge clk_i) begin
    if (launched) begin
      ending_q[t_q] <= 1'b0;
      fresh_q[t_q] <= 1'b1;
      {last_q[t_q], half_q[t_q], half_a_q[t_q], half_b_q[t_q]} <= '0;
    end else begin
      if (skips && head.data[CTRL_STREAM_END]) ending_q[t_q] <= 1'b1;
      if (step_q == S_FINISH && end_1_q && !f_q.axpyw) ending_q[t_q] <= 1'b1;
      if (step_q == S_FINISH && end_0_q) fresh_q[t_q] <= 1'b0;
      if (takes && at == AT_FAB && k_q == OPND_A) half_a_q[t_q] <= !pop;
      if (takes && at == AT_FAB && k_q == OPND_B) half_b_q[t_q] <= !pop;
      if (index_we) last_q[t_q] <= r0[15:0] == 16'hFFFE;
      if (half_we) half_q[t_q] <= 1'b1;
      else if (push) half_q[t_q] <= 1'b0;
    end
  end

  // The first fault.
  engine_cause_e fault_cause;
  always_comb begin
    if (launch_q) fault_cause = !thread_ok_q || op_bad_q ? ENG_ILLEGAL : ENG_DESCRIPTOR;
    else fault_cause = misplaced || at == AT_FAB ? ENG_DESCRIPTOR : ENG_ADDRESS;
  end
  ow_serial_fault u_fault (
    .clk_i, .rst_i, .failed_i(failed), .cause_i(fault_cause), .pc_i(launch_q ? tensor_i.pc : r0[31:0]),
    .thread_i(launch_q ? tensor_i.ctl.thread : 4'(t_q)), .addr_i(launch_q ? '0 : at_q),
    .fault_o, .fault_pc_o, .fault_addr_o
  );

  // ------------------------------------------------------------------------------- outputs ----
  assign tensor_ready_o = ready_q;
  assign tensor_sync_done_o = sync_q;
  assign dsr_ready_o = step_q == S_IDLE && dsr_ok_q;
  assign dsr_rvalid_o = step_q == S_READ_DSR;
  assign dsr_rdata_o = r0[31:0];
  assign red_start_o = step_q == L_OFFER && launch_ok && drain_q && thread_ok_q;
  assign red_start_kind_o = tensor_i.ctl.done;
  assign red_start_task_o = tensor_i.ctl.task_id;

  assign rd_req_o = rd_req_q;
  assign rd_addr_o = {at_q[23:2], 2'd0};
  assign wr_req_o = wr_req_q;
  assign wr_addr_o = rd_addr_o;
  assign wr_be_o = f_q.d32 ? 4'hF : at_q[1] ? 4'hC : 4'h3;
  assign wr_wdata_o = {f_q.d32 ? result[31:16] : result[15:0], result[15:0]};

  always_ff @(posedge clk_i) inq_pop_o <= pop && !rst_i ? 8'd1 << (q & 3'(Queues - 1)) : '0;

  assign eng_push_o = push;
  assign eng_q_o = f_q.d_q;
  always_comb begin
    eng_data_o = '0;
    if (step_q == S_CHECK) begin
      eng_data_o.ctrl = 1'b1;
      eng_data_o.data[CTRL_ROW_END] = f_q.row_end;
      eng_data_o.data[CTRL_STREAM_END] = f_q.stream_end;
    end else if (step_q == S_FLUSH) begin
      eng_data_o.data = {16'd0, r0[15:0]};
    end else begin
      eng_data_o.data[31:16] = f_q.d32 ? result[31:16] : f_q.tag ? r0[15:0] : result[15:0];
      eng_data_o.data[15:0] = f_q.d32 || f_q.tag ? result[15:0] : r0[15:0];
    end
  end

  assign {done_kind_o, done_task_o} = {c_q.done, c_q.task_id};
  assign done_valid_o = step_q == S_SAVE && f_q.save == '0 && c_q.done != DONE_NONE;
  assign row_closed_o = close;
  assign row_closed_written_o = !row_first;
  assign ev_beat_o = step_q == S_FINISH && !stuck;
  assign ev_weight_o = product;
  assign active_o = active != '0;
  assign idle_o = !rst_i && ((step_q == S_IDLE && step_d == S_IDLE) || stuck) && still_q &&
                  !launch_q && !dsr_ok_q && !(dsr_we_i && !dsr_used) && !red_start_o && !ready_q && !sync_q &&
                  halt_i == halt_q && busy_q == red_busy_i && !(refused_q && !tensor_valid_i) &&
                  !row_free_i && row_settled;

  `OW_ASSERT(outq_space, !eng_push_o || room[eng_q_o], "push into a full output queue")

endmodule
