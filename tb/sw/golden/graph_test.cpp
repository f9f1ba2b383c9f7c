// SPDX-License-Identifier: Apache-2.0
// The reference trainer on graphs that branch, which no program of the tiles does: gradients
// against differences in double, sums of deltas against their definition.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/train.h"
#include "ow/graph/graph.h"

namespace ow::golden {
namespace {

// input -> in -> r -> mid -> m -+-> add "sum" -> out -> loss
//                 `-------------'        r is taken by mid, by the sum and by skip
//                 `-> skip ---------------> add "all" in front of out
Graph branching_graph(const std::string& loss) {
  Graph graph(7);
  const std::map<std::string, double> linear = {{"outputs", 6}, {"bias", 1}};
  const auto add = [&](const char* name, const char* kind, std::vector<std::string> inputs,
                       std::map<std::string, double> options = {}) {
    graph.add({name, kind, std::move(inputs), std::move(options), name, {}});
  };
  add("in", "linear", {"input"}, linear);
  add("r", "relu", {"in"});
  add("mid", "linear", {"r"}, linear);
  add("m", "relu", {"mid"});
  add("sum", "add", {"m", "r"});
  add("skip", "linear", {"r"}, {{"outputs", 6}, {"bias", 0}});
  add("all", "add", {"sum", "skip"});
  add("out", "linear", {"all"}, {{"outputs", 4}, {"bias", 1}});
  add("cost", loss.c_str(), {"out", "targets"});
  return graph;
}

TrainingJob branching_job(const std::string& loss) {
  TrainingJob job;
  job.loss = loss;
  job.grid_rows = 3;
  job.grid_cols = 2;
  job.samples = 20;
  job.seed = 5;
  return job;
}

Activations random_values(Rng* rng, int features, int samples) {
  Activations x = Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = to_half(HalfType::Binary16, 2.0 * rng->uniform() - 1.0);
  return x;
}

using Vector = std::vector<double>;

// The same in double, nothing rounded; parameters as the trainer numbers them.
struct DoubleGraph {
  std::vector<Vector> p;

  static Vector linear(const Vector& w, const Vector& b, const Vector& x) {
    Vector y(w.size() / x.size());
    for (size_t j = 0; j < y.size(); ++j) {
      y[j] = b.empty() ? 0 : b[j];
      for (size_t i = 0; i < x.size(); ++i) y[j] += w[j * x.size() + i] * x[i];
    }
    return y;
  }
  static Vector relu(Vector x) {
    for (double& v : x) v = std::max(v, 0.0);
    return x;
  }

  double loss(const Activations& x, const Targets& t, bool squares) const {
    double total = 0;
    for (int s = 0; s < x.samples; ++s) {
      Vector a;
      for (int f = 0; f < x.features; ++f) a.push_back(from_half(HalfType::Binary16, x.at(f, s)));
      const Vector r = relu(linear(p[0], p[1], a));
      const Vector m = relu(linear(p[2], p[3], r));
      Vector all = linear(p[4], {}, r);
      for (size_t i = 0; i < all.size(); ++i) all[i] += m[i] + r[i];
      const Vector z = linear(p[5], p[6], all);
      double sum = 0;
      for (size_t j = 0; j < z.size(); ++j) {
        const double off =
            z[j] - from_half(HalfType::Binary16, t.values.at(static_cast<int>(j), s));
        sum += squares ? off * off / static_cast<double>(z.size()) : std::exp(z[j]);
      }
      const auto right = static_cast<size_t>(t.classes[static_cast<size_t>(s)]);
      total += squares ? sum : std::log(sum) - z[right];
    }
    return total / x.samples;
  }
};

TEST(GoldenGraph, GradientsThroughBranchesAreThoseOfCalculus) {
  for (const std::string loss : {"softmax_cross_entropy", "mean_squared_error"}) {
    const TrainingJob job = branching_job(loss);
    const Trainer trainer(job, branching_graph(job.loss));
    Rng rng(3);
    const auto samples = static_cast<int>(job.micro_batch());
    const Activations x = random_values(&rng, 7, samples);
    Targets t;
    for (int s = 0; s < samples; ++s) t.classes.push_back(static_cast<int>(rng.below(4)));
    t.values = random_values(&rng, 4, samples);
    const MicroBatch batch = trainer.run(x, t);
    DoubleGraph graph;
    std::vector<std::string> names;
    for (const Parameter& p : trainer.parameters()) {
      names.push_back(p.name);
      graph.p.emplace_back();
      for (const float w : p.value) {
        graph.p.back().push_back(
            p.matrix ? from_half(HalfType::Binary16, to_half(HalfType::Binary16, w)) : w);
      }
    }
    ASSERT_EQ(names, (std::vector<std::string>{"in.weight", "in.bias", "mid.weight", "mid.bias",
                                               "skip.weight", "out.weight", "out.bias"}));
    const bool squares = loss == "mean_squared_error";
    EXPECT_NEAR(batch.loss, graph.loss(x, t, squares), 0.01);
    for (size_t k = 0; k < graph.p.size(); ++k) {
      double largest = 0, worst = 0;
      for (size_t i = 0; i < graph.p[k].size(); ++i) {
        constexpr double kStep = 1e-6;
        double& w = graph.p[k][i];
        const double before = w;
        w = before + kStep;
        const double up = graph.loss(x, t, squares);
        w = before - kStep;
        const double down = graph.loss(x, t, squares);
        w = before;
        const double slope = (up - down) / (2 * kStep);
        largest = std::max(largest, std::fabs(slope));
        worst = std::max(
            worst, std::fabs(slope - batch.gradients[k][i] / static_cast<double>(job.batch())));
      }
      EXPECT_GT(largest, 1e-4) << names[k];
      EXPECT_LT(worst, 0.006 * largest) << names[k];
    }
  }
}

// N14: r is taken by mid, by the sum and by skip. Backward comes to skip first, then to the sum.
TEST(GoldenGraph, DeltasOfATensorAreAddedFromItsLastTakerToItsFirst) {
  const TrainingJob job = branching_job("mean_squared_error");
  const Trainer trainer(job, branching_graph(job.loss));
  Rng rng(4);
  const auto samples = static_cast<int>(job.micro_batch());
  const Activations x = random_values(&rng, 7, samples);
  Targets t;
  t.values = random_values(&rng, 4, samples);
  const MicroBatch b = trainer.run(x, t);
  enum { In, R, Mid, M, Sum, Skip, All, Out };
  EXPECT_EQ(b.outputs.size(), 8u);
  EXPECT_EQ(b.deltas[Sum].values, b.deltas[All].values);
  EXPECT_EQ(b.deltas[Skip].values, b.deltas[All].values);
  EXPECT_EQ(b.deltas[M].values, b.deltas[Sum].values);
  const auto value = [](uint16_t x16) { return from_half(HalfType::Binary16, x16); };
  // Through a matrix, in the order of a layer's sums (N12): here round a column of three.
  const auto through = [&](size_t weight, const Activations& delta, int i, int s) {
    const Parameter& w = trainer.parameters()[weight];
    std::vector<float> p(3, 0.0f);
    for (size_t j = 0; j < w.rows; ++j) {
      const float v =
          value(to_half(HalfType::Binary16, w.value[j * w.columns + static_cast<size_t>(i)]));
      float& sum = p[j % 3];
      sum = v * value(delta.at(static_cast<int>(j), s)) + sum;
    }
    const auto owner = static_cast<size_t>(i % 3);
    const float around = p[(owner + 2) % 3] + p[(owner + 1) % 3];
    return to_half(HalfType::Binary16, p[owner] + around);
  };
  size_t order_matters = 0;
  for (int i = 0; i < 6; ++i) {
    for (int s = 0; s < samples; ++s) {
      const auto plus = [&](uint16_t a, uint16_t c) {
        return to_half(HalfType::Binary16, value(a) + value(c));
      };
      const uint16_t skip = through(4, b.deltas[Skip], i, s);
      const uint16_t sum = b.deltas[Sum].at(i, s);
      const uint16_t mid = through(2, b.deltas[Mid], i, s);
      const uint16_t want = plus(plus(skip, sum), mid);
      ASSERT_EQ(b.deltas[R].at(i, s), want) << i << " " << s;
      order_matters += plus(plus(mid, sum), skip) != want ? 1 : 0;
    }
  }
  EXPECT_GT(order_matters, 0u);
}

// What a graph refuses is graph_test's in sw/graph; here, what only a training needs.
TEST(GoldenGraph, RefusesWhatIsNoTraining) {
  const TrainingJob job = branching_job("mean_squared_error");
  Graph graph = branching_graph("mean_squared_error");
  EXPECT_NO_THROW(Trainer(job, graph));
  // It trains, but is no list of layers.
  EXPECT_THROW(Trainer(job, graph).network(), InternalError);
  graph.ops.back().input_values.front() = 2;
  EXPECT_THROW(Trainer(job, graph), InternalError) << "the loss is not of the last value";
  graph.ops.pop_back();
  const Activations x = Activations::zero(graph.features(), static_cast<int>(job.micro_batch()));
  const Trainer forward(job, graph);
  EXPECT_EQ(forward.forward(x).size(), graph.ops.size());
  EXPECT_THROW(forward.run(x, {}), InternalError) << "there is no loss";
}

// A graph and the layers that it was lowered to cannot disagree unnoticed.
TEST(GoldenGraph, RefusesOneOfOtherParametersThanTheJobsLayers) {
  const std::vector<LayerShape> layers = {{5, 4, "relu", true}, {4, 3, "none", false}};
  TrainingJob job;
  job.layers = layers;
  job.samples = 8;
  const Graph graph = graph_of(job);
  EXPECT_NO_THROW(Trainer(job, graph));
  const auto refused = [&](const std::function<void(std::vector<LayerShape>*)>& change) {
    job.layers = layers;
    change(&job.layers);
    EXPECT_THROW(Trainer(job, graph), InternalError);
  };
  refused([](auto* l) { (*l)[0].inputs = 6; });
  refused([](auto* l) { (*l)[1].bias = true; });
  refused([](auto* l) { (*l)[1].name = "out"; });
  refused([](auto* l) { l->pop_back(); });
  refused([](auto* l) { l->push_back({3, 3, "none", false}); });
}

}  // namespace
}  // namespace ow::golden
