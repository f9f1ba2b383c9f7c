// SPDX-License-Identifier: Apache-2.0
// Finds the frames in what the data lanes of a receiver carry: gathers slices to beats and beats to
// frames, and checks the CRC. A frame that is taken is kept for one more cycle. Its second half is
// delivered in this cycle, from the place of the first half.
// Latency: a frame is complete in the cycle after its last slice. Throughput: a frame in the time
// of two beats. Errors: good_o is low for a wrong CRC.
//
//   Slice       bits of a slice: 64 (a beat), 16 or 8
//   active_i    the lanes carry frames; quiet_i: they are all 0
//   pos_i       the cycle of a frame that slice_i belongs to
//   complete_o  a frame is complete: first_o and second_o; idle_o: both are 0; header_o: first_o is
//               not; good_o: its CRC holds
//   take_i      the frame is taken: rest_i is on first_o in the next cycle, with rest_o high
//   active_o    active_i, in step with these
//   still_o     nothing is held

`include "ow_assert.svh"

module ow_link_frame
  import ow_link_pkg::*;
#(
  parameter int unsigned Slice = BEAT,
  localparam int unsigned Slices = BEAT / Slice,
  localparam int unsigned CycleW = $clog2(2 * Slices)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              active_i,
  input  logic              quiet_i,
  input  logic [CycleW-1:0] pos_i,
  input  logic [Slice-1:0]  slice_i,
  output first_t            first_o,
  output beat_t             second_o,
  output logic              complete_o,
  output logic              idle_o,
  output logic              header_o,
  output logic              good_o,
  input  logic              take_i,
  input  first_t            rest_i,
  output logic              rest_o,
  output logic              active_o,
  output logic              still_o
);

  beat_t beat_q;
  first_t first_q;
  logic [15:0] crc_q;
  logic active_q, even_q;  // beat_q holds a beat of a frame, or a part of it; of the first one
  logic rest_q;            // first_q holds the second half of a frame that was taken

  assign first_o = first_q;
  assign second_o = beat_q;
  assign rest_o = rest_q;
  assign active_o = active_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= 1'b0;
      even_q <= 1'b0;
      rest_q <= 1'b0;
    end else begin
      active_q <= active_i;
      even_q <= !pos_i[CycleW-1];
      rest_q <= take_i;
    end
  end

  if (Slices == 1) begin : gen_beats
    assign complete_o = active_q && !even_q;
    assign header_o = first_q != '0;
    assign idle_o = !header_o && beat_q == '0;
    assign good_o = (crc_q ^ crc_second(beat_q)) == CRC_GOOD;
    assign still_o = idle_o && crc_q == '0;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        beat_q <= '0;
        first_q <= '0;
        crc_q <= '0;
      end else begin
        if (!active_i) beat_q <= '0;
        else if (!quiet_i || beat_q != '0) beat_q <= slice_i;
        if (!active_q) first_q <= '0;
        else if (!even_q) first_q <= take_i ? rest_i : '0;
        else if (!still_o) begin
          first_q <= beat_q;
          crc_q <= crc_first(beat_q);
        end
      end
    end
  end else begin : gen_slices
    logic whole_q;            // beat_q holds all of a beat
    logic some_q, header_q;   // something of the beat is not 0; the same of the first beat
    logic [15:0] sum;         // of the slices before, times x^16
    logic [Slice-1:0] high;
    assign sum = pos_i == '0 ? '0 : crc_q;
    assign high = sum[15-:Slice] ^ slice_i;
    assign complete_o = active_q && whole_q && !even_q;
    assign header_o = header_q;
    assign idle_o = !header_q && !some_q;
    assign good_o = crc_q == CRC_SLICES_GOOD;
    assign still_o = idle_o && !rest_q;

    always_ff @(posedge clk_i) begin
      if (rst_i || !active_i) begin
        beat_q <= '0;
        crc_q <= '0;
        whole_q <= 1'b0;
        some_q <= 1'b0;
      end else begin
        beat_q <= {beat_q[BEAT-Slice-1:0], slice_i};
        crc_q <= 16'(sum << Slice) ^ crc_folded(16'(high));
        whole_q <= pos_i[CycleW-2:0] == '1;
        some_q <= slice_i != '0 || (some_q && pos_i[CycleW-2:0] != '0);
      end
      if (rst_i || !active_q) first_q <= '0;
      else if (whole_q) first_q <= even_q ? beat_q : take_i ? rest_i : '0;
      else if (rest_q) first_q <= '0;
      if (rst_i || !active_q) header_q <= 1'b0;
      else if (whole_q) header_q <= even_q && some_q;
    end

    logic unused;
    assign unused = quiet_i;
  end

  `OW_ASSERT(one_half_a_cycle, !complete_o || !rest_q,
             "a frame was complete in the cycle of another's second half")

endmodule
