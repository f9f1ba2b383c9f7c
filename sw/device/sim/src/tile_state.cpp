// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/tile_state.h"

#include <fmt/format.h>

#include "ow/base/hash.h"
#include "ow/device/link_word.h"

namespace ow {

std::string fault_of(const TileState& state, const StateLayout& layout) {
  if (state.words.size() != layout.words()) {
    return fmt::format("{} words, a tile has {}", state.words.size(), layout.words());
  }
  for (const uint64_t word : state.sent) {
    if (word > kLinkMask) return fmt::format("a word beyond {} bits", kLinkBits);
  }
  for (size_t s = 0; s < layout.signals().size(); ++s) {
    const StateSignal& signal = layout.signals()[s];
    if (signal.bits % 64 == 0) continue;
    const uint64_t beyond = ~uint64_t{0} << signal.bits % 64;
    const size_t step = signal.element_words();
    const size_t end = layout.first(s) + signal.words();
    for (size_t last = layout.first(s) + step - 1; last < end; last += step) {
      if ((state.words[last] & beyond) == 0) continue;
      return fmt::format("register {} holds a value beyond its {} bits", signal.name, signal.bits);
    }
  }
  return "";
}

std::string hash_of(const StateLayout& layout) {
  std::string names;
  for (const StateSignal& s : layout.signals()) {
    names += fmt::format("{} {} {}\n", s.name, s.elements, s.bits);
  }
  return hash_of(names);
}

}  // namespace ow
