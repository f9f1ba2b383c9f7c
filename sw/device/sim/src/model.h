// SPDX-License-Identifier: Apache-2.0
// A Verilated model: the one place that knows how Verilator keeps it. All
// simulators hold their models in this class.
//
// Clock, reset and ports are what every Verilator offers. Beyond that stand on
// the insides of a model: the falling edge that is left out, logic that is
// computed again after a register was forced, and state that is copied and
// compared. Those come from Internals<M>, which list_state.cmake writes from
// the model's header, and check_internals() tries them before the first model
// is used: a Verilator that keeps its models in another way is named, not
// trusted.
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

// Of all models of a simulator, and of the thread that is in it.
class Context : public VerilatedContext {
 public:
  Context() {
    enter();
    threads(1);
  }
  void enter() { Verilated::threadContextp(this); }
};

// A register or memory of a model, or an array of them: each element has `bits`
// bits and stands `stride` bits after the one before.
struct Cell {
  const char* name;
  uint8_t* data;
  size_t size;
  int bits;
  int stride;
};

// The latch of a unit's clock gate (ow_clock_gate): whether it is clocked at the next edge.
struct Gate {
  const char* unit;
  uint8_t* open;
};

// Of a model's class M, by static members: rest_clock(M*) puts the clock back
// to 0 without an evaluation, if kRests; settle(M*) computes
// all logic from the registers; begin(M*) and end(M*) are the bytes of its
// state; cells(M*); gates(M*).
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

  // Cycles in reset, from the beginning; the other inputs are set. It is in
  // reset afterwards.
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
  // A falling edge, which opens the latches of clock gates to what the inputs
  // are now, and a rising one.
  void clock_both_edges() {
    evaluate();
    model_->clk_i = 1;
    model_->eval();
  }
  // One rising edge. The falling edge is not evaluated where it does nothing
  // and the model can do without.
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
  // The registers and memories that units which sleep through the coming edge would change if they
  // were clocked in it, or that then change otherwise; each behind a space, as many as fit into
  // `room` characters. The model is as it was.
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
  // After a register was forced.
  void settle() { Internals<M>::settle(model_.get()); }

  std::vector<Cell> cells() const { return Internals<M>::cells(model_.get()); }
  std::vector<Gate> gates() const { return Internals<M>::gates(model_.get()); }
  // All that the model holds, inputs included.
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
  // Of changes_asleep(), which runs in each cycle: what it compares, and room for the states.
  std::vector<Cell> watched_;
  std::vector<uint8_t> before_, after_;
};

// What check_internals() does, once.
//
// Throws InternalError if the insides of M are not as Internals<M> takes them:
// each register has to lie within the state, and a model that is clocked by the
// rising edge alone, and one that goes on from a copy of the state, have to do
// what one does that gets both edges.
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
