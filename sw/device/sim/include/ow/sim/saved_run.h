// SPDX-License-Identifier: Apache-2.0
// A run of a simulated grid that goes on later: the words at its edges so far, and the state of all
// tiles.
//
// A restored run begins at cycle 0 with the program that ran before. Until the cycle of the save
// the program gets the words that left the grid then, and no tile is evaluated; what it sends must
// be what it sent. After that the tiles go on. So a program needs nothing to save of its own.
#ifndef OW_SIM_SAVED_RUN_H_
#define OW_SIM_SAVED_RUN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/sim/tile_state.h"

namespace ow {

// The words at the edges of a grid, cycle by cycle, and whether it rested.
class EdgeLog {
 public:
  explicit EdgeLog(int ports) : ports_(ports) {}

  // Adds the words that come in in a cycle, then those that leave in the next one.
  void add_in(uint64_t cycle, const uint64_t* words);
  void add_out(uint64_t cycle, const uint64_t* words, bool quiet);

  // The same from the log, in order. take_in() throws BadInput, which begins with `path`, if other
  // words come. take_out() returns whether the grid rests.
  void take_in(uint64_t cycle, const uint64_t* words, const std::string& path);
  bool take_out(uint64_t cycle, uint64_t* words);
  // Everything up to a cycle; its words out and the digest of those before it (recording.h).
  bool skip(uint64_t cycle, uint64_t* out, uint64_t* digest);

  struct Event {
    uint64_t at;  // cycle, kind (8 bits), port (16 bits)
    uint64_t word;
  };
  const std::vector<Event>& events() const { return events_; }
  // Events of a file. False if they are not of such a grid and no more cycles.
  bool set(std::vector<Event> events, uint64_t cycles);

 private:
  int ports_;
  std::vector<Event> events_;
  bool quiet_ = false;  // as the last event has it, or the last one that was taken
  size_t next_ = 0;
};

// Writes a saved run. `tile` gives the state of a tile, row by row. BadInput if the file cannot be
// written.
void write_run(const std::string& path, GridShape shape, uint64_t cycle, const EdgeLog& log,
               const StateLayout& layout, const std::function<void(size_t, TileState*)>& tile);

class SavedRun {
 public:
  // BadInput, one line with the file, if it is none, is damaged, or is of another grid or of other
  // tiles.
  SavedRun(std::string path, GridShape shape, const StateLayout& layout);

  uint64_t cycle() const { return cycle_; }
  EdgeLog take_log() { return std::move(log_); }
  void tile(size_t index, TileState* state) const;

 private:
  struct Part {  // of a tile's words in the file, and in a TileState
    size_t from, to, words;
  };
  void read_signals(size_t count, size_t* end, const StateLayout& layout);

  std::string path_, text_;
  uint64_t cycle_ = 0;
  EdgeLog log_;
  std::vector<Part> parts_;
  size_t tiles_at_ = 0, saved_words_ = 0, words_ = 0;
};

}  // namespace ow

#endif  // OW_SIM_SAVED_RUN_H_
