// SPDX-License-Identifier: Apache-2.0
// Properties of ow_router's data plane with two colours on given routes and 4-bit data. Neighbours
// send whenever they like and have a credit, and return credits whenever they like. The ramp takes
// what it likes. The control plane is quiet. The model keeps a queue for each output of the route
// of colour 0. Every wavelet must come out there, once and in order.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
//
//   In0, In1    input port of colour 0 and 1 (0 north, 1 east, 2 south, 3 west, 4 ramp)
//   Out0, Out1  outputs of their routes, one bit per port
//   Fences      colour 0 also sends control wavelets with a command
//   Small       the small router
//   Spaced      with the small ramp, which sends in at most one of two cycles
module router_props
  import ow_pkg::*;
#(
  parameter int unsigned In0 = 3,
  parameter int unsigned Out0 = 5'b10010,
  parameter int unsigned In1 = 0,
  parameter int unsigned Out1 = 5'b00010,
  parameter bit Fences = 0,
  parameter bit Small = 0,
  parameter bit Spaced = 0
) (
  input  logic       clk_i,
  input  logic [1:0] send_i,
  input  logic       first_i,       // the colour that goes first if both want one link
  input  logic       ctrl_i,
  input  logic [3:0] data_i,
  input  logic       fence_i,
  input  logic [3:0] back_i,        // a credit back on this link
  input  logic [3:0] back_colour_i,
  input  logic [1:0] ej_ready_i,
  output logic       bad_unpaid_o,    // a wavelet is sent without a credit
  output logic       bad_invented_o,  // a credit comes back that was not spent
  output logic       bad_lost_o,      // a credit does not come back although nothing else happens
  output logic       bad_stray_o,     // a wavelet at an output that is not on its route
  output logic       bad_order_o,     // what comes out differs from what went in, or is out of turn
  output logic       bad_stuck_o,     // a copy is owed and can be sent, but is not
  output logic       seen_full_o,     // the buffer is full, one branch ahead of the other
  output logic       seen_credits_used_up_o,
  output logic       seen_idle_again_o
);

  localparam logic [4:0] Mask0 = 5'(Out0);
  localparam logic [4:0] Mask1 = 5'(Out1);
  localparam logic [1:0] Full = 2'(LINK_CREDITS);

  logic [1:0] phase_q;  // reset, route of colour 0, route of colour 1, run
  initial phase_q = 2'd0;
  always_ff @(posedge clk_i) if (phase_q != 2'd3) phase_q <= phase_q + 2'd1;
  logic run, rst;
  assign run = phase_q == 2'd3;
  assign rst = phase_q == 2'd0;

  link_t [4:0] into;  // [4]: from the ramp
  link_t [3:0] from;
  wavelet_t ej;
  logic [1:0] space, space_q;  // what the ramp may send in the next cycle; in this one
  always_ff @(posedge clk_i) space_q <= rst ? '0 : space;

  // The neighbours. A credit can be spent in the cycle in which it comes.
  logic [1:0][1:0] credit_q, credit;  // credits that the sender of a colour has
  logic [3:0][1:0][1:0] unpaid_q;     // slots taken at a neighbour whose credit has not gone back
  logic [1:0] can, send, refund;
  logic fence;
  assign fence = Fences && fence_i && ctrl_i;
  logic sent_q;  // the ramp sent in the cycle before
  always_ff @(posedge clk_i) sent_q <= (send[0] && In0 == 4) || (send[1] && In1 == 4);
  always_comb begin
    credit[0] = credit_q[0] + 2'(refund[0]);
    credit[1] = credit_q[1] + 2'(refund[1]);
    can[0] = In0 == 4 ? space_q[0] : (fence ? credit[0] == Full : credit[0] != 2'd0);
    can[1] = In1 == 4 ? space_q[1] : credit[1] != 2'd0;
    send = send_i & can & {2{run}};
    if (In0 == In1 && send == 2'b11) send = first_i ? 2'b10 : 2'b01;
    if (Spaced && sent_q) send &= {In1 != 4, In0 != 4};
  end

  logic [32:0] word;
  assign word = {ctrl_i, 4'd0, data_i[3:2], 23'd0, fence, data_i[1:0]};
  always_comb begin
    into = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      if (p == In0 && send[0]) into[p].wavelet = {1'b1, 5'd0, word};
      if (p == In1 && send[1]) into[p].wavelet = {1'b1, 5'd1, 33'd0};
    end
    for (int unsigned p = 0; p < 4; p++) begin
      if (back_i[p] && unpaid_q[p][back_colour_i[p]] != 2'd0) begin
        into[p].credit = {1'b1, 4'd0, back_colour_i[p]};
      end
    end
  end

  logic [31:0] route;
  assign route = route_reg_t'{
      enable: 1'b1,
      position: phase_q == 2'd1 ? '{in_port: 3'(In0), out_mask: Mask0}
                                : '{in_port: 3'(In1), out_mask: Mask1}, default: '0};
  logic idle;

  ow_router #(.NumColours(2), .Small(Small), .Spaced(Spaced)) u_router (
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
    .cfg_addr_i  (phase_q == 2'd1 ? REG_ROUTE : REG_ROUTE + 16'd4),
    .cfg_wdata_i (route),
    .stat_o      (),
    .torn_o      (),
    .hears_o     (),
    .idle_o      (idle)
  );

  // What comes out, by port.
  logic [4:0][1:0] at;  // a wavelet of this colour
  logic [4:0][5:0] is;  // fence, control, data
  always_comb begin
    for (int unsigned p = 0; p < 5; p++) begin : port
      automatic wavelet_t w;
      w = p < 4 ? from[p%4].wavelet : ej;
      at[p] = {w.valid && w.colour == 5'd1, w.valid && w.colour == 5'd0};
      is[p] = {w.ctrl && w.data[25:2] != '0, w.ctrl, w.data[27:26], w.data[1:0]};
    end
    refund[0] = In0 < 4 && from[In0%4].credit.valid && from[In0%4].credit.colour == 5'd0;
    refund[1] = In1 < 4 && from[In1%4].credit.valid && from[In1%4].credit.colour == 5'd1;
  end

  // For each output of the route of colour 0: the wavelets that came in and were not delivered yet.
  logic [4:0][1:0] pending_q;
  logic [4:0][2:0][5:0] queue_q;
  logic [1:0] most;

  always_ff @(posedge clk_i) begin
    if (rst) begin
      credit_q <= {2{Full}};
      unpaid_q <= '0;
      pending_q <= '0;
      queue_q <= '0;
    end else begin
      credit_q[0] <= (fence && send[0]) ? '0 : credit[0] - 2'(send[0]);
      credit_q[1] <= credit[1] - 2'(send[1]);
      for (int unsigned p = 0; p < 4; p++) begin
        for (int unsigned c = 0; c < 2; c++) begin
          unpaid_q[p][c] <= unpaid_q[p][c] - 2'(into[p].credit.valid &&
                                                into[p].credit.colour == 5'(c))
                            + ((at[p][c] && is[p][5]) ? Full : 2'(at[p][c]));
        end
      end
      for (int unsigned p = 0; p < 5; p++) begin
        if (Mask0[p]) begin : follow
          automatic logic [1:0] n;
          n = pending_q[p];
          if (at[p][0] && n != 2'd0) begin
            queue_q[p][0] <= queue_q[p][1];
            queue_q[p][1] <= queue_q[p][2];
            queue_q[p][2] <= '0;
            n = n - 2'd1;
          end
          if (send[0]) begin
            queue_q[p][n] <= {fence, ctrl_i, data_i};
            n = n + 2'd1;
          end
          pending_q[p] <= n;
        end
      end
    end
  end

  always_comb begin
    bad_unpaid_o = 1'b0;
    bad_stray_o = 1'b0;
    bad_order_o = 1'b0;
    bad_stuck_o = 1'b0;
    most = '0;
    seen_full_o = 1'b0;
    for (int unsigned p = 0; p < 5; p++) if (pending_q[p] > most) most = pending_q[p];
    for (int unsigned p = 0; p < 5; p++) begin
      if (p < 4) begin
        for (int unsigned c = 0; c < 2; c++) begin
          if (at[p][c] && (is[p][5] ? unpaid_q[p%4][c] != '0 : unpaid_q[p%4][c] == Full))
            bad_unpaid_o = run;
        end
      end
      if ((at[p][0] && !Mask0[p]) || (at[p][1] && !Mask1[p])) bad_stray_o = run;
      if (Mask0[p]) begin
        if (at[p][0] && (pending_q[p] == 2'd0 || is[p] != queue_q[p][0])) bad_order_o = run;
        if (idle && pending_q[p] != 2'd0 && pending_q[p] == most &&
            (p < 4 ? unpaid_q[p%4][0] == '0 : ej_ready_i[0])) bad_stuck_o = run;
        if (most == 2'd2 && pending_q[p] == 2'd1) seen_full_o = run;
      end
    end
    if ((Mask0 & (Mask0 - 5'd1)) == '0) seen_full_o = run && most == 2'd2;
  end
  assign bad_invented_o = run && ((refund[0] && credit_q[0] == Full) ||
                                  (refund[1] && credit_q[1] == Full));
  assign bad_lost_o = run && idle && pending_q == '0 &&
                      (In0 == 4 ? !space[0] : credit_q[0] != Full);
  assign seen_credits_used_up_o = run && (In0 == 4 ? !space[0] : credit_q[0] == 2'd0);
  assign seen_idle_again_o = run && idle && pending_q == '0 && unpaid_q != '0;

endmodule
