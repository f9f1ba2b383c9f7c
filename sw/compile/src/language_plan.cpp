// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/language_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "ow/base/error.h"
#include "region_tile.h"

namespace ow::jobs {
namespace {

constexpr int kMostHeads = 4;       // of queries in a column: rows of a page's scores
constexpr int kMostFeatures = 128;  // of its heads: fp32 sums in the accumulator cache
constexpr int kMostSlots = OW_COMMAND_SLOT + 1;

// The places of a ring of `rows` x `cols`, one of which is even or both of which are small: along
// the first row, back and forth over the others, and back in column 0.
std::vector<GridShape> ring_of(int rows, int cols) {
  std::vector<GridShape> places;
  if (rows == 1 || cols == 1) {
    for (int i = 0; i < rows * cols; ++i) {
      places.push_back(rows == 1 ? GridShape{0, i} : GridShape{i, 0});
    }
    return places;
  }
  if (rows % 2 != 0) {
    places = ring_of(cols, rows);
    for (GridShape& place : places) std::swap(place.rows, place.cols);
    return places;
  }
  for (int c = 0; c < cols; ++c) places.push_back({0, c});
  for (int r = 1; r < rows; ++r) {
    for (int c = 1; c < cols; ++c) places.push_back({r, r % 2 != 0 ? cols - c : c});
  }
  for (int r = rows - 1; r > 0; --r) places.push_back({r, 0});
  return places;
}

// The tiles of all regions, for pages of plan->page_places places.
void plan_tiles(const LanguageModel& model, const FreeMemory& block, const FreeMemory& head,
                LanguagePlan* plan) {
  const auto page = static_cast<uint64_t>(plan->page_places);
  plan->slot_pages = plan->pages_of(plan->positions);
  plan->slot_pages += plan->slot_pages % 2;  // a slot's entries are whole words
  plan->tiles.clear();
  uint64_t places = UINT64_MAX;
  const auto place = [&](const RegionMemory& tile, const FreeMemory& memory, const char* what) {
    if (!tile.fits()) {
      throw BadInput(
          fmt::format("regions of {} x {} tiles: a tile of {} needs {} bytes; it has {} free",
                      plan->region.rows, plan->region.cols, what, tile.used(), memory.bytes));
    }
    plan->tiles.back().push_back(tile.tile());
    return tile.left();
  };
  for (size_t region = 0; region < plan->regions.size(); ++region) {
    plan->tiles.emplace_back();
    for (int row = 0; row < plan->region.rows; ++row) {
      for (int col = 0; col < plan->region.cols; ++col) {
        if (region == 0) {
          place(head_tile(model, *plan, row, col, head), head, "the head");
          continue;
        }
        RegionMemory tile = block_tile(model, *plan, region - 1, row, col, block);
        plan->page_table = tile.parameters().page_table - block.addr;
        const uint64_t bytes = tile.parameters().page_bytes / page;
        places = std::min(places, place(tile, block, "a block") / bytes);
      }
    }
  }
  plan->pages = static_cast<int>(places / page);
  plan->short_places = static_cast<int>(places % page) / 8 * 8;
  for (size_t region = 1; region < plan->tiles.size(); ++region) {
    for (RegionTile& tile : plan->tiles[region]) {
      tile.parameters[offsetof(ow_region, short_page) / 4] = static_cast<uint32_t>(plan->pages);
      tile.parameters[offsetof(ow_region, short_places) / 4] =
          static_cast<uint32_t>(plan->short_places);
    }
  }
}

}  // namespace

void check_family(const LanguageShape& shape) {
  if (shape.family == LanguageFamily::Llama) return;
  throw BadInput("tiles compute models of the Llama family alone; golden computes GPT-2's, too");
}

size_t LanguagePlan::first_of(int wafer) const {
  const int all = shape.layers + 1;
  return static_cast<size_t>(wafer * (all / wafers) + std::min(wafer, all % wafers));
}

void check_region(const LanguageShape& shape, GridShape region) {
  check_family(shape);
  const int c = region.cols;
  const auto refuse = [&](const std::string& why) {
    throw BadInput(fmt::format("regions of {} x {} tiles: {}", region.rows, c, why));
  };
  if (region.rows < 1 || c < 1) refuse("at least one row and column");
  if (shape.heads % c != 0 && c % shape.heads != 0) {
    refuse(fmt::format("columns must divide the {} heads or be a multiple of them", shape.heads));
  }
  if (shape.kv_heads % c != 0 && c % shape.kv_heads != 0) {
    refuse(fmt::format("columns must divide the {} heads of keys or be a multiple of them",
                       shape.kv_heads));
  }
  const int heads = std::max(1, shape.heads / c), parts = parts_of_head(shape, c);
  if (heads > kMostHeads || heads * shape.head_size / parts > kMostFeatures) {
    refuse(fmt::format("{} heads of {} features in a column; at most {} and {} features", heads,
                       shape.head_size / parts, kMostHeads, kMostFeatures));
  }
  if (shape.head_size % (2 * parts) != 0) {
    refuse(fmt::format("{} columns cannot share a head of {} features in pairs", parts,
                       shape.head_size));
  }
  if (region.rows > shape.width) refuse(fmt::format("more rows than the {} features", shape.width));
  const int least = std::min(shape.hidden, shape.vocabulary);
  if (c > least) refuse(fmt::format("more columns than {} hidden units or tokens", least));
}

std::vector<Rect> place_regions(int count, GridShape region, GridShape grid) {
  const int most_rows = grid.rows / region.rows, most_cols = grid.cols / region.cols;
  GridShape best{0, 0};
  for (int rows = 1; rows <= most_rows; ++rows) {
    int cols = (count + rows - 1) / rows;
    if (rows > 1 && rows % 2 != 0 && cols > 1 && cols % 2 != 0) ++cols;  // no ring of odd by odd
    if (cols > most_cols) continue;
    // As little left out as can be; no long way back; then nearly square.
    const auto badness = [&](GridShape s) {
      const bool line = count > 2 && (s.rows == 1 || s.cols == 1);
      return std::make_tuple(line, s.rows * s.cols, s.rows + s.cols);
    };
    if (best.rows == 0 || badness({rows, cols}) < badness(best)) best = {rows, cols};
  }
  if (best.rows == 0) {
    throw BadInput(fmt::format("{} regions of {} x {} tiles need {} places; {} x {} tiles have {}",
                               count, region.rows, region.cols, count, grid.rows, grid.cols,
                               most_rows * most_cols));
  }
  std::vector<Rect> regions;
  for (const GridShape place : ring_of(best.rows, best.cols)) {
    if (static_cast<int>(regions.size()) == count) break;
    regions.push_back(
        {place.rows * region.rows, place.cols * region.cols, region.rows, region.cols});
  }
  return regions;
}

LanguagePlan plan_language(const LanguageModel& model, const LanguageOptions& options, int wafers,
                           GridShape grid, const FreeMemory& block, const FreeMemory& head) {
  const LanguageShape& shape = model.shape;
  check_region(shape, options.region);
  LanguagePlan plan;
  plan.shape = shape;
  plan.type = model.type;
  plan.grid = grid;
  plan.wafers = wafers;
  plan.region = options.region;
  plan.slots = options.slots;
  plan.positions = options.positions > 0 ? options.positions : shape.positions;
  if (plan.positions > shape.positions) {
    throw BadInput(fmt::format("texts of {} tokens; the model takes at most {}", plan.positions,
                               shape.positions));
  }
  if (plan.slots < 1 || plan.slots > kMostSlots) {
    throw BadInput(fmt::format("{} users at a time; 1 to {}", plan.slots, kMostSlots));
  }
  if (wafers < 1 || wafers > shape.layers + 1) {
    throw BadInput(fmt::format("{} wafers: 1 to {}, a region each", wafers, shape.layers + 1));
  }
  for (int wafer = 0; wafer < wafers; ++wafer) {
    const size_t count = plan.first_of(wafer + 1) - plan.first_of(wafer);
    const std::vector<Rect> places = place_regions(static_cast<int>(count), plan.region, grid);
    plan.regions.insert(plan.regions.end(), places.begin(), places.end());
  }
  // The largest pages, which run fastest, of which all users can have what they may ask for; or
  // else one each. A user alone can have all of them.
  const auto choose = [&](bool whole_texts) {
    for (int places = static_cast<int>(OW_PAGE_PLACES_MOST); places >= 8; places /= 2) {
      plan.page_places = places;
      plan_tiles(model, block, head, &plan);
      if (plan.pages >= plan.slots * (whole_texts ? plan.pages_of(plan.positions) : 1)) return true;
    }
    return false;
  };
  if (!choose(true)) choose(false);
  const int most = (plan.pages * plan.page_places + plan.short_places) * plan.region.rows;
  if (most == 0) {
    throw BadInput(
        fmt::format("regions of {} x {} tiles: no room for keys and values beside the "
                    "weights",
                    plan.region.rows, plan.region.cols));
  }
  plan.positions = std::min(plan.positions, most);
  return plan;
}

}  // namespace ow::jobs
