// SPDX-License-Identifier: Apache-2.0
// Written by ow_isa_gen from sw/isa/*.yaml; `cmake --build build --target isa` writes it anew.
// Registers, encodings, layouts of words and sizes of the machine. ow_pkg exports all of it.

// No module uses every constant, nor every bit of an address.
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
package ow_isa_pkg;

  // ----------------------------------------------------------------------------------- constants --
  // data colours that can be encoded; a build has NumColours of them
  localparam int unsigned MAX_DATA_COLOURS = 24;
  localparam int unsigned MAX_COLOURS = 32;  // encodings of a colour
  // colour of the control plane's requests, for every NumColours
  localparam logic [4:0] COLOUR_REQ = 5'h18;
  localparam logic [4:0] COLOUR_RSP = 5'h19;  // colour of the control plane's responses
  localparam int unsigned NUM_PORTS = 5;  // ports of a router
  // slots at the receiving end of a link for a data colour
  localparam int unsigned LINK_CREDITS = 2;
  localparam int unsigned CTL_CREDITS = 2;  // slots for a colour of the control plane
  localparam int unsigned NUM_COMMANDS = 8;  // commands in a control wavelet
  localparam int unsigned NUM_POSITIONS = 4;  // positions of a switch
  localparam int unsigned NUM_QUEUES = 8;  // input queues of a ramp, and as many output queues
  localparam int unsigned NUM_FILTERS = 6;  // filters of a tile
  localparam int unsigned NUM_DSRS = 32;  // descriptors
  localparam int unsigned NUM_DSR_WORDS = 6;  // words of a descriptor
  localparam int unsigned NUM_DIMENSIONS = 4;  // dimensions of a descriptor
  localparam int unsigned NUM_FIFOS = 4;  // FIFO registers
  localparam int unsigned NUM_TASKS = 32;  // tasks
  localparam int unsigned MAX_THREADS = 16;  // encodings of a thread
  // task of the data wavelets of input queue 0; those of queues 1 to 7 follow
  localparam int unsigned FIRST_DATA_TASK = 0;
  // task of the control wavelets of input queue 0; those of queues 1 to 7 follow
  localparam int unsigned FIRST_CONTROL_TASK = 8;
  localparam int unsigned FIRST_LOCAL_TASK = 16;  // first task that runs only when it is activated
  localparam int unsigned TASK_TEARDOWN = 29;  // task that a teardown of a colour activates
  // address bit of a descriptor that selects the accumulator cache
  localparam int unsigned ACC_ADDR_BIT = 23;
  // lines of the accumulator cache; a line has one fp32 word per lane
  localparam int unsigned ACC_LINES = 16;
  // bytes of the unit in which CONFIG counts the SRAM
  localparam int unsigned CONFIG_SRAM_UNIT = 64;
  localparam int unsigned BANK_WORD_BYTES = 8;  // bytes of a word of a bank of the SRAM
  // cycles of the memory self-test per word of a bank: 22 operations with 7 backgrounds
  localparam int unsigned MBIST_WORD_CYCLES = 154;
  localparam logic [15:0] CRC_POLYNOMIAL = 16'h3D65;  // CRC-16 of frames, on links and on chains
  // column of a command to all stations of a row; none answers it
  localparam logic [7:0] STATION_ALL_COLUMNS = 8'hFF;
  // what a link gives its tile while the test of the edge is on: bits 31:0
  localparam logic [31:0] EDGE_PATTERN_LOW = 32'h9C66A5F0;
  localparam logic [12:0] EDGE_PATTERN_HIGH = 13'h15A3;  // the pattern's bits 44:32
  localparam int unsigned LANE_GROUPS = 2;  // groups of lanes of one direction of a link
  localparam int unsigned GROUP_DATA = 32;  // data lanes of a group
  localparam int unsigned GROUP_LANES = 34;  // lanes of a group
  localparam int unsigned LANES_PER_LINK = 68;  // lanes of one direction of a link
  // groups of lanes of one direction of a link of `mini`
  localparam int unsigned MINI_LANE_GROUPS = 1;
  localparam int unsigned MINI_GROUP_DATA = 8;  // data lanes of such a group
  // bits of a beat, which the data lanes carry in one cycle or in several
  localparam int unsigned BEAT_BITS = 64;
  localparam logic [4:0] FRAME_MARKER = 5'h1F;  // `marker` of a first beat
  localparam logic [4:0] FRAME_NO_HEADER = 5'h1F;  // `credit` of a frame whose first beat is idle
  localparam logic [5:0] FRAME_HINT_0 = 6'd7;  // `hint` in epoch 0
  localparam logic [5:0] FRAME_HINT_1 = 6'h38;  // `hint` in epoch 1
  localparam int unsigned FRAME_WINDOW = 15;  // frames that may wait for an acknowledgement
  localparam int unsigned TRAIN_PERIOD = 512;  // bits per lane of a period of training
  localparam logic [8:0] TRAIN_ONES = 9'h010;  // first one of the marker, zeros before
  localparam logic [8:0] TRAIN_MESSAGE = 9'h020;  // first bit of the message
  localparam logic [8:0] TRAIN_TEST = 9'h0A0;  // first bit of the test sequence
  localparam logic [1:0] MESSAGE_CHECK = 2'd1;  // `check` of a message
  localparam logic [5:0] NO_LANE = 6'h3F;  // no faulty lane
  localparam logic [6:0] OPCODE_TENSOR = 7'h0B;  // opcode of tensor instructions
  localparam logic [6:0] OPCODE_SYSTEM = 7'h2B;  // opcode of system instructions
  // general register that ow.next sets to the wavelet's data
  localparam int unsigned NEXT_ARGUMENT = 10;
  localparam int unsigned NEXT_LINK = 1;  // general register that ow.next sets to its own address
  // version of the byte stream, in the answer to HOST_FRAME_OPEN
  localparam logic [7:0] HOST_PROTOCOL = 8'd1;
  localparam logic [7:0] HOST_FLAG = 8'h7E;  // the byte between frames
  // the byte before one that would look like this or like HOST_FLAG
  localparam logic [7:0] HOST_ESCAPE = 8'h7D;
  localparam logic [7:0] HOST_ESCAPE_FLIP = 8'h20;  // that byte is sent XORed with this
  localparam int unsigned HOST_HEADER_BYTES = 4;  // bytes of a frame's header
  localparam int unsigned HOST_CRC_BYTES = 4;  // bytes of a frame's CRC
  localparam int unsigned HOST_PAYLOAD_MAX = 128;  // bytes of a frame's payload, at most
  // frames that are sent and not yet acknowledged, at most
  localparam int unsigned HOST_WINDOW = 15;
  localparam int unsigned HOST_INFO_BYTES = 9;  // bytes of the payload of HOST_FRAME_OPENED
  localparam int unsigned HOST_RESEND_TRIES = 15;  // resends in a row without an answer, at most
  localparam int unsigned HOST_KIND_BITS = 3;  // lowest bits of a frame's first byte: its kind
  // bits above the kind: how often the sender has gone back
  localparam int unsigned HOST_TURN_BITS = 4;
  localparam int unsigned HOST_NACK_BIT = 7;  // bit of that byte: a request to go back
  localparam int unsigned HOST_QUIET_BIT = 0;  // bit of a status record's flags: nothing moves
  // bit of a status record's flags: a rule of the edge's links was broken
  localparam int unsigned HOST_CREDIT_BIT = 1;
  // place of a room record's credits above its count of wavelets
  localparam int unsigned HOST_ROOM_CREDITS_BIT = 6;
  // wavelets of one port and one colour that may wait outside the grid
  localparam int unsigned HOST_QUEUE_SLOTS = 32;
  // bit of the byte that names a chain: listen to the station before the last one
  localparam int unsigned HOST_CHAIN_SKIP_BIT = 7;
  // CRC-32 of frames, least significant bit first
  localparam logic [31:0] HOST_CRC_POLYNOMIAL = 32'hEDB88320;
  localparam logic [31:0] HOST_CRC_GOOD = 32'hDEBB20E3;  // CRC-32 remainder of a whole frame

  // Configuration `full`: the default tile: figures are for it unless they say otherwise.
  localparam int unsigned FULL_LANES = 8;
  localparam int unsigned FULL_SRAM_BYTES = 49152;
  localparam int unsigned FULL_SRAM_BANKS = 8;
  localparam int unsigned FULL_NUM_COLOURS = 24;
  localparam int unsigned FULL_NUM_THREADS = 13;
  localparam int unsigned FULL_QUEUE_DEPTH = 8;
  localparam int unsigned FULL_LINE_SLOTS = 8;
  localparam int unsigned FULL_WRITE_SLOTS = 24;
  localparam int unsigned FULL_PACK_SLOTS = 20;
  localparam int unsigned FULL_REDUCE_ADDERS = 3;
  localparam int unsigned FULL_SMALL_ROUTER = 0;
  localparam int unsigned FULL_SMALL_TILE = 0;
  localparam logic [31:0] FULL_FEATURES = 32'hFFF134FF;
  localparam logic [31:0] FULL_OPERATIONS = 32'h0000003F;

  // Configuration `mini`: the tile for a small FPGA.
  localparam int unsigned MINI_LANES = 2;
  localparam int unsigned MINI_SRAM_BYTES = 8192;
  localparam int unsigned MINI_SRAM_BANKS = 2;
  localparam int unsigned MINI_NUM_COLOURS = 4;
  localparam int unsigned MINI_NUM_THREADS = 3;
  localparam int unsigned MINI_QUEUE_DEPTH = 8;
  localparam int unsigned MINI_LINE_SLOTS = 4;
  localparam int unsigned MINI_WRITE_SLOTS = 4;
  localparam int unsigned MINI_PACK_SLOTS = 9;
  localparam int unsigned MINI_REDUCE_ADDERS = 1;
  localparam int unsigned MINI_SMALL_ROUTER = 1;
  localparam int unsigned MINI_SMALL_TILE = 1;
  localparam logic [31:0] MINI_FEATURES = 32'h7DE84040;
  localparam logic [31:0] MINI_OPERATIONS = 32'h00000000;

  // Ports of a router; the ramp is the port to and from its own tile.
  typedef enum logic [2:0] {
    PORT_N    = 3'd0,  // north
    PORT_E    = 3'd1,  // east
    PORT_S    = 3'd2,  // south
    PORT_W    = 3'd3,  // west
    PORT_R    = 3'd4,  // ramp
    PORT_NONE = 3'd7   // none
  } port_e;

  // What a command does to the switch of its colour.
  typedef enum logic [1:0] {
    SWITCH_NOP      = 2'd0,  // nothing
    SWITCH_ADV      = 2'd1,  // advance
    SWITCH_RST      = 2'd2,  // reset
    SWITCH_TEARDOWN = 2'd3   // teardown
  } switch_e;

  // Kinds of filters.
  typedef enum logic [1:0] {
    FILTER_COUNTER = 2'd0,  // counter
    FILTER_SPARSE  = 2'd1,  // sparse counter
    FILTER_RANGE   = 2'd2   // range
  } filter_kind_e;

  // Operations of requests.
  typedef enum logic [3:0] {
    PACKET_WRITE = 4'd1,  // write
    PACKET_READ  = 4'd2   // read
  } packet_op_e;

  // Status of responses.
  typedef enum logic [3:0] {
    STATUS_DONE      = 4'd0,  // done
    STATUS_ADDRESS   = 4'd1,  // address error
    STATUS_MALFORMED = 4'd2   // malformed
  } packet_status_e;

  // Why a link is not up.
  typedef enum logic [2:0] {
    DOWN_NOT        = 3'd0,  // it is up
    DOWN_OFF        = 3'd1,  // not enabled
    DOWN_NO_SIGNAL  = 3'd2,  // the other end's marker has not been found
    DOWN_TRAINING   = 3'd3,  // training
    DOWN_LANES      = 3'd4,  // more faulty lanes than spares in this end's receiver
    DOWN_PEER_LANES = 3'd5,  // the same in the other end's receiver
    DOWN_PEER_RESET = 3'd6   // the other end was reset, this one was not
  } link_down_e;

  // Why a link was last trained.
  typedef enum logic [2:0] {
    CAUSE_RESET     = 3'd0,  // reset
    CAUSE_COMMAND   = 3'd1,  // command
    CAUSE_ERRORS    = 3'd2,  // too many wrong frames: noise, lanes, or the other end trains
    CAUSE_SILENCE   = 3'd3,  // no acknowledgement in spite of replays
    CAUSE_HANDSHAKE = 3'd4,  // the other end did not follow into operation
    CAUSE_PEER      = 3'd5   // woken by the other end
  } link_cause_e;

  // Funct3 of a system instruction.
  typedef enum logic [2:0] {
    SYS_NEXT = 3'd0,
    SYS_DSRW = 3'd1,  // writes word of DSR rs1[4:0]; waits while a running thread uses the DSR
    SYS_DSRR = 3'd2,  // reads it back (word 1 is the advanced address if save_address was set)
    SYS_DSRL = 3'd3
  } sys_op_e;

  // Funct7 of a tensor instruction.
  typedef enum logic [6:0] {
    TOP_MOV     = 7'd0,  // dst = a, bits kept
    TOP_ADD     = 7'd1,  // dst = a + b, one rounding; integers modulo 2^n
    TOP_SUB     = 7'd2,  // dst = a - b, rounded as add
    TOP_MUL     = 7'd3,  // dst = a * b, rounded as add
    TOP_FMA     = 7'd4,  // dst = a * b + dst, one rounding; integers modulo 2^n
    TOP_MAX     = 7'd5,  // IEEE 754-2019 maximum; integers signed
    TOP_MIN     = 7'd6,  // IEEE 754-2019 minimum; integers signed
    TOP_CVT     = 7'd7,
    TOP_AND     = 7'd8,  // bit by bit
    TOP_OR      = 7'd9,  // bit by bit
    TOP_XOR     = 7'h0A,  // bit by bit
    TOP_SLL     = 7'h0B,  // a shifted to the left by b modulo the width
    TOP_SRL     = 7'h0C,  // a shifted to the right, filled with zeros
    TOP_SRA     = 7'h0D,  // a shifted to the right, filled with the sign
    TOP_GATE    = 7'h0E,
    TOP_AXPYW   = 7'h10,  // see below
    TOP_DRAIN   = 7'h11,  // see below
    TOP_DOTW    = 7'h12,  // see below
    TOP_CMPEQ   = 7'h14,  // a = b ? 1 : 0, in the type of a
    TOP_CMPNE   = 7'h15,  // a != b ? 1 : 0
    TOP_CMPLT   = 7'h16,  // a < b ? 1 : 0
    TOP_CMPLE   = 7'h17,  // a <= b ? 1 : 0
    TOP_DOT     = 7'h18,  // sum of a * b, one result per inner vector, in dst's type
    TOP_SUM     = 7'h19,  // sum of a
    TOP_RMAX    = 7'h1A,  // largest of a
    TOP_RMIN    = 7'h1B,  // smallest of a
    TOP_GATHER  = 7'h1C,  // dst[i] = x[b[i]], x at the byte address rs2
    TOP_SCATTER = 7'h1D,  // x[b[i]] = a[i]; no dst
    TOP_FMAG    = 7'h1E,  // dst[i] = a[i] * x[b[i]] + dst[i], one rounding
    TOP_RCP     = 7'h20,  // 1 / a, correctly rounded
    TOP_RSQRT   = 7'h21,  // 1 / sqrt(a), correctly rounded
    TOP_EXP     = 7'h22,  // e^a, correctly rounded
    TOP_LOG     = 7'h23,  // natural logarithm, correctly rounded
    TOP_TANH    = 7'h24,  // hyperbolic tangent, correctly rounded
    TOP_SIGMOID = 7'h25   // 1 / (1 + e^-a), correctly rounded
  } tensor_op_e;

  // Element types, in funct3 and in descriptors.
  typedef enum logic [2:0] {
    TY_F16    = 3'd0,  // binary16
    TY_BF16   = 3'd1,  // bfloat16
    TY_F32    = 3'd2,  // binary32
    TY_MIXED  = 3'd3,  // operations only: binary16 sources, binary32 addend and result
    TY_I16    = 3'd4,  // 16-bit integer
    TY_I32    = 3'd5,  // 32-bit integer
    TY_I8     = 3'd6,  // 8-bit integer
    TY_MIXEDB = 3'd7   // operations only: bfloat16 sources, binary32 addend and result
  } tensor_type_e;

  // What a completion does to a task.
  typedef enum logic [1:0] {
    DONE_NONE     = 2'd0,  // nothing
    DONE_ACTIVATE = 2'd1,  // activates it
    DONE_UNBLOCK  = 2'd2   // unblocks it
  } done_e;

  // Kinds of descriptors.
  typedef enum logic [3:0] {
    DK_NONE   = 4'd0,  // none
    DK_MEM    = 4'd1,  // memory
    DK_FABIN  = 4'd2,  // fabric in
    DK_FABOUT = 4'd3,  // fabric out
    DK_FIFO   = 4'd4   // circular buffer in memory
  } dsr_kind_e;

  // Words of a descriptor.
  typedef enum logic [2:0] {
    DSR_KIND    = 3'd0,  // kind, type, queue and what goes with them
    DSR_ADDRESS = 3'd1,  // byte address; of a FIFO its base
    DSR_DIM0    = 3'd2,  // dimension 0; of a FIFO its capacity
    DSR_DIM1    = 3'd3,  // dimension 1; of a FIFO, read: elements in it
    DSR_DIM2    = 3'd4,  // dimension 2
    DSR_DIM3    = 3'd5   // dimension 3
  } dsr_word_e;

  // Counters, exact although an idle tile is not clocked.
  typedef enum logic [3:0] {
    CTR_BEATS            = 4'd0,  // engine beats
    CTR_STALL_INPUT      = 4'd1,  // cycles stalled on an input queue
    CTR_STALL_OUTPUT     = 4'd2,  // cycles stalled on an output queue
    CTR_STALL_ROW        = 4'd3,  // cycles stalled on an accumulator row
    CTR_STALL_MEMORY     = 4'd4,  // cycles stalled on memory
    CTR_NO_WORK          = 4'd5,  // cycles without work
    CTR_REDUCER_ELEMENTS = 4'd6,  // reducer elements
    CTR_INSTRUCTIONS     = 4'd7,  // instructions retired
    CTR_ASLEEP           = 4'd8,  // cycles asleep
    CTR_WAVELETS_IN      = 4'd9,  // wavelets in through the ramp
    CTR_WAVELETS_OUT     = 4'hA,  // wavelets out through the ramp
    CTR_WEIGHTS          = 4'hB,  // weight wavelets consumed
    CTR_REDUCER_WAIT     = 4'hC   // cycles that the reducer waited
  } counter_e;

  // What a thread waits for.
  typedef enum logic [2:0] {
    WAIT_NOTHING   = 3'd0,  // nothing
    WAIT_INPUT     = 3'd1,  // an input queue
    WAIT_OUTPUT    = 3'd2,  // an output queue
    WAIT_ROW       = 3'd3,  // an accumulator row
    WAIT_MEMORY    = 3'd4,  // memory
    WAIT_REDUCTION = 3'd5   // another reduction
  } thread_wait_e;

  // What the reducer waits for.
  typedef enum logic [2:0] {
    RED_WAIT_NOTHING = 3'd0,  // nothing
    RED_WAIT_ROW     = 3'd1,  // a row
    RED_WAIT_IN0     = 3'd2,  // in0
    RED_WAIT_IN1     = 3'd3,  // in1
    RED_WAIT_OUTPUT  = 3'd4,  // an output queue
    RED_WAIT_MEMORY  = 3'd5   // memory
  } reducer_wait_e;

  // What stopped the tile.
  typedef enum logic [2:0] {
    ERR_CORE    = 3'd0,
    ERR_ENGINE  = 3'd1,  // the engine
    ERR_REDUCER = 3'd2,  // the reducer
    ERR_RAMP    = 3'd3,  // the ramp
    ERR_REGS    = 3'd4   // a register access
  } error_source_e;

  // Trap causes of the core (mcause); 24 and up are of this machine.
  typedef enum logic [4:0] {
    TRAP_FETCH_MISALIGNED = 5'd0,  // instruction address misaligned
    TRAP_FETCH_FAULT      = 5'd1,  // instruction access fault
    TRAP_ILLEGAL          = 5'd2,  // illegal instruction
    TRAP_BREAKPOINT       = 5'd3,  // breakpoint
    TRAP_LOAD_MISALIGNED  = 5'd4,  // load address misaligned
    TRAP_LOAD_FAULT       = 5'd5,  // load access fault
    TRAP_STORE_MISALIGNED = 5'd6,  // store address misaligned
    TRAP_STORE_FAULT      = 5'd7,  // store access fault
    TRAP_ECALL_M          = 5'h0B,  // environment call
    TRAP_STACK            = 5'h18,  // stack pointer below its limit
    TRAP_TEXT             = 5'h19   // store into program text
  } trap_e;

  // Faults of the engine.
  typedef enum logic [3:0] {
    ENG_ILLEGAL    = 4'd1,  // illegal operation or type
    ENG_DESCRIPTOR = 4'd2,  // malformed descriptor
    ENG_ADDRESS    = 4'd3   // address outside memory
  } engine_cause_e;

  // Faults of the reducer.
  typedef enum logic [4:0] {
    RED_BAD_REGISTERS = 5'd1,  // bad reducer registers
    RED_BAD_STORE     = 5'd2,  // the reducer stores outside memory
    RED_BAD_BIAS      = 5'd3,  // the reducer reads a bias outside memory
    RED_BUSY          = 5'd4   // a reducer register was written while a drain runs
  } reducer_cause_e;

  // Faults of the ramp.
  typedef enum logic [4:0] {
    RAMP_NO_CONSUMER = 5'd1,  // a wavelet came in of a colour to which no input queue is bound
    RAMP_OVERRUN     = 5'd2,
    RAMP_TWO_TAKERS  = 5'd3,  // two of engine, reducer and tasks took from one input queue
    RAMP_TWO_QUEUES  = 5'd4
  } ramp_cause_e;

  // Register accesses that stop the tile.
  typedef enum logic [4:0] {
    REGS_SELFTEST  = 5'd1,
    REGS_PRNG_BUSY = 5'd2
  } regs_cause_e;

  // Control and status registers.
  typedef enum logic [11:0] {
    CSR_MSTATUS   = 12'h300,  // MIE, MPIE; MPP reads 3
    CSR_MISA      = 12'h301,  // RV32IM and X
    CSR_MIE       = 12'h304,  // interrupt enables; there are no interrupts
    CSR_MTVEC     = 12'h305,  // direct mode; 0: a trap stops the tile
    CSR_MSCRATCH  = 12'h340,  // free
    CSR_MEPC      = 12'h341,  // pc of the trap
    CSR_MCAUSE    = 12'h342,  // its cause
    CSR_MTVAL     = 12'h343,  // its address or instruction
    CSR_MIP       = 12'h344,  // reads 0
    CSR_MCYCLE    = 12'hB00,  // cycles
    CSR_MINSTRET  = 12'hB02,  // instructions retired
    CSR_MCYCLEH   = 12'hB80,  // the high word
    CSR_MINSTRETH = 12'hB82,  // the high word
    CSR_CYCLE     = 12'hC00,  // cycles
    CSR_INSTRET   = 12'hC02,  // instructions retired
    CSR_CYCLEH    = 12'hC80,  // the high word
    CSR_INSTRETH  = 12'hC82,  // the high word
    CSR_MVENDORID = 12'hF11,  // 0
    CSR_MARCHID   = 12'hF12,  // 0
    CSR_MIMPID    = 12'hF13,  // 0
    CSR_MHARTID   = 12'hF14   // 0
  } csr_e;

  // Kinds of frames between host and board.
  typedef enum logic [2:0] {
    HOST_FRAME_OPEN   = 3'd1,  // the host opens a session
    HOST_FRAME_OPENED = 3'd2,  // the board has opened it
    HOST_FRAME_DATA   = 3'd3,  // payload
    HOST_FRAME_ACK    = 3'd4,  // an acknowledgement alone
    HOST_FRAME_CLOSED = 3'd5   // there is no such session
  } host_frame_e;

  // Records of the payload, by their first byte.
  typedef enum logic [3:0] {
    HOST_RECORD_SELECT  = 4'd1,  // port, colour
    HOST_RECORD_DATA    = 4'd2,  // 4 bytes: a wavelet of the selected port and colour
    HOST_RECORD_CONTROL = 4'd3,  // 4 bytes: a control wavelet of the selected port and colour
    HOST_RECORD_CHAIN   = 4'd4,
    HOST_RECORD_STATUS  = 4'd5,
    HOST_RECORD_REPORT  = 4'd6,  // to the board: report all queues
    HOST_RECORD_ROOM    = 4'd7   // to the host: port, colour, wavelets gone and credits
  } host_record_e;

  // --------------------------------------------------------------------------------------- words --

  // The unit of the fabric.
  typedef struct packed {
    logic valid;                  // [38] there is one
    logic [4:0] colour;           // [37:33] colour
    logic ctrl;                   // [32]
    logic [31:0] data;            // [31:0] data
  } wavelet_t;
  localparam int unsigned WAVELET_DATA_LSB = 0;
  localparam int unsigned WAVELET_CTRL_LSB = 32;
  localparam int unsigned WAVELET_COLOUR_LSB = 33;
  localparam int unsigned WAVELET_VALID_LSB = 38;

  // One buffer slot of the colour has been freed at the receiver.
  typedef struct packed {
    logic valid;                  // [5] there is one
    logic [4:0] colour;           // [4:0] colour
  } credit_t;
  localparam int unsigned CREDIT_COLOUR_LSB = 0;
  localparam int unsigned CREDIT_VALID_LSB = 5;

  // What one direction of a tile edge carries in a cycle; all zero when it carries nothing.
  typedef struct packed {
    credit_t credit;              // [44:39] a credit for the opposite direction
    wavelet_t wavelet;            // [38:0] a wavelet
  } link_t;
  localparam int unsigned LINK_WAVELET_LSB = 0;
  localparam int unsigned LINK_CREDIT_LSB = 39;

  // An element of a queue of the ramp.
  typedef struct packed {
    logic ctrl;                   // [32] a control wavelet
    logic [31:0] data;            // [31:0] data
  } ramp_t;
  localparam int unsigned RAMP_DATA_LSB = 0;
  localparam int unsigned RAMP_CTRL_LSB = 32;

  // A position of a switch.
  typedef struct packed {
    logic [2:0] in_port;          // [7:5] input port
    logic [4:0] out_mask;         // [4:0] outputs, one bit per port (N E S W ramp, lowest first)
  } position_t;
  localparam int unsigned POSITION_OUT_MASK_LSB = 0;
  localparam int unsigned POSITION_IN_PORT_LSB = 5;

  // A command of a control wavelet.
  typedef struct packed {
    logic noce;                   // [2]
    logic [1:0] op;               // [1:0] what the switch does
  } command_t;
  localparam int unsigned COMMAND_OP_LSB = 0;
  localparam int unsigned COMMAND_NOCE_LSB = 2;

  // Data of a control wavelet.
  typedef struct packed {
    logic [5:0] identity;         // [31:26] free: an identity for the control task
    command_t [7:0] commands;     // [25:2] the list of commands, slot 0 first, 3 bits each
    logic stream_end;             // [1] at the ramp, ends the instruction that consumes the stream
    logic row_end;                // [0] at the ramp, closes an accumulator row
  } control_t;
  localparam int unsigned CONTROL_ROW_END_LSB = 0;
  localparam int unsigned CONTROL_STREAM_END_LSB = 1;
  localparam int unsigned CONTROL_COMMANDS_LSB = 2;
  localparam int unsigned CONTROL_IDENTITY_LSB = 26;

  // X header and Y header of a packet.
  typedef struct packed {
    logic negative;               // [31] direction: 0 east (south), 1 west (north)
    logic to_edge;                // [30]
    logic [5:0] rsvd29;
    logic [11:0] far_hops;        // [23:12] hops to the last one
    logic [11:0] near_hops;       // [11:0] hops to the first column (row) of the rectangle
  } packet_header_t;
  localparam int unsigned PACKET_HEADER_NEAR_HOPS_LSB = 0;
  localparam int unsigned PACKET_HEADER_FAR_HOPS_LSB = 12;
  localparam int unsigned PACKET_HEADER_TO_EDGE_LSB = 30;
  localparam int unsigned PACKET_HEADER_NEGATIVE_LSB = 31;

  // First word of a request at the ramp.
  typedef struct packed {
    logic [3:0] operation;        // [31:28] operation
    logic [3:0] rsvd27;
    logic [7:0] tag;              // [23:16] comes back with the response
    logic [15:0] count;           // [15:0] number of 32-bit words (1 to 65535)
  } packet_command_t;
  localparam int unsigned PACKET_COMMAND_COUNT_LSB = 0;
  localparam int unsigned PACKET_COMMAND_TAG_LSB = 16;
  localparam int unsigned PACKET_COMMAND_OPERATION_LSB = 28;

  // The word of a response that follows its headers.
  typedef struct packed {
    logic [3:0] status;           // [31:28] status
    logic [3:0] rsvd27;
    logic [7:0] tag;              // [23:16] the tag
    logic [15:0] count;           // [15:0] number of words that follow
  } packet_response_t;
  localparam int unsigned PACKET_RESPONSE_COUNT_LSB = 0;
  localparam int unsigned PACKET_RESPONSE_TAG_LSB = 16;
  localparam int unsigned PACKET_RESPONSE_STATUS_LSB = 28;

  // A request of one word.
  typedef struct packed {
    logic west;                   // [31] along the row to the west (0: to the east)
    logic north;                  // [30] along the column to the north (0: to the south)
    logic activate;               // [29] the tile activates the task
    logic [4:0] task_id;          // [28:24] the task
    logic [11:0] hops_y;          // [23:12] hops along the column
    logic [11:0] hops_x;          // [11:0]
  } packet_brief_t;
  localparam int unsigned PACKET_BRIEF_HOPS_X_LSB = 0;
  localparam int unsigned PACKET_BRIEF_HOPS_Y_LSB = 12;
  localparam int unsigned PACKET_BRIEF_TASK_ID_LSB = 24;
  localparam int unsigned PACKET_BRIEF_ACTIVATE_LSB = 29;
  localparam int unsigned PACKET_BRIEF_NORTH_LSB = 30;
  localparam int unsigned PACKET_BRIEF_WEST_LSB = 31;

  // A frame of the chain after its start bit, most significant bit first.
  typedef struct packed {
    logic answer;                 // [63] 0 command, 1 answer
    logic [7:0] column;           // [62:55] physical column
    logic write;                  // [54] write
    logic [5:0] address;          // [53:48] register
    logic [31:0] data;            // [47:16] data
    logic [15:0] crc;             // [15:0] CRC over the 48 bits before it, initial value 0xFFFF
  } chain_frame_t;
  localparam int unsigned CHAIN_FRAME_CRC_LSB = 0;
  localparam int unsigned CHAIN_FRAME_DATA_LSB = 16;
  localparam int unsigned CHAIN_FRAME_ADDRESS_LSB = 48;
  localparam int unsigned CHAIN_FRAME_WRITE_LSB = 54;
  localparam int unsigned CHAIN_FRAME_COLUMN_LSB = 55;
  localparam int unsigned CHAIN_FRAME_ANSWER_LSB = 63;

  // Fuses of a physical tile. Skip counts the physical rows or columns that lie between it and its
  // neighbour; shift is the neighbour's physical column less its own.
  typedef struct packed {
    logic enable;                 // [14] it is a logical tile
    logic [1:0] w_skip;           // [13:12] skip to the west
    logic [1:0] e_skip;           // [11:10] skip to the east
    logic [1:0] n_skip;           // [9:8] skip to the north
    logic signed [2:0] n_shift;   // [7:5] shift to the north
    logic [1:0] s_skip;           // [4:3] skip to the south
    logic signed [2:0] s_shift;   // [2:0] shift to the south
  } tile_fuse_t;
  localparam int unsigned TILE_FUSE_S_SHIFT_LSB = 0;
  localparam int unsigned TILE_FUSE_S_SKIP_LSB = 3;
  localparam int unsigned TILE_FUSE_N_SHIFT_LSB = 5;
  localparam int unsigned TILE_FUSE_N_SKIP_LSB = 8;
  localparam int unsigned TILE_FUSE_E_SKIP_LSB = 10;
  localparam int unsigned TILE_FUSE_W_SKIP_LSB = 12;
  localparam int unsigned TILE_FUSE_ENABLE_LSB = 14;

  // Fuses of a physical row: the link slots of its ends, less its own number.
  typedef struct packed {
    logic signed [2:0] w_slot;    // [5:3] of its west end
    logic signed [2:0] e_slot;    // [2:0] of its east end
  } row_fuse_t;
  localparam int unsigned ROW_FUSE_E_SLOT_LSB = 0;
  localparam int unsigned ROW_FUSE_W_SLOT_LSB = 3;

  // A wavelet in a frame.
  typedef struct packed {
    logic [4:0] colour;           // [37:33] its colour + 1; 0: none
    logic ctrl;                   // [32] control bit
    logic [31:0] data;            // [31:0] data
  } link_word_t;
  localparam int unsigned LINK_WORD_DATA_LSB = 0;
  localparam int unsigned LINK_WORD_CTRL_LSB = 32;
  localparam int unsigned LINK_WORD_COLOUR_LSB = 33;

  // Credits of one colour.
  typedef struct packed {
    logic grant;                  // [8]
    logic [2:0] count;            // [7:5] number of credits less one
    logic [4:0] colour;           // [4:0] their colour + 1; 0: none
  } link_credits_t;
  localparam int unsigned LINK_CREDITS_COLOUR_LSB = 0;
  localparam int unsigned LINK_CREDITS_COUNT_LSB = 5;
  localparam int unsigned LINK_CREDITS_GRANT_LSB = 8;

  // First beat of a frame; bit 63 is the highest power of the polynomial.
  typedef struct packed {
    logic [4:0] marker;           // [63:59] 11111
    logic [5:0] hint;             // [58:53]
    logic nack;                   // [52] go back: send again from `ack` on
    logic nack_epoch;             // [51] the epoch in which the receiver saw the fault
    logic [3:0] ack;              // [50:47] number of the frame that this end expects next
    link_credits_t credits;       // [46:38] credits
    link_word_t word;             // [37:0] first wavelet
  } frame_first_t;
  localparam int unsigned FRAME_FIRST_WORD_LSB = 0;
  localparam int unsigned FRAME_FIRST_CREDITS_LSB = 38;
  localparam int unsigned FRAME_FIRST_ACK_LSB = 47;
  localparam int unsigned FRAME_FIRST_NACK_EPOCH_LSB = 51;
  localparam int unsigned FRAME_FIRST_NACK_LSB = 52;
  localparam int unsigned FRAME_FIRST_HINT_LSB = 53;
  localparam int unsigned FRAME_FIRST_MARKER_LSB = 59;

  // Second beat of a frame.
  typedef struct packed {
    link_word_t word;             // [63:26] second wavelet
    logic [4:0] credit;           // [25:21]
    logic [3:0] seq;              // [20:17] number of the frame
    logic epoch;                  // [16] changes when the sender goes back
    logic [15:0] crc;             // [15:0] CRC over the 112 bits before it
  } frame_second_t;
  localparam int unsigned FRAME_SECOND_CRC_LSB = 0;
  localparam int unsigned FRAME_SECOND_EPOCH_LSB = 16;
  localparam int unsigned FRAME_SECOND_SEQ_LSB = 17;
  localparam int unsigned FRAME_SECOND_CREDIT_LSB = 21;
  localparam int unsigned FRAME_SECOND_WORD_LSB = 26;

  // Message of a period of training, the same on all lanes.
  typedef struct packed {
    logic [5:0] g1_hi;            // [31:26] the same of group 1
    logic [5:0] g1_lo;            // [25:20] the same of group 1
    logic [5:0] g0_hi;            // [19:14] higher faulty lane of group 0
    logic [5:0] g0_lo;            // [13:8] lower faulty lane of group 0, 63 if there is none
    logic [1:0] check;            // [7:6] 01
    logic rsvd5;
    logic fresh;                  // [4] nothing was sent or taken since reset
    logic fail;                   // [3] this end cannot come up
    logic go;                     // [2] frames follow this period
    logic ready;                  // [1]
    logic done;                   // [0]
  } link_message_t;
  localparam int unsigned LINK_MESSAGE_DONE_LSB = 0;
  localparam int unsigned LINK_MESSAGE_READY_LSB = 1;
  localparam int unsigned LINK_MESSAGE_GO_LSB = 2;
  localparam int unsigned LINK_MESSAGE_FAIL_LSB = 3;
  localparam int unsigned LINK_MESSAGE_FRESH_LSB = 4;
  localparam int unsigned LINK_MESSAGE_CHECK_LSB = 6;
  localparam int unsigned LINK_MESSAGE_G0_LO_LSB = 8;
  localparam int unsigned LINK_MESSAGE_G0_HI_LSB = 14;
  localparam int unsigned LINK_MESSAGE_G1_LO_LSB = 20;
  localparam int unsigned LINK_MESSAGE_G1_HI_LSB = 26;

  // Faulty lanes that a lane map leaves out; 63 is none.
  typedef struct packed {
    logic [7:0] rsvd31;
    logic [5:0] g1_hi;            // [23:18] higher faulty lane of group 1
    logic [5:0] g1_lo;            // [17:12] lower faulty lane of group 1
    logic [5:0] g0_hi;            // [11:6] higher faulty lane of group 0
    logic [5:0] g0_lo;            // [5:0] lower faulty lane of group 0
  } link_map_t;
  localparam int unsigned LINK_MAP_G0_LO_LSB = 0;
  localparam int unsigned LINK_MAP_G0_HI_LSB = 6;
  localparam int unsigned LINK_MAP_G1_LO_LSB = 12;
  localparam int unsigned LINK_MAP_G1_HI_LSB = 18;

  // Delays of five lanes.
  typedef struct packed {
    logic [1:0] rsvd31;
    logic [4:0][5:0] delay;       // [29:0] 6 bits each: [2:0] eighths of a bit, [4:3] whole bits
  } link_delays_t;
  localparam int unsigned LINK_DELAYS_DELAY_LSB = 0;

  // Rs1 of a tensor instruction.
  typedef struct packed {
    logic rsvd31;
    logic [4:0] task_id;          // [30:26] the task
    logic [1:0] done;             // [25:24] what a completion does to the task
    logic rsvd23;
    logic fresh;                  // [22]
    logic stoch;                  // [21] stochastic rounding (cvt from f32 to f16 or bf16)
    logic prio;                   // [20]
    logic [3:0] thread;           // [19:16]
    logic scalar;                 // [15] b is the scalar rs2 (for mov: a is the scalar)
    logic [4:0] b;                // [14:10] DSR of b
    logic [4:0] a;                // [9:5] DSR of a
    logic [4:0] dst;              // [4:0] DSR of dst
  } tensor_ctl_t;
  localparam int unsigned TENSOR_CTL_DST_LSB = 0;
  localparam int unsigned TENSOR_CTL_A_LSB = 5;
  localparam int unsigned TENSOR_CTL_B_LSB = 10;
  localparam int unsigned TENSOR_CTL_SCALAR_LSB = 15;
  localparam int unsigned TENSOR_CTL_THREAD_LSB = 16;
  localparam int unsigned TENSOR_CTL_PRIO_LSB = 20;
  localparam int unsigned TENSOR_CTL_STOCH_LSB = 21;
  localparam int unsigned TENSOR_CTL_FRESH_LSB = 22;
  localparam int unsigned TENSOR_CTL_DONE_LSB = 24;
  localparam int unsigned TENSOR_CTL_TASK_ID_LSB = 26;

  // Word 0 of a descriptor.
  typedef struct packed {
    logic [14:0] rsvd31;
    logic tag;                    // [16]
    logic skip;                   // [15] fabric out: zeros are not sent (-0 neither)
    logic close_stream_end;       // [14] stream-end bit of that control wavelet
    logic close_row_end;          // [13] row-end bit of that control wavelet
    logic close;                  // [12] fabric out: append a control wavelet at the end
    logic save_address;           // [11] at completion the advanced address is written to word 1
    logic [2:0] queue_no;         // [10:8] queue (fabric kinds); FIFO register 0 to 3
    logic rsvd7;
    logic [2:0] ty;               // [6:4] element type
    logic [3:0] kind;             // [3:0] kind
  } dsr0_t;
  localparam int unsigned DSR0_KIND_LSB = 0;
  localparam int unsigned DSR0_TY_LSB = 4;
  localparam int unsigned DSR0_QUEUE_NO_LSB = 8;
  localparam int unsigned DSR0_SAVE_ADDRESS_LSB = 11;
  localparam int unsigned DSR0_CLOSE_LSB = 12;
  localparam int unsigned DSR0_CLOSE_ROW_END_LSB = 13;
  localparam int unsigned DSR0_CLOSE_STREAM_END_LSB = 14;
  localparam int unsigned DSR0_SKIP_LSB = 15;
  localparam int unsigned DSR0_TAG_LSB = 16;

  // Word 1 of a descriptor.
  typedef struct packed {
    logic [7:0] rsvd31;
    logic [23:0] address;         // [23:0] byte address; bit 23 set: accumulator cache
  } dsr_address_t;
  localparam int unsigned DSR_ADDRESS_ADDRESS_LSB = 0;

  // Words 2 to 5 of a descriptor, one per dimension.
  typedef struct packed {
    logic signed [15:0] step;     // [31:16]
    logic [15:0] length;          // [15:0] length in elements; 0: not used
  } dsr_dim_t;
  localparam int unsigned DSR_DIM_LENGTH_LSB = 0;
  localparam int unsigned DSR_DIM_STEP_LSB = 16;

  // What the reducer does with a row.
  typedef struct packed {
    logic [14:0] rsvd31;
    logic bf16;                   // [16] round to bfloat16 instead (sets f16 too)
    logic relu;                   // [15] ReLU
    logic f16;                    // [14] round to binary16
    logic bias;                   // [13] add a bias
    logic [2:0] out_q;            // [12:10] output queue
    logic memory;                 // [9] to memory (0: to the fabric)
    logic [2:0] in1_q;            // [8:6] in1 queue
    logic in1;                    // [5] add in1
    logic [2:0] in0_q;            // [4:2] in0 queue
    logic in0;                    // [1] add in0
    logic enable;                 // [0] 0: the row is dropped
  } red_action_t;
  localparam int unsigned RED_ACTION_ENABLE_LSB = 0;
  localparam int unsigned RED_ACTION_IN0_LSB = 1;
  localparam int unsigned RED_ACTION_IN0_Q_LSB = 2;
  localparam int unsigned RED_ACTION_IN1_LSB = 5;
  localparam int unsigned RED_ACTION_IN1_Q_LSB = 6;
  localparam int unsigned RED_ACTION_MEMORY_LSB = 9;
  localparam int unsigned RED_ACTION_OUT_Q_LSB = 10;
  localparam int unsigned RED_ACTION_BIAS_LSB = 13;
  localparam int unsigned RED_ACTION_F16_LSB = 14;
  localparam int unsigned RED_ACTION_RELU_LSB = 15;
  localparam int unsigned RED_ACTION_BF16_LSB = 16;

  // ----------------------------------------------------------------------------- registers: tile --
  localparam logic [31:0] TILE_REGS = 32'hF0000000;
  localparam int unsigned TILE_REGS_BYTES = 2304;
  localparam logic [15:0] REG_ROUTE = 16'd0;  // + 4 * c, 24 of them
  localparam logic [15:0] REG_SWITCH = 16'h0080;  // + 4 * c, 24 of them
  localparam logic [15:0] REG_FILTER = 16'h0800;  // + 16 * f, 6 of them
  localparam logic [15:0] REG_FILTER_LIMITS = 16'h0804;  // + 16 * f, 6 of them
  localparam logic [15:0] REG_FILTER_COUNT = 16'h0808;  // + 16 * f, 6 of them
  localparam logic [15:0] REG_RT_OCCUPIED = 16'h0700;
  localparam logic [15:0] REG_RT_MISROUTE = 16'h0704;
  localparam logic [15:0] REG_RT_CONTROL = 16'h0708;
  localparam logic [15:0] REG_RT_TORN = 16'h070C;
  localparam logic [15:0] REG_RT_CREDITS = 16'h0740;  // + 4 * k, 16 of them
  localparam logic [15:0] REG_REQUEST = 16'h07A0;
  localparam logic [15:0] REG_INQ = 16'h0100;  // + 4 * q, 8 of them
  localparam logic [15:0] REG_OUTQ = 16'h0140;  // + 4 * q, 8 of them
  localparam logic [15:0] REG_INQ_LEVEL = 16'h0180;
  localparam logic [15:0] REG_OUTQ_LEVEL = 16'h0184;
  localparam logic [15:0] REG_PUSH = 16'h01C0;  // + 8 * q, 8 of them
  localparam logic [15:0] REG_PUSH_CTRL = 16'h01C4;  // + 8 * q, 8 of them
  localparam logic [15:0] REG_TASK_ENTRY = 16'h0200;  // + 4 * t, 32 of them
  localparam logic [15:0] REG_TASK_ACTIVATE = 16'h0280;
  localparam logic [15:0] REG_TASK_BLOCK = 16'h0284;
  localparam logic [15:0] REG_TASK_UNBLOCK = 16'h0288;
  localparam logic [15:0] REG_TASK_RUNNING = 16'h028C;
  localparam logic [15:0] REG_TASK_PRIORITY = 16'h0290;
  localparam logic [15:0] REG_RED_ACC = 16'h0300;
  localparam logic [15:0] REG_RED_COUNT = 16'h0304;
  localparam logic [15:0] REG_RED_PHASE = 16'h0308;
  localparam logic [15:0] REG_RED_ACT_LT = 16'h030C;
  localparam logic [15:0] REG_RED_ACT_EQ = 16'h0310;
  localparam logic [15:0] REG_RED_ACT_GT = 16'h0314;
  localparam logic [15:0] REG_RED_BIAS = 16'h0318;
  localparam logic [15:0] REG_RED_DST = 16'h031C;
  localparam logic [15:0] REG_RED_PITCH = 16'h0320;
  localparam logic [15:0] REG_RED_STATUS = 16'h0324;
  localparam logic [15:0] REG_RED_START = 16'h0328;
  localparam logic [15:0] REG_COUNTER = 16'h0400;  // + 8 * k, 13 of them
  localparam logic [15:0] REG_COUNTER_HIGH = 16'h0404;  // + 8 * k, 13 of them
  localparam logic [15:0] REG_CORE_CTRL = 16'h0500;
  localparam logic [15:0] REG_CORE_PC = 16'h0504;
  localparam logic [15:0] REG_CORE_STATUS = 16'h0508;
  localparam logic [15:0] REG_CORE_TVAL = 16'h050C;
  localparam logic [15:0] REG_ENGINE_FAULT = 16'h0510;
  localparam logic [15:0] REG_ERROR = 16'h0514;
  localparam logic [15:0] REG_ERROR_ADDR = 16'h0518;
  localparam logic [15:0] REG_ERROR_PC = 16'h051C;
  localparam logic [15:0] REG_STACK_LIMIT = 16'h0520;
  localparam logic [15:0] REG_TEXT_LIMIT = 16'h0524;
  localparam logic [15:0] REG_THREAD = 16'h0600;  // + 4 * t, 16 of them
  localparam logic [15:0] REG_ROW = 16'h0780;
  localparam logic [15:0] REG_COL = 16'h0784;
  localparam logic [15:0] REG_CONFIG = 16'h0788;
  localparam logic [15:0] REG_FEATURES = 16'h078C;
  localparam logic [15:0] REG_OPERATIONS = 16'h07A4;
  localparam logic [15:0] REG_PRNG = 16'h0790;  // + 4 * k, 4 of them
  localparam logic [15:0] REG_MBIST = 16'h07C0;
  localparam logic [15:0] REG_MBIST_ROW = 16'h07C4;
  localparam logic [15:0] REG_MBIST_BITS = 16'h07C8;
  localparam logic [15:0] REG_MBIST_BITS_HIGH = 16'h07CC;

  typedef struct packed {
    logic [9:0] rsvd31;
    logic set_credits;            // [21] set up the credits of the colour's links
    logic [3:0] keep_credits;     // [20:17] input links whose credits are kept here
    logic [3:0] without_credits;  // [16:13]
    logic ring;                   // [12] an advance goes from the last position to position 0
    logic [1:0] pop_mode;         // [11:10]
    logic obey;                   // [9] the router carries out commands
    logic enable;                 // [8] the colour is routed
    position_t position;          // [7:0] position 0; read: the position in effect
  } route_reg_t;

  typedef struct packed {
    logic torn;                   // [31] torn down
    logic [1:0] current;          // [30:29] the current position
    logic [2:0] rsvd28;
    logic [1:0] last;             // [25:24] the last position in use
    position_t position3;         // [23:16] position 3
    position_t position2;         // [15:8] position 2
    position_t position1;         // [7:0] position 1
  } switch_reg_t;

  typedef struct packed {
    logic [20:0] rsvd31;
    logic filter_ctrl;            // [10] may drop control wavelets
    logic count_ctrl;             // [9] counts control wavelets
    logic count_data;             // [8] counts data wavelets
    logic [1:0] kind;             // [7:6] kind
    logic enable;                 // [5] it filters
    logic [4:0] colour;           // [4:0] its colour
  } filter_reg_t;

  typedef struct packed {
    logic [15:0] high;            // [31:16] max_counter, limit2 or the greatest index
    logic [15:0] low;             // [15:0] limit1 or the least index
  } filter_limits_reg_t;

  typedef struct packed {
    logic [15:0] rsvd31;
    logic [15:0] count;           // [15:0] the count
  } filter_count_reg_t;

  typedef struct packed {
    logic [22:0] rsvd31;
    logic [3:0] responses;        // [8:5] bit p: responses from port p
    logic [4:0] requests;         // [4:0] bit p: requests from port p
  } rt_control_reg_t;

  typedef struct packed {
    logic [7:0][3:0] credits;     // [31:0] 4 bits per colour
  } rt_credits_reg_t;

  typedef struct packed {
    logic [25:0] rsvd31;
    logic enable;                 // [5] it is bound
    logic [4:0] colour;           // [4:0] its colour
  } inq_reg_t;

  typedef struct packed {
    logic [25:0] rsvd31;
    logic enable;                 // [5] it is bound
    logic [4:0] colour;           // [4:0] its colour
  } outq_reg_t;

  typedef struct packed {
    logic [7:0][3:0] level;       // [31:0] 4 bits per queue
  } inq_level_reg_t;

  typedef struct packed {
    logic [7:0][3:0] level;       // [31:0] 4 bits per queue
  } outq_level_reg_t;

  typedef struct packed {
    logic [25:0] rsvd31;
    logic running;                // [5] it runs
    logic [4:0] task_id;          // [4:0] its number
  } task_running_reg_t;

  typedef struct packed {
    logic [7:0] rsvd31;
    logic [7:0] ring;             // [23:16] rows in the ring
    logic [15:0] samples;         // [15:0] samples per row (multiple of Lanes)
  } red_acc_reg_t;

  typedef struct packed {
    logic [15:0] rsvd31;
    logic [15:0] rows;            // [15:0] rows to drain in all
  } red_count_reg_t;

  typedef struct packed {
    logic [15:0] pivot;           // [31:16] the phase that EQ names
    logic [15:0] period;          // [15:0] 1 to 65535
  } red_phase_reg_t;

  typedef struct packed {
    logic [15:0] rsvd31;
    logic signed [15:0] pitch;    // [15:0] bytes, signed
  } red_pitch_reg_t;

  typedef struct packed {
    logic running;                // [31] running
    logic [2:0] waits;            // [30:28] what it waits for
    logic error;                  // [27]
    logic [10:0] rsvd26;
    logic [15:0] rows;            // [15:0] rows done
  } red_status_reg_t;

  typedef struct packed {
    logic [15:0] more;            // [31:16] phases after the pivot that count as equal to it
    logic [15:0] phase;           // [15:0] phase of the first row, below the period
  } red_start_reg_t;

  typedef struct packed {
    logic [15:0] rsvd31;
    logic [15:0] high;            // [15:0] bits 47:32
  } counter_high_reg_t;

  typedef struct packed {
    logic [27:0] rsvd31;
    logic clear_queues;           // [3] empty the ramp's queues, see below
    logic reset;                  // [2] reset the compute part, see below
    logic step;                   // [1] one instruction, then run is 0
    logic run;                    // [0] the core runs
  } core_ctrl_reg_t;

  typedef struct packed {
    logic [18:0] rsvd31;
    logic [4:0] cause;            // [12:8] cause of the trap
    logic [2:0] rsvd7;
    logic ebreak;                 // [4] stopped by ebreak
    logic waits_tensor;           // [3]
    logic asleep;                 // [2] asleep in ow.next or wfi
    logic stopped;                // [1] stopped by a trap
    logic running;                // [0] running
  } core_status_reg_t;

  typedef struct packed {
    logic fault;                  // [31] there is one
    logic [22:0] rsvd30;
    logic [3:0] thread;           // [7:4] thread
    logic [3:0] cause;            // [3:0] cause (docs/isa.md)
  } engine_fault_reg_t;

  typedef struct packed {
    logic stopped;                // [31] the tile is stopped by it
    logic [11:0] rsvd30;
    logic [2:0] source;           // [18:16] source
    logic [2:0] rsvd15;
    logic [4:0] unit;             // [12:8] unit
    logic [2:0] rsvd7;
    logic [4:0] cause;            // [4:0] cause
  } error_reg_t;

  typedef struct packed {
    logic [7:0] rsvd31;
    logic [23:0] address;         // [23:0]
  } stack_limit_reg_t;

  typedef struct packed {
    logic [7:0] rsvd31;
    logic [23:0] address;         // [23:0]
  } text_limit_reg_t;

  typedef struct packed {
    logic active;                 // [31] active
    logic [2:0] waits;            // [30:28] what it waits for
    logic [3:0] queue_no;         // [27:24] the queue that it waits for
    logic rsvd23;
    logic [6:0] operation;        // [22:16] operation
    logic [15:0] rsvd15;
  } thread_reg_t;

  typedef struct packed {
    logic [15:0] rsvd31;
    logic [15:0] number;          // [15:0] the row
  } row_reg_t;

  typedef struct packed {
    logic [15:0] rsvd31;
    logic [15:0] number;          // [15:0] the column
  } col_reg_t;

  typedef struct packed {
    logic [15:0] sram;            // [31:16] SRAM in 64-byte units
    logic [1:0] banks;            // [15:14] banks of the SRAM: 2 to the power of this
    logic limits;                 // [13] STACK_LIMIT and TEXT_LIMIT are there
    logic [4:0] colours;          // [12:8] data colours
    logic [3:0] threads;          // [7:4] threads less one
    logic [3:0] lanes;            // [3:0] lanes
  } config_reg_t;

  typedef struct packed {
    logic dotw_rows;              // [31] row ends in dotw, and its results as rows (docs/isa.md)
    logic [4:0] tasks;            // [30:26] tasks less one
    logic [4:0] dsrs;             // [25:21] descriptors less one
    logic [3:0] queues;           // [20:17] queues each way
    logic [2:0] positions;        // [16:14]
    logic [2:0] filters;          // [13:11] filters
    logic [2:0] fifos;            // [10:8] FIFO registers
    logic counters;               // [7] all counters (0: only that of consumed weights)
    logic selftest;               // [6] memory self-test
    logic stochastic;             // [5] stochastic rounding
    logic int32;                  // [4] i32 (moves are always there)
    logic int8;                   // [3] i8, its moves included
    logic fp32;                   // [2]
    logic gather;                 // [1] gather, scatter, fmag
    logic nonlinear;              // [0] non-linear functions
  } features_reg_t;

  typedef struct packed {
    logic [25:0] rsvd31;
    logic dimensions;             // [5] dimensions 2 and 3 of descriptors
    logic tags;                   // [4]
    logic reductions;             // [3] dot, sum, rmax, rmin, dotw
    logic compare;                // [2] max, min, comparisons
    logic int16;                  // [1] i16 (moves are always there)
    logic bfloat16;               // [0] bf16 and mixedb (moves are always there)
  } operations_reg_t;

  typedef struct packed {
    logic [15:0] rsvd31;
    logic [7:0] failed;           // [15:8] one bit per bank that failed
    logic [5:0] rsvd7;
    logic done;                   // [1] done
    logic running;                // [0] running
  } mbist_reg_t;
  typedef struct packed {
    logic [30:0] rsvd31;
    logic start;                  // [0] write 1: start
  } mbist_wr_t;

  // Whether an address is one of an array's, and which.
  function automatic logic [4:0] reg_route_index(input logic [15:0] addr);
    return addr[6:2];
  endfunction
  function automatic logic is_reg_route(input logic [15:0] addr);
    return (addr & ~16'h007C) == REG_ROUTE && reg_route_index(addr) < 5'd24;
  endfunction
  function automatic logic [4:0] reg_switch_index(input logic [15:0] addr);
    return addr[6:2];
  endfunction
  function automatic logic is_reg_switch(input logic [15:0] addr);
    return (addr & ~16'h007C) == REG_SWITCH && reg_switch_index(addr) < 5'd24;
  endfunction
  function automatic logic [2:0] reg_filter_index(input logic [15:0] addr);
    return addr[6:4];
  endfunction
  function automatic logic is_reg_filter(input logic [15:0] addr);
    return (addr & ~16'h0070) == REG_FILTER && reg_filter_index(addr) < 3'd6;
  endfunction
  function automatic logic [2:0] reg_filter_limits_index(input logic [15:0] addr);
    return addr[6:4];
  endfunction
  function automatic logic is_reg_filter_limits(input logic [15:0] addr);
    return (addr & ~16'h0070) == REG_FILTER_LIMITS && reg_filter_limits_index(addr) < 3'd6;
  endfunction
  function automatic logic [2:0] reg_filter_count_index(input logic [15:0] addr);
    return addr[6:4];
  endfunction
  function automatic logic is_reg_filter_count(input logic [15:0] addr);
    return (addr & ~16'h0070) == REG_FILTER_COUNT && reg_filter_count_index(addr) < 3'd6;
  endfunction
  function automatic logic [3:0] reg_rt_credits_index(input logic [15:0] addr);
    return addr[5:2];
  endfunction
  function automatic logic is_reg_rt_credits(input logic [15:0] addr);
    return (addr & ~16'h003C) == REG_RT_CREDITS;
  endfunction
  function automatic logic [2:0] reg_inq_index(input logic [15:0] addr);
    return addr[4:2];
  endfunction
  function automatic logic is_reg_inq(input logic [15:0] addr);
    return (addr & ~16'h001C) == REG_INQ;
  endfunction
  function automatic logic [2:0] reg_outq_index(input logic [15:0] addr);
    return addr[4:2];
  endfunction
  function automatic logic is_reg_outq(input logic [15:0] addr);
    return (addr & ~16'h001C) == REG_OUTQ;
  endfunction
  function automatic logic [2:0] reg_push_index(input logic [15:0] addr);
    return addr[5:3];
  endfunction
  function automatic logic is_reg_push(input logic [15:0] addr);
    return (addr & ~16'h0038) == REG_PUSH;
  endfunction
  function automatic logic [2:0] reg_push_ctrl_index(input logic [15:0] addr);
    return addr[5:3];
  endfunction
  function automatic logic is_reg_push_ctrl(input logic [15:0] addr);
    return (addr & ~16'h0038) == REG_PUSH_CTRL;
  endfunction
  function automatic logic [4:0] reg_task_entry_index(input logic [15:0] addr);
    return addr[6:2];
  endfunction
  function automatic logic is_reg_task_entry(input logic [15:0] addr);
    return (addr & ~16'h007C) == REG_TASK_ENTRY;
  endfunction
  function automatic logic [3:0] reg_counter_index(input logic [15:0] addr);
    return addr[6:3];
  endfunction
  function automatic logic is_reg_counter(input logic [15:0] addr);
    return (addr & ~16'h0078) == REG_COUNTER && reg_counter_index(addr) < 4'd13;
  endfunction
  function automatic logic [3:0] reg_counter_high_index(input logic [15:0] addr);
    return addr[6:3];
  endfunction
  function automatic logic is_reg_counter_high(input logic [15:0] addr);
    return (addr & ~16'h0078) == REG_COUNTER_HIGH && reg_counter_high_index(addr) < 4'd13;
  endfunction
  function automatic logic [3:0] reg_thread_index(input logic [15:0] addr);
    return addr[5:2];
  endfunction
  function automatic logic is_reg_thread(input logic [15:0] addr);
    return (addr & ~16'h003C) == REG_THREAD;
  endfunction
  function automatic logic [1:0] reg_prng_index(input logic [15:0] addr);
    return addr[3:2];
  endfunction
  function automatic logic is_reg_prng(input logic [15:0] addr);
    return (addr & ~16'h000C) == REG_PRNG;
  endfunction

  // Whether an address is a register of a unit.
  function automatic logic is_router_reg(input logic [15:0] addr);
    return is_reg_route(addr) ||
           is_reg_switch(addr) ||
           is_reg_filter(addr) ||
           is_reg_filter_limits(addr) ||
           is_reg_filter_count(addr) ||
           addr == REG_RT_OCCUPIED ||
           addr == REG_RT_MISROUTE ||
           addr == REG_RT_CONTROL ||
           addr == REG_RT_TORN ||
           is_reg_rt_credits(addr);
  endfunction
  function automatic logic is_regs_reg(input logic [15:0] addr);
    return addr == REG_REQUEST ||
           is_reg_counter(addr) ||
           is_reg_counter_high(addr) ||
           addr == REG_CORE_CTRL ||
           addr == REG_CORE_PC ||
           addr == REG_CORE_STATUS ||
           addr == REG_CORE_TVAL ||
           addr == REG_ENGINE_FAULT ||
           addr == REG_ERROR ||
           addr == REG_ERROR_ADDR ||
           addr == REG_ERROR_PC ||
           addr == REG_STACK_LIMIT ||
           addr == REG_TEXT_LIMIT ||
           addr == REG_ROW ||
           addr == REG_COL ||
           addr == REG_CONFIG ||
           addr == REG_FEATURES ||
           addr == REG_OPERATIONS;
  endfunction
  function automatic logic is_ramp_reg(input logic [15:0] addr);
    return is_reg_inq(addr) ||
           is_reg_outq(addr) ||
           addr == REG_INQ_LEVEL ||
           addr == REG_OUTQ_LEVEL ||
           is_reg_push(addr) ||
           is_reg_push_ctrl(addr);
  endfunction
  function automatic logic is_tasks_reg(input logic [15:0] addr);
    return is_reg_task_entry(addr) ||
           addr == REG_TASK_ACTIVATE ||
           addr == REG_TASK_BLOCK ||
           addr == REG_TASK_UNBLOCK ||
           addr == REG_TASK_RUNNING ||
           addr == REG_TASK_PRIORITY;
  endfunction
  function automatic logic is_reducer_reg(input logic [15:0] addr);
    return addr == REG_RED_ACC ||
           addr == REG_RED_COUNT ||
           addr == REG_RED_PHASE ||
           addr == REG_RED_ACT_LT ||
           addr == REG_RED_ACT_EQ ||
           addr == REG_RED_ACT_GT ||
           addr == REG_RED_BIAS ||
           addr == REG_RED_DST ||
           addr == REG_RED_PITCH ||
           addr == REG_RED_STATUS ||
           addr == REG_RED_START;
  endfunction
  function automatic logic is_engine_reg(input logic [15:0] addr);
    return is_reg_thread(addr);
  endfunction
  function automatic logic is_prng_reg(input logic [15:0] addr);
    return is_reg_prng(addr);
  endfunction
  function automatic logic is_mbist_reg(input logic [15:0] addr);
    return addr == REG_MBIST ||
           addr == REG_MBIST_ROW ||
           addr == REG_MBIST_BITS ||
           addr == REG_MBIST_BITS_HIGH;
  endfunction

  // -------------------------------------------------------------------------- registers: station --
  localparam logic [5:0] STATION_ID = 6'd0;
  localparam logic [5:0] STATION_CONTROL = 6'd1;
  localparam logic [5:0] STATION_TILE_FUSE = 6'd2;
  localparam logic [5:0] STATION_ROW_FUSE = 6'd3;
  localparam logic [5:0] STATION_PUSH = 6'd4;
  localparam logic [5:0] STATION_PUSH_LAST = 6'd5;
  localparam logic [5:0] STATION_POP = 6'd6;
  localparam logic [5:0] STATION_POP_STATE = 6'd7;
  localparam logic [5:0] STATION_SCAN = 6'd8;
  localparam logic [5:0] STATION_PATTERN_LOW = 6'd9;
  localparam logic [5:0] STATION_PATTERN_HIGH = 6'h0A;
  localparam logic [5:0] STATION_LINK = 6'h0B;
  localparam logic [5:0] STATION_LINK_STATUS = 6'h0C;
  localparam logic [5:0] STATION_CAPTURE = 6'h20;  // + 2 * s, 4 of them
  localparam logic [5:0] STATION_CAPTURE_HIGH = 6'h21;  // + 2 * s, 4 of them
  localparam logic [31:0] STATION_ID_VALUE = 32'h4F570001;

  typedef struct packed {
    logic [29:0] rsvd31;
    logic test;                   // [1]
    logic run;                    // [0] 0: the tile is in reset
  } control_reg_t;

  typedef struct packed {
    logic [30:0] rsvd31;
    logic taken;                  // [0] the last one has been taken
  } push_reg_t;

  typedef struct packed {
    logic [30:0] rsvd31;
    logic turn;                   // [0]
  } pop_reg_t;

  typedef struct packed {
    logic [29:0] rsvd31;
    logic last;                   // [1] it is the last
    logic valid;                  // [0] a word is there
  } pop_state_reg_t;

  typedef struct packed {
    logic [30:0] rsvd31;
    logic enable;                 // [0] the mesh gets the pattern instead of what the tile sends
  } scan_reg_t;

  typedef struct packed {
    logic [23:0] rsvd31;
    logic [1:0] side;             // [7:6] side
    logic [5:0] number;           // [5:0] word
  } link_reg_t;

  // Whether an address is one of an array's, and which.
  function automatic logic [1:0] station_capture_index(input logic [5:0] addr);
    return addr[2:1];
  endfunction
  function automatic logic is_station_capture(input logic [5:0] addr);
    return (addr & ~6'd6) == STATION_CAPTURE;
  endfunction
  function automatic logic [1:0] station_capture_high_index(input logic [5:0] addr);
    return addr[2:1];
  endfunction
  function automatic logic is_station_capture_high(input logic [5:0] addr);
    return (addr & ~6'd6) == STATION_CAPTURE_HIGH;
  endfunction

  // ----------------------------------------------------------------------------- registers: link --
  localparam logic [5:0] LINK_STATE = 6'd0;
  localparam logic [5:0] LINK_REPLAYS = 6'd1;
  localparam logic [5:0] LINK_WRONG = 6'd2;
  localparam logic [5:0] LINK_FRAMES = 6'd3;
  localparam logic [5:0] LINK_FAULTY = 6'd4;  // + 2 * g, 2 of them
  localparam logic [5:0] LINK_FAULTY_HIGH = 6'd5;  // + 2 * g, 2 of them
  localparam logic [5:0] LINK_RX_MAP = 6'd8;
  localparam logic [5:0] LINK_TX_MAP = 6'd9;
  localparam logic [5:0] LINK_EDGE_LOW = 6'h0A;
  localparam logic [5:0] LINK_EDGE_HIGH = 6'h0B;
  localparam logic [5:0] LINK_TEST_ON = 6'h0C;
  localparam logic [5:0] LINK_TEST_INVERT = 6'h0D;
  localparam logic [5:0] LINK_TEST_OFF = 6'h0E;
  localparam logic [5:0] LINK_DELAYS = 6'h10;  // + 1 * i, 14 of them

  typedef struct packed {
    logic [15:0] trainings;       // [31:16] trainings that succeeded
    logic [5:0] rsvd15;
    logic [2:0] cause;            // [9:7] cause of the last training
    logic rsvd6;
    logic [2:0] down;             // [5:3] why it is not up
    logic rsvd2;
    logic receives;               // [1] receiver in operation
    logic up;                     // [0] up
  } state_reg_t;

  // Whether an address is one of an array's, and which.
  function automatic logic link_faulty_index(input logic [5:0] addr);
    return addr[1:1];
  endfunction
  function automatic logic is_link_faulty(input logic [5:0] addr);
    return (addr & ~6'd2) == LINK_FAULTY;
  endfunction
  function automatic logic link_faulty_high_index(input logic [5:0] addr);
    return addr[1:1];
  endfunction
  function automatic logic is_link_faulty_high(input logic [5:0] addr);
    return (addr & ~6'd2) == LINK_FAULTY_HIGH;
  endfunction
  function automatic logic [3:0] link_delays_index(input logic [5:0] addr);
    return addr[3:0];
  endfunction
  function automatic logic is_link_delays(input logic [5:0] addr);
    return (addr & ~6'h0F) == LINK_DELAYS && link_delays_index(addr) < 4'd14;
  endfunction

endpackage
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on UNUSEDPARAM */
