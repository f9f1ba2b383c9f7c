// SPDX-License-Identifier: Apache-2.0
// The RTL's datapath against the golden formats: every operation in every format, corner cases in
// all combinations and random operands, with 8, 4 and 2 lanes; casts with stochastic rounding; the
// reducer's adder. OW_SEED and OW_COUNT in the environment set the seed and the vectors per
// operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "options.h"
#include "ow/base/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"
#include "ow/measure/fp.h"

namespace ow::fp {
namespace {

uint64_t seed() { return test_option("OW_SEED", 1); }

void check(const Op& op, const std::vector<Operands>& vectors, const std::vector<uint32_t>& got) {
  ASSERT_EQ(vectors.size(), got.size());
  int bad = 0;
  for (size_t i = 0; i < vectors.size() && bad < 10; ++i) {
    const Operands& v = vectors[i];
    const uint32_t want = op.golden(v);
    if (got[i] != want) {
      ADD_FAILURE() << op.name << std::hex << " a " << v.a << " b " << v.b << " c " << v.c
                    << ": RTL " << got[i] << ", golden " << want;
      ++bad;
    }
  }
}

class DatapathTest : public testing::TestWithParam<int> {
 protected:
  const Op& op() const { return all_ops()[static_cast<size_t>(GetParam())]; }
  void run(Datapath& datapath, const std::vector<Operands>& vectors, int gap, int rotation) {
    check(op(), vectors, datapath.run(op().op, op().src, op().dst, vectors, gap, rotation));
  }
};

TEST_P(DatapathTest, GivesGoldenBits) {
  // Corner cases in all combinations. Bits above the format are noise that must not matter.
  const std::vector<uint32_t> one = {0};
  const std::vector<uint32_t>& xs = corners(op().src);
  const std::vector<uint32_t>& ys = op().operands > 1 ? xs : one;
  const std::vector<uint32_t>& zs = op().operands > 2 ? corners(op().dst) : one;
  std::vector<Operands> vectors;
  for (uint32_t a : xs) {
    for (uint32_t b : ys) {
      for (uint32_t c : zs) vectors.push_back({a, b, c});
    }
  }
  if (op().operands == 1 && bits_of(op().src) <= 16) {
    vectors.clear();
    for (uint32_t x = 0; x < 1u << bits_of(op().src); ++x) vectors.push_back({x, 0, 0});
  }
  Generator generator(op(), seed());
  const uint64_t count = test_option("OW_COUNT", 50000);
  for (uint64_t i = 0; i < count; ++i) vectors.push_back(generator.next());
  Datapath datapath(8);
  run(datapath, vectors, 0, 0);

  vectors.resize(std::min<size_t>(vectors.size(), 4000));
  for (int i = 0; i < 6000; ++i) vectors.push_back(generator.next());
  for (int lanes : {4, 2}) {
    Datapath narrow(lanes);
    run(narrow, vectors, 0, 0);
    run(narrow, vectors, 1, 3);
  }
  vectors.resize(3000);
  run(datapath, vectors, 1, 0);  // bubbles, lanes without elements
  run(datapath, vectors, 0, 1);
  run(datapath, vectors, 2, 5);
  for (Operands& v : vectors) {
    const uint64_t noise = 0x9E3779B97F4A7C15ull * (v.a + 3 * v.b + 1);
    if (op().bits(0) < 32) {
      v.a |= static_cast<uint32_t>(noise) << op().bits(0);
      v.b |= static_cast<uint32_t>(noise >> 20) << op().bits(0);
    }
    if (op().bits(2) < 32) v.c |= static_cast<uint32_t>(noise >> 40) << op().bits(2);
  }
  const std::vector<uint32_t> got = datapath.run(op().op, op().src, op().dst, vectors);
  for (size_t i = 0; i < vectors.size(); ++i) {
    const auto mask = [](uint32_t x, int bits) { return bits == 32 ? x : x & ((1u << bits) - 1); };
    const Operands v = {mask(vectors[i].a, op().bits(0)), mask(vectors[i].b, op().bits(0)),
                        mask(vectors[i].c, op().bits(2))};
    ASSERT_EQ(got[i], op().golden(v)) << op().name << " with noise above the format";
  }
}

std::string op_name(const testing::TestParamInfo<int>& info) {
  return all_ops()[static_cast<size_t>(info.param)].name;
}
INSTANTIATE_TEST_SUITE_P(Ops, DatapathTest, testing::Range(0, static_cast<int>(all_ops().size())),
                         op_name);

// xoshiro128+ as its authors define it.
class Xoshiro {
 public:
  explicit Xoshiro(const uint32_t state[4]) : s_{state[0], state[1], state[2], state[3]} {}
  uint32_t next() {
    const uint32_t result = s_[0] + s_[3];
    const uint32_t t = s_[1] << 9;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = s_[3] << 11 | s_[3] >> 21;
    return result;
  }
  const uint32_t* state() const { return s_; }

 private:
  uint32_t s_[4];
};

TEST(Stochastic, CastsTakeOneNumberAnElementWhateverTheLanes) {
  const uint32_t state[4] = {1, 2, 3, 4};
  for (DpFmt dst : {DpFmt::kF16, DpFmt::kBf16}) {
    const Op& op = find_op(dst == DpFmt::kF16 ? "f32_to_f16" : "f32_to_bf16");
    Generator generator(op, seed());
    std::vector<Operands> vectors;
    for (uint32_t x : corners(DpFmt::kF32)) vectors.push_back({x, 0, 0});
    for (int i = 0; i < 30000; ++i) vectors.push_back(generator.next());
    Xoshiro random(state);
    std::vector<uint32_t> want;
    for (const Operands& v : vectors) {
      const auto r = static_cast<uint16_t>(random.next() >> 16);
      want.push_back(dst == DpFmt::kF16 ? golden::exact::f32_to_f16_stochastic(v.a, r)
                                        : golden::exact::f32_to_bf16_stochastic(v.a, r));
    }
    for (int lanes : {8, 4, 2}) {
      for (int rotation : {0, 1}) {
        Datapath datapath(lanes);
        datapath.seed(state);
        const std::vector<uint32_t> got =
            datapath.run(op.op, op.src, op.dst, vectors, rotation, rotation, true);
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_EQ(got[i], want[i]) << op.name << " of " << vectors[i].a << ", lanes " << lanes;
        }
        uint32_t end[4];
        datapath.state(end);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(end[i], random.state()[i]);
      }
    }
  }
}

TEST(Stochastic, OtherCastsTakeNone) {
  const uint32_t state[4] = {1, 2, 3, 4};
  Datapath datapath;
  datapath.seed(state);
  std::vector<Operands> vectors(100, Operands{0x3F812345, 0, 0});
  datapath.run(DpOp::kCvt, DpFmt::kF32, DpFmt::kF16, vectors, 0, 0, false);
  datapath.run(DpOp::kCvt, DpFmt::kF32, DpFmt::kI16, vectors, 0, 0, true);
  datapath.run(DpOp::kMov, DpFmt::kF32, DpFmt::kF32, vectors, 0, 0, true);
  uint32_t end[4];
  datapath.state(end);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(end[i], state[i]);
}

// A state of zeros gives zeros for ever, so a conversion truncates.
TEST(Stochastic, AStateOfZerosTruncates) {
  const uint32_t zeros[4] = {};
  Datapath datapath;
  datapath.seed(zeros);
  const std::vector<Operands> vectors = {
      {0x3F801FFF, 0, 0}, {0xBF801FFF, 0, 0}, {0x477FFFFF, 0, 0}, {0x3F803FFF, 0, 0}};
  EXPECT_EQ(datapath.run(DpOp::kCvt, DpFmt::kF32, DpFmt::kF16, vectors, 0, 0, true),
            (std::vector<uint32_t>{0x3C00, 0xBC00, 0x7BFF, 0x3C01}));
}

// Reductions by their definition: partial results, the fixed tree, one rounding.
uint32_t reduce(DpOp op, DpFmt src, DpFmt dst, const std::vector<Operands>& v) {
  const bool ints = src == DpFmt::kI8 || src == DpFmt::kI16 || src == DpFmt::kI32;
  const DpFmt work = ints ? DpFmt::kI32 : DpFmt::kF32;
  DpOp join = DpOp::kAdd;
  uint32_t start = 0;
  if (op == DpOp::kRMax) join = DpOp::kMax, start = ints ? 0x80000000 : 0xFF800000;
  if (op == DpOp::kRMin) join = DpOp::kMin, start = ints ? 0x7FFFFFFF : 0x7F800000;
  std::vector<uint32_t> p(golden::kPartials, start);
  for (size_t i = 0; i < v.size(); ++i) {
    uint32_t& sum = p[i % p.size()];
    const uint32_t x = src == work ? v[i].a : golden_result(DpOp::kCvt, src, work, {v[i].a, 0, 0});
    if (op != DpOp::kDot) {
      sum = golden_result(join, work, work, {sum, x, 0});
    } else if (ints) {
      const uint32_t y = golden_result(DpOp::kCvt, src, work, {v[i].b, 0, 0});
      sum += x * y;
    } else {
      sum = golden_result(DpOp::kFma, src, DpFmt::kF32, {v[i].a, v[i].b, sum});
    }
  }
  const auto plus = [&](uint32_t x, uint32_t y) {
    return golden_result(join, work, work, {x, y, 0});
  };
  for (size_t half = p.size() / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) p[i] = plus(p[i], p[i + half]);
  }
  const uint32_t s = p[0];
  if (dst == work) return s;
  if (ints) return bits_of(dst) == 32 ? s : s & ((1u << bits_of(dst)) - 1);
  return golden_result(DpOp::kCvt, work, dst, {s, 0, 0});
}

struct Reduction {
  DpOp op;
  DpFmt src;
  DpFmt dst;
};

std::vector<Reduction> reductions() {
  std::vector<Reduction> all;
  for (DpOp op : {DpOp::kDot, DpOp::kSum, DpOp::kRMax, DpOp::kRMin}) {
    for (DpFmt src : {DpFmt::kF16, DpFmt::kBf16, DpFmt::kF32}) {
      for (DpFmt dst : {DpFmt::kF16, DpFmt::kBf16, DpFmt::kF32}) all.push_back({op, src, dst});
    }
    for (DpFmt src : {DpFmt::kI8, DpFmt::kI16, DpFmt::kI32}) {
      if (op == DpOp::kDot && src == DpFmt::kI32) continue;
      if (src != DpFmt::kI32) all.push_back({op, src, src});
      all.push_back({op, src, DpFmt::kI32});
    }
  }
  return all;
}

TEST(Reductions, GiveGoldenBitsWhateverTheLanes) {
  std::mt19937_64 rng(seed());
  for (int lanes : {8, 4, 2}) {
    Datapath datapath(lanes);
    for (const Reduction& r : reductions()) {
      // Operands as those of an addition or multiplication in the source's format.
      Generator generator({"", 2, DpOp::kMul, r.src, r.src}, rng());
      for (int round = 0; round < 60; ++round) {
        const size_t n = round < 20 ? static_cast<size_t>(round) + 1 : 1 + rng() % 100;
        std::vector<Operands> v;
        for (size_t i = 0; i < n; ++i) {
          Operands x = generator.next();
          // Mostly without infinities and NaNs, which would hide the other operands.
          const bool floats = r.src == DpFmt::kF16 || r.src == DpFmt::kBf16 || r.src == DpFmt::kF32;
          if (floats && round % 4 != 0) {
            const uint32_t top = r.src == DpFmt::kF32 ? 1u << 30 : 1u << 14;
            x.a &= ~(top >> 1);
            x.b &= ~(top >> 2);
          }
          v.push_back(x);
        }
        ASSERT_EQ(datapath.reduce(r.op, r.src, r.dst, v), reduce(r.op, r.src, r.dst, v))
            << "operation " << static_cast<int>(r.op) << ", source " << static_cast<int>(r.src)
            << ", result " << static_cast<int>(r.dst) << ", lanes " << lanes << ", " << n
            << " elements";
      }
    }
  }
}

// Short vectors back to back: a result every RED_INTERVAL cycles, other operations in between.
TEST(Reductions, EndEachFourCycles) {
  constexpr int kInterval = 4;  // RED_INTERVAL
  std::mt19937_64 rng(seed());
  const Op& mul = find_op("f16_mul");
  Generator generator(mul, 9);
  Datapath datapath(8);
  struct Expected {
    int cycle;
    uint32_t value;
  };
  std::vector<Expected> expected;
  size_t seen = 0;
  int cycle = 0;
  uint32_t zero[8] = {};
  // Results of the other operation that are under way.
  std::vector<std::vector<uint32_t>> pending(Datapath::kResult);
  const auto step = [&](const Beat& beat) {
    uint32_t value;
    if (datapath.late(&value)) {
      ASSERT_LT(seen, expected.size());
      EXPECT_EQ(cycle, expected[seen].cycle);
      EXPECT_EQ(value, expected[seen].value);
      ++seen;
    }
    const uint32_t* got = datapath.cycle(beat, zero);
    for (size_t l = 0; l < pending.back().size(); ++l) EXPECT_EQ(got[l], pending.back()[l]);
    pending.pop_back();
    pending.insert(pending.begin(), std::vector<uint32_t>{});
    if (beat.op == DpOp::kMul && beat.valid) {
      for (int l = 0; l < 8; ++l) pending[0].push_back(mul.golden({beat.a[l], beat.b[l], 0}));
    }
    ++cycle;
  };
  int last_end = -kInterval;
  for (int i = 0; i < 500; ++i) {
    const int beats = 1 + static_cast<int>(rng() % 6);
    std::vector<Operands> v;
    for (int k = 0; k < beats; ++k) {
      // Other operations between the beats, and before the last beat as many as it must wait for.
      while (rng() % 4 == 0 || (k == beats - 1 && cycle < last_end + kInterval)) {
        Beat other;
        other.valid = rng() % 4 != 0;
        other.op = DpOp::kMul;
        other.mask = 0xFF;
        for (int l = 0; l < 8; ++l) {
          const Operands x = generator.next();
          other.a[l] = x.a;
          other.b[l] = x.b;
        }
        step(other);
      }
      Beat beat;
      beat.valid = true;
      beat.op = DpOp::kDot;
      beat.dst = DpFmt::kF32;
      beat.mask = 0xFF;
      beat.first = k == 0;
      beat.last = k == beats - 1;
      beat.base = k * 8 % static_cast<int>(golden::kPartials);
      for (int l = 0; l < 8; ++l) {
        const Operands x = generator.next();
        beat.a[l] = x.a & 0xBFFF;
        beat.b[l] = x.b & 0xBFFF;
        v.push_back({beat.a[l], beat.b[l], 0});
      }
      if (beat.last) {
        last_end = cycle;
        expected.push_back(
            {cycle + Datapath::kLate, reduce(DpOp::kDot, DpFmt::kF16, DpFmt::kF32, v)});
      }
      step(beat);
    }
  }
  for (int i = 0; i < 20; ++i) step(Beat{});
  EXPECT_EQ(seen, expected.size());
}

// A sum that feeds itself. The addend is the result of the beat two or three cycles before. If that
// has had time to be stored, it comes from outside.
TEST(Accumulation, ResultsAreAddendsTwoCyclesLater) {
  std::mt19937_64 rng(seed());
  for (DpFmt src : {DpFmt::kF16, DpFmt::kBf16}) {
    for (int distance = 2; distance <= 5; ++distance) {
      Datapath datapath(8);
      Generator generator({"", 2, DpOp::kMul, src, src}, rng());
      std::array<uint32_t, 8> sum{};                            // the golden sum
      std::vector<std::array<uint32_t, 8>> stored(64 * 8 + 8);  // result by cycle
      std::vector<std::array<uint32_t, 8>> want(stored.size());
      for (int cycle = 0; cycle < 64 * 8; ++cycle) {
        Beat beat;
        beat.valid = cycle % distance == 0;
        beat.op = DpOp::kFma;
        beat.src = src;
        beat.dst = DpFmt::kF32;
        beat.mask = 0xFF;
        const int turn = cycle / distance % 16;
        beat.back = turn == 0 ? 0 : distance == 2 ? 1 : distance == 3 ? 2 : 0;
        std::array<uint32_t, 8> c{};
        const int reads = cycle - Datapath::kAddend;  // the beat that reads its addend now
        if (reads >= 0 && reads % distance == 0) {
          if (reads / distance % 16 == 0) {
            c.fill(0);
          } else if (distance > 3) {
            c = stored[static_cast<size_t>(reads - distance + Datapath::kResult)];
          } else {
            for (uint32_t& x : c) x = static_cast<uint32_t>(rng());  // not used
          }
        }
        for (size_t l = 0; l < 8 && beat.valid; ++l) {
          const Operands x = generator.next();
          beat.a[l] = x.a & ~0x4000u;
          beat.b[l] = x.b & ~0x4000u;
          if (turn == 0) sum[l] = 0;
          sum[l] = golden_result(DpOp::kFma, src, DpFmt::kF32, {beat.a[l], beat.b[l], sum[l]});
          want[static_cast<size_t>(cycle + Datapath::kResult)][l] = sum[l];
        }
        const uint32_t* got = datapath.cycle(beat, c.data());
        std::copy(got, got + 8, stored[static_cast<size_t>(cycle)].begin());
        if (cycle >= Datapath::kResult && (cycle - Datapath::kResult) % distance == 0) {
          ASSERT_EQ(stored[static_cast<size_t>(cycle)], want[static_cast<size_t>(cycle)])
              << "distance " << distance << ", cycle " << cycle;
        }
      }
    }
  }
}

// The golden model of the tile's operations is a second definition of the same results.
golden::Type type_of(DpFmt fmt) { return static_cast<golden::Type>(fmt); }

golden::Op tile_op(DpOp op) {
  static const std::map<DpOp, golden::Op> kOps = {
      {DpOp::kMov, golden::Op::Mov},     {DpOp::kAdd, golden::Op::Add},
      {DpOp::kSub, golden::Op::Sub},     {DpOp::kMul, golden::Op::Mul},
      {DpOp::kFma, golden::Op::Fma},     {DpOp::kMax, golden::Op::Max},
      {DpOp::kMin, golden::Op::Min},     {DpOp::kCvt, golden::Op::Cvt},
      {DpOp::kAnd, golden::Op::And},     {DpOp::kOr, golden::Op::Or},
      {DpOp::kXor, golden::Op::Xor},     {DpOp::kSll, golden::Op::Sll},
      {DpOp::kSrl, golden::Op::Srl},     {DpOp::kSra, golden::Op::Sra},
      {DpOp::kGate, golden::Op::Gate},   {DpOp::kCmpEq, golden::Op::CmpEq},
      {DpOp::kCmpNe, golden::Op::CmpNe}, {DpOp::kCmpLt, golden::Op::CmpLt},
      {DpOp::kCmpLe, golden::Op::CmpLe}, {DpOp::kDot, golden::Op::Dot},
      {DpOp::kSum, golden::Op::Sum},     {DpOp::kRMax, golden::Op::RMax},
      {DpOp::kRMin, golden::Op::RMin}};
  return kOps.at(op);
}

TEST(TileOperations, AreTheSameInGolden) {
  for (const Op& op : all_ops()) {
    Generator generator(op, 11);
    golden::Type type = type_of(op.src);
    if (op.op == DpOp::kFma && op.src == DpFmt::kF16 && op.dst == DpFmt::kF32) {
      type = golden::Type::Mixed;
    }
    if (op.op == DpOp::kFma && op.src == DpFmt::kBf16 && op.dst == DpFmt::kF32) {
      type = golden::Type::MixedB;
    }
    for (int i = 0; i < 3000; ++i) {
      const Operands v = generator.next();
      const uint32_t x = op.op == DpOp::kCvt ? golden::convert(type, type_of(op.dst), v.a)
                                             : golden::apply(tile_op(op.op), type, v.a, v.b, v.c);
      ASSERT_EQ(x, op.golden(v)) << op.name << std::hex << " " << v.a << " " << v.b << " " << v.c;
    }
  }
}

TEST(TileOperations, ReductionsAreTheSameInGolden) {
  std::mt19937_64 rng(12);
  for (const Reduction& r : reductions()) {
    Generator generator({"", 2, DpOp::kMul, r.src, r.src}, rng());
    for (int round = 0; round < 100; ++round) {
      std::vector<Operands> v;
      std::vector<uint32_t> a, b;
      for (size_t i = 1 + rng() % 40; i > 0; --i) {
        v.push_back(generator.next());
        a.push_back(v.back().a);
        b.push_back(v.back().b);
      }
      ASSERT_EQ(golden::reduce(tile_op(r.op), type_of(r.src), type_of(r.dst), a.data(), b.data(),
                               a.size()),
                reduce(r.op, r.src, r.dst, v))
          << "operation " << static_cast<int>(r.op) << ", source " << static_cast<int>(r.src)
          << ", result " << static_cast<int>(r.dst);
    }
  }
}

TEST(Adder, GivesGoldenBits) {
  const Op& op = find_op("f32_add");
  Generator generator(op, test_option("OW_SEED", 2));
  std::vector<Operands> vectors;
  for (int i = 0; i < 200000; ++i) vectors.push_back(generator.next());
  check(op, vectors, run_adder(vectors));
}

TEST(Ops, UnknownNameIsBadInputThatListsTheNames) {
  try {
    find_op("f64_add");
    FAIL() << "no error";
  } catch (const BadInput& e) {
    EXPECT_NE(std::string(e.what()).find("f64_add"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("f16_f32_mulAdd"), std::string::npos);
  }
}

}  // namespace
}  // namespace ow::fp
