// SPDX-License-Identifier: Apache-2.0
// The clocks of a tile's units, and its reset, which is registered twice with InputRegs, else once.
// A unit sleeps through an edge that would change nothing in it. Its idle input says so, for its
// state and all that it sees now.
//
//   Gate       0: all clocks are clk_i; a unit that sleeps is clocked and does not change
//              (ow_clock_gate)
//   InputRegs  of ow_tile
//   rst_i      of the tile
//   scan_en_i  1: no unit sleeps
//   rst_o      of the units, from a register; all are clocked while it is high
//   resets_o   rst_o is high or is about to be
//   *_idle_i   settle before clk_i rises
//   *_clk_o    links: the registers of the links' inputs, with InputRegs. test: the test port.
//              router. ramp. host: registers, counters and the control plane's endpoint. memory:
//              the SRAM and its self-test. core: with the table of tasks. engine. reduce: the
//              reducer

module ow_tile_clocks #(
  parameter bit Gate = 1'b0,
  parameter bit InputRegs = 1'b0
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic scan_en_i,
  output logic rst_o,
  output logic resets_o,
  input  logic links_idle_i,
  input  logic test_idle_i,
  input  logic router_idle_i,
  input  logic ramp_idle_i,
  input  logic host_idle_i,
  input  logic memory_idle_i,
  input  logic core_idle_i,
  input  logic engine_idle_i,
  input  logic reduce_idle_i,
  output logic links_clk_o,
  output logic test_clk_o,
  output logic router_clk_o,
  output logic ramp_clk_o,
  output logic host_clk_o,
  output logic memory_clk_o,
  output logic core_clk_o,
  output logic engine_clk_o,
  output logic reduce_clk_o
);

  // The reset's own registers also sleep: they drive all logic.
  logic reset_clk, reset_wakes, rst_in, rst_q;
  if (InputRegs) begin : gen_inputs
    logic rst_in_q;
    always_ff @(posedge reset_clk) rst_in_q <= rst_i;
    assign rst_in = rst_in_q;
    assign reset_wakes = rst_i || resets_o;
  end else begin : gen_outputs
    assign rst_in = rst_i;
    assign reset_wakes = resets_o;
  end
  always_ff @(posedge reset_clk) rst_q <= rst_in;
  assign rst_o = rst_q;
  assign resets_o = rst_in || rst_q;
  ow_clock_gate #(.Gate(Gate)) u_gate_reset (
    .clk_i, .en_i(reset_wakes), .test_en_i(scan_en_i), .clk_o(reset_clk)
  );

  logic links_wakes, test_wakes, router_wakes, ramp_wakes, host_wakes, memory_wakes, core_wakes,
        engine_wakes, reduce_wakes;
  assign links_wakes = resets_o || !links_idle_i;
  assign test_wakes = resets_o || !test_idle_i;
  assign router_wakes = rst_q || !router_idle_i;
  assign ramp_wakes = rst_q || !ramp_idle_i;
  assign host_wakes = rst_q || !host_idle_i;
  assign memory_wakes = rst_q || !memory_idle_i;
  assign core_wakes = rst_q || !core_idle_i;
  assign engine_wakes = rst_q || !engine_idle_i;
  assign reduce_wakes = rst_q || !reduce_idle_i;

  ow_clock_gate #(.Gate(Gate)) u_gate_links (
    .clk_i, .en_i(links_wakes), .test_en_i(scan_en_i), .clk_o(links_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_test (
    .clk_i, .en_i(test_wakes), .test_en_i(scan_en_i), .clk_o(test_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_router (
    .clk_i, .en_i(router_wakes), .test_en_i(scan_en_i), .clk_o(router_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_ramp (
    .clk_i, .en_i(ramp_wakes), .test_en_i(scan_en_i), .clk_o(ramp_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_host (
    .clk_i, .en_i(host_wakes), .test_en_i(scan_en_i), .clk_o(host_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_memory (
    .clk_i, .en_i(memory_wakes), .test_en_i(scan_en_i), .clk_o(memory_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_core (
    .clk_i, .en_i(core_wakes), .test_en_i(scan_en_i), .clk_o(core_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_engine (
    .clk_i, .en_i(engine_wakes), .test_en_i(scan_en_i), .clk_o(engine_clk_o)
  );
  ow_clock_gate #(.Gate(Gate)) u_gate_reduce (
    .clk_i, .en_i(reduce_wakes), .test_en_i(scan_en_i), .clk_o(reduce_clk_o)
  );

endmodule
