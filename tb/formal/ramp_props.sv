// SPDX-License-Identifier: Apache-2.0
// Properties of ow_ramp's injection, with three colours and queues of four wavelets. Free inputs:
// any bindings at any time, any pushes (in their turns for a small ramp), clears at any time, and a
// router that takes any colours in any cycle. An input of the first cycle chooses the output queue
// that is watched, so the properties hold for every one.
//
// If an output queue holds something and the router takes its colour in every cycle, the queue has
// the turn within as many cycles as there are queues (a small ramp: within twice as many). The
// wavelet that has the turn is at the router in the next cycle, with the colour of its queue.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module ramp_props
  import ow_pkg::*;
#(
  parameter int unsigned Queues = 4,
  parameter bit Small = 1'b0,
  localparam int unsigned Colours = 3
) (
  input  logic               clk_i,
  input  logic [2:0]         who_i,
  input  logic [Colours-1:0] space_i,
  input  logic               ej_i,
  input  logic [4:0]         ej_colour_i,
  input  logic               cfg_we_i,
  input  logic [3:0]         cfg_addr_i,
  input  logic [5:0]         cfg_data_i,
  input  logic               clear_i,
  input  logic [7:0]         owned_i,
  input  logic [7:0]         pop_i,
  input  logic [2:0]         push_i,   // by reducer, engine, core
  input  logic [2:0][2:0]    push_q_i,
  output logic               bad_late_o,   // the queue has not had its turn in time
  output logic               bad_sent_o,   // what had the turn is not at the router
  output logic               seen_last_o,  // the queue has its turn at the last moment
  output logic               seen_full_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [1:0] cycle_q;
  logic [2:0] turn, push;
  always_ff @(posedge clk_i) cycle_q <= up_q ? cycle_q + 2'd1 : '0;
  assign push = push_i & turn;

  wavelet_t ej, inj;
  logic [7:0][5:0] bind_out;
  logic [7:0][3:0] level;
  assign ej = '{valid: ej_i, colour: ej_colour_i, ctrl: 1'b0, data: '0};

  ow_ramp #(.NumColours(Colours), .Queues(Queues), .QueueDepth(4), .Small(Small)) u_ramp (
    .clk_i, .rst_i(!up_q), .cycle_i(cycle_q), .ej_i(ej), .ej_ready_o(), .ej_owed_i('0), .inj_o(inj),
    .inj_space_i(space_i), .cfg_we_i, .cfg_addr_i, .cfg_data_i, .clear_i, .inq_owned_i(owned_i),
    .inq_bind_o(), .outq_bind_o(bind_out), .inq_valid_o(), .inq_head_o(), .inq_pop_i(pop_i),
    .outq_ready_o(), .eng_turn_o(turn[1]), .red_turn_o(turn[0]), .core_turn_o(turn[2]),
    .eng_push_i(push[1]), .eng_q_i(push_q_i[1]), .eng_data_i('0),
    .red_push_i(push[0]), .red_q_i(push_q_i[0]), .red_data_i('0),
    .core_push_i(push[2]), .core_q_i(push_q_i[2]), .core_data_i('0),
    .inq_level_o(), .outq_level_o(level), .err_valid_o(), .err_cause_o(), .err_unit_o(),
    .ctr_in_o(), .ctr_out_o(), .idle_o()
  );

  // The watched queue could go; it goes.
  localparam int unsigned Most = Small ? 2 * Queues : Queues;
  localparam int unsigned WhoW = $clog2(Queues);
  logic [WhoW-1:0] who_q;
  logic [5:0] binding;
  logic could, goes, went_q;
  logic [4:0] colour_q;  // colour of what went
  logic [$clog2(Most):0] late_q;  // cycles in which it could have gone
  assign binding = bind_out[3'(who_q)];
  assign could = level[3'(who_q)] != '0 && binding[5] && 32'(binding[4:0]) < Colours &&
                 space_i[binding[1:0]];
  assign goes = u_ramp.inj_one[who_q];
  always_ff @(posedge clk_i) begin
    if (!up_q) who_q <= WhoW'(who_i);
    went_q <= up_q && goes && !clear_i;
    colour_q <= binding[4:0];
    late_q <= up_q && could && !goes && !clear_i ? late_q + 1'b1 : '0;
  end

  assign bad_late_o = up_q && could && !goes && 32'(late_q) == Most - 1;
  assign bad_sent_o = up_q && went_q && (!inj.valid || inj.colour != colour_q);
  assign seen_last_o = up_q && could && goes && 32'(late_q) == Most - 1;
  assign seen_full_o = up_q && level[3'(who_q)] == 4'd4;

endmodule
