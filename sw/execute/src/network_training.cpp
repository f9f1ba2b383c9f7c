// SPDX-License-Identifier: Apache-2.0
#include "network_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "ow/base/error.h"

namespace ow::jobs {
namespace {

// If the graphs have other inputs or operations: the first two, or what one of them has more.
std::string other_operations(const Graph& theirs, const Graph& ours) {
  if (theirs.features() != ours.features()) {
    return fmt::format(", with {} inputs where this one has {}", theirs.features(),
                       ours.features());
  }
  for (size_t n = 0; n < std::max(theirs.ops.size(), ours.ops.size()); ++n) {
    const std::string a = n < theirs.ops.size() ? op_text(theirs.ops[n]) : "nothing";
    const std::string b = n < ours.ops.size() ? op_text(ours.ops[n]) : "nothing";
    if (a != b) return fmt::format(", with '{}' where this one has '{}'", a, b);
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
  training.firmware = options.train_firmware.front();
  training.larger_firmware = options.train_firmware;
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
  // The files of the weights contain the operations' names.
  const std::string others =
      other_operations(without_loss(graph_of(training.job)), graph_of(checked->job));
  if (base.type != params.type || !others.empty()) {
    refuse(fmt::format("trains another network: {} in {}{}", sizes_text(base.layers),
                       half_name(base.type), others));
  }
  std::error_code error;
  if (std::filesystem::equivalent(base.data.file, params.data.file, error)) {
    const std::string why = clash(base, params);
    if (!why.empty()) refuse(why);
  }
  training.evaluate_every = 0;  // held-out samples are run afterwards
  checked->checked_training = check_training(training, training_options(options));
  checked->training = std::move(training);
}

std::shared_ptr<const FirstValues> make_weights(const Checked& checked, const RunOptions& options,
                                                std::optional<TrainReport>* report) {
  if (checked.job.first) return checked.job.first;
  RunOptions training = training_options(options);
  if (!training.model) throw InternalError("a network without weights, and nothing to train it");
  auto weights = std::make_shared<FirstValues>();
  training.on_end = [&](const memoryx::MemoryX& memory) { weights->values = memory.weights(); };
  TrainReport done = run_training(*checked.training, *checked.checked_training, training);
  if (done.end != TrainEnd::Done) {
    throw BadInput(
        fmt::format("{}: has no weights to run: {}", checked.training->base.path, done.why));
  }
  if (report != nullptr) *report = std::move(done);
  return weights;
}

}  // namespace ow::jobs
