// SPDX-License-Identifier: Apache-2.0
// Which element is next, and when. Closed rows are taken in their order. An element goes to the
// adders (issue_o) when three things hold: everything that is added to it is there, the pipeline
// moves, and the adders have room. Its operands come with it, packed to the front: op_1_o is added
// first. Throughput: an element per cycle, or two (out_o.pair). cause_o says what it waits for.
module ow_reduce_issue
  import ow_pkg::*;
  import ow_reduce_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter bit Bf16 = 1'b1    // results may be rounded to bfloat16
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   start_i,  // a drain begins
  input  logic                   busy_i,
  input  logic                   halt_i,
  /* verilator lint_off UNUSEDSIGNAL */ // the bias's address and the samples are others'
  input  config_t                config_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [4:0]             words_i,

  // Accumulator rows, as in ow_reduce.
  input  logic                   row_closed_i,
  input  logic                   row_closed_written_i,
  output logic                   row_free_o,
  output logic [3:0]             acc_raddr_o,
  input  logic [32*Lanes-1:0]    acc_rdata_i,

  input  logic [NUM_QUEUES-1:0]  inq_valid_i,
  input  ramp_t [NUM_QUEUES-1:0] inq_head_i,
  output logic [NUM_QUEUES-1:0]  inq_pop_o,
  output logic [NUM_QUEUES-1:0]  inq_owned_o,

  input  logic                   bias_valid_i,
  input  logic [31:0]            bias_i,
  output logic                   bias_used_o,   // the row that takes it is done

  // The adders and the output. room_i: for an element with as many additions.
  input  logic                   en_i,
  input  logic [3:0]             room_i,
  input  logic                   to_memory_i,   // the output waits for memory, if it waits
  input  logic                   word_waits_i,  // a memory word waits for its grant
  output logic                   issue_o,
  output logic [1:0]             adds_o,
  output logic [31:0]            elem_o,
  output logic [31:0]            elem_hi_o,     // the element after it (out_o.pair)
  output logic [31:0]            op_1_o,
  output logic [31:0]            op_2_o,
  output out_t                   out_o,

  output logic [15:0]            row_o,         // rows whose elements have all been issued
  output logic                   all_issued_o,
  output reducer_wait_e          cause_o,
  output logic                   step_o         // an element, a row or a wavelet is taken
);
`include "ow_assert.svh"

  localparam int unsigned LaneBits = $clog2(Lanes);

  logic row_end;  // this issue or drop is the row's last
  logic drop;
  logic discard;
  logic issue;
  act_t act;

  // ------------------------------------------------------------------------------ closed rows ----
  logic [4:0]  closed_q;   // rows closed and not yet read
  logic [15:0] written_q;  // their flags, oldest in bit 0
  logic        free_q;

  logic [4:0]  closed_d;
  logic [15:0] written_d;

  always_comb begin
    closed_d = closed_q;
    written_d = written_q;
    if (row_closed_i || row_end) begin
      closed_d = closed_q - {4'd0, row_end};
      written_d = written_q >> row_end;
      if (row_closed_i) written_d[closed_d[3:0]] = row_closed_written_i;
      closed_d = closed_d + {4'd0, row_closed_i};
    end
  end

  always_ff @(posedge clk_i) begin
    free_q <= row_end && !rst_i;
    if (rst_i) begin
      closed_q <= 5'd0;
      written_q <= 16'd0;
    end else begin
      closed_q <= closed_d;
      written_q <= written_d;
    end
  end
  assign row_free_o = free_q;
  `OW_ASSERT(closed_a, !row_closed_i || closed_q < 5'd16, "more rows closed than there are")

  // --------------------------------------------------------------------------------- position ----
  logic [15:0]         row_q;
  logic [15:0]         phase_q;
  logic [3:0]          base_q;  // first accumulator word of the row
  logic [7:0]          ring_row_q;
  logic [3:0]          word_q;
  logic [LaneBits-1:0] lane_q;

  logic [1:0]          which_q;  // the action of phase_q: of lower, equal, greater

  logic                dual;    // two elements at a time
  logic                lane_last;
  logic [LaneBits-1:0] lane_hi;
  logic                word_last;

  assign lane_hi = lane_q | LaneBits'(1);
  assign word_last = word_q == 4'(words_i - 5'd1);
  assign row_o = row_q;
  assign all_issued_o = row_q == config_i.count;
  assign acc_raddr_o = base_q + word_q;

  // The next phase and its action are computed before the row ends.
  logic [15:0] next_phase;
  logic [1:0]  next_which;
  assign next_phase = !busy_i ? config_i.first
                    : phase_q + 16'd1 == config_i.period ? 16'd0 : phase_q + 16'd1;
  assign next_which = next_phase < config_i.pivot ? 2'd0
                    : {1'b0, next_phase} <= {1'b0, config_i.pivot} + {1'b0, config_i.more} ? 2'd1
                                                                                          : 2'd2;

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) row_q <= 16'd0;
    else if (row_end) row_q <= row_q + 16'd1;
    // Until a drain runs, everything but the count of rows is at the start. So start_i, which
    // arrives late, only has to clear that count, which programs can read.
    if (rst_i || !busy_i) begin
      phase_q <= config_i.first;
      which_q <= next_which;
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
        phase_q <= next_phase;
        which_q <= next_which;
        if (ring_row_q + 8'd1 == config_i.ring) begin
          ring_row_q <= 8'd0;
          base_q <= 4'd0;
        end else begin
          ring_row_q <= ring_row_q + 8'd1;
          base_q <= base_q + words_i[3:0];
        end
      end
    end
  end

  // ------------------------------------------------------------------------------------ issue ----
  always_comb begin
    act = '0;
    adds_o = 2'd0;
    drop = 1'b0;
    issue = 1'b0;
    discard = 1'b0;
    dual = 1'b0;
    lane_last = lane_q == LaneBits'(Lanes - 1);
    row_end = 1'b0;
    cause_o = RED_WAIT_NOTHING;
    inq_pop_o = '0;
    if (busy_i) begin
      act = config_i.act[which_q];
      adds_o = {1'b0, act.in0} + {1'b0, act.in1} + {1'b0, act.bias};
      dual = adds_o == 2'd0 && act.f16 &&
             !(act.memory && (config_i.dst_base[1] || config_i.pitch[1]));
      if (dual) lane_last = lane_hi == LaneBits'(Lanes - 1);
      if (halt_i) begin
        cause_o = RED_WAIT_NOTHING;
      end else if (!en_i) begin
        cause_o = to_memory_i ? RED_WAIT_MEMORY : RED_WAIT_OUTPUT;
      end else if (!all_issued_o) begin
        if (closed_q == 5'd0) begin
          cause_o = RED_WAIT_ROW;
        end else if (!act.enable) begin
          drop = 1'b1;
        end else begin
          if (act.in0 && inq_valid_i[act.in0_q] && inq_head_i[act.in0_q].ctrl) begin
            discard = 1'b1;
            inq_pop_o[act.in0_q] = 1'b1;
          end
          if (act.in1 && inq_valid_i[act.in1_q] && inq_head_i[act.in1_q].ctrl) begin
            discard = 1'b1;
            inq_pop_o[act.in1_q] = 1'b1;
          end
          if (!discard) begin
            if (act.in0 && !inq_valid_i[act.in0_q]) cause_o = RED_WAIT_IN0;
            else if (act.in1 && !inq_valid_i[act.in1_q]) cause_o = RED_WAIT_IN1;
            else if (act.bias && !bias_valid_i) cause_o = RED_WAIT_MEMORY;
            else issue = room_i[adds_o];
          end
          if (issue) begin
            if (act.in0) inq_pop_o[act.in0_q] = 1'b1;
            if (act.in1) inq_pop_o[act.in1_q] = 1'b1;
          end
        end
        row_end = drop || (issue && lane_last && word_last);
      end else if (word_waits_i) begin
        cause_o = RED_WAIT_MEMORY;
      end
    end
  end

  // The operands do not depend on whether the element is issued, which arrives late.
  always_comb begin : operands
    logic [31:0] in0, in1;
    elem_o = 32'd0;
    elem_hi_o = 32'd0;
    op_1_o = 32'd0;
    op_2_o = 32'd0;
    in0 = 32'd0;
    in1 = 32'd0;
    if (busy_i && closed_q != 5'd0) begin
      if (written_q[0]) begin
        elem_o = acc_rdata_i[32*lane_q +: 32];
        if (dual) elem_hi_o = acc_rdata_i[32*lane_hi +: 32];
      end
      in0 = inq_head_i[act.in0_q].data;
      in1 = inq_head_i[act.in1_q].data;
      op_1_o = act.in0 ? in0 : act.in1 ? in1 : bias_i;
      op_2_o = act.in0 && act.in1 ? in1 : bias_i;
    end
  end

  assign issue_o = issue;
  assign step_o = issue || drop || discard;
  assign bias_used_o = row_end && !drop && act.bias;
  assign out_o = '{bf16: Bf16 && act.bf16, relu: act.relu, f16: act.f16, memory: act.memory,
                   out_q: act.out_q, odd: lane_q[0] || dual, pair: dual, row_end: row_end};

  always_comb begin
    inq_owned_o = '0;
    if (busy_i) begin
      for (int unsigned i = 0; i < 3; i++) begin
        if (config_i.act[i].enable && config_i.act[i].in0) begin
          inq_owned_o[config_i.act[i].in0_q] = 1'b1;
        end
        if (config_i.act[i].enable && config_i.act[i].in1) begin
          inq_owned_o[config_i.act[i].in1_q] = 1'b1;
        end
      end
    end
  end
endmodule
