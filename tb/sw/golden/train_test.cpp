// SPDX-License-Identifier: Apache-2.0
// The reference trainer against calculus (differences in double) and against its definition spelled
// out element by element.
#include "ow/golden/train.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/golden/network.h"
#include "ow/golden/nonlinear.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {
namespace {

TrainingJob small_job(HalfType type, const std::string& loss) {
  TrainingJob job;
  job.type = type;
  job.loss = loss;
  job.layers = {
      {7, 9, "relu", true}, {9, 8, "none", false}, {8, 6, "relu", true}, {6, 5, "none", true}};
  job.grid_rows = 3;
  job.grid_cols = 2;
  job.samples = 20;
  job.seed = 11;
  return job;
}

Activations random_values(Rng* rng, HalfType type, int features, int samples) {
  Activations x = Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = to_half(type, 2.0 * rng->uniform() - 1.0);
  return x;
}

Targets random_targets(Rng* rng, const TrainingJob& job) {
  const int samples = static_cast<int>(job.micro_batch());
  const int outputs = job.layers.back().outputs;
  Targets t;
  for (int s = 0; s < samples; ++s) {
    t.classes.push_back(static_cast<int>(rng->below(static_cast<uint64_t>(outputs))));
  }
  t.values = random_values(rng, job.type, outputs, samples);
  return t;
}

// ------------------------------------------------------------------------- against differences --
// The loss of a network in double, weights and inputs as the machine has them, nothing rounded.
struct DoubleNetwork {
  const TrainingJob& job;
  std::vector<std::vector<double>> parameters;

  double loss(const Activations& x, const Targets& t) const {
    double total = 0;
    for (int s = 0; s < x.samples; ++s) {
      std::vector<double> a;
      for (int f = 0; f < x.features; ++f) a.push_back(from_half(job.type, x.at(f, s)));
      size_t p = 0;
      for (const LayerShape& layer : job.layers) {
        const std::vector<double>& w = parameters[p++];
        const std::vector<double>* bias = layer.bias ? &parameters[p++] : nullptr;
        std::vector<double> y;
        for (size_t j = 0; j < static_cast<size_t>(layer.outputs); ++j) {
          double sum = bias != nullptr ? (*bias)[j] : 0;
          for (size_t i = 0; i < a.size(); ++i) sum += w[j * a.size() + i] * a[i];
          y.push_back(layer.activation == "relu" ? std::max(sum, 0.0) : sum);
        }
        a = y;
      }
      if (job.loss == "softmax_cross_entropy") {
        double sum = 0;
        for (const double z : a) sum += std::exp(z);
        total += std::log(sum) - a[static_cast<size_t>(t.classes[static_cast<size_t>(s)])];
      } else {
        for (size_t j = 0; j < a.size(); ++j) {
          const double d = a[j] - from_half(job.type, t.values.at(static_cast<int>(j), s));
          total += d * d / static_cast<double>(a.size());
        }
      }
    }
    return total / x.samples;
  }
};

void expect_gradients_of_calculus(const TrainingJob& job, uint64_t seed, double tolerance) {
  Rng rng(seed);
  const Trainer trainer(job);
  const Activations x =
      random_values(&rng, job.type, job.layers[0].inputs, static_cast<int>(job.micro_batch()));
  const Targets targets = random_targets(&rng, job);
  const MicroBatch batch = trainer.run(x, targets);
  DoubleNetwork network{job, {}};
  for (const Parameter& p : trainer.parameters()) {
    network.parameters.emplace_back();
    for (const float w : p.value) {
      network.parameters.back().push_back(p.matrix ? from_half(job.type, to_half(job.type, w)) : w);
    }
  }
  EXPECT_NEAR(batch.loss, network.loss(x, targets), 0.01);
  const double divisor = static_cast<double>(job.batch()) * trainer.loss_scale();
  for (size_t k = 0; k < network.parameters.size(); ++k) {
    double largest = 0, worst = 0;
    for (size_t i = 0; i < network.parameters[k].size(); ++i) {
      constexpr double kStep = 1e-6;
      double& w = network.parameters[k][i];
      const double before = w;
      w = before + kStep;
      const double up = network.loss(x, targets);
      w = before - kStep;
      const double down = network.loss(x, targets);
      w = before;
      const double slope = (up - down) / (2 * kStep);
      largest = std::max(largest, std::fabs(slope));
      worst = std::max(worst, std::fabs(slope - batch.gradients[k][i] / divisor));
    }
    EXPECT_GT(largest, 1e-4) << trainer.parameters()[k].name;
    EXPECT_LT(worst, tolerance * largest) << trainer.parameters()[k].name;
  }
}

TEST(GoldenTrainer, GradientsAreThoseOfCalculus) {
  for (const std::string& loss :
       std::vector<std::string>{"softmax_cross_entropy", "mean_squared_error"}) {
    TrainingJob job = small_job(HalfType::Binary16, loss);
    expect_gradients_of_calculus(job, 21, 0.004);
    job.loss_scale.initial = 1024;
    job.grid_rows = 1;
    job.grid_cols = 5;
    job.forward = {SumOrder::Whole, SumOrder::Column, SumOrder::Whole, SumOrder::Column};
    job.delta = {SumOrder::Column, SumOrder::Whole, SumOrder::Column, SumOrder::Whole};
    expect_gradients_of_calculus(job, 22, 0.004);
    job.type = HalfType::Bfloat16;
    expect_gradients_of_calculus(job, 23, 0.04);
  }
}

// ------------------------------------------------------------------------- against its definition
// --
struct Exact {
  HalfType type;
  uint32_t fma(uint16_t a, uint16_t b, uint32_t c) const {
    return type == HalfType::Binary16 ? exact::mixed_fma(a, b, c) : exact::mixedb_fma(a, b, c);
  }
  uint16_t narrow(uint32_t x) const {
    return type == HalfType::Binary16 ? exact::f32_to_f16(x) : exact::f32_to_bf16(x);
  }
  uint32_t widen(uint16_t x) const {
    return type == HalfType::Binary16 ? exact::f16_to_f32(x) : exact::bf16_to_f32(x);
  }
  Type tile_type() const { return type == HalfType::Binary16 ? Type::F16 : Type::BF16; }
};

// N15 for one weight or, without inputs, one bias.
uint32_t gradient_by_definition(const Exact& e, const TrainingJob& job, const Activations* in,
                                int i, const Activations& delta, int j) {
  uint32_t along = 0;
  for (int c = job.grid_cols - 1; c >= 0; --c) {
    std::vector<uint32_t> a, b;
    for (int s = 0; s < job.samples; ++s) {
      a.push_back(delta.at(j, c * job.samples + s));
      if (in != nullptr) b.push_back(in->at(i, c * job.samples + s));
    }
    const uint32_t g = reduce(in != nullptr ? Op::Dot : Op::Sum, e.tile_type(), Type::F32, a.data(),
                              in != nullptr ? b.data() : nullptr, a.size());
    along = c == job.grid_cols - 1 ? g : exact::f32_add(g, along);
  }
  return along;
}

// N14 for one element; `layer` is the one whose deltas are known.
uint16_t delta_by_definition(const Exact& e, const Layer& layer, int rows, const Activations& delta,
                             const Activations& input, bool relu, int i, int s) {
  std::vector<uint32_t> p(static_cast<size_t>(rows), 0);
  for (int j = 0; j < layer.outputs; ++j) {
    if ((layer.weight(j, i) & 0x7FFF) == 0) continue;
    uint32_t& sum = p[static_cast<size_t>(j % rows)];
    sum = e.fma(layer.weight(j, i), delta.at(j, s), sum);
  }
  const int owner = i % rows;
  uint32_t around = 0;
  for (int k = 1; k < rows; ++k) {
    const uint32_t own = p[static_cast<size_t>((owner + k) % rows)];
    around = k == 1 ? own : exact::f32_add(own, around);
  }
  const uint32_t sum = rows == 1 ? p[0] : exact::f32_add(p[static_cast<size_t>(owner)], around);
  const uint16_t d = e.narrow(sum);
  return relu && static_cast<int16_t>(input.at(i, s)) <= 0 ? uint16_t{0} : d;
}

uint32_t bits(float x) { return float_to_bits(x); }

// N13 for one sample.
std::vector<uint16_t> loss_by_definition(const Exact& e, const TrainingJob& job,
                                         const Activations& z, const Targets& t, int s,
                                         float scale) {
  std::vector<uint16_t> out;
  const int n = z.features;
  if (job.loss == "mean_squared_error") {
    for (int j = 0; j < n; ++j) {
      const uint32_t d = exact::f32_sub(e.widen(z.at(j, s)), e.widen(t.values.at(j, s)));
      out.push_back(e.narrow(exact::f32_mul(d, bits(scale * 2 / static_cast<float>(n)))));
    }
    return out;
  }
  float most = -INFINITY;
  for (int j = 0; j < n; ++j) most = std::max(most, from_half(job.type, z.at(j, s)));
  std::vector<uint32_t> power;
  for (int j = 0; j < n; ++j) {
    power.push_back(f32_exp(exact::f32_sub(e.widen(z.at(j, s)), bits(most))));
  }
  uint32_t sum = 0;
  for (int r = 0; r < job.grid_rows; ++r) {
    uint32_t own = 0;
    for (int j = r; j < n; j += job.grid_rows) {
      own = exact::f32_add(own, power[static_cast<size_t>(j)]);
    }
    sum = r == 0 ? own : exact::f32_add(own, sum);
  }
  for (int j = 0; j < n; ++j) {
    const uint32_t share = exact::f32_mul(power[static_cast<size_t>(j)], f32_rcp(sum));
    const bool right = t.classes[static_cast<size_t>(s)] == j;
    const uint32_t off = exact::f32_sub(share, bits(right ? 1.0f : 0.0f));
    out.push_back(e.narrow(exact::f32_mul(off, bits(scale))));
  }
  return out;
}

void expect_passes_of_definition(const TrainingJob& job, uint64_t seed) {
  const Exact e{job.type};
  Rng rng(seed);
  const Trainer trainer(job);
  const Network network = trainer.network();
  const Activations x =
      random_values(&rng, job.type, job.layers[0].inputs, static_cast<int>(job.micro_batch()));
  const Targets targets = random_targets(&rng, job);
  const MicroBatch b = trainer.run(x, targets);
  const size_t depth = job.layers.size();
  for (int s = 0; s < x.samples; ++s) {
    const auto want =
        loss_by_definition(e, job, b.outputs.back(), targets, s, trainer.loss_scale());
    for (int j = 0; j < job.layers.back().outputs; ++j) {
      ASSERT_EQ(b.deltas.back().at(j, s), want[static_cast<size_t>(j)]) << "loss " << j << " " << s;
    }
  }
  size_t p = trainer.parameters().size();
  for (size_t k = depth; k-- > 0;) {
    const LayerShape& shape = job.layers[k];
    const Activations& in = k == 0 ? x : b.outputs[trainer.tensor_of(k - 1)];
    const int rows = !job.forward.empty() && job.forward[k] == SumOrder::Whole ? 1 : job.grid_rows;
    ASSERT_EQ(b.outputs[trainer.tensor_of(k)].values,
              run_layer(job.type, network.layers[k], in, rows).values);
    if (shape.bias) {
      --p;
      for (int j = 0; j < shape.outputs; ++j) {
        ASSERT_EQ(bits(b.gradients[p][static_cast<size_t>(j)]),
                  gradient_by_definition(e, job, nullptr, 0, b.deltas[trainer.sum_of(k)], j));
      }
    }
    --p;
    for (int j = 0; j < shape.outputs; ++j) {
      for (int i = 0; i < shape.inputs; ++i) {
        ASSERT_EQ(bits(b.gradients[p][static_cast<size_t>(j * shape.inputs + i)]),
                  gradient_by_definition(e, job, &in, i, b.deltas[trainer.sum_of(k)], j))
            << k << " " << j << " " << i;
      }
    }
    if (k == 0) break;
    const int back = !job.delta.empty() && job.delta[k] == SumOrder::Whole ? 1 : job.grid_rows;
    for (int i = 0; i < shape.inputs; ++i) {
      for (int s = 0; s < x.samples; ++s) {
        ASSERT_EQ(b.deltas[trainer.sum_of(k - 1)].at(i, s),
                  delta_by_definition(e, network.layers[k], back, b.deltas[trainer.sum_of(k)], in,
                                      job.layers[k - 1].activation == "relu", i, s));
      }
    }
  }
}

TEST(GoldenTrainer, PassesAreTheirDefinition) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    for (const std::string& loss :
         std::vector<std::string>{"softmax_cross_entropy", "mean_squared_error"}) {
      TrainingJob job = small_job(type, loss);
      expect_passes_of_definition(job, 31);
      job.samples = 37;   // no multiple of the partial sums
      job.grid_rows = 7;  // more rows than some layers have outputs
      job.grid_cols = 3;
      job.loss_scale.initial = 4096;
      job.forward = {SumOrder::Whole, SumOrder::Column, SumOrder::Column, SumOrder::Whole};
      job.delta = {SumOrder::Column, SumOrder::Whole, SumOrder::Column, SumOrder::Column};
      expect_passes_of_definition(job, 32);
    }
  }
}

TEST(GoldenTrainer, OrderOfSumsIsSeenInTheBits) {
  // What has no effect on the bits could not be tested by them.
  TrainingJob column = small_job(HalfType::Binary16, "softmax_cross_entropy");
  column.layers = {{300, 200, "relu", true}, {200, 100, "none", true}};
  TrainingJob whole = column;
  whole.forward.assign(2, SumOrder::Whole);
  TrainingJob back = column;
  back.delta.assign(2, SumOrder::Whole);
  Rng rng(5);
  const Activations x =
      random_values(&rng, column.type, 300, static_cast<int>(column.micro_batch()));
  const Targets t = random_targets(&rng, column);
  const MicroBatch first = Trainer(column).run(x, t);
  EXPECT_NE(first.outputs[0].values, Trainer(whole).run(x, t).outputs[0].values);
  EXPECT_NE(first.deltas[0].values, Trainer(back).run(x, t).deltas[0].values);
}

TEST(GoldenTrainer, GradientsOutsideTheMaskAreOnlyThereWhereTheyAreAskedFor) {
  TrainingJob job = small_job(HalfType::Binary16, "softmax_cross_entropy");
  SparsityGroup group;
  group.pattern = "layers.0.*";
  group.algorithm = SparsityGroup::Algorithm::Rigl;
  group.density = constant_schedule(0.5);
  group.update.steps = {1};
  job.sparsity = {group};
  Trainer trainer(job);
  Rng rng(6);
  const Activations x = random_values(&rng, job.type, 7, static_cast<int>(job.micro_batch()));
  const Targets t = random_targets(&rng, job);
  const auto outside = [&](const MicroBatch& b) {
    const Parameter& p = trainer.parameters()[0];
    size_t n = 0;
    for (size_t i = 0; i < p.value.size(); ++i) {
      n += p.mask[i] == 0 && b.gradients[0][i] != 0 ? 1 : 0;
    }
    return n;
  };
  const MicroBatch first = trainer.run(x, t);
  EXPECT_EQ(outside(first), 0u);
  trainer.update({first});
  EXPECT_GT(outside(trainer.run(x, t)), 0u);
}

TEST(GoldenTrainer, AnOverflowSkipsTheStepAndHalvesTheScale) {
  TrainingJob job = small_job(HalfType::Binary16, "mean_squared_error");
  job.loss_scale = {65536.0 * 16, true, 2, 65536.0 * 16};
  Trainer trainer(job);
  Rng rng(7);
  const Activations x = random_values(&rng, job.type, 7, static_cast<int>(job.micro_batch()));
  const Targets t = random_targets(&rng, job);
  const std::vector<float> before = trainer.parameters()[0].value;
  int skipped = 0;
  while (trainer.updates() < 3 && skipped < 30) {
    const bool skip = trainer.update({trainer.run(x, t)}).skipped;
    skipped += skip ? 1 : 0;
    if (trainer.updates() == 0) {
      EXPECT_EQ(trainer.parameters()[0].value, before);
    }
  }
  EXPECT_GE(skipped, 3) << "the scale was too large for binary16";
  EXPECT_EQ(trainer.updates(), 3u);
  EXPECT_NE(trainer.parameters()[0].value, before);
  // Three updates, of which two doubled it once.
  EXPECT_EQ(trainer.loss_scale() * std::pow(2.0, skipped), 65536.0 * 16 * 2);
}

}  // namespace
}  // namespace ow::golden
