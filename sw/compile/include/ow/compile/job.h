// SPDX-License-Identifier: Apache-2.0
// What the file of a job of `ow run` says (docs/run.md). ow/execute/run_job.h runs it.
#ifndef OW_COMPILE_JOB_H_
#define OW_COMPILE_JOB_H_

#include <string>
#include <variant>

#include "ow/compile/params.h"
#include "ow/compile/train_params.h"

namespace ow::jobs {

// Everything that a job's file says. A file with a key `train` is a training. Any other file is the
// run of a network; it also owns what the file of its training says.
struct Job {
  std::variant<RunParams, TrainParams> params;

  bool is_training() const { return std::holds_alternative<TrainParams>(params); }
  // Data, network and grid, which both kinds have.
  const RunParams& base() const;
  // The job as one of these kinds. BadInput if it is of the other kind.
  const RunParams& network() const;
  const TrainParams& training() const;
  // Replaces the number of wafers of a training.
  void set_wafers(int wafers);
};

// Reads and checks the file, and the file that network.training names. Each is read once and may be
// a pipe. Files of data and weights are not read here. Paths in a file are relative to its
// directory, and in a pipe to the current directory. With `with_training` = false network.training
// is not read: the weights come from elsewhere.
//
// Throws BadInput, one line with the file, the line, the key and the limit, for: a file that cannot
// be read or is not YAML; an unknown, missing or repeated key; a value of another type or out of
// range. compile() checks what depends on the machine.
Job read_job(const std::string& path, bool with_training = true);

}  // namespace ow::jobs

#endif  // OW_COMPILE_JOB_H_
