// SPDX-License-Identifier: Apache-2.0
// The RTL's datapath (ow_datapath) as functions, for tests and for `ow fp`.
#ifndef OW_DATAPATH_H_
#define OW_DATAPATH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ow/isa/isa.h"

namespace ow::fp {

// Operations, as in rtl/tile/math/ow_datapath_pkg.sv, and formats.
enum class DpOp : uint8_t {
  kMov = 0,
  kAdd = 1,
  kSub = 2,
  kMul = 3,
  kFma = 4,
  kMax = 5,
  kMin = 6,
  kCvt = 7,
  kAnd = 8,
  kOr = 9,
  kXor = 10,
  kSll = 11,
  kSrl = 12,
  kSra = 13,
  kCmpEq = 14,
  kCmpNe = 15,
  kCmpLt = 16,
  kCmpLe = 17,
  kGate = 18,
  kDot = 24,
  kSum = 25,
  kRMax = 26,
  kRMin = 27
};
enum class DpFmt : uint8_t {
  kF16 = static_cast<uint8_t>(isa::TensorType::F16),
  kBf16 = static_cast<uint8_t>(isa::TensorType::BF16),
  kF32 = static_cast<uint8_t>(isa::TensorType::F32),
  kI16 = static_cast<uint8_t>(isa::TensorType::I16),
  kI32 = static_cast<uint8_t>(isa::TensorType::I32),
  kI8 = static_cast<uint8_t>(isa::TensorType::I8)
};

// Bits of a format.
int bits_of(DpFmt fmt);

// Operands of one element, as encodings in the low bits.
struct Operands {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
};

// The values at the datapath's input ports in one cycle.
struct Beat {
  bool valid = false;
  DpOp op = DpOp::kMov;
  DpFmt src = DpFmt::kF16;
  DpFmt dst = DpFmt::kF16;
  bool stochastic = false;
  uint32_t mask = 0;
  uint32_t i8_hi = 0;
  bool first = false;
  bool last = false;
  int base = 0;
  int back = 0;  // DpOp::kFma: 1, 2: the addend is the result of two, three cycles before
  uint32_t a[8] = {};
  uint32_t b[8] = {};
};

// The Verilated datapath. Not copyable; each object is a model of its own.
class Datapath {
 public:
  // Cycles from that in which a beat enters.
  static constexpr int kAddend = 2;  // its addends are read
  static constexpr int kResult = 5;  // its results are there
  static constexpr int kLate = 14;   // the result of a reduction is there

  explicit Datapath(int lanes = 8);  // 8, 4 or 2 lanes
  ~Datapath();
  Datapath(const Datapath&) = delete;
  Datapath& operator=(const Datapath&) = delete;

  int lanes() const;

  // One clock cycle. `beat` enters. c are the addends of the beat that entered kAddend cycles ago.
  // Returns the results of the beat that entered kResult cycles ago: 8 words, valid until the next
  // call.
  const uint32_t* cycle(const Beat& beat, const uint32_t* c);
  // The late result of the present cycle, before the next call of cycle().
  bool late(uint32_t* value) const;

  // The state of the random generator.
  void seed(const uint32_t state[4]);
  void state(uint32_t state[4]);

  // Runs elements through the lanes, as many per beat as the operation allows, and returns the
  // results in order. With gap > 0 a beat enters only every gap + 1 cycles. With a rotation the
  // elements start at another lane and leave lanes out: bits must not depend on it.
  std::vector<uint32_t> run(DpOp op, DpFmt src, DpFmt dst, const std::vector<Operands>& vectors,
                            int gap = 0, int rotation = 0, bool stochastic = false);

  // A reduction over all vectors. An int8 dot takes one element per entry, as the others do.
  uint32_t reduce(DpOp op, DpFmt src, DpFmt dst, const std::vector<Operands>& vectors);

  struct Model;

 private:
  std::unique_ptr<Model> model_;
};

// Binary32 sums a + b from the reducer's adder (ow_fp_add).
std::vector<uint32_t> run_adder(const std::vector<Operands>& vectors);

}  // namespace ow::fp

#endif  // OW_DATAPATH_H_
