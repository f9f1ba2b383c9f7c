// SPDX-License-Identifier: Apache-2.0
// A training's passes on a grid of tiles: weights stream in from MemoryX, gradients go back to it.
// plan.h says where everything is placed.
#ifndef OW_EXECUTE_TRAIN_GRID_H_
#define OW_EXECUTE_TRAIN_GRID_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ow/compile/plan.h"
#include "ow/execute/executor.h"
#include "ow/execute/tile_counts.h"
#include "ow/execute/train_time.h"
#include "ow/graph/training.h"
#include "ow/memoryx/gradient_sink.h"
#include "ow/memoryx/memoryx.h"
#include "ow/runtime/counters.h"
#include "ow/runtime/elf.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

// Cycles of the slowest tile for each pass of a layer.
struct LayerPassTimes {
  uint64_t forward = 0;
  uint64_t gradient = 0;  // includes the broadcast of its deltas, its biases and what else leaves
  uint64_t delta = 0;     // of its input; 0 for the first layer
};

// Cycles of the slowest tile for each part of a micro-batch.
struct TrainTimes {
  uint64_t forward = 0;
  uint64_t loss = 0;
  uint64_t gradients = 0;  // includes biases
  uint64_t deltas = 0;
};

void add_times(const TrainTimes& from, TrainTimes* to);

struct TrainRun {
  Activations outputs;  // of the last layer
  // From the first write of the micro-batch until the grid is at rest. What the host reads
  // afterwards does not count, whatever is modelled outside the wafer.
  uint64_t cycles = 0;
  // The part of `cycles` until samples and target values are in the tiles. The rest of what a
  // micro-batch needs goes in with its launch.
  uint64_t loaded = 0;
  uint64_t wavelets_in = 0;            // weights, positions and ends
  uint64_t gradients = 0;              // numbers that left the grid, including padding
  uint64_t row_wavelets = 0;           // of the grid row that took most
  uint64_t row_gradients = 0;          // of the grid row that sent most, without padding
  TrainTimes times;                    // empty for a forward pass alone
  std::vector<LayerPassTimes> layers;  // empty for a forward pass alone
  // Cycles of each phase, of the slowest tile, with those after it up to the next one that leaves
  // its end (leaves_end); these have 0. Empty for a forward pass alone.
  std::vector<uint64_t> phases;
  Counters counters{};  // sums over all tiles, in `cycles`; empty for a forward pass
                        // alone
  EdgeReport edge;      // what the grid waited for outside; empty if nothing there takes time
  // When the gradients left, in cycles of the training, for the wafer's last micro-batch of a step.
  // Empty for a forward pass alone.
  swarmx::WaferGradients left;
  // `cycles` if the phases came one by one: every tile waits for the slowest tile of each layer's
  // pass, and samples, updates and latencies come before it all.
  uint64_t one_by_one = 0;
};

class TrainGrid {
 public:
  // Loads the program. BadInput if the machine does not have the plan's tiles, or if a unit for
  // trainings is missing.
  TrainGrid(const Runtime& machine, const ElfImage& firmware, const Plan& plan);

  // Time outside the wafer, from the next micro-batch on. BadInput if the device is not simulated.
  void set_time(const TimeModel& model);
  // Runs all passes of a micro-batch of plan().batch() samples with the current weights of
  // `memory`, and adds its gradients there. DeviceFault with the hang report if the grid stops.
  TrainRun train(memoryx::WaferSide& memory, const Samples& samples, const Targets& targets);

  // Runs the forward pass alone, for at most plan().batch() samples; of tokens all slots.
  TrainRun forward(const memoryx::WaferSide& memory, const Samples& samples);

  // What the tiles keep of a value of the graph: its activations until train() replaces them with
  // deltas (those of the input and of the loss's input stay), and its deltas. Only the plan knows
  // whether something else has taken their place (ValuePlan::kept).
  Activations read_value(int value, int samples);
  Activations read_deltas(int value);

  // Called every few hundred cycles while the grid works.
  void on_progress(std::function<void()> call) {
    executor_.on_progress(progress_ = std::move(call));
  }

  // Where what each tile counts in train() is added; it must outlive this.
  void count_tiles(TileCounts* counts) { counts_ = counts; }

  const Plan& plan() const { return plan_; }

 private:
  void write_samples(const memoryx::WaferSide& memory, const Samples& samples);
  void write_tokens(const memoryx::WaferSide& memory, const Tokens& tokens);
  void write_targets(const Targets& targets);
  // Opens a stream. Writes the vectors, if they are new for the tiles, when they have arrived.
  void open(const memoryx::WaferSide& memory, int samples, bool labelled);
  // Runs the first `phases` phases. Each grid row sends so many numbers: those of `outputs`, then
  // gradients, which `sink` takes as they come; null: there are none.
  Launched launch(size_t phases, float scale, memoryx::WeightStream* weights,
                  const std::vector<uint64_t>& numbers, memoryx::GradientSink* sink = nullptr,
                  std::vector<std::vector<uint32_t>>* outputs = nullptr);
  // Words of outputs that leave in a grid row; and the outputs, from those of all rows.
  uint64_t output_words(int row) const;
  Activations outputs_of(const std::vector<std::vector<uint32_t>>& words) const;
  // Fills in the times of the slowest tile for each part, and returns those for all parts together.
  uint64_t take_times(const Launched& launched, TrainRun* run) const;
  // The cycle in which a micro-batch or a forward pass begins.
  uint64_t begin_passes(const memoryx::WaferSide& memory);

  Plan plan_;
  Executor executor_;
  std::function<void()> progress_;
  std::unique_ptr<TrainTime> time_;  // outside the wafer
  // The words of vectors that the tiles have (resident.h).
  std::vector<std::vector<std::vector<uint32_t>>> resident_;
  uint64_t rest_at_ = 0;  // cycle in which the grid came to rest
  TileCounts* counts_ = nullptr;
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_GRID_H_
