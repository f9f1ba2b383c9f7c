// SPDX-License-Identifier: Apache-2.0
// The receiving half of the host's byte stream. It finds frames in the bytes, checks them, and
// keeps the payload of accepted ones for a reader.
//
// Bytes come at up to one per cycle and are always taken. The payload goes into the memory as it
// comes. It counts only if the frame was correct and accept_i is high in the cycle of done_o;
// otherwise it is removed. A frame without room for it is not correct, so the host sends it again.
// Latency: done_o is high in the cycle in which the closing flag is on byte_i.
//
//   Bytes      of payload that are kept, a power of two, at least HOST_WINDOW frames
//   byte_*     from the wire; no ready: a wire does not wait
//   done_o     a frame ended; good_o: it was correct, and the header's fields are valid
//   accept_i   it is the next one: its payload counts
//   flush_i    forget all payload
//   data_*     payload, valid/ready
`include "ow_assert.svh"

module ow_host_rx
  import ow_isa_pkg::*;
  import ow_host_pkg::*;
#(
  parameter int unsigned Bytes = 2048
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       byte_valid_i,
  input  logic [7:0] byte_i,
  output logic       done_o,
  output logic       good_o,
  output logic [2:0] kind_o,
  output logic [HOST_TURN_BITS-1:0] turn_o,
  output logic       nack_o,
  output logic [7:0] session_o,
  output logic [7:0] seq_o,
  output logic [7:0] ack_o,
  input  logic       accept_i,
  input  logic       flush_i,
  output logic       data_valid_o,
  input  logic       data_ready_i,
  output logic [7:0] data_o
);

  `OW_ASSERT_INIT(power_of_two, Bytes == 2 ** $clog2(Bytes))
  `OW_ASSERT_INIT(a_window_fits, Bytes > HOST_WINDOW * HOST_PAYLOAD_MAX + HOST_CRC_BYTES)

  localparam int unsigned PtrW = $clog2(Bytes);
  typedef logic [PtrW:0] ptr_t;  // with a bit that tells full from empty

  // ------------------------------------------------------------------------------- frames --------
  localparam logic [7:0] Longest = 8'(HOST_HEADER_BYTES + HOST_PAYLOAD_MAX + HOST_CRC_BYTES);

  logic        escaped_q, broken_q;
  logic [7:0]  count_q;  // bytes of the frame so far
  logic [31:0] crc_q;
  logic [31:0] head_q;   // its first byte is the lowest
  logic        is_flag, takes, in_payload;
  logic [7:0]  data;

  assign is_flag = byte_valid_i && byte_i == HOST_FLAG;
  assign takes = byte_valid_i && byte_i != HOST_FLAG && byte_i != HOST_ESCAPE;
  assign data = escaped_q ? byte_i ^ HOST_ESCAPE_FLIP : byte_i;
  assign in_payload = takes && count_q >= 8'(HOST_HEADER_BYTES);

  assign done_o = is_flag && (count_q != '0 || broken_q);
  assign good_o = count_q >= 8'(HOST_HEADER_BYTES + HOST_CRC_BYTES) && crc_q == HOST_CRC_GOOD && !broken_q &&
                  !escaped_q;
  assign kind_o = head_q[HOST_KIND_BITS-1:0];
  assign turn_o = head_q[HOST_KIND_BITS+:HOST_TURN_BITS];
  assign nack_o = head_q[HOST_NACK_BIT];
  assign session_o = head_q[15:8];
  assign seq_o = head_q[23:16];
  assign ack_o = head_q[31:24];

  logic full;

  always_ff @(posedge clk_i) begin
    if (rst_i || is_flag) begin
      escaped_q <= 1'b0;
      broken_q <= 1'b0;
      count_q <= '0;
      crc_q <= '1;
    end else if (byte_valid_i) begin
      escaped_q <= byte_i == HOST_ESCAPE;
      if (escaped_q && byte_i == HOST_ESCAPE) broken_q <= 1'b1;
      if (takes) begin
        crc_q <= crc32_byte(crc_q, data);
        if (count_q == Longest || (in_payload && full)) broken_q <= 1'b1;
        else count_q <= count_q + 8'd1;
        if (!in_payload) head_q <= {data, head_q[31:8]};
      end
    end
  end

  // ------------------------------------------------------------------------------- payload -------
  ptr_t wptr_q, kept_q, rptr_q;
  logic we, re, valid_q;
  assign full = wptr_q[PtrW-1:0] == rptr_q[PtrW-1:0] && wptr_q[PtrW] != rptr_q[PtrW];
  assign we = in_payload && !full && !broken_q;
  assign re = kept_q != rptr_q && (!valid_q || data_ready_i);
  assign data_valid_o = valid_q;

  ow_ram_block #(.Width(8), .Depth(Bytes)) u_ram (
    .clk_i, .rst_i,
    .we_i(we), .waddr_i(wptr_q[PtrW-1:0]), .wdata_i(data),
    .re_i(re), .raddr_i(rptr_q[PtrW-1:0]), .rdata_o(data_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i || flush_i) begin
      wptr_q <= '0;
      kept_q <= '0;
      rptr_q <= '0;
      valid_q <= 1'b0;
    end else begin
      if (is_flag) begin
        if (accept_i) begin
          wptr_q <= wptr_q - ptr_t'(HOST_CRC_BYTES);
          kept_q <= wptr_q - ptr_t'(HOST_CRC_BYTES);
        end else begin
          wptr_q <= kept_q;
        end
      end else if (we) begin
        wptr_q <= wptr_q + ptr_t'(1);
      end
      if (re) rptr_q <= rptr_q + ptr_t'(1);
      if (re) valid_q <= 1'b1;
      else if (data_ready_i) valid_q <= 1'b0;
    end
  end

  `OW_ASSERT(accepts_good_frames, !accept_i || (done_o && good_o), "a bad frame was accepted")

endmodule
