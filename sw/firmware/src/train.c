// SPDX-License-Identifier: Apache-2.0
// A training step in a tile: forward through all layers, keeping the activations; the loss; then,
// from the last layer to the first, the layer's gradients and the deltas of its input. Weights and
// positions arrive as wavelets, and none is kept. Sizes are run-time parameters
// (ow/firmware/train.h). docs/numerics.md defines every bit (N12 to N15).
//
// Streams on OW_SL_INQ_WEIGHTS, in this order: the weights of layers 0, 1, ...; then, from the last
// layer down to 0, the positions of the layer's gradient and, except for layer 0, its weights
// transposed.
//
//   LAUNCH -> forward passes -> loss -> { gradient -> delta pass -> mask of ReLU } per layer -> end
//
// Forward and delta passes use layer_pass.h, with sums around the column. If a tile has so few
// weights that the reducers (a cycle per sample and output) would take longer than the engine, sums
// are whole instead. Then each tile gathers the inputs of all grid rows and gets only the weights
// of its own outputs. For a delta pass the gradient has already gathered them. Deltas of an input
// come in windows. A window is stored where the activations were that earlier windows needed for
// the mask of ReLU, so a step needs room for the activations and one window.
//
// In the gradient pass a position starts a dot product of an input's activations and an output's
// deltas; a row end moves to the next output. First the deltas of as many outputs as there is room
// for go around the column. Each grid row sends its own and then what it received, all rows at the
// same time. The products are rows for the reducer, which adds them along the grid row from its
// east end to its west end, where they leave. Memory: the room for gathered features, and the work
// area for the gradients of biases. Cycles: samples / lanes per position, 1 per output whose end
// comes alone, about samples / 2 per output for the deltas, and about 200 per stream.
//
// The core waits for all but the passes and gradients, in which engine and reducer overlap.

#include "train.h"

enum { TASK_WEIGHTS_DONE = OW_TASK_LOCAL(1), TASK_DRAIN_DONE = OW_TASK_LOCAL(2) };

// Descriptors of the gradient pass.
enum { DSR_ROWS = DSR_PASS, DSR_INDICES, DSR_RESULT, DSR_BIAS, DSR_SUMS, DSR_OWN, DSR_COPY };
// Descriptors for the masks of a delta pass.
enum { DSR_MASK = DSR_PASS, DSR_DELTA };
// Descriptors for a round and the round before it.
enum { ROUND_SENT, ROUND_TO, ROUND_FROM, ROUND_IN, ROUND_DSRS };
enum { DSR_ROUND = OW_NONE - 2 * ROUND_DSRS };

// Gathered words are received on their own microthread, sent on the microthread of the weights, and
// the tile's own part is copied on that of the drain. So neither starts on incomplete data.
enum { THREAD_GATHER = 3 };

OW_NOINIT struct ow_train_params ow_train_params;
OW_NOINIT struct ow_train_run ow_train_run;
OW_NOINIT struct ow_train_times ow_train_times;

static enum { PASS_FORWARD, PASS_GRADIENT, PASS_DELTA } pass;
static uint32_t layer_index;  // of the running pass
static uint32_t parts_left;   // of the pass, until the program continues
static uint32_t masked;       // elements of the window that are masked when it is complete
static uint32_t next_output;  // deltas: the tile's own output with which the window begins

static struct ow_train_prefix next_piece;  // gradient: outputs that earlier streams covered

static enum ow_type half_type(void) { return ow_train_params.bf16 ? OW_BF16 : OW_F16; }

static uint32_t owned_by(const struct ow_train_tensor* tensor, uint32_t row) {
  return pass_owned(tensor->all.share, tensor->all.left, row);
}

// The number of features that this tile's grid row has.
static uint32_t own_features(const struct ow_train_tensor* tensor) {
  return owned_by(tensor, ow_reg_read(OW_REG_ROW));
}

uint32_t own_deltas(const struct ow_train_tensor* tensor) {
  int last = tensor == &ow_train_params.tensor[ow_train_params.layers];
  if (!last || !ow_train_params.last_gathered) return tensor->delta_addr;
  return tensor->delta_addr +
         pass_first(tensor->all.share, tensor->all.left, ow_reg_read(OW_REG_ROW)) *
             ow_train_params.samples * 2;
}

// `count` 16-bit values from addr on.
static void set_halves(uint32_t dsr, uint32_t addr, uint32_t count) {
  ow_dsr_mem1(dsr, OW_I16, addr, count, 2);
}

static void send(uint32_t addr, uint32_t queue, uint32_t words) {
  ow_dsr_mem1(DSR_IN, OW_F32, addr, words, 4);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, queue, words, 0);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, OW_NONE, 0));
}

static void receive(uint32_t addr, uint32_t queue, uint32_t words) {
  ow_dsr_fabric_in(DSR_IN, OW_F32, queue, words);
  ow_dsr_mem1(DSR_OUT, OW_F32, addr, words, 4);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, OW_NONE, 0));
}

void ring_send(uint32_t addr, uint32_t words) { send(addr, OW_SL_OUTQ_SUMS, words); }
void ring_receive(uint32_t addr, uint32_t words) { receive(addr, OW_SL_INQ_SUMS, words); }

static int last_column(void) { return ow_reg_read(OW_REG_COL) + 1 == ow_train_params.grid_cols; }

// Sends numbers of the work area into the sums along the grid row, on the drain's microthread. The
// reducer, which sends there next, is started after them.
static void send_results(uint32_t words) {
  ow_dsr_mem1(DSR_A, OW_F32, ow_train_params.work_addr, words, 4);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, OW_TR_OUTQ_WEST, words, 0);
  if (last_column()) {
    ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_A, OW_NONE, PASS_THREAD_DRAIN));
    return;
  }
  ow_dsr_fabric_in(DSR_IN, OW_F32, OW_TR_INQ_EAST, words);
  ow_add(OW_F32, OW_CTL(DSR_OUT, DSR_A, DSR_IN, PASS_THREAD_DRAIN));
}

// Field by field: there is no memcpy for a struct.
static void set_prefix(struct ow_train_prefix* p, uint32_t features, uint32_t share,
                       uint32_t left) {
  p->features = features;
  p->share = share;
  p->left = left;
}

// Advances by the features that are gathered at a time, or by the rest of them.
static void advance(struct ow_train_prefix* p, const struct ow_train_tensor* tensor) {
  uint32_t features = p->features + ow_train_params.gather.features;
  uint32_t share = p->share + ow_train_params.gather.share;
  uint32_t left = p->left + ow_train_params.gather.left;
  if (features >= tensor->all.features) {
    set_prefix(p, tensor->all.features, tensor->all.share, tensor->all.left);
    return;
  }
  if (left >= ow_train_params.grid_rows) {
    left -= ow_train_params.grid_rows;
    ++share;
  }
  set_prefix(p, features, share, left);
}

// The features of `owner` that are in `to` and not in `from`. They are sorted by owner.
struct part {
  uint32_t addr;  // where they are gathered
  uint32_t words;
};
static struct part part_of(uint32_t owner, const struct ow_train_prefix* from,
                           const struct ow_train_prefix* to) {
  uint32_t begins = pass_owned(from->share, from->left, owner);
  uint32_t ends = pass_owned(to->share, to->left, owner);
  uint32_t place =
      pass_first(to->share, to->left, owner) - pass_first(from->share, from->left, owner);
  return (struct part){ow_train_params.gather_addr + place * ow_train_params.samples * 2,
                       (ends - begins) * ow_train_params.samples / 2};
}

// Sums up in the work area, in front of the gathered deltas, and then along the grid row. The last
// ones continue on the drain's microthread while the core goes on.
static void bias_gradients(uint32_t k) {
  const struct ow_train_tensor* out = &ow_train_params.tensor[k + 1];
  uint32_t samples = ow_train_params.samples;
  uint32_t owned = own_features(out);
  uint32_t room = (ow_train_params.gather_addr - ow_train_params.work_addr) / 4;
  if (room > ow_train_params.work_words) room = ow_train_params.work_words;
  uint32_t deltas = own_deltas(out), rows;
  for (uint32_t first = 0; first < owned; first += rows) {
    rows = owned - first < room ? owned - first : room;
    ow_dsr_mem2(DSR_BIAS, half_type(), deltas + first * samples * 2, samples, 2, rows,
                (int32_t)samples * 2);
    ow_dsr_mem1(DSR_SUMS, OW_F32, ow_train_params.work_addr, rows, 4);
    uint32_t sums = OW_CTL(DSR_SUMS, DSR_BIAS, OW_NONE, PASS_THREAD_DRAIN);
    if (ow_train_params.bf16) {
      ow_sum(OW_BF16, sums);
    } else {
      ow_sum(OW_F16, sums);
    }
    send_results(rows);
  }
}

// Descriptors that only rounds use. Words that do not change are written once.
static void init_rounds(void) {
  for (uint32_t dsr = DSR_ROUND; dsr < DSR_ROUND + 2 * ROUND_DSRS; ++dsr) {
    uint32_t part = (dsr - DSR_ROUND) % ROUND_DSRS;
    uint32_t out = OW_DSR0_KIND(OW_KIND_FABRIC_OUT) | OW_DSR0_QUEUE_NO(OW_SL_OUTQ_SUMS);
    uint32_t in = OW_DSR0_KIND(OW_KIND_FABRIC_IN) | OW_DSR0_QUEUE_NO(OW_SL_INQ_SUMS);
    uint32_t kind = part == ROUND_TO ? out : part == ROUND_FROM ? in : OW_DSR0_KIND(OW_KIND_MEM);
    ow_dsrw(dsr, OW_DSR_KIND, OW_DSR0_TY(OW_F32) | kind);
    ow_dsrw(dsr, OW_DSR_ADDRESS, 0);
    ow_dsrw(dsr, OW_DSR_DIM1, 0);
    ow_dsrw(dsr, OW_DSR_DIM2, 0);
    ow_dsrw(dsr, OW_DSR_DIM3, 0);
  }
}

static uint32_t round_dsr(uint32_t n) { return DSR_ROUND + n % 2 * ROUND_DSRS; }

// Waits until the words of the round have arrived: a descriptor in use cannot be written.
static void wait_round(uint32_t n) { ow_dsrw(round_dsr(n) + ROUND_IN, OW_DSR_DIM3, 0); }

static void wait_gathered(void) {
  if (ow_train_params.grid_rows > 1) wait_round(ow_train_params.grid_rows - 1);
}

// Waits until all rounds have sent everything. The last round may send nothing while the one before
// still sends.
static void wait_sent(void) {
  ow_dsrw(DSR_ROUND + ROUND_SENT, OW_DSR_DIM3, 0);
  ow_dsrw(DSR_ROUND + ROUND_DSRS + ROUND_SENT, OW_DSR_DIM3, 0);
}

// What the n-th round sends: the tile's own part, or what the round before received.
static void set_sent(uint32_t n, uint32_t addr, uint32_t words) {
  uint32_t dsr = round_dsr(n);
  ow_dsrw(dsr + ROUND_SENT, OW_DSR_ADDRESS, addr);
  ow_dsrw(dsr + ROUND_SENT, OW_DSR_DIM0, ow_dim_word(words, 4));
  ow_dsrw(dsr + ROUND_TO, OW_DSR_DIM0, ow_dim_word(words, 0));
}

static void start_sending(uint32_t n, uint32_t words) {
  if (words == 0) return;
  ow_mov(OW_F32,
         OW_CTL(round_dsr(n) + ROUND_TO, round_dsr(n) + ROUND_SENT, OW_NONE, PASS_THREAD_WEIGHTS));
}

// Receives a round after the round before has received everything. It continues while the core
// prepares the next round.
static void start_receiving(uint32_t n, const struct part* in) {
  if (in->words == 0) return;
  uint32_t dsr = round_dsr(n);
  ow_dsrw(dsr + ROUND_FROM, OW_DSR_DIM0, ow_dim_word(in->words, 0));
  ow_dsrw(dsr + ROUND_IN, OW_DSR_ADDRESS, in->addr);
  ow_dsrw(dsr + ROUND_IN, OW_DSR_DIM0, ow_dim_word(in->words, 4));
  ow_mov(OW_F32, OW_CTL(dsr + ROUND_IN, dsr + ROUND_FROM, OW_NONE, THREAD_GATHER));
}

// Gathers the features of a tensor that are in `to` and not in `from`, sorted by owner; the tile's
// own are at `addr`. These are activations or deltas. The gradients of the biases of layer `biases`
// (unless NO_LAYER) are computed in the first round, which takes longest. Words still to be sent at
// the end are on the microthread on which the reader of the features will be started.
enum { NO_LAYER = OW_TR_MAX_LAYERS };
static uint32_t gather(uint32_t addr, const struct ow_train_prefix* from,
                       const struct ow_train_prefix* to, uint32_t biases) {
  uint32_t grid_rows = ow_train_params.grid_rows, pitch = ow_train_params.samples * 2;
  if (grid_rows == 1) {
    if (biases != NO_LAYER) bias_gradients(biases);
    return addr + from->features * pitch;
  }
  uint32_t row = ow_reg_read(OW_REG_ROW), owner = row;
  uint32_t begins = pass_owned(from->share, from->left, row);
  uint32_t words = (pass_owned(to->share, to->left, row) - begins) * pitch / 4;
  addr += begins * pitch;
  set_sent(1, addr, words);  // first of all: the next grid row waits for it
  start_sending(1, words);
  for (uint32_t n = 1; n < grid_rows; ++n) {
    owner = owner > 0 ? owner - 1 : grid_rows - 1;
    struct part in = part_of(owner, from, to);
    if (n > 1) set_sent(n, addr, words);
    start_receiving(n, &in);
    if (n > 1) {
      wait_round(n - 1);
      start_sending(n, words);
    } else {
      struct part own = part_of(row, from, to);
      if (words > 0 && addr != own.addr) {
        set_halves(DSR_OWN, addr, words * 2);
        set_halves(DSR_COPY, own.addr, words * 2);
        ow_mov(OW_I16, OW_CTL(DSR_COPY, DSR_OWN, OW_NONE, PASS_THREAD_DRAIN));
      }
      if (biases != NO_LAYER) bias_gradients(biases);
    }
    addr = in.addr;
    words = in.words;
  }
  return ow_train_params.gather_addr;
}

// Settings for all streams of a layer's gradient: the matrix, and the reducer, which adds what
// comes from the east and sends it to the west.
static void set_gradient(const struct ow_train_tensor* in) {
  uint32_t lanes = ow_train_params.lanes;
  uint32_t add = last_column() ? 0 : OW_RED_IN0(OW_TR_INQ_EAST);
  ow_dsr_indexed_t(DSR_ROWS, half_type(), in->addr, ow_train_params.samples, owned_by(in, 0),
                   (int32_t)ow_train_params.samples * 2);
  ow_dsr_mem2(DSR_RESULT, OW_F32, OW_ACC_ADDR(0), lanes, 4, OW_ACC_LINES, (int32_t)lanes * 4);
  ow_reg_write(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(lanes) | OW_RED_ACC_RING(OW_ACC_LINES));
  ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(1) | OW_RED_PHASE_PIVOT(1));
  ow_reg_write(OW_REG_RED_START, 0);
  ow_reg_write(OW_REG_RED_ACT_LT, OW_RED_ENABLE | add | OW_RED_OUT(OW_TR_OUTQ_WEST));
  ow_reg_write(OW_REG_RED_ACT_EQ, 0);
  ow_reg_write(OW_REG_RED_ACT_GT, 0);
}

// The next stream of the layer's positions.
static void start_products(void) {
  static uint32_t positions;
  const struct ow_train_tensor* out = &ow_train_params.tensor[layer_index + 1];
  struct ow_train_prefix from;
  set_prefix(&from, next_piece.features, next_piece.share, next_piece.left);
  advance(&next_piece, out);
  int first = from.features == 0;
  int biases = first && (ow_train_params.layer[layer_index].flags & OW_SL_BIAS) != 0;
  uint32_t deltas = gather(own_deltas(out), &from, &next_piece, biases ? layer_index : NO_LAYER);
  if (first) set_gradient(out - 1);
  receive((uint32_t)(uintptr_t)&positions, OW_SL_INQ_WEIGHTS, 1);
  uint32_t lanes = ow_train_params.lanes;
  uint32_t count = (positions + lanes - 1) / lanes;
  parts_left = 1;
  if (count > 0) {
    parts_left = 2;
    ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(count));
    ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, PASS_THREAD_DRAIN) |
             OW_THEN_ACTIVATE(TASK_DRAIN_DONE));
  }
  ow_dsr_vectors(DSR_INDICES, half_type(), OW_SL_INQ_WEIGHTS, next_piece.features - from.features,
                 (int32_t)ow_train_params.samples * 2);
  uint32_t dots = OW_CTL(DSR_RESULT, DSR_ROWS, DSR_INDICES, PASS_THREAD_WEIGHTS) |
                  OW_THEN_ACTIVATE(TASK_WEIGHTS_DONE);
  wait_gathered();
  if (ow_train_params.bf16) {
    ow_dotw(OW_MIXEDB, dots, deltas);
  } else {
    ow_dotw(OW_MIXED, dots, deltas);
  }
}

// After a ReLU a delta is kept where the activation is above zero. Masks the window whose weights
// have passed, before the reducer is done.
static void prepare_masks(const struct ow_train_tensor* tensor) {
  uint32_t samples = ow_train_params.samples;
  uint32_t first = next_output;
  uint32_t rows = own_features(tensor) - first;
  if (rows > ow_train_params.window) rows = ow_train_params.window;
  masked = rows * samples;
  if (masked == 0) return;
  first *= samples * 2;
  set_halves(DSR_MASK, tensor->addr + first, masked);
  set_halves(DSR_DELTA, tensor->delta_addr + first, masked);
}

// Masks the deltas of the last window and waits for the reducer. The masking runs on the drain's
// microthread while the core goes on. When the next window's drain begins, it overwrites only data
// that is no longer needed.
static void mask_deltas(void) {
  if (masked == 0) return;
  masked = 0;
  ow_gate(OW_I16, OW_CTL(DSR_DELTA, DSR_DELTA, DSR_MASK, PASS_THREAD_DRAIN));
}

// Starts a pass from tensor `from`, whose rows are at `x_addr`, to at most `most` features of each
// grid row of tensor `to`, from `first` on, whose rows are at `y_addr`.
static void start_pass(const struct ow_train_tensor* from, uint32_t x_addr,
                       const struct ow_train_tensor* to, uint32_t y_addr, uint32_t first,
                       uint32_t most, int whole, const struct ow_train_layer* layer) {
  struct ow_layer_params p;
  uint32_t grid_rows = ow_train_params.grid_rows;
  p.samples = ow_train_params.samples;
  p.share = to->all.share - first;
  p.left = to->all.left;
  if (p.share >= most) {
    p.share = most;
    p.left = 0;
  }
  p.inputs = owned_by(from, 0);
  if (whole) {
    if (pass == PASS_FORWARD) {
      static const struct ow_train_prefix none = {0, 0, 0};
      gather(x_addr, &none, &from->all, NO_LAYER);
      wait_gathered();
    }
    x_addr = ow_train_params.gather_addr;
    p.inputs = from->all.features;
    p.share = pass_owned(p.share, p.left, ow_reg_read(OW_REG_ROW));
    p.left = 0;
    grid_rows = 1;
  }
  p.outputs = p.share * grid_rows + p.left;
  p.x_addr = x_addr;
  p.y_addr = y_addr + first * p.samples * 2;
  p.ring = ow_train_params.ring;
  p.bias_addr = 0;
  p.flags = ow_train_params.bf16 ? OW_SL_BF16 : 0u;
  if (layer != 0) {
    p.bias_addr = layer->bias_addr;
    p.flags |= layer->flags & (OW_SL_RELU | OW_SL_BIAS);
  }
  if (p.outputs == 0) {  // no stream comes; it would wait for words still being sent
    if (whole) wait_sent();
    parts_left = 1;
    ow_task_activate(TASK_DRAIN_DONE);
    return;
  }
  parts_left = 2;
  pass_start(&p, grid_rows, TASK_WEIGHTS_DONE, TASK_DRAIN_DONE);
}

static void start_forward(uint32_t k) {
  const struct ow_train_layer* layer = &ow_train_params.layer[k];
  const struct ow_train_tensor* in = &ow_train_params.tensor[k];
  layer_index = k;
  pass = PASS_FORWARD;
  start_pass(in, in->addr, in + 1, in[1].addr, 0, in[1].all.features,
             (layer->flags & OW_TR_WHOLE_FORWARD) != 0, layer);
}

// The next window of the deltas of the layer's input.
static void start_window(void) {
  const struct ow_train_tensor* in = &ow_train_params.tensor[layer_index];
  start_pass(in + 1, own_deltas(in + 1), in, in->delta_addr, next_output, ow_train_params.window,
             (ow_train_params.layer[layer_index].flags & OW_TR_WHOLE_DELTA) != 0, 0);
}

static void end_step(void) {
  static uint32_t word;
  if (!last_column()) receive((uint32_t)(uintptr_t)&word, OW_TR_INQ_EAST, 1);
  word = ow_cycles() - ow_train_times.start;
  send((uint32_t)(uintptr_t)&word, OW_TR_OUTQ_WEST, 1);
}

static void start_gradient(uint32_t k) {
  layer_index = k;
  pass = PASS_GRADIENT;
  set_prefix(&next_piece, 0, 0, 0);
  start_products();
}

// After the last stream of positions: the deltas of the layer's input, if there are any.
static void end_gradient(void) {
  uint32_t k = layer_index;
  ow_train_times.gradient[k] = ow_cycles();
  if (k == 0) {
    end_step();
    return;
  }
  pass = PASS_DELTA;
  next_output = 0;
  start_window();
}

static void end_window(void) {
  uint32_t k = layer_index;
  mask_deltas();
  next_output += ow_train_params.window;
  if (next_output < owned_by(&ow_train_params.tensor[k], 0)) {
    start_window();
    return;
  }
  ow_dsrw(DSR_DELTA, OW_DSR_KIND, 0);  // waits until the last ones are masked
  ow_train_times.delta[k] = ow_cycles();
  start_gradient(k - 1);
}

static void end_forward(void) {
  ow_train_times.forward[layer_index] = ow_cycles();
  if (layer_index + 1 < ow_train_params.layers) {
    start_forward(layer_index + 1);
    return;
  }
  if (!ow_train_run.backward) {
    end_step();
    return;
  }
  loss_deltas();
  ow_train_times.loss = ow_cycles();
  start_gradient(ow_train_params.layers - 1);
}

static void task_part_done(uint32_t data) {
  (void)data;
  if (--parts_left > 0) return;
  if (pass == PASS_FORWARD) {
    end_forward();
  } else if (pass == PASS_DELTA) {
    end_window();
  } else if (next_piece.features < ow_train_params.tensor[layer_index + 1].all.features) {
    start_products();
  } else {
    end_gradient();
  }
}

// The engine is done with the weights. It is idle until the reducer is done.
static void engine_done(void) {
  const struct ow_train_tensor* in = &ow_train_params.tensor[layer_index];
  if (pass != PASS_DELTA || !(ow_train_params.layer[layer_index - 1].flags & OW_SL_RELU)) return;
  prepare_masks(in);
}

static void task_weights_done(uint32_t data) {
  engine_done();
  task_part_done(data);
}

static void task_launch(uint32_t data) {
  (void)data;
  ow_train_times.start = ow_cycles();
  start_forward(0);
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(OW_TR_TASK_LAUNCH, task_launch);
  ow_task_register(TASK_WEIGHTS_DONE, task_weights_done);
  ow_task_register(TASK_DRAIN_DONE, task_part_done);
  init_rounds();
}
