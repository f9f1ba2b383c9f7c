// SPDX-License-Identifier: Apache-2.0
// One station of a row's test-access chain: the serial part (docs/bring-up.md).
//
// Two lines run through the row, one east and one west, one bit per cycle, one cycle per station.
// Each end of the row is a port of the reticle. On each line a station hears the station before it
// and the one before that, so a dead station is passed over. It believes a line after two frames
// with right CRCs, one after the other. (Of noise one frame in 65,536 is right, and a bring-up is
// long enough for one.) Until then it carries out no frame and sends nothing on. It counts the
// frames that the other of the two begins meanwhile (a one after 64 zeros), and changes over after
// six. A near neighbour that works needs two frames to find itself and sends the third on, so it is
// never passed over. A line that is stuck or babbles begins no frame. So a chain without two dead
// stations side by side sets itself up while the host asks for one station after the other.
//
// Frame, first bit first: start (1), then the 64 bits of a chain_frame_t, most significant first.
// The last 16 are the CRC of the 48 before them, initial value 0xFFFF. The line rests at 0. A
// station whose column a command names carries it out, and answers on the other line, towards the
// side from which it came: the same frame with the answer bit, and as data what was read (before a
// write). A command to column 255 is carried out by every station that it passes, and not answered.
// The host sends the next command of a row when it has the answer, or after 140 + 4 x stations
// cycles without one.
// Latency: one cycle per station for a frame that passes; an answer begins in the cycle after its
// command has ended.
// Errors: a frame with a wrong CRC does nothing. A command that cannot be answered is not carried out,
// so the host may send it again: one that ends while an answer is sent, and of two that end in the
// same cycle that of the line that runs east.
//
//   col_i            the station's physical column
//   east_near_i ...  line that runs east: from the station to the west, from the one beyond it
//   west_near_i ...  line that runs west: from the station to the east, from the one beyond it
//   reg_*            the registers: reg_we_o and reg_re_o for one cycle; reg_rdata_i combinational
module ow_chain_node
  import ow_isa_pkg::chain_frame_t, ow_isa_pkg::CRC_POLYNOMIAL, ow_isa_pkg::STATION_ALL_COLUMNS;
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
  output logic        reg_we_o,
  output logic        reg_re_o,
  output logic [5:0]  reg_addr_o,
  output logic [31:0] reg_wdata_o,
  input  logic [31:0] reg_rdata_i
);

  localparam logic [2:0] PATIENCE = 3'd6;  // frames

  function automatic logic [15:0] crc_step(input logic [15:0] crc, input logic b);
    return {crc[14:0], 1'b0} ^ ((crc[15] ^ b) ? CRC_POLYNOMIAL : 16'd0);
  endfunction

  // Index 0: the line that runs east, 1: the line that runs west.
  logic [1:0]              near, skip;
  logic [1:0]              skip_q;     // listens to the station beyond
  logic [1:0]              right_q;    // the frame before was right
  logic [1:0]              locked_q;   // the line is believed
  logic [1:0][2:0]         begun_q;    // frames that the other one has begun
  logic [1:0][6:0]         zeros_q;    // zeros of the other one, up to 64
  logic [1:0][6:0]         count_q;    // bits still to come, 0: waits for the start
  logic [1:0][47:0]        shift_q;
  logic [1:0][15:0]        crc_q;
  logic [1:0]              line_q;     // what is sent on

  assign near = {west_near_i, east_near_i};
  assign skip = {west_skip_i, east_skip_i};
  assign east_o = line_q[0];
  assign west_o = line_q[1];

  // What each line brings in this cycle, and whether a frame ends with it.
  logic [1:0] heard, other, ends, good, sure;
  always_comb begin
    for (int unsigned d = 0; d < 2; d++) begin
      heard[d] = skip_q[d] ? skip[d] : near[d];
      other[d] = skip_q[d] ? near[d] : skip[d];
      ends[d] = count_q[d] == 7'd1;
      good[d] = ends[d] && crc_step(crc_q[d], heard[d]) == '0;
      sure[d] = good[d] && (locked_q[d] || right_q[d]);
    end
  end

  // The answer, while it is sent.
  logic [6:0]  left_q;   // bits left, 0: nothing
  logic        side_q;   // the line
  logic        start_q;  // the start bit is next
  logic [47:0] answer_q;
  logic [15:0] answer_crc_q;
  logic        answers, bit_out;
  assign answers = left_q != 7'd0 || start_q;
  assign bit_out = start_q ? 1'b1 : left_q > 7'd16 ? answer_q[47] : answer_crc_q[15];

  // A command for this station. Its answer goes out on the other line.
  logic         command, from, to_all;
  chain_frame_t frame;   // its CRC is not kept
  /* verilator lint_off UNUSEDSIGNAL */ // its CRC is computed while it is sent
  chain_frame_t answer;
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin
    command = 1'b0;
    from = 1'b0;
    frame = '0;
    for (int unsigned d = 0; d < 2; d++) begin : line
      automatic chain_frame_t taken;
      taken = {shift_q[d], 16'd0};
      if (sure[d] && !taken.answer &&
          ((taken.column == col_i && !answers) || taken.column == STATION_ALL_COLUMNS)) begin
        command = 1'b1;
        from = 1'(d);
        frame = taken;
      end
    end
    to_all = frame.column == STATION_ALL_COLUMNS;
  end
  always_comb begin  // a process of its own: what is read depends on the command
    answer = frame;
    answer.answer = 1'b1;
    answer.data = reg_rdata_i;
  end
  assign reg_we_o = command && frame.write;
  assign reg_re_o = command;
  assign reg_addr_o = frame.address;
  assign reg_wdata_o = frame.data;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      skip_q <= '0;
      right_q <= '0;
      locked_q <= '0;
      begun_q <= '0;
      zeros_q <= '0;
      count_q <= '0;
      shift_q <= '0;
      crc_q <= '0;
      line_q <= '0;
      left_q <= '0;
      side_q <= 1'b0;
      start_q <= 1'b0;
      answer_q <= '0;
      answer_crc_q <= '0;
    end else begin
      for (int unsigned d = 0; d < 2; d++) begin
        line_q[d] <= locked_q[d] && heard[d];
        if (count_q[d] == 7'd0) begin
          if (heard[d]) begin
            count_q[d] <= 7'd64;
            crc_q[d] <= 16'hFFFF;
          end
        end else begin
          count_q[d] <= count_q[d] - 7'd1;
          crc_q[d] <= crc_step(crc_q[d], heard[d]);
          if (count_q[d] > 7'd16) shift_q[d] <= {shift_q[d][46:0], heard[d]};
        end
        if (ends[d]) right_q[d] <= good[d];
        if (sure[d]) begin
          locked_q[d] <= 1'b1;
        end else if (!locked_q[d]) begin
          if (other[d]) zeros_q[d] <= '0;
          else if (!zeros_q[d][6]) zeros_q[d] <= zeros_q[d] + 7'd1;
          if (begun_q[d] == PATIENCE) begin
            begun_q[d] <= '0;
            zeros_q[d] <= '0;
            skip_q[d] <= !skip_q[d];
            right_q[d] <= 1'b0;
            count_q[d] <= '0;
          end else if (other[d] && zeros_q[d][6]) begin
            begun_q[d] <= begun_q[d] + 3'd1;
          end
        end
      end
      if (answers) begin
        line_q[side_q] <= bit_out;
        start_q <= 1'b0;
        if (!start_q) begin
          left_q <= left_q - 7'd1;
          if (left_q > 7'd16) begin
            answer_q <= {answer_q[46:0], 1'b0};
            answer_crc_q <= crc_step(answer_crc_q, answer_q[47]);
          end else begin
            answer_crc_q <= {answer_crc_q[14:0], 1'b0};
          end
        end
      end else if (command && !to_all) begin
        left_q <= 7'd64;
        start_q <= 1'b1;
        side_q <= !from;
        answer_q <= answer[63:16];
        answer_crc_q <= 16'hFFFF;
      end
    end
  end

endmodule
