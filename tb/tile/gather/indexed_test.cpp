// SPDX-License-Identifier: Apache-2.0
// Gather, scatter and fmag through the whole engine and its memory, against a model that takes one
// element at a time: all types, destinations and alignments, several threads at once, disturbed
// memory, faults; the rates of a sparse matrix-vector product and of a send that skips zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

#include "VEngine2.h"
#include "VEngine8.h"
#include "ow/golden/formats.h"
#include "verilated.h"

namespace {

namespace golden = ow::golden;

constexpr uint32_t kBytes = 8192;
constexpr uint32_t kAcc = 1u << 23;
enum Op { kMov = 0, kGather = 28, kScatter = 29, kFmag = 30 };
enum Type { kF16, kBf16, kF32, kMixed, kI16, kI32, kI8, kMixedB };
enum Kind { kNone, kMem, kFabIn, kFabOut };

struct Dsr {
  int kind = kMem;
  int type = kF16;
  int queue = 0;
  bool close = false, skip = false, tag = false;
  uint32_t addr = 0;
  std::array<uint16_t, 4> len{};
  std::array<int16_t, 4> step{};

  uint32_t word(int i) const {
    if (i == 0)
      return kind | type << 4 | queue << 8 | close << 12 | 2u << 13 | skip << 15 | tag << 16;
    if (i == 1) return addr;
    return len[i - 2] | static_cast<uint32_t>(static_cast<uint16_t>(step[i - 2])) << 16;
  }
};

struct Insn {
  int op = kGather;
  int type = kF16;
  int thread = 1;
  Dsr dst, a, b;
  uint32_t base = 0;
};

struct Wavelet {
  bool ctrl = false;
  uint32_t data = 0;
};

bool wide(int type) { return type == kF32 || type == kI32; }
int result_size(const Insn& i) {
  return wide(i.type) || i.type == kMixed || i.type == kMixedB ? 4 : 2;
}

template <class V, int kLanesOf>
class Bench {
 public:
  static constexpr int kLanes = kLanesOf;

  Bench() {
    top_.rst_i = 1;
    for (int i = 0; i < 3; ++i) tick();
    top_.rst_i = 0;
    for (uint32_t a = 0; a < kBytes; a += 4) poke(a, static_cast<uint32_t>(rng()));
  }
  ~Bench() { top_.final(); }

  std::mt19937_64 rng{1};
  int disturb = 0, in_rate = 100, out_rate = 100;
  std::array<std::deque<Wavelet>, 8> in, out;
  std::vector<uint8_t> memory = std::vector<uint8_t>(kBytes);
  std::array<uint32_t, 128> acc{};
  uint64_t cycles = 0;
  uint64_t last_push = 0;

  V* operator->() { return &top_; }

  void tick() {
    for (int q = 0; q < 8; ++q) {
      if (!there_[q] && !in[q].empty()) there_[q] = chance(in_rate);
      const Wavelet w = there_[q] ? in[q].front() : Wavelet{};
      top_.inq_valid_i = (top_.inq_valid_i & ~(1u << q)) | static_cast<uint32_t>(there_[q]) << q;
      top_.inq_ctrl_i = (top_.inq_ctrl_i & ~(1u << q)) | static_cast<uint32_t>(w.ctrl) << q;
      top_.inq_data_i[q] = w.data;
    }
    uint32_t levels = 0;
    for (int q = 0; q < 8; ++q) levels |= static_cast<uint32_t>(level_[q]) << (4 * q);
    top_.outq_level_i = levels;
    top_.lsu_req_i = disturb > 0 && chance(disturb);
    top_.lsu_addr_i = static_cast<uint32_t>(rng() % kBytes) & ~3u;
    top_.fetch_req_i = disturb > 0 && chance(disturb);
    top_.fetch_addr_i = static_cast<uint32_t>(rng() % kBytes) & ~7u;
    top_.clk_i = 0;
    top_.eval();
    const uint32_t pop = top_.inq_pop_o;
    if (top_.push_o) {
      out[top_.push_q_o].push_back({top_.push_ctrl_o != 0, top_.push_data_o});
      ++level_[top_.push_q_o];
      last_push = cycles;
    }
    for (int q = 0; q < 8; ++q) {
      if (level_[q] > 0 && chance(out_rate)) --level_[q];
    }
    top_.clk_i = 1;
    top_.eval();
    ++cycles;
    for (int q = 0; q < 8; ++q) {
      if ((pop >> q & 1) != 0) {
        in[q].pop_front();
        there_[q] = false;
      }
    }
  }

  void poke(uint32_t addr, uint32_t data) {
    for (int i = 0; i < 4; ++i) memory[addr + i] = static_cast<uint8_t>(data >> (8 * i));
    top_.ctl_req_i = top_.ctl_we_i = 1;
    top_.ctl_addr_i = addr;
    top_.ctl_wdata_i = data;
    access();
  }
  void poke16(uint32_t addr, uint16_t data) {
    const uint32_t word = load(addr & ~3u, 4);
    const int shift = addr & 2 ? 16 : 0;
    poke(addr & ~3u, (word & ~(0xFFFFu << shift)) | static_cast<uint32_t>(data) << shift);
  }
  uint32_t peek(uint32_t addr) {
    top_.ctl_req_i = 1;
    top_.ctl_we_i = 0;
    top_.ctl_addr_i = addr;
    access();
    return top_.ctl_rdata_o;
  }
  uint32_t acc_word(int i) {
    top_.acc_raddr_i = i / kLanes;
    top_.clk_i = 0;
    top_.eval();
    if constexpr (kLanes == 2) {
      return static_cast<uint32_t>(top_.acc_rdata_o >> (32 * (i % 2)));
    } else {
      return top_.acc_rdata_o[i % kLanes];
    }
  }

  void launch(const Insn& i) {
    write_dsr(3 * i.thread, i.dst);
    write_dsr(3 * i.thread + 1, i.a);
    write_dsr(3 * i.thread + 2, i.b);
    top_.tensor_valid_i = 1;
    top_.op_i = i.op;
    top_.ty_i = i.type;
    top_.ctl_i = static_cast<uint32_t>(3 * i.thread | (3 * i.thread + 1) << 5 |
                                       (3 * i.thread + 2) << 10 | i.thread << 16);
    top_.scalar_i = i.base;
    wait([this] { return top_.tensor_ready_o != 0; });
    tick();
    top_.tensor_valid_i = 0;
  }
  bool busy(int thread) {
    top_.thread_sel_i = thread;
    top_.clk_i = 0;
    top_.eval();
    return top_.thread_state_o >> 31 != 0;
  }
  void finish() {
    for (int n = 0; n < 20000; ++n) {
      bool any = false;
      for (int t = 0; t < 10; ++t) any = any || busy(t);
      if (!any) return;
      tick();
    }
    FAIL() << "threads do not end";
  }

  uint32_t load(uint32_t a, int size) const {
    uint32_t x = 0;
    for (int i = size - 1; i >= 0; --i) x = x << 8 | memory[a + i];
    return x;
  }
  void store(uint32_t a, int size, uint32_t x) {
    for (int i = 0; i < size; ++i) memory[a + i] = static_cast<uint8_t>(x >> (8 * i));
  }
  void check_memory() {
    for (uint32_t a = 0; a < kBytes; a += 4) ASSERT_EQ(peek(a), load(a, 4)) << "address " << a;
  }

 private:
  bool chance(int percent) { return percent >= 100 || static_cast<int>(rng() % 100) < percent; }
  template <class F>
  void wait(F ready) {
    top_.clk_i = 0;
    top_.eval();
    for (int n = 0; !ready(); ++n) {
      ASSERT_LT(n, 20000) << "nothing goes on";
      tick();
      top_.clk_i = 0;
      top_.eval();
    }
  }
  void write_dsr(int index, const Dsr& d) {
    for (int w = 0; w < 6; ++w) {
      top_.dsr_we_i = 1;
      top_.dsr_idx_i = index;
      top_.dsr_word_i = w;
      top_.dsr_wdata_i = d.word(w);
      wait([this] { return top_.dsr_ready_o != 0; });
      tick();
      top_.dsr_we_i = 0;
    }
  }
  // Without other traffic: what is granted must not change with the next cycle's requests.
  void access() {
    const int before = disturb;
    disturb = 0;
    top_.lsu_req_i = top_.fetch_req_i = 0;
    wait([this] { return top_.ctl_gnt_o != 0; });
    tick();
    top_.ctl_req_i = top_.ctl_we_i = 0;
    disturb = before;
  }

  VerilatedContext context_;
  V top_{&context_};
  std::array<bool, 8> there_{};
  std::array<int, 8> level_{};
};

using Bench2 = Bench<VEngine2, 2>;
using Bench8 = Bench<VEngine8, 8>;

// A vector in memory of n elements of `size` bytes, in `rows` inner vectors one after the other.
Dsr vector(uint32_t addr, int n, int size, int type = kF16) {
  Dsr d;
  d.addr = addr;
  d.type = type;
  d.len[0] = static_cast<uint16_t>(n);
  d.step[0] = static_cast<int16_t>(size);
  return d;
}

Dsr queue(int kind, int q, int n) {
  Dsr d;
  d.kind = kind;
  d.queue = q;
  d.len[0] = static_cast<uint16_t>(n);
  return d;
}

uint32_t fmag_element(int type, uint32_t a, uint32_t x, uint32_t d) {
  const auto a16 = static_cast<uint16_t>(a);
  const auto x16 = static_cast<uint16_t>(x);
  switch (type) {
    case kF16:
      return golden::f16_fma(a16, x16, static_cast<uint16_t>(d));
    case kBf16:
      return golden::bf16_fma(a16, x16, static_cast<uint16_t>(d));
    case kMixed:
      return golden::mixed_fma(a16, x16, d);
    case kMixedB:
      return golden::mixedb_fma(a16, x16, d);
    default:
      return golden::f32_fma(a, x, d);
  }
}

// A thread's memory: its own 2 kB.
struct Area {
  uint32_t x, index, a, dst;
};
Area area(int thread) {
  const auto base = static_cast<uint32_t>(thread - 1) * 2048;
  return {base, base + 512, base + 1024, base + 1536};
}

struct Shape {
  int n = 0;     // elements of an inner vector
  int rows = 1;  // inner vectors
  int size = 2;  // bytes of an element of x
  int span = 0;  // indices are below
};

// Draws an instruction and its index vector, and applies it to the model.
template <class B>
Insn draw(B& bench, int thread, std::deque<uint32_t>* sent) {
  auto& rng = bench.rng;
  const Area at = area(thread);
  Insn i;
  i.thread = thread;
  i.op = kGather + static_cast<int>(rng() % 3);
  const int move_types[] = {kF16, kBf16, kF32, kI16, kI32};
  const int fma_types[] = {kF16, kBf16, kF32, kMixed, kMixedB};
  i.type = i.op == kFmag ? fma_types[rng() % 5] : move_types[rng() % 5];
  Shape s;
  s.size = wide(i.type) ? 4 : 2;
  s.n = 1 + static_cast<int>(rng() % 40);
  s.rows = rng() % 3 == 0 ? 1 + static_cast<int>(rng() % 3) : 1;
  if (s.n * s.rows > 60) s.rows = 1;
  i.base = at.x + static_cast<uint32_t>(rng() % 32) * s.size;
  s.span = rng() % 4 == 0 ? 4 : (512 - 128) / s.size;
  const int total = s.n * s.rows;
  const int rsize = result_size(i);
  i.b = vector(at.index + static_cast<uint32_t>(rng() % 32) * 2, s.n, 2, kI16);
  i.a = vector(at.a + static_cast<uint32_t>(rng() % 32) * s.size, s.n, s.size, i.type);
  i.dst = vector(at.dst + static_cast<uint32_t>(rng() % 32) * rsize, s.n, rsize,
                 rsize == 4 && i.type != kI32 ? kF32 : i.type);
  for (Dsr* d : {&i.b, &i.a, &i.dst}) {
    if (s.rows > 1) {
      d->len[1] = static_cast<uint16_t>(s.rows);
      d->step[1] = 0;
    }
  }
  const bool to_acc = i.op != kScatter && rsize == 4 && i.type != kI32 && thread == 1 &&
                      total <= 16 * B::kLanes / 2 && rng() % 2 == 0;
  const bool to_fabric = i.op == kGather && !to_acc && rng() % 3 == 0;
  const bool from_fabric = s.rows == 1 && !to_acc && rng() % 4 == 0;
  if (to_acc) i.dst.addr = kAcc + static_cast<uint32_t>(rng() % (8 * B::kLanes)) * 4;
  if (to_fabric) {
    const int type = i.dst.type;
    i.dst = queue(kFabOut, thread, 0);
    i.dst.type = type;
    i.dst.close = rng() % 2 == 0;
  }
  // Indices.
  std::vector<uint16_t> index(total);
  for (auto& x : index) x = static_cast<uint16_t>(rng() % s.span);
  for (int k = 0; k < total; ++k) bench.poke16(i.b.addr + 2 * k, index[k]);
  if (from_fabric) {
    i.b = queue(kFabIn, thread, s.n);
    for (int k = 0; k < total; k += 2) {
      const uint32_t hi = k + 1 < total ? index[k + 1] : 0;
      bench.in[thread].push_back({false, hi << 16 | index[k]});
    }
  }
  // The model.
  std::vector<uint32_t> results;
  for (int k = 0; k < total; ++k) {
    const uint32_t xa = i.base + index[k] * s.size;
    const uint32_t aa = i.a.addr + k * s.size;
    const uint32_t da = i.dst.addr + k * rsize;
    const uint32_t slot = (da & (kAcc - 1)) / 4;
    if (i.op == kScatter) {
      bench.store(xa, s.size, bench.load(aa, s.size));
      continue;
    }
    uint32_t r = bench.load(xa, s.size);
    if (i.op == kFmag) {
      const uint32_t d = to_acc ? bench.acc[slot] : bench.load(da, rsize);
      r = fmag_element(i.type, bench.load(aa, s.size), r, d);
    }
    if (to_acc) {
      bench.acc[slot] = r;
    } else if (to_fabric) {
      results.push_back(r);
    } else {
      bench.store(da, rsize, r);
    }
  }
  if (to_fabric) {
    for (std::size_t k = 0; k < results.size(); k += rsize == 4 ? 1 : 2) {
      uint32_t w = results[k];
      if (rsize == 2 && k + 1 < results.size()) w |= results[k + 1] << 16;
      sent->push_back(w);
    }
    if (i.dst.close) sent->push_back(0xC0000002);  // marks the control wavelet
  }
  return i;
}

template <class B>
void random_instructions(int disturb) {
  const char* text = std::getenv("OW_SEED");
  const uint64_t seed = text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
  std::printf("OW_SEED=%llu\n", static_cast<unsigned long long>(seed));
  B bench;
  bench.rng.seed(seed);
  // The accumulator cache starts with known words.
  for (int k = 0; k < 16 * B::kLanes; k += 2 * B::kLanes) {
    const int n = 2 * B::kLanes;
    for (int j = 0; j < n; ++j) bench.poke(area(1).a + 4 * j, 0x3F800000u + (k + j) * 0x11000u);
    Insn i;
    i.op = kMov;
    i.type = kF32;
    i.a = vector(area(1).a, n, 4, kF32);
    i.dst = vector(kAcc + 4 * k, n, 4, kF32);
    bench.launch(i);
    bench.finish();
    for (int j = 0; j < n; ++j) bench.acc[k + j] = bench.load(area(1).a + 4 * j, 4);
  }
  bench.disturb = disturb;
  if (disturb > 0) {
    bench.in_rate = 60;
    bench.out_rate = 40;
  }
  std::array<std::deque<uint32_t>, 8> sent;
  for (int round = 0; round < 60 && !testing::Test::HasFatalFailure(); ++round) {
    std::array<Insn, 5> insns;
    const int threads = 1 + static_cast<int>(bench.rng() % 4);
    for (int t = 1; t <= threads; ++t) insns[t] = draw(bench, t, &sent[t]);
    for (int t = 1; t <= threads; ++t) bench.launch(insns[t]);
    bench.finish();
    ASSERT_EQ(bench->fault_o, 0u) << "round " << round;
    for (int t = 1; t <= threads; ++t) {
      ASSERT_EQ(bench.out[t].size(), sent[t].size()) << "round " << round << " thread " << t;
      for (std::size_t k = 0; k < sent[t].size(); ++k) {
        const Wavelet w = bench.out[t][k];
        ASSERT_EQ(w.ctrl ? w.data | 0xC0000000 : w.data, sent[t][k]);
      }
      bench.out[t].clear();
      sent[t].clear();
      EXPECT_TRUE(bench.in[t].empty());
    }
    bench.check_memory();
    for (int k = 0; k < 16 * B::kLanes; ++k) {
      ASSERT_EQ(bench.acc_word(k), bench.acc[k]) << "accumulator " << k << " round " << round;
    }
    if (testing::Test::HasFatalFailure()) {
      for (int t = 1; t <= threads; ++t) {
        std::printf("round %d thread %d: op %d type %d n %d dst %x a %x b %x base %x\n", round, t,
                    insns[t].op, insns[t].type, insns[t].b.len[0], insns[t].dst.addr,
                    insns[t].a.addr, insns[t].b.addr, insns[t].base);
      }
    }
  }
}

TEST(Indexed, RandomInstructionsMatchTheModelWith8Lanes) { random_instructions<Bench8>(0); }
TEST(Indexed, RandomInstructionsMatchTheModelWith2Lanes) { random_instructions<Bench2>(0); }
TEST(Indexed, DisturbedMemoryAndQueuesChangeNothingWith8Lanes) { random_instructions<Bench8>(40); }
TEST(Indexed, DisturbedMemoryAndQueuesChangeNothingWith2Lanes) { random_instructions<Bench2>(40); }

TEST(Indexed, AnIndexOutOfMemoryStopsTheThreadWithItsAddress) {
  for (int op : {kGather, kScatter, kFmag}) {
    Bench8 bench;
    Insn i;
    i.op = op;
    i.base = 4096;
    i.a = vector(1024, 64, 2);
    i.b = vector(512, 64, 2, kI16);
    i.dst = vector(2048, 64, 2);
    for (int k = 0; k < 64; ++k) bench.poke16(512 + 2 * k, static_cast<uint16_t>(k));
    bench.poke16(512 + 2 * 27, 2048 + 5);
    bench.poke16(512 + 2 * 30, 2048 + 9);
    bench.launch(i);
    bench.finish();
    EXPECT_EQ(bench->fault_o, 0x80000013u);
    EXPECT_EQ(bench->fault_addr_o, 4096u + 2 * (2048 + 5));
    // The beats before have taken effect, nothing of the ones from the fault on.
    for (int k = 0; k < 24; ++k) {
      const uint32_t x = bench.load(4096 + 2 * k, 2);
      if (op == kGather) bench.store(2048 + 2 * k, 2, x);
      if (op == kScatter) bench.store(4096 + 2 * k, 2, bench.load(1024 + 2 * k, 2));
      if (op == kFmag) {
        bench.store(
            2048 + 2 * k, 2,
            fmag_element(kF16, bench.load(1024 + 2 * k, 2), x, bench.load(2048 + 2 * k, 2)));
      }
    }
    if (op == kScatter) {
      // Requests that were under way when the fault was found have been written.
      for (int k = 32; k < 64; ++k) {
        const uint32_t word = bench.peek((4096 + 2 * k) & ~3u);
        bench.store(4096 + 2 * k, 2, word >> (k % 2 == 0 ? 0 : 16) & 0xFFFF);
      }
    }
    bench.check_memory();
  }
}

TEST(Indexed, AMisalignedBaseIsAMalformedDescriptor) {
  Bench8 bench;
  Insn i;
  i.base = 4097;
  i.b = vector(512, 8, 2, kI16);
  i.dst = vector(2048, 8, 2);
  bench.launch(i);
  bench.finish();
  EXPECT_EQ(bench->fault_o, 0x80000012u);
  EXPECT_EQ(bench->fault_addr_o, 4097u);
}

// Cycles of 1,024 products a[k] * x[index[k]] into accumulators, 128 sums.
double spmv(Bench8& bench, int type, bool random) {
  const bool w32 = type == kF32;
  const int n = w32 ? 512 : 1024;
  const uint32_t values = 0, index = 2048, x = 4096;
  Insn i;
  i.op = kFmag;
  i.type = type;
  i.base = x;
  i.a = vector(values, 128, w32 ? 4 : 2, type);
  i.b = vector(index, 128, 2, kI16);
  i.dst = vector(kAcc, 128, 4, kF32);
  for (Dsr* d : {&i.a, &i.b, &i.dst}) d->len[1] = static_cast<uint16_t>(n / 128);
  i.dst.step[1] = -512;
  for (int k = 0; k < n; ++k) {
    bench.poke16(index + 2 * k,
                 static_cast<uint16_t>(random ? bench.rng() % (4096 / (w32 ? 4 : 2)) : k));
  }
  bench.launch(i);
  const uint64_t begin = bench.cycles;
  bench.finish();
  EXPECT_EQ(bench->fault_o, 0u);
  const double rate = static_cast<double>(n) / static_cast<double>(bench.cycles - begin);
  std::printf("fmag type %d, %s indices: %.2f a cycle\n", type, random ? "random" : "neighbouring",
              rate);
  return rate;
}

TEST(IndexedRate, ASparseMatrixVectorProductRunsAtThreeNonZerosACycle) {
  Bench8 bench;
  EXPECT_GE(spmv(bench, kMixed, true), 3.0);
  EXPECT_GE(spmv(bench, kMixed, false), 6.0);
  EXPECT_GE(spmv(bench, kF32, true), 1.7);
}

TEST(IndexedRate, ASendOfNineTenthsZerosRunsAtTheRateOfTheScan) {
  for (int seed = 1; seed <= 3; ++seed) {
    Bench8 bench;
    bench.rng.seed(seed);
    int kept = 0;
    std::vector<uint32_t> want;
    for (int k = 0; k < 1024; ++k) {
      const bool zero = bench.rng() % 10 != 0;
      const auto x = static_cast<uint16_t>(zero ? bench.rng() % 2 << 15 : 0x3C00 + k);
      bench.poke16(2 * k, x);
      if (!zero) want.push_back(static_cast<uint32_t>(k) << 16 | x);
      kept += !zero;
    }
    Insn i;
    i.op = kMov;
    i.a = vector(0, 1024, 2);
    i.dst = queue(kFabOut, 3, 0);
    i.dst.close = i.dst.skip = i.dst.tag = true;
    bench.launch(i);
    const uint64_t begin = bench.cycles - 1;
    bench.finish();
    EXPECT_EQ(bench->fault_o, 0u);
    const auto bound = static_cast<uint64_t>(std::max(128, kept + 1));
    const uint64_t cycles = bench.last_push + 1 - begin;
    std::printf("seed %d: %d kept, %llu cycles, bound %llu\n", seed, kept,
                static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(bound));
    EXPECT_LE(cycles * 10, bound * 12);
    ASSERT_EQ(bench.out[3].size(), want.size() + 1);
    for (std::size_t k = 0; k < want.size(); ++k) ASSERT_EQ(bench.out[3][k].data, want[k]);
    EXPECT_TRUE(bench.out[3].back().ctrl);
  }
}

}  // namespace
