// SPDX-License-Identifier: Apache-2.0
#ifndef OW_EXECUTE_TRAIN_CHECK_H_
#define OW_EXECUTE_TRAIN_CHECK_H_

#include <string>

#include "ow/execute/train_job.h"

namespace ow::jobs {

// Calls options.on_warning with a line that names the job's file.
void warn(const RunOptions& options, const TrainParams& params, const std::string& what);

// The file that Predict writes its outputs to.
std::string outputs_path(const RunOptions& options);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_CHECK_H_
