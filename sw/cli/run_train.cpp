// SPDX-License-Identifier: Apache-2.0
#include "run_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>

#include "ow/base/error.h"
#include "ow/base/progress.h"
#include "ow/check/training_job.h"
#include "ow/compile/causes.h"
#include "ow/compile/train_job.h"
#include "ow/swarmx/transport.h"
#include "show_plan.h"

namespace ow::cli {
namespace {

using jobs::Evaluation;
using jobs::TrainMode;
using jobs::TrainReport;
using jobs::TrainStep;

double percent(size_t part, size_t of) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<size_t>(of, 1));
}

std::string summary(const TrainStep& s) {
  std::string text = fmt::format("loss {:.4f}", s.loss);
  if (s.labelled) text += fmt::format("  accuracy {:5.1f} %", percent(s.right, s.samples));
  text += fmt::format("  {:.0f} samples/s", static_cast<double>(s.samples) / s.seconds);
  if (s.kept < s.weights) text += fmt::format("  kept {:.1f} %", percent(s.kept, s.weights));
  if (s.cycles > 0) text += fmt::format("  {} cycles", s.cycles);
  if (s.wafers > 1) text += fmt::format("  {} wafers", s.wafers);
  if (s.skipped) text += "  overflow, skipped";
  if (s.different > 0) text += fmt::format("  {} weights differ", s.different);
  return text;
}

std::string summary(const Evaluation& e) {
  if (!e.judged) return fmt::format("{} samples without classes or values", e.samples);
  if (!e.labelled) return fmt::format("loss {:.4f} of {} samples", e.loss, e.samples);
  return fmt::format("{}/{} = {:.2f} %  loss {:.4f}", e.right, e.samples,
                     percent(e.right, e.samples), e.loss);
}

// A bar on a terminal, and a line for every tenth of the steps.
class Display {
 public:
  Display(bool trains, uint64_t steps)
      : label_(trains ? "training" : "held out"), steps_(trains ? steps : kParts) {}

  // While a grid is at its passes, which may take minutes: for how long since the last step.
  void working() {
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_);
    if (since.count() < 1) return;
    if (!bar_) bar_.emplace(label_, steps_);
    bar_->update(done_, fmt::format("{}  at work for {} s", text_, since.count()));
  }

  // Of a run that trains nothing: so much of the samples is through.
  void evaluated(double share) {
    done_ = static_cast<uint64_t>(share * kParts);
    begun_ = Clock::now();
    if (!bar_) bar_.emplace(label_, steps_);
    bar_->update(done_);
  }

  void step(const TrainStep& s) {
    const uint64_t each = std::max<uint64_t>(1, s.steps / 10);
    const bool line = (s.step + 1) % each == 0 || s.skipped || s.different > 0;
    if (line || s.evaluation != nullptr) bar_.reset();
    if (line) fmt::print("step {:>6}/{}  {}\n", s.step + 1, s.steps, summary(s));
    if (s.evaluation != nullptr) fmt::print("held out      {}\n", summary(*s.evaluation));
    std::fflush(stdout);
    if (!bar_) bar_.emplace(label_, s.steps);
    text_ = summary(s);
    done_ = s.step + 1;
    begun_ = Clock::now();
    bar_->update(done_, text_);
    if (done_ == s.steps) bar_.reset();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kParts = 1000;
  std::optional<Progress> bar_;
  const char* label_;
  uint64_t steps_;
  uint64_t done_ = 0;
  std::string text_;  // of the last step
  Clock::time_point begun_ = Clock::now();
};

nlohmann::json evaluation_json(const Evaluation& e) {
  nlohmann::json json = {{"samples", e.samples},
                         {"cycles", e.cycles},
                         {"compared", e.compared},
                         {"different", e.different}};
  if (e.judged) json["loss"] = e.loss;
  if (e.labelled) json.update({{"right", e.right}, {"accuracy", e.accuracy()}});
  return json;
}

nlohmann::json report_json(const TrainReport& r) {
  nlohmann::json json = {{"device", r.device},         {"first_step", r.first_step},
                         {"steps", r.steps},           {"skipped", r.skipped},
                         {"first_loss", r.first_loss}, {"last_loss", r.last_loss},
                         {"weights", r.weights},       {"kept", r.kept},
                         {"compared", r.compared},     {"different", r.different},
                         {"resumed", r.resumed},       {"saved", r.saved},
                         {"seconds", r.seconds},       {"cycles", r.cycles},
                         {"wafers", r.wafers},         {"ranks", r.ranks},
                         {"samples", r.samples}};
  json["cycles_one_by_one"] = r.one_by_one;
  json["cycles_of_parts"] = {{"forward", r.times.forward},
                             {"loss", r.times.loss},
                             {"gradients", r.times.gradients},
                             {"deltas", r.times.deltas}};
  if (r.cycles > 0) json["stalls"] = jobs::stalls_json(r.counters);
  if (r.timed) {
    json["waits"] = jobs::waits_json(r.waits);
    json["waits"]["late"] = total(r.late);
  }
  if (!r.plan.is_null()) json["plan"] = r.plan;
  for (const Evaluation& e : r.evaluations) json["evaluations"].push_back(evaluation_json(e));
  return json;
}

void print_report(const TrainReport& r, TrainMode mode) {
  fmt::print("\ndevice      {}\n", r.device);
  if (!r.resumed.empty()) fmt::print("from        {}\n", r.resumed);
  if (!r.resumed.empty() && !r.refused.empty()) fmt::print("refused     {}\n", r.refused);
  fmt::print("network     {} weights, {} kept ({:.1f} % pruned)\n", r.weights, r.kept,
             100.0 - percent(r.kept, r.weights));
  if (jobs::trains(mode)) {
    fmt::print("training    {} steps in {:.1f} s", r.steps, r.seconds);
    if (r.skipped > 0) fmt::print(", {} skipped by an overflow", r.skipped);
    if (r.steps > 0) fmt::print("; loss {:.4f} to {:.4f}", r.first_loss, r.last_loss);
    fmt::print("\n");
  }
  if (r.cycles > 0) {
    const auto each = [&](uint64_t cycles) { return cycles / std::max<uint64_t>(1, r.steps); };
    fmt::print(
        "a step      {} cycles; on the slowest tile {} forward, {} loss, {} gradients, {} deltas\n",
        each(r.cycles), each(r.times.forward), each(r.times.loss), each(r.times.gradients),
        each(r.times.deltas));
    fmt::print("overlap     its phases one by one would take {}: {} cycles are saved\n",
               each(r.one_by_one), each(r.one_by_one - r.cycles));
    if (r.wafers > 1) {
      fmt::print("            {:.1f} samples in 1000 cycles\n",
                 1000.0 * static_cast<double>(r.samples) / static_cast<double>(r.cycles));
    }
  }
  if (r.cycles > 0 && r.steps > 0) {
    fmt::print("stalls      a step, cycles, sums over the tiles: {}\n",
               jobs::stalls_text(r.counters, r.steps));
  }
  if (r.timed && r.steps > 0) {
    fmt::print(
        "waits       a step, cycles of the grid row that waited most: {}; {} after the first {} of "
        "a phase\n",
        jobs::waits_text(r.waits, r.steps), total(r.late) / r.steps, kEdgeSettle);
  }
  if (mode != TrainMode::Train) {
    const Evaluation& last = r.evaluations.back();
    const char* what = last.labelled ? "accuracy" : last.judged ? "loss" : "outputs";
    fmt::print("{:<11} {}\n", what, summary(last));
  }
  if (!r.saved.empty()) fmt::print("saved       {}\n", r.saved);
  uint64_t outputs = 0, different = 0;
  for (const Evaluation& e : r.evaluations) {
    outputs += e.compared;
    different += e.different;
  }
  if (r.compared + outputs == 0) return;
  fmt::print(
      "comparison  {} weights after their steps and {} outputs compared with golden, {} "
      "differ\n",
      r.compared, outputs, r.different + different);
  if (!r.first_difference.empty()) fmt::print("first       {}\n", r.first_difference);
}

}  // namespace

namespace {

jobs::TrainRunOptions options_of(const TrainRequest& request) {
  jobs::TrainRunOptions run;
  run.mode = request.mode == "train"     ? TrainMode::Train
             : request.mode == "eval"    ? TrainMode::Eval
             : request.mode == "predict" ? TrainMode::Predict
                                         : TrainMode::TrainAndEval;
  run.save_outputs = request.save_outputs;
  if (!request.golden) run.make = request.make;
  run.firmware = request.firmware.empty() ? OW_FIRMWARE_DIR "/train.elf" : request.firmware;
  run.reference = golden::training_reference;
  run.model = golden::training_wafer;
  run.check = request.check;
  run.model_dir = request.model_dir;
  run.resume = request.resume;
  run.num_steps = request.num_steps;
  run.plan = request.plan;
  const bool keeps = jobs::trains(run.mode) && !request.validate_only && !request.compile_only;
  if (run.plan.empty() && keeps && !run.model_dir.empty()) {
    run.plan = jobs::plan_path(run.model_dir);
  }
  run.on_plan = [](const jobs::PlanFile& file) { print_plan(file); };
  run.metrics = request.metrics;
  return run;
}

// Where nothing is run: which weights is asked when they are wanted.
void check_directory(const jobs::TrainRunOptions& run) {
  if (run.resume || !run.model_dir.empty()) jobs::check_model_dir(run);
}

// This process's part; rank 0 is the one that speaks.
int run_rank(Context& context, const TrainRequest& request, swarmx::Transport& transport) {
  const bool speaks = transport.rank() == 0;
  if (!speaks) context.no_json();
  jobs::TrainParams params = jobs::load_train_params(request.params);
  if (request.wafers > 0) params.wafers = request.wafers;
  if (request.recorded && params.wafers > 1) {
    throw BadInput("--record: only a training on one wafer is recorded");
  }
  jobs::TrainRunOptions run = options_of(request);
  run.transport = &transport;
  if (request.validate_only) {
    if (!speaks) return 0;  // close() waits for rank 0, however long it reads
    check_directory(run);
    const jobs::CheckedTraining checked = jobs::check_training(params, run);
    fmt::print("{}: valid; {} samples to train with, {} held out; {} a step, {} bytes of a tile\n",
               request.params, checked.training.samples(), checked.held_out.samples(),
               params.job.batch(), checked.plan.used_bytes);
    print_plan(checked.plan_file, "to be made");
    context.result()["valid"] = true;
    return 0;
  }
  if (request.compile_only) {
    if (!speaks) return 0;
    check_directory(run);
    run.plan_only = true;
    jobs::CheckedTraining checked = check_training(params, run);
    if (!checked.plan_file.usable()) checked.plan_file.keep(plan_document(params, checked));
    show_plan(context, checked.plan_file);
    return 0;
  }
  const TrainReport report = [&] {
    // Its bar is gone before the report is printed.
    const bool trains = jobs::trains(run.mode);
    Display display(trains, params.steps);
    run.on_step = [&display](const TrainStep& step) { display.step(step); };
    if (!trains) run.on_evaluation = [&display](double share) { display.evaluated(share); };
    if (speaks) run.on_progress = [&display] { display.working(); };
    return jobs::run_training(params, run);
  }();
  if (!speaks) return 0;
  print_report(report, run.mode);
  context.result() = report_json(report);
  uint64_t different = report.different;
  for (const Evaluation& e : report.evaluations) different += e.different;
  return different == 0 ? 0 : 1;
}

int run_in_memory(Context& context, const TrainRequest& request, swarmx::Transport& transport) {
  try {
    return run_rank(context, request, transport);
  } catch (const std::bad_alloc&) {
    throw BadInput(request.params +
                   ": not enough memory; train.store.directory keeps the weights in a file, "
                   "--no-check leaves out the reference, which has its own");
  }
}

// A rank that does not end by itself soon after the run has failed, because it simulates.
void end_at_once(int status, const std::string& line) {
  if (!line.empty()) std::fprintf(stderr, "%s\n", line.c_str());
  std::_Exit(status);
}

}  // namespace

void add_train_options(CLI::App* sub, TrainRequest* request) {
  sub->add_option("--model-dir,--model_dir", request->model_dir,
                  "Checkpoints and metrics of a training")
      ->type_name("DIR");
  sub->add_option("--num-steps,--num_steps", request->num_steps,
                  "Train at most so many steps in this run")
      ->type_name("K")
      ->check(whole_number(1, 1000000000));
  sub->add_option("--num-wafers,--num_wafers,--num_csx", request->wafers,
                  "Wafers that share a training's micro-batches; the same bits for any number")
      ->type_name("N")
      ->check(whole_number(1, jobs::kMaxWafers));
  sub->add_flag("--resume", request->resume, "Go on from the newest checkpoint in --model-dir");
  sub->add_option("--metrics", request->metrics,
                  "File of a training's metrics, a line of JSON a step (else metrics.jsonl in "
                  "--model-dir)")
      ->type_name("FILE");
}

bool speaks_alone(const std::string& params) {
  const auto transport = swarmx::open_transport();
  const int rank = transport->rank(), ranks = transport->ranks();
  transport->close();
  if (ranks > 1 && rank == 0) {
    throw BadInput(fmt::format(
        "{}: key 'train' is missing: a network is run by one process, not {}", params, ranks));
  }
  return ranks == 1;
}

int run_train(Context& context, const TrainRequest& request) {
  swarmx::TransportOptions options;
  options.last_resort = end_at_once;
  options.terminated =
      "ow: device fault: ended from outside (SIGTERM), as mpirun does when a rank has died";
  const auto transport = swarmx::open_transport(options);
  try {
    const int status = run_in_memory(context, request, *transport);
    transport->close();
    return status;
  } catch (const Error& error) {
    transport->fail(error.exit_status(), error.what());
    // Rank 0 finds bad input itself or hears of it, and says so for all.
    if (transport->rank() > 0 && error.exit_status() == 2) return 2;
    throw;
  } catch (const std::exception& error) {
    transport->fail(InternalError("").exit_status(), error.what());
    throw;
  }
}

}  // namespace ow::cli
