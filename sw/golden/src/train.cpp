// SPDX-License-Identifier: Apache-2.0
// The passes of a reference training over a graph of layers: forward in its order, the loss, and
// backward. The kinds (layers/) define what each layer computes.
#include "ow/golden/train.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "ow/base/rng.h"
#include "ow/golden/kind.h"
#include "train_rules.h"

namespace ow::golden {
namespace {

int rows_of(const TrainingJob& job, const std::vector<SumOrder>& orders, int matrix) {
  if (matrix < 0 || orders.empty()) return job.grid_rows;
  return orders[static_cast<size_t>(matrix)] == SumOrder::Whole ? 1 : job.grid_rows;
}

// The first group that matches; -1: none.
int group_of(const TrainingJob& job, const std::string& name) {
  for (size_t g = 0; g < job.sparsity.size(); ++g) {
    if (fnmatch(job.sparsity[g].pattern.c_str(), name.c_str(), 0) == 0) return static_cast<int>(g);
  }
  return -1;
}

// Sequences lie one after the other, in whole groups.
void check_tokens(const TrainingJob& job, const Tokens& tokens) {
  const size_t slots = tokens.ids.size();
  require(job.samples % kSlotGroup == 0 && slots == job.micro_batch() &&
              tokens.starts.size() * kSlotGroup == slots,
          "tokens that do not fit the grid");
  for (size_t g = 0; g < tokens.starts.size(); ++g) {
    require(tokens.starts[g] == static_cast<int>(g) * kSlotGroup ||
                (g > 0 && tokens.starts[g] == tokens.starts[g - 1]),
            "a sequence that is not in neighbouring groups of slots");
  }
}

}  // namespace

std::vector<int> forward_rows(const TrainingJob& job) {
  std::vector<int> rows;
  for (size_t k = 0; k < job.layers.size(); ++k) {
    rows.push_back(rows_of(job, job.forward, static_cast<int>(k)));
  }
  return rows;
}

size_t Parameter::kept() const {
  if (mask.empty()) return value.size();
  return static_cast<size_t>(std::count(mask.begin(), mask.end(), 1));
}

Trainer::Trainer(const TrainingJob& job, const Graph& graph)
    : job_(job), graph_(graph), scale_(static_cast<float>(job.loss_scale.initial)) {
  require(job.grid_rows > 0 && job.grid_cols > 0 && job.samples > 0 && job.micro_batches > 0,
          "a batch of nothing");
  Rng rng(job.seed);
  for (const ow::Parameter& shape : graph_.parameters) {
    Parameter p;
    p.name = shape.name;
    p.rows = shape.rows;
    p.columns = shape.columns;
    p.matrix = shape.form != ow::Parameter::Form::Vector;
    p.value.assign(p.rows * p.columns, shape.initial);
    if (p.matrix) begin_matrix(&rng, &p);
    if (job.first) p.value = job.first->values.at(p.name);
    require(p.value.size() == p.rows * p.columns, "first values of another shape");
    if (shape.form == ow::Parameter::Form::Matrix) p.group = group_of(job, p.name);
    parameters_.push_back(std::move(p));
  }
  for (size_t n = 0; n < graph_.ops.size(); ++n) add_node(n);
  require(!matrices_.empty(), "a network without weights");
  require(job.layers.empty() || !job.graph.empty() || has_parameters_of(job.layers),
          "a graph of other layers than the job");
  for (size_t k = 0; k < parameters_.size(); ++k) {
    Parameter& p = parameters_[k];
    if (job.optimizer.moments() > 0) p.first.resize(p.value.size());
    if (job.optimizer.moments() > 1) p.second.resize(p.value.size());
    if (p.group < 0) continue;
    p.mask = first_mask(job.sparsity[static_cast<size_t>(p.group)], p, job.seed, k);
    for (size_t i = 0; i < p.value.size(); ++i) p.value[i] = p.mask[i] != 0 ? p.value[i] : 0.0f;
  }
}

bool Trainer::has_parameters_of(const std::vector<LayerShape>& layers) const {
  size_t at = 0;
  const auto next_is = [&](const std::string& name, int rows, int columns) {
    if (at >= parameters_.size()) return false;
    const Parameter& p = parameters_[at++];
    return p.name == name && p.rows == static_cast<size_t>(rows) &&
           p.columns == static_cast<size_t>(columns);
  };
  for (size_t k = 0; k < layers.size(); ++k) {
    const LayerShape& layer = layers[k];
    if (!next_is(weight_name(layer, k), layer.outputs, layer.inputs)) return false;
    if (layer.bias && !next_is(bias_name(layer, k), layer.outputs, 1)) return false;
  }
  return at == parameters_.size();
}

bool Trainer::moves(int value) const {
  return value > 0 && nodes_[static_cast<size_t>(value) - 1].moves;
}

void Trainer::add_node(size_t n) {
  const Op& op = graph_.ops[n];
  Node node;
  node.moves = !op.parameters.empty() || std::any_of(op.input_values.begin(), op.input_values.end(),
                                                     [this](int value) { return moves(value); });
  if (layer_kind(op.kind).layer != nullptr) {
    node.matrix = static_cast<int>(matrices_.size());
    matrices_.push_back(n);
  }
  if (op.value < 0) {
    require(node.moves && op.input_values.front() == static_cast<int>(n),
            "the loss is of what the layer in front of it gives");
  }
  nodes_.push_back(node);
}

// First values are drawn in the order of the parameters (N21).
void Trainer::begin_matrix(Rng* rng, Parameter* p) {
  const double limit = std::sqrt(6.0 / static_cast<double>(p->columns));
  for (float& x : p->value) x = static_cast<float>((2.0 * rng->uniform() - 1.0) * limit);
}

void Trainer::restore(std::vector<Parameter> parameters, uint64_t step, uint64_t updates,
                      float loss_scale, uint64_t good_steps) {
  require(parameters.size() == parameters_.size(), "a state of another network");
  for (size_t k = 0; k < parameters.size(); ++k) {
    require(parameters[k].name == parameters_[k].name &&
                parameters[k].value.size() == parameters_[k].value.size(),
            "a state of another network");
  }
  parameters_ = std::move(parameters);
  step_ = step;
  updates_ = updates;
  scale_ = loss_scale;
  good_ = good_steps;
}

Numerics Trainer::numerics_of(size_t n) const {
  Numerics numerics;
  numerics.type = job_.type;
  numerics.rows = job_.grid_rows;
  numerics.columns = job_.grid_cols;
  numerics.samples = job_.samples;
  numerics.forward_rows = rows_of(job_, job_.forward, nodes_[n].matrix);
  numerics.delta_rows = rows_of(job_, job_.delta, nodes_[n].matrix);
  return numerics;
}

LayerPass Trainer::pass_of(size_t n, const Numerics& numerics, const Samples& samples,
                           const std::vector<Activations>& outputs) const {
  const Op& op = graph_.ops[n];
  LayerPass pass{numerics, op, {}, {}, {}, {}};
  for (const size_t p : op.parameters) {
    pass.parameters.push_back(&parameters_[p]);
    pass.dense.push_back(wants_dense(p));
  }
  for (const int value : op.input_values) {
    pass.inputs.push_back(value == 0 ? &samples.x : &outputs[static_cast<size_t>(value) - 1]);
    pass.wanted.push_back(moves(value));
  }
  pass.tokens = samples.tokens;
  pass.zeros = samples.zeros;
  return pass;
}

Network Trainer::network() const {
  Network network;
  network.type = job_.type;
  // Placeholder tensors: kinds take their weights from the pass alone.
  const std::vector<Activations> none(nodes_.size());
  const Activations no_samples;
  const Samples samples{no_samples, nullptr, false};
  for (size_t n = 0; n < computed(); ++n) {
    const LayerKind& kind = layer_kind(graph_.ops[n].kind);
    require(graph_.ops[n].input_values == std::vector<int>{static_cast<int>(n)},
            "no chain of layers");
    if (kind.layer != nullptr) {
      network.layers.push_back(kind.layer(pass_of(n, numerics_of(n), samples, none)));
    } else {
      require(kind.element != nullptr && !network.layers.empty(), "no chain of layers");
      network.layers.back().activation = kind.name;
    }
  }
  return network;
}

size_t Trainer::sum_of(size_t layer) const { return matrices_.at(layer); }

size_t Trainer::tensor_of(size_t layer) const {
  const size_t n = matrices_.at(layer);
  const bool follows = n + 1 < computed() &&
                       layer_kind(graph_.ops[n + 1].kind).element != nullptr &&
                       graph_.ops[n + 1].input_values[0] == static_cast<int>(n) + 1;
  return follows ? n + 1 : n;
}

std::vector<Activations> Trainer::forward(const Samples& samples) const {
  std::vector<Activations> outputs;
  outputs.reserve(computed());
  while (outputs.size() < computed()) {
    const size_t n = outputs.size();
    outputs.push_back(
        layer_kind(graph_.ops[n].kind).forward(pass_of(n, numerics_of(n), samples, outputs)));
  }
  return outputs;
}

std::vector<Activations> Trainer::forward(const Tokens& tokens) const {
  Activations none;
  none.features = 1;
  none.samples = static_cast<int>(tokens.ids.size());
  return forward({none, &tokens, false});
}

std::vector<Activations> run_forward(const TrainingJob& job, const Activations& x, bool zeros) {
  return Trainer(job, graph_of(job)).forward(x, zeros);
}

bool Trainer::wants_dense(size_t parameter) const {
  const Parameter& p = parameters_[parameter];
  if (p.group < 0) return true;
  const SparsityGroup& group = job_.sparsity[static_cast<size_t>(p.group)];
  return group.algorithm == SparsityGroup::Algorithm::Rigl && is_due(group.update, step_);
}

MicroBatch Trainer::run(const Activations& x, const Targets& targets) const {
  require(graph_.values.front().element == Value::Element::Number &&
              x.features == graph_.features() &&
              static_cast<uint64_t>(x.samples) == job_.micro_batch(),
          "samples that do not fit the layers or the grid");
  return run({x, nullptr, false}, targets);
}

MicroBatch Trainer::run(const Tokens& tokens, const Targets& targets) const {
  require(graph_.values.front().element == Value::Element::Token, "tokens for a graph of numbers");
  check_tokens(job_, tokens);
  Activations none;
  none.features = 1;
  none.samples = static_cast<int>(tokens.ids.size());
  return run({none, &tokens, false}, targets);
}

MicroBatch Trainer::run(const Samples& samples, const Targets& targets) const {
  require(graph_.has_loss(), "the last layer is no loss");
  MicroBatch batch;
  batch.outputs = forward(samples);
  batch.ignored =
      static_cast<uint64_t>(std::count(targets.classes.begin(), targets.classes.end(), kNoToken));
  batch.deltas.resize(batch.outputs.size());
  const size_t last = batch.outputs.size();
  batch.deltas[last - 1] = layer_kind(graph_.ops[last].kind)
                               .loss(graph_.ops[last], numerics_of(last), batch.outputs[last - 1],
                                     targets, scale_, &batch.loss);
  std::vector<std::vector<std::vector<float>>> gradients(last);  // of each operation
  for (size_t n = last; n-- > 0;) {
    // Skip a layer that gets no deltas, or that neither is trained nor leads to one that is.
    if (batch.deltas[n].features == 0 || !nodes_[n].moves) continue;
    const Numerics numerics = numerics_of(n);
    LayerPass pass = pass_of(n, numerics, samples, batch.outputs);
    pass.output = &batch.outputs[n];
    Backward back = layer_kind(graph_.ops[n].kind).backward(pass, batch.deltas[n]);
    gradients[n] = std::move(back.gradients);
    for (size_t k = 0; k < pass.inputs.size(); ++k) {
      if (!pass.wanted[k]) continue;
      Activations& delta = batch.deltas[static_cast<size_t>(graph_.ops[n].input_values[k]) - 1];
      delta = delta.features == 0 ? std::move(back.deltas[k])
                                  : golden::sum_of(job_.type, delta, back.deltas[k]);
    }
  }
  // Those of a shared parameter are added in fp32, in the order of its uses (N115).
  batch.gradients.resize(parameters_.size());
  for (size_t n = 0; n < last; ++n) {
    for (size_t p = 0; p < gradients[n].size(); ++p) {
      std::vector<float>& sum = batch.gradients[graph_.ops[n].parameters[p]];
      if (sum.empty()) {
        sum = std::move(gradients[n][p]);
      } else {
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += gradients[n][p][i];
      }
    }
  }
  for (size_t p = 0; p < parameters_.size(); ++p) {
    if (batch.gradients[p].empty()) batch.gradients[p].resize(parameters_[p].value.size());
  }
  return batch;
}

}  // namespace ow::golden
