// SPDX-License-Identifier: Apache-2.0
// A Verilated model. All simulators hold their models in this class, and only this class depends on
// how Verilator stores a model.
//
// Clock, reset and ports are what every Verilator offers. Three features depend on the inside of a
// model: skipping the falling edge, recomputing logic after a register was forced, and copying and
// comparing state. They come from Internals<M>, which list_state.cmake writes from the model's
// header. check_internals() tests them before the first model is used, so a Verilator that stores
// models differently is reported and not trusted.
#ifndef OW_SIM_SRC_MODEL_H_
#define OW_SIM_SRC_MODEL_H_

#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ow/base/error.h"

namespace ow::sim {

static_assert(VERILATOR_VERSION_INTEGER >= 5006000, "Verilator 5.006 or newer is needed");

// Shared by all models of a simulator and the thread that runs it.
class Context : public VerilatedContext {
 public:
  Context() {
    enter();
    threads(1);
  }
  void enter() { Verilated::threadContextp(this); }
};

// A register or memory of a model, or an array of them. Each element has `bits` bits and starts
// `stride` bits after the one before.
struct Cell {
  const char* name;
  uint8_t* data;
  size_t size;
  int bits;
  int stride;
};

// The latch of a unit's clock gate (ow_clock_gate): whether the unit is clocked at the next edge.
struct Gate {
  const char* unit;
  uint8_t* open;
};

// Static members for a model's class M. rest_clock(M*) sets the clock to 0 without an evaluation,
// if kRests. settle(M*) computes all logic from the registers. begin(M*) and end(M*) bound the
// bytes of its state. Also cells(M*), others(M*) and gates(M*).
template <typename M>
struct Internals;

template <typename M>
class Model {
 public:
  Model(Context* context, const std::string& name)
      : context_(context), model_(std::make_unique<M>(context, name.c_str())) {}
  Model(Model&&) noexcept = default;
  Model& operator=(Model&&) noexcept = default;
  ~Model() {
    if (!model_) return;
    context_->enter();  // models leave their scopes in the thread's context
    model_->final();
  }

  M* operator->() const { return model_.get(); }
  M* get() const { return model_.get(); }

  // Runs these cycles in reset, from the beginning, with the other inputs already set. The model
  // stays in reset.
  void reset(int cycles) {
    model_->rst_i = 1;
    evaluate();
    for (int k = 0; k < cycles; ++k) clock();
  }
  void reset_both_edges(int cycles) {
    model_->rst_i = 1;
    evaluate();
    for (int k = 0; k < cycles; ++k) clock_both_edges();
  }
  // Evaluates changed inputs without an edge of the clock.
  void evaluate() {
    model_->clk_i = 0;
    model_->eval();
  }
  // A falling edge, which opens the latches of clock gates to the present inputs, and then a rising
  // one.
  void clock_both_edges() {
    evaluate();
    model_->clk_i = 1;
    model_->eval();
  }
  // One rising edge. The falling edge is skipped where it does nothing and the model allows it.
  void clock() {
    if (!Internals<M>::kRests) return clock_both_edges();
    model_->clk_i = 1;
    model_->eval();
    Internals<M>::rest_clock(model_.get());
  }
  // One rising edge in which no unit sleeps.
  void clock_all() {
    evaluate();
    for (const Gate& gate : gates()) *gate.open = 1;
    model_->clk_i = 1;
    model_->eval();
  }
  // The registers and memories of sleeping units that the coming edge would change if they were
  // clocked, or that change although they sleep. A space precedes each name; as many as fit into
  // `room` characters. The model is left as it was.
  std::string changes_asleep(size_t room) {
    uint8_t* const bytes = state();
    before_.assign(bytes, bytes + state_bytes());
    clock_all();
    after_.assign(bytes, bytes + state_bytes());
    std::copy(before_.begin(), before_.end(), bytes);
    clock();
    if (watched_.empty()) watched_ = cells();
    std::string changed;
    for (const Cell& c : watched_) {
      if (std::memcmp(after_.data() + (c.data - bytes), c.data, c.size) == 0) continue;
      if (changed.size() < room) changed += fmt::format(" {}", c.name);
    }
    std::copy(before_.begin(), before_.end(), bytes);
    return changed;
  }
  // Call it after a register was forced.
  void settle() { Internals<M>::settle(model_.get()); }

  std::vector<Cell> cells() const { return Internals<M>::cells(model_.get()); }
  // Registers that cells() does not list, because their names do not tell.
  std::vector<Cell> others() const { return Internals<M>::others(model_.get()); }
  std::vector<Gate> gates() const { return Internals<M>::gates(model_.get()); }
  // The whole state of the model, inputs included.
  uint8_t* state() const { return Internals<M>::begin(model_.get()); }
  size_t state_bytes() const {
    return static_cast<size_t>(Internals<M>::end(model_.get()) - state());
  }
  void copy_state(const Model& from) { std::memcpy(state(), from.state(), state_bytes()); }
  bool same_state(const Model& other) const {
    return std::memcmp(state(), other.state(), state_bytes()) == 0;
  }
  uint64_t digest() const {
    const uint8_t* from = state();
    const uint8_t* const to = from + state_bytes();
    uint64_t x = 0;
    for (; from + 8 <= to; from += 8) {
      uint64_t word;
      std::memcpy(&word, from, 8);
      x = (x ^ word) * 0x9E3779B97F4A7C15u;
      x ^= x >> 29;
    }
    for (; from < to; ++from) x = (x ^ *from) * 0x9E3779B97F4A7C15u;
    return x;
  }

 private:
  Context* context_;
  std::unique_ptr<M> model_;
  // For changes_asleep(), which runs in each cycle: what it compares, and room for states.
  std::vector<Cell> watched_;
  std::vector<uint8_t> before_, after_;
};

// What an error says after the name of a tile if units of it sleep whose state the coming edge
// would change, whether they are clocked or not; nothing if all is well.
template <typename Tile>
std::string change_asleep(Model<Tile>* model, uint64_t cycle) {
  constexpr size_t kNames = 1000;  // letters of registers' names
  const std::string changed = model->changes_asleep(kNames);
  if (changed.empty()) return "";
  return fmt::format(": units sleep in cycle {} that would change:{}", cycle, changed);
}

// Takes a new tile out of its reset, while nothing comes: inputs of a new model are 0. `clock`
// clocks it.
template <typename Tile, typename Clock>
void start_tile(Model<Tile>* model, const Clock& clock) {
  constexpr int kResetCycles = 4;
  constexpr int kReleaseCycles = 2;  // the reset is registered twice before it acts
  (*model)->rst_i = 1;
  model->evaluate();
  for (int k = 0; k < kResetCycles; ++k) clock();
  (*model)->rst_i = 0;
  for (int k = 0; k < kReleaseCycles; ++k) clock();
}
// With both edges of the clock.
template <typename Tile>
void start_tile(Model<Tile>* model) {
  start_tile(model, [model] { model->clock_both_edges(); });
}

// The work of check_internals(), done once.
//
// Throws InternalError if the inside of M does not match Internals<M>. Each register has to lie
// within the state. A model that gets only rising edges, and one that continues from a copy of the
// state, must behave like one that gets both edges.
template <typename M>
void try_internals() {
  Context context;
  Model<M> reference(&context, "reference"), quick(&context, "quick"), copy(&context, "copy");
  const auto fail = [](const std::string& what) {
    throw InternalError(fmt::format("models of {}: {} (the simulators were written for 5.006)",
                                    Verilated::productVersion(), what));
  };
  for (const Cell& c : reference.cells()) {
    if (c.data < reference.state() ||
        c.data + c.size > reference.state() + reference.state_bytes()) {
      fail(fmt::format("register {} is not part of the state", c.name));
    }
  }
  const auto same = [](const Model<M>& a, const Model<M>& b) {
    const std::vector<Cell> x = a.cells(), y = b.cells();
    return std::equal(x.begin(), x.end(), y.begin(), [](const Cell& p, const Cell& q) {
      return std::memcmp(p.data, q.data, p.size) == 0;
    });
  };
  constexpr int kCycles = 4;
  reference.reset_both_edges(kCycles);
  quick.reset(kCycles);
  copy.reset(1);
  copy.copy_state(quick);
  for (Model<M>* m : {&reference, &quick, &copy}) (*m)->rst_i = 0;
  for (int k = 0; k < kCycles; ++k) {
    reference.clock_both_edges();
    quick.clock();
    copy.clock();
    if (!same(reference, quick)) fail("the falling edge of the clock cannot be left out");
    if (!same(reference, copy)) fail("their state cannot be copied");
  }
}

template <typename M>
void check_internals() {
  static const bool tried = (try_internals<M>(), true);
  (void)tried;
}

}  // namespace ow::sim

#endif  // OW_SIM_SRC_MODEL_H_
