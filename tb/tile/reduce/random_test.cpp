// SPDX-License-Identifier: Apache-2.0
// Random drains of the reducer against the golden formats: rows, actions, arrivals and
// back-pressure.
#include <cstring>
#include <string>

#include "reduce_bench.h"

using namespace ow_reduce;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

// One random drain; the results must be those of the formats.
template <class B>
class RandomDrain {
 public:
  RandomDrain(B* bench, std::mt19937_64* rng) : bench_(*bench), rng_(*rng) {}

  void run() {
    draw_shape();
    draw_actions();
    draw_addresses();
    want_memory_ = bench_.memory;
    for (int j = 0; j < count_; ++j) draw_row(j);
    start();
    step_to_the_end();
    check_end();
    check_results();
  }

 private:
  int pick(int n) { return static_cast<int>(rng_() % n); }
  bool one_in(int n) { return rng_() % n == 0; }

  void draw_shape() {
    const int words = 1 + pick(4);
    samples_ = words * B::kLaneCount;
    ring_ = 1 + pick(16 / words);
    count_ = pick(20);
    period_ = 1 + pick(5);
    pivot_ = pick(period_ + 1);  // pivot_ = period_: no phase is equal
    first_ = one_in(2) ? 0 : pick(period_);
    more_ = one_in(2) ? (one_in(8) ? 65535 : 0) : pick(3);
  }

  void draw_actions() {
    const int in0 = pick(8);
    const int in1 = (in0 + 1 + pick(7)) % 8;
    for (Action& a : actions_) {
      a.enable = !one_in(8);
      a.in0 = one_in(2) ? -1 : in0;
      a.in1 = one_in(2) ? -1 : in1;
      a.memory = one_in(2);
      a.out = pick(8);
      a.bias = one_in(2);
      a.f16 = one_in(2);
      a.relu = one_in(2);
      a.bf16 = one_in(2) && B::kLaneCount == 8;  // the serial reducer has no bfloat16
    }
    // All stored rows of a drain have one element size, because they share a pitch.
    for (Action& a : actions_) a.f16 = a.memory ? actions_[0].f16 : a.f16;
    element_ = actions_[0].f16 ? 2 : 4;
  }

  void draw_addresses() {
    bias_addr_ = 4 * static_cast<uint32_t>(pick(64));
    dst_ = 8192 + static_cast<uint32_t>(element_ * pick(64));
    const int gap = element_ * pick(5);
    pitch_ = (samples_ * element_ + gap) * (one_in(2) ? -1 : 1);
    for (int i = 0; i < 64; ++i) {
      const uint32_t b = random_sum(rng_);
      std::memcpy(&bench_.memory[bias_addr_ + 4 * i], &b, 4);
    }
  }

  // Draws a row: what arrives for it, and the expected results.
  void draw_row(int j) {
    Row row;
    row.written = !one_in(8);
    for (int e = 0; e < samples_; ++e) row.sums.push_back(random_sum(rng_));
    const int phase = (first_ + j) % period_;
    const Action& a = actions_[phase < pivot_ ? 0 : phase <= pivot_ + more_ ? 1 : 2];
    if (a.enable) {
      uint32_t bias = 0;
      if (a.bias) std::memcpy(&bias, &bench_.memory[bias_addr_ + 4 * biased_], 4);
      for (int e = 0; e < samples_; ++e) {
        expect(a, e, result_of(a, row.written ? row.sums[e] : 0, bias));
      }
      stored_ += a.memory;
      biased_ += a.bias;
    }
    bench_.rows.push_back(std::move(row));
  }

  uint32_t result_of(const Action& a, uint32_t sum, uint32_t bias) {
    uint32_t v = sum;
    for (const int q : {a.in0, a.in1}) {
      if (q < 0) continue;
      const uint32_t x = random_sum(rng_);
      if (one_in(16)) arrivals_[q].push_back(1ull << 32 | 3);  // to be discarded
      arrivals_[q].push_back(x);
      v = golden::f32_add(v, x);
    }
    if (a.bias) v = golden::f32_add(v, bias);
    if (a.f16) v = a.bf16 ? golden::f32_to_bf16(v) : golden::f32_to_f16(v);
    if (!a.relu) return v;
    const auto h = static_cast<uint16_t>(v);
    return !a.f16 ? golden::f32_relu(v) : a.bf16 ? golden::bf16_relu(h) : golden::f16_relu(h);
  }

  void expect(const Action& a, int e, uint32_t v) {
    if (a.memory) {
      const int at = static_cast<int>(dst_) + stored_ * pitch_ + e * element_;
      std::memcpy(&want_memory_[at], &v, element_);
    } else if (!a.f16) {
      want_sent_[a.out].push_back(v);
    } else if (e % 2 == 0) {
      half_ = v;
    } else {
      want_sent_[a.out].push_back(v << 16 | half_);
    }
    ++elements_;
  }

  void start() {
    for (auto& s : bench_.sent) s.clear();
    bench_.elements = 0;
    bench_.done = 0;
    bench_.configure(samples_, ring_, count_, period_, pivot_, actions_, bias_addr_, dst_, pitch_,
                     first_, more_);
    bench_.p_row = one_in(2) ? 5 : 100;
    bench_.p_gnt = one_in(2) ? 20 : 100;
    // Slow enough for a queue to fill; the serial reducer of 2 lanes is slow itself.
    bench_.p_drain = one_in(2) ? (B::kLaneCount == 8 ? 30 : 2) : 100;
    p_arrive_ = one_in(2) ? 30 : 100;
    kind_ = pick(3);
    task_ = pick(32);
    bench_.start(kind_, task_);
    EXPECT_EQ(bench_.busy(), true);
  }

  void step_to_the_end() {
    for (int i = 0; i < 50000 && bench_.done == 0; ++i) {
      for (int q = 0; q < 8; ++q) {
        if (!arrivals_[q].empty() && bench_.has_space(q) && bench_.chance(p_arrive_)) {
          bench_.in[q].push_back(arrivals_[q].front());
          arrivals_[q].pop_front();
        }
      }
      bench_.step();
    }
  }

  void check_end() {
    ASSERT_EQ(bench_.done, 1) << "the drain did not end";
    EXPECT_EQ(bench_.done_kind, kind_);
    EXPECT_EQ(bench_.done_task, task_);
    EXPECT_FALSE(bench_.busy());
    EXPECT_EQ(bench_.owned(), 0);
    EXPECT_EQ(bench_.elements, elements_);
    EXPECT_EQ(bench_.read(reg::RedStatus::kOffset), static_cast<uint32_t>(count_));
  }

  void check_results() {
    bench_.p_drain = 100;
    for (int i = 0; i < 20; ++i) bench_.step();
    for (int q = 0; q < 8; ++q) {
      ASSERT_EQ(bench_.sent[q], want_sent_[q]) << "queue " << q;
      EXPECT_TRUE(arrivals_[q].empty() && bench_.in[q].empty()) << "left in queue " << q;
    }
    ASSERT_TRUE(bench_.memory == want_memory_) << "memory differs";
  }

  B& bench_;
  std::mt19937_64& rng_;
  int samples_ = 0, ring_ = 0, count_ = 0, period_ = 0, pivot_ = 0, first_ = 0, more_ = 0;
  std::array<Action, 3> actions_;
  int element_ = 0;  // bytes per stored element
  uint32_t bias_addr_ = 0, dst_ = 0;
  int pitch_ = 0;
  int p_arrive_ = 100, kind_ = 0, task_ = 0;
  // The expected results.
  std::array<std::vector<uint32_t>, 8> want_sent_;
  std::vector<uint8_t> want_memory_;
  std::array<std::deque<uint64_t>, 8> arrivals_;
  int stored_ = 0;  // rows
  int biased_ = 0;  // rows
  uint64_t elements_ = 0;
  uint32_t half_ = 0;
};

template <class B>
void random_drains(int drains) {
  std::mt19937_64 rng(seed());
  B bench;
  for (int i = 0; i < drains && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("drain " + std::to_string(i));
    RandomDrain<B>(&bench, &rng).run();
  }
  // Each cause of waiting has been seen.
  EXPECT_EQ(bench.status_cause_seen & 0x3F, 0x3F);
}

TEST(Reduce, RandomDrainsGiveGoldenBitsWith8Lanes) { random_drains<Bench8>(300); }
#if OW_OTHER_SIZES
TEST(Reduce, RandomDrainsGiveGoldenBitsWith2Lanes) { random_drains<Bench2>(300); }
#endif

}  // namespace
