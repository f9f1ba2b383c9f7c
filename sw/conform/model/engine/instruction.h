// SPDX-License-Identifier: Apache-2.0
// Descriptors, instructions and wavelets of the tensor engine, as its tests name them.
#pragma once

#include <array>
#include <cstdint>

#include "ow/golden/tile_ops.h"
#include "ow/isa/isa.h"

namespace ow_engine {

namespace isa = ow::isa;

constexpr uint32_t kSramBytes = 8192;
constexpr uint32_t kAcc = 1u << isa::kAccAddrBit;
constexpr int kThreads = 13;
constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask;
constexpr uint32_t kStreamEnd = isa::Control::StreamEnd::kMask;
constexpr uint32_t kNeitherEnd = ~(kRowEnd | kStreamEnd);  // all else that a control wavelet has

// As numbers, which random programs may also take from elsewhere.
enum Op {
  kMov = static_cast<int>(isa::TensorOp::Mov),
  kAdd = static_cast<int>(isa::TensorOp::Add),
  kSub = static_cast<int>(isa::TensorOp::Sub),
  kMul = static_cast<int>(isa::TensorOp::Mul),
  kFma = static_cast<int>(isa::TensorOp::Fma),
  kMax = static_cast<int>(isa::TensorOp::Max),
  kMin = static_cast<int>(isa::TensorOp::Min),
  kCvt = static_cast<int>(isa::TensorOp::Cvt),
  kAnd = static_cast<int>(isa::TensorOp::And),
  kOr = static_cast<int>(isa::TensorOp::Or),
  kXor = static_cast<int>(isa::TensorOp::Xor),
  kSll = static_cast<int>(isa::TensorOp::Sll),
  kSrl = static_cast<int>(isa::TensorOp::Srl),
  kSra = static_cast<int>(isa::TensorOp::Sra),
  kGate = static_cast<int>(isa::TensorOp::Gate),
  kAxpyw = static_cast<int>(isa::TensorOp::Axpyw),
  kDrain = static_cast<int>(isa::TensorOp::Drain),
  kDotw = static_cast<int>(isa::TensorOp::Dotw),
  kCmpEq = static_cast<int>(isa::TensorOp::CmpEq),
  kCmpNe = static_cast<int>(isa::TensorOp::CmpNe),
  kCmpLt = static_cast<int>(isa::TensorOp::CmpLt),
  kCmpLe = static_cast<int>(isa::TensorOp::CmpLe),
  kDot = static_cast<int>(isa::TensorOp::Dot),
  kSum = static_cast<int>(isa::TensorOp::Sum),
  kRMax = static_cast<int>(isa::TensorOp::RMax),
  kRMin = static_cast<int>(isa::TensorOp::RMin),
  kGather = static_cast<int>(isa::TensorOp::Gather),
  kScatter = static_cast<int>(isa::TensorOp::Scatter),
  kFmag = static_cast<int>(isa::TensorOp::Fmag),
  kRcp = static_cast<int>(isa::TensorOp::Rcp),
  kRsqrt = static_cast<int>(isa::TensorOp::Rsqrt),
  kExp = static_cast<int>(isa::TensorOp::Exp),
  kLog = static_cast<int>(isa::TensorOp::Log),
  kTanh = static_cast<int>(isa::TensorOp::Tanh),
  kSigmoid = static_cast<int>(isa::TensorOp::Sigmoid)
};
enum Type {
  kF16 = static_cast<int>(isa::TensorType::F16),
  kBf16 = static_cast<int>(isa::TensorType::BF16),
  kF32 = static_cast<int>(isa::TensorType::F32),
  kMixed = static_cast<int>(isa::TensorType::Mixed),
  kI16 = static_cast<int>(isa::TensorType::I16),
  kI32 = static_cast<int>(isa::TensorType::I32),
  kI8 = static_cast<int>(isa::TensorType::I8),
  kMixedB = static_cast<int>(isa::TensorType::MixedB)
};
enum Kind {
  kNone = static_cast<int>(isa::DsrKind::None),
  kMem = static_cast<int>(isa::DsrKind::Mem),
  kFabIn = static_cast<int>(isa::DsrKind::FabricIn),
  kFabOut = static_cast<int>(isa::DsrKind::FabricOut),
  kFifo = static_cast<int>(isa::DsrKind::Fifo)
};
enum Cause {
  kIllegal = static_cast<int>(isa::EngineCause::Illegal),
  kDescriptor = static_cast<int>(isa::EngineCause::Descriptor),
  kAddress = static_cast<int>(isa::EngineCause::Address)
};

struct Wavelet {
  bool ctrl;
  uint32_t data;
  bool operator==(const Wavelet& o) const { return ctrl == o.ctrl && data == o.data; }
};

struct Dsr {
  int kind = kMem;
  int type = kF16;
  int q = 0;
  bool save = false;
  bool close = false;
  uint32_t code = 0;  // data of the control wavelet: kRowEnd, kStreamEnd
  bool skip = false;
  bool tag = false;
  uint32_t addr = 0;
  std::array<uint16_t, 4> len{};
  std::array<int16_t, 4> step{};

  uint32_t word(isa::DsrWord w) const {
    using Kind = isa::Dsr0;
    switch (w) {
      case isa::DsrWord::Kind:
        return Kind::Kind::put(kind) | Kind::Type::put(type) | Kind::Queue::put(q) |
               Kind::SaveAddress::put(save) | Kind::Close::put(close) |
               Kind::CloseRowEnd::put((code & kRowEnd) != 0) |
               Kind::CloseStreamEnd::put((code & kStreamEnd) != 0) | Kind::Skip::put(skip) |
               Kind::Tag::put(tag);
      case isa::DsrWord::Address:
        return addr;
      case isa::DsrWord::Dim0:
        return dim(0);
      case isa::DsrWord::Dim1:
        return dim(1);
      case isa::DsrWord::Dim2:
        return dim(2);
      default:
        return dim(3);
    }
  }

 private:
  uint32_t dim(size_t k) const {
    return isa::DsrDim::Length::put(len[k]) | isa::DsrDim::Step::put(step[k]);
  }
};

struct Insn {
  int op = kMov;
  int ty = kF16;
  int thread = 0;
  int dst = 0, a = 0, b = 0;
  bool scalar = false;
  int done = 0, task = 0;
  bool stoch = false, prio = false, fresh = false;
  uint32_t value = 0;

  uint32_t ctl() const {
    using Ctl = isa::TensorCtl;
    return Ctl::Dst::put(dst) | Ctl::A::put(a) | Ctl::B::put(b) | Ctl::Scalar::put(scalar) |
           Ctl::Thread::put(thread) | Ctl::Priority::put(prio) | Ctl::Stochastic::put(stoch) |
           Ctl::Fresh::put(fresh) | Ctl::Done::put(done) | Ctl::Task::put(task);
  }
};

inline Insn insn(int op, int ty, int thread, int dst, int a, int b = 31) {
  Insn i;
  i.op = op;
  i.ty = ty;
  i.thread = thread;
  i.dst = dst;
  i.a = a;
  i.b = b;
  return i;
}

inline Dsr mem(uint32_t addr, uint16_t n, int16_t step) {
  Dsr d;
  d.addr = addr;
  d.len[0] = n;
  d.step[0] = step;
  return d;
}

inline Dsr fab_in(int q, uint16_t n) {
  Dsr d;
  d.kind = kFabIn;
  d.q = q;
  d.len[0] = n;
  return d;
}

inline Dsr fab_out(int q) {
  Dsr d;
  d.kind = kFabOut;
  d.q = q;
  return d;
}

// A circular buffer of FIFO register n.
inline Dsr fifo(int n, uint32_t base, uint16_t capacity) {
  Dsr d;
  d.kind = kFifo;
  d.q = n;
  d.addr = base;
  d.len[0] = capacity;
  return d;
}

inline bool is_red(int op) { return op == kDot || op == kSum || op == kRMax || op == kRMin; }
inline bool is_indexed(int op) { return op == kGather || op == kScatter || op == kFmag; }
inline bool has_a(int op) { return op != kGather; }
inline bool has_b(int op) {
  constexpr int kOps[] = {kAdd,   kSub,   kMul,   kFma, kMax,    kMin,     kAnd,
                          kOr,    kXor,   kSll,   kSrl, kSra,    kGate,    kCmpEq,
                          kCmpNe, kCmpLt, kCmpLe, kDot, kGather, kScatter, kFmag};
  for (const int with : kOps) {
    if (op == with) return true;
  }
  return false;
}
// FAULT as a thread leaves it.
inline uint32_t fault(int thread, uint32_t cause) {
  using Fault = isa::reg::EngineFault;
  return Fault::Fault::put(1) | Fault::Thread::put(thread) | Fault::Cause::put(cause);
}
inline bool is_fma(int op) { return op == kFma || op == kFmag; }
inline int bytes_of(int type) {
  return ow::golden::type_bytes(static_cast<ow::golden::Type>(type));
}
inline int src_bytes(const Insn& i) {
  return i.ty == kMixed || i.ty == kMixedB ? 2 : bytes_of(i.ty);
}
inline int dst_bytes(const Insn& i, const Dsr& d) {
  if (i.op == kCvt || is_red(i.op)) return bytes_of(d.type);
  return i.ty == kMixed || i.ty == kMixedB ? 4 : bytes_of(i.ty);
}
inline int dst_type(const Insn& i, const Dsr& d) {
  if (i.op == kCvt || is_red(i.op)) return d.type;
  return i.ty == kMixed || i.ty == kMixedB ? kF32 : i.ty;
}

}  // namespace ow_engine
