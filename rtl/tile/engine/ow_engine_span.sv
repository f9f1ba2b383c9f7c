// SPDX-License-Identifier: Apache-2.0
// How many elements the beat in stage I1 has. Combinational.
//
// Each limit is a thermometer: bit i is set if the beat may have more than i elements. The smallest
// limit is the AND of all, so no limit waits for another.
//   group      a beat stays within 2^grp elements of the destination (of the inner vector, for a
//              reduction), so its result is one line or accumulator row
//   vector     what is left of dimension 0
//   wavelet    a pair, or what is left of it; one element for words and for tags
//   row        of an accumulator source
//   FIFO       what it holds, or has room for
//   step       an operand whose step is not its element's size takes one element per beat
//
//   Lanes        lanes of the engine
//   c_i          context of the thread
//   cnt_i, len_i elements of dimension 0 so far, and its length
//   a_i, b_i, d_i, half_*_i, *_fifo_n_i   as of ow_engine_plan
//   v_o, some_o  elements: their number, and as a thermometer; at least one, unless a FIFO has none
//   v_end_o      they end the inner vector
//   may_end_o    the next beat may do so
module ow_engine_span
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES
) (
  /* verilator lint_off UNUSEDSIGNAL */ // kinds, sizes, steps
  input  ctx_t        c_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [15:0] cnt_i,
  input  logic [15:0] len_i,
  input  logic [23:0] a_i,
  input  logic [23:0] b_i,
  input  logic [23:0] d_i,
  input  logic        half_a_i,
  input  logic        half_b_i,
  input  logic [15:0] a_fifo_n_i,
  input  logic [15:0] b_fifo_n_i,
  input  logic [15:0] d_fifo_n_i,
  output logic [4:0]  v_o,
  output logic [15:0] some_o,
  output logic        v_end_o,
  output logic        may_end_o
);

  typedef logic [15:0] therm_t;

  function automatic therm_t up_to(input logic [4:0] n);
    return therm_t'(~(32'hFFFF_FFFF << n));
  endfunction

  // What an operand allows, besides its bytes.
  function automatic therm_t source(input logic fab, input logic one, input logic step1,
                                    input logic acc, input logic fifo, input logic [2:0] lane,
                                    input therm_t fifo_n);
    if (fab) return one ? 16'd1 : 16'd3;
    if (!step1) return 16'd1;
    if (acc) return up_to(5'(Lanes) - {2'd0, lane});
    if (fifo) return fifo_n;
    return '1;
  endfunction

  logic [15:0] rem;
  logic [4:0]  g;
  logic [3:0]  pos;
  therm_t      group, vector, others;
  logic [4:0]  limit;  // elements that the next beat has at most

  always_comb begin
    rem = len_i - cnt_i;
    g = 5'd1 << c_i.grp;
    pos = c_i.red ? cnt_i[3:0]
        : c_i.d_kind == SRC_FAB || c_i.d_kind == SRC_NONE ? 4'd0
        : {1'b0, lane_of(c_i.d_kind, c_i.d_sz, d_i, Lanes)};
    group = up_to(g - ({1'b0, pos} & (g - 5'd1)));
    vector = c_i.inf || rem > 16'd15 ? '1 : up_to({1'b0, rem[3:0]});
    others = group;
    if (c_i.a_kind == SRC_FAB || !c_i.a_bc) begin
      others &= source(c_i.a_kind == SRC_FAB, c_i.a_sz == 2'd2 || half_a_i || c_i.a_tag, c_i.a_vec,
                       c_i.a_kind == SRC_ACC, c_i.a_fifo, lane_of(SRC_ACC, 2'd2, a_i, Lanes),
                       a_fifo_n_i);
    end
    if (c_i.b_kind != SRC_NONE && !c_i.wtrig && (c_i.b_kind == SRC_FAB || !c_i.b_bc)) begin
      others &= source(c_i.b_kind == SRC_FAB, c_i.b_sz == 2'd2 || half_b_i, c_i.b_vec,
                       c_i.b_kind == SRC_ACC, c_i.b_fifo, lane_of(SRC_ACC, 2'd2, b_i, Lanes),
                       b_fifo_n_i);
    end
    if (!c_i.red) begin
      if (!c_i.d_vec) others &= 16'd1;
      else if (c_i.d_fifo) others &= d_fifo_n_i;
    end
    some_o = others & vector;
    v_o = '0;
    for (int unsigned k = 0; k < 16; k++) begin
      if (some_o[k] && (k == 15 || !some_o[(k + 1) % 16])) v_o = v_o | 5'(k + 1);
    end
    v_end_o = !c_i.inf && rem < 16'd17 && (vector & ~others) == '0;
    // v_o arrives late, so only the last sum and comparison use it.
    limit = 5'd1 << c_i.most;
    may_end_o = !c_i.inf &&
                (v_end_o ? len_i <= 16'(limit)
                         : rem[15:6] == '0 && rem[5:0] <= {1'b0, limit} + {1'b0, v_o});
  end

endmodule
