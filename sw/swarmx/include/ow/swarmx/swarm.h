// SPDX-License-Identifier: Apache-2.0
// The wafers of a training: N wafers on R ranks, consecutive wafers on each rank. A step's
// micro-batches are cut into N blocks of a power of two. Wafer w takes block w, and the blocks are
// added by the tree of docs/numerics.md, N16. So neither N nor the place of a wafer changes a bit.
//
//   rank 0:      swarm.begin_step();  swarm.run(...);  memory.finish_step();  ...  swarm.end();
//   the others:  while (swarm.await()) swarm.run(...);
//
// Between two steps the wafers may run batches of other samples forward, a different batch each.
#ifndef OW_SWARMX_SWARM_H_
#define OW_SWARMX_SWARM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/memoryx/memoryx.h"
#include "ow/ranks/transport.h"
#include "ow/swarmx/cast.h"
#include "ow/swarmx/wafer_memory.h"

namespace ow::swarmx {

// BadInput, which begins with `who`, if this number of wafers cannot share a step's micro-batches,
// or if there are more ranks than wafers.
void check_wafers(const std::string& who, int wafers, int micro_batches, int ranks);

class Swarm {
 public:
  // `streams`: those of every wafer. `memory`: on rank 0, else null. `memory` and `transport` must
  // outlive the swarm. `store`: where the gradients of the other wafers are kept.
  Swarm(const TrainingJob& job, int wafers, memoryx::TrainStreams streams,
        ranks::Transport& transport, memoryx::MemoryX* memory,
        const memoryx::StoreOptions& store = {});

  int wafers() const { return wafers_; }
  const memoryx::TrainStreams& streams() const { return streams_; }
  int first() const { return first_of(transport_.rank()); }  // first wafer of this rank
  int count() const { return static_cast<int>(memories_.size()); }
  // Micro-batches of one wafer in a step: wafer w takes share() of them, from w * share() on.
  int share() const { return share_; }
  uint64_t step() const { return step_; }
  const Round& round() const { return round_; }

  // Tells the wafers about the next step. `times`: when its weights are ready, if time is modelled
  // (ow/swarmx/weight_clock.h). `tables`: the rows that the samples of the step use.
  void begin_step(const memoryx::WeightTimes& times = {},
                  const std::vector<TableRows>& tables = {}) {
    begin({}, times, tables);
  }
  // Tells the wafers about a forward pass over `batches` batches from `first` on, at most wafers()
  // of them. Wafer w takes batch first + w.
  void begin_forward(uint64_t first, uint64_t batches, const memoryx::WeightTimes& times = {},
                     const std::vector<TableRows>& tables = {});
  // Waits for a step or a forward pass. Returns false after end().
  bool await();
  void end();

  // In a step: work(wafer, micro-batch of the step, its memory). It must take the memory's stream
  // once and add a gradient. In a forward pass: work(wafer, batch, its memory). It only takes the
  // stream.
  using Work = std::function<void(int wafer, int micro_batch, memoryx::WaferSide& memory)>;
  // Calls work for each micro-batch of this rank's wafers, in a thread per wafer, in order.
  // `meanwhile`, if given, runs in the calling thread. Then the gradients are reduced, to MemoryX
  // on rank 0. The first exception of a wafer is told to the other ranks at once and thrown again
  // here.
  void run(const Work& work, const std::function<void()>& meanwhile = nullptr);
  // Called from within `work`: a wafer of this rank is at work, so waiting for it is fine.
  void alive() {
    if (cast_ != nullptr) cast_->alive();
  }

  // On rank 0, the messages of all ranks in order. Empty on other ranks.
  std::vector<ranks::Message> gather(ranks::Message mine);

 private:
  int first_of(int rank) const { return static_cast<int>(int64_t{wafers_} * rank / ranks_); }
  int rank_of(int wafer) const;
  WaferMemory& memory_of(int wafer) { return *memories_[static_cast<size_t>(wafer - first())]; }
  void begin(const Round& round, const memoryx::WeightTimes& times,
             const std::vector<TableRows>& tables);
  void start(const StepOrder& order);
  void feed();
  void work_of(int wafer, const Work& work);
  void reduce();
  // Adds the sum of wafer `from` to that of wafer `to`. One of them belongs to this rank.
  void join(int to, int from, int micro_batches);

  const TrainingJob job_;
  const int wafers_;
  const int ranks_;
  const int share_;
  const memoryx::TrainStreams streams_;
  ranks::Transport& transport_;
  memoryx::MemoryX* memory_;
  std::vector<std::unique_ptr<WaferMemory>> memories_;
  std::unique_ptr<Cast> cast_;
  uint64_t step_ = 0;
  Round round_;
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_SWARM_H_
