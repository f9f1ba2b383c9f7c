// SPDX-License-Identifier: Apache-2.0
// Tables, whose rows are looked up by tokens and positions (docs/numerics.md, N108). Only the rows
// that a micro-batch uses leave the store, with its samples. Their gradients are sums of the deltas
// of the value that was looked up.
#ifndef OW_MEMORYX_TABLES_H_
#define OW_MEMORYX_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ow/graph/training.h"
#include "ow/memoryx/store.h"
#include "ow/memoryx/stream_schedule.h"
#include "ow/tensor/network.h"

namespace ow::memoryx {

// The value of each slot: the row of its token, plus that of its position if `positions` names a
// table; +0 in an empty slot. InternalError for a token or a position outside its table.
Activations looked_up(const Store& store, HalfType type, size_t table,
                      std::optional<size_t> positions, const Tokens& tokens);

// Deltas as they leave a grid: from each grid row pairs of 16-bit numbers (the lower half first) of
// the features that it owns, grid column by grid column, feature by feature, slot by slot.
class TableGradients {
 public:
  // Of a step Rows. `store`, `job` and `tokens` must outlive it.
  TableGradients(const Store& store, const TrainingJob& job, const StreamStep& step,
                 const Tokens& tokens);

  uint64_t pairs(int row) const { return pairs(job_, width_, row); }
  static uint64_t pairs(const TrainingJob& job, size_t width, int row);
  void take(int row, uint64_t number, uint32_t pair);
  // Adds the sums to gradients that an earlier step of the same parameter left; `again` is false,
  // or they replace what is there.
  void put(int slot, bool again) const;

 private:
  struct Sums {
    size_t parameter;
    std::map<size_t, std::vector<float>> rows;  // that the tokens use
  };
  void add(Sums* sums, size_t row, size_t feature, float delta) const;
  void put(const Sums& sums, int slot, bool again) const;

  const Store& store_;
  const TrainingJob& job_;
  const Tokens& tokens_;
  size_t width_;
  std::vector<Sums> sums_;  // of tokens, and of positions if there is such a table
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_TABLES_H_
