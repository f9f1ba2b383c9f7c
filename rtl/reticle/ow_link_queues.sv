// SPDX-License-Identifier: Apache-2.0
// The queues of one side of a link's end, one per colour, without their memory: which entries hold
// what, and the choice of what leaves.
//
// Colours are served round robin. The two of the control plane go first at least once in four when
// they wait. Bounds: before a data colour that may be served, each other data colour sends at most
// one wavelet, and the control plane one at first and one more after every three of these. Before a
// colour of the control plane, at most 7 wavelets go.
// An arriving wavelet takes no part in the choice. The link's end lets it pass an empty queue if no
// held wavelet can leave; otherwise it is kept. So whether something arrives may be known late in
// the cycle.
// Protocol: held_o, fence_o and the choice are those of the start of the cycle; go_i and keep_i
// change them at its end. Latency 1 cycle from keep_i to the choice, throughput one wavelet per
// cycle.
// Errors: a full queue must not get another wavelet, even if one leaves in the same cycle: an
// assertion reports it. So no entry is written and read in one cycle. A command wavelet is the last
// of its queue until it has left, because its sender has no credit of the colour then (a fence,
// docs/fabric.md). An assertion reports one that is not.
//
//   NumColours  data colours, 2 to 24
//   Depth       entries per colour, a power of 2
//   arrive_*    the queue of what may arrive (to_queue in ow_link_pkg), and whether it is a command
//   keep_i      it arrives and is kept, in entry write_at_o
//   first_i     queues that may be served
//   then_i      a queue that may be served if none of those holds something; at most one
//   held_o      queues that hold something; fence_o: whose next wavelet is a command
//   any_o       something can leave: of queue one_o, entry read_at_o; command_o: it is a command
//   go_i        it leaves; only with any_o

`include "ow_assert.svh"

module ow_link_queues
  import ow_onehot_pkg::lowest;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = ow_pkg::FULL_NUM_COLOURS,
  parameter int unsigned Depth = 16,
  localparam int unsigned N = NumColours + 2,
  localparam int unsigned IdxW = $clog2(N),
  localparam int unsigned PtrW = $clog2(Depth),
  localparam int unsigned AddrW = IdxW + PtrW
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic [IdxW-1:0]  arrive_idx_i,
  input  logic             arrive_command_i,
  input  logic             keep_i,
  output logic [AddrW-1:0] write_at_o,
  input  logic [N-1:0]     first_i,
  input  logic [N-1:0]     then_i,
  output logic [N-1:0]     held_o,
  output logic [N-1:0]     fence_o,
  output logic             any_o,
  output logic [N-1:0]     one_o,
  output logic             command_o,
  output logic [AddrW-1:0] read_at_o,
  input  logic             go_i
);

  `OW_ASSERT_INIT(depth_power_of_2, Depth >= 2 && 2 ** PtrW == Depth)

  typedef logic [N-1:0] colours_t;
  typedef logic [PtrW-1:0] entry_t;
  localparam colours_t Control = colours_t'(3) << NumColours;

  entry_t read_q [N];   // the oldest entry
  entry_t write_q [N];  // the next one to be written
  colours_t held_q;     // something is held
  colours_t single_q;   // exactly one wavelet
  colours_t command_q;  // the last one that was kept is a command
  colours_t above_q;    // queues above the last data colour that left
  logic ctl_above_q;    // it is the turn of responses
  logic [1:0] share_q;  // data wavelets since the last one of the control plane

  assign held_o = held_q;
  assign fence_o = single_q & command_q;

  // ------------------------------------------------------------------------------- the choice ----
  // The lowest of all candidates and the lowest of those above the last one are found in parallel
  // with who may be served.
  colours_t cand, data, high, control, late;
  logic any_control, serve_control, serve_high, serve_data;
  always_comb begin : choose
    cand = held_q & first_i;
    data = cand & ~Control;
    high = data & above_q;
    control = cand & Control;
    late = held_q & then_i;
    any_control = control != '0;
    serve_control = any_control && (share_q == '1 || data == '0);
    serve_high = !serve_control && high != '0;
    serve_data = !serve_control && high == '0;
    if (control == Control) control = colours_t'(1) << (ctl_above_q ? NumColours + 1 : NumColours);
    one_o = (serve_control ? control : '0) |
            (serve_high ? colours_t'(lowest(32'(high))) : '0) |
            (serve_data ? colours_t'(lowest(32'(data))) : '0) |
            (cand == '0 ? late : '0);
    any_o = cand != '0 || late != '0;
    command_o = (one_o & fence_o) != '0;
  end

  // The entry of the choice, and the entry for what arrives.
  always_comb begin : addresses
    automatic entry_t at;
    at = '0;
    for (int unsigned c = 0; c < N; c++) if (one_o[c]) at |= read_q[c];
    read_at_o = {IdxW'(index32(32'(one_o))), at};
    write_at_o = {arrive_idx_i, write_q[arrive_idx_i]};
  end

  // ------------------------------------------------------------------------------- the state -----
  colours_t push, pop;
  assign push = keep_i ? colours_t'(1) << arrive_idx_i : '0;
  assign pop = go_i ? one_o : '0;

  for (genvar c = 0; c < N; c++) begin : gen_queue
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        read_q[c] <= '0;
        write_q[c] <= '0;
      end else begin
        if (push[c]) write_q[c] <= write_q[c] + entry_t'(1);
        if (pop[c]) read_q[c] <= read_q[c] + entry_t'(1);
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) single_q[c] <= 1'b0;
      else if (push[c] && !pop[c]) single_q[c] <= !held_q[c];
      else if (pop[c] && !push[c]) single_q[c] <= write_q[c] == read_q[c] + entry_t'(2);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      held_q <= '0;
      command_q <= '0;
      above_q <= '0;
      ctl_above_q <= 1'b0;
      share_q <= '0;
    end else begin
      held_q <= (held_q & ~(pop & single_q)) | push;
      command_q <= (command_q & ~push) | (arrive_command_i ? push : '0);
      if (go_i) begin
        if ((one_o & Control) != '0) begin
          share_q <= '0;
          ctl_above_q <= one_o[NumColours];
        end else begin
          if (share_q != '1) share_q <= share_q + 2'd1;
          above_q <= ~(one_o | (one_o - colours_t'(1)));
        end
      end
    end
  end

  colours_t full;
  always_comb for (int unsigned c = 0; c < N; c++) full[c] = held_q[c] && write_q[c] == read_q[c];
  `OW_ASSERT(no_overrun, (push & full) == '0, "a wavelet came without a credit")
  `OW_ASSERT(alone, (push & command_q & held_q) == '0, "a wavelet came behind a command")
  `OW_ASSERT(goes_if_any, !go_i || any_o, "nothing can leave")
  `OW_ASSERT(one_if_any, $onehot0(one_o) && any_o == (one_o != '0),
             "the choice is not of one queue")
  `OW_ASSERT(then_is_one, $onehot0(then_i), "more than one queue comes late")

endmodule
