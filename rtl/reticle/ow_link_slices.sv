// SPDX-License-Identifier: Apache-2.0
// A sender's beats on fewer lanes than a beat has bits: slice by slice, the highest bits first. The
// CRC is computed from what goes, in the same steps, and takes its place at the end of the frame.
// Latency 0, a slice per cycle. Errors: an assertion reports a second beat that has a CRC already.
//
//   Slice      bits of a slice: 8 or 16
//   pos_i      cycle of the frame
//   beat_i     a beat, in the first cycle of its time; a second one with 0 for its CRC
//   sending_i  it is not idle
//   slice_o    what the data lanes carry, 0 if idle
//   busy_o     a frame is being sent, or was until a few cycles ago

`include "ow_assert.svh"

module ow_link_slices
  import ow_link_pkg::*;
#(
  parameter int unsigned Slice = 8,
  localparam int unsigned Slices = BEAT / Slice,
  localparam int unsigned CycleW = $clog2(2 * Slices)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic [CycleW-1:0] pos_i,
  input  beat_t             beat_i,
  input  logic              sending_i,
  output logic [Slice-1:0]  slice_o,
  output logic              busy_o
);

  `OW_ASSERT_INIT(slices_make_the_sum, Slice == 8 || Slice == 16)

  localparam int unsigned CrcSlices = 16 / Slice;
  localparam logic [CycleW-1:0] Second = CycleW'(Slices);
  localparam logic [CycleW-1:0] Last = CycleW'(2 * Slices - CrcSlices);

  logic [BEAT-Slice-1:0] left_q;  // the rest of the beat
  logic [15:0] crc_q, sum;        // of the slices before, times x^16
  logic first_q, second_q;        // the beats of the frame are not idle
  logic begins, is_crc;
  logic [Slice-1:0] data, high;
  assign begins = pos_i[CycleW-2:0] == '0;
  assign is_crc = pos_i >= Last;
  assign data = begins ? beat_i[BEAT-1-:Slice] : left_q[BEAT-Slice-1-:Slice];
  assign sum = pos_i == '0 ? '0 : crc_q;
  assign high = sum[15-:Slice] ^ data;
  assign slice_o = !is_crc ? data : second_q ? ~crc_q[15-:Slice] : '0;
  assign busy_o = first_q || second_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      left_q <= '0;
      crc_q <= '0;
      first_q <= 1'b0;
      second_q <= 1'b0;
    end else begin
      left_q <= begins ? beat_i[BEAT-Slice-1:0] : left_q << Slice;
      crc_q <= 16'(sum << Slice) ^ (is_crc ? '0 : crc_folded(16'(high)));
      if (pos_i == '0) first_q <= sending_i;
      if (pos_i == Second) second_q <= sending_i;
    end
  end

  `OW_ASSERT(no_crc_yet, pos_i != Second || beat_i[15:0] == '0, "a second beat has a CRC already")

endmodule
