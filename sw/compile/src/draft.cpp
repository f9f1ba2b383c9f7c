// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/draft.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "turns.h"

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
  std::vector<size_t> used;
  for (const Slot& slot : uses) {
    Buffer& buffer = buffers_[slot.buffer];
    buffer.first = std::min(buffer.first, phases_.size());
    buffer.last = std::max(buffer.last, phases_.size());
    used.push_back(slot.buffer);
  }
  phases_.push_back({part_, layer_, kernel, std::move(used), std::move(cost), std::move(words)});
}

std::vector<std::vector<size_t>> Draft::groups(bool in_step, bool largest_first) const {
  std::vector<size_t> group(buffers_.size());  // by buffer
  std::iota(group.begin(), group.end(), size_t{0});
  std::vector<std::vector<size_t>> groups;
  for (const size_t k : group) groups.push_back({k});
  const auto join = [&](size_t a, size_t b) {
    const size_t to = std::min(group[a], group[b]), from = std::max(group[a], group[b]);
    if (to == from) return;
    for (const size_t k : groups[from]) group[k] = to;
    std::vector<size_t> all;
    std::merge(groups[to].begin(), groups[to].end(), groups[from].begin(), groups[from].end(),
               std::back_inserter(all));
    groups[to] = std::move(all);
    groups[from].clear();
  };
  const auto alike = [this](size_t phase, size_t length) {
    const Planned &x = phases_[phase], &y = phases_[phase + length];
    return x.kernel == y.kernel && std::equal(x.uses.begin(), x.uses.end(), y.uses.begin(),
                                              y.uses.end(), [this](size_t i, size_t j) {
                                                return buffers_[i].bytes == buffers_[j].bytes;
                                              });
  };
  const Follows follows{alike, [](size_t, size_t) { return true; }};
  const auto saves = [](const Turns& t) { return static_cast<int64_t>((t.times - 1) * t.phases); };
  for (const Turns& t :
       in_step ? find_turns(phases_.size(), follows, saves) : std::vector<Turns>()) {
    for (size_t k = t.first + t.phases; k < t.first + t.times * t.phases; ++k) {
      for (size_t n = 0; n < phases_[k].uses.size(); ++n) {
        join(phases_[k - t.phases].uses[n], phases_[k].uses[n]);
      }
    }
  }
  const auto longest = [this](const std::vector<size_t>& g) {
    size_t most = 0;
    for (const size_t k : g) most = std::max(most, life(buffers_[k]));
    return most;
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    if (a.empty() || b.empty()) return a.size() > b.size();
    const size_t x = longest(a), y = longest(b);
    const uint64_t m = buffers_[a[0]].bytes, n = buffers_[b[0]].bytes;
    if (largest_first && m != n) return m > n;
    return x != y ? x > y : m > n;
  });
  return groups;
}

uint64_t Draft::place(uint64_t begin, bool in_step, bool largest_first) {
  uint64_t top = up(begin);
  std::vector<const Buffer*> placed;  // by address
  for (const std::vector<size_t>& group : groups(in_step, largest_first)) {
    uint64_t step = 0;
    for (size_t a = 0; a < group.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (lives(buffers_[group[a]]) && lives(buffers_[group[b]]) &&
            together(buffers_[group[a]], buffers_[group[b]])) {
          step = up(buffers_[group[a]].bytes);
        }
      }
    }
    uint64_t at = up(begin);
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t n = 0; n < group.size(); ++n) {
        const Buffer& buffer = buffers_[group[n]];
        if (!lives(buffer)) continue;
        for (const Buffer* other : placed) {
          const uint64_t here = at + n * step;
          if (!together(*other, buffer) || other->addr + other->bytes <= here) continue;
          if (other->addr >= here + buffer.bytes) continue;
          at = up(other->addr + other->bytes) - n * step;
          moved = true;
        }
      }
    }
    for (size_t n = 0; n < group.size(); ++n) {
      Buffer& buffer = buffers_[group[n]];
      if (!lives(buffer)) continue;
      buffer.addr = at + n * step;
      top = std::max(top, buffer.addr + buffer.bytes);
      const auto by_address = [](const Buffer* a, const Buffer* b) { return a->addr < b->addr; };
      placed.insert(std::upper_bound(placed.begin(), placed.end(), &buffer, by_address), &buffer);
    }
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
