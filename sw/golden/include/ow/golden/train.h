// SPDX-License-Identifier: Apache-2.0
// The reference training: what wafer and host must compute together, step by step and bit for bit
// (docs/numerics.md, N12 to N21). Optimizers, masks and losses are written for it alone. It knows
// three things of the machine: the job's grid, its samples per tile and its orders of sums. It
// trains a graph, layer by layer, and ignores how the machine groups layers (TrainingJob::layers).
// The graph may be one that no program of the tiles can run.
#ifndef OW_GOLDEN_TRAIN_H_
#define OW_GOLDEN_TRAIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/golden/numerics.h"
#include "ow/graph/graph.h"
#include "ow/graph/training.h"
#include "ow/tensor/network.h"

namespace ow::golden {

struct LayerPass;

// A matrix or table [rows, columns] stored row by row, or a bias (one column). `mask` is empty, or
// has 1 for each weight that is kept. `first` and `second` are the optimizer's, and empty if it has
// none.
struct Parameter {
  std::string name;
  size_t rows = 0;
  size_t columns = 0;
  bool matrix = false;  // or a table
  int group = -1;       // index in the job's sparsity; -1: dense
  std::vector<float> value, first, second;
  std::vector<uint8_t> mask;

  size_t kept() const;
};

using ow::Targets;
using ow::Tokens;

struct MicroBatch {
  std::vector<Activations> outputs;           // one per layer, except the loss
  std::vector<Activations> deltas;            // of the outputs; empty if none arrive
  std::vector<std::vector<float>> gradients;  // one per parameter; 0 outside the mask unless dense
  double loss = 0;                            // mean over the samples that count, unscaled
  uint64_t ignored = 0;                       // samples whose target is ignored
};

// For each streamed layer, the grid rows that a sum of its forward pass goes round: 1 if it is
// whole (N12).
std::vector<int> forward_rows(const TrainingJob& job);

class Trainer {
 public:
  // Starts with the first weights and masks. InternalError for a job that makes no sense, or whose
  // layers have other parameters than the graph's. BadInput as graph_of.
  Trainer(const TrainingJob& job, const Graph& graph);
  explicit Trainer(const TrainingJob& job) : Trainer(job, graph_of(job)) {}

  // `x` is in the network's type, inputs x (samples per tile x grid columns). Changes nothing.
  MicroBatch run(const Activations& x, const Targets& targets) const;
  // For a graph of tokens. InternalError also for tokens outside a table, for sequences that do not
  // begin as Tokens says, or for tiles that do not hold whole groups of slots.
  MicroBatch run(const Tokens& tokens, const Targets& targets) const;

  // Only the outputs of all layers except the loss, which there need not be, for any number of
  // samples. `zeros`: weights of zero take part, too.
  std::vector<Activations> forward(const Activations& x, bool zeros = false) const {
    return forward({x, nullptr, zeros});
  }
  std::vector<Activations> forward(const Tokens& tokens) const;

  struct Result {
    bool skipped = false;
    double loss = 0;             // mean over the step
    std::optional<double> norm;  // of the gradients, if they are clipped
    float rate = 0;
  };
  // Updates by the micro-batches of a step, in their order, as many as the job says. With
  // Masks::Keep no mask changes: so a test sees the weights that choose the next masks.
  enum class Masks { Change, Keep };
  Result update(const std::vector<MicroBatch>& batches, Masks masks = Masks::Change);

  // Continues from a state of the same job (from a checkpoint).
  void restore(std::vector<Parameter> parameters, uint64_t step, uint64_t updates, float loss_scale,
               uint64_t good_steps);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  uint64_t step() const { return step_; }
  uint64_t updates() const { return updates_; }
  float loss_scale() const { return scale_; }
  // The trained network: weights rounded to the job's type, zeros without a sign. InternalError for
  // a graph that is no chain of layers with weights, each with an activation or none.
  Network network() const;

  // Indices into MicroBatch::outputs for the k-th layer with a matrix: its own output, and that of
  // its activation (the same index if it has none).
  size_t sum_of(size_t layer) const;
  size_t tensor_of(size_t layer) const;

 private:
  struct Node {
    int matrix = -1;     // its number among the operations with a matrix; -1: none
    bool moves = false;  // it has parameters, or an operation that it takes from does
  };
  struct Samples {
    const Activations& x;  // of tokens: no values
    const Tokens* tokens;
    bool zeros;
  };
  MicroBatch run(const Samples& samples, const Targets& targets) const;
  std::vector<Activations> forward(const Samples& samples) const;
  void add_node(size_t n);
  size_t computed() const { return graph_.ops.size() - (graph_.has_loss() ? 1 : 0); }
  bool has_parameters_of(const std::vector<LayerShape>& layers) const;
  static void begin_matrix(Rng* rng, Parameter* p);
  Numerics numerics_of(size_t n) const;
  // `numerics` must live as long as the pass.
  LayerPass pass_of(size_t n, const Numerics& numerics, const Samples& samples,
                    const std::vector<Activations>& outputs) const;
  bool moves(int value) const;
  bool wants_dense(size_t parameter) const;
  void optimize(const std::vector<std::vector<float>>& gradients, float clip);
  void change_masks(const std::vector<std::vector<float>>& gradients);

  TrainingJob job_;
  Graph graph_;
  std::vector<Parameter> parameters_;
  std::vector<Node> nodes_;       // one per operation of the graph
  std::vector<size_t> matrices_;  // the operations with a matrix
  uint64_t step_ = 0;
  uint64_t updates_ = 0;
  float scale_;
  uint64_t good_ = 0;
};

// The values of all operations of a job's graph but the loss, with its first values; `zeros`:
// weights of zero take part, too.
std::vector<Activations> run_forward(const TrainingJob& job, const Activations& x, bool zeros);

// The samples of a step (N88): job.batch() numbers in 0 .. samples - 1.
std::vector<uint64_t> samples_of_step(const TrainingJob& job, uint64_t samples, uint64_t step);

}  // namespace ow::golden

#endif  // OW_GOLDEN_TRAIN_H_
