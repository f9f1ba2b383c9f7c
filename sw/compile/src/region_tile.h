// SPDX-License-Identifier: Apache-2.0
// The memory of a region's tile while it is planned: areas, parameters, descriptors.
#ifndef OW_COMPILE_REGION_TILE_H_
#define OW_COMPILE_REGION_TILE_H_

#include <cstdint>
#include <vector>

#include "ow/compile/language_plan.h"
#include "ow/firmware/region.h"

namespace ow::jobs {

// Elements that a row or column has of `count` that are dealt out in turns.
inline uint32_t dealt_of(int count, int parts, int part) {
  return static_cast<uint32_t>(count / parts + (part < count % parts ? 1 : 0));
}

// A matrix [outputs][inputs] of the model: which of each a tile has.
struct TileMatrix {
  const std::vector<uint16_t>* values = nullptr;
  size_t width = 0;               // inputs of the whole matrix
  std::vector<uint32_t> outputs;  // rows; UINT32_MAX: zeros
  std::vector<uint32_t> inputs;   // columns
};

// The steps of a token in a tile, in their order. What is needed in some of them alone shares its
// memory with what is needed in others.
enum RegionStep {
  kNorm,        // the vector is made
  kTaken,       // product of queries, keys, values; angles
  kTurn,        // to the column
  kScore,       // with all positions of the row
  kScoreAgain,  // of all blocks of positions
  kMix,         // of the last one: e^score, sums of values
  kDivide,      // by the total
  kOutput,      // product
  kNormAgain,   // after the sum
  kHidden,      // product of gates and units
  kShrink,
  kDown,  // product
  kAdd
};

class RegionMemory {
 public:
  // With a table of `entries` descriptors.
  RegionMemory(const FreeMemory& memory, HalfType type, size_t entries);

  // Bytes at a multiple of 16; the tile's memory begins as zeros.
  uint32_t take(uint64_t bytes);
  struct Steps {
    RegionStep from, to;
  };
  // The same at the end of the memory, for some steps.
  uint32_t take(uint64_t bytes, const std::vector<Steps>& when);
  uint32_t take(uint64_t bytes, RegionStep from, RegionStep to) {
    return take(bytes, std::vector<Steps>{{from, to}});
  }
  uint64_t used() const { return end_ - memory_.addr + shared_; }
  uint64_t left() const { return memory_.bytes > used() ? memory_.bytes - used() : 0; }
  bool fits() const { return used() <= memory_.bytes; }

  void put(uint32_t addr, const std::vector<uint16_t>& halves);
  void put(uint32_t addr, const std::vector<uint32_t>& words);

  // A product's weights: `groups` matrices of equally many outputs one after another, each in
  // passes of at most 128. Outputs have `y_bytes` each.
  ow_gemv gemv(const std::vector<TileMatrix>& groups, uint32_t y_bytes = 2);
  // Memory for all its outputs.
  void take_outputs(ow_gemv* gemv) { gemv->y = take(bytes_of_outputs(*gemv)); }
  void take_outputs(ow_gemv* gemv, RegionStep from, RegionStep to) {
    gemv->y = take(bytes_of_outputs(*gemv), from, to);
  }

  ow_region& parameters() { return parameters_; }
  ow_dsr_words& entry(size_t number) { return entries_[number]; }
  int half() const;  // enum ow_type

  // Descriptors. Lengths of 0 leave the entry empty.
  void row(size_t entry, int type, uint32_t addr, uint32_t length);
  void rows(size_t entry, int type, uint32_t addr, uint32_t length, int32_t stride, uint32_t count,
            int32_t pitch);
  void from(size_t entry, int type, ow_region_flow flow, uint32_t length, uint32_t flags = 0);
  void to(size_t entry, int type, ow_region_flow flow, uint32_t length, uint32_t flags = 0);

  RegionTile tile() const;

 private:
  static uint64_t bytes_of_outputs(const ow_gemv& gemv) {
    return uint64_t{gemv.y_pass_bytes} * gemv.passes;
  }
  // Bytes before the end of the memory.
  struct Shared {
    uint64_t begin, end;
    Steps when;
  };

  FreeMemory memory_;
  HalfType type_;
  uint64_t end_;
  uint64_t shared_ = 0;  // bytes at the end of the memory
  std::vector<Shared> areas_;
  std::vector<uint32_t> words_;
  ow_region parameters_{};
  std::vector<ow_dsr_words> entries_;
};

// What a region's tile (row, col) holds. `block`: the number of the block.
RegionMemory block_tile(const LanguageModel& model, const LanguagePlan& plan, size_t block, int row,
                        int col, const FreeMemory& memory);
RegionMemory head_tile(const LanguageModel& model, const LanguagePlan& plan, int row, int col,
                       const FreeMemory& memory);

}  // namespace ow::jobs

#endif  // OW_COMPILE_REGION_TILE_H_
