// SPDX-License-Identifier: Apache-2.0
// What one of several wafers knows of a training: MemoryX's stream as it passes, and room for the
// sum of its own gradients. Biases, masks, the rows of tables that a step's samples use, and other
// values of a step arrive at its beginning. No other weight of a matrix is kept. Wafer 0's
// gradients go directly to MemoryX.
#ifndef OW_SWARMX_WAFER_MEMORY_H_
#define OW_SWARMX_WAFER_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ow/memoryx/memoryx.h"
#include "ow/memoryx/wafer_side.h"
#include "ow/ranks/transport.h"
#include "ow/swarmx/cast.h"

namespace ow::swarmx {

// A parameter travels between wafers in messages of at most this many elements, whatever the
// windows of their stores.
constexpr size_t kPart = size_t{1} << 20;
// Calls work(first, count) for the parts of a parameter, in order.
template <typename Work>
void each_part(const memoryx::TensorSpec& spec, const Work& work) {
  const size_t n = spec.elements();
  for (size_t first = 0; first < n; first += kPart) work(first, std::min(kPart, n - first));
}

// What the wafers do next: the micro-batches of a step, or a forward pass over `batches` batches of
// other samples from number `first` on. Each wafer gets at most one such batch.
struct Round {
  uint64_t first = 0;
  uint64_t batches = 0;  // 0: a step
  bool forward() const { return batches > 0; }
};

// The rows of a table that the samples of a round use, ascending.
struct TableRows {
  size_t table = 0;  // number in the store
  std::vector<uint32_t> rows;
};

// What all wafers are told before a round, tensor by tensor, in messages of bounded size.
class StepOrder {
 public:
  // For the weights of the next step. `times`: when they are ready, if time is modelled.
  explicit StepOrder(const memoryx::MemoryX& memory, const Round& round = {},
                     const memoryx::WeightTimes& times = {},
                     const std::vector<TableRows>& tables = {});
  // As received from another rank.
  explicit StepOrder(std::vector<ranks::Message> parts) : parts_(std::move(parts)) {}
  const std::vector<ranks::Message>& parts() const { return parts_; }
  // The number of messages, as the first one says.
  static size_t parts_of(const ranks::Message& first);

 private:
  std::vector<ranks::Message> parts_;
};

class WaferMemory : public memoryx::WaferSide {
 public:
  // Wafer 0. Its gradients are those of `memory`. `memory` and `streams`, those that MemoryX sends,
  // must outlive it.
  WaferMemory(memoryx::MemoryX* memory, const memoryx::TrainStreams& streams);
  // Any other wafer. It takes `share` micro-batches of a step. Its gradients are kept in `store`.
  WaferMemory(const TrainingJob& job, const memoryx::TrainStreams& streams, int share,
              const memoryx::StoreOptions& store = {});

  // A round begins. Its streams come from reader `n` of the cast.
  void begin(const StepOrder& order, Cast* cast, int n);
  // The next micro-batch is the last one of this wafer in the step.
  void set_last(bool last) { times_.reduces = last; }

  const Round& round() const { return round_; }
  const TrainingJob& job() const override { return job_; }
  const memoryx::Store& store() const override { return *store_; }
  uint64_t step() const override { return step_; }
  float loss_scale() const override { return loss_scale_; }
  uint64_t updated() const override { return updated_; }
  const memoryx::SwarmTimes* times() const override { return timed_ ? &times_ : nullptr; }
  bool needs_dense(size_t tensor) const override { return dense_[tensor] != 0; }
  std::unique_ptr<memoryx::WeightStream> stream(
      const memoryx::StreamSchedule& schedule,
      const memoryx::StreamOptions& options) const override;
  int gradient_slot() const override { return sum_->slot(); }
  void gradient_added() override { sum_->added(); }

  // Joins all arrays into one, for window(). Not for wafer 0, whose sum ends with the step.
  void close() { sum_->finish(); }
  // After close(): elements first .. first + count - 1 of a parameter's gradient, all of them or
  // those in the mask.
  ranks::Message window(size_t tensor, size_t first, size_t count) const;
  // Takes such a message from another wafer, whose micro-batches follow this one's. After the last
  // window of the last parameter, call added() with the number of its micro-batches.
  void put_window(size_t tensor, size_t first, size_t count, const ranks::Message& message);
  void added(int micro_batches) { sum_->added(micro_batches); }

 private:
  void take_rows(const ranks::Message& message);
  // Whether all elements of its gradient count.
  bool whole(size_t tensor) const;

  TrainingJob job_;
  const memoryx::TrainStreams& streams_;
  std::unique_ptr<memoryx::Store> own_store_;
  std::unique_ptr<memoryx::Pool> own_pool_;
  std::unique_ptr<memoryx::GradientSum> own_sum_;
  const memoryx::Store* store_;
  memoryx::GradientSum* sum_;
  Round round_;
  uint64_t step_ = 0;
  float loss_scale_ = 1;
  uint64_t updated_ = 0;
  std::vector<uint8_t> dense_;  // by tensor
  bool timed_ = false;
  memoryx::SwarmTimes times_;
  Cast* cast_ = nullptr;
  int reader_ = 0;
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_WAFER_MEMORY_H_
