// SPDX-License-Identifier: Apache-2.0
// Plans one beat of the tensor engine: how many elements, which bytes of which operands, which
// lanes, and where the loops stand afterwards. Combinational, for the thread that was chosen.
//
// A beat has up to 2^grp elements of the innermost dimension. It stays within a group of 2^grp
// elements of the destination (of the inner vector, for a reduction), so that its result is one
// line or accumulator row, and within a row of an accumulator source, a wavelet of a fabric source,
// what a FIFO holds or has room for. Memory sources may lie anywhere. An operand whose step is not
// its element's size (or 0, for a source) takes an element a beat.
// A lane is a position in the destination's line, a word of the accumulator row, or the element's
// index modulo Lanes.
//
// Besides data, a beat may be the end of an instruction (is_end_o), a control wavelet that is taken
// (is_skip_o: from a queue, is_wctrl_o: from the weight buffer). A fault is an end, too.
//
//   Lanes, SramBytes   as of ow_engine
//   c_i ...            context and state of the thread; *_dim_i are words 2 to 5 of its descriptors
//   head_*_i           heads of its input queues; w_* the weight buffer's first and second entry
//   *_fifo_n_i         elements that the operand's FIFO has, or takes, at consecutive addresses
//   beat_o             the beat, but for write slot and lines
//   *_line_o, need     the line where the operand's bytes begin, and which bytes of it and the next
//   *_next_o, ...      state of the thread after the beat
module ow_engine_plan
  import ow_pkg::*;
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = 8,
  parameter int unsigned SramBytes = 49152,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned OffW = $clog2(VecBytes),
  localparam int unsigned TagW = 24 - OffW
) (
  input  logic                       any_i,
  /* verilator lint_off UNUSEDSIGNAL */ // what the launch needs only
  input  ctx_t                       c_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [3:0]                 thread_i,
  input  logic [3:0]                 fcode_i,    // fault found at the launch
  input  logic                       ending_i,   // only the end is left
  input  logic                       started_i,  // a beat was sent to the output queue
  input  logic [23:0]                aa_i,
  input  logic [23:0]                ba_i,
  input  logic [23:0]                da_i,
  input  logic [63:0]                cnt_i,
  input  logic [15:0]                seq_i,      // elements so far
  input  logic                       half_a_i,
  input  logic                       half_b_i,
  input  logic [31:0]                scal_i,
  /* verilator lint_off UNUSEDSIGNAL */ // lengths of operands that do not give the space
  input  logic [3:0][31:0]           a_dim_i,
  input  logic [3:0][31:0]           b_dim_i,
  input  logic [3:0][31:0]           d_dim_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  ramp_t                      head_a_i,
  input  ramp_t                      head_b_i,
  input  logic                       w_ctrl_i,
  input  logic                       w_bad_i,
  input  logic [15:0]                w_val_i,
  input  logic [15:0]                w_idx_i,
  input  logic                       w2_ctrl_i,  // the second entry is there and a control wavelet
  input  logic [1:0]                 w2_val_i,
  input  logic                       row_first_i,
  input  logic [4:0]                 a_fifo_n_i,
  input  logic [4:0]                 b_fifo_n_i,
  input  logic [4:0]                 d_fifo_n_i,

  output logic                       is_data_o,
  output logic                       is_skip_o,
  output logic                       is_wctrl_o,
  output logic                       is_end_o,
  output logic                       skip_b_o,
  output logic                       stream_end_o,
  output logic                       fold_o,       // the second weight entry is taken, too
  output logic [3:0]                 fault_o,
  output logic [23:0]                fault_addr_o,
  output logic [4:0]                 v_o,          // elements
  output logic                       v_end_o,
  output logic                       all_end_o,
  output logic [23:0]                a_next_o,
  output logic [23:0]                b_next_o,
  output logic [23:0]                d_next_o,
  output logic [63:0]                cnt_next_o,
  output logic                       half_a_o,
  output logic                       half_b_o,
  output logic                       pop_a_o,
  output logic                       pop_b_o,
  output logic [2:0]                 rd_o,         // operands in SRAM: a, b, dst
  output logic [2:0][TagW-1:0]       line_o,
  output logic [2:0][2*VecBytes-1:0] need_o,
  output logic [VecBytes-1:0]        be_o,
  output beat_t                      beat_o
);

  typedef logic [4:0] cnt_t;

  function automatic cnt_t min_cnt(input cnt_t x, input cnt_t y);
    return x < y ? x : y;
  endfunction

  // First bad byte of n at an address, misalignment.
  function automatic logic [3:0] addr_fault(input src_e kind, input logic [1:0] sz,
                                            input logic [23:0] addr, input cnt_t n);
    if (kind == SRC_MEM) begin
      if ((sz != 2'd0 && addr[0]) || (sz == 2'd2 && addr[1])) return FAULT_DSR;
      if ({1'b0, addr} + {20'd0, n} > 25'(SramBytes)) return FAULT_ADDR;
    end else if (kind == SRC_ACC) begin
      if (addr[1:0] != 2'd0) return FAULT_DSR;
      if (!addr[23] || addr[22:0] >= 23'(64 * Lanes)) return FAULT_ADDR;
    end
    return FAULT_NONE;
  endfunction

  // The first bad byte.
  function automatic logic [23:0] bad_addr(input logic [3:0] fault, input src_e kind,
                                           input logic [23:0] addr);
    return fault == FAULT_ADDR && kind == SRC_MEM && addr < 24'(SramBytes) ? 24'(SramBytes) : addr;
  endfunction

  function automatic logic [23:0] inner_step(input logic vec, input logic bc, input logic [1:0] sz,
                                             input cnt_t v, input logic [15:0] step);
    if (bc) return 24'd0;
    if (vec) return 24'(v) << sz;
    return 24'($signed(step));
  endfunction

  function automatic logic [2*VecBytes-1:0] bytes_at(input logic [OffW-1:0] off, input cnt_t n);
    return (2*VecBytes)'(~(32'hFFFF_FFFF << n)) << off;
  endfunction

  // Position of an element in its group of lanes.
  function automatic logic [2:0] lane_of(input src_e kind, input logic [1:0] sz,
                                         input logic [23:0] addr);
    if (kind == SRC_ACC) return 3'(addr >> 2) & 3'(Lanes - 1);
    if (sz == 2'd2) return 3'(addr >> 2) & 3'(Lanes / 2 - 1);
    if (sz == 2'd1) return 3'(addr >> 1) & 3'(Lanes - 1);
    return 3'(addr) & 3'(Lanes - 1);
  endfunction

  // How stage M gets an operand to its lanes: byte off of the line to where lane0 wants it.
  function automatic opnd_t pick(input src_e kind, input logic [1:0] sz, input logic bc,
                                 input logic x2, input logic [4:0] off, input logic [2:0] lane0);
    opnd_t o;
    logic [4:0] want;
    o = '0;
    o.from = kind == SRC_MEM ? FROM_MEM : kind == SRC_ACC ? FROM_ACC : FROM_IMM;
    o.sz = x2 ? 2'd1 : sz;
    o.bc = bc;
    o.bc8 = bc && x2;
    if (kind == SRC_ACC) begin
      o.shift = off;  // words
    end else begin
      want = bc ? 5'd0 : sz == 2'd2 ? {1'b0, lane0[1:0] & 2'(Lanes / 2 - 1), 2'd0}
           : sz == 2'd1 ? {1'b0, lane0, 1'b0} : {2'd0, lane0};
      o.neg = want > off;
      o.shift = o.neg ? want - off : off - want;
    end
    return o;
  endfunction

  always_comb begin : plan
    logic [15:0] l0, l1, l2, l3, n0, n1, n2, n3, rem;
    logic        e1, e2, w1, w2, w3;
    logic [23:0] aa, ba, da;
    logic [3:0]  pos;
    cnt_t        v, g, na, nb, nd;
    logic [2:0]  lane0;
    logic        by_index;  // the wavelet says where
    logic        fresh;     // the addend is +0
    logic        beyond;    // .. and that is outside all addresses
    logic signed [34:0] at;
    logic        indexed;   // b is a vector of indices

    is_data_o = 1'b0;
    is_skip_o = 1'b0;
    is_wctrl_o = 1'b0;
    is_end_o = 1'b0;
    skip_b_o = 1'b0;
    stream_end_o = 1'b0;
    fold_o = 1'b0;
    fault_o = FAULT_NONE;
    fault_addr_o = '0;
    v_end_o = 1'b0;
    all_end_o = 1'b0;
    a_next_o = '0;
    b_next_o = '0;
    d_next_o = '0;
    cnt_next_o = '0;
    half_a_o = 1'b0;
    half_b_o = 1'b0;
    pop_a_o = 1'b0;
    pop_b_o = 1'b0;
    rd_o = '0;
    line_o = '0;
    need_o = '0;
    be_o = '0;
    beat_o = '0;
    {l0, l1, l2, l3, n0, n1, n2, n3, rem} = '0;
    {e1, e2, w1, w2, w3} = '0;
    {aa, ba, da} = '0;
    pos = '0;
    {v, g, na, nb, nd} = '0;
    lane0 = '0;
    by_index = 1'b0;
    fresh = 1'b0;
    beyond = 1'b0;
    at = '0;
    indexed = c_i.unit inside {UNIT_GATHER, UNIT_SCATTER, UNIT_FMAG};

    if (any_i) begin
      if (fcode_i != FAULT_NONE) begin
        fault_o = fcode_i;
      end else if (ending_i) begin
        is_end_o = 1'b1;
      end else if (c_i.wtrig && w_ctrl_i) begin
        is_wctrl_o = 1'b1;
        stream_end_o = w_val_i[CTRL_STREAM_END];
      end else if (c_i.a_kind == SRC_FAB && head_a_i.ctrl) begin
        is_skip_o = 1'b1;
        stream_end_o = head_a_i.data[CTRL_STREAM_END];
      end else if (c_i.b_kind == SRC_FAB && !c_i.wtrig && head_b_i.ctrl) begin
        is_skip_o = 1'b1;
        skip_b_o = 1'b1;
        stream_end_o = head_b_i.data[CTRL_STREAM_END];
      end else begin
        is_data_o = 1'b1;
      end

      if (is_data_o) begin
        by_index = c_i.a_tag;
        {n3, n2, n1, n0} = cnt_i;
        l0 = c_i.space_d ? d_dim_i[0][15:0] : a_dim_i[0][15:0];
        aa = aa_i;
        ba = ba_i;
        da = da_i;
        if (by_index) begin
          at = $signed({11'd0, ba}) + 35'($signed({1'b0, head_a_i.data[31:16]})) *
               35'($signed(b_dim_i[0][31:16]));
          beyond = at[34:24] != '0 && c_i.b_kind inside {SRC_MEM, SRC_ACC};
          ba = at[23:0];
          at = $signed({11'd0, da}) + 35'($signed({1'b0, head_a_i.data[31:16]})) *
               35'($signed(d_dim_i[0][31:16]));
          beyond |= at[34:24] != '0;
          da = at[23:0];
        end

        // How many elements. Fabric results are packed behind the pipeline: they start at lane 0.
        unique case (c_i.d_kind)
          SRC_FAB, SRC_NONE: lane0 = '0;
          default: lane0 = lane_of(c_i.d_kind, c_i.d_sz, da);
        endcase
        pos = {1'b0, lane0};
        if (c_i.red) begin
          pos = n0[3:0];
          lane0 = c_i.i8x2 ? 3'd0 : n0[2:0] & 3'(Lanes - 1);
        end
        g = cnt_t'(1) << c_i.grp;
        v = g - ({1'b0, pos} & (g - cnt_t'(1)));
        rem = l0 - n0;
        if (!c_i.inf && rem < 16'(v)) v = cnt_t'(rem);
        if (c_i.a_kind == SRC_FAB) begin
          v = min_cnt(v, c_i.a_sz == 2'd2 || half_a_i || by_index ? cnt_t'(1) : cnt_t'(2));
        end else if (!c_i.a_bc) begin
          if (!c_i.a_vec) v = cnt_t'(1);
          else if (c_i.a_kind == SRC_ACC) v = min_cnt(v, cnt_t'(Lanes) -
                                                   cnt_t'(lane_of(SRC_ACC, 2'd2, aa)));
          else if (c_i.a_fifo) v = min_cnt(v, a_fifo_n_i);
        end
        if (c_i.b_kind == SRC_FAB && !c_i.wtrig) begin
          v = min_cnt(v, c_i.b_sz == 2'd2 || half_b_i ? cnt_t'(1) : cnt_t'(2));
        end else if (c_i.b_kind != SRC_NONE && !c_i.b_bc && !c_i.wtrig) begin
          if (!c_i.b_vec) v = cnt_t'(1);
          else if (c_i.b_kind == SRC_ACC) v = min_cnt(v, cnt_t'(Lanes) -
                                                   cnt_t'(lane_of(SRC_ACC, 2'd2, ba)));
          else if (c_i.b_fifo) v = min_cnt(v, b_fifo_n_i);
        end
        if (!c_i.red) begin
          if (!c_i.d_vec) v = cnt_t'(1);
          else if (c_i.d_fifo) v = min_cnt(v, d_fifo_n_i);
        end

        // Bytes of the operands. In dotw, b is the vector at rs2.
        na = c_i.a_bc ? cnt_t'(1) << c_i.a_sz : v << c_i.a_sz;
        nb = c_i.b_bc ? cnt_t'(1) << c_i.b_sz : v << c_i.b_sz;
        nd = c_i.red ? cnt_t'(1) << c_i.d_sz : v << c_i.d_sz;
        rd_o[0] = c_i.a_kind == SRC_MEM;
        rd_o[1] = c_i.b_kind == SRC_MEM || (c_i.wtrig && !c_i.axpyw);
        fresh = c_i.fma && (c_i.axpyw ? row_first_i : c_i.fresh && n1 == '0);
        rd_o[2] = c_i.fma && !fresh && c_i.d_kind == SRC_MEM;
        line_o = {da[23:OffW], ba[23:OffW], aa[23:OffW]};
        if (rd_o[0]) need_o[0] = bytes_at(aa[OffW-1:0], na);
        if (rd_o[1]) need_o[1] = bytes_at(ba[OffW-1:0], nb);
        if (c_i.d_kind == SRC_MEM) begin
          be_o = VecBytes'(bytes_at(da[OffW-1:0], nd));
          if (rd_o[2]) need_o[2][VecBytes-1:0] = be_o;
        end

        // Faults.
        fault_o = addr_fault(c_i.d_kind, c_i.d_sz, da, nd);
        fault_addr_o = bad_addr(fault_o, c_i.d_kind, da);
        if (by_index && (beyond || head_a_i.data[31:16] >= d_dim_i[0][15:0])) begin
          fault_o = FAULT_ADDR;
          fault_addr_o = da;
        end
        if (fault_o == FAULT_NONE) begin
          fault_o = addr_fault(c_i.a_kind, c_i.a_sz, aa, na);
          fault_addr_o = bad_addr(fault_o, c_i.a_kind, aa);
          if (c_i.wtrig && w_bad_i) fault_o = FAULT_ADDR;
        end
        if (fault_o == FAULT_NONE && indexed) begin
          fault_addr_o = scal_i[23:0];
          if (scal_i[0] || (scal_i[1] && c_i.src_fmt inside {DF_F32, DF_I32})) fault_o = FAULT_DSR;
          else if (scal_i[31:23] != '0) fault_o = FAULT_ADDR;
        end
        if (fault_o == FAULT_NONE && c_i.wtrig && !c_i.axpyw && scal_i[31:24] != '0) begin
          fault_o = FAULT_ADDR;
          fault_addr_o = address(scal_i);
        end
        // The index of a tag has 16 bits.
        if (fault_o == FAULT_NONE && c_i.d_tag && !c_i.wtrig &&
            {1'b0, seq_i} + {12'd0, v} > 17'h0FFFF) begin
          fault_o = FAULT_DSR;
        end
        if (fault_o == FAULT_NONE) begin
          fault_o = addr_fault(rd_o[1] ? SRC_MEM : c_i.b_kind, c_i.b_sz, ba, nb);
          fault_addr_o = bad_addr(fault_o, rd_o[1] ? SRC_MEM : c_i.b_kind, ba);
        end

        // The beat.
        beat_o.data = 1'b1;
        beat_o.late = c_i.red || c_i.unit == UNIT_NLF;
        beat_o.unit = c_i.unit;
        beat_o.nlf = c_i.nlf;
        beat_o.op = c_i.dop;
        beat_o.src = c_i.src_fmt;
        beat_o.dst = c_i.dst_fmt;
        beat_o.stoch = c_i.stoch;
        beat_o.base = scal_i[23:0];
        beat_o.raw = c_i.dop == DP_MOV && c_i.unit == UNIT_NONE;
        beat_o.lane0 = lane0;
        beat_o.red_first = c_i.red && n0 == '0;
        beat_o.red_base = n0[2:0] & ~3'(Lanes - 1);
        for (int unsigned l = 0; l < Lanes; l++) begin
          if (c_i.i8x2) begin
            beat_o.mask[l] = cnt_t'(2 * l) < v;
            beat_o.mask_hi[l] = cnt_t'(2 * l + 1) < v;
          end else begin
            beat_o.mask[l] = cnt_t'(l) >= cnt_t'(lane0) && cnt_t'(l) < cnt_t'(lane0) + v;
          end
        end
        beat_o.a = pick(c_i.a_kind, c_i.a_sz, c_i.a_bc, c_i.i8x2,
                        c_i.a_kind == SRC_ACC ? {2'd0, lane_of(SRC_ACC, 2'd2, aa)}
                        : c_i.a_kind == SRC_MEM ? 5'(aa[OffW-1:0]) : {3'd0, half_a_i, 1'b0}, lane0);
        beat_o.b = pick(rd_o[1] ? SRC_MEM : c_i.axpyw ? SRC_IMM : c_i.b_kind, c_i.b_sz, c_i.b_bc,
                        c_i.i8x2,
                        c_i.b_kind == SRC_ACC ? {2'd0, lane_of(SRC_ACC, 2'd2, ba)}
                        : rd_o[1] ? 5'(ba[OffW-1:0]) : {3'd0, half_b_i, 1'b0}, lane0);
        beat_o.a_imm = c_i.a_kind == SRC_FAB ? head_a_i.data : scal_i;
        beat_o.b_imm = c_i.axpyw ? {16'd0, w_val_i}
                     : c_i.b_kind == SRC_FAB ? head_b_i.data : scal_i;
        beat_o.src_row = 4'((c_i.a_kind == SRC_ACC ? aa : ba) >> (OffW + 1));
        beat_o.d_from = !c_i.fma ? ADD_NONE : fresh ? ADD_ZERO
                      : c_i.d_kind == SRC_MEM ? ADD_MEM : ADD_ACC;
        beat_o.r.acc_we = c_i.d_kind == SRC_ACC;
        beat_o.r.acc_row = 4'(da >> (OffW + 1));
        beat_o.r.mask = beat_o.mask;
        if (c_i.red) begin
          beat_o.r.mask = c_i.d_kind == SRC_FAB ? 8'd1
                        : 8'd1 << lane_of(c_i.d_kind, c_i.d_sz, da);
        end
        beat_o.r.idx = c_i.wtrig ? w_idx_i : seq_i;

        // Loop counters and the next addresses.
        n0 = n0 + 16'(v);
        v_end_o = !c_i.inf && n0 == l0;
        a_next_o = aa_i;
        b_next_o = ba_i;
        d_next_o = da_i;
        if (!c_i.wtrig) begin
          a_next_o = aa + inner_step(c_i.a_vec, c_i.a_bc, c_i.a_sz, v, a_dim_i[0][31:16]);
          if (!by_index) begin
            b_next_o = ba + inner_step(c_i.b_vec, c_i.b_bc, c_i.b_sz, v, b_dim_i[0][31:16]);
            if (!c_i.red) begin
              d_next_o = da + inner_step(c_i.d_vec, 1'b0, c_i.d_sz, v, d_dim_i[0][31:16]);
            end
          end
          if (v_end_o) begin
            l1 = c_i.space_d ? d_dim_i[1][15:0] : a_dim_i[1][15:0];
            l2 = c_i.space_d ? d_dim_i[2][15:0] : a_dim_i[2][15:0];
            l3 = c_i.space_d ? d_dim_i[3][15:0] : a_dim_i[3][15:0];
            n0 = '0;
            w1 = l1 != '0;
            if (w1) n1 = n1 + 16'd1;
            e1 = !w1 || n1 == l1;
            if (e1) n1 = '0;
            w2 = e1 && l2 != '0;
            if (w2) n2 = n2 + 16'd1;
            e2 = e1 && (!w2 || n2 == l2);
            if (e2) n2 = '0;
            w3 = e2 && l3 != '0;
            if (w3) n3 = n3 + 16'd1;
            all_end_o = e2 && (!w3 || n3 == l3);
            // The dimensions of a reduction's destination are those above the inner vector.
            if (c_i.red) d_next_o = d_next_o + 24'($signed(d_dim_i[0][31:16]));
            if (w1) begin
              a_next_o = a_next_o + 24'($signed(a_dim_i[1][31:16]));
              b_next_o = b_next_o + 24'($signed(b_dim_i[1][31:16]));
              if (!c_i.red) d_next_o = d_next_o + 24'($signed(d_dim_i[1][31:16]));
            end
            if (w2) begin
              a_next_o = a_next_o + 24'($signed(a_dim_i[2][31:16]));
              b_next_o = b_next_o + 24'($signed(b_dim_i[2][31:16]));
              d_next_o = d_next_o + 24'($signed(d_dim_i[c_i.red ? 1 : 2][31:16]));
            end
            if (w3) begin
              a_next_o = a_next_o + 24'($signed(a_dim_i[3][31:16]));
              b_next_o = b_next_o + 24'($signed(b_dim_i[3][31:16]));
              d_next_o = d_next_o + 24'($signed(d_dim_i[c_i.red ? 2 : 3][31:16]));
            end
          end
        end else if (v_end_o) begin
          n0 = '0;
          if (c_i.red) d_next_o = da + 24'($signed(d_dim_i[0][31:16]));
          // A row end right behind the weight closes the row in the same beat.
          fold_o = w2_ctrl_i;
          stream_end_o = w2_ctrl_i && w2_val_i[CTRL_STREAM_END];
        end
        cnt_next_o = {n3, n2, n1, n0};

        // Wavelets: a pair is taken when its upper half is done, or at the end.
        if (c_i.a_kind == SRC_FAB) begin
          half_a_o = c_i.a_sz == 2'd1 && !by_index && !half_a_i && v == cnt_t'(1) && !all_end_o;
          pop_a_o = !half_a_o;
        end
        if (c_i.b_kind == SRC_FAB && !c_i.wtrig) begin
          half_b_o = c_i.b_sz == 2'd1 && !half_b_i && v == cnt_t'(1) && !all_end_o;
          pop_b_o = !half_b_o;
        end
        beat_o.red_last = c_i.red && v_end_o;
        beat_o.none = c_i.red && !v_end_o;
        beat_o.r.out = c_i.d_kind == SRC_FAB;
        if (beat_o.none) begin
          beat_o.r.acc_we = 1'b0;
          beat_o.r.out = 1'b0;
          be_o = '0;
        end
        beat_o.r.last = all_end_o;
        if (fold_o) begin
          beat_o.r.close = w2_val_i[CTRL_ROW_END] && c_i.axpyw;
          beat_o.r.written = 1'b1;
        end
        if (fault_o != FAULT_NONE) beat_o = '0;
      end
      if (fault_o != FAULT_NONE) begin
        is_data_o = 1'b0;
        is_end_o = 1'b1;
        stream_end_o = 1'b0;
        fold_o = 1'b0;
        {pop_a_o, pop_b_o} = '0;
        rd_o = '0;
        be_o = '0;
      end
      if (is_wctrl_o) begin
        beat_o.r.close = w_val_i[CTRL_ROW_END] && c_i.axpyw;
        beat_o.r.written = !row_first_i;
      end
      if (is_end_o) begin
        beat_o.r.last = 1'b1;
        beat_o.r.cut = fault_o != FAULT_NONE;
        // Something is pending behind the pipeline only if something was sent.
        beat_o.r.out = c_i.d_kind == SRC_FAB && (started_i || (c_i.close && fault_o == FAULT_NONE));
      end
      beat_o.r.thread = thread_i;
      beat_o.r.out_q = c_i.d_q;
      beat_o.r.out_end = beat_o.r.out && beat_o.r.last;
      beat_o.r.out_close = c_i.close && !beat_o.r.cut;
      beat_o.r.code = c_i.code;
      beat_o.r.sz = c_i.d_sz;
      beat_o.r.skip = c_i.d_skip;
      beat_o.r.tag = c_i.d_tag;
      beat_o.r.flt = c_i.dst_fmt inside {DF_F16, DF_BF16, DF_F32};
    end
    v_o = v;
  end

endmodule
