// SPDX-License-Identifier: Apache-2.0
// Stage I1 of the tensor engine: plans the beat of the thread that stage I0 has chosen. How many
// elements (ow_engine_span), which bytes of which operands (ow_engine_reach), which lanes, and
// where the thread stands afterwards (ow_engine_walk). Combinational, from registers.
//
// Memory sources may lie anywhere. An operand whose step is not its element's size (or 0, for a
// source) takes an element a beat. A lane is a position in the destination's line, a word of the
// accumulator row, or the element's index modulo Lanes.
//
// Besides data, a beat may be the end of an instruction (is_end_o), or a control wavelet that is
// taken from a queue (is_skip_o) or from the weight buffer (is_wctrl_o). A fault is an end, too.
//
//   Lanes, SramBytes   as of ow_engine; Dims: dimensions of a descriptor
//   valid_i            there is a thread
//   go_i               there is a beat: its thread is live and its operands are there
//   c_i ...            context and state of the thread; *_dim_i are words 2 to 5 of its descriptors
//   kill_i             an index of the thread is outside memory
//   head_*_i           heads of its input queues; w_*: the weight buffer's first and second entry
//   tag_*_i            addresses that a tagged wavelet at head_a_i selects, and whether they are
//                      too large (ow_engine_tags, which takes it from the queue)
//   *_fifo_*_i         address in the operand's FIFO, and the elements that it has, or has room
//                      for, at consecutive addresses from there (a thermometer)
//   beat_o             the beat, without write slot and lines
//   rd_o               operands that are read from SRAM if the beat has data (early)
//   line_o, two_o      the line where the operand's bytes begin; they reach into the next one
//   need_o             bytes of both that it may look at; be_o bytes that the beat writes
//   src_*_o            what it may read of the accumulator cache, early
//   walk_o, ...        state of the thread after the beat; may_*_o early, for stage I0
module ow_engine_plan
  import ow_pkg::*;
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned Dims = NUM_DIMENSIONS,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned OffW = $clog2(VecBytes),
  localparam int unsigned TagW = 24 - OffW
) (
  input  logic                       valid_i,
  input  logic                       go_i,
  /* verilator lint_off UNUSEDSIGNAL */ // what the launch needs only
  input  ctx_t                       c_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [3:0]                 thread_i,
  input  walk_t                      walk_i,
  input  logic                       kill_i,
  input  logic                       ending_i,   // only the end is left
  input  logic                       started_i,  // a beat was sent to the output queue
  input  logic                       claimed_i,  // it has a place for a vector there
  input  logic                       half_a_i,
  input  logic                       half_b_i,
  input  logic [31:0]                scal_i,
  input  dsr_dim_t [3:0]             a_dim_i,
  input  dsr_dim_t [3:0]             b_dim_i,
  input  dsr_dim_t [3:0]             d_dim_i,
  input  ramp_t                      head_a_i,
  input  ramp_t                      head_b_i,
  input  logic [23:0]                tag_b_i,
  input  logic [23:0]                tag_d_i,
  input  logic                       tag_far_i,
  input  logic                       w_ctrl_i,
  input  logic                       w_bad_i,
  input  logic [15:0]                w_val_i,
  input  logic [15:0]                w_idx_i,
  input  logic [23:0]                w_addr_i,
  input  logic                       w2_ctrl_i,  // the second entry is there and a control wavelet
  input  logic [1:0]                 w2_val_i,
  input  logic [23:0]                w_vec_i,    // dotw: where the vector begins
  input  logic                       row_first_i,
  input  logic                       row_full_i,  // one more result fills the row of a dotw
  input  logic [23:0]                row_addr_i,
  input  logic [23:0]                a_fifo_i,
  input  logic [23:0]                b_fifo_i,
  input  logic [23:0]                d_fifo_i,
  input  logic [15:0]                a_fifo_n_i,
  input  logic [15:0]                b_fifo_n_i,
  input  logic [15:0]                d_fifo_n_i,

  output logic                       is_data_o,
  output logic                       is_skip_o,
  output logic                       is_wctrl_o,
  output logic                       is_end_o,
  output logic                       wclose_o,     // a control wavelet that closes a row
  output logic                       skip_b_o,
  output logic                       stream_end_o,
  output logic                       fold_o,       // the second weight entry is taken, too
  output logic [3:0]                 fault_o,
  output logic [23:0]                fault_addr_o,
  output logic [4:0]                 v_o,          // elements, if it is data
  output logic                       v_end_o,
  output logic                       all_end_o,
  output logic                       may_row_end_o,
  output logic                       may_end_o,
  output walk_t                      walk_o,
  output logic                       half_a_o,
  output logic                       half_b_o,
  output logic                       pop_a_o,
  output logic                       pop_b_o,
  output logic [2:0]                 rd_o,         // operands in SRAM: a, b, dst
  output logic [2:0][TagW-1:0]       line_o,
  output logic [2:0]                 two_o,
  output logic [2:0][2*VecBytes-1:0] need_o,
  output logic [VecBytes-1:0]        be_o,
  output logic                       src_acc_o,    // a source is in the accumulator cache:
  output logic [3:0]                 src_row_o,    // .. its row,
  output logic [7:0]                 src_words_o,  // .. words of it that the beat may read
  output beat_t                      beat_o
);

  logic indexed;   // b is a vector of indices
  assign indexed = c_i.unit inside {UNIT_GATHER, UNIT_SCATTER, UNIT_FMAG};

  // ------------------------------------------------------------------------------- addresses --
  // A vector that a wavelet selects begins at the wavelet's address; then the walk goes on.
  logic        begins;   // the beat is the first of its inner vector
  logic [23:0] a0, b0, d0;
  logic [23:0] aa, ba, da;

  assign begins = walk_i.cnt[15:0] == '0;
  assign a0 = c_i.wtrig && begins ? w_addr_i : c_i.a_fifo ? a_fifo_i : walk_i.a;
  assign b0 = c_i.wtrig && begins ? w_vec_i : c_i.b_fifo ? b_fifo_i : walk_i.b;
  // Each weight of an axpyw begins its row again; a dotw adds a result to it.
  assign d0 = c_i.ring && (c_i.axpyw ? begins : row_first_i) ? row_addr_i
            : c_i.d_fifo ? d_fifo_i : walk_i.d;

  assign aa = a0;
  assign ba = c_i.a_tag ? tag_b_i : b0;
  assign da = c_i.a_tag ? tag_d_i : d0;

  // ---------------------------------------------------------------------------------- length --
  logic [4:0]  v;
  logic [15:0] some;
  logic        v_end, next_may_end, last_row;

  ow_engine_span #(.Lanes(Lanes)) u_span (
    .c_i, .cnt_i(walk_i.cnt[15:0]), .len_i(c_i.space_d ? d_dim_i[0].length : a_dim_i[0].length),
    .a_i(a0), .b_i(b0), .d_i(d0), .half_a_i, .half_b_i,
    .a_fifo_n_i, .b_fifo_n_i, .d_fifo_n_i,
    .v_o(v), .some_o(some), .v_end_o(v_end), .may_end_o(next_may_end)
  );

  ow_engine_walk #(.Dims(Dims)) u_walk (
    .c_i, .walk_i, .a_i(a0), .b_i(b0), .d_i(d0), .a_dim_i, .b_dim_i, .d_dim_i,
    .v_i(v), .v_end_i(v_end), .may_end_i(next_may_end), .walk_o, .last_o(last_row)
  );

  // ---------------------------------------------------------------------------------- operands --
  logic [2:0][3:0]      opnd_fault;
  logic [2:0][23:0]     opnd_bad;
  logic [2:0][OffW-1:0] off;
  src_e                 b_kind;  // of dotw, its vector
  logic                 fresh;   // the addend is +0

  assign b_kind = c_i.wtrig && !c_i.axpyw ? SRC_MEM : c_i.b_kind;
  assign fresh = c_i.axpyw ? row_first_i : c_i.fresh && walk_i.cnt[31:16] == '0;

  ow_engine_reach #(.Lanes(Lanes), .SramBytes(SramBytes)) u_a (
    .kind_i(c_i.a_kind), .sz_i(c_i.a_sz), .addr_i(aa), .one_i(c_i.a_bc), .some_i(some),
    .most_i(c_i.most), .fault_o(opnd_fault[0]), .fault_addr_o(opnd_bad[0]),
    .line_o(line_o[0]), .off_o(off[0]), .two_o(two_o[0]), .need_o(need_o[0])
  );
  ow_engine_reach #(.Lanes(Lanes), .SramBytes(SramBytes)) u_b (
    .kind_i(b_kind), .sz_i(c_i.b_sz), .addr_i(ba), .one_i(c_i.b_bc), .some_i(some),
    .most_i(c_i.most), .fault_o(opnd_fault[1]), .fault_addr_o(opnd_bad[1]),
    .line_o(line_o[1]), .off_o(off[1]), .two_o(two_o[1]), .need_o(need_o[1])
  );
  ow_engine_reach #(.Lanes(Lanes), .SramBytes(SramBytes)) u_d (
    .kind_i(c_i.d_kind), .sz_i(c_i.d_sz), .addr_i(da), .one_i(c_i.red), .some_i(some),
    .most_i(c_i.most), .fault_o(opnd_fault[2]), .fault_addr_o(opnd_bad[2]),
    .line_o(line_o[2]), .off_o(off[2]), .two_o(two_o[2]), .need_o(need_o[2])
  );

  // -------------------------------------------------------------------------- kind and faults --
  logic could_data;  // data, unless it is a fault

  always_comb begin
    is_skip_o = 1'b0;
    is_wctrl_o = 1'b0;
    skip_b_o = 1'b0;
    could_data = 1'b0;
    if (go_i && c_i.fcode == FAULT_NONE && !kill_i && !ending_i) begin
      if (c_i.wtrig && w_ctrl_i) is_wctrl_o = 1'b1;
      else if (c_i.a_kind == SRC_FAB && head_a_i.ctrl) is_skip_o = 1'b1;
      else if (c_i.b_kind == SRC_FAB && !c_i.wtrig && head_b_i.ctrl) begin
        is_skip_o = 1'b1;
        skip_b_o = 1'b1;
      end else begin
        could_data = 1'b1;
      end
    end
  end

  // Reasons that forbid a beat of data. Whether there is such a beat arrives late in the cycle, so
  // these terms do not wait for it.
  logic [3:0]  bad;
  logic [23:0] bad_addr;

  always_comb begin : faults
    logic [15:0] tag_at;
    bad = FAULT_NONE;
    bad_addr = '0;
    tag_at = walk_i.seq;
    if (valid_i) begin
      if (c_i.a_tag && tag_far_i) begin
        bad = FAULT_ADDR;
        bad_addr = da;
      end else if (opnd_fault[2] != FAULT_NONE) begin
        bad = opnd_fault[2];
        bad_addr = opnd_bad[2];
      end else if (opnd_fault[0] != FAULT_NONE || (c_i.wtrig && w_bad_i)) begin
        bad = c_i.wtrig && w_bad_i ? FAULT_ADDR : opnd_fault[0];
        bad_addr = opnd_bad[0];
      end else if (indexed &&
                   (scal_i[0] || (scal_i[1] && c_i.src_fmt inside {DF_F32, DF_I32}))) begin
        bad = FAULT_DSR;
        bad_addr = scal_i[23:0];
      end else if (indexed && scal_i[31:23] != '0) begin
        bad = FAULT_ADDR;
        bad_addr = scal_i[23:0];
      end else if (c_i.wtrig && !c_i.axpyw && scal_i[31:24] != '0) begin
        bad = FAULT_ADDR;
        bad_addr = address(scal_i);
      end else if (c_i.d_tag && !c_i.wtrig && tag_at[15:4] == '1 && some[~tag_at[3:0]]) begin
        bad = FAULT_DSR;  // the index of a tag has 16 bits: so many elements are too many
        bad_addr = indexed ? scal_i[23:0] : opnd_bad[0];
      end else if (opnd_fault[1] != FAULT_NONE) begin
        bad = opnd_fault[1];
        bad_addr = opnd_bad[1];
      end
    end
  end

  always_comb begin
    fault_o = FAULT_NONE;
    fault_addr_o = '0;
    if (go_i && c_i.fcode != FAULT_NONE) begin
      fault_o = c_i.fcode;
    end else if (go_i && kill_i) begin
      fault_o = FAULT_ADDR;
    end else if (could_data) begin
      fault_o = bad;
      fault_addr_o = bad_addr;
    end
  end

  assign is_data_o = could_data && bad == FAULT_NONE;
  assign is_end_o = (could_data && bad != FAULT_NONE) ||
                    (go_i && (c_i.fcode != FAULT_NONE || kill_i || ending_i));
  assign v_o = v;
  assign v_end_o = could_data && v_end;
  assign all_end_o = could_data && v_end && last_row;
  assign may_row_end_o = walk_i.may_end;
  assign may_end_o = walk_i.may_end && last_row;

  assign wclose_o = is_wctrl_o && (c_i.axpyw ? w_val_i[CTRL_ROW_END]
                                   : c_i.ring && w_val_i[CTRL_STREAM_END] && !row_first_i);
  // A row end right after the weight closes the row in the same beat.
  assign fold_o = is_data_o && c_i.wtrig && v_end && w2_ctrl_i;
  assign stream_end_o = (is_wctrl_o && w_val_i[CTRL_STREAM_END]) ||
                        (is_skip_o && (skip_b_o ? head_b_i.data[CTRL_STREAM_END]
                                                : head_a_i.data[CTRL_STREAM_END])) ||
                        (fold_o && w2_val_i[CTRL_STREAM_END]);

  // The operands that a beat of data would read. Whether there is such a beat arrives late in the
  // cycle, so the comparisons with pending writes and with buffered lines do not wait for it.
  always_comb begin
    rd_o = '0;
    if (valid_i) begin
      rd_o[0] = c_i.a_kind == SRC_MEM;
      rd_o[1] = b_kind == SRC_MEM;
      rd_o[2] = c_i.fma && !fresh && c_i.d_kind == SRC_MEM;
    end
  end

  always_comb begin
    be_o = '0;
    if (is_data_o) begin
      if (c_i.d_kind == SRC_MEM && !(c_i.red && !v_end)) begin
        for (int unsigned k = 0; k < VecBytes; k++) begin
          be_o[k] = c_i.red ? k < (1 << c_i.d_sz) : some[k >> c_i.d_sz];
        end
        be_o = be_o << off[2];
      end
    end
  end

  // Wavelets: a pair is taken when its upper half is done, or at the end.
  always_comb begin
    half_a_o = 1'b0;
    half_b_o = 1'b0;
    pop_a_o = 1'b0;
    pop_b_o = 1'b0;
    if (is_data_o && c_i.a_kind == SRC_FAB) begin
      half_a_o = c_i.a_sz == 2'd1 && !c_i.a_tag && !half_a_i && !some[1] && !all_end_o;
      pop_a_o = !half_a_o && !c_i.a_tag;
    end
    if (is_data_o && c_i.b_kind == SRC_FAB && !c_i.wtrig) begin
      half_b_o = c_i.b_sz == 2'd1 && !half_b_i && !some[1] && !all_end_o;
      pop_b_o = !half_b_o;
    end
  end

  // -------------------------------------------------------------------------------- the beat --
  logic [2:0] lane0;

  always_comb begin
    lane0 = '0;
    if (c_i.red) lane0 = c_i.i8x2 ? 3'd0 : walk_i.cnt[2:0] & 3'(Lanes - 1);
    else if (c_i.d_kind != SRC_FAB && c_i.d_kind != SRC_NONE) begin
      lane0 = lane_of(c_i.d_kind, c_i.d_sz, da, Lanes);
    end
  end

  logic [7:0] mask, mask_hi;  // lanes with an element; with a second one (int8 pairs)

  always_comb begin
    mask = '0;
    mask_hi = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      if (c_i.i8x2) begin
        mask[l] = some[2*l];
        mask_hi[l] = some[2*l+1];
      end else begin
        mask[l] = l >= 32'(lane0) && some[4'(l) - {1'b0, lane0}];
      end
    end
  end

  // How stage M moves an operand to its lanes: byte off of the line goes to lane0's place.
  function automatic opnd_t route(input src_e kind, input logic [1:0] sz, input logic bc,
                                  input logic x2, input logic [4:0] at, input logic [2:0] lane);
    opnd_t o;
    logic [4:0] want;
    o = '0;
    o.from = kind == SRC_MEM ? FROM_MEM : kind == SRC_ACC ? FROM_ACC : FROM_IMM;
    o.sz = x2 ? 2'd1 : sz;
    o.bc = bc;
    o.bc8 = bc && x2;
    if (kind == SRC_ACC) begin
      o.shift = at;  // words
    end else begin
      want = bc ? 5'd0 : sz == 2'd2 ? {1'b0, lane[1:0] & 2'(Lanes / 2 - 1), 2'd0}
           : sz == 2'd1 ? {1'b0, lane, 1'b0} : {2'd0, lane};
      o.neg = want > at;
      o.shift = o.neg ? want - at : at - want;
    end
    return o;
  endfunction

  // Words of an accumulator row that a source takes: those of the lanes, moved, or one.
  /* verilator lint_off UNUSEDSIGNAL */ // of an operand: which lanes it goes to
  function automatic logic [7:0] words(input opnd_t o, input logic [7:0] lanes,
                                       input logic [2:0] lane);
  /* verilator lint_on UNUSEDSIGNAL */
    logic [7:0] w;
    w = '0;
    if (o.from == FROM_ACC) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (o.bc ? l == 0 : lanes[l]) begin
          w[3'((o.bc ? 32'd0 : l - 32'(lane)) + 32'(o.shift)) & 3'(Lanes - 1)] = 1'b1;
        end
      end
    end
    return w;
  endfunction

  // The same, early: up to the end of the row. At most one source is there.
  logic [2:0] src_lane;

  always_comb begin
    src_acc_o = c_i.a_kind == SRC_ACC || c_i.b_kind == SRC_ACC;
    src_row_o = 4'((c_i.a_kind == SRC_ACC ? aa : ba) >> (OffW + 1));
    src_lane = lane_of(SRC_ACC, 2'd2, c_i.a_kind == SRC_ACC ? aa : ba, Lanes);
    src_words_o = '0;
    if (src_acc_o) begin
      src_words_o = (c_i.a_kind == SRC_ACC ? c_i.a_bc : c_i.b_bc) ? 8'd1 << src_lane
                                                                  : 8'hFF << src_lane;
    end
  end

  res_t result;  // where the result goes

  always_comb begin : sources
    beat_o = '0;
    if (is_data_o) begin
      beat_o.data = 1'b1;
      beat_o.late = c_i.red;
      beat_o.none = c_i.red && !v_end;
      beat_o.unit = c_i.unit;
      beat_o.nlf = c_i.nlf;
      beat_o.op = c_i.dop;
      beat_o.src = c_i.src_fmt;
      beat_o.dst = c_i.dst_fmt;
      beat_o.stoch = c_i.stoch;
      beat_o.base = scal_i[23:0];
      beat_o.raw = c_i.dop == DP_MOV && c_i.unit == UNIT_NONE;
      beat_o.lane0 = lane0;
      beat_o.red_first = c_i.red && begins;
      beat_o.red_last = c_i.red && v_end;
      beat_o.red_base = walk_i.cnt[3:0] & ~4'(Lanes - 1);
      beat_o.mask = mask;
      beat_o.mask_hi = mask_hi;
      beat_o.a = route(c_i.a_kind, c_i.a_sz, c_i.a_bc, c_i.i8x2,
                       c_i.a_kind == SRC_ACC ? {2'd0, lane_of(SRC_ACC, 2'd2, aa, Lanes)}
                       : c_i.a_kind == SRC_MEM ? 5'(off[0]) : {3'd0, half_a_i, 1'b0}, lane0);
      beat_o.b = route(c_i.axpyw ? SRC_IMM : b_kind, c_i.b_sz, c_i.b_bc, c_i.i8x2,
                       c_i.b_kind == SRC_ACC ? {2'd0, lane_of(SRC_ACC, 2'd2, ba, Lanes)}
                       : b_kind == SRC_MEM ? 5'(off[1]) : {3'd0, half_b_i, 1'b0}, lane0);
      beat_o.a_imm = c_i.a_kind == SRC_FAB ? head_a_i.data : scal_i;
      beat_o.b_imm = c_i.axpyw ? {16'd0, w_val_i}
                   : c_i.b_kind == SRC_FAB ? head_b_i.data : scal_i;
      beat_o.src_row = src_row_o;
      beat_o.src_words = words(beat_o.a, mask, lane0) | words(beat_o.b, mask, lane0);
      beat_o.d_from = !c_i.fma ? ADD_NONE : fresh ? ADD_ZERO
                    : c_i.d_kind == SRC_MEM ? ADD_MEM : ADD_ACC;
    end
    beat_o.r = result;
  end

  always_comb begin : results
    result = '0;
    if (is_data_o) begin
      result.acc_we = c_i.d_kind == SRC_ACC && !(c_i.red && !v_end);
      result.acc_row = 4'(da >> (OffW + 1));
      result.mask = mask;
      if (c_i.red) begin
        result.mask = c_i.d_kind == SRC_FAB ? 8'd1
                    : 8'd1 << lane_of(c_i.d_kind, c_i.d_sz, da, Lanes);
      end
      result.idx = c_i.wtrig ? w_idx_i : walk_i.seq;
      result.out = c_i.d_kind == SRC_FAB && !(c_i.red && !v_end);
      result.last = v_end && last_row;
      if (c_i.axpyw) result.close = fold_o && w2_val_i[CTRL_ROW_END];
      else result.close = c_i.ring && v_end && (row_full_i || stream_end_o);
      result.written = 1'b1;
    end
    if (is_wctrl_o) begin
      result.close = wclose_o;
      result.written = !row_first_i;
    end
    if (is_end_o) begin
      result.last = 1'b1;
      result.cut = fault_o != FAULT_NONE;
      // The packer has something pending only if something was sent. A claimed place is given back
      // with an empty vector.
      result.out = c_i.d_kind == SRC_FAB &&
                   (started_i || claimed_i || (c_i.close && fault_o == FAULT_NONE));
    end
    if (go_i) begin
      result.thread = thread_i;
      result.out_q = c_i.d_q;
      result.out_end = result.out && result.last;
      result.out_close = c_i.close && !result.cut;
      result.row_end = c_i.row_end;
      result.stream_end = c_i.stream_end;
      result.sz = c_i.d_sz;
      result.skip = c_i.d_skip;
      result.tag = c_i.d_tag;
      result.flt = c_i.dst_fmt inside {DF_F16, DF_BF16, DF_F32};
    end
  end

endmodule
