// SPDX-License-Identifier: Apache-2.0
// The link under noise, in two clocks, with every pair of lanes broken, and with too many broken.
// OW_SEED sets the seed, OW_MILLIONS the wavelets over noisy lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "options.h"
#include "ow/measure/link/measure.h"
#include "ow/measure/link/pair.h"
#include "ow/measure/link/two_clocks.h"

namespace ow::link {
namespace {

TEST(LinkSweep, NoiseBurstsAndRetrainingLoseNothing) {
  struct Case {
    const char* name;
    double ber, bursts;
    uint64_t retrain;  // cycles
    double share;      // of all wavelets
  };
  static const Case kCases[] = {{"1e-6", 1e-6, 0, 0, 0.2},
                                {"1e-5", 1e-5, 0, 0, 0.2},
                                {"1e-4", 1e-4, 0, 0, 0.2},
                                {"1e-3", 1e-3, 0, 0, 0.2},
                                {"bursts", 0, 0.003, 0, 0.05},
                                {"bursts, 1e-4, retraining", 1e-4, 0.003, 25000, 0.05},
                                {"1e-3, retraining", 1e-3, 0, 25000, 0.05},
                                {"1e-5, retraining", 1e-5, 0, 10000, 0.05}};
  const uint64_t seed = test_option("OW_SEED", 1);
  constexpr double kUsual = 1e8;  // wavelets
  const double total = 1e6 * static_cast<double>(test_option("OW_MILLIONS", 100));
  const Window window = measure_window(seed);
  uint64_t done = 0;
  for (const Case& c : kCases) {
    const auto wavelets = static_cast<uint64_t>(c.share * total) + 1;
    const Noise n = measure_noise(c.name, c.ber, c.bursts, c.retrain, wavelets, seed + done);
    done += n.wavelets;
    EXPECT_EQ(n.lost, 0u) << c.name;
    EXPECT_EQ(n.errors, 0u) << c.name << ": " << n.first_error;
    EXPECT_GE(n.wavelets, wavelets) << c.name;
    if (c.bursts != 0 || c.retrain != 0) continue;
    const double expected = formula(wrong_frame_probability(c.ber), window.frames());
    // Chance alone makes fewer wavelets deviate more.
    const double bound = 0.02 * std::max(1.0, std::sqrt(kUsual / total));
    EXPECT_NEAR(n.goodput() / expected, 1, bound) << c.name;
  }
}

TEST(LinkSweep, TwoClocksOfEveryPhaseWithSkewAndJitterLoseNothing) {
  const uint64_t total = 10000 * test_option("OW_MILLIONS", 100);
  const PhaseSweep s = measure_phases(total, test_option("OW_SEED", 1));
  EXPECT_EQ(s.trained, s.cases);
  EXPECT_EQ(s.lost, 0u);
  EXPECT_EQ(s.errors, 0u) << s.first_error;
  EXPECT_GE(s.wavelets, total);
}

TEST(LinkSweep, EveryPairOfLanesOfAGroupIsRepairedAtFullRate) {
  constexpr int kPairs = kGroupLanes * (kGroupLanes - 1) / 2;
  const uint64_t seed = test_option("OW_SEED", 1);
  for (int group = 0; group < kGroups; ++group) {
    const Repairs r = measure_repairs(group, 1, 1000, seed);
    EXPECT_EQ(r.cases, kPairs) << group;
    EXPECT_EQ(r.repaired, kPairs) << group << ": " << (r.failed.empty() ? "" : r.failed.front());
    EXPECT_EQ(r.errors, 0u) << group;
  }
}

TEST(LinkSweep, LanesBeyondTheSparesTakeItDownAtBothEndsAndAreNamed) {
  const Refusals r = measure_refusals(100, test_option("OW_SEED", 1));
  EXPECT_EQ(r.cases, 100);
  EXPECT_EQ(r.refused, r.cases) << (r.failed.empty() ? "" : r.failed.front());
  EXPECT_EQ(r.wavelets_leaked, 0u);
}

}  // namespace
}  // namespace ow::link
