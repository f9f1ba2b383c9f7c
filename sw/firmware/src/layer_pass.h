// SPDX-License-Identifier: Apache-2.0
// A streamed layer in a tile: y = f(W x + b), with weights that arrive as wavelets. Shared by the
// programs that stream layers: the streaming layer kernel and the training program.
//
// Operands: x in SRAM; weights as wavelets on OW_SL_INQ_WEIGHTS, with a row end per output and the
// stream end in the last one; partial sums on OW_SL_INQ_SUMS. Results: y in SRAM, partial sums on
// OW_SL_OUTQ_SUMS. Memory: x, y, the biases, and 4 bytes per sample and accumulator row in the
// cache. Cycles: the engine takes samples / lanes per weight and 1 per output, the reducer 1 per
// sample and output; the larger counts. About 20 more where the owner of the outputs changes from
// one grid row to the next.
#ifndef OW_LAYER_PASS_H_
#define OW_LAYER_PASS_H_

#include "openwafer/tile/tile.h"
#include "ow/firmware/stream_layer.h"

enum { PASS_DSR_X = 0, PASS_DSR_ACC = 1, PASS_DSR_WEIGHTS = 2 };
enum { PASS_THREAD_WEIGHTS = 1, PASS_THREAD_DRAIN = 2 };

// Features are dealt over the grid rows: `share` to each, and one more to the first `left` rows.
// Returns how many a grid row has, and how many come before them when they are sorted by owner.
static inline uint32_t pass_owned(uint32_t share, uint32_t left, uint32_t row) {
  return share + (row < left);
}
static inline uint32_t pass_first(uint32_t share, uint32_t left, uint32_t row) {
  return share * row + (row < left ? row : left);
}

// Starts the layer on microthreads, with sums around a column of `rows` grid rows. rows is 1 if
// this tile has all inputs and owns all its outputs. `weights_task` is activated when the weights
// are consumed, `drain_task` when y is complete. Nothing else may use the queues before both have
// run.
static inline void pass_start(const struct ow_layer_params* layer, uint32_t rows,
                              uint32_t weights_task, uint32_t drain_task) {
  uint32_t row = rows > 1 ? ow_reg_read(OW_REG_ROW) : 0;
  uint32_t samples = layer->samples;

  // Output j is owned by grid row j mod rows; outputs are sorted by owner. The sums of an output go
  // around the column, from the row below the owner to the owner. So this row begins the sums of
  // the row above it (it sends and adds nothing). Then come its own outputs, then all others (it
  // adds what arrives, and sends). Phase 0 is the first output that it begins.
  uint32_t before = row > 0 ? row - 1 : rows - 1;
  uint32_t begins = rows > 1 ? pass_owned(layer->share, layer->left, before) : 0;
  uint32_t owned = pass_owned(layer->share, layer->left, row);
  uint32_t first = pass_first(layer->share, layer->left, row);
  uint32_t in = rows > 1 ? OW_RED_IN0(OW_SL_INQ_SUMS) : 0;
  uint32_t send = OW_RED_ENABLE | OW_RED_OUT(OW_SL_OUTQ_SUMS);
  uint32_t bf16 = layer->flags & OW_SL_BF16;
  uint32_t store = OW_RED_ENABLE | in | OW_RED_TO_MEMORY;
  store |= bf16 ? OW_RED_ROUND_BF16 : OW_RED_ROUND_F16;
  if (layer->flags & OW_SL_BIAS) store |= OW_RED_ADD_BIAS;
  if (layer->flags & OW_SL_RELU) store |= OW_RED_RELU;
  // Phase of the first output in the stream.
  uint32_t phase = first > begins ? layer->outputs - (first - begins) : begins - first;
  if (phase == layer->outputs) phase = 0;
  ow_reg_write(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(samples) | OW_RED_ACC_RING(layer->ring));
  ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(layer->outputs));
  ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(layer->outputs) | OW_RED_PHASE_PIVOT(begins));
  ow_reg_write(OW_REG_RED_START,
               OW_RED_START_PHASE(phase) | OW_RED_START_MORE(owned > 1 ? owned - 1 : 0));
  ow_reg_write(OW_REG_RED_ACT_LT, send);
  ow_reg_write(OW_REG_RED_ACT_EQ, owned > 0 ? store : send | in);
  ow_reg_write(OW_REG_RED_ACT_GT, send | in);
  ow_reg_write(OW_REG_RED_BIAS, layer->bias_addr);
  ow_reg_write(OW_REG_RED_DST, layer->y_addr);
  ow_reg_write(OW_REG_RED_PITCH, OW_RED_PITCH_PITCH(samples * 2));

  enum ow_type type = bf16 ? OW_BF16 : OW_F16;
  ow_dsr_indexed_t(PASS_DSR_X, type, layer->x_addr, samples, layer->inputs, (int32_t)samples * 2);
  ow_dsr_mem2(PASS_DSR_ACC, OW_F32, OW_ACC_ADDR(0), samples, 4, layer->ring, (int32_t)samples * 4);
  ow_dsr_fabric_in(PASS_DSR_WEIGHTS, type, OW_SL_INQ_WEIGHTS, 0);

  ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, PASS_THREAD_DRAIN) | OW_THEN_ACTIVATE(drain_task));
  uint32_t weights = OW_CTL(PASS_DSR_ACC, PASS_DSR_X, PASS_DSR_WEIGHTS, PASS_THREAD_WEIGHTS) |
                     OW_THEN_ACTIVATE(weights_task);
  if (bf16) {
    ow_axpyw_t(OW_MIXEDB, weights);
  } else {
    ow_axpyw_t(OW_MIXED, weights);
  }
}

#endif  // OW_LAYER_PASS_H_
