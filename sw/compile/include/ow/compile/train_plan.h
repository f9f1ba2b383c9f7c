// SPDX-License-Identifier: Apache-2.0
// Where a training lies on a grid. Features, samples and sums round the column are those of plan.h.
// A work area serves the loss and, after it, the gradients on their way out; behind it is room for
// what is gathered from a column.
//
// Activations lie one behind the other, from the last tensor but one down to the input, with a
// window of so many features in front of them. The deltas of a tensor begin a window before its
// activations: where those of the tensor behind it end, which are read meanwhile. So a window of
// deltas takes the place of activations that have masked the window before, and a window as large
// as all features of a tensor leaves its activations alone. The last tensor's deltas, which the
// loss makes while its outputs stay, are made where they are gathered if all of them have room
// there, else in a place of their own, or that of the targets they are the distance from.
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
  std::string loss = kShortLoss;
  // `result`: from each tile to its neighbour in the west, or the edge, by the parity of the column
  // that sends.
  Colours colours;
  int samples = 0;  // a tile
  std::vector<LayerShape> layers;
  std::vector<TensorPlan> tensors;
  std::vector<uint32_t> bias_addr;  // by layer
  uint32_t targets_addr = 0;
  uint32_t work_addr = 0;
  uint32_t work_words = 0;
  uint32_t gather_addr = 0;
  uint32_t gather_rows = 0;       // features of a column that a tile holds at a time: a piece of a
                                  // gradient; all that a pass with whole sums begins with
  bool last_gathered = false;     // the last tensor's deltas are made where they are gathered
  uint32_t window = 0;            // features of a grid row; 0: no layer gives deltas
  std::vector<SumOrder> forward;  // of each layer
  std::vector<SumOrder> delta;    // of its input's deltas; the first layer's stands for nothing
  uint32_t used_bytes = 0;        // of a tile's SRAM, program and stack included

  int batch() const { return samples * grid.cols; }
  int ring() const;  // accumulator rows in use
  int owned(int n, int row) const { return n > row ? (n - row + grid.rows - 1) / grid.rows : 0; }
  size_t words(int features, int row) const {
    return static_cast<size_t>(owned(features, row)) * static_cast<size_t>(samples) / 2;
  }
};

// BadInput, one line that begins with `who`, if tiles lack a unit that the program uses for a
// training in this type with this loss.
void check_units(const std::string& who, HalfType type, const std::string& loss,
                 const TileConfig& tile);

// The share of a layer's weights that its mask keeps at a step; a static mask's is that of step 0.
// Behind all steps (kForever): what the schedule comes to (memoryx::value_at_last).
double density_at(const TrainingJob& job, size_t layer, uint64_t step);
// Weights of a layer that are left when its schedule has ended (a static mask's: at step 0).
uint64_t kept_at_last(const TrainingJob& job, size_t layer);

// The job with an order of sums for each pass (N12), that which takes fewer cycles (sum_order.h);
// one that names orders already stays as it is. They hold for the whole training, whatever its
// masks do, and are reckoned with the densities that the schedules end with (a static mask's is
// that of step 0). Whole sums need room for the inputs of a column in each tile, beside all that a
// step keeps, a quarter of the widest deltas and a program of kProgramBytes, so that the order does
// not depend on how long the program is today; where that room is not there sums go round the
// column. On one grid row both are the same, and are called Column.
constexpr uint32_t kProgramBytes = 8192;  // of a tile's SRAM, stack included: no program has more
TrainingJob with_sum_orders(TrainingJob job, const TileConfig& tile);

// What a plan begins with: what the job says, colours, and no places. On one grid row all sums go
// round the column.
TrainPlan begin_train_plan(const TrainingJob& job, const TileConfig& tile);

// BadInput, which begins with `who`, if the job does not fit the machine: samples not a multiple of
// the lanes or more than the accumulator holds, too many layers, too few colours or threads, a unit
// that is missing, more bytes than a tile has, whole sums of more features than can be gathered.
TrainPlan make_train_plan(const std::string& who, const TrainingJob& job, const ElfImage& firmware,
                          const TileConfig& tile);

// Wavelets that a micro-batch's streams have a grid row at most: nothing pruned, either order of
// sums.
uint64_t train_stream_limit(const TrainPlan& plan);

// Cycles that a step of one micro-batch takes in no case: what a hang is told from.
uint64_t train_cycle_limit(const TrainPlan& plan);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_PLAN_H_
