// SPDX-License-Identifier: Apache-2.0
// Tests of what the random programs of engine_test.cpp do not draw: FIFOs, wavelets with an index,
// dotw, bfloat16 axpyw, stochastic rounding, halt, priority, and how long whole instructions take.
#include <numeric>

#include "engine_bench.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

template <typename T>
class UnitsTest : public ::testing::Test {};
using Widths = ::testing::Types<Lanes8, Lanes2>;
TYPED_TEST_SUITE(UnitsTest, Widths);

Dsr fifo(int n, uint32_t base, uint16_t capacity) {
  Dsr d;
  d.kind = kFifo;
  d.q = n;
  d.addr = base;
  d.len[0] = capacity;
  return d;
}

Insn insn(int op, int ty, int thread, int dst, int a, int b = 31) {
  Insn i;
  i.op = op;
  i.ty = ty;
  i.thread = thread;
  i.dst = dst;
  i.a = a;
  i.b = b;
  return i;
}

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
  for (const bool add : {false, true}) {
    Dsr in = fab_in(3, 0);
    in.tag = true;
    const Dsr dst = mem(1026, 100, 4);
    b.write_dsr(0, dst);
    b.write_dsr(1, in);
    b.write_dsr(2, dst);
    for (int k = 0; k < 300; k++) {
      const uint32_t index = rng() % 100;
      const uint16_t value = random_f16(&rng);
      b.in[3].push_back({false, index << 16 | value});
      uint8_t* p = &m.sram[1026 + 4 * index];
      const uint16_t was = p[0] | p[1] << 8;
      const uint16_t now = add ? ow::golden::f16_add(value, was) : value;
      p[0] = now;
      p[1] = now >> 8;
    }
    b.in[3].push_back({true, 2});
    b.launch(insn(add ? kAdd : kMov, kF16, 2, 0, 1, 2));
    b.finish();
    EXPECT_EQ(b->fault_o, 0u);
    for (uint32_t a = 1024; a < 1024 + 404; a += 4)
      ASSERT_EQ(b.peek(a), word_at(m, a)) << a << (add ? " add" : " mov");
  }
  // An index beyond the length of the destination.
  Dsr in = fab_in(3, 4);
  in.tag = true;
  b.write_dsr(1, in);
  b.in[3].push_back({false, 100u << 16});
  b.launch(insn(kMov, kF16, 2, 0, 1));
  for (int k = 0; k < 50; k++) b.tick();
  EXPECT_EQ(b->fault_o, 0x80000023u);
  EXPECT_EQ(b->fault_pc_o, 0x100u);
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
          if (k % 4 == 1) b.in[1].push_back({true, 1});
        }
        b.in[1].push_back({true, 2});
        Insn i = insn(kDotw, type, 5, 0, 1, 2);
        i.value = vec;
        b.out[6].clear();
        b.launch(i);
        b.finish();
        ASSERT_EQ(b->fault_o, 0u);
        if (fabric) ASSERT_EQ(b.out[6].size(), want.size());
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
  b.in[5].push_back({true, 3});
  b.launch(insn(kAxpyw, kMixedB, 1, 0, 1, 2));
  b.finish();
  EXPECT_EQ(b.rows, 1);
  for (int s = 0; s < n; s++) EXPECT_EQ(b.acc_word(s), row[s]) << s;
}

// Element i takes the i-th number of the generator, whatever the width; a second instruction that
// rounds so waits for the first.
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
      {"source runs out", mem(0, 64, 2), mem(kSramBytes - 34, 64, 2), kF16, 3, kSramBytes},
      {"destination runs out", mem(kSramBytes - 20, 64, 4), mem(0, 64, 4), kF32, 3, kSramBytes},
      {"below 0", mem(4, 8, -2), mem(64, 8, 2), kF16, 3, 0xFFFFFE},
      {"misaligned", mem(6, 8, 4), mem(64, 8, 4), kF32, 2, 6},
  };
  for (const Case& c : cases) {
    Bench<typename TypeParam::Top> b(TypeParam::kLanes);
    b.write_dsr(0, c.dst);
    b.write_dsr(1, c.a);
    b.launch(insn(kMov, c.ty, 4, 0, 1));
    for (int k = 0; k < 200; k++) b.tick();
    EXPECT_EQ(b->fault_o, 0x80000040u | c.cause) << c.what;
    EXPECT_EQ(b->fault_addr_o, c.addr) << c.what;
    EXPECT_EQ(b->fault_pc_o, 0x100u) << c.what;
    EXPECT_FALSE(b.busy()) << c.what;
  }
}

// Of two equal threads, the one with priority ends first, and the other one goes on meanwhile.
TEST(EngineThreads, PriorityGoesFirstAndStarvesNobody) {
  Bench<VEngine8> b(8);
  for (int t = 1; t < 3; t++) {
    b.write_dsr(3 * t, mem(4096 * (t - 1) + 2048, 1000, 2));
    b.write_dsr(3 * t + 1, mem(4096 * (t - 1), 1000, 2));
    Insn i = insn(kMov, kF16, t, 3 * t, 3 * t + 1);
    i.prio = t == 2;
    b.launch(i);
  }
  const uint64_t start = b.cycle();
  uint64_t end[3] = {};
  while (b.busy() && b.cycle() < start + 1000) {
    b.tick();
    for (int t = 1; t < 3; t++) {
      if (end[t] == 0 && !(b.thread_state(t) >> 31)) end[t] = b.cycle() - start;
    }
  }
  EXPECT_LE(end[2], 148u);
  EXPECT_LE(end[1], 262u);
}

// Beside a thread with priority that can always go, the others take turns: none of them waits for
// more than the sixteenth choices of a round.
TEST(EngineThreads, NobodyStarvesBesidePriority) {
  Bench<VEngine8> b(8);
  const int rounds = 2000;
  for (int t = 1; t < 6; t++) {
    Insn i = insn(kMov, kF32, t, 3 * t, 3 * t + 1);
    if (t == 1) {
      b.write_dsr(3 * t, mem(2048, 8, 4));
      Dsr a = mem(0, 512, 4);
      a.len[1] = 4000;
      a.step[1] = -2048;
      b.write_dsr(3 * t + 1, a);
      i.op = kRMax;
      i.prio = true;
    } else {
      b.write_dsr(3 * t, mem(4096 + 64 * t, 1, 4));
      b.write_dsr(3 * t + 1, fab_in(t, 0));
      i.a = 3 * t + 1;
      Dsr d = mem(4096 + 64 * t, 0, 0);
      b.write_dsr(3 * t, d);
      for (int k = 0; k < rounds; k++) b.in[t].push_back({false, static_cast<uint32_t>(k)});
    }
    b.launch(i);
  }
  std::array<std::size_t, 6> left{};
  for (int t = 2; t < 6; t++) left[t] = b.in[t].size();
  for (int k = 0; k < 4000; k++) b.tick();
  for (int t = 2; t < 6; t++) {
    EXPECT_GE(left[t] - b.in[t].size(), 4000u / (16 * 4) - 8) << "thread " << t;
  }
}

// A thread whose every beat reads what the one before it has written goes on beside a thread that
// reads the same banks in every cycle: its writes give way, but not for ever.
TEST(EngineThreads, WritesDoNotGiveWayForEver) {
  Bench<VEngine8> b(8);
  b.write_dsr(0, mem(6000, 1, 4));
  Dsr column = mem(0, 90, 64);  // always the banks of line 0
  column.len[1] = 100;
  column.step[1] = -90 * 64;
  b.write_dsr(1, column);
  b.launch(insn(kRMax, kF32, 1, 0, 1));
  for (int k = 0; k < 40; k++) b.tick();
  Dsr y = mem(6144, 1, 4);
  y.len[1] = 100;
  y.step[1] = -4;  // always the same word
  b.write_dsr(3, y);
  b.write_dsr(4, fab_in(1, 0));
  for (int k = 0; k < 100; k++) b.in[1].push_back({false, 1});
  const Insn i = insn(kAdd, kI32, 2, 3, 3, 4);
  b.launch(i);
  const uint64_t start = b.cycle();
  while (b.thread_state(2) >> 31 && b.cycle() < start + 5000) b.tick();
  EXPECT_NE(b.thread_state(1) >> 31, 0u) << "the reader has not run all the time";
  std::printf("100 dependent beats: %d cycles\n", static_cast<int>(b.cycle() - start));
  EXPECT_LE(b.cycle() - start, 100 * 20u);
  EXPECT_EQ(b->fault_o, 0u);
  EXPECT_TRUE(b.in[1].empty());
}

struct Timed {
  const char* name;
  Insn i;
  Dsr dst, a, b;
  int beats;
  int more;  // cycles that the whole instruction may take besides
};

// From the launch to the last result, at Lanes = 8.
TEST(EngineRate, InstructionsTakeTheirBeatsAndAFewCycles) {
  Insn scalar = insn(kFma, kF32, 1, 0, 1, 2);
  scalar.scalar = true;
  scalar.value = 0x40000000;
  Dsr f32;
  f32 = mem(6000, 1, 4);
  f32.type = kF32;
  Dsr i32 = f32;
  i32.type = kI32;
  Dsr rows = mem(0, 128, 2);  // 8 rows of 128
  rows.len[1] = 8;
  Dsr again = mem(4000, 128, 2);
  again.step[1] = -256;
  Dsr rows2 = mem(2, 128, 2);
  rows2.len[1] = 8;
  Dsr again2 = mem(4006, 128, 2);
  again2.step[1] = -256;
  Dsr y = mem(6002, 8, 2);
  Dsr panel_dst = mem(kAcc, 64, 4);
  panel_dst.len[1] = 24;
  panel_dst.step[1] = -256;
  Dsr panel_a = mem(6, 64, 0);
  panel_a.step[1] = 2;
  const Dsr panel_b = mem(1026, 64, 2);
  Insn panel = insn(kFma, kMixed, 1, 0, 1, 2);
  panel.fresh = true;
  Dsr half = mem(4098, 256, 2);
  half.type = kF16;
  const Timed cases[] = {
      {"fma f32, b scalar", scalar, mem(4100, 512, 4), mem(4, 512, 4), Dsr(), 257, 10},
      {"add f32", insn(kAdd, kF32, 1, 0, 1, 2), mem(4100, 512, 4), mem(4, 512, 4),
       mem(2060, 512, 4), 129, 10},
      {"add i32", insn(kAdd, kI32, 1, 0, 1, 2), mem(4096, 512, 4), mem(4, 512, 4),
       mem(2060, 512, 4), 128, 10},
      {"mov i8", insn(kMov, kI8, 1, 0, 1), mem(4096, 1000, 1), mem(3, 1000, 1), Dsr(), 125, 8},
      {"cvt f32 to f16", insn(kCvt, kF32, 1, 0, 1), half, mem(8, 256, 4), Dsr(), 65, 16},
      {"dot f16", insn(kDot, kF16, 1, 0, 1, 2), f32, mem(6, 1024, 2), mem(2050, 1024, 2), 128, 16},
      {"dot f32", insn(kDot, kF32, 1, 0, 1, 2), f32, mem(4, 512, 4), mem(2052, 512, 4), 256, 16},
      {"dot i8", insn(kDot, kI8, 1, 0, 1, 2), i32, mem(5, 2048, 1), mem(2051, 2048, 1), 128, 16},
      {"dots of 8 rows", insn(kDot, kF16, 1, 0, 1, 2), y, rows, again, 128, 12},
      {"dots, unaligned", insn(kDot, kF16, 1, 0, 1, 2), y, rows2, again2, 128, 24},
      {"exp f16", insn(kExp, kF16, 1, 0, 1), mem(4096, 256, 2), mem(4, 256, 2), Dsr(), 128, 14},
      {"panel of a gemm", panel, panel_dst, panel_a, panel_b, 192, 10},
  };
  for (const Timed& c : cases) {
    Bench<VEngine8> b(8);
    const uint64_t cycles = cycles_of(&b, c.i, c.dst, c.a, c.b);
    std::printf("%-20s %4d beats %4d cycles\n", c.name, b.beats, static_cast<int>(cycles));
    EXPECT_EQ(b->fault_o, 0u) << c.name;
    EXPECT_EQ(b.beats, c.beats) << c.name;
    EXPECT_LE(cycles, static_cast<uint64_t>(c.beats + c.more)) << c.name;
  }
}

// Launches n axpys of 64 elements, one a cycle, on threads 1 to 12.
uint64_t launch_axpys(Bench<VEngine8>* b, int elements, uint32_t pitch) {
  for (int t = 1; t <= 12; t++) {
    b->write_dsr(2 * t, mem(4096 + pitch * (t - 1), static_cast<uint16_t>(elements), 2));
    b->write_dsr(2 * t + 1, mem(pitch * (t - 1), static_cast<uint16_t>(elements), 2));
  }
  const uint64_t start = b->cycle();
  for (int t = 1; t <= 12; t++) {
    Insn i = insn(kFma, kF16, t, 2 * t, 2 * t + 1);
    i.scalar = true;
    i.value = 0x3C00;
    b->launch(i);
  }
  while (b->busy()) b->tick();
  return b->cycle() - start;
}

TEST(EngineRate, IndependentAxpysOf64FollowEachOther) {
  Bench<VEngine8> b(8);
  const uint64_t cycles = launch_axpys(&b, 64, 128);
  std::printf("12 axpys of 64: %.1f cycles each\n", static_cast<double>(cycles) / 12);
  EXPECT_LE(cycles, 12 * 9u);
}

// Threads cost nothing: twelve take the cycles that one would with all of their beats.
TEST(EngineRate, TwelveThreadsAreAsFastAsOne) {
  Bench<VEngine8> b(8);
  const uint64_t twelve = launch_axpys(&b, 160, 320);
  const int beats = b.beats;
  b.beats = 0;
  Insn i = insn(kFma, kF16, 1, 0, 1);
  i.scalar = true;
  i.value = 0x3C00;
  const uint64_t one = cycles_of(&b, i, mem(4096, 12 * 160, 2), mem(0, 12 * 160, 2), Dsr());
  EXPECT_EQ(beats, b.beats);
  std::printf("%d beats: one thread %d cycles, twelve %d\n", beats, static_cast<int>(one),
              static_cast<int>(twelve));
  EXPECT_LE(twelve, one + 2);
}

// The first wavelet of a move leaves 4 cycles after the launch; what arrives is done 3 cycles after
// its last wavelet was there.
TEST(EngineRate, ShortMovesAreShort) {
  Bench<VEngine8> b(8);
  b.write_dsr(0, fab_out(2));
  b.write_dsr(1, mem(16, 8, 4));
  b.launch(insn(kMov, kI32, 0, 0, 1));
  uint64_t start = b.cycle();
  while (b.queues_empty() && b.cycle() < start + 20) b.tick();
  EXPECT_EQ(b.cycle() - start, 4u);
  b.finish();
  b.write_dsr(2, fab_in(3, 1));
  b.write_dsr(3, mem(4, 1, 4));
  b.sync_done = 0;
  b.launch(insn(kMov, kI32, 0, 3, 2));
  b.in[3].push_back({false, 7});
  start = b.cycle();
  while (b.sync_done == 0 && b.cycle() < start + 20) b.tick();
  EXPECT_EQ(b.cycle() - start, 3u);
}

}  // namespace
