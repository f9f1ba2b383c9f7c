// SPDX-License-Identifier: Apache-2.0
// The sending half of the host's byte stream. It cuts payload into frames, keeps them until they
// are acknowledged, and sends them again from the first one that is not (go-back-N).
//
// Payload is taken at one byte per cycle while a frame is open. A frame is closed when it is full,
// or when flush_i says that nothing more is coming and the wire is free. So payload that comes
// while the wire is busy shares a frame. Each byte of a frame takes at least two cycles. Resends:
// after a request (back_i), and after ResendCycles without progress. After HOST_RESEND_TRIES
// timeouts in a row without any correct frame from the host (heard_i), it waits for one.
//
//   ResendCycles   2 or more: longer than the host takes to answer a window of frames
//   in_*           payload, valid/ready
//   flush_i        no payload is on its way; fresh_o: the frame that is open is empty
//   session_i, expected_i, nack_i   of the header (reply_i: session of HOST_FRAME_CLOSED); acked_i
//                  counts when heard_i is high
//   heard_i        a correct frame of this session came; back_i: and it asks to go back
//   opened_i, closed_i, ack_i       send such a frame; *_sent_o when it is begun
//   open_i         there is a session: frames of payload may be sent
//   restart_i      forget all payload
//   info_i         payload of HOST_FRAME_OPENED, the first byte lowest
//   byte_*         to the wire, valid/ready
`include "ow_assert.svh"

module ow_host_tx
  import ow_isa_pkg::*;
  import ow_host_pkg::*;
#(
  parameter int unsigned ResendCycles = 2_500_000
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        restart_i,
  input  logic        open_i,
  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [7:0]  in_i,
  input  logic        flush_i,
  output logic        fresh_o,
  input  logic [7:0]  session_i,
  input  logic [7:0]  reply_i,
  input  logic [7:0]  expected_i,
  input  logic        nack_i,
  input  logic        heard_i,
  input  logic        back_i,
  input  logic [7:0]  acked_i,
  input  logic        opened_i,
  output logic        opened_sent_o,
  input  logic        closed_i,
  output logic        closed_sent_o,
  input  logic        ack_i,
  output logic        ack_sent_o,
  input  logic [HOST_INFO_BYTES*8-1:0] info_i,
  output logic        byte_valid_o,
  input  logic        byte_ready_i,
  output logic [7:0]  byte_o
);

  `OW_ASSERT_INIT(resend_time, ResendCycles >= 2)

  localparam int unsigned Slots = HOST_WINDOW + 1;
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned LenW = $clog2(HOST_PAYLOAD_MAX);
  localparam int unsigned TimeW = $clog2(ResendCycles + 1);
  `OW_ASSERT_INIT(slots_are_a_power_of_two, Slots == 2 ** SlotW)
  `OW_ASSERT_INIT(payload_is_a_power_of_two, HOST_PAYLOAD_MAX == 2 ** LenW)

  // Numbers of frames: the first that is not acknowledged, the next to send, the one being filled.
  logic [7:0] acked_q, next_q, filled_q;
  logic [LenW:0] fill_q;  // bytes of the frame that is being filled

  // ------------------------------------------------------------------------------- filling -------
  logic take, close, window_open;
  logic sending;  // a frame is on its way to the wire
  logic [LenW:0] length;
  assign window_open = filled_q - acked_q < 8'(HOST_WINDOW);
  assign in_ready_o = open_i && fill_q != (LenW + 1)'(HOST_PAYLOAD_MAX);
  assign take = in_valid_i && in_ready_o;
  assign fresh_o = fill_q == '0;
  assign close = window_open && open_i && !restart_i &&
                 (fill_q == (LenW + 1)'(HOST_PAYLOAD_MAX) ||
                  (fill_q != '0 && flush_i && !in_valid_i && !sending && next_q == filled_q));

  ow_ram_1r1w #(.Width(LenW + 1), .Depth(Slots)) u_lengths (
    .clk_i, .rst_i,
    .we_i(close), .waddr_i(filled_q[SlotW-1:0]), .wdata_i(fill_q),
    .re_i(1'b1), .raddr_i(next_q[SlotW-1:0]), .rdata_o(length)
  );

  // ---------------------------------------------------------------------------- bookkeeping ------
  logic [TimeW-1:0] timer_q;
  logic [3:0] tries_q;
  logic [HOST_TURN_BITS-1:0] turn_q;  // times that it went back
  logic progress, late, go_back, frame_over;
  logic [7:0] outstanding;
  logic data_frame_q;  // the frame on its way holds payload
  assign outstanding = next_q - acked_q;
  assign progress = heard_i && acked_i - acked_q != '0 && acked_i - acked_q <= filled_q - acked_q;
  assign late = outstanding != '0 && timer_q == TimeW'(ResendCycles) && !sending &&
                tries_q != 4'(HOST_RESEND_TRIES);
  assign go_back = late || (heard_i && back_i && outstanding != '0);

  always_ff @(posedge clk_i) begin
    if (rst_i || restart_i) begin
      acked_q <= '0;
      next_q <= '0;
      filled_q <= '0;
      fill_q <= '0;
      timer_q <= '0;
      tries_q <= '0;
      turn_q <= '0;
    end else begin
      if (go_back) turn_q <= turn_q + HOST_TURN_BITS'(1);
      if (close) begin
        filled_q <= filled_q + 8'd1;
        fill_q <= '0;
      end else if (take) begin
        fill_q <= fill_q + (LenW + 1)'(1);
      end
      if (progress) acked_q <= acked_i;
      // An acknowledgement may be ahead of the frame that is sent again.
      if (go_back) next_q <= progress ? acked_i : acked_q;
      else if (progress && acked_i - acked_q > outstanding) next_q <= acked_i;
      else if (frame_over && data_frame_q) next_q <= next_q + 8'd1;
      if (progress || go_back || outstanding == '0) timer_q <= '0;
      else if (timer_q != TimeW'(ResendCycles)) timer_q <= timer_q + TimeW'(1);
      if (heard_i) tries_q <= '0;
      else if (late) tries_q <= tries_q + 4'd1;
    end
  end

  // ------------------------------------------------------------------------------- sending -------
  typedef enum logic [2:0] {IDLE, START, HEAD, BODY, CHECK, STOP} phase_e;
  phase_e        phase_q;
  logic [2:0]    kind_q;
  logic          ready_q;      // the byte of the memory is there
  logic          escaping_q;   // the escape is sent, its byte follows
  logic          passed_q;     // the frame on its way was acknowledged or is to be sent again
  logic          dead_q;       // it was acknowledged, or its session is over: its place is reused
  logic [LenW:0] at_q;         // byte of the phase
  logic [LenW:0] length_q;
  logic [31:0]   crc_q;
  logic [7:0]    raw, stored;
  logic          go, advance, last, special;
  logic          valid_q;
  logic [7:0]    byte_q;
  logic [SlotW-1:0] slot_q;
  logic [7:0]    seq_q, session_q;
  logic          nack_q;

  ow_ram_block #(.Width(8), .Depth(Slots * HOST_PAYLOAD_MAX)) u_frames (
    .clk_i, .rst_i,
    .we_i(take), .waddr_i({filled_q[SlotW-1:0], fill_q[LenW-1:0]}), .wdata_i(in_i),
    .re_i(phase_q == BODY && kind_q == HOST_FRAME_DATA && !ready_q && !dead_q),
    .raddr_i({slot_q, at_q[LenW-1:0]}), .rdata_o(stored)
  );

  assign sending = phase_q != IDLE;
  assign byte_valid_o = valid_q;
  assign byte_o = byte_q;

  always_comb begin : what
    unique case (phase_q)
      HEAD: begin
        unique case (at_q[1:0])
          2'd0: raw = {nack_q, turn_q, kind_q};
          2'd1: raw = session_q;
          2'd2: raw = seq_q;
          default: raw = expected_i;
        endcase
      end
      BODY: raw = kind_q == HOST_FRAME_OPENED ? info_i[{29'(at_q), 3'd0}+:8] : stored;
      CHECK: raw = ~crc_q[7:0];
      default: raw = HOST_FLAG;
    endcase
    special = is_special(raw) && phase_q != START && phase_q != STOP;
    go = sending && ready_q && (!valid_q || byte_ready_i);
    advance = go && (!special || escaping_q);
    unique case (phase_q)
      HEAD: last = at_q == (LenW + 1)'(HOST_HEADER_BYTES - 1);
      BODY: last = at_q + (LenW + 1)'(1) == length_q;
      CHECK: last = at_q == (LenW + 1)'(HOST_CRC_BYTES - 1);
      default: last = 1'b1;
    endcase
    frame_over = advance && phase_q == STOP && !passed_q;
  end

  logic begins, sends_opened, sends_closed, sends_data;
  assign begins = phase_q == IDLE && !restart_i;
  assign sends_opened = opened_i;
  assign sends_closed = closed_i && !opened_i;
  // A request to go back has a frame of its own: a short one is less likely to be lost.
  assign sends_data = open_i && !opened_i && !closed_i && !nack_i && next_q != filled_q &&
                      !go_back && !progress;
  assign opened_sent_o = begins && sends_opened;
  assign closed_sent_o = begins && sends_closed;
  // Every frame of a session carries the acknowledgement.
  assign ack_sent_o = begins && !sends_closed && !sends_opened && (sends_data || (open_i && ack_i));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      phase_q <= IDLE;
      kind_q <= '0;
      ready_q <= 1'b0;
      escaping_q <= 1'b0;
      passed_q <= 1'b0;
      dead_q <= 1'b0;
      data_frame_q <= 1'b0;
      at_q <= '0;
      valid_q <= 1'b0;
    end else begin
      if (byte_ready_i) valid_q <= 1'b0;
      // The frame on its way is no longer the next one: it goes out, and does not count.
      if (go_back || restart_i || (progress && acked_i - acked_q > outstanding)) passed_q <= 1'b1;
      // Its last bytes may then be wrong. The host drops it as a frame of an old session or a
      // repeated one.
      if (restart_i || (progress && acked_i - acked_q > seq_q - acked_q)) dead_q <= 1'b1;
      ready_q <= sending && !advance;
      if (begins) begin
        escaping_q <= 1'b0;
        passed_q <= 1'b0;
        dead_q <= 1'b0;
        at_q <= '0;
        crc_q <= '1;
        seq_q <= next_q;
        session_q <= sends_closed ? reply_i : session_i;
        nack_q <= nack_i;
        slot_q <= next_q[SlotW-1:0];
        length_q <= sends_opened ? (LenW + 1)'(HOST_INFO_BYTES) : length;
        data_frame_q <= !sends_opened && !sends_closed && sends_data;
        if (sends_opened || sends_closed || sends_data || (open_i && ack_i)) phase_q <= START;
        kind_q <= sends_opened ? HOST_FRAME_OPENED
                  : sends_closed ? HOST_FRAME_CLOSED
                  : sends_data ? HOST_FRAME_DATA : HOST_FRAME_ACK;
      end else if (go) begin
        valid_q <= 1'b1;
        byte_q <= !special ? raw : escaping_q ? raw ^ HOST_ESCAPE_FLIP : HOST_ESCAPE;
        escaping_q <= special && !escaping_q;
        if (advance) begin
          at_q <= last ? '0 : at_q + (LenW + 1)'(1);
          if (phase_q == CHECK) crc_q <= {8'd0, crc_q[31:8]};
          else if (phase_q != START) crc_q <= crc32_byte(crc_q, raw);
          if (last) begin
            unique case (phase_q)
              START: phase_q <= HEAD;
              HEAD: begin
                phase_q <= kind_q == HOST_FRAME_DATA || kind_q == HOST_FRAME_OPENED ? BODY : CHECK;
              end
              BODY: phase_q <= CHECK;
              CHECK: phase_q <= STOP;
              default: phase_q <= IDLE;
            endcase
          end
        end
      end
    end
  end

  `OW_ASSERT(window_holds, filled_q - acked_q <= 8'(HOST_WINDOW), "more frames than the window has")

endmodule
