// SPDX-License-Identifier: Apache-2.0
// The link in one clock: rates, latency, noise, faults, training, drops, resets. sweeps_test.cpp
// has long versions of these, for the night.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "ow/device/link_word.h"
#include "ow/measure/link/measure.h"
#include "ow/measure/link/pair.h"

namespace ow::link {
namespace {

constexpr uint64_t kLatency = 6;
constexpr int kWindow = 7;  // frames that a wrong one costs

void offer(Pair* pair, uint32_t colours) {
  for (int side = 0; side < 2; ++side) pair->router(side).offered = colours;
}

TEST(Link, ComesUpByItselfAndCarriesEveryColour) {
  for (const int parity : {0, 1}) {
    Pair p(1);
    p.set_parity(parity);
    ASSERT_TRUE(p.train(6000));
    offer(&p, kAllColours);
    p.run(100);
    const uint64_t before = p.router(0).taken() + p.router(1).taken();
    p.run(4000);
    EXPECT_EQ(p.router(0).taken() + p.router(1).taken() - before, 8000u);
    EXPECT_TRUE(p.drain());
    EXPECT_EQ(p.errors(), 0u) << p.first_error();
  }
}

TEST(Link, TakesWaveletsBeforeItIsUpAndLosesNone) {
  Pair p(2);
  offer(&p, kAllColours);
  ASSERT_TRUE(p.train());
  EXPECT_EQ(p.router(0).taken() + p.router(1).taken(), 0u);
  p.run(500);
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

TEST(Link, OneColourRunsAtFullRateWhateverTheOthersWaitFor) {
  for (int spares = 0; spares <= 2; ++spares) {
    for (const int colour : {0, 13, 24, 25}) {
      for (const int blocked : {0, 25}) {
        const Rate r = measure_rate(colour, blocked, spares, 2000, 3);
        EXPECT_EQ(r.wavelets, r.cycles) << colour << " " << blocked << " " << spares;
        EXPECT_EQ(r.latency_max, kLatency);
        EXPECT_EQ(r.errors, 0u) << r.first_error;
      }
    }
  }
}

// Noise makes the link slower than what is offered: the control plane gets a quarter, data colours
// share the rest.
TEST(Link, BackloggedColoursGetTheirShares) {
  Pair p(18);
  p.wires(0).set_noise(1e-3);
  ASSERT_TRUE(p.train());
  offer(&p, kAllColours);
  p.run(1000);
  std::array<uint64_t, kColours> before{};
  for (int c = 0; c < kColours; ++c) before[static_cast<size_t>(c)] = p.router(1).taken(c);
  const uint64_t all = p.router(1).taken();
  p.run(20000);
  const double total = static_cast<double>(p.router(1).taken() - all);
  const auto share = [&](int c) {
    return static_cast<double>(p.router(1).taken(c) - before[static_cast<size_t>(c)]);
  };
  EXPECT_LT(total, 12000);
  EXPECT_GE(share(24) + share(25), 0.25 * total * 0.97);
  EXPECT_NEAR(share(24), share(25), 0.02 * share(24));
  const double each = (total - share(24) - share(25)) / 24;
  for (int c = 0; c < kControlColour; ++c) EXPECT_NEAR(share(c), each, 0.01 * each + 2) << c;
}

TEST(Link, LatencyIsConstant) {
  for (int spares = 0; spares <= 2; ++spares) {
    const Rate r = measure_latency(spares, 4);
    EXPECT_EQ(r.latency_min, kLatency);
    EXPECT_EQ(r.latency_max, kLatency);
    EXPECT_EQ(r.errors, 0u) << r.first_error;
  }
}

TEST(Link, OneWrongFrameCostsARoundTripOfSevenFrames) {
  EXPECT_DOUBLE_EQ(measure_window(5).frames(), kWindow);
}

// Nothing is sent again where no frame was wrong: each is acknowledged before its sender's patience
// ends, whichever half of a header goes while it comes in.
TEST(Link, NoAcknowledgementIsForgotten) {
  for (const Shape& shape : {kFull, kMini}) {
    const int frame = 2 * shape.slices();
    for (int ahead = 0; ahead < frame; ++ahead) {
      Pair p(static_cast<uint64_t>(ahead) + 7, shape);
      p.set_parity(ahead);
      ASSERT_TRUE(p.train(frame * 6000u));
      for (int burst = 1; burst <= 8 * frame; burst += shape.slices()) {
        for (const int both : {0, 1}) {
          p.router(0).offered = 1u << 1;
          p.router(1).offered = both != 0 ? 1u << 2 : 0;
          p.run(static_cast<uint64_t>(burst));
          p.router(0).offered = p.router(1).offered = 0;
          p.run(50u * static_cast<uint64_t>(frame));
        }
      }
      EXPECT_TRUE(p.drain());
      EXPECT_EQ(p.errors(), 0u) << p.first_error();
      for (const int side : {0, 1}) EXPECT_EQ(p.status(side).replays, 0u) << ahead << " " << side;
    }
  }
}

// Fails if goodput under noise is less than the document says.
TEST(Link, NoiseAndBurstsLoseNothing) {
  struct Case {
    double ber, bursts;
    uint64_t retrain;
  };
  for (const Case& c : {Case{1e-5, 0, 0}, Case{1e-4, 0, 10000}, Case{1e-3, 0, 0},
                        Case{1e-3, 0.002, 10000}, Case{0, 0.01, 0}}) {
    const Noise n = measure_noise("", c.ber, c.bursts, c.retrain, 100000, 6);
    EXPECT_EQ(n.lost, 0u) << c.ber;
    EXPECT_EQ(n.errors, 0u) << c.ber << ": " << n.first_error;
    EXPECT_GE(n.wavelets, 100000u);
    if (c.bursts == 0 && c.ber <= 1e-3 && c.retrain == 0) {
      const double expected = formula(wrong_frame_probability(c.ber), kWindow);
      EXPECT_NEAR(n.goodput() / expected, 1, 0.02) << c.ber;
    }
    if (c.retrain != 0) {
      EXPECT_GT(n.trainings, 8);
    }
  }
}

// On the wires of the running link, in the middle of traffic: each of the frames is refused.
TEST(Link, FramesWithOneToFiveWrongBitsAreNeverTaken) {
  Pair p(7);
  ASSERT_TRUE(p.train());
  offer(&p, kAllColours);
  p.run(200);
  Rng random(7);
  const uint32_t before = p.status(1).wrong_frames;
  constexpr uint32_t kCases = 2000;
  for (uint32_t i = 0; i < kCases; ++i) {
    Lanes mask;
    const uint32_t bits = 1 + i % 5;
    for (uint32_t k = 0; k < bits;) {
      const auto lane = static_cast<uint32_t>(random.below(64));
      uint64_t& group = mask.group[lane / 32];
      if ((group >> (lane % 32) & 1) != 0) continue;
      group |= uint64_t{1} << (lane % 32);
      ++k;
    }
    p.run(20 + random.below(20));
    p.wires(0).flip_next(mask);
  }
  p.run(200);
  EXPECT_EQ(p.status(1).wrong_frames - before, kCases);
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

TEST(Link, LanePairsAreRepaired) {
  for (int group = 0; group < kGroups; ++group) {
    const Repairs r = measure_repairs(group, 47, 500, 8);
    EXPECT_GT(r.cases, 10);
    EXPECT_EQ(r.repaired, r.cases) << r.failed.front();
  }
}

TEST(Link, LanesThatFailInOperationAreFoundAndRepaired) {
  for (const Fault fault : {Fault::Stuck0, Fault::Stuck1, Fault::Inverted, Fault::BridgedAnd,
                            Fault::BridgedOr, Fault::Follows}) {
    Pair p(9);
    ASSERT_TRUE(p.train());
    offer(&p, kAllColours);
    p.run(1000);
    p.wires(0).set_fault(3, fault, 20);
    p.wires(0).set_fault(40, fault, 41);
    p.run(20000);
    EXPECT_TRUE(p.up(0) && p.up(1));
    const Status s = p.status(1);
    EXPECT_EQ(s.trainings, 2);
    EXPECT_EQ(p.status(0).tx_map, s.rx_map);
    EXPECT_TRUE(std::count(s.faulty.begin(), s.faulty.end(), 3) == 1);
    EXPECT_TRUE(std::count(s.faulty.begin(), s.faulty.end(), 40) == 1);
    const uint64_t before = p.router(1).taken();
    p.run(1000);
    EXPECT_EQ(p.router(1).taken() - before, 1000u);
    EXPECT_TRUE(p.drain());
    EXPECT_EQ(p.errors(), 0u) << p.first_error();
  }
}

TEST(Link, TooManyFaultyLanesTakeItDownAtBothEnds) {
  const Refusals r = measure_refusals(12, 10);
  EXPECT_EQ(r.refused, r.cases) << r.failed.front();
  EXPECT_EQ(r.wavelets_leaked, 0u);
}

TEST(Link, ComesUpAgainByCommandOnceTheLanesAreWhole) {
  Pair p(11);
  for (const int lane : {1, 2, 3}) p.wires(0).set_fault(lane, Fault::Stuck1);
  offer(&p, kAllColours);
  p.run(60000);
  ASSERT_FALSE(p.up(0) || p.up(1));
  EXPECT_EQ(p.status(1).reason, kTooManyLanes);
  p.wires(0).clear_faults();
  p.retrain(0);  // either end
  EXPECT_TRUE(p.train());
  p.run(500);
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

TEST(Link, DroppedAndRestoredInMidTransferLosesNothing) {
  for (int which = 1; which < 4; ++which) {  // one direction, the other, both
    for (const uint64_t length : {1u, 50u, 3000u, 20000u}) {
      Pair p(12 + length);
      ASSERT_TRUE(p.train());
      offer(&p, kAllColours);
      for (int times = 0; times < 3; ++times) {
        p.run(1000);
        for (int side = 0; side < 2; ++side) p.wires(side).cut((which >> side & 1) != 0);
        p.run(length);
        for (int side = 0; side < 2; ++side) p.wires(side).cut(false);
        ASSERT_TRUE(p.train(40000)) << which << " " << length;
      }
      p.run(1000);
      EXPECT_TRUE(p.drain()) << which << " " << length;
      EXPECT_EQ(p.errors(), 0u) << p.first_error();
    }
  }
}

// At any time of the training and of the handshake, and shortly after.
TEST(Link, LanesThatDropOutWhileItTrainsOnlyCostTime) {
  for (uint64_t at = 30; at < 5200; at += at < 3000 ? 501 : 61) {
    Pair p(at);
    offer(&p, kAllColours);
    p.run(at);
    const int side = static_cast<int>(at & 1);
    p.wires(side).cut(true);
    p.run(40 + at % 700);
    p.wires(side).cut(false);
    ASSERT_TRUE(p.train(60000)) << at;
    p.run(12000);  // it may have come up at one end only, which shows when that end sends
    ASSERT_TRUE(p.train(60000)) << at;
    p.run(300);
    EXPECT_TRUE(p.drain()) << at;
    EXPECT_EQ(p.errors(), 0u) << at << ": " << p.first_error();
  }
}

TEST(Link, RetrainingByEitherEndOrBothLosesNothing) {
  Pair p(13);
  ASSERT_TRUE(p.train());
  offer(&p, kAllColours);
  for (int i = 0; i < 12; ++i) {
    p.run(300 + static_cast<uint64_t>(17 * i));
    if (i % 3 != 1) p.retrain(0);
    if (i % 3 != 0) p.retrain(1);
    p.run(i < 6 ? 12000 : 400);  // also while it trains
  }
  ASSERT_TRUE(p.train());
  p.run(1000);
  EXPECT_GE(p.status(0).trainings, 7);
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

TEST(Link, TheOtherEndsResetIsNotMistakenForARetraining) {
  Pair p(14);
  ASSERT_TRUE(p.train());
  offer(&p, kAllColours);
  p.run(1000);
  ASSERT_TRUE(p.drain());
  p.reset(1);
  p.run(60000);
  EXPECT_FALSE(p.up(0) || p.up(1));
  EXPECT_EQ(p.status(0).reason, kPeerReset);
  p.reset(0);
  EXPECT_TRUE(p.train(60000));
}

// Whatever it was about to do: a reset in each of a frame's cycles, with words on their way to it.
TEST(Link, AResetForgetsTheFrameThatWasBegun) {
  for (const Shape& shape : {kFull, kMini}) {
    const uint64_t frame = 2 * static_cast<uint64_t>(shape.slices());
    for (uint64_t at = 0; at < frame; ++at) {
      Pair p(17 + at, shape);
      ASSERT_TRUE(p.train());
      offer(&p, shape.all_colours());
      p.run(500);
      ASSERT_TRUE(p.drain());
      p.run(at + frame - p.cycle() % frame);
      p.reset(0);
      p.reset(1);
      p.step();
      offer(&p, shape.all_colours());  // the first words come in the first cycle after the reset
      p.step();
      ASSERT_TRUE(p.train()) << at;
      p.run(500);
      EXPECT_TRUE(p.drain()) << at;
      EXPECT_EQ(p.errors(), 0u) << at << ": " << p.first_error();
    }
  }
}

TEST(Link, IsSilentWhenDisabledAndTrainsWhenEnabled) {
  Pair p(15);
  p.enable(0, false);
  p.run(10);
  const uint64_t active = p.lanes_active(0);
  p.run(5000);
  EXPECT_EQ(p.lanes_active(0), active);
  EXPECT_FALSE(p.up(0) || p.up(1));
  EXPECT_EQ(p.status(0).reason, kOff);
  EXPECT_EQ(p.status(1).reason, kNoSignal);
  p.enable(0, true);
  EXPECT_TRUE(p.train());
}

// If only the first half of a frame has arrived, the frame is not taken and does not count as
// wrong.
TEST(Link, AFrameThatIsCutOffByDisablingCountsAsNothing) {
  for (uint64_t more = 0; more < 4; ++more) {
    Pair p(18);
    ASSERT_TRUE(p.train());
    offer(&p, kAllColours);
    p.run(1000 + more);
    p.enable(1, false);
    p.run(20);
    EXPECT_EQ(p.status(1).reason, kOff);
    EXPECT_EQ(p.status(1).wrong_frames, 0u) << more;
  }
}

TEST(Link, IsIdleAndItsLanesAreQuietWhenNothingIsToBeSent) {
  Pair p(16);
  ASSERT_TRUE(p.train());
  offer(&p, kAllColours);
  p.run(500);
  ASSERT_TRUE(p.drain());
  p.run(200);
  EXPECT_TRUE(p.idle(0) && p.idle(1));
  const uint64_t active = p.lanes_active(0) + p.lanes_active(1);
  p.run(1000);
  EXPECT_EQ(p.lanes_active(0) + p.lanes_active(1), active);
  EXPECT_TRUE(p.idle(0) && p.idle(1));
}

// What is under way is sent again if no answer comes, so that the link is not idle until one does.
TEST(Link, IsNotIdleWhileAnAcknowledgementIsMissing) {
  Pair p(18);
  ASSERT_TRUE(p.train());
  p.run(200);
  ASSERT_TRUE(p.idle(0));
  p.wires(1).cut(true);
  p.router(0).offered = 1;
  p.step();
  p.router(0).offered = 0;
  const uint64_t active = p.lanes_active(0);
  for (int i = 0; i < 200; ++i) {
    ASSERT_FALSE(p.idle(0)) << i;
    p.step();
  }
  EXPECT_GT(p.lanes_active(0) - active, 2u) << "it was sent again";
  p.wires(1).cut(false);
  ASSERT_TRUE(p.drain());
  p.run(200);
  EXPECT_TRUE(p.idle(0) && p.idle(1));
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

// A command wavelet goes on only with all credits of its colour at hand, gives the router before
// the link no credit, and what the router beyond returns for it comes through as that router's.
TEST(Link, CommandWaveletsMoveTheCreditsOfTheirColourThrough) {
  Pair p(17);
  ASSERT_TRUE(p.train());
  Router& a = p.router(0);
  Router& b = p.router(1);
  a.raw = b.raw = true;
  constexpr int kColour = 5;
  Wavelet w;
  w.colour = kColour;
  w.data = 1;
  a.script.push_back(link_of_wavelet(w));
  p.run(30);
  ASSERT_EQ(b.log.size(), 1u);  // and keep its credit back
  EXPECT_EQ(a.log.size(), 1u);  // the credit for it
  w.ctrl = true;
  w.data = isa::Control::Commands::put(0, isa::SwitchOp::Advance);
  a.script.push_back(link_of_wavelet(w));
  p.run(60);
  EXPECT_EQ(b.log.size(), 1u) << "sent without all credits";
  EXPECT_EQ(a.log.size(), 1u) << "a credit for a command";
  b.script.push_back(link_of_credit(kColour));
  p.run(60);
  ASSERT_EQ(b.log.size(), 2u);
  EXPECT_EQ(b.log[1].second, link_of_wavelet(w));
  EXPECT_EQ(a.log.size(), 1u);
  for (int i = 0; i < kLinkCredits; ++i) b.script.push_back(link_of_credit(kColour));
  p.run(60);
  ASSERT_EQ(a.log.size(), 1u + kLinkCredits);
  for (const auto& entry : a.log) EXPECT_EQ(entry.second, link_of_credit(kColour));
  // And the colour runs on.
  w.ctrl = false;
  for (int i = 0; i < kLinkCredits; ++i) a.script.push_back(link_of_wavelet(w));
  p.run(30);
  EXPECT_EQ(b.log.size(), 2u + kLinkCredits);
}

// What the router beyond the link returns when a switch moves reaches the router before it although
// another colour uses the link in every cycle.
// Fails if a link grants no move of a switch while another colour runs at full rate.
TEST(Link, GrantsOfASwitchGetThroughBesideAColourAtFullRate) {
  Pair p(18);
  ASSERT_TRUE(p.train());
  Router& a = p.router(0);
  Router& b = p.router(1);
  a.raw = b.raw = true;
  constexpr int kMoves = 5;
  constexpr int kBusy = 4;  // colours 0 to 3
  Wavelet w;
  w.colour = kMoves;
  w.ctrl = true;
  w.data = isa::Control::Commands::put(0, isa::SwitchOp::Advance);
  a.script.push_back(link_of_wavelet(w));
  p.run(60);
  ASSERT_EQ(b.log.size(), 1u);
  ASSERT_EQ(a.log.size(), 0u);
  // The others: the router before the link sends what it has credits for, the one beyond it returns
  // each credit at once.
  std::array<int, kBusy> credits;
  credits.fill(kLinkCredits);
  int grants = 0, turn = 0;
  size_t seen_a = 0, seen_b = b.log.size(), passed = 0;
  auto step = [&] {
    for (; seen_a < a.log.size(); ++seen_a) {
      for (int c = 0; c < kBusy; ++c) credits[c] += a.log[seen_a].second == link_of_credit(c);
      grants += a.log[seen_a].second == link_of_credit(kMoves);
    }
    for (; seen_b < b.log.size(); ++seen_b, ++passed) {
      for (int c = 0; c < kBusy; ++c) {
        Wavelet busy;
        busy.colour = c;
        if (b.log[seen_b].second == link_of_wavelet(busy)) b.script.push_back(link_of_credit(c));
      }
    }
    for (int i = 0; i < kBusy && a.script.empty(); ++i) {
      turn = (turn + 1) % kBusy;
      if (credits[turn] == 0) continue;
      --credits[turn];
      Wavelet busy;
      busy.colour = turn;
      a.script.push_back(link_of_wavelet(busy));
    }
    p.run(1);
  };
  for (int i = 0; i < 200; ++i) step();
  const size_t before = passed;
  for (int i = 0; i < 100; ++i) step();
  ASSERT_EQ(passed - before, 100u) << "the link is not at full rate";
  for (int i = 0; i < kLinkCredits; ++i) b.script.push_front(link_of_credit(kMoves));
  for (int i = 0; i < 200; ++i) step();
  EXPECT_EQ(grants, kLinkCredits);
  EXPECT_GE(passed - before, 300u - 2u * kLinkCredits);
}

}  // namespace
}  // namespace ow::link
