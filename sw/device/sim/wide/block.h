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
#include "ow/sim/tile_state.h"
#include "ow_wide_model.h"
#include "state_map.h"

namespace ow::wide {

constexpr int kSides = 4;  // north, east, south, west

// Where a bit of a port stands in the list of inputs, or of registers for an output. InternalError
// if the model has no such bit, or if the output is no register.
size_t find_input(const ow_wide_names& names, const std::string& port, int bit);
size_t find_output(const ow_wide_names& names, const std::string& port, int bit);
// The registers that are the bits of a signal, from bit 0 on. InternalError if there is none, or if
// one between others is missing.
std::vector<size_t> find_all(const ow_wide_names& names, const std::string& signal);

// Where the ports of a tile stand in the lists of a model.
struct TilePorts {
  explicit TilePorts(const ow_wide_names& names);
  std::vector<size_t> idle;  // registers: a tile is idle if all are 1
  std::vector<size_t> cycle;
  std::array<std::vector<size_t>, kSides> link_in;   // inputs, by bit
  std::array<std::vector<size_t>, kSides> link_out;  // registers, by bit
};

// Memory for `bytes`, zero, in whole large pages if there are any.
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

// The memory of a block.
size_t block_bytes(const ow_wide_code& code);

class Block {
 public:
  // All tiles have this state. `present`: the lanes that are tiles of the grid.
  Block(const ow_wide_code& code, const TilePorts& ports, const Lanes& present, const StateMap& map,
        const TileState& state);

  // An edge of the clock, with the inputs as they are: begin(), all parts of the code in order,
  // end(). After it sent(cycle + 1, ...) is known. The same scratch is given to all parts.
  void begin(uint64_t cycle) { set_cycle(cycle); }
  void part(int k, uint8_t* scratch) { code_.parts[k](memory_.data(), scratch); }
  void end(uint64_t cycle) { send(cycle + 1); }

  size_t words() const { return words_; }
  const Lanes& present() const { return present_; }
  // An input or a register of all tiles: a vector of words().
  uint64_t* input(size_t index) { return list(code_.inputs, index); }
  const uint64_t* reg(size_t index) const {
    return reinterpret_cast<const uint64_t*>(memory_.data() + code_.registers + index * bytes_);
  }
  // The tiles that are evaluated, likewise: all that are present. The others keep their state or
  // take their next one.
  uint64_t* active() { return reinterpret_cast<uint64_t*>(memory_.data() + code_.active); }
  // The link inputs of all tiles on a side: a vector of words() words.
  uint64_t* taken(int side, size_t bit) { return input(ports_.link_in[index(side)][bit]); }
  const uint64_t* taken(int side, size_t bit) const {
    return reinterpret_cast<const uint64_t*>(memory_.data() + code_.inputs +
                                             ports_.link_in[index(side)][bit] * bytes_);
  }
  // What the tiles send on a side in a cycle, likewise. It is that of an even or an odd cycle, so
  // that neighbours can read it while this block makes the next one.
  const uint64_t* sent(uint64_t cycle, int side, size_t bit) const {
    return sent_[cycle % 2][index(side)].data() + (kMargin + bit) * words_;
  }
  // Whether any tile does.
  bool sends(uint64_t cycle, int side) const { return sends_[cycle % 2][index(side)]; }
  // The tiles that do.
  Lanes senders(uint64_t cycle, int side) const;
  // The link inputs of a side, instead of those that it has: all that comes by `moves` of what
  // blocks have sent. Whether any is not zero.
  bool take(int side, const ow_wide_move* moves, size_t count);

  // The same for one tile.
  uint64_t taken_by(size_t lane, int side) const;
  uint64_t sent_by(size_t lane, uint64_t cycle, int side) const;
  // The tiles to which something comes on a side.
  Lanes receivers(int side) const;

  // Instead of it, if nothing changes: nothing is sent.
  void rest(uint64_t cycle) { sends_[(cycle + 1) % 2] = {}; }
  // Whether no tile changes before a link input is not zero (idle_o of ow_tile).
  bool idle();
  // The tiles that may change before.
  Lanes awake();
  // After rest(): what a tile sends that was evaluated elsewhere.
  void put(size_t lane, uint64_t cycle, int side, uint64_t word);

  // Gives tiles the registers and banks that one has, perhaps in another block.
  void copy(const Block& from, size_t lane, const Lanes& to);
  // Whether a tile has those that another one has.
  bool same(size_t lane, const Block& other, size_t other_lane) const;
  // Numbers of them, for tiles of a group by the bits of `lanes`, in the places of these bits.
  void digest(size_t group, uint64_t lanes, uint64_t* digests) const;

  // The state of a tile, before the coming cycle `cycle`.
  void read(size_t lane, const StateMap& map, uint64_t cycle, TileState* state);
  // Gives a tile a state. Call resume() when all tiles have theirs.
  void write(size_t lane, const StateMap& map, const TileState& state);
  void resume();
  // The same for lanes of a group, by the bits of `lanes`: faster than one after another.
  void write_group(size_t group, uint64_t lanes, const StateMap& map,
                   const std::vector<TileState>& states);

 private:
  uint64_t* list(size_t offset, size_t index) {
    return reinterpret_cast<uint64_t*>(memory_.data() + offset + index * bytes_);
  }
  uint64_t* reg(size_t index) { return list(code_.registers, index); }
  static size_t index(int side) { return static_cast<size_t>(side); }
  bool bit(size_t reg_index, size_t lane) const {
    return (reg(reg_index)[lane / 64] >> (lane % 64) & 1) != 0;
  }
  void set_bit(size_t reg_index, size_t lane, bool value) {
    uint64_t& word = reg(reg_index)[lane / 64];
    const uint64_t mask = uint64_t{1} << (lane % 64);
    word = value ? word | mask : word & ~mask;
  }
  void write_rest(size_t lane, const StateMap& map, const TileState& state);
  uint64_t* bank(size_t b, size_t lane) {
    return reinterpret_cast<uint64_t*>(memory_.data() + banks_[b]) + lane * bank_words(b);
  }
  const uint64_t* bank(size_t b, size_t lane) const {
    return reinterpret_cast<const uint64_t*>(memory_.data() + banks_[b]) + lane * bank_words(b);
  }
  size_t bank_words(size_t b) const { return static_cast<size_t>(code_.names->banks[b].words); }
  size_t registers() const { return static_cast<size_t>(code_.names->register_count); }
  // The tiles with a wavelet or a credit. `bits`: what gives the vector of a bit of a link's word.
  template <typename Bits>
  Lanes with_word(const Bits& bits) const;
  void set_cycle(uint64_t cycle);
  void send(uint64_t cycle);

  // Vectors before and after a list that moves read, but do not use.
  static constexpr size_t kMargin = 2;

  const ow_wide_code& code_;
  const TilePorts& ports_;
  size_t bytes_, words_;       // of a vector
  Memory memory_;              // the state, then the banks
  std::vector<size_t> banks_;  // where they begin, and where the last one ends
  Lanes present_;
  uint64_t cycle_ = 0;                                             // as the inputs have it
  std::array<std::array<bool, kSides>, 2> sends_{};                // by the parity of the cycle
  std::array<std::array<std::vector<uint64_t>, kSides>, 2> sent_;  // likewise; by bit
};

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_BLOCK_H_
