// SPDX-License-Identifier: Apache-2.0
// What `ow run` says about a training: while it runs, and at its end as text and as JSON
// (docs/commands.md).
#ifndef OW_CLI_TRAINING_REPORT_H_
#define OW_CLI_TRAINING_REPORT_H_

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ow/base/progress.h"
#include "ow/execute/train_job.h"

namespace ow::cli {

// A bar on a terminal, and a line for every tenth of the steps.
class TrainingDisplay {
 public:
  TrainingDisplay(bool trains, uint64_t steps);

  // Shows the time since the last step: a grid's passes may take minutes.
  void working();
  // Shows how much of the samples is done, for a run that trains nothing.
  void evaluated(double share);
  void step(const jobs::TrainStep& s);

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

nlohmann::json report_json(const jobs::TrainReport& report);
void print_report(const jobs::TrainReport& report, jobs::TrainMode mode);
// The exit status of a training in which nothing differs from the reference: 0, 1 for a loss that
// is not finite, 4 if it was asked to end before its last step.
int status_of(const jobs::TrainReport& report);

}  // namespace ow::cli

#endif  // OW_CLI_TRAINING_REPORT_H_
