// SPDX-License-Identifier: Apache-2.0
// Route table of a router: ROUTE and SWITCH of every colour, the position of each colour, and the
// moves that commands make (docs/fabric.md, switches).
//
// All colours are read at once, as vectors of one bit per colour. A write takes effect in the next
// cycle, and so does the command of a fence that leaves. A write goes before a move of the same
// cycle. The bits of a colour's register have one common enable, for clock gates.
// Errors: none here. A write to a colour from NumColours on is ignored. A last or current position
// that does not exist becomes the highest one. With one position no colour obeys commands, whatever
// is written: `obey`, the pop mode, `ring` and SWITCH read 0.
//
//   NumColours        data colours, 2 to 24
//   NumPositions      positions of each colour, 1 to 4
//   route_i           ROUTE of this colour is written, one-hot; 0: of none
//   switch_i          the same for SWITCH
//   cfg_wdata_i       what is written
//   selected_i        the colour whose registers are shown, one-hot
//   show_i            route_o, switch_o, to_o and to_out_o are used in this cycle
//   work_i            something may change in this cycle: there is a write, or a fence may leave
//   leave_i           fences that leave in this cycle, by colour
//   op_i              [1], [0]: operation of the head of each colour, bit 1 and 0
//   in_o              [p]: colours whose input is port p
//   out_o             [p]: colours that have output p
//   enable_o, obey_o, mode_o, torn_o  of each colour; mode_o: bits of the pop mode
//   several_o         colours with more than one position
//   moves_o           colours that an advance would move
//   tear_o            a command tears a colour down in this cycle
//   route_o, switch_o  ROUTE and SWITCH of the selected colour, as they are read
//   to_o, to_out_o    input port and outputs of the selected colour after the write of this cycle

`include "ow_assert.svh"

module ow_router_routes
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned NumPositions = NUM_POSITIONS
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [NumColours-1:0] route_i,
  input  logic [NumColours-1:0] switch_i,
  input  logic [31:0]           cfg_wdata_i,
  input  logic [NumColours-1:0] selected_i,
  input  logic                  show_i,
  input  logic                  work_i,
  input  logic [NumColours-1:0] leave_i,
  input  logic [NumColours-1:0] op_i [2],
  output logic [NumColours-1:0] in_o [NUM_PORTS],
  output logic [NumColours-1:0] out_o [NUM_PORTS],
  output logic [NumColours-1:0] enable_o,
  output logic [NumColours-1:0] obey_o,
  output logic [NumColours-1:0] mode_o [2],
  output logic [NumColours-1:0] torn_o,
  output logic [NumColours-1:0] several_o,
  output logic [NumColours-1:0] moves_o,
  output logic                  tear_o,
  output route_reg_t            route_o,
  output switch_reg_t           switch_o,
  output logic [2:0]            to_o,
  output logic [NUM_PORTS-1:0]  to_out_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)
  `OW_ASSERT_INIT(positions_in_range, NumPositions >= 1 && NumPositions <= NUM_POSITIONS)

  typedef logic [NumColours-1:0] colours_t;
  localparam int unsigned WayBits = 8;  // a position as it is kept: input port, outputs
  localparam bit Moves = NumPositions > 1;  // there are switches

  // last0_q, last1_q: bits of the last position in use. at_q [k]: colours on position k; each
  // colour is on one.
  colours_t enable_q, obey_q, mode0_q, mode1_q, ring_q, last0_q, last1_q;
  colours_t at_q [4], at_d [4], torn_q;

  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  route_reg_t new_route;
  switch_reg_t new_switch;
  /* verilator lint_on UNUSEDSIGNAL */
  assign new_route = cfg_wdata_i;
  assign new_switch = cfg_wdata_i;

  // ------------------------------------------------------------------------- current position --
  colours_t first [WayBits], way [WayBits];  // by bit: position 0, the current one
  always_comb begin : current
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      out_o[p] = way[p];
      in_o[p] = (p[0] ? way[5] : ~way[5]) & (p[1] ? way[6] : ~way[6]) & (p[2] ? way[7] : ~way[7]);
    end
  end

  assign enable_o = enable_q;
  assign obey_o = obey_q;
  assign mode_o[0] = mode0_q;
  assign mode_o[1] = mode1_q;
  assign torn_o = torn_q;
  assign several_o = last0_q | last1_q;

  // ------------------------------------------------------------------------------------- moves --
  colours_t on_last, advance, restart, tear;
  assign on_last = (at_q[0] & ~last1_q & ~last0_q) | (at_q[1] & ~last1_q & last0_q) |
                   (at_q[2] & last1_q & ~last0_q) | (at_q[3] & last1_q & last0_q);
  assign moves_o = ~on_last | (ring_q & several_o);
  always_comb begin : commands
    automatic colours_t leave, adv;
    {leave, adv, advance, restart, tear} = '0;
    if (work_i) begin
      leave = leave_i & obey_q;
      adv = leave & ~op_i[1] & op_i[0];
      advance = adv & ~on_last;
      restart = (adv & on_last & ring_q) | (leave & op_i[1] & ~op_i[0]);
      tear = leave & op_i[1] & op_i[0];
    end
  end
  assign tear_o = tear != '0;

  // ---------------------------------------------------------------------------------- registers --
  // A register of the colours in `at`, of which all take the same bit.
  function automatic colours_t load(input colours_t old, input colours_t at, input logic value);
    for (int unsigned c = 0; c < NumColours; c++) load[c] = at[c] ? value : old[c];
  endfunction

  // A position as it is kept, if there is one of this number.
  function automatic logic [WayBits-1:0] kept(input position_t position, input int unsigned number);
    return {position.in_port, position.out_mask} & {WayBits{!rst_i && number < NumPositions}};
  endfunction

  // The highest position there is, if there is none of this number.
  function automatic logic [1:0] near(input logic [1:0] number);
    return 32'(number) < NumPositions ? number : 2'(NumPositions - 1);
  endfunction

  colours_t load_route, load_switch;
  logic [WayBits-1:0] way0, way1, way2, way3;
  assign load_route = route_i | {NumColours{rst_i}};
  assign load_switch = switch_i | {NumColours{rst_i}};
  assign way0 = kept(new_route.position, 0);
  assign way1 = kept(new_switch.position1, 1);
  assign way2 = kept(new_switch.position2, 2);
  assign way3 = kept(new_switch.position3, 3);

  logic [1:0] new_last, new_current;
  assign new_last = near(new_switch.last);
  assign new_current = near(new_switch.current);

  // One register vector per bit of a position, so that the bits of a colour can share an enable.
  for (genvar k = 0; k < WayBits; k++) begin : gen_way
    colours_t way0_q, way1_q, way2_q, way3_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || route_i != '0) way0_q <= load(way0_q, load_route, way0[k]);
      if (rst_i || switch_i != '0) begin
        way1_q <= load(way1_q, load_switch, way1[k]);
        way2_q <= load(way2_q, load_switch, way2[k]);
        way3_q <= load(way3_q, load_switch, way3[k]);
      end
    end
    assign first[k] = way0_q;
    assign way[k] = (way0_q & at_q[0]) | (way1_q & at_q[1]) | (way2_q & at_q[2]) |
                    (way3_q & at_q[3]);
  end

  always_ff @(posedge clk_i) begin : write_route
    if (rst_i || route_i != '0) begin
      enable_q <= load(enable_q, load_route, new_route.enable && !rst_i);
      obey_q <= load(obey_q, load_route, new_route.obey && Moves && !rst_i);
      mode0_q <= load(mode0_q, load_route, new_route.pop_mode[0] && Moves && !rst_i);
      mode1_q <= load(mode1_q, load_route, new_route.pop_mode[1] && Moves && !rst_i);
      ring_q <= load(ring_q, load_route, new_route.ring && Moves && !rst_i);
    end
  end

  always_ff @(posedge clk_i) begin : write_switch
    if (rst_i || switch_i != '0) begin
      last0_q <= load(last0_q, load_switch, new_last[0] && !rst_i);
      last1_q <= load(last1_q, load_switch, new_last[1] && !rst_i);
    end
  end

  always_comb begin : next_position
    automatic colours_t stay;
    automatic logic [1:0] now;
    stay = '0;
    now = new_current & {2{!rst_i}};
    for (int unsigned k = 0; k < 4; k++) at_d[k] = at_q[k];
    if (work_i) begin
      stay = ~(advance | restart | load_switch);
      for (int unsigned k = 0; k < 4; k++) begin
        at_d[k] = (at_q[k] & stay) | (load_switch & {NumColours{now == 2'(k)}}) |
                  (at_q[(k+3)%4] & advance & ~load_switch);
        if (k == 0) at_d[k] |= restart & ~load_switch;
        if (k >= NumPositions) at_d[k] = '0;
        if (!Moves && k == 0) at_d[k] = '1;
      end
    end
  end

  always_ff @(posedge clk_i) begin : positions
    if (work_i) begin
      at_q <= at_d;
      torn_q <= (((torn_q | tear) & ~load_switch) |
                 (load_switch & {NumColours{new_switch.torn && !rst_i}})) & {NumColours{Moves}};
    end
  end

  // --------------------------------------------------------------------------- reading it back --
  always_comb begin : show
    automatic position_t position, zero, to;  // the current one, position 0, that after the write
    route_o = '0;
    switch_o = '0;
    {position, zero, to} = '0;
    if (show_i) begin
      for (int unsigned k = 0; k < 5; k++) begin
        position.out_mask[k] = (way[k] & selected_i) != '0;
        zero.out_mask[k] = (first[k] & selected_i) != '0;
      end
      for (int unsigned k = 0; k < 3; k++) begin
        position.in_port[k] = (way[5+k] & selected_i) != '0;
        zero.in_port[k] = (first[5+k] & selected_i) != '0;
      end
      route_o = '{ring: (ring_q & selected_i) != '0,
                  pop_mode: {(mode1_q & selected_i) != '0, (mode0_q & selected_i) != '0},
                  obey: (obey_q & selected_i) != '0, enable: (enable_q & selected_i) != '0,
                  position: position, default: '0};
      switch_o = '{torn: (torn_q & selected_i) != '0,
                   current: {((at_q[2] | at_q[3]) & selected_i) != '0,
                             ((at_q[1] | at_q[3]) & selected_i) != '0},
                   last: {(last1_q & selected_i) != '0, (last0_q & selected_i) != '0},
                   default: '0};
      if (switch_i != '0) begin
        case (new_current)
          2'd0: to = zero;
          2'd1: to = new_switch.position1;
          2'd2: to = new_switch.position2;
          default: to = new_switch.position3;
        endcase
      end else begin
        to = switch_o.current == 2'd0 ? new_route.position : position;
      end
    end
    to_o = to.in_port;
    to_out_o = to.out_mask;
  end

  `OW_ASSERT(one_register, $onehot0({route_i, switch_i}), "two routes are written at once")

endmodule
