// SPDX-License-Identifier: Apache-2.0
// The queues of one side of a link's end, one a colour, without their memory: which entries hold
// what, and the choice of what leaves.
//
// Colours are served round robin; the control plane's two go first at least once in four when they
// wait. A wavelet may leave in the cycle in which it arrives: latency 0, throughput 1 a cycle.
// A queue that is full must not get another wavelet, also not when one leaves in the same cycle: an
// assertion reports it. So no entry is written and read in one cycle.
//
//   NumColours  data colours, 2 to 24
//   Depth       entries a colour, a power of 2
//   arrive_*    a wavelet for queue arrive_idx_i (to_queue in ow_link_pkg); whether it is a command
//   open_i      something may leave now; can_i: of which queues
//   pop_o       something can; one_o, idx_o: of which queue; command_o: it is a command
//   bypass_o    it is what arrives, else what is in entry read_at_o
//   go_i        it leaves (only with pop_o)
//   write_o     what arrives is kept, in entry write_at_o
//   level_o     entries of queue idx_o that are in use
//   held_o      something is held

`include "ow_assert.svh"

module ow_link_queues
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = 24,
  parameter int unsigned Depth = 16,
  localparam int unsigned N = NumColours + 2,
  localparam int unsigned IdxW = $clog2(N),
  localparam int unsigned PtrW = $clog2(Depth),
  localparam int unsigned CountW = PtrW + 1,
  localparam int unsigned AddrW = IdxW + PtrW
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              arrive_i,
  input  logic [IdxW-1:0]   arrive_idx_i,
  input  logic              arrive_command_i,
  input  logic              open_i,
  input  logic [N-1:0]      can_i,
  output logic              pop_o,
  output logic [N-1:0]      one_o,
  output logic [IdxW-1:0]   idx_o,
  output logic              command_o,
  output logic              bypass_o,
  output logic [AddrW-1:0]  read_at_o,
  input  logic              go_i,
  output logic              write_o,
  output logic [AddrW-1:0]  write_at_o,
  output logic [CountW-1:0] level_o,
  output logic              held_o
);

  `OW_ASSERT_INIT(depth_power_of_2, Depth >= 2 && 2 ** PtrW == Depth)

  typedef logic [N-1:0] colours_t;
  localparam colours_t Control = colours_t'(3) << NumColours;

  logic [CountW-1:0] count_q [N];
  logic [PtrW-1:0] read_q [N];
  logic [Depth-1:0] command_q [N];  // of each entry
  colours_t held_q;    // count is not 0
  colours_t above_q;   // queues above the last data colour that left
  logic ctl_above_q;   // the response network's turn
  logic [1:0] share_q; // data wavelets since the last one of the control plane

  assign held_o = held_q != '0;

  always_comb begin
    automatic colours_t cand, data;
    cand = '0;
    if (open_i) begin
      cand = held_q;
      if (arrive_i) cand |= colours_t'(1) << arrive_idx_i;
      cand &= can_i;
    end
    data = cand & ~Control;
    pop_o = cand != '0;
    one_o = '0;
    idx_o = '0;
    bypass_o = 1'b0;
    command_o = 1'b0;
    if (pop_o) begin
      if ((cand & Control) != '0 && (share_q == '1 || data == '0)) begin
        one_o = cand & Control;
        if (one_o == Control) one_o = colours_t'(1) << (ctl_above_q ? NumColours + 1 : NumColours);
      end else begin
        one_o = colours_t'(pick(32'(data), 32'(above_q)));
      end
      idx_o = IdxW'(index32(32'(one_o)));
      bypass_o = (one_o & held_q) == '0;
      command_o = bypass_o ? arrive_command_i : command_q[idx_o][read_q[idx_o]];
    end
  end

  logic [PtrW-1:0] tail;
  assign tail = read_q[arrive_idx_i] + PtrW'(count_q[arrive_idx_i]);
  assign level_o = count_q[idx_o];
  assign read_at_o = {idx_o, read_q[idx_o]};
  assign write_o = arrive_i && !(go_i && bypass_o);
  assign write_at_o = {arrive_idx_i, tail};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < N; i++) begin
        count_q[i] <= '0;
        read_q[i] <= '0;
      end
      held_q <= '0;
      above_q <= '0;
      ctl_above_q <= 1'b0;
      share_q <= '0;
    end else begin
      if (write_o) begin
        command_q[arrive_idx_i][tail] <= arrive_command_i;
        held_q[arrive_idx_i] <= 1'b1;
        if (!(go_i && idx_o == arrive_idx_i)) begin
          count_q[arrive_idx_i] <= count_q[arrive_idx_i] + CountW'(1);
        end
      end
      if (go_i) begin
        if (!bypass_o) begin
          read_q[idx_o] <= read_q[idx_o] + PtrW'(1);
          if (!(arrive_i && idx_o == arrive_idx_i)) begin
            count_q[idx_o] <= count_q[idx_o] - CountW'(1);
            if (count_q[idx_o] == CountW'(1)) held_q[idx_o] <= 1'b0;
          end
        end
        if ((one_o & Control) != '0) begin
          share_q <= '0;
          ctl_above_q <= idx_o == IdxW'(NumColours);
        end else begin
          if (share_q != '1) share_q <= share_q + 2'd1;
          above_q <= ~(one_o | (one_o - colours_t'(1)));
        end
      end
    end
  end

  logic overrun;
  assign overrun = arrive_i && count_q[arrive_idx_i] == CountW'(Depth);
  `OW_ASSERT(no_overrun, !overrun, "a wavelet came without a credit")

endmodule
