// SPDX-License-Identifier: Apache-2.0
// The link in one clock: traffic over clean, noisy and broken lanes, and training.
#include <gtest/gtest.h>

#include "ow/link/pair.h"

using namespace ow::link;

TEST(Link, ComesUpByItselfAndCarriesEveryColour) {
  Pair p(1);
  ASSERT_TRUE(p.train()) << p.status(0).reason << p.status(1).reason;
  std::printf("up after %lu cycles\n", static_cast<unsigned long>(p.cycle()));
  for (int s = 0; s < 2; ++s) p.router(s).offered = kAllColours;
  const uint64_t before = p.router(0).taken();
  p.run(4000);
  EXPECT_GT(p.router(0).taken() - before, 3900u);
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
  std::printf("latency %lu..%lu\n", (unsigned long)p.router(0).latency_min(), (unsigned long)p.router(0).latency_max());
}
