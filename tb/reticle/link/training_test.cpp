// SPDX-License-Identifier: Apache-2.0
// Single rules of docs/links.md: when a link trains, what it sends then, what its status words say
// and what it keeps. link_test.cpp shows that nothing is lost meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "ow/measure/link/pair.h"

namespace ow::link {
namespace {

void offer(Pair* pair, uint32_t colours) {
  for (int side = 0; side < 2; ++side) pair->router(side).offered = colours;
}

bool lane_of(const Lanes& lanes, int lane) {
  return (lanes.group[static_cast<size_t>(lane / kGroupLanes)] >> (lane % kGroupLanes) & 1) != 0;
}

// What each lane sends in a period of 512 cycles, which begins where a frame would begin.
TEST(LinkTraining, PeriodsAreAsTheDocumentSays) {
  for (const Shape& shape : {kFull, kMini}) {
    Pair p(3, shape);
    std::vector<Lanes> heard;
    uint64_t begin = 0;  // after the cycle of that number
    const auto any = [](const Lanes& l) { return (l.group[0] | l.group[1]) != 0; };
    while (heard.size() < 512 && p.cycle() < 3000) {
      const uint64_t cycle = p.cycle();
      p.step();
      const Lanes lanes = p.wires(0).sent();
      if (heard.empty() && !any(lanes)) continue;
      if (heard.empty()) begin = cycle - 16, heard.resize(16);
      heard.push_back(lanes);
    }
    ASSERT_EQ(heard.size(), 512u);
    EXPECT_EQ(begin % static_cast<uint64_t>(2 * shape.slices()), 0u);
    std::set<std::vector<bool>> sequences;
    for (int i = 0; i < shape.lanes(); ++i) {
      std::vector<bool> bits;
      for (const Lanes& lanes : heard) bits.push_back(lane_of(lanes, shape.lane(i)));
      uint32_t message = 0;
      for (size_t at = 0; at < 160; ++at) {
        if (at < 32) {
          EXPECT_EQ(bits[at], at >= 16) << "lane " << i << " at " << at;
        } else {
          EXPECT_EQ(bits[at], bits[at / 4 * 4]) << "lane " << i << " at " << at;
          if (at % 4 == 0) message |= static_cast<uint32_t>(bits[at]) << (at / 4 - 8);
        }
      }
      using Message = isa::LinkMessage;
      EXPECT_EQ(message, Message::Fresh::put(1) | Message::Check::put(1) | Message::G0Lo::put(63) |
                             Message::G0Hi::put(63) | Message::G1Lo::put(63) |
                             Message::G1Hi::put(63))
          << "lane " << i;
      for (size_t at = 169; at < 512; ++at) {  // x^9 + x^5 + 1
        EXPECT_EQ(bits[at], bits[at - 9] != bits[at - 5]) << "lane " << i << " at " << at;
      }
      sequences.insert({bits.begin() + 160, bits.end()});
    }
    EXPECT_EQ(sequences.size(), static_cast<size_t>(shape.lanes())) << "a phase of its own";
  }
}

TEST(LinkTraining, TakesAbout4600Cycles) {
  for (const Shape& shape : {kFull, kMini}) {
    Pair p(4, shape);
    ASSERT_TRUE(p.train());
    EXPECT_NEAR(static_cast<double>(p.cycle()), 4600, 100);
    EXPECT_EQ(p.status(0).trainings, 1);
    EXPECT_EQ(p.status(0).cause, kReset);
    EXPECT_EQ(p.status(0).reason, kUp);
  }
}

// The router's credits allow two wavelets of each colour, which stay. One more fits, because one
// has left its buffer to go next.
TEST(LinkTraining, TwoWaveletsOfAColourWaitMeanwhile) {
  Pair p(5);
  for (const int lane : {1, 2, 3}) p.wires(0).set_fault(lane, Fault::Stuck1);
  offer(&p, kAllColours);
  p.run(40000);
  ASSERT_FALSE(p.up(0) || p.up(1));
  for (int side = 0; side < 2; ++side) {
    EXPECT_EQ(p.router(side).sent(), 2u * kColours + 1) << side;
    EXPECT_EQ(p.router(side).taken(), 0u) << side;
  }
}

// Without an acknowledgement it sends again after 32 frames, and trains after eight times.
TEST(LinkTraining, BeginsAfterEightTimesWithoutAnAcknowledgement) {
  Pair p(6);
  ASSERT_TRUE(p.train());
  p.run(200);
  p.wires(1).cut(true);
  p.router(0).offered = 1;
  p.step();
  p.router(0).offered = 0;
  const uint64_t start = p.cycle();
  while (p.up(0) && p.cycle() < start + 2000) p.step();
  EXPECT_NEAR(static_cast<double>(p.cycle() - start), 8 * 32 * 2, 40);
  EXPECT_EQ(p.status(0).cause, kSilence);
  EXPECT_EQ(p.status(0).replays, 7u);
  p.wires(1).cut(false);
  ASSERT_TRUE(p.train(40000));
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

// Spoils `wrong` frames to side 1, one of every `every`. Returns how often it has trained then.
Status after_wrong_frames(int wrong, int every) {
  Pair p(7);
  EXPECT_TRUE(p.train());
  offer(&p, kAllColours);
  p.run(500);
  Lanes mask;
  mask.group[1] = 1u << 5;
  for (int i = 0; i < wrong; ++i) {
    p.wires(0).flip_next(mask);
    p.run(static_cast<uint64_t>(2 * every));
  }
  p.run(12000);
  const Status s = p.status(1);
  EXPECT_TRUE(s.up);
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
  return s;
}

TEST(LinkTraining, BeginsWhenMoreThanAQuarterOfTheFramesAreWrong) {
  const Status fifteen = after_wrong_frames(15, 1);
  EXPECT_EQ(fifteen.trainings, 1);
  EXPECT_EQ(fifteen.wrong_frames, 15u);
  const Status sixteen = after_wrong_frames(16, 1);
  EXPECT_EQ(sixteen.trainings, 2);
  EXPECT_EQ(sixteen.cause, kErrors);
  EXPECT_EQ(after_wrong_frames(400, 5).trainings, 1);
  EXPECT_EQ(after_wrong_frames(400, 4).trainings, 1);
  EXPECT_EQ(after_wrong_frames(150, 3).trainings, 2);
}

TEST(LinkTraining, SaysWhatCausedIt) {
  Pair p(8);
  ASSERT_TRUE(p.train());
  offer(&p, kAllColours);
  p.run(200);
  p.retrain(1);
  p.run(12000);
  EXPECT_EQ(p.status(1).cause, kCommand);
  EXPECT_EQ(p.status(0).cause, kErrors) << "the other end's wrong frames";
  for (int side = 0; side < 2; ++side) EXPECT_EQ(p.status(side).trainings, 2) << side;
  // Down at both ends, woken by one of them.
  for (const int lane : {1, 2, 3}) p.wires(0).set_fault(lane, Fault::Stuck1);
  p.run(40000);
  ASSERT_FALSE(p.up(0) || p.up(1));
  p.wires(0).clear_faults();
  p.retrain(0);
  ASSERT_TRUE(p.train(40000));
  EXPECT_EQ(p.status(0).cause, kCommand);
  EXPECT_EQ(p.status(1).cause, kPeer);
}

// An end that is down hears the marker of one that trains again, also if it has no clock while
// nothing but zeros comes.
TEST(LinkTraining, AnEndThatIsDownIsWokenFromSleep) {
  Pair p(8);
  p.sleep(true);
  ASSERT_TRUE(p.train());
  for (const int lane : {1, 2, 3}) p.wires(0).set_fault(lane, Fault::Stuck1);
  p.retrain(1);
  p.run(40000);
  ASSERT_FALSE(p.up(0) || p.up(1));
  p.wires(0).clear_faults();
  p.run(1000);
  EXPECT_TRUE(p.idle(1));
  p.retrain(0);
  ASSERT_TRUE(p.train(40000));
  EXPECT_EQ(p.status(1).cause, kPeer);
}

// A wavelet takes 6 cycles over a link that sleeps, in odd and in even cycles.
TEST(LinkTraining, SleepCostsNoCycle) {
  Pair p(8);
  p.sleep(true);
  ASSERT_TRUE(p.train());
  for (int i = 0; i < 40; ++i) {
    p.run(100 + i % 3);
    ASSERT_TRUE(p.idle(0) && p.idle(1)) << i;
    Router& from = p.router(i / 2 % 2);
    const uint64_t sent = from.sent();
    from.offered = 1;
    while (from.sent() == sent) p.run(1);
    from.offered = 0;
  }
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
  for (int side = 0; side < 2; ++side) {
    EXPECT_EQ(p.router(side).latency_min(), p.router(side).latency_max()) << side;
  }
}

// A lane that was faulty in a successful training stays unused, even if it works again.
TEST(LinkTraining, KeepsTheLanesThatWereFaulty) {
  Pair p(9);
  p.wires(0).set_fault(7, Fault::Stuck0);
  ASSERT_TRUE(p.train());
  ASSERT_EQ(p.status(1).faulty, std::vector<int>{7});
  p.wires(0).clear_faults();
  p.wires(0).set_fault(30, Fault::Inverted);
  p.retrain(1);
  p.run(20000);
  ASSERT_TRUE(p.up(0) && p.up(1));
  EXPECT_EQ(p.status(1).faulty, (std::vector<int>{7, 30}));
  EXPECT_EQ(p.status(0).tx_map, (std::array<int, 4>{7, 30, 63, 63}));
}

// 24 of 68 lanes may contradict a marker. With more the marker is not read. The end keeps looking
// for it and says so, and comes up by itself when fewer do.
TEST(LinkTraining, GoesOnLookingForAMarkerThatMostLanesDoNotCarry) {
  for (const int faulty : {24, 25}) {
    Pair p(10);
    for (int l = 0; l < faulty; ++l) p.wires(0).set_fault(l, Fault::Stuck1);
    p.run(60000);
    EXPECT_FALSE(p.up(0) || p.up(1));
    EXPECT_EQ(p.status(1).reason, faulty == 24 ? kTooManyLanes : kNoSignal) << faulty;
    if (faulty == 24) continue;
    p.wires(0).clear_faults();
    EXPECT_TRUE(p.train(20000));
  }
}

// Nothing goes over an idle link, so an end whose partner is down stays up until it sends.
TEST(LinkTraining, OfAnIdleLinkBeginsWhenOneEndSends) {
  Pair p(11);
  ASSERT_TRUE(p.train());
  p.run(500);
  p.enable(1, false);
  p.run(20000);
  EXPECT_TRUE(p.up(0));
  p.router(0).offered = 1;
  p.run(1000);
  EXPECT_FALSE(p.up(0));
  p.enable(1, true);
  ASSERT_TRUE(p.train(40000));
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

// Up to five wrong bits on an idle link do not make a frame of its zeros.
TEST(LinkTraining, NoiseMakesNoFrameOfNothing) {
  for (const double rate : {1e-4, 1e-3}) {
    Pair p(12);
    ASSERT_TRUE(p.train());
    p.run(500);
    const Status before[2] = {p.status(0), p.status(1)};
    for (int side = 0; side < 2; ++side) p.wires(side).set_noise(rate);
    p.run(200000);
    EXPECT_GT(p.status(0).wrong_frames, before[0].wrong_frames + 100);
    for (int side = 0; side < 2; ++side) {
      EXPECT_EQ(p.status(side).frames, before[side].frames) << side;
      EXPECT_EQ(p.router(side).taken(), 0u) << side;
    }
    EXPECT_EQ(p.errors(), 0u) << p.first_error();
  }
}

}  // namespace
}  // namespace ow::link
