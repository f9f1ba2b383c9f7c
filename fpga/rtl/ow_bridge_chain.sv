// SPDX-License-Identifier: Apache-2.0
// The host's end of the test-access chains, one command at a time. A start bit and 64 bits go out.
// From the answer the 64 bits after its first one are kept. The host and the stations give the bits
// their meaning (docs/bring-up.md).
//
// load_i shifts bytes of the command in, the first one first, and start_i sends it. done_o is high
// when the answer is there. If none began for Patience cycles, the answer is 64 zeros. shift_i
// moves the next byte of the answer to byte_o.
//
//   Ends      ends of chains, 1 to 128
//   select_i  the end, and in the top bit whether to listen to the station before the last one;
//             stable from start_i to done_o
`include "ow_assert.svh"

module ow_bridge_chain
  import ow_isa_pkg::HOST_CHAIN_SKIP_BIT;
#(
  parameter int unsigned Ends = 8,
  parameter int unsigned Patience = 255
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic [7:0]      select_i,
  input  logic            load_i,
  input  logic [7:0]      byte_i,
  input  logic            start_i,
  output logic            done_o,
  input  logic            shift_i,
  output logic [7:0]      byte_o,
  output logic [Ends-1:0] chain_o,
  input  logic [Ends-1:0] near_i,
  input  logic [Ends-1:0] skip_i
);

  `OW_ASSERT_INIT(ends, Ends >= 1 && Ends <= 128)
  `OW_ASSERT_INIT(patience, Patience >= 1 && Patience <= 255)

  typedef enum logic [2:0] {IDLE, FIRST, OUT, WAIT, IN} state_e;
  state_e      state_q;
  logic [7:0]  count_q;
  logic [63:0] shift_q;
  logic        heard;

  always_comb begin : wires
    heard = 1'b0;
    for (int unsigned e = 0; e < Ends; e++) begin
      if (select_i[6:0] == 7'(e)) heard = heard | (select_i[HOST_CHAIN_SKIP_BIT] ? skip_i[e] : near_i[e]);
    end
  end

  assign done_o = state_q == IDLE;
  assign byte_o = shift_q[63:56];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= IDLE;
      count_q <= '0;
      chain_o <= '0;
    end else begin
      for (int unsigned e = 0; e < Ends; e++) begin
        chain_o[e] <= select_i[6:0] == 7'(e) &&
                      (state_q == FIRST || (state_q == OUT && shift_q[63]));
      end
      count_q <= count_q - 8'd1;
      unique case (state_q)
        IDLE: if (start_i) state_q <= FIRST;
        FIRST: begin
          state_q <= OUT;
          count_q <= 8'd63;
        end
        OUT: if (count_q == '0) begin
          state_q <= WAIT;
          count_q <= 8'(Patience);
        end
        WAIT: if (heard) begin
          state_q <= IN;
          count_q <= 8'd63;
        end else if (count_q == '0) begin
          state_q <= IDLE;
        end
        default: if (count_q == '0) state_q <= IDLE;
      endcase
    end
  end

  // Zeros follow the command, so the register is 0 if no answer comes.
  always_ff @(posedge clk_i) begin
    if (load_i) shift_q <= {shift_q[55:0], byte_i};
    else if (shift_i) shift_q <= {shift_q[55:0], 8'd0};
    else if (state_q == OUT || state_q == IN) shift_q <= {shift_q[62:0], state_q == IN && heard};
  end

endmodule
