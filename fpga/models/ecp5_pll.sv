// SPDX-License-Identifier: Apache-2.0
// The PLL of an ECP5, for simulation with delays (Verilator's --timing). Written from Lattice's
// FPGA-TN-02200 (the PLL) and FPGA-DS-02012 (its limits). With FEEDBK_PATH "CLKOP" the VCO runs at
//   CLKI / CLKI_DIV * CLKFB_DIV * CLKOP_DIV.
// The period of an output is CLKOx_DIV periods of the VCO. It begins CPHASE + FPHASE / 8 periods
// after a point that all outputs share. The feedback puts CLKOP's rising edge on CLKI's. CPHASE
// counts from the same point whatever the divider. It is CLKOx_DIV - 1 for an output at 0 degrees
// if it is CLKOP_DIV - 1 for CLKOP. Lattice's tool writes it so (litex, pull request 1804), and
// Project Trellis's ecppll computes it so.
//
// Outputs run from the second edge of the phase detector on. LOCK rises LockEdges later; the real
// part takes up to 15 ms. Not modelled: jitter, delays of the wires to CLKFB, and the wrong clocks
// before the lock. Anything else that is not modelled, or is beyond the part's limits, stops the
// elaboration or the simulation. So does an input that stops or whose period jumps.
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */

// An output. Its edges are computed from the last edge of the phase detector, so no error adds up.
//
//   Div       even, because only a duty cycle of one half is modelled
//   Eighths   of a VCO period, from the feedback's rising edge to its own, 0 to 8 * Div - 1
//   Span      eighths of VCO periods between two edges of the phase detector
//   run_i     begins; at_i, step_i: time of the last edge of the phase detector, and from the one
//             before to it; count_i: eighths at that edge
//   late_o    the phase detector has stopped
module EHXPLLL_OUTPUT #(
  parameter int Div = 2,
  parameter int Eighths = 0,
  parameter longint Span = 16
) (
  input  logic   run_i,
  input  longint at_i, step_i, count_i,
  output logic   clk_o,
  output logic   late_o
);
  timeunit 1fs;
  timeprecision 1fs;
  longint count, wait_time;
  initial begin
    clk_o = 1'b0;
    late_o = 1'b0;
    count = 64'(Eighths);
    wait (run_i);
    while (!late_o) begin
      wait_time = at_i + (count - count_i) * step_i / Span - $time;
      if (wait_time > 0) #(wait_time);
      clk_o = !clk_o;
      count = count + 64'(4 * Div);
      late_o = $time > at_i + 2 * step_i;
    end
  end
endmodule

module EHXPLLL #(
  parameter int CLKI_DIV = 1,
  parameter int CLKFB_DIV = 1,
  parameter string FEEDBK_PATH = "CLKOP",
  parameter string CLKOP_ENABLE = "ENABLED",
  parameter int CLKOP_DIV = 8,
  parameter int CLKOP_CPHASE = 0,
  parameter int CLKOP_FPHASE = 0,
  parameter string CLKOS_ENABLE = "DISABLED",
  parameter int CLKOS_DIV = 8,
  parameter int CLKOS_CPHASE = 0,
  parameter int CLKOS_FPHASE = 0,
  parameter string CLKOS2_ENABLE = "DISABLED",
  parameter int CLKOS2_DIV = 8,
  parameter int CLKOS2_CPHASE = 0,
  parameter int CLKOS2_FPHASE = 0,
  parameter string CLKOS3_ENABLE = "DISABLED",
  parameter string OUTDIVIDER_MUXA = "DIVA",
  parameter string OUTDIVIDER_MUXB = "DIVB",
  parameter string OUTDIVIDER_MUXC = "DIVC",
  parameter string OUTDIVIDER_MUXD = "DIVD",
  parameter string PLLRST_ENA = "DISABLED",
  parameter string STDBY_ENABLE = "DISABLED",
  parameter string INTFB_WAKE = "DISABLED",
  parameter string DPHASE_SOURCE = "DISABLED"
) (
  input  logic CLKI, CLKFB,
  output logic CLKOP, CLKOS, CLKOS2, LOCK,
  input  logic RST, STDBY, PLLWAKESYNC, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
  input  logic PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG
);
  timeunit 1fs;
  timeprecision 1fs;

  // ------------------------------------------------------------------- what is not modelled ------
  if (CLKI_DIV < 1 || CLKI_DIV > 128) $error("CLKI_DIV is not 1 to 128");
  if (CLKFB_DIV < 1 || CLKFB_DIV > 128) $error("CLKFB_DIV is not 1 to 128");
  if (FEEDBK_PATH != "CLKOP" || CLKOP_ENABLE != "ENABLED") $error("a feedback of another kind");
  if (CLKOS3_ENABLE != "DISABLED") $error("the fourth output");
  if (OUTDIVIDER_MUXA != "DIVA" || OUTDIVIDER_MUXB != "DIVB" || OUTDIVIDER_MUXC != "DIVC" ||
      OUTDIVIDER_MUXD != "DIVD") begin : gen_bypass
    $error("an output without its divider");
  end
  if (PLLRST_ENA != "DISABLED" || STDBY_ENABLE != "DISABLED") $error("a reset or standby");
  if (INTFB_WAKE != "DISABLED" || DPHASE_SOURCE != "DISABLED") $error("a phase that is stepped");
  function automatic bit known(input int div, input int cphase, input int fphase);
    return div >= 2 && div <= 128 && div % 2 == 0 && cphase >= 0 && cphase <= 127 &&
        fphase >= 0 && fphase <= 7;
  endfunction
  if (!known(CLKOP_DIV, CLKOP_CPHASE, CLKOP_FPHASE)) begin : gen_odd_op
    $error("CLKOP: an odd divider, or beyond a limit");
  end
  if (!known(CLKOS_DIV, CLKOS_CPHASE, CLKOS_FPHASE)) begin : gen_odd_os
    $error("CLKOS: an odd divider, or beyond a limit");
  end
  if (!known(CLKOS2_DIV, CLKOS2_CPHASE, CLKOS2_FPHASE)) begin : gen_odd_os2
    $error("CLKOS2: an odd divider, or beyond a limit");
  end
  if ((CLKOS_ENABLE != "ENABLED" && CLKOS_ENABLE != "DISABLED") ||
      (CLKOS2_ENABLE != "ENABLED" && CLKOS2_ENABLE != "DISABLED")) begin : gen_enables
    $error("an output that is neither ENABLED nor DISABLED");
  end
  always_comb begin
    if (RST || STDBY || PLLWAKESYNC) $error("a reset, standby or wake of the PLL");
    if (ENCLKOP || ENCLKOS || ENCLKOS2 || ENCLKOS3) $error("an output that is enabled by a pin");
  end

  // --------------------------------------------------------------------- the phase detector ------
  localparam longint LockEdges = 100;
  localparam longint Span = 64'(8 * CLKFB_DIV * CLKOP_DIV);
  logic [7:0] divide_q;                     // edges of CLKI that the divider still passes over
  longint     edges_q, at_q, step_q, count_q;
  // Falling edges of CLKFB, which are far from those of CLKI, and how many at the last edge.
  int         feedback_q, feedback_at_q;
  logic       run_q, jump_q, loop_q;
  longint     step;
  assign step = $time - at_q;
  initial begin
    divide_q = '0;
    {edges_q, at_q, step_q, count_q} = '0;
    {feedback_q, feedback_at_q} = '0;
    {run_q, jump_q, loop_q, LOCK} = '0;
  end
  always_ff @(negedge CLKFB) feedback_q <= feedback_q + 1;
  always_ff @(posedge CLKI) begin
    divide_q <= divide_q == 8'd0 ? 8'(CLKI_DIV - 1) : divide_q - 8'd1;
    if (divide_q == 8'd0) begin
      edges_q <= edges_q + 1;
      at_q <= $time;
      step_q <= $time - at_q;
      run_q <= edges_q >= 1;
      LOCK <= edges_q > LockEdges;
      if (run_q) begin
        count_q <= count_q + Span;
        // The period may change by a thousandth from one to the next.
        jump_q <= 1000 * ($time - at_q) > 1001 * step_q || 1001 * ($time - at_q) < 1000 * step_q;
        feedback_at_q <= feedback_q;
        loop_q <= feedback_q - feedback_at_q != CLKFB_DIV;
      end
    end
  end

  // ---------------------------------------------------------------------------- the outputs ------
  // Eighths of a VCO period from CLKOP's rising edge to that of another output.
  function automatic int behind(input int div, input int cphase, input int fphase);
    automatic int eighths = 8 * (cphase - CLKOP_CPHASE) + fphase - CLKOP_FPHASE;
    return (eighths % (8 * div) + 8 * div) % (8 * div);
  endfunction
  logic late, late_os, late_os2;
  EHXPLLL_OUTPUT #(.Div(CLKOP_DIV), .Eighths(0), .Span(Span)) u_op (
    .run_i(run_q), .at_i(at_q), .step_i(step_q), .count_i(count_q), .clk_o(CLKOP), .late_o(late)
  );
  if (CLKOS_ENABLE == "ENABLED") begin : gen_os
    EHXPLLL_OUTPUT #(
      .Div(CLKOS_DIV), .Eighths(behind(CLKOS_DIV, CLKOS_CPHASE, CLKOS_FPHASE)), .Span(Span)
    ) u_os (
      .run_i(run_q), .at_i(at_q), .step_i(step_q), .count_i(count_q), .clk_o(CLKOS),
      .late_o(late_os)
    );
  end else begin : gen_no_os
    assign CLKOS = 1'b0;
  end
  if (CLKOS2_ENABLE == "ENABLED") begin : gen_os2
    EHXPLLL_OUTPUT #(
      .Div(CLKOS2_DIV), .Eighths(behind(CLKOS2_DIV, CLKOS2_CPHASE, CLKOS2_FPHASE)), .Span(Span)
    ) u_os2 (
      .run_i(run_q), .at_i(at_q), .step_i(step_q), .count_i(count_q), .clk_o(CLKOS2),
      .late_o(late_os2)
    );
  end else begin : gen_no_os2
    assign CLKOS2 = 1'b0;
  end

  // ---------------------------------------------------------------------- the part's limits ------
  // In kHz, rounded; periods are in femtoseconds.
  function automatic longint khz(input longint cycles, input longint time_fs);
    return (cycles * 64'sd1_000_000_000_000 + time_fs / 2) / time_fs;
  endfunction
  function automatic bit outside(input longint f, input longint low, input longint high);
    return f < low - 1 || f > high + 1;
  endfunction
  function automatic bit output_known(input bit enabled, input int div);
    return !enabled || !outside(khz(Span / 8, step_q * 64'(div)), 3_125, 400_000);
  endfunction
  always @(posedge run_q) begin
    if (outside(khz(64'(CLKI_DIV), step_q), 8_000, 400_000)) begin
      $error("CLKI at %0d kHz: 8 to 400 MHz", khz(64'(CLKI_DIV), step_q));
    end
    if (outside(khz(1, step_q), 10_000, 400_000)) begin
      $error("the phase detector at %0d kHz: 10 to 400 MHz", khz(1, step_q));
    end
    if (outside(khz(Span / 8, step_q), 400_000, 800_000)) begin
      $error("the VCO at %0d kHz: 400 to 800 MHz", khz(Span / 8, step_q));
    end
    if (!output_known(1'b1, CLKOP_DIV) || !output_known(CLKOS_ENABLE == "ENABLED", CLKOS_DIV) ||
        !output_known(CLKOS2_ENABLE == "ENABLED", CLKOS2_DIV)) begin
      $error("an output that is not at 3.125 to 400 MHz");
    end
  end
  always_comb begin
    if (late) $error("CLKI has stopped");
    if (jump_q) $error("the period of CLKI has jumped");
    if (loop_q) $error("CLKFB is not CLKOP");
  end
endmodule
