// SPDX-License-Identifier: Apache-2.0
// Our own host under the kit: trainings by MemoryX, their passes on the grid under test
// (docs/conformance.md, "A host that trains").
#ifndef OW_CONFORM_TRAINING_HOST_H_
#define OW_CONFORM_TRAINING_HOST_H_

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ow/conform/grid_device.h"
#include "ow/execute/train_grid.h"
#include "ow/memoryx/memoryx.h"

namespace ow::conform {

class TrainingHost : public GridDevice {
 public:
  // `firmware`: the folder of the tiles' programs.
  TrainingHost(Make make, std::string firmware)
      : GridDevice(std::move(make)), firmware_(std::move(firmware)) {}

 protected:
  void begin_job(const std::string& text) override;
  std::vector<uint32_t> parameter(const std::string& name, const std::string& what) override;
  void set_parameter(const std::string& name, const std::vector<uint32_t>& words) override;
  void set_gradient(const std::string& name, const std::vector<uint32_t>& words) override;
  std::vector<uint32_t> batch(const std::vector<uint32_t>& inputs,
                              const std::vector<uint32_t>& targets) override;
  std::pair<bool, uint32_t> end_step() override;
  std::vector<uint32_t> order(uint64_t samples, uint64_t step) override;

 private:
  memoryx::MemoryX& memory();
  size_t parameter_of(const std::string& name, size_t words);

  const std::string firmware_;
  std::unique_ptr<memoryx::MemoryX> memory_;
  std::unique_ptr<Runtime> machine_;         // made by the first batch
  std::unique_ptr<jobs::TrainGrid> passes_;  // on it
  std::set<size_t> given_;                   // parameters whose gradients have come
  int slot_ = -1;                            // of the last micro-batch; -1: none in this step
  uint64_t ignored_ = 0;                     // samples of the step
};

}  // namespace ow::conform

#endif  // OW_CONFORM_TRAINING_HOST_H_
