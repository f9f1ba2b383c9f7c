// SPDX-License-Identifier: Apache-2.0
// A step of a training in a tile: forward through all layers, whose activations stay; the loss;
// then, from the last layer to the first, its gradients and the deltas of its input. Weights and
// positions come in as wavelets and none is kept. Sizes are run-time parameters
// (ow/firmware/train.h); every bit is defined in docs/numerics.md (N12 to N15).
//
// Streams on OW_SL_INQ_WEIGHTS, in this order: the weights of layers 0, 1, ...; then, from the last
// layer down to 0, the positions of the layer's gradient, and unless it is layer 0 the weights the
// other way round.
//
//   LAUNCH -> forward passes -> loss -> { gradient -> delta pass -> mask of ReLU } a layer -> end
//
// Gradient: the positions of an output are a stream of local inputs with an end of its own, each of
// which starts a dot product of an input's activations and the output's deltas. The deltas of an
// output come from the grid row that owns it, round the column. The products of a chunk of outputs
// wait in the work area; then they are added along the grid row, from its east end to its west one,
// where they leave. Memory: the area of the results, that of the others' deltas. Cycles: samples /
// lanes a position and about 15 an output; 1 a position for the addition, which does not overlap.
//
// The core waits for everything but the passes, whose engine and reducer work at the same time.

#include "train.h"

enum { TASK_WEIGHTS_DONE = OW_TASK_LOCAL(1), TASK_DRAIN_DONE = OW_TASK_LOCAL(2) };

// Descriptors of the gradient pass.
enum { DSR_ROWS = DSR_PASS, DSR_INDICES, DSR_RESULT };
enum { FIFO_RESULTS = 0 };

OW_NOINIT struct ow_train_params ow_train_params;
OW_NOINIT struct ow_train_run ow_train_run;
OW_NOINIT struct ow_train_times ow_train_times;

static uint32_t layer_index;  // of the pass that runs
static uint32_t delta_pass;   // it is one of deltas
static uint32_t parts_done;

static enum ow_type half_type(void) { return ow_train_params.bf16 ? OW_BF16 : OW_F16; }

static uint32_t owned_by(const struct ow_train_tensor* tensor, uint32_t row) {
  return pass_owned(tensor->share, tensor->left, row);
}

static void send(uint32_t addr, uint32_t queue, uint32_t words) {
  ow_dsr_mem1(DSR_IN, OW_F32, addr, words, 4);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, queue, words, 0);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, DSR_NONE, 0));
}

static void receive(uint32_t addr, uint32_t queue, uint32_t words) {
  ow_dsr_fabric_in(DSR_IN, OW_F32, queue, words);
  ow_dsr_mem1(DSR_OUT, OW_F32, addr, words, 4);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, DSR_NONE, 0));
}

void ring_send(uint32_t addr, uint32_t words) { send(addr, OW_SL_OUTQ_SUMS, words); }
void ring_receive(uint32_t addr, uint32_t words) { receive(addr, OW_SL_INQ_SUMS, words); }

static int last_column(void) { return ow_reg_read(OW_REG_COL) + 1 == ow_train_params.grid_cols; }

// Numbers of the work area join the sums that come along the grid row.
static void send_results(uint32_t words) {
  if (words == 0) return;
  if (last_column()) {
    send(ow_train_params.work_addr, OW_TR_OUTQ_WEST, words);
    return;
  }
  ow_dsr_mem1(DSR_A, OW_F32, ow_train_params.work_addr, words, 4);
  ow_dsr_fabric_in(DSR_IN, OW_F32, OW_TR_INQ_EAST, words);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, OW_TR_OUTQ_WEST, words, 0);
  ow_add(OW_F32, OW_CTL(DSR_OUT, DSR_A, DSR_IN, 0));
}

// Dot products go to a FIFO, which counts them: how many there are only the stream knows. It is
// emptied before it turns round, so that they lie in the work area from its beginning on.
static void empty_results(void) {
  ow_dsr_fifo(DSR_RESULT, OW_F32, FIFO_RESULTS, ow_train_params.work_addr,
              ow_train_params.result_words);
}

// Where the deltas are of `rows` features, from `first` on, of those that grid row `owner` owns.
static uint32_t share_deltas(const struct ow_train_tensor* tensor, uint32_t owner, uint32_t first,
                             uint32_t rows) {
  uint32_t row = ow_reg_read(OW_REG_ROW);
  uint32_t words = rows * ow_train_params.samples / 2;
  uint32_t next = row + 1 < ow_train_params.grid_rows ? row + 1 : 0;
  uint32_t addr = ow_train_params.gather_addr;
  if (row == owner) {
    addr = tensor->delta_addr + first * ow_train_params.samples * 2;
  } else {
    ring_receive(addr, words);
  }
  if (next != owner) ring_send(addr, words);
  return addr;
}

static void weight_gradients(uint32_t k) {
  const struct ow_train_tensor* in = &ow_train_params.tensor[k];
  const struct ow_train_tensor* out = &ow_train_params.tensor[k + 1];
  uint32_t pitch = ow_train_params.samples * 2;
  uint32_t inputs = owned_by(in, 0);  // no grid row has more
  ow_dsr_indexed_t(DSR_ROWS, half_type(), in->addr, ow_train_params.samples, inputs,
                   (int32_t)pitch);
  ow_dsr_fabric_in(DSR_INDICES, half_type(), OW_SL_INQ_WEIGHTS, 0);
  uint32_t dots = OW_CTL(DSR_RESULT, DSR_ROWS, DSR_INDICES, 0);
  empty_results();
  for (uint32_t owner = 0; owner < ow_train_params.grid_rows; ++owner) {
    uint32_t owned = owned_by(out, owner);
    uint32_t rows;
    for (uint32_t first = 0; first < owned; first += rows) {
      rows =
          owned - first < ow_train_params.gather_rows ? owned - first : ow_train_params.gather_rows;
      uint32_t deltas = share_deltas(out, owner, first, rows);
      for (uint32_t l = 0; l < rows; ++l, deltas += pitch) {
        uint32_t waiting = ow_fifo_count(DSR_RESULT);
        if (waiting + inputs > ow_train_params.result_words) {
          send_results(waiting);
          empty_results();
        }
        if (ow_train_params.bf16) {
          ow_dotw(OW_MIXEDB, dots, deltas);
        } else {
          ow_dotw(OW_MIXED, dots, deltas);
        }
      }
    }
  }
  send_results(ow_fifo_count(DSR_RESULT));
}

static void bias_gradients(uint32_t k) {
  const struct ow_train_tensor* out = &ow_train_params.tensor[k + 1];
  uint32_t samples = ow_train_params.samples;
  uint32_t owned = owned_by(out, ow_reg_read(OW_REG_ROW));
  uint32_t rows;
  for (uint32_t first = 0; first < owned; first += rows) {
    rows =
        owned - first < ow_train_params.result_words ? owned - first : ow_train_params.result_words;
    ow_dsr_mem2(DSR_ROWS, half_type(), out->delta_addr + first * samples * 2, samples, 2, rows,
                (int32_t)samples * 2);
    ow_dsr_mem1(DSR_RESULT, OW_F32, ow_train_params.work_addr, rows, 4);
    uint32_t sums = OW_CTL(DSR_RESULT, DSR_ROWS, DSR_NONE, 0);
    if (ow_train_params.bf16) {
      ow_sum(OW_BF16, sums);
    } else {
      ow_sum(OW_F16, sums);
    }
    send_results(rows);
  }
}

// Behind a ReLU a delta stays where the activation is above zero.
static void mask_deltas(const struct ow_train_tensor* tensor) {
  static const int16_t kZero __attribute__((aligned(4))) = 0;
  uint32_t elements = owned_by(tensor, ow_reg_read(OW_REG_ROW)) * ow_train_params.samples;
  uint32_t room = ow_train_params.result_words * 2;
  uint32_t count;
  for (uint32_t first = 0; first < elements; first += count) {
    count = elements - first < room ? elements - first : room;
    ow_dsr_mem1(DSR_A, OW_I16, (uint32_t)(uintptr_t)&kZero, count, 0);
    ow_dsr_mem1(DSR_B, OW_I16, tensor->addr + first * 2, count, 2);
    ow_dsr_mem1(DSR_OUT, OW_I16, ow_train_params.work_addr, count, 2);
    ow_dsr_mem1(DSR_IN, OW_I16, tensor->delta_addr + first * 2, count, 2);
    ow_cmplt(OW_I16, OW_CTL(DSR_OUT, DSR_A, DSR_B, 0));
    ow_mul(OW_I16, OW_CTL(DSR_IN, DSR_IN, DSR_OUT, 0));
  }
}

// Starts a pass from tensor `from` to tensor `to`: forward, or of deltas.
static void start_pass(const struct ow_train_tensor* from, const struct ow_train_tensor* to,
                       uint32_t bias_addr, uint32_t flags) {
  struct ow_layer_params p;
  p.samples = ow_train_params.samples;
  p.inputs = owned_by(from, 0);
  p.outputs = to->features;
  p.share = to->share;
  p.left = to->left;
  p.x_addr = delta_pass ? from->delta_addr : from->addr;
  p.y_addr = delta_pass ? to->delta_addr : to->addr;
  p.bias_addr = bias_addr;
  p.ring = ow_train_params.ring;
  p.flags = flags | (ow_train_params.bf16 ? OW_SL_BF16 : 0u);
  parts_done = 0;
  pass_start(&p, ow_train_params.grid_rows, TASK_WEIGHTS_DONE, TASK_DRAIN_DONE);
}

static void start_forward(uint32_t k) {
  const struct ow_train_layer* layer = &ow_train_params.layer[k];
  layer_index = k;
  delta_pass = 0;
  start_pass(&ow_train_params.tensor[k], &ow_train_params.tensor[k + 1], layer->bias_addr,
             layer->flags);
}

static void end_step(void) {
  static uint32_t word;
  if (!last_column()) receive((uint32_t)(uintptr_t)&word, OW_TR_INQ_EAST, 1);
  word = ow_cycles() - ow_train_times.start;
  send((uint32_t)(uintptr_t)&word, OW_TR_OUTQ_WEST, 1);
}

// The gradients of layer k, then the deltas of its input, which the pass makes that is started.
static void start_backward(uint32_t k) {
  weight_gradients(k);
  if (ow_train_params.layer[k].flags & OW_SL_BIAS) bias_gradients(k);
  ow_train_times.gradient[k] = ow_cycles();
  if (k == 0) {
    end_step();
    return;
  }
  layer_index = k;
  delta_pass = 1;
  start_pass(&ow_train_params.tensor[k + 1], &ow_train_params.tensor[k], 0, 0);
}

static void end_forward(void) {
  if (layer_index + 1 < ow_train_params.layers) {
    start_forward(layer_index + 1);
    return;
  }
  ow_train_times.forward = ow_cycles();
  if (!ow_train_run.backward) {
    end_step();
    return;
  }
  loss_deltas();
  ow_train_times.loss = ow_cycles();
  start_backward(ow_train_params.layers - 1);
}

static void task_part_done(uint32_t data) {
  (void)data;
  if (++parts_done < 2) return;
  if (!delta_pass) {
    end_forward();
    return;
  }
  if (ow_train_params.layer[layer_index - 1].flags & OW_SL_RELU) {
    mask_deltas(&ow_train_params.tensor[layer_index]);
  }
  ow_train_times.delta[layer_index] = ow_cycles();
  start_backward(layer_index - 1);
}

static void task_launch(uint32_t data) {
  (void)data;
  ow_train_times.start = ow_cycles();
  start_forward(0);
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(OW_TR_TASK_LAUNCH, task_launch);
  ow_task_register(TASK_WEIGHTS_DONE, task_part_done);
  ow_task_register(TASK_DRAIN_DONE, task_part_done);
}
