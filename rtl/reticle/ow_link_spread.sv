// SPDX-License-Identifier: Apache-2.0
// Spreads the data of a group of lanes around up to two faulty lanes. Data bit d is on lane d below
// the lower faulty lane, on d + 1 between the two, and on d + 2 above the higher one. Lanes that
// are left over are 0.
// Latency 0, except that the map is registered; it must not change while frames are sent. Errors:
// none.
//
//   Data            data lanes of the group, at most 32
//   lo_i, hi_i      lower and higher faulty lane, 63 if there is none (lo_i is used first)
//   data_i, lane_o  the data; what the lanes carry

module ow_link_spread
  import ow_link_pkg::*;
#(
  parameter int unsigned Data = 32,
  localparam int unsigned Lanes = Data + SPARES
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [5:0]            lo_i,
  input  logic [5:0]            hi_i,
  input  logic [Data-1:0]       data_i,
  output logic [Lanes-1:0]      lane_o
);

  typedef logic [Lanes-1:0] group_t;

  // Lanes above the lower and above the higher faulty one. They are registers, because the map is
  // static.
  group_t above_lo_q, above_hi_q, bad_q;

  function automatic group_t above(input logic [5:0] lane);
    return lane >= 6'(Lanes) ? '0 : ({Lanes{1'b1}} << lane) << 1;
  endfunction
  function automatic group_t at(input logic [5:0] lane);
    return lane >= 6'(Lanes) ? '0 : group_t'(1) << lane;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      above_lo_q <= '0;
      above_hi_q <= '0;
      bad_q <= '0;
    end else begin
      above_lo_q <= above(lo_i);
      above_hi_q <= above(hi_i);
      bad_q <= at(lo_i) | at(hi_i);
    end
  end

  assign lane_o = ((group_t'(data_i) & ~above_lo_q) |
                   ({1'b0, data_i, 1'b0} & above_lo_q & ~above_hi_q) |
                   ({data_i, 2'b0} & above_hi_q)) & ~bad_q;

endmodule
