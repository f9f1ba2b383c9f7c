// SPDX-License-Identifier: Apache-2.0
// The parts of rtl/common against models: arbiters, skid buffer, credits, memories, leading zeros,
// and the checkers, which must report what breaks a channel's rules.

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "Vow_bricks.h"
#include "openwafer/error.h"
#include "ow/isa/isa.h"
#include "verilated.h"

namespace {

class Bricks : public ::testing::Test {
 protected:
  Bricks()
      : context_(std::make_unique<VerilatedContext>()),
        m_(std::make_unique<Vow_bricks>(context_.get())) {
    context_->assertOn(true);
    m_->rst_i = 1;
    clock();
    m_->rst_i = 0;
    settle();
  }
  void settle() {
    m_->clk_i = 0;
    m_->eval();
  }
  void clock() {
    settle();
    m_->clk_i = 1;
    m_->eval();
    settle();
  }
  uint32_t random(uint32_t below) { return static_cast<uint32_t>(rng_() % below); }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vow_bricks> m_;
  std::mt19937 rng_{1};
};

int index_of(uint32_t one) { return __builtin_ctz(one); }

TEST_F(Bricks, RoundRobinServesTheNextAboveTheLast) {
  for (uint32_t requests = 0; requests < 64; ++requests) {
    for (uint32_t last = 0; last < 6; ++last) {
      m_->rr_req_i = requests;
      m_->rr_last_i = last;
      settle();
      uint32_t next = (last + 1) % 6;
      while (requests != 0 && (requests >> next & 1) == 0) next = (next + 1) % 6;
      ASSERT_EQ(m_->rr_one_o, requests == 0 ? 0u : 1u << next);
      ASSERT_EQ(m_->rr_index_o, requests == 0 ? 0u : next);
    }
  }
}

// Fails if one round-robin pointer serves both classes, so that one of them starves.
TEST_F(Bricks, ClassesTakeTurnsAndNobodyWaitsBeyondTheBounds) {
  std::array<int, 5> waited{};
  std::array<bool, 5> low{};
  int most_high = 0, most_low = 0;
  for (int i = 0; i < 20000; ++i) {
    // Requesters that wait keep waiting; others join them.
    uint32_t waiting = 0;
    for (int k = 0; k < 5; ++k) waiting |= uint32_t(waited[k] > 0) << k;
    const uint32_t fresh = random(32) & random(i / 2000 % 2 ? 32 : 8) & ~waiting;
    for (int k = 0; k < 5; ++k) {
      if (fresh >> k & 1) low[k] = random(3) == 0;
    }
    uint32_t high_req = 0, low_req = 0;
    for (int k = 0; k < 5; ++k) {
      if ((waiting | fresh) >> k & 1) (low[k] ? low_req : high_req) |= 1u << k;
    }
    // The other set changes nothing.
    const uint32_t set = random(2), other_high = random(32), other_low = random(32) & ~other_high;
    m_->class_set_i = set;
    m_->class_high_i = high_req << 5 * set | other_high << 5 * (1 - set);
    m_->class_low_i = low_req << 5 * set | other_low << 5 * (1 - set);
    m_->class_take_i = random(4) != 0;
    settle();
    ASSERT_EQ(m_->class_any_o, (high_req | low_req) != 0);
    if (m_->class_any_o) {
      const int served = index_of(m_->class_one_o);
      ASSERT_EQ(m_->class_index_o, served);
      ASSERT_TRUE((high_req | low_req) >> served & 1);
      for (int k = 0; k < 5; ++k) {
        if (((high_req | low_req) >> k & 1) == 0) continue;
        if (!m_->class_take_i) {
          waited[k] = std::max(waited[k], 1);
          continue;
        }
        if (k == served) {
          waited[k] = 0;
        } else {
          ++waited[k];
          int& most = low[k] ? most_low : most_high;
          most = std::max(most, waited[k]);
        }
      }
    }
    clock();
  }
  EXPECT_LE(most_high, 2 * 5);
  EXPECT_LE(most_low, 5 * 3);
  EXPECT_GE(most_low, 3);
}

TEST_F(Bricks, ASkidBufferKeepsOrderAtFullRate) {
  std::deque<uint32_t> in_flight;
  uint32_t next = 1;
  bool offered = false;
  int moved = 0;
  for (int i = 0; i < 20000; ++i) {
    const bool full_rate = i / 1000 % 2;
    if (!offered) offered = full_rate || random(3) != 0;
    m_->skid_valid_i = offered;
    m_->skid_data_i = next;
    m_->skid_ready_i = full_rate || random(3) != 0;
    settle();
    if (m_->skid_valid_o && m_->skid_ready_i) {
      ASSERT_FALSE(in_flight.empty());
      ASSERT_EQ(m_->skid_data_o, in_flight.front());
      in_flight.pop_front();
      ++moved;
    }
    if (offered && m_->skid_ready_o) {
      in_flight.push_back(next);
      next = (next + 1) & 0xFFFF;
      offered = false;
    }
    ASSERT_LE(in_flight.size(), 2u);
    clock();
  }
  EXPECT_GT(moved, 10 * 995 + 10 * 400);
}

TEST_F(Bricks, CreditsAreCountedAndCanBeSpentAsTheyCome) {
  std::array<int, 4> held{3, 3, 3, 3};
  for (int i = 0; i < 20000; ++i) {
    uint32_t give = random(16) & random(16), spend = 0, drain = 0, set = 0, full = random(16);
    if (random(50) == 0) set = random(16);
    uint32_t some = 0, all = 0;
    for (int c = 0; c < 4; ++c) {
      if (held[c] == 3) give &= ~(1u << c);
      const int now = held[c] + int(give >> c & 1);
      if (now > 0) some |= 1u << c;
      if (now == 3) all |= 1u << c;
      if (now > 0 && random(2)) spend |= 1u << c;
      if (now > 0 && random(8) == 0) drain |= 1u << c;
    }
    m_->credit_give_i = give;
    m_->credit_spend_i = spend;
    m_->credit_drain_i = drain;
    m_->credit_set_i = set;
    m_->credit_full_i = full;
    settle();
    ASSERT_EQ(m_->credit_some_o, some);
    ASSERT_EQ(m_->credit_all_o, all);
    ASSERT_EQ(m_->credit_surplus_o, 0);
    clock();
    for (int c = 0; c < 4; ++c) {
      held[c] += int(give >> c & 1);
      if (spend >> c & 1) --held[c];
      if (drain >> c & 1) held[c] = 0;
      if (set >> c & 1) held[c] = full >> c & 1 ? 3 : 0;
      for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(m_->credit_level_o >> (4 * k + c) & 1, uint32_t(held[c] > k));
      }
    }
  }
}

TEST_F(Bricks, MemoriesKeepWhatIsWritten) {
  std::array<uint32_t, 11> two{}, one{};
  for (uint32_t a = 0; a < 11; ++a) {
    m_->ram_we_i = m_->single_req_i = m_->single_we_i = 1;
    m_->ram_waddr_i = m_->single_addr_i = a;
    m_->ram_wdata_i = two[a] = one[a] = random(1u << 24);
    clock();
  }
  uint32_t registered = 0, single = 0;
  bool read = false, single_read = false;
  for (int i = 0; i < 5000; ++i) {
    m_->ram_we_i = random(2);
    m_->ram_waddr_i = random(11);
    m_->ram_wdata_i = random(1u << 24);
    m_->ram_re_i = random(2);
    m_->ram_raddr_i = random(11);
    m_->single_req_i = random(2);
    m_->single_we_i = random(2);
    m_->single_addr_i = random(11);
    settle();
    ASSERT_EQ(m_->ram0_rdata_o, two[m_->ram_raddr_i]);
    if (read) {
      ASSERT_EQ(m_->ram1_rdata_o, registered);
    }
    if (single_read) {
      ASSERT_EQ(m_->single_rdata_o, single);
    }
    if (m_->ram_re_i) {
      registered = two[m_->ram_raddr_i];
      read = true;
    }
    if (m_->ram_we_i) two[m_->ram_waddr_i] = m_->ram_wdata_i;
    if (m_->single_req_i && m_->single_we_i) {
      one[m_->single_addr_i] = m_->ram_wdata_i;
    } else if (m_->single_req_i) {
      single = one[m_->single_addr_i];
      single_read = true;
    }
    clock();
  }
}

TEST_F(Bricks, LeadingZerosOfEveryLength) {
  auto look = [&](uint64_t v) {
    m_->lzc_i = v;
    settle();
    const uint64_t low = v & 0x1FFFFF;
    ASSERT_EQ(m_->none64_o, v == 0);
    ASSERT_EQ(m_->lzc64_o, v == 0 ? 63 : __builtin_clzll(v));
    ASSERT_EQ(m_->none21_o, low == 0);
    ASSERT_EQ(m_->lzc21_o, low == 0 ? 20 : __builtin_clzll(low) - 43);
  };
  look(0);
  for (int k = 0; k < 64; ++k) {
    look(uint64_t{1} << k);
    for (int i = 0; i < 20; ++i) {
      look((uint64_t{1} << k) | (((uint64_t(rng_()) << 32) | rng_()) & ((uint64_t{1} << k) - 1)));
    }
  }
}

TEST_F(Bricks, AGatedClockRisesInTheCyclesThatAreEnabledOrOfAScanAndInNoOther) {
  const auto enable = [&](bool on, bool scan = false) {
    m_->gate_en_i = on;
    m_->gate_test_i = scan;
    m_->eval();
  };
  const auto edges = [&] {
    return std::pair<uint16_t, uint16_t>(m_->gate_edges_o, m_->wire_edges_o);
  };
  settle();
  auto [gated, all] = edges();
  for (int k = 0; k < 1000; ++k) {
    for (int i = 0; i < 3; ++i) enable(random(2) != 0);
    const bool on = random(2) != 0;
    const bool scan = random(4) == 0;
    enable(on, scan);
    m_->clk_i = 1;
    m_->eval();
    gated = static_cast<uint16_t>(gated + (on || scan));
    ++all;
    ASSERT_EQ(edges(), std::make_pair(gated, all)) << "edge " << k;
    for (int i = 0; i < 3; ++i) {
      enable(random(2) != 0);
      ASSERT_EQ(edges(), std::make_pair(gated, all)) << "while the clock is high, edge " << k;
    }
    settle();
  }
}

// What a failed assertion says.
class BricksChecks : public Bricks {
 protected:
  bool clock_fails(const std::string& text) {
    try {
      clock();
    } catch (const ow::DeviceFault& e) {
      return std::string(e.what()).find(text) != std::string::npos;
    }
    return false;
  }
  // One cycle of channel k of chan_*.
  void chan(int k, bool valid, bool ready, uint32_t data) {
    m_->chan_valid_i = uint32_t{valid} << k;
    m_->chan_ready_i = uint32_t{ready} << k;
    m_->chan_data_i = data << (4 * k);
  }
  // What goes out on link_* in one cycle, and the credit that comes.
  void link(uint64_t sent, uint64_t back) {
    m_->link_sent_i = sent;
    m_->link_back_i = static_cast<uint8_t>(back);
  }
  static uint64_t wavelet(int colour, bool ctrl = false, uint32_t data = 0) {
    using Wavelet = ow::isa::Wavelet;
    return Wavelet::Valid::put(1) | Wavelet::Colour::put(static_cast<uint32_t>(colour)) |
           Wavelet::Ctrl::put(ctrl) | Wavelet::Data::put(data);
  }
  static uint64_t credit(int colour) {
    using Credit = ow::isa::Credit;
    return Credit::Valid::put(1) | Credit::Colour::put(static_cast<uint32_t>(colour));
  }
};

TEST_F(BricksChecks, AChannelWhoseValidFallsIsReported) {
  m_->skid_ready_i = 0;
  m_->skid_valid_i = 1;
  for (int i = 0; i < 3; ++i) clock();
  m_->skid_valid_i = 0;
  EXPECT_TRUE(clock_fails("valid fell before ready"));
}

TEST_F(BricksChecks, AChannelWhosePayloadChangesIsReported) {
  m_->skid_ready_i = 0;
  m_->skid_valid_i = 1;
  for (int i = 0; i < 3; ++i) clock();
  m_->skid_data_i = 7;
  EXPECT_TRUE(clock_fails("payload changed before ready"));
}

TEST_F(BricksChecks, ASurplusCreditIsReported) {
  m_->check_give_i = 2;
  EXPECT_TRUE(clock_fails("came back that was not spent"));
}

TEST_F(BricksChecks, ASurplusCreditOfACounterIsReported) {
  m_->credit_give_i = 4;
  EXPECT_TRUE(clock_fails("came back that was not spent"));
}

// Each rule of a channel by itself, and that a channel which may break it is let do so.
TEST_F(BricksChecks, WhatAChannelMayDoIsLetPassAndNothingElse) {
  enum { kPlain, kSecond, kFalls, kChanges, kGrant, kRoom };
  const std::string fell = "valid fell before ready", changed = "payload changed before ready",
                    ungranted = "a grant without a request", no_room = "sent without room";
  struct Case {
    int channel;
    bool valid, ready;
    uint32_t data;
    std::string says;  // nothing: it may
  };
  // What follows a cycle in which 5 is offered and not taken; of kRoom nothing is offered before.
  const Case cases[] = {
      {kPlain, false, false, 5, fell},   {kPlain, true, false, 6, changed},
      {kSecond, false, false, 5, fell},  {kSecond, true, true, 6, changed},
      {kPlain, true, true, 5, ""},       {kFalls, false, true, 5, ""},
      {kFalls, true, false, 6, changed}, {kChanges, true, false, 6, ""},
      {kChanges, false, true, 5, fell},  {kGrant, false, false, 5, ""},
      {kGrant, true, true, 6, ""},       {kGrant, false, true, 5, ungranted},
      {kRoom, true, false, 5, no_room},  {kRoom, true, true, 5, ""},
  };
  for (const Case& c : cases) {
    chan(c.channel, c.channel != kRoom, false, 5);
    clock();
    chan(c.channel, c.valid, c.ready, c.data);
    const std::string what = "channel " + std::to_string(c.channel) + ": " + c.says;
    if (c.says.empty()) {
      EXPECT_NO_THROW(clock()) << what;
    } else {
      EXPECT_TRUE(clock_fails(c.says)) << what;
    }
    m_->rst_i = 1;  // a reset lets everything go
    chan(0, false, false, 0);
    clock();
    m_->rst_i = 0;
  }
}

TEST_F(BricksChecks, AReceiverThatTakesAtOnceAndLaterMakesNoNoise) {
  for (int i = 0; i < 100; ++i) {
    chan(0, true, i % 3 == 2, static_cast<uint32_t>(i / 3) & 15);
    ASSERT_NO_THROW(clock());
  }
}

TEST_F(BricksChecks, ALinkSendsWithTheCreditsOfItsColourAlone) {
  const int request = ow::isa::kColourReq, response = ow::isa::kColourRsp;
  const uint32_t command = ow::isa::Control::Commands::put(0, 1);
  for (int colour : {0, 3, request, response}) {
    for (int i = 0; i < 2; ++i) {
      link(wavelet(colour), 0);
      ASSERT_NO_THROW(clock()) << colour;
    }
    link(wavelet(colour), credit(colour));  // spent as it comes
    ASSERT_NO_THROW(clock()) << colour;
    link(wavelet(colour), 0);
    EXPECT_TRUE(clock_fails("sent without a credit")) << colour;
    m_->rst_i = 1;
    link(0, 0);
    clock();
    m_->rst_i = 0;
  }
  // A fence takes all that there is, and more cannot follow until they are back.
  link(wavelet(2, true, command), 0);
  ASSERT_NO_THROW(clock());
  link(wavelet(2, true), credit(2));  // no command: a wavelet like others
  ASSERT_NO_THROW(clock());
  link(wavelet(2, true, command), credit(2));
  EXPECT_TRUE(clock_fails("without having all"));
}

// Fails if credits too many are absorbed, and the assertion for them cannot fail.
TEST_F(BricksChecks, ALinkThatGetsACreditTooManySaysSo) {
  for (int colour : {1, int{ow::isa::kColourReq}, int{ow::isa::kColourRsp}}) {
    link(wavelet(colour), 0);
    ASSERT_NO_THROW(clock()) << colour;
    link(0, credit(colour));
    ASSERT_NO_THROW(clock()) << colour;
    EXPECT_TRUE(clock_fails("came back that was not spent")) << colour;
    link(0, 0);
    clock();
  }
  // Set anew: to none, so that nothing goes, then to all.
  m_->link_set_i = 2;
  clock();
  m_->link_set_i = 0;
  link(wavelet(1), 0);
  EXPECT_TRUE(clock_fails("sent without a credit"));
  m_->link_set_i = 2;
  m_->link_full_i = 1;
  link(0, 0);
  clock();
  m_->link_set_i = 0;
  link(wavelet(1), 0);
  EXPECT_NO_THROW(clock());
}

TEST_F(BricksChecks, SendingWithoutCreditsIsReported) {
  m_->check_spend_i = 1;
  for (int i = 0; i < 3; ++i) clock();
  EXPECT_TRUE(clock_fails("sent without a credit"));
  m_->check_spend_i = 0;
  m_->check_drain_i = 1;
  EXPECT_TRUE(clock_fails("without having all"));
}

}  // namespace
