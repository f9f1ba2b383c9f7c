// SPDX-License-Identifier: Apache-2.0
// The replicated engine: one Verilated tile for every tile of the grid. A cycle evaluates only
// tiles that have something to do; the others cost nothing.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <verilated.h>
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

#include "Vow_tile_internals.h"
#include "due.h"
#include "idle_check.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/device/link_word.h"
#include "ow/sim/sim_device.h"
#include "room.h"
#include "tile_cells.h"
#include "workers.h"

namespace ow {
namespace {

constexpr size_t kTogether = 16;  // tiles that a thread takes at a time
#if VM_TRACE
constexpr int kWholeTile = 99;  // levels of hierarchy in waves
#endif

class Replicated : public SimDevice {
 public:
  Replicated(GridShape shape, const SimOptions& options);

  std::string description() const override {
    return fmt::format(
        "replicated engine, {} x {} tiles{}{}", shape_.rows, shape_.cols,
        workers_.threads() > 1 ? fmt::format(", {} threads", workers_.threads()) : "",
        options_.check_idle ? ", idle tiles checked" : "");
  }
  uint64_t evaluations() const override {
    uint64_t all = idle_check_.evaluations();
    for (const Counts& counts : counts_) all += counts.evaluations;
    return all;
  }
  std::vector<UnitClock> unit_clocks() const override;
  bool has_memory() const override { return true; }
  const StateLayout& state_layout() const override { return cells_->layout(); }
  void read_tile(size_t tile, TileState* state) override;
  void write_tiles(const std::function<void(size_t, TileState*)>& tiles) override;

 protected:
  void put_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count) override;
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override;
  bool grid_quiet() const override { return due_[parity_].tiles.empty(); }

 private:
  struct Tile {
    sim::Model<Vow_tile> model;
    // Where the words that this tile sends go: a slot of the neighbour, or an
    // edge output.
    int neighbour[4];  // tile index, -1 at an edge
    int edge_port[4];  // port number, -1 inside
    std::vector<sim::Gate> gates;
    std::vector<uint8_t*> banks;  // of its SRAM, once they were asked for
  };

  void clock(sim::Model<Vow_tile>* model) const {
    options_.toggle_clock ? model->clock_both_edges() : model->clock();
  }
  size_t row_of(size_t tile) const {
    return static_cast<size_t>(options_.first_row) + tile / static_cast<size_t>(shape_.cols);
  }
  // What a thread counts.
  struct alignas(64) Counts {
    uint64_t evaluations = 0;
    std::vector<uint64_t> edges;  // of the units with clock gates
  };
  // Some tiles of a cycle, which one thread clocks: the tiles of the next cycle, and why one has
  // failed.
  struct Part {
    std::vector<size_t> next;
    std::exception_ptr failed;
  };
  void take_edges(const uint64_t* in);
  void clock_part(size_t thread, size_t part);
  void clock_tile(size_t index, Counts* counts, Part* part);
  void begin_tiles(Part* part);
  void give_words(size_t index, Part* part);
  void end_parts(size_t count);
  void report_words(size_t index, uint64_t cycle, bool in, const uint64_t* words) const;
  void drop_credits(size_t index, uint64_t (&links)[4]);
  void check_idle(size_t index, const std::string& changed) const;
  void choose_waves();
  void dump_waves(uint64_t cycle);

  SimOptions options_;
  sim::Context context_;
  std::vector<Tile> tiles_;
  std::optional<sim::TileCells> cells_;
  std::vector<uint8_t> begins_;  // by tile, from write_tiles() to the next cycle: 1 if it is idle
  std::vector<sim::Slots> slots_;
  std::array<sim::Due, 2> due_;  // by the parity of the cycle
  sim::IdleCheck idle_check_;
  int parity_ = 0;
  uint64_t cycle_now_ = 0;
  uint64_t* out_now_ = nullptr;
  std::vector<Part> parts_;     // of a cycle
  std::vector<Counts> counts_;  // by thread
  uint64_t fault_count_ = 0;
#if VM_TRACE
  VerilatedFstC waves_;  // closes its file itself
#endif
  sim::Workers workers_;  // the last member: its threads use the others
};

Replicated::Replicated(GridShape shape, const SimOptions& options)
    : SimDevice(shape),
      options_(options),
      idle_check_(static_cast<size_t>(shape.rows) * static_cast<size_t>(shape.cols),
                  options.toggle_clock),
      workers_(static_cast<size_t>(std::max(options.threads, 1)),
               [this](size_t thread, size_t part) { clock_part(thread, part); }) {
  const size_t n = static_cast<size_t>(shape.rows) * static_cast<size_t>(shape.cols);
  sim::check_internals<Vow_tile>();
  sim::check_room(fmt::format("grid of {} x {} tiles", shape.rows, shape.cols),
                  static_cast<double>(n), sizeof(Vow_tile___024root), options.processes_here);
  context_.enter();
  context_.assertOn(options.checked);
  tiles_.reserve(n);
  slots_.resize(n);
  for (int r = 0; r < shape.rows; ++r) {
    for (int c = 0; c < shape.cols; ++c) {
      const int i = r * shape.cols + c;
      Tile t{{&context_, fmt::format("tile_{}_{}", options.first_row + r, c)}, {}, {}, {}, {}};
      t.gates = t.model.gates();
      t.neighbour[0] = r > 0 ? i - shape.cols : -1;
      t.neighbour[1] = c + 1 < shape.cols ? i + 1 : -1;
      t.neighbour[2] = r + 1 < shape.rows ? i + shape.cols : -1;
      t.neighbour[3] = c > 0 ? i - 1 : -1;
      t.edge_port[0] = r > 0 ? -1 : ports_.port(Side::North, c);
      t.edge_port[1] = c + 1 < shape.cols ? -1 : ports_.port(Side::East, r);
      t.edge_port[2] = r + 1 < shape.rows ? -1 : ports_.port(Side::South, c);
      t.edge_port[3] = c > 0 ? -1 : ports_.port(Side::West, r);
      sim::start_tile(&t.model, [&] { clock(&t.model); });
      tiles_.push_back(std::move(t));
    }
  }
  cells_.emplace(tiles_[0].model);
  std::memset(slots_.data(), 0, n * sizeof(sim::Slots));
  counts_.resize(workers_.threads());
  for (Counts& counts : counts_) counts.edges.assign(tiles_[0].gates.size(), 0);
  parts_.resize(n / kTogether + 1);
  for (sim::Due& due : due_) due.listed.assign(n, 0);
  for (size_t i = 0; i < n; ++i) due_[parity_].add(i);
  if (!options.waves.file.empty()) choose_waves();
  if (options_.drop_credit) {
    const CreditFault& f = *options_.drop_credit;
    if (f.row < 0 || f.col < 0 || f.row >= shape.rows || f.col >= shape.cols) {
      throw BadInput(fmt::format("credit to drop at tile ({}, {}): not in the grid", f.row, f.col));
    }
  }
}

std::vector<UnitClock> Replicated::unit_clocks() const {
  std::vector<UnitClock> clocks;
  for (size_t k = 0; k < tiles_[0].gates.size(); ++k) {
    clocks.push_back({tiles_[0].gates[k].unit, 0});
    for (const Counts& counts : counts_) clocks.back().edges += counts.edges[k];
  }
  return clocks;
}

// Banks have 8 bytes a row and take turns (rtl/tile/memory/ow_sram.sv).
void Replicated::put_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count) {
  Tile& tile = tiles_.at(static_cast<size_t>(row) * static_cast<size_t>(shape_.cols) +
                         static_cast<size_t>(col));
  if (tile.banks.empty()) {
    size_t bytes = 0;
    for (const sim::Cell& cell : tile.model.cells()) {
      if (std::strstr(cell.name, "u_sram__DOT__gen_bank") == nullptr) continue;
      tile.banks.push_back(cell.data);
      bytes += cell.size;
    }
    if (bytes != isa::kFull.sram_bytes) throw InternalError("banks of another size than the SRAM");
  }
  const size_t banks = tile.banks.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t at = addr / 4 + i, line = at / 2;
    std::memcpy(tile.banks[line % banks] + 8 * (line / banks) + 4 * (at % 2), &words[i], 4);
  }
}

void Replicated::read_tile(size_t index, TileState* state) {
  context_.enter();
  Tile& t = tiles_.at(index);
  state->words.resize(cells_->layout().words());
  for (size_t p = 0; p < kSides; ++p) {
    const int to = t.neighbour[p];
    state->sent[p] = to < 0 ? 0 : slots_[static_cast<size_t>(to)].word[parity_][(p + 2) % kSides];
  }
  if (!begins_.empty()) {
    cells_->read(t.model, state->words.data());
    state->idle = begins_[index] != 0;
    return;
  }
  context_.assertOn(false);  // what fails is reported in the cycle itself
  cells_->read_next(&t.model, state->words.data());
  context_.assertOn(options_.checked);
  state->idle = t.model->idle_o;
}

void Replicated::write_tiles(const std::function<void(size_t, TileState*)>& tiles) {
  for (sim::Due& due : due_) {
    due.tiles.clear();
    due.listed.assign(tiles_.size(), 0);
  }
  std::memset(slots_.data(), 0, slots_.size() * sizeof(sim::Slots));
  begins_.assign(tiles_.size(), 0);
  TileState state;
  for (size_t i = 0; i < tiles_.size(); ++i) {
    tiles(i, &state);
    cells_->write(&tiles_[i].model, state.words.data());
    begins_[i] = state.idle ? 1 : 0;
    if (!state.idle) due_[parity_].add(i);
    for (size_t p = 0; p < kSides; ++p) {
      if (state.sent[p] == 0 || tiles_[i].neighbour[p] < 0) continue;
      const auto to = static_cast<size_t>(tiles_[i].neighbour[p]);
      slots_[to].word[parity_][(p + 2) % kSides] = state.sent[p];
      due_[parity_].add(to);
    }
  }
}

// Moves words at the edges into the slots of the tiles there.
void Replicated::take_edges(const uint64_t* in) {
  const int rows = shape_.rows;
  const int cols = shape_.cols;
  const auto put = [&](int tile, int port, uint64_t word) {
    if (word == 0) return;
    slots_[static_cast<size_t>(tile)].word[parity_][port] = word;
    due_[parity_].add(static_cast<size_t>(tile));
  };
  for (int c = 0; c < cols; ++c) {
    put(c, 0, in[ports_.first(Side::North) + c]);
    put((rows - 1) * cols + c, 2, in[ports_.first(Side::South) + c]);
  }
  for (int r = 0; r < rows; ++r) {
    put(r * cols + cols - 1, 1, in[ports_.first(Side::East) + r]);
    put(r * cols, 3, in[ports_.first(Side::West) + r]);
  }
}

void Replicated::clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) {
  context_.enter();
  for (int p = 0; p < ports_.count(); ++p) out[p] = 0;
  take_edges(in);
  cycle_now_ = cycle;
  out_now_ = out;
  sim::Due& due = due_[parity_];
  const bool begins = !begins_.empty();
  if (begins) begin_tiles(&parts_[0]);
  const bool takes_idle = !begins && (options_.check_idle || !options_.skip_idle);
  for (size_t i = 0; i < tiles_.size() && takes_idle; ++i) {
    if (!options_.check_idle) due.add(i);
    if (due.listed[i] == 0) check_idle(i, idle_check_.unchanged(i, &tiles_[i].model, cycle));
  }
  const size_t parts = (due.tiles.size() + kTogether - 1) / kTogether;
  if (parts > 1 && workers_.threads() > 1) {
    workers_.run(parts);
  } else {
    for (size_t k = 0; k < parts; ++k) clock_part(0, k);
  }
  for (const size_t i : due.tiles) due.listed[i] = 0;
  due.tiles.clear();
  end_parts(std::max(parts, size_t{1}));
  parity_ ^= 1;
  if (!options_.waves.file.empty()) dump_waves(cycle);
}

// It does not throw. After a failure the other tiles of the part are left out.
void Replicated::clock_part(size_t thread, size_t k) {
  Part& part = parts_[k];
  const std::vector<size_t>& tiles = due_[parity_].tiles;
  try {
    context_.enter();
    const size_t end = std::min((k + 1) * kTogether, tiles.size());
    for (size_t i = k * kTogether; i < end; ++i) clock_tile(tiles[i], &counts_[thread], &part);
  } catch (...) {
    part.failed = std::current_exception();
  }
}

// In the order of the parts: tiles are due in the same order, and the same one is the first that
// fails, with any number of threads.
void Replicated::end_parts(size_t count) {
  for (size_t k = 0; k < count; ++k) {
    if (parts_[k].failed) std::rethrow_exception(parts_[k].failed);
    for (const size_t tile : parts_[k].next) due_[parity_ ^ 1].add(tile);
    parts_[k].next.clear();
  }
}

void Replicated::clock_tile(size_t index, Counts* counts, Part* part) {
  const uint64_t cycle = cycle_now_;
  Tile& t = tiles_[index];
  uint64_t* const words = slots_[index].word[parity_];
  Vow_tile* const m = t.model.get();
  m->link_n_i = words[0];
  m->link_e_i = words[1];
  m->link_s_i = words[2];
  m->link_w_i = words[3];
  if (options_.on_word) report_words(index, cycle, true, words);
  words[0] = words[1] = words[2] = words[3] = 0;
  m->cycle_i = cycle;
  if (options_.check_idle) check_idle(index, sim::change_asleep(&t.model, cycle));
  clock(&t.model);
  ++counts->evaluations;
  for (size_t k = 0; k < t.gates.size(); ++k) counts->edges[k] += *t.gates[k].open;
  give_words(index, part);
}

// After write_tiles(): in this cycle all tiles begin with their state instead of being clocked.
void Replicated::begin_tiles(Part* part) {
  begins_.clear();
  for (const size_t i : due_[parity_].tiles) due_[parity_].listed[i] = 0;
  due_[parity_].tiles.clear();
  for (size_t i = 0; i < tiles_.size(); ++i) {
    uint64_t* const words = slots_[i].word[parity_];
    if (options_.on_word) report_words(i, cycle_now_, true, words);
    cells_->begin(&tiles_[i].model, cycle_now_, words);
    std::fill(words, words + kSides, uint64_t{0});
    give_words(i, part);
  }
}

// What a tile sends in the next cycle.
void Replicated::give_words(size_t index, Part* part) {
  Tile& t = tiles_[index];
  Vow_tile* const m = t.model.get();
  idle_check_.evaluated(index);
  if (!m->idle_o) part->next.push_back(index);
  uint64_t links[4] = {m->link_n_o, m->link_e_o, m->link_s_o, m->link_w_o};
  if ((links[0] | links[1] | links[2] | links[3]) == 0) return;
  if (options_.drop_credit) drop_credits(index, links);
  if (options_.on_word) report_words(index, cycle_now_ + 1, false, links);
  for (int p = 0; p < kSides; ++p) {
    if (links[p] == 0) continue;
    if (t.neighbour[p] < 0) {
      out_now_[t.edge_port[p]] = links[p];
      continue;
    }
    const auto to = static_cast<size_t>(t.neighbour[p]);
    slots_[to].word[parity_ ^ 1][(p + 2) & 3] = links[p];
    part->next.push_back(to);
  }
}

// Words that come in are those of the grid's edges: others are reported where they are sent.
void Replicated::report_words(size_t index, uint64_t cycle, bool in, const uint64_t* words) const {
  const auto columns = static_cast<size_t>(shape_.cols);
  for (int p = 0; p < 4; ++p) {
    if (words[p] == 0 || (in && tiles_[index].neighbour[p] >= 0)) continue;
    options_.on_word({cycle, static_cast<int>(index / columns), static_cast<int>(index % columns),
                      static_cast<Side>(p), in, words[p]});
  }
}

// Drops a credit that a test wants to be lost.
void Replicated::drop_credits(size_t index, uint64_t (&links)[4]) {
  const CreditFault& f = *options_.drop_credit;
  uint64_t& word = links[static_cast<int>(f.side)];
  if (static_cast<size_t>(f.row * shape_.cols + f.col) != index || !link_has_credit(word) ||
      link_credit_colour(word) != f.colour) {
    return;
  }
  if (fault_count_ >= f.nth && fault_count_ < f.nth + f.count) word &= ~kLinkCreditMask;
  ++fault_count_;
}

#if VM_TRACE
void Replicated::choose_waves() {
  const Waves& waves = options_.waves;
  context_.traceEverOn(true);
  const auto add = [&](int row, int column) {
    if (row < 0 || column < 0 || row >= shape_.rows || column >= shape_.cols) {
      throw BadInput(fmt::format("waves of tile ({}, {}): not in the grid of {} x {}", row, column,
                                 shape_.rows, shape_.cols));
    }
    tiles_[static_cast<size_t>(row * shape_.cols + column)].model->trace(&waves_, kWholeTile);
  };
  for (const auto& [row, column] : waves.tiles) add(row, column);
  for (int i = 0; waves.tiles.empty() && i < shape_.rows * shape_.cols; ++i) {
    add(i / shape_.cols, i % shape_.cols);
  }
  check_writable(waves.file);
}

// Dumps what a tile holds after the edge. A cycle is two units of time. A run that is refused
// before leaves no file.
void Replicated::dump_waves(uint64_t cycle) {
  if (cycle < options_.waves.from || cycle > options_.waves.to) return;
  if (!waves_.isOpen()) waves_.open(options_.waves.file.c_str());
  if (!waves_.isOpen()) throw BadInput(options_.waves.file + ": cannot be written");
  for (const uint8_t level : {1, 0}) {
    for (Tile& t : tiles_) t.model->clk_i = level;
    waves_.dump(2 * cycle + 1 - level);
  }
}
#else
void Replicated::choose_waves() {
  throw BadInput(options_.waves.file + ": this simulator has no waves (ow-wave has)");
}
void Replicated::dump_waves(uint64_t) {}
#endif

// `changed`: what the check of a tile has found, empty if nothing.
void Replicated::check_idle(size_t index, const std::string& changed) const {
  if (changed.empty()) return;
  throw InternalError(fmt::format("idle check: tile ({}, {}){}", row_of(index),
                                  index % static_cast<size_t>(shape_.cols), changed));
}

}  // namespace

std::unique_ptr<SimDevice> make_simulator(GridShape shape, const SimOptions& options) {
  if (options.threads > 1 && (options.drop_credit || options.on_word)) {
    throw BadInput("lost credits and reports of words need one thread");
  }
  if (options.lockstep) throw BadInput("lockstep is only for engine=wide");
  return std::make_unique<Replicated>(shape, options);
}

}  // namespace ow
