// SPDX-License-Identifier: Apache-2.0
// Trainings of graphs step by step, on simulated tiles against golden: every output, gradient and
// weight, bit for bit.
#ifndef OW_TB_SW_COMPILE_GRAPH_STEPS_H_
#define OW_TB_SW_COMPILE_GRAPH_STEPS_H_

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/rng.h"
#include "ow/compile/lowering.h"
#include "ow/execute/train_grid.h"
#include "ow/golden/train.h"
#include "ow/memoryx/memoryx.h"
#include "ow/sim/sim.h"

namespace ow::jobs {

// A graph as it grows.
class Growing {
 public:
  explicit Growing(int features) : graph_(features) {}
  explicit Growing(Graph graph) : graph_(std::move(graph)) {}

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
    if (kind == "layer_norm" || kind == "rms_norm") op.attributes = {{"epsilon", 1e-5}};
    return add(std::move(op));
  }
  std::string with(const std::string& kind, const std::vector<std::string>& from,
                   const std::map<std::string, double>& options) {
    Op op = begin(kind, from);
    op.attributes = options;
    return add(std::move(op));
  }
  const Graph& graph() const { return graph_; }
  Graph end(const std::string& value, const std::string& loss,
            const std::map<std::string, double>& options = {}) {
    Op op = begin(loss, {value, kTargetsTensor});
    op.attributes = options;
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

inline TrainingJob job_of(Graph graph, GridShape grid, int samples) {
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

// A micro-batch for the job.
struct StepInput {
  Samples samples;
  Targets targets;
};
inline StepInput random_input(const TrainingJob& job, int outputs, Rng* rng) {
  StepInput in;
  const auto samples = static_cast<int>(job.micro_batch());
  in.samples = random_activations(rng->next(), job.type, job.graph.features(), samples, -1.0, 1.0);
  for (int s = 0; s < samples; ++s) {
    in.targets.classes.push_back(static_cast<int>(rng->below(static_cast<uint64_t>(outputs))));
  }
  if (job.loss == "mean_squared_error") {
    in.targets.values = random_activations(rng->next(), job.type, outputs, samples, -1.0, 1.0);
  }
  return in;
}

// Steps of the job with what `input(step)` gives, on tiles and by golden; at each all is compared.
template <typename Input>
void compare_steps(const TrainingJob& job, int steps, const Input& input,
                   const std::optional<Choices>& choices = {}) {
  const Runtime machine =
      make_runtime(make_device(DeviceKind::Replicated, GridShape{job.grid_rows, job.grid_cols}));
  const TileConfig tile = tile_of(machine);
  const ElfImage image = program_of(job, training_programs(OW_FIRMWARE_DIR, job.type), tile);
  const Plan plan = make_plan("test", job, image, tile, choices);
  TrainGrid grid(machine, image, plan);
  golden::Trainer golden(job, job.graph);
  memoryx::MemoryX memory(job, {});
  memory.begin();
  const auto slots = static_cast<int>(job.micro_batch());
  for (int step = 0; step < steps; ++step) {
    const StepInput in = input(step);
    const golden::MicroBatch want = in.samples.of_tokens()
                                        ? golden.run(in.samples.tokens, in.targets)
                                        : golden.run(in.samples.numbers, in.targets);
    ASSERT_EQ(grid.forward(memory, in.samples).outputs.values, want.outputs.back().values);
    for (size_t v = 1; v < plan.values.size(); ++v) {
      if (!plan.values[v].kept || plan.values[v].addr == 0) continue;
      ASSERT_EQ(grid.read_value(static_cast<int>(v), slots).values, want.outputs[v - 1].values)
          << "values of " << plan.values[v].name;
    }
    const int slot = memory.gradient_slot();
    ASSERT_EQ(grid.train(memory, in.samples, in.targets).outputs.values,
              want.outputs.back().values);
    const memoryx::Store& store = memory.store();
    for (size_t k = 0; k < store.tensors(); ++k) {
      const auto got = store.gradient(k, slot, 0, store.spec(k).elements());
      ASSERT_EQ(std::memcmp(got.begin(), want.gradients[k].data(), 4 * got.size()), 0)
          << "gradient of " << store.spec(k).name << " in step " << step;
    }
    memory.finish_step(want.ignored);
    golden.update({want});
    for (size_t k = 0; k < store.tensors(); ++k) {
      const auto got = store.weights(k, 0, store.spec(k).elements());
      ASSERT_EQ(std::memcmp(got.begin(), golden.parameters()[k].value.data(), 4 * got.size()), 0)
          << store.spec(k).name << " after step " << step;
    }
  }
}

inline void compare_steps(const TrainingJob& job, int steps) {
  Rng rng(7);
  compare_steps(job, steps,
                [&](int /*step*/) { return random_input(job, job.graph.outputs(), &rng); });
}

}  // namespace ow::jobs

#endif  // OW_TB_SW_COMPILE_GRAPH_STEPS_H_
