// SPDX-License-Identifier: Apache-2.0
// The wafers of a training and what they do in a step: SwarmX (ow/swarmx/swarm.h) with grids, or
// what stands for them.
#ifndef OW_COMPILE_TRAIN_SWARM_H_
#define OW_COMPILE_TRAIN_SWARM_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ow/compile/train_job.h"
#include "ow/compile/train_wafer.h"
#include "ow/swarmx/swarm.h"
#include "ow/swarmx/weight_clock.h"

namespace ow::jobs {

class TrainSwarm {
 public:
  // Makes this rank's wafers. `memory`: of rank 0, elsewhere null. All arguments must outlive it.
  TrainSwarm(const TrainParams& params, const TrainRunOptions& options,
             const CheckedTraining& checked, swarmx::Transport& transport,
             memoryx::MemoryX* memory);

  std::string description() const;
  // Whether the wafers have cycles in which what is outside takes time.
  bool timed() const { return timed_ && time_.modelled(); }

  // Rank 0: the passes of a step over the samples of these numbers; `meanwhile`, if given, is done
  // beside them. Fills in loss (the sum), right, cycles, times and what went in and out. The
  // gradients are in MemoryX then, and the step is to be finished there.
  void step(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile,
            TrainStep* step);
  // Rank 0: the forward pass alone over batches of held-out samples (of a micro-batch each, the
  // last one of what is left), from number `first` on, as many as there are wafers or left: the
  // outputs of each, and the cycles that all took.
  std::vector<Activations> forward(uint64_t first, uint64_t* cycles);
  // The training is over for all ranks.
  void end() { swarm_.end(); }

  // The other ranks: steps until there are no more.
  void serve();

 private:
  // What a micro-batch gave.
  struct Result {
    double loss;
    uint64_t right;
    uint64_t cycles;
    uint64_t one_by_one;
    uint64_t wavelets_in;
    uint64_t gradients;
    TrainTimes times;
    EdgeWaits waits;
    EdgeWaits late;
    Counters counters;
  };

  // What a batch that only went forward gave.
  struct Forward {
    uint64_t cycles = 0;
    Activations outputs;
  };

  // The job's time model, for the step that it begins or goes on with.
  void set_time(uint64_t step);
  // When the weights of what comes next are ready; nothing without a time.
  memoryx::WeightTimes times();
  void run(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile);
  std::vector<Result> gather();
  void account(const std::vector<Result>& results, TrainStep* step);
  // Cycles that the training has gone on since this was asked last: it is where the wafer is that
  // has worked and waited longest.
  uint64_t training_cycles();
  void run_forward();
  std::vector<Forward> gather_forward();

  const TrainingJob& job_;
  const TrainParams& params_;
  const CheckedTraining& checked_;
  swarmx::Transport& transport_;
  memoryx::MemoryX* memory_;
  swarmx::Swarm swarm_;
  std::vector<std::unique_ptr<TrainWafer>> wafers_;  // of this rank
  std::vector<Result> results_;                      // of its micro-batches
  std::vector<Forward> forward_;                     // of its wafers that had a batch
  std::vector<swarmx::WaferGradients> left_;         // of its wafers in this step
  TimeModel time_;
  const bool timed_;
  // Rank 0's.
  std::unique_ptr<swarmx::WeightClock> clock_;
  std::vector<uint64_t> passed_;  // cycles of each wafer since the training began
  uint64_t told_ = 0;             // of the training
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_SWARM_H_
