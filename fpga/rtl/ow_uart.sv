// SPDX-License-Identifier: Apache-2.0
// A UART: 8 data bits, no parity, one stop bit, between two pins and two byte streams.
//
// A bit takes ClockHz / Baud cycles, which is a fraction. A counter with 16 fractional bits
// advances by Baud / ClockHz per cycle. So edges are at most one cycle off and no error adds up.
// The receiver samples in the middle of each bit. It finds that middle again at every start bit.
//
// Sending: valid/ready, one byte every 10 bit times. Receiving: rx_valid_o is high for one cycle
// per byte; the byte must be taken then, since a wire does not wait. Errors: a byte whose stop bit
// is low is dropped. So is a start bit that is high again in its middle. The frames above detect
// the missing byte.
//
//   ClockHz, Baud   Baud at most ClockHz / 4
//   rx_i, tx_o      pins; they rest high
`include "ow_assert.svh"

module ow_uart #(
  parameter int unsigned ClockHz = 50_000_000,
  parameter int unsigned Baud = 3_000_000
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       rx_i,
  output logic       tx_o,
  output logic       rx_valid_o,
  output logic [7:0] rx_data_o,
  input  logic       tx_valid_i,
  output logic       tx_ready_o,
  input  logic [7:0] tx_data_i
);

  `OW_ASSERT_INIT(four_cycles_a_bit, Baud >= 1 && 4 * 64'(Baud) <= 64'(ClockHz))

  localparam logic [15:0] Step = 16'((64'(Baud) * 65536 + 64'(ClockHz) / 2) / 64'(ClockHz));

  // ------------------------------------------------------------------------------ receiving ------
  logic [2:0]  pin_q;      // two for the synchroniser, and what it was before
  logic [15:0] rx_phase_q;
  logic [16:0] rx_next;
  logic [3:0]  rx_left_q;  // bits still to be sampled, the start bit among them; 0: none
  logic [7:0]  rx_shift_q;
  assign rx_next = {1'b0, rx_phase_q} + 17'(Step);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pin_q <= '1;
      rx_phase_q <= '0;
      rx_left_q <= '0;
      rx_shift_q <= '0;
      rx_valid_o <= 1'b0;
    end else begin
      pin_q <= {pin_q[1:0], rx_i};
      rx_valid_o <= 1'b0;
      if (rx_left_q == 4'd0) begin
        rx_phase_q <= 16'h8000;  // half a bit to the middle of the start bit
        if (pin_q[2] && !pin_q[1]) rx_left_q <= 4'd10;
      end else begin
        rx_phase_q <= rx_next[15:0];
        if (rx_next[16]) begin
          rx_left_q <= rx_left_q - 4'd1;
          if (rx_left_q == 4'd10) begin
            if (pin_q[1]) rx_left_q <= 4'd0;  // it was no start bit
          end else if (rx_left_q == 4'd1) begin
            rx_valid_o <= pin_q[1];
          end else begin
            rx_shift_q <= {pin_q[1], rx_shift_q[7:1]};
          end
        end
      end
    end
  end
  assign rx_data_o = rx_shift_q;

  // -------------------------------------------------------------------------------- sending ------
  logic [15:0] tx_phase_q;
  logic [16:0] tx_next;
  logic [3:0]  tx_left_q;   // bits that are not over, the one on the pin among them
  logic [8:0]  tx_shift_q;  // the bits after that one
  logic        tx_q;
  assign tx_next = {1'b0, tx_phase_q} + 17'(Step);
  assign tx_ready_o = tx_left_q == 4'd0;
  assign tx_o = tx_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      tx_phase_q <= '0;
      tx_left_q <= '0;
      tx_shift_q <= '1;
      tx_q <= 1'b1;
    end else if (tx_left_q == 4'd0) begin
      tx_phase_q <= '0;
      tx_q <= !tx_valid_i;  // the start bit
      if (tx_valid_i) begin
        tx_left_q <= 4'd10;
        tx_shift_q <= {1'b1, tx_data_i};
      end
    end else begin
      tx_phase_q <= tx_next[15:0];
      if (tx_next[16]) begin
        tx_left_q <= tx_left_q - 4'd1;
        tx_q <= tx_shift_q[0];
        tx_shift_q <= {1'b1, tx_shift_q[8:1]};
      end
    end
  end

endmodule
