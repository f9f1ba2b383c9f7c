// SPDX-License-Identifier: Apache-2.0
// The control plane's endpoint in a tile. It takes request packets from the router, reads and
// writes the tile's SRAM and registers, and sends responses (docs/fabric.md, requests and
// responses).
//
// Protocol: req_* and rsp_* are valid/ready; a word with its control bit ends a packet. mem_* and
// reg_* are request/grant in one cycle. Read data come with rvalid, in order, any number of cycles
// later (SRAM: the next cycle).
// Throughput: a write takes one word per cycle as long as grants come. A word that is refused is
// kept, and nothing else is taken until it is written, so req_ready_o does not depend on the grant.
// A read streams one word per cycle, with up to 4 reads under way. Small: a word is taken after it
// is written, and one read is under way.
// A request of one word activates a task. The router marks it, because the first word of a packet
// that ends too early looks the same.
// Errors: a range that is not wholly in SRAM or in the registers, or is not aligned, is an address
// error; no word of it is written or read. A read of 0 words, or with words after its two headers,
// is malformed. Both are answered if the packet is a read with its headers. Other operations, and
// words after those of a write, are swallowed to the tail. The endpoint waits only for its memory
// ports and the response network.
//
//   SramBytes     size of the SRAM in bytes, a multiple of 4 up to 8 MB
//   Small         for area: as above
//   req_*, rsp_*  requests from the router, responses to it; brief: a request of one word
//   mem_*, reg_*  the tile's SRAM, byte address; its registers, byte offset
//   idle_o        nothing can change before an input does

`include "ow_assert.svh"

module ow_ctrl_ep
  import ow_pkg::*;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter bit Small = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        req_valid_i,
  input  ramp_t       req_i,
  input  logic        req_brief_i,
  output logic        req_ready_o,
  output logic        rsp_valid_o,
  output ramp_t       rsp_o,
  input  logic        rsp_ready_i,
  output logic        mem_req_o,
  output logic        mem_we_o,
  output logic [23:0] mem_addr_o,
  output logic [31:0] mem_wdata_o,
  input  logic        mem_gnt_i,
  input  logic        mem_rvalid_i,
  input  logic [31:0] mem_rdata_i,
  output logic        reg_req_o,
  output logic        reg_we_o,
  output logic [15:0] reg_addr_o,
  output logic [31:0] reg_wdata_o,
  input  logic        reg_gnt_i,
  input  logic        reg_rvalid_i,
  input  logic [31:0] reg_rdata_i,
  output logic        idle_o
);

  `OW_ASSERT_INIT(sram_in_range, SramBytes % 4 == 0 && SramBytes >= 4 && SramBytes <= 8388608)

  typedef enum logic [3:0] {
    CMD, ADDR, WRITE, HEAD_X, HEAD_Y, SWALLOW_ANSWER, SWALLOW, SEND_X, SEND_Y, SEND_STATUS,
    SEND_DATA
  } state_e;

  state_e state_q;
  logic is_read_q, is_reg_q;
  packet_status_e status_q;
  logic [7:0] tag_q;
  logic [15:0] left_q;       // words still to be written, or to be requested
  logic [23:0] addr_q;
  logic [31:0] head_x_q, head_y_q;

  // Responses leave through a queue. A read is started only if the queue has a place for its word.
  localparam int unsigned Places = Small ? 1 : 4;
  logic push, fifo_full, fifo_empty;
  ramp_t push_data;
  logic [$clog2(Places+1)-1:0] fifo_level;
  logic [2:0] flying_q;  // reads under way
  logic room, last;      // last: the word that comes is the last one of a read
  assign room = 3'(fifo_level) + flying_q < 3'(Places);
  assign last = left_q == '0 && flying_q == 3'd1;

  ow_fifo #(.Width(33), .Depth(Places)) u_rsp (
    .clk_i,
    .rst_i,
    .push_i (push),
    .data_i (push_data),
    .full_o (fifo_full),
    .pop_i  (rsp_valid_o && rsp_ready_i),
    .data_o (rsp_o),
    .empty_o(fifo_empty),
    .level_o(fifo_level)
  );
  assign rsp_valid_o = !fifo_empty;

  // ---------------------------------------------------------------------------------- requests ---
  localparam int unsigned Most = SramBytes > TILE_REGS_BYTES ? SramBytes : TILE_REGS_BYTES;
  localparam int unsigned OffsetW = $clog2(Most + 1) > 18 ? $clog2(Most + 1) : 18;
  logic [OffsetW:0] offset_end;  // first byte after the range, if the range is near the base
  logic to_reg, near, range_ok;
  always_comb begin
    to_reg = 1'b0;
    near = 1'b0;
    offset_end = '0;
    range_ok = 1'b0;
    if (req_valid_i && state_q == ADDR) begin
      to_reg = req_i.data[31:28] == TILE_REGS[31:28];
      near = req_i.data[27:OffsetW] == '0 && req_i.data[1:0] == '0;
      offset_end = {1'b0, req_i.data[OffsetW-1:0]} + (OffsetW + 1)'({left_q, 2'b0});
      range_ok = near && (to_reg ? offset_end <= (OffsetW + 1)'(TILE_REGS_BYTES)
                                 : req_i.data[31:28] == '0 && offset_end <= (OffsetW + 1)'(SramBytes));
    end
  end

  // The first word of a request, or its only one.
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits; hops, which only routers read
  packet_command_t command;
  packet_brief_t brief;
  /* verilator lint_on UNUSEDSIGNAL */
  logic is_read;
  assign command = req_i.data;
  assign brief = req_i.data;
  assign is_read = command.operation == PACKET_READ;

  // A word to be written is taken when it comes, and kept if it is refused, so the router does not
  // wait for the memory's grant. Until it is written nothing else is taken. Small: the word waits
  // at the router.
  logic        kept_q;
  logic [31:0] word_q;
  logic        valid;  // a word may be looked at
  assign valid = req_valid_i && !kept_q;

  logic do_write, do_read, do_ring, gnt, rvalid;
  assign do_ring = state_q == CMD && valid && req_brief_i && brief.activate;
  assign do_write = kept_q || (state_q == WRITE && req_valid_i);
  assign do_read = state_q == SEND_DATA && left_q != '0 && room;
  assign gnt = is_reg_q ? reg_gnt_i : mem_gnt_i;
  assign rvalid = flying_q != '0 && (is_reg_q ? reg_rvalid_i : mem_rvalid_i);

  // Small: the request to the memory comes a cycle later, from a register, and the word is taken in
  // the cycle after the grant.
  logic asks, asks_q, wrote_q;
  assign asks = Small ? asks_q : do_write || do_read;
  always_ff @(posedge clk_i) begin
    asks_q <= Small && (do_write || do_read) && !(asks_q && gnt) && !wrote_q && !rst_i;
    wrote_q <= asks_q && do_write && gnt && !rst_i;
  end

  assign mem_req_o = asks && !is_reg_q;
  assign reg_req_o = (asks && is_reg_q) || do_ring;
  assign mem_we_o = do_write;
  assign reg_we_o = do_write || do_ring;
  assign mem_addr_o = addr_q;
  assign reg_addr_o = do_ring ? REG_TASK_ACTIVATE : addr_q[15:0];
  assign mem_wdata_o = kept_q ? word_q : req_i.data;
  assign reg_wdata_o = do_ring ? 32'd1 << brief.task_id : mem_wdata_o;

  always_comb begin
    case (state_q)
      CMD: req_ready_o = !kept_q && (!do_ring || reg_gnt_i);
      WRITE: req_ready_o = Small ? wrote_q : !kept_q;
      ADDR, HEAD_X, HEAD_Y, SWALLOW_ANSWER, SWALLOW: req_ready_o = !kept_q;
      default: req_ready_o = 1'b0;
    endcase
  end

  always_comb begin
    push = 1'b0;
    push_data = '0;
    case (state_q)
      SEND_X: begin
        push = !fifo_full;
        push_data = '{ctrl: 1'b0, data: head_x_q};
      end
      SEND_Y: begin
        push = !fifo_full;
        push_data = '{ctrl: 1'b0, data: head_y_q};
      end
      SEND_STATUS: begin
        push = !fifo_full;
        push_data = '{ctrl: status_q != STATUS_DONE,
                      data: packet_response_t'{status: status_q, tag: tag_q,
                                               count: status_q == STATUS_DONE ? left_q : 16'd0,
                                               default: '0}};
      end
      SEND_DATA: begin
        push = rvalid;
        push_data = '{ctrl: last, data: is_reg_q ? reg_rdata_i : mem_rdata_i};
      end
      default: push = 1'b0;
    endcase
  end

  assign idle_o = (state_q == SEND_X || state_q == SEND_Y || state_q == SEND_STATUS ||
                   state_q == SEND_DATA) ?
                  fifo_full && !rsp_ready_i :
                  !req_valid_i && !kept_q && (fifo_empty || !rsp_ready_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= CMD;
      is_read_q <= 1'b0;
      is_reg_q <= 1'b0;
      status_q <= STATUS_DONE;
      tag_q <= '0;
      left_q <= '0;
      addr_q <= '0;
      head_x_q <= '0;
      head_y_q <= '0;
      flying_q <= '0;
      kept_q <= 1'b0;
    end else begin
      kept_q <= !Small && do_write && !gnt;
      if (do_write && !gnt) word_q <= mem_wdata_o;
      if (do_write && asks && gnt) addr_q <= addr_q + 24'd4;
      case (state_q)
        CMD: if (valid) begin
          is_read_q <= is_read;
          tag_q <= command.tag;
          left_q <= command.count;
          status_q <= (command.count == '0) ? STATUS_MALFORMED : STATUS_DONE;
          if (!req_i.ctrl) begin
            state_q <= (is_read || command.operation == PACKET_WRITE) ? ADDR : SWALLOW;
          end
        end
        ADDR: if (valid) begin
          addr_q <= req_i.data[23:0];
          is_reg_q <= to_reg;
          if (!range_ok && status_q == STATUS_DONE) status_q <= STATUS_ADDRESS;
          if (req_i.ctrl) begin
            state_q <= CMD;
          end else if (is_read_q) begin
            state_q <= HEAD_X;
          end else begin
            state_q <= (range_ok && status_q == STATUS_DONE) ? WRITE : SWALLOW;
          end
        end
        WRITE: if (valid && (!Small || wrote_q)) begin
          left_q <= left_q - 16'd1;
          if (req_i.ctrl) state_q <= CMD;
          else if (left_q == 16'd1) state_q <= SWALLOW;
        end
        HEAD_X: if (valid) begin
          head_x_q <= req_i.data;
          state_q <= req_i.ctrl ? CMD : HEAD_Y;
        end
        HEAD_Y: if (valid) begin
          head_y_q <= req_i.data;
          if (!req_i.ctrl) status_q <= STATUS_MALFORMED;
          state_q <= req_i.ctrl ? SEND_X : SWALLOW_ANSWER;
        end
        SWALLOW_ANSWER: if (valid && req_i.ctrl) state_q <= SEND_X;
        SWALLOW: if (valid && req_i.ctrl) state_q <= CMD;
        SEND_X: if (!fifo_full) state_q <= SEND_Y;
        SEND_Y: if (!fifo_full) state_q <= SEND_STATUS;
        SEND_STATUS: if (!fifo_full) state_q <= (status_q == STATUS_DONE) ? SEND_DATA : CMD;
        SEND_DATA: begin
          if (do_read && asks && gnt) begin
            addr_q <= addr_q + 24'd4;
            left_q <= left_q - 16'd1;
          end
          if (rvalid && last) state_q <= CMD;
          flying_q <= flying_q + 3'(do_read && asks && gnt) - 3'(rvalid);
        end
        default: state_q <= CMD;
      endcase
    end
  end

  `OW_ASSERT(flying_in_range, flying_q <= 3'd4, "more reads on their way than places")
  `OW_ASSERT(place_for_data, !(push && fifo_full), "read data without a place")
  `OW_ASSERT(asks_for_it, !asks_q || do_write || do_read, "what is asked for is not wanted any more")
  `OW_ASSERT(one_port, !(mem_req_o && reg_req_o), "both ports asked at once")
  `OW_ASSERT(sram_range, !mem_req_o || {8'b0, mem_addr_o} < SramBytes, "an address beyond the SRAM")

endmodule
