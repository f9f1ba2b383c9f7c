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

#include "ow/base/file.h"
#include "ow/device/device.h"
#include "ow/sim/tile_state.h"

namespace ow {

// The words at the edges of a grid, cycle by cycle, and whether it rested.
class EdgeLog {
 public:
  explicit EdgeLog(int ports) : ports_(ports) {}

  // Adds the words that come in in a cycle, then those that leave in the next one. BadInput after
  // 2^40 cycles.
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
  // Adds an event of a file. False if it does not come after the last one, or is not of such a grid
  // in so many cycles.
  bool add(const Event& event, uint64_t cycles);

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

// Reads a saved run. Only the words at the edges are kept in memory, and one tile.
class SavedRun {
 public:
  // Reads all but the tiles. BadInput, one line with the file, if it is none, is damaged, or is of
  // another grid or of tiles with other registers. `layout` stays where it is.
  SavedRun(const std::string& path, GridShape shape, const StateLayout& layout);

  uint64_t cycle() const { return cycle_; }
  EdgeLog take_log() { return std::move(log_); }
  // The state of the next tile, row by row. After the last one close() tells whether the file is
  // whole. BadInput likewise.
  void next_tile(TileState* state);
  void close();

 private:
  void read_signals(uint64_t count);
  void read_log(uint64_t events);
  void read(void* to, size_t bytes);

  std::string path_;
  FileReader file_;
  GridShape shape_;
  const StateLayout& layout_;
  uint64_t cycle_ = 0;
  EdgeLog log_;
  std::vector<size_t> order_;       // the signals of the layout as they follow in the file
  std::vector<uint64_t> in_order_;  // words of a tile so
  size_t tiles_ = 0;                // that were taken
};

}  // namespace ow

#endif  // OW_SIM_SAVED_RUN_H_
