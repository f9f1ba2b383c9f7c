// SPDX-License-Identifier: Apache-2.0
// Where a thread stands after the beat in stage I1: loop counters and addresses. Combinational.
//
// The steps of the outer dimensions depend on the loop counters alone, so their sum is ready before
// the beat's length. Each address is computed twice: for a beat within the inner vector and for one
// that ends it. The bytes of the beat are added to both, and one is selected.
//
// A reduction's destination walks one dimension less: its dimension 0 belongs to the inner vectors.
// Operations that wavelets trigger have no outer dimensions here: each wavelet says where its
// vector begins.
//
//   Dims          dimensions of a descriptor
//   c_i           context of the thread
//   walk_i        where it stands; a_i, b_i, d_i addresses of this beat's elements (before those of
//                 a tag)
//   *_dim_i       words 2 to 5 of the descriptors: {step, length} of the dimensions 0 to 3
//   v_i, v_end_i  elements of the beat; it ends the inner vector; may_end_i: the next one may
//   walk_o        where it stands afterwards
//   last_o        the inner vector is the instruction's last
module ow_engine_walk
  import ow_pkg::dsr_dim_t;
  import ow_onehot_pkg::not_next;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Dims = ow_pkg::NUM_DIMENSIONS
) (
  /* verilator lint_off UNUSEDSIGNAL */ // what the launch needs only; lengths of other operands
  input  ctx_t             c_i,
  input  walk_t            walk_i,
  input  logic [23:0]      a_i,
  input  logic [23:0]      b_i,
  input  logic [23:0]      d_i,
  input  dsr_dim_t [3:0]   a_dim_i,
  input  dsr_dim_t [3:0]   b_dim_i,
  input  dsr_dim_t [3:0]   d_dim_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [4:0]       v_i,
  input  logic             v_end_i,
  input  logic             may_end_i,
  output walk_t            walk_o,
  output logic             last_o
);

  typedef logic [23:0] addr_t;

  function automatic addr_t wide(input logic [15:0] step);
    return addr_t'($signed(step));
  endfunction

  // Three summands as two (carry-save), so only the last addition has a carry chain.
  function automatic addr_t [1:0] save(input addr_t x, input addr_t y, input addr_t z);
    return {addr_t'(((x & y) | (x & z) | (y & z)) << 1), x ^ y ^ z};
  endfunction

  function automatic addr_t sum(input addr_t x, input addr_t [2:0] steps);
    addr_t [1:0] two;
    two = save(x, steps[0], steps[1]);
    two = save(two[0], two[1], steps[2]);
    return two[0] + two[1];
  endfunction

  // A dimension starts again after its last element. Which lengths count arrives last.
  function automatic logic is_last(input logic [15:0] n, input logic [15:0] len);
    return len == '0 || 16'(not_next(32'(n), 32'(len))) == '0;
  endfunction

  logic [2:0][15:0] n, len;    // dimensions 1 to 3: counters, lengths
  logic [2:0]       goes;      // dimensions that go on at the end of the inner vector
  logic [2:0]       wraps;     // dimensions that start again there

  always_comb begin
    n = '0;
    len = '0;
    for (int unsigned k = 1; k < Dims; k++) begin
      n[k-1] = walk_i.cnt[16*k +: 16];
      len[k-1] = c_i.space_d ? d_dim_i[k].length : a_dim_i[k].length;
    end
    for (int unsigned k = 0; k < 3; k++) begin
      if (k + 1 >= Dims) wraps[k] = 1'b1;
      else wraps[k] = c_i.space_d ? is_last(n[k], d_dim_i[k+1].length)
                                  : is_last(n[k], a_dim_i[k+1].length);
    end
    goes[0] = !c_i.wtrig && len[0] != '0;
    goes[1] = !c_i.wtrig && len[1] != '0 && wraps[0];
    goes[2] = !c_i.wtrig && len[2] != '0 && wraps[0] && wraps[1];
    last_o = !c_i.wtrig && wraps == '1;
  end

  // Steps of the outer dimensions that the end of the inner vector takes.
  addr_t [2:0] a_out, b_out, d_out;

  always_comb begin
    a_out = '0;
    b_out = '0;
    d_out = '0;
    for (int unsigned k = 0; k < 3; k++) begin
      if (goes[k]) begin
        a_out[k] = wide(a_dim_i[k+1].step);
        b_out[k] = wide(b_dim_i[k+1].step);
        d_out[k] = wide(c_i.red ? d_dim_i[k].step : d_dim_i[k+1].step);
      end
    end
    if (c_i.red) d_out[0] = wide(d_dim_i[0].step);
  end

  // Dimension 0: one step, none, or the number of adjacent elements, which arrives late.
  addr_t      a_next, b_next, d_next;
  addr_t      a_in, b_in, d_in;
  logic [6:0] a_late, b_late, d_late;

  always_comb begin
    a_in = a_i;
    b_in = b_i;
    d_in = d_i;
    a_late = '0;
    b_late = '0;
    d_late = '0;
    if (!c_i.a_bc) begin
      if (c_i.a_vec) a_late = {2'd0, v_i} << c_i.a_sz;
      else a_in = a_i + wide(a_dim_i[0].step);
    end
    if (!c_i.a_tag && !c_i.b_bc) begin
      if (c_i.b_vec) b_late = {2'd0, v_i} << c_i.b_sz;
      else b_in = b_i + wide(b_dim_i[0].step);
    end
    if (!c_i.a_tag && !c_i.red) begin
      if (c_i.d_vec) d_late = {2'd0, v_i} << c_i.d_sz;
      else d_in = d_i + wide(d_dim_i[0].step);
    end
  end

  assign a_next = v_end_i ? advance(sum(a_in, a_out), a_late) : advance(a_in, a_late);
  assign b_next = v_end_i ? advance(sum(b_in, b_out), b_late) : advance(b_in, b_late);
  assign d_next = v_end_i ? advance(sum(d_in, d_out), d_late) : advance(d_in, d_late);

  always_comb begin
    {walk_o.a, walk_o.b, walk_o.d} = {a_next, b_next, d_next};
    walk_o.may_end = may_end_i;
    walk_o.seq = c_i.red ? walk_i.seq + 16'(v_end_i) : walk_i.seq + 16'(v_i);
    walk_o.cnt = {n, walk_i.cnt[15:0] + 16'(v_i)};
    if (v_end_i) begin
      walk_o.cnt[15:0] = '0;
      for (int unsigned k = 0; k < 3; k++) begin
        if (goes[k]) walk_o.cnt[16*(k+1) +: 16] = wraps[k] ? 16'd0 : n[k] + 16'd1;
      end
    end
  end

endmodule
