// SPDX-License-Identifier: Apache-2.0
// The RTL's floating-point datapath behind a function call, its operations by the names of Berkeley
// TestFloat, and generators of test vectors.
#ifndef OW_FP_H_
#define OW_FP_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ow/datapath.h"

namespace ow::fp {

// One operation that the datapath has.
struct Op {
  const char* name;
  int operands;                         // 1 to 3
  DpOp op;                              // what the datapath does
  DpFmt src;                            // format of a and b
  DpFmt dst;                            // format of c and of the result
  uint32_t (*golden)(const Operands&);  // the result by the golden formats

  int bits(int operand) const { return bits_of(operand == 2 ? dst : src); }
  int result_bits() const { return bits_of(dst); }
};

const std::vector<Op>& all_ops();

// The operation of that name, or BadInput that lists the names.
const Op& find_op(const std::string& name);

// Whether x is a NaN of a format of `bits` bits.
bool is_nan(uint32_t x, int bits);

// Random operands: uniform encodings, corner cases, operands whose exponents are close to each
// other (cancellation, ties), and addends close to the product. Reproducible from the seed.
class Generator {
 public:
  Generator(const Op& op, uint64_t seed) : op_(op), rng_(seed) {}
  Operands next();

 private:
  uint32_t number(int bits);

  const Op& op_;
  std::mt19937_64 rng_;
};

// Encodings at the edges of a format: zeros, subnormals, ones, the largest, infinities, NaNs.
std::vector<uint32_t> corners(int bits);

}  // namespace ow::fp

#endif  // OW_FP_H_
