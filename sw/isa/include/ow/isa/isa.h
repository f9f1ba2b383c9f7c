// SPDX-License-Identifier: Apache-2.0
// Written by ow_isa_gen from sw/isa/*.yaml; `cmake --build build --target isa` writes it anew.
// Registers, encodings, layouts of words and sizes of the machine.
// clang-format off
#ifndef OW_ISA_ISA_H_
#define OW_ISA_ISA_H_

#include <cstdint>

#include "ow/isa/field.h"

namespace ow::isa {

inline constexpr int kMaxDataColours = 24;
inline constexpr int kMaxColours = 32;  // encodings of a colour
inline constexpr uint32_t kColourReq = 24;
inline constexpr uint32_t kColourRsp = 25;  // colour of the control plane's responses
inline constexpr int kNumPorts = 5;  // ports of a router
inline constexpr int kLinkCredits = 2;  // slots at the receiving end of a link for a data colour
inline constexpr int kCtlCredits = 2;  // slots for a colour of the control plane
inline constexpr int kNumCommands = 8;  // commands in a control wavelet
inline constexpr int kNumPositions = 4;  // positions of a switch
inline constexpr int kNumQueues = 8;  // input queues of a ramp, and as many output queues
inline constexpr int kNumFilters = 6;  // filters of a tile
inline constexpr int kNumDsrs = 32;  // descriptors
inline constexpr int kNumDimensions = 4;  // dimensions of a descriptor
inline constexpr int kNumFifos = 4;  // FIFO registers
inline constexpr int kNumTasks = 32;  // tasks
inline constexpr int kMaxThreads = 16;  // encodings of a thread
inline constexpr int kFirstDataTask = 0;
inline constexpr int kFirstControlTask = 8;
inline constexpr int kFirstLocalTask = 16;  // first task that runs only when it is activated
inline constexpr int kTaskTeardown = 29;  // task that a teardown of a colour activates
inline constexpr int kAccAddrBit = 23;
inline constexpr int kAccLines = 16;
inline constexpr int kConfigSramUnit = 64;  // bytes of the unit in which CONFIG counts the SRAM
inline constexpr int kBankWordBytes = 8;  // bytes of a word of a bank of the SRAM
inline constexpr int kMbistWordCycles = 154;
inline constexpr uint32_t kCrcPolynomial = 0x3D65;  // CRC-16 of frames, on links and on chains
inline constexpr uint32_t kStationAllColumns = 255;
inline constexpr uint32_t kEdgePatternLow = 0x9C66A5F0;
inline constexpr uint32_t kEdgePatternHigh = 0x15A3;  // the pattern's bits 44:32
inline constexpr int kLaneGroups = 2;  // groups of lanes of one direction of a link
inline constexpr int kGroupData = 32;  // data lanes of a group
inline constexpr int kGroupLanes = 34;  // lanes of a group
inline constexpr int kLanesPerLink = 68;  // lanes of one direction of a link
inline constexpr int kMiniLaneGroups = 1;  // groups of lanes of one direction of a link of `mini`
inline constexpr int kMiniGroupData = 8;  // data lanes of such a group
inline constexpr int kBeatBits = 64;
inline constexpr uint32_t kFrameMarker = 31;  // `marker` of a first beat
inline constexpr uint32_t kFrameNoHeader = 31;  // `credit` of a frame whose first beat is idle
inline constexpr uint32_t kFrameHint0 = 7;  // `hint` in epoch 0
inline constexpr uint32_t kFrameHint1 = 56;  // `hint` in epoch 1
inline constexpr int kFrameWindow = 15;  // frames that may wait for an acknowledgement
inline constexpr int kTrainPeriod = 512;  // bits per lane of a period of training
inline constexpr uint32_t kTrainOnes = 16;  // first one of the marker, zeros before
inline constexpr uint32_t kTrainMessage = 32;  // first bit of the message
inline constexpr uint32_t kTrainTest = 160;  // first bit of the test sequence
inline constexpr uint32_t kMessageCheck = 1;  // `check` of a message
inline constexpr uint32_t kNoLane = 63;  // no faulty lane
inline constexpr uint32_t kOpcodeTensor = 11;  // opcode of tensor instructions
inline constexpr uint32_t kOpcodeSystem = 43;  // opcode of system instructions
inline constexpr int kNextArgument = 10;
inline constexpr int kNextLink = 1;  // general register that ow.next sets to its own address
inline constexpr uint32_t kHostProtocol = 1;
inline constexpr uint32_t kHostFlag = 126;  // the byte between frames
inline constexpr uint32_t kHostEscape = 125;
inline constexpr uint32_t kHostEscapeFlip = 32;  // that byte is sent XORed with this
inline constexpr int kHostHeaderBytes = 4;  // bytes of a frame's header
inline constexpr int kHostCrcBytes = 4;  // bytes of a frame's CRC
inline constexpr int kHostPayloadMax = 128;  // bytes of a frame's payload, at most
inline constexpr int kHostWindow = 15;  // frames that are sent and not yet acknowledged, at most
inline constexpr int kHostInfoBytes = 9;  // bytes of the payload of HOST_FRAME_OPENED
inline constexpr int kHostResendTries = 15;  // resends in a row without an answer, at most
inline constexpr int kHostKindBits = 3;  // lowest bits of a frame's first byte: its kind
inline constexpr int kHostTurnBits = 4;  // bits above the kind: how often the sender has gone back
inline constexpr int kHostNackBit = 7;  // bit of that byte: a request to go back
inline constexpr int kHostQuietBit = 0;  // bit of a status record's flags: nothing moves
inline constexpr int kHostCreditBit = 1;
inline constexpr int kHostRoomCreditsBit = 6;
inline constexpr int kHostQueueSlots = 32;
inline constexpr int kHostChainSkipBit = 7;
inline constexpr uint32_t kHostCrcPolynomial = 0xEDB88320;
inline constexpr uint32_t kHostCrcGood = 0xDEBB20E3;  // CRC-32 remainder of a whole frame

// Sizes of a tile.
struct Configuration {
  const char* name;
  uint32_t lanes;  // 16-bit SIMD lanes: 2, 4 or 8
  uint32_t sram_bytes;  // bytes of SRAM, a multiple of 64
  uint32_t sram_banks;  // banks of the SRAM: 2, 4 or 8; with 8 lanes 4 at least
  uint32_t num_colours;  // data colours
  uint32_t num_threads;  // the task thread and the microthreads; in a small tile 4 at most
  uint32_t queue_depth;  // wavelets in each queue of the ramp: 4 or 8
  uint32_t line_slots;  // lines that an operand of the engine reads ahead: 4 or 8
  uint32_t write_slots;  // lines in the write buffer of the engine
  uint32_t pack_slots;  // vectors on their way to the output queues
  uint32_t reduce_adders;  // adders of the reducer: 1 or 3
  uint32_t small_router;  // 1: a hop takes 3 cycles; one data colour and one word of the control plane move per cycle
  uint32_t small_tile;  // 1: engine, core and tasks are built for small area, not for a fast clock
  uint32_t features;  // what the tile has
  uint32_t operations;  // which operations and types its engine has
};
inline constexpr Configuration kFull{"full", 8, 49152, 8, 24, 13, 8, 8, 24, 20, 3, 0, 0, 0xFFF134FF, 0x3F};
inline constexpr Configuration kMini{"mini", 2, 8192, 2, 4, 3, 8, 4, 4, 9, 1, 1, 1, 0x7DE84040, 0x0};

// name_of() is the lower-case name, about() what it means; null if the value has neither.

// ports of a router; the ramp is the port to and from its own tile.
enum class Port : uint8_t {
  North = 0,  // north
  East = 1,  // east
  South = 2,  // south
  West = 3,  // west
  Ramp = 4,  // ramp
  None = 7,  // none
};
const char* name_of(Port value);
const char* about(Port value);

// what a command does to the switch of its colour.
enum class SwitchOp : uint8_t {
  Nop = 0,  // nothing
  Advance = 1,  // advance
  Reset = 2,  // reset
  Teardown = 3,  // teardown
};
const char* name_of(SwitchOp value);
const char* about(SwitchOp value);

// kinds of filters.
enum class FilterKind : uint8_t {
  Counter = 0,  // counter
  Sparse = 1,  // sparse counter
  Range = 2,  // range
};
const char* name_of(FilterKind value);
const char* about(FilterKind value);

// operations of requests.
enum class PacketOp : uint8_t {
  Write = 1,  // write
  Read = 2,  // read
};
const char* name_of(PacketOp value);
const char* about(PacketOp value);

// status of responses.
enum class PacketStatus : uint8_t {
  Done = 0,  // done
  Address = 1,  // address error
  Malformed = 2,  // malformed
};
const char* name_of(PacketStatus value);
const char* about(PacketStatus value);

// why a link is not up.
enum class LinkDown : uint8_t {
  Not = 0,  // it is up
  Off = 1,  // not enabled
  NoSignal = 2,  // the other end's marker has not been found
  Training = 3,  // training
  Lanes = 4,  // more faulty lanes than spares in this end's receiver
  PeerLanes = 5,  // the same in the other end's receiver
  PeerReset = 6,  // the other end was reset, this one was not
};
const char* name_of(LinkDown value);
const char* about(LinkDown value);

// why a link was last trained.
enum class LinkCause : uint8_t {
  Reset = 0,  // reset
  Command = 1,  // command
  Errors = 2,  // too many wrong frames: noise, lanes, or the other end trains
  Silence = 3,  // no acknowledgement in spite of replays
  Handshake = 4,  // the other end did not follow into operation
  Peer = 5,  // woken by the other end
};
const char* name_of(LinkCause value);
const char* about(LinkCause value);

// funct3 of a system instruction.
enum class SysOp : uint8_t {
  Next = 0,
  Dsrw = 1,  // writes word of DSR rs1[4:0]; waits while a running thread uses the DSR
  Dsrr = 2,  // reads it back (word 1 is the advanced address if save_address was set)
};
const char* name_of(SysOp value);
const char* about(SysOp value);

// funct7 of a tensor instruction.
enum class TensorOp : uint8_t {
  Mov = 0,  // dst = a, bits kept
  Add = 1,  // dst = a + b, one rounding; integers modulo 2^n
  Sub = 2,  // dst = a - b, rounded as add
  Mul = 3,  // dst = a * b, rounded as add
  Fma = 4,  // dst = a * b + dst, one rounding; integers modulo 2^n
  Max = 5,  // IEEE 754-2019 maximum; integers signed
  Min = 6,  // IEEE 754-2019 minimum; integers signed
  Cvt = 7,
  And = 8,  // bit by bit
  Or = 9,  // bit by bit
  Xor = 10,  // bit by bit
  Sll = 11,  // a shifted to the left by b modulo the width
  Srl = 12,  // a shifted to the right, filled with zeros
  Sra = 13,  // a shifted to the right, filled with the sign
  Gate = 14,
  Axpyw = 16,  // see below
  Drain = 17,  // see below
  Dotw = 18,  // see below
  CmpEq = 20,  // a = b ? 1 : 0, in the type of a
  CmpNe = 21,  // a != b ? 1 : 0
  CmpLt = 22,  // a < b ? 1 : 0
  CmpLe = 23,  // a <= b ? 1 : 0
  Dot = 24,  // sum of a * b, one result per inner vector, in dst's type
  Sum = 25,  // sum of a
  RMax = 26,  // largest of a
  RMin = 27,  // smallest of a
  Gather = 28,  // dst[i] = x[b[i]], x at the byte address rs2
  Scatter = 29,  // x[b[i]] = a[i]; no dst
  Fmag = 30,  // dst[i] = a[i] * x[b[i]] + dst[i], one rounding
  Rcp = 32,  // 1 / a, correctly rounded
  Rsqrt = 33,  // 1 / sqrt(a), correctly rounded
  Exp = 34,  // e^a, correctly rounded
  Log = 35,  // natural logarithm, correctly rounded
  Tanh = 36,  // hyperbolic tangent, correctly rounded
  Sigmoid = 37,  // 1 / (1 + e^-a), correctly rounded
};
const char* name_of(TensorOp value);
const char* about(TensorOp value);

// element types, in funct3 and in descriptors.
enum class TensorType : uint8_t {
  F16 = 0,  // binary16
  BF16 = 1,  // bfloat16
  F32 = 2,  // binary32
  Mixed = 3,  // operations only: binary16 sources, binary32 addend and result
  I16 = 4,  // 16-bit integer
  I32 = 5,  // 32-bit integer
  I8 = 6,  // 8-bit integer
  MixedB = 7,  // operations only: bfloat16 sources, binary32 addend and result
};
const char* name_of(TensorType value);
const char* about(TensorType value);

// what a completion does to a task.
enum class Done : uint8_t {
  None = 0,  // nothing
  Activate = 1,  // activates it
  Unblock = 2,  // unblocks it
};
const char* name_of(Done value);
const char* about(Done value);

// kinds of descriptors.
enum class DsrKind : uint8_t {
  None = 0,  // none
  Mem = 1,  // memory
  FabricIn = 2,  // fabric in
  FabricOut = 3,  // fabric out
  Fifo = 4,  // circular buffer in memory
};
const char* name_of(DsrKind value);
const char* about(DsrKind value);

// words of a descriptor.
enum class DsrWord : uint8_t {
  Kind = 0,  // kind, type, queue and what goes with them
  Address = 1,  // byte address; of a FIFO its base
  Dim0 = 2,  // dimension 0; of a FIFO its capacity
  Dim1 = 3,  // dimension 1; of a FIFO, read: elements in it
  Dim2 = 4,  // dimension 2
  Dim3 = 5,  // dimension 3
};
const char* name_of(DsrWord value);
const char* about(DsrWord value);

// counters, exact although an idle tile is not clocked.
enum class Counter : uint8_t {
  Beats = 0,  // engine beats
  StallInput = 1,  // cycles stalled on an input queue
  StallOutput = 2,  // cycles stalled on an output queue
  StallRow = 3,  // cycles stalled on an accumulator row
  StallMemory = 4,  // cycles stalled on memory
  NoWork = 5,  // cycles without work
  ReducerElements = 6,  // reducer elements
  Instructions = 7,  // instructions retired
  Asleep = 8,  // cycles asleep
  WaveletsIn = 9,  // wavelets in through the ramp
  WaveletsOut = 10,  // wavelets out through the ramp
  Weights = 11,  // weight wavelets consumed
  ReducerWait = 12,  // cycles that the reducer waited
};
const char* name_of(Counter value);
const char* about(Counter value);

// what a thread waits for.
enum class ThreadWait : uint8_t {
  Nothing = 0,  // nothing
  Input = 1,  // an input queue
  Output = 2,  // an output queue
  Row = 3,  // an accumulator row
  Memory = 4,  // memory
};
const char* name_of(ThreadWait value);
const char* about(ThreadWait value);

// what the reducer waits for.
enum class ReducerWait : uint8_t {
  Nothing = 0,  // nothing
  Row = 1,  // a row
  In0 = 2,  // in0
  In1 = 3,  // in1
  Output = 4,  // an output queue
  Memory = 5,  // memory
};
const char* name_of(ReducerWait value);
const char* about(ReducerWait value);

// what stopped the tile.
enum class ErrorSource : uint8_t {
  Core = 0,  // the core: a trap with `mtvec` = 0 (`ebreak` ends a program and is no error)
  Engine = 1,  // the engine
  Reducer = 2,  // the reducer
  Ramp = 3,  // the ramp
  Regs = 4,  // a register access
};
const char* name_of(ErrorSource value);
const char* about(ErrorSource value);

// trap causes of the core (mcause); 24 and up are of this machine.
enum class Trap : uint8_t {
  FetchMisaligned = 0,  // instruction address misaligned
  FetchFault = 1,  // instruction access fault
  Illegal = 2,  // illegal instruction
  Breakpoint = 3,  // breakpoint
  LoadMisaligned = 4,  // load address misaligned
  LoadFault = 5,  // load access fault
  StoreMisaligned = 6,  // store address misaligned
  StoreFault = 7,  // store access fault
  EcallM = 11,  // environment call
  Stack = 24,  // stack pointer below its limit
  Text = 25,  // store into program text
};
const char* name_of(Trap value);
const char* about(Trap value);

// faults of the engine.
enum class EngineCause : uint8_t {
  Illegal = 1,  // illegal operation or type
  Descriptor = 2,  // malformed descriptor
  Address = 3,  // address outside memory
};
const char* name_of(EngineCause value);
const char* about(EngineCause value);

// faults of the reducer.
enum class ReducerCause : uint8_t {
  Registers = 1,  // bad reducer registers
  Store = 2,  // the reducer stores outside memory
  Bias = 3,  // the reducer reads a bias outside memory
  Busy = 4,  // a reducer register was written while a drain runs
};
const char* name_of(ReducerCause value);
const char* about(ReducerCause value);

// faults of the ramp.
enum class RampCause : uint8_t {
  NoConsumer = 1,  // a wavelet came in of a colour to which no input queue is bound
  Overrun = 2,  // a push into an output queue that is full, or a second one in the same cycle
  TwoTakers = 3,  // two of engine, reducer and tasks took from one input queue
  TwoQueues = 4,
};
const char* name_of(RampCause value);
const char* about(RampCause value);

// register accesses that stop the tile.
enum class RegsCause : uint8_t {
  Selftest = 1,  // the core started the memory self-test
  PrngBusy = 2,  // the state of the random generator was written while a conversion uses it
};
const char* name_of(RegsCause value);
const char* about(RegsCause value);

// control and status registers.
enum class Csr : uint16_t {
  Mstatus = 768,  // MIE, MPIE; MPP reads 3
  Misa = 769,  // RV32IM and X
  Mie = 772,  // interrupt enables; there are no interrupts
  Mtvec = 773,  // direct mode; 0: a trap stops the tile
  Mscratch = 832,  // free
  Mepc = 833,  // pc of the trap
  Mcause = 834,  // its cause
  Mtval = 835,  // its address or instruction
  Mip = 836,  // reads 0
  Mcycle = 0xB00,  // cycles
  Minstret = 0xB02,  // instructions retired
  Mcycleh = 0xB80,  // the high word
  Minstreth = 0xB82,  // the high word
  Cycle = 0xC00,  // cycles
  Instret = 0xC02,  // instructions retired
  Cycleh = 0xC80,  // the high word
  Instreth = 0xC82,  // the high word
  Mvendorid = 0xF11,  // 0
  Marchid = 0xF12,  // 0
  Mimpid = 0xF13,  // 0
  Mhartid = 0xF14,  // 0
};
const char* name_of(Csr value);
const char* about(Csr value);

// kinds of frames between host and board.
enum class HostFrame : uint8_t {
  Open = 1,  // the host opens a session
  Opened = 2,  // the board has opened it
  Data = 3,  // payload
  Ack = 4,  // an acknowledgement alone
  Closed = 5,  // there is no such session
};
const char* name_of(HostFrame value);
const char* about(HostFrame value);

// records of the payload, by their first byte.
enum class HostRecord : uint8_t {
  Select = 1,  // port, colour
  Data = 2,  // 4 bytes: a wavelet of the selected port and colour
  Control = 3,  // 4 bytes: a control wavelet of the selected port and colour
  Chain = 4,  // to the board: end, 8 bytes of a chain's frame; to the host: 8 bytes
  Status = 5,  // to the board: nothing; to the host: flags, 6 bytes of cycle count
  Report = 6,  // to the board: report all queues
  Room = 7,  // to the host: port, colour, wavelets gone and credits
};
const char* name_of(HostRecord value);
const char* about(HostRecord value);

// the unit of the fabric.
struct Wavelet {
  static constexpr int kBits = 39;
  using Data = Field<uint64_t, 0, 32>;  // data
  using Ctrl = Field<uint64_t, 32, 1>;
  using Colour = Field<uint64_t, 33, 5>;  // colour
  using Valid = Field<uint64_t, 38, 1>;  // there is one
};

// one buffer slot of the colour has been freed at the receiver.
struct Credit {
  static constexpr int kBits = 6;
  using Colour = Field<uint32_t, 0, 5>;  // colour
  using Valid = Field<uint32_t, 5, 1>;  // there is one
};

// what one direction of a tile edge carries in a cycle; all zero when it carries nothing.
struct Link {
  static constexpr int kBits = 45;
  using Wavelet = Field<uint64_t, 0, 39>;  // a wavelet
  using Credit = Field<uint64_t, 39, 6>;  // a credit for the opposite direction
};

// an element of a queue of the ramp.
struct Ramp {
  static constexpr int kBits = 33;
  using Data = Field<uint64_t, 0, 32>;  // data
  using Ctrl = Field<uint64_t, 32, 1>;  // a control wavelet
};

// a position of a switch.
struct Position {
  static constexpr int kBits = 8;
  using OutMask = Field<uint32_t, 0, 5>;  // outputs, one bit per port (N E S W ramp, lowest first)
  using InPort = Field<uint32_t, 5, 3>;  // input port
};

// a command of a control wavelet.
struct Command {
  static constexpr int kBits = 3;
  using Op = Field<uint32_t, 0, 2>;  // what the switch does
  using Noce = Field<uint32_t, 2, 1>;
};

// data of a control wavelet.
struct Control {
  static constexpr int kBits = 32;
  using RowEnd = Field<uint32_t, 0, 1>;  // at the ramp, closes an accumulator row
  using StreamEnd = Field<uint32_t, 1, 1>;
  using Commands = FieldArray<uint32_t, 2, 3, 8>;
  using Identity = Field<uint32_t, 26, 6>;  // free: an identity for the control task
};

// X header and Y header of a packet.
struct PacketHeader {
  static constexpr int kBits = 32;
  using Near = Field<uint32_t, 0, 12>;  // hops to the first column (row) of the rectangle
  using Far = Field<uint32_t, 12, 12>;  // hops to the last one
  using ToEdge = Field<uint32_t, 30, 1>;
  using Negative = Field<uint32_t, 31, 1>;  // direction: 0 east (south), 1 west (north)
};

// first word of a request at the ramp.
struct PacketCommand {
  static constexpr int kBits = 32;
  using Count = Field<uint32_t, 0, 16>;  // number of 32-bit words (1 to 65535)
  using Tag = Field<uint32_t, 16, 8>;  // comes back with the response
  using Operation = Field<uint32_t, 28, 4>;  // operation
};

// the word of a response that follows its headers.
struct PacketResponse {
  static constexpr int kBits = 32;
  using Count = Field<uint32_t, 0, 16>;  // number of words that follow
  using Tag = Field<uint32_t, 16, 8>;  // the tag
  using Status = Field<uint32_t, 28, 4>;  // status
};

// a request of one word.
struct PacketBrief {
  static constexpr int kBits = 32;
  using HopsX = Field<uint32_t, 0, 12>;
  using HopsY = Field<uint32_t, 12, 12>;  // hops along the column
  using Task = Field<uint32_t, 24, 5>;  // the task
  using Activate = Field<uint32_t, 29, 1>;  // the tile activates the task
  using North = Field<uint32_t, 30, 1>;  // along the column to the north (0: to the south)
  using West = Field<uint32_t, 31, 1>;  // along the row to the west (0: to the east)
};

// a frame of the chain after its start bit, most significant bit first.
struct ChainFrame {
  static constexpr int kBits = 64;
  using Crc = Field<uint64_t, 0, 16>;  // CRC over the 48 bits before it, initial value 0xFFFF
  using Data = Field<uint64_t, 16, 32>;  // data
  using Register = Field<uint64_t, 48, 6>;  // register
  using Write = Field<uint64_t, 54, 1>;  // write
  using Column = Field<uint64_t, 55, 8>;  // physical column
  using Answer = Field<uint64_t, 63, 1>;  // 0 command, 1 answer
};

// fuses of a physical tile. Skip counts the physical rows or columns that lie between it and its
// neighbour; shift is the neighbour's physical column less its own.
struct TileFuse {
  static constexpr int kBits = 15;
  using SShift = SignedField<uint32_t, 0, 3>;  // shift to the south
  using SSkip = Field<uint32_t, 3, 2>;  // skip to the south
  using NShift = SignedField<uint32_t, 5, 3>;  // shift to the north
  using NSkip = Field<uint32_t, 8, 2>;  // skip to the north
  using ESkip = Field<uint32_t, 10, 2>;  // skip to the east
  using WSkip = Field<uint32_t, 12, 2>;  // skip to the west
  using Enable = Field<uint32_t, 14, 1>;  // it is a logical tile
};

// fuses of a physical row: the link slots of its ends, less its own number.
struct RowFuse {
  static constexpr int kBits = 6;
  using ESlot = SignedField<uint32_t, 0, 3>;  // of its east end
  using WSlot = SignedField<uint32_t, 3, 3>;  // of its west end
};

// a wavelet in a frame.
struct LinkWord {
  static constexpr int kBits = 38;
  using Data = Field<uint64_t, 0, 32>;  // data
  using Ctrl = Field<uint64_t, 32, 1>;  // control bit
  using Colour = Field<uint64_t, 33, 5>;  // its colour + 1; 0: none
};

// credits of one colour.
struct LinkCredits {
  static constexpr int kBits = 9;
  using Colour = Field<uint32_t, 0, 5>;  // their colour + 1; 0: none
  using Count = Field<uint32_t, 5, 3>;  // number of credits less one
  using Grant = Field<uint32_t, 8, 1>;
};

// first beat of a frame; bit 63 is the highest power of the polynomial.
struct FrameFirst {
  static constexpr int kBits = 64;
  using Word = Field<uint64_t, 0, 38>;  // first wavelet
  using Credits = Field<uint64_t, 38, 9>;  // credits
  using Ack = Field<uint64_t, 47, 4>;  // number of the frame that this end expects next
  using NackEpoch = Field<uint64_t, 51, 1>;  // the epoch in which the receiver saw the fault
  using Nack = Field<uint64_t, 52, 1>;  // go back: send again from `ack` on
  using Hint = Field<uint64_t, 53, 6>;
  using Marker = Field<uint64_t, 59, 5>;  // 11111
};

// second beat of a frame.
struct FrameSecond {
  static constexpr int kBits = 64;
  using Crc = Field<uint64_t, 0, 16>;  // CRC over the 112 bits before it
  using Epoch = Field<uint64_t, 16, 1>;  // changes when the sender goes back
  using Seq = Field<uint64_t, 17, 4>;  // number of the frame
  using Credit = Field<uint64_t, 21, 5>;
  using Word = Field<uint64_t, 26, 38>;  // second wavelet
};

// message of a period of training, the same on all lanes.
struct LinkMessage {
  static constexpr int kBits = 32;
  using Done = Field<uint32_t, 0, 1>;
  using Ready = Field<uint32_t, 1, 1>;
  using Go = Field<uint32_t, 2, 1>;  // frames follow this period
  using Fail = Field<uint32_t, 3, 1>;  // this end cannot come up
  using Fresh = Field<uint32_t, 4, 1>;  // nothing was sent or taken since reset
  using Check = Field<uint32_t, 6, 2>;  // 01
  using G0Lo = Field<uint32_t, 8, 6>;  // lower faulty lane of group 0, 63 if there is none
  using G0Hi = Field<uint32_t, 14, 6>;  // higher faulty lane of group 0
  using G1Lo = Field<uint32_t, 20, 6>;  // the same of group 1
  using G1Hi = Field<uint32_t, 26, 6>;  // the same of group 1
};

// faulty lanes that a lane map leaves out; 63 is none.
struct LinkMap {
  static constexpr int kBits = 32;
  using G0Lo = Field<uint32_t, 0, 6>;  // lower faulty lane of group 0
  using G0Hi = Field<uint32_t, 6, 6>;  // higher faulty lane of group 0
  using G1Lo = Field<uint32_t, 12, 6>;  // lower faulty lane of group 1
  using G1Hi = Field<uint32_t, 18, 6>;  // higher faulty lane of group 1
};

// delays of five lanes.
struct LinkDelays {
  static constexpr int kBits = 32;
  using Delay = FieldArray<uint32_t, 0, 6, 5>;
};

// rs1 of a tensor instruction.
struct TensorCtl {
  static constexpr int kBits = 32;
  using Dst = Field<uint32_t, 0, 5>;  // DSR of dst
  using A = Field<uint32_t, 5, 5>;  // DSR of a
  using B = Field<uint32_t, 10, 5>;  // DSR of b
  using Scalar = Field<uint32_t, 15, 1>;  // b is the scalar rs2 (for mov: a is the scalar)
  using Thread = Field<uint32_t, 16, 4>;
  using Priority = Field<uint32_t, 20, 1>;
  using Stochastic = Field<uint32_t, 21, 1>;  // stochastic rounding (cvt from f32 to f16 or bf16)
  using Fresh = Field<uint32_t, 22, 1>;
  using Done = Field<uint32_t, 24, 2>;  // what a completion does to the task
  using Task = Field<uint32_t, 26, 5>;  // the task
};

// word 0 of a descriptor.
struct Dsr0 {
  static constexpr int kBits = 32;
  using Kind = Field<uint32_t, 0, 4>;  // kind
  using Type = Field<uint32_t, 4, 3>;  // element type
  using Queue = Field<uint32_t, 8, 3>;  // queue (fabric kinds); FIFO register 0 to 3
  using SaveAddress = Field<uint32_t, 11, 1>;
  using Close = Field<uint32_t, 12, 1>;  // fabric out: append a control wavelet at the end
  using CloseRowEnd = Field<uint32_t, 13, 1>;  // row-end bit of that control wavelet
  using CloseStreamEnd = Field<uint32_t, 14, 1>;  // stream-end bit of that control wavelet
  using Skip = Field<uint32_t, 15, 1>;  // fabric out: zeros are not sent (-0 neither)
  using Tag = Field<uint32_t, 16, 1>;
};

// word 1 of a descriptor.
struct DsrAddress {
  static constexpr int kBits = 32;
  using Address = Field<uint32_t, 0, 24>;  // byte address; bit 23 set: accumulator cache
};

// words 2 to 5 of a descriptor, one per dimension.
struct DsrDim {
  static constexpr int kBits = 32;
  using Length = Field<uint32_t, 0, 16>;  // length in elements; 0: not used
  using Step = SignedField<uint32_t, 16, 16>;
};

// what the reducer does with a row.
struct RedAction {
  static constexpr int kBits = 32;
  using Enable = Field<uint32_t, 0, 1>;  // 0: the row is dropped
  using In0 = Field<uint32_t, 1, 1>;  // add in0
  using In0Q = Field<uint32_t, 2, 3>;  // in0 queue
  using In1 = Field<uint32_t, 5, 1>;  // add in1
  using In1Q = Field<uint32_t, 6, 3>;  // in1 queue
  using Memory = Field<uint32_t, 9, 1>;  // to memory (0: to the fabric)
  using OutQ = Field<uint32_t, 10, 3>;  // output queue
  using Bias = Field<uint32_t, 13, 1>;  // add a bias
  using F16 = Field<uint32_t, 14, 1>;  // round to binary16
  using Relu = Field<uint32_t, 15, 1>;  // ReLU
  using Bf16 = Field<uint32_t, 16, 1>;  // round to bfloat16 instead (sets f16 too)
};

// Offsets from the base; 32 bits each; reserved offsets and bits read 0 and ignore writes.
namespace reg {
inline constexpr uint32_t kBase = 0xF0000000;
inline constexpr uint32_t kBytes = 0x900;
struct Route {
  static constexpr uint32_t kAddress = 0xF0000000;
  static constexpr uint32_t kOffset = 0x0;
  static constexpr uint32_t kCount = 24;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Position = Field<uint32_t, 0, 8>;  // position 0; read: the position in effect
  using Enable = Field<uint32_t, 8, 1>;  // the colour is routed
  using Obey = Field<uint32_t, 9, 1>;  // the router carries out commands
  using PopMode = Field<uint32_t, 10, 2>;
  using Ring = Field<uint32_t, 12, 1>;  // an advance goes from the last position to position 0
  using WithoutCredits = Field<uint32_t, 13, 4>;
  using KeepCredits = Field<uint32_t, 17, 4>;  // input links whose credits are kept here
  using SetCredits = Field<uint32_t, 21, 1>;  // set up the credits of the colour's links
};
struct Switch {
  static constexpr uint32_t kAddress = 0xF0000080;
  static constexpr uint32_t kOffset = 0x80;
  static constexpr uint32_t kCount = 24;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Position1 = Field<uint32_t, 0, 8>;  // position 1
  using Position2 = Field<uint32_t, 8, 8>;  // position 2
  using Position3 = Field<uint32_t, 16, 8>;  // position 3
  using Last = Field<uint32_t, 24, 2>;  // the last position in use
  using Current = Field<uint32_t, 29, 2>;  // the current position
  using Torn = Field<uint32_t, 31, 1>;  // torn down
};
struct Filter {
  static constexpr uint32_t kAddress = 0xF0000800;
  static constexpr uint32_t kOffset = 0x800;
  static constexpr uint32_t kCount = 6;
  static constexpr uint32_t kStride = 16;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Colour = Field<uint32_t, 0, 5>;  // its colour
  using Enable = Field<uint32_t, 5, 1>;  // it filters
  using Kind = Field<uint32_t, 6, 2>;  // kind
  using CountData = Field<uint32_t, 8, 1>;  // counts data wavelets
  using CountCtrl = Field<uint32_t, 9, 1>;  // counts control wavelets
  using FilterCtrl = Field<uint32_t, 10, 1>;  // may drop control wavelets
};
struct FilterLimits {
  static constexpr uint32_t kAddress = 0xF0000804;
  static constexpr uint32_t kOffset = 0x804;
  static constexpr uint32_t kCount = 6;
  static constexpr uint32_t kStride = 16;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Low = Field<uint32_t, 0, 16>;  // limit1 or the least index
  using High = Field<uint32_t, 16, 16>;  // max_counter, limit2 or the greatest index
};
struct FilterCount {
  static constexpr uint32_t kAddress = 0xF0000808;
  static constexpr uint32_t kOffset = 0x808;
  static constexpr uint32_t kCount = 6;
  static constexpr uint32_t kStride = 16;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Count = Field<uint32_t, 0, 16>;  // the count
};
struct RtOccupied {
  static constexpr uint32_t kAddress = 0xF0000700;
  static constexpr uint32_t kOffset = 0x700;
};
struct RtMisroute {
  static constexpr uint32_t kAddress = 0xF0000704;
  static constexpr uint32_t kOffset = 0x704;
};
struct RtControl {
  static constexpr uint32_t kAddress = 0xF0000708;
  static constexpr uint32_t kOffset = 0x708;
  using Requests = Field<uint32_t, 0, 5>;  // bit p: requests from port p
  using Responses = Field<uint32_t, 5, 4>;  // bit p: responses from port p
};
struct RtTorn {
  static constexpr uint32_t kAddress = 0xF000070C;
  static constexpr uint32_t kOffset = 0x70C;
};
struct RtCredits {
  static constexpr uint32_t kAddress = 0xF0000740;
  static constexpr uint32_t kOffset = 0x740;
  static constexpr uint32_t kCount = 16;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Credits = FieldArray<uint32_t, 0, 4, 8>;  // 4 bits per colour
};
struct Request {
  static constexpr uint32_t kAddress = 0xF00007A0;
  static constexpr uint32_t kOffset = 0x7A0;
};
struct Inq {
  static constexpr uint32_t kAddress = 0xF0000100;
  static constexpr uint32_t kOffset = 0x100;
  static constexpr uint32_t kCount = 8;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Colour = Field<uint32_t, 0, 5>;  // its colour
  using Enable = Field<uint32_t, 5, 1>;  // it is bound
};
struct Outq {
  static constexpr uint32_t kAddress = 0xF0000140;
  static constexpr uint32_t kOffset = 0x140;
  static constexpr uint32_t kCount = 8;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Colour = Field<uint32_t, 0, 5>;  // its colour
  using Enable = Field<uint32_t, 5, 1>;  // it is bound
};
struct InqLevel {
  static constexpr uint32_t kAddress = 0xF0000180;
  static constexpr uint32_t kOffset = 0x180;
  using Level = FieldArray<uint32_t, 0, 4, 8>;  // 4 bits per queue
};
struct OutqLevel {
  static constexpr uint32_t kAddress = 0xF0000184;
  static constexpr uint32_t kOffset = 0x184;
  using Level = FieldArray<uint32_t, 0, 4, 8>;  // 4 bits per queue
};
struct Push {
  static constexpr uint32_t kAddress = 0xF00001C0;
  static constexpr uint32_t kOffset = 0x1C0;
  static constexpr uint32_t kCount = 8;
  static constexpr uint32_t kStride = 8;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct PushCtrl {
  static constexpr uint32_t kAddress = 0xF00001C4;
  static constexpr uint32_t kOffset = 0x1C4;
  static constexpr uint32_t kCount = 8;
  static constexpr uint32_t kStride = 8;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct TaskEntry {
  static constexpr uint32_t kAddress = 0xF0000200;
  static constexpr uint32_t kOffset = 0x200;
  static constexpr uint32_t kCount = 32;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct TaskActivate {
  static constexpr uint32_t kAddress = 0xF0000280;
  static constexpr uint32_t kOffset = 0x280;
};
struct TaskBlock {
  static constexpr uint32_t kAddress = 0xF0000284;
  static constexpr uint32_t kOffset = 0x284;
};
struct TaskUnblock {
  static constexpr uint32_t kAddress = 0xF0000288;
  static constexpr uint32_t kOffset = 0x288;
};
struct TaskRunning {
  static constexpr uint32_t kAddress = 0xF000028C;
  static constexpr uint32_t kOffset = 0x28C;
  using Task = Field<uint32_t, 0, 5>;  // its number
  using Running = Field<uint32_t, 5, 1>;  // it runs
};
struct TaskPriority {
  static constexpr uint32_t kAddress = 0xF0000290;
  static constexpr uint32_t kOffset = 0x290;
  static constexpr uint32_t kReset = 0;
};
struct RedAcc {
  static constexpr uint32_t kAddress = 0xF0000300;
  static constexpr uint32_t kOffset = 0x300;
  static constexpr uint32_t kReset = 0;
  using Samples = Field<uint32_t, 0, 16>;  // samples per row (multiple of Lanes)
  using Ring = Field<uint32_t, 16, 8>;  // rows in the ring
};
struct RedCount {
  static constexpr uint32_t kAddress = 0xF0000304;
  static constexpr uint32_t kOffset = 0x304;
  static constexpr uint32_t kReset = 0;
  using Rows = Field<uint32_t, 0, 16>;  // rows to drain in all
};
struct RedPhase {
  static constexpr uint32_t kAddress = 0xF0000308;
  static constexpr uint32_t kOffset = 0x308;
  static constexpr uint32_t kReset = 0;
  using Period = Field<uint32_t, 0, 16>;  // 1 to 65535
  using Pivot = Field<uint32_t, 16, 16>;  // the phase that EQ names
};
struct RedActLt : isa::RedAction {
  static constexpr uint32_t kAddress = 0xF000030C;
  static constexpr uint32_t kOffset = 0x30C;
  static constexpr uint32_t kReset = 0;
};
struct RedActEq : isa::RedAction {
  static constexpr uint32_t kAddress = 0xF0000310;
  static constexpr uint32_t kOffset = 0x310;
  static constexpr uint32_t kReset = 0;
};
struct RedActGt : isa::RedAction {
  static constexpr uint32_t kAddress = 0xF0000314;
  static constexpr uint32_t kOffset = 0x314;
  static constexpr uint32_t kReset = 0;
};
struct RedBias {
  static constexpr uint32_t kAddress = 0xF0000318;
  static constexpr uint32_t kOffset = 0x318;
  static constexpr uint32_t kReset = 0;
};
struct RedDst {
  static constexpr uint32_t kAddress = 0xF000031C;
  static constexpr uint32_t kOffset = 0x31C;
  static constexpr uint32_t kReset = 0;
};
struct RedPitch {
  static constexpr uint32_t kAddress = 0xF0000320;
  static constexpr uint32_t kOffset = 0x320;
  static constexpr uint32_t kReset = 0;
  using Pitch = SignedField<uint32_t, 0, 16>;  // bytes, signed
};
struct RedStatus {
  static constexpr uint32_t kAddress = 0xF0000324;
  static constexpr uint32_t kOffset = 0x324;
  static constexpr uint32_t kReset = 0;
  using Rows = Field<uint32_t, 0, 16>;  // rows done
  using Error = Field<uint32_t, 27, 1>;
  using Waits = Field<uint32_t, 28, 3>;  // what it waits for
  using Running = Field<uint32_t, 31, 1>;  // running
};
struct RedStart {
  static constexpr uint32_t kAddress = 0xF0000328;
  static constexpr uint32_t kOffset = 0x328;
  static constexpr uint32_t kReset = 0;
  using Phase = Field<uint32_t, 0, 16>;  // phase of the first row, below the period
  using More = Field<uint32_t, 16, 16>;  // phases after the pivot that count as equal to it
};
struct Counter {
  static constexpr uint32_t kAddress = 0xF0000400;
  static constexpr uint32_t kOffset = 0x400;
  static constexpr uint32_t kCount = 13;
  static constexpr uint32_t kStride = 8;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct CounterHigh {
  static constexpr uint32_t kAddress = 0xF0000404;
  static constexpr uint32_t kOffset = 0x404;
  static constexpr uint32_t kCount = 13;
  static constexpr uint32_t kStride = 8;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using High = Field<uint32_t, 0, 16>;  // bits 47:32
};
struct CoreCtrl {
  static constexpr uint32_t kAddress = 0xF0000500;
  static constexpr uint32_t kOffset = 0x500;
  static constexpr uint32_t kReset = 0;
  using Run = Field<uint32_t, 0, 1>;  // the core runs
  using Step = Field<uint32_t, 1, 1>;  // one instruction, then run is 0
  using Reset = Field<uint32_t, 2, 1>;  // reset the compute part, see below
  using ClearQueues = Field<uint32_t, 3, 1>;  // empty the ramp's queues, see below
};
struct CorePc {
  static constexpr uint32_t kAddress = 0xF0000504;
  static constexpr uint32_t kOffset = 0x504;
};
struct CoreStatus {
  static constexpr uint32_t kAddress = 0xF0000508;
  static constexpr uint32_t kOffset = 0x508;
  using Running = Field<uint32_t, 0, 1>;  // running
  using Stopped = Field<uint32_t, 1, 1>;  // stopped by a trap
  using Asleep = Field<uint32_t, 2, 1>;  // asleep in ow.next or wfi
  using WaitsTensor = Field<uint32_t, 3, 1>;
  using Ebreak = Field<uint32_t, 4, 1>;  // stopped by ebreak
  using Cause = Field<uint32_t, 8, 5>;  // cause of the trap
};
struct CoreTval {
  static constexpr uint32_t kAddress = 0xF000050C;
  static constexpr uint32_t kOffset = 0x50C;
};
struct EngineFault {
  static constexpr uint32_t kAddress = 0xF0000510;
  static constexpr uint32_t kOffset = 0x510;
  static constexpr uint32_t kReset = 0;
  using Cause = Field<uint32_t, 0, 4>;  // cause (docs/isa.md)
  using Thread = Field<uint32_t, 4, 4>;  // thread
  using Fault = Field<uint32_t, 31, 1>;  // there is one
};
struct Error {
  static constexpr uint32_t kAddress = 0xF0000514;
  static constexpr uint32_t kOffset = 0x514;
  static constexpr uint32_t kReset = 0;
  using Cause = Field<uint32_t, 0, 5>;  // cause
  using Unit = Field<uint32_t, 8, 5>;  // unit
  using Source = Field<uint32_t, 16, 3>;  // source
  using Stopped = Field<uint32_t, 31, 1>;  // the tile is stopped by it
};
struct ErrorAddr {
  static constexpr uint32_t kAddress = 0xF0000518;
  static constexpr uint32_t kOffset = 0x518;
  static constexpr uint32_t kReset = 0;
};
struct ErrorPc {
  static constexpr uint32_t kAddress = 0xF000051C;
  static constexpr uint32_t kOffset = 0x51C;
  static constexpr uint32_t kReset = 0;
};
struct StackLimit {
  static constexpr uint32_t kAddress = 0xF0000520;
  static constexpr uint32_t kOffset = 0x520;
  static constexpr uint32_t kReset = 0;
  using Address = Field<uint32_t, 0, 24>;
};
struct TextLimit {
  static constexpr uint32_t kAddress = 0xF0000524;
  static constexpr uint32_t kOffset = 0x524;
  static constexpr uint32_t kReset = 0;
  using Address = Field<uint32_t, 0, 24>;
};
struct Thread {
  static constexpr uint32_t kAddress = 0xF0000600;
  static constexpr uint32_t kOffset = 0x600;
  static constexpr uint32_t kCount = 16;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
  using Operation = Field<uint32_t, 16, 7>;  // operation
  using Queue = Field<uint32_t, 24, 4>;  // the queue that it waits for
  using Waits = Field<uint32_t, 28, 3>;  // what it waits for
  using Active = Field<uint32_t, 31, 1>;  // active
};
struct Row {
  static constexpr uint32_t kAddress = 0xF0000780;
  static constexpr uint32_t kOffset = 0x780;
  static constexpr uint32_t kReset = 0;
  using Number = Field<uint32_t, 0, 16>;  // the row
};
struct Col {
  static constexpr uint32_t kAddress = 0xF0000784;
  static constexpr uint32_t kOffset = 0x784;
  static constexpr uint32_t kReset = 0;
  using Number = Field<uint32_t, 0, 16>;  // the column
};
struct Config {
  static constexpr uint32_t kAddress = 0xF0000788;
  static constexpr uint32_t kOffset = 0x788;
  using Lanes = Field<uint32_t, 0, 4>;  // lanes
  using Threads = Field<uint32_t, 4, 4>;  // threads less one
  using Colours = Field<uint32_t, 8, 5>;  // data colours
  using Limits = Field<uint32_t, 13, 1>;  // STACK_LIMIT and TEXT_LIMIT are there
  using Banks = Field<uint32_t, 14, 2>;  // banks of the SRAM: 2 to the power of this
  using Sram = Field<uint32_t, 16, 16>;  // SRAM in 64-byte units
};
struct Features {
  static constexpr uint32_t kAddress = 0xF000078C;
  static constexpr uint32_t kOffset = 0x78C;
  using Nonlinear = Field<uint32_t, 0, 1>;  // non-linear functions
  using Gather = Field<uint32_t, 1, 1>;  // gather, scatter, fmag
  using Fp32 = Field<uint32_t, 2, 1>;
  using Int8 = Field<uint32_t, 3, 1>;  // i8, its moves included
  using Int32 = Field<uint32_t, 4, 1>;  // i32 (moves are always there)
  using Stochastic = Field<uint32_t, 5, 1>;  // stochastic rounding
  using Selftest = Field<uint32_t, 6, 1>;  // memory self-test
  using Counters = Field<uint32_t, 7, 1>;  // all counters (0: only that of consumed weights)
  using Fifos = Field<uint32_t, 8, 3>;  // FIFO registers
  using Filters = Field<uint32_t, 11, 3>;  // filters
  using Positions = Field<uint32_t, 14, 3>;
  using Queues = Field<uint32_t, 17, 4>;  // queues each way
  using Dsrs = Field<uint32_t, 21, 5>;  // descriptors less one
  using Tasks = Field<uint32_t, 26, 5>;  // tasks less one
  using DotwRows = Field<uint32_t, 31, 1>;
};
struct Operations {
  static constexpr uint32_t kAddress = 0xF00007A4;
  static constexpr uint32_t kOffset = 0x7A4;
  using Bfloat16 = Field<uint32_t, 0, 1>;  // bf16 and mixedb (moves are always there)
  using Int16 = Field<uint32_t, 1, 1>;  // i16 (moves are always there)
  using Compare = Field<uint32_t, 2, 1>;  // max, min, comparisons
  using Reductions = Field<uint32_t, 3, 1>;  // dot, sum, rmax, rmin, dotw
  using Tags = Field<uint32_t, 4, 1>;
  using Dimensions = Field<uint32_t, 5, 1>;  // dimensions 2 and 3 of descriptors
};
struct Prng {
  static constexpr uint32_t kAddress = 0xF0000790;
  static constexpr uint32_t kOffset = 0x790;
  static constexpr uint32_t kCount = 4;
  static constexpr uint32_t kStride = 4;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct Mbist {
  static constexpr uint32_t kAddress = 0xF00007C0;
  static constexpr uint32_t kOffset = 0x7C0;
  static constexpr uint32_t kReset = 0;
  using Start = Field<uint32_t, 0, 1>;  // write 1: start
  using Running = Field<uint32_t, 0, 1>;  // running
  using Done = Field<uint32_t, 1, 1>;  // done
  using Failed = Field<uint32_t, 8, 8>;  // one bit per bank that failed
};
struct MbistRow {
  static constexpr uint32_t kAddress = 0xF00007C4;
  static constexpr uint32_t kOffset = 0x7C4;
  static constexpr uint32_t kReset = 0;
};
struct MbistBits {
  static constexpr uint32_t kAddress = 0xF00007C8;
  static constexpr uint32_t kOffset = 0x7C8;
  static constexpr uint32_t kReset = 0;
};
struct MbistBitsHigh {
  static constexpr uint32_t kAddress = 0xF00007CC;
  static constexpr uint32_t kOffset = 0x7CC;
  static constexpr uint32_t kReset = 0;
};
}  // namespace reg

// Registers of a station, as commands of the chain name them.
namespace station {
struct Id {
  static constexpr uint32_t kAddress = 0x0;
  static constexpr uint32_t kReset = 0x4F570001;
};
struct Control {
  static constexpr uint32_t kAddress = 0x1;
  static constexpr uint32_t kReset = 0;
  using Run = Field<uint32_t, 0, 1>;  // 0: the tile is in reset
  using Test = Field<uint32_t, 1, 1>;
};
struct TileFuse : isa::TileFuse {
  static constexpr uint32_t kAddress = 0x2;
  static constexpr uint32_t kReset = 0;
};
struct RowFuse : isa::RowFuse {
  static constexpr uint32_t kAddress = 0x3;
  static constexpr uint32_t kReset = 0;
};
struct Push {
  static constexpr uint32_t kAddress = 0x4;
  using Taken = Field<uint32_t, 0, 1>;  // the last one has been taken
};
struct PushLast {
  static constexpr uint32_t kAddress = 0x5;
};
struct Pop {
  static constexpr uint32_t kAddress = 0x6;
};
struct PopState {
  static constexpr uint32_t kAddress = 0x7;
  using Valid = Field<uint32_t, 0, 1>;  // a word is there
  using Last = Field<uint32_t, 1, 1>;  // it is the last
};
struct Scan {
  static constexpr uint32_t kAddress = 0x8;
  static constexpr uint32_t kReset = 0;
  using Enable = Field<uint32_t, 0, 1>;  // the mesh gets the pattern instead of what the tile sends
};
struct PatternLow {
  static constexpr uint32_t kAddress = 0x9;
  static constexpr uint32_t kReset = 0;
};
struct PatternHigh {
  static constexpr uint32_t kAddress = 0xA;
  static constexpr uint32_t kReset = 0;
};
struct Link {
  static constexpr uint32_t kAddress = 0xB;
  static constexpr uint32_t kReset = 0;
  using Number = Field<uint32_t, 0, 6>;  // word
  using Side = Field<uint32_t, 6, 2>;  // side
};
struct LinkStatus {
  static constexpr uint32_t kAddress = 0xC;
};
struct Capture {
  static constexpr uint32_t kAddress = 0x20;
  static constexpr uint32_t kCount = 4;
  static constexpr uint32_t kStride = 2;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct CaptureHigh {
  static constexpr uint32_t kAddress = 0x21;
  static constexpr uint32_t kCount = 4;
  static constexpr uint32_t kStride = 2;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
}  // namespace station

// Status words of a link.
namespace link {
struct State {
  static constexpr uint32_t kAddress = 0x0;
  using Up = Field<uint32_t, 0, 1>;  // up
  using Receives = Field<uint32_t, 1, 1>;  // receiver in operation
  using Down = Field<uint32_t, 3, 3>;  // why it is not up
  using Cause = Field<uint32_t, 7, 3>;  // cause of the last training
  using Trainings = Field<uint32_t, 16, 16>;  // trainings that succeeded
};
struct Replays {
  static constexpr uint32_t kAddress = 0x1;
};
struct Wrong {
  static constexpr uint32_t kAddress = 0x2;
};
struct Frames {
  static constexpr uint32_t kAddress = 0x3;
};
struct Faulty {
  static constexpr uint32_t kAddress = 0x4;
  static constexpr uint32_t kCount = 2;
  static constexpr uint32_t kStride = 2;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct FaultyHigh {
  static constexpr uint32_t kAddress = 0x5;
  static constexpr uint32_t kCount = 2;
  static constexpr uint32_t kStride = 2;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
struct RxMap : isa::LinkMap {
  static constexpr uint32_t kAddress = 0x8;
};
struct TxMap : isa::LinkMap {
  static constexpr uint32_t kAddress = 0x9;
};
struct EdgeLow {
  static constexpr uint32_t kAddress = 0xA;
};
struct EdgeHigh {
  static constexpr uint32_t kAddress = 0xB;
};
struct TestOn {
  static constexpr uint32_t kAddress = 0xC;
};
struct TestInvert {
  static constexpr uint32_t kAddress = 0xD;
};
struct TestOff {
  static constexpr uint32_t kAddress = 0xE;
};
struct Delays : isa::LinkDelays {
  static constexpr uint32_t kAddress = 0x10;
  static constexpr uint32_t kCount = 14;
  static constexpr uint32_t kStride = 1;
  template <typename Index>
  static constexpr uint32_t address(Index i) {
    return kAddress + kStride * static_cast<uint32_t>(i);
  }
};
}  // namespace link

}  // namespace ow::isa

#endif  // OW_ISA_ISA_H_
