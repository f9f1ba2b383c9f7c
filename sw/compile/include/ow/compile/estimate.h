// SPDX-License-Identifier: Apache-2.0
// Estimates a job before it runs: cycles of its phases, needs at the edge, larger grids.
// pass_time.h models streamed passes and gradient_time.h gradients. The rest of a training is a sum
// whose constants are in JobCosts.
//
// A step on RTL tiles is held to 5 % (EstimateTraining.* in tb/sw/compile). A forward pass with
// gathered inputs is 90 to 210 cycles too short, which is up to 6.5 % of the smallest passes.
#ifndef OW_COMPILE_ESTIMATE_H_
#define OW_COMPILE_ESTIMATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/compile/gradient_time.h"
#include "ow/compile/pass_time.h"
#include "ow/compile/plan.h"
#include "ow/compile/train_plan.h"
#include "ow/memoryx/memoryx.h"
#include "ow/memoryx/time_model.h"

namespace ow::jobs {

// The number of weights in a layer's streams: forward (one row per output), and transposed.
struct LayerWeights {
  WeightCount forward;
  WeightCount delta;
  uint64_t kept = 0;
};
// The weights of a network; all of them if `dense`.
LayerWeights weights_of(const Layer& layer, int rows, bool dense);
// Each weight is kept with probability `density`, drawn by the seed.
LayerWeights drawn_weights(const LayerShape& layer, int rows, double density, uint64_t seed);

// The weights of a training at a step, with the densities of its groups at that step.
std::vector<LayerWeights> training_weights(const TrainingJob& job, uint64_t step);

// Cycles of a job's parts beside the streamed passes. Each constant has one cause. They are fitted
// to the program as it is; tests compare the result with RTL tiles.
struct JobCosts {
  PassCosts pass;
  uint64_t launch = 17;       // from the first wavelet offered to a tile's first instruction ...
  uint64_t launch_hop = 1;    // ... and for each tile that the launch passes
  uint64_t result = 67;       // the block of results: its program and its way to the edge
  uint64_t first_relay = 33;  // the block of the next tile
  uint64_t relay = 22;        // and of each tile further inside
  uint64_t header = 6;        // of a packet of the control plane
  uint64_t step = 10;         // for the loss scale before a training's launch
  uint64_t last_word = 66;    // of a step: from the end of the gradients until the grid is at rest
                              // ...
  uint64_t last_hop = 40;     // ... and for each column that the last word passes
  GradientCosts gradient;
  // For a window of deltas after an activation, besides the cycles of its vectors.
  uint64_t mask = 116;
};

struct PhaseEstimate {
  // "forward", "delta", "gradient", "loss", "samples" (on their way into the tiles), "results",
  // "end" (a step's last word leaves). Outside the wafer: "leaving" (gradients after the last
  // pass), "update", "loading" (of samples), "latency" (of the ways out and in).
  std::string name;
  int layer = -1;         // for passes
  uint64_t cycles = 0;    // on the slowest grid row
  uint64_t wavelets = 0;  // of the grid row that has most
  uint64_t engine = 0;    // cycles of its engine
  uint64_t reducer = 0;   // cycles that a reducer needs
  uint64_t ramp = 0;      // cycles that a tile's ramp needs for weights and for received sums
  uint64_t edge = 0;      // cycles that the edge needs
  // What limits it: "engine", "reducer" (with the ramp), "edge", or "" if it is not a pass.
  std::string bound() const;
  // The bits per cycle and grid row from which on the edge does not limit it.
  double needed_bits() const;
  // The fewest samples a tile with which an edge of `bits` does not limit it.
  uint64_t samples_at(double bits) const;
  int samples = 0;  // a tile
};

struct Estimate {
  std::vector<PhaseEstimate> phases;
  uint64_t cycles = 0;         // of a batch or a step
  uint64_t one_by_one = 0;     // sum of all phases, as if none overlapped
  uint64_t multiply_adds = 0;  // useful
  uint64_t tiles = 0;
  int lanes = 0;
  double utilisation() const;
};

struct EstimateShape {
  GridShape grid;
  int samples = 0;  // a tile
  int lanes = 8;
  int ring = 1;
  std::vector<LayerShape> layers;
  int piece = 0;                  // outputs whose deltas a tile can hold in a gradient pass; 0: all
  int window = 0;                 // features of a grid row in a window of deltas; 0: all
  std::vector<SumOrder> forward;  // one for each layer; empty: round the column
  std::vector<SumOrder> delta;
  // The rest is for trainings.
  std::string loss = kShortLoss;
  bool updates_wait = false;  // updates wait for the last gradient of a step
                              // (ow/memoryx/update_time.h)
  int micro_batches = 1;      // of a step, for one wafer
};
EstimateShape shape_of(const StreamPlan& plan);
// The part of a step that one of `wafers` wafers takes.
EstimateShape shape_of(const TrainPlan& plan, const TrainingJob& job, int wafers = 1);

// Bytes of activations, input included, in the tile that has most. `stay`: of all layers; else of
// the inputs and outputs of the widest layer. Deltas need only a window besides (docs/training.md).
uint64_t activation_bytes(const EstimateShape& shape, bool stay);

// A batch that is in the tiles: from the first wavelet offered to the last result.
Estimate estimate_inference(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                            const TimeModel& time, const JobCosts& costs = {});

// A step that follows a step like it, on wafers that all take the same time. Each phase has the
// cycles that it takes by itself; passes are those of the first micro-batch. The update and the
// phases before the passes overlap with the passes as far as data allow.
Estimate estimate_training(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                           const TimeModel& time, const JobCosts& costs = {});

// The needs for the preset `balanced`, from an estimate without time.
TimeNeeds needs_of(const EstimateShape& shape, const Estimate& ideal);

// The time model of a job with `stages` stages of SwarmX. `balanced` uses the job's own needs.
TimeModel time_of(const TimeOptions& options, const EstimateShape& shape,
                  const std::vector<LayerWeights>& weights, bool training, int stages = 0);

}  // namespace ow::jobs

#endif  // OW_COMPILE_ESTIMATE_H_
