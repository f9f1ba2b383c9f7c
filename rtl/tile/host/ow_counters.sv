// SPDX-License-Identifier: Apache-2.0
// The tile's counters (docs/memory-map.md). They are exact although an idle tile is not clocked:
// events are counted as they happen; from the counter of a duration cycle_i is taken away when its
// cause begins, and added when it ends or when it is read.
//
// ev_*: events of this cycle. eng_cause_i, asleep_i, red_wait_i: causes that are timed.
// read_i, index_i -> value_o: a counter, combinational; 0 while read_i is low or if it is not there.
// idle_o: no register changes at this clock edge.
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

  localparam int unsigned NumCounters = 13;

  if (All) begin : gen_all
    logic [47:0] cnt_q [NumCounters];
    counter_e    eng_cause_q;
    logic        asleep_q, red_wait_q;
    // By counter: an event; its duration goes on, as of the last cycle and as of this one.
    logic [NumCounters-1:0] events, runs_q, runs_d;
    logic [47:0] value;
    logic        runs;

    always_comb begin
      events = '0;
      events[CTR_BEATS] = ev_beat_i;
      events[CTR_REDUCER_ELEMENTS] = ev_red_elem_i != 2'd0;
      events[CTR_INSTRUCTIONS] = ev_retire_i;
      events[CTR_WAVELETS_IN] = ev_in_i;
      events[CTR_WAVELETS_OUT] = ev_out_i;
      events[CTR_WEIGHTS] = ev_weight_i;
      runs_d = '0;
      runs_q = '0;
      for (int unsigned k = 1; k < NumCounters; k++) begin
        runs_d[k] = eng_cause_i == counter_e'(k);
        runs_q[k] = eng_cause_q == counter_e'(k);
      end
      runs_d[CTR_ASLEEP] = asleep_i;
      runs_q[CTR_ASLEEP] = asleep_q;
      runs_d[CTR_REDUCER_WAIT] = red_wait_i;
      runs_q[CTR_REDUCER_WAIT] = red_wait_q;
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        for (int unsigned k = 0; k < NumCounters; k++) begin
          cnt_q[k] <= k == 32'(CTR_NO_WORK) ? -cycle_i : 48'd0;
        end
        eng_cause_q <= CTR_NO_WORK;
        asleep_q <= 1'b0;
        red_wait_q <= 1'b0;
      end else begin
        eng_cause_q <= eng_cause_i;
        asleep_q <= asleep_i;
        red_wait_q <= red_wait_i;
        for (int unsigned k = 0; k < NumCounters; k++) begin
          if (events[k]) begin
            cnt_q[k] <= cnt_q[k] +
                (k == 32'(CTR_REDUCER_ELEMENTS) ? {46'd0, ev_red_elem_i} : 48'd1);
          end else if (runs_d[k] != runs_q[k]) begin
            cnt_q[k] <= cnt_q[k] + (cycle_i ^ {48{runs_d[k]}}) + {47'd0, runs_d[k]};
          end
        end
      end
    end

    always_comb begin
      value = '0;
      runs = 1'b0;
      if (read_i) begin
        for (int unsigned k = 0; k < NumCounters; k++) begin
          if (index_i == 4'(k)) begin
            value = cnt_q[k];
            runs = runs_q[k];
          end
        end
      end
      value_o = value + (cycle_i & {48{runs}});
    end

    assign idle_o = events == '0 && runs_d == runs_q;
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
