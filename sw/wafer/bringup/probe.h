// SPDX-License-Identifier: Apache-2.0
// Shared by the steps of a bring-up: the stations of all rows, batches of commands to them, and the
// defects found so far.
#ifndef OW_WAFER_BRINGUP_PROBE_H_
#define OW_WAFER_BRINGUP_PROBE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ow/device/reticle_mesh.h"
#include "ow/wafer/bringup.h"

namespace ow::wafer {

constexpr uint64_t kWordMask = (uint64_t{1} << isa::Link::kBits) - 1;

// A word rotated within the bits of a link.
uint64_t rotated(uint64_t word, int n);

// A setting of the muxes for direct connections: `skip` rows or columns between, and up and down
// `shift` columns to the side.
struct Setting {
  int skip = 0;
  int shift = 0;
};

// One end of a reticle-crossing link, and its station.
struct LinkEnd {
  int reticle = 0;
  int side = 0;
  int slot = 0;
  Position at;
};

// The place of a command in its row's job, to find its answer.
struct Handle {
  size_t row = 0;
  size_t index = 0;
  Handle after(size_t commands) const { return {row, index + commands}; }
};

// d counts reticles, p physical rows of a reticle, c physical columns.
class Probe {
 public:
  Probe(ChainAccess& access, const BringupOptions& bringup_options);

  int rows() const { return shape.physical_rows(); }
  int cols() const { return shape.physical_cols(); }
  size_t row_index(int d, int p) const { return static_cast<size_t>(d * rows() + p); }
  size_t index(int d, int p, int c) const {
    return row_index(d, p) * static_cast<size_t>(cols()) + static_cast<size_t>(c);
  }
  int reticle_of(size_t index) const { return static_cast<int>(index) / cols() / rows(); }
  Position position_of(size_t index) const {
    return {static_cast<int>(index) / cols() % rows(), static_cast<int>(index) % cols()};
  }

  // ------------------------------------------------------------------------------- what is known
  // Alive: the station answers, and the chain of its row is whole.
  bool alive(int d, int p, int c) const { return found[index(d, p, c)] && usable[row_index(d, p)]; }
  bool usable_tile(int d, int p, int c) const { return alive(d, p, c) && !bad_[index(d, p, c)]; }
  // Marks a tile as lost. Only the first reason is kept.
  void lose(int d, int p, int c, const std::string& why);
  bool broken(int d, const Position& a, const Position& b) const {
    return wires.count({d, wire_of(a, b)}) != 0;
  }
  static Wire wire_of(const Position& a, const Position& b) {
    return a.row < b.row || (a.row == b.row && a.col < b.col) ? Wire{a, b} : Wire{b, a};
  }
  void each(const std::function<void(int, int, int)>& call) const;
  void each_alive(const std::function<void(int, int, int)>& call) const;
  void each_row(const std::function<void(int, int)>& call) const;  // rows that can be used
  void begin(const std::string& what) const {
    if (options.progress) options.progress(what);
  }

  // ---------------------------------------------------------------------------------- geometry
  // The position of the neighbour that `side` listens to. False if there is none.
  bool neighbour(int p, int c, int side, const Setting& s, Position* at) const;
  // Whether both tiles are usable and the wire between them works.
  bool listens(int d, int p, int c, int side, const Setting& s) const;
  // Fuses that connect a tile to the neighbours that it listens to.
  TileFuse direct(int d, int p, int c, const Setting& s) const;
  LinkEnd link_end(int d, int side, int slot) const;

  // ------------------------------------------------------------------------- batches of commands
  void open_batch();
  Handle add_command(int d, int p, int c, bool write, int reg, uint32_t data = 0);
  // Reads status word w of a link.
  Handle add_link(const LinkEnd& e, uint32_t w);
  // A packet for the tile's endpoint through its station.
  void add_write(int d, int p, int c, uint32_t addr, const std::vector<uint32_t>& words);
  // The answer has the status and then n words.
  Handle add_read(int d, int p, int c, uint32_t addr, int n);
  // Writes the same words into all tiles of all rows at once.
  void broadcast(uint32_t addr, const std::vector<uint32_t>& words);
  void run_batch() { chain.run_chains(&jobs_); }
  std::optional<uint32_t> answer(const Handle& h) const {
    return jobs_[static_cast<size_t>(where_[h.row])].answers[h.index];
  }
  // Word i of the answer to add_read, or nothing if the endpoint did not send it.
  std::optional<uint32_t> word(const Handle& status, int i, int n) const;

  // -------------------------------------------------------------------------------------- tiles
  // Resets the wafer; false if the chains cannot.
  bool reset();
  // Resets and starts the tiles of all stations that answer.
  void start_all();
  void restart_all();
  void load(const ElfImage& image);
  // Runs the core's part of the loaded program in all usable tiles. Returns the signatures, or
  // nothing for a tile that has not ended after `cycles`. Each tile is read only once, because a
  // read costs the program cycles, and a thorough program's signature depends on cycles.
  std::vector<std::optional<uint32_t>> signatures(const ElfImage& image, uint64_t cycles);
  // Starts the neighbours' part of the self-test in all tiles at once and waits for its end. All
  // orders must be written before. The results are then at `at`.
  void run_exchange(uint32_t at, uint32_t colours);

  ChainAccess& chain;
  const BringupOptions& options;
  const Shape shape;
  Bringup result;
  std::vector<bool> found;                   // tiles whose station answers
  std::vector<bool> usable;                  // rows whose chain is whole
  std::vector<bool> from_east;               // rows whose chain is entered from the east
  bool discovered = false;                   // the stations have found each other
  std::set<std::pair<int, Wire>> wires;      // broken
  std::set<std::pair<int, EdgeWire>> edges;  // broken
  std::vector<LinkEnd> untested;             // ends whose stations do not answer

 private:
  ChainJob& job_of(int d, int p);
  Handle add(int d, int p, const ChainCommand& command);
  Handle add_pop(int d, int p, int c);

  std::vector<bool> bad_;
  std::vector<bool> turns_;  // of the last pop of each station
  std::vector<ChainJob> jobs_;
  std::vector<int> where_;
};

}  // namespace ow::wafer

#endif  // OW_WAFER_BRINGUP_PROBE_H_
