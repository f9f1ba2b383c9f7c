// SPDX-License-Identifier: Apache-2.0
// Combinational logic of single bits: nodes with up to three inputs and a truth table each.
//
// Bit `a << 2 | b << 1 | c` of a table is the output for the inputs a, b, c. This is the order of
// the AVX-512 instruction vpternlog, so the tables of the inputs themselves are 0xF0, 0xCC, 0xAA.
#ifndef OW_SIMGEN_LOGIC_H_
#define OW_SIMGEN_LOGIC_H_

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ow::simgen {

using Bit = uint32_t;  // the number of a node
constexpr Bit kFalse = 0;
constexpr Bit kTrue = 1;

constexpr uint8_t kTableA = 0xF0;
constexpr uint8_t kTableB = 0xCC;
constexpr uint8_t kTableC = 0xAA;

struct Node {
  uint8_t table = 0;
  uint8_t inputs = 0;  // 0: a constant, or a source: its value comes from outside
  std::array<Bit, 3> in{};
};

// A table with its first `n` inputs replaced by others: table(a, b, c) with a = inputs[0](a, b, c)
// and so on. The tables of inputs are over the same three variables.
uint8_t compose(uint8_t table, const std::array<uint8_t, 3>& inputs);
// Whether the table depends on input 0, 1 or 2.
bool depends(uint8_t table, int input);

// Nodes are in topological order. Equal nodes are made once, constants are propagated, inverters
// become part of the tables that read them. A node gives 0 if all its inputs are 0; what gives 1 is
// an inverter after it.
class Logic {
 public:
  Logic();

  Bit source();
  // A node with this table; the inputs may be constants, inverters, or equal.
  Bit make(uint8_t table, Bit a, Bit b = kFalse, Bit c = kFalse);

  Bit inverse(Bit a) { return make(static_cast<uint8_t>(~kTableA), a); }
  Bit all(Bit a, Bit b) { return make(kTableA & kTableB, a, b); }
  Bit any(Bit a, Bit b) { return make(kTableA | kTableB, a, b); }
  Bit differ(Bit a, Bit b) { return make(kTableA ^ kTableB, a, b); }
  Bit choose(Bit select, Bit one, Bit zero) { return make(0xCA, select, one, zero); }
  Bit sum(Bit a, Bit b, Bit c) { return make(0x96, a, b, c); }
  Bit most(Bit a, Bit b, Bit c) { return make(0xE8, a, b, c); }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(Bit bit) const { return nodes_[bit]; }
  bool is_source(Bit bit) const { return bit > kTrue && nodes_[bit].inputs == 0; }

 private:
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, std::vector<Bit>> known_;  // by a hash of table and inputs
};

}  // namespace ow::simgen

#endif  // OW_SIMGEN_LOGIC_H_
