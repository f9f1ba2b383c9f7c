// SPDX-License-Identifier: Apache-2.0
// What the host and the streaming layer kernel (stream_layer.c) share: queues, tasks, and the
// parameter block. Plain C that C++ can read; all fields are 32-bit little-endian words.
#ifndef OW_STREAM_LAYER_H_
#define OW_STREAM_LAYER_H_

#include <stdint.h>

// Input queues.
#define OW_SL_INQ_WEIGHTS 0  // (index, value) wavelets and row ends
#define OW_SL_INQ_SUMS 1     // partial sums from the grid row before (the first one's: the last)
#define OW_SL_INQ_RELAY 2    // blocks of the tiles farther from the edge
// Output queues.
#define OW_SL_OUTQ_SUMS 0
#define OW_SL_OUTQ_RESULT 1

// The host activates this task to run the layers of ow_params.
#define OW_SL_TASK_LAUNCH 16

#define OW_SL_MAX_LAYERS 8

#define OW_SL_RELU (1u << 0)    // y = max(y, 0)
#define OW_SL_SEND_Y (1u << 1)  // send this tile's block of y to the edge, then relay
#define OW_SL_NOTIFY (1u << 2)  // send one word (the layer's number) instead
#define OW_SL_BIAS (1u << 3)    // add the biases
#define OW_SL_BF16 (1u << 4)    // weights and activations are bfloat16, else binary16

// One layer y = f(W x + b). x and y hold one row of `samples` 16-bit values per feature of this
// grid row, in ascending local index (docs/numerics.md says which features these are).
struct ow_layer_params {
  uint32_t samples;    // per tile; a multiple of the lanes
  uint32_t inputs;     // local inputs
  uint32_t outputs;    // of the whole layer: share * grid rows + left
  uint32_t share;      // outputs that every grid row keeps
  uint32_t left;       // this many of the first grid rows keep one more
  uint32_t x_addr;     // 16-byte aligned
  uint32_t y_addr;     // 16-byte aligned
  uint32_t bias_addr;  // fp32, one for each output that this grid row owns (OW_SL_BIAS)
  uint32_t ring;       // accumulator rows in use: at most 16 x lanes / samples
  uint32_t flags;
};

// Symbol ow_params. The host writes the same into all tiles; the grid row and column come from the
// tile's ROW and COL registers.
struct ow_stream_params {
  uint32_t layers;
  uint32_t grid_rows;
  struct ow_layer_params layer[OW_SL_MAX_LAYERS];
};

// Symbol ow_relay: blocks that pass this tile on their way to the edge.

// Symbol ow_stats: low words of the cycle count when the tile had started the layer, consumed its
// weights, drained its last row, and sent or relayed its last word.
struct ow_layer_stats {
  uint32_t start;
  uint32_t weights_done;
  uint32_t drain_done;
  uint32_t send_done;
};

#endif  // OW_STREAM_LAYER_H_
