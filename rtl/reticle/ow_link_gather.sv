// SPDX-License-Identifier: Apache-2.0
// Gathers the data of a group of lanes around up to two faulty lanes. Data bit d is on lane d below
// the lower faulty lane, on d + 1 between the two, and on d + 2 above the higher one.
// Latency 0, except that the map is registered; it must not change while frames are sent. Errors:
// none.
//
//   Data            data lanes of the group, at most 32
//   lo_i, hi_i      lower and higher faulty lane, 63 if there is none (lo_i is used first)
//   lane_i, data_o  what the lanes carry; the data

module ow_link_gather
  import ow_link_pkg::*;
#(
  parameter int unsigned Data = 32,
  localparam int unsigned Lanes = Data + SPARES
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [5:0]            lo_i,
  input  logic [5:0]            hi_i,
  input  logic [Lanes-1:0]      lane_i,
  output logic [Data-1:0]       data_o
);

  typedef logic [Lanes-1:0] group_t;

  // Lanes above the lower and above the higher faulty one. They are registers, because the map is
  // static.
  /* verilator lint_off UNUSEDSIGNAL */
  group_t above_lo_q, above_hi_q;  // the lowest lanes are above none
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic group_t above(input logic [5:0] lane);
    return lane >= 6'(Lanes) ? '0 : ({Lanes{1'b1}} << lane) << 1;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      above_lo_q <= '0;
      above_hi_q <= '0;
    end else begin
      above_lo_q <= above(lo_i);
      above_hi_q <= above(hi_i);
    end
  end

  // Bit d comes from lane d without faults, from d + 1 if this lane or a lower one is the lower
  // faulty lane, and from d + 2 if d + 1 or a lower lane is the higher faulty one.
  logic [Data-1:0] by1, by2;
  assign by1 = above_lo_q[Data:1];
  assign by2 = above_hi_q[Lanes-1:2];
  assign data_o = (lane_i[Data-1:0] & ~by1) | (lane_i[Data:1] & by1 & ~by2) |
                  (lane_i[Lanes-1:2] & by2);

endmodule
