// SPDX-License-Identifier: Apache-2.0
// A language model on a grid: where its regions lie, and what each tile's memory holds
// (ow/firmware/region.h). The shape of the regions is part of the model's numerics
// (docs/numerics.md, N116), so it is given or follows from the model alone.
#ifndef OW_COMPILE_LANGUAGE_PLAN_H_
#define OW_COMPILE_LANGUAGE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "openwafer/grid.h"
#include "ow/graph/language_model.h"

namespace ow::jobs {

// Free memory of a program's tile: bytes from an address on.
struct FreeMemory {
  uint32_t addr = 0;
  uint32_t bytes = 0;
};

struct LanguageOptions {
  GridShape region;   // tiles of a region
  int slots = 1;      // users at a time, at most 256
  int positions = 0;  // of a user's text; 0: the model's
};

// What the host writes into a tile before its core starts: words.
struct RegionTile {
  std::vector<uint32_t> parameters;  // struct ow_region
  std::vector<uint32_t> memory;      // the free memory from its beginning on: the table first
};

struct LanguagePlan {
  LanguageShape shape;
  HalfType type = HalfType::Binary16;
  GridShape grid;  // of a wafer
  int wafers = 1;
  GridShape region;
  int slots = 0;
  int positions = 0;                           // of a user's text at most
  int slot_pages = 0;                          // entries of a slot in the table of pages
  uint32_t page_table = 0;                     // bytes of the free memory before it
  int page_places = 0;                         // of a page of keys and values
  int pages = 0;                               // that the fullest tile has room for ...
  int short_places = 0;                        // ... and the places of a page after them, or 0
  std::vector<Rect> regions;                   // the head, then the blocks: a ring; on its wafer
  std::vector<std::vector<RegionTile>> tiles;  // by region; row by row

  // Wafer w has the regions from first_of(w) to first_of(w + 1), the head is on wafer 0.
  size_t first_of(int wafer) const;

  // Places in a row that a text of `count` tokens takes, and pages.
  int places_of(int count) const { return (count + region.rows - 1) / region.rows; }
  int pages_of(int count) const { return (places_of(count) + page_places - 1) / page_places; }
};

// Throws BadInput if tiles have no program for blocks of the model's family.
void check_family(const LanguageShape& shape);

// The same, and with the limit, if a region of this shape cannot hold the model's heads.
void check_region(const LanguageShape& shape, GridShape region);

// So many regions of a model, from the grid's north-west corner on: a ring of neighbours, in which
// the last places may be left out. BadInput if the grid is too small.
std::vector<Rect> place_regions(int count, GridShape region, GridShape grid);

// On so many wafers of a grid each. Throws BadInput, with bytes and tiles wanted, if the model does
// not fit.
LanguagePlan plan_language(const LanguageModel& model, const LanguageOptions& options, int wafers,
                           GridShape grid, const FreeMemory& block, const FreeMemory& head);

}  // namespace ow::jobs

#endif  // OW_COMPILE_LANGUAGE_PLAN_H_
