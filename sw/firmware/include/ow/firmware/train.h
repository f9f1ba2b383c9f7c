// SPDX-License-Identifier: Apache-2.0
// What the host and the training program (train.c) share: queues, tasks, and the parameter blocks.
// Plain C that C++ can read; all fields are 32-bit little-endian words.
#ifndef OW_FIRMWARE_TRAIN_H_
#define OW_FIRMWARE_TRAIN_H_

#include <stdint.h>

#include "ow/firmware/stream_layer.h"

// Queues besides OW_SL_INQ_WEIGHTS, OW_SL_INQ_SUMS and OW_SL_OUTQ_SUMS. A grid row is a chain from
// the east edge to the west edge.
#define OW_TR_INQ_EAST 2   // sums from the next grid column; the last column has none
#define OW_TR_OUTQ_WEST 1  // to the grid column before, or the edge

// The host activates this task to run what ow_train_run says.
#define OW_TR_TASK_LAUNCH 16

#define OW_TR_MAX_LAYERS OW_SL_MAX_LAYERS

// fp32 rows of `samples` numbers that the loss needs in the work area. Softmax cross-entropy needs
// one more row for each output that the grid row owns.
#define OW_TR_LOSS_ROWS 8

#define OW_TR_LOSS_SOFTMAX 0  // cross-entropy
#define OW_TR_LOSS_SQUARES 1  // mean squared error
#define OW_TR_LOSSES 2        // numbered from 0

// A number of features of a tensor, from the first one on, dealt over the grid rows.
struct ow_train_prefix {
  uint32_t features;  // share * grid rows + left
  uint32_t share;     // of every grid row
  uint32_t left;      // this many of the first grid rows have one more
};

// The activations between two layers; the first tensor is the input. A tile holds one row of
// `samples` 16-bit values per feature of its grid row, in ascending local index.
struct ow_train_tensor {
  struct ow_train_prefix all;  // its features
  uint32_t addr;               // 16-byte aligned, as all that follow
  // Where the grid row's own deltas are (not for the input). `window` rows lie before addr if a
  // pass produces them. For the last tensor, if its deltas are gathered: those of all grid rows.
  uint32_t delta_addr;
};

// Whole sums: the forward pass of the layer, or the pass for its input's deltas, computes each
// output completely in the tile that owns it, from the inputs of all grid rows.
#define OW_TR_WHOLE_FORWARD (1u << 5)
#define OW_TR_WHOLE_DELTA (1u << 6)

struct ow_train_layer {
  uint32_t bias_addr;  // fp32, one for each output that this grid row owns
  uint32_t flags;      // OW_SL_RELU, OW_SL_BIAS, OW_TR_WHOLE_FORWARD, OW_TR_WHOLE_DELTA
};

// Symbol ow_train_params: the same in all tiles. Layer k leads from tensor k to tensor k + 1.
struct ow_train_params {
  uint32_t layers;
  uint32_t grid_rows;
  uint32_t grid_cols;
  uint32_t samples;  // per tile; a multiple of the lanes
  uint32_t lanes;
  uint32_t ring;  // accumulator rows in use: at most 16 x lanes / samples
  uint32_t bf16;  // weights, activations and deltas are bfloat16, else binary16
  uint32_t loss;  // OW_TR_LOSS_...
  // Softmax cross-entropy: the class of each sample, as 32-bit integers, in every tile of the
  // column. Squares: the target outputs, in the layout of the last tensor.
  uint32_t targets_addr;
  uint32_t work_addr;             // of the loss, then of biases' gradients
  uint32_t work_words;            // at least 1
  uint32_t gather_addr;           // activations or deltas of all grid rows, if there are several
  struct ow_train_prefix gather;  // gathered at a time; also in a stream of positions
  uint32_t last_gathered;  // the loss writes the last tensor's deltas where they are gathered
  uint32_t window;         // features per grid row in a stream of the delta pass
  struct ow_train_tensor tensor[OW_TR_MAX_LAYERS + 1];
  struct ow_train_layer layer[OW_TR_MAX_LAYERS];
};

// Symbol ow_train_run: written before each launch.
struct ow_train_run {
  uint32_t backward;  // with loss, deltas and gradients; else only the forward pass
  uint32_t scale;     // fp32: factor of the loss's derivative (docs/numerics.md, N13)
};

// Symbol ow_train_times: low words of the cycle count.
struct ow_train_times {
  uint32_t start;
  uint32_t forward[OW_TR_MAX_LAYERS];  // the end of this part of the step
  uint32_t loss;
  uint32_t gradient[OW_TR_MAX_LAYERS];  // of each layer, biases too
  uint32_t delta[OW_TR_MAX_LAYERS];     // for each layer's input
};

// A stream of positions belongs to `gather` outputs of a layer, or to the rest of them, so that all
// grid rows own about equally many. Positions are sorted by owner. The stream has one word with the
// number of positions, then the positions. Each output ends with a row end, the last one with the
// stream end. The west edge receives the gradients of the layer's biases by local index, then for
// each stream the gradients of its positions in the same order, padded with meaningless numbers up
// to the next multiple of the lanes.
//
// The delta pass has one stream per window. A window covers `window` features of each grid row,
// sorted by owner, or for whole sums only features of the grid row itself. The deltas of a window
// replace activations that earlier windows needed for their masks, so only one window needs extra
// room.
//
// At the end of a step each tile sends one last word along the chain: the cycles that it took.

#endif  // OW_FIRMWARE_TRAIN_H_
