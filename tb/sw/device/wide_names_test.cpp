// SPDX-License-Identifier: Apache-2.0
// How the wide engine finds registers in a model's list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "block.h"
#include "ow/base/error.h"

namespace ow::wide {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

ow_wide_names names_of(const std::vector<ow_wide_bit>& registers) {
  ow_wide_names names = {};
  names.registers = registers.data();
  names.register_count = static_cast<int>(registers.size());
  return names;
}

TEST(FindAll, GivesAllBitsOfASignalInOrder) {
  const std::vector<ow_wide_bit> registers = {
      {"idles_q", 2, 0}, {"a_q", 0, 0}, {"idles_q", 0, 0}, {"idles_q", 1, 0}, {"a_q", 3, 0}};
  EXPECT_THAT(find_all(names_of(registers), "idles_q"), ElementsAre(2, 3, 0));
}

TEST(FindAll, RefusesASignalWithoutABit) {
  const std::vector<ow_wide_bit> registers = {{"idles_q", 2, 0}, {"idles_q", 0, 0}};
  const ow_wide_names names = names_of(registers);
  EXPECT_THAT([&] { find_all(names, "idles_q"); },
              ThrowsMessage<InternalError>(HasSubstr("the tile's model has no idles_q[1]")));
  EXPECT_THAT([&] { find_all(names, "other_q"); },
              ThrowsMessage<InternalError>(HasSubstr("the tile's model has no other_q[0]")));
}

}  // namespace
}  // namespace ow::wide
