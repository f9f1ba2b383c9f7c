// SPDX-License-Identifier: Apache-2.0
// The router of a tile: five ports (north, east, south, west, ramp), the data colours, their
// filters, and the control plane. docs/fabric.md is the specification.
//
//   ow_router_routes   routes, switch positions, moves
//   ow_router_switch   which wavelets are taken, which go where in this cycle
//   ow_router_credits  credits both ways
//   ow_router_words    the data of the buffers: written by five inputs, read by five outputs
//   ow_router_filter   filters, and commands that keep a wavelet from the ramp
//   ow_ctl_router      the control plane, a router of its own on the same links
//   ow_ctl_serial      the same if Small
//
// Data: each colour has a buffer of two wavelets and one input port at any time. A wavelet that
// arrives at an empty buffer takes part in the arbitration of the outputs in the same cycle. The
// head of a colour goes to each output of its route as soon as this output takes it, and leaves
// when no copy is owed. Each output grants one colour per cycle, round robin.
// Latency: a wavelet on a link input in cycle t is in the output register in cycle t + 1.
// Throughput: one wavelet per cycle and port, also of a single colour. A credit can be spent in the
// cycle in which it arrives, so the credit loop is 2 cycles and two credits sustain the full rate.
// Small trades speed for area. A wavelet from a link goes through a register and is stored first.
// In each cycle one data colour moves, to all outputs that take it, and one word of the control
// plane. Latency t + 3, credit loop 5 cycles.
//
// Switches: a control wavelet on a colour that obeys commands leaves on the position that it found.
// Its command is carried out when its last copy has left. A wavelet whose command field is not 0 is
// a fence: its sender waits for all credits of the colour and spends all of them. They return when
// the fence has left this router, from the input that is selected then. So nothing of its colour is
// after it on the link when the switch moves, and an input that is not selected holds no credits.
//
// Control plane: its words and credits share the links with those of data. If the data plane wants
// an output too, the control plane gets one slot in four. Its credits go before those of data, but
// data credits that wait get one slot in four.
//
// Errors: a wavelet at another port than the selected input is dropped. Its colour stops, and
// RT_MISROUTE shows it, until its route is written. The credit of the wavelet is kept for its port,
// and returns there when a route or a position selects this port. Wavelets of a colour without a
// route wait; they are taken from one port, and the route has to name this port. A route without an
// output discards what arrives. Wavelets of colours from NumColours to 23 are dropped.
// Routes: may be written at any time, and take effect in the next cycle. The colour should be quiet
// (nothing buffered, no credit on its way back). Otherwise the wavelets that it holds follow the
// new route, and copies that were already sent are sent again.
//
// State per colour is kept as vectors of one bit per colour, so one operation works on all colours.
// Some conditions guard work that would give 0 without them: they let a simulator skip it.
//
//   NumColours    data colours, 2 to 24
//   NumFilters    filters, 0 to 6
//   NumPositions  switch positions of a colour, 1 to 4. With 1 there is no SWITCH register, and no
//                 colour obeys commands
//   Small         the small router
//   Spaced        inj_i is never valid in two cycles in a row
//   InputRegs     the registers of the links are at the inputs instead of the outputs (ow_tile)
//   link_*_i/_o   the four links; the outputs are registers, 0 when nothing is sent
//   inj_*         wavelets from the ramp. inj_i may be valid only for a colour whose bit of
//                 inj_space_o was high in the cycle before, so inj_i can be a register. If Spaced,
//                 it must not have been valid in that cycle. inj_space_o depends on registers, on
//                 the register that is written, and if not Spaced on inj_i
//   ej_*          wavelets to the ramp. ej_o is a register. Each bit of ej_ready_i says that the
//                 ramp can take one more of this colour besides the one in ej_o. ej_owed_o: colours
//                 whose head still has to go to the ramp
//   req_*, rsp_*  control plane: requests for the tile (from a register), its responses;
//                 valid/ready
//   ask_*         a request of one word from the tile; valid/ready
//   cfg_*         a write of a ROUTE, SWITCH or FILTER register (docs/memory-map.md), by the word
//                 offset in the tile's registers. The offset is used without a write too
//   stat_o        the word at the offset cfg_addr_i: ROUTE, SWITCH, FILTER or RT_*
//   torn_o        a colour was torn down in the cycle before
//   hears_o       a link input, as the router sees it in this cycle, carries something
//   link_clk_i    clock of the registers at the inputs, if they exist. It may stop while neither
//                 they nor the links carry anything
//   idle_o        no state can change before one of link_*_i, inj_i, ej_ready_i, req_ready_i,
//                 rsp_valid_i, ask_valid_i or cfg_we_i does

`include "ow_assert.svh"

module ow_router
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned NumFilters = NUM_FILTERS,
  parameter int unsigned NumPositions = NUM_POSITIONS,
  parameter bit Small = 1'b0,
  parameter bit Spaced = 1'b0,
  parameter bit InputRegs = 1'b0
) (
  input  logic                    clk_i,
  input  logic                    link_clk_i,
  input  logic                    rst_i,
  input  link_t                   link_n_i,
  input  link_t                   link_e_i,
  input  link_t                   link_s_i,
  input  link_t                   link_w_i,
  output link_t                   link_n_o,
  output link_t                   link_e_o,
  output link_t                   link_s_o,
  output link_t                   link_w_o,
  output logic [NumColours-1:0]   inj_space_o,
  input  wavelet_t                inj_i,
  input  logic [NumColours-1:0]   ej_ready_i,
  output wavelet_t                ej_o,
  output logic [NumColours-1:0]   ej_owed_o,
  output ramp_t                   req_o,
  output logic                    req_brief_o,
  output logic                    req_valid_o,
  input  logic                    req_ready_i,
  input  ramp_t                   rsp_i,
  input  logic                    rsp_valid_i,
  output logic                    rsp_ready_o,
  input  logic [31:0]             ask_i,
  input  logic                    ask_valid_i,
  output logic                    ask_ready_o,
  input  logic                    cfg_we_i,
  input  logic [15:0]             cfg_addr_i,
  input  logic [31:0]             cfg_wdata_i,
  output logic [31:0]             stat_o,
  output logic                    torn_o,
  output logic                    hears_o,
  output logic                    idle_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)

  typedef logic [NumColours-1:0] colours_t;

  // ------------------------------------------------------------------------ registers of links --
  // What the links bring in this cycle, and what goes next. At most one of data and control plane
  // uses a link's word, and at most one its credit.
  link_t link_n, link_e, link_s, link_w;
  link_t data_n, data_e, data_s, data_w, ctl_n, ctl_e, ctl_s, ctl_w;
  link_t next_n, next_e, next_s, next_w;
  logic settled;  // the output registers are 0
  assign next_n = rst_i ? '0 : data_n | ctl_n;
  assign next_e = rst_i ? '0 : data_e | ctl_e;
  assign next_s = rst_i ? '0 : data_s | ctl_s;
  assign next_w = rst_i ? '0 : data_w | ctl_w;
  // A link that carries nothing is all 0, so the valid bits are enough.
  function automatic logic carries(input link_t any);
    return any.wavelet.valid || any.credit.valid;
  endfunction
  assign hears_o = carries(link_n | link_e | link_s | link_w);

  if (InputRegs) begin : gen_inputs
    link_t link_n_q, link_e_q, link_s_q, link_w_q;
    always_ff @(posedge link_clk_i) begin
      link_n_q <= link_n_i;
      link_e_q <= link_e_i;
      link_s_q <= link_s_i;
      link_w_q <= link_w_i;
    end
    assign link_n = link_n_q;
    assign link_e = link_e_q;
    assign link_s = link_s_q;
    assign link_w = link_w_q;
    assign link_n_o = next_n;
    assign link_e_o = next_e;
    assign link_s_o = next_s;
    assign link_w_o = next_w;
    assign settled = 1'b1;
  end else begin : gen_outputs
    link_t link_n_q, link_e_q, link_s_q, link_w_q;
    always_ff @(posedge clk_i) begin
      link_n_q <= next_n;
      link_e_q <= next_e;
      link_s_q <= next_s;
      link_w_q <= next_w;
    end
    assign link_n = link_n_i;
    assign link_e = link_e_i;
    assign link_s = link_s_i;
    assign link_w = link_w_i;
    assign link_n_o = link_n_q;
    assign link_e_o = link_e_q;
    assign link_s_o = link_s_q;
    assign link_w_o = link_w_q;
    assign settled = !carries(link_n_q | link_e_q | link_s_q | link_w_q);
    logic unused_clk;
    assign unused_clk = link_clk_i;
  end

  // What the data plane sees. Small: a wavelet waits in a register for a cycle, because it has come
  // through the muxes of a reticle in this one. Credits come straight, because they are only
  // counted.
  link_t in_n, in_e, in_s, in_w;
  logic waits_in;  // a wavelet is in a register
  if (Small) begin : gen_wait
    wavelet_t wait_n_q, wait_e_q, wait_s_q, wait_w_q;
    always_ff @(posedge clk_i) begin
      wait_n_q <= rst_i ? '0 : link_n.wavelet;
      wait_e_q <= rst_i ? '0 : link_e.wavelet;
      wait_s_q <= rst_i ? '0 : link_s.wavelet;
      wait_w_q <= rst_i ? '0 : link_w.wavelet;
    end
    assign in_n = {link_n.credit, wait_n_q};
    assign in_e = {link_e.credit, wait_e_q};
    assign in_s = {link_s.credit, wait_s_q};
    assign in_w = {link_w.credit, wait_w_q};
    assign waits_in = wait_n_q.valid || wait_e_q.valid || wait_s_q.valid || wait_w_q.valid;
  end else begin : gen_now
    assign in_n = link_n;
    assign in_e = link_e;
    assign in_s = link_s;
    assign in_w = link_w;
    assign waits_in = 1'b0;
  end

  wavelet_t arrive [NUM_PORTS];
  assign arrive[PORT_N] = in_n.wavelet;
  assign arrive[PORT_E] = in_e.wavelet;
  assign arrive[PORT_S] = in_s.wavelet;
  assign arrive[PORT_W] = in_w.wavelet;
  assign arrive[PORT_R] = inj_i;

  // ------------------------------------------------------------------------ the register named --
  logic at_route, at_switch, at_filter, at_limits, at_count, at_credits;
  logic [4:0] cfg_colour;
  logic [2:0] cfg_index;  // of the filter
  colours_t selected, write_route, write_switch;
  /* verilator lint_off UNUSEDSIGNAL */ // positions, reserved bits
  route_reg_t new_route;
  /* verilator lint_on UNUSEDSIGNAL */
  assign new_route = cfg_wdata_i;
  assign at_route = is_reg_route(cfg_addr_i);
  assign at_switch = is_reg_switch(cfg_addr_i);
  assign at_filter = is_reg_filter(cfg_addr_i);
  assign at_limits = is_reg_filter_limits(cfg_addr_i);
  assign at_count = is_reg_filter_count(cfg_addr_i);
  assign at_credits = is_reg_rt_credits(cfg_addr_i);
  assign cfg_colour = at_switch ? reg_switch_index(cfg_addr_i) : reg_route_index(cfg_addr_i);
  assign cfg_index = at_filter ? reg_filter_index(cfg_addr_i)
                   : at_limits ? reg_filter_limits_index(cfg_addr_i)
                               : reg_filter_count_index(cfg_addr_i);
  assign selected = colours_t'(decode(at_route || at_switch, cfg_colour));
  assign write_route = selected & {NumColours{cfg_we_i && at_route}};
  assign write_switch = selected & {NumColours{cfg_we_i && at_switch && NumPositions > 1}};

  // ------------------------------------------------------------------------------------- routes --
  colours_t in [NUM_PORTS], out [NUM_PORTS], mode [2], op [2];
  colours_t enable, obey, torn, several, moves, leave;
  route_reg_t route_word;
  switch_reg_t switch_word;
  logic [2:0] to;
  logic [NUM_PORTS-1:0] to_out;
  logic tear, work;
  ow_router_routes #(.NumColours(NumColours), .NumPositions(NumPositions)) u_routes (
    .clk_i, .rst_i,
    .route_i(write_route), .switch_i(write_switch), .cfg_wdata_i, .selected_i(selected),
    .show_i(at_route || at_switch), .work_i(work), .leave_i(leave), .op_i(op),
    .in_o(in), .out_o(out), .enable_o(enable), .obey_o(obey), .mode_o(mode), .torn_o(torn),
    .several_o(several), .moves_o(moves), .tear_o(tear),
    .route_o(route_word), .switch_o(switch_word), .to_o(to), .to_out_o(to_out)
  );

  // ------------------------------------------------------------------------------------- switch --
  wavelet_t to_ramp;
  logic [31:0] data [NUM_PORTS];
  colours_t at [NUM_PORTS], take [NUM_PORTS], one [NUM_PORTS], credit_some [4], credit_all [4];
  colours_t held, full, push, shift, misrouted, ramp_owed, held_ctrl, held_noce, held_outside;
  colours_t space, take_held, drop_held;
  logic [3:0] without, keep;  // without switches all inputs of a colour are selected
  assign without = new_route.without_credits & {4{NumPositions > 1}};
  assign keep = new_route.keep_credits & {4{NumPositions > 1}};
  logic [NUM_PORTS-1:0] take_fresh, drop_fresh, outside;
  logic [4:0] number;  // of the head at the ramp's turn
  logic [3:0] wants, waits, hold, ctl_return;
  logic can_go, turn, turn_ctrl;

  // Heads whose first command this router takes out of the list: held heads, and arriving wavelets
  // in case they become heads at once.
  always_comb begin : list
    automatic colours_t always_out, none_out, advance_out;
    automatic logic [1:0] now;
    {always_out, none_out, advance_out, now} = '0;
    take_held = '0;
    take_fresh = '0;
    if (obey != '0) begin
      always_out = obey & mode[0] & ~mode[1];
      none_out = obey & mode[0];              // if the first command is none
      advance_out = obey & mode[1] & moves;   // if it is an advance
      take_held = held_ctrl & (always_out | (none_out & ~(op[1] | op[0])) |
                               (advance_out & ~op[1] & op[0]));
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        if (arrive[p].valid && arrive[p].ctrl) begin
          now = command_op(arrive[p].data);
          take_fresh[p] = (at[p] & always_out) != '0 ||
                          (now == 2'd0 && (at[p] & none_out) != '0) ||
                          (now == 2'd1 && (at[p] & advance_out) != '0);
        end
      end
    end
  end

  ow_router_switch #(.NumColours(NumColours), .Small(Small)) u_switch (
    .clk_i, .rst_i,
    .link_n_i(in_n), .link_e_i(in_e), .link_s_i(in_s), .link_w_i(in_w), .inj_i,
    .in_i(in), .out_i(out), .enable_i(enable), .torn_i(torn), .take_held_i(take_held),
    .take_fresh_i(take_fresh), .drop_held_i(drop_held), .drop_fresh_i(drop_fresh),
    .route_i(write_route), .switch_i(write_switch),
    .was_on_i(route_word.enable),
    .route_on_i(at_switch ? route_word.enable : new_route.enable),
    .from_i(route_word.position.in_port), .to_i(to), .to_out_i(to_out),
    .set_credits_i(new_route.set_credits), .without_credits_i(without), .keep_credits_i(keep),
    .hold_i(hold), .ctl_return_i(ctl_return), .ej_ready_i,
    .data_i(data), .held_ctrl_i(held_ctrl), .at_o(at), .take_o(take), .one_o(one),
    .work_o(work),
    .link_n_o(data_n), .link_e_o(data_e), .link_s_o(data_s), .link_w_o(data_w),
    .to_ramp_o(to_ramp), .ramp_valid_o(turn), .ramp_number_o(number), .ramp_ctrl_o(turn_ctrl),
    .wants_o(wants), .waits_o(waits), .held_o(held), .full_o(full), .push_o(push),
    .shift_o(shift), .leave_o(leave), .misrouted_o(misrouted), .ramp_owed_o(ramp_owed),
    .space_o(space), .can_move_o(can_go), .credits_o(credit_some), .all_credits_o(credit_all)
  );
  ow_router_words #(.NumColours(NumColours), .Small(Small)) u_words (
    .clk_i, .link_n_i(in_n), .link_e_i(in_e), .link_s_i(in_s), .link_w_i(in_w), .inj_i,
    .outside_i(outside), .work_i(work), .take_i(take), .push_i(push), .shift_i(shift),
    .tail_i(full), .held_i(held), .one_i(one), .data_o(data), .held_ctrl_o(held_ctrl),
    .held_noce_o(held_noce), .held_outside_o(held_outside), .op_o(op)
  );

  // ------------------------------------------------------------------------------------ filters --
  filter_reg_t filter_word;
  filter_count_reg_t count_word;
  ow_router_filter #(.NumColours(NumColours), .NumFilters(NumFilters)) u_filter (
    .clk_i, .rst_i,
    .filter_i(cfg_we_i && at_filter), .limits_i(cfg_we_i && at_limits),
    .count_i(cfg_we_i && at_count), .index_i(cfg_index), .show_i(at_filter || at_count),
    .cfg_wdata_i, .link_n_i(in_n), .link_e_i(in_e), .link_s_i(in_s), .link_w_i(in_w),
    .inj_i, .at_i(at), .obey_i(obey), .ctrl_i(held_ctrl), .noce_i(held_noce),
    .outside_i(held_outside), .turn_i(turn), .number_i(number), .turn_ctrl_i(turn_ctrl),
    .outside_o(outside), .drop_held_o(drop_held), .drop_fresh_o(drop_fresh),
    .filter_o(filter_word), .count_o(count_word)
  );

  // ------------------------------------------------------------------------------ control plane --
  logic [8:0] ctl_held;
  logic ctl_move;
  if (Small) begin : gen_serial
    ow_ctl_serial u_control (
      .clk_i, .rst_i, .link_n_i(link_n), .link_e_i(link_e), .link_s_i(link_s), .link_w_i(link_w),
      .yield_i(wants), .waits_i(waits), .hold_o(hold), .return_o(ctl_return),
      .link_n_o(ctl_n), .link_e_o(ctl_e), .link_s_o(ctl_s), .link_w_o(ctl_w),
      .req_o, .req_brief_o, .req_valid_o, .req_ready_i, .rsp_i, .rsp_valid_i, .rsp_ready_o,
      .ask_i, .ask_valid_i, .ask_ready_o, .held_o(ctl_held), .move_o(ctl_move)
    );
  end else begin : gen_control
    ow_ctl_router u_control (
      .clk_i, .rst_i, .link_n_i(link_n), .link_e_i(link_e), .link_s_i(link_s), .link_w_i(link_w),
      .yield_i(wants), .waits_i(waits), .hold_o(hold), .return_o(ctl_return),
      .link_n_o(ctl_n), .link_e_o(ctl_e), .link_s_o(ctl_s), .link_w_o(ctl_w),
      .req_o, .req_brief_o, .req_valid_o, .req_ready_i, .rsp_i, .rsp_valid_i, .rsp_ready_o,
      .ask_i, .ask_valid_i, .ask_ready_o, .held_o(ctl_held), .move_o(ctl_move)
    );
  end

  // --------------------------------------------------------------------------- towards the tile --
  wavelet_t ej_q;
  logic torn_event_q;
  always_ff @(posedge clk_i) begin : registers
    // The word is stored without waiting for the filter: only `valid` depends on it.
    ej_q.valid <= to_ramp.valid && !rst_i;
    if (turn) {ej_q.colour, ej_q.ctrl, ej_q.data} <= {to_ramp.colour, to_ramp.ctrl, to_ramp.data};
    torn_event_q <= tear && !rst_i;
  end
  assign ej_o = ej_q;
  assign torn_o = torn_event_q;

  // ------------------------------------------------------------------------------ from the tile --
  // What the ramp may send in the next cycle: a colour whose buffer has a free place now. If the
  // ramp fills this place in this cycle, a second place must be free, and nothing may follow a
  // fence before it has left. Nothing may go to a colour whose route is being written, because the
  // new route need not begin at the ramp.
  colours_t after, entering;
  always_comb begin : enter
    after = '1;
    entering = '0;
    if (inj_i.valid) begin
      entering = colours_t'(decode(1'b1, inj_i.colour));
      if (!Spaced) after = ~entering;
      if (!(inj_i.ctrl && (Small || has_commands(inj_i.data)))) after |= ~held;
    end
  end

  // --------------------------------------------------------------------------------------- idle --
  // A copy for the ramp that no filter drops waits for the ramp.
  logic can_move;
  assign ej_owed_o = ramp_owed & ~drop_held;
  assign inj_space_o = space & (~several | in[PORT_R]) & after &
                       ~(Small ? {NumColours{cfg_we_i}} : write_route | write_switch);
  assign can_move = can_go || (ramp_owed & (drop_held | ej_ready_i)) != '0;
  assign idle_o = !ctl_move && !can_move && !waits_in && !ej_q.valid && !inj_i.valid && !cfg_we_i &&
                  !torn_event_q && settled;

  // ---------------------------------------------------------------------------- reading it back --
  always_comb begin : read_back
    automatic rt_credits_reg_t credits;
    automatic rt_control_reg_t control;
    automatic colours_t some, both;
    automatic logic [3:0] word;  // eight colours a word, four words a port
    credits = '0;
    if (at_credits) begin
      word = reg_rt_credits_index(cfg_addr_i);
      some = '0;
      both = '0;
      for (int unsigned p = 0; p < 4; p++) begin
        if (word[3:2] == 2'(p)) begin
          some |= credit_some[p];
          both |= credit_all[p];
        end
      end
      for (int unsigned c = 0; c < NumColours; c++) begin
        if (word[1:0] == 2'(c / 8)) credits.credits[c%8] = {2'b0, both[c], some[c] && !both[c]};
      end
    end
    control = '{requests: ctl_held[4:0], responses: ctl_held[8:5], default: '0};
    stat_o = '0;
    unique case (1'b1)
      at_route: stat_o = route_word;
      at_switch: stat_o = switch_word;
      at_filter: stat_o = filter_word;
      at_count: stat_o = count_word;
      at_credits: stat_o = credits;
      default: begin
        case (cfg_addr_i)
          REG_RT_OCCUPIED: stat_o = 32'(held);
          REG_RT_MISROUTE: stat_o = 32'(misrouted);
          REG_RT_CONTROL: stat_o = control;
          REG_RT_TORN: stat_o = 32'(torn);
          default: ;
        endcase
      end
    endcase
  end

  // ow_inject_check, which is bound, checks that the ramp injects only where space was promised.
  `OW_ASSERT(space_as_promised, (entering & enable & in[PORT_R] & ~space) == '0,
             "a promise of space to the ramp was not kept")
  `OW_ASSERT(control_colour_inject, !inj_i.valid || inj_i.colour < COLOUR_REQ,
             "the ramp injected on a control colour")
  `OW_ASSERT(owed_is_held, (ej_owed_o & ~held) == '0, "a copy is owed of nothing")

endmodule
