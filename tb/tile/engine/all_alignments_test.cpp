// SPDX-License-Identifier: Apache-2.0
// The rates of docs/isa.md at all alignments of the vectors: each operand at every word of 4 bytes
// of the eight banks, with every one of the others. A vector begins with a bank's word or within
// one. Where within one it begins changes the ends alone, and
// OperationsHoldTheirRatesAtDrawnAlignments draws every element.
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "documented_rates.h"
#include "engine_bench.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

constexpr uint32_t kB = 2048, kDst = 4096;
constexpr uint32_t kSpan = 64, kStep = 4;  // the banks, in bytes
constexpr uint16_t kLength = 256;          // elements
constexpr uint16_t kInAcc = 64;

// One line of the table, of operands at these places behind kB, kDst and 0.
struct Place {
  uint32_t a, b, dst;
};

// A line of the table, and one of its operations.
class AllAlignments : public testing::TestWithParam<std::pair<size_t, int>> {
 protected:
  // The cycles that it takes, and at most. A beat more is allowed for a vector that begins within a
  // line.
  std::pair<int, int> run(Bench<VEngine8>* b, const Documented& r, int op, int type,
                          const Place& at) {
    Insn i = insn(op, type, 1, 0, 1, 2);
    i.scalar = r.source == Source::kScalar;
    const bool acc = r.result == Result::kAccumulator;
    const uint16_t n = acc ? kInAcc : kLength;
    const int bytes = src_bytes(i);
    Dsr dst;
    dst.type = r.result_type;
    dst = mem(acc ? kAcc : kDst + at.dst, n, static_cast<int16_t>(dst_bytes(i, dst)));
    dst.type = r.result_type;
    if (is_red(op)) dst.step = {};
    const auto cycles = cycles_of(b, i, dst, mem(at.a, n, static_cast<int16_t>(bytes)),
                                  mem(kB + at.b, n, static_cast<int16_t>(bytes)));
    return {static_cast<int>(cycles),
            static_cast<int>(std::ceil((n + 8) / r.rate)) + kFillAndDrain};
  }
};

TEST_P(AllAlignments, HoldTheRate) {
  const Documented r = documented()[GetParam().first];
  const int op = GetParam().second;
  const uint32_t of_b = r.source == Source::kVectors && reads_b(op) ? kSpan : kStep;
  const uint32_t of_dst = r.result == Result::kAccumulator || is_red(op) ? kStep : kSpan;
  int slow = 0, runs = 0;
  for (const int type : r.types) {
    const auto b = std::make_unique<Bench<VEngine8>>(8);
    for (uint32_t at = 0; at < kSpan; at += kStep) {
      for (uint32_t at_b = 0; at_b < of_b; at_b += kStep) {
        for (uint32_t at_dst = 0; at_dst < of_dst; at_dst += kStep) {
          const auto [cycles, most] = run(b.get(), r, op, type, {at, at_b, at_dst});
          ++runs;
          if (cycles <= most) continue;
          if (++slow <= 10) {
            std::printf("op %d type %d to %d, a %u b %u dst %u: %d cycles, not %d\n", op, type,
                        r.result_type, at, at_b, at_dst, cycles, most);
          }
        }
      }
    }
    EXPECT_EQ((*b)->fault_o, 0u) << op << " " << type;
  }
  std::printf("op %d: %d of %d alignments too slow\n", op, slow, runs);
  EXPECT_EQ(slow, 0);
}

// Those with indices take theirs from random or neighbouring places, whose banks vary by
// themselves.
std::vector<std::pair<size_t, int>> lines() {
  std::vector<std::pair<size_t, int>> out;
  const std::vector<Documented> all = documented();
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].source != Source::kVectors && all[k].source != Source::kScalar) continue;
    for (const int op : all[k].ops) out.emplace_back(k, op);
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(EngineRate, AllAlignments, testing::ValuesIn(lines()));

}  // namespace
