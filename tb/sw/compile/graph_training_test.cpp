// SPDX-License-Identifier: Apache-2.0
// Trainings of graphs that branch, on simulated tiles against golden: every output, gradient and
// weight, bit for bit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "draws.h"
#include "graph_steps.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "seed.h"

namespace ow::jobs {
namespace {

TEST(GraphTraining, AResidualAndAForkAreThoseOfGolden) {
  for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 2}, GridShape{3, 1}}) {
    Growing g(9);
    const std::string a = g.linear("input", 12, true);
    const std::string b = g.element("relu", {g.linear(a, 14, true)});
    const std::string c = g.element("add", {a, g.linear(b, 12, false)});
    const std::string d = g.element("add", {c, a});
    compare_steps(job_of(g.end(g.linear(d, 5, true), "softmax_cross_entropy"), grid, 16), 2);
  }
}

TEST(GraphTraining, GeluIsThatOfGolden) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    Growing g(9);
    const std::string a = g.linear("input", 40, true);
    const std::string b = g.element("add", {a, g.element("gelu", {g.linear(a, 40, true)})});
    TrainingJob job = job_of(g.end(g.linear(b, 5, true), "softmax_cross_entropy"), {2, 2}, 32);
    job.type = type;
    compare_steps(job, 2);
  }
}

// As many samples as a row of the accumulator cache holds.
TEST(GraphTraining, LayerNormTakesTheMostSamples) {
  Growing g(3);
  const std::string a = g.element("layer_norm", {g.linear("input", 5, true)});
  compare_steps(job_of(g.end(g.linear(a, 3, true), "softmax_cross_entropy"), {2, 1}, 128), 1);
}

TEST(GraphTraining, LayerNormIsThatOfGolden) {
  for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 2}, GridShape{4, 1}}) {
    for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
      Growing g(9);
      const std::string a = g.linear("input", 7, true);
      const std::string b = g.element("layer_norm", {a});
      const std::string c = g.element("add", {a, g.linear(b, 7, true)});
      const std::string d = g.linear(g.element("layer_norm", {c}), 3, true);  // rows without any
      TrainingJob job = job_of(g.end(g.element("layer_norm", {d}), "mean_squared_error"), grid, 16);
      job.type = type;
      compare_steps(job, 2);
    }
  }
}

// A graph of 1 to 12 layers with matrices: residuals, forks, shared matrices, norms, gelu, ReLU.
TrainingJob random_job(uint64_t seed) {
  Rng rng(seed);
  const auto up_to = [&rng](int most) { return 1 + static_cast<int>(rng.below(most)); };
  Growing g(up_to(40));
  std::vector<std::string> values = {"input"};
  std::vector<std::pair<std::string, int>> matrices;  // that another layer may share, their inputs
  const auto linear = [&](const std::string& from, int outputs) {
    const int inputs = g.features(from);
    for (auto m = matrices.begin(); m != matrices.end(); ++m) {
      if (m->second != inputs || g.features(m->first) != outputs || rng.below(2) == 0) continue;
      const std::string shared = m->first + ".weight";
      matrices.erase(m);
      return g.linear(from, outputs, rng.below(2) == 0, shared);
    }
    const std::string name = g.linear(from, outputs, rng.below(2) == 0);
    matrices.emplace_back(name, inputs);
    return name;
  };
  for (int left = up_to(12) - 1; left > 0;) {
    const std::string from = rng.below(4) == 0 ? values[rng.below(values.size())] : values.back();
    const uint64_t what = from == "input" ? 0 : rng.below(8);
    std::string value = from;
    if (what == 5) value = g.element("gelu", {from});
    if (what == 6) value = g.element("layer_norm", {from});
    if (what < 5) {
      --left;
      // Often as wide as another value, so that they can be added.
      const bool fits = values.size() > 1 && rng.below(2) == 0;
      const int outputs = fits ? g.features(values[1 + rng.below(values.size() - 1)]) : up_to(40);
      value = linear(from, outputs);
      if (rng.below(3) == 0) value = g.element("relu", {value});
    }
    values.push_back(value);
    for (size_t k = 1; k + 1 < values.size(); ++k) {
      if (values[k] == value || g.features(values[k]) != g.features(value)) continue;
      if (rng.below(2) == 0) values.push_back(g.element("add", {values[k], value}));
      break;
    }
  }
  const std::string last = linear(values.back(), 1 + up_to(9));
  const char* loss = rng.below(2) == 0 ? "softmax_cross_entropy" : "mean_squared_error";
  TrainingJob job = job_of(g.end(last, loss), {up_to(5), up_to(4)}, 8 * up_to(4));
  job.type = rng.below(2) == 0 ? HalfType::Binary16 : HalfType::Bfloat16;
  job.seed = seed;
  return rng.below(2) == 0 ? with_sum_orders(job) : job;
}

// Equal to golden, or refused for want of memory.
TEST(GraphTraining, RandomGraphsAreThoseOfGolden) {
  const uint64_t seed = test_seed(20261130);
  const int count = draws(60) / (std::getenv("OW_NIGHTLY") == nullptr ? 5 : 1);  // 3 or 60
  int run = 0;
  for (int n = 0; n < count; ++n) {
    SCOPED_TRACE(testing::Message() << "graph " << n << " of seed " << seed);
    const TrainingJob job = random_job(seed * 1000 + static_cast<uint64_t>(n));
    try {
      compare_steps(job, 2);
      ++run;
    } catch (const BadInput& refused) {
      EXPECT_NE(std::string(refused.what()).find(" bytes of a tile, the limit is "),
                std::string::npos)
          << refused.what();
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(run, count * 2 / 3);
}

}  // namespace
}  // namespace ow::jobs
