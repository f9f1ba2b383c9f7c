// SPDX-License-Identifier: Apache-2.0
// The C interface of networks (openwafer/golden.h).
#include "ow/golden/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>
#include <vector>

#include "calls.h"
#include "openwafer/golden.h"
#include "ow/golden/kind.h"
#include "ow/golden/train.h"
#include "ow/graph/kind.h"

using namespace ow::golden;  // NOLINT(google-build-using-namespace): C functions around it
using ow::Activations;
using ow::Layer;

// Numbers of a network that is described, then begun.
struct ow_golden_network {
  ow::TrainingJob job;
  bool whole = false;
  std::unique_ptr<Trainer> trainer;
  Activations x;  // of the last micro-batch
  bool ran = false;
  MicroBatch last;
  std::vector<MicroBatch> step;  // the micro-batches that the next update takes
};

namespace {

template <typename T>
T or_else(T value, T fallback) {
  return value == T{} ? fallback : value;
}

int positive(int value, int most, const char* what) {
  expect(value >= 0 && value <= most,
         std::string(what) + " " + std::to_string(value) + " must be 0 to " + std::to_string(most));
  return or_else(value, 1);
}

ow::TrainingJob job_of(const ow_golden_numerics& n) {
  constexpr int kMost = 65535;
  ow::TrainingJob job;
  const Type type = checked_type(n.type);
  expect(type == Type::F16 || type == Type::BF16, "a network is of f16 or bf16");
  job.type = type == Type::F16 ? ow::HalfType::Binary16 : ow::HalfType::Bfloat16;
  job.grid_rows = positive(n.rows, kMost, "rows");
  job.grid_cols = positive(n.columns, kMost, "columns");
  job.samples = positive(n.samples, kMost, "samples");
  job.micro_batches = positive(n.micro_batches, kMost, "micro_batches");
  job.seed = n.seed;
  job.loss_scale.initial = static_cast<double>(or_else(n.loss_scale, 1.0f));
  ow::OptimizerOptions& o = job.optimizer;
  o.kind = n.adamw != 0 ? ow::OptimizerOptions::Kind::AdamW : ow::OptimizerOptions::Kind::Sgd;
  o.rate = ow::constant_schedule(n.rate);
  o.weight_decay = n.weight_decay;
  o.momentum = n.momentum;
  o.beta1 = or_else(n.beta1, o.beta1);
  o.beta2 = or_else(n.beta2, o.beta2);
  o.epsilon = or_else(n.epsilon, o.epsilon);
  o.max_norm = n.max_norm;
  for (const double x :
       {n.rate, n.weight_decay, n.momentum, o.beta1, o.beta2, o.epsilon, o.max_norm}) {
    expect(std::isfinite(x) && x >= 0, "a number of the optimizer must be finite and not negative");
  }
  return job;
}

std::vector<std::string> split(const char* names) {
  std::vector<std::string> all;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) all.push_back(name);
  return all;
}

template <typename T>
T chosen(const char* name, const std::vector<std::pair<const char*, T>>& words) {
  std::string all;
  for (const auto& [word, value] : words) {
    if (std::strcmp(name, word) == 0) return value;
    all += std::string(all.empty() ? "" : ", ") + word;
  }
  throw ow::BadInput(std::string("'") + name + "' must be one of " + all);
}

const Trainer& trainer_of(const ow_golden_network* network) {
  expect(network->trainer != nullptr, "ow_golden_network_begin comes first");
  return *network->trainer;
}

const ow::golden::Parameter& parameter_of(const ow_golden_network* network, int parameter) {
  const auto& all = trainer_of(network).parameters();
  expect(parameter >= 0 && static_cast<size_t>(parameter) < all.size(),
         "parameter " + std::to_string(parameter) + " of " + std::to_string(all.size()));
  return all[static_cast<size_t>(parameter)];
}

// The number of an operation that gives a value.
size_t op_of(const ow_golden_network* network, const char* name) {
  const int op = network->job.graph.giver(name);
  expect(op >= 0, std::string("no operation '") + name + "' gives a value");
  return static_cast<size_t>(op);
}

void ran(const ow_golden_network* network) { expect(network->ran, "ow_golden_run comes first"); }

// A layer with a matrix with its rounded weights, as the trainer streams it.
Layer layer_of(const ow_golden_network* network, size_t op) {
  const ow::Op& described = network->job.graph.ops[op];
  const LayerKind& kind = layer_kind(described.kind);
  expect(kind.layer != nullptr, "'" + described.name + "' has no matrix that is streamed");
  const Numerics numerics{network->job.type, 1, 1, 1, 1, 1};
  LayerPass pass{numerics, described, {}, {}, {}, {}};
  for (const size_t p : described.parameters) {
    pass.parameters.push_back(&network->trainer->parameters()[p]);
    pass.dense.push_back(true);
  }
  return kind.layer(pass);
}

// The grid rows that a sum of a layer goes round.
int sum_rows(const ow_golden_network* network) {
  return network->whole ? 1 : network->job.grid_rows;
}

const Activations& input_of(const ow_golden_network* network, size_t op) {
  const int value = network->job.graph.ops[op].input_values[0];
  return value == 0 ? network->x : network->last.outputs[static_cast<size_t>(value) - 1];
}

Targets targets_of(const ow_golden_network* network, size_t samples, const int32_t* classes,
                   const uint16_t* values) {
  expect((classes != nullptr) != (values != nullptr), "either classes or values");
  const ow::Graph& graph = network->job.graph;
  const int outputs = graph.outputs();
  const bool wants = ow::find_kind(graph.ops.back().kind)->targets == ow::TargetForm::Classes;
  expect(wants == (classes != nullptr),
         wants ? "this loss takes classes" : "this loss takes values");
  Targets targets;
  if (classes != nullptr) {
    targets.classes.assign(classes, classes + samples);
    for (const int c : targets.classes) {
      expect(c == ow::kNoToken || (c >= 0 && c < outputs),
             "class " + std::to_string(c) + " of " + std::to_string(outputs) + " outputs");
    }
  } else {
    targets.values = Activations::zero(outputs, static_cast<int>(samples));
    std::copy_n(values, targets.values.values.size(), targets.values.values.begin());
  }
  return targets;
}

}  // namespace

ow_golden_network* ow_golden_network_new(const ow_golden_numerics* numerics, int features) {
  return call(static_cast<ow_golden_network*>(nullptr), [&] {
    auto network = std::make_unique<ow_golden_network>();
    network->job = job_of(*numerics);
    network->whole = numerics->whole != 0;
    expect(features >= 0 && features <= 1 << 20, "features must be 0 to 1048576");
    network->job.graph = features == 0 ? ow::Graph::of_tokens() : ow::Graph(features);
    return network.release();
  });
}

void ow_golden_network_free(ow_golden_network* network) { delete network; }

int ow_golden_network_add(ow_golden_network* network, const char* name, const char* kind,
                          const char* inputs, size_t count, const char* const* keys,
                          const double* values) {
  return call([&] {
    expect(network->trainer == nullptr, "the network has begun");
    ow::Op op;
    op.name = op.where = name;
    op.kind = kind;
    op.inputs = split(inputs);
    for (size_t k = 0; k < count; ++k) op.attributes[keys[k]] = values[k];
    network->job.graph.add(op);
  });
}

int ow_golden_network_masks(ow_golden_network* network, const char* pattern, const char* algorithm,
                            const char* init, double from, double to, uint64_t steps,
                            uint64_t every) {
  using Group = ow::SparsityGroup;
  return call([&] {
    expect(network->trainer == nullptr, "the network has begun");
    expect(from >= 0 && from <= 1 && to >= 0 && to <= 1, "a density must be 0 to 1");
    expect(steps > 0 && every > 0, "steps and every must be at least 1");
    Group group;
    group.pattern = pattern;
    group.algorithm = chosen<Group::Algorithm>(algorithm, {{"static", Group::Algorithm::Static},
                                                           {"gradual", Group::Algorithm::Gradual},
                                                           {"set", Group::Algorithm::Set},
                                                           {"rigl", Group::Algorithm::Rigl}});
    group.init = chosen<Group::Init>(init, {{"random", Group::Init::Random},
                                            {"magnitude", Group::Init::Magnitude},
                                            {"even", Group::Init::Even},
                                            {"zeros", Group::Init::Zeros},
                                            {"dense", Group::Init::Dense}});
    group.density = {{ow::SchedulePiece::Kind::Cubic, from, to, steps, 1}};
    group.update.every = every;
    network->job.sparsity.push_back(group);
  });
}

int ow_golden_network_begin(ow_golden_network* network) {
  return call([&] {
    ow::TrainingJob& job = network->job;
    expect(job.graph.has_loss(), "the last operation must be a loss");
    expect(!job.graph.parameters.empty(), "a network without parameters");
    size_t matrices = 0;
    for (const ow::Op& op : job.graph.ops) matrices += layer_kind(op.kind).layer != nullptr;
    expect(matrices > 0, "a network without a layer that has a streamed matrix");
    const auto order = network->whole ? ow::SumOrder::Whole : ow::SumOrder::Column;
    job.forward.assign(matrices, order);
    job.delta.assign(matrices, order);
    network->trainer = std::make_unique<Trainer>(job, job.graph);
  });
}

int ow_golden_parameters(const ow_golden_network* network) {
  return call(-1, [&] { return static_cast<int>(trainer_of(network).parameters().size()); });
}

const char* ow_golden_parameter_name(const ow_golden_network* network, int parameter) {
  return call(static_cast<const char*>(nullptr),
              [&] { return parameter_of(network, parameter).name.c_str(); });
}

int ow_golden_parameter_shape(const ow_golden_network* network, int parameter, size_t* rows,
                              size_t* columns) {
  return call([&] {
    const auto& p = parameter_of(network, parameter);
    *rows = p.rows;
    *columns = p.columns;
  });
}

int ow_golden_parameter_get(const ow_golden_network* network, int parameter, const char* what,
                            float* out) {
  return call([&] {
    const auto& p = parameter_of(network, parameter);
    const std::string which = what;
    const std::vector<float>* from = which == "value"    ? &p.value
                                     : which == "first"  ? &p.first
                                     : which == "second" ? &p.second
                                                         : nullptr;
    if (which == "gradient") {
      ran(network);
      from = &network->last.gradients[static_cast<size_t>(parameter)];
    }
    expect(from != nullptr, "a parameter has a value, a first, a second and a gradient");
    expect(!from->empty(), "this optimizer keeps no '" + which + "'");
    std::copy(from->begin(), from->end(), out);
  });
}

int ow_golden_parameter_set(ow_golden_network* network, int parameter, const float* values) {
  return call([&] {
    parameter_of(network, parameter);
    Trainer& trainer = *network->trainer;
    expect(trainer.step() == 0 && network->step.empty(),
           "parameters are set before the first step");
    std::vector<ow::golden::Parameter> all = trainer.parameters();
    ow::golden::Parameter& p = all[static_cast<size_t>(parameter)];
    for (size_t i = 0; i < p.value.size(); ++i) {
      p.value[i] = p.mask.empty() || p.mask[i] != 0 ? values[i] : 0.0f;
    }
    trainer.restore(std::move(all), 0, 0, trainer.loss_scale(), 0);
  });
}

int ow_golden_parameter_mask(const ow_golden_network* network, int parameter, uint8_t* out) {
  return call([&] {
    const auto& p = parameter_of(network, parameter);
    if (p.mask.empty()) {
      std::fill_n(out, p.value.size(), uint8_t{1});
    } else {
      std::copy(p.mask.begin(), p.mask.end(), out);
    }
  });
}

int ow_golden_run(ow_golden_network* network, const uint16_t* x, const int32_t* tokens,
                  const int32_t* starts, const int32_t* classes, const uint16_t* values) {
  return call([&] {
    const Trainer& trainer = trainer_of(network);
    const ow::Graph& graph = network->job.graph;
    const auto samples = static_cast<size_t>(network->job.micro_batch());
    const bool of_tokens = graph.values.front().element == ow::Value::Element::Token;
    expect((x != nullptr) != (tokens != nullptr), "either x or tokens");
    expect(of_tokens == (tokens != nullptr),
           of_tokens ? "this graph takes tokens" : "this graph takes x");
    const Targets targets = targets_of(network, samples, classes, values);
    if (of_tokens) {
      expect(starts != nullptr, "tokens have starts");
      Tokens all{{tokens, tokens + samples}, {starts, starts + samples / ow::kSlotGroup}};
      network->last = trainer.run(all, targets);
    } else {
      Activations in = Activations::zero(graph.features(), static_cast<int>(samples));
      std::copy_n(x, in.values.size(), in.values.begin());
      network->last = trainer.run(in, targets);
      network->x = std::move(in);
    }
    network->ran = true;
  });
}

double ow_golden_loss(const ow_golden_network* network) { return network->last.loss; }

int ow_golden_features(const ow_golden_network* network, const char* operation) {
  return call(-1, [&] {
    const size_t op = op_of(network, operation);
    return network->job.graph.values[op + 1].features;
  });
}

int ow_golden_output(const ow_golden_network* network, const char* operation, uint16_t* out) {
  return call([&] {
    ran(network);
    const Activations& y = network->last.outputs[op_of(network, operation)];
    std::copy(y.values.begin(), y.values.end(), out);
  });
}

int ow_golden_delta(const ow_golden_network* network, const char* operation, uint16_t* out) {
  return call([&] {
    ran(network);
    const size_t op = op_of(network, operation);
    const Activations& d = network->last.deltas[op];
    std::fill_n(out, network->last.outputs[op].values.size(), uint16_t{0});
    std::copy(d.values.begin(), d.values.end(), out);
  });
}

int ow_golden_partial_sums(const ow_golden_network* network, const char* operation, uint32_t* out) {
  return call([&] {
    ran(network);
    const size_t op = op_of(network, operation);
    const std::vector<uint32_t> sums = partial_sums(network->job.type, layer_of(network, op),
                                                    input_of(network, op), sum_rows(network));
    std::copy(sums.begin(), sums.end(), out);
  });
}

long ow_golden_stream(const ow_golden_network* network, const char* operation, int row,
                      uint32_t* data, uint8_t* control) {
  return call(-1L, [&] {
    trainer_of(network);
    const int rows = network->job.grid_rows;
    expect(row >= 0 && row < rows,
           "grid row " + std::to_string(row) + " of " + std::to_string(rows));
    const auto stream = weight_stream(layer_of(network, op_of(network, operation)), row, rows);
    for (size_t k = 0; k < stream.size(); ++k) {
      if (data != nullptr) data[k] = stream[k].data;
      if (control != nullptr) control[k] = stream[k].control;
    }
    return static_cast<long>(stream.size());
  });
}

int ow_golden_update(ow_golden_network* network) {
  return call(-1, [&] {
    ran(network);
    network->step.push_back(network->last);
    if (network->step.size() < static_cast<size_t>(network->job.micro_batches)) return 0;
    const Trainer::Result result = network->trainer->update(network->step);
    network->step.clear();
    return result.skipped ? 2 : 1;
  });
}

uint64_t ow_golden_step(const ow_golden_network* network) {
  return network->trainer != nullptr ? network->trainer->step() : 0;
}
