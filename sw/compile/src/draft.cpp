// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/draft.h"

#include <algorithm>
#include <numeric>

namespace ow::jobs {
namespace {

constexpr uint64_t kAlign = 64;  // bytes: the SRAM's banks repeat

uint64_t up(uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

}  // namespace

Slot Draft::buffer(const std::string& name, uint64_t bytes) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = bytes;
  buffers_.push_back(std::move(buffer));
  return {buffers_.size() - 1, 0};
}

void Draft::take(const char* kernel, const std::vector<Slot>& uses, PhaseCost cost,
                 std::function<std::vector<uint32_t>(int row)> words) {
  for (const Slot& slot : uses) {
    Buffer& buffer = buffers_[slot.buffer];
    buffer.first = std::min(buffer.first, phases_.size());
    buffer.last = std::max(buffer.last, phases_.size());
  }
  phases_.push_back({part_, layer_, kernel, std::move(cost), std::move(words)});
}

uint64_t Draft::place(uint64_t begin) {
  const auto last = [this](const Buffer& b) { return b.kept ? phases_.size() : b.last; };
  const auto life = [&](const Buffer& b) {
    return b.first == SIZE_MAX ? 0 : last(b) - b.first + 1;
  };
  std::vector<size_t> order(buffers_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const size_t x = life(buffers_[a]), y = life(buffers_[b]);
    return x != y ? x > y : buffers_[a].bytes > buffers_[b].bytes;
  });
  uint64_t top = up(begin);
  std::vector<const Buffer*> placed;  // by address
  for (const size_t k : order) {
    Buffer& buffer = buffers_[k];
    if (life(buffer) == 0) continue;
    uint64_t at = up(begin);
    for (const Buffer* other : placed) {
      const bool together = other->first <= last(buffer) && buffer.first <= last(*other);
      if (!together || other->addr + other->bytes <= at) continue;
      if (other->addr >= at + buffer.bytes) continue;
      at = up(other->addr + other->bytes);
    }
    buffer.addr = at;
    top = std::max(top, at + buffer.bytes);
    const auto by_address = [](const Buffer* a, const Buffer* b) { return a->addr < b->addr; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), &buffer, by_address), &buffer);
  }
  return up(top);
}

std::vector<Phase> Draft::list() const {
  std::vector<Phase> phases;
  for (const Planned& planned : phases_) {
    Phase phase{planned.part, planned.layer, planned.kernel, {}};
    for (int row = 0; row < rows_; ++row) phase.parameters.push_back(planned.words(row));
    phases.push_back(std::move(phase));
  }
  return phases;
}

}  // namespace ow::jobs
