// SPDX-License-Identifier: Apache-2.0
// Tensor engine: threads, and the pipeline that their beats go through.
//
// What it does. An instruction names up to three descriptors and a thread; the thread walks their
// iteration space in beats of up to Lanes elements (docs/isa.md). Each cycle one thread that is
// ready plans one beat. Ready means: fabric operands are there, the output can take a vector, the
// write buffer has a free slot, the accumulator row is free. A thread that is not ready never holds
// the issue.
//
//   ow_engine_front     up to stage I1: what is done next
//     ow_engine_launch    an instruction and its descriptors become a thread's context
//     ow_engine_threads   what is known of each thread, and completion
//     ow_engine_dsr       descriptors                ow_engine_fifos    circular buffers in memory
//     ow_engine_pick      stage I0: which thread     ow_engine_plan     stage I1: its beat
//     ow_engine_issue     stage I1: does it go on    ow_engine_status   counters, why threads wait
//     ow_engine_weights   axpyw, dotw: wavelets and rows
//   ow_engine_back      from stage I2 on: how it is done
//     ow_engine_operands  three streams of lines (ow_engine_stream), elements for the lanes
//     ow_engine_beats     queue of beats, stage M; elements at indices (ow_gather)
//     ow_engine_execute   datapath (ow_datapath, ow_nlf, ow_acc) and the beats in it
//                         (ow_engine_flight)
//     ow_engine_writes    write buffer               ow_engine_output   to the packer (ow_pack)
//
// Pipeline, by the cycle of a beat (docs/architecture.md has the picture):
//   I0  choice of the thread, from a forecast of what its beat needs; its context is read
//   I1  plan, from registers: elements, addresses, lanes, the thread's next walk; bytes with a
//       pending write; the beat enters a queue, or is given up and tried again
//   I2  first SRAM request; the write of a result that waited for none
//   M   the oldest beat, when its lines are there (the cycle after I2 at the earliest): elements
//       enter the lanes (lane = position in the destination's line) and the datapath
//   M+2 addend (accumulator cache, or the destination's line)
//   M+5 result: the accumulator cache, the write buffer or the vector to the output is written
//   M+6 the write buffer writes SRAM; the vector goes through ow_pack
// So beats are planned ahead of their data, and the streams and writes shift against each other
// until they want different banks. Beats of one thread can follow each other in every cycle,
// because stage I1 passes the thread's next walk to itself. A beat that adds to elements of the
// accumulator cache fires 4 cycles after the one that wrote them, a mixed multiply-add after 2.
// Results of reductions and functions come later than others (ow_engine_flight).
//
// Hand-overs, and the cycle in which they can be used:
//   core to launch  the same, from the register after decode. Descriptors are looked up whether or
//                   not an instruction is offered: that signal arrives late
//   launch to core  the next (ready), or the same for simple instructions (quick): ow_engine_launch
//   launch to I0    the next, in the thread table
//   I0 to I1        the next: context, walk, dimensions. If I1 plans a beat of the chosen thread in
//                   this cycle, its walk comes from that plan
//   I1 to I0        the same, early: whether the thread in I1 may end, or its inner vector may
//   I1 onwards      the next: thread table, FIFOs, counters, line requests, write buffer, packer.
//                   All is prepared as if the beat goes, and taken only if it does
//   beats to M      the next, from registers of their own; the same to the gather, which sums rows
//                   of addresses in its first cycle
//   M to results    to the packer the same, or the next if zeros are skipped; to non-linear
//                   functions the next; to ow_engine_flight the next
//   write buffer    to I0 and I1 from a count of free slots in a register; to the memory from
//                   registers
//   memory          read data in the cycle after the grant
//
// Throughput, in cycles per beat: 1 with up to two vectors to read and one to write, 1.5 with three
// to read, at any alignment. Each instruction, and each disturbance by another requestor, costs a
// few cycles more until the streams have shifted apart. A beat that reads bytes with a pending
// write is planned when they are in the SRAM; other threads go on meanwhile. axpyw takes n / Lanes
// beats per weight, at least 2 cycles. A row end costs nothing if it directly follows a weight,
// else 1 cycle. Other control wavelets cost 1 cycle, and so does an end that is not the last beat.
//
// Fabric operands: a wavelet has a pair of 16-bit elements, lower half first; pairs run across
// inner vectors. A control wavelet in a stream that is consumed is taken (1 cycle) and is no
// element. With the stream-end bit it ends the instruction, even one with a length. With two fabric
// operands, the control wavelet of a comes first and does not wait for b.
//
// At a time the engine runs one wavelet-triggered instruction, one that rounds stochastically, and
// one inner vector of a reduction (its partial sums are in the datapath). Launches wait for the
// first two. Threads with a reduction wait between inner vectors. A launch also waits while a queue
// that it reads belongs to a running thread. axpyw, and dotw into the accumulator cache: the ring
// starts at slot 0 with each instruction, and the first beat waits until all rows that were closed
// before have been freed. Row slots are contiguous, dst dimension 0 words each.
//
// drain starts the reducer and is complete for the engine at once; the reducer does the completion
// action. With thread 0 the core goes on in the next cycle.
//
// Order: beats of a thread take effect in order. A source with step 0 must not be a destination of
// the same vector, and a source vector must not overlap a destination ahead of it. If somebody else
// writes a source while an instruction runs, the old or the new value is read.
//
// Errors: fault_o keeps the first fault, with the instruction's pc and the bad address. The thread
// stops, its beats so far take effect, and its completion action does not happen. docs/isa.md has
// the causes. Thread numbers from NumThreads on are fault 1. halt_i stops all issue in the cycle
// after it rises, but up to three later a beat may go whose FIFO addresses are being computed.
//
//   Lanes       16-bit lanes: 2, 4 or 8. Bits do not depend on it
//   SramBytes   size of the SRAM, for the range check; SramBanks its banks, as ow_sram's
//   NumThreads  contexts, 2 to 13; thread 0 is the task thread
//   QueueDepth  slots of an output queue, 2 to 15
//   LineSlots   lines that an operand reads ahead, 4 or 8
//   WriteSlots  slots of the write buffer, 4 to 24
//   PackSlots   vectors on their way to output queues (ow_pack), 9 to 64
//   Small       ow_serial in its place: for area, an element at a time, and few operations
//   Features, Operations   what the tile has, as in the registers of these names. Anything else is
//               an illegal operation, and its units are left out
`include "ow_assert.svh"

module ow_engine
  import ow_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = FULL_SRAM_BANKS,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter int unsigned QueueDepth = FULL_QUEUE_DEPTH,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS,
  parameter int unsigned LineSlots = FULL_LINE_SLOTS,
  parameter int unsigned WriteSlots = FULL_WRITE_SLOTS,
  parameter int unsigned PackSlots = FULL_PACK_SLOTS,
  parameter bit Small = 1'b0,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned RowW = 20 - $clog2(SramBanks),
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  halt_i,       // no thread issues, no instruction is taken

  // Instructions: valid/ready; ready comes from a register, in the cycle after the launch, unless
  // quick has said that an offer is launched at once (ow_engine_launch). here: tensor_i is one,
  // offered or not. sync_done pulses when thread 0's instruction is complete.
  input  logic                  tensor_here_i,
  input  logic                  tensor_valid_i,
  input  tensor_insn_t          tensor_i,
  output logic                  tensor_ready_o,
  output logic                  tensor_quick_o,
  output logic                  tensor_sync_done_o,

  // Descriptors: a write is taken when dsr_ready_o is high. It is low while a running thread uses
  // the descriptor, and for word 1 while an address is saved. A write of word 7, which there is
  // not, waits and is taken like the others. A read, which dsr_re_i asks for, is answered with
  // dsr_rvalid_o, in the same cycle unless the engine is Small.
  input  logic                  dsr_we_i,
  /* verilator lint_off UNUSEDSIGNAL */ // what only one of the two engines looks at
  input  logic                  dsr_re_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [4:0]            dsr_idx_i,
  input  logic [2:0]            dsr_word_i,
  input  logic [31:0]           dsr_wdata_i,
  output logic                  dsr_ready_o,
  output logic                  dsr_rvalid_o,
  output logic [31:0]           dsr_rdata_o,

  // SRAM (ow_sram): grant in the cycle of the request, data in the next.
  output logic                  rd0_req_o,
  output logic [23:0]           rd0_addr_o,
  input  logic                  rd0_gnt_i,
  input  logic                  rd0_rvalid_i,
  input  logic [8*VecBytes-1:0] rd0_rdata_i,
  output logic                  rd1_req_o,
  output logic [23:0]           rd1_addr_o,
  input  logic                  rd1_gnt_i,
  input  logic                  rd1_rvalid_i,
  input  logic [8*VecBytes-1:0] rd1_rdata_i,
  output logic                  wr_req_o,
  output logic                  wr_gives_o,
  output logic [23:0]           wr_addr_o,
  output logic [VecBytes-1:0]   wr_be_o,
  output logic [8*VecBytes-1:0] wr_wdata_o,
  input  logic                  wr_gnt_i,

  // hold_o: an instruction is complete, but its last line is not in the SRAM yet. A requestor that
  // may look for the line there (control plane, fence.i) must not be served. hold_look_o: a write
  // to the line at look_addr_i (0: the core's loads and stores, 1: the reducer) is under way, so
  // that access must wait. host_waits_i: the control plane waits, so hold_o must fall for long
  // enough.
  output logic                  hold_o,
  input  logic                  host_waits_i,
  /* verilator lint_off UNUSEDSIGNAL */ // lines
  input  logic [1:0][23:0]      look_addr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [1:0]            hold_look_o,

  // Gather port of ow_sram.
  output logic [SramBanks-1:0]           gth_req_o,
  output logic [SramBanks-1:0]           gth_we_o,
  output logic [SramBanks-1:0][RowW-1:0] gth_row_o,
  output logic [SramBanks-1:0][7:0]      gth_be_o,
  output logic [SramBanks-1:0][63:0]     gth_wdata_o,
  input  logic [SramBanks-1:0]           gth_gnt_i,
  input  logic [SramBanks-1:0][63:0]     gth_rdata_i,

  // Ramp queues. A queue in inq_owned_o is read by a running thread and by nobody else.
  input  logic [7:0]            inq_valid_i,
  input  ramp_t [7:0]           inq_head_i,
  input  logic [7:0]            inq_more_i,    // the queue holds two wavelets at least
  output logic [7:0]            inq_pop_o,
  output logic [7:0]            inq_owned_o,
  input  logic [7:0]            red_owned_i,   // queues that a running drain reads
  input  logic [7:0][3:0]       outq_level_i,  // elements held
  /* verilator lint_off UNUSEDSIGNAL */ // the engine of beats has every turn
  input  logic                  eng_turn_i,    // Small: a push may go in this cycle
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                  eng_push_o,
  output logic [2:0]            eng_q_o,
  output ramp_t                 eng_data_o,

  // Completion action of one thread.
  output logic                  done_valid_o,
  output logic [1:0]            done_kind_o,
  output logic [4:0]            done_task_o,

  // Reducer: start of a drain; rows of the ring, closed in order (written: at least one product
  // was added, else the row reads as +0); its read port of the accumulator cache.
  output logic                  red_start_o,
  output logic [1:0]            red_start_kind_o,
  output logic [4:0]            red_start_task_o,
  input  logic                  red_busy_i,
  output logic                  row_closed_o,
  output logic                  row_closed_written_o,
  input  logic                  row_free_i,
  input  logic [3:0]            acc_raddr_i,
  output logic [32*Lanes-1:0]   acc_rdata_o,

  // Small: the adder of the reducer.
  output fp_ask_t               fp_o,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic                  fp_ready_i,
  input  logic [31:0]           fp_result_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // State of the random generator (ow_datapath).
  input  logic                  prng_we_i,
  input  logic [1:0]            prng_sel_i,
  input  logic [31:0]           prng_wdata_i,
  output logic [31:0]           prng_rdata_o,
  output logic                  prng_busy_o,  // an instruction that rounds stochastically runs

  // Status. thread_state_o is the THREAD word of thread_sel_i.
  output logic [31:0]           fault_o,       // as ENGINE_FAULT has it
  output logic [31:0]           fault_pc_o,
  output logic [23:0]           fault_addr_o,
  input  logic [3:0]            thread_sel_i,
  output logic [31:0]           thread_state_o,
  // Events of the cycle before: a beat was issued; the last beat of a weight was; the counter of
  // that cycle (beats, a stall, no work).
  output logic                  ev_beat_o,
  output logic                  ev_weight_o,
  output counter_e              cause_o,
  output logic                  active_o,     // a thread has an instruction
  output logic                  idle_o        // nothing changes at this edge, given these inputs
);

  `OW_ASSERT_INIT(lanes_2_4_8, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(threads_2_to_13, NumThreads >= 2 && NumThreads <= 13)
  `OW_ASSERT_INIT(queue_depth, QueueDepth >= 2 && QueueDepth <= 15)

  if (Small) begin : gen_serial
    localparam features_reg_t Tile = Features;
    localparam operations_reg_t Engine = Operations;
    `OW_ASSERT_INIT(serial_lanes, Lanes == 2)
    `OW_ASSERT_INIT(serial_features, !Tile.nonlinear && !Tile.gather && !Tile.fp32 && !Tile.int8 &&
                    !Tile.int32 && !Tile.stochastic && Tile.fifos == '0 && Engine == '0)

    ow_serial #(.SramBytes(SramBytes), .NumThreads(NumThreads), .QueueDepth(QueueDepth),
                .Queues(32'(Tile.queues)), .Dsrs(32'(Tile.dsrs) + 1)) u_serial (
      .clk_i, .rst_i, .halt_i,
      .tensor_valid_i, .tensor_i, .tensor_ready_o, .tensor_sync_done_o,
      .dsr_we_i, .dsr_re_i, .dsr_idx_i, .dsr_word_i, .dsr_wdata_i, .dsr_ready_o, .dsr_rvalid_o,
      .dsr_rdata_o,
      .rd_req_o(rd0_req_o), .rd_addr_o(rd0_addr_o), .rd_gnt_i(rd0_gnt_i), .rd_rdata_i(rd0_rdata_i),
      .wr_req_o, .wr_addr_o, .wr_be_o, .wr_wdata_o, .wr_gnt_i,
      .inq_valid_i, .inq_head_i, .inq_pop_o, .inq_owned_o, .red_owned_i,
      .outq_level_i, .eng_turn_i, .eng_push_o, .eng_q_o, .eng_data_o,
      .done_valid_o, .done_kind_o, .done_task_o,
      .red_start_o, .red_start_kind_o, .red_start_task_o, .red_busy_i,
      .row_closed_o, .row_closed_written_o, .row_free_i, .acc_raddr_i, .acc_rdata_o,
      .fault_o, .fault_pc_o, .fault_addr_o, .thread_sel_i, .thread_state_o,
      .fp_o, .fp_ready_i, .fp_result_i,
      .ev_beat_o, .ev_weight_o, .active_o, .idle_o
    );
    // What is written is in the SRAM when the instruction is complete.
    assign {tensor_quick_o, hold_o, hold_look_o, wr_gives_o, rd1_req_o, rd1_addr_o} = '0;
    assign {gth_req_o, gth_we_o, gth_row_o, gth_be_o, gth_wdata_o} = '0;
    assign {prng_rdata_o, prng_busy_o} = '0;
    assign cause_o = CTR_NO_WORK;
    logic unused;
    assign unused = ^{tensor_here_i, rd0_rvalid_i, rd1_gnt_i, rd1_rvalid_i, rd1_rdata_i, host_waits_i,
                      look_addr_i, gth_gnt_i, gth_rdata_i, inq_more_i, prng_we_i, prng_sel_i,
                      prng_wdata_i};
  end else begin : gen_beats
    localparam int unsigned TagW = 24 - $clog2(VecBytes);  // line number

    // The beat in stage I1, and what it meets.
    logic [2:0]                 rd, two;
    logic [2:0][TagW-1:0]       line;
    logic [2:0][2*VecBytes-1:0] need;
    logic [VecBytes-1:0]        be;
    logic                       hazard, room, src_meets;
    wslot_t                     hazard_slot;
    logic [3:0]                 src_row, thread;
    logic [7:0]                 src_words;
    beat_t                      beat;
    logic [2:0]                 out_q;
    logic                       issue_data, issue_pipe, early_wr, slot, claim;
    logic [31:0]                word;
    // Threads, resources, events.
    logic                       launch;
    logic [NumThreads-1:0]      launch_hot, kill;
    logic                       beats_full, beats_one, wq_full, wq_one, direct, late;
    logic [7:0]                 out_ready, out_more;
    logic [3:0]                 late_soon;
    logic                       idx_fault, head, first, end_mem, end_beat, end_late, end_out;
    logic [3:0]                 idx_fault_thread, end_mem_thread, end_beat_thread, end_late_thread;
    logic [23:0]                idx_fault_addr;
    wslot_t                     head_slot, first_slot;
    logic [ThreadW-1:0]         end_out_thread;
    logic                       front_idle, back_idle;

    ow_engine_front #(.Lanes(Lanes), .SramBytes(SramBytes), .NumThreads(NumThreads),
                      .Features(Features), .Operations(Operations)) u_front (
      .clk_i, .rst_i, .halt_i,
      .tensor_here_i, .tensor_valid_i, .tensor_i, .tensor_ready_o, .tensor_quick_o, .tensor_sync_done_o,
      .dsr_we_i, .dsr_idx_i, .dsr_word_i, .dsr_wdata_i, .dsr_ready_o, .dsr_rdata_o,
      .inq_valid_i, .inq_head_i, .inq_more_i, .inq_pop_o, .inq_owned_o, .red_owned_i,
      .done_valid_o, .done_kind_o, .done_task_o,
      .red_start_o, .red_start_kind_o, .red_start_task_o, .red_busy_i, .row_free_i, .prng_busy_o,
      .fault_o, .fault_pc_o, .fault_addr_o, .thread_sel_i, .thread_state_o,
      .ev_beat_o, .ev_weight_o, .cause_o,
      .rd_o(rd), .line_o(line), .two_o(two), .need_o(need), .be_o(be),
      .hazard_i(hazard), .hazard_slot_i(hazard_slot), .room_i(room),
      .src_row_o(src_row), .src_words_o(src_words), .src_meets_i(src_meets),
      .beat_o(beat), .thread_o(thread), .out_q_o(out_q),
      .issue_data_o(issue_data), .issue_pipe_o(issue_pipe), .early_wr_o(early_wr), .slot_o(slot),
      .claim_o(claim),
      .word_o(word), .launch_o(launch), .launch_hot_o(launch_hot), .kill_o(kill),
      .beats_full_i(beats_full), .beats_one_i(beats_one),
      .wq_full_i(wq_full), .wq_one_i(wq_one), .out_ready_i(out_ready), .out_more_i(out_more),
      .direct_i(direct), .late_i(late), .late_soon_i(late_soon),
      .fault_i(idx_fault), .fault_thread_i(idx_fault_thread), .fault_addr_i(idx_fault_addr),
      .head_i(head), .head_slot_i(head_slot), .first_i(first), .first_slot_i(first_slot),
      .end_mem_i(end_mem), .end_mem_thread_i(end_mem_thread),
      .end_beat_i(end_beat), .end_beat_thread_i(end_beat_thread),
      .end_late_i(end_late), .end_late_thread_i(end_late_thread),
      .end_out_i(end_out), .end_out_thread_i(end_out_thread),
      .active_o, .idle_o(front_idle)
    );

    ow_engine_back #(.Lanes(Lanes), .SramBytes(SramBytes), .SramBanks(SramBanks),
                     .NumThreads(NumThreads), .QueueDepth(QueueDepth), .Features(Features),
                     .Operations(Operations), .LineSlots(LineSlots), .WriteSlots(WriteSlots),
                     .PackSlots(PackSlots)) u_back (
      .clk_i, .rst_i,
      .rd_i(rd), .line_i(line), .two_i(two), .need_i(need), .be_i(be),
      .hazard_o(hazard), .hazard_slot_o(hazard_slot), .room_o(room),
      .src_row_i(src_row), .src_words_i(src_words), .src_meets_o(src_meets),
      .beat_i(beat), .thread_i(thread), .out_q_i(out_q),
      .issue_data_i(issue_data), .issue_pipe_i(issue_pipe), .early_wr_i(early_wr), .slot_i(slot),
      .claim_i(claim),
      .word_i(word), .launch_i(launch), .launch_hot_i(launch_hot), .kill_i(kill),
      .beats_full_o(beats_full), .beats_one_o(beats_one),
      .wq_full_o(wq_full), .wq_one_o(wq_one), .out_ready_o(out_ready), .out_more_o(out_more),
      .direct_o(direct), .late_o(late), .late_soon_o(late_soon),
      .fault_o(idx_fault), .fault_thread_o(idx_fault_thread), .fault_addr_o(idx_fault_addr),
      .head_o(head), .head_slot_o(head_slot), .first_o(first), .first_slot_o(first_slot),
      .end_mem_o(end_mem), .end_mem_thread_o(end_mem_thread),
      .end_beat_o(end_beat), .end_beat_thread_o(end_beat_thread),
      .end_late_o(end_late), .end_late_thread_o(end_late_thread),
      .end_out_o(end_out), .end_out_thread_o(end_out_thread),
      .row_closed_o, .row_closed_written_o,
      .rd0_req_o, .rd0_addr_o, .rd0_gnt_i, .rd0_rvalid_i, .rd0_rdata_i,
      .rd1_req_o, .rd1_addr_o, .rd1_gnt_i, .rd1_rvalid_i, .rd1_rdata_i,
      .wr_req_o, .wr_gives_o, .wr_addr_o, .wr_be_o, .wr_wdata_o, .wr_gnt_i,
      .hold_o, .host_waits_i, .look_addr_i, .hold_look_o,
      .gth_req_o, .gth_we_o, .gth_row_o, .gth_be_o, .gth_wdata_o, .gth_gnt_i, .gth_rdata_i,
      .outq_level_i, .push_o(eng_push_o), .push_q_o(eng_q_o), .push_data_o(eng_data_o),
      .acc_raddr_i, .acc_rdata_o, .prng_we_i, .prng_sel_i, .prng_wdata_i, .prng_rdata_o,
      .idle_o(back_idle)
    );

    assign idle_o = front_idle && back_idle && !prng_we_i && !rst_i;
    assign dsr_rvalid_o = dsr_re_i;
    assign fp_o = '0;
  end

  // ------------------------------------------------------------------------------ assertions --
  `OW_ASSERT(outq_space, !eng_push_o || outq_level_i[eng_q_o] < 4'(QueueDepth),
             "push into a full output queue")
  // The serial engine pops a cycle later: the ramp looks at that, which knows whether it was cleared.
  `OW_ASSERT(pop_valid, Small || (inq_pop_o & ~inq_valid_i) == '0, "pop from an empty input queue")
endmodule
