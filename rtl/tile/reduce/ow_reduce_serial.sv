// SPDX-License-Identifier: Apache-2.0
// The reducer for area instead of speed. It does what ow_reduce_issue, ow_reduce_chain,
// ow_reduce_output and ow_reduce_bias do, an element at a time, through one ow_fp_serial. Bits,
// order and errors are the same. A store or a bias beyond memory is reported with the element's
// address.
//
// An element waits until everything that is added to it is there. It goes through the adder once
// for each addition, and once more if it is rounded to binary16. It leaves before the next one
// begins. ow_reduce has the cycles.
//
// The engine shares the adder (eng_fp_*). Each of the two keeps the adder for a whole element. The
// reducer keeps a finished element in a register, so the engine never waits for a queue.
//
// Ports are those of the four modules. done_o: all rows are done, and the last element has left.
// idle_o: it waits for others, or does nothing.
module ow_reduce_serial
  import ow_pkg::*;
  import ow_reduce_pkg::*;
#(
  parameter int unsigned Lanes = MINI_LANES,
  parameter int unsigned SramBytes = MINI_SRAM_BYTES
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   start_i,  // a drain begins
  input  logic                   busy_i,
  input  logic                   halt_i,
  /* verilator lint_off UNUSEDSIGNAL */ // the samples; formats that it has not
  input  config_t                config_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [4:0]             words_i,

  input  logic                   row_closed_i,
  input  logic                   row_closed_written_i,
  output logic                   row_free_o,
  output logic [3:0]             acc_raddr_o,
  input  logic [32*Lanes-1:0]    acc_rdata_i,

  input  logic [NUM_QUEUES-1:0]  inq_valid_i,
  input  ramp_t [NUM_QUEUES-1:0] inq_head_i,
  output logic [NUM_QUEUES-1:0]  inq_pop_o,
  output logic [NUM_QUEUES-1:0]  inq_owned_o,
  input  logic [NUM_QUEUES-1:0]  outq_ready_i,
  input  logic                   red_turn_i,  // a push may go in this cycle
  output logic                   red_push_o,
  output logic [2:0]             red_q_o,
  output ramp_t                  red_data_o,

  output logic                   mem_req_o,
  output logic                   mem_we_o,
  output logic [7:0]             mem_be_o,
  output logic [20:0]            mem_addr_o,  // of 8 bytes
  output logic [63:0]            mem_wdata_o,
  input  logic                   mem_gnt_i,
  input  logic [63:0]            mem_rdata_i,

  input  fp_ask_t                eng_fp_i,
  output logic                   eng_ready_o,
  output logic [31:0]            eng_result_o,

  output logic                   store_bad_o,
  output logic [23:0]            store_addr_o,
  output logic                   bias_bad_o,
  output logic [23:0]            bias_addr_o,
  output logic [15:0]            row_o,
  output logic                   done_o,
  output reducer_wait_e          cause_o,
  output logic                   ev_elem_o,
  output logic                   idle_o
);
`include "ow_assert.svh"

  localparam int unsigned LaneBits = $clog2(Lanes);

  typedef enum logic [2:0] {
    ROW  = 3'd0,  // a row has to be closed
    ELEM = 3'd1,  // what is added to its element has to be there
    BASE = 3'd2,  // the sum so far, the first term
    BIAS = 3'd3,  // the bias is read
    TERM = 3'd4,  // what is added
    SUM  = 3'd5,
    CAST = 3'd6,
    OUT  = 3'd7
  } state_e;

  state_e     state_q, state_d;
  /* verilator lint_off UNUSEDSIGNAL */ // bfloat16
  act_t       act;          // the action of the row
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0] which_q;      // which it is: that of lower, equal, greater
  logic       begins_q;     // a row begins, whose action is not here yet
  logic [2:0] left_q;       // still to be added: bias, in1, in0
  logic       sum_q;        // something has been added
  logic       adds;         // the action adds something
  logic       row_end, drop, leaves;

  always_ff @(posedge clk_i) begin
    begins_q <= (start_i || row_end) && !rst_i;
    if (state_q == ROW) act <= config_i.act[which_q];
  end
  assign adds = act.in0 || act.in1 || act.bias;

  // ------------------------------------------------------------------------------ closed rows ----
  logic [4:0]  closed_q;   // rows closed and not yet read
  logic [15:0] written_q;  // their flags, oldest in bit 0
  logic        free_q;
  logic [4:0]  closed_d;
  logic [15:0] written_d;

  always_comb begin
    closed_d = closed_q - {4'd0, row_end};
    written_d = row_end ? {1'b0, written_q[15:1]} : written_q;
    if (row_closed_i) written_d[closed_d[3:0]] = row_closed_written_i;
    closed_d = closed_d + {4'd0, row_closed_i};
  end

  always_ff @(posedge clk_i) begin
    free_q <= row_end && !rst_i;
    if (rst_i) closed_q <= 5'd0;
    else closed_q <= closed_d;
    written_q <= written_d;
  end
  assign row_free_o = free_q;
  `OW_ASSERT(closed_a, !row_closed_i || closed_q < 5'd16, "more rows closed than there are")

  // --------------------------------------------------------------------------------- position ----
  logic [15:0]         row_q, phase_q;
  logic [3:0]          base_q;  // first accumulator word of the row
  logic [7:0]          ring_row_q;
  logic [3:0]          word_q;
  logic [LaneBits-1:0] lane_q;
  logic                lane_last, word_last, all_done;
  logic [15:0]         next_phase;
  logic [1:0]          next_which;

  assign lane_last = lane_q == '1;
  assign word_last = word_q == 4'(words_i - 5'd1);
  assign all_done = row_q == config_i.count;
  assign row_o = row_q;
  assign acc_raddr_o = base_q + word_q;
  assign next_phase = !busy_i ? config_i.first
                    : phase_q + 16'd1 == config_i.period ? 16'd0 : phase_q + 16'd1;
  assign next_which = next_phase < config_i.pivot ? 2'd0
                    : {1'b0, next_phase} <= {1'b0, config_i.pivot} + {1'b0, config_i.more} ? 2'd1
                                                                                          : 2'd2;
  assign drop = state_q == ROW && busy_i && !halt_i && !all_done && closed_q != '0 && !begins_q &&
                !act.enable;
  assign row_end = drop || (leaves && lane_last && word_last);

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) begin
      row_q <= 16'd0;
      base_q <= 4'd0;
      ring_row_q <= 8'd0;
      word_q <= 4'd0;
      lane_q <= '0;
    end else begin
      if (leaves) begin
        lane_q <= lane_q + 1'b1;
        if (lane_last) word_q <= word_last ? 4'd0 : word_q + 4'd1;
      end
      if (row_end) begin
        row_q <= row_q + 16'd1;
        if (ring_row_q + 8'd1 == config_i.ring) begin
          ring_row_q <= 8'd0;
          base_q <= 4'd0;
        end else begin
          ring_row_q <= ring_row_q + 8'd1;
          base_q <= base_q + words_i[3:0];
        end
      end
    end
    if (start_i || row_end) begin
      phase_q <= next_phase;
      which_q <= next_which;
    end
  end

  // ------------------------------------------------------------------------------------ terms ----
  logic [2:0]  q;           // the queue that is looked at: in0's, then in1's
  ramp_t       head;
  logic        head_valid, second;
  logic [31:0] elem, term, result;
  logic        fp_load, fp_ready;
  logic        bias_out;    // it lies outside memory
  logic [23:0] bias_q;      // address of the row's bias

  assign second = state_q == ELEM ? sum_q : !left_q[0];
  assign q = second ? act.in1_q : act.in0_q;
  assign head = inq_head_i[q];
  assign head_valid = inq_valid_i[q];
  assign elem = written_q[0] ? acc_rdata_i[32*lane_q +: 32] : '0;

  always_comb begin
    term = head.data;
    if (state_q == BASE) term = sum_q ? result : elem;
    else if (state_q == CAST) term = result;
    else if (left_q[1:0] == '0) begin
      term = (bias_q[2] ? mem_rdata_i[63:32] : mem_rdata_i[31:0]) | {32{bias_out}};
    end
  end

  // Which of the two has the adder, each for a whole element.
  logic held_q;             // what leaves is in value_q
  logic wants, mine_q, theirs_q, adder_ready;
  assign wants = !(state_q inside {ROW, ELEM}) && !held_q;
  assign fp_ready = adder_ready && mine_q;
  assign eng_ready_o = adder_ready && theirs_q;
  assign eng_result_o = result;

  // A term comes out of a memory and enters the adder a cycle later.
  logic load_q, keep_q, last_q, wide_q, neg_q, rests;
  logic rests_q;            // in BIAS: the adder waits for the bias
  logic [31:0] term_q;
  assign adder_ready = rests && !load_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mine_q <= 1'b0;
      theirs_q <= 1'b0;
      load_q <= 1'b0;
    end else begin
      mine_q <= wants && !theirs_q;
      theirs_q <= eng_fp_i.want && !mine_q && (theirs_q || !wants);
      load_q <= theirs_q ? eng_fp_i.load : fp_load;
    end
    rests_q <= state_q == BIAS && fp_ready && !(mem_gnt_i && rests_q);
    if (theirs_q || wants) begin
      keep_q <= theirs_q ? eng_fp_i.keep : state_q == TERM;
      last_q <= theirs_q ? eng_fp_i.last : state_q != BASE || !adds;
      wide_q <= !theirs_q || eng_fp_i.wide;
      neg_q <= theirs_q && eng_fp_i.neg;
      term_q <= theirs_q ? eng_fp_i.term : term;
    end
  end

  ow_fp_serial u_fp (
    .clk_i, .rst_i, .load_i(load_q), .keep_i(keep_q), .last_i(last_q), .wide_i(wide_q), .neg_i(neg_q),
    .term_i(term_q), .factor_i(eng_fp_i.factor),
    .narrow_i(theirs_q ? eng_fp_i.narrow : act.f16 && state_q == OUT),
    .ready_o(rests), .result_o(result)
  );

  // ----------------------------------------------------------------------------------- states ----
  logic sent, stores, outside, pairs, room_q;
  logic ask_q, stored_q;  // memory is asked to store it; has taken it
  logic [23:0] elem_addr_q, row_addr_q;  // where the element is stored, and the first one of its row

  // These conditions last for several cycles, so registers may hold them. A promise of outq_ready_i
  // holds for one cycle more.
  always_ff @(posedge clk_i) begin
    outside <= {8'd0, elem_addr_q} >= SramBytes;
    bias_out <= {8'd0, bias_q} >= SramBytes;
    if (state_q == OUT) room_q <= outq_ready_i[act.out_q];
    ask_q <= stores && !outside && !(ask_q && mem_gnt_i) && !rst_i;
    stored_q <= ask_q && mem_gnt_i && !rst_i;
  end
  assign stores = state_q == OUT && held_q && act.memory && !stored_q;
  assign pairs = act.f16 && !lane_q[0];  // it waits for the other one of its pair
  assign sent = act.memory ? stored_q || outside : pairs || (room_q && red_turn_i);
  assign leaves = state_q == OUT && held_q && sent;

  // A pop arrives late, so it leaves from a register one cycle later.
  logic [NUM_QUEUES-1:0] pop, pop_q;
  assign inq_pop_o = pop_q;
  always_ff @(posedge clk_i) pop_q <= rst_i ? '0 : pop;

  always_comb begin
    state_d = state_q;
    cause_o = RED_WAIT_NOTHING;
    fp_load = 1'b0;
    pop = '0;
    unique case (state_q)
      ROW: if (busy_i && !halt_i && !all_done) begin
        if (closed_q == '0) cause_o = RED_WAIT_ROW;
        else if (act.enable && !begins_q) state_d = ELEM;
      end
      // in0's queue, then in1's.
      ELEM: if (!halt_i && pop_q == '0) begin
        if (!(second ? act.in1 : act.in0)) begin
          if (second) state_d = BASE;
        end else if (!head_valid) begin
          cause_o = second ? RED_WAIT_IN1 : RED_WAIT_IN0;
        end else if (head.ctrl) begin
          pop[q] = 1'b1;
        end else if (second) begin
          state_d = BASE;
        end
      end
      BASE: begin
        fp_load = fp_ready;
        if (fp_ready) state_d = !adds ? OUT : left_q[1:0] != '0 || bias_out ? TERM : BIAS;
      end
      BIAS: if (mem_gnt_i && rests_q) state_d = TERM;
      TERM: if (fp_ready) begin
        fp_load = 1'b1;
        if (left_q[1:0] != '0) pop[q] = 1'b1;
        state_d = SUM;
      end
      SUM: if (fp_ready) state_d = left_q != '0 ? BASE : act.f16 ? CAST : OUT;
      CAST: begin
        fp_load = 1'b1;
        state_d = OUT;
      end
      default: begin
        if (held_q && act.memory && !sent) cause_o = RED_WAIT_MEMORY;
        if (held_q && !act.memory && !pairs && !room_q) cause_o = RED_WAIT_OUTPUT;
        if (leaves) state_d = lane_last && word_last ? ROW : ELEM;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) state_q <= ROW;
    else state_q <= state_d;
    // In ELEM: in0 is there.
    if (state_q == ROW || leaves) sum_q <= 1'b0;
    else if (state_q == ELEM && !halt_i && pop_q == '0 && !second &&
             (!act.in0 || (head_valid && !head.ctrl))) sum_q <= 1'b1;
    else if (state_q == ELEM && state_d == BASE) sum_q <= 1'b0;
    else if (state_q == TERM) sum_q <= 1'b1;
    if (state_q == ELEM) left_q <= {act.bias, act.in1, act.in0};
    else if (state_q == TERM && fp_ready) left_q <= left_q & (left_q - 3'd1);
  end

  // ----------------------------------------------------------------------------------- output ----
  logic        zero;        // rectified
  logic [31:0] value, value_q;
  logic [15:0] half_q;      // the first of a pair that goes to the fabric
  assign zero = act.relu && (act.f16 ? value_q[15] : value_q[31]);

  always_comb begin
    value = !adds && !act.f16 && !act.relu ? elem : value_q;
    if (zero) value = '0;
    red_data_o = '{ctrl: 1'b0, data: act.f16 ? {value[15:0], half_q} : value};
    mem_wdata_o = act.f16 ? {4{value[15:0]}} : {2{value}};
    mem_be_o = act.f16 ? 8'h03 << {elem_addr_q[2:1], 1'b0} : elem_addr_q[2] ? 8'hF0 : 8'h0F;
  end
  assign red_q_o = act.out_q;
  assign red_push_o = leaves && !act.memory && (!act.f16 || lane_q[0]);
  assign mem_we_o = ask_q;
  assign mem_req_o = ask_q || rests_q;
  assign mem_addr_o = mem_we_o ? elem_addr_q[23:3] : bias_q[23:3];
  assign store_bad_o = stores && outside;
  assign store_addr_o = elem_addr_q;
  assign bias_bad_o = row_end && !drop && act.bias && bias_out;
  assign bias_addr_o = bias_q;
  assign ev_elem_o = leaves;

  always_ff @(posedge clk_i) begin
    if (state_q == OUT && !held_q) value_q <= result;
    held_q <= state_q == OUT && (held_q || fp_ready) && !leaves && !rst_i;
    if (leaves && !lane_q[0]) half_q <= value[15:0];
    if (start_i) begin
      elem_addr_q <= config_i.dst_base;
      row_addr_q <= config_i.dst_base;
      bias_q <= config_i.bias_base;
    end else begin
      if (leaves && act.memory) begin
        if (row_end) begin
          elem_addr_q <= row_addr_q + {{8{config_i.pitch[15]}}, config_i.pitch};
          row_addr_q <= row_addr_q + {{8{config_i.pitch[15]}}, config_i.pitch};
        end else begin
          elem_addr_q <= elem_addr_q + (act.f16 ? 24'd2 : 24'd4);
        end
      end
      if (row_end && !drop && act.bias) bias_q <= bias_q + 24'd4;
    end
  end

  logic [NUM_QUEUES-1:0] owned, owned_q;
  always_comb begin
    owned = '0;
    for (int unsigned i = 0; i < 3; i++) begin
      if (config_i.act[i].enable) begin
        if (config_i.act[i].in0) owned[config_i.act[i].in0_q] = 1'b1;
        if (config_i.act[i].in1) owned[config_i.act[i].in1_q] = 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) if (start_i) owned_q <= owned;
  assign inq_owned_o = owned_q & {NUM_QUEUES{busy_i}};

  // The states that wait for others.
  logic waits;
  always_comb begin
    unique case (state_q)
      ROW: waits = !drop && !begins_q;
      ELEM: waits = (halt_i || ((second ? act.in1 : act.in0) && !head_valid)) &&
                    left_q == {act.bias, act.in1, act.in0};
      OUT: waits = held_q && !act.memory && !pairs && !room_q && !outq_ready_i[act.out_q];
      default: waits = 1'b0;
    endcase
  end
  assign done_o = busy_i && state_q == ROW && all_done;
  assign idle_o = waits && state_d == state_q && pop_q == '0 && !eng_fp_i.want && !theirs_q && !mine_q &&
                  adder_ready;
endmodule
