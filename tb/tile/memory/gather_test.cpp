// SPDX-License-Identifier: Apache-2.0
// ow_gather on ow_sram against an array of bytes: random gathers and scatters with back-pressure
// and other traffic, faults, equal indices, and the promised rates.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <deque>
#include <random>
#include <vector>

#if OW_OTHER_SIZES
#include "Vow_gather2.h"
#include "Vow_gather4.h"
#endif
#include "Vow_gather8.h"
#include "options.h"
#include "verilated.h"

namespace {

constexpr uint32_t kBytes = 6144;

struct Request {
  bool we = false;
  bool w32 = false;
  uint32_t base = 0;
  uint32_t mask = 0;
  uint8_t tag = 0;
  std::array<uint16_t, 8> index{};
  std::array<uint32_t, 8> data{};
};

struct Response {
  bool we = false;
  bool fault = false;
  uint32_t address = 0;
  uint32_t mask = 0;
  uint8_t tag = 0;
  std::array<uint32_t, 8> data{};
};

template <class V, int kLanesOf>
class Bench {
 public:
  static constexpr int kLanes = kLanesOf;

  Bench() {
    top_.rst_i = 1;
    for (int i = 0; i < 2; ++i) tick();
    top_.rst_i = 0;
    for (uint32_t a = 0; a < kBytes; a += 4) {
      const auto word = static_cast<uint32_t>(rng());
      for (int i = 0; i < 4; ++i) memory_[a + i] = static_cast<uint8_t>(word >> (8 * i));
      top_.ctl_req_i = top_.ctl_we_i = 1;
      top_.ctl_addr_i = a;
      top_.ctl_wdata_i = word;
      tick();
    }
    top_.ctl_req_i = 0;
  }
  ~Bench() { Verilated::threadContextp(&context_); }

  std::mt19937_64 rng{1};
  void set_streams(int n) {
    streams = n;
    lines_ = {answered, answered};
  }
  int streams = 0;          // lines read beside the requests, each for one answered request
  int ready_percent = 100;  // chance that a response is taken
  uint64_t cycles = 0;
  uint64_t answered = 0;

  // Offers the request and clocks until it is accepted.
  void send(const Request& r) {
    for (int i = 0; i < 1000 && !testing::Test::HasFatalFailure(); ++i) {
      if (cycle(&r)) return;
    }
    FAIL() << "a request was not accepted in 1,000 cycles";
  }

  void finish() {
    for (int i = 0; i < 1000 && !expect_.empty() && !testing::Test::HasFatalFailure(); ++i)
      cycle(nullptr);
    ASSERT_TRUE(expect_.empty());
    cycle(nullptr);
    EXPECT_TRUE(top_.idle_o);
  }

  void check_memory() {
    top_.rd0_req_i = top_.rd1_req_i = 0;
    for (uint32_t a = 0; a < kBytes; a += 4) {
      top_.ctl_req_i = 1;
      top_.ctl_we_i = 0;
      top_.ctl_addr_i = a;
      tick();
      top_.ctl_req_i = 0;
      uint32_t want = 0;
      for (int i = 3; i >= 0; --i) want = want << 8 | memory_[a + i];
      ASSERT_EQ(top_.ctl_rdata_o, want) << "address " << a;
    }
  }

  bool cycle(const Request* r) {
    top_.req_valid_i = r != nullptr;
    if (r != nullptr) drive(*r);
    top_.rsp_ready_i = static_cast<int>(rng() % 100) < ready_percent;
    for (int s = 0; s < 2; ++s) {
      const bool ask = s < streams && lines_[s] < answered + 3;
      const uint32_t addr = static_cast<uint32_t>(lines_[s] * 16 + s * 1040) % kBytes;
      const uint32_t line = addr & ~static_cast<uint32_t>(2 * kLanes - 1);
      (s == 0 ? top_.rd0_req_i : top_.rd1_req_i) = ask;
      (s == 0 ? top_.rd0_addr_i : top_.rd1_addr_i) = line;
    }
    top_.clk_i = 0;
    top_.eval();
    if (top_.rd0_gnt_o) ++lines_[0];
    if (top_.rd1_gnt_o) ++lines_[1];
    const bool accepted = r != nullptr && top_.req_ready_o;
    if (top_.rsp_valid_o) check_response();
    if (accepted) model(*r);
    top_.clk_i = 1;
    top_.eval();
    ++cycles;
    return accepted;
  }

 private:
  void tick() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  void drive(const Request& r) {
    top_.req_we_i = r.we;
    top_.req_w32_i = r.w32;
    top_.req_base_i = r.base;
    top_.req_mask_i = static_cast<uint8_t>(r.mask);
    top_.req_tag_i = r.tag;
    if constexpr (kLanes == 2) {
      top_.req_idx_i = r.index[0] | static_cast<uint32_t>(r.index[1]) << 16;
      top_.req_wdata_i = r.data[0] | static_cast<uint64_t>(r.data[1]) << 32;
    } else {
      for (int l = 0; l < kLanes; ++l) top_.req_wdata_i[l] = r.data[l];
      if constexpr (kLanes == 4) {
        top_.req_idx_i = 0;
        for (int l = 3; l >= 0; --l) top_.req_idx_i = top_.req_idx_i << 16 | r.index[l];
      } else {
        for (int l = 0; l < kLanes; l += 2)
          top_.req_idx_i[l / 2] = r.index[l] | static_cast<uint32_t>(r.index[l + 1]) << 16;
      }
    }
  }

  uint32_t element(int l) const {
    if constexpr (kLanes == 2) {
      return static_cast<uint32_t>(top_.rsp_data_o >> (32 * l));
    } else {
      return top_.rsp_data_o[l];
    }
  }

  // The request's effect and what its response must say.
  void model(const Request& r) {
    Response p;
    p.we = r.we;
    p.tag = r.tag;
    p.mask = r.mask;
    const uint32_t size = r.w32 ? 4 : 2;
    for (int l = kLanes - 1; l >= 0; --l) {
      const uint32_t a = r.base + r.index[l] * size;
      if ((r.mask >> l & 1) != 0 && a >= kBytes) {
        p.fault = true;
        p.address = a;
      }
    }
    for (int l = 0; l < kLanes && !p.fault; ++l) {
      if ((r.mask >> l & 1) == 0) continue;
      const uint32_t a = r.base + r.index[l] * size;
      for (uint32_t i = 0; i < size; ++i) {
        if (r.we) {
          memory_[a + i] = static_cast<uint8_t>(r.data[l] >> (8 * i));
        } else {
          p.data[l] |= static_cast<uint32_t>(memory_[a + i]) << (8 * i);
        }
      }
    }
    expect_.push_back(p);
  }

  void check_response() {
    ASSERT_FALSE(expect_.empty());
    const Response& p = expect_.front();
    ASSERT_EQ(top_.rsp_tag_o, p.tag);
    ASSERT_EQ(top_.rsp_we_o, p.we);
    ASSERT_EQ(top_.rsp_fault_o, p.fault);
    if (p.fault) {
      ASSERT_EQ(top_.rsp_addr_o, p.address);
    } else if (!p.we) {
      for (int l = 0; l < kLanes; ++l) {
        if ((p.mask >> l & 1) != 0) {
          ASSERT_EQ(element(l), p.data[l]) << "lane " << l;
        }
      }
    }
    if (top_.rsp_ready_i) {
      expect_.pop_front();
      ++answered;
    }
  }

  VerilatedContext context_;
  V top_{&context_};
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(kBytes);
  std::deque<Response> expect_;
  std::array<uint64_t, 2> lines_{};
};

#if OW_OTHER_SIZES
using Bench2 = Bench<Vow_gather2, 2>;
using Bench4 = Bench<Vow_gather4, 4>;
#endif
using Bench8 = Bench<Vow_gather8, 8>;

template <class B>
void random_requests() {
  const uint64_t seed = ow::test_option("OW_SEED", 1);
  B bench;
  bench.rng.seed(seed);
  auto& rng = bench.rng;
  for (int i = 0; i < 8000 && !testing::Test::HasFatalFailure(); ++i) {
    if (i % 100 == 0) {
      bench.set_streams(static_cast<int>(rng() % 3));
      bench.ready_percent = rng() % 2 == 0 ? 100 : 30;
    }
    Request r;
    r.we = rng() % 3 == 0;
    r.w32 = rng() % 2 == 0;
    // Few or many words; now and then an index outside memory.
    const uint32_t span = rng() % 3 == 0 ? 16 : kBytes / 8;
    r.base = static_cast<uint32_t>(rng() % (kBytes / 8)) * (r.w32 ? 4 : 2);
    r.mask = rng() % 4 == 0 ? static_cast<uint32_t>(rng()) : ~0u;
    r.mask &= (1u << B::kLanes) - 1;
    r.tag = static_cast<uint8_t>(i);
    for (auto& x : r.index) x = static_cast<uint16_t>(rng() % span);
    if (rng() % 50 == 0) r.index[rng() % B::kLanes] = static_cast<uint16_t>(rng());
    for (auto& x : r.data) x = static_cast<uint32_t>(rng());
    bench.send(r);
    if (rng() % 5 == 0) bench.cycle(nullptr);
  }
  bench.finish();
  bench.check_memory();
}

#if OW_OTHER_SIZES
TEST(Gather, RandomRequestsAreAsTheModelSaysWith2Lanes) { random_requests<Bench2>(); }
TEST(Gather, RandomRequestsAreAsTheModelSaysWith4Lanes) { random_requests<Bench4>(); }
#endif
TEST(Gather, RandomRequestsAreAsTheModelSaysWith8Lanes) { random_requests<Bench8>(); }

TEST(Gather, TheHighestOfEqualIndicesWins) {
  Bench8 bench;
  Request r;
  r.we = true;
  r.mask = 0xFF;
  for (int l = 0; l < 8; ++l) {
    r.index[l] = l < 5 ? 3 : 7;
    r.data[l] = static_cast<uint32_t>(100 + l);
  }
  bench.send(r);
  r.we = false;
  bench.send(r);
  bench.finish();
  bench.check_memory();
}

// Cycles per request of 8 indices.
double rate(Bench8& bench, bool random, bool w32, int streams) {
  bench.set_streams(streams);
  const uint64_t begin = bench.cycles;
  constexpr int kRequests = 1000;
  for (int i = 0; i < kRequests; ++i) {
    Request r;
    r.w32 = w32;
    r.mask = 0xFF;
    for (int l = 0; l < 8; ++l) {
      r.index[l] =
          static_cast<uint16_t>(random ? bench.rng() % (kBytes / 4) : (i * 8 + l) % (kBytes / 4));
    }
    bench.send(r);
  }
  bench.finish();
  const double result = static_cast<double>(bench.cycles - begin) / kRequests;
  std::printf("%s, %s, %d streams: %.2f cycles for 8\n", random ? "random" : "neighbours",
              w32 ? "32-bit" : "16-bit", streams, result);
  return result;
}

TEST(Gather, NeighboursTakeACycleForEight) {
  Bench8 bench;
  EXPECT_LE(rate(bench, false, false, 0), 1.01);
  EXPECT_LE(rate(bench, false, true, 0), 1.01);
}

TEST(Gather, RandomIndicesTakeThreeCyclesForEightBesideTwoStreams) {
  Bench8 bench;
  EXPECT_LE(rate(bench, true, false, 0), 1.8);
  EXPECT_LE(rate(bench, true, false, 2), 2.4);
  EXPECT_LE(rate(bench, true, true, 2), 2.4);
  EXPECT_LE(rate(bench, false, false, 2), 2.0);
}

}  // namespace
