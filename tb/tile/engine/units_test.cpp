// SPDX-License-Identifier: Apache-2.0
// Tests of what the random programs of random_test.cpp do not draw: FIFOs, wavelets with an index,
// dotw, bfloat16 axpyw, stochastic rounding, halt.
#include <numeric>

#include "engine_bench.h"
#include "ow/golden/formats.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

template <typename T>
class UnitsTest : public ::testing::Test {};
TYPED_TEST_SUITE(UnitsTest, Widths);

// A producer and a consumer with their own pace through one circular buffer, of every element size
// and many capacities; the buffer is empty at the end.
TYPED_TEST(UnitsTest, FifosKeepOrderAndLoseNothing) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  const int types[] = {kF16, kF32, kI8};
  for (int round = 0; round < 24; round++) {
    const int type = types[round % 3];
    const int bytes = bytes_of(type);
    const auto n = static_cast<uint16_t>(1 + rng() % 200);
    const auto capacity = static_cast<uint16_t>(1 + rng() % 40);
    const uint32_t from = bytes * (rng() % 16);
    const uint32_t to = 4096 + bytes * (rng() % 16);
    b.disturb = round % 2 ? 40 : 0;
    const Dsr ring = fifo(round % 4, 2048 + bytes * (rng() % 16), capacity);
    b.write_dsr(0, ring);
    b.write_dsr(1, mem(from, n, static_cast<int16_t>(bytes)));
    b.write_dsr(2, mem(to, n, static_cast<int16_t>(bytes)));
    EXPECT_EQ(b.read_dsr(0, 3), 0u);
    const bool first = rng() % 2 != 0;
    if (first) b.launch(insn(kMov, type, 3, 2, 0));
    b.launch(insn(kMov, type, 4, 0, 1));
    for (int k = 0; k < 300 && !first; k++) b.tick();
    if (!first) {
      EXPECT_EQ(b.read_dsr(0, 3), std::min(n, capacity));
      b.launch(insn(kMov, type, 3, 2, 0));
    }
    b.finish();
    EXPECT_EQ(b.read_dsr(0, 3), 0u);
    for (uint32_t k = 0; k < static_cast<uint32_t>(n) * bytes; k++) {
      m.sram[to + k] = m.sram[from + k];
    }
    b.disturb = 0;
    for (uint32_t a = to & ~3u; a < to + n * bytes; a += 4) {
      ASSERT_EQ(b.peek(a), word_at(m, a)) << "round " << round << " address " << a;
    }
    for (uint32_t a = 2048; a < 2048 + 256; a += 4) b.poke(a, word_at(m, a));
  }
  EXPECT_EQ(b->fault_o, 0u);
}

// Instructions of every element size take turns with one buffer, which may lie anywhere. The size
// that the instruction uses decides where elements lie in it.
TYPED_TEST(UnitsTest, ElementsOfAFifoMayChangeTheirSize) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  constexpr uint32_t kRing = 2048, kTo = 4096;
  constexpr uint32_t kCapacity = 23;
  b.write_dsr(0, fifo(2, kRing, kCapacity));
  uint32_t added = 0, taken = 0;
  const int types[] = {kF16, kF32, kI8};
  for (int round = 0; round < 60; round++) {
    const int type = types[rng() % 3];
    const uint32_t bytes = bytes_of(type);
    const uint32_t there = added - taken;
    const bool add = there == 0 || (there < kCapacity && rng() % 2 == 0);
    const uint32_t n = 1 + rng() % (add ? kCapacity - there : there);
    const uint32_t at = (add ? 0 : kTo) + bytes * (rng() % 16);
    uint32_t& side = add ? added : taken;
    b.disturb = round % 2 ? 40 : 0;
    b.write_dsr(1, mem(at, n, static_cast<int16_t>(bytes)));
    b.launch(add ? insn(kMov, type, 4, 0, 1) : insn(kMov, type, 3, 1, 0));
    b.finish();
    b.disturb = 0;
    for (uint32_t k = 0; k < n * bytes; k++) {
      uint8_t* in_ring = &m.sram[kRing + (side + k / bytes) % kCapacity * bytes + k % bytes];
      if (add)
        *in_ring = m.sram[at + k];
      else
        m.sram[at + k] = *in_ring;
    }
    side += n;
    EXPECT_EQ(b.read_dsr(0, 3), added - taken);
    for (uint32_t a = add ? kRing : kTo; a < (add ? kRing : kTo) + 160; a += 4) {
      ASSERT_EQ(b.peek(a), word_at(m, a)) << "round " << round << " address " << a;
    }
  }
  EXPECT_EQ(b->fault_o, 0u);
}

// The second operand comes out of a FIFO, slower than the first one could be read.
TYPED_TEST(UnitsTest, AFifoIsASecondOperand) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  constexpr uint32_t kFrom = 0, kOther = 1024, kTo = 4096, kRing = 2048;
  constexpr uint16_t n = 150;
  for (const uint16_t capacity : {3, 8, 37}) {
    for (const int disturb : {0, 40}) {
      b.disturb = disturb;
      b.write_dsr(0, fifo(1, kRing, capacity));
      b.write_dsr(1, mem(kFrom, n, 2));
      b.write_dsr(2, mem(kOther, n, 2));
      b.write_dsr(3, mem(kTo, n, 2));
      b.launch(insn(kXor, kI16, 4, 3, 2, 0));
      b.launch(insn(kMov, kI16, 5, 0, 1));
      b.finish();
      EXPECT_EQ(b.read_dsr(0, 3), 0u);
      b.disturb = 0;
      for (uint32_t k = 0; k < 2u * n; k += 4) {
        ASSERT_EQ(b.peek(kTo + k), word_at(m, kFrom + k) ^ word_at(m, kOther + k))
            << "capacity " << capacity << " byte " << k;
        b.poke(kTo + k, 0);
      }
    }
  }
  EXPECT_EQ(b->fault_o, 0u);
}

// index, value: the element goes to the destination's address + index * step_0.
TYPED_TEST(UnitsTest, WaveletsWithAnIndexFindTheirPlace) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  for (const int step : {2, 4}) {
    for (const bool add : {false, true}) {
      Dsr in = fab_in(3, 0);
      in.tag = true;
      const Dsr dst = mem(1026, 100, static_cast<int16_t>(step));
      b.write_dsr(0, dst);
      b.write_dsr(1, in);
      b.write_dsr(2, dst);
      for (int k = 0; k < 300; k++) {
        const uint32_t index = rng() % 100;
        const uint16_t value = random_f16(&rng);
        b.in[3].push_back({false, index << 16 | value});
        uint8_t* p = &m.sram[1026 + step * index];
        const uint16_t was = p[0] | p[1] << 8;
        const uint16_t now = add ? ow::golden::f16_add(value, was) : value;
        p[0] = now;
        p[1] = now >> 8;
      }
      b.in[3].push_back({true, kStreamEnd});
      b.launch(insn(add ? kAdd : kMov, kF16, 2, 0, 1, 2));
      b.finish();
      EXPECT_EQ(b->fault_o, 0u);
      for (uint32_t a = 1024; a < 1024 + 404; a += 4)
        ASSERT_EQ(b.peek(a), word_at(m, a)) << a << (add ? " add" : " mov") << " step " << step;
    }
  }
  // An index beyond the length of the destination.
  Dsr in = fab_in(3, 4);
  in.tag = true;
  b.write_dsr(1, in);
  b.in[3].push_back({false, 100u << 16});
  b.launch(insn(kMov, kF16, 2, 0, 1));
  for (int k = 0; k < 50; k++) b.tick();
  EXPECT_EQ(b->fault_o, fault(2, kAddress));
  EXPECT_EQ(b->fault_pc_o, 0x100u);
}

// A stream of tagged wavelets with its end. Each adds the element of `b` at its index and stores
// the sum in `d` at its index. Holds the wavelets and the memory that they must leave.
std::vector<Wavelet> tagged_stream(Machine* m, std::mt19937* rng, const Dsr& d, const Dsr& b,
                                   int n) {
  std::vector<Wavelet> stream;
  for (int k = 0; k < n; k++) {
    const uint32_t index = (*rng)() % d.len[0];
    const uint16_t value = random_f16(rng);
    stream.push_back({false, index << 16 | value});
    const uint8_t* was = &m->sram[b.addr + b.step[0] * index];
    const uint16_t sum = ow::golden::f16_add(value, was[0] | was[1] << 8);
    uint8_t* p = &m->sram[d.addr + d.step[0] * index];
    p[0] = sum;
    p[1] = sum >> 8;
  }
  stream.push_back({true, kStreamEnd});
  return stream;
}

// Two threads with a queue each take such wavelets in turn: neither disturbs the other one's
// addresses, and both go on, whichever has priority.
TYPED_TEST(UnitsTest, ThreadsWithTaggedWaveletsKeepApart) {
  for (const int prio : {0, 2, 3}) {
    for (const int rate : {100, 60}) {
      Bench<typename TypeParam::Top> b(TypeParam::kLanes);
      std::mt19937 rng(seed());
      Machine m;
      load_memory(&b, &m, &rng);
      b.in_rate = rate;
      const int n = 200;
      for (const int t : {2, 3}) {
        const Dsr d = mem(t == 2 ? 1026 : 3072, 100, static_cast<int16_t>(t == 2 ? 6 : 4));
        const Dsr from = mem(t == 2 ? 5120 : 6144, 100, static_cast<int16_t>(t == 2 ? 8 : 10));
        Dsr in = fab_in(t, 0);
        in.tag = true;
        b.write_dsr(3 * t, d);
        b.write_dsr(3 * t + 1, in);
        b.write_dsr(3 * t + 2, from);
        for (const Wavelet& w : tagged_stream(&m, &rng, d, from, n)) b.in[t].push_back(w);
      }
      for (const int t : {2, 3}) {
        Insn i = insn(kAdd, kF16, t, 3 * t, 3 * t + 1, 3 * t + 2);
        i.prio = t == prio;
        b.launch(i);
      }
      b.finish(4000);
      EXPECT_EQ(b->fault_o, 0u);
      for (uint32_t a = 1024; a < 3072 + 400; a += 4)
        ASSERT_EQ(b.peek(a), word_at(m, a)) << a << " priority " << prio << " rate " << rate;
    }
  }
}

// Two streams wait in one queue before the first instruction is launched. The second instruction
// has other steps: nothing of its addresses may have been made with those of the first.
TYPED_TEST(UnitsTest, AStreamBehindAnotherGoesByItsOwnSteps) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  Dsr in = fab_in(3, 0);
  in.tag = true;
  b.write_dsr(0, in);
  const Dsr to[] = {mem(1026, 60, 6), mem(1602, 60, 10)};
  const Dsr from[] = {mem(5120, 60, 8), mem(6144, 60, 4)};
  for (int k = 0; k < 2; k++) {
    b.write_dsr(1 + 2 * k, to[k]);
    b.write_dsr(2 + 2 * k, from[k]);
  }
  for (const int length : {1, 2, 40}) {
    for (const bool same_thread : {true, false}) {
      for (int k = 0; k < 2; k++) {
        for (const Wavelet& w : tagged_stream(&m, &rng, to[k], from[k], length)) {
          b.in[3].push_back(w);
        }
      }
      for (int k = 0; k < 2; k++) {
        const int thread = same_thread ? 2 : 2 + k;
        while (b.active(2) && b.cycle() < 100000) b.tick();  // a queue has one reader
        b.launch(insn(kAdd, kF16, thread, 1 + 2 * k, 0, 2 + 2 * k));
      }
      b.finish(4000);
      EXPECT_EQ(b->fault_o, 0u);
      for (uint32_t a = 1024; a < 1602 + 602; a += 4)
        ASSERT_EQ(b.peek(a), word_at(m, a)) << a << " wavelets " << length;
    }
  }
}

// Rows of counted wavelets, whose base moves with each row, with other wavelets after them in the
// queue. The engine takes only wavelets of the instruction ahead of their beats.
TYPED_TEST(UnitsTest, RowsOfTaggedWaveletsTakeNoMoreThanTheirs) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  const int rows = 6;
  for (const int n : {1, 2, 3, 7}) {
    Dsr in = fab_in(3, static_cast<uint16_t>(n));
    in.tag = true;
    in.len[1] = rows;
    Dsr to = mem(1026, 40, 6);
    to.step[1] = 82;
    b.write_dsr(0, to);
    b.write_dsr(1, in);
    b.write_dsr(2, mem(3072, 8, 2));
    b.write_dsr(3, fab_in(3, 8));
    auto store = [&m](uint32_t addr, uint32_t value) {
      m.sram[addr] = static_cast<uint8_t>(value);
      m.sram[addr + 1] = static_cast<uint8_t>(value >> 8);
    };
    for (int k = 0; k < n * rows; k++) {
      const uint32_t index = rng() % 40;
      const uint16_t value = random_f16(&rng);
      b.in[3].push_back({false, index << 16 | value});
      store(1026 + 6 * index + 82 * (k / n), value);
    }
    for (int k = 0; k < 4; k++) {
      const uint32_t pair = random_f16(&rng) | random_f16(&rng) << 16;
      b.in[3].push_back({false, pair});
      store(3072 + 4 * k, pair);
      store(3074 + 4 * k, pair >> 16);
    }
    b.launch(insn(kMov, kF16, 2, 0, 1));
    while (b.active(2) && b.cycle() < 100000) b.tick();  // a queue has one reader
    b.launch(insn(kMov, kF16, 2, 2, 3));
    b.finish(4000);
    EXPECT_EQ(b->fault_o, 0u);
    for (uint32_t a = 1024; a < 3072 + 16; a += 4)
      ASSERT_EQ(b.peek(a), word_at(m, a)) << a << " row of " << n;
  }
}

// Each index gives one dot product of its row with the vector at rs2.
TYPED_TEST(UnitsTest, DotwGivesADotProductAWavelet) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  for (const int type : {kMixed, kMixedB}) {
    for (const int n : {3, 16, 45}) {
      for (const bool fabric : {false, true}) {
        const uint32_t rows = 1030, vec = 6;
        Dsr a = mem(rows, static_cast<uint16_t>(n), 2);
        a.len[1] = 20;
        a.step[1] = static_cast<int16_t>(2 * n + 2);
        Dsr d = fabric ? fab_out(6) : mem(4096, 64, 4);
        d.type = fabric ? kF16 : kF32;
        d.tag = fabric;
        b.write_dsr(0, d);
        b.write_dsr(1, a);
        b.write_dsr(2, fab_in(1, 0));
        std::vector<uint32_t> want;
        for (int k = 0; k < 13; k++) {
          const uint32_t index = rng() % 20;
          b.in[1].push_back({false, index << 16 | 0x1234});
          std::vector<uint32_t> x, y;
          for (int e = 0; e < n; e++) {
            const uint32_t at = rows + index * a.step[1] + 2 * e;
            x.push_back(m.sram[at] | m.sram[at + 1] << 8);
            y.push_back(m.sram[vec + 2 * e] | m.sram[vec + 2 * e + 1] << 8);
          }
          const uint32_t r = ow::golden::reduce(
              ow::golden::Op::Dot, type == kMixed ? ow::golden::Type::F16 : ow::golden::Type::BF16,
              static_cast<ow::golden::Type>(d.type), x.data(), y.data(), x.size());
          want.push_back(fabric ? index << 16 | (r & 0xFFFF) : r);
          if (k % 4 == 1) b.in[1].push_back({true, kRowEnd});
        }
        b.in[1].push_back({true, kStreamEnd});
        Insn i = insn(kDotw, type, 5, 0, 1, 2);
        i.value = vec;
        b.out[6].clear();
        b.launch(i);
        b.finish();
        ASSERT_EQ(b->fault_o, 0u);
        if (fabric) {
          ASSERT_EQ(b.out[6].size(), want.size());
        }
        for (size_t k = 0; k < want.size(); k++) {
          ASSERT_EQ(fabric ? b.out[6][k].data : b.peek(4096 + 4 * k), want[k])
              << "type " << type << " n " << n << " result " << k;
        }
      }
    }
  }
}

TYPED_TEST(UnitsTest, AxpywTakesBfloat16) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  const int n = 16;
  Dsr a = mem(1024, n, 2);
  a.step[1] = 2 * n;
  Dsr d = mem(kAcc, n, 4);
  d.len[1] = 2;
  b.write_dsr(0, d);
  b.write_dsr(1, a);
  b.write_dsr(2, fab_in(5, 0));
  std::vector<uint32_t> row(n, 0);
  for (int k = 0; k < 40; k++) {
    const uint32_t index = rng() % 30;
    const uint16_t w = random_f32(&rng) >> 16;
    b.in[5].push_back({false, index << 16 | w});
    for (int s = 0; s < n; s++) {
      const uint32_t at = 1024 + 2 * (index * n + s);
      row[s] = ow::golden::mixedb_fma(w, m.sram[at] | m.sram[at + 1] << 8, row[s]);
    }
  }
  b.in[5].push_back({true, kRowEnd | kStreamEnd});
  b.launch(insn(kAxpyw, kMixedB, 1, 0, 1, 2));
  b.finish();
  EXPECT_EQ(b.rows, 1);
  for (int s = 0; s < n; s++) EXPECT_EQ(b.acc_word(s), row[s]) << s;
}

// Element i takes the i-th number of the generator, for any number of lanes. A second instruction
// with stochastic rounding waits for the first.
TYPED_TEST(UnitsTest, StochasticRoundingTakesOneNumberAnElement) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  for (int k = 0; k < 4; k++) {
    b->prng_we_i = 1;
    b->prng_sel_i = k;
    b->prng_wdata_i = 0x1234567 * (k + 1);
    b.tick();
  }
  b->prng_we_i = 0;
  ow::golden::Xoshiro128Plus gen(0x1234567, 0x2468ACE, 0x369D035, 0x48D159C);
  uint32_t dst = 4098;
  for (const int type : {kF16, kBf16}) {
    for (int k = 0; k < 2; k++) {
      Dsr d = mem(dst, 77, 2);
      d.type = type;
      b.write_dsr(4 * k + 8 * type, d);
      b.write_dsr(4 * k + 8 * type + 1, mem(4, 77, 4));
      Insn i = insn(kCvt, kF32, 1 + k, 4 * k + 8 * type, 4 * k + 8 * type + 1);
      i.stoch = true;
      EXPECT_EQ(b->prng_busy_o, dst == 4098 ? 0 : 1);
      b.launch(i);
      for (uint32_t e = 0; e < 77; e++) {
        const uint16_t r = ow::golden::convert_stochastic(static_cast<ow::golden::Type>(type),
                                                          word_at(m, 4 + 4 * e), gen.next() >> 16);
        m.sram[dst + 2 * e] = r;
        m.sram[dst + 2 * e + 1] = r >> 8;
      }
      dst += 160;
    }
  }
  b.finish();
  EXPECT_EQ(b->prng_busy_o, 0);
  for (uint32_t a = 4096; a < dst; a += 4) ASSERT_EQ(b.peek(a), word_at(m, a)) << a;
}

TYPED_TEST(UnitsTest, HaltStopsTheIssueAndLosesNothing) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  Machine m;
  load_memory(&b, &m, &rng);
  b.write_dsr(0, mem(4096, 300, 2));
  b.write_dsr(1, mem(2, 300, 2));
  b.launch(insn(kMov, kF16, 1, 0, 1));
  for (int k = 0; k < 10; k++) b.tick();
  b->halt_i = 1;
  for (int k = 0; k < 20; k++) b.tick();
  const int beats = b.beats;
  for (int k = 0; k < 100; k++) b.tick();
  EXPECT_EQ(b.beats, beats);
  EXPECT_TRUE(b->idle_o);
  b->halt_i = 0;
  b.finish();
  for (uint32_t k = 0; k < 600; k++) m.sram[4096 + k] = m.sram[2 + k];
  for (uint32_t a = 4096; a < 4696; a += 4) ASSERT_EQ(b.peek(a), word_at(m, a)) << a;
}

// The address that a fault reports is the first bad one.
TYPED_TEST(UnitsTest, FaultsReportTheFirstBadAddress) {
  struct Case {
    const char* what;
    Dsr dst, a;
    int ty;
    uint32_t cause, addr;
  };
  const Case cases[] = {
      {"source runs out", mem(0, 64, 2), mem(kSramBytes - 34, 64, 2), kF16, kAddress, kSramBytes},
      {"destination runs out", mem(kSramBytes - 20, 64, 4), mem(0, 64, 4), kF32, kAddress,
       kSramBytes},
      {"below 0", mem(4, 8, -2), mem(64, 8, 2), kF16, kAddress, 0xFFFFFE},
      {"misaligned", mem(6, 8, 4), mem(64, 8, 4), kF32, kDescriptor, 6},
  };
  for (const Case& c : cases) {
    Bench<typename TypeParam::Top> b(TypeParam::kLanes);
    b.write_dsr(0, c.dst);
    b.write_dsr(1, c.a);
    b.launch(insn(kMov, c.ty, 4, 0, 1));
    for (int k = 0; k < 200; k++) b.tick();
    EXPECT_EQ(b->fault_o, fault(4, c.cause)) << c.what;
    EXPECT_EQ(b->fault_addr_o, c.addr) << c.what;
    EXPECT_EQ(b->fault_pc_o, 0x100u) << c.what;
    EXPECT_FALSE(b.busy()) << c.what;
  }
}

}  // namespace
