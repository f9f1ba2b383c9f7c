// SPDX-License-Identifier: Apache-2.0
// Weights are streamed: no tile keeps one.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "options.h"
#include "ow/base/temporary_directory.h"
#include "ow/measure/weight_search.h"
#include "ow/tensor/half.h"
#include "trainings.h"

namespace ow {
namespace {

using jobs::TrainMode;
using jobs::TrainParams;
using jobs::TrainReport;

// What was found of a training's weights in the SRAM of its wafer.
struct Found {
  Device* wafer = nullptr;
  uint64_t searches = 0;  // of all tiles
  uint64_t runs = 0;      // that were looked for, in all searches
  uint64_t places = 0;    // that hold some of them
};

// The golden model as the reference. After the first and the last step of the tiles, before the
// update, it looks for the weights of the step in every tile's SRAM.
class SearchingReference : public jobs::TrainReference {
 public:
  SearchingReference(const TrainingJob& job, const Graph& graph, uint64_t steps, Found* found)
      : job_(job), steps_(steps), found_(*found), golden_(golden::training_reference(job, graph)) {}

  void begin(const memoryx::MemoryX& memory) override { golden_->begin(memory); }
  Activations run(const Samples& samples, const ow::Targets& targets) override {
    return golden_->run(samples, targets);
  }
  void update() override {
    ++step_;
    if (step_ == 1 || step_ == steps_) search();
    golden_->update();
  }
  const std::vector<float>& weights(size_t parameter) const override {
    return golden_->weights(parameter);
  }
  Activations forward(const Samples& samples) const override { return golden_->forward(samples); }

 private:
  void search() {
    Network network;
    size_t parameter = 0;
    for (const LayerShape& shape : job_.layers) {
      Layer layer;
      static_cast<LayerShape&>(layer) = shape;
      for (const float w : golden_->weights(parameter)) {
        layer.weights.push_back(to_half(job_.type, static_cast<double>(w)));
      }
      parameter += shape.bias ? 2 : 1;
      network.layers.push_back(std::move(layer));
    }
    const bench::WeightSearch search(network, job_.grid_rows);
    ControlPlane control(*found_.wafer);
    ++found_.searches;
    found_.runs += search.runs();
    found_.places += search.found(&control);
  }

  const TrainingJob job_;
  const uint64_t steps_;
  Found& found_;
  const std::unique_ptr<jobs::TrainReference> golden_;
  uint64_t step_ = 0;
};

// The training on the tiles of one wafer, whose SRAM is searched.
TrainReport train(const TrainParams& params, TrainMode mode) {
  Found found;
  jobs::RunOptions run = checked_on_rtl(mode);
  run.make = [&found](GridShape grid) {
    auto wafer = make_device(DeviceKind::Replicated, grid);
    found.wafer = wafer.get();
    return wafer;
  };
  run.train_reference = [&](const TrainingJob& job, const Graph& graph) {
    return std::make_unique<SearchingReference>(job, graph, params.steps, &found);
  };
  const TrainReport report = run_training(params, run);
  EXPECT_GT(found.searches, 0u);
  EXPECT_GT(found.runs, 0u);
  EXPECT_EQ(found.places, 0u) << "places in the tiles' SRAM that hold weights";
  EXPECT_GT(report.compared, 0u);
  EXPECT_EQ(report.different, 0u) << report.first_difference;
  return report;
}

TEST(StreamedWeights, ASparseNetworkTrainsAndNoTileHoldsAWeight) {
  const TemporaryDirectory scratch;
  write_images(scratch.path(), test_option("OW_SEED", 1), 4096);
  TrainParams p = image_job(scratch.path(), {4, 4}, 32, {784, 128, 10}, 0.1);
  p.steps = 20;
  const TrainReport rtl = train(p, TrainMode::TrainAndEval);
  EXPECT_EQ(rtl.evaluations.back().different, 0u);
  p.steps = 2000;
  jobs::RunOptions run = checked_on_rtl(TrainMode::TrainAndEval);
  run.make = nullptr;
  EXPECT_EQ(run_training(p, run).different, 0u) << "golden in the tiles' place";
}

TEST(StreamedWeights, FourTimesAsManyAsTheSramHoldsAreTrained) {
  constexpr size_t kTimes = 4, kTiles = 4;
  const TemporaryDirectory scratch;
  write_images(scratch.path(), test_option("OW_SEED", 1), 4096);
  TrainParams p = image_job(scratch.path(), {2, 2}, 8, {784, 512, 10}, 1);
  p.steps = 3;
  const TrainReport report = train(p, TrainMode::Train);
  EXPECT_GE(2 * report.weights, kTimes * kTiles * jobs::kFullTile.sram_bytes);
}

}  // namespace
}  // namespace ow
