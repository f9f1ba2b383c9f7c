// SPDX-License-Identifier: Apache-2.0
// Each rate of docs/isa.md ("Operations" and "Engine timing") holds: an instruction takes its
// elements over the rate, and at most kFillAndDrain cycles more.
#include <cmath>
#include <cstdio>

#include "documented_rates.h"
#include "engine_bench.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

constexpr int kElements = 512;  // of a pass: an operand of 32 bits has 2 kB
constexpr int kPasses = 8;      // over the same vectors, so that the rate outweighs the ends
constexpr uint32_t kA = 0, kB = 2048 + 64, kDst = 4096 + 128, kX = 6144 + 192;
constexpr int kAccElements = 64;

// A vector with `bytes` per element that is walked over kPasses times.
Dsr again_and_again(uint32_t addr, int bytes, int n = kElements) {
  Dsr d = mem(addr, static_cast<uint16_t>(n), static_cast<int16_t>(bytes));
  d.len[1] = static_cast<uint16_t>(kPasses * kElements / n);
  d.step[1] = static_cast<int16_t>(-n * bytes);
  return d;
}

// Indices into all of x, ascending or drawn. The draw is always the same, because rates of
// different draws differ by up to 3 %.
void poke_indices(Bench<VEngine8>* b, bool random, int bytes) {
  std::mt19937 rng(1);
  const uint32_t span = (kSramBytes - kX) / bytes;
  auto next = [&](uint32_t k) { return (random ? rng() : k) % span; };
  for (uint32_t k = 0; k < kElements; k += 2) {
    const uint32_t low = next(k);
    b->poke(kB + 2 * k, next(k + 1) << 16 | low);
  }
}

int cycles_for(const Documented& r, int op, int type) {
  Bench<VEngine8> b(8);
  Insn i = insn(op, type, 1, 0, 1, 2);
  const int bytes = src_bytes(i);
  i.scalar = r.source == Source::kScalar;
  i.value = is_indexed(op) ? kX : 0;
  if (is_indexed(op)) poke_indices(&b, r.source == Source::kRandom, bytes);
  const bool to_acc = r.result == Result::kAccumulator;
  const int n = to_acc ? kAccElements : kElements;
  Dsr dst;
  dst.type = r.result_type;
  dst = again_and_again(to_acc ? kAcc : kDst, dst_bytes(i, dst), n);
  dst.type = r.result_type;
  if (is_red(op)) dst.step = {};
  const Dsr index = again_and_again(kB, is_indexed(op) ? 2 : bytes, n);
  const uint64_t cycles = cycles_of(&b, i, dst, again_and_again(kA, bytes, n), index);
  EXPECT_EQ(b->fault_o, 0u);
  return static_cast<int>(cycles);
}

// Fails if a rate is less than the document says.
TEST(EngineRate, HoldTheDocumentedRates) {
  for (const Documented& r : documented()) {
    for (const int op : r.ops) {
      for (const int type : r.types) {
        const int cycles = cycles_for(r, op, type);
        const double beats = kPasses * kElements / r.rate;
        std::printf("op %2d type %d result %d: %5d cycles, %.2f elements a cycle\n", op, type,
                    r.result_type, cycles, static_cast<double>(kPasses * kElements) / cycles);
        EXPECT_LE(cycles, std::ceil(beats) + kFillAndDrain)
            << "operation " << op << " of type " << type << ", result " << r.result_type << ", "
            << r.rate << " elements a cycle";
      }
    }
  }
}

// Cycles of an fma of three vectors in SRAM, from these addresses.
int cycles_of_three(int type, uint32_t a, uint32_t b, uint32_t dst, uint16_t n) {
  Bench<VEngine8> bench(8);
  const Insn i = insn(kFma, type, 1, 0, 1, 2);
  const int bytes = src_bytes(i);
  const int to = dst_bytes(i, Dsr());
  const auto cycles = cycles_of(&bench, i, mem(kDst / 64 * 64 + dst, n, static_cast<int16_t>(to)),
                                mem(a, n, static_cast<int16_t>(bytes)),
                                mem(kB / 64 * 64 + b, n, static_cast<int16_t>(bytes)));
  EXPECT_EQ(bench->fault_o, 0u);
  return static_cast<int>(cycles);
}

// Whatever the banks are in which the three vectors begin.
TEST(EngineRate, ThreeVectorsHoldTheirRateAtAllAlignments) {
  int slow = 0, worst = 0;
  for (uint32_t at = 0; at < 512; at++) {
    const int cycles = cycles_of_three(kF16, 8 * (at & 7), 8 * (at >> 3 & 7), 8 * (at >> 6), 1024);
    // The beats follow the lines of dst.
    const int beats = (2 * 1024 + 8 * static_cast<int>(at >> 6) % 16 + 15) / 16;
    const bool late = cycles > (3 * beats + 1) / 2 + kFillAndDrain;
    if (late) {
      std::printf("a %u b %u dst %u: %d cycles\n", 8 * (at & 7), 8 * (at >> 3 & 7), 8 * (at >> 6),
                  cycles);
    }
    slow += late;
    worst = std::max(worst, cycles);
  }
  std::printf("%d of 512 alignments too slow, at most %d cycles\n", slow, worst);
  EXPECT_EQ(slow, 0);
}

// Every line of the table with vectors in SRAM, from other addresses; at night all of them
// (all_alignments_test.cpp). A beat more is allowed for a vector that begins within a line.
TEST(EngineRate, OperationsHoldTheirRatesAtDrawnAlignments) {
  std::mt19937 rng(seed());
  int slow = 0, runs = 0;
  for (const Documented& r : documented()) {
    if (r.source != Source::kVectors || r.result != Result::kSram) continue;
    for (const int op : r.ops) {
      for (const int type : r.types) {
        for (int k = 0; k < rounds(3); k++) {
          Bench<VEngine8> b(8);
          const Insn i = insn(op, type, 1, 0, 1, 2);
          const int bytes = src_bytes(i);
          constexpr uint16_t kShort = 384;
          Dsr dst;
          dst.type = r.result_type;
          const int to = dst_bytes(i, dst);
          // Any element of the eight banks.
          const auto place = [&](int size) {
            return static_cast<uint32_t>(size) * (rng() % static_cast<uint32_t>(64 / size));
          };
          dst = mem(kDst / 64 * 64 + place(to), kShort, static_cast<int16_t>(to));
          dst.type = r.result_type;
          if (is_red(op)) dst.step = {};
          const Dsr a = mem(place(bytes), kShort, static_cast<int16_t>(bytes));
          const Dsr x = mem(kB / 64 * 64 + place(bytes), kShort, static_cast<int16_t>(bytes));
          const auto cycles = static_cast<int>(cycles_of(&b, i, dst, a, x));
          EXPECT_EQ(b->fault_o, 0u);
          const double most = std::ceil((kShort + 8) / r.rate) + kFillAndDrain;
          runs++;
          if (cycles <= most) continue;
          slow++;
          std::printf("op %d type %d to %d, a %u b %u dst %u: %d cycles, not %d\n", op, type,
                      r.result_type, a.addr % 64, x.addr % 64, dst.addr % 64, cycles,
                      static_cast<int>(most));
        }
      }
    }
  }
  std::printf("%d of %d runs too slow\n", slow, runs);
  EXPECT_EQ(slow, 0);
}

// dotw: 8 elements a beat, whatever the rows; the stream end is 2 cycles.
TEST(EngineRate, DotwTakesABeatForEightElements) {
  constexpr int kVector = 64, kRows = 20, kWavelets = 400;
  for (const int type : {kMixed, kMixedB}) {
    Bench<VEngine8> b(8);
    Dsr a = mem(kA, kVector, 2);
    a.len[1] = kRows;
    a.step[1] = 2 * kVector;
    Dsr dst = mem(kDst, 512, 4);
    dst.type = kF32;
    for (uint32_t k = 0; k < kWavelets; k++) b.in[1].push_back({false, (7 * k % kRows) << 16});
    b.in[1].push_back({true, kStreamEnd});
    Insn i = insn(kDotw, type, 1, 0, 1, 2);
    i.value = kX;
    const auto cycles = static_cast<int>(cycles_of(&b, i, dst, a, fab_in(1, 0)));
    std::printf("dotw type %d: %d cycles for %d beats\n", type, cycles, kWavelets * kVector / 8);
    EXPECT_EQ(b->fault_o, 0u);
    EXPECT_LE(cycles, kWavelets * kVector / 8 + 2 + kFillAndDrain);
  }
}

}  // namespace
