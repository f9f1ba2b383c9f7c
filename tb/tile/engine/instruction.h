// SPDX-License-Identifier: Apache-2.0
// Descriptors, instructions and wavelets of the tensor engine, as its tests name them.
#pragma once

#include <array>
#include <cstdint>

#include "ow/golden/tile_ops.h"

namespace ow_engine {

constexpr uint32_t kSramBytes = 8192;
constexpr uint32_t kAcc = 0x800000;
constexpr int kThreads = 13;

enum Op {
  kMov,
  kAdd,
  kSub,
  kMul,
  kFma,
  kMax,
  kMin,
  kCvt,
  kAnd,
  kOr,
  kXor,
  kSll,
  kSrl,
  kSra,
  kAxpyw = 16,
  kDrain = 17,
  kDotw = 18,
  kCmpEq = 20,
  kCmpNe,
  kCmpLt,
  kCmpLe,
  kDot = 24,
  kSum,
  kRMax,
  kRMin,
  kGather,
  kScatter,
  kFmag,
  kRcp = 32,
  kRsqrt,
  kExp,
  kLog,
  kTanh,
  kSigmoid
};
enum Type { kF16, kBf16, kF32, kMixed, kI16, kI32, kI8, kMixedB };
enum Kind { kNone, kMem, kFabIn, kFabOut, kFifo };

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
  int code = 0;
  bool skip = false;
  bool tag = false;
  uint32_t addr = 0;
  std::array<uint16_t, 4> len{};
  std::array<int16_t, 4> step{};

  uint32_t word(int i) const {
    if (i == 0) {
      return kind | type << 4 | q << 8 | save << 11 | close << 12 | code << 13 | skip << 15 |
             tag << 16;
    }
    if (i == 1) return addr;
    return len[i - 2] | static_cast<uint32_t>(static_cast<uint16_t>(step[i - 2])) << 16;
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
    return dst | a << 5 | b << 10 | scalar << 15 | thread << 16 | prio << 20 | stoch << 21 |
           fresh << 22 | done << 24 | task << 26;
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

inline bool is_red(int op) { return op >= kDot && op <= kRMin; }
inline bool is_indexed(int op) { return op >= kGather && op <= kFmag; }
inline bool has_a(int op) { return op != kGather; }
inline bool has_b(int op) {
  return (op >= kAdd && op <= kMin) || (op >= kAnd && op <= kSra) || (op >= kCmpEq && op <= kDot) ||
         is_indexed(op);
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
