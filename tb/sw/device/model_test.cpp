// SPDX-License-Identifier: Apache-2.0
// The wrapper of Verilated models: a model whose insides are not as the simulators take them is
// named before its first cycle. The models here are written by hand, with the ports of a Verilated
// one.
#include "model.h"

#include <gtest/gtest.h>

namespace ow::sim {
namespace {

// Two counters with the rising edge, of which the second adds up the first.
struct Counters {
  Counters(VerilatedContext*, const char*) {}
  void eval() {
    const bool rising = clk_i && !before, falling = !clk_i && before;
    before = clk_i;
    if (rising) first = rst_i ? 0 : first + 1;
    if (late ? falling : rising) second = rst_i ? 0 : second + first;
  }
  void final() {}

  uint8_t clk_i = 0, rst_i = 0;
  uint8_t before = 0, none = 0;  // no padding: the state is compared as bytes
  uint32_t first = 0;
  uint32_t second = 0;
  uint8_t end = 0;
  bool late = false;
};

// Takes `second` for a part of the state or not.
struct CountersInternals {
  static constexpr bool kRests = true;
  template <typename M>
  static void rest_clock(M* m) {
    m->clk_i = m->before = 0;
  }
  template <typename M>
  static std::vector<sim::Gate> gates(M*) {
    return {};
  }
  template <typename M>
  static void settle(M*) {}
  template <typename M>
  static uint8_t* begin(M* m) {
    return &m->clk_i;
  }
  template <typename M>
  static uint8_t* end(M* m) {
    return &m->end;
  }
  template <typename M>
  static std::vector<Cell> cells(M* m) {
    return {{"first", reinterpret_cast<uint8_t*>(&m->first), 4, 32, 32},
            {"second", reinterpret_cast<uint8_t*>(&m->second), 4, 32, 32}};
  }
};

// As the simulators take a model.
struct Plain : Counters {
  using Counters::Counters;
};
// With a register that only the falling edge clocks.
struct Falling : Counters {
  Falling(VerilatedContext* context, const char* name) : Counters(context, name) { late = true; }
};
// A model with a register after the end of what was taken for its state.
struct Outside : Counters {
  using Counters::Counters;
};
// With a register that no reset reaches and that no copy takes along.
struct Elsewhere : Counters {
  Elsewhere(VerilatedContext* context, const char* name) : Counters(context, name) {}
  void eval() {
    if (clk_i && !before) ++held;
    Counters::eval();
    second = held;
  }
  uint32_t held = 0;
};

}  // namespace

template <>
struct Internals<Plain> : CountersInternals {};
template <>
struct Internals<Falling> : CountersInternals {};
template <>
struct Internals<Elsewhere> : CountersInternals {};
template <>
struct Internals<Outside> : CountersInternals {
  static uint8_t* end(Outside* m) { return reinterpret_cast<uint8_t*>(&m->second); }
};

namespace {

template <typename M>
std::string complaint() {
  try {
    try_internals<M>();
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

// Fails if a model's insides are compared or copied unchecked.
TEST(Model, InsidesThatAreNotAsTakenAreNamed) {
  EXPECT_EQ(complaint<Plain>(), "");
  EXPECT_NE(complaint<Falling>().find("falling edge"), std::string::npos) << complaint<Falling>();
  EXPECT_NE(complaint<Outside>().find("register second is not part of the state"),
            std::string::npos)
      << complaint<Outside>();
  EXPECT_NE(complaint<Elsewhere>().find("cannot be copied"), std::string::npos)
      << complaint<Elsewhere>();
}

// Fails if a model's insides are compared or copied unchecked.
TEST(Model, CopiesComparesAndDigestsItsState) {
  Context context;
  Model<Plain> a(&context, "a"), b(&context, "b");
  a.reset(2);
  b.reset(2);
  EXPECT_TRUE(a.same_state(b));
  a->rst_i = 0;
  for (int k = 0; k < 3; ++k) a.clock();
  EXPECT_EQ(a->first, 3u);
  EXPECT_EQ(a->second, 1u + 2u + 3u);
  EXPECT_FALSE(a.same_state(b));
  EXPECT_NE(a.digest(), b.digest());
  b.copy_state(a);
  EXPECT_TRUE(a.same_state(b));
  EXPECT_EQ(a.digest(), b.digest());
}

}  // namespace
}  // namespace ow::sim
