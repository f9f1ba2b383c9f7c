// SPDX-License-Identifier: Apache-2.0
// What a training is told: data alone, for whoever trains and for whoever checks it. What the
// numbers mean stands in docs/numerics.md (N12 to N21). Steps count from 0.
#ifndef OW_TENSOR_TRAINING_H_
#define OW_TENSOR_TRAINING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/tensor/graph.h"
#include "ow/tensor/network.h"

namespace ow {

// How a pass adds up a layer's sums: round the grid column, or whole in the owner's tile.
enum class SumOrder { Column, Whole };

// A value over steps: pieces one behind the other; behind the last one its `to` holds.
struct SchedulePiece {
  // Slope goes on for good, `base` more with each step, not beyond `to`; Repeat, behind all others,
  // begins again with the last `steps` pieces in front of it. Both are the last piece.
  enum class Kind { Constant, Linear, Cosine, Cubic, Power, Slope, Repeat };
  Kind kind = Kind::Constant;
  double from = 0;
  double to = 0;
  uint64_t steps = 1;  // not 0; kForever: of the last piece, which goes on for good
  double base = 1;     // of Power, above 0 and at most 1; of Slope, any
};
inline constexpr uint64_t kForever = UINT64_MAX;
using Schedule = std::vector<SchedulePiece>;  // not empty
inline Schedule constant_schedule(double value) {
  return {{SchedulePiece::Kind::Constant, value, value, 1, 1}};
}

// Steps at which something is due: those of the list, or, if it is empty, every `every` steps from
// `start` up to but not including `stop`.
struct UpdateTimes {
  uint64_t start = 0;
  uint64_t stop = UINT64_MAX;
  uint64_t every = 1;  // not 0
  std::vector<uint64_t> steps;
};

struct OptimizerOptions {
  enum class Kind { Sgd, AdamW };
  Kind kind = Kind::AdamW;
  Schedule rate = constant_schedule(0.001);
  double weight_decay = 0;  // of matrices
  double momentum = 0;      // SGD
  bool nesterov = false;    // SGD; needs a momentum
  double beta1 = 0.9;       // AdamW
  double beta2 = 0.999;
  // Not below the smallest normal binary32, rounded up to digits that a message shows: what is less
  // may be 0 in binary32, and a weight whose gradient is always 0 would be 0 / 0.
  static constexpr double kLeastEpsilon = 1.1755e-38;
  double epsilon = 1e-8;
  double max_norm = 0;  // of all gradients together; 0: not clipped
  // Arrays of the parameter's size that the optimizer keeps: 0, 1 or 2.
  int moments() const { return kind == Kind::AdamW ? 2 : momentum != 0 ? 1 : 0; }
};

// Powers of two.
struct LossScaleOptions {
  double initial = 1;
  bool dynamic = false;
  uint64_t interval = 2000;  // steps without an overflow after which it doubles
  double most = 16777216;
};

struct SparsityGroup {
  enum class Algorithm { Static, Gradual, Set, Rigl };
  // Zeros keeps nothing and Dense everything until masks change for the first time.
  enum class Init { Random, Magnitude, Even, Zeros, Dense };
  // Whether as many weights are kept in each of several equal parts of a matrix: of its inputs, or
  // of its outputs.
  enum class Balance { None, Inputs, Outputs };
  std::string pattern;  // of names, as a shell's: *, ?, [a-z]
  Algorithm algorithm = Algorithm::Static;
  Init init = Init::Random;
  Schedule density = constant_schedule(1);  // 0 to 1; a static mask has that of step 0
  Schedule drop = constant_schedule(0.3);   // SET and RigL: the share of the kept that is replaced
  UpdateTimes update;
  Balance balance = Balance::None;
  int parts = 1;  // of a balanced one: a divisor of the inputs, or outputs
};

struct TrainingJob {
  HalfType type = HalfType::Binary16;  // of weights in streams, activations and deltas
  // What is computed, and streamed: one behind the other, and the loss behind the last one. Who
  // computes by a graph gets their chain (graph_of), or that which they were lowered from.
  std::vector<LayerShape> layers;
  std::string loss = kShortLoss;
  std::vector<SumOrder> forward;  // one a layer; empty: Column
  std::vector<SumOrder> delta;
  int grid_rows = 1;
  int grid_cols = 1;
  int samples = 32;       // a tile and micro-batch
  int micro_batches = 1;  // a step
  OptimizerOptions optimizer;
  LossScaleOptions loss_scale;
  std::vector<SparsityGroup> sparsity;  // the first whose pattern matches; none: dense
  uint64_t seed = 1;

  uint64_t micro_batch() const {
    return static_cast<uint64_t>(samples) * static_cast<uint64_t>(grid_cols);
  }
  uint64_t batch() const { return micro_batch() * static_cast<uint64_t>(micro_batches); }
};

// What samples are trained towards: a class a sample, or values [outputs x samples].
struct Targets {
  std::vector<int> classes;
  Activations values;
};

// The chain of the job's layers, with its loss. BadInput as chain_graph.
Graph graph_of(const TrainingJob& job);

}  // namespace ow

#endif  // OW_TENSOR_TRAINING_H_
