// SPDX-License-Identifier: Apache-2.0
// Random programs of which some output queues are not drained and some input queues get nothing:
// every other thread ends meanwhile, and all of them end afterwards. The checker of liveness is
// bound to the engine (ow_live_check).
#include <cstdio>

#include "engine_bench.h"
#include "engine_fixture.h"
#include "random_program.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

template <typename T>
class EngineLive : public ::testing::Test {};
TYPED_TEST_SUITE(EngineLive, Widths);

constexpr int kQuiet = 64;  // cycles without a beat that the checker allows
constexpr uint32_t kArea = 512;
constexpr int kMost = 10;  // threads of a program, with three descriptors each

template <typename W>
class LivePrograms {
 public:
  LivePrograms() : b_(W::kLanes), rng_(seed() * 104729 + W::kLanes) {
    load_memory(&b_, &m_, &rng_);
  }

  void run(int rounds) {
    for (round_ = 0; round_ < rounds && !::testing::Test::HasFailure(); round_++) {
      draw();
      execute();
      if (::testing::Test::HasFailure()) print();
    }
    std::printf("%d programs, %d threads held by a queue, %d others ended meanwhile\n", round_,
                waited_, ended_);
  }

 private:
  uint32_t pick(uint32_t n) { return rng_() % n; }
  bool free_threads(int n) const { return static_cast<int>(insns_.size()) + n <= kMost; }

  void draw() {
    b_.in_rate = b_.out_rate = 100;
    b_.disturb = 0;
    for (int q = 0; q < 8; q++) {
      m_.in[q].clear();
      b_.in[q].clear();
      b_.out[q].clear();
    }
    insns_.clear();
    tied_ = 0;
    first_ = static_cast<int>(pick(kThreads));
    RandomProgram program(&rng_, &m_);
    const int random = static_cast<int>(pick(7));
    if (pick(2)) add_dotw(&program);
    if (pick(2)) add_tagged(&program);
    if (pick(2)) add_tagged(&program);
    if (pick(2)) add_fifo(&program);
    for (int k = 0; k < random && free_threads(1); k++) {
      const int at = static_cast<int>(insns_.size());
      insns_.push_back(program.make(thread(at), 3 * at, kArea * at));
    }
    if (pick(2) && free_threads(1)) add_sender(&program);
    for (uint32_t k = pick(3); k > 0 && free_threads(1); k--) add_sum(&program);
    if (insns_.empty()) add_sum(&program);
    share_outputs();
    for (uint32_t at : program.indices()) {
      for (uint32_t k = 0; k < 64; k += 4) b_.poke(at + k, word_at(m_, at + k));
    }
    for (int q = 0; q < 8; q++) b_.in[q] = m_.in[q];
    for (std::size_t k = 0; k < 3 * insns_.size(); k++) b_.write_dsr(k, m_.dsr[k]);
    std::shuffle(insns_.begin(), insns_.end(), rng_);
  }

  int thread(int at) const { return (first_ + at) % kThreads; }
  Insn next(int op, int type) {
    const int at = static_cast<int>(insns_.size());
    Insn i = insn(op, type, thread(at), 3 * at, 3 * at + 1, 3 * at + 2);
    i.prio = pick(4) == 0;
    return i;
  }
  uint32_t area() const { return kArea * static_cast<uint32_t>(insns_.size()); }

  // Sums of several vectors, to memory or to a queue.
  void add_sum(RandomProgram* program) {
    const Insn i = next(kSum, kF16);
    const auto vectors = static_cast<uint16_t>(1 + pick(20));
    const int to = pick(2) ? program->take_output() : -1;
    m_.dsr[i.dst] = to < 0 ? mem(area() + 256, vectors, 4) : fab_out(to);
    m_.dsr[i.dst].type = kF32;
    m_.dsr[i.a] = mem(area(), static_cast<uint16_t>(1 + pick(80)), 2);
    m_.dsr[i.a].len[1] = vectors;
    m_.dsr[i.a].step[1] = static_cast<int16_t>(-2 * m_.dsr[i.a].len[0]);
    insns_.push_back(i);
  }

  // Fills a queue and all places before it.
  void add_sender(RandomProgram* program) {
    const int to = program->take_output();
    if (to < 0) return;
    const Insn i = next(kMov, kF16);
    m_.dsr[i.dst] = fab_out(to);
    m_.dsr[i.a] = mem(area(), static_cast<uint16_t>(1 + pick(255)), 2);
    insns_.push_back(i);
  }

  // To a queue or to memory, with or without a control wavelet at its end.
  void add_dotw(RandomProgram* program) {
    const int from = program->take_input();
    if (from < 0) return;
    const Insn i = next(kDotw, kMixed);
    const int to = pick(4) ? program->take_output() : -1;
    m_.dsr[i.dst] = to < 0 ? mem(area() + 256, 16, 4) : fab_out(to);
    m_.dsr[i.dst].close = pick(2) != 0;
    m_.dsr[i.dst].type = kF32;
    m_.dsr[i.a] = mem(area(), static_cast<uint16_t>(1 + pick(16)), 2);
    m_.dsr[i.a].len[1] = 4;
    m_.dsr[i.a].step[1] = 32;
    m_.dsr[i.b] = fab_in(from, 0);
    for (uint32_t k = pick(8); k > 0; k--) m_.in[from].push_back({false, pick(4) << 16 | 0x3C00});
    m_.in[from].push_back({true, kStreamEnd});
    insns_.push_back(i);
  }

  // Adds elements of memory to tagged wavelets.
  void add_tagged(RandomProgram* program) {
    const int from = program->take_input();
    if (from < 0) return;
    const Insn i = next(kAdd, kI16);
    const auto n = static_cast<uint16_t>(1 + pick(40));
    m_.dsr[i.dst] = mem(area() + 256, n, 2);
    m_.dsr[i.a] = fab_in(from, 0);
    m_.dsr[i.a].tag = true;
    m_.dsr[i.b] = mem(area(), n, 2);
    for (int k = 0; k < n; k++) m_.in[from].push_back({false, pick(n) << 16 | k});
    m_.in[from].push_back({true, kStreamEnd});
    insns_.push_back(i);
  }

  // Two threads with a circular buffer between them: what the second one does not take fits there.
  void add_fifo(RandomProgram* program) {
    if (!free_threads(2)) return;
    const auto n = static_cast<uint16_t>(1 + pick(60));
    const int to = pick(2) ? program->take_output() : -1;
    const int number = static_cast<int>(pick(4));
    const Dsr ring = fifo(number, 6144 + 64 * number, static_cast<uint16_t>(2 + pick(15)));
    const bool sums = pick(2) != 0;
    const Insn fills = next(sums ? kSum : kMov, kI16);
    m_.dsr[fills.dst] = ring;
    m_.dsr[fills.dst].type = kI16;
    m_.dsr[fills.a] = mem(area(), sums ? 9 : n, 2);
    if (sums) {
      m_.dsr[fills.a].len[1] = n;
      m_.dsr[fills.a].step[1] = -18;
    }
    m_.dsr[fills.b] = Dsr();
    tied_ |= 1u << fills.thread;
    insns_.push_back(fills);
    const Insn takes = next(kAdd, kI16);
    m_.dsr[takes.dst] = to < 0 ? mem(area() + 256, n, 2) : fab_out(to);
    m_.dsr[takes.a] = mem(area(), n, 2);
    m_.dsr[takes.b] = ring;
    tied_ |= 1u << takes.thread;
    insns_.push_back(takes);
  }

  // Several threads send to one queue.
  void share_outputs() {
    const int shared = static_cast<int>(pick(8));
    for (const Insn& i : insns_) {
      if (m_.dsr[i.dst].kind == kFabOut && pick(2)) m_.dsr[i.dst].q = shared;
    }
  }

  bool sends(const Insn& i) const {
    return m_.dsr[i.dst].kind == kFabOut && (b_.held_out >> m_.dsr[i.dst].q & 1) != 0;
  }
  bool starves(const Insn& i) const {
    for (const int k : {i.a, i.b}) {
      if (m_.dsr[k].kind == kFabIn && (b_.held_in >> m_.dsr[k].q & 1) != 0) return true;
    }
    return false;
  }

  void execute() {
    b_.held_out = pick(2) ? 0xFF : pick(256);
    const uint32_t gap = pick(3) == 0 ? 40 : 2;
    for (const Insn& i : insns_) {
      b_.launch(i);
      for (uint32_t k = pick(gap); k > 0; k--) b_.tick();
    }
    if (pick(3) == 0) b_.held_in = pick(256);
    for (int quiet = 0, n = 0; quiet < 4 * kQuiet; n++) {
      ASSERT_LT(n, 50000) << "the threads go on and on, round " << round_;
      const int before = b_.beats;
      b_.tick();
      quiet = b_.beats == before ? quiet + 1 : 0;
    }
    expect_only_held_threads();
    b_.held_out = b_.held_in = 0;
    b_.finish();
    EXPECT_EQ(b_->fault_o, 0u) << "round " << round_;
    EXPECT_TRUE(b_->idle_o);
  }

  // A reduction may wait for another one that lacks operands in the middle of a vector (I121).
  void expect_only_held_threads() {
    bool starved = false;
    for (const Insn& i : insns_) starved |= b_.active(i.thread) && starves(i);
    for (const Insn& i : insns_) {
      if (!b_.active(i.thread)) {
        ended_++;
        continue;
      }
      waited_++;
      const bool reduces = is_red(i.op) || i.op == kDotw;
      const bool tied = (tied_ >> i.thread & 1) != 0;
      EXPECT_TRUE(sends(i) || starves(i) || tied || (reduces && starved))
          << "round " << round_ << " thread " << i.thread << " op " << i.op << " type " << i.ty
          << " state " << std::hex << b_.thread_state(i.thread);
    }
  }

  void print() {
    std::printf("seed %u, held outputs %x\n", seed(), b_.held_out);
    for (const Insn& i : insns_) {
      std::printf("thread %d op %d type %d prio %d\n", i.thread, i.op, i.ty, i.prio);
      for (const int k : {i.dst, i.a, i.b}) {
        const Dsr& d = m_.dsr[k];
        std::printf("  kind %d q %d addr %x len %d %d %d %d tag %d\n", d.kind, d.q, d.addr,
                    d.len[0], d.len[1], d.len[2], d.len[3], d.tag);
      }
    }
  }

  Bench<typename W::Top> b_;
  std::mt19937 rng_;
  Machine m_;
  std::vector<Insn> insns_;
  int first_ = 0, round_ = 0, waited_ = 0, ended_ = 0;
  uint32_t tied_ = 0;  // threads with a FIFO, one bit each
};

TYPED_TEST(EngineLive, AQueueThatIsHeldStopsItsOwnThreadsOnly) {
  LivePrograms<TypeParam>().run(rounds(TypeParam::kLanes == 2 ? 300 : 60));
}

}  // namespace
