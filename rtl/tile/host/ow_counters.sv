// SPDX-License-Identifier: Apache-2.0
// The tile's counters (docs/memory-map.md). They are exact although an idle tile is not clocked.
// Events are counted as they happen. A duration counter subtracts cycle_i when its cause begins,
// and adds it when the cause ends or the counter is read. Latency: an event counts from the next
// cycle on. Throughput: every event of every cycle.
//
//   ev_*             events of this cycle
//   eng_cause_i, asleep_i, red_wait_i  causes that are timed
//   read_i, index_i  a read: value_o is that counter, combinational; 0 while read_i is low or if it
//                    is not there
//   idle_o           no register changes at this clock edge
`include "ow_assert.svh"

module ow_counters
  import ow_pkg::*;
#(
  parameter bit All = 1'b1  // else consumed weights only, which programs look at
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [47:0] cycle_i,  // read only at clock edges that have another reason to happen
  input  logic        ev_beat_i,
  input  logic [1:0]  ev_red_elem_i,
  input  logic        ev_retire_i,
  input  logic        ev_in_i,
  input  logic        ev_out_i,
  input  logic        ev_weight_i,
  input  counter_e    eng_cause_i,  // CTR_BEATS: busy; a stall, or no work: the time counts there
  input  logic        asleep_i,
  input  logic        red_wait_i,
  input  logic        read_i,
  input  logic [3:0]  index_i,
  output logic [47:0] value_o,
  output logic        idle_o
);

  if (All) begin : gen_all
    // Events: the low bits of each counter are registers. Their carries wait in due_q until the one
    // adder adds them to the memory of high bits, which moves only in a cycle that has events
    // anyway. A counter carries again after 2 ** (LowW - 1) of its own events at the earliest, and
    // by then the others have carried twice at most.
    localparam int unsigned Events = 6;
    localparam int unsigned LowW = 5;
    localparam int unsigned HighW = 48 - LowW;
    localparam counter_e EventOf [Events] = '{CTR_BEATS, CTR_REDUCER_ELEMENTS, CTR_INSTRUCTIONS,
                                              CTR_WAVELETS_IN, CTR_WAVELETS_OUT, CTR_WEIGHTS};

    // a + b - c, with one carry through all bits.
    function automatic logic [47:0] difference(input logic [47:0] a, b, c);
      return (a ^ b ^ ~c) + ((((a & b) | (a & ~c) | (b & ~c)) << 1) | 48'd1);
    endfunction

    logic [Events-1:0][1:0]      events;
    logic [Events-1:0][LowW-1:0] low_q, low_d;
    logic [Events-1:0]           carry, due_q, carried_q;  // carried_q: its high bits are in memory
    logic [HighW-1:0]            high_q [Events];
    logic [2:0]                  put;      // the counter whose carry is put there
    logic                        put_now;

    always_comb begin
      events = {{1'b0, ev_weight_i}, {1'b0, ev_out_i}, {1'b0, ev_in_i}, {1'b0, ev_retire_i},
                ev_red_elem_i, {1'b0, ev_beat_i}};
      for (int unsigned e = 0; e < Events; e++) begin
        {carry[e], low_d[e]} = {1'b0, low_q[e]} + (LowW + 1)'(events[e]);
      end
      put = '0;
      for (int unsigned e = Events; e > 0; e--) if (due_q[e-1]) put = 3'(e - 1);
      put_now = events != '0 && due_q != '0;
    end

    always_ff @(posedge clk_i) begin
      if (put_now) high_q[put] <= (carried_q[put] ? high_q[put] : '0) + HighW'(1);
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        low_q <= '0;
        due_q <= '0;
        carried_q <= '0;
      end else if (events != '0) begin
        low_q <= low_d;
        due_q <= (due_q & ~(Events'(put_now) << put)) | carry;
        carried_q <= carried_q | (Events'(put_now) << put);
      end
    end

    // The engine's state: one cause at a time. Its time is added when it ends.
    logic [47:0] spent_q [CTR_STALL_INPUT:CTR_NO_WORK];
    logic [CTR_NO_WORK:CTR_STALL_INPUT] spent_there_q;
    logic [47:0] since_q;
    counter_e    cause_q;
    logic        cause_ends;
    assign cause_ends = eng_cause_i != cause_q;

    always_ff @(posedge clk_i) begin
      if (cause_ends && cause_q != CTR_BEATS) begin
        spent_q[cause_q[2:0]] <= difference(spent_there_q[cause_q[2:0]] ? spent_q[cause_q[2:0]] : '0,
                                            cycle_i, since_q);
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        cause_q <= CTR_NO_WORK;
        since_q <= cycle_i;
        spent_there_q <= '0;
      end else if (cause_ends) begin
        cause_q <= eng_cause_i;
        since_q <= cycle_i;
        if (cause_q != CTR_BEATS) spent_there_q[cause_q[2:0]] <= 1'b1;
      end
    end

    // The other two causes, asleep and waiting, begin and end at any time. Their change arrives
    // last, so it only enables these registers.
    logic [1:0][47:0] time_q;
    logic [1:0]       runs_d, runs_q;
    assign runs_d = {red_wait_i, asleep_i};

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        time_q <= '0;
        runs_q <= '0;
      end else begin
        for (int unsigned k = 0; k < 2; k++) begin
          if (runs_d[k] != runs_q[k]) begin
            runs_q[k] <= runs_d[k];
            time_q[k] <= 48'(({time_q[k], 1'b1} + {cycle_i ^ {48{!runs_q[k]}}, !runs_q[k]}) >> 1);
          end
        end
      end
    end

    // A counter is its kept value, plus the time for which its cause has lasted.
    logic [47:0] kept, from, more;
    always_comb begin
      kept = '0;
      more = '0;
      from = '0;
      if (read_i) begin
        for (int unsigned e = 0; e < Events; e++) begin
          if (index_i == EventOf[e]) begin
            kept = {carried_q[e] ? high_q[e] : '0, low_q[e]};
            more[LowW] = due_q[e];
          end
        end
        for (int unsigned k = 32'(CTR_STALL_INPUT); k <= 32'(CTR_NO_WORK); k++) begin
          if (index_i == 4'(k)) kept = spent_there_q[k] ? spent_q[k] : '0;
        end
        if (index_i == cause_q && cause_q != CTR_BEATS) {more, from} = {cycle_i, since_q};
        for (int unsigned k = 0; k < 2; k++) begin
          if (index_i == (k == 0 ? CTR_ASLEEP : CTR_REDUCER_WAIT)) begin
            kept = time_q[k];
            more = runs_q[k] ? cycle_i : '0;
          end
        end
      end
    end
    assign value_o = difference(kept, more, from);

    assign idle_o = events == '0 && !cause_ends && runs_d == runs_q;

    `OW_ASSERT(cause_is_timed, eng_cause_i <= CTR_NO_WORK, "no such cause")
    `OW_ASSERT(carry_is_put, rst_i || (carry & due_q & ~(Events'(put_now) << put)) == '0,
               "a counter carries again before its carry is in memory")
  end else begin : gen_weights
    logic [47:0] weights_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) weights_q <= '0;
      else if (ev_weight_i) weights_q <= weights_q + 48'd1;
    end
    assign value_o = read_i && index_i == CTR_WEIGHTS ? weights_q : '0;
    assign idle_o = !ev_weight_i;
    logic unused;
    assign unused = ^{cycle_i, ev_beat_i, ev_red_elem_i, ev_retire_i, ev_in_i, ev_out_i, eng_cause_i,
                      asleep_i, red_wait_i};
  end

endmodule
