// SPDX-License-Identifier: Apache-2.0
// A training that is done twice: its passes by the reference trainer, whose gradients MemoryX gets
// as it would get them from a wafer, and the updates by both.
#ifndef OW_TB_MEMORYX_BOTH_H_
#define OW_TB_MEMORYX_BOTH_H_

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/golden/train.h"
#include "ow/memoryx/memoryx.h"
#include "ow/tensor/dataset.h"

namespace ow::memoryx {

inline std::vector<float> copy_of(const View<float>& v) { return {v.begin(), v.end()}; }

inline std::vector<float> weights_of(const Store& store, size_t tensor) {
  return copy_of(store.weights(tensor, 0, store.spec(tensor).elements()));
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Classes that a fixed random projection tells apart: something to learn.
struct Problem {
  Dataset data;

  Problem(uint64_t seed, int features, int classes, size_t samples) {
    Rng rng(seed);
    std::vector<double> direction;
    for (int k = 0; k < features * classes; ++k) direction.push_back(2 * rng.uniform() - 1);
    data.features = features;
    for (size_t s = 0; s < samples; ++s) {
      std::vector<double> score(static_cast<size_t>(classes));
      for (int f = 0; f < features; ++f) {
        const double x = 2 * rng.uniform() - 1;
        data.values.push_back(static_cast<float>(x));
        for (size_t c = 0; c < score.size(); ++c) {
          score[c] += x * direction[static_cast<size_t>(f) * score.size() + c];
        }
      }
      data.labels.push_back(
          static_cast<int>(std::max_element(score.begin(), score.end()) - score.begin()));
    }
  }
};

class Both {
 public:
  Both(const TrainingJob& job, const Dataset& data, const MemoryOptions& options = {})
      : golden(job),
        memory(job, options),
        job_(job),
        data_(data),
        order_(job.seed, data.samples(), job.batch()) {
    memory.begin();
  }

  // The golden trainer's micro-batches of the step that comes next.
  std::vector<golden::MicroBatch> passes() {
    const std::vector<uint64_t> numbers = order_.of_step(golden.step());
    EXPECT_EQ(numbers, golden::samples_of_step(job_, data_.samples(), golden.step()));
    std::vector<golden::MicroBatch> batches;
    const size_t size = job_.micro_batch();
    for (size_t first = 0; first < numbers.size(); first += size) {
      Dataset part;
      for (size_t k = 0; k < size; ++k) part.add(data_, numbers[first + k]);
      golden::Targets targets;
      targets.classes = part.labels;
      batches.push_back(golden.run(part.activations(job_.type, 0, size), targets));
    }
    return batches;
  }

  Optimizer::Result give(const std::vector<golden::MicroBatch>& batches) {
    for (const golden::MicroBatch& b : batches) {
      const int slot = memory.gradient_slot();
      for (size_t k = 0; k < memory.store().tensors(); ++k) {
        memory.store().each_window(k, [&](size_t first, size_t count) {
          const View<float> g = memory.store().gradient(k, slot, first, count);
          std::memcpy(g.data(), b.gradients[k].data() + first, count * sizeof(float));
        });
      }
      memory.gradient_added();
    }
    return memory.finish_step();
  }

  // A step of both; afterwards they must agree.
  golden::Trainer::Result step() {
    const auto batches = passes();
    const Optimizer::Result mine = give(batches);
    const golden::Trainer::Result result = golden.update(batches);
    EXPECT_EQ(mine.skipped, result.skipped);
    EXPECT_EQ(mine.norm, result.norm);
    EXPECT_EQ(mine.norm.has_value(), job_.optimizer.max_norm > 0 && !mine.skipped);
    EXPECT_EQ(mine.rate, result.rate);
    EXPECT_EQ(memory.loss_scale(), golden.loss_scale());
    return result;
  }

  // "" or the first difference.
  std::string difference() const {
    const Store& store = memory.store();
    for (size_t k = 0; k < store.tensors(); ++k) {
      const golden::Parameter& p = golden.parameters()[k];
      const size_t n = p.value.size();
      if (!same_bits(weights_of(store, k), p.value)) return p.name + ": weights";
      if (store.moments() > 0 && !same_bits(copy_of(store.moment(k, 0, 0, n)), p.first)) {
        return p.name + ": first moment";
      }
      if (store.moments() > 1 && !same_bits(copy_of(store.moment(k, 1, 0, n)), p.second)) {
        return p.name + ": second moment";
      }
      if (store.spec(k).masked != !p.mask.empty()) return p.name + ": one mask";
      if (p.mask.empty()) continue;
      const View<uint8_t> mask = store.mask(k, 0, n);
      if (std::vector<uint8_t>(mask.begin(), mask.end()) != p.mask) return p.name + ": mask";
      if (memory.kept(k) != p.kept()) return p.name + ": kept";
    }
    return "";
  }

  golden::Trainer golden;
  MemoryX memory;

 private:
  TrainingJob job_;
  const Dataset& data_;
  SampleOrder order_;
};

}  // namespace ow::memoryx

#endif  // OW_TB_MEMORYX_BOTH_H_
