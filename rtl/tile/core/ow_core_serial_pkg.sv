// SPDX-License-Identifier: Apache-2.0
// Steps of the scalar core for area (ow_core_serial), and the words of its memory.
package ow_core_serial_pkg;

  // Steps, each a bit. The step before one addresses the word that it reads from the core's memory.
  typedef enum logic [6:0] {
    // Reset: the program counter; CSRs and x0 become 0, and the constant -1.
    S_RESET,
    S_BOOT,
    S_CLEAR,
    S_ZERO,
    S_FILL,
    S_ONES,
    // From one instruction to the next.
    S_BACK,        // the same instruction again: it was withdrawn
    S_FOUR,
    S_NEXT,        // its address is computed
    S_START,
    S_HALT,
    S_FETCH,
    S_DATA,
    S_DECODE,
    S_COUNT_LOW,   // the retired instructions are added to the count in memory
    S_COUNT_SUM,
    S_COUNT_HIGH,
    S_COUNT_CARRY,
    S_COUNT_DONE,
    // Integers.
    S_OPERAND,     // the second operand, or rs1 if there is no rs2
    S_INVERTED,
    S_ALU,
    S_LESS,
    S_SHIFTED,
    S_SHIFT,
    S_STACK,
    S_WRITE,
    // Jumps, and where ow.next leads.
    S_BRANCH,
    S_TARGET,
    S_LINK,
    // Loads and stores.
    S_CHECK,
    S_ACCESS,
    S_LOAD,
    S_ALIGN,
    // Products and quotients.
    S_MULDIV,
    M_IN,
    M_ADD,
    M_SHIFT,
    M_OUT,
    M_LESS,        // mulh by a negative number
    M_INVERT,
    M_SUM,
    D_DIVISOR,
    D_KEEP,
    D_DIVIDEND,
    D_NEGATE,
    D_INVERT,
    D_IN,
    D_SHIFT,
    D_SUB,         // how the divisor compares
    D_TAKE,        // the divisor is subtracted, if it is not more
    D_LAST,
    D_OUT,
    D_SIGN,
    D_MINUS,
    S_INVERT,
    // Steps that wait for others.
    S_TENSOR,
    S_SYNC,
    S_DSR,
    S_MORE,        // the next word of a descriptor
    S_WAIT,
    S_TASK,
    // CSRs.
    C_OPERAND,
    C_KEEP,
    C_OLD,
    C_HIGH,
    C_NEW,
    C_CLEAR,
    C_PUT,
    Y_NOW,         // a write of mcycle: computes the offset to the wafer's count
    Y_CARRY,
    Y_LESS,
    Y_SUM,
    Y_PUT,
    Y_BORROW,
    Y_HIGH,
    Y_DONE,
    // Traps.
    T_PC,
    T_VALUE,
    T_FROM,
    T_CAUSE,
    T_WHY,
    T_VECTOR,
    T_GO,
    T_NO_VECTOR,
    T_STOPS,
    S_STOPPED
  } step_e;
  localparam int unsigned NUM_STEPS = 32'(S_STOPPED) + 1;
  typedef logic [NUM_STEPS-1:0] steps_t;

  // Words of the memory: the general registers, and these from 32 on. A CSR's number gives its word
  // (csr_word).
  typedef enum logic [4:0] {
    WORD_PC     = 5'd2,
    WORD_TEMP   = 5'd3,
    WORD_MTVEC  = 5'd5,
    WORD_ONES   = 5'd6,   // -1
    WORD_CYCLE  = 5'd7,   // the wafer's count as an instruction saw it
    WORD_MEPC   = 5'd9,
    WORD_MCAUSE = 5'd10,
    WORD_MTVAL  = 5'd11,
    WORD_OFF    = 5'd16,  // mcycle less the wafer's count
    WORD_COUNT  = 5'd18,  // minstret without the instructions that retired since
    WORD_OFF_HIGH   = 5'd20,
    WORD_COUNT_HIGH = 5'd22
  } word_e;

  // Only for numbers that exist: mstatus 0, misa 1, mie 4, mtvec 5, mscratch 8, mepc 9, mcause 10,
  // mtval 11, mip 12, counts from 16 on, mvendorid to mhartid 25 to 28.
  /* verilator lint_off UNUSEDSIGNAL */ // bits that tell none of them from another
  function automatic logic [4:0] csr_word(input logic [11:0] number);
    return {number[11], number[6] | number[4], number[7] | number[2], number[1:0]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
  localparam logic [4:0] CSR_WORD_MSTATUS = 5'd0;
  localparam logic [4:0] CSR_WORD_MISA = 5'd1;
  localparam logic [4:0] CSR_WORD_MIE = 5'd4;
  localparam logic [4:0] CSR_WORD_MIP = 5'd12;

endpackage
