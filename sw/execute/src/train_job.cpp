// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/train_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "outputs_file.h"
#include "ow/base/claim.h"
#include "ow/base/clock.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/execute/causes.h"
#include "ow/swarmx/swarm.h"
#include "ow/swarmx/weight_clock.h"
#include "train_check.h"
#include "train_loss.h"
#include "train_samples.h"
#include "train_swarm.h"

namespace ow::jobs {
namespace {

using memoryx::MemoryX;

size_t different_bits(const float* a, const float* b, size_t n, size_t* first) {
  size_t different = 0;
  for (size_t i = n; i-- > 0;) {
    if (std::memcmp(a + i, b + i, sizeof(float)) == 0) continue;
    ++different;
    *first = i;
  }
  return different;
}

// What a run that was ended while it wrote has left of its last line, so that the next one does not
// begin in the middle of it.
void cut_unfinished_line(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  std::ifstream file(path, std::ios::binary);
  uintmax_t keep = std::filesystem::file_size(path, error);
  if (error || !file) return;  // which opening it tells
  const uintmax_t size = keep;
  for (; keep > 0; --keep) {
    file.seekg(static_cast<std::streamoff>(keep - 1));
    if (file.get() == '\n') break;
  }
  if (keep < size) std::filesystem::resize_file(path, keep, error);
  if (error) throw BadInput(path + ": cannot be written: " + error.message());
}

// One training, from what its parameters and options say to its report.
class Run {
 public:
  Run(const TrainParams& params, const CheckedTraining& checked, const RunOptions& options,
      ranks::Transport& transport)
      : params_(params),
        options_(options),
        checked_(checked),
        job_(checked_.job),
        memory_(job_, memory_options(params, checked_, options)) {
    claim_directory();
    claim_metrics();
    begin();
    keep_plan();
    if (options.train_reference && options.check) {
      reference_ = options.train_reference(job_, graph_of(job_));
      if (!report_.resumed.empty()) reference_->begin(memory_);
    }
    swarm_ = std::make_unique<TrainSwarm>(params, options, checked_, transport, &memory_);
    report_.device = swarm_->description();
    report_.wafers = params.wafers;
    report_.ranks = transport.ranks();
    report_.timed = swarm_->timed();
  }

  TrainReport run() {
    const auto begin = std::chrono::steady_clock::now();
    if (trains(options_.mode)) train();
    if (options_.mode != TrainMode::Train && report_.end == TrainEnd::Done) {
      const bool done = evaluated_ == memory_.step() && !report_.evaluations.empty();
      if (!done) evaluate();
    }
    if (options_.mode == TrainMode::Predict) {
      report_.saved = outputs_path(options_);
      write_outputs(report_.saved, job_.type, outputs_);
    }
    swarm_->end();
    count_weights(&report_.weights, &report_.kept);
    if (options_.on_end) options_.on_end(memory_);
    report_.seconds = seconds_since(begin);
    return report_;
  }

 private:
  // Who only looks at samples may look at others than were trained with.
  static memoryx::MemoryOptions memory_options(const TrainParams& params,
                                               const CheckedTraining& checked,
                                               const RunOptions& options) {
    memoryx::MemoryOptions memory = params.memory;
    if (trains(options.mode)) memory.data = data_keys(checked.training);
    return memory;
  }

  void keep_plan() {
    PlanFile file = checked_.plan_file;
    if (file.path().empty()) return;
    if (!file.usable()) file.keep(plan_document(params_, checked_));
    report_.plan = file.report();
    if (options_.on_plan) options_.on_plan(file);
  }

  // Makes the directory, unless there must be one to go on from. From now on no other training
  // writes it; one may have done so since it was checked.
  void claim_directory() {
    if (options_.model_dir.empty() || !trains(options_.mode)) return;
    std::error_code error;
    if (!options_.resume) std::filesystem::create_directories(options_.model_dir, error);
    if (error) throw BadInput(options_.model_dir + ": cannot be made: " + error.message());
    claim_.emplace(options_.model_dir);
    check_model_dir(options_);
  }

  // Others may name metrics in this directory with --metrics.
  void claim_metrics() {
    metrics_path_ = !options_.metrics.empty()     ? options_.metrics
                    : !options_.model_dir.empty() ? options_.model_dir + "/metrics.jsonl"
                                                  : "";
    if (trains(options_.mode)) metrics_claim_.emplace(metrics_path_);
  }

  void begin() {
    if (trains(options_.mode) && !options_.resume) {
      memory_.begin();
      return;
    }
    // The newest one that is whole; why others were not taken is told.
    for (const std::string& path : memoryx::checkpoints_in(options_.model_dir)) {
      try {
        memory_.load(path);
        report_.resumed = path;
        return;
      } catch (const BadInput& error) {
        if (report_.refused.empty()) report_.refused = error.what();
      }
    }
    if (!report_.refused.empty()) throw BadInput(report_.refused);
    throw BadInput(options_.model_dir + ": holds no checkpoint");
  }

  void count_weights(size_t* weights, size_t* kept) const {
    *weights = *kept = 0;
    for (size_t tensor = 0; tensor < memory_.store().tensors(); ++tensor) {
      if (!memory_.store().spec(tensor).matrix()) continue;
      *weights += memory_.store().spec(tensor).elements();
      *kept += memory_.kept(tensor);
    }
  }

  void open_metrics() {
    if (metrics_path_.empty()) return;
    if (options_.resume) cut_unfinished_line(metrics_path_);
    metrics_.open(metrics_path_, options_.resume ? std::ios::app : std::ios::trunc);
    check_metrics();
  }

  void check_metrics() const {
    const int error = errno;
    if (metrics_) return;
    throw BadInput(metrics_path_ + ": cannot be written: " + std::strerror(error));
  }

  void train() {
    open_metrics();
    report_.first_step = memory_.step();
    uint64_t last = std::max(params_.steps, memory_.step());
    if (options_.num_steps > 0) last = std::min(last, memory_.step() + options_.num_steps);
    memoryx::SampleOrder order(job_.seed, checked_.training.samples(), job_.batch_sequences());
    while (memory_.step() < last && !swarm_->asked_to_stop()) {
      TrainStep step = do_step(order.of_step(memory_.step()));
      if (report_.end != TrainEnd::Done) return;
      ++report_.steps;
      report_.skipped += step.skipped ? 1 : 0;
      report_.last_loss = step.loss;
      if (report_.steps == 1) report_.first_loss = step.loss;
      report_.samples += step.samples;
      report_.cycles += step.cycles;
      report_.one_by_one += step.one_by_one;
      add_times(step.times, &report_.times);
      add_waits(step.waits, &report_.waits);
      add_waits(step.late, &report_.late);
      add_counters({}, step.counters, &report_.counters);
      const bool ends = memory_.step() == last;
      if (due(params_.checkpoint_every) || ends || swarm_->asked_to_stop()) save();
      if (due(params_.evaluate_every)) {
        evaluate();
        step.evaluation = &report_.evaluations.back();
      }
      tell(step);
    }
    if (memory_.step() >= last) return;
    save();
    report_.end = TrainEnd::Asked;
    report_.why = fmt::format("asked to, after step {} of {}", memory_.step(), params_.steps);
  }

  // Whether the step may update the weights: they are still those of its loss.
  bool goes_on_with(const TrainStep& step) {
    if (std::isfinite(step.loss)) return true;
    const std::string what =
        fmt::format("step {}: the loss is {}: {}", step.step,
                    std::isnan(step.loss) ? "not a number" : "infinite", cause_of_loss(memory_));
    if (params_.stops_on_nan) {
      report_.end = TrainEnd::Loss;
      report_.why = what;
      return false;
    }
    if (report_.not_finite++ == 0) warn(options_, params_, what);
    return true;
  }

  bool due(uint64_t every) const { return every > 0 && memory_.step() % every == 0; }

  TrainStep do_step(const std::vector<uint64_t>& numbers) {
    const auto begin = std::chrono::steady_clock::now();
    TrainStep step;
    step.step = memory_.step();
    step.steps = params_.steps;
    for (const uint64_t n : numbers) step.samples += counted(checked_.training, n);
    step.labelled = !checked_.training.labels.empty();
    step.loss_scale = memory_.loss_scale();
    std::function<void()> meanwhile;
    if (reference_) meanwhile = [&] { refer(numbers); };
    swarm_->step(numbers, meanwhile, &step);
    step.loss /= static_cast<double>(step.samples);
    if (!goes_on_with(step)) return step;
    const memoryx::Optimizer::Result result = memory_.finish_step(job_.batch() - step.samples);
    step.skipped = result.skipped;
    step.norm = result.norm;
    step.rate = result.rate;
    count_weights(&step.weights, &step.kept);
    if (reference_) reference_->update();
    if (reference_) step.different = compare(step.step);
    step.seconds = seconds_since(begin);
    return step;
  }

  // The same step by the reference.
  void refer(const std::vector<uint64_t>& numbers) {
    const size_t size = job_.micro_batch_sequences();
    for (size_t first = 0; first < numbers.size(); first += size) {
      const Dataset part = samples_of(checked_.training, numbers, first, size);
      reference_->run(samples_in(job_, part), targets_of(job_, part));
    }
  }

  uint64_t compare(uint64_t step) {
    const memoryx::Store& store = memory_.store();
    uint64_t different = 0;
    for (size_t k = 0; k < store.tensors(); ++k) {
      const std::vector<float>& want = reference_->weights(k);
      report_.compared += want.size();
      store.each_window(k, [&](size_t first, size_t count) {
        size_t at = 0;
        const auto mine = store.weights(k, first, count);
        const size_t n = different_bits(mine.data(), want.data() + first, count, &at);
        different += n;
        if (n == 0 || !report_.first_difference.empty()) return;
        report_.first_difference =
            fmt::format("{}, element {}, after step {}: {}, golden has {}", store.spec(k).name,
                        first + at, step, mine[at], want[first + at]);
      });
    }
    report_.different += different;
    return different;
  }

  // Nothing that differs from the reference is kept: a run that goes on from it would compare with
  // what was wrong already.
  void save() {
    if (options_.model_dir.empty() || report_.different > 0) return;
    const std::string path = memoryx::checkpoint_path(options_.model_dir, memory_.step());
    if (path == report_.saved || path == report_.resumed) return;
    report_.saved = path;
    memory_.save(report_.saved);
    memoryx::remove_old_checkpoints(options_.model_dir, params_.checkpoints_kept, nullptr,
                                    report_.saved);
  }

  // A batch's outputs: against the reference's, and what they say of its samples.
  void judge(const Dataset& part, const Activations& z, Evaluation* e) {
    if (reference_) {
      const Activations want = reference_->forward(samples_in(job_, part));
      e->compared += z.values.size();
      for (int f = 0; f < z.features; ++f) {
        for (int s = 0; s < z.samples; ++s) e->different += z.at(f, s) != want.at(f, s) ? 1 : 0;
      }
    }
    if (!e->judged) return;
    e->loss += loss_of(job_, z, part) / static_cast<double>(e->samples);
    e->right += right_of(job_, z, part);
  }

  void evaluate() {
    const Dataset& data = checked_.held_out;
    Evaluation e;
    const auto length = static_cast<size_t>(job_.sequence);
    for (size_t n = 0; n < data.samples(); ++n) e.samples += counted(data, n);
    e.labelled = !data.labels.empty();
    e.judged = e.labelled || !data.targets.empty();
    size_t first = 0;  // sample
    for (uint64_t batch = 0; first < data.samples();) {
      uint64_t cycles = 0;
      for (const Activations& z : swarm_->forward(batch, &cycles)) {
        const Dataset part = part_of(data, first, static_cast<size_t>(z.samples) / length);
        judge(part, z, &e);
        if (options_.mode == TrainMode::Predict) outputs_.push_back(z);
        first += part.samples();
        ++batch;
      }
      e.cycles += cycles;
      if (options_.on_evaluation) {
        options_.on_evaluation(static_cast<double>(first) / static_cast<double>(data.samples()));
      }
    }
    report_.evaluations.push_back(e);
    evaluated_ = memory_.step();
  }

  void tell(const TrainStep& step) {
    if (metrics_.is_open()) {
      nlohmann::json line = {
          {"step", step.step},
          {"loss", step.loss},
          {"rate", step.rate},
          {"loss_scale", step.loss_scale},
          {"skipped", step.skipped},
          {"weights", step.weights},
          {"kept", step.kept},
          {"samples", step.samples},
          {"seconds", step.seconds},
          {"samples_per_second", static_cast<double>(step.samples) / step.seconds},
          {"wafers", step.wafers}};
      if (step.labelled) {
        line["accuracy"] = static_cast<double>(step.right) / static_cast<double>(step.samples);
      }
      // A skipped step has no norm.
      if (step.norm) line["norm"] = *step.norm;
      if (!step.norm && job_.optimizer.max_norm > 0) line["norm"] = nullptr;
      if (step.cycles > 0) {
        line["cycles"] = {{"step", step.cycles},
                          {"one_by_one", step.one_by_one},
                          {"forward", step.times.forward},
                          {"loss", step.times.loss},
                          {"gradients", step.times.gradients},
                          {"deltas", step.times.deltas}};
        line["wavelets_in"] = step.wavelets_in;
        line["gradients_out"] = step.gradients;
        line["stalls"] = stalls_json(step.counters);
        if (report_.timed) {
          line["waits"] = waits_json(step.waits);
          line["waits"]["late"] = total(step.late);
        }
      }
      if (reference_) line["different"] = step.different;
      if (step.evaluation != nullptr) {
        line["held_out"] = {{"loss", step.evaluation->loss}};
        if (step.labelled) line["held_out"]["accuracy"] = step.evaluation->accuracy();
      }
      metrics_ << json_text(line) << std::endl;
      check_metrics();
    }
    if (options_.on_step) options_.on_step(step);
  }

  const TrainParams& params_;
  const RunOptions& options_;
  std::optional<Claim> claim_, metrics_claim_;  // of the directory, and of its metrics
  TrainReport report_;
  const CheckedTraining& checked_;
  const TrainingJob& job_;
  MemoryX memory_;
  std::unique_ptr<TrainReference> reference_;
  std::unique_ptr<TrainSwarm> swarm_;
  std::vector<Activations> outputs_;  // of Predict, batch by batch
  std::ofstream metrics_;
  std::string metrics_path_;
  uint64_t evaluated_ = 0;  // the step after which the last evaluation was
};

}  // namespace

namespace {

bool is_first(const RunOptions& options) {
  return options.transport == nullptr || options.transport->rank() == 0;
}

// Files are rank 0's; the others have the samples.
RunOptions without_files(RunOptions options) {
  options.resume = false;
  options.model_dir.clear();
  options.plan.clear();
  options.metrics.clear();
  options.save_outputs.clear();
  return options;
}

}  // namespace

uint64_t TrainReport::mismatches() const {
  uint64_t n = different;
  for (const Evaluation& e : evaluations) n += e.different;
  return n;
}

CheckedTraining compile_training(const TrainParams& params, const RunOptions& options) {
  if (!is_first(options)) return check_training(params, without_files(options));
  // Where nothing is run, which weights is only asked when they are wanted.
  const bool named = options.resume || !options.model_dir.empty();
  if (options.until == Until::Done || named) check_model_dir(options);
  return check_training(params, options);
}

TrainReport run_training(const TrainParams& params, const CheckedTraining& checked,
                         const RunOptions& options) {
  if (options.transport == nullptr) {
    const auto alone = std::move(ranks::local_transports(1).front());
    TrainReport report = Run(params, checked, options, *alone).run();
    alone->close();
    return report;
  }
  ranks::Transport& transport = *options.transport;
  if (is_first(options)) return Run(params, checked, options, transport).run();
  const RunOptions here = without_files(options);
  TrainSwarm(params, here, checked, transport, nullptr).serve();
  return {};
}

TrainReport run_training(const TrainParams& params, const RunOptions& options) {
  return run_training(params, compile_training(params, options), options);
}

}  // namespace ow::jobs
