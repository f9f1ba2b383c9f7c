// SPDX-License-Identifier: Apache-2.0
// What a simulated wafer asks of its tiles, however they are evaluated; and a tile of its own
// Verilated model.
#ifndef OW_SIM_WAFER_WAFER_TILES_H_
#define OW_SIM_WAFER_WAFER_TILES_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cell_force.h"
#include "model.h"
#include "ow/base/error.h"
#include "ow/device/link_word.h"
#include "ow/device/wafer_faults.h"
#include "stations.h"
#include "wires.h"

namespace ow::wafer {

class WaferTiles : public Tiles {
 public:
  virtual void break_tile(size_t tile, const TileFault& f) = 0;
  // All tiles start. Call it when their faults are known.
  virtual void form() = 0;
  // The host's next commands follow.
  virtual void join() = 0;
  // One cycle of all tiles. False if the next cycle can only wait for a word or a station.
  virtual bool clock(uint64_t cycle, const Stations& stations, Wires* wires) = 0;
  virtual void check_idle() = 0;
  // By side, on the tile's own wires.
  virtual const std::array<uint64_t, 4>& sends(size_t tile) const = 0;
  virtual bool quiet() const = 0;
  virtual uint64_t evaluations() const = 0;
  virtual std::string description() const = 0;
};

// The inputs of a tile in one cycle.
struct Inputs {
  Control control;
  bool take = false;
  const uint64_t* words = nullptr;
  bool operator==(const Inputs& o) const {
    return control == o.control && take == o.take && std::equal(words, words + 4, o.words);
  }
  bool hears() const { return (words[0] | words[1] | words[2] | words[3]) != 0; }
};

// Whether a tile has something to do.
struct Rest {
  bool awake = false;
  bool test = false;  // as its last evaluation had it
  int in_reset = 0;   // cycles that it has been
  bool operator==(const Rest& o) const {
    return awake == o.awake && test == o.test && in_reset == o.in_reset;
  }

  // Call it once a cycle.
  bool must_run(const Inputs& in) {
    if (in.control.reset) {
      // After a few cycles in reset nothing changes.
      const bool run = in_reset < 8;
      in_reset += run ? 1 : 0;
      return run;
    }
    const bool released = in_reset > 0;
    in_reset = 0;
    return released || awake || in.hears() || in.control.request || in.control.test != test ||
           in.take;
  }
};

// What a tile has on its wires if it is broken.
struct Voice {
  bool silent = false;
  bool babbles = false;

  std::array<uint64_t, 4> sends(const std::array<uint64_t, 4>& drives, Noise* noise) const {
    std::array<uint64_t, 4> words = silent ? std::array<uint64_t, 4>{} : drives;
    if (!babbles) return words;
    for (uint64_t& w : words) w = (*noise)() & kLinkMask;
    return words;
  }
};

// A tile of its own Verilated model, with forced cells.
template <typename Tile>
class OwnTile {
 public:
  OwnTile(sim::Context* context, size_t index)
      : model(sim::Model<Tile>(context, fmt::format("tile_{}", index))), index_(index) {
    model->test_i = 0;
    silence();
    model.reset(kResetCycles);
  }

  sim::Model<Tile> model;
  Rest rest;
  std::array<uint64_t, 4> drives{};  // from its registers, in this cycle

  // For a fault of the memory, or a stuck flip-flop.
  void force(const TileFault& f) {
    const bool memory = f.kind == TileFault::Kind::Memory;
    forces_.push_back(memory ? CellForce::memory(model.cells(), f)
                             : CellForce::flip_flop(model.cells(), f));
    settles_ = settles_ || !memory;
  }
  bool forced() const { return !forces_.empty(); }

  void silence() {
    model->cycle_i = 0;
    model->test_req_valid_i = 0;
    model->test_req_i = 0;
    model->test_rsp_ready_i = 0;
    model->link_n_i = model->link_e_i = model->link_s_i = model->link_w_i = 0;
  }

  Answer answer() const {
    return {model->test_req_ready_o != 0, model->test_rsp_valid_o != 0, model->test_rsp_o};
  }

  // One cycle. False if it rests, so that it was not evaluated.
  bool clock(const Inputs& in, uint64_t cycle, bool check_idle) {
    const bool disturbed = disturbed_ && !in.control.reset;
    if (!rest.must_run(in) && !disturbed) {
      drives = {};
      rest.awake = false;
      return false;
    }
    Tile* const m = model.get();
    m->rst_i = in.control.reset;
    m->test_i = in.control.test;
    m->test_req_valid_i = in.control.request;
    m->test_req_i = in.control.word;
    m->test_rsp_ready_i = in.take;
    m->link_n_i = in.words[0];
    m->link_e_i = in.words[1];
    m->link_s_i = in.words[2];
    m->link_w_i = in.words[3];
    m->cycle_i = cycle;
    if (check_idle) check_asleep(cycle);
    model.clock();
    if (forced()) apply_forces();
    rest.test = in.control.test;
    rest.awake = !m->idle_o && !in.control.reset;
    drives = {m->link_n_o, m->link_e_o, m->link_s_o, m->link_w_o};
    return true;
  }

 private:
  static constexpr int kResetCycles = 4;

  void check_asleep(uint64_t cycle) {
    const std::string changed = sim::change_asleep(&model, cycle);
    if (changed.empty()) return;
    throw InternalError(fmt::format("idle check: tile {}{}", index_, changed));
  }

  void apply_forces() {
    bool changed = false;
    for (CellForce& f : forces_) changed |= f.apply();
    if (changed && settles_) model.settle();
    disturbed_ = changed && settles_;
  }

  size_t index_;
  bool settles_ = false;    // a forced register needs it
  bool disturbed_ = false;  // and it was changed in the last cycle
  std::vector<CellForce> forces_;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_WAFER_TILES_H_
