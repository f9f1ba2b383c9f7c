// SPDX-License-Identifier: Apache-2.0
// The wafers of a training and their work in a step: SwarmX (ow/swarmx/swarm.h) with grids of
// tiles, or with models of them.
#ifndef OW_EXECUTE_TRAIN_SWARM_H_
#define OW_EXECUTE_TRAIN_SWARM_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ow/execute/train_job.h"
#include "ow/execute/train_wafer.h"
#include "ow/swarmx/swarm.h"
#include "ow/swarmx/weight_clock.h"

namespace ow::jobs {

class TrainSwarm {
 public:
  // Makes this rank's wafers. `memory`: on rank 0, else null. All arguments must outlive this
  // object.
  TrainSwarm(const TrainParams& params, const RunOptions& options, const CheckedTraining& checked,
             ranks::Transport& transport, memoryx::MemoryX* memory);

  std::string description() const;
  // Whether the wafers have cycles, and transfers outside them take time.
  bool timed() const { return timed_ && time_.modelled(); }

  // Rank 0: runs the passes of a step over the samples with these numbers. `meanwhile`, if given,
  // runs at the same time. Fills in loss (the sum), right, cycles, times and the traffic. Then the
  // gradients are in MemoryX, and the caller must finish the step there.
  void step(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile,
            TrainStep* step);
  // Rank 0: runs the forward pass over batches of held-out samples from number `first` on, one for
  // each wafer while batches are left. A batch is a micro-batch; the last may be smaller. Returns
  // the outputs of each batch and sets the cycles of all.
  std::vector<Activations> forward(uint64_t first, uint64_t* cycles);
  // Ends the training for all ranks, and the recording of the first wafer.
  void end();
  // Rank 0: whether RunOptions::stop was true on any rank. The other ranks tell with their results.
  bool asked_to_stop() const { return told_to_stop_ || asked_here(); }

  // The other ranks: runs steps until there are no more.
  void serve();

 private:
  // The result of a micro-batch.
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

  // The result of a batch that only went forward.
  struct Forward {
    uint64_t cycles = 0;
    Activations outputs;
  };

  // Sets the job's time model for this step and those after it.
  void set_time(uint64_t step);
  // When the weights for the next work are ready. Empty without a time model.
  memoryx::WeightTimes times();
  // A micro-batch of a step's samples, and a batch of the held-out ones.
  Dataset micro_batch(const std::vector<uint64_t>& numbers, size_t n) const;
  Dataset held_out(size_t n) const;
  // The rows of tables that batches 0 .. count - 1 use; nothing for a single wafer, which has them.
  std::vector<swarmx::TableRows> rows_of(size_t count,
                                         const std::function<Dataset(size_t n)>& batch) const;
  void run(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile);
  std::vector<Result> gather();
  void account(const std::vector<Result>& results, TrainStep* step);
  // Cycles of the training since the last call. The training's clock is the largest of the wafers'
  // clocks (cycles worked and waited).
  uint64_t training_cycles();
  void run_forward();
  std::vector<Forward> gather_forward();
  bool asked_here() const { return stop_ && stop_(); }

  const TrainingJob& job_;
  const TrainParams& params_;
  const CheckedTraining& checked_;
  ranks::Transport& transport_;
  memoryx::MemoryX* memory_;
  swarmx::Swarm swarm_;
  std::vector<std::unique_ptr<TrainWafer>> wafers_;  // of this rank
  std::vector<Result> results_;                      // of its micro-batches
  std::vector<Forward> forward_;                     // of its wafers that had a batch
  std::vector<swarmx::WaferGradients> left_;         // of its wafers in this step
  TimeModel time_;
  const bool timed_;
  const std::function<bool()> stop_;
  // Used on rank 0 only.
  bool told_to_stop_ = false;
  std::unique_ptr<swarmx::WeightClock> clock_;
  std::vector<uint64_t> passed_;  // cycles of each wafer since the training began
  uint64_t told_ = 0;             // training cycles that were reported
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_SWARM_H_
