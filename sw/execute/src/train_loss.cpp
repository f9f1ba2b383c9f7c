// SPDX-License-Identifier: Apache-2.0
#include "train_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "ow/tensor/half.h"

namespace ow::jobs {

std::string cause_of_loss(const memoryx::MemoryX& memory) {
  const TrainingJob& job = memory.job();
  const memoryx::Store& store = memory.store();
  std::string cause;
  // Matrices are streamed in the network's type, biases are used in fp32.
  const auto look = [&](size_t tensor, bool matrix) {
    store.each_window(tensor, [&](size_t first, size_t count) {
      const auto values = store.weights(tensor, first, count);
      for (size_t k = 0; k < count && cause.empty(); ++k) {
        const auto w = static_cast<double>(values[k]);
        if (std::isfinite(matrix ? from_half(job.type, to_half(job.type, w)) : w)) continue;
        cause = fmt::format("{}, element {}, is {}", store.spec(tensor).name, first + k,
                            std::isnan(w) ? "not a number" : fmt::format("{:g}", w));
        if (matrix && std::isfinite(w)) cause += fmt::format(", beyond {}", half_name(job.type));
      }
    });
  };
  for (size_t t = 0; t < store.tensors(); ++t) look(t, store.spec(t).matrix());
  if (!cause.empty()) return cause;
  return "all weights are finite, so an activation or its sum overflows";
}

}  // namespace ow::jobs
