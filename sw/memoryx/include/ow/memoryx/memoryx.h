// SPDX-License-Identifier: Apache-2.0
// The weights of a training, from the first step to the last: what a wafer streams, and what
// becomes of the gradients that it gives back. docs/training.md is the way round; docs/numerics.md
// (N12 to N21) fixes every bit.
//
//   MemoryX memory(job, {});
//   memory.begin();                                     // or load()
//   for each step:
//     for each micro-batch:
//       stream_of_step()
//       write the gradients into memory.store().gradient(tensor, memory.gradient_slot(), ...)
//       memory.gradient_added()
//     memory.finish_step()
#ifndef OW_MEMORYX_MEMORYX_H_
#define OW_MEMORYX_MEMORYX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ow/base/durable_file.h"
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
#include "ow/tensor/training.h"

namespace ow::memoryx {

struct MemoryOptions {
  StoreOptions store;
  int threads = 1;
  // What the samples are, by keys that begin with `data.`: checkpoints hold it. Empty: not known,
  // and not looked at in those that are read.
  JobKeys data;
};

class MemoryX : public WaferSide {
 public:
  // BadInput for a job with values out of their ranges.
  MemoryX(const TrainingJob& job, const MemoryOptions& options);

  // The first weights and masks (N20, N21).
  void begin();

  const TrainingJob& job() const override { return job_; }
  Store& store() { return store_; }
  const Store& store() const override { return store_; }
  size_t weight_of(size_t layer) const override { return weights_[layer]; }
  size_t bias_of(size_t layer) const override;

  uint64_t step() const override { return step_; }  // that comes next; counts skipped ones
  uint64_t updates() const { return updates_; }     // that were done
  float loss_scale() const override { return scale_.value(); }
  uint64_t updated() const override { return updated_; }
  RunState state() const;  // as a checkpoint has it
  size_t kept(size_t tensor) const { return sparsity_.kept(tensor); }
  bool needs_dense(size_t tensor) const override { return sparsity_.needs_dense(tensor, step_); }

  int gradient_slot() const override { return sum_.slot(); }
  void gradient_added() override { sum_.added(); }
  // The same of a sum over an aligned block of micro-batches (N16), from other wafers.
  GradientSum& gradient_sum() { return sum_; }
  // Update, masks, loss scale. InternalError unless all micro-batches have been added.
  Optimizer::Result finish_step();

  // The streams of these layers, in this order; not to be kept across finish_step().
  std::unique_ptr<WeightStream> stream(Pass pass, const std::vector<size_t>& layers,
                                       const StreamOptions& options) const;
  std::unique_ptr<WeightStream> stream_of_step(const StreamOptions& options) override;
  std::unique_ptr<WeightStream> stream_of_forward(const StreamOptions& options) const override;
  // What these streams are made of, for who hands them on.
  std::unique_ptr<BatchSource> batches_of_step(const StreamOptions& options) const;
  std::unique_ptr<BatchSource> batches_of_forward(const StreamOptions& options) const;
  // Weights rounded to the network's type, zeros without a sign, as a network to be run.
  Network network() const;

  void save(const std::string& path, FileCalls* calls = nullptr) const;
  // BadInput as load_checkpoint, or of another training (job_keys), with the key that differs and
  // both values.
  void load(const std::string& path);

 private:
  std::unique_ptr<MatrixSource> source(size_t layer, Pass pass) const;

  TrainingJob job_;
  JobKeys data_;
  std::vector<size_t> weights_;
  std::vector<int> biases_;  // -1: none
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

// A store's parameters of a job, in the order of docs/numerics.md.
std::vector<TensorSpec> specs_of(const TrainingJob& job);

// Which samples a step takes (N21): numbers of 0 .. samples - 1, job.batch() of them.
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
