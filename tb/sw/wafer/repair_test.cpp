// SPDX-License-Identifier: Apache-2.0
// Repair against the rules, which look at all choices; yield against its closed form.
#include "ow/wafer/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/measure/repair_rules.h"
#include "ow/wafer/files.h"
#include "ow/wafer/yield.h"

namespace ow::wafer {
namespace {

Window whole(const Shape& s) { return {0, 0, s.rows, s.cols}; }

// Every rule of repair.h, and that nothing broken is used.
void expect_valid(const Shape& s, const ReticleDefects& defects, const ReticleMap& map) {
  const std::set<Position> dead(defects.tiles.begin(), defects.tiles.end());
  const std::set<Wire> broken(defects.wires.begin(), defects.wires.end());
  const std::set<int> chains(defects.chains.begin(), defects.chains.end());
  for (size_t r = 0; r < map.row.size(); ++r) {
    const int logical = map.window.row + static_cast<int>(r);
    EXPECT_GE(map.row[r], logical);
    EXPECT_LE(map.row[r], logical + s.spare_rows);
    if (r > 0) {
      EXPECT_GT(map.row[r], map.row[r - 1]);
    }
    EXPECT_EQ(chains.count(map.row[r]), 0u);
    for (size_t c = 0; c < map.col[r].size(); ++c) {
      const int column = map.window.col + static_cast<int>(c);
      EXPECT_GE(map.col[r][c], column);
      EXPECT_LE(map.col[r][c], column + s.spare_cols);
      EXPECT_EQ(dead.count({map.row[r], map.col[r][c]}), 0u);
      if (c > 0) {
        EXPECT_GT(map.col[r][c], map.col[r][c - 1]);
        EXPECT_EQ(broken.count({{map.row[r], map.col[r][c - 1]}, {map.row[r], map.col[r][c]}}), 0u);
      }
      if (r > 0) {
        EXPECT_EQ(broken.count({{map.row[r - 1], map.col[r - 1][c]}, {map.row[r], map.col[r][c]}}),
                  0u);
      }
    }
  }
}

TEST(Repair, WithoutDefectsEveryTileStaysInPlace) {
  const Shape s{1, 1, 3, 4, 1, 1};
  const auto map = repair_reticle(s, {}, whole(s));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->row, (std::vector<int>{0, 1, 2}));
  for (const auto& cols : map->col) EXPECT_EQ(cols, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Repair, ARowShiftsPastItsDefectAndNothingElseMoves) {
  const Shape s{1, 1, 3, 4, 1, 1};
  ReticleDefects d;
  d.tiles = {{1, 2}};
  const auto map = repair_reticle(s, d, whole(s));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->row, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(map->col[0], (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(map->col[1], (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(map->col[2], (std::vector<int>{0, 1, 2, 3}));
}

TEST(Repair, ARowWithMoreDefectsThanSparesIsBypassed) {
  const Shape s{1, 1, 3, 4, 1, 1};
  ReticleDefects d;
  d.tiles = {{1, 0}, {1, 3}};
  const auto map = repair_reticle(s, d, whole(s));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->row, (std::vector<int>{0, 2, 3}));
}

TEST(Repair, ABrokenChainCostsItsRow) {
  const Shape s{1, 1, 2, 2, 1, 1};
  ReticleDefects d;
  d.chains = {0};
  const auto map = repair_reticle(s, d, whole(s));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->row, (std::vector<int>{1, 2}));
}

TEST(Repair, EverySingleDefectOfASmallReticleIsRepaired) {
  const Shape s{1, 1, 3, 3, 1, 1};
  for (int row = 0; row < s.physical_rows(); ++row) {
    for (int col = 0; col < s.physical_cols(); ++col) {
      ReticleDefects d;
      d.tiles = {{row, col}};
      const auto map = repair_reticle(s, d, whole(s));
      ASSERT_TRUE(map) << row << " " << col;
      expect_valid(s, d, *map);
      for (int down = 0; down <= 1 + s.spare_rows; ++down) {
        for (int right = -s.spare_cols; right <= 1 + s.spare_cols; ++right) {
          const Wire w{{row, col}, {row + down, col + right}};
          if (down == 0 ? right < 1 : std::abs(right) > s.spare_cols) continue;
          if (w.to.row >= s.physical_rows() || w.to.col < 0 || w.to.col >= s.physical_cols())
            continue;
          ReticleDefects e;
          e.wires = {w};
          const auto other = repair_reticle(s, e, whole(s));
          ASSERT_TRUE(other) << row << " " << col << " " << down << " " << right;
          expect_valid(s, e, *other);
        }
      }
    }
  }
}

TEST(Repair, OfAReticleAgreesWithTheRules) {
  int repaired = 0, refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Shape s{1,
                  1,
                  2 + static_cast<int>(seed % 3),
                  2 + static_cast<int>(seed / 3 % 3),
                  static_cast<int>(seed / 9 % 3),
                  static_cast<int>(seed / 27 % 3)};
    YieldModel model;
    model.tile_defects = 0.03 * static_cast<double>(seed % 5);
    model.wire_defects = 0.02 * static_cast<double>(seed % 7);
    model.chain_defects = seed % 11 == 0 ? 0.2 : 0.0;
    const ReticleDefects d = random_defects(s, model, seed).reticles[0];
    const auto map = repair_reticle(s, d, whole(s));
    Defects wafer(s);
    wafer.reticles[0] = d;
    EXPECT_EQ(map.has_value(), rules::repairable(s, wafer, whole(s))) << "seed " << seed;
    if (map) {
      expect_valid(s, d, *map);
      ++repaired;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(repaired, 500);
  EXPECT_GT(refused, 500);
}

// Broken connections between tiles and links: each there is, with that chance.
void break_edges(const Shape& s, double chance, uint64_t seed, Defects* defects) {
  Rng rng(seed);
  for (int d = 0; d < s.reticles(); ++d) {
    for (int side = 0; side < 4; ++side) {
      if (!Defects::has_links(s, d, side)) continue;
      for (int row = 0; row < s.physical_rows(); ++row) {
        for (int col = 0; col < s.physical_cols(); ++col) {
          for (int slot = 0; slot < std::max(s.physical_rows(), s.physical_cols()); ++slot) {
            const EdgeWire w{side, {row, col}, slot};
            if (!s.joined(w) || rng.uniform() >= chance) continue;
            defects->reticles[static_cast<size_t>(d)].edges.push_back(w);
          }
        }
      }
    }
  }
}

// Several reticles, links that are down and broken connections to them, and parts of the wafer.
TEST(Repair, OfARectangleAgreesWithTheRules) {
  int repaired = 0, refused = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    Rng rng(seed);
    const auto upto = [&rng](int most) {
      return 1 + static_cast<int>(rng.below(static_cast<uint64_t>(most)));
    };
    const Shape s{upto(2), upto(2), upto(3), upto(3), upto(3) - 1, upto(3) - 1};
    YieldModel model;
    model.tile_defects = 0.05 * rng.uniform();
    model.wire_defects = 0.05 * rng.uniform();
    model.chain_defects = seed % 5 == 0 ? 0.1 : 0.0;
    model.link_failure = 0.2 * rng.uniform();
    Defects d = random_defects(s, model, seed);
    break_edges(s, 0.3 * rng.uniform(), seed, &d);
    d.check(s);
    const int top = upto(s.logical_rows()) - 1, left = upto(s.logical_cols()) - 1;
    const Window some{top, left, upto(s.logical_rows() - top), upto(s.logical_cols() - left)};
    for (const Window& w : {Window{0, 0, s.logical_rows(), s.logical_cols()}, some}) {
      const bool want = rules::repairable(s, d, w);
      const Repair got = repair_window(s, d, w);
      EXPECT_EQ(got.map.has_value(), want) << "seed " << seed << ": " << got.reason;
      ++(want ? repaired : refused);
      for (size_t r = 0; got.map && r < d.reticles.size(); ++r) {
        expect_valid(s, d.reticles[r], got.map->reticles[r]);
      }
    }
  }
  EXPECT_GT(repaired, 500);
  EXPECT_GT(refused, 500);
}

TEST(Repair, LinksThatAreDownMoveTheirEdgeOntoTheSpares) {
  const Shape s{1, 2, 3, 3, 1, 1};
  Defects d(s);
  d.east_links[0] = {1};
  Repair repair = repair_wafer(s, d);
  ASSERT_TRUE(repair.map);
  EXPECT_EQ(repair.map->east[0], (EdgeMap{0, 2, 3}));
  d.east_links[0] = {1, 2};
  repair = repair_wafer(s, d);
  EXPECT_FALSE(repair.map);
  EXPECT_NE(repair.reason.find("east edge of reticle (0, 0): links 1, 2 are down, 1 spare"),
            std::string::npos)
      << repair.reason;
}

TEST(Repair, ARefusalNamesTheRowsAndOffersTheLargestRectangle) {
  const Shape s{2, 2, 4, 4, 1, 1};
  Defects d(s);
  d.reticles[3].tiles = {{0, 0}, {0, 1}, {3, 2}, {3, 3}};
  const Repair repair = repair_wafer(s, d);
  EXPECT_FALSE(repair.map);
  EXPECT_NE(repair.reason.find("reticle (1, 1): physical rows 0, 3 cannot be used"),
            std::string::npos)
      << repair.reason;
  // The last reticle has rows 1, 2 and 4 left: its logical row 2 would stand two rows down.
  const Window w = largest_rectangle(s, d);
  EXPECT_EQ(w, (Window{0, 0, 6, 8}));
  EXPECT_TRUE(repair_window(s, d, w).map);
}

// The search prunes; the rules alone, of every rectangle, must agree.
TEST(Repair, TheLargestRectangleIsTheLargest) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Shape s{2, 2, 2, 3, 1, 1};
    YieldModel model;
    model.tile_defects = 0.12;
    model.wire_defects = 0.02;
    model.link_failure = 0.1;
    Defects d = random_defects(s, model, seed);
    break_edges(s, seed % 2 == 0 ? 0.02 : 0.0, seed, &d);
    EXPECT_EQ(largest_rectangle(s, d).tiles(), rules::most_tiles(s, d)) << "seed " << seed;
  }
}

TEST(Repair, DefectsOutsideTheWaferAreRefused) {
  const Shape s{1, 1, 2, 2, 1, 1};
  Defects d(s);
  d.reticles[0].tiles = {{3, 0}};
  EXPECT_THROW(d.check(s), BadInput);
  d.reticles[0].tiles.clear();
  d.reticles[0].wires = {{{0, 0}, {0, 3}}};
  EXPECT_THROW(d.check(s), BadInput);
  d.reticles[0].wires.clear();
  d.east_links[0] = {0};
  EXPECT_THROW(d.check(s), BadInput);
}

TEST(RepairMap, SurvivesItsFileAndIsCheckedWhenRead) {
  const Shape s{2, 2, 3, 3, 1, 1};
  Defects d(s);
  d.reticles[1].tiles = {{1, 1}};
  d.south_links[0] = {0};
  const Repair repair = repair_wafer(s, d);
  ASSERT_TRUE(repair.map);
  const nlohmann::json json = to_json(*repair.map);
  const WaferMap back = map_from_json(json, "map.json");
  EXPECT_EQ(to_json(back), json);
  nlohmann::json wrong = json;
  wrong["reticles"][1]["column"][1][1] = 4;
  EXPECT_THROW(map_from_json(wrong, "map.json"), BadInput);
  wrong = json;
  wrong["reticles"].erase(0);
  EXPECT_THROW(map_from_json(wrong, "map.json"), BadInput);
  EXPECT_THROW(map_from_json(nlohmann::json::array(), "map.json"), BadInput);
  wrong = json;
  wrong["format"] = 3;
  EXPECT_THROW(map_from_json(wrong, "map.json"), BadInput);
  wrong = json;
  wrong["reticles"][0] = 3;
  EXPECT_THROW(map_from_json(wrong, "map.json"), BadInput);
}

TEST(RepairMap, ThePictureShowsEveryTile) {
  const Shape s{1, 2, 2, 2, 1, 1};
  Defects d(s);
  d.reticles[0].tiles = {{0, 0}};
  const Repair repair = repair_wafer(s, d);
  ASSERT_TRUE(repair.map);
  const std::string picture = svg(s, d, &*repair.map, "test");
  size_t squares = 0;
  for (size_t at = picture.find("rx=\"2\""); at != std::string::npos;
       at = picture.find("rx=\"2\"", at + 1)) {
    ++squares;
  }
  EXPECT_EQ(squares, 18u);
}

// A link that is down keeps its mark: no logical row or column is drawn across it.
TEST(RepairMap, ThePictureDrawsTheMeshThroughTheLinksThatWork) {
  const Shape s{2, 2, 2, 2, 1, 1};
  Defects d(s);
  d.east_links[0] = {0};
  d.south_links[1] = {1};
  d.reticles[2].tiles = {{0, 1}};
  const Repair repair = repair_wafer(s, d);
  ASSERT_TRUE(repair.map);
  const std::string picture = svg(s, d, &*repair.map, "test");
  // The lines of a colour: x and y of both ends.
  const auto lines = [&](const char* colour) {
    const std::string body = picture.substr(0, picture.find("class=\"legend\""));
    std::vector<std::array<int, 4>> found;
    for (size_t at = body.find("<line"); at != std::string::npos; at = body.find("<line", at + 1)) {
      std::array<int, 4> l{};
      char stroke[8] = "";
      EXPECT_EQ(std::sscanf(body.c_str() + at,
                            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%7s", l.data(),
                            &l[1], &l[2], &l[3], stroke),
                5);
      if (std::string(stroke) == colour) found.push_back(l);
    }
    return found;
  };
  const auto down = lines("#e08e0b"), mesh = lines("#1f3b57");
  ASSERT_EQ(down.size(), 2u);
  size_t crossings = 0;
  for (const std::array<int, 4>& m : mesh) {
    for (const std::array<int, 4>& l : down) {
      // Its ends lie on both sides of the gap, in which the down link's ends are.
      const int way = l[0] == l[2] ? 1 : 0;
      const bool in_gap = m[way] <= l[way] && m[way + 2] >= l[way + 2];
      if (!in_gap) continue;
      EXPECT_EQ(m[1 - way], m[3 - way]) << "straight, in a slot";
      const bool beside = m[1 - way] != l[1 - way];
      EXPECT_TRUE(beside) << "across the link that is down";
      ++crossings;
    }
  }
  // Four logical rows cross the vertical gap, four columns the horizontal one.
  EXPECT_EQ(crossings, 8u);
}

// On small wafers and large ones: all of the legend within the picture, a line of it for each kind
// of mark that there is.
// Fails if the picture of the wafer cuts its legend.
TEST(RepairMap, ThePictureHoldsAllOfItsLegend) {
  for (const Shape& s :
       {Shape{1, 1, 1, 1, 0, 0}, Shape{1, 2, 2, 2, 1, 1}, Shape{4, 4, 8, 8, 1, 1}}) {
    const std::string picture = svg(s, Defects(s), nullptr, "a title of more letters than a tile");
    const auto number = [&](const std::string& key, size_t from) {
      return std::stoi(picture.substr(picture.find(key + "=\"", from) + key.size() + 2));
    };
    const int width = number("width", 0), height = number("height", 0);
    std::string legend;
    int items = 0;
    for (size_t at = picture.find("class=\"legend\""); at != std::string::npos;
         at = picture.find("class=\"legend\"", at + 1), ++items) {
      const size_t begin = picture.find('>', at) + 1;
      const std::string text = picture.substr(begin, picture.find('<', begin) - begin);
      // No letter of 12 pixels' height is wider than 12, most are half of that.
      EXPECT_LE(number(" x", at) + 6.5 * static_cast<double>(text.size()), width) << text;
      EXPECT_LT(number(" y", at), height) << text;
      legend += text + "; ";
    }
    EXPECT_EQ(items, 7);
    for (const char* what : {"in use", "spare", "defective", "mesh", "wire", "link", "chain"}) {
      EXPECT_NE(legend.find(what), std::string::npos) << what;
    }
  }
}

TEST(Yield, AgreesWithTheClosedForm) {
  const Shape s{2, 2, 8, 8, 1, 1};
  for (double mean : {0.002, 0.01, 0.02}) {
    YieldModel model;
    model.tile_defects = mean;
    const uint64_t n = 2000;
    const YieldResult r = simulate_yield(s, model, n, 1);
    for (const auto& [share, exact] :
         {std::pair{r.share(), exact_yield(s, mean)},
          std::pair{r.share_unrepaired(), exact_yield_unrepaired(s, mean)}}) {
      const double sigma = std::sqrt(exact * (1 - exact) / static_cast<double>(n));
      EXPECT_NEAR(share, exact, 4 * sigma + 1e-3) << mean;
    }
  }
}

TEST(Yield, ClusteredCountsHaveTheVarianceOfTheNegativeBinomial) {
  const Shape s{1, 1, 30, 30, 0, 0};
  YieldModel model;
  model.tile_defects = 0.01;
  model.alpha = 2;
  double sum = 0, squares = 0;
  const int n = 4000;
  for (int i = 0; i < n; ++i) {
    const double k =
        static_cast<double>(random_defects(s, model, static_cast<uint64_t>(i)).count());
    sum += k;
    squares += k * k;
  }
  const double mean = sum / n;
  EXPECT_NEAR(mean, 9.0, 0.4);
  // mean + mean^2 / alpha; coinciding defects of one tile count once, which lowers it a little.
  EXPECT_NEAR(squares / n - mean * mean, 9.0 + 81.0 / 2, 5.0);
}

}  // namespace
}  // namespace ow::wafer
