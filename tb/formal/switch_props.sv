// SPDX-License-Identifier: Apache-2.0
// Properties of a colour of ow_router that moves, and of the filters in front of the ramp. The
// colour has up to four switch positions. Control wavelets that pass advance, reset and tear down
// the switch, with every pop mode. Colour 1 has a fixed route over the same links. The neighbours
// keep to docs/fabric.md and otherwise do what they like: at each input of a position a neighbour
// sends when it has a credit, and a fence only with all credits.
//
// The model is one list of the wavelets that came in and were not delivered yet. Each entry holds
// the wavelet as it must leave, with the list of commands moved up where the pop mode says so, and
// the outputs that it must go to. These are the outputs of the position after the wavelet before
// it, without the ramp if NOCE or the filter keeps it from there. So each output gets exactly these
// wavelets in the order in which they came, whatever the position.
//
// With Relations set, every bad_* is also high in two more cases, which proofs by induction need.
// One: the count of a filter differs from that of the model, which counts when a wavelet comes and
// not when it has the ramp's turn. Two: a wavelet that still waits for that turn is not due as the
// filter's state says. Seeded bugs are searched without it.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
//
//   Way0 ... Way3     positions of colour 0 as in ROUTE: input port (3 bits), outputs (5 bits)
//   Last, Ring, Pop   the last position, ring mode, pop mode
//   Obeys             it carries out commands
//   In1, Out1         route of colour 1
//   Filter            0 none, 1 counter, 2 sparse counter, 3 index range; on colour 0
module switch_props
  import ow_pkg::*;
#(
  parameter int unsigned Way0 = 8'b011_10010,
  parameter int unsigned Way1 = 8'b000_00010,
  parameter int unsigned Way2 = 0,
  parameter int unsigned Way3 = 0,
  parameter int unsigned Last = 1,
  parameter bit Ring = 1,
  parameter int unsigned Pop = 0,
  parameter bit Obeys = 1,
  parameter int unsigned In1 = 2,
  parameter int unsigned Out1 = 5'b00010,
  parameter int unsigned Filter = 0,
  parameter bit Relations = 1'b1
) (
  input  logic       clk_i,
  input  logic [4:0] from_i,        // ports that want to send on colour 0
  input  logic       ctrl_i,
  input  logic [2:0] slot0_i,       // the first command of its list
  input  logic [1:0] slot1_i,       // the second one
  input  logic [3:0] data_i,
  input  logic       other_i,       // something on colour 1
  input  logic [3:0] back_i,        // a credit back on this link
  input  logic [3:0] back_colour_i,
  input  logic [1:0] ej_ready_i,
  output logic       bad_unpaid_o,    // a wavelet is sent without a credit, a fence without all
  output logic       bad_invented_o,  // a credit comes back that was not spent, or to the wrong input
  output logic       bad_lost_o,      // a credit does not come back although nothing else happens
  output logic       bad_misroute_o,  // the colour was stopped
  output logic       bad_order_o,     // what comes out at a link is not what is due there
  output logic       bad_ramp_o,      // the same at the ramp
  output logic       bad_stuck_o,     // a copy is owed and can be sent, but is not
  output logic       seen_moved_o,    // something left on the last position
  output logic       seen_returned_o, // something left on position 0 after a move
  output logic       seen_dropped_o,  // a copy was kept from the ramp, and the next one was not
  output logic       seen_idle_again_o
);

  localparam logic [3:0][7:0] Way = {8'(Way3), 8'(Way2), 8'(Way1), 8'(Way0)};
  localparam logic [4:0] Mask1 = 5'(Out1);
  localparam logic [1:0] Full = 2'(LINK_CREDITS);
  localparam logic [1:0] End = 2'(Last);

  // Ports that are an input in some position.
  function automatic logic [4:0] inputs();
    inputs = '0;
    for (int unsigned k = 0; k <= Last; k++) inputs[Way[k][7:5]] = 1'b1;
  endfunction
  localparam logic [4:0] Inputs = inputs();
  localparam logic [2:0] First = Way[0][7:5];
  localparam logic [4:0] Kept = Inputs & ~(5'd1 << First);

  // Reset, six writes, run.
  logic [2:0] phase_q;
  initial phase_q = 3'd0;
  always_ff @(posedge clk_i) if (phase_q != 3'd7) phase_q <= phase_q + 3'd1;
  logic run, rst;
  assign run = phase_q == 3'd7;
  assign rst = phase_q == 3'd0;

  // A position in the format of Way.
  function automatic position_t position(input logic [7:0] way);
    return '{in_port: way[7:5], out_mask: way[4:0]};
  endfunction

  logic [15:0] cfg_addr;
  logic [31:0] cfg_data;
  always_comb begin
    cfg_addr = REG_RT_MISROUTE;  // nothing to write: this register is read
    cfg_data = '0;
    case (phase_q)
      3'd1: begin
        cfg_addr = REG_SWITCH;
        cfg_data = switch_reg_t'{last: End, position1: position(Way[1]), position2: position(Way[2]),
                                 position3: position(Way[3]), default: '0};
      end
      3'd2: begin
        cfg_addr = REG_ROUTE;
        cfg_data = route_reg_t'{set_credits: 1'b1, keep_credits: Kept[3:0], ring: Ring,
                                pop_mode: 2'(Pop), obey: Obeys, enable: 1'b1,
                                position: position(Way[0]), default: '0};
      end
      3'd3: begin
        cfg_addr = REG_ROUTE + 16'd4;  // of colour 1
        cfg_data = route_reg_t'{enable: 1'b1, position: position({3'(In1), Mask1}), default: '0};
      end
      3'd4: begin
        cfg_addr = REG_FILTER_LIMITS;
        case (Filter)
          1: cfg_data = filter_limits_reg_t'{high: 16'd0, low: 16'd2};  // the first of three
          // The third, then every second.
          2: cfg_data = filter_limits_reg_t'{high: 16'd1, low: 16'd2};
          // Data bits 27:26 are 1 or 2.
          default: cfg_data = filter_limits_reg_t'{high: 16'h0800, low: 16'h0400};
        endcase
      end
      3'd5: begin
        cfg_addr = REG_FILTER;  // counts data and control wavelets, drops both
        cfg_data = filter_reg_t'{filter_ctrl: 1'b1, count_ctrl: 1'b1, count_data: 1'b1,
                                 kind: 2'(Filter - 1), enable: Filter != 0, default: '0};
      end
      3'd6: cfg_addr = REG_FILTER_COUNT;  // 0
      default: ;
    endcase
  end

  // The neighbours. A credit can be spent in the cycle in which it comes.
  logic [3:0][1:0] credit_q, credit;  // colour 0, by link
  logic [1:0] other_q, other;         // colour 1
  logic [3:0][1:0][1:0] unpaid_q;     // slots taken at a neighbour whose credit has not gone back
  logic [3:0] refund;
  logic other_refund;
  link_t [4:0] into;  // [4]: from the ramp
  link_t [3:0] from;
  wavelet_t ej;
  logic [1:0] space, space_q;  // what the ramp may send in the next cycle; in this one
  always_ff @(posedge clk_i) space_q <= rst ? '0 : space;
  logic [31:0] word;
  logic fence, sent, send1;
  logic [4:0] send;

  assign word = {4'd0, data_i[3:2], ctrl_i ? {18'd0, 1'b0, slot1_i, slot0_i} : 24'd0, data_i[1:0]};
  assign fence = ctrl_i && {slot1_i, slot0_i} != '0;
  always_comb begin
    send = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      credit[p] = credit_q[p] + 2'(refund[p]);
      if (fence ? credit[p] == Full : credit[p] != 2'd0) send[p] = run && from_i[p] && Inputs[p];
    end
    send[4] = run && from_i[4] && Inputs[4] && space_q[0];
    sent = send != '0;
    other = other_q + 2'(other_refund);
    send1 = run && other_i && (In1 == 4 ? space_q[1] : other != 2'd0) && !send[In1];
  end

  always_comb begin
    into = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      if (p == In1 && send1) into[p].wavelet = {1'b1, 5'd1, 33'd0};
      if (send[p]) into[p].wavelet = {1'b1, 5'd0, ctrl_i, word};
    end
    for (int unsigned p = 0; p < 4; p++) begin
      if (back_i[p] && unpaid_q[p][back_colour_i[p]] != 2'd0) begin
        into[p].credit = {1'b1, 4'd0, back_colour_i[p]};
      end
    end
  end

  logic idle;
  logic [31:0] stat;
  ow_router #(.NumColours(2)) u_router (
    .clk_i,
    .link_clk_i  (clk_i),
    .rst_i       (rst),
    .link_n_i    (into[0]),
    .link_e_i    (into[1]),
    .link_s_i    (into[2]),
    .link_w_i    (into[3]),
    .link_n_o    (from[0]),
    .link_e_o    (from[1]),
    .link_s_o    (from[2]),
    .link_w_o    (from[3]),
    .inj_space_o (space),
    .inj_i       (into[4].wavelet),
    .ej_ready_i,
    .ej_owed_o   (),
    .ej_o        (ej),
    .req_o       (),
    .req_brief_o (),
    .req_valid_o (),
    .req_ready_i (1'b0),
    .rsp_i       ('0),
    .rsp_valid_i (1'b0),
    .rsp_ready_o (),
    .ask_i       ('0),
    .ask_valid_i (1'b0),
    .ask_ready_o (),
    .cfg_we_i    (!rst && !run),
    .cfg_addr_i  (cfg_addr),
    .cfg_wdata_i (cfg_data),
    .stat_o      (stat),
    .torn_o      (),
    .hears_o     (),
    .idle_o      (idle)
  );

  // What comes out, by port.
  typedef struct packed {
    logic       ctrl;
    logic [1:0] high;   // data bits 27:26
    logic [2:0] slot7;
    logic [2:0] slot6;
    logic [2:0] slot1;
    logic [2:0] slot0;
    logic [1:0] low;
  } seen_t;
  function automatic seen_t look(input logic ctrl, input logic [31:0] d);
    return {ctrl, d[27:26], d[25:23], d[22:20], d[7:5], d[4:2], d[1:0]};
  endfunction

  logic [4:0][1:0] at;
  logic [4:0] fence_at;
  seen_t [4:0] is;
  logic unlike;  // data that nobody sent
  always_comb begin
    unlike = 1'b0;
    for (int unsigned p = 0; p < 5; p++) begin : port
      automatic wavelet_t w;
      w = p < 4 ? from[p%4].wavelet : ej;
      at[p] = {w.valid && w.colour == 5'd1, w.valid && w.colour == 5'd0};
      fence_at[p] = w.ctrl && w.data[25:2] != '0;
      is[p] = look(w.ctrl, w.data);
      if (at[p][0] && (w.data[31:28] != '0 || w.data[19:8] != '0)) unlike = 1'b1;
      if (w.valid && w.colour > 5'd1) unlike = 1'b1;
    end
    for (int unsigned p = 0; p < 4; p++) begin
      refund[p] = from[p].credit.valid && from[p].credit.colour == 5'd0;
    end
    other_refund = In1 < 4 && from[In1%4].credit.valid && from[In1%4].credit.colour == 5'd1;
  end

  // The model.
  logic [1:0] pos_q;
  logic torn_q, moved_q;
  logic [7:0] way;
  assign way = pos_q == 2'd3 ? Way[3] : pos_q == 2'd2 ? Way[2] : pos_q == 2'd1 ? Way[1] : Way[0];

  // The wavelet that comes: where it must go, how it leaves, what it moves.
  logic [4:0] due;
  logic [31:0] leaves;
  logic [1:0] pos_next, pop;
  logic moves, passes;
  logic [1:0] count_q;  // of the filter
  logic later_q;        // the sparse counter is past the first wavelet that it let through
  assign pop = 2'(Pop);
  always_comb begin
    pos_next = pos_q;
    moves = 1'b0;
    if (Obeys && ctrl_i && slot0_i[1:0] == 2'd1) begin
      pos_next = pos_q != End ? pos_q + 2'd1 : Ring ? 2'd0 : pos_q;
      moves = pos_next != pos_q;
    end
    if (Obeys && ctrl_i && slot0_i[1:0] == 2'd2) pos_next = 2'd0;
    leaves = word;
    if (Obeys && ctrl_i && (pop == 2'd1 || (pop[1] && moves) ||
                            (pop == 2'd3 && slot0_i[1:0] == 2'd0))) begin
      leaves = {word[31:26], word[4:2], word[25:5], word[1:0]};
    end
    case (Filter)
      1: passes = count_q == 2'd0;
      2: passes = count_q == (later_q ? 2'd1 : 2'd2);
      3: passes = ctrl_i || data_i[3:2] == 2'd1 || data_i[3:2] == 2'd2;
      default: passes = 1'b1;
    endcase
    due = way[4:0];
    if (!passes || (Obeys && ctrl_i && slot0_i[2])) due[4] = 1'b0;
  end

  // Wavelets that came in and were not delivered yet, the oldest first.
  seen_t [2:0] list_q, list;
  logic [2:0][4:0] owed_q, owed;
  logic [4:0] wrong;
  always_comb begin
    list = list_q;
    owed = owed_q;
    wrong = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      if (at[p][0]) begin
        if (owed_q[0][p]) begin
          wrong[p] = is[p] != list_q[0];
          owed[0][p] = 1'b0;
        end else if (owed_q[1][p]) begin
          wrong[p] = is[p] != list_q[1];
          owed[1][p] = 1'b0;
        end else if (owed_q[2][p]) begin
          wrong[p] = is[p] != list_q[2];
          owed[2][p] = 1'b0;
        end else begin
          wrong[p] = 1'b1;
        end
      end
      if (at[p][1] && !Mask1[p]) wrong[p] = 1'b1;
    end
    for (int unsigned k = 0; k < 2; k++) begin
      if (owed[0] == '0) begin
        owed = {5'd0, owed[2:1]};
        list = {seen_t'('0), list[2:1]};
      end
    end
    if (sent) begin
      for (int unsigned k = 0; k < 3; k++) begin
        if (owed[k] == '0 && (k == 0 || owed[k>0?k-1:0] != '0)) begin
          owed[k] = due;
          list[k] = due == '0 ? '0 : look(ctrl_i, leaves);
          break;
        end
      end
    end
  end

  logic kept_q, passed_q;  // for the covers
  always_ff @(posedge clk_i) begin
    if (rst) begin
      for (int unsigned p = 0; p < 4; p++) credit_q[p] <= First == 3'(p) ? Full : '0;
      other_q <= Full;
      unpaid_q <= '0;
      pos_q <= '0;
      torn_q <= 1'b0;
      moved_q <= 1'b0;
      count_q <= '0;
      later_q <= 1'b0;
      list_q <= '0;
      owed_q <= '0;
      kept_q <= 1'b0;
      passed_q <= 1'b0;
    end else begin
      for (int unsigned p = 0; p < 4; p++) begin
        credit_q[p] <= !send[p] ? credit[p] : fence ? '0 : credit[p] - 2'd1;
        for (int unsigned c = 0; c < 2; c++) begin
          unpaid_q[p][c] <= unpaid_q[p][c] - 2'(into[p].credit.valid &&
                                                into[p].credit.colour == 5'(c))
                            + ((at[p][c] && c == 0 && fence_at[p]) ? Full : 2'(at[p][c]));
        end
      end
      other_q <= other - 2'(send1);
      list_q <= list;
      owed_q <= owed;
      if (sent) begin
        pos_q <= pos_next;
        if (pos_next != pos_q) moved_q <= 1'b1;
        if (Obeys && ctrl_i && slot0_i[1:0] == 2'd3) torn_q <= 1'b1;
        if (Filter == 1 && way[4]) count_q <= count_q == 2'd2 ? 2'd0 : count_q + 2'd1;
        if (Filter == 2 && way[4]) begin
          count_q <= passes ? 2'd0 : count_q + 2'd1;
          if (passes) later_q <= 1'b1;
        end
        if (way[4] && !due[4]) kept_q <= 1'b1;
        passed_q <= kept_q && due[4];
      end
    end
  end

  // The filter of the router, and the wavelets in the list that have not had their turn at the
  // ramp: the last ones.
  logic broken;
  always_comb begin : relations
    automatic logic [1:0] held, unseen, count;
    automatic logic later, pass;
    broken = 1'b0;
    held = 2'(owed_q[0] != '0) + 2'(owed_q[1] != '0) + 2'(owed_q[2] != '0);
    unseen = 2'(u_router.u_switch.head_valid_q[0]) + 2'(u_router.u_switch.tail_valid_q[0]) -
             2'(u_router.u_switch.head_valid_q[0] && !u_router.u_switch.owe_q[PORT_R][0]);
    count = u_router.u_filter.gen_filters.counts[0][1:0];
    later = u_router.u_filter.gen_filters.lows[0] == 16'd1;
    if (Filter == 1 || Filter == 2) begin
      broken = u_router.u_filter.gen_filters.counts[0] > 16'd2 || held < unseen;
      if (Filter == 2) begin
        broken |= u_router.u_filter.gen_filters.lows[0] != 16'd1 &&
                  u_router.u_filter.gen_filters.lows[0] != 16'd2;
        broken |= later && count > 2'd1;
      end
      for (int unsigned j = 0; j < 2; j++) begin
        if (unseen > 2'(j)) begin
          pass = Filter == 1 ? count == 2'd0 : count == (later ? 2'd1 : 2'd2);
          for (int unsigned k = 0; k < 3; k++) begin
            if (2'(k) == held - unseen + 2'(j) && owed_q[k][4] != pass) broken = 1'b1;
          end
          if (Filter == 2 && pass) later = 1'b1;
          count = (Filter == 1 ? count == 2'd2 : pass) ? 2'd0 : count + 2'd1;
        end
      end
      broken |= count != count_q || (Filter == 2 && later != later_q);
    end
    broken &= Relations && run;
  end

  logic [2:0] selected;
  assign selected = way[7:5];
  always_comb begin
    bad_unpaid_o = broken;
    bad_stuck_o = broken;
    bad_invented_o = broken || (other_refund && other_q == Full && run);
    for (int unsigned p = 0; p < 4; p++) begin
      for (int unsigned c = 0; c < 2; c++) begin
        if (at[p][c] && ((c == 0 && fence_at[p]) ? unpaid_q[p][c] != '0
                                                 : unpaid_q[p][c] == Full)) bad_unpaid_o = run;
      end
      if (idle && owed_q[0][p] && unpaid_q[p][0] == '0) bad_stuck_o = run;
      // An input that is not selected never gets a credit and never holds one.
      if (refund[p] && (credit_q[p] == Full || selected != 3'(p) || torn_q)) bad_invented_o = run;
      if (credit_q[p] != '0 && selected != 3'(p)) bad_invented_o = run;
    end
    if (idle && owed_q[0][4] && ej_ready_i[0]) bad_stuck_o = run;
  end
  assign bad_lost_o = broken || (run && idle && owed_q == '0 && !torn_q &&
                      (selected == 3'd4 ? !space[0] : credit_q[selected[1:0]] != Full));
  assign bad_misroute_o = broken || (run && stat != '0);
  assign bad_order_o = broken || (run && (wrong[3:0] != '0 || unlike));
  assign bad_ramp_o = broken || (run && wrong[4]);
  logic any_out;
  assign any_out = {at[4][0], at[3][0], at[2][0], at[1][0], at[0][0]} != '0;
  assign seen_moved_o = run && any_out && pos_q == End && (moved_q || Last == 0) && sent;
  assign seen_returned_o = run && any_out && pos_q == 2'd0 && (moved_q || Last == 0) && sent;
  assign seen_dropped_o = run && passed_q;
  assign seen_idle_again_o = run && idle && owed_q == '0 && unpaid_q != '0 &&
                             (moved_q || Last == 0);

endmodule
