// SPDX-License-Identifier: Apache-2.0
// Numbers of the host's byte stream (docs/fpga.md): frames, records, and the CRC. The host's half
// is sw/device/uart/include/ow/uart/numbers.h; a test holds the two equal.

// No module uses every constant.
/* verilator lint_off UNUSEDPARAM */
package ow_host_pkg;

  localparam int unsigned PROTOCOL_VERSION = 1;

  // Between frames, and in front of a byte that would look like one of the two.
  localparam logic [7:0] BYTE_FLAG = 8'h7E;
  localparam logic [7:0] BYTE_ESCAPE = 8'h7D;
  localparam logic [7:0] ESCAPE_FLIP = 8'h20;

  // A frame: four bytes of header, payload, four bytes of CRC.
  localparam int unsigned HEADER_BYTES = 4;
  localparam int unsigned CRC_BYTES = 4;
  localparam int unsigned PAYLOAD_MAX = 128;
  localparam int unsigned WINDOW = 15;       // frames sent and not acknowledged, at most
  localparam int unsigned INFO_BYTES = 9;    // payload of FRAME_OPENED
  localparam int unsigned RESEND_TRIES = 15; // resends in a row without an answer, at most

  // First byte of the header: the kind in its low bits, the sender's turn above, and the request to
  // go back in its top bit.
  localparam int unsigned KIND_BITS = 3;
  localparam int unsigned TURN_BITS = 4;
  localparam int unsigned NACK_BIT = 7;
  localparam logic [2:0] FRAME_OPEN = 3'd1;
  localparam logic [2:0] FRAME_OPENED = 3'd2;
  localparam logic [2:0] FRAME_DATA = 3'd3;
  localparam logic [2:0] FRAME_ACK = 3'd4;
  localparam logic [2:0] FRAME_CLOSED = 3'd5;

  // Records: the first byte of each.
  localparam logic [3:0] RECORD_SELECT = 4'd1;
  localparam logic [3:0] RECORD_DATA = 4'd2;
  localparam logic [3:0] RECORD_CONTROL = 4'd3;
  localparam logic [3:0] RECORD_CHAIN = 4'd4;
  localparam logic [3:0] RECORD_STATUS = 4'd5;
  localparam logic [3:0] RECORD_REPORT = 4'd6;
  localparam logic [3:0] RECORD_ROOM = 4'd7;

  // Flags of a status record.
  localparam int unsigned STATUS_QUIET_BIT = 0;
  localparam int unsigned STATUS_CREDIT_BIT = 1;

  // Place of a room record's credits above its count of wavelets.
  localparam int unsigned ROOM_CREDITS_BIT = 6;
  // Wavelets that wait in front of the grid, of a port and a colour.
  localparam int unsigned QUEUE_SLOTS = 32;
  // Of the byte that names a chain: listen to the station before the last one.
  localparam int unsigned CHAIN_SKIP_BIT = 7;

  // CRC-32 of IEEE 802.3, least significant bit first; the remainder of a whole frame.
  localparam logic [31:0] CRC32_POLYNOMIAL = 32'hEDB88320;
  localparam logic [31:0] CRC32_GOOD = 32'hDEBB20E3;

  function automatic logic [31:0] crc32_byte(input logic [31:0] crc, input logic [7:0] data);
    logic [31:0] x;
    x = crc ^ {24'd0, data};
    for (int unsigned i = 0; i < 8; i++) x = {1'b0, x[31:1]} ^ (x[0] ? CRC32_POLYNOMIAL : 32'd0);
    return x;
  endfunction

  function automatic logic is_special(input logic [7:0] data);
    return data == BYTE_FLAG || data == BYTE_ESCAPE;
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
