// SPDX-License-Identifier: Apache-2.0
// Random instructions on random threads against the model, with 8 and with 2 lanes: both must leave
// the same bits.
#include <cstdio>

#include "engine_bench.h"
#include "engine_fixture.h"
#include "random_program.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

TYPED_TEST_SUITE(EngineTest, Widths);

constexpr int kAccWords = 32;  // of the accumulator, that the programs use
constexpr uint32_t kArea = 512;

struct Traffic {
  int in_rate, out_rate, disturb;
};

// Up to 10 threads at once, each with a random instruction of its own; all of memory, the
// accumulator, the output queues and saved addresses are compared. The hash of all that was
// computed must not depend on the number of lanes.
template <typename W>
class RandomThreads {
 public:
  explicit RandomThreads(const Traffic& t)
      : traffic_(t), b_(W::kLanes), rng_(seed() * 7919 + t.in_rate) {
    load_memory(&b_, &m_, &rng_);
    // The accumulator starts from known words: moved in by the engine.
    for (int i = 0; i < kAccWords; i++) m_.acc[i] = word_at(m_, i * 4);
    b_.write_dsr(0, mem(0, kAccWords, 4));
    b_.write_dsr(1, mem(kAcc, kAccWords, 4));
    Insn i;
    i.ty = kF32;
    i.dst = 1;
    b_.launch(i);
    b_.finish();
  }

  uint64_t run(int rounds) {
    for (round_ = 0; round_ < rounds && !::testing::Test::HasFailure(); round_++) {
      draw();
      execute();
      compare_state();
      compare_queues();
      compare_memory();
      if (::testing::Test::HasFailure()) print();
    }
    return hash_;
  }

 private:
  void draw() {
    set_traffic({100, 100, 0});
    for (int q = 0; q < 8; q++) {
      m_.in[q].clear();
      m_.out[q].clear();
      b_.in[q].clear();
      b_.out[q].clear();
    }
    b_.done.clear();
    b_.sync_done = 0;
    RandomProgram program(&rng_, &m_);
    const int threads = 1 + static_cast<int>(rng_() % 10);
    const int first = static_cast<int>(rng_() % kThreads);
    insns_.clear();
    for (int k = 0; k < threads; k++) {
      insns_.push_back(program.make((first + k) % kThreads, 3 * k, kArea * k));
    }
    for (uint32_t at : program.indices()) {
      for (uint32_t k = 0; k < 64; k += 4) b_.poke(at + k, word_at(m_, at + k));
    }
    for (int q = 0; q < 8; q++) b_.in[q] = m_.in[q];
    for (int k = 0; k < 3 * threads; k++) b_.write_dsr(k, m_.dsr[k]);
  }

  void execute() {
    set_traffic(traffic_);
    for (const Insn& i : insns_) {
      b_.launch(i);
      Model(&m_).run(i);
    }
    b_.finish();
    set_traffic({100, 100, 0});
  }

  void compare_state() {
    int events = 0, syncs = 0;
    for (const Insn& i : insns_) {
      events += i.done != 0;
      syncs += i.thread == 0;
    }
    EXPECT_EQ(b_->fault_o, 0u) << "round " << round_;
    EXPECT_EQ(static_cast<int>(b_.done.size()), events);
    EXPECT_EQ(b_.sync_done, syncs);
    EXPECT_EQ(b_->inq_owned_o, 0);
    EXPECT_TRUE(b_->idle_o);
    for (std::size_t k = 0; k < 3 * insns_.size(); k++) {
      EXPECT_EQ(b_.read_dsr(static_cast<int>(k), 1), m_.dsr[k].addr)
          << "round " << round_ << " descriptor " << k;
    }
  }

  void compare_queues() {
    for (int q = 0; q < 8; q++) {
      EXPECT_TRUE(b_.in[q] == m_.in[q]) << "round " << round_ << " input queue " << q << ": "
                                        << b_.in[q].size() << " left, not " << m_.in[q].size();
      EXPECT_TRUE(b_.out[q] == m_.out[q]) << "round " << round_ << " output queue " << q << ": "
                                          << b_.out[q].size() << " of " << m_.out[q].size();
      for (const Wavelet& w : m_.out[q]) mix(w.data);
    }
  }

  void compare_memory() {
    for (uint32_t a = 0; a < kArea * insns_.size(); a += 4) {
      const uint32_t want = word_at(m_, a);
      const uint32_t got = b_.peek(a);
      mix(got);
      if (got != want) {
        const Insn& i = insns_[a / kArea];
        ADD_FAILURE() << "round " << round_ << " address " << a << ": " << std::hex << got
                      << ", not " << want << std::dec << "; op " << i.op << " type " << i.ty;
        break;
      }
    }
    for (int i = 0; i < kAccWords; i++) {
      EXPECT_EQ(b_.acc_word(i), m_.acc[i]) << "round " << round_ << " accumulator word " << i;
    }
  }

  void set_traffic(const Traffic& t) {
    b_.in_rate = t.in_rate;
    b_.out_rate = t.out_rate;
    b_.disturb = t.disturb;
  }
  void mix(uint32_t x) { hash_ = (hash_ ^ x) * 1099511628211u; }
  void print() const {
    for (const Insn& i : insns_) {
      std::printf("thread %d op %d type %d scalar %d value %x\n", i.thread, i.op, i.ty, i.scalar,
                  i.value);
      for (const int k : {i.a, i.b, i.dst}) {
        const Dsr& d = m_.dsr[k];
        std::printf(
            "  kind %d q %d addr %x len %d %d %d %d step %d %d %d %d close %d type %d skip %d "
            "tag %d\n",
            d.kind, d.q, d.addr, d.len[0], d.len[1], d.len[2], d.len[3], d.step[0], d.step[1],
            d.step[2], d.step[3], d.close, d.type, d.skip, d.tag);
      }
    }
  }

  Traffic traffic_;
  Bench<typename W::Top> b_;
  std::mt19937 rng_;
  Machine m_;
  std::vector<Insn> insns_;
  int round_ = 0;
  uint64_t hash_ = 1469598103934665603u;
};

template <typename W>
uint64_t random_threads(const Traffic& t, int rounds) {
  return RandomThreads<W>(t).run(rounds);
}

TYPED_TEST(EngineTest, RandomThreadsMatchTheModelUnhindered) {
  random_threads<TypeParam>({100, 100, 0}, rounds(150));
}

TYPED_TEST(EngineTest, RandomThreadsMatchTheModelUnderBackPressure) {
  random_threads<TypeParam>({30, 25, 40}, rounds(150));
}

#if OW_OTHER_SIZES
TEST(EngineBits, DoNotDependOnTheNumberOfLanes) {
  const Traffic traffic = {60, 60, 10};
  EXPECT_EQ(random_threads<Lanes8>(traffic, rounds(60)),
            random_threads<Lanes2>(traffic, rounds(60)));
}
#endif

}  // namespace
