// SPDX-License-Identifier: Apache-2.0
// The job of `ow run` for a file with a key `train`: a training from its first step, or from a
// checkpoint, on a grid or by a reference model; held-out samples classified; every weight compared
// with the reference after every step.
#ifndef OW_COMPILE_TRAIN_JOB_H_
#define OW_COMPILE_TRAIN_JOB_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ow/compile/plan_file.h"
#include "ow/compile/train_grid.h"
#include "ow/compile/train_params.h"
#include "ow/compile/train_wafer.h"
#include "ow/memoryx/memoryx.h"
#include "ow/swarmx/transport.h"

namespace ow::jobs {

// A training by other means, for whoever compares. This library knows none; ow_bench brings the
// golden model's.
class TrainReference {
 public:
  virtual ~TrainReference() = default;
  // Goes on from the state of `memory`.
  virtual void begin(const memoryx::MemoryX& memory) = 0;
  // The next micro-batch of the step; outputs of the last layer.
  virtual Activations run(const Activations& x, const Targets& targets) = 0;
  // Ends the step.
  virtual void update() = 0;
  // Parameters are numbered as the store's.
  virtual const std::vector<float>& weights(size_t parameter) const = 0;
  virtual Activations forward(const Activations& x) const = 0;
};

// Eval classifies the held-out samples with the newest checkpoint; Predict gives its outputs of
// them, or of all samples if none are held out, and asks for no classes.
enum class TrainMode { Train, Eval, TrainAndEval, Predict };
inline bool trains(TrainMode mode) {
  return mode == TrainMode::Train || mode == TrainMode::TrainAndEval;
}

// What a forward pass over samples gave.
struct Evaluation {
  size_t samples = 0;
  bool judged = true;    // what the samples should be is known, and so is the loss
  bool labelled = true;  // .. by their classes, and so is how many were found
  size_t right = 0;
  double loss = 0;  // mean
  uint64_t cycles = 0;
  uint64_t compared = 0;  // outputs
  uint64_t different = 0;
  double accuracy() const { return static_cast<double>(right) / static_cast<double>(samples); }
};

struct TrainStep {
  uint64_t step = 0;   // that was done, from 0
  uint64_t steps = 0;  // of the job
  double loss = 0;     // mean over the step's samples, before the update
  size_t samples = 0;
  bool labelled = true;  // else how many are right is not known
  size_t right = 0;
  bool skipped = false;  // by an overflow
  double norm = 0;       // of the gradient, if it is to be clipped
  float rate = 0;
  float loss_scale = 0;  // that the step used
  size_t weights = 0;    // of all matrices
  size_t kept = 0;       // of them, after the step
  int wafers = 1;
  uint64_t cycles = 0;       // 0 without a grid, as all that follow
  uint64_t one_by_one = 0;   // `cycles` if no phase overlapped another (TrainRun::one_by_one)
  uint64_t wavelets_in = 0;  // of all micro-batches
  uint64_t gradients = 0;    // numbers that left the grid
  TrainTimes times;          // of the slowest wafer
  // Of it: cycles that the grid row that waited most waited for what is outside, SwarmX's stages
  // and the other wafers too.
  EdgeWaits waits{};
  EdgeWaits late{};     // of them, after the first 2,000 of a phase
  Counters counters{};  // of all tiles of that wafer together
  double seconds = 0;
  uint64_t different = 0;                  // weights that differ from the reference's
  const Evaluation* evaluation = nullptr;  // if there was one behind the step
};

struct TrainRunOptions {
  TrainMode mode = TrainMode::Train;
  // Makes a wafer's device; none: `model` does the passes.
  std::function<std::unique_ptr<Device>(GridShape)> make;
  std::function<std::unique_ptr<TrainWafer>(const TrainingJob&)> model;
  // The processes of the training, of which this is one; none: it is alone. Not closed here.
  swarmx::Transport* transport = nullptr;
  TileConfig tile = kFullTile;  // of the device
  std::string firmware;         // path of train.elf
  std::function<std::unique_ptr<TrainReference>(const TrainingJob&, const Graph&)> reference;
  bool check = true;         // compare with the reference
  std::string model_dir;     // checkpoints and metrics; empty: none are written
  std::string plan;          // file of the plan (plan_file.h); empty: it is not kept
  bool resume = false;       // from the newest checkpoint there
  bool plan_only = false;    // check_training looks at no sample: the plan needs none
  uint64_t num_steps = 0;    // at most so many in this run; 0: all
  std::string save_outputs;  // of Predict: their file; empty: predictions.safetensors in model_dir
  std::string metrics;  // file of JSON lines; empty: metrics.jsonl in model_dir, if there is one
  std::function<void(const PlanFile&)> on_plan;  // when the file has it
  std::function<void(const TrainStep&)> on_step;
  std::function<void(const memoryx::MemoryX&)> on_end;  // with what has the last weights
  std::function<void(double done)> on_evaluation;       // 0..1
  std::function<void()> on_progress;                    // now and then while a grid works
};

struct TrainReport {
  std::string device;
  uint64_t first_step = 0;  // of this run
  uint64_t steps = 0;       // that it did
  uint64_t skipped = 0;
  double first_loss = 0, last_loss = 0;
  size_t weights = 0, kept = 0;
  uint64_t compared = 0;   // weights, biases too, over all steps
  uint64_t different = 0;  // of them
  std::string first_difference;
  std::vector<Evaluation> evaluations;  // the last one is of the last weights
  std::string resumed;                  // the checkpoint it began with
  std::string refused;                  // why newer ones were not taken; empty: there were none
  std::string saved;                    // the last checkpoint written, or the outputs
  nlohmann::json plan;                  // PlanFile::report
  uint64_t cycles = 0;                  // of all steps
  uint64_t one_by_one = 0;              // likewise, if no phase overlapped another
  TrainTimes times;                     // likewise
  bool timed = false;                   // what is outside the wafer takes time
  EdgeWaits waits{}, late{};            // of all steps
  Counters counters{};                  // likewise
  double seconds = 0;
  int wafers = 1;
  int ranks = 1;
  uint64_t samples = 0;  // of all steps
};

// What can be said against model_dir without touching it: not named though the mode or `resume`
// asks for it, no directory, checkpoints of an earlier run though this one begins anew. Throws
// BadInput.
void check_model_dir(const TrainRunOptions& options);

// Everything else that can be checked without training. What goes on from a checkpoint has its
// orders of sums. Throws BadInput.
struct CheckedTraining {
  Dataset training;
  Dataset held_out;
  ElfImage firmware;
  TrainingJob job;  // with the orders of sums that the plan has
  TrainPlan plan;
  PlanFile plan_file;  // that it is of, or will be kept in
};
// What PlanFile::keep is given, its cycles those of the first step.
nlohmann::json plan_document(const TrainParams& params, const CheckedTraining& checked);
// Where a training keeps its plan unless another file is named.
std::string plan_path(const std::string& model_dir);
CheckedTraining check_training(const TrainParams& params, const TrainRunOptions& options);

// On rank 0 the report; the other ranks return an empty one when it is done there.
TrainReport run_training(const TrainParams& params, const TrainRunOptions& options);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_JOB_H_
