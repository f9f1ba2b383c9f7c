// SPDX-License-Identifier: Apache-2.0
// What the parts of the tensor engine hand to each other: the static context of a thread
// (ow_engine_decode), a planned beat (ow_engine_plan), where its result goes. Widths are those of
// 8 lanes; engines with fewer use the low bits.
package ow_engine_pkg;
  import ow_datapath_pkg::*;

  // Where an operand is. SRC_NONE: the operation does not have it.
  typedef enum logic [2:0] {
    SRC_NONE = 3'd0,
    SRC_MEM  = 3'd1,  // SRAM, FIFOs too
    SRC_ACC  = 3'd2,  // accumulator cache
    SRC_FAB  = 3'd3,  // ramp queue
    SRC_IMM  = 3'd4   // scalar of the instruction, or the weight of an AXPY
  } src_e;

  // Units besides the datapath that a beat uses.
  typedef enum logic [2:0] {
    UNIT_NONE    = 3'd0,
    UNIT_GATHER  = 3'd1,  // b is an index; its element takes the place of a
    UNIT_FMAG    = 3'd2,  // b is an index; its element takes the place of b
    UNIT_SCATTER = 3'd3,
    UNIT_NLF     = 3'd4
  } unit_e;

  // The part of a thread's context that does not change while its instruction runs.
  typedef struct packed {
    logic [6:0] op;       // funct7, for the hang report
    logic       axpyw;
    logic       wtrig;    // axpyw or dotw: operands come through the weight buffer
    logic       ring;     // axpyw or dotw whose results are rows for the reducer
    logic       red;      // a reduction over dimension 0
    logic       fma;      // the destination is read, too
    logic       fresh;    // the destination is taken as +0 while dimension 1 is at its start
    unit_e      unit;
    logic [2:0] nlf;      // function of UNIT_NLF
    dp_op_e     dop;      // what the datapath does
    dp_fmt_e    src_fmt;  // format of a and b
    dp_fmt_e    dst_fmt;  // format of the result and of the addend
    logic       stoch;
    logic       prio;
    logic       i8x2;     // two int8 elements per lane
    logic [3:0] fcode;    // fault found at the launch
    logic [2:0] grp;      // log2 of the destination's group of elements, which a beat stays in
    logic [2:0] most;     // log2 of the elements that a beat may have
    src_e       a_kind;
    src_e       b_kind;
    src_e       d_kind;
    logic [1:0] a_sz;     // log2 of the element's bytes
    logic [1:0] b_sz;
    logic [1:0] d_sz;
    logic       a_vec;    // step 0 is the element size (or a queue)
    logic       b_vec;
    logic       d_vec;
    logic       a_bc;     // step 0 is 0 (or a scalar): one element for all lanes
    logic       b_bc;
    logic       a_fifo;   // the operand is the FIFO a_q[1:0]
    logic       b_fifo;
    logic       d_fifo;
    logic [2:0] a_q;
    logic [2:0] b_q;
    logic [2:0] d_q;
    logic [4:0] a_dsr;
    logic [4:0] b_dsr;
    logic [4:0] d_dsr;
    logic       a_tag;    // fabric in: the high half is the index
    logic       d_tag;    // fabric out: the high half is the index
    logic       d_skip;   // fabric out: no zeros
    logic       space_d;  // the iteration space is that of dst, else of a
    logic       inf;      // dimension 0 has no end: until stream end
    logic       close;    // append a control wavelet
    logic       row_end;  // that control wavelet ends a row, a stream
    logic       stream_end;
  } ctx_t;

  // A context without the bits that an engine with these features never sets: they are constant 0,
  // so their logic disappears.
  function automatic ctx_t ctx_of(input ctx_t ctx, input int unsigned lanes,
                                  input ow_isa_pkg::features_reg_t features,
                                  input ow_isa_pkg::operations_reg_t operations);
    ctx_t    c;
    dp_has_t has;
    c = ctx;
    has = dp_has(features, operations);
    c.dop = dp_op_of(ctx.dop, has);
    if (!has.red) c.red = 1'b0;
    if (!has.stoch) c.stoch = 1'b0;
    if (!has.i8) c.i8x2 = 1'b0;
    if (!features.nonlinear) c.nlf = '0;
    if (!features.nonlinear && !features.gather) c.unit = UNIT_NONE;
    if (lanes == 2 && !has.i8) {c.grp[2:1], c.most[2:1]} = '0;
    if (features.fifos == '0) {c.a_fifo, c.b_fifo, c.d_fifo} = '0;
    if (!operations.tags) c.a_tag = 1'b0;
    // These fields also hold FIFO numbers.
    if (features.queues <= 4'd4) {c.a_q[2], c.b_q[2], c.d_q[2]} = '0;
    if (features.dsrs <= 5'd15) {c.a_dsr[4], c.b_dsr[4], c.d_dsr[4]} = '0;
    return c;
  endfunction

  // The part of a thread's context that moves with each beat.
  typedef struct packed {
    logic [23:0] a;    // addresses of the next elements
    logic [23:0] b;
    logic [23:0] d;
    logic [63:0] cnt;  // loop counters, dimension 0 in the low 16 bits
    logic [15:0] seq;  // elements (results) so far
    logic        may_end;  // the next beat may end its inner vector
  } walk_t;

  typedef enum logic [1:0] {
    FROM_IMM    = 2'd0,
    FROM_MEM    = 2'd1,
    FROM_ACC    = 2'd2,
    FROM_GATHER = 2'd3
  } from_e;

  // How stage M picks the elements of a source.
  typedef struct packed {
    from_e      from;
    logic [1:0] sz;
    logic       bc;
    logic       bc8;    // bc of bytes in an int8 pair
    logic       neg;    // the line moves up by shift bytes, else down
    logic [4:0] shift;
    logic       hit;    // the first line is the one kept in the stream
    logic [1:0] fresh;  // lines taken from the stream
  } opnd_t;

  typedef enum logic [1:0] {
    ADD_NONE = 2'd0,
    ADD_MEM  = 2'd1,
    ADD_ACC  = 2'd2,
    ADD_ZERO = 2'd3
  } addend_e;

  // Slots of the write buffer: beats that write SRAM, from their plan until they are there.
  localparam int unsigned WRITE_SLOTS = 24;
  typedef logic [$clog2(WRITE_SLOTS)-1:0] wslot_t;

  // Where a result goes.
  typedef struct packed {
    logic [3:0]  thread;
    logic        last;     // the instruction's last
    logic        cut;      // the last result, and a fault stopped the instruction
    logic        kill;     // a fault came before the result: it goes nowhere
    logic        close;    // closes an accumulator row
    logic        written;  // the closed row has been written
    logic        slot_en;  // has a write buffer slot
    wslot_t      slot;
    logic        acc_we;
    logic [3:0]  acc_row;
    logic [1:0]  sz;
    logic [7:0]  mask;     // lanes with a result
    logic        out;      // to the output queue out_q
    logic [2:0]  out_q;
    logic        out_end;  // nothing more of this instruction follows in the output queue
    logic        out_close;
    logic        row_end;
    logic        stream_end;
    logic        skip;
    logic        tag;
    logic        flt;      // floating-point elements
    logic [15:0] idx;      // index of lane 0
  } res_t;

  // A planned beat.
  typedef struct packed {
    logic        data;       // the datapath works
    logic        late;       // a reduction: its result comes RED_LATENCY cycles after its last beat
    logic        none;       // no result of its own
    unit_e       unit;
    logic [2:0]  nlf;
    dp_op_e      op;
    dp_fmt_e     src;
    dp_fmt_e     dst;
    logic        stoch;
    logic        raw;        // the result is operand a, bit by bit
    logic [7:0]  mask;
    logic [7:0]  mask_hi;
    logic        red_first;
    logic        red_last;
    logic [3:0]  red_base;
    logic [2:0]  lane0;
    opnd_t       a;
    opnd_t       b;
    logic [31:0] a_imm;
    logic [31:0] b_imm;
    logic [3:0]  src_row;    // accumulator row of a source
    logic [7:0]  src_words;  // the words of that row that are read
    addend_e     d_from;
    logic        d_hit;
    logic [23:0] base;       // gather, scatter
    res_t        r;
  } beat_t;

  localparam logic [3:0] FAULT_NONE = 4'd0;  // no value of engine_cause_e
  localparam logic [3:0] FAULT_OP = ow_isa_pkg::ENG_ILLEGAL;
  localparam logic [3:0] FAULT_DSR = ow_isa_pkg::ENG_DESCRIPTOR;
  localparam logic [3:0] FAULT_ADDR = ow_isa_pkg::ENG_ADDRESS;

  // Position of an element in its group of lanes.
  /* verilator lint_off UNUSEDSIGNAL */ // low bits of the address
  function automatic logic [2:0] lane_of(input src_e kind, input logic [1:0] sz,
                                         input logic [23:0] addr, input int unsigned lanes);
    if (kind == SRC_ACC) return addr[4:2] & 3'(lanes - 1);
    if (sz == 2'd2) return addr[4:2] & 3'(lanes / 2 - 1);
    if (sz == 2'd1) return addr[3:1] & 3'(lanes - 1);
    return addr[2:0] & 3'(lanes - 1);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // An address plus up to 64 bytes, which arrive late. The upper bits with a carry are computed
  // before.
  function automatic logic [23:0] advance(input logic [23:0] addr, input logic [6:0] late);
    logic [16:0] up;
    logic [7:0]  low;
    up = addr[23:7] + 17'd1;
    low = {1'b0, addr[6:0]} + {1'b0, late};
    return {low[7] ? up : addr[23:7], low[6:0]};
  endfunction

  // A byte address as written by firmware. Beyond 24 bits: outside any memory, the low bits kept.
  function automatic logic [23:0] address(input logic [31:0] written);
    return written[31:24] == '0 ? written[23:0] : {3'b011, written[20:0]};
  endfunction

endpackage
