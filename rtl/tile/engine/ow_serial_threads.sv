// SPDX-License-Identifier: Apache-2.0
// Threads of the serial tensor engine: which run, what each waits for, and which one has the turn.
// The turn goes to the next ready thread after the last one that had it. An attempt at a launch
// also moves the round to its thread (thread_i). With 2, 3 or 4 threads, a ready thread has its
// turn after at most 1, 4 or 12 turns of others.
//
//   NumThreads   2 to 4; QueueDepth: slots of an output queue
//   start_i      a launch: the thread that thread_i names, with these flags, descriptors and
//   operation
//   end_i        it is complete, or a fault ends it
//   wait_i       it waits, for for_i of queue q_i; go_i: it has a turn and waits for nothing
//   row_ok_i     the next accumulator row is free
//   any_o, next_o   a thread is ready; the one whose turn it is
//   own_o        input queues that running threads read
//   room_o       output queues that have room
//   dsr_used_o   a running thread uses the descriptor dsr_i
//   state_o      the THREAD word of thread sel_i
module ow_serial_threads
  import ow_pkg::*;
  import ow_serial_pkg::*;
#(
  parameter int unsigned NumThreads = MINI_NUM_THREADS,
  parameter int unsigned QueueDepth = MINI_QUEUE_DEPTH,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [ThreadW-1:0]    thread_i,
  input  logic                  start_i,
  /* verilator lint_off UNUSEDSIGNAL */ // operands; few descriptors
  input  flags_t                flags_i,
  input  tensor_ctl_t           ctl_i,
  input  logic [4:0]            dsr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [6:0]            op_i,
  input  logic                  end_i,
  input  logic                  wait_i,
  input  for_e                  for_i,
  input  logic [2:0]            q_i,
  input  logic                  go_i,
  input  logic                  row_ok_i,
  input  logic [7:0]            inq_valid_i,
  input  logic [7:0][3:0]       outq_level_i,
  output logic [NumThreads-1:0] active_o,
  output logic                  any_o,
  output logic [ThreadW-1:0]    next_o,
  output logic [7:0]            own_o,
  output logic [7:0]            room_o,
  output logic                  dsr_used_o,
  input  logic [3:0]            sel_i,
  output logic [31:0]           state_o
);

  typedef logic [ThreadW-1:0] tid_t;

  logic [NumThreads-1:0]      active_q, met;
  for_e [NumThreads-1:0]      for_q;
  logic [NumThreads-1:0][2:0] queue_q;
  logic [7:0]                 own_q, own;
  // Descriptors; the bit above each number says that it is used.
  logic [NumThreads-1:0][2:0][4:0] dsr_q;
  logic [6:0]                 op_q [4];

  always_comb begin
    for (int unsigned q = 0; q < 8; q++) room_o[q] = outq_level_i[q] < 4'(QueueDepth);
  end

  always_comb begin
    for (int unsigned t = 0; t < NumThreads; t++) begin
      unique case (for_q[t])
        FOR_NOTHING: met[t] = 1'b1;
        FOR_INPUT: met[t] = inq_valid_i[queue_q[t]];
        FOR_OUTPUT: met[t] = room_o[queue_q[t]];
        default: met[t] = row_ok_i;
      endcase
    end
  end

  always_comb begin
    any_o = (active_q & met) != '0;
    next_o = '0;
    for (int unsigned t = NumThreads; t > 0; t--) if (active_q[t-1] && met[t-1]) next_o = tid_t'(t - 1);
    for (int unsigned t = NumThreads; t > 0; t--) begin
      if (active_q[t-1] && met[t-1] && tid_t'(t - 1) > thread_i) next_o = tid_t'(t - 1);
    end
  end

  always_comb begin
    own = '0;
    if (flags_i.a_at == AT_FAB) own[flags_i.a_q] = 1'b1;
    if (flags_i.b_at == AT_FAB) own[flags_i.b_q] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= '0;
      own_q <= '0;
    end else begin
      if (start_i) begin
        active_q[thread_i] <= 1'b1;
        own_q <= own_q | own;
      end
      if (end_i) begin
        active_q[thread_i] <= 1'b0;
        own_q <= own_q & ~own;
      end
    end
    if (start_i || go_i) for_q[thread_i] <= FOR_NOTHING;
    else if (wait_i) for_q[thread_i] <= for_i;
    if (wait_i) queue_q[thread_i] <= q_i;
    if (start_i) begin
      op_q[2'(thread_i)] <= op_i;
      dsr_q[thread_i] <= {1'b1, ctl_i.dst[3:0],
                          flags_i.b_at != AT_IMM, ctl_i.b[3:0],
                          flags_i.a_at != AT_IMM, ctl_i.a[3:0]};
    end
  end
  assign active_o = active_q;
  assign own_o = own_q;

  always_comb begin
    dsr_used_o = 1'b0;
    for (int unsigned t = 0; t < NumThreads; t++) begin
      for (int unsigned k = 0; k < 3; k++) begin
        if (active_q[t] && dsr_q[t][k] == {1'b1, dsr_i[3:0]}) dsr_used_o = 1'b1;
      end
    end
  end

  always_comb begin
    thread_reg_t s;
    tid_t        t;
    s = '{waits: WAIT_NOTHING, default: '0};
    t = tid_t'(sel_i);
    if ({1'b0, sel_i} < 5'(NumThreads) && active_q[t]) begin
      s.active = 1'b1;
      s.operation = op_q[2'(t)];
      if (!met[t]) begin
        s.waits = for_q[t] == FOR_INPUT ? WAIT_INPUT : for_q[t] == FOR_OUTPUT ? WAIT_OUTPUT : WAIT_ROW;
        if (for_q[t] != FOR_ROW) s.queue_no = {1'b0, queue_q[t]};
      end
    end
    state_o = s;
  end

endmodule
