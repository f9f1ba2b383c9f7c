// SPDX-License-Identifier: Apache-2.0
// The tile's memory against an array of bytes: random requests of all seven requestors and of the
// gather port's banks, data, one access per bank and cycle, the promised bound on waiting, and 48
// bytes per cycle for the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#if OW_OTHER_SIZES
#include "Vow_sram2_2.h"
#include "Vow_sram4_4.h"
#include "Vow_sram8_4.h"
#endif
#include "Vow_sram8_8.h"
#include "openwafer/error.h"
#include "options.h"
#include "verilated.h"

namespace {

constexpr uint32_t kBytes = 6144;
enum { kWr, kRd0, kRd1, kRed, kLsu, kFetch, kCtl, kNum };
constexpr int kBound = 13;  // refusals in a row, as ow_sram.sv promises
constexpr int kGatherBound = 14;

using Data = std::array<uint8_t, 16>;

template <typename T>
void put(T& port, const Data& d, int bytes) {
  port = 0;
  for (int i = bytes - 1; i >= 0; --i)
    port = static_cast<T>(static_cast<uint64_t>(port) << 8 | d[i]);
}
template <size_t kWords>
void put(VlWide<kWords>& port, const Data& d, int bytes) {
  for (int i = 0; i < bytes; i += 4) {
    port[i / 4] = static_cast<uint32_t>(d[i]) | static_cast<uint32_t>(d[i + 1]) << 8 |
                  static_cast<uint32_t>(d[i + 2]) << 16 | static_cast<uint32_t>(d[i + 3]) << 24;
  }
}
template <typename T>
Data get(const T& port, int bytes) {
  Data d{};
  for (int i = 0; i < bytes; ++i)
    d[i] = static_cast<uint8_t>(static_cast<uint64_t>(port) >> (8 * i));
  return d;
}
template <size_t kWords>
Data get(const VlWide<kWords>& port, int bytes) {
  Data d{};
  for (int i = 0; i < bytes; ++i) d[i] = static_cast<uint8_t>(port[i / 4] >> (8 * (i % 4)));
  return d;
}

// `width` bits of a port from bit `at` on.
template <typename T>
void put_bits(T& port, int at, int width, uint64_t value) {
  const uint64_t mask = ((uint64_t{1} << width) - 1) << at;
  port = static_cast<T>((port & ~mask) | (value << at & mask));
}
template <size_t kWords>
void put_bits(VlWide<kWords>& port, int at, int width, uint64_t value) {
  for (int i = 0; i < width; ++i) {
    const uint32_t one = 1u << (at + i) % 32;
    uint32_t& word = port[static_cast<size_t>(at + i) / 32];
    word = (value >> i & 1) != 0 ? word | one : word & ~one;
  }
}

struct Request {
  bool valid = false;
  bool we = false;
  uint32_t addr = 0;
  uint32_t be = 0;
  Data data{};
};

template <class V, int kLanes, int kBankCount>
class Bench {
 public:
  static constexpr int kLaneCount = kLanes;
  static constexpr int kVec = 2 * kLanes;
  static constexpr uint32_t kBanks = kBankCount;
  static constexpr int kRowLow = kBanks == 2 ? 4 : kBanks == 4 ? 5 : 6;  // address bit of a row
  static constexpr int kRowBits = 23 - kRowLow;

  Bench() {
    top_.rst_i = 1;
    for (int i = 0; i < 2; ++i) cycle();
    top_.rst_i = 0;
    // Every word gets a known value.
    for (uint32_t a = 0; a < kBytes; a += 8) {
      Request r;
      r.valid = r.we = true;
      r.addr = a;
      r.be = 0xFF;
      for (int i = 0; i < 8; ++i) r.data[i] = static_cast<uint8_t>(rng() >> 5);
      request[kRed] = r;
      cycle();
    }
  }
  ~Bench() { Verilated::threadContextp(&context_); }

  static int bytes(int who) {
    constexpr int kSizes[] = {kVec, kVec, kVec, 8, 4, 8, 4};
    return kSizes[who];
  }

  std::mt19937_64 rng{1};
  std::array<Request, kNum> request;   // cleared when granted
  std::array<Request, kBanks> gather;  // one per bank, of 8 bytes
  std::array<int, kBanks> gather_refused{};
  std::array<uint64_t, kBanks> gather_grants{};
  int gather_worst = 0;
  std::array<int, kNum> refused{};
  std::array<uint64_t, kNum> grants{};
  int worst = 0;
  bool gives = false;  // the write gives way to reads

  static unsigned banks_of(int who, const Request& r) {
    unsigned banks = 0;
    for (int i = 0; r.valid && i < bytes(who); ++i) banks |= 1u << ((r.addr + i) / 8 % kBanks);
    return banks;
  }

  void cycle() {
    drive();
    top_.clk_i = 0;
    top_.eval();
    const bool gnt[kNum] = {!!top_.wr_gnt_o,  !!top_.rd0_gnt_o, !!top_.rd1_gnt_o,
                            !!top_.red_gnt_o, !!top_.lsu_gnt_o, !!top_.fetch_gnt_o,
                            !!top_.ctl_gnt_o};
    check_reads();
    unsigned banks = 0;
    bool any = false;
    const unsigned reads = banks_of(kRd0, request[kRd0]) | banks_of(kRd1, request[kRd1]);
    const bool given = gives && (banks_of(kWr, request[kWr]) & reads) != 0;
    for (int who = 0; who < kNum; ++who) {
      Request& r = request[who];
      reading_[who] = false;
      if (!gnt[who]) {
        if (r.valid) {
          if (who == kWr && given) refused[who] = -1;
          worst = std::max(worst, ++refused[who]);
          any = true;
        }
        continue;
      }
      ASSERT_TRUE(r.valid) << "requestor " << who << " was granted without a request";
      any = true;
      const unsigned mine = banks_of(who, r);
      ASSERT_EQ(banks & mine, 0u) << "two accesses to a bank";
      banks |= mine;
      if (r.we) {
        for (int i = 0; i < bytes(who); ++i) {
          if ((r.be >> i & 1) != 0) memory_[r.addr + i] = r.data[i];
        }
      } else {
        reading_[who] = true;
        for (int i = 0; i < bytes(who); ++i) expect_[who][i] = memory_[r.addr + i];
      }
      ++grants[who];
      refused[who] = 0;
      r.valid = false;
    }
    for (uint32_t b = 0; b < kBanks; ++b) {
      Request& r = gather[b];
      gathering_[b] = false;
      if (r.valid) any = true;
      if (!r.valid) continue;
      if ((top_.gth_gnt_o >> b & 1) == 0) {
        gather_worst = std::max(gather_worst, ++gather_refused[b]);
        continue;
      }
      ASSERT_EQ(banks & 1u << b, 0u) << "two accesses to a bank";
      if (r.we) {
        for (int i = 0; i < 8; ++i) {
          if ((r.be >> i & 1) != 0) memory_[r.addr + i] = r.data[i];
        }
      } else {
        gathering_[b] = true;
        for (int i = 0; i < 8; ++i) gather_expect_[b][i] = memory_[r.addr + i];
      }
      ++gather_grants[b];
      gather_refused[b] = 0;
      r.valid = false;
    }
    if (top_.idle_o) {
      EXPECT_FALSE(any) << "idle with a request";
    }
    top_.clk_i = 1;
    top_.eval();
  }

 private:
  void drive() {
    auto& r = request;
    top_.wr_req_i = r[kWr].valid;
    top_.wr_gives_i = gives;
    top_.wr_addr_i = r[kWr].addr;
    top_.wr_be_i = static_cast<uint16_t>(r[kWr].be);
    put(top_.wr_wdata_i, r[kWr].data, kVec);
    top_.rd0_req_i = r[kRd0].valid;
    top_.rd0_addr_i = r[kRd0].addr;
    top_.rd1_req_i = r[kRd1].valid;
    top_.rd1_addr_i = r[kRd1].addr;
    top_.red_req_i = r[kRed].valid;
    top_.red_we_i = r[kRed].we;
    top_.red_be_i = static_cast<uint8_t>(r[kRed].be);
    top_.red_addr_i = r[kRed].addr;
    put(top_.red_wdata_i, r[kRed].data, 8);
    top_.lsu_req_i = r[kLsu].valid;
    top_.lsu_we_i = r[kLsu].we;
    top_.lsu_be_i = static_cast<uint8_t>(r[kLsu].be);
    top_.lsu_addr_i = r[kLsu].addr;
    put(top_.lsu_wdata_i, r[kLsu].data, 4);
    top_.fetch_req_i = r[kFetch].valid;
    top_.fetch_addr_i = r[kFetch].addr;
    top_.ctl_req_i = r[kCtl].valid;
    top_.ctl_we_i = r[kCtl].we;
    top_.ctl_addr_i = r[kCtl].addr;
    put(top_.ctl_wdata_i, r[kCtl].data, 4);
    top_.gth_req_i = 0;
    top_.gth_we_i = 0;
    for (uint32_t b = 0; b < kBanks; ++b) {
      const Request& g = gather[b];
      const int at = static_cast<int>(b);
      top_.gth_req_i |= static_cast<uint8_t>(g.valid << b);
      top_.gth_we_i |= static_cast<uint8_t>(g.we << b);
      put_bits(top_.gth_be_i, 8 * at, 8, g.be);
      put_bits(top_.gth_row_i, kRowBits * at, kRowBits, g.addr >> kRowLow);
      for (int i = 0; i < 8; i += 4) {
        top_.gth_wdata_i[2 * b + i / 4] =
            static_cast<uint32_t>(g.data[i]) | static_cast<uint32_t>(g.data[i + 1]) << 8 |
            static_cast<uint32_t>(g.data[i + 2]) << 16 | static_cast<uint32_t>(g.data[i + 3]) << 24;
      }
    }
  }

  void check_reads() {
    EXPECT_EQ(top_.rd0_rvalid_o, reading_[kRd0]);
    EXPECT_EQ(top_.rd1_rvalid_o, reading_[kRd1]);
    EXPECT_EQ(top_.red_rvalid_o, reading_[kRed]);
    EXPECT_EQ(top_.lsu_rvalid_o, reading_[kLsu]);
    EXPECT_EQ(top_.fetch_rvalid_o, reading_[kFetch]);
    EXPECT_EQ(top_.ctl_rvalid_o, reading_[kCtl]);
    for (uint32_t b = 0; b < kBanks; ++b) {
      if (!gathering_[b]) continue;
      for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(top_.gth_rdata_o[2 * b + i / 4] >> (8 * (i % 4)) & 0xFF, gather_expect_[b][i]);
      }
    }
    if (reading_[kRd0]) {
      EXPECT_EQ(get(top_.rd0_rdata_o, kVec), expect_[kRd0]);
    }
    if (reading_[kRd1]) {
      EXPECT_EQ(get(top_.rd1_rdata_o, kVec), expect_[kRd1]);
    }
    if (reading_[kRed]) {
      EXPECT_EQ(get(top_.red_rdata_o, 8), expect_[kRed]);
    }
    if (reading_[kLsu]) {
      EXPECT_EQ(get(top_.lsu_rdata_o, 4), expect_[kLsu]);
    }
    if (reading_[kFetch]) {
      EXPECT_EQ(get(top_.fetch_rdata_o, 8), expect_[kFetch]);
    }
    if (reading_[kCtl]) {
      EXPECT_EQ(get(top_.ctl_rdata_o, 4), expect_[kCtl]);
    }
  }

  VerilatedContext context_;
  V top_{&context_};
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(kBytes);
  std::array<bool, kNum> reading_{};
  std::array<Data, kNum> expect_{};
  std::array<bool, kBanks> gathering_{};
  std::array<Data, kBanks> gather_expect_{};
};

// Fills free requestors with random accesses to the first `span` bytes, each with probability p %.
template <class B>
void ask(B& bench, uint32_t span, int p) {
  for (int who = 0; who < kNum; ++who) {
    Request& r = bench.request[who];
    if (r.valid || static_cast<int>(bench.rng() % 100) >= p) continue;
    const uint32_t unit = static_cast<uint32_t>(B::bytes(who));
    r.valid = true;
    r.addr = static_cast<uint32_t>(bench.rng() % (span / unit)) * unit;
    r.we = who == kWr || (who != kRd0 && who != kRd1 && who != kFetch && bench.rng() % 2 != 0);
    r.be = who == kCtl ? 0xF : static_cast<uint32_t>(bench.rng()) & ((1u << unit) - 1);
    for (uint8_t& b : r.data) b = static_cast<uint8_t>(bench.rng() >> 7);
  }
  constexpr uint32_t kRow = 8 * B::kBanks;  // bytes
  for (uint32_t b = 0; b < B::kBanks; ++b) {
    Request& r = bench.gather[b];
    if (r.valid || static_cast<int>(bench.rng() % 100) >= p) continue;
    r.valid = true;
    r.addr = static_cast<uint32_t>(bench.rng() % (span / kRow)) * kRow + 8 * b;
    r.we = bench.rng() % 2 != 0;
    r.be = static_cast<uint32_t>(bench.rng()) & 0xFF;
    for (uint8_t& x : r.data) x = static_cast<uint8_t>(bench.rng() >> 7);
  }
}

template <class B>
void random_traffic() {
  const uint64_t seed = ow::test_option("OW_SEED", 1);
  B bench;
  bench.rng.seed(seed);
  for (int i = 0; i < 30000 && !testing::Test::HasFailure(); ++i) {
    ask(bench, i < 10000 ? kBytes : 128, i % 1000 < 500 ? 100 : 30);
    bench.gives = bench.rng() % 4 == 0;
    bench.cycle();
  }
  // With one access per cycle for all, the gather port's two banks have a turn each beside the
  // seven.
  EXPECT_LE(bench.worst, kBound + (B::kLaneCount == 2 ? 2 * 2 : 0));
  EXPECT_LE(bench.gather_worst, kGatherBound);
  for (int who = 0; who < kNum; ++who) EXPECT_GT(bench.grants[who], 1000u) << who;
  for (const uint64_t grants : bench.gather_grants) EXPECT_GT(grants, 1000u);
}

using Bench8 = Bench<Vow_sram8_8, 8, 8>;
#if OW_OTHER_SIZES
using Bench2 = Bench<Vow_sram2_2, 2, 2>;
using Bench4 = Bench<Vow_sram4_4, 4, 4>;
using Bench8Of4 = Bench<Vow_sram8_4, 8, 4>;

TEST(Sram, RandomTrafficReadsWhatWasWrittenWith2Lanes) { random_traffic<Bench2>(); }
TEST(Sram, RandomTrafficReadsWhatWasWrittenWith4Lanes) { random_traffic<Bench4>(); }
TEST(Sram, RandomTrafficReadsWhatWasWrittenWith8LanesAndHalfTheBanks) {
  random_traffic<Bench8Of4>();
}
#endif

TEST(Sram, RandomTrafficReadsWhatWasWrittenWith8Lanes) { random_traffic<Bench8>(); }

template <class B>
void all_want_one_bank() {
  B bench;
  for (int i = 0; i < 2000; ++i) {
    for (int who = 0; who < kNum; ++who) {
      bench.request[who].valid = true;
      bench.request[who].addr = 0;
      bench.request[who].we = who == kWr;
    }
    bench.gather[0].valid = true;
    bench.cycle();
  }
  EXPECT_LE(bench.worst, kBound);
  EXPECT_LE(bench.gather_worst, kGatherBound);
  EXPECT_GE(bench.gather_grants[0], 2000u / (kGatherBound + 1));
  for (int who = 0; who < kNum; ++who) EXPECT_GE(bench.grants[who], 2000u / (kBound + 1)) << who;
}

TEST(Sram, NobodyStarvesWhenAllWantOneBank) {
  all_want_one_bank<Bench8>();
#if OW_OTHER_SIZES
  all_want_one_bank<Bench2>();
#endif
}

TEST(Sram, AWriteThatGivesWayGoesBehindReadsButBeforeAllOthers) {
  Bench8 bench;
  bench.gives = true;
  const auto want = [&](int who, uint32_t addr) {
    bench.request[who].valid = true;
    bench.request[who].addr = addr;
    bench.request[who].we = who == kWr;
  };
  want(kWr, 0);
  want(kRd0, 64);
  want(kRd1, 16);
  want(kLsu, 8);
  bench.cycle();
  EXPECT_FALSE(bench.request[kRd0].valid);
  EXPECT_FALSE(bench.request[kRd1].valid);
  EXPECT_TRUE(bench.request[kWr].valid);
  EXPECT_TRUE(bench.request[kLsu].valid);
  bench.cycle();
  EXPECT_FALSE(bench.request[kWr].valid);
  EXPECT_TRUE(bench.request[kLsu].valid);
  want(kWr, 0);
  bench.gives = false;
  want(kRd0, 64);
  bench.cycle();
  EXPECT_FALSE(bench.request[kWr].valid);
  EXPECT_TRUE(bench.request[kRd0].valid);
}

TEST(Sram, TwoVectorReadsAndAWriteToThreePairsAreOneCycle) {
  Bench8 bench;
  const auto before = bench.grants;
  for (int i = 0; i < 600; ++i) {
    for (int who : {kWr, kRd0, kRd1}) {
      bench.request[who].valid = true;
      bench.request[who].we = who == kWr;
      bench.request[who].be = 0xFFFF;
      bench.request[who].addr = static_cast<uint32_t>((i + who) * 16 % 2048 + who * 2048);
    }
    bench.cycle();
  }
  for (int who : {kWr, kRd0, kRd1}) EXPECT_EQ(bench.grants[who] - before[who], 600u);
}

TEST(Sram, GatherTakesTheBanksThatTwoStreamsLeave) {
  Bench8 bench;
  const auto before = bench.grants;
  for (int i = 0; i < 600; ++i) {
    for (int who : {kRd0, kRd1}) {
      bench.request[who].valid = true;
      bench.request[who].addr = static_cast<uint32_t>((i + who) * 16 % 2048 + who * 2048);
    }
    for (uint32_t b = 0; b < 8; ++b) {
      if (bench.gather[b].valid) continue;
      bench.gather[b].valid = true;
      bench.gather[b].addr = static_cast<uint32_t>(i % 64 * 64) + 8 * b;
    }
    bench.cycle();
  }
  for (int who : {kRd0, kRd1}) EXPECT_EQ(bench.grants[who] - before[who], 600u);
  for (int b = 0; b < 8; ++b) EXPECT_EQ(bench.gather_grants[b], 300u) << b;
}

// The checkers are bound to the ports. They name the channel of a requestor that changes its
// request before it is granted.
TEST(Sram, ARequestThatChangesBeforeItsGrantIsReported) {
  Bench8 bench;
  for (int who : {kRed, kLsu}) {  // both access the same word
    bench.request[who] = {};
    bench.request[who].valid = true;
  }
  bench.cycle();
  ASSERT_TRUE(bench.request[kLsu].valid);
  bench.request[kRed].valid = true;
  bench.request[kLsu].addr = 4;
  std::string said;
  try {
    bench.cycle();
  } catch (const ow::DeviceFault& e) {
    said = e.what();
  }
  EXPECT_NE(said.find("u_check_lsu"), std::string::npos) << said;
  EXPECT_NE(said.find("payload changed before ready"), std::string::npos) << said;
}

TEST(Sram, ControlPlaneWritesAWordACycleIntoAQuietTile) {
  Bench8 bench;
  const uint64_t before = bench.grants[kCtl];
  for (uint32_t i = 0; i < 1000; ++i) {
    Request& r = bench.request[kCtl];
    r.valid = r.we = true;
    r.be = 0xF;
    r.addr = i * 4;
    bench.cycle();
  }
  EXPECT_EQ(bench.grants[kCtl] - before, 1000u);
}

}  // namespace
