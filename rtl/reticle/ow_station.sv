// SPDX-License-Identifier: Apache-2.0
// What is beside each physical tile and outlives it: its station of the test-access chain, its
// fuses, its reset, a way to the tile's control-plane endpoint that needs no mesh, and a boundary
// scan of the wires to its neighbours.
//
// docs/bring-up.md has its registers. All are 0 after reset, so a fresh wafer is isolated and its
// tiles are in reset.
// Latency: a register is read or written in the cycle in which a command ends (ow_chain_node).
// Errors: a word that is pushed before the last one was taken is lost. With one command after the
// other this never happens, because the endpoint takes a word long before the next command has
// come. No word of the answer is lost with the chain's answer to a POP: a POP whose turn is that of the
// one before is answered with the same word.
//
//   Scan          0: for area, without the boundary scan: SCAN, PATTERN_* and CAPTURE* are 0
//   col_i         physical column
//   *_near_i ...  lines of the chain, see ow_chain_node
//   tile_*        to the tile; the response words are held until they are popped
//   stat_*        status of a link; stat_i is there from the cycle after the next on
//   from_i        what the tile sends; to_o what the mesh gets; at_i what the mesh brings to the
//                 tile
`include "ow_assert.svh"

module ow_station
  import ow_pkg::*;
#(
  parameter bit Scan = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [7:0]  col_i,
  input  logic        east_near_i,
  input  logic        east_skip_i,
  output logic        east_o,
  input  logic        west_near_i,
  input  logic        west_skip_i,
  output logic        west_o,
  output tile_fuse_t  tile_fuse_o,
  output row_fuse_t   row_fuse_o,
  output logic        tile_rst_o,
  output logic        tile_test_o,
  output logic        tile_req_valid_o,
  output ramp_t       tile_req_o,
  input  logic        tile_req_ready_i,
  input  logic        tile_rsp_valid_i,
  input  ramp_t       tile_rsp_i,
  output logic        tile_rsp_ready_o,
  input  link_t [3:0] from_i,   // N E S W
  output link_t [3:0] to_o,
  input  link_t [3:0] at_i,
  output logic        stat_re_o,
  output logic [1:0]  stat_side_o,
  output logic [5:0]  stat_addr_o,
  input  logic [31:0] stat_i
);

  logic        we, re;
  logic [5:0]  addr;
  logic [31:0] wdata, rdata;

  ow_chain_node u_node (
    .clk_i, .rst_i, .col_i,
    .east_near_i, .east_skip_i, .east_o, .west_near_i, .west_skip_i, .west_o,
    .reg_we_o(we), .reg_re_o(re), .reg_addr_o(addr), .reg_wdata_o(wdata), .reg_rdata_i(rdata)
  );

  logic       run_q, test_q;
  tile_fuse_t tile_fuse_q;
  row_fuse_t  row_fuse_q;
  logic       push_q;
  ramp_t      word_q;
  logic       scan_q;
  logic [1:0] side_q;     // of the link whose status was asked for, and which word
  logic [5:0] word_at_q;
  link_t      pattern_q;
  logic       turn_q, pops;      // turn of the last POP; this one takes a word, or finds none
  logic [31:0] popped_q, next;   // what the last one took; what the next one takes

  function automatic link_t rotated(input link_t x, input int unsigned n);
    return link_t'(({x, x} << n) >> $bits(link_t));
  endfunction

  for (genvar s = 0; s < 4; s++) begin : gen_side
    assign to_o[s] = Scan && scan_q ? rotated(pattern_q, 11 * s) : from_i[s];
  end

  assign tile_fuse_o = tile_fuse_q;
  assign row_fuse_o = row_fuse_q;
  assign tile_test_o = test_q;
  assign tile_req_valid_o = push_q;
  assign tile_req_o = word_q;
  assign tile_rsp_ready_o = pops;
  assign stat_side_o = side_q;
  assign stat_addr_o = word_at_q;

  always_ff @(posedge clk_i) begin
    // A register of its own, because the reset of a whole tile depends on it.
    tile_rst_o <= rst_i || !run_q;
  end

  // What is written, by register.
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  control_reg_t control;
  pop_reg_t pop;
  scan_reg_t scan;
  link_reg_t link;
  /* verilator lint_on UNUSEDSIGNAL */
  assign control = wdata;
  assign pop = wdata;
  assign scan = wdata;
  assign link = wdata;

  assign pops = test_q && we && addr == STATION_POP && pop.turn != turn_q;
  assign next = tile_rsp_valid_i ? tile_rsp_i.data : '0;

  always_comb begin
    rdata = '0;
    if (re) begin
      if (Scan && is_station_capture(addr)) begin
        rdata = at_i[station_capture_index(addr)][31:0];
      end else if (Scan && is_station_capture_high(addr)) begin
        rdata = 32'(at_i[station_capture_high_index(addr)][$bits(link_t)-1:32]);
      end else begin
        unique case (addr)
          STATION_ID:           rdata = STATION_ID_VALUE;
          STATION_CONTROL:      rdata = control_reg_t'{test: test_q, run: run_q, default: '0};
          STATION_TILE_FUSE:    rdata = 32'(tile_fuse_q);
          STATION_ROW_FUSE:     rdata = 32'(row_fuse_q);
          STATION_PUSH:         rdata = push_reg_t'{taken: !push_q, default: '0};
          STATION_POP:          rdata = pops ? next : popped_q;
          STATION_POP_STATE: begin
            rdata = pop_state_reg_t'{last: tile_rsp_valid_i && tile_rsp_i.ctrl,
                                     valid: tile_rsp_valid_i, default: '0};
          end
          STATION_SCAN:         rdata = scan_reg_t'{enable: scan_q, default: '0};
          STATION_PATTERN_LOW:  rdata = pattern_q[31:0];
          STATION_PATTERN_HIGH: rdata = 32'(pattern_q[$bits(link_t)-1:32]);
          STATION_LINK:         rdata = link_reg_t'{side: side_q, number: word_at_q, default: '0};
          STATION_LINK_STATUS:  rdata = stat_i;
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      run_q <= 1'b0;
      test_q <= 1'b0;
      tile_fuse_q <= '0;
      row_fuse_q <= '0;
      push_q <= 1'b0;
      word_q <= '0;
      turn_q <= 1'b0;
      popped_q <= '0;
      scan_q <= 1'b0;
      side_q <= '0;
      word_at_q <= '0;
      stat_re_o <= 1'b0;
      pattern_q <= '0;
    end else begin
      stat_re_o <= we && addr == STATION_LINK;
      if (push_q && tile_req_ready_i) push_q <= 1'b0;
      // The host knows the turn of the first POP.
      if (!test_q) turn_q <= 1'b0;
      else if (pops) turn_q <= !turn_q;
      if (pops) popped_q <= next;
      if (we) begin
        unique case (addr)
          STATION_CONTROL: {test_q, run_q} <= {control.test, control.run};
          STATION_TILE_FUSE: tile_fuse_q <= wdata[$bits(tile_fuse_t)-1:0];
          STATION_ROW_FUSE: row_fuse_q <= wdata[$bits(row_fuse_t)-1:0];
          STATION_SCAN: scan_q <= Scan && scan.enable;
          STATION_LINK: {side_q, word_at_q} <= {link.side, link.number};
          STATION_PATTERN_LOW: if (Scan) pattern_q[31:0] <= wdata;
          STATION_PATTERN_HIGH: if (Scan) pattern_q[$bits(link_t)-1:32] <= wdata[$bits(link_t)-33:0];
          STATION_PUSH, STATION_PUSH_LAST: begin
            push_q <= 1'b1;
            word_q <= '{ctrl: addr == STATION_PUSH_LAST, data: wdata};
          end
          default: ;
        endcase
      end
    end
  end

  // The mux in front of the mesh must not switch while words go (constraints/static.yaml).
  `OW_ASSERT(scan_stands, !(scan_q || $past(scan_q)) || !run_q,
             "the boundary scan was on, or changed, while the tile was not in reset")

endmodule
