// SPDX-License-Identifier: Apache-2.0
// A block of a language model for one token: norm, attention over the user's keys and values, norm,
// gated feed-forward, both around a residual that lies in column 0.
//
//   begin  norm, product A: queries, keys, values to the last row
//   attend rotary; the last row tells all; scores, softmax and the sums of values in each row,
//          joined down the columns; product B: to column 0
//   feed   residual, norm, product A: gates and units to the last row
//   shrink gate * unit, product B: to column 0
//   end    residual, to the next region
#include "region.h"

const struct ow_flow* const region_flows[OW_REGION_FLOWS] = {&row, &up, &command, &join, &next};
OW_EXPORT(u32, descriptor_words, OW_BLOCK_WORDS, 6);
uint32_t* const table = &descriptor_words[0][0];
const struct ow_dsr_words* const entries =
    (const struct ow_dsr_words*)(const void*)descriptor_words;
const uint32_t table_entries = OW_BLOCK_WORDS;

static uint32_t places;  // of the user that lie in this row, with the new one
static int keeps;        // the new one lies in this row
static uint16_t* pages;  // the user's

static void attend(void);

int takes_inbox(const struct ow_command* what) {
  (void)what;
  return 1;
}

void more(void) {
  if (!busy && inbox_full) lead(came_with());
}

// Ready for a token.
void start(void) {
  arm_a(&parameters.attention, 0, attend);
  if (my_column == 0) load_group(0, OW_WORDS_NORM, OW_NORM_GROUP);
}

static void put(uint32_t dsr, uint32_t address) { ow_dsrw(dsr, OW_DSR_ADDRESS, address); }

// Puts an entry into its register, `offset` bytes on.
static void move(uint32_t number, uint32_t offset) {
  put(R(number), entries[OW_WORDS_ANGLE + number].address + offset);
}

// Cosine and sine of the position, from those of two parts of its angle (N110).
static void angles(void) {
  const uint32_t bits = parameters.fine_bits, bytes = parameters.angle_bytes;
  const uint32_t coarse = (now.position >> bits) * bytes;
  const uint32_t fine = (now.position & ((1u << bits) - 1)) * bytes;
  const uint32_t cosine = R(OW_ANGLE_WIDE_COS), sine = R(OW_ANGLE_WIDE_SIN);
  load_group(0, OW_WORDS_ANGLE, OW_ANGLE_GROUP);
  move(OW_ANGLE_COARSE_COS, coarse);
  move(OW_ANGLE_COARSE_SIN, coarse);
  move(OW_ANGLE_FINE_COS, fine);
  move(OW_ANGLE_FINE_SIN, fine);
  ow_mul(OW_F32, ON(cosine, R(OW_ANGLE_COARSE_SIN), R(OW_ANGLE_FINE_SIN)));
  ow_mul_s(OW_F32, ON(cosine, cosine, OW_NONE), -1.0f);
  ow_fma(OW_F32, ON(cosine, R(OW_ANGLE_COARSE_COS), R(OW_ANGLE_FINE_COS)));
  ow_cvt(OW_F32, ON(R(OW_ANGLE_COS), cosine, OW_NONE));
  ow_mul(OW_F32, ON(sine, R(OW_ANGLE_COARSE_COS), R(OW_ANGLE_FINE_SIN)));
  ow_fma(OW_F32, ON(sine, R(OW_ANGLE_COARSE_SIN), R(OW_ANGLE_FINE_COS)));
  ow_cvt(OW_F32, ON(R(OW_ANGLE_SIN), sine, OW_NONE));
  ow_mul_s(HALF, ON(R(OW_ANGLE_MINUS_SIN), R(OW_ANGLE_SIN), OW_NONE), -1.0);
}

void begin(void) {
  const uint32_t rows = parameters.rows;
  if (my_column == 0) send_normal(OW_WORDS_NORM, OW_WORDS_NORMAL_OUT);
  // Positions up to the new one whose remainder is this row.
  places = (now.position + rows - my_row) / rows;
  keeps = places > 0 && (places - 1) * rows + my_row == now.position;
  pages = (uint16_t*)(uintptr_t)parameters.page_table +
          (now.what & OW_COMMAND_SLOT) * parameters.slot_pages;
  if (is_last_row()) angles();
  load_group(0, OW_WORDS_TURN, OW_TURN_GROUP);
}

static uint32_t page_at(uint32_t place) {
  return parameters.pages + pages[place / OW_PAGE_PLACES] * parameters.page_bytes;
}

// The last row: queries and keys are turned, queries scaled; all three to the column.
static void turn(void) {
  ow_mul(HALF, WORK(R(OW_TURN_TURNED), R(OW_TURN_SWAPPED), R(OW_TURN_EACH_SINE)));
  ow_fma(HALF, WORK(R(OW_TURN_TURNED), R(OW_TURN_STRAIGHT), R(OW_TURN_EACH_COS)));
  ow_mul_s(HALF, WORK(R(OW_TURN_QUERIES), R(OW_TURN_QUERIES), OW_NONE), parameters.query_scale);
  ow_mov(HALF, WORK(R(OW_TURN_UP_OUT), R(OW_TURN_ALL), OW_NONE));
  ow_mov(HALF, WORK(R(OW_TURN_VALUES_UP_OUT), R(OW_TURN_VALUES), OW_NONE));
}

// The new position's key and value to the last place of this row.
static void keep(void) {
  const uint32_t page = page_at(places - 1), place = (places - 1) % OW_PAGE_PLACES;
  put(R(OW_TURN_KEY_PLACE), page + 2 * place);
  ow_mov(HALF, WORK(R(OW_TURN_KEY_PLACE), R(OW_TURN_KEY), OW_NONE));
  put(R(OW_TURN_VALUE_PLACE), page + parameters.value_offset + place * 2 * parameters.kv_features);
  ow_mov(HALF, WORK(R(OW_TURN_VALUE_PLACE), R(OW_TURN_VALUE), OW_NONE));
}

// The registers of softmax, and the first ones of the sums of values: those of turn() and keep().
static void load_softmax(void) {
  load_group(0, OW_WORDS_SOFTMAX, OW_SOFTMAX_GROUP);
  load_group(OW_MIX_VALUES, OW_WORDS_MIX, OW_MIX_IN - OW_MIX_VALUES);
}

// Scores of all places of the pages; what lies behind the last place is not used.
static void score(void) {
  for (uint32_t place = 0; place < places; place += OW_PAGE_PLACES) {
    put(R(OW_TURN_KEYS), page_at(place));
    ow_fma(MIXED, WORK(R(OW_TURN_SUMS), R(OW_TURN_KEYS), R(OW_TURN_QUERY)) | OW_FRESH);
    if (place == 0) load_softmax();
    put(R(OW_TURN_PAGE_SCORES), parameters.scores + 2 * place);
    ow_cvt(OW_F32, WORK(R(OW_TURN_PAGE_SCORES), R(OW_TURN_SUM_ROWS), OW_NONE));
  }
  ow_dsrw(R(OW_SOFTMAX_SCORES), OW_DSR_DIM0, ow_dim_word(places, 2));
  ow_dsrw(R(OW_SOFTMAX_SCORES), OW_DSR_DIM1,
          ow_dim_word(parameters.heads, (int32_t)(parameters.score_pitch - 2 * places)));
  WAIT(R(OW_TURN_PAGE_SCORES));
  ow_rmax(HALF, ON(R(OW_SOFTMAX_MAXIMUM), R(OW_SOFTMAX_SCORES), OW_NONE));
}

// e^(score - maximum), their sums, and the sums of values by them.
static void mix(void) {
  const uint32_t scores = R(OW_SOFTMAX_SCORES);
  ow_sub(HALF, WORK(scores, scores, R(OW_SOFTMAX_EACH_MAXIMUM)));
  ow_exp(HALF, WORK(scores, scores, OW_NONE));
  ow_sum(HALF, WORK(R(OW_SOFTMAX_TOTAL), scores, OW_NONE));
  const uint32_t value_bytes = 2 * parameters.kv_features, heads = parameters.heads_of_kv;
  const int32_t row_bytes = (int32_t)(2 * parameters.head_size);
  for (uint32_t place = 0; place < places; place += OW_PAGE_PLACES) {
    const uint32_t left_over = places - place;
    const uint32_t n = left_over < OW_PAGE_PLACES ? left_over : OW_PAGE_PLACES;
    put(R(OW_MIX_VALUES), page_at(place) + parameters.value_offset);
    put(R(OW_MIX_WEIGHTS), parameters.scores + 2 * place);
    if (n < OW_PAGE_PLACES) {  // else the dimensions are as the host made them
      const int32_t back = -(int32_t)(n * value_bytes);  // to the first place, for the next head
      ow_dsrw(R(OW_MIX_VALUES), OW_DSR_DIM1, ow_dim_word(n, (int32_t)value_bytes - row_bytes));
      ow_dsrw(R(OW_MIX_VALUES), OW_DSR_DIM2, ow_dim_word(heads, back));
      ow_dsrw(R(OW_MIX_WEIGHTS), OW_DSR_DIM1, ow_dim_word(n, 2));
      ow_dsrw(R(OW_MIX_WEIGHTS), OW_DSR_DIM2,
              ow_dim_word(heads, (int32_t)(parameters.score_pitch - 2 * n)));
      ow_dsrw(R(OW_MIX_SUMS), OW_DSR_DIM1, ow_dim_word(n, -2 * row_bytes));
    }
    const uint32_t ctl = WORK(R(OW_MIX_SUMS), R(OW_MIX_VALUES), R(OW_MIX_WEIGHTS));
    ow_fma(MIXED, place == 0 ? ctl | OW_FRESH : ctl);
  }
}

static void feed(void);

// The last row: 1 / total, in one step of N94.
static void invert(void) {
  const uint32_t total = R(OW_SOFTMAX_TOTAL), half = R(OW_DIVIDE_HALF);
  ow_mov_s(OW_F32, ON(R(OW_DIVIDE_ERROR), OW_NONE, OW_NONE), 1.0f);
  ow_cvt(OW_F32, ON(half, total, OW_NONE));
  ow_rcp(OW_BF16, ON(half, half, OW_NONE));
  ow_mul_s(OW_F32, ON(R(OW_DIVIDE_MINUS), total, OW_NONE), -1.0f);
  ow_cvt(OW_BF16, ON(total, half, OW_NONE));
  ow_fma(OW_F32, ON(R(OW_DIVIDE_ERROR), R(OW_DIVIDE_MINUS), total));
  ow_fma(OW_F32, ON(total, total, R(OW_DIVIDE_ERROR)));
}

static void attend(void) {
  const uint32_t rows = parameters.rows;
  const int last = is_last_row();
  LOAD(OW_DSR_SENT, OW_WORDS_TAKEN);
  LOAD(OW_DSR_SENT_TO, OW_WORDS_TAKEN_IN);
  ow_mov(HALF, OW_CTL(OW_DSR_SENT, OW_DSR_SENT_TO, OW_NONE, THREAD_SEND));
  if (last) turn();
  WAIT(OW_DSR_SENT);
  if (keeps) keep();
  if (places > 0) {
    score();
  } else {
    load_softmax();
    ow_mov_s(HALF, ON(R(OW_SOFTMAX_MAXIMUM), OW_NONE, OW_NONE), -__builtin_inf());
  }
  if (rows > 1) {
    JOIN(ow_max, HALF, R(OW_SOFTMAX_MAXIMUM), R(OW_SOFTMAX_MAXIMUM), R(OW_SOFTMAX_IN),
         R(OW_SOFTMAX_OUT));
    if (last) ow_mov(HALF, ON(R(OW_SOFTMAX_UP_OUT), R(OW_SOFTMAX_MAXIMUM), OW_NONE));
    ow_mov(HALF, ON(R(OW_SOFTMAX_MAXIMUM), R(OW_SOFTMAX_UP_IN), OW_NONE));
  }
  if (places > 0) {
    mix();
  } else {
    ow_mov_s(OW_F32, WORK(R(OW_SOFTMAX_TOTAL), OW_NONE, OW_NONE), 0.0f);
    ow_mov_s(OW_F32, WORK(R(OW_MIX_ROWS), OW_NONE, OW_NONE), 0.0f);
  }
  // Meanwhile: the product, the rest of the registers, the totals.
  arm_b(&parameters.output, feed);
  load_group(OW_MIX_IN, OW_WORDS_MIX + OW_MIX_IN - OW_MIX_VALUES, OW_MIX_END - OW_MIX_IN);
  WAIT(R(OW_SOFTMAX_TOTAL));
  if (rows > 1) {
    JOIN(ow_add, OW_F32, R(OW_SOFTMAX_TOTAL), R(OW_SOFTMAX_TOTAL), R(OW_MIX_TOTAL_IN),
         R(OW_MIX_TOTAL_OUT));
  }
  if (last) {
    load_group(0, OW_WORDS_DIVIDE, OW_DIVIDE_GROUP);
    invert();
  }
  WAIT(R(OW_MIX_SUMS));
  WAIT(R(OW_MIX_ROWS));
  JOIN(ow_add, OW_F32, R(OW_MIX_WIDE), R(OW_MIX_ROWS), R(OW_MIX_IN), R(OW_MIX_OUT));
  if (last) {
    ow_mul(OW_F32, ON(R(OW_DIVIDE_MIX), R(OW_DIVIDE_MIX), R(OW_DIVIDE_EACH_TOTAL)));
    ow_cvt(OW_F32, ON(R(OW_DIVIDE_RESULT), R(OW_MIX_WIDE), OW_NONE));
    send_vector(OW_WORDS_MIXED, OW_WORDS_MIXED_OUT);
  }
  if (my_column == 0) {
    load_group(0, OW_WORDS_SECOND_NORM, OW_NORM_SECOND_GROUP);
    wait_next_sent();
  }
}

static void end(void) {
  if (my_column == 0) {
    ow_add(HALF, ON(R(OW_NORM_RESIDUAL), R(OW_NORM_RESIDUAL), R(OW_NORM_Y)));
    send_next();
  }
  start();
  rest();
}

static void shrink(void) {
  if (!is_last_row()) {
    arm_b(&parameters.down, end);
    return;
  }
  const uint32_t hidden = R(OW_SHRINK_HIDDEN);
  ow_sigmoid(HALF, WORK(hidden, R(OW_SHRINK_GATE), OW_NONE));
  arm_b(&parameters.down, end);
  WAIT(hidden);
  ow_mul(HALF, ON(hidden, R(OW_SHRINK_GATE), hidden));
  ow_mul(HALF, ON(hidden, hidden, R(OW_SHRINK_UNIT)));
  send_vector(OW_WORDS_HIDDEN, OW_WORDS_HIDDEN_OUT);
}

static void feed(void) {
  arm_a(&parameters.hidden, 0, shrink);
  if (my_column == 0) {
    ow_add(HALF, ON(R(OW_NORM_X), R(OW_NORM_INBOX), R(OW_NORM_Y)));
    take_next();
    send_normal(OW_WORDS_SECOND_NORM, OW_WORDS_NORMAL_OUT);
  }
  if (is_last_row()) load_group(0, OW_WORDS_SHRINK, OW_SHRINK_GROUP);
}
