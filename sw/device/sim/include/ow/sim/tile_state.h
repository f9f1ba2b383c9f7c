// SPDX-License-Identifier: Apache-2.0
// The state of a tile by name, between two cycles. All engines have the same: a tile may leave one
// and go on in another (docs/simulation.md).
#ifndef OW_SIM_TILE_STATE_H_
#define OW_SIM_TILE_STATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ow {

// A register, or an array of registers or a memory: `elements` times `bits` bits.
struct StateSignal {
  std::string name;  // as the RTL has it, without the tile's: "u_router.u_filter.filter_q"
  size_t elements = 1;
  int bits = 0;

  size_t element_words() const { return (static_cast<size_t>(bits) + 63) / 64; }
  size_t words() const { return elements * element_words(); }
};

inline bool operator==(const StateSignal& a, const StateSignal& b) {
  return a.name == b.name && a.elements == b.elements && a.bits == b.bits;
}
inline bool operator!=(const StateSignal& a, const StateSignal& b) { return !(a == b); }

// The signals of a tile in the order in which TileState holds them: each element begins with a
// word, bit 0 first.
class StateLayout {
 public:
  void add(StateSignal signal) {
    first_.push_back(words_);
    words_ += signal.words();
    signals_.push_back(std::move(signal));
  }
  const std::vector<StateSignal>& signals() const { return signals_; }
  size_t first(size_t signal) const { return first_[signal]; }
  size_t words() const { return words_; }

 private:
  std::vector<StateSignal> signals_;
  std::vector<size_t> first_;
  size_t words_ = 0;
};

struct TileState {
  std::vector<uint64_t> words;
  // What it sends to its neighbours in the cycle that comes (ow/device/link_word.h), by side; 0 at
  // the edges of the grid.
  std::array<uint64_t, 4> sent{};
  bool idle = false;  // nothing in it changes before something comes
};

inline bool operator==(const TileState& a, const TileState& b) {
  return a.words == b.words && a.sent == b.sent && a.idle == b.idle;
}

// Why no tile can have a state that comes from outside, for an error; empty if one can. Engines
// trust what they are given: a register indexes arrays as it is.
std::string fault_of(const TileState& state, const StateLayout& layout);
// Of all names and sizes (ow/base/hash.h).
std::string hash_of(const StateLayout& layout);

}  // namespace ow

#endif  // OW_SIM_TILE_STATE_H_
