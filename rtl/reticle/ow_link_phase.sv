// SPDX-License-Identifier: Apache-2.0
// The lanes of a training receiver: the delay of each, its alignment, and its wrong bits against
// the test sequence. A delay is 8 taps of the delay element (planes 0 to 2) and up to 3 whole bits
// (planes 3 and 4). Each plane has a bit per lane, so one addition serves all lanes.
// Sweep: begin_i, then each of 32 delays on trial: clear_i, count_i for 31 bits, end_i. A delay
// passes with at most 3 wrong bits. The middle of a lane's first run of such delays becomes its
// own: its delay grows by one for every second delay that the run goes on.
// Latency 0 from sample_i to aligned_o, plus the whole bits of the delay. Errors: bad_o.
//
//   Lanes             lanes of the link
//   enable_i          off: nothing changes
//   training_i        samples are kept for alignment
//   trying_i          the delay on trial, delay_i, is in use; otherwise each lane's own
//   plain_i           no taps
//   compare_i         the aligned lanes carry the test sequence of lfsr_i
//   less_i            takes a whole bit off all lanes that have a delay; whole_o: all of them have
//                     one
//   aligned_o, tap*_o, phase_o  lanes after alignment; taps in use; delays of all lanes
//   bad_o             lanes without a delay that passed, or with more than 11 wrong bits
module ow_link_phase
  import ow_link_pkg::*;
#(
  parameter int unsigned Lanes = LANES
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  enable_i,
  input  logic [Lanes-1:0]      sample_i,
  input  logic                  training_i,
  input  logic                  trying_i,
  input  logic                  plain_i,
  input  logic [4:0]            delay_i,
  input  logic                  compare_i,
  input  logic [8:0]            lfsr_i,

  input  logic                  begin_i,
  input  logic                  clear_i,
  input  logic                  count_i,
  input  logic                  end_i,
  input  logic                  less_i,

  output logic [Lanes-1:0]      aligned_o,
  output logic [Lanes-1:0]      tap0_o,
  output logic [Lanes-1:0]      tap1_o,
  output logic [Lanes-1:0]      tap2_o,
  output logic [4:0][Lanes-1:0] phase_o,
  output logic                  whole_o,
  output logic [Lanes-1:0]      bad_o
);
  typedef logic [Lanes-1:0] lanes_t;
  lanes_t seen_q, ended_q, half_q;  // a delay passed; the run is over; every second step
  lanes_t ph_q [5];
  lanes_t err_q [4];                // wrong bits, saturating at 15
  lanes_t old1_q, old2_q, old3_q;

  // -------------------------------------------------------------------------------- alignment ----
  lanes_t by1, by2;
  assign by1 = trying_i ? {Lanes{delay_i[3]}} : ph_q[3];
  assign by2 = trying_i ? {Lanes{delay_i[4]}} : ph_q[4];
  assign aligned_o = (sample_i & ~by1 & ~by2) | (old1_q & by1 & ~by2) |
                     (old2_q & ~by1 & by2) | (old3_q & by1 & by2);

  always_comb begin
    tap0_o = '0;
    tap1_o = '0;
    tap2_o = '0;
    if (!plain_i) begin
      tap0_o = trying_i ? {Lanes{delay_i[0]}} : ph_q[0];
      tap1_o = trying_i ? {Lanes{delay_i[1]}} : ph_q[1];
      tap2_o = trying_i ? {Lanes{delay_i[2]}} : ph_q[2];
    end
  end
  assign phase_o = {ph_q[4], ph_q[3], ph_q[2], ph_q[1], ph_q[0]};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      old1_q <= '0;
      old2_q <= '0;
      old3_q <= '0;
    end else if (enable_i && (training_i || sample_i != '0 || old1_q != '0 || old2_q != '0 ||
                              old3_q != '0)) begin
      old1_q <= sample_i;
      old2_q <= old1_q;
      old3_q <= old2_q;
    end
  end

  // ------------------------------------------------------------------------------- wrong bits ----
  lanes_t wrong, c0, c1, c2;  // lanes that count one more, and the carries
  always_comb begin
    wrong = '0;
    if (compare_i) begin
      wrong = (aligned_o ^ lanes_t'(test_bits(lfsr_i))) & ~(err_q[0] & err_q[1] & err_q[2] & err_q[3]);
    end
    c0 = wrong & err_q[0];
    c1 = c0 & err_q[1];
    c2 = c1 & err_q[2];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      for (int unsigned b = 0; b < 4; b++) err_q[b] <= '0;
    end else if (count_i) begin
      err_q[0] <= err_q[0] ^ wrong;
      err_q[1] <= err_q[1] ^ c0;
      err_q[2] <= err_q[2] ^ c1;
      err_q[3] <= err_q[3] ^ c2;
    end
  end
  assign bad_o = ~seen_q | (err_q[3] & err_q[2]);

  // ------------------------------------------------------------------------------------ delays ---
  lanes_t passed, begins, goes_on, up1, up2, up3, up4;
  always_comb begin
    passed = '0;
    if (end_i) passed = ~(err_q[3] | err_q[2]);
    begins = passed & ~seen_q;
    goes_on = passed & seen_q & ~ended_q;
    up1 = goes_on & half_q;
    up2 = up1 & ph_q[0];
    up3 = up2 & ph_q[1];
    up4 = up3 & ph_q[2];
  end
  assign whole_o = seen_q != '0 && (seen_q & ~(ph_q[3] | ph_q[4])) == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      seen_q <= '0;
      ended_q <= '0;
      half_q <= '0;
      for (int unsigned b = 0; b < 5; b++) ph_q[b] <= '0;
    end else if (begin_i) begin
      seen_q <= '0;
      ended_q <= '0;
    end else if (end_i) begin
      seen_q <= seen_q | passed;
      ended_q <= ended_q | (seen_q & ~passed);
      half_q <= (half_q ^ goes_on) & ~begins;
      ph_q[0] <= ((ph_q[0] ^ up1) & ~begins) | ({Lanes{delay_i[0]}} & begins);
      ph_q[1] <= ((ph_q[1] ^ up2) & ~begins) | ({Lanes{delay_i[1]}} & begins);
      ph_q[2] <= ((ph_q[2] ^ up3) & ~begins) | ({Lanes{delay_i[2]}} & begins);
      ph_q[3] <= ((ph_q[3] ^ up4) & ~begins) | ({Lanes{delay_i[3]}} & begins);
      ph_q[4] <= ((ph_q[4] ^ (up4 & ph_q[3])) & ~begins) | ({Lanes{delay_i[4]}} & begins);
    end else if (less_i) begin
      ph_q[3] <= ~ph_q[3];
      ph_q[4] <= ph_q[4] & ph_q[3];
    end
  end
endmodule
