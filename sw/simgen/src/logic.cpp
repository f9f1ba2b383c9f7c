// SPDX-License-Identifier: Apache-2.0
#include "ow/simgen/logic.h"

#include <algorithm>

namespace ow::simgen {
namespace {

constexpr std::array<uint8_t, 3> kVariables = {kTableA, kTableB, kTableC};
constexpr uint8_t kInverter = 0x0F;  // of a table's first input

uint64_t hash_of(uint8_t table, const std::array<Bit, 3>& in) {
  uint64_t x = table;
  for (const Bit bit : in) {
    x = (x ^ bit) * 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
  }
  return x;
}

}  // namespace

uint8_t compose(uint8_t table, const std::array<uint8_t, 3>& inputs) {
  unsigned result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    const unsigned a = inputs[0] >> k & 1u, b = inputs[1] >> k & 1u, c = inputs[2] >> k & 1u;
    result |= (table >> (a << 2 | b << 1 | c) & 1u) << k;
  }
  return static_cast<uint8_t>(result);
}

bool depends(uint8_t table, int input) {
  const int distance = 4 >> input;
  const uint8_t low = static_cast<uint8_t>(~kVariables[static_cast<size_t>(input)]);
  return ((table ^ (table >> distance)) & low) != 0;
}

Logic::Logic() {
  nodes_.emplace_back();
  nodes_.emplace_back();
  nodes_[kTrue].table = 0xFF;
}

Bit Logic::source() {
  nodes_.emplace_back();
  return static_cast<Bit>(nodes_.size() - 1);
}

Bit Logic::make(uint8_t table, Bit a, Bit b, Bit c) {
  // What the inputs are, as tables over up to three bits that are neither constant nor inverted.
  std::array<Bit, 3> in = {a, b, c};
  std::array<uint8_t, 3> inner{};
  for (size_t k = 0; k < 3; ++k) {
    const Node& node = nodes_[in[k]];
    if (in[k] <= kTrue) {
      inner[k] = node.table;
      in[k] = kFalse;
      continue;
    }
    const bool inverted = node.inputs == 1;
    if (inverted) in[k] = node.in[0];
    const size_t same =
        static_cast<size_t>(std::find(in.begin(), in.begin() + k, in[k]) - in.begin());
    inner[k] = inverted ? static_cast<uint8_t>(~kVariables[same]) : kVariables[same];
  }
  table = compose(table, inner);
  // The inputs that it depends on, in order.
  std::array<Bit, 3> used{};
  std::array<uint8_t, 3> from{};
  uint8_t count = 0;
  std::array<size_t, 3> order = {0, 1, 2};
  std::sort(order.begin(), order.end(), [&in](size_t x, size_t y) { return in[x] < in[y]; });
  for (const size_t k : order) {
    if (!depends(table, static_cast<int>(k))) continue;
    from[k] = kVariables[count];
    used[count++] = in[k];
  }
  table = compose(table, from);
  if (count == 0) return (table & 1) != 0 ? kTrue : kFalse;
  if (count == 1 && table == kTableA) return used[0];
  const bool inverted = (table & 1) != 0 && count > 1;
  if (inverted) table = static_cast<uint8_t>(~table);
  std::vector<Bit>& alike = known_[hash_of(table, used)];
  Bit bit = kFalse;
  for (const Bit other : alike) {
    if (nodes_[other].table == table && nodes_[other].in == used) bit = other;
  }
  if (bit == kFalse) {
    bit = static_cast<Bit>(nodes_.size());
    nodes_.push_back({table, count, used});
    alike.push_back(bit);
  }
  return inverted ? make(kInverter, bit) : bit;
}

}  // namespace ow::simgen
