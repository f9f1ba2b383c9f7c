// SPDX-License-Identifier: Apache-2.0
// Scheduler of the tensor engine: which of the threads that can plan a beat does so.
//
// Combinational choice; a switch costs no cycle. Round robin, with three rules before it:
//   priority   threads with the priority bit go first. After 15 of their turns in a row while
//              others wait, one of the others goes
//   quantum    a thread without fabric operands, once chosen, keeps the other such threads out for
//              up to 32 beats while it is ready: its lines stay in the operand streams
//   fabric     threads with fabric operands take turns with that thread
// No thread starves: each rule is bounded. Threads with the priority bit have a round robin
// pointer, and those without it have another. If n threads are always ready, one without the bit
// goes at least once in 16 * 32 * n choices. If all n have fabric operands it goes once in 16 * n.
//
//   NumThreads   threads
//   ready_i      threads that can go now
//   but_i        threads that cannot go if drop_i. drop_i may arrive late: both choices are made
//   prio_i       threads with the priority bit
//   sticky_i     threads without fabric operands
//   take_i       the choice counts
//   any_o        there is a choice: pick_o, one-hot; its index in thread_o
module ow_engine_sched #(
  parameter int unsigned NumThreads = ow_pkg::FULL_NUM_THREADS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [NumThreads-1:0] ready_i,
  input  logic [NumThreads-1:0] but_i,
  input  logic                  drop_i,
  input  logic [NumThreads-1:0] prio_i,
  input  logic [NumThreads-1:0] sticky_i,
  input  logic                  take_i,
  output logic                  any_o,
  output logic [NumThreads-1:0] pick_o,
  output logic [ThreadW-1:0]    thread_o
);

  typedef logic [NumThreads-1:0] tmask_t;

  // What a choice does to the quantum is worked out in the next cycle, before the choice there.
  tmask_t     pick_q;     // the last choice; taken_q: it was in the cycle before
  logic       taken_q;
  tmask_t     hold_q, hold;        // thread whose quantum runs; with the last choice
  logic [4:0] quantum_q, quantum;
  logic       runs;                // quantum is not 0
  logic       sticks, again;

  assign sticks = taken_q && (pick_q & sticky_i) != '0;
  assign again = quantum_q != 5'd0 && (pick_q & hold_q) != '0;

  always_comb begin
    hold = hold_q;
    quantum = quantum_q;
    runs = quantum_q != 5'd0;
    if (sticks) begin
      hold = pick_q;
      quantum = again ? quantum_q - 5'd1 : 5'd31;
      runs = !(again && quantum_q == 5'd1);
    end
  end

  // While a quantum runs, the other threads of its class without fabric operands stay out.
  function automatic tmask_t but_held(input tmask_t ready, input tmask_t sticky,
                                      input tmask_t held);
    return (ready & held) != '0 ? ready & (held | ~sticky) : ready;
  endfunction

  tmask_t       held;
  tmask_t [1:0] ready, high, low;  // without and with drop_i

  assign held = runs ? hold : '0;

  always_comb begin
    ready = '0;
    high = '0;
    low = '0;
    if (ready_i != '0) begin
      ready = {ready_i & ~but_i, ready_i};
      for (int unsigned s = 0; s < 2; s++) begin
        high[s] = but_held(ready[s] & prio_i, sticky_i, held);
        low[s] = but_held(ready[s] & ~prio_i, sticky_i, held);
      end
    end
  end

  ow_arb_class #(.Width(NumThreads), .Share(16)) u_classes (
    .clk_i, .rst_i, .high_i(high), .low_i(low), .set_i(drop_i), .take_i,
    .any_o, .one_o(pick_o), .index_o(thread_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      taken_q <= 1'b0;
      hold_q <= '0;
      quantum_q <= '0;
    end else begin
      if (taken_q != take_i) taken_q <= take_i;
      if (sticks) begin
        hold_q <= hold;
        quantum_q <= quantum;
      end
    end
    if (take_i) pick_q <= pick_o;
  end

endmodule
