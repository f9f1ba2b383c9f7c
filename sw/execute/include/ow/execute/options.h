// SPDX-License-Identifier: Apache-2.0
// How a job is run: everything that its file does not say.
#ifndef OW_EXECUTE_OPTIONS_H_
#define OW_EXECUTE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ow/compile/placement.h"
#include "ow/device/device.h"
#include "ow/graph/graph.h"
#include "ow/graph/training.h"
#include "ow/memoryx/stream_schedule.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/network.h"

namespace ow::memoryx {
class MemoryX;
}
namespace ow::ranks {
class Transport;
}

namespace ow::jobs {

class PlanFile;
class TileCounts;
class TrainReference;
class TrainWafer;
struct TrainStep;

// What the machine must compute: the value of every operation of a job's graph but the loss, with
// the job's first values; `dense`: weights of zero take part. This library has no model of its own;
// a caller that wants a comparison brings one (ow::golden::run_forward).
using Reference = std::function<std::vector<Activations>(const TrainingJob& job,
                                                         const Activations& x, bool dense)>;

// Eval classifies the held-out samples with the newest checkpoint. Predict gives their outputs, or
// those of all samples if none are held out, and needs no classes.
enum class TrainMode { Train, Eval, TrainAndEval, Predict };
inline bool trains(TrainMode mode) {
  return mode == TrainMode::Train || mode == TrainMode::TrainAndEval;
}

// How far a job goes. A job that is only planned reads no samples. A job that is only checked or
// planned needs no directory.
enum class Until { Checked, Planned, Done };

struct RunOptions {
  // For every job.
  Until until = Until::Done;
  // Makes a device with the job's grid. If it is empty, the models below run the job alone.
  std::function<std::unique_ptr<Device>(GridShape)> make;
  TileConfig tile = kFullTile;  // the device's tile, for checks before there is a device
  // Path of the tiles' program: forward.elf for a network, train.elf for a training, or its
  // build for the tile's SRAM.
  std::string firmware;
  // Programs with more kernels, the smallest first, for a job that needs one of them.
  std::vector<std::string> larger_firmware;
  bool check = true;  // compare with the references
  std::string plan;   // file of the plan (plan_file.h); empty: not kept
  // Where to write the device's outputs (sparse run, or Predict), or those of the reference if
  // there is no device. Empty: nowhere, or for Predict predictions.safetensors in model_dir.
  std::string save_outputs;
  std::function<void(const PlanFile&)> on_plan;  // called when the plan is in its file
  TileCounts* counts = nullptr;  // where what the tiles of this process count is added
  // Called with a line about something that is probably not meant.
  std::function<void(const std::string&)> on_warning;

  // For a network.
  Reference reference;       // none: nothing is compared
  std::string weights;       // file of weights; overrides the job
  std::string save_weights;  // where to write them; empty: nowhere
  size_t limit = 0;          // run only this many samples; 0: all
  bool dense = true;         // also run every batch with zeros streamed
  // Programs, the smallest first, for a job that names a training of its weights.
  std::vector<std::string> train_firmware;
  // Called now and then with the current activity and its progress (0..1).
  std::function<void(const std::string&, double)> progress;

  // For a training, and for one that makes a network's weights. `model` does the passes if there is
  // no device. It takes these streams, which outlive it.
  std::function<std::unique_ptr<TrainWafer>(const TrainingJob&, const memoryx::TrainStreams&)>
      model;
  std::function<std::unique_ptr<TrainReference>(const TrainingJob&, const Graph&)> train_reference;

  // For a training.
  TextReader read_text;  // none: texts are refused
  TrainMode mode = TrainMode::Train;
  // The processes of the training, of which this is one. Null: a single process. Not closed here.
  ranks::Transport* transport = nullptr;
  std::string model_dir;   // directory of checkpoints and metrics; empty: none are written
  bool resume = false;     // from the newest checkpoint in model_dir
  uint64_t num_steps = 0;  // at most this many in this run; 0: all
  std::string metrics;     // file of JSON lines; empty: metrics.jsonl in model_dir, if there is one
  // Asked after each step, on every rank: whether to end the training there, with a checkpoint.
  std::function<bool()> stop;
  std::function<void(const TrainStep&)> on_step;
  std::function<void(const memoryx::MemoryX&)> on_end;  // called with the last weights
  std::function<void(double done)> on_evaluation;       // 0..1
  std::function<void()> on_progress;                    // called now and then while a grid works
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_OPTIONS_H_
