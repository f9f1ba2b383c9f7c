// SPDX-License-Identifier: Apache-2.0
#include "ow/api/metrics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace ow::api {
namespace {

TEST(ApiMetrics, AHistogramCountsWhatIsBelowEachBound) {
  Histogram h;
  for (const double seconds : {0.0005, 0.001, 0.3, 20.0}) h.add(seconds);
  const std::string text = h.text("t", "help");
  for (const char* line :
       {"# HELP t help\n", "# TYPE t histogram\n", "t_bucket{le=\"0.001\"} 2\n",
        "t_bucket{le=\"0.2\"} 2\n", "t_bucket{le=\"0.5\"} 3\n", "t_bucket{le=\"10\"} 3\n",
        "t_bucket{le=\"+Inf\"} 4\n", "t_sum 20.3015\n", "t_count 4\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(ApiMetrics, ARateIsThatOfTenSeconds) {
  Rate rate;
  Rate::Time now{std::chrono::seconds(1000)};
  rate.add(50, now);
  EXPECT_EQ(rate.a_second(now), 5);
  now += std::chrono::seconds(5);
  rate.add(80, now);
  EXPECT_EQ(rate.a_second(now), 8);
  now += std::chrono::seconds(5);
  EXPECT_EQ(rate.a_second(now), 3);
  rate.add(100, now);  // where the first ones were counted
  EXPECT_EQ(rate.a_second(now), 5);
  EXPECT_EQ(rate.a_second(now + std::chrono::seconds(60)), 0);
}

}  // namespace
}  // namespace ow::api
