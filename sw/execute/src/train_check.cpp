// SPDX-License-Identifier: Apache-2.0
// The checks of a training before it begins: its directory, samples, plan and ranges.
#include "train_check.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/swarmx/swarm.h"
#include "ow/swarmx/weight_clock.h"

namespace ow::jobs {

void warn(const RunOptions& options, const TrainParams& params, const std::string& what) {
  if (options.on_warning) options.on_warning(fmt::format("{}: {}", params.base.path, what));
}

std::string outputs_path(const RunOptions& options) {
  if (!options.save_outputs.empty() || options.model_dir.empty()) return options.save_outputs;
  return options.model_dir + "/predictions.safetensors";
}

void check_model_dir(const RunOptions& options) {
  if (options.model_dir.empty()) {
    if (options.resume) throw BadInput("--resume: from which directory? (--model-dir DIR)");
    if (!trains(options.mode)) {
      throw BadInput(fmt::format("--mode {}: which weights? (--model-dir DIR; --mode train trains)",
                                 options.mode == TrainMode::Eval ? "eval" : "predict"));
    }
    return;
  }
  if (!trains(options.mode)) return;
  std::error_code error;
  if (std::filesystem::exists(options.model_dir, error) &&
      !std::filesystem::is_directory(options.model_dir, error)) {
    throw BadInput(options.model_dir + ": is not a directory");
  }
  if (!options.resume && !memoryx::checkpoints_in(options.model_dir).empty()) {
    throw BadInput(options.model_dir +
                   ": holds checkpoints of an earlier run: go on from them with --resume, or name "
                   "another directory");
  }
}

namespace {

// Gives the job the orders of sums of the newest checkpoint. A resumed training keeps these orders,
// whatever this version would choose. Returns the checkpoint's path, or nothing if there is none to
// resume from.
std::string take_kept_orders(const RunOptions& options, TrainingJob* job) {
  const bool goes_on = options.resume || !trains(options.mode);
  if (!goes_on || options.model_dir.empty()) return "";
  for (const std::string& path : memoryx::checkpoints_in(options.model_dir)) {
    try {
      if (memoryx::take_orders(memoryx::read_state(path).job, job)) return path;
    } catch (const BadInput&) {
      // The later load reports why.
    }
  }
  return "";
}

// Takes the plan from the file, if that is of the same inputs, and gives the job the plan's orders
// of sums.
void take_plan(const TrainParams& params, const RunOptions& options, CheckedTraining* checked) {
  const TrainingJob chosen = with_sum_orders(params.job);
  TrainingJob job = chosen;
  const std::string kept = take_kept_orders(options, &job);
  PlanFile& file = checked->plan_file;
  file = PlanFile(options.plan, plan_inputs(params, job, chosen, checked->firmware, options.tile));
  if (file.usable()) {
    checked->plan = read_plan(params.base.path, file, "plan", job, checked->firmware, options.tile);
    const bool same = checked->plan.forward == job.forward && checked->plan.delta == job.delta;
    if (!kept.empty() && !same) file.set_aside("has other orders of sums than " + kept);
  }
  if (file.usable()) {
    job.forward = checked->plan.forward;
    job.delta = checked->plan.delta;
  } else {
    checked->plan = make_plan(params.base.path, job, checked->firmware, options.tile);
  }
  // The other ranks do not read rank 0's file.
  const bool same = job.forward == chosen.forward && job.delta == chosen.delta;
  if (!same && options.transport != nullptr && options.transport->ranks() > 1) {
    throw BadInput((kept.empty() ? options.plan : kept) +
                   ": has other orders of sums than this program chooses, which one process "
                   "goes on with but not several ranks");
  }
  checked->job = job;
}

// Warns of classes that only held-out samples have: no step learns them.
void look_at_classes(const TrainParams& params, const RunOptions& options,
                     const CheckedTraining& checked) {
  constexpr size_t kShown = 10;
  std::map<int, size_t> held;  // by class
  for (const int label : checked.held_out.labels) ++held[label];
  for (const int label : checked.training.labels) held.erase(label);
  held.erase(kNoToken);
  if (held.empty()) return;
  std::string classes;
  size_t shown = 0, samples = 0;
  for (const auto& [label, count] : held) {
    samples += count;
    if (shown++ < kShown) classes += fmt::format("{}{}", classes.empty() ? "" : ", ", label);
  }
  if (shown > kShown) classes += fmt::format(" and {} more", shown - kShown);
  warn(options, params,
       fmt::format("class{} {} only among the held-out samples ({} of {}): no step learns {}",
                   shown == 1 ? "" : "es", classes + (shown == 1 ? " is" : " are"), samples,
                   checked.held_out.samples(), shown == 1 ? "it" : "them"));
}

// Takes the samples of the parameters' file: those to train with, and those held out. A prediction
// takes all samples as held out if the parameters hold none out.
void take_samples(const TrainParams& params, const RunOptions& options, CheckedTraining* checked) {
  const RunParams& base = params.base;
  const auto refuse = [&](const std::string& what) { throw BadInput(base.path + what); };
  const Graph graph = graph_of(params.job);
  const Dataset all =
      load_dataset(base.data, base.type, graph.features(), graph.outputs(), options.read_text);
  const bool predicts = options.mode == TrainMode::Predict;
  if (all.labels.empty() && all.targets.empty() && !predicts) {
    refuse(fmt::format(": key 'data': a training needs the samples' {}",
                       base.data.targets ? "values" : "classes"));
  }
  checked->training.features = checked->held_out.features = all.features;
  const bool holds_out = base.held_out.has_value();
  for (size_t n = 0; n < all.samples(); ++n) {
    const bool held = holds_out ? n % static_cast<size_t>(base.held_out->modulo) ==
                                      static_cast<size_t>(base.held_out->remainder)
                                : predicts;
    (held ? checked->held_out : checked->training).add(all, n);
  }
  const bool evaluates = options.mode != TrainMode::Train || params.evaluate_every > 0;
  if (evaluates && checked->held_out.samples() == 0) {
    refuse(": key 'data': holds no sample out (held_out_modulo), nothing to evaluate with");
  }
  if (trains(options.mode) && checked->training.samples() == 0) {
    refuse(": key 'data': nothing to train on");
  }
  if (trains(options.mode)) look_at_classes(params, options, *checked);
}

// Checks the files that a training has to write, before it makes any; creates model_dir if needed.
void check_files(const RunOptions& options, const PlanFile& plan) {
  if (!trains(options.mode)) return;
  const auto directory = [](const std::string& file) {
    return std::filesystem::path(file).parent_path().lexically_normal();
  };
  const auto check = [&](const std::string& file) {
    if (directory(file) != directory(plan_path(options.model_dir))) check_writable(file);
  };
  check(options.metrics);
  if (!plan.usable()) check(plan.path());
}

}  // namespace

std::string plan_path(const std::string& model_dir) { return model_dir + "/plan.json"; }

nlohmann::json plan_document(const TrainParams& params, const CheckedTraining& checked) {
  const EstimateShape shape = shape_of(checked.plan, checked.job, params.wafers);
  const std::vector<LayerWeights> weights = training_weights(checked.job, 0);
  const TimeModel time =
      time_of(params.base.time, shape, weights, swarmx::stages_of(params.wafers));
  return plan_document(plan_json(checked.plan), memory_json(checked.plan, checked.firmware),
                       checked.firmware, estimate_job(shape, weights, time));
}

CheckedTraining check_training(const TrainParams& params, const RunOptions& options) {
  const RunParams& base = params.base;
  const auto refuse = [&](const std::string& what) { throw BadInput(base.path + what); };
  CheckedTraining checked;
  if (options.until != Until::Planned) {
    take_samples(params, options, &checked);
    if (options.mode == TrainMode::Predict) check_writable(outputs_path(options));
  }
  std::vector<std::string> programs = {options.firmware};
  programs.insert(programs.end(), options.larger_firmware.begin(), options.larger_firmware.end());
  checked.firmware = program_of(params.job, programs, options.tile);
  swarmx::check_wafers(base.path, params.wafers, params.job.micro_batches,
                       options.transport == nullptr ? 1 : options.transport->ranks());
  take_plan(params, options, &checked);
  check_files(options, checked.plan_file);
  try {
    memoryx::check_ranges(params.job, params.memory);
  } catch (const BadInput& error) {
    refuse(fmt::format(": key 'train': {}", error.what()));
  }
  return checked;
}

}  // namespace ow::jobs
