// SPDX-License-Identifier: Apache-2.0
// What the tensor engine's decoder (ow_engine_decode) hands to its issue logic (ow_engine).
package ow_engine_pkg;

  // Where an operand is. SRC_NONE: the operation does not have it.
  typedef enum logic [2:0] {
    SRC_NONE = 3'd0,
    SRC_MEM  = 3'd1,  // SRAM
    SRC_ACC  = 3'd2,  // accumulator cache
    SRC_FAB  = 3'd3,  // ramp queue
    SRC_IMM  = 3'd4   // scalar of the instruction, or the weight of an AXPY
  } src_e;

  // The part of a thread's context that does not change while its instruction runs.
  typedef struct packed {
    logic [6:0]              op;       // funct7, for the hang report
    logic                    axpyw;    // operands come through the weight buffer
    ow_fp_pkg::lane_op_e     lop;      // what the lanes do
    ow_fp_pkg::fp_fmt_e      src_fmt;  // format of a and b in the lanes
    ow_fp_pkg::fp_fmt_e      dst_fmt;  // format of the result and of the addend
    src_e                    a_kind;
    src_e                    b_kind;
    src_e                    d_kind;
    logic                    a32;      // element size is 4 bytes, else 2
    logic                    b32;
    logic                    d32;
    logic                    a_vec;    // step 0 is the element size (or a queue)
    logic                    b_vec;
    logic                    d_vec;
    logic                    a_bc;     // step 0 is 0 (or a scalar): one element for all lanes
    logic                    b_bc;
    logic [2:0]              a_q;
    logic [2:0]              b_q;
    logic [2:0]              d_q;
    logic [4:0]              a_dsr;
    logic [4:0]              b_dsr;
    logic [4:0]              d_dsr;
    logic                    space_d;  // the iteration space is that of dst, else of a
    logic                    inf;      // dimension 0 has no end: until stream end
    logic                    close;    // append a control wavelet
    logic [1:0]              code;     // its data bits
  } ctx_t;

  // A source operand of one beat, as stage M picks its elements.
  typedef enum logic [2:0] {
    FROM_IMM  = 3'd0,
    FROM_RD0  = 3'd1,
    FROM_RD1  = 3'd2,
    FROM_HOLD = 3'd3,  // line read before, in the thread's hold register
    FROM_ACC  = 3'd4,
    FROM_NONE = 3'd5
  } from_e;

  // What a beat sends to an output queue.
  typedef enum logic [2:0] {
    OUT_NONE  = 3'd0,
    OUT_WORD  = 3'd1,  // 32 bits of lane 0
    OUT_PAIR  = 3'd2,  // lane 1 and lane 0
    OUT_UPPER = 3'd3,  // lane 1 and the half kept before
    OUT_LAST  = 3'd4,  // lane 0 alone, upper half 0
    OUT_KEEP  = 3'd5,  // keep lane 0 as the lower half, send nothing
    OUT_FLUSH = 3'd6,  // the half kept before, upper half 0
    OUT_CLOSE = 3'd7   // control wavelet
  } out_e;

  localparam logic [3:0] FAULT_NONE = 4'd0;
  localparam logic [3:0] FAULT_OP = 4'd1;
  localparam logic [3:0] FAULT_DSR = 4'd2;
  localparam logic [3:0] FAULT_ADDR = 4'd3;

  // Stall causes, as the counters number them.
  localparam logic [2:0] CAUSE_BUSY = 3'd0;
  localparam logic [2:0] CAUSE_INQ = 3'd1;
  localparam logic [2:0] CAUSE_OUTQ = 3'd2;
  localparam logic [2:0] CAUSE_ROW = 3'd3;
  localparam logic [2:0] CAUSE_MEM = 3'd4;
  localparam logic [2:0] CAUSE_NONE = 3'd5;

endpackage
