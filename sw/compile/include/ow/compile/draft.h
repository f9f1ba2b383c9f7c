// SPDX-License-Identifier: Apache-2.0
// A list of phases before its memory is placed. Buffers live from the first phase that uses them to
// the last; two that never live at the same time may share bytes.
#ifndef OW_COMPILE_DRAFT_H_
#define OW_COMPILE_DRAFT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ow/compile/executable.h"
#include "ow/compile/phase_cost.h"

namespace ow::jobs {

// A place in a buffer.
struct Slot {
  size_t buffer = 0;
  uint32_t offset = 0;  // bytes
};

class Draft {
 public:
  explicit Draft(int rows) : rows_(rows) {}

  int rows() const { return rows_; }
  // A buffer of the same size in every tile. Its life begins with the first phase that uses it.
  Slot buffer(const std::string& name, uint64_t bytes);
  // It holds something before the first phase; it is still wanted after the last one.
  void born(Slot slot) { buffers_[slot.buffer].first = 0; }
  void kept(Slot slot) { buffers_[slot.buffer].kept = true; }

  // What follows belongs to it.
  void begin(Phase::Part part, size_t layer) {
    part_ = part;
    layer_ = layer;
  }
  // Adds a phase that uses these buffers. `of_row` gives the parameters (a struct of
  // ow/firmware/job.h) of a grid row; it is called when the buffers have addresses (at).
  template <typename OfRow>
  void add(const char* kernel, const std::vector<Slot>& uses, PhaseCost cost, OfRow of_row) {
    take(kernel, uses, std::move(cost), [of_row](int row) {
      const auto parameters = of_row(row);
      static_assert(sizeof parameters % 4 == 0, "parameters are words");
      std::vector<uint32_t> words(sizeof parameters / 4);
      std::memcpy(words.data(), &parameters, sizeof parameters);
      return words;
    });
  }
  size_t phases() const { return phases_.size(); }

  // Places a buffer where a plan has it.
  void put(Slot slot, uint32_t addr) { buffers_[slot.buffer].addr = addr - slot.offset; }
  // Places all buffers in a tile, from byte `begin` on: the one that lives longest first
  // (or the largest), each at the lowest address that is free while it lives. Returns the end of
  // the bytes used. `in_step`: where phases come in turns (turns.h), a buffer lies as far from that
  // of the turn before in each of them: at the same place, if they do not live at the same time.
  uint64_t place(uint64_t begin, bool in_step, bool largest_first = false);
  uint32_t at(Slot slot) const {
    return static_cast<uint32_t>(buffers_[slot.buffer].addr) + slot.offset;
  }
  // The phases, when all is placed.
  std::vector<Phase> list() const;
  // What a phase belongs to, and its cost. They need no places.
  Phase::Part part(size_t phase) const { return phases_[phase].part; }
  size_t layer(size_t phase) const { return phases_[phase].layer; }
  const PhaseCost& cost(size_t phase) const { return phases_[phase].cost; }
  const char* kernel(size_t phase) const { return phases_[phase].kernel; }

  // For reports.
  struct Buffer {
    std::string name;
    uint64_t bytes = 0;
    size_t first = SIZE_MAX, last = 0;  // phases that use it
    bool kept = false;
    uint64_t addr = 0;
  };
  const std::vector<Buffer>& buffers() const { return buffers_; }

 private:
  struct Planned {
    Phase::Part part;
    size_t layer;
    const char* kernel;
    std::vector<size_t> uses;  // buffers
    PhaseCost cost;
    std::function<std::vector<uint32_t>(int row)> words;
  };
  void take(const char* kernel, const std::vector<Slot>& uses, PhaseCost cost,
            std::function<std::vector<uint32_t>(int row)> words);
  // Buffers that are placed together, in the order in which they are.
  std::vector<std::vector<size_t>> groups(bool in_step, bool largest_first) const;
  size_t last(const Buffer& b) const { return b.kept ? phases_.size() : b.last; }
  bool lives(const Buffer& b) const { return b.first != SIZE_MAX; }
  size_t life(const Buffer& b) const { return lives(b) ? last(b) - b.first + 1 : 0; }
  bool together(const Buffer& a, const Buffer& b) const {
    return a.first <= last(b) && b.first <= last(a);
  }

  int rows_;
  std::vector<Buffer> buffers_;
  std::vector<Planned> phases_;
  Phase::Part part_ = Phase::Part::Forward;
  size_t layer_ = 0;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_DRAFT_H_
