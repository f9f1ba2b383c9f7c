// SPDX-License-Identifier: Apache-2.0
// The wafers of a training: N of them over R ranks, consecutive ones to each. A step's
// micro-batches are cut into N blocks of a power of two; wafer w takes block w, and the sum over
// the blocks is the tree of docs/numerics.md, N16. So N, and where the wafers are, change no bit.
//
//   rank 0:      swarm.begin_step();  swarm.run(...);  memory.finish_step();  ...  swarm.end();
//   the others:  while (swarm.await()) swarm.run(...);
//
// Between two steps they may take batches of other samples forward, each wafer another one.
#ifndef OW_SWARMX_SWARM_H_
#define OW_SWARMX_SWARM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/memoryx/memoryx.h"
#include "ow/swarmx/cast.h"
#include "ow/swarmx/transport.h"
#include "ow/swarmx/wafer_memory.h"

namespace ow::swarmx {

// BadInput, which begins with `who`, if so many wafers cannot share a step's micro-batches, or
// there are more ranks than wafers.
void check_wafers(const std::string& who, int wafers, int micro_batches, int ranks);

class Swarm {
 public:
  // `stream`: rows and colour of the wafers' streams. `memory`: of rank 0, elsewhere null. It and
  // `transport` must outlive the swarm. `store`: where other wafers' gradients lie.
  Swarm(const TrainingJob& job, int wafers, const memoryx::StreamOptions& stream,
        Transport& transport, memoryx::MemoryX* memory, const memoryx::StoreOptions& store = {});

  int wafers() const { return wafers_; }
  int first() const { return first_of(transport_.rank()); }  // wafer of this rank
  int count() const { return static_cast<int>(memories_.size()); }
  // Micro-batches of a wafer and step: wafer w takes w * share() and those that follow.
  int share() const { return share_; }
  uint64_t step() const { return step_; }
  const Round& round() const { return round_; }

  // Tells the wafers of the step that comes next; `times`: when its weights are ready, where that
  // is modelled (ow/swarmx/weight_clock.h).
  void begin_step(const memoryx::WeightTimes& times = {}) { begin({}, times); }
  // Tells them of a forward pass over the batches `first` and so many that follow it, at most
  // wafers(): wafer w takes batch first + w.
  void begin_forward(uint64_t first, uint64_t batches, const memoryx::WeightTimes& times = {});
  // Waits for either; false if there is none any more.
  bool await();
  void end();

  // Work(wafer, micro-batch of the step, its memory) for each micro-batch of this rank's wafers: a
  // thread a wafer, which takes its micro-batches in their order. It must take the stream of the
  // memory once and add a gradient. Of a forward pass: Work(wafer, batch, its memory), which takes
  // the stream alone. `meanwhile`, if given, runs in this thread. Then the gradients
  // are reduced: to MemoryX on rank 0. The first exception of a wafer is thrown again,
  using Work = std::function<void(int wafer, int micro_batch, memoryx::WaferSide& memory)>;
  // and told to the other ranks at once.
  void run(const Work& work, const std::function<void()>& meanwhile = nullptr);
  // A wafer of this rank is at work, from within `work`: who waits for it may wait on.
  void alive() {
    if (cast_ != nullptr) cast_->alive();
  }

  // Messages of all ranks in their order, on rank 0; nothing elsewhere.
  std::vector<Message> gather(Message mine);

 private:
  int first_of(int rank) const { return static_cast<int>(int64_t{wafers_} * rank / ranks_); }
  int rank_of(int wafer) const;
  WaferMemory& memory_of(int wafer) { return *memories_[static_cast<size_t>(wafer - first())]; }
  void begin(const Round& round, const memoryx::WeightTimes& times);
  void start(const StepOrder& order);
  void feed();
  void work_of(int wafer, const Work& work);
  void reduce();
  // The sum of wafer `from` goes into that of wafer `to`, one of them of this rank.
  void join(int to, int from, int micro_batches);

  const TrainingJob job_;
  const int wafers_;
  const int ranks_;
  const int share_;
  const memoryx::StreamOptions stream_;
  Transport& transport_;
  memoryx::MemoryX* memory_;
  std::vector<std::unique_ptr<WaferMemory>> memories_;
  std::unique_ptr<Cast> cast_;
  uint64_t step_ = 0;
  Round round_;
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_SWARM_H_
