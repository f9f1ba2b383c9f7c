// SPDX-License-Identifier: Apache-2.0
// Estimates a job before it runs: cycles of its phases, needs at the edge, larger grids. The cycles
// are those of the phases that the tiles run, whose costs their kinds give (phase_cost.h), run
// through one recurrence (phase_time.h). Time outside the wafer comes beside them.
#ifndef OW_COMPILE_ESTIMATE_H_
#define OW_COMPILE_ESTIMATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/compile/executable.h"
#include "ow/compile/phase_cost.h"
#include "ow/compile/phase_time.h"
#include "ow/compile/placement.h"
#include "ow/compile/plan.h"
#include "ow/memoryx/memoryx.h"
#include "ow/memoryx/time_model.h"

namespace ow::jobs {

// The number of weights in a layer's streams: forward (one row per output), and transposed.
struct LayerWeights {
  WeightCount forward;
  WeightCount delta;
  uint64_t kept = 0;
};
// Those of a job's layers by its first values; all of them if `dense`.
std::vector<LayerWeights> weights_of(const TrainingJob& job, bool dense);
// Each weight is kept with probability `density`, drawn by the seed.
LayerWeights drawn_weights(const LayerShape& layer, int rows, double density, uint64_t seed);

// The weights of a training at a step, with the densities of its groups at that step.
std::vector<LayerWeights> training_weights(const TrainingJob& job, uint64_t step);

// Cycles of the host's part of a job, each with one cause.
struct JobCosts {
  uint64_t header = 6;  // of a packet of the control plane
  uint64_t step = 10;   // for the loss scale before a training's launch
  uint64_t end = 20;    // of a step: from the end of the last phase until the grid is at rest
  TileCosts tile;
};

struct PhaseEstimate {
  // "forward", "delta", "gradient", "loss", "samples" (on their way into the tiles), "results",
  // "end" (the grid comes to rest). Outside the wafer: "leaving" (gradients after the last
  // pass), "update", "loading" (of samples), "latency" (of the ways out and in).
  std::string name;
  int layer = -1;         // for passes
  uint64_t cycles = 0;    // on the slowest grid row, which may begin before the others
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

// What is estimated: the phases and streams of a job on a grid.
struct EstimateShape {
  // What they come from. A job without a loss is the run of a network.
  TrainingJob job;
  Choices choices;
  GridShape grid;
  int samples = 0;  // a tile
  int lanes = 8;
  int ring = 1;
  int micro_batches = 1;           // of a step, for one wafer
  std::vector<LayerShape> layers;  // those with matrices
  struct CostedPhase {
    Phase::Part part = Phase::Part::Forward;
    size_t layer = 0;
    PhaseCost cost;
  };
  std::vector<CostedPhase> phases;
  memoryx::StreamSchedule streams;              // of these phases
  std::vector<std::optional<size_t>> layer_of;  // a layer with this parameter, if it is a matrix
  std::vector<int> vectors;                     // features of parameters that stay in the tiles
  std::vector<int> values;                      // features of values that tiles keep, input first
  int outputs = 0;                              // features of the last value

  bool training() const { return !job.loss.empty(); }
};
// Of a training the part of a step that one of `wafers` wafers takes.
EstimateShape shape_of(const Plan& plan, const TrainingJob& job, int wafers = 1);
// The same job, with as many samples a tile, on another grid.
EstimateShape on_grid(const EstimateShape& shape, GridShape grid);

// Bytes of activations, input included, in the tile that has most. `stay`: of all layers; else of
// the inputs and outputs of the widest layer. Deltas need only a window besides (docs/training.md).
uint64_t activation_bytes(const EstimateShape& shape, bool stay);

// A batch that is in the tiles, from the first wavelet offered to the last result; or a step of a
// training that follows a step like it, on wafers that all take the same time. Each phase of a step
// has the cycles that it takes by itself; passes are those of the first micro-batch. The update and
// the phases before the passes overlap with the passes as far as data allow.
Estimate estimate_job(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                      const TimeModel& time, const JobCosts& costs = {});

// The number of weights that grid row `row` gets of a layer in a forward pass.
uint64_t stream_weights(const LayerShape& layer, const LayerWeights& weights, int row);

// A lower bound of a layer's cycles in a forward pass from its shape and weights: the largest of
// what the stream and the engine of the slowest grid row need, and what the reducers need together.
// Reducers do one output after another, one element a cycle, and each element passes all tiles of
// its column. So an output costs as many cycles as it has samples.
struct LayerBound {
  uint64_t stream = 0;
  uint64_t engine = 0;
  uint64_t reducer = 0;
  uint64_t cycles() const;
};
LayerBound layer_bound(const Plan& plan, size_t layer, const LayerWeights& weights);

// The needs for the preset `balanced`, from an estimate without time.
TimeNeeds needs_of(const EstimateShape& shape, const Estimate& ideal);

// The time model of a job with `stages` stages of SwarmX. `balanced` uses the job's own needs.
TimeModel time_of(const TimeOptions& options, const EstimateShape& shape,
                  const std::vector<LayerWeights>& weights, int stages = 0);

}  // namespace ow::jobs

#endif  // OW_COMPILE_ESTIMATE_H_
