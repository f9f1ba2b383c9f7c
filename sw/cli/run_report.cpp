// SPDX-License-Identifier: Apache-2.0
#include "run_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "network_report.h"
#include "ow/base/progress.h"
#include "plan_report.h"
#include "training_report.h"

namespace ow::cli {
namespace {

// The progress of each stage of a network's run in turn.
class Stages {
 public:
  void update(const std::string& what, double done) {
    if (what != stage_) {
      bar_.reset();
      bar_ = std::make_unique<Progress>(what, 1000);
      stage_ = what;
    }
    bar_->update(static_cast<uint64_t>(done * 1000));
  }

 private:
  std::string stage_;
  std::unique_ptr<Progress> bar_;
};

}  // namespace

void print_valid(Context& context, const jobs::Job& job, jobs::Compiled& compiled) {
  fmt::print("{}: valid; ", job.base().path);
  if (compiled.training) {
    const jobs::CheckedTraining& checked = *compiled.training;
    fmt::print("{} samples to train with, {} held out; {} a step, {} bytes of a tile\n",
               checked.training.samples(), checked.held_out.samples(), job.training().job.batch(),
               checked.plan.used_bytes);
  } else {
    const jobs::Checked& checked = *compiled.network;
    const auto& training = checked.checked_training;
    fmt::print("{} samples to run, {} to train with; {} a tile, {} bytes of it in use",
               checked.samples.samples(), training ? training->training.samples() : 0,
               checked.plans.network.samples, checked.plans.network.used_bytes);
    if (checked.plans.large) {
      fmt::print(", {} by the large layer", checked.plans.large->used_bytes);
    }
    fmt::print("\n");
  }
  print_plan(compiled.plan_file(), "to be made");
  context.result()["valid"] = true;
}

jobs::Report execute_shown(const jobs::Job& job, const jobs::Compiled& compiled,
                           jobs::RunOptions options, bool speaks) {
  // The bars are gone before the report is printed.
  if (!job.is_training()) {
    Stages stages;
    options.progress = [&](const std::string& what, double done) { stages.update(what, done); };
    return jobs::execute(job, compiled, options);
  }
  const bool trains = jobs::trains(options.mode);
  TrainingDisplay display(trains, job.training().steps);
  options.on_step = [&](const jobs::TrainStep& step) { display.step(step); };
  if (!trains) options.on_evaluation = [&](double share) { display.evaluated(share); };
  if (speaks) options.on_progress = [&] { display.working(); };
  return jobs::execute(job, compiled, options);
}

void print_warning(const std::string& what) {
  std::fflush(stdout);  // in the order of the lines, if both go to one file
  std::fprintf(stderr, "ow: warning: %s\n", what.c_str());
}

int print_report(Context& context, const jobs::Report& report, jobs::TrainMode mode) {
  if (report.network) {
    print_report(*report.network);
    context.result() = report_json(*report.network);
  } else {
    print_report(*report.training, mode);
    context.result() = report_json(*report.training);
  }
  if (report.mismatches() > 0) return 1;
  return report.training ? status_of(*report.training) : 0;
}

}  // namespace ow::cli
