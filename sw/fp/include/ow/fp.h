// SPDX-License-Identifier: Apache-2.0
// The RTL's floating-point datapath behind a function call, its operations by the names of Berkeley
// TestFloat, and generators of test vectors.
#ifndef OW_FP_H_
#define OW_FP_H_

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ow::fp {

// Operands of one vector, as encodings; binary16 in the low half.
struct Operands {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
};

// One operation that the datapath has.
struct Op {
  const char* name;
  int operands;                         // 1 to 3
  int operand_bits;                     // of a and b: 16 or 32
  int addend_bits;                      // of c (operations of three operands)
  int result_bits;                      // 16 or 32
  int lane_op;                          // lane_op_e
  uint32_t (*golden)(const Operands&);  // the result by the golden formats

  int bits(int operand) const { return operand == 2 ? addend_bits : operand_bits; }
};

const std::vector<Op>& all_ops();

// The operation of that name, or BadInput that lists the names.
const Op& find_op(const std::string& name);

// Whether x is a NaN of a format of `bits` bits.
bool is_nan(uint32_t x, int bits);

// The Verilated datapath. Not copyable; each object is a model of its own.
class Datapath {
 public:
  Datapath();
  ~Datapath();
  Datapath(const Datapath&) = delete;
  Datapath& operator=(const Datapath&) = delete;

  // Runs all vectors through the lane, one a cycle, and returns the results in order. With gap > 0
  // a vector enters only each gap + 1 cycles.
  std::vector<uint32_t> run(const Op& op, const std::vector<Operands>& vectors, int gap = 0);

  // Binary32 sums a + b from the reducer's adder.
  std::vector<uint32_t> run_adder(const std::vector<Operands>& vectors);

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

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
