// SPDX-License-Identifier: Apache-2.0
// Where a training lies on a grid. Features, samples and sums round the column are those of plan.h.
// The activations of all layers have a place of their own, deltas lie in two places in turn, and a
// work area serves the loss and, after it, the gradients on their way out.
#ifndef OW_COMPILE_TRAIN_PLAN_H_
#define OW_COMPILE_TRAIN_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/compile/plan.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/program.h"
#include "ow/tensor/training.h"

namespace ow::jobs {

// Activations between two layers; tensor 0 is the input, tensor k + 1 is what layer k gives.
struct TensorPlan {
  int features = 0;
  uint32_t addr = 0;
  uint32_t delta_addr = 0;  // not of the input
};

struct TrainPlan {
  GridShape grid;
  TileConfig tile;
  HalfType type = HalfType::Binary16;
  Loss loss = Loss::SoftmaxCrossEntropy;
  // `result`: from each tile to its neighbour in the west, or the edge, by the parity of the column
  // that sends.
  Colours colours;
  int samples = 0;  // a tile
  std::vector<LayerShape> layers;
  std::vector<TensorPlan> tensors;
  std::vector<uint32_t> bias_addr;  // by layer
  uint32_t targets_addr = 0;
  uint32_t work_addr = 0;
  uint32_t work_words = 0;  // with the gathered deltas, which lie behind it
  uint32_t gather_addr = 0;
  uint32_t gather_rows = 0;  // features whose deltas a tile holds at a time: a piece of a gradient
  uint32_t used_bytes = 0;   // of a tile's SRAM, program and stack included

  int batch() const { return samples * grid.cols; }
  int ring() const;  // accumulator rows in use
  int owned(int n, int row) const { return n > row ? (n - row + grid.rows - 1) / grid.rows : 0; }
  size_t words(int features, int row) const {
    return static_cast<size_t>(owned(features, row)) * static_cast<size_t>(samples) / 2;
  }
};

// BadInput, one line that begins with `who`, if tiles lack a unit that the program uses for a
// training in this type with this loss.
void check_units(const std::string& who, HalfType type, Loss loss, const TileConfig& tile);

// BadInput, which begins with `who`, if the job does not fit the machine: samples not a multiple of
// the lanes or more than the accumulator holds, too many layers, an order of sums that the tiles'
// program does not have (all but round the column), too few colours or threads, a unit that is
// missing, more bytes than a tile has.
TrainPlan make_train_plan(const std::string& who, const TrainingJob& job, const ElfImage& firmware,
                          const TileConfig& tile);

// Wavelets that a micro-batch's streams have a grid row at most: nothing pruned.
uint64_t train_stream_limit(const TrainPlan& plan);

// Cycles that a step of one micro-batch takes in no case: what a hang is told from.
uint64_t train_cycle_limit(const TrainPlan& plan);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_PLAN_H_
