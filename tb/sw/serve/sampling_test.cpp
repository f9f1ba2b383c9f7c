// SPDX-License-Identifier: Apache-2.0
// The host's choice of tokens against the reference.
#include "ow/serve/sampling.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/golden/sampling.h"
#include "seed.h"

namespace ow::serve {
namespace {

TEST(HostSampling, ChoosesTheTokensOfTheReference) {
  for (const uint64_t seed : test_seeds({1})) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    for (int draw = 0; draw < 20000; ++draw) {
      std::vector<uint32_t> logits;
      const size_t count = 1 + rng.below(50);
      const double spread = rng.below(8) == 0 ? 2000 : 10;
      for (size_t t = 0; t < count; ++t) {
        // Some are equal, some are no numbers.
        const uint64_t kind = rng.below(400);
        float z = static_cast<float>(spread * (rng.uniform() - 0.5));
        if (kind < 60) z = static_cast<float>(kind % 3);
        if (kind == 60) z = std::numeric_limits<float>::quiet_NaN();
        if (kind == 61) z = std::numeric_limits<float>::infinity();
        if (kind < 70 && kind > 61) z = -std::numeric_limits<float>::infinity();
        logits.push_back(golden::float_to_f32(z));
      }
      Sampling s;
      s.temperature = rng.below(5) == 0 ? 0 : 3 * rng.uniform() + 0.01;
      s.top_k = static_cast<int>(rng.below(2) * rng.below(60));
      s.top_p = rng.below(2) == 0 ? 1 : 1 - rng.uniform();
      s.seed = rng.next();
      s.answer = rng.below(4);
      const int position = static_cast<int>(rng.below(5000));
      const int expected =
          s.temperature == 0
              ? golden::greedy_token(logits)
              : golden::sampled_token(logits, {s.temperature, s.top_k, s.top_p, s.seed, s.answer},
                                      position);
      ASSERT_EQ(choose_token(logits, s, position), expected) << draw;
    }
  }
}

TEST(HostSampling, RefusesNumbersOutsideTheirLimits) {
  const auto message = [](double temperature, int top_k, double top_p) -> std::string {
    Sampling s;
    s.temperature = temperature;
    s.top_k = top_k;
    s.top_p = top_p;
    try {
      check_sampling(s);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(0, 0, 1), "");
  EXPECT_EQ(message(100, 7, 0.001), "");
  EXPECT_EQ(message(101, 0, 1), "temperature 101.000000 is not 0 to 100");
  EXPECT_NE(message(std::numeric_limits<double>::quiet_NaN(), 0, 1), "");
  EXPECT_EQ(message(1, -1, 1), "top_k -1 is below 0");
  EXPECT_EQ(message(1, 0, 0), "top_p 0.000000 is not above 0 and at most 1");
  EXPECT_NE(message(1, 0, 1.5), "");
}

}  // namespace
}  // namespace ow::serve
