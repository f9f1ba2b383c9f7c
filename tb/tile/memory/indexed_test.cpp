// SPDX-License-Identifier: Apache-2.0
// Gather, scatter and fmag through the whole engine and its memory, against the model: all types,
// destinations and alignments, several threads at once, disturbed memory, faults; the rates of a
// sparse matrix-vector product and of a send that skips zeros.
#include <algorithm>
#include <cstdio>

#include "engine_bench.h"
#include "ow/golden/formats.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

constexpr int kThreadsAtOnce = 4;

bool is_wide(int type) { return type == kF32 || type == kI32; }
int result_size(const Insn& i) {
  return is_wide(i.ty) || i.ty == kMixed || i.ty == kMixedB ? 4 : 2;
}

// A thread's memory: its own 2 kB.
struct Area {
  uint32_t x, index, a, dst;
};
Area area(int thread) {
  const auto base = static_cast<uint32_t>(thread - 1) * 2048;
  return {base, base + 512, base + 1024, base + 1536};
}

// Copies the word with the element at addr from the model to the memory.
template <typename B>
void poke_word(B* b, const Machine& m, uint32_t addr) {
  b->poke(addr & ~3u, word_at(m, addr & ~3u));
}

template <typename B>
void check_memory(B* b, const Machine& m) {
  for (uint32_t a = 0; a < kSramBytes; a += 4) {
    ASSERT_EQ(b->peek(a), word_at(m, a)) << "address " << a;
  }
}

// Rounds of up to four threads with a random indexed instruction each.
template <typename W>
class RandomIndexed {
 public:
  explicit RandomIndexed(int disturb) : disturb_(disturb), b_(W::kLanes), rng_(seed()) {
    load_memory(&b_, &m_, &rng_);
    // The accumulator cache starts with known words.
    for (int k = 0; k < kAccWords; k++) {
      m_.store(4 * k, 4, 0x3F800000u + k * 0x11000u);
      m_.store(kAcc + 4 * k, 4, word_at(m_, 4 * k));
      poke_word(&b_, m_, 4 * k);
    }
    cycles_of(&b_, insn(kMov, kF32, 1, 0, 1), mem(kAcc, kAccWords, 4), mem(0, kAccWords, 4), Dsr());
  }

  void run(int rounds) {
    for (round_ = 0; round_ < rounds && !testing::Test::HasFailure(); round_++) {
      const int threads = 1 + pick(kThreadsAtOnce);
      insns_.clear();
      for (int t = 1; t <= threads; t++) draw(t);
      execute();
      compare();
      if (testing::Test::HasFailure()) print();
    }
  }

 private:
  static constexpr int kAccWords = 16 * W::kLanes;

  // The instruction that is drawn at random.
  struct Draft {
    Insn i;
    Dsr dst, a, b;
    Area at{};
    int size = 2;   // bytes of an element of x
    int n = 0;      // elements of an inner vector
    int rows = 1;   // inner vectors
    int total = 0;  // elements
    bool to_acc = false;
  };

  int pick(int n) { return static_cast<int>(rng_() % n); }

  void draw(int thread) {
    Draft t;
    t.at = area(thread);
    constexpr Op kOps[] = {kGather, kScatter, kFmag};
    t.i = insn(kOps[pick(3)], kF16, thread, 3 * thread, 3 * thread + 1, 3 * thread + 2);
    const int move_types[] = {kF16, kBf16, kF32, kI16, kI32};
    const int fma_types[] = {kF16, kBf16, kF32, kMixed, kMixedB};
    t.i.ty = t.i.op == kFmag ? fma_types[pick(5)] : move_types[pick(5)];
    draw_vectors(&t);
    draw_result(&t);
    draw_indices(&t);
    m_.dsr[t.i.dst] = t.dst;
    m_.dsr[t.i.a] = t.a;
    m_.dsr[t.i.b] = t.b;
    insns_.push_back(t.i);
  }

  void draw_vectors(Draft* t) {
    t->size = is_wide(t->i.ty) ? 4 : 2;
    t->n = 1 + pick(40);
    t->rows = pick(3) == 0 ? 1 + pick(3) : 1;
    if (t->n * t->rows > 60) t->rows = 1;
    t->total = t->n * t->rows;
    t->i.value = t->at.x + static_cast<uint32_t>(pick(32) * t->size);
    t->b = vector(*t, t->at.index, 2, kI16);
    t->a = vector(*t, t->at.a, t->size, t->i.ty);
    const int bytes = result_size(t->i);
    t->dst = vector(*t, t->at.dst, bytes, bytes == 4 && t->i.ty != kI32 ? kF32 : t->i.ty);
  }

  // Inner vectors one after the other.
  Dsr vector(const Draft& t, uint32_t addr, int bytes, int type) {
    Dsr d = mem(addr + static_cast<uint32_t>(pick(32) * bytes), static_cast<uint16_t>(t.n),
                static_cast<int16_t>(bytes));
    d.type = type;
    if (t.rows > 1) d.len[1] = static_cast<uint16_t>(t.rows);
    return d;
  }

  // Some results go to the accumulator cache or to the fabric.
  void draw_result(Draft* t) {
    t->to_acc = t->i.op != kScatter && result_size(t->i) == 4 && t->i.ty != kI32 &&
                t->i.thread == 1 && t->total <= kAccWords / 2 && pick(2) == 0;
    if (t->to_acc) t->dst.addr = kAcc + static_cast<uint32_t>(pick(kAccWords / 2)) * 4;
    if (t->i.op != kGather || t->to_acc || pick(3) != 0) return;
    const int type = t->dst.type;
    t->dst = fab_out(t->i.thread);
    t->dst.type = type;
    t->dst.close = pick(2) == 0;
    t->dst.code = kStreamEnd;
  }

  // Indices are in memory, or some come as pairs from the fabric.
  void draw_indices(Draft* t) {
    const int span = pick(4) == 0 ? 4 : (512 - 128) / t->size;
    for (int k = 0; k < t->total; k++) {
      m_.store(t->b.addr + 2 * k, 2, pick(span));
      poke_word(&b_, m_, t->b.addr + 2 * k);
    }
    if (t->rows > 1 || t->to_acc || pick(4) != 0) return;
    auto& queue = m_.in[t->i.thread];
    for (int k = 0; k < t->total; k += 2) {
      const uint32_t high = k + 1 < t->total ? m_.load(t->b.addr + 2 * k + 2, 2) : 0;
      queue.push_back({false, high << 16 | m_.load(t->b.addr + 2 * k, 2)});
    }
    b_.in[t->i.thread] = queue;
    t->b = fab_in(t->i.thread, static_cast<uint16_t>(t->n));
  }

  void execute() {
    for (const Insn& i : insns_) {
      for (const int d : {i.dst, i.a, i.b}) b_.write_dsr(d, m_.dsr[d]);
    }
    set_traffic(disturb_ > 0 ? 60 : 100, disturb_ > 0 ? 40 : 100, disturb_);
    for (const Insn& i : insns_) {
      b_.launch(i);
      Model(&m_).run(i);
    }
    b_.finish();
    set_traffic(100, 100, 0);
  }

  void compare() {
    ASSERT_EQ(b_->fault_o, 0u) << "round " << round_;
    for (const Insn& i : insns_) {
      const int t = i.thread;
      EXPECT_TRUE(b_.out[t] == m_.out[t]) << "round " << round_ << " thread " << t << ": "
                                          << b_.out[t].size() << " of " << m_.out[t].size();
      EXPECT_TRUE(b_.in[t].empty() && m_.in[t].empty());
      b_.out[t].clear();
      m_.out[t].clear();
    }
    check_memory(&b_, m_);
    for (int k = 0; k < kAccWords; k++) {
      ASSERT_EQ(b_.acc_word(k), m_.acc[k]) << "accumulator " << k << " round " << round_;
    }
  }

  void print() const {
    for (const Insn& i : insns_) {
      std::printf("round %d thread %d: op %d type %d n %d dst %x a %x b %x base %x\n", round_,
                  i.thread, i.op, i.ty, m_.dsr[i.b].len[0], m_.dsr[i.dst].addr, m_.dsr[i.a].addr,
                  m_.dsr[i.b].addr, i.value);
    }
  }

  void set_traffic(int in_rate, int out_rate, int disturb) {
    b_.in_rate = in_rate;
    b_.out_rate = out_rate;
    b_.disturb = disturb;
  }

  int disturb_;
  Bench<typename W::Top> b_;
  std::mt19937 rng_;
  Machine m_;
  std::vector<Insn> insns_;
  int round_ = 0;
};

template <typename W>
void random_instructions(int disturb) {
  std::printf("OW_SEED=%u\n", seed());
  RandomIndexed<W>(disturb).run(rounds(60));
}

TEST(Indexed, RandomInstructionsMatchTheModelWith8Lanes) { random_instructions<Lanes8>(0); }
#if OW_OTHER_SIZES
TEST(Indexed, RandomInstructionsMatchTheModelWith2Lanes) { random_instructions<Lanes2>(0); }
#endif
TEST(Indexed, DisturbedMemoryAndQueuesChangeNothingWith8Lanes) { random_instructions<Lanes8>(40); }
#if OW_OTHER_SIZES
TEST(Indexed, DisturbedMemoryAndQueuesChangeNothingWith2Lanes) { random_instructions<Lanes2>(40); }
#endif

// The effect of the first 24 of 64 elements: the beats before the one with the fault.
void beats_before_the_fault(int op, Machine* m) {
  for (int k = 0; k < 24; k++) {
    const uint32_t x = m->load(4096 + 2 * k, 2), a = m->load(1024 + 2 * k, 2);
    const uint32_t d = m->load(2048 + 2 * k, 2);
    if (op == kGather) m->store(2048 + 2 * k, 2, x);
    if (op == kScatter) m->store(4096 + 2 * k, 2, a);
    if (op == kFmag) m->store(2048 + 2 * k, 2, ow::golden::f16_fma(a, x, d));
  }
}

TEST(Indexed, AnIndexOutOfMemoryStopsTheThreadWithItsAddress) {
  for (const int op : {kGather, kScatter, kFmag}) {
    Bench<VEngine8> b(8);
    std::mt19937 rng(seed());
    Machine m;
    load_memory(&b, &m, &rng);
    for (int k = 0; k < 64; k++) m.store(512 + 2 * k, 2, k);
    m.store(512 + 2 * 27, 2, 2048 + 5);
    m.store(512 + 2 * 30, 2, 2048 + 9);
    for (int k = 0; k < 64; k += 2) poke_word(&b, m, 512 + 2 * k);
    b.write_dsr(0, mem(2048, 64, 2));
    b.write_dsr(1, mem(1024, 64, 2));
    b.write_dsr(2, mem(512, 64, 2));
    Insn i = insn(op, kF16, 1, 0, 1, 2);
    i.value = 4096;
    b.launch(i);
    b.finish();
    EXPECT_EQ(b->fault_o, fault(1, kAddress));
    EXPECT_EQ(b->fault_addr_o, 4096u + 2 * (2048 + 5));
    // The beats before the fault have taken effect; nothing from the fault on has.
    beats_before_the_fault(op, &m);
    // Exception: requests of a scatter that were under way when the fault was found have been
    // written.
    for (int k = 32; k < 64 && op == kScatter; k++) {
      const uint32_t word = b.peek((4096 + 2 * k) & ~3u);
      m.store(4096 + 2 * k, 2, word >> (k % 2 == 0 ? 0 : 16));
    }
    check_memory(&b, m);
  }
}

TEST(Indexed, AMisalignedBaseIsAMalformedDescriptor) {
  Bench<VEngine8> b(8);
  Insn i = insn(kGather, kF16, 1, 0, 1, 2);
  i.value = 4097;
  b.write_dsr(0, mem(2048, 8, 2));
  b.write_dsr(1, Dsr());
  b.write_dsr(2, mem(512, 8, 2));
  b.launch(i);
  b.finish();
  EXPECT_EQ(b->fault_o, fault(1, kDescriptor));
  EXPECT_EQ(b->fault_addr_o, 4097u);
}

// Products a[k] * x[index[k]] into 128 sums in accumulators, at `rate` per cycle as docs/isa.md
// states it.
void spmv(int type, bool random, double rate) {
  Bench<VEngine8> b(8);
  std::mt19937 rng(1);
  const int bytes = type == kF32 ? 4 : 2;
  const int n = 2048 / bytes;
  const uint32_t values = 0, index = 2048, x = 4096;
  Dsr d = mem(kAcc, 128, 4), a = mem(values, 128, static_cast<int16_t>(bytes)),
      bb = mem(index, 128, 2);
  for (Dsr* v : {&d, &a, &bb}) v->len[1] = static_cast<uint16_t>(n / 128);
  d.step[1] = -512;
  for (int k = 0; k < n; k += 2) {
    const uint32_t low = random ? rng() % (4096 / bytes) : k;
    const uint32_t high = random ? rng() % (4096 / bytes) : k + 1;
    b.poke(index + 2 * k, high << 16 | low);
  }
  Insn i = insn(kFmag, type, 1, 0, 1, 2);
  i.value = x;
  const auto cycles = static_cast<double>(cycles_of(&b, i, d, a, bb));
  EXPECT_EQ(b->fault_o, 0u);
  std::printf("fmag type %d, %s indices: %.2f a cycle\n", type, random ? "random" : "neighbouring",
              n / cycles);
  EXPECT_LE(cycles, n / rate + 16);
}

TEST(IndexedRate, ASparseMatrixVectorProductRunsAtThreeNonZerosACycle) {
  spmv(kMixed, true, 3.8);
  spmv(kMixed, false, 8);
  spmv(kF32, true, 1.8);
}

TEST(IndexedRate, ASendOfNineTenthsZerosRunsAtTheRateOfTheScan) {
  for (uint32_t s = 1; s <= 3; s++) {
    Bench<VEngine8> b(8);
    std::mt19937 rng(s);
    Machine m;
    std::deque<Wavelet> want;
    for (uint32_t k = 0; k < 1024; k++) {
      const bool zero = rng() % 10 != 0;
      const uint32_t x = zero ? rng() % 2 << 15 : 0x3C00 + k;
      m.store(2 * k, 2, x);
      if (k % 2 == 1) poke_word(&b, m, 2 * k);
      if (!zero) want.push_back({false, k << 16 | x});
    }
    const auto kept = static_cast<int>(want.size());
    want.push_back({true, kStreamEnd});
    Dsr out = fab_out(3);
    out.code = 2;
    out.close = out.skip = out.tag = true;
    b.write_dsr(0, out);
    b.write_dsr(1, mem(0, 1024, 2));
    b.launch(insn(kMov, kF16, 1, 0, 1));
    const uint64_t begin = b.cycle() - 1;
    b.finish();
    EXPECT_EQ(b->fault_o, 0u);
    // A vector of 8 elements or a wavelet per cycle, whichever takes longer, and the close.
    const int bound = std::max(128, kept + 1);
    const auto cycles = static_cast<int>(b.last_push - begin);
    std::printf("seed %u: %d kept, %d cycles, bound %d\n", s, kept, cycles, bound);
    EXPECT_LE(cycles, bound + 16);
    EXPECT_TRUE(b.out[3] == want);
  }
}

}  // namespace
