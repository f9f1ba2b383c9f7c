// SPDX-License-Identifier: Apache-2.0
// What stands beside each physical tile and outlives it: its station of the test-access chain, its
// fuses, its reset, a way to the tile's control-plane endpoint that needs no mesh, and a boundary
// scan of the wires to its neighbours.
//
// Registers, as commands of the chain name them (docs/bring-up.md):
//   0  ID        ro  0x4F570001
//   1  CONTROL   rw  [0] run: 0 holds the tile in reset; [1] test: the endpoint takes its requests
//                    from here and answers to here
//   2  TILE_FUSE rw  tile_fuse_t
//   3  ROW_FUSE  rw  row_fuse_t; that of column 0 counts
//   4  PUSH      w   a word of a request packet; r [0] the last one has been taken
//   5  PUSH_LAST w   the last word of a packet
//   6  POP       ro  a word of the answer; the read takes it
//   7  POP_STATE ro  [0] there is one, [1] it is the packet's last
//   8  SCAN      rw  [0] on: what leaves to the mesh is the pattern and not what the tile sends
//   9  PATTERN   rw  bits 31:0 of the pattern; register 10 bits 44:32. Side s sends it rotated to
//                    the left by 11 s bits, so that sides cannot be taken for each other
//   11 LINK      rw  [7:6] side, [5:0] word of the status of the reticle-crossing link there: a
//                    write fetches it, register 12 shows it
//   32 + 2 s     ro  bits 31:0 of what comes from the mesh at side s (N E S W); 33 + 2 s:
//                    bits 44:32
// Everything is 0 after reset, so a fresh wafer is isolated and its tiles are in reset. A word that
// is pushed before the last one has been taken is lost; at one command after the other it never is,
// since the endpoint takes a word long before the next command has come.
//
//   col_i        physical column
//   *_near_i ... lines of the chain, see ow_chain_node
//   tile_*       to the tile; the response words are held until they are popped
//   stat_*       status of a link; stat_i is there from the cycle after the next on
//   from_i       what the tile sends; to_o what the mesh gets; at_i what the mesh brings to the
//                tile
module ow_station
  import ow_pkg::*;
  import ow_reticle_pkg::*;
(
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

  localparam logic [31:0] ID = 32'h4F57_0001;
  localparam logic [5:0] REG_CONTROL = 6'd1;
  localparam logic [5:0] REG_TILE_FUSE = 6'd2;
  localparam logic [5:0] REG_ROW_FUSE = 6'd3;
  localparam logic [5:0] REG_PUSH = 6'd4;
  localparam logic [5:0] REG_PUSH_LAST = 6'd5;
  localparam logic [5:0] REG_POP = 6'd6;
  localparam logic [5:0] REG_POP_STATE = 6'd7;
  localparam logic [5:0] REG_SCAN = 6'd8;
  localparam logic [5:0] REG_PATTERN_LOW = 6'd9;
  localparam logic [5:0] REG_PATTERN_HIGH = 6'd10;
  localparam logic [5:0] REG_LINK = 6'd11;
  localparam logic [5:0] REG_LINK_STATUS = 6'd12;

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
  logic [7:0] link_q;
  link_t      pattern_q;

  function automatic link_t rotated(input link_t x, input int unsigned n);
    return link_t'(({x, x} << n) >> $bits(link_t));
  endfunction

  for (genvar s = 0; s < 4; s++) begin : gen_side
    assign to_o[s] = scan_q ? rotated(pattern_q, 11 * s) : from_i[s];
  end

  assign tile_fuse_o = tile_fuse_q;
  assign row_fuse_o = row_fuse_q;
  assign tile_test_o = test_q;
  assign tile_req_valid_o = push_q;
  assign tile_req_o = word_q;
  assign tile_rsp_ready_o = re && !we && addr == REG_POP;
  assign stat_side_o = link_q[7:6];
  assign stat_addr_o = link_q[5:0];

  always_ff @(posedge clk_i) begin
    // A register of its own: the reset of a whole tile hangs on it.
    tile_rst_o <= rst_i || !run_q;
  end

  always_comb begin
    rdata = '0;
    if (re) begin
      if (addr[5:3] == 3'd4) begin
        rdata = addr[0] ? {19'd0, at_i[addr[2:1]][44:32]} : at_i[addr[2:1]][31:0];
      end else begin
        unique case (addr)
          6'd0:          rdata = ID;
          REG_CONTROL:   rdata = {30'd0, test_q, run_q};
          REG_TILE_FUSE: rdata = {17'd0, tile_fuse_q};
          REG_ROW_FUSE:  rdata = {26'd0, row_fuse_q};
          REG_PUSH:      rdata = {31'd0, !push_q};
          REG_POP:       rdata = tile_rsp_valid_i ? tile_rsp_i.data : '0;
          REG_POP_STATE: rdata = {30'd0, tile_rsp_valid_i && tile_rsp_i.ctrl, tile_rsp_valid_i};
          REG_SCAN:         rdata = {31'd0, scan_q};
          REG_PATTERN_LOW:  rdata = pattern_q[31:0];
          REG_PATTERN_HIGH: rdata = {19'd0, pattern_q[44:32]};
          REG_LINK:         rdata = {24'd0, link_q};
          REG_LINK_STATUS:  rdata = stat_i;
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
      scan_q <= 1'b0;
      link_q <= '0;
      stat_re_o <= 1'b0;
      pattern_q <= '0;
    end else begin
      stat_re_o <= we && addr == REG_LINK;
      if (push_q && tile_req_ready_i) push_q <= 1'b0;
      if (we) begin
        unique case (addr)
          REG_CONTROL: {test_q, run_q} <= wdata[1:0];
          REG_TILE_FUSE: tile_fuse_q <= wdata[14:0];
          REG_ROW_FUSE: row_fuse_q <= wdata[5:0];
          REG_SCAN: scan_q <= wdata[0];
          REG_LINK: link_q <= wdata[7:0];
          REG_PATTERN_LOW: pattern_q[31:0] <= wdata;
          REG_PATTERN_HIGH: pattern_q[44:32] <= wdata[12:0];
          REG_PUSH, REG_PUSH_LAST: begin
            push_q <= 1'b1;
            word_q <= {addr == REG_PUSH_LAST, wdata};
          end
          default: ;
        endcase
      end
    end
  end

endmodule
