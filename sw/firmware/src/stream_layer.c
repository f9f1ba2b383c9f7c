// SPDX-License-Identifier: Apache-2.0
// The streaming layer kernel: y = f(W x + b) for a chain of layers whose weights are streamed
// through the tile. All sizes are run-time parameters (ow/stream_layer.h).
//
// Operands: x in SRAM; weights as wavelets on input queue 0, one row end a output, the last one
// with the stream end; partial sums on queue 1. Results: y in SRAM in the layout of the next
// layer's x, and on request on output queue 1.
// Memory: 4 bytes a sample and accumulator row in the cache, nothing else but x, y and the biases.
// Cycles: samples / lanes a weight and 1 a output for the engine (microthread 1); 1 a sample and
// output for the reducer (microthread 2), whichever is more; about 150 to start a layer, and some
// 20 where the owner of the outputs changes from one grid row to the next.
//
// The firmware runs when a layer starts and when it ends, never for a row or a weight:
//
//   LAUNCH -> start_layer -> { axpyw -> WEIGHTS_DONE, drain -> DRAIN_DONE } -> send own block
//          -> SENT -> relay the others' blocks -> RELAYED -> start_layer of the next one, ...

#include "ow/firmware/stream_layer.h"
#include "openwafer/tile/tile.h"

enum {
  TASK_WEIGHTS_DONE = OW_TASK_LOCAL(1),
  TASK_DRAIN_DONE = OW_TASK_LOCAL(2),
  TASK_SENT = OW_TASK_LOCAL(3),
  TASK_RELAYED = OW_TASK_LOCAL(4)
};

enum {
  DSR_X = 0,
  DSR_ACC = 1,
  DSR_WEIGHTS = 2,
  DSR_BLOCK = 3,
  DSR_BLOCK_OUT = 4,
  DSR_RELAY_IN = 5,
  DSR_RELAY_OUT = 6,
  DSR_NONE = 31  // never written: for operands that an instruction does not have
};

enum { THREAD_WEIGHTS = 1, THREAD_DRAIN = 2, THREAD_SEND = 1 };

OW_NOINIT struct ow_stream_params ow_params;
OW_NOINIT uint32_t ow_relay;
OW_NOINIT struct ow_layer_stats ow_stats[OW_SL_MAX_LAYERS];

static uint32_t layer_index;
static uint32_t parts_done;
static uint32_t block_words;  // of the block that every tile of this grid row sends
static uint32_t notify_word;

// Outputs of a grid row, and how many come before them in the stream.
static uint32_t owned_by(const struct ow_layer_params* layer, uint32_t row) {
  return layer->share + (row < layer->left);
}
static uint32_t first_of(const struct ow_layer_params* layer, uint32_t row) {
  return layer->share * row + (row < layer->left ? row : layer->left);
}

static void start_layer(void) {
  const struct ow_layer_params* layer = &ow_params.layer[layer_index];
  uint32_t row = ow_reg_read(OW_REG_ROW);
  uint32_t rows = ow_params.grid_rows;
  uint32_t samples = layer->samples;

  ow_stats[layer_index].start = ow_cycles();
  parts_done = 0;

  // Output j is owned by grid row j mod rows; outputs come owner by owner. The sums of an output go
  // round the column, from the row below the owner to the owner. So this row begins those of the
  // row above it (it sends, and adds nothing), then come its own, then all others (it adds what
  // arrives and sends). Phase 0 is the first output that it begins.
  uint32_t before = row > 0 ? row - 1 : rows - 1;
  uint32_t begins = rows > 1 ? owned_by(layer, before) : 0;
  uint32_t owned = owned_by(layer, row);
  uint32_t first = first_of(layer, row);
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
  ow_dsr_indexed_t(DSR_X, type, layer->x_addr, samples, layer->inputs, (int32_t)samples * 2);
  ow_dsr_mem2(DSR_ACC, OW_F32, OW_ACC_ADDR(0), samples, 4, layer->ring, (int32_t)samples * 4);
  ow_dsr_fabric_in(DSR_WEIGHTS, type, OW_SL_INQ_WEIGHTS, 0);

  ow_drain(OW_CTL(DSR_NONE, DSR_NONE, DSR_NONE, THREAD_DRAIN) | OW_THEN_ACTIVATE(TASK_DRAIN_DONE));
  uint32_t weights =
      OW_CTL(DSR_ACC, DSR_X, DSR_WEIGHTS, THREAD_WEIGHTS) | OW_THEN_ACTIVATE(TASK_WEIGHTS_DONE);
  if (bf16) {
    ow_axpyw_t(OW_MIXEDB, weights);
  } else {
    ow_axpyw_t(OW_MIXED, weights);
  }
}

static void end_layer(void) {
  ow_stats[layer_index].send_done = ow_cycles();
  ++layer_index;
  if (layer_index < ow_params.layers) start_layer();
}

// Sends `words` words from addr, then relays as many for each tile that is farther from the edge.
static void send_block(uint32_t addr, uint32_t words) {
  block_words = words;
  if (words == 0) {  // this grid row owns no output of the layer
    end_layer();
    return;
  }
  ow_dsr_mem1(DSR_BLOCK, OW_F32, addr, words, 4);
  ow_dsr_fabric_out(DSR_BLOCK_OUT, OW_F32, OW_SL_OUTQ_RESULT, words, 0);
  ow_mov(OW_F32,
         OW_CTL(DSR_BLOCK_OUT, DSR_BLOCK, DSR_NONE, THREAD_SEND) | OW_THEN_ACTIVATE(TASK_SENT));
}

static void part_done(void) {
  const struct ow_layer_params* layer = &ow_params.layer[layer_index];
  if (++parts_done < 2) return;
  if (layer->flags & OW_SL_SEND_Y) {
    uint32_t row = ow_reg_read(OW_REG_ROW);
    send_block(layer->y_addr, owned_by(layer, row) * layer->samples / 2);
  } else if (layer->flags & OW_SL_NOTIFY) {
    notify_word = layer_index;
    send_block((uint32_t)(uintptr_t)&notify_word, 1);
  } else {
    end_layer();
  }
}

static void task_launch(uint32_t data) {
  (void)data;
  layer_index = 0;
  start_layer();
}

static void task_weights_done(uint32_t data) {
  (void)data;
  ow_stats[layer_index].weights_done = ow_cycles();
  part_done();
}

static void task_drain_done(uint32_t data) {
  (void)data;
  ow_stats[layer_index].drain_done = ow_cycles();
  part_done();
}

static void task_sent(uint32_t data) {
  (void)data;
  uint32_t words = block_words * ow_relay;
  if (words == 0) {
    end_layer();
    return;
  }
  ow_dsr_fabric_in(DSR_RELAY_IN, OW_F32, OW_SL_INQ_RELAY, words);
  ow_dsr_fabric_out(DSR_RELAY_OUT, OW_F32, OW_SL_OUTQ_RESULT, words, 0);
  ow_mov(OW_F32, OW_CTL(DSR_RELAY_OUT, DSR_RELAY_IN, DSR_NONE, THREAD_SEND) |
                     OW_THEN_ACTIVATE(TASK_RELAYED));
}

static void task_relayed(uint32_t data) {
  (void)data;
  end_layer();
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(OW_SL_TASK_LAUNCH, task_launch);
  ow_task_register(TASK_WEIGHTS_DONE, task_weights_done);
  ow_task_register(TASK_DRAIN_DONE, task_drain_done);
  ow_task_register(TASK_SENT, task_sent);
  ow_task_register(TASK_RELAYED, task_relayed);
}
