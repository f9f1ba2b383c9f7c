// SPDX-License-Identifier: Apache-2.0
// Stuck flip-flops: which bits of a register they may be.
#include "cell_force.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "messages.h"

namespace ow::wafer {
namespace {

TEST(CellForce, ARegisterHasTheBitsOfItsElementsAndNoPadding) {
  std::array<uint8_t, 12> state{};
  const std::vector<sim::Cell> cells = {{"tile__DOT__narrow_q", state.data(), 1, 3, 8},
                                        {"tile__DOT__array_q", state.data() + 4, 8, 20, 32}};
  TileFault fault;
  fault.kind = TileFault::Kind::Register;
  fault.value = true;
  const auto refused = [&](const std::string& name, int bit) {
    fault.name = name;
    fault.bit = bit;
    return refusal_of([&] { CellForce::flip_flop(cells, fault).apply(); });
  };
  EXPECT_EQ(refused("narrow_q", 2), "");
  EXPECT_EQ(state[0], 4);
  for (const int bit : {3, 7, 8}) {
    EXPECT_EQ(refused("narrow_q", bit),
              "bit " + std::to_string(bit) + " of register narrow_q: it has bits 0 to 2");
  }
  for (const int bit : {0, 19, 32, 51}) EXPECT_EQ(refused("array_q", bit), "");
  for (const int bit : {20, 31, 52, 64}) {
    EXPECT_EQ(refused("array_q", bit),
              "bit " + std::to_string(bit) +
                  " of register array_q: it has bits 0 to 19 in each of 2 words, which begin every "
                  "32 bits");
  }
}

}  // namespace
}  // namespace ow::wafer
