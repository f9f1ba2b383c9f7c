// SPDX-License-Identifier: Apache-2.0
// What a language model costs on regions of tiles (docs/language-models.md), from its shape alone:
// cycles of one token and bytes of the fullest tile, part by part.
#ifndef OW_COMPILE_LANGUAGE_ESTIMATE_H_
#define OW_COMPILE_LANGUAGE_ESTIMATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "openwafer/grid.h"
#include "ow/graph/language_model.h"

namespace ow::jobs {

// A part of a token's way through a region: cycles, by what takes them.
struct LanguageStep {
  std::string name;
  double beats = 0;         // of the engine in the fullest tile, and words of a flow
  double hops = 0;          // on the way to the farthest tile
  double chains = 0;        // of sums and maxima that are joined tile after tile
  double instructions = 0;  // starts of instructions, and work of the cores

  double cycles() const { return beats + hops + chains + instructions; }
};

struct LanguageBytes {
  std::string name;
  uint64_t bytes = 0;  // of the fullest tile
};

struct LanguageEstimate {
  std::vector<LanguageStep> block, head;               // in their order
  std::vector<LanguageBytes> block_bytes, head_bytes;  // without the program
  uint64_t block_weights = 0;                          // bytes of them in the fullest tile
  uint64_t position_bytes = 0;  // keys and values of a position, in its row's tile

  static double cycles(const std::vector<LanguageStep>& steps);
  static uint64_t bytes(const std::vector<LanguageBytes>& parts);
};

// At a position of the context. BadInput as check_region. `tied`: the head is the embedding.
LanguageEstimate estimate_language(const LanguageShape& shape, bool tied, GridShape region,
                                   int position);

}  // namespace ow::jobs

#endif  // OW_COMPILE_LANGUAGE_ESTIMATE_H_
