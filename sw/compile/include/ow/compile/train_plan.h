// SPDX-License-Identifier: Apache-2.0
// Where a training is placed on a grid. Features, samples and sums round the column are as in
// plan.h. A work area serves the loss and then the gradients on their way out. After it is room for
// what is gathered from a column.
//
// Activations are one after another, from the last tensor but one down to the input. A window of
// features is in front of them. The deltas of a tensor begin one window before its activations,
// which is where the deltas of the next tensor end; these are read at the same time. So a window of
// deltas replaces activations that have already masked the window before. A window as large as a
// tensor's features leaves its activations alone.
//
// The loss makes the last tensor's deltas while its outputs stay. They are made where they are
// gathered, if all of them fit there. Else they have a place of their own, or that of the targets
// from which they are computed.
//
// Bytes of a tile for n samples, R grid rows and features f_0 .. f_L:
//   program + stack + window + work area
//   + 4 sum ceil(f_k / R), k >= 1, + 4 n + 2 n sum ceil(f_k / R) + 2 n ceil(f_L / R)
// and 2 n more with several grid rows.
// With target values, 2 n ceil(f_L / R) replaces 4 n. The window has 2 n bytes for each feature of
// a grid row, at least one feature and at most those of the widest layer; with one layer there is
// none. The work area has at least 4 n (8 + ceil(f_L / R)) bytes for softmax, 32 n for the squared
// error. Room for whole sums comes on top, but they are only chosen if they fit. A window costs
// about 150 cycles.
#ifndef OW_COMPILE_TRAIN_PLAN_H_
#define OW_COMPILE_TRAIN_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/compile/plan.h"
#include "ow/graph/training.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/tile_config.h"
#include "ow/tensor/distribution.h"

namespace ow::jobs {

// Activations between two layers. Tensor 0 is the input; tensor k + 1 is the output of layer k.
struct TensorPlan {
  int features = 0;
  uint32_t addr = 0;
  uint32_t delta_addr = 0;  // 0 for the input
};

struct TrainPlan {
  GridShape grid;
  TileConfig tile;
  HalfType type = HalfType::Binary16;
  std::string loss = kShortLoss;
  // `result`: from each tile to its western neighbour or the edge, by the parity of the sending
  // column.
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
                                  // gradient, or all inputs of a pass with whole sums
  bool last_gathered = false;     // the last tensor's deltas are made where they are gathered
  uint32_t window = 0;            // features of a grid row; 0: no layer has deltas
  std::vector<SumOrder> forward;  // of each layer
  std::vector<SumOrder> delta;    // of the deltas of each layer's input; unused for the first layer
  uint32_t used_bytes = 0;        // of a tile's SRAM, program and stack included

  int batch() const { return samples * grid.cols; }
  int ring() const;  // accumulator rows in use
  int owned(int n, int row) const { return owned_elements(n, row, grid.rows); }
  size_t words(int features, int row) const {
    return static_cast<size_t>(owned(features, row)) * static_cast<size_t>(samples) / 2;
  }
};

// BadInput, one line that begins with `who`, if the tiles lack a unit that this type and loss need.
void check_units(const std::string& who, HalfType type, const std::string& loss,
                 const TileConfig& tile);

// The share of a layer's weights in its mask at a step; for a static mask, at step 0. kForever:
// what the schedule comes to in the end (memoryx::value_at_last).
double density_at(const TrainingJob& job, size_t layer, uint64_t step);
// The weights of a layer that are left in the end; for a static mask, at step 0.
uint64_t kept_at_last(const TrainingJob& job, size_t layer);

// Gives the job an order of sums for each pass (N12). The orders are a rule of the network, the
// grid and the samples of a tile: the one that takes fewer cycles on a `full` tile (sum_order.h).
// They are the same on any tile, so the bits of a training do not depend on lanes or memory. A job
// that already names orders (key train.sums) is unchanged. The orders hold for the whole training,
// whatever its masks do, so they use the densities at the end of the schedules.
//
// Whole sums need room for the inputs of a column in each tile, besides all that a step keeps, a
// quarter of the widest deltas and kProgramBytes for the program. The program's real length is not
// used, so the order does not depend on a compiler. Without that room in 48 kB, sums go round the
// column. On one grid row both orders are the same and are called Column. A tile that has less room
// than the orders need is refused by make_train_plan.
constexpr uint32_t kProgramBytes = 8192;  // of a tile's SRAM, with stack: no program is longer
TrainingJob with_sum_orders(TrainingJob job);

// A plan with what the job says and the colours, but without places. On one grid row all sums go
// round the column.
TrainPlan begin_train_plan(const TrainingJob& job, const TileConfig& tile);

// BadInput, which begins with `who`, if the job does not fit the machine: samples not a multiple of
// the lanes or above the accumulator's row; too many layers; too few colours or threads; a missing
// unit; more bytes than a tile has; whole sums of more features than can be gathered.
TrainPlan make_train_plan(const std::string& who, const TrainingJob& job, const ElfImage& firmware,
                          const TileConfig& tile);

// The most wavelets of a micro-batch's streams for a grid row: nothing pruned, either order of
// sums.
uint64_t train_stream_limit(const TrainPlan& plan);

// More cycles than any step of one micro-batch takes. A longer step is a hang.
uint64_t train_cycle_limit(const TrainPlan& plan);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_PLAN_H_
