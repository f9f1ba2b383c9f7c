// SPDX-License-Identifier: Apache-2.0
// What a job costs before it runs: cycles of its phases, what it asks of the edge, how it scales.
// Streamed passes are reckoned by pass_time.h, gradients by gradient_time.h, what else a training
// does by sums whose constants stand in JobCosts.
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

// A layer's weights as streams have them: forward (a row an output), and the other way round.
struct LayerWeights {
  WeightCount forward;
  WeightCount delta;
  uint64_t kept = 0;
};
// Those of a network; every one if dense.
LayerWeights weights_of(const Layer& layer, int rows, bool dense);
// Each kept with probability `density`, drawn by the seed.
LayerWeights drawn_weights(const LayerShape& layer, int rows, double density, uint64_t seed);

// Those of a training at a step, with the densities that its groups have then.
std::vector<LayerWeights> training_weights(const TrainingJob& job, uint64_t step);

// What a job's parts take beside the streamed passes, in cycles, each by one cause.
struct JobCosts {
  PassCosts pass;
  uint64_t launch = 17;       // from the first wavelet offered to a tile's first instruction ...
  uint64_t launch_hop = 1;    // ... and a tile that the launch goes through
  uint64_t result = 67;       // the block of results: its program, its way to the edge
  uint64_t first_relay = 33;  // the block of the next tile
  uint64_t relay = 22;        // and each one farther in
  uint64_t header = 6;        // of a packet of the control plane
  uint64_t step = 10;         // a training's launch has its scale in front
  uint64_t last_word = 66;    // of a step: from the end of the gradients until the grid is at rest
  uint64_t last_hop = 40;     // .. and a column that the word goes through
  GradientCosts gradient;
  // Of a window's deltas behind an activation, beside what that takes a vector.
  uint64_t mask = 116;
};

struct PhaseEstimate {
  // "forward", "delta", "gradient", "loss", "samples" (on their way into the tiles), "results",
  // "end" (of a step: its last word's way out); and of what is outside the wafer "leaving"
  // (gradients behind the last pass), "update", "loading" (of samples), "latency" (of the ways out
  // and in).
  std::string name;
  int layer = -1;         // of passes
  uint64_t cycles = 0;    // on the slowest grid row
  uint64_t wavelets = 0;  // of the grid row that has most
  uint64_t engine = 0;    // of which its engine works
  uint64_t reducer = 0;   // what a reducer needs
  uint64_t ramp = 0;      // what a tile's ramp needs, for weights and for sums that it brings
  uint64_t edge = 0;      // what the edge needs
  // What holds it: "engine", "reducer" (with the ramp), "edge", or "" for what is no pass.
  std::string bound() const;
  // Bits a cycle and grid row with which the edge would not hold it.
  double needed_bits() const;
  // The least samples a tile with which an edge of so many bits would not.
  uint64_t samples_at(double bits) const;
  int samples = 0;  // a tile
};

struct Estimate {
  std::vector<PhaseEstimate> phases;
  uint64_t cycles = 0;         // of a batch, or a step
  uint64_t one_by_one = 0;     // .. if its phases did not overlap: the sum of all of them
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
  int piece = 0;                  // outputs of a gradient whose deltas a tile has room for; 0: all
  int window = 0;                 // features of a grid row of which deltas come at a time; 0: all
  std::vector<SumOrder> forward;  // of each layer; empty: round the column
  std::vector<SumOrder> delta;
  // Of a training.
  std::string loss = kShortLoss;
  bool updates_wait = false;  // for the last gradient of a step (ow/memoryx/update_time.h)
  int micro_batches = 1;      // of a step, that one wafer takes
};
EstimateShape shape_of(const StreamPlan& plan);
// The part of a step that one of so many wafers takes.
EstimateShape shape_of(const TrainPlan& plan, const TrainingJob& job, int wafers = 1);

// Bytes that activations take of the tile that has most, the input's too: of all layers if they
// stay, else of a layer's inputs and outputs, the widest. Deltas take no more beside them but a
// window (docs/training.md).
uint64_t activation_bytes(const EstimateShape& shape, bool stay);

// A batch that lies in the tiles: from the first wavelet that is offered to the last result.
Estimate estimate_inference(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                            const TimeModel& time, const JobCosts& costs = {});

// A step, behind another one like it, of wafers that all take the same. Phases are what each takes
// by itself, those of the passes in the first micro-batch; that of the update and those before the
// passes go on beside the passes as far as their data allow.
Estimate estimate_training(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                           const TimeModel& time, const JobCosts& costs = {});

// What `balanced` is made for: from an estimate without time.
TimeNeeds needs_of(const EstimateShape& shape, const Estimate& ideal);

// The time model of a job, with so many stages of SwarmX; `balanced` for what the job asks of the
// edge.
TimeModel time_of(const TimeOptions& options, const EstimateShape& shape,
                  const std::vector<LayerWeights>& weights, bool training, int stages = 0);

}  // namespace ow::jobs

#endif  // OW_COMPILE_ESTIMATE_H_
