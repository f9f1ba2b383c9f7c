// SPDX-License-Identifier: Apache-2.0
// A training's passes on a grid of tiles: weights stream in from MemoryX, gradients come out and go
// there. train_plan.h says where everything lies.
#ifndef OW_COMPILE_TRAIN_GRID_H_
#define OW_COMPILE_TRAIN_GRID_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ow/compile/train_plan.h"
#include "ow/compile/train_time.h"
#include "ow/device/control_plane.h"
#include "ow/memoryx/memoryx.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/program.h"
#include "ow/tensor/network.h"
#include "ow/tensor/training.h"

namespace ow::jobs {

// What the slowest tile took for each pass of a layer, in cycles.
struct LayerPassTimes {
  uint64_t forward = 0;
  uint64_t gradient = 0;  // the broadcast of its deltas and its biases too
  uint64_t delta = 0;     // of its input; not of the first layer
};

// .. for each part of a micro-batch.
struct TrainTimes {
  uint64_t forward = 0;
  uint64_t loss = 0;
  uint64_t gradients = 0;  // biases too
  uint64_t deltas = 0;
};

void add_times(const TrainTimes& from, TrainTimes* to);

struct TrainRun {
  Activations outputs;  // of the last layer
  // From the first write of the micro-batch to the grid at rest. What is read behind it for the
  // host is in none, whatever is modelled outside the wafer.
  uint64_t cycles = 0;
  // Of them, until the samples, and values to be reached, lie in the tiles; what else a micro-batch
  // begins with goes in with its launch.
  uint64_t loaded = 0;
  uint64_t wavelets_in = 0;            // weights, positions and ends
  uint64_t gradients = 0;              // numbers that left the grid, those without a meaning too
  uint64_t row_wavelets = 0;           // of the grid row that took most
  uint64_t row_gradients = 0;          // .. that has most, without those that mean nothing
  TrainTimes times;                    // nothing of a forward pass alone
  std::vector<LayerPassTimes> layers;  // likewise
  Counters counters{};                 // of all tiles together, in `cycles`; likewise
  EdgeReport edge;  // what the grid waited for outside; empty if that takes no time
  // When the gradients had left, in cycles of the training; likewise, and of the last micro-batch
  // alone that a wafer takes of a step.
  swarmx::WaferGradients left;
  // What `cycles` would be if its phases came one by one: every tile waits for the slowest one of
  // each layer's pass, samples are loaded, weights updated and a stream awaited in front of it all.
  uint64_t one_by_one = 0;
};

// How a plan's tiles take the streams of a step.
memoryx::StreamOptions stream_of(const TrainPlan& plan);

class TrainGrid {
 public:
  // Loads the program, routes, queues and the plan's parameters and starts the cores. `control` and
  // `firmware` must outlive it. BadInput if the device has not the tiles that the plan is for, or
  // lacks a unit that a training needs.
  TrainGrid(ControlPlane& control, const ElfImage& firmware, const TrainPlan& plan);

  // Time outside the wafer, from the next micro-batch on. BadInput if the device is not simulated.
  void set_time(const TimeModel& model);
  // A micro-batch, of plan().batch() samples: all passes with the weights that `memory` has now.
  // Its gradients are added there. DeviceFault with the hang report's text if the grid stops.
  TrainRun train(memoryx::WaferSide& memory, const Activations& x, const Targets& targets);

  // The forward pass alone, of at most plan().batch() samples.
  TrainRun forward(const memoryx::WaferSide& memory, const Activations& x);

  // What the tiles keep: the activations of tensor k (0: the input), until deltas take their place
  // in train() (all but those of the input and the last tensor); the deltas of it, of the last
  // tensor only until something else is gathered in their place (plan().last_gathered).
  Activations read_tensor(size_t k);
  Activations read_deltas(size_t k);

  // Called every few hundred cycles while the grid works.
  void on_progress(std::function<void()> call) { progress_ = std::move(call); }

  const TrainPlan& plan() const { return plan_; }

 private:
  void check_device() const;
  void check_orders(const TrainingJob& job) const;
  void set_routes();
  void bind_queues();
  void write_parameters();
  void write_input(const Activations& x);
  void write_targets(const Targets& targets);
  // What each grid row's tiles get of a layer's biases: {words} by layer and grid row.
  using Biases = std::vector<std::vector<std::vector<uint32_t>>>;
  Biases biases_of(const memoryx::WaferSide& memory) const;
  // Opens a stream, and writes the biases, if the tiles have others, when they are there.
  void open(const memoryx::WaferSide& memory, int samples, bool labelled);
  void write_biases(const Biases& biases);
  void launch(bool backward, float scale);
  template <typename Output, typename Position, typename PieceEnds>
  void each_gradient(const memoryx::WaferSide& memory, size_t k, const Output& output,
                     const Position& position, const PieceEnds& piece_ends) const;
  void end_piece(std::vector<size_t>* numbers, std::vector<size_t>* begin) const;
  // The numbers that each grid row sends in a micro-batch; or those of them that mean something.
  std::vector<size_t> gradients_of(const memoryx::WaferSide& memory, bool padded) const;
  // What each grid row brought before its last word.
  using Arrived = std::vector<std::vector<Arrival>>;
  // Streams and waits until each grid row has brought so many numbers and its last word, and until
  // the grid is at rest.
  Arrived stream(memoryx::WeightStream* weights, const std::vector<size_t>& numbers);
  void take_gradients(const Arrived& rows, memoryx::WaferSide* memory);
  // What the slowest tile took for each part, and for all of them together.
  uint64_t take_times(TrainRun* run);
  // `gathered`: where the grid rows' blocks stand one behind the other, each its own.
  Activations read(uint32_t addr, int features, int samples, bool gathered = false);
  // The cycle in which a micro-batch or a forward pass begins.
  uint64_t begin_passes(const memoryx::WaferSide& memory);

  ControlPlane& control_;
  const ElfImage& firmware_;
  TrainPlan plan_;
  std::function<void()> progress_;
  std::unique_ptr<TrainTime> time_;  // outside the wafer
  Biases biases_;                    // that the tiles have
  uint64_t rest_at_ = 0;             // cycle in which the grid came to rest
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_GRID_H_
