// SPDX-License-Identifier: Apache-2.0
// The reference training: what wafer and host must compute together, step by step and bit for bit
// (docs/numerics.md, N12 to N21). Optimizers, masks and losses are written for it alone. The
// machine enters by the job's grid, samples a tile and orders of sums only. What is trained is a
// graph, layer by layer; how the machine groups its layers (TrainingJob::layers) is not looked at,
// and a graph may be one that no program of the tiles does.
#ifndef OW_GOLDEN_TRAIN_H_
#define OW_GOLDEN_TRAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/tensor/graph.h"
#include "ow/tensor/network.h"
#include "ow/tensor/training.h"

namespace ow::golden {

struct LayerPass;

// A matrix [rows, columns] row by row, or a bias (one column). `mask` is empty or has 1 where the
// weight is kept; first and second are the optimizer's, empty where it has none.
struct Parameter {
  std::string name;
  size_t rows = 0;
  size_t columns = 0;
  bool matrix = false;
  int group = -1;  // of the job's sparsity; -1: dense
  std::vector<float> value, first, second;
  std::vector<uint8_t> mask;

  size_t kept() const;
};

using ow::Targets;

struct MicroBatch {
  std::vector<Activations> outputs;           // of each layer of the graph but the loss
  std::vector<Activations> deltas;            // of these; empty where none come
  std::vector<std::vector<float>> gradients;  // of each parameter; 0 outside the mask unless dense
  double loss = 0;                            // mean over the samples, unscaled
};

// The grid rows that a sum of each streamed layer's forward pass goes round: 1 where it is whole
// (N12).
std::vector<int> forward_rows(const TrainingJob& job);

class Trainer {
 public:
  // With the first weights and masks. InternalError for a job that makes no sense, or that has
  // layers with other parameters than the graph's; BadInput as graph_of.
  Trainer(const TrainingJob& job, const Graph& graph);
  explicit Trainer(const TrainingJob& job) : Trainer(job, graph_of(job)) {}

  // `x`: the network's type, inputs x (samples a tile x grid columns). Changes nothing.
  MicroBatch run(const Activations& x, const Targets& targets) const;

  // The outputs of all layers but the loss alone, of any number of samples.
  std::vector<Activations> forward(const Activations& x) const;

  struct Result {
    bool skipped = false;
    double loss = 0;  // mean over the step
    double norm = 0;  // of the gradient, if it is to be clipped
    float rate = 0;
  };
  // The update by the micro-batches of a step, as many as the job says, in their order. With
  // Masks::Keep no mask changes, which shows by what weights the next ones are chosen.
  enum class Masks { Change, Keep };
  Result update(const std::vector<MicroBatch>& batches, Masks masks = Masks::Change);

  // Goes on from a state of the same job (a checkpoint's).
  void restore(std::vector<Parameter> parameters, uint64_t step, uint64_t updates, float loss_scale,
               uint64_t good_steps);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  uint64_t step() const { return step_; }
  uint64_t updates() const { return updates_; }
  float loss_scale() const { return scale_; }
  // Weights rounded to the job's type, zeros without a sign. InternalError for a graph that is no
  // chain of layers with weights, each with an activation or none.
  Network network() const;

  // Where MicroBatch has the k-th layer with a matrix: what it gives, and what its activation makes
  // of that, which is the same if it has none.
  size_t sum_of(size_t layer) const;
  size_t tensor_of(size_t layer) const;

 private:
  struct Node {
    std::vector<int> inputs;  // the nodes that give them; -1: the samples do
    std::vector<size_t> parameters;
    int features = 0;
    int matrix = -1;     // its number among the layers that have one
    bool moves = false;  // it, or what it takes from, has parameters
  };
  void add_node(const GraphLayer& layer, Rng* rng);
  bool has_parameters_of(const std::vector<LayerShape>& layers) const;
  void begin_matrix(Rng* rng, Parameter* p) const;
  LayerPass pass_of(size_t n, const Activations& x, const std::vector<Activations>& outputs) const;
  bool wants_dense(size_t parameter) const;
  void optimize(const std::vector<std::vector<float>>& gradients, float clip);
  void change_masks(const std::vector<std::vector<float>>& gradients);

  TrainingJob job_;
  Graph graph_;
  std::vector<Parameter> parameters_;
  std::vector<Node> nodes_;       // of each layer of the graph
  std::vector<size_t> matrices_;  // the nodes that have one
  uint64_t step_ = 0;
  uint64_t updates_ = 0;
  float scale_;
  uint64_t good_ = 0;
};

// The samples of a step: job.batch() numbers of 0 .. samples - 1.
std::vector<uint64_t> samples_of_step(const TrainingJob& job, uint64_t samples, uint64_t step);

}  // namespace ow::golden

#endif  // OW_GOLDEN_TRAIN_H_
