// SPDX-License-Identifier: Apache-2.0
// The RTL's floating-point datapath as a function, its operations under the names that Berkeley
// TestFloat gives them, and generators of test vectors.
#ifndef OW_FP_H_
#define OW_FP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/measure/datapath.h"

namespace ow::fp {

// The result of an operation (not a reduction) as the golden formats define it.
uint32_t golden_result(DpOp op, DpFmt src, DpFmt dst, const Operands& v);

// One operation that the datapath has.
struct Op {
  std::string name;
  int operands;  // 1 to 3
  DpOp op;       // what the datapath does
  DpFmt src;     // format of a and b
  DpFmt dst;     // format of c and of the result

  DpFmt format(int operand) const { return operand == 2 ? dst : src; }
  int bits(int operand) const { return bits_of(format(operand)); }
  int result_bits() const { return bits_of(dst); }
  // A relation: TestFloat writes 0 or 1, the datapath 0 or 1 in the operands' format.
  bool relation() const { return op >= DpOp::kCmpEq && op <= DpOp::kCmpLe; }
  bool to_integer() const { return op == DpOp::kCvt && dst >= DpFmt::kI16; }
  uint32_t golden(const Operands& v) const { return fp::golden_result(op, src, dst, v); }
};

// Every operation in every format. Arithmetic has TestFloat's names; the others have names of the
// same form (bf16_add, i16_sll, mov_f16).
const std::vector<Op>& all_ops();

// The operation of that name, or BadInput that lists the names.
const Op& find_op(const std::string& name);

// 1 in a format.
uint32_t one(DpFmt fmt);

// Whether x is a NaN of a format.
bool is_nan(uint32_t x, DpFmt fmt);

// Random operands: uniform encodings, corner cases, operands whose exponents are close to each
// other (cancellation, ties), and addends close to the product. Reproducible from the seed.
class Generator {
 public:
  Generator(const Op& op, uint64_t seed) : op_(op), rng_(seed) {}
  Operands next();

 private:
  uint32_t number(DpFmt fmt);

  const Op op_;
  Rng rng_;
};

// Encodings at the edges of a format: zeros, subnormals, ones, the largest, infinities, NaNs.
const std::vector<uint32_t>& corners(DpFmt fmt);

}  // namespace ow::fp

#endif  // OW_FP_H_
