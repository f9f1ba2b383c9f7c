// SPDX-License-Identifier: Apache-2.0
// The parts of rtl/common side by side, for their test; ports are theirs.
module ow_bricks
  import ow_onehot_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_i,
  // Round robin of 6 (pick and above of ow_onehot_pkg); ow_arb_class of 5, one slot in 3
  input  logic [5:0]       rr_req_i,
  input  logic [2:0]       rr_last_i,
  output logic [5:0]       rr_one_o,
  output logic [2:0]       rr_index_o,
  input  logic [1:0][4:0]  class_high_i,
  input  logic [1:0][4:0]  class_low_i,
  input  logic             class_set_i,
  input  logic             class_take_i,
  output logic             class_any_o,
  output logic [4:0]       class_one_o,
  output logic [2:0]       class_index_o,
  // ow_skid, between two checkers
  input  logic             skid_valid_i,
  output logic             skid_ready_o,
  input  logic [15:0]      skid_data_i,
  output logic             skid_valid_o,
  input  logic             skid_ready_i,
  output logic [15:0]      skid_data_o,
  // ow_credit of 4 channels with 3 slots, and a checker of the same
  input  logic [3:0]       credit_set_i,
  input  logic [3:0]       credit_full_i,
  input  logic [3:0]       credit_give_i,
  input  logic [3:0]       credit_spend_i,
  input  logic [3:0]       credit_drain_i,
  output logic [3:0]       credit_some_o,
  output logic [3:0]       credit_all_o,
  output logic [3:0]       credit_surplus_o,
  output logic [2:0][3:0]  credit_level_o,
  input  logic [3:0]       check_give_i,
  input  logic [3:0]       check_spend_i,
  input  logic [3:0]       check_drain_i,
  // ow_stream_check: two channels of the plain rules, one that may fall, one that may change, one
  // with grants, one with room
  input  logic [5:0]       chan_valid_i,
  input  logic [5:0]       chan_ready_i,
  input  logic [5:0][3:0]  chan_data_i,
  // ow_link_check of 4 colours
  input  logic [3:0]       link_set_i,
  input  logic             link_full_i,
  input  ow_pkg::wavelet_t link_sent_i,
  input  ow_pkg::credit_t  link_back_i,
  // memories of 11 words
  input  logic             ram_we_i,
  input  logic [3:0]       ram_waddr_i,
  input  logic [23:0]      ram_wdata_i,
  input  logic             ram_re_i,
  input  logic [3:0]       ram_raddr_i,
  output logic [23:0]      ram0_rdata_o,
  output logic [23:0]      ram1_rdata_o,
  input  logic             single_req_i,
  input  logic             single_we_i,
  input  logic [3:0]       single_addr_i,
  output logic [23:0]      single_rdata_o,
  // ow_lzc of 21 and of 64 bits
  input  logic [63:0]      lzc_i,
  output logic [4:0]       lzc21_o,
  output logic             none21_o,
  output logic [5:0]       lzc64_o,
  output logic             none64_o,
  // ow_clock_gate: edges after the gate, and after a plain wire
  input  logic             gate_en_i,
  input  logic             gate_test_i,
  output logic [15:0]      gate_edges_o,
  output logic [15:0]      wire_edges_o
);

  logic gated, plain;
  ow_clock_gate #(.Gate(1'b1)) u_gate (
    .clk_i, .en_i(gate_en_i), .test_en_i(gate_test_i), .clk_o(gated)
  );
  ow_clock_gate #(.Gate(1'b0)) u_wire (
    .clk_i, .en_i(gate_en_i), .test_en_i(gate_test_i), .clk_o(plain)
  );
  logic [15:0] gate_edges_q, wire_edges_q;
  always_ff @(posedge gated) gate_edges_q <= gate_edges_q + 16'd1;
  always_ff @(posedge plain) wire_edges_q <= wire_edges_q + 16'd1;
  assign gate_edges_o = gate_edges_q;
  assign wire_edges_o = wire_edges_q;

  assign rr_one_o = 6'(pick(32'(rr_req_i), above(5'(rr_last_i))));
  assign rr_index_o = 3'(index(32'(rr_one_o)));
  ow_arb_class #(.Width(5), .Share(3)) u_class (
    .clk_i, .rst_i, .high_i(class_high_i), .low_i(class_low_i), .set_i(class_set_i),
    .take_i(class_take_i), .any_o(class_any_o), .one_o(class_one_o),
    .index_o(class_index_o)
  );

  ow_skid #(.Width(16)) u_skid (
    .clk_i, .rst_i, .valid_i(skid_valid_i), .ready_o(skid_ready_o), .data_i(skid_data_i),
    .valid_o(skid_valid_o), .ready_i(skid_ready_i), .data_o(skid_data_o)
  );
  ow_stream_check #(.Width(16)) u_check_in (
    .clk_i, .rst_i, .valid_i(skid_valid_i), .ready_i(skid_ready_o), .data_i(skid_data_i)
  );
  ow_stream_check #(.Width(16)) u_check_out (
    .clk_i, .rst_i, .valid_i(skid_valid_o), .ready_i(skid_ready_i), .data_i(skid_data_o)
  );

  ow_credit #(.Channels(4), .Slots(3)) u_credit (
    .clk_i, .rst_i, .set_i(credit_set_i), .set_full_i(credit_full_i), .give_i(credit_give_i),
    .spend_i(credit_spend_i), .drain_i(credit_drain_i), .some_o(credit_some_o),
    .all_o(credit_all_o), .surplus_o(credit_surplus_o), .level_o(credit_level_o)
  );
  ow_credit_check #(.Channels(4), .Slots(3)) u_credit_check (
    .clk_i, .rst_i, .set_i(4'd0), .set_full_i(4'd0), .give_i(check_give_i),
    .spend_i(check_spend_i), .drain_i(check_drain_i)
  );

  ow_stream_check #(.Channels(2), .Width(4)) u_plain (
    .clk_i, .rst_i, .valid_i(chan_valid_i[1:0]), .ready_i(chan_ready_i[1:0]),
    .data_i(chan_data_i[1:0])
  );
  ow_stream_check #(.Width(4), .MayFall(1'b1)) u_falls (
    .clk_i, .rst_i, .valid_i(chan_valid_i[2]), .ready_i(chan_ready_i[2]), .data_i(chan_data_i[2])
  );
  ow_stream_check #(.Width(4), .MayChange(1'b1)) u_changes (
    .clk_i, .rst_i, .valid_i(chan_valid_i[3]), .ready_i(chan_ready_i[3]), .data_i(chan_data_i[3])
  );
  ow_stream_check #(.Width(4), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)) u_grant (
    .clk_i, .rst_i, .valid_i(chan_valid_i[4]), .ready_i(chan_ready_i[4]), .data_i(chan_data_i[4])
  );
  ow_stream_check #(.Width(4), .MayFall(1'b1), .MayChange(1'b1), .Room(1'b1)) u_room (
    .clk_i, .rst_i, .valid_i(chan_valid_i[5]), .ready_i(chan_ready_i[5]), .data_i(chan_data_i[5])
  );
  ow_link_check #(.NumColours(4)) u_link (
    .clk_i, .rst_i, .set_i(link_set_i), .set_full_i(link_full_i), .sent_i(link_sent_i),
    .back_i(link_back_i)
  );

  ow_ram_1r1w #(.Width(24), .Depth(11), .ReadLatency(0)) u_ram0 (
    .clk_i, .rst_i, .we_i(ram_we_i), .waddr_i(ram_waddr_i), .wdata_i(ram_wdata_i),
    .re_i(ram_re_i), .raddr_i(ram_raddr_i), .rdata_o(ram0_rdata_o)
  );
  ow_ram_1r1w #(.Width(24), .Depth(11), .ReadLatency(1)) u_ram1 (
    .clk_i, .rst_i, .we_i(ram_we_i), .waddr_i(ram_waddr_i), .wdata_i(ram_wdata_i),
    .re_i(ram_re_i), .raddr_i(ram_raddr_i), .rdata_o(ram1_rdata_o)
  );
  ow_ram_1rw #(.Width(24), .Depth(11)) u_single (
    .clk_i, .rst_i, .req_i(single_req_i), .we_i(single_we_i), .addr_i(single_addr_i),
    .wdata_i(ram_wdata_i), .rdata_o(single_rdata_o)
  );

  ow_lzc #(.Width(21)) u_lzc21 (.data_i(lzc_i[20:0]), .zeros_o(lzc21_o), .none_o(none21_o));
  ow_lzc #(.Width(64)) u_lzc64 (.data_i(lzc_i), .zeros_o(lzc64_o), .none_o(none64_o));

endmodule
