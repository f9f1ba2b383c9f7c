// SPDX-License-Identifier: Apache-2.0
// A block of tiles that are evaluated together by the code of ow_simgen.
#ifndef OW_SIM_WIDE_BLOCK_H_
#define OW_SIM_WIDE_BLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lanes.h"
#include "ow_wide_model.h"

namespace ow::wide {

constexpr int kSides = 4;  // north, east, south, west

// Where the ports of a tile stand in the lists of a model.
struct TilePorts {
  explicit TilePorts(const ow_wide_names& names);
  size_t reset, idle;
  std::vector<size_t> cycle;
  std::array<std::vector<size_t>, kSides> link_in;   // inputs, by bit
  std::array<std::vector<size_t>, kSides> link_out;  // registers, by bit
};

// Memory for `bytes`, aligned to a cache line, zero, in large pages if there are any.
class Memory {
 public:
  explicit Memory(size_t bytes);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory& operator=(Memory&&) = delete;
  uint8_t* data() const { return data_; }

 private:
  uint8_t* data_;
  size_t bytes_;
};

class Block {
 public:
  // The state after reset. `present`: the lanes that are tiles of the grid.
  Block(const ow_wide_code& code, const TilePorts& ports, const Lanes& present, uint8_t* scratch);

  size_t words() const { return words_; }
  const Lanes& present() const { return present_; }
  // Vectors of words() words.
  uint64_t* input(size_t index) { return list(code_.inputs, index); }
  const uint64_t* output(size_t index) { return list(code_.outputs, index); }
  uint64_t* reg(size_t index) { return list(code_.registers, index); }
  const uint64_t* sent(int side, size_t bit) {
    return reg(ports_.link_out[static_cast<size_t>(side)][bit]);
  }
  uint64_t* taken(int side, size_t bit) {
    return input(ports_.link_in[static_cast<size_t>(side)][bit]);
  }

  // An edge of the clock, with the inputs as they are.
  void clock(uint64_t cycle, uint8_t* scratch);
  // Whether no tile changes before a link input is not zero.
  bool idle();
  // Whether a tile sends something on a side, after the last edge.
  bool sends(int side) const { return sends_[static_cast<size_t>(side)]; }

 private:
  uint64_t* list(size_t offset, size_t index) {
    return reinterpret_cast<uint64_t*>(state_.data() + offset + index * bytes_);
  }
  void set_cycle(uint64_t cycle);
  void look();

  const ow_wide_code& code_;
  const TilePorts& ports_;
  size_t bytes_, words_;  // of a vector
  Memory state_;
  std::vector<Memory> banks_;
  Lanes present_;
  uint64_t cycle_ = 0;  // as the inputs have it
  std::array<bool, kSides> sends_{};
};

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_BLOCK_H_
