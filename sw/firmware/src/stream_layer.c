// SPDX-License-Identifier: Apache-2.0
// The streaming layer kernel: y = f(W x + b) for a chain of layers whose weights are streamed
// through the tile. All sizes are run-time parameters (ow/firmware/stream_layer.h).
//
// Operands: x in SRAM; weights as wavelets on input queue 0, with a row end per output and the
// stream end in the last one; partial sums on queue 1. Results: y in SRAM, in the layout of the
// next layer's x; on request also on output queue 1. Memory: x, y, the biases, and 4 bytes per
// sample and accumulator row in the cache. Cycles: the engine (microthread 1) takes samples / lanes
// per weight and 1 per output, the reducer (microthread 2) 1 per sample and output; the larger
// counts. A layer takes about 150 to start, and about 20 where the owner of the outputs changes
// from one grid row to the next.
//
// The firmware runs when a layer starts and when it ends, never for a row or a weight:
//
//   LAUNCH -> start_layer -> { axpyw -> WEIGHTS_DONE, drain -> DRAIN_DONE } -> send own block
//          -> SENT -> relay the others' blocks -> RELAYED -> start_layer of the next one, ...

#include "ow/firmware/stream_layer.h"
#include "layer_pass.h"
#include "openwafer/tile/tile.h"

enum {
  TASK_WEIGHTS_DONE = OW_TASK_LOCAL(1),
  TASK_DRAIN_DONE = OW_TASK_LOCAL(2),
  TASK_SENT = OW_TASK_LOCAL(3),
  TASK_RELAYED = OW_TASK_LOCAL(4)
};

enum {
  DSR_BLOCK = 3,  // after those of layer_pass.h
  DSR_BLOCK_OUT = 4,
  DSR_RELAY_IN = 5,
  DSR_RELAY_OUT = 6
};

enum { THREAD_SEND = 1 };

OW_NOINIT struct ow_stream_params ow_params;
OW_NOINIT uint32_t ow_relay;
OW_NOINIT struct ow_layer_stats ow_stats[OW_SL_MAX_LAYERS];

static uint32_t layer_index;
static uint32_t parts_done;
static uint32_t block_words;  // of the block that every tile of this grid row sends
static uint32_t notify_word;

static void start_layer(void) {
  ow_stats[layer_index].start = ow_cycles();
  parts_done = 0;
  pass_start(&ow_params.layer[layer_index], ow_params.grid_rows, TASK_WEIGHTS_DONE,
             TASK_DRAIN_DONE);
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
         OW_CTL(DSR_BLOCK_OUT, DSR_BLOCK, OW_NONE, THREAD_SEND) | OW_THEN_ACTIVATE(TASK_SENT));
}

static void part_done(void) {
  const struct ow_layer_params* layer = &ow_params.layer[layer_index];
  if (++parts_done < 2) return;
  if (layer->flags & OW_SL_SEND_Y) {
    uint32_t row = ow_reg_read(OW_REG_ROW);
    send_block(layer->y_addr, pass_owned(layer->share, layer->left, row) * layer->samples / 2);
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
  ow_mov(OW_F32, OW_CTL(DSR_RELAY_OUT, DSR_RELAY_IN, OW_NONE, THREAD_SEND) |
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
