// SPDX-License-Identifier: Apache-2.0
#include "turns.h"

#include <algorithm>

namespace ow::jobs {
namespace {

// How often phases come, from each one on: [length][first phase], 1 if not more.
class Times {
 public:
  Times(size_t phases, const Follows& follows) : all_(phases / 2 + 1) {
    for (size_t length = 1; length < all_.size(); ++length) {
      std::vector<uint32_t>& times = all_[length];
      times.assign(phases - length, 1);
      size_t once = 0, again = 0;  // phases in a row, from this one on
      for (size_t k = phases - length; k-- > 0;) {
        once = follows.once(k, length) ? once + 1 : 0;
        const bool third = k + 2 * length < phases && once > 0 && follows.once(k + length, length);
        again = third && follows.again(k, length) ? again + 1 : 0;
        if (once < length) continue;
        const size_t more = std::min(again / length, once / length - 1);
        times[k] = static_cast<uint32_t>(2 + more);
      }
    }
  }
  uint32_t of(size_t first, size_t length) const { return all_[length][first]; }

 private:
  std::vector<std::vector<uint32_t>> all_;
};

}  // namespace

// From the last phase on: what is saved from each phase to the end.
std::vector<Turns> find_turns(size_t phases, const Follows& follows,
                              const std::function<int64_t(const Turns&)>& saves) {
  const Times times(phases, follows);
  std::vector<int64_t> saved(phases + 1, 0);
  std::vector<Turns> from(phases + 1);
  for (size_t first = phases; first-- > 0;) {
    saved[first] = saved[first + 1];
    from[first] = {first, 1, 1};
    for (size_t length = 1; length <= (phases - first) / 2; ++length) {
      const Turns turns{first, length, times.of(first, length)};
      if (turns.times < 2) continue;
      const int64_t all = saves(turns) + saved[first + turns.times * length];
      if (all <= saved[first]) continue;
      saved[first] = all;
      from[first] = turns;
    }
  }
  std::vector<Turns> found;
  for (size_t k = 0; k < phases; k += from[k].phases * from[k].times) {
    if (from[k].times > 1) found.push_back(from[k]);
  }
  return found;
}

}  // namespace ow::jobs
