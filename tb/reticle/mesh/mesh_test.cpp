// SPDX-License-Identifier: Apache-2.0
// The muxes of a reticle under random repair maps. Every logical tile hears exactly its four
// logical neighbours, and the edges carry the rows and columns in their slots.
#include <gtest/gtest.h>

#include <memory>

#include "Vow_mesh11.h"
#if OW_OTHER_SIZES
#include "Vow_mesh22.h"
#endif
#include "ow/wafer/repair.h"
#include "ow/wafer/yield.h"

namespace ow::wafer {
namespace {

enum Side { kNorth, kEast, kSouth, kWest };
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

// Random maps of a 2 x 2 wafer: all four positions of a reticle.
template <typename Model>
void run(const Shape& s, int wafers) {
  Model top;
  int repaired = 0;
  for (int seed = 0; repaired < wafers && seed < 50 * wafers; ++seed) {
    YieldModel model;
    model.tile_defects = 0.01 * (seed % 8);
    model.wire_defects = 0.01 * (seed % 3);
    model.link_failure = 0.02 * (seed % 5);
    const Defects defects = random_defects(s, model, static_cast<uint64_t>(seed));
    const Repair repair = repair_wafer(s, defects);
    if (!repair.map) continue;
    ++repaired;
    const WaferMap& map = *repair.map;
    for (int d = 0; d < s.reticles(); ++d) {
      const ReticleFuses f = fuses(map, d);
      for (size_t t = 0; t < f.tile.size(); ++t) set16(top.tile_fuse_i, t, f.tile[t]);
      for (size_t p = 0; p < f.row.size(); ++p) set8(top.row_fuse_i, p, f.row[p]);
      top.eval();
      const int y = d / s.reticle_cols, x = d % s.reticle_cols;
      const auto id = [&](int r, int c) {
        int reticle = 0;
        const Position p = map.physical(y * s.rows + r, x * s.cols + c, &reticle);
        return p.row * s.physical_cols() + p.col;
      };
      const auto slot = [](const EdgeMap& edge, int i) {
        return edge.empty() ? i : edge[static_cast<size_t>(i)];
      };
      const EdgeMap none;
      const EdgeMap& east = map.east[static_cast<size_t>(d)];
      const EdgeMap& south = map.south[static_cast<size_t>(d)];
      const EdgeMap& west = x > 0 ? map.east[static_cast<size_t>(d - 1)] : none;
      const EdgeMap& north = y > 0 ? map.south[static_cast<size_t>(d - s.reticle_cols)] : none;
      int heard = 0;
      for (int r = 0; r < s.rows; ++r) {
        for (int c = 0; c < s.cols; ++c) {
          const auto t = static_cast<size_t>(id(r, c));
          ASSERT_EQ(top.tile_w_o[t], c > 0 ? name(kEast, id(r, c - 1)) : name(7, slot(west, r)));
          ASSERT_EQ(top.tile_e_o[t],
                    c + 1 < s.cols ? name(kWest, id(r, c + 1)) : name(5, slot(east, r)));
          ASSERT_EQ(top.tile_n_o[t], r > 0 ? name(kSouth, id(r - 1, c)) : name(4, slot(north, c)));
          ASSERT_EQ(top.tile_s_o[t],
                    r + 1 < s.rows ? name(kNorth, id(r + 1, c)) : name(6, slot(south, c)));
        }
      }
      for (size_t t = 0; t < f.tile.size(); ++t) {
        if (top.tile_w_o[t] != 0 || top.tile_e_o[t] != 0 || top.tile_n_o[t] != 0 ||
            top.tile_s_o[t] != 0) {
          ++heard;
        }
      }
      EXPECT_EQ(heard, s.rows * s.cols) << "a tile that is not in use hears something";
      int sent = 0;
      for (int r = 0; r < s.rows; ++r) {
        ASSERT_EQ(top.west_o[slot(west, r)], name(kWest, id(r, 0)));
        ASSERT_EQ(top.east_o[slot(east, r)], name(kEast, id(r, s.cols - 1)));
      }
      for (int c = 0; c < s.cols; ++c) {
        ASSERT_EQ(top.north_o[slot(north, c)], name(kNorth, id(0, c)));
        ASSERT_EQ(top.south_o[slot(south, c)], name(kSouth, id(s.rows - 1, c)));
      }
      for (int p = 0; p < s.physical_rows(); ++p) {
        if (top.west_o[p] != 0) ++sent;
        if (top.east_o[p] != 0) ++sent;
      }
      for (int c = 0; c < s.physical_cols(); ++c) {
        if (top.north_o[c] != 0) ++sent;
        if (top.south_o[c] != 0) ++sent;
      }
      EXPECT_EQ(sent, 2 * (s.rows + s.cols)) << "a slot that is not in use carries something";
    }
  }
  EXPECT_EQ(repaired, wafers);
}

TEST(ReticleMesh, OneSpareColumnAndRow) { run<Vow_mesh11>({2, 2, 3, 4, 1, 1}, 300); }

#if OW_OTHER_SIZES
TEST(ReticleMesh, TwoSpareColumnsAndRows) { run<Vow_mesh22>({2, 2, 3, 3, 2, 2}, 300); }
#endif

TEST(ReticleMesh, BlankFusesIsolateEverything) {
  Vow_mesh11 top;
  top.eval();
  for (size_t t = 0; t < 20; ++t) {
    EXPECT_EQ(top.tile_n_o[t] | top.tile_e_o[t] | top.tile_s_o[t] | top.tile_w_o[t], 0u);
  }
  for (size_t p = 0; p < 4; ++p) EXPECT_EQ(top.west_o[p] | top.east_o[p], 0u);
  for (size_t c = 0; c < 5; ++c) EXPECT_EQ(top.north_o[c] | top.south_o[c], 0u);
}

// A window that stops inside the wafer is closed there.
TEST(ReticleMesh, TheSidesOfAPartialWindowAreClosed) {
  const Shape s{1, 1, 3, 4, 1, 1};
  Defects defects(s);
  const Repair repair = repair_window(s, defects, {1, 1, 2, 2});
  ASSERT_TRUE(repair.map);
  const ReticleFuses f = fuses(*repair.map, 0);
  Vow_mesh11 top;
  for (size_t t = 0; t < f.tile.size(); ++t) set16(top.tile_fuse_i, t, f.tile[t]);
  for (size_t p = 0; p < f.row.size(); ++p) set8(top.row_fuse_i, p, f.row[p]);
  top.eval();
  const size_t corner = 1 * 5 + 1;  // logical (1, 1): neighbours to the east and the south alone
  EXPECT_EQ(top.tile_n_o[corner], 0u);
  EXPECT_EQ(top.tile_w_o[corner], 0u);
  EXPECT_EQ(top.tile_e_o[corner], name(kWest, 1 * 5 + 2));
  EXPECT_EQ(top.tile_s_o[corner], name(kNorth, 2 * 5 + 1));
}

}  // namespace
}  // namespace ow::wafer
