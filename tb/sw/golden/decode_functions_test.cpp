// SPDX-License-Identifier: Apache-2.0
// What decoding needs besides sums: elementary functions without a library, rotary angles,
// sampling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "ow/base/rng.h"
#include "ow/golden/elementary.h"
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/rotary.h"
#include "ow/golden/sampling.h"
#include "seed.h"

namespace ow::golden {
namespace {

TEST(FixedFunctions, AreWithinTheirBounds) {
  for (const uint64_t seed : test_seeds({1})) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    for (int i = 0; i < 200000; ++i) {
      const double wide =
          std::ldexp(0.5 + rng.uniform() / 2, static_cast<int>(rng.below(100)) - 50);
      for (const double x : {wide, 0.7 + 0.02 * rng.uniform(), 1 + 0.01 * (rng.uniform() - 0.5)}) {
        const long double y = std::log(static_cast<long double>(x));
        ASSERT_LE(std::fabs(fixed_log(x) - y), 0x1p-51L * (1 + std::fabs(y))) << x;
      }
      for (const double x : {1400 * (rng.uniform() - 0.5), rng.uniform() - 0.5}) {
        const long double y = std::exp(static_cast<long double>(x));
        ASSERT_LE(std::fabs(fixed_exp(x) - y), 0x1p-50L * y) << x;
      }
      const double quarters = static_cast<double>(rng.below(600000)) * 1.5707963267948966;
      for (const double a : {rng.uniform() * 0x1p20, rng.uniform(), quarters}) {
        const SinCos y = fixed_sin_cos(a);
        ASSERT_LE(std::fabs(y.sin - std::sin(static_cast<long double>(a))), 0x1p-51L) << a;
        ASSERT_LE(std::fabs(y.cos - std::cos(static_cast<long double>(a))), 0x1p-51L) << a;
      }
    }
  }
  EXPECT_EQ(fixed_log(1), 0);
  EXPECT_EQ(fixed_exp(0), 1);
  EXPECT_EQ(fixed_sin_cos(0).sin, 0);
  EXPECT_EQ(fixed_sin_cos(0).cos, 1);
}

// Llama 3.1's frequencies, as its own code has them.
long double frequency_of(const LanguageShape& s, int m) {
  const long double f = std::pow(static_cast<long double>(s.theta), -2.0L * m / s.head_size);
  if (!s.scaling) return f;
  const RotaryScaling& r = *s.scaling;
  const long double turns = r.original_positions * f / (2 * std::acos(-1.0L));
  const long double smooth = std::clamp<long double>(
      (turns - r.low_frequency_factor) / (r.high_frequency_factor - r.low_frequency_factor), 0, 1);
  return (1 - smooth) * f / r.factor + smooth * f;
}

TEST(Rotary, AnglesAreThoseOfTheDefinition) {
  for (const uint64_t seed : test_seeds({1})) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    for (int draw = 0; draw < 40; ++draw) {
      LanguageShape s;
      s.head_size = static_cast<int>(2 + 2 * rng.below(64));
      s.theta = draw % 2 == 0 ? 10000 : 500000;
      if (draw % 4 > 1) s.scaling = RotaryScaling{8, 1, 4, 8192};
      const std::vector<double> frequencies = rotary_frequencies(s);
      ASSERT_EQ(frequencies.size(), static_cast<size_t>(s.head_size / 2));
      EXPECT_EQ(frequencies[0], 1);
      for (const int position : {0, 1, 63, 64, 65, static_cast<int>(rng.below(1 << 17))}) {
        for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
          const Rotation got = rotation_at(type, rotary_turns(s), position);
          for (size_t m = 0; m < frequencies.size(); ++m) {
            const long double f = frequency_of(s, static_cast<int>(m));
            ASSERT_LE(std::fabs(frequencies[m] - f), 0x1p-47L * f) << m;
            // Half a place of the type, what fp32 loses, and what the angle does.
            const long double allowed = (type == HalfType::Binary16 ? 0x1p-12L : 0x1p-9L) +
                                        0x1p-21L + 0x1.93p-31L * position;
            const auto value = [type](uint16_t x) { return bits_to_float(widen(type, x)); };
            ASSERT_LE(std::fabs(value(got.cos[m]) - std::cos(position * f)), allowed);
            ASSERT_LE(std::fabs(value(got.sin[m]) - std::sin(position * f)), allowed);
          }
        }
      }
    }
  }
}

std::vector<uint32_t> logits_of(const std::vector<double>& x) {
  std::vector<uint32_t> out;
  for (const double v : x) out.push_back(float_to_bits(static_cast<float>(v)));
  return out;
}

const double kInfinite = std::numeric_limits<double>::infinity();
const double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(Sampling, GreedyIsTheLowestOfTheGreatest) {
  EXPECT_EQ(greedy_token(logits_of({1, 3, 2, 3})), 1);
  EXPECT_EQ(greedy_token(logits_of({-0.0, 0.0})), 0);
  EXPECT_EQ(greedy_token(logits_of({kNone, -kInfinite, -5, kNone})), 2);
  EXPECT_EQ(greedy_token(logits_of({kNone, kNone})), 0);
  EXPECT_EQ(greedy_token(logits_of({1, kInfinite, kInfinite})), 1);
}

// How often each token comes at positions 0, 1, .. of one seed.
std::map<int, int> counts(const std::vector<double>& x, const Sampling& s, int draws) {
  std::map<int, int> out;
  for (int p = 0; p < draws; ++p) ++out[sampled_token(logits_of(x), s, p)];
  return out;
}

TEST(Sampling, TokensComeAsOftenAsTheirProbabilitiesSay) {
  const std::vector<double> x = {0.5, 2, -1, 2, 1, -3, 0, 1.5};
  const int draws = 40000;
  Sampling s;
  s.seed = test_seed(1);
  SCOPED_TRACE("OW_SEED=" + std::to_string(s.seed));
  for (const double temperature : {0.5, 1.0, 2.0}) {
    s.temperature = temperature;
    double total = 0, chi = 0;
    for (const double v : x) total += std::exp(v / temperature);
    std::map<int, int> got = counts(x, s, draws);
    for (size_t t = 0; t < x.size(); ++t) {
      const double expected = draws * std::exp(x[t] / temperature) / total;
      const double off = got[static_cast<int>(t)] - expected;
      chi += off * off / expected;
    }
    EXPECT_LT(chi, 35) << temperature;  // seven degrees of freedom: once in 90,000 seeds
  }
}

TEST(Sampling, CutsAtTheMostProbable) {
  const std::vector<double> x = {0.5, 2, -1, 2, 1, -3, 0, 1.5};  // 1, 3, 7, 4, 0, 6, 2, 5
  const auto tokens = [&](int top_k, double top_p) {
    Sampling s;
    s.top_k = top_k;
    s.top_p = top_p;
    std::vector<int> out;
    for (const auto& [token, count] : counts(x, s, 3000)) out.push_back(token);
    return out;
  };
  EXPECT_EQ(tokens(1, 1), std::vector<int>({1}));
  EXPECT_EQ(tokens(3, 1), std::vector<int>({1, 3, 7}));
  EXPECT_EQ(tokens(100, 1).size(), x.size());
  // e^2, e^2, e^1.5, e, .. of a total of 26.06: 28 %, 57 %, 74 %, 84 %.
  EXPECT_EQ(tokens(0, 0.2), std::vector<int>({1}));
  EXPECT_EQ(tokens(0, 0.5), std::vector<int>({1, 3}));
  EXPECT_EQ(tokens(0, 0.7), std::vector<int>({1, 3, 7}));
  EXPECT_EQ(tokens(0, 0.8), std::vector<int>({1, 3, 4, 7}));
  // Of the three that top_k leaves, two reach 0.7.
  EXPECT_EQ(tokens(3, 0.7), std::vector<int>({1, 3}));
}

TEST(Sampling, DependsOnSeedAnswerAndPosition) {
  const std::vector<uint32_t> even = logits_of(std::vector<double>(64, 1.0));
  const auto text = [&even](uint64_t seed, uint64_t answer) {
    Sampling s;
    s.seed = seed;
    s.answer = answer;
    std::vector<int> out;
    for (int p = 0; p < 32; ++p) out.push_back(sampled_token(even, s, p));
    return out;
  };
  EXPECT_EQ(text(1, 0), text(1, 0));
  EXPECT_NE(text(1, 0), text(2, 0));
  EXPECT_NE(text(1, 0), text(1, 1));
  EXPECT_NE(text(1, 0)[0], text(1, 0)[1]);
}

TEST(Sampling, WithoutProbabilitiesIsGreedy) {
  const Sampling s;
  EXPECT_EQ(sampled_token(logits_of({1, kNone, 2}), s, 0), 2);
  EXPECT_EQ(sampled_token(logits_of({1, kInfinite, kInfinite}), s, 0), 1);
  EXPECT_EQ(sampled_token(logits_of({-kInfinite, -kInfinite}), s, 0), 0);
  // A token of probability 0 never comes.
  std::map<int, int> got = counts({-kInfinite, 1, -1000, 1}, s, 1000);
  EXPECT_EQ(got[0] + got[2], 0);
}

}  // namespace
}  // namespace ow::golden
