// SPDX-License-Identifier: Apache-2.0
// What one of several wafers has of a training: MemoryX's stream as it comes by, and room for the
// sum of its own gradients. Biases, masks and what else a step needs to be known come at its
// beginning; no matrix's weight is kept. Wafer 0's gradients go to MemoryX at once.
#ifndef OW_SWARMX_WAFER_MEMORY_H_
#define OW_SWARMX_WAFER_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ow/memoryx/memoryx.h"
#include "ow/memoryx/wafer_side.h"
#include "ow/swarmx/cast.h"
#include "ow/swarmx/transport.h"

namespace ow::swarmx {

// A parameter goes between wafers in messages of so many elements at most, whatever the windows of
// their stores.
constexpr size_t kPart = size_t{1} << 20;
// Calls work(first, count) for the parts of a parameter, in order.
template <typename Work>
void each_part(const memoryx::TensorSpec& spec, const Work& work) {
  const size_t n = spec.elements();
  for (size_t first = 0; first < n; first += kPart) work(first, std::min(kPart, n - first));
}

// What the wafers do next: the micro-batches of a step, or the forward pass alone over so many
// batches of other samples, the first of which has this number; one each, some wafers may have
// none.
struct Round {
  uint64_t first = 0;
  uint64_t batches = 0;  // 0: a step
  bool forward() const { return batches > 0; }
};

// What all wafers are told before it, tensor by tensor in messages of bounded size.
class StepOrder {
 public:
  // With the weights of the step that comes next; when they are ready, where that is modelled.
  explicit StepOrder(const memoryx::MemoryX& memory, const Round& round = {},
                     const memoryx::WeightTimes& times = {});
  // As it came from another rank.
  explicit StepOrder(std::vector<Message> parts) : parts_(std::move(parts)) {}
  const std::vector<Message>& parts() const { return parts_; }
  // How many there are for a network's store.
  static size_t parts_of(const memoryx::Store& store);

 private:
  std::vector<Message> parts_;
};

class WaferMemory : public memoryx::WaferSide {
 public:
  // Wafer 0: gradients are those of `memory`, which must outlive it.
  explicit WaferMemory(memoryx::MemoryX* memory);
  // Any other, which takes `share` micro-batches of a step; its gradients lie in `store`.
  WaferMemory(const TrainingJob& job, int share, const memoryx::StoreOptions& store = {});

  // A round begins; streams are those of the cast's reader `n`.
  void begin(const StepOrder& order, Cast* cast, int n);
  // The next micro-batch is the last one that this wafer takes of the step.
  void set_last(bool last) { times_.reduces = last; }

  const Round& round() const { return round_; }
  const TrainingJob& job() const override { return job_; }
  const memoryx::Store& store() const override { return *store_; }
  size_t weight_of(size_t layer) const override { return weights_[layer]; }
  size_t bias_of(size_t layer) const override;
  uint64_t step() const override { return step_; }
  float loss_scale() const override { return loss_scale_; }
  uint64_t updated() const override { return updated_; }
  const memoryx::SwarmTimes* times() const override { return timed_ ? &times_ : nullptr; }
  bool needs_dense(size_t tensor) const override { return dense_[tensor] != 0; }
  std::unique_ptr<memoryx::WeightStream> stream_of_step(
      const memoryx::StreamOptions& options) override;
  std::unique_ptr<memoryx::WeightStream> stream_of_forward(
      const memoryx::StreamOptions& options) const override;
  int gradient_slot() const override { return sum_->slot(); }
  void gradient_added() override { sum_->added(); }

  // One array is left, for window(); not of wafer 0, whose sum ends with the step.
  void close() { sum_->finish(); }
  // Elements first .. first + count - 1 of a parameter's gradient, once closed: all, or those of
  // the mask's positions.
  Message window(size_t tensor, size_t first, size_t count) const;
  // The same from another wafer, whose micro-batches follow this one's; behind the last window of
  // the last parameter added() says of how many micro-batches they are.
  void put_window(size_t tensor, size_t first, size_t count, const Message& message);
  void added(int micro_batches) { sum_->added(micro_batches); }

 private:
  void number_parameters();
  std::unique_ptr<memoryx::WeightStream> next_stream(const memoryx::StreamOptions& options) const;
  // Whether all of its gradient counts.
  bool whole(size_t tensor) const;

  TrainingJob job_;
  std::vector<size_t> weights_;
  std::vector<int> biases_;  // -1: none
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
