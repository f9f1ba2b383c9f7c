// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/golden/train.h"
#include "ow/tensor/dataset.h"

namespace ow::golden {
namespace {

uint16_t half(double x) { return round_to_f16(x); }

Layer random_layer(Rng* rng, int inputs, int outputs, double density) {
  Layer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.activation = "relu";
  for (int k = 0; k < inputs * outputs; ++k) {
    const double value = 4.0 * rng->uniform() - 2.0;
    layer.weights.push_back(rng->uniform() < density ? half(value) : uint16_t{0});
  }
  for (int j = 0; j < outputs; ++j) {
    layer.bias_values.push_back(static_cast<float>(2.0 * rng->uniform() - 1.0));
  }
  return layer;
}

Activations random_input(Rng* rng, int features, int samples) {
  Activations x = Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = half(2.0 * rng->uniform() - 1.0);
  return x;
}

// The definition, spelled out sample by sample with the exact arithmetic and no shared code.
uint16_t by_definition(HalfType type, const Layer& layer, const Activations& x, int rows, int j,
                       int s) {
  std::vector<uint32_t> p(static_cast<size_t>(rows), 0);
  for (int r = 0; r < rows; ++r) {
    for (int local = 0; local * rows + r < layer.inputs; ++local) {
      const int i = local * rows + r;
      if ((layer.weight(j, i) & 0x7FFF) == 0) continue;
      const auto fma = type == HalfType::Binary16 ? exact::mixed_fma : exact::mixedb_fma;
      p[static_cast<size_t>(r)] = fma(layer.weight(j, i), x.at(i, s), p[static_cast<size_t>(r)]);
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
  if (layer.bias) {
    total = exact::f32_add(total, float_to_f32(layer.bias_values[static_cast<size_t>(j)]));
  }
  const bool half = type == HalfType::Binary16;
  const uint16_t y = half ? exact::f32_to_f16(total) : exact::f32_to_bf16(total);
  if (layer.activation == "none") return y;
  return half ? f16_relu(y) : bf16_relu(y);
}

TEST(Network, LayerAgreesWithTheDefinitionForEveryGridHeight) {
  Rng rng(7);
  for (int rows = 1; rows <= 7; ++rows) {
    for (const double density : {0.15, 1.0}) {
      for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
        // Random encodings: of bfloat16 they reach the ends of the range, subnormal sums too.
        Layer layer = random_layer(&rng, 29, 13, density);
        Activations x = random_input(&rng, 29, 3);
        if (type == HalfType::Bfloat16) {
          for (uint16_t& w : layer.weights) {
            if (w != 0) w = static_cast<uint16_t>(rng.next());
          }
          for (uint16_t& v : x.values) v = static_cast<uint16_t>(rng.next());
        }
        layer.bias = rng.below(2) != 0;
        if (!layer.bias) layer.bias_values.clear();
        layer.activation = rng.below(2) != 0 ? "relu" : "none";
        const Activations y = run_layer(type, layer, x, rows);
        for (int j = 0; j < layer.outputs; ++j) {
          for (int s = 0; s < x.samples; ++s) {
            ASSERT_EQ(y.at(j, s), by_definition(type, layer, x, rows, j, s))
                << half_name(type) << " " << rows << " " << j << " " << s;
          }
        }
      }
    }
  }
}

TEST(Network, WithoutABiasMinusZeroStays) {
  // A product below the range of binary32 leaves -0, to which a bias of +0 would be added.
  Layer layer;
  layer.inputs = 1;
  layer.outputs = 1;
  layer.bias = false;
  layer.weights = {0x8080};  // -2^-126
  Activations x = Activations::zero(1, 1);
  x.values = {0x0080};
  EXPECT_EQ(run_layer(HalfType::Bfloat16, layer, x, 1).at(0, 0), 0x8000);
  // Nor does it stay where a dense stream adds a zero.
  Layer wider = layer;
  wider.inputs = 2;
  wider.weights = {0x8080, 0};
  Activations y = Activations::zero(2, 1);
  y.values = {0x0080, 0x3F80};
  EXPECT_EQ(run_layer(HalfType::Bfloat16, wider, y, 1, false).at(0, 0), 0x8000);
  EXPECT_EQ(run_layer(HalfType::Bfloat16, wider, y, 1, true).at(0, 0), 0);
  layer.bias = true;
  layer.bias_values = {0};
  EXPECT_EQ(run_layer(HalfType::Bfloat16, layer, x, 1).at(0, 0), 0);
}

TEST(Network, DenseStreamGivesTheSameBitsAsSparse) {
  Rng rng(8);
  const Layer layer = random_layer(&rng, 64, 32, 0.2);
  const Activations x = random_input(&rng, 64, 16);
  EXPECT_EQ(run_layer(HalfType::Binary16, layer, x, 4, false).values,
            run_layer(HalfType::Binary16, layer, x, 4, true).values);
}

TEST(Network, OrderOfAdditionsDependsOnTheGridHeight) {
  // Large cancelling terms in different grid rows: the result shows in which order they were added.
  Layer layer;
  layer.inputs = 3;
  layer.outputs = 1;
  layer.weights = {half(1024), half(1), half(-1024)};
  layer.bias_values = {0};
  Activations x = Activations::zero(3, 1);
  x.values = {half(32768), half(0.5), half(32768)};
  EXPECT_EQ(run_layer(HalfType::Binary16, layer, x, 1).at(0, 0), half(0));  // 2^25 + 0.5 - 2^25
  // Three grid rows: output 0 is owned by row 0, A = p_2 + p_1 = -2^25 + 0.5.
  EXPECT_EQ(run_layer(HalfType::Binary16, layer, x, 3).at(0, 0), half(0));
  layer.weights = {half(1024), half(-1024), half(1)};
  x.values = {half(32768), half(32768), half(0.5)};
  EXPECT_EQ(run_layer(HalfType::Binary16, layer, x, 1).at(0, 0), half(0.5));
  EXPECT_EQ(run_layer(HalfType::Binary16, layer, x, 2).at(0, 0),
            half(0));  // row 0: 2^25 + 0.5 first
}

TEST(Network, SpecialValuesFollowTheRules) {
  Layer layer;
  layer.inputs = 1;
  layer.outputs = 1;
  layer.activation = "relu";
  layer.weights = {half(1)};
  layer.bias_values = {0};
  Activations x = Activations::zero(1, 4);
  x.values = {0x7C01, 0x8000, 0xFC00, 0x7C00};  // NaN, -0, -inf, inf
  EXPECT_EQ(run_layer(HalfType::Binary16, layer, x, 1).values,
            (std::vector<uint16_t>{0x7E00, 0, 0, 0x7C00}));
  layer.activation = "none";
  EXPECT_EQ(run_layer(HalfType::Binary16, layer, x, 1).values,
            (std::vector<uint16_t>{0x7E00, 0, 0xFC00, 0x7C00}));
}

TEST(Network, ClassifyTakesTheFirstGreatestAndIgnoresNan) {
  Activations logits = Activations::zero(3, 2);
  logits.values = {half(1), 0x7E00, half(2), half(-1), half(2), half(-1)};
  EXPECT_EQ(classify(HalfType::Binary16, logits), (std::vector<int>{1, 1}));
}

class Training : public testing::Test {
 protected:
  static Dataset training_images() {
    DataSource source;
    source.file = OW_SOURCE_DIR "/data/optdigits/digits.csv.gz";
    source.scale = 16;
    const Dataset all = load_dataset(source, HalfType::Binary16, 64, 10);
    Dataset images;
    for (size_t i = 0; i < all.samples(); ++i) {
      if (i % 4 != 3) images.add(all, i);
    }
    return images;
  }

  // 64-128-10 by AdamW in pieces of 32 samples, its rate falling to a twentieth, pruned to 15 % of
  // the weights between steps `begin` and `end` of `steps`.
  static TrainingJob pruned(uint64_t steps, uint64_t begin, uint64_t end) {
    using Kind = SchedulePiece::Kind;
    TrainingJob job;
    job.layers = {{64, 128, "relu", true}, {128, 10, "none", true}};
    job.optimizer.weight_decay = 0.1;
    job.optimizer.rate = {{Kind::Linear, 0.004, 0.004 / 20, steps, 1}};
    job.loss_scale.initial = 256;
    SparsityGroup group;
    group.pattern = "*.weight";
    group.algorithm = SparsityGroup::Algorithm::Gradual;
    group.density = {{Kind::Constant, 1, 1, begin, 1}, {Kind::Cubic, 1, 1 - 0.85, end - begin, 1}};
    group.update.start = begin;
    group.update.stop = end + 1;
    group.update.every = 42;  // an epoch of the digits
    job.sparsity = {group};
    return job;
  }

  static Network train(const TrainingJob& job, const Dataset& data, uint64_t steps) {
    Trainer trainer(job);
    while (trainer.step() < steps) {
      Dataset part;
      for (const uint64_t n : samples_of_step(job, data.samples(), trainer.step())) {
        part.add(data, n);
      }
      Targets targets;
      targets.classes = part.labels;
      trainer.update({trainer.run(part.activations(job.type, 0, part.samples()), targets)});
    }
    return trainer.network();
  }
};

uint64_t fingerprint(const Network& network) {
  uint64_t hash = 1469598103934665603ull;
  const auto mix = [&hash](uint32_t word) {
    for (int k = 0; k < 4; ++k) hash = (hash ^ ((word >> (8 * k)) & 255u)) * 1099511628211ull;
  };
  for (const Layer& layer : network.layers) {
    for (uint16_t w : layer.weights) mix(w);
    for (float b : layer.bias_values) mix(float_to_bits(b));
  }
  return hash;
}

TEST_F(Training, SeedFixesEveryBit) {
  TrainingJob job = pruned(169, 43, 127);
  const Dataset images = training_images();
  const Network first = train(job, images, 169);
  EXPECT_EQ(fingerprint(first), fingerprint(train(job, images, 169)));
  job.seed = 2;
  EXPECT_NE(fingerprint(first), fingerprint(train(job, images, 169)));
}

TEST_F(Training, BitsAreThoseOfEveryOtherMachine) {
  EXPECT_EQ(fingerprint(train(pruned(169, 43, 127), training_images(), 169)),
            14462351527836616716ull);
}

TEST_F(Training, PrunesWhatWasAskedAndLearns) {
  const Dataset images = training_images();
  const Network network = train(pruned(1685, 211, 1054), images, 1685);
  EXPECT_LE(static_cast<double>(network.nonzero()), 0.15 * static_cast<double>(network.weights()));
  const Activations x = images.activations(network.type, 0, images.samples());
  const std::vector<int> classes = classify(network.type, run_network(network, x, 4).back());
  size_t right = 0;
  for (size_t s = 0; s < classes.size(); ++s) right += classes[s] == images.labels[s] ? 1 : 0;
  EXPECT_GE(static_cast<double>(right), 0.97 * static_cast<double>(images.samples()));
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
