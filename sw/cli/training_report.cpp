// SPDX-License-Identifier: Apache-2.0
#include "training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "ow/execute/causes.h"

namespace ow::cli {
namespace {

using jobs::Evaluation;
using jobs::TrainEnd;
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

}  // namespace

TrainingDisplay::TrainingDisplay(bool trains, uint64_t steps)
    : label_(trains ? "training" : "held out"), steps_(trains ? steps : kParts) {}

void TrainingDisplay::working() {
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_);
  if (since.count() < 1) return;
  if (!bar_) bar_.emplace(label_, steps_);
  bar_->update(done_, fmt::format("{}  at work for {} s", text_, since.count()));
}

void TrainingDisplay::evaluated(double share) {
  done_ = static_cast<uint64_t>(share * kParts);
  begun_ = Clock::now();
  if (!bar_) bar_.emplace(label_, steps_);
  bar_->update(done_);
}

void TrainingDisplay::step(const TrainStep& s) {
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

namespace {

nlohmann::json evaluation_json(const Evaluation& e) {
  nlohmann::json json = {{"samples", e.samples},
                         {"cycles", e.cycles},
                         {"compared", e.compared},
                         {"different", e.different}};
  if (e.judged) json["loss"] = e.loss;
  if (e.labelled) json.update({{"right", e.right}, {"accuracy", e.accuracy()}});
  return json;
}

}  // namespace

const char* end_name(TrainEnd end) {
  return end == TrainEnd::Done ? "done" : end == TrainEnd::Asked ? "asked" : "loss";
}

nlohmann::json report_json(const TrainReport& r) {
  nlohmann::json json = {{"device", r.device},
                         {"first_step", r.first_step},
                         {"steps", r.steps},
                         {"skipped", r.skipped},
                         {"end", end_name(r.end)},
                         {"why", r.why},
                         {"not_finite", r.not_finite},
                         {"first_loss", r.first_loss},
                         {"last_loss", r.last_loss},
                         {"weights", r.weights},
                         {"kept", r.kept},
                         {"compared", r.compared},
                         {"different", r.different},
                         {"resumed", r.resumed},
                         {"saved", r.saved},
                         {"seconds", r.seconds},
                         {"cycles", r.cycles},
                         {"wafers", r.wafers},
                         {"ranks", r.ranks},
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

int status_of(const TrainReport& r) {
  constexpr int kCheckFailed = 1, kGoesOnLater = 4;
  return r.end == TrainEnd::Done ? 0 : r.end == TrainEnd::Asked ? kGoesOnLater : kCheckFailed;
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
  if (r.end != TrainEnd::Done) fmt::print("ended       {}\n", r.why);
  if (r.not_finite > 0)
    fmt::print("warning     {} steps had a loss that is not finite\n", r.not_finite);
  if (mode != TrainMode::Train && !r.evaluations.empty()) {
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

}  // namespace ow::cli
