// SPDX-License-Identifier: Apache-2.0
// Properties of the lane maps of a link. ow_link_gather recovers what ow_link_spread puts on a
// group's lanes, whatever the faulty lanes do, for every pair of faulty lanes, for one and for
// none.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module link_lanes_props #(
  parameter int unsigned Data = 32,  // data lanes of the group
  localparam int unsigned Lanes = Data + 2
) (
  input  logic        clk_i,
  input  logic [5:0]  lo_i,
  input  logic [5:0]  hi_i,
  input  logic [Data-1:0] data_i,
  input  logic [Lanes-1:0] noise_i,  // on the faulty lanes
  output logic        bad_data_o,    // something else was gathered
  output logic        bad_driven_o,  // a faulty lane is driven
  output logic        seen_two_o,
  output logic        seen_neighbours_o,
  output logic        seen_last_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  // The maps take effect one cycle after their inputs.
  logic [5:0] lo, hi, lo_q, hi_q;
  logic set_q;
  always_comb begin
    lo = 6'd63;
    hi = 6'd63;
    if (lo_i < 6'(Lanes)) begin
      lo = lo_i;
      if (hi_i > lo_i && hi_i < 6'(Lanes)) hi = hi_i;
    end
  end
  always_ff @(posedge clk_i) begin
    lo_q <= lo;
    hi_q <= hi;
    set_q <= up_q;
  end

  logic [Lanes-1:0] lanes, wires, faulty;
  logic [Data-1:0] data;
  assign faulty = (lo_q < 6'(Lanes) ? Lanes'(1) << lo_q : '0) |
                  (hi_q < 6'(Lanes) ? Lanes'(1) << hi_q : '0);
  assign wires = (lanes & ~faulty) | (noise_i & faulty);

  ow_link_spread #(.Data(Data)) u_spread (
    .clk_i,
    .rst_i (!up_q),
    .lo_i  (lo),
    .hi_i  (hi),
    .data_i,
    .lane_o(lanes)
  );
  ow_link_gather #(.Data(Data)) u_gather (
    .clk_i,
    .rst_i (!up_q),
    .lo_i  (lo),
    .hi_i  (hi),
    .lane_i(wires),
    .data_o(data)
  );

  logic live;
  assign live = up_q && set_q;
  assign bad_data_o = live && data != data_i;
  assign bad_driven_o = live && (lanes & faulty) != '0;
  assign seen_two_o = live && hi_q < 6'(Lanes) && noise_i == '1 && data_i == '0 && hi_q > lo_q + 6'd5;
  assign seen_neighbours_o = live && hi_q == lo_q + 6'd1;
  assign seen_last_o = live && hi_q == 6'(Lanes - 1) && lo_q == 6'(Lanes - 2);

endmodule
