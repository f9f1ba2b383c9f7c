// SPDX-License-Identifier: Apache-2.0
// The fp32 forms of the non-linear functions, and the layers that are made of them. It measures the
// accuracy that docs/numerics.md states, against long double. OW_SEED in the environment sets the
// seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "options.h"
#include "ow/golden/formats.h"
#include "ow/golden/kernels.h"
#include "ow/golden/nonlinear.h"
#include "ow/golden/tile_ops.h"

namespace {

namespace golden = ow::golden;
using golden::Op;
using golden::Type;

uint64_t seed() { return ow::test_option("OW_SEED", 1); }

// |got - want| in units of the last place of a format of `precision` bits and least exponent e_min.
double ulps(double got, long double want, int precision, int e_min) {
  int e;
  std::frexp(want, &e);
  return static_cast<double>(std::ldexp(std::fabs(got - want), precision - std::max(e, e_min + 1)));
}

// Greatest error of an fp32 form over random arguments of the given exponents.
double worst(uint32_t (*form)(uint32_t), long double (*exact)(long double),
             const std::function<float(std::mt19937_64&)>& draw, int count) {
  std::mt19937_64 random(seed());
  double most = 0;
  for (int i = 0; i < count; ++i) {
    const float x = draw(random);
    const float y = golden::bits_to_float(form(golden::float_to_bits(x)));
    most = std::max(most, ulps(y, exact(x), 24, -126));
  }
  return most;
}

float any_exponent(std::mt19937_64& random, int low, int high) {
  std::uniform_real_distribution<float> fraction(1, 2);
  std::uniform_int_distribution<int> exponent(low, high);
  return std::ldexp(fraction(random), exponent(random));
}

TEST(NlfFp32, ReciprocalIsWithinOneUlp) {
  const double most =
      worst([](uint32_t v) { return golden::f32_rcp(v); }, [](long double x) { return 1 / x; },
            [](std::mt19937_64& r) { return any_exponent(r, -126, 125) * (r() % 2 == 0 ? 1 : -1); },
            300000);
  std::printf("rcp: %.3f ulp\n", most);
  EXPECT_LE(most, 0.52);
  EXPECT_GT(most, 0.49);
}

TEST(NlfFp32, ReciprocalSquareRootIsWithinOneUlp) {
  const double most = worst([](uint32_t v) { return golden::f32_rsqrt(v); },
                            [](long double x) { return 1 / std::sqrt(x); },
                            [](std::mt19937_64& r) { return any_exponent(r, -125, 125); }, 300000);
  std::printf("rsqrt: %.3f ulp\n", most);
  EXPECT_LE(most, 0.9);
  EXPECT_GT(most, 0.49);
}

TEST(NlfFp32, OneStepLeavesItsRelativeError) {
  std::mt19937_64 random(seed());
  double rcp = 0, rsqrt = 0;
  for (int i = 0; i < 300000; ++i) {
    const float x = any_exponent(random, -125, 125);
    const uint32_t v = golden::float_to_bits(x);
    const auto error = [](uint32_t got, long double want) {
      return static_cast<double>(std::fabs(golden::bits_to_float(got) - want) / want);
    };
    rcp = std::max(rcp, error(golden::f32_rcp(v, 1), 1.0L / x));
    rsqrt =
        std::max(rsqrt, error(golden::f32_rsqrt(v, 1), 1 / std::sqrt(static_cast<long double>(x))));
  }
  std::printf("one step: 2^%.2f in 1 / v, 2^%.2f in 1 / sqrt(v)\n", std::log2(rcp),
              std::log2(rsqrt));
  EXPECT_LE(rcp, std::exp2(-14.7));
  EXPECT_LE(rsqrt, std::exp2(-14.7));
}

TEST(NlfFp32, ExponentialIsWithinOneUlp) {
  const double most = worst(
      golden::f32_exp, [](long double x) { return std::exp(x); },
      [](std::mt19937_64& r) {
        if (r() % 2 == 0) return any_exponent(r, -30, 0) * (r() % 2 == 0 ? 1 : -1);
        return std::uniform_real_distribution<float>(-87, 88)(r);
      },
      300000);
  std::printf("exp: %.3f ulp\n", most);
  EXPECT_LE(most, 1.0);
  EXPECT_GT(most, 0.49);
  // Arguments beyond the range give the values at its ends.
  EXPECT_EQ(golden::f32_exp(golden::float_to_bits(1000)),
            golden::f32_exp(golden::float_to_bits(88)));
  EXPECT_EQ(golden::f32_exp(golden::float_to_bits(-1e9f)),
            golden::f32_exp(golden::float_to_bits(-87)));
}

TEST(NlfFp32, ExponentialByBinary16IsAsGoodAsItsRounding) {
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<float> draw(-17, 11);
  double relative = 0;
  double absolute = 0;
  for (int i = 0; i < 300000; ++i) {
    const float x = draw(random);
    const long double want = std::exp(static_cast<long double>(x));
    const float y = golden::bits_to_float(golden::f32_exp_by_f16(golden::float_to_bits(x)));
    const double error = static_cast<double>(std::fabs(y - want));
    if (want < std::ldexp(1.0L, -14)) {
      absolute = std::max(absolute, error);
    } else {
      relative = std::max(relative, static_cast<double>(error / want));
    }
  }
  std::printf("exp by binary16: 2^%.2f relative, 2^%.2f absolute below 2^-14\n",
              std::log2(relative), std::log2(absolute));
  EXPECT_LE(relative, std::exp2(-10.98));
  EXPECT_LE(absolute, std::exp2(-25) * 1.02);
}

// Errors of a layer in units of the last place of the exact result in binary16, and absolutely.
struct Errors {
  double ulp = 0;
  double absolute = 0;
};

using Layer = std::function<std::vector<uint32_t>(const std::vector<uint32_t>&)>;
using Exact = std::function<std::vector<long double>(const std::vector<long double>&)>;

// Over vectors of 8 to 1,024 elements from normal distributions of mean up to 4 and standard
// deviation 1/4 to 8. The last place is at least that of a result of 2^e_min.
Errors layer_errors(const Layer& layer, const Exact& exact, int e_min = -14) {
  std::mt19937_64 random(seed());
  Errors worst;
  for (int trial = 0; trial < 60; ++trial) {
    const size_t n = size_t{8} << (trial % 8);
    const float mean = std::uniform_real_distribution<float>(-4, 4)(random);
    std::normal_distribution<float> draw(mean, std::ldexp(0.25f, trial % 6));
    std::vector<uint32_t> x(n);
    std::vector<long double> v(n);
    for (size_t i = 0; i < n; ++i) {
      x[i] = golden::round_to_f16(draw(random));
      v[i] = golden::f16_to_double(static_cast<uint16_t>(x[i]));
    }
    const std::vector<uint32_t> y = layer(x);
    const std::vector<long double> want = exact(v);
    for (size_t i = 0; i < n; ++i) {
      const double got = golden::f16_to_double(static_cast<uint16_t>(y[i]));
      worst.ulp = std::max(worst.ulp, ulps(got, want[i], 11, e_min));
      worst.absolute = std::max(worst.absolute, static_cast<double>(std::fabs(got - want[i])));
    }
  }
  return worst;
}

std::vector<long double> exact_softmax(const std::vector<long double>& x) {
  const long double m = *std::max_element(x.begin(), x.end());
  std::vector<long double> y;
  long double sum = 0;
  for (const long double v : x) {
    y.push_back(std::exp(v - m));
    sum += y.back();
  }
  for (long double& v : y) v /= sum;
  return y;
}

std::vector<long double> exact_layernorm(const std::vector<long double>& x) {
  const long double n = static_cast<long double>(x.size());
  long double sum = 0;
  for (const long double v : x) sum += v;
  const long double mean = sum / n;
  long double square = 0;
  for (const long double v : x) square += (v - mean) * (v - mean);
  const long double scale = 1 / std::sqrt(square / n + 1e-5L);
  std::vector<long double> y;
  for (const long double v : x) y.push_back((v - mean) * scale);
  return y;
}

// Softmax in fp32 with the given exponential: docs/numerics.md.
std::vector<uint32_t> softmax32(const std::vector<uint32_t>& x, uint32_t (*exp)(uint32_t)) {
  const uint32_t m = golden::reduce(Op::RMax, Type::F16, Type::F32, x.data(), nullptr, x.size());
  std::vector<uint32_t> t;
  for (const uint32_t v : x) {
    t.push_back(exp(golden::f32_sub(golden::f16_to_f32(static_cast<uint16_t>(v)), m)));
  }
  const uint32_t s = golden::reduce(Op::Sum, Type::F32, Type::F32, t.data(), nullptr, t.size());
  const uint32_t r = golden::f32_rcp(s);
  for (uint32_t& v : t) v = golden::f32_to_f16(golden::f32_mul(v, r));
  return t;
}

TEST(NlfLayers, SoftmaxInFp32IsWithin051Ulp) {
  const Errors e = layer_errors(
      [](const std::vector<uint32_t>& x) { return softmax32(x, golden::f32_exp); }, exact_softmax);
  std::printf("softmax, fp32 exp: %.3f ulp, %.2e\n", e.ulp, e.absolute);
  EXPECT_LE(e.ulp, 0.51);
}

TEST(NlfLayers, SoftmaxByBinary16ExponentialIsWithinOneAndAHalfUlp) {
  const Errors e = layer_errors(
      [](const std::vector<uint32_t>& x) { return softmax32(x, golden::f32_exp_by_f16); },
      exact_softmax);
  std::printf("softmax, exp by binary16: %.3f ulp, %.2e\n", e.ulp, e.absolute);
  EXPECT_LE(e.ulp, 1.5);
}

TEST(NlfLayers, SoftmaxInBinary16HasASmallAbsoluteError) {
  const Errors e = layer_errors(golden::softmax_f16, exact_softmax);
  std::printf("softmax, binary16: %.3f ulp, %.2e\n", e.ulp, e.absolute);
  EXPECT_LE(e.ulp, 10.5);
  EXPECT_LE(e.absolute, 7e-4);
}

// The unit is the last place of a result of at least 2^-11. Near the mean, the mean's own error
// shows.
TEST(NlfLayers, LayerNormalisationIsWithinOneUlp) {
  // Gain 1 and bias 0, so that only the normalisation shows.
  const Errors e = layer_errors(
      [](const std::vector<uint32_t>& x) {
        return golden::layernorm_f16(x, std::vector<uint32_t>(x.size(), 0x3C00),
                                     std::vector<uint32_t>(x.size(), 0),
                                     golden::float_to_bits(1.0f / static_cast<float>(x.size())),
                                     golden::float_to_bits(1e-5f));
      },
      exact_layernorm, -11);
  std::printf("layer normalisation: %.3f ulp, %.2e\n", e.ulp, e.absolute);
  EXPECT_LE(e.ulp, 0.7);
}

}  // namespace
