// SPDX-License-Identifier: Apache-2.0
// ow_pack against a model of its contract, which computes what each queue must receive when a
// vector is handed over. Random vectors, threads and back-pressure; rates; a full queue stops only
// its senders.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "Vow_pack8.h"
#if OW_OTHER_SIZES
#include "Vow_pack2.h"
#include "Vow_pack4.h"
#include "Vow_pack_few.h"
#endif
#include "ow/isa/isa.h"
#include "verilated.h"

namespace {

using Control = ow::isa::Control;

constexpr int kQueues = 8;
constexpr int kThreads = 13;
constexpr int kDepth = 8;

// The engine's pipeline: cycles from the claim to the vector.
constexpr int kPipeline = 3;

struct Vector {
  int queue = 0;
  int thread = 0;
  bool w32 = false;
  bool tag = false;
  bool skip = false;
  bool is_float = false;
  bool last = false;
  bool drop = false;
  bool close = false;
  int code = 0;  // row end, stream end
  uint32_t mask = 0;
  uint16_t index = 0;
  std::array<uint32_t, 8> data{};
};

// What must happen at a queue: a wavelet, or the end of a thread's instruction.
struct Event {
  bool done = false;
  bool ctrl = false;
  uint32_t data = 0;
  int thread = 0;
};

template <class V, int kLanesOf>
class Bench {
 public:
  static constexpr int kLanes = kLanesOf;

  Bench() {
    top_.rst_i = 1;
    for (int i = 0; i < 2; ++i) tick();
    top_.rst_i = 0;
  }
  ~Bench() { Verilated::threadContextp(&context_); }

  std::mt19937_64 rng{1};
  std::array<int, kQueues> drain_percent{100, 100, 100, 100, 100, 100, 100, 100};
  uint64_t cycles = 0;
  uint64_t pushes = 0;
  int dones = 0;
  std::array<bool, kThreads> busy{};  // its last vector has been claimed but not been sent

  bool ready(int queue) {
    settle();
    return (top_.alloc_ready_o >> queue & 1) != 0;
  }

  // Claims a place for the vector in this cycle; it is handed over kPipeline cycles later.
  void send(const Vector& v) {
    ASSERT_TRUE(ready(v.queue));
    claim_ = v;
    if (v.last) busy[v.thread] = true;
  }

  void cycle() {
    settle();
    EXPECT_FALSE(top_.idle_o && (top_.push_o || top_.done_valid_o));
    if (top_.push_o) {
      ++pushes;
      const int q = top_.q_o;
      ASSERT_LT(level_[q], kDepth);
      ASSERT_FALSE(expect_[q].empty()) << "queue " << q << ": nothing was to be sent";
      const Event want = expect_[q].front();
      expect_[q].pop_front();
      ASSERT_FALSE(want.done) << "queue " << q;
      const uint64_t word = top_.data_o;
      ASSERT_EQ(word >> 32 & 1, want.ctrl ? 1u : 0u) << "queue " << q;
      ASSERT_EQ(static_cast<uint32_t>(word), want.data) << "queue " << q;
    }
    if (top_.done_valid_o) {
      ++dones;
      const int q = top_.q_o;
      ASSERT_FALSE(expect_[q].empty());
      ASSERT_TRUE(expect_[q].front().done);
      ASSERT_EQ(expect_[q].front().thread, top_.done_thread_o);
      expect_[q].pop_front();
      busy[top_.done_thread_o] = false;
    }
    for (int q = 0; q < kQueues; ++q) {
      if (top_.push_o && top_.q_o == q) ++level_[q];
      if (level_[q] > 0 && static_cast<int>(rng() % 100) < drain_percent[q]) --level_[q];
    }
    // What alloc_more_o promises holds when the claim comes.
    const bool claims = top_.alloc_valid_i != 0;
    const uint8_t more = top_.alloc_more_o;
    tick();
    top_.alloc_valid_i = 0;
    top_.vec_valid_i = 0;
    top_.eval();
    if (claims) {
      EXPECT_EQ(more & ~top_.alloc_ready_o, 0);
    }
    ++cycles;
    pipe_.push_back(claim_);
    claim_.reset();
    settled_ = false;
  }

  bool empty() const {
    for (const auto& e : expect_)
      if (!e.empty()) return false;
    for (const auto& p : pipe_)
      if (p) return false;
    return true;
  }

 private:
  void tick() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  // Inputs of this cycle, once.
  void settle() {
    if (!settled_) {
      settled_ = true;
      arrive_.reset();
      if (static_cast<int>(pipe_.size()) >= kPipeline) {
        arrive_ = pipe_.front();
        pipe_.pop_front();
      }
      if (arrive_) model(*arrive_);
    }
    // Announced early: a vector that may come, and in every other cycle does not.
    const bool foretold = !arrive_ && !pipe_.empty() && pipe_.front() && cycles % 2 != 0;
    const Vector v = arrive_ ? *arrive_ : foretold ? *pipe_.front() : Vector{};
    top_.vec_may_i = arrive_.has_value() || foretold;
    top_.vec_valid_i = arrive_.has_value();
    top_.vec_q_i = v.queue;
    top_.vec_thread_i = v.thread;
    top_.vec_w32_i = v.w32;
    top_.vec_tag_i = v.tag;
    top_.vec_skip_i = v.skip;
    top_.vec_float_i = v.is_float;
    top_.vec_last_i = v.last;
    top_.vec_drop_i = v.drop;
    top_.vec_close_i = v.close;
    top_.vec_row_end_i = v.code & 1;
    top_.vec_stream_end_i = v.code >> 1;
    // A vector without skipping may use either port. The other port then holds nothing of it.
    const bool raw = !v.skip && v.index % 2 != 0;
    top_.raw_i = raw;
    top_.raw_mask_i = raw ? v.mask : ~v.mask & ((1u << kLanes) - 1);
    top_.vec_mask_i = raw ? 0 : v.mask;
    top_.vec_idx_i = v.index;
    put(&top_.vec_data_i, raw ? std::array<uint32_t, 8>{} : v.data);
    put(&top_.raw_data_i, raw ? v.data : std::array<uint32_t, 8>{});
    top_.alloc_valid_i = claim_.has_value();
    top_.alloc_q_i = claim_ ? claim_->queue : 0;
    uint32_t levels = 0;
    for (int q = 0; q < kQueues; ++q) levels |= static_cast<uint32_t>(level_[q]) << (4 * q);
    top_.outq_level_i = levels;
    top_.clk_i = 0;
    top_.eval();
  }

  template <typename Port>
  static void put(Port* port, const std::array<uint32_t, 8>& d) {
    if constexpr (kLanes == 2) {
      *port = d[0] | static_cast<uint64_t>(d[1]) << 32;
    } else {
      for (int k = 0; k < kLanes; ++k) (*port)[k] = d[k];
    }
  }

  void model(const Vector& v) {
    auto& out = expect_[v.queue];
    auto& half = half_[v.thread];
    for (int k = 0; k < kLanes; ++k) {
      if ((v.mask >> k & 1) == 0) continue;
      const uint32_t x = v.w32 ? v.data[k] : v.data[k] & 0xFFFF;
      const uint32_t sign = v.w32 ? 0x80000000u : 0x8000u;
      if (v.skip && (v.is_float ? (x & ~sign) == 0 : x == 0)) continue;
      if (v.w32) {
        out.push_back({false, false, x, 0});
      } else if (v.tag) {
        out.push_back(
            {false, false, static_cast<uint32_t>(static_cast<uint16_t>(v.index + k)) << 16 | x, 0});
      } else if (half) {
        out.push_back({false, false, x << 16 | *half, 0});
        half.reset();
      } else {
        half = x;
      }
    }
    if (v.last) {
      if (half && !v.drop) out.push_back({false, false, *half, 0});
      half.reset();
      if (v.close) {
        out.push_back({false, true,
                       Control::RowEnd::put(v.code & 1) | Control::StreamEnd::put(v.code >> 1), 0});
      }
      out.push_back({true, false, 0, v.thread});
    }
  }

  VerilatedContext context_;
  V top_{&context_};
  bool settled_ = false;
  std::optional<Vector> claim_, arrive_;
  std::deque<std::optional<Vector>> pipe_{kPipeline - 1, std::nullopt};
  std::array<int, kQueues> level_{};
  std::array<std::deque<Event>, kQueues> expect_;
  std::array<std::optional<uint32_t>, kThreads> half_;
};

using Bench8 = Bench<Vow_pack8, 8>;
#if OW_OTHER_SIZES
using Bench2 = Bench<Vow_pack2, 2>;
using Bench4 = Bench<Vow_pack4, 4>;
using BenchFew = Bench<Vow_pack_few, 2>;
#endif

// Elements of which `zeros` percent are zero, of both signs.
template <class B>
void fill(B& bench, Vector* v, int zeros) {
  for (uint32_t& x : v->data) {
    x = static_cast<uint32_t>(bench.rng());
    if (static_cast<int>(bench.rng() % 100) < zeros) {
      x = bench.rng() % 2 == 0 ? 0 : v->w32 ? 0x80000000u : 0x8000u;
      if (!v->w32) x |= static_cast<uint32_t>(bench.rng()) << 16;
    }
  }
}

template <class B>
uint32_t full_mask(bool w32) {
  return (1u << (w32 ? B::kLanes / 2 : B::kLanes)) - 1;
}

template <class B>
void random_traffic() {
  const char* text = std::getenv("OW_SEED");
  const uint64_t seed = text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
  std::printf("OW_SEED=%llu\n", static_cast<unsigned long long>(seed));
  B bench;
  bench.rng.seed(seed);
  auto& rng = bench.rng;
  struct Thread {
    Vector shape;
    int zeros = 0;
    int left = 0;
  };
  std::array<Thread, kThreads> threads;
  int ended = 0;
  for (int i = 0; i < 40000 && !testing::Test::HasFatalFailure(); ++i) {
    if (i % 500 == 0) {
      for (int& d : bench.drain_percent) d = rng() % 4 == 0 ? 0 : rng() % 101;
    }
    const int t = static_cast<int>(rng() % kThreads);
    Thread& th = threads[t];
    if (bench.busy[t]) {
      bench.cycle();
      continue;
    }
    if (th.left == 0) {
      th.shape = Vector{};
      th.shape.thread = t;
      th.shape.queue = static_cast<int>(i < 20000 ? t % kQueues : rng() % kQueues);
      th.shape.w32 = rng() % 3 == 0;
      th.shape.tag = !th.shape.w32 && rng() % 2 == 0;
      th.shape.skip = rng() % 2 == 0;
      th.shape.is_float = rng() % 2 == 0;
      th.shape.index = static_cast<uint16_t>(rng());
      th.zeros = static_cast<int>(rng() % 3) * 50;
      th.left = 1 + static_cast<int>(rng() % 12);
    }
    if (rng() % 8 != 0 && bench.ready(th.shape.queue)) {
      Vector v = th.shape;
      fill(bench, &v, th.zeros);
      v.mask = full_mask<B>(v.w32) & (rng() % 2 == 0 ? ~0u : static_cast<uint32_t>(rng()));
      if (v.w32 && rng() % 2 == 0) v.mask <<= B::kLanes / 2;
      th.shape.index = static_cast<uint16_t>(th.shape.index + B::kLanes);
      if (--th.left == 0) {
        v.last = true;
        ++ended;
        if (rng() % 2 == 0) v.mask = 0;
        v.close = rng() % 2 == 0;
        v.code = static_cast<int>(rng() % 4);
        if (rng() % 8 == 0) {
          v.mask = 0;
          v.drop = true;
          v.close = false;
        }
      }
      bench.send(v);
    }
    bench.cycle();
  }
  bench.drain_percent.fill(100);
  for (int i = 0; i < 2000 && !bench.empty() && !testing::Test::HasFatalFailure(); ++i)
    bench.cycle();
  EXPECT_TRUE(bench.empty());
  EXPECT_EQ(bench.dones, ended);
  EXPECT_GT(bench.pushes, 5000u);
}

TEST(Pack, RandomTrafficIsAsTheModelSaysWith8Lanes) { random_traffic<Bench8>(); }
#if OW_OTHER_SIZES
TEST(Pack, RandomTrafficIsAsTheModelSaysWith2Lanes) { random_traffic<Bench2>(); }
TEST(Pack, RandomTrafficIsAsTheModelSaysWith4Lanes) { random_traffic<Bench4>(); }
TEST(Pack, RandomTrafficIsAsTheModelSaysWithTheFewestPlaces) { random_traffic<BenchFew>(); }
#endif

// Cycles from the first claim to the last wavelet of n elements, claimed as fast as allowed.
template <class B>
uint64_t run(B& bench, Vector shape, int n, int zeros) {
  const int step = shape.w32 ? B::kLanes / 2 : B::kLanes;
  const uint64_t begin = bench.cycles;
  for (int i = 0; i < n && !testing::Test::HasFatalFailure();) {
    if (bench.ready(shape.queue)) {
      Vector v = shape;
      fill(bench, &v, zeros);
      v.mask = full_mask<B>(v.w32);
      v.index = static_cast<uint16_t>(i);
      i += step;
      v.last = i >= n;
      v.close = v.last && shape.close;
      bench.send(v);
    }
    bench.cycle();
  }
  while (!bench.empty() && !testing::Test::HasFatalFailure()) bench.cycle();
  return bench.cycles - begin;
}

TEST(Pack, PairsAndWordsAndTagsLeaveAtOneWaveletACycle) {
  Bench8 bench;
  Vector v;
  EXPECT_LE(run(bench, v, 512, 0), 256u + kPipeline);
  v.tag = true;
  EXPECT_LE(run(bench, v, 512, 0), 512u + kPipeline);
  v.tag = false;
  v.w32 = true;
  EXPECT_LE(run(bench, v, 512, 0), 512u + kPipeline);
}

#if OW_OTHER_SIZES
TEST(Pack, PairsLeaveAtOneWaveletACycleWith2Lanes) {
  Bench2 bench;
  EXPECT_LE(run(bench, Vector{}, 512, 0), 256u + kPipeline);
  Bench4 bench4;
  EXPECT_LE(run(bench4, Vector{}, 512, 0), 256u + kPipeline);
}
#endif

TEST(Pack, NinetyPercentZerosRunAtTheRateOfTheScan) {
  for (int seed = 1; seed <= 5; ++seed) {
    Bench8 bench;
    bench.rng.seed(seed);
    Vector v;
    v.tag = v.skip = v.is_float = v.close = true;
    const uint64_t cycles = run(bench, v, 1024, 90);
    const uint64_t bound = std::max<uint64_t>(128, bench.pushes);
    std::printf("seed %d: %llu cycles, bound %llu\n", seed, static_cast<unsigned long long>(cycles),
                static_cast<unsigned long long>(bound));
    EXPECT_LE(cycles * 10, bound * 11);
  }
}

TEST(Pack, AllZerosTakeACycleAVector) {
  Bench8 bench;
  Vector v;
  v.tag = v.skip = v.is_float = true;
  EXPECT_LE(run(bench, v, 1024, 100), 128u + kPipeline);
  EXPECT_EQ(bench.pushes, 0u);
  EXPECT_EQ(bench.dones, 1);
}

TEST(Pack, AFullQueueStopsNoOther) {
  Bench8 bench;
  for (int q = 0; q < 7; ++q) bench.drain_percent[q] = 0;
  Vector v;
  v.w32 = true;
  for (int q = 0; q < 7; ++q) {
    v.queue = v.thread = q;
    for (int i = 0; i < 40; ++i) {
      if (bench.ready(q)) {
        v.mask = 0xF;
        bench.send(v);
      }
      bench.cycle();
    }
    EXPECT_FALSE(bench.ready(q));
  }
  v.queue = v.thread = 7;
  v.mask = 0xF;
  uint64_t before = bench.pushes;
  for (int i = 0; i < 100; ++i) {
    if (bench.ready(7)) bench.send(v);
    bench.cycle();
  }
  // With all other queues full one place is left. It takes a vector each time that it is free.
  EXPECT_GE(bench.pushes - before, 50u);
}

TEST(Pack, TheFirstWaveletLeavesInTheCycleOfItsVector) {
  Bench8 bench;
  Vector v;
  v.mask = 3;
  v.last = true;
  bench.send(v);
  for (int i = 0; i < kPipeline; ++i) bench.cycle();
  EXPECT_EQ(bench.pushes, 0u);
  bench.cycle();
  EXPECT_EQ(bench.pushes, 1u);
  EXPECT_EQ(bench.dones, 1);
}

}  // namespace
