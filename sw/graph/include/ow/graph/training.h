// SPDX-License-Identifier: Apache-2.0
// The description of a training, or of a forward pass alone: only data, for the code that trains
// and for the code that checks it. docs/numerics.md (N12 to N21) says what the numbers mean. Steps
// count from 0.
#ifndef OW_GRAPH_TRAINING_H_
#define OW_GRAPH_TRAINING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ow/graph/chain.h"
#include "ow/graph/graph.h"
#include "ow/tensor/network.h"
#include "ow/tensor/sequences.h"
#include "ow/tensor/weights_file.h"

namespace ow {

// How a pass adds a layer's sums: round the grid column, or whole in the owner's tile.
enum class SumOrder { Column, Whole };

// A value over steps: pieces, one after the other. After the last piece its `to` holds.
struct SchedulePiece {
  // Slope never ends: `base` more with each step, but not beyond `to`. Repeat repeats the `steps`
  // pieces before it for ever. Each of them can only be the last piece.
  enum class Kind { Constant, Linear, Cosine, Cubic, Power, Slope, Repeat };
  Kind kind = Kind::Constant;
  double from = 0;
  double to = 0;
  uint64_t steps = 1;  // not 0; kForever: the last piece, which never ends
  double base = 1;     // Power: above 0 and at most 1; Slope: any
};
inline constexpr uint64_t kForever = UINT64_MAX;
using Schedule = std::vector<SchedulePiece>;  // not empty
inline Schedule constant_schedule(double value) {
  return {{SchedulePiece::Kind::Constant, value, value, 1, 1}};
}

// Steps at which something is due: those of the list. If the list is empty: every `every` steps
// from `start` up to, but not including, `stop`.
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
  double weight_decay = 0;  // matrices only
  double momentum = 0;      // SGD
  bool nesterov = false;    // SGD; needs a momentum
  double beta1 = 0.9;       // AdamW
  double beta2 = 0.999;
  // At least the smallest normal binary32, rounded up to digits that a message can show. A smaller
  // value may be 0 in binary32, and a weight whose gradient is always 0 would become 0 / 0.
  static constexpr double kLeastEpsilon = 1.1755e-38;
  double epsilon = 1e-8;
  double max_norm = 0;  // limit of the norm of all gradients; 0: no clipping
  // How many arrays of the parameter's size the optimizer keeps: 0, 1 or 2.
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
  // Until masks change for the first time, Zeros keeps nothing and Dense keeps everything.
  enum class Init { Random, Magnitude, Even, Zeros, Dense };
  // Whether equal parts of a matrix (of its inputs, or of its outputs) keep the same number of
  // weights each.
  enum class Balance { None, Inputs, Outputs };
  std::string pattern;  // of names, with a shell's wildcards: *, ?, [a-z]
  Algorithm algorithm = Algorithm::Static;
  Init init = Init::Random;
  Schedule density = constant_schedule(1);  // 0 to 1; a static mask uses the value of step 0
  Schedule drop = constant_schedule(0.3);   // SET, RigL: share of the kept that is replaced
  UpdateTimes update;
  Balance balance = Balance::None;
  int parts = 1;  // balanced: a divisor of the number of inputs or outputs
};

// First values of all parameters: those of a run, or those that a training continues from.
struct FirstValues {
  Weights values;
  std::string hash;  // of the file that they are from
};

struct TrainingJob {
  HalfType type = HalfType::Binary16;  // of weights in streams, activations and deltas
  // The network and its loss. Empty: the chain of the layers (graph_of).
  Graph graph;
  // The layers with matrices, in the order of the graph.
  std::vector<LayerShape> layers;
  std::string loss = kShortLoss;  // empty: a forward pass alone
  std::vector<SumOrder> forward;  // one per layer; empty: Column
  std::vector<SumOrder> delta;
  int grid_rows = 1;
  int grid_cols = 1;
  int samples = 32;       // per tile and micro-batch; 0: not chosen yet
  int micro_batches = 1;  // per step
  int sequence = 1;       // tokens of a sequence, if the samples are tokens
  OptimizerOptions optimizer;
  LossScaleOptions loss_scale;
  std::vector<SparsityGroup> sparsity;  // the first whose pattern matches counts; no match: dense
  uint64_t seed = 1;
  std::shared_ptr<const FirstValues> first;  // null: drawn by the seed (N21)

  uint64_t micro_batch() const {
    return static_cast<uint64_t>(samples) * static_cast<uint64_t>(grid_cols);
  }
  uint64_t batch() const { return micro_batch() * static_cast<uint64_t>(micro_batches); }
  // In sequences, or in samples of numbers.
  uint64_t micro_batch_sequences() const { return micro_batch() / static_cast<uint64_t>(sequence); }
  uint64_t batch_sequences() const { return batch() / static_cast<uint64_t>(sequence); }
};

// A job for a forward pass alone: without a loss, and nothing is kept for an optimizer.
TrainingJob forward_job();
// That of a network with its weights, on a grid of rows x columns tiles.
TrainingJob forward_job(const Network& network, int rows, int columns, int samples = 0);

// The tokens of a micro-batch. A slot is the place of a sample. A sequence lies in neighbouring
// slots and begins at a multiple of kSlotGroup, so every group of slots belongs to one sequence.
struct Tokens {
  std::vector<int> ids;     // one per slot: whole groups
  std::vector<int> starts;  // one per group: the slot at which its sequence begins
  // Of a slot, in its sequence.
  int start_of(size_t slot) const { return starts[slot / kSlotGroup]; }
  int position_of(size_t slot) const { return static_cast<int>(slot) - start_of(slot); }
};

// Sequences of `length` tokens one after the other, and empty slots after them.
Tokens tokens_of(const std::vector<int>& ids, int length, size_t slots);

// The samples of a micro-batch: numbers in the network's type [features x samples], or tokens.
struct Samples {
  Samples() = default;
  Samples(Activations x) : numbers(std::move(x)) {}  // NOLINT(google-explicit-constructor)
  Samples(Tokens t) : tokens(std::move(t)) {}        // NOLINT(google-explicit-constructor)
  bool of_tokens() const { return !tokens.ids.empty(); }
  int count() const { return of_tokens() ? static_cast<int>(tokens.ids.size()) : numbers.samples; }
  Activations numbers;
  Tokens tokens;
};

// The targets of samples: one class per sample, or kNoToken, or values [outputs x samples].
struct Targets {
  std::vector<int> classes;
  Activations values;
};

// The job's graph, or the chain of its layers, with its loss. BadInput as chain_graph.
Graph graph_of(const TrainingJob& job);

}  // namespace ow

#endif  // OW_GRAPH_TRAINING_H_
