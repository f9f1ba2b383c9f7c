// SPDX-License-Identifier: Apache-2.0
#include "resident.h"

#include <algorithm>
#include <numeric>

#include "tile_blocks.h"

namespace ow::jobs {

Resident resident_of(const Plan& plan, const memoryx::WaferSide& memory) {
  const auto rows = static_cast<size_t>(plan.grid.rows);
  Resident resident(plan.vectors.size());
  for (size_t k = 0; k < resident.size(); ++k) {
    resident[k].resize(rows);
    const size_t parameter = plan.vectors[k].parameter;
    const auto elements = static_cast<size_t>(memory.store().spec(parameter).elements());
    const auto values = memory.store().weights(parameter, 0, elements);
    const auto copies = static_cast<size_t>(plan.vectors[k].copies);
    for (size_t j = 0; j < elements * copies; ++j) {
      resident[k][j % rows].push_back(float_bits(values[j / copies]));
    }
  }
  return resident;
}

void write_resident(const Plan& plan, const Resident& resident, Executor* executor) {
  std::vector<size_t> order(resident.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return plan.vectors[a].addr < plan.vectors[b].addr; });
  constexpr size_t kAlign = 64;  // bytes: closer to each other, nothing lies between
  for (size_t k = 0; k < order.size();) {
    const uint32_t first = plan.vectors[order[k]].addr;
    std::vector<std::vector<uint32_t>> of_row(static_cast<size_t>(plan.grid.rows));
    for (; k < order.size(); ++k) {
      const uint32_t at = (plan.vectors[order[k]].addr - first) / 4;
      if (at >= of_row[0].size() + kAlign / 4) break;
      for (size_t r = 0; r < of_row.size(); ++r) {
        const std::vector<uint32_t>& mine = resident[order[k]][r];
        of_row[r].resize(at, 0);
        of_row[r].insert(of_row[r].end(), mine.begin(), mine.end());
        of_row[r].resize(at + resident[order[k]][0].size(), 0);  // the first row has most
      }
    }
    std::vector<uint32_t> words;
    for (const std::vector<uint32_t>& row : of_row) {
      for (int c = 0; c < plan.grid.cols; ++c) words.insert(words.end(), row.begin(), row.end());
    }
    executor->write_tiles(first, words, of_row[0].size());
  }
}

}  // namespace ow::jobs
