// SPDX-License-Identifier: Apache-2.0
// Whether tiles hold weights: a training streams them, and nothing of a stream may stay in SRAM.
#ifndef OW_MEASURE_WEIGHT_SEARCH_H_
#define OW_MEASURE_WEIGHT_SEARCH_H_

#include <cstdint>
#include <vector>

#include "ow/device/control_plane.h"
#include "ow/tensor/network.h"

namespace ow::bench {

// Weights are told from everything else by standing in a row: kRun of them that follow each other
// are 64 bits, which nothing else in a tile has by chance.
class WeightSearch {
 public:
  static constexpr size_t kRun = 4;

  // Weights as streams have them on `rows` grid rows: those that are not zero, of a row or of a
  // column of each matrix, one after the other or every `rows`-th.
  WeightSearch(const Network& network, int rows);

  // Different runs of weights that are looked for.
  size_t runs() const { return runs_.size(); }

  // Places in the SRAM of all tiles where such a run lies, in 16-bit halves side by side or each
  // beside an index, as in wavelets. Takes the device's time for reading it.
  size_t found(ControlPlane* control) const;

 private:
  size_t found_in(const std::vector<uint32_t>& words) const;

  std::vector<uint64_t> runs_;  // ascending
};

}  // namespace ow::bench

#endif  // OW_MEASURE_WEIGHT_SEARCH_H_
