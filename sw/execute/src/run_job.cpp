// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/run_job.h"

namespace ow::jobs {

Compiled compile(const Job& job, const RunOptions& options) {
  Compiled compiled;
  if (job.is_training()) {
    compiled.training = compile_training(job.training(), options);
  } else {
    compiled.network = check_run(job.network(), options);
  }
  return compiled;
}

nlohmann::json plan_document(const Job& job, const Compiled& compiled) {
  return job.is_training() ? plan_document(job.training(), *compiled.training)
                           : plan_document(job.network(), *compiled.network);
}

uint64_t Report::mismatches() const {
  return network ? network->mismatches() : training->mismatches();
}

Report execute(const Job& job, const Compiled& compiled, const RunOptions& options) {
  Report report;
  if (job.is_training()) {
    report.training = run_training(job.training(), *compiled.training, options);
  } else {
    report.network = run_network(job.network(), *compiled.network, options);
  }
  return report;
}

}  // namespace ow::jobs
