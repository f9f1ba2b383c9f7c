// SPDX-License-Identifier: Apache-2.0
// `ow bench train`: the digits network trained from scratch on the RTL.
#include "train_jobs.h"

#include <fmt/format.h>
#include <sched.h>

#include "ow/base/error.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

using jobs::TrainParams;
using jobs::TrainReport;

// The calling thread, and those that it starts, on two of the machine's cores until it ends.
class TwoCores {
 public:
  TwoCores() {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) {
      throw InternalError("the cores of this process are not known");
    }
    cpu_set_t two;
    CPU_ZERO(&two);
    for (size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &two);
    }
    count_ = CPU_COUNT(&two);
    if (sched_setaffinity(0, sizeof two, &two) != 0) {
      throw InternalError("this process cannot be kept to two cores");
    }
  }
  TwoCores(const TwoCores&) = delete;
  TwoCores& operator=(const TwoCores&) = delete;
  ~TwoCores() { sched_setaffinity(0, sizeof before_, &before_); }

  int count() const { return count_; }  // 1 on a machine that has no more

 private:
  cpu_set_t before_;
  int count_ = 0;
};

}  // namespace

nlohmann::json report_json(const TrainReport& r) {
  nlohmann::json raw = {{"steps", r.steps},           {"skipped", r.skipped},
                        {"weights", r.weights},       {"kept", r.kept},
                        {"compared", r.compared},     {"different", r.different},
                        {"first_loss", r.first_loss}, {"last_loss", r.last_loss},
                        {"seconds", r.seconds},       {"cycles", r.cycles}};
  raw["cycles_of_parts"] = {{"forward", r.times.forward},
                            {"loss", r.times.loss},
                            {"gradients", r.times.gradients},
                            {"deltas", r.times.deltas}};
  if (!r.first_difference.empty()) raw["first_difference"] = r.first_difference;
  return raw;
}

void measure_digits(Rows* rows, const TrainBench& bench) {
  constexpr uint64_t kMostSteps = 300;
  constexpr size_t kOneIn = 10;  // of the weights is left, at most
  const TrainParams params = jobs::read_job(bench.params).training();
  const TwoCores cores;
  const Progress bar = rows->progress("digits");
  jobs::RunOptions run;
  run.mode = jobs::TrainMode::TrainAndEval;
  run.firmware = bench.firmware;
  run.train_reference = golden::training_reference;
  run.model = golden::training_wafer;
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  run.on_step = [&bar](const jobs::TrainStep& step) {
    bar(static_cast<double>(step.step + 1) / static_cast<double>(step.steps));
  };
  const TrainReport r = run_training(params, run);
  const jobs::Evaluation& e = r.evaluations.back();
  if (r.steps > kMostSteps) rows->fault("train.digits_accuracy", fmt::format("{} steps", r.steps));
  if (r.kept * kOneIn > r.weights) {
    rows->fault("train.digits_accuracy",
                fmt::format("{} of {} weights are kept at the end", r.kept, r.weights));
  }
  nlohmann::json raw = report_json(r);
  raw["cores"] = cores.count();
  raw["right"] = e.right;
  raw["images"] = e.samples;
  size_t compared = 0, different = 0;
  for (const jobs::Evaluation& each : r.evaluations) {
    compared += each.compared;
    different += each.different;
  }
  raw["outputs_compared"] = compared;
  raw["outputs_different"] = different;
  if (r.compared == 0 || compared == 0 || r.different + different != 0) {
    rows->fault("train.digits_accuracy",
                fmt::format("{} of {} weights and {} of {} outputs differ from golden", r.different,
                            r.compared, different, compared));
  }
  rows->add("train.digits_accuracy", 100.0 * e.accuracy(), raw);
  rows->add("train.digits_seconds", r.seconds, raw);
}

}  // namespace ow::bench
