// SPDX-License-Identifier: Apache-2.0
// Scheduler of the tensor engine: which of the threads that can issue a beat does so.
//
// Combinational choice; no cycle is lost by a switch. Round robin, with three rules before it:
//   priority   threads with the priority bit go first, but each 16th time in a row that others
//              wait, one of those goes
//   quantum    a thread without fabric operands, once chosen, keeps the other such threads out for
//              up to 32 beats while it is ready: its lines stay in the operand streams
//   fabric     threads with fabric operands take turns with that thread
// Starvation-free: each rule is bounded, and the round robin serves whoever is left.
//
//   NumThreads   threads
//   ready_i      threads that can issue now
//   prio_i       threads with the priority bit
//   sticky_i     threads without fabric operands
//   take_i       the chosen one issues, or tried to and found that it has to wait
//   pick_o       the chosen one, one-hot; index in thread_o
module ow_engine_sched #(
  parameter int unsigned NumThreads = 13,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [NumThreads-1:0] ready_i,
  input  logic [NumThreads-1:0] prio_i,
  input  logic [NumThreads-1:0] sticky_i,
  input  logic                  take_i,
  output logic                  any_o,
  output logic [NumThreads-1:0] pick_o,
  output logic [ThreadW-1:0]    thread_o
);

  typedef logic [NumThreads-1:0] tmask_t;

  tmask_t     rr_q;       // threads after the one that was chosen last
  tmask_t     hold_q;     // thread whose quantum runs
  logic [4:0] quantum_q;
  logic [3:0] favour_q;   // times in a row that priority went first

  logic prio_first;

  always_comb begin : choose
    tmask_t cand;
    cand = '0;
    pick_o = '0;
    thread_o = '0;
    prio_first = 1'b0;
    any_o = ready_i != '0;
    if (any_o) begin
      cand = ready_i;
      if ((cand & prio_i) != '0 && (cand & ~prio_i) != '0) begin
        prio_first = favour_q != 4'd15;
        cand = prio_first ? cand & prio_i : cand & ~prio_i;
      end
      if ((cand & hold_q) != '0 && quantum_q != 5'd0) cand = cand & ~(sticky_i & ~hold_q);
      if ((cand & rr_q) != '0) cand = cand & rr_q;
      pick_o = cand & (~cand + tmask_t'(1));
      for (int unsigned t = 0; t < NumThreads; t++) begin
        if (pick_o[t]) thread_o = thread_o | ThreadW'(t);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rr_q <= '0;
      hold_q <= '0;
      quantum_q <= '0;
      favour_q <= '0;
    end else if (take_i) begin
      rr_q <= ~(pick_o | (pick_o - tmask_t'(1)));
      favour_q <= prio_first ? favour_q + 4'd1 : 4'd0;
      if ((pick_o & sticky_i) != '0) begin
        hold_q <= pick_o;
        quantum_q <= pick_o != hold_q || quantum_q == 5'd0 ? 5'd31 : quantum_q - 5'd1;
      end
    end
  end

endmodule
