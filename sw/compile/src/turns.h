// SPDX-License-Identifier: Apache-2.0
// What comes several times in a list of phases, one turn after another: the blocks of a
// transformer, the pieces of a gradient.
#ifndef OW_COMPILE_TURNS_H_
#define OW_COMPILE_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ow::jobs {

struct Turns {
  size_t first = 0;   // phase
  size_t phases = 0;  // of a turn
  size_t times = 1;
};

// How phases follow each other. Of a phase and the one `length` phases later: whether they may be
// the same phase of two turns; and if so of the next turn, too, whether that follows as they do.
struct Follows {
  std::function<bool(size_t phase, size_t length)> once;
  std::function<bool(size_t phase, size_t length)> again;
};

// The turns in a list of `phases` that save most together; none within another. `saves`: what turns
// save.
std::vector<Turns> find_turns(size_t phases, const Follows& follows,
                              const std::function<int64_t(const Turns&)>& saves);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TURNS_H_
