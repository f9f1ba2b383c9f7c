// SPDX-License-Identifier: Apache-2.0
// For any fuses, the simulated wafer (ow/device/reticle_mesh.h) connects the same wires as the
// muxes of the reticle.
#include <gtest/gtest.h>

#include <random>

#include "Vow_mesh11.h"
#if OW_OTHER_SIZES
#include "Vow_mesh22.h"
#endif
#include "ow/device/reticle_mesh.h"

namespace ow::wafer {
namespace {

uint32_t name(int side, int index) {
  return static_cast<uint32_t>(side) << 16 | static_cast<uint32_t>(index + 1);
}

template <typename Wide>
void set16(Wide& wide, size_t i, uint16_t value) {
  uint32_t& word = wide[i / 2];
  word = i % 2 == 0 ? (word & 0xFFFF0000u) | value : (word & 0xFFFFu) | uint32_t{value} << 16;
}
template <typename Word>
void set8(Word& word, size_t i, uint8_t value) {
  word = (word & ~(Word{0xFF} << 8 * i)) | Word{value} << 8 * i;
}

// Blank, random, and random with mostly valid fields, so that edges and tiles meet often.
template <typename Model>
void compare(const Shape& s, int rounds) {
  Model top;
  std::mt19937 random(1);
  const Places at(s);
  const auto tiles = static_cast<size_t>(at.tiles());
  const auto rows = static_cast<size_t>(s.physical_rows());
  int connected = 0, shared = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<uint16_t> tile_fuse(tiles);
    std::vector<uint8_t> row_fuse(rows);
    for (uint16_t& f : tile_fuse) {
      if (round % 2 == 0) {
        f = static_cast<uint16_t>(random() & 0x7FFF);
      } else {
        TileFuse t;
        t.enable = random() % 8 != 0;
        t.w_skip = static_cast<int>(random() % (s.spare_cols + 1u));
        t.e_skip = static_cast<int>(random() % (s.spare_cols + 1u));
        t.n_skip = static_cast<int>(random() % (s.spare_rows + 1u));
        t.s_skip = static_cast<int>(random() % (s.spare_rows + 1u));
        t.n_shift = static_cast<int>(random() % (2u * s.spare_cols + 1)) - s.spare_cols;
        t.s_shift = static_cast<int>(random() % (2u * s.spare_cols + 1)) - s.spare_cols;
        f = t.word();
        EXPECT_EQ(TileFuse::of(f).word(), f);
      }
    }
    for (uint8_t& f : row_fuse) f = static_cast<uint8_t>(random() & 63);
    for (size_t t = 0; t < tiles; ++t) set16(top.tile_fuse_i, t, tile_fuse[t]);
    for (size_t p = 0; p < rows; ++p) set8(top.row_fuse_i, p, row_fuse[p]);
    top.eval();

    // The test bench names every source; an edge slot carries the OR of its sources' names.
    std::vector<uint32_t> expected(static_cast<size_t>(at.count()), 0);
    std::vector<uint32_t> names(expected.size());
    for (int t = 0; t < at.tiles(); ++t) {
      for (int side = 0; side < 4; ++side) names[static_cast<size_t>(4 * t + side)] = name(side, t);
    }
    for (int side = 0; side < 4; ++side) {
      for (int i = 0; i < at.slots(side); ++i) {
        names[static_cast<size_t>(at.edge(side, i))] = name(4 + side, i);
      }
    }
    for (const Connection& c : connections(s, tile_fuse, row_fuse)) {
      uint32_t& to = expected[static_cast<size_t>(c.sink)];
      ++connected;
      if (to != 0) ++shared;
      if (!at.is_edge(c.sink)) {
        ASSERT_EQ(to, 0u) << "a tile hears two";
      }
      to |= names[static_cast<size_t>(c.source)];
    }
    for (size_t t = 0; t < tiles; ++t) {
      ASSERT_EQ(top.tile_n_o[t], expected[4 * t + 0]) << "round " << round << " tile " << t;
      ASSERT_EQ(top.tile_e_o[t], expected[4 * t + 1]) << "round " << round << " tile " << t;
      ASSERT_EQ(top.tile_s_o[t], expected[4 * t + 2]) << "round " << round << " tile " << t;
      ASSERT_EQ(top.tile_w_o[t], expected[4 * t + 3]) << "round " << round << " tile " << t;
    }
    const auto edge = [&](int side, int i) {
      return expected[static_cast<size_t>(at.edge(side, i))];
    };
    for (int i = 0; i < s.physical_cols(); ++i) {
      ASSERT_EQ(top.north_o[static_cast<size_t>(i)], edge(kNorth, i)) << round;
      ASSERT_EQ(top.south_o[static_cast<size_t>(i)], edge(kSouth, i)) << round;
    }
    for (int i = 0; i < s.physical_rows(); ++i) {
      ASSERT_EQ(top.east_o[static_cast<size_t>(i)], edge(kEast, i)) << round;
      ASSERT_EQ(top.west_o[static_cast<size_t>(i)], edge(kWest, i)) << round;
    }
  }
  EXPECT_GT(connected, rounds);
  EXPECT_GT(shared, 0) << "no edge slot was named twice";
}

TEST(MeshModel, OneSpareColumnAndRow) { compare<Vow_mesh11>({1, 1, 3, 4, 1, 1}, 3000); }

#if OW_OTHER_SIZES
TEST(MeshModel, TwoSpareColumnsAndRows) { compare<Vow_mesh22>({1, 1, 3, 3, 2, 2}, 3000); }
#endif

}  // namespace
}  // namespace ow::wafer
