// SPDX-License-Identifier: Apache-2.0
// Scheduler of the tensor engine: which of the threads that can plan a beat does so.
//
// Combinational choice; no cycle is lost by a switch. Round robin, with three rules before it:
//   priority   threads with the priority bit go first, but each 16th time in a row that others
//              wait, one of those goes
//   quantum    a thread without fabric operands, once chosen, keeps the other such threads out for
//              up to 32 beats while it is ready: its lines stay in the operand streams
//   fabric     threads with fabric operands take turns with that thread
// Starvation-free: each rule is bounded, and threads with and without the priority bit take turns
// among themselves, each class by a pointer of its own. So of n threads that are always ready, one
// without the bit goes at least once in 16 * 32 * n choices, and once in 16 * n if none of them is
// without fabric operands.
//
//   NumThreads   threads
//   ready_i      threads that can go now
//   prio_i       threads with the priority bit
//   sticky_i     threads without fabric operands
//   take_i       the choice counts
//   any_o        there is a choice: pick_o, one-hot; its index in thread_o
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

  tmask_t     hold_q;     // thread whose quantum runs
  logic [4:0] quantum_q;

  // While a quantum runs, the other threads of its class without fabric operands stay out.
  function automatic tmask_t but_held(input tmask_t ready, input tmask_t sticky,
                                      input tmask_t held);
    return (ready & held) != '0 ? ready & (held | ~sticky) : ready;
  endfunction

  tmask_t held, high, low;

  always_comb begin
    held = quantum_q != 5'd0 ? hold_q : '0;
    high = '0;
    low = '0;
    if (ready_i != '0) begin
      high = but_held(ready_i & prio_i, sticky_i, held);
      low = but_held(ready_i & ~prio_i, sticky_i, held);
    end
  end

  ow_arb_class #(.Width(NumThreads), .Share(16)) u_classes (
    .clk_i, .rst_i, .high_i(high), .low_i(low), .take_i,
    .any_o, .one_o(pick_o), .index_o(thread_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      hold_q <= '0;
      quantum_q <= '0;
    end else if (take_i && (pick_o & sticky_i) != '0) begin
      hold_q <= pick_o;
      quantum_q <= pick_o != hold_q || quantum_q == 5'd0 ? 5'd31 : quantum_q - 5'd1;
    end
  end

endmodule
