// SPDX-License-Identifier: Apache-2.0
// What the parts of the serial tensor engine (ow_serial) hand to each other.
package ow_serial_pkg;

  typedef enum logic [2:0] {
    SOP_MOV = 3'd0,
    SOP_CVT = 3'd1,
    SOP_ADD = 3'd2,
    SOP_SUB = 3'd3,
    SOP_MUL = 3'd4,
    SOP_FMA = 3'd5
  } sop_e;

  // Where an operand is.
  typedef enum logic [1:0] {
    AT_MEM = 2'd0,  // SRAM
    AT_ACC = 2'd1,  // accumulator cache
    AT_FAB = 2'd2,  // ramp queue
    AT_IMM = 2'd3   // scalar of the instruction, or not there
  } at_e;

  typedef enum logic [1:0] {
    OPND_A = 2'd0,
    OPND_B = 2'd1,
    OPND_D = 2'd2
  } opnd_e;

  // What a launch finds out of an instruction and its descriptors.
  typedef struct packed {
    logic [2:0] save;        // addresses to be saved at the end: dst, b, a
    logic       axpyw;
    sop_e       op;
    logic       has_b;
    at_e        a_at;
    at_e        b_at;
    at_e        d_at;
    logic [2:0] a_q;
    logic [2:0] b_q;
    logic [2:0] d_q;
    logic       a32;         // elements of a and b have 32 bits
    logic       d32;
    logic       tag;         // to the fabric: with an index
    logic       skip;        // to the fabric: without zeros
    logic       flt;         // floating-point elements: -0 is a zero
    logic       close;       // a control wavelet at the end
    logic       row_end;     // that control wavelet ends a row, a stream
    logic       stream_end;
    logic       inf;         // dimension 0 has no end: until a stream end
    logic       dim1;        // there is a dimension 1
    logic       space_d;     // the space is that of dst, else of a
  } flags_t;
  localparam int unsigned FLAGS_BITS = $bits(flags_t);

  // Steps. What a step reads of the engine's memory is addressed in the step before.
  typedef enum logic [5:0] {
    S_IDLE,
    S_READ_DSR,
    L_OFFER,       // a launch: may it begin now?
    L_CTL,         // the instruction's words are kept
    L_PC,
    L_SCALAR,
    L_LOOK,        // its descriptors are read: a, b, dst
    L_FIRST,
    L_SECOND,
    L_JUDGE,       // the launch may go on, has to wait, or is a fault
    L_FLAGS,
    L_N0,
    L_N1,
    L_INDEX,
    S_PICK,        // a turn
    S_LOAD,
    S_CHECK,       // is all there that the element needs?
    S_SKIP,        // a control wavelet in front of it has been taken
    S_FLUSH,       // the end: half a pair is sent
    S_SAVE,        // addresses are saved, and the instruction is complete
    S_SAVED,
    W_LOOK,        // a weight: where its row of a begins
    W_TIMES,
    W_PLACE,
    W_AIM,         // where its row of dst begins
    R_LOOK,        // a row is closed
    R_NEXT,
    S_COUNT,       // an element: the end of its inner vector, of the instruction?
    S_COUNT_1,
    S_OPERAND,     // one operand after the other
    S_STEP,        // its address, which moves on
    S_OUTER,       // the address also moves on by dimension 1
    S_STEP_OUTER,
    S_AIM,         // may the address be used?
    S_ACCESS,
    S_TAKE,        // what has been read is there
    S_FINISH,
    S_FAULT_PC,
    S_FAULT
  } step_e;

  // What a thread waits for.
  typedef enum logic [1:0] {
    FOR_NOTHING = 2'd0,
    FOR_INPUT   = 2'd1,
    FOR_OUTPUT  = 2'd2,
    FOR_ROW     = 2'd3
  } for_e;

  // Words of a thread in the engine's memory. The addresses of a, b and dst come first, by operand.
  localparam logic [3:0] WORD_N0 = 4'd3;      // elements of dimension 0 so far
  localparam logic [3:0] WORD_FLAGS = 4'd4;
  localparam logic [3:0] WORD_CTL = 4'd5;     // the instruction's control word
  localparam logic [3:0] WORD_PC = 4'd6;
  localparam logic [3:0] WORD_SCALAR = 4'd7;
  localparam logic [3:0] WORD_INDEX = 4'd8;   // of the next tag
  localparam logic [3:0] WORD_HALF = 4'd9;    // the lower element of a pair that is not sent yet
  localparam logic [3:0] WORD_ROW = 4'd10;    // axpyw: where its row begins
  localparam logic [3:0] WORD_N1 = 4'd11;     // inner vectors so far

  // Whether n + 1 is `count`, without an adder's carry chain. The lowest bits must differ. Each
  // other bit must differ exactly where the bit below differs and is 1 in n, as a carry then comes
  // from it.
  function automatic logic last_of(input logic [15:0] n, input logic [15:0] count);
    automatic logic [15:0] differ;
    differ = n ^ count;
    return differ == {differ[14:0] & n[14:0], 1'b1};
  endfunction

endpackage
