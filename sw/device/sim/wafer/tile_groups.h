// SPDX-License-Identifier: Apache-2.0
// The tiles of a simulated wafer.
//
// Most tiles under test do the same at the same time. Tiles in the same state with the same inputs
// form a group, and one of them, the leader, is evaluated for all. A tile whose inputs differ from
// its leader's copies the leader's state and continues alone. Tiles that rest in the same state
// join again before the host's next commands.
#ifndef OW_SIM_WAFER_TILE_GROUPS_H_
#define OW_SIM_WAFER_TILE_GROUPS_H_

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

template <typename Tile>
class TileGroups : public Tiles {
 public:
  TileGroups(const WireLayout& layout, sim::Context* context, Noise* noise) : noise_(*noise) {
    sim::check_internals<Tile>();
    tiles_.reserve(layout.tiles());
    for (size_t t = 0; t < layout.tiles(); ++t) add(t, context);
    inputs_.resize(tiles_.size());
  }

  void break_tile(size_t tile, const TileFault& f) {
    State& t = tiles_[tile];
    switch (f.kind) {
      case TileFault::Kind::Silent:
        t.silent = true;
        break;
      case TileFault::Kind::Babble:
        t.babbles = true;
        break;
      case TileFault::Kind::Memory:
        t.forces.push_back(CellForce::memory(t.model.cells(), f));
        break;
      case TileFault::Kind::Register:
        t.forces.push_back(CellForce::flip_flop(t.model.cells(), f));
        t.settles = true;
        break;
    }
  }

  // All tiles start alike. Tiles with forced cells are alone in their group.
  void form() {
    size_t first = tiles_.size();
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      t.leader = i;
      if (!t.forces.empty()) continue;
      if (first == tiles_.size()) first = i;
      t.leader = first;
    }
  }

  // Groups tiles that rest in the same state.
  void join() {
    const std::vector<size_t> resting = resting_leaders();
    for (size_t k = 1; k < resting.size(); ++k) {
      const State& t = tiles_[resting[k]];
      for (size_t j = 0; j < k; ++j) {
        const State& l = tiles_[resting[j]];
        if (l.leader != resting[j] || l.digest != t.digest || l.in_reset != t.in_reset ||
            !l.model.same_state(t.model)) {
          continue;
        }
        for (State& other : tiles_) {
          if (other.leader == resting[k]) other.leader = resting[j];
        }
        break;
      }
    }
  }

  Answer answer(size_t tile) const override {
    const Tile* m = tiles_[tiles_[tile].leader].model.get();
    return {m->test_req_ready_o != 0, m->test_rsp_valid_o != 0, m->test_rsp_o};
  }

  // One cycle of all tiles. False if the next cycle can only wait for a word or a station.
  bool clock(uint64_t cycle, const Stations& stations, Wires* wires) {
    for (size_t i = 0; i < tiles_.size(); ++i) {
      inputs_[i] = {stations.control(i), stations.takes(i), wires->at_tile(i)};
    }
    parted_.clear();
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const size_t leader = tiles_[i].leader;
      if (leader != i && !(inputs_[i] == inputs_[leader])) part(i);
    }
    const uint64_t before = evaluations_;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      if (tiles_[i].leader == i) clock_tile(i, cycle);
    }
    send();
    return awake_ > 0 || evaluations_ != before;
  }

  void check_idle() { check_idle_ = true; }
  // By side, on the tile's own wires.
  const std::array<uint64_t, 4>& sends(size_t tile) const { return tiles_[tile].sends; }
  bool quiet() const { return awake_ == 0; }
  uint64_t evaluations() const { return evaluations_; }

 private:
  static constexpr int kResetCycles = 4;

  struct State {
    explicit State(sim::Model<Tile> m) : model(std::move(m)) {}
    sim::Model<Tile> model;
    bool awake = false;
    int in_reset = 0;                  // cycles that it has been
    size_t leader = 0;                 // the tile evaluated for it, perhaps itself
    bool evaluated = false;            // since its state was last compared with others
    uint64_t digest = 0;               // of its state, then
    std::array<uint64_t, 4> drives{};  // from its registers, in this cycle
    std::array<uint64_t, 4> sends{};   // on its wires: what it drives, unless broken
    bool silent = false;
    bool babbles = false;
    bool settles = false;    // a forced register needs it
    bool disturbed = false;  // and it was changed in the last cycle
    std::vector<CellForce> forces;
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

  void add(size_t index, sim::Context* context) {
    tiles_.emplace_back(sim::Model<Tile>(context, fmt::format("tile_{}", index)));
    sim::Model<Tile>& model = tiles_.back().model;
    model->test_i = 0;
    silence(model.get());
    model.reset(kResetCycles);
  }
  static void silence(Tile* m) {
    m->cycle_i = 0;
    m->test_req_valid_i = 0;
    m->test_req_i = 0;
    m->test_rsp_ready_i = 0;
    m->link_n_i = m->link_e_i = m->link_s_i = m->link_w_i = 0;
  }

  // Leaders that may lead others, with the digests of their states.
  std::vector<size_t> resting_leaders() {
    std::vector<size_t> resting;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      if (t.leader != i || t.awake || !t.forces.empty()) continue;
      if (t.evaluated) {
        // Only the registers of its inputs change, so it rests.
        silence(t.model.get());
        t.model.clock();
        t.digest = t.model.digest();
        t.evaluated = false;
      }
      resting.push_back(i);
    }
    return resting;
  }

  // Leaves its leader and takes a copy of its state along.
  void part(size_t i) {
    State& t = tiles_[i];
    const size_t old = t.leader;
    for (const auto& [from, to] : parted_) {
      if (from == old && inputs_[to] == inputs_[i]) {
        t.leader = to;
        return;
      }
    }
    parted_.emplace_back(old, i);
    const State& l = tiles_[old];
    t.model.copy_state(l.model);
    t.leader = i;
    t.awake = l.awake;
    t.in_reset = l.in_reset;
    t.evaluated = true;
  }

  bool must_run(State* t, const Inputs& in) {
    if (in.control.reset) {
      // After a few cycles in reset nothing changes.
      const bool run = t->in_reset < 8;
      t->in_reset += run ? 1 : 0;
      return run;
    }
    const bool released = t->in_reset > 0;
    t->in_reset = 0;
    return released || t->awake || in.hears() || in.control.request ||
           in.control.test != (t->model->test_i != 0) || in.take || t->disturbed;
  }

  void clock_tile(size_t i, uint64_t cycle) {
    State& t = tiles_[i];
    const Inputs& in = inputs_[i];
    if (!must_run(&t, in)) {
      t.drives = {};
      t.awake = false;
      return;
    }
    Tile* m = t.model.get();
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
    if (check_idle_) check_asleep(&t, i, cycle);
    t.model.clock();
    ++evaluations_;
    t.evaluated = true;
    if (!t.forces.empty()) force(&t);
    t.awake = !m->idle_o && !in.control.reset;
    t.drives = {m->link_n_o, m->link_e_o, m->link_s_o, m->link_w_o};
  }

  static void check_asleep(State* t, size_t i, uint64_t cycle) {
    constexpr size_t kNames = 1000;  // letters of registers' names
    const std::string changed = t->model.changes_asleep(kNames);
    if (changed.empty()) return;
    throw InternalError(fmt::format(
        "idle check: tile {}: units sleep in cycle {} that would change:{}", i, cycle, changed));
  }

  void force(State* t) {
    bool changed = false;
    for (CellForce& f : t->forces) changed |= f.apply();
    if (changed && t->settles) t->model.settle();
    t->disturbed = changed && t->settles;
  }

  void send() {
    awake_ = 0;
    for (State& t : tiles_) {
      const State& l = tiles_[t.leader];
      awake_ += l.awake;
      t.sends = t.silent ? std::array<uint64_t, 4>{} : l.drives;
      if (!t.babbles) continue;
      for (uint64_t& w : t.sends) w = noise_() & kLinkMask;
    }
  }

  Noise& noise_;
  std::vector<State> tiles_;
  std::vector<Inputs> inputs_;                     // of each in this cycle
  std::vector<std::pair<size_t, size_t>> parted_;  // leaders that were left in it, for whom
  int awake_ = 0;
  bool check_idle_ = false;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_TILE_GROUPS_H_
