// SPDX-License-Identifier: Apache-2.0
#include "network_training.h"

#include "ow/compile/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "ow/base/error.h"

namespace ow::jobs {
namespace {

bool same_layers(const std::vector<LayerShape>& a, const std::vector<LayerShape>& b) {
  const auto same = [](const LayerShape& x, const LayerShape& y) {
    return x.inputs == y.inputs && x.outputs == y.outputs && x.activation == y.activation &&
           x.bias == y.bias;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// If the same layers have other names: the first two of them.
std::string other_names(const std::vector<LayerShape>& a, const std::vector<LayerShape>& b) {
  for (size_t k = 0; k < a.size(); ++k) {
    const std::string here = layer_name(a[k], k), there = layer_name(b[k], k);
    if (here != there) return fmt::format("calls '{}' what is '{}' here", here, there);
  }
  return "";
}

// What is wrong with samples that a training and a run take from one file; empty if nothing is.
std::string clash(const RunParams& training, const RunParams& run) {
  if (!training.held_out && !run.held_out) {
    return "holds out no samples of the same file (data.held_out_modulo): it would train with "
           "those "
           "that are run";
  }
  if (!training.held_out || !run.held_out || training.held_out->modulo != run.held_out->modulo ||
      training.held_out->remainder != run.held_out->remainder) {
    return "holds out other samples of the same file: it would train with some that are run";
  }
  const auto reading = [](const DataSource& data) { return std::tie(data.scale, data.range); };
  if (reading(training.data) != reading(run.data)) {
    return "has another data.scale or data.range for the same file: it would train on other inputs "
           "than are run";
  }
  return "";
}

// Options of a training on the golden model. Only its weights are kept.
RunOptions training_options(const RunOptions& options) {
  RunOptions training;
  training.firmware = options.train_firmware;
  training.check = options.check;
  training.model = options.model;
  training.train_reference = options.train_reference;
  training.on_warning = options.on_warning;
  if (options.progress) {
    training.on_step = [&options](const TrainStep& step) {
      options.progress("training",
                       static_cast<double>(step.step + 1) / static_cast<double>(step.steps));
    };
  }
  return training;
}

}  // namespace

void check_network_training(const RunParams& params, const RunOptions& options, Checked* checked) {
  const auto refuse = [&](const std::string& why) {
    throw BadInput(
        fmt::format("{}: key 'network.training': {} {}", params.path, params.training_file, why));
  };
  TrainParams training = *params.training;
  const RunParams& base = training.base;
  if (!base.graph.empty()) check_chain(base.graph);
  if (base.type != params.type || !same_layers(base.layers, params.layers)) {
    refuse(fmt::format("trains another network: {} in {}", sizes_text(base.layers),
                       half_name(base.type)));
  }
  // The files of the weights contain these names.
  const std::string names = other_names(base.layers, params.layers);
  if (!names.empty()) refuse(names);
  std::error_code error;
  if (std::filesystem::equivalent(base.data.file, params.data.file, error)) {
    const std::string why = clash(base, params);
    if (!why.empty()) refuse(why);
  }
  training.evaluate_every = 0;  // held-out samples are run afterwards
  checked->checked_training = check_training(training, training_options(options));
  checked->training = std::move(training);
}

Network make_network(const Checked& checked, const RunOptions& options,
                     std::optional<TrainReport>* report) {
  if (checked.network) return *checked.network;
  RunOptions training = training_options(options);
  if (!training.model) throw InternalError("a network without weights, and nothing to train it");
  Network network;
  training.on_end = [&network](const memoryx::MemoryX& memory) { network = memory.network(); };
  TrainReport done = run_training(*checked.training, *checked.checked_training, training);
  if (done.end != TrainEnd::Done) {
    throw BadInput(
        fmt::format("{}: has no weights to run: {}", checked.training->base.path, done.why));
  }
  if (report != nullptr) *report = std::move(done);
  return network;
}

}  // namespace ow::jobs
