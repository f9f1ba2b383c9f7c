// SPDX-License-Identifier: Apache-2.0
#include "count_instructions.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ow::bench {
namespace {

#ifdef __x86_64__
uint64_t count(int steps) {
  volatile int sum = 0;
  return *count_instructions([&] {
    for (int k = 0; k < steps; ++k) sum = sum + k;
  });
}

TEST(CountInstructions, AStepOfALoopIsAlwaysTheSameNumber) {
  const uint64_t ten = count(10), twenty = count(20);
  EXPECT_GE(twenty - ten, 10u * 3);
  EXPECT_EQ(count(120) - count(20), 10 * (twenty - ten));
}

TEST(CountInstructions, EndsWithTheWorkThatThrows) {
  EXPECT_THROW(count_instructions([] { throw std::runtime_error("work"); }), std::runtime_error);
  const uint64_t ten = count(10);
  EXPECT_EQ(count(10), ten);
}

#else
TEST(CountInstructions, IsNotForThisProcessor) {
  EXPECT_FALSE(count_instructions([] {}).has_value());
}
#endif

}  // namespace
}  // namespace ow::bench
