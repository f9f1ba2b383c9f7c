// SPDX-License-Identifier: Apache-2.0
// Trainings of graphs that branch, on simulated tiles against golden: every output, gradient and
// weight, bit for bit.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "draws.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/compile/lowering.h"
#include "ow/execute/train_grid.h"
#include "ow/golden/train.h"
#include "ow/memoryx/memoryx.h"
#include "ow/sim/sim.h"
#include "seed.h"

namespace ow::jobs {
namespace {

// A graph as it grows.
class Growing {
 public:
  explicit Growing(int features) : graph_(features) {}

  int features(const std::string& value) const {
    return graph_.values[static_cast<size_t>(graph_.value(value))].features;
  }
  std::string linear(const std::string& from, int outputs, bool bias,
                     const std::string& share = "") {
    Op op = begin("linear", {from});
    op.attributes = {{"outputs", outputs}, {"bias", bias ? 1.0 : 0.0}};
    if (!share.empty()) op.shared = {{"weight", share}};
    return add(std::move(op));
  }
  std::string element(const std::string& kind, const std::vector<std::string>& from) {
    Op op = begin(kind, from);
    if (kind == "layer_norm") op.attributes = {{"epsilon", 1e-5}};
    return add(std::move(op));
  }
  Graph end(const std::string& value, const std::string& loss) {
    Op op = begin(loss, {value, kTargetsTensor});
    graph_.add(std::move(op));
    return graph_;
  }

 private:
  Op begin(const std::string& kind, const std::vector<std::string>& from) {
    Op op;
    op.name = kind + std::to_string(graph_.ops.size());
    op.kind = kind;
    op.inputs = from;
    op.where = "'" + op.name + "'";
    return op;
  }
  std::string add(Op op) {
    const std::string name = op.name;
    graph_.add(std::move(op));
    return name;
  }
  Graph graph_;
};

TrainingJob job_of(Graph graph, GridShape grid, int samples) {
  TrainingJob job;
  job.grid_rows = grid.rows;
  job.grid_cols = grid.cols;
  job.samples = samples;
  job.loss = graph.ops.back().kind;
  for (const Op& op : graph.ops) {
    const Lowering* kind = find_lowering(op.kind);
    if (kind == nullptr || kind->streamed == nullptr) continue;
    const auto input = static_cast<size_t>(op.input_values[0]);
    job.layers.push_back(kind->streamed->shape(op, graph.values[input].features));
  }
  job.graph = std::move(graph);
  return job;
}

ElfImage program() { return read_elf(OW_FIRMWARE_DIR "/train_graph.elf", kFullTile.sram_bytes); }

// Steps of the job, on tiles and by golden; at each all is compared.
void compare_steps(const TrainingJob& job, int steps) {
  const ElfImage image = program();
  const TrainPlan plan = make_train_plan("test", job, image, kFullTile);
  const Runtime machine =
      make_runtime(make_device(DeviceKind::Replicated, GridShape{job.grid_rows, job.grid_cols}));
  TrainGrid grid(machine, image, plan);
  golden::Trainer golden(job, job.graph);
  memoryx::MemoryX memory(job, {});
  memory.begin();
  Rng rng(7);
  const auto samples = static_cast<int>(job.micro_batch());
  for (int step = 0; step < steps; ++step) {
    const Activations x =
        random_activations(rng.next(), job.type, job.graph.features(), samples, -1.0, 1.0);
    const int outputs = plan.values[static_cast<size_t>(plan.output)].features;
    Targets targets;
    for (int s = 0; s < samples; ++s) {
      targets.classes.push_back(static_cast<int>(rng.below(static_cast<uint64_t>(outputs))));
    }
    if (job.loss == "mean_squared_error") {
      targets.values = random_activations(rng.next(), job.type, outputs, samples, -1.0, 1.0);
    }
    const golden::MicroBatch want = golden.run(x, targets);
    ASSERT_EQ(grid.forward(memory, x).outputs.values, want.outputs.back().values);
    for (size_t v = 1; v < plan.values.size(); ++v) {
      if (!plan.values[v].kept || plan.values[v].addr == 0) continue;
      ASSERT_EQ(grid.read_value(static_cast<int>(v), samples).values, want.outputs[v - 1].values)
          << "values of " << plan.values[v].name;
    }
    const int slot = memory.gradient_slot();
    ASSERT_EQ(grid.train(memory, x, targets).outputs.values, want.outputs.back().values);
    const memoryx::Store& store = memory.store();
    for (size_t k = 0; k < store.tensors(); ++k) {
      const auto got = store.gradient(k, slot, 0, store.spec(k).elements());
      ASSERT_EQ(std::memcmp(got.begin(), want.gradients[k].data(), 4 * got.size()), 0)
          << "gradient of " << store.spec(k).name << " in step " << step;
    }
    memory.finish_step();
    golden.update({want});
    for (size_t k = 0; k < store.tensors(); ++k) {
      const auto got = store.weights(k, 0, store.spec(k).elements());
      ASSERT_EQ(std::memcmp(got.begin(), golden.parameters()[k].value.data(), 4 * got.size()), 0)
          << store.spec(k).name << " after step " << step;
    }
  }
}

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
