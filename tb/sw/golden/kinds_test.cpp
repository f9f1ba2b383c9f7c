// SPDX-License-Identifier: Apache-2.0
// Kinds of layers against the same graph in double precision: values, and gradients against central
// differences. Then what their definitions promise for special values.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"
#include "ow/golden/train.h"

namespace ow::golden {
namespace {

using Vector = std::vector<double>;

// One sample through a graph, nothing rounded.
Vector normalised(const Vector& x, bool centred, double epsilon) {
  double mean = 0, variance = 0;
  const auto n = static_cast<double>(x.size());
  for (const double v : x) mean += centred ? v / n : 0;
  for (const double v : x) variance += (v - mean) * (v - mean) / n;
  Vector y;
  for (const double v : x) y.push_back((v - mean) / std::sqrt(variance + epsilon));
  return y;
}

using Rule =
    std::function<Vector(const ow::Op&, const std::vector<Vector>&, const std::vector<Vector>&)>;

const std::map<std::string, Rule>& rules() {
  const auto each = [](const std::function<double(double)>& f) {
    return [f](const ow::Op&, const std::vector<Vector>& in, const std::vector<Vector>&) {
      Vector y;
      for (const double v : in[0]) y.push_back(f(v));
      return y;
    };
  };
  static const std::map<std::string, Rule> all = {
      {"linear",
       [](const ow::Op&, const std::vector<Vector>& in, const std::vector<Vector>& p) {
         const Vector& x = in[0];
         Vector y(p[0].size() / x.size());
         for (size_t j = 0; j < y.size(); ++j) {
           y[j] = p.size() > 1 ? p[1][j] : 0;
           for (size_t i = 0; i < x.size(); ++i) y[j] += p[0][j * x.size() + i] * x[i];
         }
         return y;
       }},
      {"gelu", each([](double x) {
         return x / 2 *
                (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
       })},
      {"silu", each([](double x) { return x / (1 + std::exp(-x)); })},
      {"mul",
       [](const ow::Op&, const std::vector<Vector>& in, const std::vector<Vector>&) {
         Vector y = in[0];
         for (size_t i = 0; i < y.size(); ++i) y[i] *= in[1][i];
         return y;
       }},
      {"layer_norm",
       [](const ow::Op& op, const std::vector<Vector>& in, const std::vector<Vector>& p) {
         Vector y = normalised(in[0], true, op.attributes.at("epsilon"));
         for (size_t i = 0; i < y.size(); ++i) y[i] = y[i] * p[0][i] + p[1][i];
         return y;
       }},
      {"rms_norm",
       [](const ow::Op& op, const std::vector<Vector>& in, const std::vector<Vector>& p) {
         Vector y = normalised(in[0], false, op.attributes.at("epsilon"));
         for (size_t i = 0; i < y.size(); ++i) y[i] *= p[0][i];
         return y;
       }}};
  return all;
}

double loss_in_double(const Graph& graph, const std::vector<Vector>& parameters,
                      const Activations& x, const Targets& t) {
  double total = 0;
  for (int s = 0; s < x.samples; ++s) {
    std::vector<Vector> values(1);
    for (int f = 0; f < x.features; ++f) {
      values[0].push_back(from_half(HalfType::Binary16, x.at(f, s)));
    }
    for (const ow::Op& op : graph.ops) {
      if (op.value < 0) break;
      std::vector<Vector> in, p;
      for (const int v : op.input_values) in.push_back(values[static_cast<size_t>(v)]);
      for (const size_t k : op.parameters) p.push_back(parameters[k]);
      values.push_back(rules().at(op.kind)(op, in, p));
    }
    const Vector& z = values.back();
    for (size_t j = 0; j < z.size(); ++j) {
      const double off = z[j] - from_half(HalfType::Binary16, t.values.at(static_cast<int>(j), s));
      total += off * off / static_cast<double>(z.size()) / x.samples;
    }
  }
  return total;
}

Activations random_values(Rng* rng, int features, int samples) {
  Activations x = Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = to_half(HalfType::Binary16, 2.0 * rng->uniform() - 1.0);
  return x;
}

// input -> linear "a" -> KIND -> linear "out" -> mean squared error; `mul` also takes "b".
Graph graph_with(const std::string& kind) {
  Graph graph(6);
  graph.add({"a", "linear", {"input"}, {{"outputs", 8}}, "a", {}});
  std::vector<std::string> inputs = {"a"};
  if (kind == "mul") {
    graph.add({"b", "linear", {"input"}, {{"outputs", 8}}, "b", {}});
    inputs.emplace_back("b");
  }
  graph.add({"k", kind, inputs, {}, "k", {}});
  graph.add({"out", "linear", {"k"}, {{"outputs", 5}}, "out", {}});
  graph.add({"cost", "mean_squared_error", {"out", "targets"}, {}, "cost", {}});
  return graph;
}

TEST(GoldenKinds, GradientsAreThoseOfCalculus) {
  for (const std::string kind : {"gelu", "silu", "mul", "layer_norm", "rms_norm"}) {
    const Graph graph = graph_with(kind);
    TrainingJob job;
    job.loss = "mean_squared_error";
    job.grid_rows = 3;
    job.grid_cols = 2;
    job.samples = 16;
    job.seed = 9;
    const Trainer trainer(job, graph);
    Rng rng(4);
    const auto samples = static_cast<int>(job.micro_batch());
    const Activations x = random_values(&rng, 6, samples);
    Targets t;
    t.values = random_values(&rng, 5, samples);
    const MicroBatch batch = trainer.run(x, t);
    std::vector<Vector> parameters;
    for (const Parameter& p : trainer.parameters()) {
      parameters.emplace_back();
      for (const float w : p.value) {
        const double half = from_half(HalfType::Binary16, to_half(HalfType::Binary16, w));
        parameters.back().push_back(p.matrix ? half : w);
      }
    }
    EXPECT_NEAR(batch.loss, loss_in_double(graph, parameters, x, t), 0.01) << kind;
    for (size_t k = 0; k < parameters.size(); ++k) {
      double largest = 0, worst = 0;
      for (size_t i = 0; i < parameters[k].size(); ++i) {
        constexpr double kStep = 1e-6;
        double& w = parameters[k][i];
        const double before = w;
        w = before + kStep;
        const double up = loss_in_double(graph, parameters, x, t);
        w = before - kStep;
        const double down = loss_in_double(graph, parameters, x, t);
        w = before;
        const double slope = (up - down) / (2 * kStep);
        largest = std::max(largest, std::fabs(slope));
        worst = std::max(
            worst, std::fabs(slope - batch.gradients[k][i] / static_cast<double>(job.batch())));
      }
      EXPECT_GT(largest, 1e-4) << kind << ", " << trainer.parameters()[k].name;
      EXPECT_LT(worst, 0.01 * largest) << kind << ", " << trainer.parameters()[k].name;
    }
  }
}

// N115: two layers of one matrix. The sum is that of two layers with equal matrices of their own.
TEST(GoldenKinds, GradientsOfASharedParameterAreAddedInTheOrderOfItsUses) {
  const auto graph_of = [](bool shared) {
    Graph graph(6);
    graph.add({"a", "linear", {"input"}, {{"outputs", 6}, {"bias", 0}}, "a", {}});
    ow::Op b{"b", "linear", {"a"}, {{"outputs", 6}, {"bias", 0}}, "b", {}};
    if (shared) b.shared = {{"weight", "a.weight"}};
    graph.add(b);
    graph.add({"cost", "mean_squared_error", {"b", "targets"}, {}, "cost", {}});
    return graph;
  };
  TrainingJob job;
  job.loss = "mean_squared_error";
  job.grid_rows = 2;
  job.samples = 8;
  const Trainer shared(job, graph_of(true));
  ASSERT_EQ(shared.parameters().size(), 1u);
  Trainer apart(job, graph_of(false));
  std::vector<Parameter> equal = apart.parameters();
  equal[0].value = equal[1].value = shared.parameters()[0].value;
  apart.restore(equal, 0, 0, 1, 0);
  Rng rng(8);
  const Activations x = random_values(&rng, 6, 8);
  Targets t;
  t.values = random_values(&rng, 6, 8);
  const auto one = shared.run(x, t).gradients, two = apart.run(x, t).gradients;
  for (size_t i = 0; i < one[0].size(); ++i) EXPECT_EQ(one[0][i], two[0][i] + two[1][i]) << i;
}

// N129: the same as a matrix that has each row so often, whose gradients are then added.
TEST(GoldenKinds, CopiesOfOutputsAreOutputsOfTheSameWeights) {
  constexpr int kCopies = 3, kRows = 5;
  const auto graph_of = [](int rows, int copies) {
    const auto number = [](int x) { return static_cast<double>(x); };
    Graph graph(6);
    graph.add({"a",
               "linear",
               {"input"},
               {{"outputs", number(rows)}, {"copies", number(copies)}},
               "a",
               {}});
    graph.add({"b", "linear", {"a"}, {{"outputs", 6}, {"bias", 0}}, "b", {}});
    graph.add({"cost", "mean_squared_error", {"b", "targets"}, {}, "cost", {}});
    return graph;
  };
  TrainingJob job;
  job.loss = "mean_squared_error";
  job.grid_rows = 2;
  job.grid_cols = 3;
  job.samples = 8;
  const Trainer copied(job, graph_of(kRows, kCopies));
  Trainer apart(job, graph_of(kRows * kCopies, 1));
  std::vector<Parameter> equal = apart.parameters();
  const auto repeat = [](const Parameter& from, Parameter* to) {
    for (size_t j = 0; j < to->rows; ++j) {
      for (size_t i = 0; i < to->columns; ++i) {
        to->value[j * to->columns + i] = from.value[j / kCopies * to->columns + i];
      }
    }
  };
  repeat(copied.parameters()[0], &equal[0]);
  repeat(copied.parameters()[1], &equal[1]);
  equal[2].value = copied.parameters()[2].value;
  apart.restore(equal, 0, 0, 1, 0);
  Rng rng(8);
  const Activations x = random_values(&rng, 6, 24);
  Targets t;
  t.values = random_values(&rng, 6, 24);
  const MicroBatch one = copied.run(x, t), all = apart.run(x, t);
  EXPECT_EQ(one.outputs[0].values, all.outputs[0].values);
  EXPECT_EQ(one.deltas[0].values, all.deltas[0].values);
  for (size_t p = 0; p < 2; ++p) {
    const size_t columns = copied.parameters()[p].columns;
    for (size_t i = 0; i < one.gradients[p].size(); ++i) {
      const float* g = &all.gradients[p][i / columns * columns * kCopies + i % columns];
      EXPECT_EQ(one.gradients[p][i], (g[0] + g[columns]) + g[2 * columns]) << p << " " << i;
    }
  }
}

// One operation on given values, and its deltas.
struct OneOp {
  OneOp(const std::string& kind, Activations x, HalfType type) : x_(std::move(x)) {
    op.name = op.kind = op.where = kind;
    op.inputs = {kInputTensor};
    Graph graph(x_.features);
    graph.add(op);
    op = graph.ops.front();
    for (const ow::Parameter& p : graph.parameters) {
      Parameter own;
      own.value.assign(p.rows * p.columns, p.initial);
      parameters.push_back(own);
    }
    numerics.type = type;
    numerics.samples = x_.samples;
  }
  LayerPass pass() const {
    LayerPass pass{numerics, op, {}, {}, {&x_}, {true}};
    for (const Parameter& p : parameters) pass.parameters.push_back(&p);
    return pass;
  }
  Activations forward() const { return layer_kind(op.kind).forward(pass()); }
  Activations deltas(const Activations& delta) const {
    return layer_kind(op.kind).backward(pass(), delta).deltas.front();
  }

  ow::Op op;
  Numerics numerics;
  std::vector<Parameter> parameters;

 private:
  Activations x_;
};

double value(HalfType type, uint16_t x) { return from_half(type, x); }

// Of every input: no step leaves the range, so large ones are the identity or 0.
TEST(GoldenKinds, ActivationsAndTheirSlopesAreFiniteForEveryNumber) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    for (const std::string kind : {"gelu", "silu"}) {
      Activations x = Activations::zero(1, 65536);
      for (int i = 0; i < 65536; ++i) x.at(0, i) = static_cast<uint16_t>(i);
      const OneOp one(kind, x, type);
      Activations ones = x;
      for (uint16_t& v : ones.values) v = to_half(type, 1);
      const Activations y = one.forward(), slope = one.deltas(ones);
      for (int i = 0; i < 65536; ++i) {
        const double in = value(type, x.at(0, i)), out = value(type, y.at(0, i));
        if (!std::isfinite(in)) continue;
        ASSERT_TRUE(std::isfinite(out) && std::isfinite(value(type, slope.at(0, i))))
            << kind << " of " << in;
        if (in <= 20) continue;
        ASSERT_EQ(out, in) << kind;
        ASSERT_EQ(value(type, slope.at(0, i)), 1) << kind << " of " << in;
      }
    }
  }
}

// N109: the variance as a mean of squares less a squared mean loses nothing that shows while the
// mean is at most 8 standard deviations from 0.
TEST(GoldenKinds, NormsAreWithinAFewUlpOfTheDefinition) {
  Rng rng(12);
  for (const double offset : {0.0, 1.0, 8.0}) {
    Activations x = Activations::zero(96, 32);
    for (uint16_t& v : x.values) {
      // Of variance 1.
      v = to_half(HalfType::Binary16, offset + std::sqrt(12.0) * (rng.uniform() - 0.5));
    }
    for (const std::string kind : {"layer_norm", "rms_norm"}) {
      const Activations y = OneOp(kind, x, HalfType::Binary16).forward();
      double worst = 0;
      for (int s = 0; s < x.samples; ++s) {
        Vector in;
        for (int f = 0; f < x.features; ++f) in.push_back(value(HalfType::Binary16, x.at(f, s)));
        const Vector exact = normalised(in, kind == "layer_norm", 1e-5);
        for (int f = 0; f < x.features; ++f) {
          const double off = value(HalfType::Binary16, y.at(f, s)) - exact[static_cast<size_t>(f)];
          worst = std::max(worst, std::fabs(off));
        }
      }
      // Results are below 4, where a unit in the last place is 2^-9.
      EXPECT_LT(worst, std::ldexp(1.0, -9)) << kind << ", mean " << offset;
    }
  }
}

// A sample whose features are all equal has no variance; epsilon keeps it finite.
TEST(GoldenKinds, NormsOfEqualFeaturesAreTheBias) {
  Activations x = Activations::zero(24, 8);
  for (uint16_t& v : x.values) v = to_half(HalfType::Binary16, 3);
  OneOp one("layer_norm", x, HalfType::Binary16);
  one.parameters[1].value.assign(24, 0.5f);
  for (const uint16_t v : one.forward().values) EXPECT_EQ(value(HalfType::Binary16, v), 0.5);
}

}  // namespace
}  // namespace ow::golden
