// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ow/golden/formats.h"
#include "ow/golden/rng.h"
#include "ow/golden/train.h"

namespace ow::golden {
namespace {

uint16_t half(double x) { return round_to_f16(x); }

Layer random_layer(Rng* rng, int inputs, int outputs, double density) {
  Layer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.relu = true;
  for (int k = 0; k < inputs * outputs; ++k) {
    const double value = 4.0 * rng->uniform() - 2.0;
    layer.weights.push_back(rng->uniform() < density ? half(value) : uint16_t{0});
  }
  for (int j = 0; j < outputs; ++j) {
    layer.bias.push_back(static_cast<float>(2.0 * rng->uniform() - 1.0));
  }
  return layer;
}

Activations random_input(Rng* rng, int features, int samples) {
  Activations x = Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = half(2.0 * rng->uniform() - 1.0);
  return x;
}

// The definition, spelled out sample by sample with the exact arithmetic and no shared code.
uint16_t by_definition(const Layer& layer, const Activations& x, int rows, int j, int s) {
  std::vector<uint32_t> p(static_cast<size_t>(rows), 0);
  for (int r = 0; r < rows; ++r) {
    for (int local = 0; local * rows + r < layer.inputs; ++local) {
      const int i = local * rows + r;
      if ((layer.weight(j, i) & 0x7FFF) == 0) continue;
      p[static_cast<size_t>(r)] =
          exact::mixed_fma(layer.weight(j, i), x.at(i, s), p[static_cast<size_t>(r)]);
    }
  }
  const int o = j % rows;
  uint32_t total = p[static_cast<size_t>(o)];
  if (rows > 1) {
    int r = o + 1 == rows ? 0 : o + 1;
    uint32_t a = p[static_cast<size_t>(r)];
    for (;;) {
      r = r + 1 == rows ? 0 : r + 1;
      if (r == o) break;
      a = exact::f32_add(p[static_cast<size_t>(r)], a);
    }
    total = exact::f32_add(total, a);
  }
  total = exact::f32_add(total, float_to_f32(layer.bias[static_cast<size_t>(j)]));
  const uint16_t y = exact::f32_to_f16(total);
  return layer.relu ? f16_relu(y) : y;
}

TEST(Network, LayerAgreesWithTheDefinitionForEveryGridHeight) {
  Rng rng(7);
  for (int rows = 1; rows <= 7; ++rows) {
    for (const double density : {0.15, 1.0}) {
      const Layer layer = random_layer(&rng, 29, 13, density);
      const Activations x = random_input(&rng, 29, 3);
      const Activations y = run_layer(layer, x, rows);
      for (int j = 0; j < layer.outputs; ++j) {
        for (int s = 0; s < x.samples; ++s) {
          ASSERT_EQ(y.at(j, s), by_definition(layer, x, rows, j, s))
              << rows << " " << j << " " << s;
        }
      }
    }
  }
}

TEST(Network, DenseStreamGivesTheSameBitsAsSparse) {
  Rng rng(8);
  const Layer layer = random_layer(&rng, 64, 32, 0.2);
  const Activations x = random_input(&rng, 64, 16);
  EXPECT_EQ(run_layer(layer, x, 4, false).values, run_layer(layer, x, 4, true).values);
}

TEST(Network, OrderOfAdditionsDependsOnTheGridHeight) {
  // Large cancelling terms in different grid rows: the result shows in which order they were added.
  Layer layer;
  layer.inputs = 3;
  layer.outputs = 1;
  layer.weights = {half(1024), half(1), half(-1024)};
  layer.bias = {0};
  Activations x = Activations::zero(3, 1);
  x.values = {half(32768), half(0.5), half(32768)};
  EXPECT_EQ(run_layer(layer, x, 1).at(0, 0), half(0));  // 2^25 + 0.5 - 2^25
  // Three grid rows: output 0 is owned by row 0, A = p_2 + p_1 = -2^25 + 0.5.
  EXPECT_EQ(run_layer(layer, x, 3).at(0, 0), half(0));
  layer.weights = {half(1024), half(-1024), half(1)};
  x.values = {half(32768), half(32768), half(0.5)};
  EXPECT_EQ(run_layer(layer, x, 1).at(0, 0), half(0.5));
  EXPECT_EQ(run_layer(layer, x, 2).at(0, 0), half(0));  // row 0: 2^25 + 0.5 first
}

TEST(Network, SpecialValuesFollowTheRules) {
  Layer layer;
  layer.inputs = 1;
  layer.outputs = 1;
  layer.relu = true;
  layer.weights = {half(1)};
  layer.bias = {0};
  Activations x = Activations::zero(1, 4);
  x.values = {0x7C01, 0x8000, 0xFC00, 0x7C00};  // NaN, -0, -inf, inf
  EXPECT_EQ(run_layer(layer, x, 1).values, (std::vector<uint16_t>{0x7E00, 0, 0, 0x7C00}));
  layer.relu = false;
  EXPECT_EQ(run_layer(layer, x, 1).values, (std::vector<uint16_t>{0x7E00, 0, 0xFC00, 0x7C00}));
}

TEST(Network, ClassifyTakesTheFirstGreatestAndIgnoresNan) {
  Activations logits = Activations::zero(3, 2);
  logits.values = {half(1), 0x7E00, half(2), half(-1), half(2), half(-1)};
  EXPECT_EQ(classify(logits), (std::vector<int>{1, 1}));
}

class Training : public testing::Test {
 protected:
  static std::vector<Digit> training_images() {
    std::vector<Digit> images;
    const auto all = load_digits(OW_SOURCE_DIR "/data/optdigits/digits.csv.gz", 1797);
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % 4 != 3) images.push_back(all[i]);
    }
    return images;
  }
};

uint64_t fingerprint(const Network& network) {
  uint64_t hash = 1469598103934665603ull;
  const auto mix = [&hash](uint32_t word) {
    for (int k = 0; k < 4; ++k) hash = (hash ^ ((word >> (8 * k)) & 255u)) * 1099511628211ull;
  };
  for (const Layer& layer : network.layers) {
    for (uint16_t w : layer.weights) mix(w);
    for (float b : layer.bias) mix(float_to_bits(b));
  }
  return hash;
}

TEST_F(Training, SeedFixesEveryBit) {
  TrainOptions options;
  options.epochs = 4;
  options.prune_begin = 1;
  options.prune_end = 3;
  const std::vector<Digit> images = training_images();
  const Network first = train(options, images);
  EXPECT_EQ(fingerprint(first), fingerprint(train(options, images)));
  options.seed = 2;
  EXPECT_NE(fingerprint(first), fingerprint(train(options, images)));
}

TEST_F(Training, BitsAreThoseOfEveryOtherMachine) {
  TrainOptions options;
  options.epochs = 4;
  options.prune_begin = 1;
  options.prune_end = 3;
  EXPECT_EQ(fingerprint(train(options, training_images())), 14794647329288953605ull);
}

TEST_F(Training, PrunesWhatWasAskedAndLearns) {
  TrainOptions options;
  options.epochs = 40;
  options.prune_begin = 5;
  options.prune_end = 25;
  const std::vector<Digit> images = training_images();
  const Network network = train(options, images);
  EXPECT_LE(static_cast<double>(network.nonzero()), 0.15 * static_cast<double>(network.weights()));
  const std::vector<int> classes =
      classify(run_network(network, digit_activations(images), 4).back());
  size_t right = 0;
  for (size_t s = 0; s < images.size(); ++s) right += classes[s] == images[s].label ? 1 : 0;
  EXPECT_GE(static_cast<double>(right), 0.97 * static_cast<double>(images.size()));
}

TEST(Rng, GivesTheKnownAnswerOfItsGenerators) {
  // First output of xoshiro256** with the state that SplitMix64 makes of seed 0.
  EXPECT_EQ(Rng(0).next(), 0x99EC5F36CB75F2B4ull);
}

TEST(Rng, StaysInItsRanges) {
  Rng rng(3);
  double sum = 0;
  for (int k = 0; k < 1000; ++k) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    ASSERT_LT(rng.below(7), 7u);
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

}  // namespace
}  // namespace ow::golden
