// SPDX-License-Identifier: Apache-2.0
// A job of `ow run` from its file to its report (docs/run.md):
//   const Job job = read_job("job.yaml");
//   const Compiled compiled = compile(job, options);   // samples, program, plan
//   const Report report = execute(job, compiled, options);
#ifndef OW_EXECUTE_RUN_JOB_H_
#define OW_EXECUTE_RUN_JOB_H_

#include <cstdint>
#include <optional>

#include "ow/compile/job.h"
#include "ow/execute/network_run.h"
#include "ow/execute/options.h"
#include "ow/execute/train_job.h"

namespace ow::jobs {

// A job that can run: its samples, its program, its plan.
struct Compiled {
  std::optional<Checked> network;
  std::optional<CheckedTraining> training;
  PlanFile& plan_file() { return network ? network->plan_file : training->plan_file; }
};

// Reads the data and the program. Makes the plan, or takes it from its file. Checks everything that
// needs neither training nor simulation. Throws BadInput.
Compiled compile(const Job& job, const RunOptions& options);

// For PlanFile::keep.
nlohmann::json plan_document(const Job& job, const Compiled& compiled);

struct Report {
  std::optional<RunReport> network;
  std::optional<TrainReport> training;  // without figures on all ranks but the first
  // Weights, outputs and bits of activations that differ from the reference.
  uint64_t mismatches() const;
};

Report execute(const Job& job, const Compiled& compiled, const RunOptions& options);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_RUN_JOB_H_
