// SPDX-License-Identifier: Apache-2.0
// Every seeded deadlock ends by itself and is named rightly, within a second.
#include "ow/measure/deadlocks.h"

#include <gtest/gtest.h>

namespace ow {
namespace {

class Deadlock : public testing::TestWithParam<size_t> {};

TEST_P(Deadlock, IsNamedByTheHangReport) {
  const DeadlockResult r = run_deadlock(GetParam());
  EXPECT_TRUE(r.ok) << r.name << ": " << r.message;
  EXPECT_LT(r.seconds, 1.0);
}

INSTANTIATE_TEST_SUITE_P(Seeded, Deadlock, testing::Range<size_t>(0, deadlock_names().size()));

TEST(Deadlocks, AreAtLeastTwenty) { EXPECT_GE(deadlock_names().size(), 20u); }

}  // namespace
}  // namespace ow
