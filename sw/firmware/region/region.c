// SPDX-License-Identifier: Apache-2.0
// Commands, products and norms of all regions.
#include "region.h"

OW_EXPORT_HEAP(u32, memory);
// The host writes struct ow_region and the table of descriptors before the cores start.
OW_EXPORT(u32, parameter_words, sizeof(struct ow_region) / 4);
OW_FLOW(row, up, command, down, left, join, next);

struct ow_command now;
uint32_t my_row, my_column;
int busy, inbox_full;
static int waits_for_inbox;

void load_group(uint32_t first, uint32_t entry, uint32_t count) {
  const struct ow_dsr_words* words = &entries[entry];
  for (uint32_t dsr = R(first); count > 0; --count) ow_dsr_load(dsr++, words++);
}

// ---- Products.
static const struct ow_gemv* product;
static uint32_t pass, action, input;
static int sends;  // this tile sends the vector
static void (*after)(void);
OW_TASK_DECLARE(drained);

static void start_pass(void) {
  ow_reg_write(OW_REG_RED_ACT_EQ, action);
  ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, THREAD_DRAIN) | OW_THEN_ACTIVATE(OW_TASK_ID(drained)));
  ow_axpyw_t(MIXED, OW_CTL(OW_DSR_ACC, OW_DSR_MATRIX, input, THREAD_PRODUCT));
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
  if (sends) send_again();
  ow_dsrw(OW_DSR_MATRIX, OW_DSR_ADDRESS, product->matrix.address + pass * product->pass_bytes);
  ow_reg_write(OW_REG_RED_DST, product->y + pass * product->y_pass_bytes);
  start_pass();
}

static void arm(const struct ow_gemv* gemv, void (*then)(void)) {
  product = gemv;
  after = then;
  pass = 0;
  ow_dsr_load(OW_DSR_ACC, &gemv->sums);
  ow_dsr_load(OW_DSR_MATRIX, &gemv->matrix);
  ow_reg_write(OW_REG_RED_ACC, gemv->row);
  ow_reg_write(OW_REG_RED_DST, gemv->y);
  start_pass();
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

void send_vector(uint32_t vector, uint32_t to) {
  LOAD(OW_DSR_SENT, vector);
  LOAD(OW_DSR_SENT_TO, to);
  sends = 1;
  send_again();
}

// N124. The scale is 1 / sqrt(variance + epsilon) through bfloat16 and one step of Newton's method.
void send_normal(uint32_t group, uint32_t to) {
  const uint32_t variance = ON(R(OW_NORM_VARIANCE), R(OW_NORM_VARIANCE), OW_NONE);
  ow_dot(HALF, ON(R(OW_NORM_VARIANCE), R(OW_NORM_X), R(OW_NORM_X)));
  ow_cvt(HALF, WORK(R(OW_NORM_WIDE), R(OW_NORM_X), OW_NONE));
  if (parameters.rows > 1) {
    JOIN(ow_add, OW_F32, R(OW_NORM_VARIANCE), R(OW_NORM_VARIANCE), R(OW_NORM_IN), R(OW_NORM_OUT));
    if (is_last_row()) ow_mov(OW_F32, ON(R(OW_NORM_UP_OUT), R(OW_NORM_VARIANCE), OW_NONE));
  }
  ow_mov_s(OW_F32, ON(R(OW_NORM_ERROR), OW_NONE, OW_NONE), 0.5f);
  LOAD(OW_DSR_SENT, group + OW_NORM_NORMAL);
  LOAD(OW_DSR_SENT_TO, to);
  if (parameters.rows > 1) ow_mov(OW_F32, ON(R(OW_NORM_VARIANCE), R(OW_NORM_UP_IN), OW_NONE));
  ow_mul_s(OW_F32, variance, parameters.share);
  ow_add_s(OW_F32, variance, parameters.epsilon);
  ow_cvt(OW_F32, ON(R(OW_NORM_ROOT), R(OW_NORM_VARIANCE), OW_NONE));
  ow_rsqrt(OW_BF16, ON(R(OW_NORM_ROOT), R(OW_NORM_ROOT), OW_NONE));
  ow_cvt(OW_BF16, ON(R(OW_NORM_SCALE), R(OW_NORM_ROOT), OW_NONE));
  ow_mul_s(OW_F32, ON(R(OW_NORM_MINUS_HALF), R(OW_NORM_VARIANCE), OW_NONE), -0.5f);
  ow_mul(OW_F32, ON(R(OW_NORM_SQUARE), R(OW_NORM_SCALE), R(OW_NORM_SCALE)));
  ow_fma(OW_F32, ON(R(OW_NORM_ERROR), R(OW_NORM_MINUS_HALF), R(OW_NORM_SQUARE)));
  ow_fma(OW_F32, ON(R(OW_NORM_SCALE), R(OW_NORM_SCALE), R(OW_NORM_ERROR)));
  WAIT(R(OW_NORM_WIDE));
  ow_mul(OW_F32, ON(R(OW_NORM_WIDE), R(OW_NORM_WIDE), R(OW_NORM_EACH_SCALE)));
  ow_cvt(OW_F32, ON(R(OW_NORM_NORMAL), R(OW_NORM_WIDE), OW_NONE));
  ow_mul(HALF, ON(R(OW_NORM_NORMAL), R(OW_NORM_NORMAL), R(OW_NORM_GAIN)));
  sends = 1;
  send_again();
}

// ---- Tokens come and go.
OW_TASK(inbox_came) {
  inbox_full = 1;
  if (is_leader()) {
    more();
  } else if (waits_for_inbox) {
    waits_for_inbox = 0;
    begin();
  }
}

OW_TASK(command_came) {
  now = *(const struct ow_command*)(uintptr_t)entries[OW_DSR_COMMAND].address;
  if (my_column == 0 && takes_inbox(&now) && !inbox_full) {
    waits_for_inbox = 1;
  } else {
    begin();
  }
}

void take_next(void) {
  inbox_full = 0;
  ow_mov(OW_I32, OW_CTL(OW_DSR_PACKET_IN, OW_DSR_NEXT_IN, OW_NONE, THREAD_NEXT_IN) |
                     OW_THEN_ACTIVATE(OW_TASK_ID(inbox_came)));
}

void wait_next_sent(void) { WAIT(OW_DSR_PACKET_OUT); }

void send_next(void) {
  if (is_leader()) {
    *(struct ow_command*)(uintptr_t)entries[OW_DSR_PACKET_OUT].address = now;
  }
  ow_mov(OW_I32, OW_CTL(OW_DSR_NEXT_OUT, OW_DSR_PACKET_OUT, OW_NONE, THREAD_NEXT_OUT));
}

void rest(void) {
  if (is_leader()) {
    busy = 0;
    more();
  } else {
    ow_mov(OW_I32, OW_CTL(OW_DSR_COMMAND, OW_DSR_COMMAND_IN, OW_NONE, THREAD_COMMAND) |
                       OW_THEN_ACTIVATE(OW_TASK_ID(command_came)));
  }
}

void lead(const struct ow_command* what) {
  busy = 1;
  now = *what;
  if (command.out != OW_NO_QUEUE) {
    const uint32_t* word = (const uint32_t*)&now;
    for (uint32_t i = 0; i < OW_COMMAND_WORDS; ++i) ow_push(command.out, word[i]);
  }
  begin();
}

// ---- Start. The host's descriptors of the fabric have the number of a flow for an address.
static void set_queue(uint32_t* entry) {
  const uint32_t kind = OW_DSR0_KIND_OF(entry[OW_DSR_KIND]);
  if (kind != OW_KIND_FABRIC_IN && kind != OW_KIND_FABRIC_OUT) return;
  const struct ow_flow* flow = region_flows[entry[OW_DSR_ADDRESS]];
  const uint32_t queue = kind == OW_KIND_FABRIC_IN ? flow->in : flow->out;
  entry[OW_DSR_ADDRESS] = 0;
  if (queue != OW_NO_QUEUE) entry[OW_DSR_KIND] |= OW_DSR0_QUEUE_NO(queue);
}

void ow_main(void) {
  my_row = ow_reg_read(OW_REG_ROW);
  my_column = ow_reg_read(OW_REG_COL);
  for (uint32_t i = 0; i < table_entries; ++i) set_queue(&table[6 * i]);
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
  rest();
}
