// SPDX-License-Identifier: Apache-2.0
// The weights of a training, from the first step to the last: what a wafer streams, and what
// happens to the gradients that it returns. docs/training.md is the guide; docs/numerics.md (N12 to
// N21) defines every bit.
//
//   MemoryX memory(job, {});
//   memory.begin();                                     // or load()
//   for each step:
//     for each micro-batch:
//       memory.stream(schedule, options)              // to the grid (stream_schedule.h)
//       GradientSink(memory, schedule, ...)           // takes what comes back, and adds it
//     memory.finish_step()
#ifndef OW_MEMORYX_MEMORYX_H_
#define OW_MEMORYX_MEMORYX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ow/base/durable_file.h"
#include "ow/graph/training.h"
#include "ow/memoryx/checkpoint.h"
#include "ow/memoryx/gradient_sum.h"
#include "ow/memoryx/job_keys.h"
#include "ow/memoryx/loss_scale.h"
#include "ow/memoryx/optimizer.h"
#include "ow/memoryx/pool.h"
#include "ow/memoryx/sparsity.h"
#include "ow/memoryx/store.h"
#include "ow/memoryx/wafer_side.h"
#include "ow/memoryx/weight_stream.h"
#include "ow/tensor/network.h"

namespace ow::memoryx {

struct MemoryOptions {
  StoreOptions store;
  int threads = 1;
  // Describes the samples, by keys that begin with `data.`. Checkpoints store it. If empty, load()
  // does not compare it.
  JobKeys data;
};

// BadInput, one line, for a value out of range: what MemoryX's constructor refuses, but for a
// directory that is full. Makes no store.
void check_ranges(const TrainingJob& job, const MemoryOptions& options);

class MemoryX : public WaferSide {
 public:
  // BadInput as check_ranges, or if there is no room for the store.
  MemoryX(const TrainingJob& job, const MemoryOptions& options);

  // Makes the first weights and masks (N20, N21).
  void begin();

  const TrainingJob& job() const override { return job_; }
  Store& store() { return store_; }
  const Store& store() const override { return store_; }

  uint64_t step() const override { return step_; }  // the next step; skipped steps count
  uint64_t updates() const { return updates_; }     // updates done so far
  float loss_scale() const override { return scale_.value(); }
  uint64_t updated() const override { return updated_; }
  RunState state() const;  // as a checkpoint stores it
  size_t kept(size_t tensor) const { return sparsity_.kept(tensor); }
  bool needs_dense(size_t tensor) const override { return sparsity_.needs_dense(tensor, step_); }

  int gradient_slot() const override { return sum_.slot(); }
  void gradient_added() override { sum_.added(); }
  // For sums over an aligned block of micro-batches (N16), which come from other wafers.
  GradientSum& gradient_sum() { return sum_; }
  // Updates weights, masks and loss scale. `ignored`: samples of the step whose target is ignored.
  // InternalError unless all micro-batches have been added.
  Optimizer::Result finish_step(uint64_t ignored = 0);

  std::unique_ptr<WeightStream> stream(const StreamSchedule& schedule,
                                       const StreamOptions& options) const override;
  // The batches of these streams, for a caller that passes them on.
  std::unique_ptr<BatchSource> batches(const StreamSchedule& schedule,
                                       const StreamOptions& options) const;
  // The numbers of all parameters.
  Weights weights() const;

  void save(const std::string& path, FileCalls* calls = nullptr) const;
  // BadInput as load_checkpoint, or if the file is of another training (job_keys), with the key and
  // both values.
  void load(const std::string& path);

 private:
  std::unique_ptr<MatrixSource> source(const StreamStep& step) const;

  TrainingJob job_;
  JobKeys data_;
  Pool pool_;
  Store store_;
  Sparsity sparsity_;
  Optimizer optimizer_;
  LossScale scale_;
  GradientSum sum_;
  uint64_t step_ = 0;
  uint64_t updates_ = 0;
  uint64_t updated_ = 0;
};

// The parameters of a job, in the order of docs/numerics.md.
std::vector<TensorSpec> specs_of(const TrainingJob& job);

// The numbers of a layer's parameters in that order.
struct LayerParameters {
  size_t weight = 0;
  size_t bias = 0;  // of a layer that has one
};
std::vector<LayerParameters> parameters_of(const std::vector<LayerShape>& layers);

// The samples of each step (N88): job.batch() numbers from 0 to samples - 1.
class SampleOrder {
 public:
  // BadInput if there are no samples.
  SampleOrder(uint64_t seed, uint64_t samples, uint64_t batch);
  std::vector<uint64_t> of_step(uint64_t step);

 private:
  void shuffle(uint64_t epoch);

  uint64_t seed_;
  uint64_t batch_;
  uint64_t epoch_ = 0;
  std::vector<uint64_t> order_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_MEMORYX_H_
