// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/golden_training.h"

#include <utility>
#include <vector>

#include "ow/golden/network.h"
#include "ow/golden/train.h"

namespace ow::bench {
namespace {

template <typename T>
std::vector<T> copy_of(const memoryx::View<T>& view) {
  return {view.begin(), view.end()};
}

class GoldenTraining : public jobs::TrainReference {
 public:
  explicit GoldenTraining(const TrainingJob& job) : job_(job), trainer_(job) {}

  void begin(const memoryx::MemoryX& memory) override {
    const memoryx::Store& store = memory.store();
    std::vector<golden::Parameter> parameters = trainer_.parameters();
    for (size_t k = 0; k < parameters.size(); ++k) {
      golden::Parameter& p = parameters[k];
      const size_t n = p.value.size();
      p.value = copy_of(store.weights(k, 0, n));
      if (store.moments() > 0) p.first = copy_of(store.moment(k, 0, 0, n));
      if (store.moments() > 1) p.second = copy_of(store.moment(k, 1, 0, n));
      if (store.spec(k).masked) p.mask = copy_of(store.mask(k, 0, n));
    }
    const memoryx::RunState state = memory.state();
    trainer_.restore(std::move(parameters), state.step, state.updates, state.loss_scale,
                     state.good_steps);
  }

  Activations run(const Activations& x, const Targets& targets) override {
    batches_.push_back(trainer_.run(x, targets));
    return batches_.back().outputs.back();
  }
  const std::vector<float>& gradient(size_t parameter) const override {
    return batches_.back().gradients[parameter];
  }
  void update() override {
    trainer_.update(batches_);
    batches_.clear();
  }
  const std::vector<float>& weights(size_t parameter) const override {
    return trainer_.parameters()[parameter].value;
  }
  Activations forward(const Activations& x) const override {
    return golden::run_network(trainer_.network(), x, job_.grid_rows, false).back();
  }

 private:
  TrainingJob job_;
  golden::Trainer trainer_;
  std::vector<golden::MicroBatch> batches_;
};

}  // namespace

std::unique_ptr<jobs::TrainReference> golden_training(const TrainingJob& job) {
  return std::make_unique<GoldenTraining>(job);
}

}  // namespace ow::bench
