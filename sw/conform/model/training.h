// SPDX-License-Identifier: Apache-2.0
// A host that trains, as golden does: the lines of docs/conformance.md, "A host that trains".
#ifndef OW_CONFORM_MODEL_TRAINING_H_
#define OW_CONFORM_MODEL_TRAINING_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faults.h"
#include "ow/golden/train.h"

namespace ow::conform {

class ModelTraining {
 public:
  ModelTraining(const std::string& job, const Wrong& wrong);

  std::vector<uint32_t> parameter(const std::string& name, const std::string& what) const;
  void set_parameter(const std::string& name, const std::vector<uint32_t>& words);
  void set_gradient(const std::string& name, const std::vector<uint32_t>& words);
  std::vector<uint32_t> batch(const std::vector<uint32_t>& inputs,
                              const std::vector<uint32_t>& targets);
  std::pair<bool, uint32_t> end_step();
  std::vector<uint32_t> order(uint64_t samples, uint64_t step) const;

 private:
  size_t index(const std::string& name) const;

  const Wrong& wrong_;
  TrainingJob job_;
  std::unique_ptr<golden::Trainer> trainer_;
  std::vector<golden::MicroBatch> step_;
  std::vector<std::vector<float>> given_;  // gradients of a micro-batch that is not whole yet
  size_t left_ = 0;                        // of them
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MODEL_TRAINING_H_
