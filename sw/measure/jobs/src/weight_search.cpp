// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/weight_search.h"

#include <algorithm>

namespace ow::bench {
namespace {

constexpr int kHalfBits = 16;

// The last halves of a sequence as one number.
class Window {
 public:
  void put(uint16_t half) {
    bits_ = bits_ << kHalfBits | half;
    ++count_;
  }
  bool full() const { return count_ >= WeightSearch::kRun; }
  uint64_t bits() const { return bits_; }

 private:
  uint64_t bits_ = 0;
  size_t count_ = 0;
};
static_assert(WeightSearch::kRun * kHalfBits == 64, "a window is 64 bits");

// The runs among weights first, first + step, ... of `count`.
template <typename Weight>
void add_runs(int count, int first, int step, const Weight& weight, std::vector<uint64_t>* runs) {
  Window window;
  for (int i = first; i < count; i += step) {
    const uint16_t half = weight(i);
    if (half_is_zero(half)) continue;
    window.put(half);
    if (window.full()) runs->push_back(window.bits());
  }
}

}  // namespace

WeightSearch::WeightSearch(const Network& network, int rows) {
  const auto add = [&](int count, const auto& weight) {
    add_runs(count, 0, 1, weight, &runs_);
    for (int first = 0; rows > 1 && first < rows; ++first) {
      add_runs(count, first, rows, weight, &runs_);
    }
  };
  for (const Layer& layer : network.layers) {
    for (int j = 0; j < layer.outputs; ++j) {
      add(layer.inputs, [&](int i) { return layer.weight(j, i); });
    }
    for (int i = 0; i < layer.inputs; ++i) {
      add(layer.outputs, [&](int j) { return layer.weight(j, i); });
    }
  }
  std::sort(runs_.begin(), runs_.end());
  runs_.erase(std::unique(runs_.begin(), runs_.end()), runs_.end());
}

size_t WeightSearch::found_in(const std::vector<uint32_t>& words) const {
  size_t found = 0;
  const auto look = [&](const Window& window) {
    const bool in = window.full() && std::binary_search(runs_.begin(), runs_.end(), window.bits());
    found += in ? 1 : 0;
  };
  Window halves, low, high;
  for (const uint32_t word : words) {
    const auto lower = static_cast<uint16_t>(word),
               upper = static_cast<uint16_t>(word >> kHalfBits);
    halves.put(lower);
    look(halves);
    halves.put(upper);
    look(halves);
    low.put(lower);
    look(low);
    high.put(upper);
    look(high);
  }
  return found;
}

size_t WeightSearch::found(ControlPlane* control) const {
  const size_t words = control->sram_bytes(0, 0) / sizeof(uint32_t);
  size_t found = 0;
  for (const std::vector<uint32_t>& tile : control->read_rect(whole(control->shape()), 0, words)) {
    found += found_in(tile);
  }
  return found;
}

}  // namespace ow::bench
