// SPDX-License-Identifier: Apache-2.0
// Types and constants that every level of Openwafer shares: the fabric's words, the ports of a
// router, the encodings of the tensor extension, the tile's register map. docs/fabric.md,
// docs/isa.md and docs/memory-map.md say what they mean; this file only fixes the bits.

// No module uses every constant.
/* verilator lint_off UNUSEDPARAM */
package ow_pkg;

  // ------------------------------------------------------------------------------------ fabric --
  // Colours 0..23 carry data on static routes; 24 and 25 are the control plane's request and
  // response networks whatever NumColours a build has, so that packets are the same on all builds.
  localparam int unsigned MAX_DATA_COLOURS = 24;
  localparam logic [4:0] COLOUR_REQ = 5'd24;
  localparam logic [4:0] COLOUR_RSP = 5'd25;

  // Router ports. "Ramp" is the port to and from the router's own tile.
  localparam int unsigned NUM_PORTS = 5;
  typedef enum logic [2:0] {
    PORT_N = 3'd0,
    PORT_E = 3'd1,
    PORT_S = 3'd2,
    PORT_W = 3'd3,
    PORT_R = 3'd4,
    PORT_NONE = 3'd7
  } port_e;

  // The unit of the fabric. `ctrl` marks a control wavelet on a data colour and the tail of a
  // packet on the control plane.
  typedef struct packed {
    logic        valid;
    logic [4:0]  colour;
    logic        ctrl;
    logic [31:0] data;
  } wavelet_t;  // 39 bits

  // One buffer slot of `colour` has been freed at the receiver.
  typedef struct packed {
    logic       valid;
    logic [4:0] colour;
  } credit_t;  // 6 bits

  // What one direction of a tile edge carries in a cycle: a wavelet, and a credit for the opposite
  // direction. All zero when it carries nothing, so "nothing" is one compare.
  typedef struct packed {
    credit_t  credit;
    wavelet_t wavelet;
  } link_t;  // 45 bits

  // Slots at the receiving end of a link, the credits that a sender starts with: of a data colour,
  // of a colour of the control plane.
  localparam int unsigned LINK_CREDITS = 2;
  localparam int unsigned CTL_CREDITS = 2;

  // Route of one colour in one router, the base position of its switch, as written to the low bits
  // of the ROUTE registers.
  typedef struct packed {
    logic       enable;    // [8]
    logic [2:0] in_port;   // [7:5] port_e
    logic [4:0] out_mask;  // [4:0] one bit a port, index port_e
  } route_t;  // 9 bits

  // Control wavelet payload bits that the ramp's consumers act on (docs/fabric.md).
  localparam int unsigned CTRL_ROW_END = 0;     // closes the accumulator row
  localparam int unsigned CTRL_STREAM_END = 1;  // ends the instruction that consumes the stream
  // The commands for the routers on the way: eight slots of 3 bits {NOCE, operation}, slot 0 first.
  localparam int unsigned CTRL_COMMANDS = 2;
  typedef enum logic [1:0] {
    SWITCH_NOP = 2'd0,
    SWITCH_ADV = 2'd1,
    SWITCH_RST = 2'd2,
    SWITCH_TEARDOWN = 2'd3
  } switch_e;

  // ------------------------------------------------------------------------------------- tile ----
  localparam int unsigned NUM_QUEUES = 8;   // input queues, and as many output queues
  localparam int unsigned NUM_DSRS = 32;
  localparam int unsigned NUM_TASKS = 32;
  localparam int unsigned NUM_FIFOS = 4;

  // An element of a ramp queue.
  typedef struct packed {
    logic        ctrl;
    logic [31:0] data;
  } ramp_t;  // 33 bits

  // ------------------------------------------------------------------------ tensor extension -----
  // custom-0 (0x0b): funct7 = tensor_op_e, funct3 = tensor_type_e, rs1 = control word,
  // rs2 = scalar operand, rd = x0.
  typedef enum logic [6:0] {
    TOP_MOV     = 7'd0,   // dst = a
    TOP_ADD     = 7'd1,   // dst = a + b
    TOP_SUB     = 7'd2,   // dst = a - b
    TOP_MUL     = 7'd3,   // dst = a * b
    TOP_FMA     = 7'd4,   // dst = a * b + dst, one rounding
    TOP_MAX     = 7'd5,   // IEEE 754-2019 maximum: NaN if either is NaN; integers signed
    TOP_MIN     = 7'd6,
    TOP_CVT     = 7'd7,   // dst = cast of a; funct3 names the source type, dst DSR the destination's
    TOP_AND     = 7'd8,   // integers, bit by bit
    TOP_OR      = 7'd9,
    TOP_XOR     = 7'd10,
    TOP_SLL     = 7'd11,  // dst = a shifted by b modulo the width
    TOP_SRL     = 7'd12,
    TOP_SRA     = 7'd13,
    TOP_AXPYW   = 7'd16,  // wavelet-triggered AXPY with hardware row end
    TOP_DRAIN   = 7'd17,  // reduction at the ramp: runs on the reducer
    TOP_DOTW    = 7'd18,  // wavelet-triggered dot product
    TOP_CMPEQ   = 7'd20,  // dst = a relation b ? 1 : 0, in the type of a
    TOP_CMPNE   = 7'd21,
    TOP_CMPLT   = 7'd22,
    TOP_CMPLE   = 7'd23,
    TOP_DOT     = 7'd24,  // reductions over dimension 0: one result an inner vector
    TOP_SUM     = 7'd25,
    TOP_RMAX    = 7'd26,
    TOP_RMIN    = 7'd27,
    TOP_GATHER  = 7'd28,  // dst[i] = x[b[i]], x at the address rs2
    TOP_SCATTER = 7'd29,  // x[b[i]] = a[i], x at the address rs2
    TOP_FMAG    = 7'd30,  // dst[i] = a[i] * x[b[i]] + dst[i], x at the address rs2
    TOP_RCP     = 7'd32,  // correctly rounded functions of a, f16 and bf16
    TOP_RSQRT   = 7'd33,
    TOP_EXP     = 7'd34,
    TOP_LOG     = 7'd35,
    TOP_TANH    = 7'd36,
    TOP_SIGMOID = 7'd37
  } tensor_op_e;

  typedef enum logic [2:0] {
    TY_F16   = 3'd0,
    TY_BF16  = 3'd1,
    TY_F32   = 3'd2,
    TY_MIXED = 3'd3,  // binary16 sources, fp32 accumulator/destination
    TY_I16   = 3'd4,
    TY_I32   = 3'd5,
    TY_I8    = 3'd6,
    TY_MIXEDB = 3'd7  // bfloat16 sources, fp32 accumulator/destination
  } tensor_type_e;

  typedef enum logic [1:0] {
    DONE_NONE     = 2'd0,
    DONE_ACTIVATE = 2'd1,
    DONE_UNBLOCK  = 2'd2
  } done_e;

  // rs1 of a tensor instruction.
  typedef struct packed {
    logic       rsvd31;  // [31]
    logic [4:0] task_id; // [30:26] for the completion action
    logic [1:0] done;    // [25:24] done_e
    logic       rsvd23;  // [23]
    logic       fresh;   // [22] fma: the first pass over dimension 1 adds to +0, not to dst
    logic       stoch;   // [21] cvt from fp32 to 16 bits: stochastic rounding
    logic       prio;    // [20] the thread goes before others (without starving them)
    logic [3:0] thread;  // [19:16] 0 = task thread: the core waits
    logic       scalar;  // [15] operand b is rs2, not a DSR
    logic [4:0] b;       // [14:10] DSR
    logic [4:0] a;       // [9:5] DSR
    logic [4:0] dst;     // [4:0] DSR
  } tensor_ctl_t;

  // What the core hands to the engine.
  typedef struct packed {
    logic [6:0]  op;
    logic [2:0]  ty;
    tensor_ctl_t ctl;
    logic [31:0] scalar;
    logic [31:0] pc;      // of the instruction, for the error report
  } tensor_insn_t;

  // custom-1 (0x2b): system instructions, funct3:
  localparam logic [2:0] SYS_NEXT = 3'd0;  // ow.next: wait for a task, dispatch it
  localparam logic [2:0] SYS_DSRW = 3'd1;  // ow.dsrw: DSR[rs1[4:0]].word[funct7[2:0]] = rs2
  localparam logic [2:0] SYS_DSRR = 3'd2;  // ow.dsrr rd: read back (the advanced address of word 1)

  // Descriptor (DSR) words.
  // word 0: kind [3:0], element type [6:4] tensor_type_e, queue [10:8], save_address [11],
  //         close [12] (fabric out: append a control wavelet), close_code [14:13],
  //         skip [15] (fabric out: send no zeros), tag [16] (fabric: index in the high half)
  // word 1: byte address [23:0]; bit 23 selects the accumulator cache
  // words 2..5: dimension k = 0..3: length [15:0] (elements, 1..65535; 0 = unused dimension),
  //             signed step [31:16] in bytes: dimension 0: from element to element; k > 0: added
  //             once the dimensions below it have been walked to their end
  typedef enum logic [3:0] {
    DK_NONE   = 4'd0,
    DK_MEM    = 4'd1,
    DK_FABIN  = 4'd2,
    DK_FABOUT = 4'd3,
    DK_FIFO   = 4'd4   // circular buffer in memory; [10:8] names one of the 4 FIFO registers
  } dsr_kind_e;

  localparam int unsigned ACC_ADDR_BIT = 23;

  // ---------------------------------------------------------------------- tile register space ----
  // Word offsets in bytes from TILE_REGS; the core and the control plane see the same registers.
  localparam logic [31:0] TILE_REGS = 32'hF000_0000;
  localparam logic [15:0] REG_ROUTE = 16'h0000;     // +4*colour
  localparam logic [15:0] REG_SWITCH = 16'h0080;    // +4*colour
  localparam logic [15:0] REG_INQ = 16'h0100;       // +4*q: [5] enable, [4:0] colour
  localparam logic [15:0] REG_OUTQ = 16'h0140;      // +4*q: [5] enable, [4:0] colour
  localparam logic [15:0] REG_INQ_LEVEL = 16'h0180; // ro: 4 bits a queue
  localparam logic [15:0] REG_OUTQ_LEVEL = 16'h0184;// ro: 4 bits a queue
  localparam logic [15:0] REG_RAMP_PUSH = 16'h01C0; // wo: +8*q data wavelet, +8*q+4 control wavelet
  localparam logic [15:0] REG_TASK_ENTRY = 16'h0200;// +4*task
  localparam logic [15:0] REG_TASK_ACTIVATE = 16'h0280;  // w1s, reads pending
  localparam logic [15:0] REG_TASK_BLOCK = 16'h0284;     // w1s, reads blocked
  localparam logic [15:0] REG_TASK_UNBLOCK = 16'h0288;   // w1c, reads blocked
  localparam logic [15:0] REG_TASK_PRIORITY = 16'h0290;    // rw: a bit a task, 1 = before the others
  localparam logic [15:0] REG_RED = 16'h0300;       // reducer, see docs/memory-map.md
  localparam logic [15:0] REG_COUNTERS = 16'h0400;
  localparam logic [15:0] REG_CORE = 16'h0500;      // run control, trap state, tile errors
  localparam logic [15:0] REG_ERROR = 16'h0514;     // ro: why the tile stopped; +4 address, +8 pc
  localparam logic [15:0] REG_THREAD = 16'h0600;    // ro: +4*thread: state for the hang report
  localparam logic [15:0] REG_ROUTER = 16'h0700;    // ro: router occupancy and credits
  localparam logic [15:0] REG_REQUEST = 16'h07A0;   // wo: a request of one word leaves
  localparam logic [15:0] REG_FILTER = 16'h0800;    // +16*filter: control, limits, count
  localparam logic [15:0] REG_SCRATCH = 16'h0780;   // rw: identity set by the host: +0 row, +4 col
  localparam logic [15:0] REG_PRNG = 16'h0790;      // rw: 128-bit state of the random generator
  localparam logic [15:0] REG_MBIST = 16'h07C0;     // memory self-test

  // What stopped the tile: the source of ERROR[4:0], and the causes of the ramp and the reducer
  // (those of the core are mcause, those of the engine stand in docs/isa.md).
  typedef enum logic [1:0] {
    ERR_CORE    = 2'd0,
    ERR_ENGINE  = 2'd1,
    ERR_REDUCER = 2'd2,
    ERR_RAMP    = 2'd3
  } error_source_e;
  localparam logic [4:0] RAMP_NO_CONSUMER = 5'd1;  // a wavelet of a colour without an input queue
  localparam logic [4:0] RAMP_OVERRUN = 5'd2;      // a push into a full output queue, or two at once
  localparam logic [4:0] RAMP_TWO_TAKERS = 5'd3;   // two consumers took from one input queue
  localparam logic [4:0] RED_BAD_REGISTERS = 5'd1;
  localparam logic [4:0] RED_BAD_STORE = 5'd2;     // a row would be stored outside memory
  localparam logic [4:0] RED_BUSY = 5'd4;          // a register was written while a drain ran
  localparam logic [4:0] RED_BAD_BIAS = 5'd3;      // a bias would be read outside memory

  // What the scoreboard of a test sees of the core (one retired instruction a cycle at most).
  typedef struct packed {
    logic        valid;
    logic        trap;      // the instruction trapped (pc and insn are its own)
    logic [31:0] pc;
    logic [31:0] insn;
    logic        rd_we;
    logic [4:0]  rd;
    logic [31:0] rd_data;
    logic        mem_we;    // a store was done
    logic [31:0] mem_addr;
    logic [31:0] mem_wdata; // as stored, in the low bits
  } retire_t;

endpackage
/* verilator lint_on UNUSEDPARAM */
