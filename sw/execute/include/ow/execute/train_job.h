// SPDX-License-Identifier: Apache-2.0
// The job of `ow run` for a file with a key `train`: a training from its first step or from a
// checkpoint, on a grid or by a reference model. It classifies held-out samples and compares every
// weight with the reference after every step.
#ifndef OW_EXECUTE_TRAIN_JOB_H_
#define OW_EXECUTE_TRAIN_JOB_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/compile/plan_file.h"
#include "ow/compile/train_params.h"
#include "ow/execute/options.h"
#include "ow/execute/train_grid.h"
#include "ow/execute/train_wafer.h"
#include "ow/memoryx/memoryx.h"
#include "ow/ranks/transport.h"

namespace ow::jobs {

// The same training by other means, for comparison. This library has none; the caller brings the
// golden model's.
class TrainReference {
 public:
  virtual ~TrainReference() = default;
  // Continues from the state of `memory`.
  virtual void begin(const memoryx::MemoryX& memory) = 0;
  // Runs the next micro-batch of the step. Returns the outputs of the last layer.
  virtual Activations run(const Samples& samples, const Targets& targets) = 0;
  // Ends the step.
  virtual void update() = 0;
  // Parameters have the store's numbers.
  virtual const std::vector<float>& weights(size_t parameter) const = 0;
  virtual Activations forward(const Samples& samples) const = 0;
};

// The result of a forward pass over samples.
struct Evaluation {
  size_t samples = 0;
  bool judged = true;    // the targets are known, so there is a loss
  bool labelled = true;  // the targets are classes, so there is an accuracy
  size_t right = 0;
  double loss = 0;  // mean
  uint64_t cycles = 0;
  uint64_t compared = 0;  // outputs
  uint64_t different = 0;
  double accuracy() const { return static_cast<double>(right) / static_cast<double>(samples); }
};

struct TrainStep {
  uint64_t step = 0;   // done by this step, from 0
  uint64_t steps = 0;  // of the job
  double loss = 0;     // mean over the step's samples, before the update
  size_t samples = 0;
  bool labelled = true;  // else the number of right ones is not known
  size_t right = 0;
  bool skipped = false;        // because of an overflow
  std::optional<double> norm;  // of the gradients, if they are clipped
  float rate = 0;
  float loss_scale = 0;  // used in this step
  size_t weights = 0;    // of all matrices
  size_t kept = 0;       // of them, after the step
  int wafers = 1;
  uint64_t cycles = 0;       // 0 without a grid, like all that follow
  uint64_t one_by_one = 0;   // `cycles` if no phases overlapped (TrainRun::one_by_one)
  uint64_t wavelets_in = 0;  // of all micro-batches
  uint64_t gradients = 0;    // numbers that left the grid
  TrainTimes times;          // of the slowest wafer
  // Cycles in which the slowest wafer waited for something outside, including SwarmX's stages and
  // other wafers. They are those of its grid row with the most waits.
  EdgeWaits waits{};
  EdgeWaits late{};     // of `waits`, after the first 2,000 cycles of a phase
  Counters counters{};  // sums over all tiles of that wafer
  double seconds = 0;
  uint64_t different = 0;                  // weights that differ from the reference's
  const Evaluation* evaluation = nullptr;  // null if there was none after this step
};

// Why a training has ended. Asked: RunOptions::stop. Loss: it was not finite.
enum class TrainEnd { Done, Asked, Loss };

struct TrainReport {
  std::string device;
  TrainEnd end = TrainEnd::Done;
  std::string why;          // a line, unless it is done
  uint64_t first_step = 0;  // of this run
  uint64_t steps = 0;       // done in this run
  uint64_t skipped = 0;
  uint64_t not_finite = 0;  // steps whose loss was not finite
  double first_loss = 0, last_loss = 0;
  size_t weights = 0, kept = 0;
  uint64_t compared = 0;   // weights and biases, over all steps
  uint64_t different = 0;  // of them
  std::string first_difference;
  std::vector<Evaluation> evaluations;  // the last one is of the last weights
  std::string resumed;                  // the checkpoint of the start
  std::string refused;                  // why newer ones were not used; empty: there were none
  std::string saved;                    // the last checkpoint written, or the outputs
  nlohmann::json plan;                  // PlanFile::report
  uint64_t cycles = 0;                  // of all steps
  uint64_t one_by_one = 0;              // over all steps, if no phases overlapped
  TrainTimes times;                     // over all steps
  bool timed = false;                   // things outside the wafer take time
  EdgeWaits waits{}, late{};            // of all steps
  Counters counters{};                  // over all steps
  double seconds = 0;
  int wafers = 1;
  int ranks = 1;
  uint64_t samples = 0;         // of all steps
  uint64_t mismatches() const;  // weights and outputs that differ from the reference
};

// Checks model_dir without touching it: the mode or `resume` needs one and it is not named; it is
// not a directory; it has checkpoints although this run starts anew. Throws BadInput.
void check_model_dir(const RunOptions& options);

// Checks everything else that needs no training. A run that continues a checkpoint has its orders
// of sums. Throws BadInput.
struct CheckedTraining {
  Dataset training;
  Dataset held_out;
  ElfImage firmware;
  TrainingJob job;  // with the plan's orders of sums
  Plan plan;
  PlanFile plan_file;  // where the plan is from or will be kept
};
// For PlanFile::keep, with the cycles of the first step.
nlohmann::json plan_document(const TrainParams& params, const CheckedTraining& checked);
// Where a training keeps its plan unless another file is named.
std::string plan_path(const std::string& model_dir);
CheckedTraining check_training(const TrainParams& params, const RunOptions& options);

// Both checks, for this rank. Only rank 0 has files.
CheckedTraining compile_training(const TrainParams& params, const RunOptions& options);

// Rank 0 returns the report. The other ranks return an empty one when rank 0 is done.
TrainReport run_training(const TrainParams& params, const CheckedTraining& checked,
                         const RunOptions& options);
// Checks first.
TrainReport run_training(const TrainParams& params, const RunOptions& options);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_JOB_H_
