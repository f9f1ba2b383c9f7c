// SPDX-License-Identifier: Apache-2.0
// What the host and the training's program (train.c) share: queues, tasks, and the parameter
// blocks. Plain C that C++ reads too; all fields are 32-bit words, little endian.
#ifndef OW_FIRMWARE_TRAIN_H_
#define OW_FIRMWARE_TRAIN_H_

#include <stdint.h>

#include "ow/firmware/stream_layer.h"

// Queues besides OW_SL_INQ_WEIGHTS, OW_SL_INQ_SUMS and OW_SL_OUTQ_SUMS: a grid row is a chain from
// the east edge to the west one.
#define OW_TR_INQ_EAST 2   // sums from the next grid column; the last column has none
#define OW_TR_OUTQ_WEST 1  // to the grid column before, or the edge

// The host activates this task to run what ow_train_run says.
#define OW_TR_TASK_LAUNCH 16

#define OW_TR_MAX_LAYERS OW_SL_MAX_LAYERS

// fp32 rows of `samples` numbers that the loss needs in the work area; softmax cross-entropy
// another one for each output that the grid row owns.
#define OW_TR_LOSS_ROWS 8

#define OW_TR_LOSS_SOFTMAX 0  // cross-entropy
#define OW_TR_LOSS_SQUARES 1  // mean squared error
#define OW_TR_LOSSES 2        // numbered from 0

// So many features of a tensor from the first on, round the grid rows.
struct ow_train_prefix {
  uint32_t features;  // share * grid rows + left
  uint32_t share;     // of every grid row
  uint32_t left;      // the first grid rows, this many, have one more
};

// The activations between two layers; the first one is the input. A tile holds one row of `samples`
// 16-bit values for each feature of its grid row, local index ascending.
struct ow_train_tensor {
  struct ow_train_prefix all;  // its features
  uint32_t addr;               // 16-byte aligned, as all that follow
  // Of the grid row's own deltas, not of the input; `window` rows in front of addr where a pass
  // gives them. Of the last tensor's, if they are gathered, those of all grid rows.
  uint32_t delta_addr;
};

// The forward pass of the layer, and that of its input's deltas: each output whole in the tile that
// owns it, from the inputs of all grid rows.
#define OW_TR_WHOLE_FORWARD (1u << 5)
#define OW_TR_WHOLE_DELTA (1u << 6)

struct ow_train_layer {
  uint32_t bias_addr;  // fp32, one for each output that this grid row owns
  uint32_t flags;      // OW_SL_RELU, OW_SL_BIAS, OW_TR_WHOLE_FORWARD, OW_TR_WHOLE_DELTA
};

// Symbol ow_train_params: alike in all tiles. Layer k is from tensor k to tensor k + 1.
struct ow_train_params {
  uint32_t layers;
  uint32_t grid_rows;
  uint32_t grid_cols;
  uint32_t samples;  // a tile; a multiple of the lanes
  uint32_t lanes;
  uint32_t ring;  // accumulator rows in use: at most 16 x lanes / samples
  uint32_t bf16;  // weights, activations and deltas are bfloat16, else binary16
  uint32_t loss;  // OW_TR_LOSS_...
  // Softmax cross-entropy: the class of each sample, 32-bit integers, in every tile of the column.
  // Squares: what the outputs should be, laid out as the last tensor.
  uint32_t targets_addr;
  uint32_t work_addr;             // of the loss, then of biases' gradients
  uint32_t work_words;            // at least 1
  uint32_t gather_addr;           // activations or deltas of all grid rows, if there are several
  struct ow_train_prefix gather;  // at a time; a stream of positions is of as many
  uint32_t last_gathered;  // the loss writes the last tensor's deltas to where they are gathered
  uint32_t window;         // features of a grid row whose deltas a stream of the delta pass is of
  struct ow_train_tensor tensor[OW_TR_MAX_LAYERS + 1];
  struct ow_train_layer layer[OW_TR_MAX_LAYERS];
};

// Symbol ow_train_run: written before each launch.
struct ow_train_run {
  uint32_t backward;  // loss, deltas and gradients too, else the forward pass alone
  uint32_t scale;     // fp32: what the loss's derivative is multiplied by (docs/numerics.md, N13)
};

// Symbol ow_train_times: low words of the cycle count.
struct ow_train_times {
  uint32_t start;
  uint32_t forward[OW_TR_MAX_LAYERS];  // the end of each part of the step
  uint32_t loss;
  uint32_t gradient[OW_TR_MAX_LAYERS];  // of each layer, biases too
  uint32_t delta[OW_TR_MAX_LAYERS];     // for each layer's input
};

// A stream of positions, of `gather` outputs of a layer one after the other or what is left of
// them, so that all grid rows own about as many; in it they stand owner by owner: a word with the
// number of positions, then these, each output's with a row end, the last one's with the stream
// end. What leaves at the west edge are the gradients of the layer's biases, by local index, then
// for each of its streams those of the positions in the same order, and numbers without a meaning
// up to the next multiple of the lanes.
//
// The delta pass has a stream a window: of so many features of each grid row, owner by owner, or
// for whole sums of the grid row's own. Deltas of a window take the place of activations that the
// windows before it were masked with, so that there is room for one window of them besides.
//
// The step's end: when a tile is through it sends a last word along the chain, the cycles that it
// took.

#endif  // OW_FIRMWARE_TRAIN_H_
