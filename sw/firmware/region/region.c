// SPDX-License-Identifier: Apache-2.0
// Commands, products and norms of all regions.
#include "region.h"

OW_EXPORT_HEAP(u32, memory);
// The host writes struct ow_region before the cores start, and memory.
OW_EXPORT(u32, parameter_words, sizeof(struct ow_region) / 4);
OW_FLOW(row, up, command, down, left, join, next);

struct ow_command now;
uint32_t my_row, my_column;
int inbox_full;

void load_group(uint32_t first, uint32_t entry, uint32_t count) {
  const struct ow_dsr_words* words = &entries[entry];
  uint32_t dsr = R(first);
  for (; count >= 4; count -= 4) {  // a jump takes a third of the time of a load
    ow_dsr_load(dsr++, words++);
    ow_dsr_load(dsr++, words++);
    ow_dsr_load(dsr++, words++);
    ow_dsr_load(dsr++, words++);
  }
  for (; count > 0; --count) ow_dsr_load(dsr++, words++);
}

// ---- Products.
static const struct ow_gemv* product;
static uint32_t pass, action, input;
static int sends;  // this tile sends the vector
static void (*after)(void);
static void (*halfway)(void);
OW_TASK_DECLARE(drained);

// The vector may be there already, so the sums begin first.
static void start_pass(uint32_t y) {
  ow_axpyw_t(MIXED, OW_CTL(OW_DSR_ACC, OW_DSR_MATRIX, input, THREAD_PRODUCT));
  ow_reg_write(OW_REG_RED_DST, y);
  ow_reg_write(OW_REG_RED_ACT_EQ, action);
  ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, THREAD_DRAIN) | OW_THEN_ACTIVATE(OW_TASK_ID(drained)));
}

static void send_again(void) {
  ow_mov(HALF, OW_CTL(OW_DSR_SENT_TO, OW_DSR_SENT, OW_NONE, THREAD_SEND));
}

OW_TASK(drained) {
  if (++pass == product->passes) {
    sends = 0;
    after();
    return;
  }
  ow_dsrw(OW_DSR_MATRIX, OW_DSR_ADDRESS, product->matrix.address + pass * product->pass_bytes);
  start_pass(product->y + pass * product->y_pass_bytes);
  if (halfway && 2 * pass == product->passes) halfway();
  if (sends && pass + 1 < product->passes) send_again();
}

void at_half(void (*then)(void)) { halfway = then; }

static void arm(const struct ow_gemv* gemv, void (*then)(void)) {
  ow_reg_write(OW_REG_RED_ACC, gemv->row);
  ow_dsr_load(OW_DSR_ACC, &gemv->sums);
  ow_dsr_load(OW_DSR_MATRIX, &gemv->matrix);
  start_pass(gemv->y);
  product = gemv;
  after = then;
  halfway = 0;
  pass = 0;
}

static uint32_t action_a, action_b;

void arm_a(const struct ow_gemv* gemv, int wide, void (*then)(void)) {
  input = OW_DSR_ROW_IN;
  action = wide ? action_a & ~ROUND : action_a;
  arm(gemv, then);
}

void arm_b(const struct ow_gemv* gemv, void (*then)(void)) {
  input = OW_DSR_UP_IN;
  action = action_b;
  arm(gemv, then);
}

static uint32_t sum_action(uint32_t first, uint32_t last, const struct ow_flow* flow) {
  uint32_t does = OW_RED_ENABLE;
  if (!first) does |= OW_RED_IN0(flow->in);
  return last ? does | OW_RED_TO_MEMORY | ROUND : does | OW_RED_OUT(flow->out);
}

// The vector of the next pass is sent ahead: it waits in the queues.
void send_loaded(void) {
  sends = 1;
  send_again();
  if (product->passes > 1) send_again();
}

// N124. The scale is 1 / sqrt(variance + epsilon) through bfloat16 and one step of Newton's method.
void send_normal(void) {
  const uint32_t sum = R(OW_NORM_SUM), variance = R(OW_NORM_VARIANCE);
  uint32_t from = sum;
  ow_dot(HALF, ON(sum, R(OW_NORM_X), R(OW_NORM_X)));
  ow_cvt(HALF, WORK(R(OW_NORM_WIDE), R(OW_NORM_X), OW_NONE));
  if (parameters.rows > 1) {
    JOIN(ow_add, sum, sum, 1);
    WORDS(OW_DSR_WORDS_IN, 1);
    if (is_last_row()) {
      WORDS(OW_DSR_WORDS_OUT, 1);
      ow_mov(OW_F32, ON(OW_DSR_WORDS_OUT, sum, OW_NONE));
    }
    from = OW_DSR_WORDS_IN;
  }
  ow_mov_s(OW_F32, ON(variance, OW_NONE, OW_NONE), parameters.epsilon);
  ow_mov_s(OW_F32, ON(R(OW_NORM_ERROR), OW_NONE, OW_NONE), 0.5f);
  ow_fma_s(OW_F32, ON(variance, from, OW_NONE), parameters.share);
  ow_cvt(OW_F32, ON(R(OW_NORM_ROOT), variance, OW_NONE));
  ow_mul_s(OW_F32, WORK(R(OW_NORM_MINUS_HALF), variance, OW_NONE), -0.5f);
  ow_rsqrt(OW_BF16, ON(R(OW_NORM_ROOT), R(OW_NORM_ROOT), OW_NONE));
  ow_cvt(OW_BF16, ON(R(OW_NORM_SCALE), R(OW_NORM_ROOT), OW_NONE));
  WAIT(R(OW_NORM_MINUS_HALF));
  ow_mul(OW_F32, ON(sum, R(OW_NORM_SCALE), R(OW_NORM_SCALE)));
  ow_fma(OW_F32, ON(R(OW_NORM_ERROR), R(OW_NORM_MINUS_HALF), sum));
  ow_fma(OW_F32, ON(R(OW_NORM_SCALE), R(OW_NORM_SCALE), R(OW_NORM_ERROR)));
  ow_mul(OW_F32, ON(R(OW_NORM_WIDE), R(OW_NORM_WIDE), R(OW_NORM_SCALE)));
  ow_cvt(OW_F32, ON(R(OW_NORM_NORMAL), R(OW_NORM_WIDE), OW_NONE));
  ow_mul(HALF, ON(R(OW_NORM_NORMAL), R(OW_NORM_NORMAL), R(OW_NORM_GAIN)));
  send_loaded();
}

// ---- Tokens come and go.
OW_TASK(inbox_came) {
  inbox_full = 1;
  inbox_there();
}

// Not by the library's memcpy, which takes longer.
void copy_command(struct ow_command* to, const struct ow_command* from) {
  to->what = from->what;
  to->position = from->position;
  to->last = from->last;
  to->token = from->token;
}

OW_TASK(command_came) {
  copy_command(&now, told());
  command_there();
}

void take_next(void) {
  inbox_full = 0;
  ow_mov(OW_I32, OW_CTL(OW_DSR_PACKET_IN, OW_DSR_NEXT_IN, OW_NONE, THREAD_NEXT_IN) |
                     OW_THEN_ACTIVATE(OW_TASK_ID(inbox_came)));
}

void wait_next_sent(void) { WAIT(OW_DSR_PACKET_OUT); }

void put_command(void) {
  copy_command((struct ow_command*)(uintptr_t)entries[OW_DSR_PACKET_OUT].address, &now);
}

void send_next(void) {
  ow_mov(OW_I32, OW_CTL(OW_DSR_NEXT_OUT, OW_DSR_PACKET_OUT, OW_NONE, THREAD_NEXT_OUT));
}

void take_command(void) {
  LOAD(OW_DSR_COMMAND_IN, OW_WORDS_COMMAND_IN);
  LOAD(OW_DSR_COMMAND, OW_WORDS_COMMAND);
  ow_mov(OW_I32, OW_CTL(OW_DSR_COMMAND, OW_DSR_COMMAND_IN, OW_NONE, THREAD_COMMAND) |
                     OW_THEN_ACTIVATE(OW_TASK_ID(command_came)));
}

void lead(const struct ow_command* what) {
  const uint32_t queue = command.out;
  if (queue != OW_NO_QUEUE) {
    ow_push(queue, what->what);
    ow_push(queue, what->position);
    ow_push(queue, what->last);
    ow_push(queue, what->token);
  }
  copy_command(&now, what);
}

// ---- Start. The host's descriptors of the fabric have the number of a flow for an address.
static void set_queue(struct ow_dsr_words* entry) {
  const uint32_t kind = OW_DSR0_KIND_OF(entry->kind);
  if (kind != OW_KIND_FABRIC_IN && kind != OW_KIND_FABRIC_OUT) return;
  const struct ow_flow* flow = region_flows[entry->address];
  const uint32_t queue = kind == OW_KIND_FABRIC_IN ? flow->in : flow->out;
  entry->address = 0;
  if (queue != OW_NO_QUEUE) entry->kind |= OW_DSR0_QUEUE_NO(queue);
}

void ow_main(void) {
  my_row = ow_reg_read(OW_REG_ROW);
  my_column = ow_reg_read(OW_REG_COL);
  for (uint32_t i = 0; i < parameters.entries; ++i) set_queue(&entries[i]);
  for (uint32_t i = 0; i < OW_DSR_POOL; ++i) ow_dsr_load(i, &entries[i]);
  ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(1));
  ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(1));
  action_a = sum_action(my_row == 0, is_last_row(), &down);
  action_b = sum_action(my_column + 1 == parameters.columns, my_column == 0, &left);
}

// Never ends: the tiles wait for tokens.
OW_LAUNCH(serve) {
  if (my_column == 0) take_next();
  start();
}
