// SPDX-License-Identifier: Apache-2.0
// Switches the control-plane endpoint between the router and the station beside the tile, so that a
// tile can be tested before there is a mesh.
//
// test_i selects the station; it is registered here and changes only while no packet is under way
// (after reset, in practice). While it is high the router's requests wait. The station's side is
// registered both ways: a request word is taken when test_req_valid_i and test_req_ready_o are high,
// an answer word when test_rsp_valid_o and test_rsp_ready_i are; one word every 2 cycles.
//   rt_*    requests from and responses to the router
//   ep_*    the endpoint
//   idle_o  nothing changes before an input does
module ow_test_port
  import ow_pkg::*;
(
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
  output logic  rt_req_ready_o,
  output logic  rt_rsp_valid_o,
  output ramp_t rt_rsp_o,
  input  logic  rt_rsp_ready_i,
  output logic  ep_req_valid_o,
  output ramp_t ep_req_o,
  input  logic  ep_req_ready_i,
  input  logic  ep_rsp_valid_i,
  input  ramp_t ep_rsp_i,
  output logic  ep_rsp_ready_o,
  output logic  idle_o
);

  logic  test_q;
  logic  req_valid_q, req_ready_q;
  ramp_t req_q;
  logic  rsp_valid_q;
  ramp_t rsp_q;

  assign test_req_ready_o = req_ready_q;
  assign test_rsp_valid_o = rsp_valid_q;
  assign test_rsp_o = rsp_q;

  assign ep_req_valid_o = test_q ? req_valid_q : rt_req_valid_i;
  assign ep_req_o = test_q ? req_q : rt_req_i;
  assign rt_req_ready_o = !test_q && ep_req_ready_i;
  assign rt_rsp_valid_o = !test_q && ep_rsp_valid_i;
  assign rt_rsp_o = ep_rsp_i;
  assign ep_rsp_ready_o = test_q ? !rsp_valid_q : rt_rsp_ready_i;

  always_ff @(posedge clk_i) begin
    test_q <= test_i && !rst_i;
    if (rst_i) begin
      req_valid_q <= 1'b0;
      req_ready_q <= 1'b0;
      req_q <= '0;
      rsp_valid_q <= 1'b0;
      rsp_q <= '0;
    end else if (test_i || test_q) begin
      if (req_ready_q && test_req_valid_i) begin
        req_valid_q <= 1'b1;
        req_ready_q <= 1'b0;
        req_q <= test_req_i;
      end else if (req_valid_q) begin
        if (ep_req_ready_i) req_valid_q <= 1'b0;
      end else begin
        req_ready_q <= 1'b1;
      end
      if (rsp_valid_q) begin
        if (test_rsp_ready_i) rsp_valid_q <= 1'b0;
      end else if (ep_rsp_valid_i && test_q) begin
        rsp_valid_q <= 1'b1;
        rsp_q <= ep_rsp_i;
      end
    end
  end

  // With the station: a request word or an answer moves; an answer that waits to be taken does not.
  assign idle_o = test_i == test_q &&
                  (!test_q || (req_ready_q && !test_req_valid_i && !test_rsp_ready_i &&
                               (rsp_valid_q || !ep_rsp_valid_i)));

endmodule
