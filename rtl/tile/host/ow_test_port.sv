// SPDX-License-Identifier: Apache-2.0
// Switches the control-plane endpoint between the router and the station beside the tile, so that a
// tile can be tested before there is a mesh.
//
// Protocol: test_i selects the station. It is registered here and changes only while no packet is
// under way (in practice, after reset). While it is high the router's requests wait. The station's
// side is registered both ways: a request word is taken when test_req_valid_i and test_req_ready_o
// are high, an answer word when test_rsp_valid_o and test_rsp_ready_i are. Throughput: one word
// every 2 cycles. With InputRegs the registers towards the station are on the other side (ow_tile).
//
//   rt_*    requests from and responses to the router; brief: a request of one word (the station
//           sends none)
//   ep_*    the endpoint
//   idle_o  nothing changes before an input does
//   off_o   the station is not selected, nor was it in the last cycle: nothing changes before
//           test_i does, whatever the other inputs are
module ow_test_port
  import ow_pkg::*;
#(
  parameter bit InputRegs = 1'b0
) (
  input  logic  clk_i,
  input  logic  rst_i,
  input  logic  test_i,
  input  logic  test_req_valid_i,
  input  ramp_t test_req_i,
  output logic  test_req_ready_o,
  output logic  test_rsp_valid_o,
  output ramp_t test_rsp_o,
  input  logic  test_rsp_ready_i,
  input  logic  rt_req_valid_i,
  input  ramp_t rt_req_i,
  input  logic  rt_req_brief_i,
  output logic  rt_req_ready_o,
  output logic  rt_rsp_valid_o,
  output ramp_t rt_rsp_o,
  input  logic  rt_rsp_ready_i,
  output logic  ep_req_valid_o,
  output ramp_t ep_req_o,
  output logic  ep_req_brief_o,
  input  logic  ep_req_ready_i,
  input  logic  ep_rsp_valid_i,
  input  ramp_t ep_rsp_i,
  output logic  ep_rsp_ready_o,
  output logic  idle_o,
  output logic  off_o
);

  // The station's signals in this cycle.
  logic  test, req_valid, rsp_ready;
  ramp_t req;

  logic  test_q;
  logic  req_valid_q, req_ready_q, req_ready_d;
  ramp_t req_q;
  logic  rsp_valid_q, rsp_valid_d;
  ramp_t rsp_q, rsp_d;

  if (InputRegs) begin : gen_inputs
    logic  test_in_q, req_valid_in_q, rsp_ready_in_q;
    ramp_t req_in_q;
    always_ff @(posedge clk_i) begin
      test_in_q <= test_i;
      req_valid_in_q <= test_req_valid_i;
      req_in_q <= test_req_i;
      rsp_ready_in_q <= test_rsp_ready_i;
    end
    assign {test, req_valid, rsp_ready} = {test_in_q, req_valid_in_q, rsp_ready_in_q};
    assign req = req_in_q;
    assign {test_req_ready_o, test_rsp_valid_o} = {req_ready_d, rsp_valid_d};
    assign test_rsp_o = rsp_d;
  end else begin : gen_outputs
    assign {test, req_valid, rsp_ready} = {test_i, test_req_valid_i, test_rsp_ready_i};
    assign req = test_req_i;
    assign {test_req_ready_o, test_rsp_valid_o} = {req_ready_q, rsp_valid_q};
    assign test_rsp_o = rsp_q;
  end

  assign ep_req_valid_o = test_q ? req_valid_q : rt_req_valid_i;
  assign ep_req_o = test_q ? req_q : rt_req_i;
  assign ep_req_brief_o = !test_q && rt_req_brief_i;
  assign rt_req_ready_o = !test_q && ep_req_ready_i;
  assign rt_rsp_valid_o = !test_q && ep_rsp_valid_i;
  assign rt_rsp_o = ep_rsp_i;
  assign ep_rsp_ready_o = test_q ? !rsp_valid_q : rt_rsp_ready_i;

  logic active;  // the station is, or was in the last cycle
  assign active = test || test_q;
  always_comb begin
    req_ready_d = req_ready_q;
    rsp_valid_d = rsp_valid_q;
    rsp_d = rsp_q;
    if (rst_i) begin
      req_ready_d = 1'b0;
      rsp_valid_d = 1'b0;
      rsp_d = '0;
    end else if (active) begin
      // ready falls when a word is taken and rises when that word has gone on.
      if (req_ready_q) req_ready_d = !req_valid;
      else req_ready_d = !req_valid_q;
      if (rsp_valid_q) begin
        rsp_valid_d = !rsp_ready;
      end else if (ep_rsp_valid_i && test_q) begin
        rsp_valid_d = 1'b1;
        rsp_d = ep_rsp_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    test_q <= test && !rst_i;
    req_ready_q <= req_ready_d;
    rsp_valid_q <= rsp_valid_d;
    rsp_q <= rsp_d;
    if (rst_i) begin
      req_valid_q <= 1'b0;
      req_q <= '0;
    end else if (active) begin
      if (req_ready_q && req_valid) begin
        req_valid_q <= 1'b1;
        req_q <= req;
      end else if (req_valid_q && ep_req_ready_i) begin
        req_valid_q <= 1'b0;
      end
    end
  end

  assign off_o = !active;
  // With the station selected, it is idle unless a request word or an answer moves. An answer that
  // waits to be taken does not.
  assign idle_o = test == test_q &&
                  (!test_q || (req_ready_q && !req_valid && !rsp_ready &&
                               (rsp_valid_q || !ep_rsp_valid_i)));

endmodule
