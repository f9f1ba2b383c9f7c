// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/training.h"

namespace ow {

TrainingJob forward_job() {
  TrainingJob job;
  job.loss.clear();
  job.samples = 0;
  job.optimizer.kind = OptimizerOptions::Kind::Sgd;
  return job;
}

TrainingJob forward_job(const Network& network, int rows, int columns, int samples) {
  TrainingJob job = forward_job();
  job.type = network.type;
  job.layers = network.shapes();
  job.grid_rows = rows;
  job.grid_cols = columns;
  job.samples = samples;
  auto first = std::make_shared<FirstValues>();
  for (size_t k = 0; k < network.layers.size(); ++k) {
    const Layer& layer = network.layers[k];
    std::vector<float>& weights = first->values[weight_name(layer, k)];
    for (const uint16_t half : layer.weights) weights.push_back(from_half(network.type, half));
    if (layer.bias) first->values[bias_name(layer, k)] = layer.bias_values;
  }
  job.first = std::move(first);
  return job;
}

Tokens tokens_of(const std::vector<int>& ids, int length, size_t slots) {
  Tokens tokens;
  tokens.ids = ids;
  tokens.ids.resize(slots, kNoToken);
  for (size_t slot = 0; slot < slots; slot += kSlotGroup) {
    const bool there = slot < ids.size();
    const auto each = static_cast<size_t>(there ? length : kSlotGroup);
    tokens.starts.push_back(static_cast<int>(slot / each * each));
  }
  return tokens;
}

}  // namespace ow
