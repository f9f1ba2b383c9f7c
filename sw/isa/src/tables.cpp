// SPDX-License-Identifier: Apache-2.0
// Written by ow_isa_gen from sw/isa/*.yaml; `cmake --build build --target isa` writes it anew.
// clang-format off
#include "ow/isa/tables.h"

#include "ow/isa/isa.h"

namespace ow::isa {

const char* name_of(Port value) {
  switch (value) {
    case Port::North: return "n";
    case Port::East: return "e";
    case Port::South: return "s";
    case Port::West: return "w";
    case Port::Ramp: return "r";
    case Port::None: return "none";
  }
  return nullptr;
}
const char* about(Port value) {
  switch (value) {
    case Port::North: return "north";
    case Port::East: return "east";
    case Port::South: return "south";
    case Port::West: return "west";
    case Port::Ramp: return "ramp";
    case Port::None: return "none";
  }
  return nullptr;
}
const char* name_of(SwitchOp value) {
  switch (value) {
    case SwitchOp::Nop: return "nop";
    case SwitchOp::Advance: return "adv";
    case SwitchOp::Reset: return "rst";
    case SwitchOp::Teardown: return "teardown";
  }
  return nullptr;
}
const char* about(SwitchOp value) {
  switch (value) {
    case SwitchOp::Nop: return "nothing";
    case SwitchOp::Advance: return "advance";
    case SwitchOp::Reset: return "reset";
    case SwitchOp::Teardown: return "teardown";
  }
  return nullptr;
}
const char* name_of(FilterKind value) {
  switch (value) {
    case FilterKind::Counter: return "counter";
    case FilterKind::Sparse: return "sparse";
    case FilterKind::Range: return "range";
  }
  return nullptr;
}
const char* about(FilterKind value) {
  switch (value) {
    case FilterKind::Counter: return "counter";
    case FilterKind::Sparse: return "sparse counter";
    case FilterKind::Range: return "range";
  }
  return nullptr;
}
const char* name_of(PacketOp value) {
  switch (value) {
    case PacketOp::Write: return "write";
    case PacketOp::Read: return "read";
  }
  return nullptr;
}
const char* about(PacketOp value) {
  switch (value) {
    case PacketOp::Write: return "write";
    case PacketOp::Read: return "read";
  }
  return nullptr;
}
const char* name_of(PacketStatus value) {
  switch (value) {
    case PacketStatus::Done: return "done";
    case PacketStatus::Address: return "address";
    case PacketStatus::Malformed: return "malformed";
  }
  return nullptr;
}
const char* about(PacketStatus value) {
  switch (value) {
    case PacketStatus::Done: return "done";
    case PacketStatus::Address: return "address error";
    case PacketStatus::Malformed: return "malformed";
  }
  return nullptr;
}
const char* name_of(LinkDown value) {
  switch (value) {
    case LinkDown::Not: return "not";
    case LinkDown::Off: return "off";
    case LinkDown::NoSignal: return "no_signal";
    case LinkDown::Training: return "training";
    case LinkDown::Lanes: return "lanes";
    case LinkDown::PeerLanes: return "peer_lanes";
    case LinkDown::PeerReset: return "peer_reset";
  }
  return nullptr;
}
const char* about(LinkDown value) {
  switch (value) {
    case LinkDown::Not: return "it is up";
    case LinkDown::Off: return "not enabled";
    case LinkDown::NoSignal: return "the other end's marker has not been found";
    case LinkDown::Training: return "training";
    case LinkDown::Lanes: return "more faulty lanes than spares in this end's receiver";
    case LinkDown::PeerLanes: return "the same in the other end's receiver";
    case LinkDown::PeerReset: return "the other end was reset, this one was not";
  }
  return nullptr;
}
const char* name_of(LinkCause value) {
  switch (value) {
    case LinkCause::Reset: return "reset";
    case LinkCause::Command: return "command";
    case LinkCause::Errors: return "errors";
    case LinkCause::Silence: return "silence";
    case LinkCause::Handshake: return "handshake";
    case LinkCause::Peer: return "peer";
  }
  return nullptr;
}
const char* about(LinkCause value) {
  switch (value) {
    case LinkCause::Reset: return "reset";
    case LinkCause::Command: return "command";
    case LinkCause::Errors: return "too many wrong frames: noise, lanes, or the other end trains";
    case LinkCause::Silence: return "no acknowledgement in spite of replays";
    case LinkCause::Handshake: return "the other end did not follow into operation";
    case LinkCause::Peer: return "woken by the other end";
  }
  return nullptr;
}
const char* name_of(SysOp value) {
  switch (value) {
    case SysOp::Next: return "next";
    case SysOp::Dsrw: return "dsrw";
    case SysOp::Dsrr: return "dsrr";
  }
  return nullptr;
}
const char* about(SysOp value) {
  switch (value) {
    case SysOp::Next: return "sleeps until a task is ready; then x1 = its own address, x10 = the wavelet's data (0 for a local task), pc = the task's entry. A task is a C function: its `ret` comes back to `ow.next`";
    case SysOp::Dsrw: return "writes word of DSR rs1[4:0]; waits while a running thread uses the DSR";
    case SysOp::Dsrr: return "reads it back (word 1 is the advanced address if save_address was set)";
  }
  return nullptr;
}
const char* name_of(TensorOp value) {
  switch (value) {
    case TensorOp::Mov: return "mov";
    case TensorOp::Add: return "add";
    case TensorOp::Sub: return "sub";
    case TensorOp::Mul: return "mul";
    case TensorOp::Fma: return "fma";
    case TensorOp::Max: return "max";
    case TensorOp::Min: return "min";
    case TensorOp::Cvt: return "cvt";
    case TensorOp::And: return "and";
    case TensorOp::Or: return "or";
    case TensorOp::Xor: return "xor";
    case TensorOp::Sll: return "sll";
    case TensorOp::Srl: return "srl";
    case TensorOp::Sra: return "sra";
    case TensorOp::Gate: return "gate";
    case TensorOp::Axpyw: return "axpyw";
    case TensorOp::Drain: return "drain";
    case TensorOp::Dotw: return "dotw";
    case TensorOp::CmpEq: return "cmpeq";
    case TensorOp::CmpNe: return "cmpne";
    case TensorOp::CmpLt: return "cmplt";
    case TensorOp::CmpLe: return "cmple";
    case TensorOp::Dot: return "dot";
    case TensorOp::Sum: return "sum";
    case TensorOp::RMax: return "rmax";
    case TensorOp::RMin: return "rmin";
    case TensorOp::Gather: return "gather";
    case TensorOp::Scatter: return "scatter";
    case TensorOp::Fmag: return "fmag";
    case TensorOp::Rcp: return "rcp";
    case TensorOp::Rsqrt: return "rsqrt";
    case TensorOp::Exp: return "exp";
    case TensorOp::Log: return "log";
    case TensorOp::Tanh: return "tanh";
    case TensorOp::Sigmoid: return "sigmoid";
  }
  return nullptr;
}
const char* about(TensorOp value) {
  switch (value) {
    case TensorOp::Mov: return "dst = a, bits kept";
    case TensorOp::Add: return "dst = a + b, one rounding; integers modulo 2^n";
    case TensorOp::Sub: return "dst = a - b, rounded as add";
    case TensorOp::Mul: return "dst = a * b, rounded as add";
    case TensorOp::Fma: return "dst = a * b + dst, one rounding; integers modulo 2^n";
    case TensorOp::Max: return "IEEE 754-2019 maximum; integers signed";
    case TensorOp::Min: return "IEEE 754-2019 minimum; integers signed";
    case TensorOp::Cvt: return "dst = a converted to the type of dst's descriptor; funct3 names a's type; one rounding, integers saturate, NaN gives 0";
    case TensorOp::And: return "bit by bit";
    case TensorOp::Or: return "bit by bit";
    case TensorOp::Xor: return "bit by bit";
    case TensorOp::Sll: return "a shifted to the left by b modulo the width";
    case TensorOp::Srl: return "a shifted to the right, filled with zeros";
    case TensorOp::Sra: return "a shifted to the right, filled with the sign";
    case TensorOp::Gate: return "b > 0 ? a : 0, signed. It takes a delta a back through a ReLU whose output is b; i16 serves every 16-bit type";
    case TensorOp::Axpyw: return "see below";
    case TensorOp::Drain: return "see below";
    case TensorOp::Dotw: return "see below";
    case TensorOp::CmpEq: return "a = b ? 1 : 0, in the type of a";
    case TensorOp::CmpNe: return "a != b ? 1 : 0";
    case TensorOp::CmpLt: return "a < b ? 1 : 0";
    case TensorOp::CmpLe: return "a <= b ? 1 : 0";
    case TensorOp::Dot: return "sum of a * b, one result per inner vector, in dst's type";
    case TensorOp::Sum: return "sum of a";
    case TensorOp::RMax: return "largest of a";
    case TensorOp::RMin: return "smallest of a";
    case TensorOp::Gather: return "dst[i] = x[b[i]], x at the byte address rs2";
    case TensorOp::Scatter: return "x[b[i]] = a[i]; no dst";
    case TensorOp::Fmag: return "dst[i] = a[i] * x[b[i]] + dst[i], one rounding";
    case TensorOp::Rcp: return "1 / a, correctly rounded";
    case TensorOp::Rsqrt: return "1 / sqrt(a), correctly rounded";
    case TensorOp::Exp: return "e^a, correctly rounded";
    case TensorOp::Log: return "natural logarithm, correctly rounded";
    case TensorOp::Tanh: return "hyperbolic tangent, correctly rounded";
    case TensorOp::Sigmoid: return "1 / (1 + e^-a), correctly rounded";
  }
  return nullptr;
}
const char* name_of(TensorType value) {
  switch (value) {
    case TensorType::F16: return "f16";
    case TensorType::BF16: return "bf16";
    case TensorType::F32: return "f32";
    case TensorType::Mixed: return "mixed";
    case TensorType::I16: return "i16";
    case TensorType::I32: return "i32";
    case TensorType::I8: return "i8";
    case TensorType::MixedB: return "mixedb";
  }
  return nullptr;
}
const char* about(TensorType value) {
  switch (value) {
    case TensorType::F16: return "binary16";
    case TensorType::BF16: return "bfloat16";
    case TensorType::F32: return "binary32";
    case TensorType::Mixed: return "operations only: binary16 sources, binary32 addend and result";
    case TensorType::I16: return "16-bit integer";
    case TensorType::I32: return "32-bit integer";
    case TensorType::I8: return "8-bit integer";
    case TensorType::MixedB: return "operations only: bfloat16 sources, binary32 addend and result";
  }
  return nullptr;
}
const char* name_of(Done value) {
  switch (value) {
    case Done::None: return "none";
    case Done::Activate: return "activate";
    case Done::Unblock: return "unblock";
  }
  return nullptr;
}
const char* about(Done value) {
  switch (value) {
    case Done::None: return "nothing";
    case Done::Activate: return "activates it";
    case Done::Unblock: return "unblocks it";
  }
  return nullptr;
}
const char* name_of(DsrKind value) {
  switch (value) {
    case DsrKind::None: return "none";
    case DsrKind::Mem: return "mem";
    case DsrKind::FabricIn: return "fabin";
    case DsrKind::FabricOut: return "fabout";
    case DsrKind::Fifo: return "fifo";
  }
  return nullptr;
}
const char* about(DsrKind value) {
  switch (value) {
    case DsrKind::None: return "none";
    case DsrKind::Mem: return "memory";
    case DsrKind::FabricIn: return "fabric in";
    case DsrKind::FabricOut: return "fabric out";
    case DsrKind::Fifo: return "circular buffer in memory";
  }
  return nullptr;
}
const char* name_of(DsrWord value) {
  switch (value) {
    case DsrWord::Kind: return "kind";
    case DsrWord::Address: return "address";
    case DsrWord::Dim0: return "dim0";
    case DsrWord::Dim1: return "dim1";
    case DsrWord::Dim2: return "dim2";
    case DsrWord::Dim3: return "dim3";
  }
  return nullptr;
}
const char* about(DsrWord value) {
  switch (value) {
    case DsrWord::Kind: return "kind, type, queue and what goes with them";
    case DsrWord::Address: return "byte address; of a FIFO its base";
    case DsrWord::Dim0: return "dimension 0; of a FIFO its capacity";
    case DsrWord::Dim1: return "dimension 1; of a FIFO, read: elements in it";
    case DsrWord::Dim2: return "dimension 2";
    case DsrWord::Dim3: return "dimension 3";
  }
  return nullptr;
}
const char* name_of(Counter value) {
  switch (value) {
    case Counter::Beats: return "beats";
    case Counter::StallInput: return "stall_input";
    case Counter::StallOutput: return "stall_output";
    case Counter::StallRow: return "stall_row";
    case Counter::StallMemory: return "stall_memory";
    case Counter::NoWork: return "no_work";
    case Counter::ReducerElements: return "reducer_elements";
    case Counter::Instructions: return "instructions";
    case Counter::Asleep: return "asleep";
    case Counter::WaveletsIn: return "wavelets_in";
    case Counter::WaveletsOut: return "wavelets_out";
    case Counter::Weights: return "weights";
    case Counter::ReducerWait: return "reducer_wait";
  }
  return nullptr;
}
const char* about(Counter value) {
  switch (value) {
    case Counter::Beats: return "engine beats";
    case Counter::StallInput: return "cycles stalled on an input queue";
    case Counter::StallOutput: return "cycles stalled on an output queue";
    case Counter::StallRow: return "cycles stalled on an accumulator row";
    case Counter::StallMemory: return "cycles stalled on memory";
    case Counter::NoWork: return "cycles without work";
    case Counter::ReducerElements: return "reducer elements";
    case Counter::Instructions: return "instructions retired";
    case Counter::Asleep: return "cycles asleep";
    case Counter::WaveletsIn: return "wavelets in through the ramp";
    case Counter::WaveletsOut: return "wavelets out through the ramp";
    case Counter::Weights: return "weight wavelets consumed";
    case Counter::ReducerWait: return "cycles that the reducer waited";
  }
  return nullptr;
}
const char* name_of(ThreadWait value) {
  switch (value) {
    case ThreadWait::Nothing: return "nothing";
    case ThreadWait::Input: return "input";
    case ThreadWait::Output: return "output";
    case ThreadWait::Row: return "row";
    case ThreadWait::Memory: return "memory";
  }
  return nullptr;
}
const char* about(ThreadWait value) {
  switch (value) {
    case ThreadWait::Nothing: return "nothing";
    case ThreadWait::Input: return "an input queue";
    case ThreadWait::Output: return "an output queue";
    case ThreadWait::Row: return "an accumulator row";
    case ThreadWait::Memory: return "memory";
  }
  return nullptr;
}
const char* name_of(ReducerWait value) {
  switch (value) {
    case ReducerWait::Nothing: return "nothing";
    case ReducerWait::Row: return "row";
    case ReducerWait::In0: return "in0";
    case ReducerWait::In1: return "in1";
    case ReducerWait::Output: return "output";
    case ReducerWait::Memory: return "memory";
  }
  return nullptr;
}
const char* about(ReducerWait value) {
  switch (value) {
    case ReducerWait::Nothing: return "nothing";
    case ReducerWait::Row: return "a row";
    case ReducerWait::In0: return "in0";
    case ReducerWait::In1: return "in1";
    case ReducerWait::Output: return "an output queue";
    case ReducerWait::Memory: return "memory";
  }
  return nullptr;
}
const char* name_of(ErrorSource value) {
  switch (value) {
    case ErrorSource::Core: return "core";
    case ErrorSource::Engine: return "engine";
    case ErrorSource::Reducer: return "reducer";
    case ErrorSource::Ramp: return "ramp";
    case ErrorSource::Regs: return "regs";
  }
  return nullptr;
}
const char* about(ErrorSource value) {
  switch (value) {
    case ErrorSource::Core: return "the core: a trap with `mtvec` = 0 (`ebreak` ends a program and is no error)";
    case ErrorSource::Engine: return "the engine";
    case ErrorSource::Reducer: return "the reducer";
    case ErrorSource::Ramp: return "the ramp";
    case ErrorSource::Regs: return "a register access";
  }
  return nullptr;
}
const char* name_of(Trap value) {
  switch (value) {
    case Trap::FetchMisaligned: return "fetch_misaligned";
    case Trap::FetchFault: return "fetch_fault";
    case Trap::Illegal: return "illegal";
    case Trap::Breakpoint: return "breakpoint";
    case Trap::LoadMisaligned: return "load_misaligned";
    case Trap::LoadFault: return "load_fault";
    case Trap::StoreMisaligned: return "store_misaligned";
    case Trap::StoreFault: return "store_fault";
    case Trap::EcallM: return "ecall_m";
    case Trap::Stack: return "stack";
    case Trap::Text: return "text";
  }
  return nullptr;
}
const char* about(Trap value) {
  switch (value) {
    case Trap::FetchMisaligned: return "instruction address misaligned";
    case Trap::FetchFault: return "instruction access fault";
    case Trap::Illegal: return "illegal instruction";
    case Trap::Breakpoint: return "breakpoint";
    case Trap::LoadMisaligned: return "load address misaligned";
    case Trap::LoadFault: return "load access fault";
    case Trap::StoreMisaligned: return "store address misaligned";
    case Trap::StoreFault: return "store access fault";
    case Trap::EcallM: return "environment call";
    case Trap::Stack: return "stack pointer below its limit";
    case Trap::Text: return "store into program text";
  }
  return nullptr;
}
const char* name_of(EngineCause value) {
  switch (value) {
    case EngineCause::Illegal: return "illegal";
    case EngineCause::Descriptor: return "descriptor";
    case EngineCause::Address: return "address";
  }
  return nullptr;
}
const char* about(EngineCause value) {
  switch (value) {
    case EngineCause::Illegal: return "illegal operation or type";
    case EngineCause::Descriptor: return "malformed descriptor";
    case EngineCause::Address: return "address outside memory";
  }
  return nullptr;
}
const char* name_of(ReducerCause value) {
  switch (value) {
    case ReducerCause::Registers: return "bad_registers";
    case ReducerCause::Store: return "bad_store";
    case ReducerCause::Bias: return "bad_bias";
    case ReducerCause::Busy: return "busy";
  }
  return nullptr;
}
const char* about(ReducerCause value) {
  switch (value) {
    case ReducerCause::Registers: return "bad reducer registers";
    case ReducerCause::Store: return "the reducer stores outside memory";
    case ReducerCause::Bias: return "the reducer reads a bias outside memory";
    case ReducerCause::Busy: return "a reducer register was written while a drain runs";
  }
  return nullptr;
}
const char* name_of(RampCause value) {
  switch (value) {
    case RampCause::NoConsumer: return "no_consumer";
    case RampCause::Overrun: return "overrun";
    case RampCause::TwoTakers: return "two_takers";
    case RampCause::TwoQueues: return "two_queues";
  }
  return nullptr;
}
const char* about(RampCause value) {
  switch (value) {
    case RampCause::NoConsumer: return "a wavelet came in of a colour to which no input queue is bound";
    case RampCause::Overrun: return "a push into an output queue that is full, or a second one in the same cycle";
    case RampCause::TwoTakers: return "two of engine, reducer and tasks took from one input queue";
    case RampCause::TwoQueues: return "a colour was bound to a second input queue while an instruction or a drain reads the first";
  }
  return nullptr;
}
const char* name_of(RegsCause value) {
  switch (value) {
    case RegsCause::Selftest: return "selftest";
    case RegsCause::PrngBusy: return "prng_busy";
  }
  return nullptr;
}
const char* about(RegsCause value) {
  switch (value) {
    case RegsCause::Selftest: return "the core started the memory self-test";
    case RegsCause::PrngBusy: return "the state of the random generator was written while a conversion uses it";
  }
  return nullptr;
}
const char* name_of(Csr value) {
  switch (value) {
    case Csr::Mstatus: return "mstatus";
    case Csr::Misa: return "misa";
    case Csr::Mie: return "mie";
    case Csr::Mtvec: return "mtvec";
    case Csr::Mscratch: return "mscratch";
    case Csr::Mepc: return "mepc";
    case Csr::Mcause: return "mcause";
    case Csr::Mtval: return "mtval";
    case Csr::Mip: return "mip";
    case Csr::Mcycle: return "mcycle";
    case Csr::Minstret: return "minstret";
    case Csr::Mcycleh: return "mcycleh";
    case Csr::Minstreth: return "minstreth";
    case Csr::Cycle: return "cycle";
    case Csr::Instret: return "instret";
    case Csr::Cycleh: return "cycleh";
    case Csr::Instreth: return "instreth";
    case Csr::Mvendorid: return "mvendorid";
    case Csr::Marchid: return "marchid";
    case Csr::Mimpid: return "mimpid";
    case Csr::Mhartid: return "mhartid";
  }
  return nullptr;
}
const char* about(Csr value) {
  switch (value) {
    case Csr::Mstatus: return "MIE, MPIE; MPP reads 3";
    case Csr::Misa: return "RV32IM and X";
    case Csr::Mie: return "interrupt enables; there are no interrupts";
    case Csr::Mtvec: return "direct mode; 0: a trap stops the tile";
    case Csr::Mscratch: return "free";
    case Csr::Mepc: return "pc of the trap";
    case Csr::Mcause: return "its cause";
    case Csr::Mtval: return "its address or instruction";
    case Csr::Mip: return "reads 0";
    case Csr::Mcycle: return "cycles";
    case Csr::Minstret: return "instructions retired";
    case Csr::Mcycleh: return "the high word";
    case Csr::Minstreth: return "the high word";
    case Csr::Cycle: return "cycles";
    case Csr::Instret: return "instructions retired";
    case Csr::Cycleh: return "the high word";
    case Csr::Instreth: return "the high word";
    case Csr::Mvendorid: return "0";
    case Csr::Marchid: return "0";
    case Csr::Mimpid: return "0";
    case Csr::Mhartid: return "0";
  }
  return nullptr;
}
const char* name_of(HostFrame value) {
  switch (value) {
    case HostFrame::Open: return "open";
    case HostFrame::Opened: return "opened";
    case HostFrame::Data: return "data";
    case HostFrame::Ack: return "ack";
    case HostFrame::Closed: return "closed";
  }
  return nullptr;
}
const char* about(HostFrame value) {
  switch (value) {
    case HostFrame::Open: return "the host opens a session";
    case HostFrame::Opened: return "the board has opened it";
    case HostFrame::Data: return "payload";
    case HostFrame::Ack: return "an acknowledgement alone";
    case HostFrame::Closed: return "there is no such session";
  }
  return nullptr;
}
const char* name_of(HostRecord value) {
  switch (value) {
    case HostRecord::Select: return "select";
    case HostRecord::Data: return "data";
    case HostRecord::Control: return "control";
    case HostRecord::Chain: return "chain";
    case HostRecord::Status: return "status";
    case HostRecord::Report: return "report";
    case HostRecord::Room: return "room";
  }
  return nullptr;
}
const char* about(HostRecord value) {
  switch (value) {
    case HostRecord::Select: return "port, colour";
    case HostRecord::Data: return "4 bytes: a wavelet of the selected port and colour";
    case HostRecord::Control: return "4 bytes: a control wavelet of the selected port and colour";
    case HostRecord::Chain: return "to the board: end, 8 bytes of a chain's frame; to the host: 8 bytes";
    case HostRecord::Status: return "to the board: nothing; to the host: flags, 6 bytes of cycle count";
    case HostRecord::Report: return "to the board: report all queues";
    case HostRecord::Room: return "to the host: port, colour, wavelets gone and credits";
  }
  return nullptr;
}

const std::vector<EnumInfo>& enums() {
  static const std::vector<EnumInfo> list = {
    {"port", 3, "ports of a router; the ramp is the port to and from its own tile", {
      {"n", 0, "north", false, {}},
      {"e", 1, "east", false, {}},
      {"s", 2, "south", false, {}},
      {"w", 3, "west", false, {}},
      {"r", 4, "ramp", false, {}},
      {"none", 7, "none", false, {}},}},
    {"switch_op", 2, "what a command does to the switch of its colour", {
      {"nop", 0, "nothing", false, {}},
      {"adv", 1, "advance", false, {}},
      {"rst", 2, "reset", false, {}},
      {"teardown", 3, "teardown", false, {}},}},
    {"filter_kind", 2, "kinds of filters", {
      {"counter", 0, "counter", false, {}},
      {"sparse", 1, "sparse counter", false, {}},
      {"range", 2, "range", false, {}},}},
    {"packet_op", 4, "operations of requests", {
      {"write", 1, "write", false, {}},
      {"read", 2, "read", false, {}},}},
    {"packet_status", 4, "status of responses", {
      {"done", 0, "done", false, {}},
      {"address", 1, "address error", false, {}},
      {"malformed", 2, "malformed", false, {}},}},
    {"link_down", 3, "why a link is not up", {
      {"not", 0, "it is up", false, {}},
      {"off", 1, "not enabled", false, {}},
      {"no_signal", 2, "the other end's marker has not been found", false, {}},
      {"training", 3, "training", false, {}},
      {"lanes", 4, "more faulty lanes than spares in this end's receiver", false, {}},
      {"peer_lanes", 5, "the same in the other end's receiver", false, {}},
      {"peer_reset", 6, "the other end was reset, this one was not", false, {}},}},
    {"link_cause", 3, "why a link was last trained", {
      {"reset", 0, "reset", false, {}},
      {"command", 1, "command", false, {}},
      {"errors", 2, "too many wrong frames: noise, lanes, or the other end trains", false, {}},
      {"silence", 3, "no acknowledgement in spite of replays", false, {}},
      {"handshake", 4, "the other end did not follow into operation", false, {}},
      {"peer", 5, "woken by the other end", false, {}},}},
    {"sys_op", 3, "funct3 of a system instruction", {
      {"next", 0, "sleeps until a task is ready; then x1 = its own address, x10 = the wavelet's data (0 for a local task), pc = the task's entry. A task is a C function: its `ret` comes back to `ow.next`", false, {}},
      {"dsrw", 1, "writes word of DSR rs1[4:0]; waits while a running thread uses the DSR", false, {}},
      {"dsrr", 2, "reads it back (word 1 is the advanced address if save_address was set)", false, {}},}},
    {"tensor_op", 7, "funct7 of a tensor instruction", {
      {"mov", 0, "dst = a, bits kept", false, {{"types", "f16, bf16, i16, i8: 8; f32, i32: 4"}, }},
      {"add", 1, "dst = a + b, one rounding; integers modulo 2^n", false, {{"types", "f16, bf16, i16: 8; f32, i32: 4"}, }},
      {"sub", 2, "dst = a - b, rounded as add", false, {{"types", "as add"}, }},
      {"mul", 3, "dst = a * b, rounded as add", false, {{"types", "f16, bf16, i16: 8; f32, i32: 2"}, }},
      {"fma", 4, "dst = a * b + dst, one rounding; integers modulo 2^n", false, {{"types", "f16, bf16, i16: 8 (b a scalar), 5.3 (three vectors); f32, i32: 2; mixed, mixedb: 8 with dst in the accumulator cache, 4 in SRAM (3.5 if b is a vector there)"}, }},
      {"max", 5, "IEEE 754-2019 maximum; integers signed", false, {{"types", "as add"}, }},
      {"min", 6, "IEEE 754-2019 minimum; integers signed", false, {{"types", "as add"}, }},
      {"cvt", 7, "dst = a converted to the type of dst's descriptor; funct3 names a's type; one rounding, integers saturate, NaN gives 0", false, {{"types", "between f16, bf16, i8, i16: 8 (16 bits to i8: 7); to f32, i32: 4; from them to 16 bits 3.5, to i8 3.3 (in SRAM)"}, }},
      {"and", 8, "bit by bit", false, {{"types", "i16: 8; i32: 4"}, }},
      {"or", 9, "bit by bit", false, {{"types", "as and"}, }},
      {"xor", 10, "bit by bit", false, {{"types", "as and"}, }},
      {"sll", 11, "a shifted to the left by b modulo the width", false, {{"types", "i16: 8; i32: 4"}, }},
      {"srl", 12, "a shifted to the right, filled with zeros", false, {{"types", "as sll"}, }},
      {"sra", 13, "a shifted to the right, filled with the sign", false, {{"types", "as sll"}, }},
      {"gate", 14, "b > 0 ? a : 0, signed. It takes a delta a back through a ReLU whose output is b; i16 serves every 16-bit type", false, {{"types", "as and"}, }},
      {"axpyw", 16, "see below", false, {{"types", "mixed, mixedb: 8"}, }},
      {"drain", 17, "see below", false, {{"types", "f32"}, }},
      {"dotw", 18, "see below", false, {{"types", "mixed, mixedb: 8"}, }},
      {"cmpeq", 20, "a = b ? 1 : 0, in the type of a", false, {{"types", "as add"}, }},
      {"cmpne", 21, "a != b ? 1 : 0", false, {{"types", "as add"}, }},
      {"cmplt", 22, "a < b ? 1 : 0", false, {{"types", "as add"}, }},
      {"cmple", 23, "a <= b ? 1 : 0", false, {{"types", "as add"}, }},
      {"dot", 24, "sum of a * b, one result per inner vector, in dst's type", false, {{"types", "f16, bf16, i16: 8; f32: 2; i8: 16"}, }},
      {"sum", 25, "sum of a", false, {{"types", "f16, bf16, i8, i16: 8; f32, i32: 4"}, }},
      {"rmax", 26, "largest of a", false, {{"types", "f16, bf16, i8, i16: 8; f32, i32: 4"}, }},
      {"rmin", 27, "smallest of a", false, {{"types", "as rmax"}, }},
      {"gather", 28, "dst[i] = x[b[i]], x at the byte address rs2", false, {{"types", "16 bits: 8, 32 bits: 4 for neighbours; 4 and 2.8 for random indices"}, }},
      {"scatter", 29, "x[b[i]] = a[i]; no dst", false, {{"types", "as gather, but 3.5 for neighbours of 32 bits"}, }},
      {"fmag", 30, "dst[i] = a[i] * x[b[i]] + dst[i], one rounding", false, {{"types", "neighbours; random indices: f16, bf16: 5.3; 3.3; dst in the accumulator cache: mixed, mixedb: 8; 3.8, f32: 2; 1.8; in SRAM: mixed, mixedb: 2.9; 2.2, f32: 1.9; 1.4"}, }},
      {"rcp", 32, "1 / a, correctly rounded", false, {{"types", "f16, bf16: 2"}, }},
      {"rsqrt", 33, "1 / sqrt(a), correctly rounded", false, {{"types", "as rcp"}, }},
      {"exp", 34, "e^a, correctly rounded", false, {{"types", "as rcp"}, }},
      {"log", 35, "natural logarithm, correctly rounded", false, {{"types", "as rcp"}, }},
      {"tanh", 36, "hyperbolic tangent, correctly rounded", false, {{"types", "as rcp"}, }},
      {"sigmoid", 37, "1 / (1 + e^-a), correctly rounded", false, {{"types", "as rcp"}, }},}},
    {"tensor_type", 3, "element types, in funct3 and in descriptors", {
      {"f16", 0, "binary16", false, {}},
      {"bf16", 1, "bfloat16", false, {}},
      {"f32", 2, "binary32", false, {}},
      {"mixed", 3, "operations only: binary16 sources, binary32 addend and result", false, {}},
      {"i16", 4, "16-bit integer", false, {}},
      {"i32", 5, "32-bit integer", false, {}},
      {"i8", 6, "8-bit integer", false, {}},
      {"mixedb", 7, "operations only: bfloat16 sources, binary32 addend and result", false, {}},}},
    {"done", 2, "what a completion does to a task", {
      {"none", 0, "nothing", false, {}},
      {"activate", 1, "activates it", false, {}},
      {"unblock", 2, "unblocks it", false, {}},}},
    {"dsr_kind", 4, "kinds of descriptors", {
      {"none", 0, "none", false, {}},
      {"mem", 1, "memory", false, {}},
      {"fabin", 2, "fabric in", false, {}},
      {"fabout", 3, "fabric out", false, {}},
      {"fifo", 4, "circular buffer in memory", false, {}},}},
    {"dsr_word", 3, "words of a descriptor", {
      {"kind", 0, "kind, type, queue and what goes with them", false, {}},
      {"address", 1, "byte address; of a FIFO its base", false, {}},
      {"dim0", 2, "dimension 0; of a FIFO its capacity", false, {}},
      {"dim1", 3, "dimension 1; of a FIFO, read: elements in it", false, {}},
      {"dim2", 4, "dimension 2", false, {}},
      {"dim3", 5, "dimension 3", false, {}},}},
    {"counter", 4, "counters, exact although an idle tile is not clocked", {
      {"beats", 0, "engine beats", false, {}},
      {"stall_input", 1, "cycles stalled on an input queue", false, {}},
      {"stall_output", 2, "cycles stalled on an output queue", false, {}},
      {"stall_row", 3, "cycles stalled on an accumulator row", false, {}},
      {"stall_memory", 4, "cycles stalled on memory", false, {}},
      {"no_work", 5, "cycles without work", false, {}},
      {"reducer_elements", 6, "reducer elements", false, {}},
      {"instructions", 7, "instructions retired", false, {}},
      {"asleep", 8, "cycles asleep", false, {}},
      {"wavelets_in", 9, "wavelets in through the ramp", false, {}},
      {"wavelets_out", 10, "wavelets out through the ramp", false, {}},
      {"weights", 11, "weight wavelets consumed", false, {}},
      {"reducer_wait", 12, "cycles that the reducer waited", false, {}},}},
    {"thread_wait", 3, "what a thread waits for", {
      {"nothing", 0, "nothing", false, {}},
      {"input", 1, "an input queue", false, {}},
      {"output", 2, "an output queue", false, {}},
      {"row", 3, "an accumulator row", false, {}},
      {"memory", 4, "memory", false, {}},}},
    {"reducer_wait", 3, "what the reducer waits for", {
      {"nothing", 0, "nothing", false, {}},
      {"row", 1, "a row", false, {}},
      {"in0", 2, "in0", false, {}},
      {"in1", 3, "in1", false, {}},
      {"output", 4, "an output queue", false, {}},
      {"memory", 5, "memory", false, {}},}},
    {"error_source", 3, "what stopped the tile", {
      {"core", 0, "the core: a trap with `mtvec` = 0 (`ebreak` ends a program and is no error)", false, {{"unit", "0"}, }},
      {"engine", 1, "the engine", false, {{"unit", "thread"}, }},
      {"reducer", 2, "the reducer", false, {{"unit", "0"}, }},
      {"ramp", 3, "the ramp", false, {{"unit", "colour or queue"}, }},
      {"regs", 4, "a register access", false, {{"unit", "0"}, }},}},
    {"trap", 5, "trap causes of the core (mcause); 24 and up are of this machine", {
      {"fetch_misaligned", 0, "instruction address misaligned", false, {}},
      {"fetch_fault", 1, "instruction access fault", false, {}},
      {"illegal", 2, "illegal instruction", false, {}},
      {"breakpoint", 3, "breakpoint", false, {}},
      {"load_misaligned", 4, "load address misaligned", false, {}},
      {"load_fault", 5, "load access fault", false, {}},
      {"store_misaligned", 6, "store address misaligned", false, {}},
      {"store_fault", 7, "store access fault", false, {}},
      {"ecall_m", 11, "environment call", false, {}},
      {"stack", 24, "stack pointer below its limit", false, {}},
      {"text", 25, "store into program text", false, {}},}},
    {"engine_cause", 4, "faults of the engine", {
      {"illegal", 1, "illegal operation or type", false, {}},
      {"descriptor", 2, "malformed descriptor", false, {}},
      {"address", 3, "address outside memory", false, {}},}},
    {"reducer_cause", 5, "faults of the reducer", {
      {"bad_registers", 1, "bad reducer registers", false, {}},
      {"bad_store", 2, "the reducer stores outside memory", false, {}},
      {"bad_bias", 3, "the reducer reads a bias outside memory", false, {}},
      {"busy", 4, "a reducer register was written while a drain runs", false, {}},}},
    {"ramp_cause", 5, "faults of the ramp", {
      {"no_consumer", 1, "a wavelet came in of a colour to which no input queue is bound", false, {}},
      {"overrun", 2, "a push into an output queue that is full, or a second one in the same cycle", false, {}},
      {"two_takers", 3, "two of engine, reducer and tasks took from one input queue", false, {}},
      {"two_queues", 4, "a colour was bound to a second input queue while an instruction or a drain reads the first", false, {}},}},
    {"regs_cause", 5, "register accesses that stop the tile", {
      {"selftest", 1, "the core started the memory self-test", false, {}},
      {"prng_busy", 2, "the state of the random generator was written while a conversion uses it", false, {}},}},
    {"csr", 12, "control and status registers", {
      {"mstatus", 768, "MIE, MPIE; MPP reads 3", false, {{"access", "rw"}, }},
      {"misa", 769, "RV32IM and X", false, {{"access", "ro"}, }},
      {"mie", 772, "interrupt enables; there are no interrupts", false, {{"access", "rw"}, }},
      {"mtvec", 773, "direct mode; 0: a trap stops the tile", false, {{"access", "rw"}, }},
      {"mscratch", 832, "free", false, {{"access", "rw"}, }},
      {"mepc", 833, "pc of the trap", false, {{"access", "rw"}, }},
      {"mcause", 834, "its cause", false, {{"access", "rw"}, }},
      {"mtval", 835, "its address or instruction", false, {{"access", "rw"}, }},
      {"mip", 836, "reads 0", false, {{"access", "ro"}, }},
      {"mcycle", 0xB00, "cycles", false, {{"access", "rw"}, }},
      {"minstret", 0xB02, "instructions retired", false, {{"access", "rw"}, }},
      {"mcycleh", 0xB80, "the high word", false, {{"access", "rw"}, }},
      {"minstreth", 0xB82, "the high word", false, {{"access", "rw"}, }},
      {"cycle", 0xC00, "cycles", false, {{"access", "ro"}, }},
      {"instret", 0xC02, "instructions retired", false, {{"access", "ro"}, }},
      {"cycleh", 0xC80, "the high word", false, {{"access", "ro"}, }},
      {"instreth", 0xC82, "the high word", false, {{"access", "ro"}, }},
      {"mvendorid", 0xF11, "0", false, {{"access", "ro"}, }},
      {"marchid", 0xF12, "0", false, {{"access", "ro"}, }},
      {"mimpid", 0xF13, "0", false, {{"access", "ro"}, }},
      {"mhartid", 0xF14, "0", false, {{"access", "ro"}, }},}},
    {"host_frame", 3, "kinds of frames between host and board", {
      {"open", 1, "the host opens a session", false, {}},
      {"opened", 2, "the board has opened it", false, {}},
      {"data", 3, "payload", false, {}},
      {"ack", 4, "an acknowledgement alone", false, {}},
      {"closed", 5, "there is no such session", false, {}},}},
    {"host_record", 4, "records of the payload, by their first byte", {
      {"select", 1, "port, colour", false, {}},
      {"data", 2, "4 bytes: a wavelet of the selected port and colour", false, {}},
      {"control", 3, "4 bytes: a control wavelet of the selected port and colour", false, {}},
      {"chain", 4, "to the board: end, 8 bytes of a chain's frame; to the host: 8 bytes", false, {}},
      {"status", 5, "to the board: nothing; to the host: flags, 6 bytes of cycle count", false, {}},
      {"report", 6, "to the board: report all queues", false, {}},
      {"room", 7, "to the host: port, colour, wavelets gone and credits", false, {}},}},
  };
  return list;
}

const std::vector<WordInfo>& words() {
  static const std::vector<WordInfo> list = {
    {"wavelet", 39, "the unit of the fabric", {
      {"data", 0, 32, 1, "", "rw", "data"},
      {"ctrl", 32, 1, 1, "", "rw", "a control wavelet on a data colour, the tail of a packet on the control plane"},
      {"colour", 33, 5, 1, "", "rw", "colour"},
      {"valid", 38, 1, 1, "", "rw", "there is one"},}},
    {"credit", 6, "one buffer slot of the colour has been freed at the receiver", {
      {"colour", 0, 5, 1, "", "rw", "colour"},
      {"valid", 5, 1, 1, "", "rw", "there is one"},}},
    {"link", 45, "what one direction of a tile edge carries in a cycle; all zero when it carries nothing", {
      {"wavelet", 0, 39, 1, "wavelet", "rw", "a wavelet"},
      {"credit", 39, 6, 1, "credit", "rw", "a credit for the opposite direction"},}},
    {"ramp", 33, "an element of a queue of the ramp", {
      {"data", 0, 32, 1, "", "rw", "data"},
      {"ctrl", 32, 1, 1, "", "rw", "a control wavelet"},}},
    {"position", 8, "a position of a switch", {
      {"out_mask", 0, 5, 1, "", "rw", "outputs, one bit per port (N E S W ramp, lowest first)"},
      {"in_port", 5, 3, 1, "port", "rw", "input port"},}},
    {"command", 3, "a command of a control wavelet", {
      {"op", 0, 2, 1, "switch_op", "rw", "what the switch does"},
      {"noce", 2, 1, 1, "", "rw", "the router that carries it out does not give the wavelet to its ramp"},}},
    {"control", 32, "data of a control wavelet", {
      {"row_end", 0, 1, 1, "", "rw", "at the ramp, closes an accumulator row"},
      {"stream_end", 1, 1, 1, "", "rw", "at the ramp, ends the instruction that consumes the stream"},
      {"commands", 2, 3, 8, "command", "rw", "the list of commands, slot 0 first, 3 bits each"},
      {"identity", 26, 6, 1, "", "rw", "free: an identity for the control task"},}},
    {"packet_header", 32, "X header and Y header of a packet", {
      {"near_hops", 0, 12, 1, "", "rw", "hops to the first column (row) of the rectangle"},
      {"far_hops", 12, 12, 1, "", "rw", "hops to the last one"},
      {"to_edge", 30, 1, 1, "", "rw", "go on until off the grid (`near_hops`, `far_hops` ignored; responses only)"},
      {"negative", 31, 1, 1, "", "rw", "direction: 0 east (south), 1 west (north)"},}},
    {"packet_command", 32, "first word of a request at the ramp", {
      {"count", 0, 16, 1, "", "rw", "number of 32-bit words (1 to 65535)"},
      {"tag", 16, 8, 1, "", "rw", "comes back with the response"},
      {"operation", 28, 4, 1, "packet_op", "rw", "operation"},}},
    {"packet_response", 32, "the word of a response that follows its headers", {
      {"count", 0, 16, 1, "", "rw", "number of words that follow"},
      {"tag", 16, 8, 1, "", "rw", "the tag"},
      {"status", 28, 4, 1, "packet_status", "rw", "status"},}},
    {"packet_brief", 32, "a request of one word", {
      {"hops_x", 0, 12, 1, "", "rw", "hops along the row (a router counts them as those of headers)"},
      {"hops_y", 12, 12, 1, "", "rw", "hops along the column"},
      {"task_id", 24, 5, 1, "", "rw", "the task"},
      {"activate", 29, 1, 1, "", "rw", "the tile activates the task"},
      {"north", 30, 1, 1, "", "rw", "along the column to the north (0: to the south)"},
      {"west", 31, 1, 1, "", "rw", "along the row to the west (0: to the east)"},}},
    {"chain_frame", 64, "a frame of the chain after its start bit, most significant bit first", {
      {"crc", 0, 16, 1, "", "rw", "CRC over the 48 bits before it, initial value 0xFFFF"},
      {"data", 16, 32, 1, "", "rw", "data"},
      {"address", 48, 6, 1, "", "rw", "register"},
      {"write", 54, 1, 1, "", "rw", "write"},
      {"column", 55, 8, 1, "", "rw", "physical column"},
      {"answer", 63, 1, 1, "", "rw", "0 command, 1 answer"},}},
    {"tile_fuse", 15, "fuses of a physical tile. Skip counts the physical rows or columns that lie between it and its neighbour; shift is the neighbour's physical column less its own", {
      {"s_shift", 0, 3, 1, "", "rw", "shift to the south"},
      {"s_skip", 3, 2, 1, "", "rw", "skip to the south"},
      {"n_shift", 5, 3, 1, "", "rw", "shift to the north"},
      {"n_skip", 8, 2, 1, "", "rw", "skip to the north"},
      {"e_skip", 10, 2, 1, "", "rw", "skip to the east"},
      {"w_skip", 12, 2, 1, "", "rw", "skip to the west"},
      {"enable", 14, 1, 1, "", "rw", "it is a logical tile"},}},
    {"row_fuse", 6, "fuses of a physical row: the link slots of its ends, less its own number", {
      {"e_slot", 0, 3, 1, "", "rw", "of its east end"},
      {"w_slot", 3, 3, 1, "", "rw", "of its west end"},}},
    {"link_word", 38, "a wavelet in a frame", {
      {"data", 0, 32, 1, "", "rw", "data"},
      {"ctrl", 32, 1, 1, "", "rw", "control bit"},
      {"colour", 33, 5, 1, "", "rw", "its colour + 1; 0: none"},}},
    {"link_credits", 9, "credits of one colour", {
      {"colour", 0, 5, 1, "", "rw", "their colour + 1; 0: none"},
      {"count", 5, 3, 1, "", "rw", "number of credits less one"},
      {"grant", 8, 1, 1, "", "rw", "credits of the neighbour's router that pass through the link"},}},
    {"frame_first", 64, "first beat of a frame; bit 63 is the highest power of the polynomial", {
      {"word", 0, 38, 1, "link_word", "rw", "first wavelet"},
      {"credits", 38, 9, 1, "link_credits", "rw", "credits"},
      {"ack", 47, 4, 1, "", "rw", "number of the frame that this end expects next"},
      {"nack_epoch", 51, 1, 1, "", "rw", "the epoch in which the receiver saw the fault"},
      {"nack", 52, 1, 1, "", "rw", "go back: send again from `ack` on"},
      {"hint", 53, 6, 1, "", "rw", "the epoch, 111000 for 1 and 000111 for 0: readable even if one bit is wrong"},
      {"marker", 59, 5, 1, "", "rw", "11111"},}},
    {"frame_second", 64, "second beat of a frame", {
      {"crc", 0, 16, 1, "", "rw", "CRC over the 112 bits before it"},
      {"epoch", 16, 1, 1, "", "rw", "changes when the sender goes back"},
      {"seq", 17, 4, 1, "", "rw", "number of the frame"},
      {"credit", 21, 5, 1, "", "rw", "colour + 1 of one more credit; 0: none; 31: the first beat was idle"},
      {"word", 26, 38, 1, "link_word", "rw", "second wavelet"},}},
    {"link_message", 32, "message of a period of training, the same on all lanes", {
      {"done", 0, 1, 1, "", "rw", "this end's receiver has its delays and knows the faulty lanes"},
      {"ready", 1, 1, 1, "", "rw", "this end's sender uses the lane map that the other end has sent"},
      {"go", 2, 1, 1, "", "rw", "frames follow this period"},
      {"fail", 3, 1, 1, "", "rw", "this end cannot come up"},
      {"fresh", 4, 1, 1, "", "rw", "nothing was sent or taken since reset"},
      {"check", 6, 2, 1, "", "rw", "01"},
      {"g0_lo", 8, 6, 1, "", "rw", "lower faulty lane of group 0, 63 if there is none"},
      {"g0_hi", 14, 6, 1, "", "rw", "higher faulty lane of group 0"},
      {"g1_lo", 20, 6, 1, "", "rw", "the same of group 1"},
      {"g1_hi", 26, 6, 1, "", "rw", "the same of group 1"},}},
    {"link_map", 32, "faulty lanes that a lane map leaves out; 63 is none", {
      {"g0_lo", 0, 6, 1, "", "rw", "lower faulty lane of group 0"},
      {"g0_hi", 6, 6, 1, "", "rw", "higher faulty lane of group 0"},
      {"g1_lo", 12, 6, 1, "", "rw", "lower faulty lane of group 1"},
      {"g1_hi", 18, 6, 1, "", "rw", "higher faulty lane of group 1"},}},
    {"link_delays", 32, "delays of five lanes", {
      {"delay", 0, 6, 5, "", "rw", "6 bits each: [2:0] eighths of a bit, [4:3] whole bits"},}},
    {"tensor_ctl", 32, "rs1 of a tensor instruction", {
      {"dst", 0, 5, 1, "", "rw", "DSR of dst"},
      {"a", 5, 5, 1, "", "rw", "DSR of a"},
      {"b", 10, 5, 1, "", "rw", "DSR of b"},
      {"scalar", 15, 1, 1, "", "rw", "b is the scalar rs2 (for mov: a is the scalar)"},
      {"thread", 16, 4, 1, "", "rw", "thread: 0 is the task thread (the core waits for the end); 1 and up are microthreads (the core goes on, and waits only while that microthread is busy)"},
      {"prio", 20, 1, 1, "", "rw", "priority: the thread goes before others, but does not starve them"},
      {"stoch", 21, 1, 1, "", "rw", "stochastic rounding (cvt from f32 to f16 or bf16)"},
      {"fresh", 22, 1, 1, "", "rw", "fma, fmag: dst counts as +0 while the index of dimension 1 is 0, so that sums need no clearing"},
      {"done", 24, 2, 1, "done", "rw", "what a completion does to the task"},
      {"task_id", 26, 5, 1, "", "rw", "the task"},}},
    {"dsr0", 32, "word 0 of a descriptor", {
      {"kind", 0, 4, 1, "dsr_kind", "rw", "kind"},
      {"ty", 4, 3, 1, "tensor_type", "rw", "element type"},
      {"queue_no", 8, 3, 1, "", "rw", "queue (fabric kinds); FIFO register 0 to 3"},
      {"save_address", 11, 1, 1, "", "rw", "at completion the advanced address is written to word 1"},
      {"close", 12, 1, 1, "", "rw", "fabric out: append a control wavelet at the end"},
      {"close_row_end", 13, 1, 1, "", "rw", "row-end bit of that control wavelet"},
      {"close_stream_end", 14, 1, 1, "", "rw", "stream-end bit of that control wavelet"},
      {"skip", 15, 1, 1, "", "rw", "fabric out: zeros are not sent (-0 neither)"},
      {"tag", 16, 1, 1, "", "rw", "fabric, 16-bit elements: a wavelet is an index (high half) and a value"},}},
    {"dsr_address", 32, "word 1 of a descriptor", {
      {"address", 0, 24, 1, "", "rw", "byte address; bit 23 set: accumulator cache"},}},
    {"dsr_dim", 32, "words 2 to 5 of a descriptor, one per dimension", {
      {"length", 0, 16, 1, "", "rw", "length in elements; 0: not used"},
      {"step", 16, 16, 1, "", "rw", "signed step in bytes. Dimension 0: from element to element. Dimension k > 0: added each time the dimensions below have come to their end. So natural strides s_k become step_k = s_k - len_(k-1) * s_(k-1), with s_0 = step_0"},}},
    {"red_action", 32, "what the reducer does with a row", {
      {"enable", 0, 1, 1, "", "rw", "0: the row is dropped"},
      {"in0", 1, 1, 1, "", "rw", "add in0"},
      {"in0_q", 2, 3, 1, "", "rw", "in0 queue"},
      {"in1", 5, 1, 1, "", "rw", "add in1"},
      {"in1_q", 6, 3, 1, "", "rw", "in1 queue"},
      {"memory", 9, 1, 1, "", "rw", "to memory (0: to the fabric)"},
      {"out_q", 10, 3, 1, "", "rw", "output queue"},
      {"bias", 13, 1, 1, "", "rw", "add a bias"},
      {"f16", 14, 1, 1, "", "rw", "round to binary16"},
      {"relu", 15, 1, 1, "", "rw", "ReLU"},
      {"bf16", 16, 1, 1, "", "rw", "round to bfloat16 instead (sets f16 too)"},}},
  };
  return list;
}

const std::vector<SpaceInfo>& spaces() {
  static const std::vector<SpaceInfo> list = {
    {"tile", 0xF0000000, 0x900, "Offsets from the base; 32 bits each; reserved offsets and bits read 0 and ignore writes.", {
     {"ROUTE", 0x0, 24, 4, "router", "rw", false, 0, false, "the route of colour c, position 0 of its switch, and how it behaves", {
      {"position", 0, 8, 1, "position", "rw", "position 0; read: the position in effect"},
      {"enable", 8, 1, 1, "", "rw", "the colour is routed"},
      {"obey", 9, 1, 1, "", "rw", "the router carries out commands"},
      {"pop_mode", 10, 2, 1, "", "rw", "when slot 0 leaves the list: 0 never, 1 always, 2 if an advance changed the position, 3 as 2, and also if slot 0 is no command"},
      {"ring", 12, 1, 1, "", "rw", "an advance goes from the last position to position 0"},
      {"without_credits", 13, 4, 1, "", "wo", "output links (N E S W, lowest first) that start without credits"},
      {"keep_credits", 17, 4, 1, "", "wo", "input links whose credits are kept here"},
      {"set_credits", 21, 1, 1, "", "wo", "set up the credits of the colour's links"},}},
     {"SWITCH", 0x80, 24, 4, "router", "rw", false, 0, false, "the other positions of colour c", {
      {"position1", 0, 8, 1, "position", "wo", "position 1"},
      {"position2", 8, 8, 1, "position", "wo", "position 2"},
      {"position3", 16, 8, 1, "position", "wo", "position 3"},
      {"last", 24, 2, 1, "", "rw", "the last position in use"},
      {"current", 29, 2, 1, "", "rw", "the current position"},
      {"torn", 31, 1, 1, "", "rw", "torn down"},}},
     {"FILTER", 0x800, 6, 16, "router", "rw", false, 0, false, "a filter", {
      {"colour", 0, 5, 1, "", "rw", "its colour"},
      {"enable", 5, 1, 1, "", "rw", "it filters"},
      {"kind", 6, 2, 1, "filter_kind", "rw", "kind"},
      {"count_data", 8, 1, 1, "", "rw", "counts data wavelets"},
      {"count_ctrl", 9, 1, 1, "", "rw", "counts control wavelets"},
      {"filter_ctrl", 10, 1, 1, "", "rw", "may drop control wavelets"},}},
     {"FILTER_LIMITS", 0x804, 6, 16, "router", "wo", false, 0, false, "its limits", {
      {"low", 0, 16, 1, "", "wo", "limit1 or the least index"},
      {"high", 16, 16, 1, "", "wo", "max_counter, limit2 or the greatest index"},}},
     {"FILTER_COUNT", 0x808, 6, 16, "router", "rw", false, 0, false, "its count; count and limits are 0 after reset", {
      {"count", 0, 16, 1, "", "rw", "the count"},}},
     {"RT_OCCUPIED", 0x700, 1, 4, "router", "ro", false, 0, false, "bit c: colour c has wavelets in this router", {}},
     {"RT_MISROUTE", 0x704, 1, 4, "router", "ro", false, 0, false, "bit c: a wavelet of colour c came in at the wrong port", {}},
     {"RT_CONTROL", 0x708, 1, 4, "router", "ro", false, 0, false, "packets of the control plane that wait", {
      {"requests", 0, 5, 1, "", "ro", "bit p: requests from port p"},
      {"responses", 5, 4, 1, "", "ro", "bit p: responses from port p"},}},
     {"RT_TORN", 0x70C, 1, 4, "router", "ro", false, 0, false, "bit c: colour c is torn down", {}},
     {"RT_CREDITS", 0x740, 16, 4, "router", "ro", false, 0, false, "credits left towards port p (N E S W) for colour c: in word 4p + c/8, element c mod 8", {
      {"credits", 0, 4, 8, "", "ro", "4 bits per colour"},}},
     {"REQUEST", 0x7A0, 1, 4, "regs", "wo", false, 0, false, "the core sends this word as a request of one word (docs/fabric.md) and waits until it has left. Writes of the control plane have no effect", {}},
     {"INQ", 0x100, 8, 4, "ramp", "rw", false, 0, false, "what input queue q takes", {
      {"colour", 0, 5, 1, "", "rw", "its colour"},
      {"enable", 5, 1, 1, "", "rw", "it is bound"},}},
     {"OUTQ", 0x140, 8, 4, "ramp", "rw", false, 0, false, "where output queue q sends", {
      {"colour", 0, 5, 1, "", "rw", "its colour"},
      {"enable", 5, 1, 1, "", "rw", "it is bound"},}},
     {"INQ_LEVEL", 0x180, 1, 4, "ramp", "ro", false, 0, false, "wavelets in each input queue", {
      {"level", 0, 4, 8, "", "ro", "4 bits per queue"},}},
     {"OUTQ_LEVEL", 0x184, 1, 4, "ramp", "ro", false, 0, false, "wavelets in each output queue", {
      {"level", 0, 4, 8, "", "ro", "4 bits per queue"},}},
     {"PUSH", 0x1C0, 8, 8, "ramp", "wo", false, 0, false, "the core puts a data wavelet into output queue q. The write waits while the queue is full; in a small tile it also waits for its turn, one cycle in four. No running thread or drain may send to that queue. Writes of the control plane have no effect", {}},
     {"PUSH_CTRL", 0x1C4, 8, 8, "ramp", "wo", false, 0, false, "as PUSH, for a control wavelet", {}},
     {"TASK_ENTRY", 0x200, 32, 4, "tasks", "rw", false, 0, false, "address of task t", {}},
     {"TASK_ACTIVATE", 0x280, 1, 4, "tasks", "w1s", false, 0, false, "bit t: activate task t; reads the pending activations", {}},
     {"TASK_BLOCK", 0x284, 1, 4, "tasks", "w1s", false, 0, false, "bit t: block task t; reads the blocked set", {}},
     {"TASK_UNBLOCK", 0x288, 1, 4, "tasks", "w1c", false, 0, false, "bit t: unblock task t; reads the blocked set", {}},
     {"TASK_RUNNING", 0x28C, 1, 4, "tasks", "ro", false, 0, false, "the task that was dispatched last", {
      {"task_id", 0, 5, 1, "", "ro", "its number"},
      {"running", 5, 1, 1, "", "ro", "it runs"},}},
     {"TASK_PRIORITY", 0x290, 1, 4, "tasks", "rw", true, 0, false, "bit t: task t goes before the others, see below", {}},
     {"RED_ACC", 0x300, 1, 4, "reducer", "rw", true, 0, false, "the accumulator rows", {
      {"samples", 0, 16, 1, "", "rw", "samples per row (multiple of Lanes)"},
      {"ring", 16, 8, 1, "", "rw", "rows in the ring"},}},
     {"RED_COUNT", 0x304, 1, 4, "reducer", "rw", true, 0, false, "the length of a drain", {
      {"rows", 0, 16, 1, "", "rw", "rows to drain in all"},}},
     {"RED_PHASE", 0x308, 1, 4, "reducer", "rw", true, 0, false, "phases of rows; a write sets RED_START to 0", {
      {"period", 0, 16, 1, "", "rw", "1 to 65535"},
      {"pivot", 16, 16, 1, "", "rw", "the phase that EQ names"},}},
     {"RED_ACT_LT", 0x30C, 1, 4, "reducer", "rw", true, 0, false, "action (see below) while phase < pivot", {
      {"enable", 0, 1, 1, "", "rw", "0: the row is dropped"},
      {"in0", 1, 1, 1, "", "rw", "add in0"},
      {"in0_q", 2, 3, 1, "", "rw", "in0 queue"},
      {"in1", 5, 1, 1, "", "rw", "add in1"},
      {"in1_q", 6, 3, 1, "", "rw", "in1 queue"},
      {"memory", 9, 1, 1, "", "rw", "to memory (0: to the fabric)"},
      {"out_q", 10, 3, 1, "", "rw", "output queue"},
      {"bias", 13, 1, 1, "", "rw", "add a bias"},
      {"f16", 14, 1, 1, "", "rw", "round to binary16"},
      {"relu", 15, 1, 1, "", "rw", "ReLU"},
      {"bf16", 16, 1, 1, "", "rw", "round to bfloat16 instead (sets f16 too)"},}},
     {"RED_ACT_EQ", 0x310, 1, 4, "reducer", "rw", true, 0, false, "action while pivot <= phase <= pivot + more", {
      {"enable", 0, 1, 1, "", "rw", "0: the row is dropped"},
      {"in0", 1, 1, 1, "", "rw", "add in0"},
      {"in0_q", 2, 3, 1, "", "rw", "in0 queue"},
      {"in1", 5, 1, 1, "", "rw", "add in1"},
      {"in1_q", 6, 3, 1, "", "rw", "in1 queue"},
      {"memory", 9, 1, 1, "", "rw", "to memory (0: to the fabric)"},
      {"out_q", 10, 3, 1, "", "rw", "output queue"},
      {"bias", 13, 1, 1, "", "rw", "add a bias"},
      {"f16", 14, 1, 1, "", "rw", "round to binary16"},
      {"relu", 15, 1, 1, "", "rw", "ReLU"},
      {"bf16", 16, 1, 1, "", "rw", "round to bfloat16 instead (sets f16 too)"},}},
     {"RED_ACT_GT", 0x314, 1, 4, "reducer", "rw", true, 0, false, "action while phase > pivot + more", {
      {"enable", 0, 1, 1, "", "rw", "0: the row is dropped"},
      {"in0", 1, 1, 1, "", "rw", "add in0"},
      {"in0_q", 2, 3, 1, "", "rw", "in0 queue"},
      {"in1", 5, 1, 1, "", "rw", "add in1"},
      {"in1_q", 6, 3, 1, "", "rw", "in1 queue"},
      {"memory", 9, 1, 1, "", "rw", "to memory (0: to the fabric)"},
      {"out_q", 10, 3, 1, "", "rw", "output queue"},
      {"bias", 13, 1, 1, "", "rw", "add a bias"},
      {"f16", 14, 1, 1, "", "rw", "round to binary16"},
      {"relu", 15, 1, 1, "", "rw", "ReLU"},
      {"bf16", 16, 1, 1, "", "rw", "round to bfloat16 instead (sets f16 too)"},}},
     {"RED_BIAS", 0x318, 1, 4, "reducer", "rw", true, 0, false, "byte address of fp32 biases: each row whose action adds a bias takes the next one, for all its elements", {}},
     {"RED_DST", 0x31C, 1, 4, "reducer", "rw", true, 0, false, "byte address of the first stored row", {}},
     {"RED_PITCH", 0x320, 1, 4, "reducer", "rw", true, 0, false, "distance from one stored row to the next", {
      {"pitch", 0, 16, 1, "", "rw", "bytes, signed"},}},
     {"RED_STATUS", 0x324, 1, 4, "reducer", "ro", true, 0, false, "the drain", {
      {"rows", 0, 16, 1, "", "ro", "rows done"},
      {"error", 27, 1, 1, "", "ro", "bad registers (or in0 and in1 of an action are the same queue), or an address outside memory"},
      {"waits", 28, 3, 1, "reducer_wait", "ro", "what it waits for"},
      {"running", 31, 1, 1, "", "ro", "running"},}},
     {"RED_START", 0x328, 1, 4, "reducer", "rw", true, 0, false, "where the phases begin", {
      {"phase", 0, 16, 1, "", "rw", "phase of the first row, below the period"},
      {"more", 16, 16, 1, "", "rw", "phases after the pivot that count as equal to it"},}},
     {"COUNTER", 0x400, 13, 8, "regs", "ro", false, 0, false, "low word of counter k (48 bits); reading it latches the high word", {}},
     {"COUNTER_HIGH", 0x404, 13, 8, "regs", "ro", false, 0, false, "bits 47:32 as latched", {
      {"high", 0, 16, 1, "", "ro", "bits 47:32"},}},
     {"CORE_CTRL", 0x500, 1, 4, "regs", "rw", true, 0, false, "run control", {
      {"run", 0, 1, 1, "", "rw", "the core runs"},
      {"step", 1, 1, 1, "", "rw", "one instruction, then run is 0"},
      {"reset", 2, 1, 1, "", "wo", "reset the compute part, see below"},
      {"clear_queues", 3, 1, 1, "", "wo", "empty the ramp's queues, see below"},}},
     {"CORE_PC", 0x504, 1, 4, "regs", "rw", false, 0, false, "start address; reads the current pc", {}},
     {"CORE_STATUS", 0x508, 1, 4, "regs", "ro", false, 0, false, "the core", {
      {"running", 0, 1, 1, "", "ro", "running"},
      {"stopped", 1, 1, 1, "", "ro", "stopped by a trap"},
      {"asleep", 2, 1, 1, "", "ro", "asleep in ow.next or wfi"},
      {"waits_tensor", 3, 1, 1, "", "ro", "at a tensor instruction or `ow.dsrw` (waits for the engine)"},
      {"ebreak", 4, 1, 1, "", "ro", "stopped by ebreak"},
      {"cause", 8, 5, 1, "", "ro", "cause of the trap"},}},
     {"CORE_TVAL", 0x50C, 1, 4, "regs", "ro", false, 0, false, "mtval of the trap that stopped the core", {}},
     {"ENGINE_FAULT", 0x510, 1, 4, "regs", "ro", true, 0, false, "the engine's fault", {
      {"cause", 0, 4, 1, "engine_cause", "ro", "cause (docs/isa.md)"},
      {"thread", 4, 4, 1, "", "ro", "thread"},
      {"fault", 31, 1, 1, "", "ro", "there is one"},}},
     {"ERROR", 0x514, 1, 4, "regs", "ro", true, 0, false, "the first error, see below", {
      {"cause", 0, 5, 1, "", "ro", "cause"},
      {"unit", 8, 5, 1, "", "ro", "unit"},
      {"source", 16, 3, 1, "error_source", "ro", "source"},
      {"stopped", 31, 1, 1, "", "ro", "the tile is stopped by it"},}},
     {"ERROR_ADDR", 0x518, 1, 4, "regs", "ro", true, 0, false, "the address that was accessed (core: mtval), 0 if there is none", {}},
     {"ERROR_PC", 0x51C, 1, 4, "regs", "ro", true, 0, false, "pc of the instruction. For an error of the ramp that is no register access: where the core was", {}},
     {"STACK_LIMIT", 0x520, 1, 4, "regs", "rw", true, 0, false, "an arithmetic instruction of the core (lui and auipc too) traps if it sets the stack pointer (x2) below this; 0: no limit", {
      {"address", 0, 24, 1, "", "rw", "the address; a reset of the compute part also sets it to 0"},}},
     {"TEXT_LIMIT", 0x524, 1, 4, "regs", "rw", true, 0, false, "a store of the core to SRAM below this traps; 0: no limit", {
      {"address", 0, 24, 1, "", "rw", "the address; a reset of the compute part also sets it to 0"},}},
     {"THREAD", 0x600, 16, 4, "engine", "ro", false, 0, false, "state of thread t", {
      {"operation", 16, 7, 1, "tensor_op", "ro", "operation"},
      {"queue_no", 24, 4, 1, "", "ro", "the queue that it waits for"},
      {"waits", 28, 3, 1, "thread_wait", "ro", "what it waits for"},
      {"active", 31, 1, 1, "", "ro", "active"},}},
     {"ROW", 0x780, 1, 4, "regs", "rw", true, 0, false, "logical row, set by the host", {
      {"number", 0, 16, 1, "", "rw", "the row"},}},
     {"COL", 0x784, 1, 4, "regs", "rw", true, 0, false, "logical column, set by the host", {
      {"number", 0, 16, 1, "", "rw", "the column"},}},
     {"CONFIG", 0x788, 1, 4, "regs", "ro", false, 0, false, "sizes of this tile", {
      {"lanes", 0, 4, 1, "", "ro", "lanes"},
      {"threads", 4, 4, 1, "", "ro", "threads less one"},
      {"colours", 8, 5, 1, "", "ro", "data colours"},
      {"limits", 13, 1, 1, "", "ro", "STACK_LIMIT and TEXT_LIMIT are there"},
      {"banks", 14, 2, 1, "", "ro", "banks of the SRAM: 2 to the power of this"},
      {"sram", 16, 16, 1, "", "ro", "SRAM in 64-byte units"},}},
     {"FEATURES", 0x78C, 1, 4, "regs", "ro", false, 0, false, "what this tile has; an instruction that needs anything else is an illegal operation", {
      {"nonlinear", 0, 1, 1, "", "ro", "non-linear functions"},
      {"gather", 1, 1, 1, "", "ro", "gather, scatter, fmag"},
      {"fp32", 2, 1, 1, "", "ro", "arithmetic, comparisons and reductions in f32 (moves, casts and the mixed operations are always there)"},
      {"int8", 3, 1, 1, "", "ro", "i8, its moves included"},
      {"int32", 4, 1, 1, "", "ro", "i32 (moves are always there)"},
      {"stochastic", 5, 1, 1, "", "ro", "stochastic rounding"},
      {"selftest", 6, 1, 1, "", "ro", "memory self-test"},
      {"counters", 7, 1, 1, "", "ro", "all counters (0: only that of consumed weights)"},
      {"fifos", 8, 3, 1, "", "ro", "FIFO registers"},
      {"filters", 11, 3, 1, "", "ro", "filters"},
      {"positions", 14, 3, 1, "", "ro", "switch positions (1: no colour switches or obeys commands)"},
      {"queues", 17, 4, 1, "", "ro", "queues each way"},
      {"dsrs", 21, 5, 1, "", "ro", "descriptors less one"},
      {"tasks", 26, 5, 1, "", "ro", "tasks less one"},
      {"dotw_rows", 31, 1, 1, "", "ro", "row ends in dotw, and its results as rows (docs/isa.md)"},}},
     {"OPERATIONS", 0x7A4, 1, 4, "regs", "ro", false, 0, false, "operations and types of the engine; binary16 always has mov, cvt, add, sub, mul, fma", {
      {"bfloat16", 0, 1, 1, "", "ro", "bf16 and mixedb (moves are always there)"},
      {"int16", 1, 1, 1, "", "ro", "i16 (moves are always there)"},
      {"compare", 2, 1, 1, "", "ro", "max, min, comparisons"},
      {"reductions", 3, 1, 1, "", "ro", "dot, sum, rmax, rmin, dotw"},
      {"tags", 4, 1, 1, "", "ro", "tagged wavelets as an operand (sending them is always there)"},
      {"dimensions", 5, 1, 1, "", "ro", "dimensions 2 and 3 of descriptors"},}},
     {"PRNG", 0x790, 4, 4, "prng", "rw", false, 0, false, "word k of the state of the random generator (docs/numerics.md)", {}},
     {"MBIST", 0x7C0, 1, 4, "mbist", "rw", true, 0, false, "memory self-test (docs/bring-up.md). It destroys the SRAM's contents; core and engine must be at rest", {
      {"start", 0, 1, 1, "", "wo", "write 1: start"},
      {"running", 0, 1, 1, "", "ro", "running"},
      {"done", 1, 1, 1, "", "ro", "done"},
      {"failed", 8, 8, 1, "", "ro", "one bit per bank that failed"},}},
     {"MBIST_ROW", 0x7C4, 1, 4, "mbist", "ro", true, 0, false, "row of the first wrong word", {}},
     {"MBIST_BITS", 0x7C8, 1, 4, "mbist", "ro", true, 0, false, "which of its 64 bits were wrong, 31:0", {}},
     {"MBIST_BITS_HIGH", 0x7CC, 1, 4, "mbist", "ro", true, 0, false, "the same, 63:32", {}},
    }},
    {"station", 0x0, 0x40, "Registers of a station, as commands of the chain name them.", {
     {"ID", 0x0, 1, 1, "station", "ro", true, 0x4F570001, false, "a constant that identifies a station", {}},
     {"CONTROL", 0x1, 1, 1, "station", "rw", true, 0, false, "the tile", {
      {"run", 0, 1, 1, "", "rw", "0: the tile is in reset"},
      {"test", 1, 1, 1, "", "rw", "the tile's control-plane endpoint takes its requests from the station and answers to it"},}},
     {"TILE_FUSE", 0x2, 1, 1, "station", "rw", true, 0, false, "docs/wafer.md", {
      {"s_shift", 0, 3, 1, "", "rw", "shift to the south"},
      {"s_skip", 3, 2, 1, "", "rw", "skip to the south"},
      {"n_shift", 5, 3, 1, "", "rw", "shift to the north"},
      {"n_skip", 8, 2, 1, "", "rw", "skip to the north"},
      {"e_skip", 10, 2, 1, "", "rw", "skip to the east"},
      {"w_skip", 12, 2, 1, "", "rw", "skip to the west"},
      {"enable", 14, 1, 1, "", "rw", "it is a logical tile"},}},
     {"ROW_FUSE", 0x3, 1, 1, "station", "rw", true, 0, false, "of column 0", {
      {"e_slot", 0, 3, 1, "", "rw", "of its east end"},
      {"w_slot", 3, 3, 1, "", "rw", "of its west end"},}},
     {"PUSH", 0x4, 1, 1, "station", "rw", false, 0, false, "a word of a request packet", {
      {"taken", 0, 1, 1, "", "ro", "the last one has been taken"},}},
     {"PUSH_LAST", 0x5, 1, 1, "station", "wo", false, 0, false, "the last word of a packet", {}},
     {"POP", 0x6, 1, 1, "station", "ro", false, 0, false, "a word of the answer; reading takes it", {}},
     {"POP_STATE", 0x7, 1, 1, "station", "ro", false, 0, false, "the answer", {
      {"valid", 0, 1, 1, "", "ro", "a word is there"},
      {"last", 1, 1, 1, "", "ro", "it is the last"},}},
     {"SCAN", 0x8, 1, 1, "station", "rw", true, 0, false, "boundary scan", {
      {"enable", 0, 1, 1, "", "rw", "the mesh gets the pattern instead of what the tile sends"},}},
     {"PATTERN_LOW", 0x9, 1, 1, "station", "rw", true, 0, false, "bits 31:0 of the pattern; side s (N, E, S, W) sends it rotated to the left by 11 s bits", {}},
     {"PATTERN_HIGH", 0xA, 1, 1, "station", "rw", true, 0, false, "the pattern's bits from 32 on", {}},
     {"LINK", 0xB, 1, 1, "station", "rw", true, 0, false, "a word of the status of the reticle-crossing link at a side (docs/links.md): a write fetches it", {
      {"number", 0, 6, 1, "", "rw", "word"},
      {"side", 6, 2, 1, "", "rw", "side"},}},
     {"LINK_STATUS", 0xC, 1, 1, "station", "ro", false, 0, false, "the word that LINK fetched", {}},
     {"CAPTURE", 0x20, 4, 2, "station", "ro", false, 0, false, "bits 31:0 of what the mesh brings at side s", {}},
     {"CAPTURE_HIGH", 0x21, 4, 2, "station", "ro", false, 0, false, "the bits above", {}},
    }},
    {"link", 0x0, 0x40, "Status words of a link.", {
     {"STATE", 0x0, 1, 1, "link", "ro", false, 0, false, "state", {
      {"up", 0, 1, 1, "", "ro", "up"},
      {"receives", 1, 1, 1, "", "ro", "receiver in operation"},
      {"down", 3, 3, 1, "link_down", "ro", "why it is not up"},
      {"cause", 7, 3, 1, "link_cause", "ro", "cause of the last training"},
      {"trainings", 16, 16, 1, "", "ro", "trainings that succeeded"},}},
     {"REPLAYS", 0x1, 1, 1, "link", "ro", false, 0, false, "how often the sender went back", {}},
     {"WRONG", 0x2, 1, 1, "link", "ro", false, 0, false, "wrong frames received", {}},
     {"FRAMES", 0x3, 1, 1, "link", "ro", false, 0, false, "frames taken", {}},
     {"FAULTY", 0x4, 2, 2, "link", "ro", false, 0, false, "faulty lanes of group g, as the last test found them: lanes 31:0", {}},
     {"FAULTY_HIGH", 0x5, 2, 2, "link", "ro", false, 0, false, "lanes 33:32", {}},
     {"RX_MAP", 0x8, 1, 1, "link", "ro", false, 0, false, "lane map of the receiver", {
      {"g0_lo", 0, 6, 1, "", "ro", "lower faulty lane of group 0"},
      {"g0_hi", 6, 6, 1, "", "ro", "higher faulty lane of group 0"},
      {"g1_lo", 12, 6, 1, "", "ro", "lower faulty lane of group 1"},
      {"g1_hi", 18, 6, 1, "", "ro", "higher faulty lane of group 1"},}},
     {"TX_MAP", 0x9, 1, 1, "link", "ro", false, 0, false, "lane map of the sender", {
      {"g0_lo", 0, 6, 1, "", "ro", "lower faulty lane of group 0"},
      {"g0_hi", 6, 6, 1, "", "ro", "higher faulty lane of group 0"},
      {"g1_lo", 12, 6, 1, "", "ro", "lower faulty lane of group 1"},
      {"g1_hi", 18, 6, 1, "", "ro", "higher faulty lane of group 1"},}},
     {"EDGE_LOW", 0xA, 1, 1, "link", "ro", false, 0, false, "what the tile's side brings in this cycle: bits 31:0", {}},
     {"EDGE_HIGH", 0xB, 1, 1, "link", "ro", false, 0, false, "the bits above", {}},
     {"TEST_ON", 0xC, 1, 1, "link", "ro", false, 0, false, "0; a read switches the test of the tile's edge on", {}},
     {"TEST_INVERT", 0xD, 1, 1, "link", "ro", false, 0, false, "0; a read switches it on with the complement of the pattern", {}},
     {"TEST_OFF", 0xE, 1, 1, "link", "ro", false, 0, false, "0; a read switches it off", {}},
     {"DELAYS", 0x10, 14, 1, "link", "ro", false, 0, false, "delays of lanes 5 i to 5 i + 4", {
      {"delay", 0, 6, 5, "", "ro", "6 bits each: [2:0] eighths of a bit, [4:3] whole bits"},}},
    }},
  };
  return list;
}

}  // namespace ow::isa
