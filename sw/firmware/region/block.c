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

const struct ow_flow* const region_flows[OW_REGION_FLOWS] = {&row,  &up,   &command,
                                                             &join, &next, &left};
OW_EXPORT(u32, descriptor_words, OW_BLOCK_WORDS, 6);
uint32_t* const table = &descriptor_words[0][0];
const struct ow_dsr_words* const entries =
    (const struct ow_dsr_words*)(const void*)descriptor_words;
const uint32_t table_entries = OW_BLOCK_WORDS;

static uint32_t places;        // of the user that lie in this row, with the new one
static int keeps;              // the new one lies in this row
static const uint16_t* pages;  // the user's

static void attend(void);
static void feed(void);
static void open_gates(void);
static void shrink(void);
static void end(void);

static void begin(void);
static int busy;  // in column 0

static void load_normal(uint32_t group) {
  LOAD(OW_DSR_SENT, group + OW_NORM_NORMAL - OW_NORM_FIRST);
  LOAD(OW_DSR_SENT_TO, OW_WORDS_NORMAL_OUT);
}

// Ready for a token, which begins with the residual in column 0, else with the command.
void start(void) {
  arm_a(&parameters.attention, 0, attend);
  LOAD_GROUP(SCORE);
  if (my_column > 0) {
    take_command();
    return;
  }
  LOAD_GROUP(NORM);
  load_normal(OW_WORDS_NORM);
  if (my_row > 0) {
    LOAD(OW_DSR_COMMAND_IN, OW_WORDS_COMMAND_IN);
    LOAD(OW_DSR_COMMAND, OW_WORDS_COMMAND);
  }
  busy = 0;
  if (inbox_full) begin();
}

void inbox_there(void) {
  if (!busy) begin();
}

static void put(uint32_t dsr, uint32_t address) { ow_dsrw(dsr, OW_DSR_ADDRESS, address); }

// Cosine and sine of the position, from those of two parts of its angle (N110).
static void angles(void) {
  const uint32_t bits = parameters.fine_bits, row_bytes = parameters.angle_row;
  const uint32_t coarse = parameters.coarse_angles + (now.position >> bits) * 3 * row_bytes;
  const uint32_t fine =
      parameters.fine_angles + (now.position & ((1u << bits) - 1)) * 2 * row_bytes;
  const uint32_t parts = ON(R(OW_ANGLE_WIDE), R(OW_ANGLE_COARSE), R(OW_ANGLE_FINE));
  LOAD_GROUP(ANGLE);
  put(R(OW_ANGLE_COARSE), coarse);
  put(R(OW_ANGLE_FINE), fine);
  ow_mul(OW_F32, parts);
  put(R(OW_ANGLE_COARSE), coarse + row_bytes);
  put(R(OW_ANGLE_FINE), fine + row_bytes);
  ow_fma(OW_F32, parts);
  ow_cvt(OW_F32, ON(R(OW_ANGLE_BOTH), R(OW_ANGLE_WIDE), OW_NONE));
  ow_mul_s(HALF, ON(R(OW_ANGLE_MINUS_SIN), R(OW_ANGLE_SIN), OW_NONE), -1.0);
}

// The last row. Column 0 has the norm to do, so the next column makes them for it.
static void take_angles(void) {
  const int shared = my_column <= 1 && parameters.columns > 1;
  if (shared) {
    LOAD(R(OW_ANGLE_WORDS), OW_WORDS_ANGLE_WORDS);
    LOAD(R(OW_ANGLE_LEFT), OW_WORDS_ANGLE_LEFT);
  }
  if (shared && my_column == 0) {
    ow_mov(OW_I32, ON(R(OW_ANGLE_WORDS), R(OW_ANGLE_LEFT), OW_NONE));
    return;
  }
  angles();
  if (shared) ow_mov(OW_I32, ON(R(OW_ANGLE_LEFT), R(OW_ANGLE_WORDS), OW_NONE));
}

// Column 0 sends its vector once more when this step is over, so its descriptors must stay.
static int sends_again(void) { return my_column == 0 && parameters.attention.passes > 1; }

// What the position decides.
static void find_places(void) {
  const uint32_t rows = parameters.rows;
  // Positions up to the new one whose remainder is this row: a quotient by the inverse.
  const uint32_t up_to = now.position + rows - my_row;
  places = rows == 1 ? up_to : (uint32_t)((uint64_t)up_to * parameters.inverse_rows >> 32);
  keeps = places > 0 && (places - 1) * rows + my_row == now.position;
  pages = (const uint16_t*)(uintptr_t)parameters.page_table +
          (now.what & OW_COMMAND_SLOT) * parameters.slot_pages;
  if (is_last_row()) {
    take_angles();
    LOAD_GROUP(TURN);
  }
  if (keeps) LOAD_GROUP(KEEP);
  if (!sends_again()) LOAD(OW_DSR_SENT, OW_WORDS_TAKEN);
}

void command_there(void) { find_places(); }

// Column 0.
static void begin(void) {
  busy = 1;
  if (my_row == 0) {
    lead(came_with());
  } else {
    ow_mov(OW_I32, ON(OW_DSR_COMMAND, OW_DSR_COMMAND_IN, OW_NONE));
    copy_command(&now, told());
  }
  send_normal();
  find_places();
}

static uint32_t page_at(uint32_t place) {
  return parameters.pages + pages[place >> parameters.page_bits] * parameters.page_bytes;
}

// The last row: queries and keys are turned, queries scaled; all three to the column.
static void turn(void) {
  const uint32_t values = parameters.kv_features / 2;  // words
  const uint32_t turned = parameters.heads * parameters.head_size / 2 + values;
  ow_mul(HALF, WORK(R(OW_TURN_TURNED), R(OW_TURN_SWAPPED), R(OW_TURN_EACH_SINE)));
  WORDS(OW_DSR_WORDS_OUT, turned);
  ow_fma(HALF, WORK(R(OW_TURN_TURNED), R(OW_TURN_STRAIGHT), R(OW_TURN_EACH_COS)));
  ow_mul_s(HALF, WORK(R(OW_TURN_QUERIES), R(OW_TURN_QUERIES), OW_NONE), parameters.query_scale);
  ow_mov(OW_I32, WORK(OW_DSR_WORDS_OUT, R(OW_TURN_WORDS), OW_NONE));
  WORDS(OW_DSR_WORDS_OUT, values);
  ow_mov(OW_I32, WORK(OW_DSR_WORDS_OUT, R(OW_TURN_VALUES), OW_NONE));
}

// The new position's key and value to the last place of this row.
static void keep(void) {
  const uint32_t page = page_at(places - 1), place = (places - 1) & (parameters.page_places - 1);
  put(R(OW_KEEP_KEY_PLACE), page + 2 * place);
  ow_mov(HALF, WORK(R(OW_KEEP_KEY_PLACE), R(OW_KEEP_KEY), OW_NONE));
  put(R(OW_KEEP_VALUE_PLACE), page + parameters.value_offset + place * 2 * parameters.kv_features);
  ow_mov(HALF, WORK(R(OW_KEEP_VALUE_PLACE), R(OW_KEEP_VALUE), OW_NONE));
}

// The dimensions of scores for a page that is not full: `n` places of it, a multiple of 8.
static void shorten(uint32_t n) {
  const int32_t row_bytes = (int32_t)(2 * parameters.page_places);
  ow_dsrw(R(OW_SCORE_SUMS), OW_DSR_DIM0, ow_dim_word(n, 4));
  ow_dsrw(R(OW_SCORE_SUMS), OW_DSR_DIM1, ow_dim_word(parameters.head_size, -4 * (int32_t)n));
  ow_dsrw(R(OW_SCORE_KEYS), OW_DSR_DIM1,
          ow_dim_word(parameters.head_size, row_bytes - 2 * (int32_t)n));
  ow_dsrw(R(OW_SCORE_PAGE), OW_DSR_DIM0, ow_dim_word(n, 2));
  ow_dsrw(R(OW_SCORE_PAGE), OW_DSR_DIM1,
          ow_dim_word(parameters.heads, (int32_t)(parameters.score_pitch - 2 * n)));
  ow_dsrw(R(OW_SCORE_ROWS), OW_DSR_DIM1,
          ow_dim_word(parameters.heads, 2 * row_bytes - 4 * (int32_t)n));
}

// Scores of the places, rounded up to a multiple of 8. Nothing reads the scores past the last
// place.
static void score(void) {
  const uint32_t page = parameters.page_places;
  const uint32_t shadow = places > page ? page : 0;  // the first page or the second
  for (uint32_t place = 0; place < places; place += page) {
    const uint32_t n = (places - place + 7) & ~7u;
    put(R(OW_SCORE_KEYS), page_at(place));
    if (n < page) shorten(n);
    ow_fma(MIXED, WORK(R(OW_SCORE_SUMS), R(OW_SCORE_KEYS), R(OW_SCORE_QUERY)) | OW_FRESH);
    if (place == 0) LOAD_GROUP(SOFTMAX);
    if (place == shadow) LOAD_GROUP(MIX);
    put(R(OW_SCORE_PAGE), parameters.scores + 2 * place);
    ow_cvt(OW_F32, WORK(R(OW_SCORE_PAGE), R(OW_SCORE_ROWS), OW_NONE));
  }
  ow_dsrw(R(OW_SOFTMAX_SCORES), OW_DSR_DIM0, ow_dim_word(places, 2));
  ow_dsrw(R(OW_SOFTMAX_SCORES), OW_DSR_DIM1,
          ow_dim_word(parameters.heads, (int32_t)(parameters.score_pitch - 2 * places)));
  WAIT(R(OW_SCORE_PAGE));
  ow_rmax(HALF, ON(R(OW_SOFTMAX_WIDE_MAXIMUM), R(OW_SOFTMAX_SCORES), OW_NONE));
}

// The maxima of all rows.
static void find_maxima(void) {
  const uint32_t heads = parameters.heads;
  uint32_t from = R(OW_SOFTMAX_WIDE_MAXIMUM);
  if (parameters.rows > 1) {
    WORDS(OW_DSR_WORDS_IN, heads);
    JOIN(ow_max, from, from, heads);
    if (is_last_row()) {
      WORDS(OW_DSR_WORDS_OUT, heads);
      ow_mov(OW_F32, ON(OW_DSR_WORDS_OUT, from, OW_NONE));
    }
    from = OW_DSR_WORDS_IN;
  }
  ow_cvt(OW_F32, ON(R(OW_SOFTMAX_MAXIMUM), from, OW_NONE));
}

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

// The totals of all rows, and what sends the result.
static void join_totals(void) {
  const uint32_t total = R(OW_SOFTMAX_TOTAL);
  WAIT(total);
  if (parameters.rows > 1) JOIN(ow_add, total, total, parameters.heads);
  if (!is_last_row()) return;
  invert();
  LOAD(OW_DSR_SENT, OW_WORDS_MIXED);
  LOAD(OW_DSR_SENT_TO, OW_WORDS_MIXED_OUT);
}

// e^(score - maximum), their sums, and the sums of values by them. The core returns while the last
// page is under way, and arms the next product in between.
static void mix(void) {
  const uint32_t scores = R(OW_SOFTMAX_SCORES);
  if (places > 0) {
    ow_sub(HALF, WORK(scores, scores, R(OW_SOFTMAX_EACH_MAXIMUM)));
    ow_exp(HALF, WORK(scores, scores, OW_NONE));
  }
  arm_b(&parameters.output, feed);
  if (is_last_row()) LOAD_GROUP(DIVIDE);
  ow_mov_s(OW_F32, WORK(R(OW_MIX_ROWS), OW_NONE, OW_NONE), 0.0f);
  if (places == 0) {
    ow_mov_s(OW_F32, ON(R(OW_SOFTMAX_TOTAL), OW_NONE, OW_NONE), 0.0f);
    join_totals();
    return;
  }
  ow_sum(HALF, WORK(R(OW_SOFTMAX_TOTAL), scores, OW_NONE));
  const uint32_t page = parameters.page_places;
  const int32_t row_bytes = (int32_t)(4 * parameters.heads * parameters.head_size);
  for (uint32_t place = 0; place < places; place += page) {
    const uint32_t left_over = places - place;
    put(R(OW_MIX_VALUES), page_at(place) + parameters.value_offset);
    put(R(OW_MIX_WEIGHTS), parameters.scores + 2 * place);
    if (left_over < page) {
      ow_dsrw(R(OW_MIX_SUMS), OW_DSR_DIM3, ow_dim_word(left_over, -row_bytes));
    }
    ow_fma(MIXED, WORK(R(OW_MIX_SUMS), R(OW_MIX_VALUES), R(OW_MIX_WEIGHTS)));
    if (place == 0) join_totals();
  }
}

// Column 0, while the product of the attention comes: what the second norm needs.
static void prepare_norm(void) {
  load_group(OW_NORM_FIRST, OW_WORDS_SECOND_NORM, OW_NORM_SECOND_END - OW_NORM_FIRST);
  wait_next_sent();
  // The last row may still need these to send the vector again.
  if (!is_last_row() || parameters.output.passes == 1) load_normal(OW_WORDS_SECOND_NORM);
}

static void attend(void) {
  const uint32_t heads = parameters.heads;
  const int last = is_last_row();
  if (sends_again()) LOAD(OW_DSR_SENT, OW_WORDS_TAKEN);
  WORDS(OW_DSR_WORDS_IN, heads * parameters.head_size / 2 + parameters.kv_features);
  ow_mov(OW_I32, OW_CTL(OW_DSR_SENT, OW_DSR_WORDS_IN, OW_NONE, THREAD_SEND));
  if (last) turn();
  WAIT(OW_DSR_SENT);
  if (keeps) keep();
  if (places > 0) {
    score();
  } else {
    LOAD_GROUP(SOFTMAX);
    LOAD_GROUP(MIX);
    ow_mov_s(OW_F32, ON(R(OW_SOFTMAX_WIDE_MAXIMUM), OW_NONE, OW_NONE), -__builtin_inf());
  }
  find_maxima();
  mix();
  WAIT(R(OW_MIX_SUMS));
  WAIT(R(OW_MIX_ROWS));
  JOIN(ow_add, R(OW_MIX_WIDE), R(OW_MIX_ROWS), heads * parameters.head_size);
  if (last) {
    ow_mul(OW_F32, ON(R(OW_DIVIDE_MIX), R(OW_DIVIDE_MIX), R(OW_DIVIDE_EACH_TOTAL)));
    ow_cvt(OW_F32, ON(R(OW_DIVIDE_RESULT), R(OW_MIX_WIDE), OW_NONE));
    send_loaded();
  }
  if (my_column == 0) prepare_norm();
}

static void feed(void) {
  arm_a(&parameters.hidden, 0, shrink);
  at_half(open_gates);
  if (my_column == 0) {
    ow_add(HALF, ON(R(OW_NORM_X), R(OW_NORM_INBOX), R(OW_NORM_Y)));
    take_next();
    if (is_last_row() && parameters.output.passes > 1) load_normal(OW_WORDS_SECOND_NORM);
    send_normal();
  }
  if (is_last_row()) LOAD_GROUP(SHRINK);
}

// The gates are there, the units come: gate * sigmoid(gate).
static void open_gates(void) {
  if (!is_last_row()) return;
  const uint32_t hidden = R(OW_SHRINK_HIDDEN), gate = R(OW_SHRINK_GATE);
  ow_sigmoid(HALF, WORK(hidden, gate, OW_NONE));
  ow_mul(HALF, WORK(hidden, gate, hidden));
}

static void shrink(void) {
  arm_b(&parameters.down, end);
  if (!is_last_row()) return;
  const uint32_t hidden = R(OW_SHRINK_HIDDEN);
  WAIT(hidden);
  ow_mul(HALF, ON(hidden, hidden, R(OW_SHRINK_UNIT)));
  LOAD(OW_DSR_SENT, OW_WORDS_HIDDEN);
  LOAD(OW_DSR_SENT_TO, OW_WORDS_HIDDEN_OUT);
  send_loaded();
}

static void end(void) {
  if (my_column == 0) {
    if (my_row == 0) put_command();
    ow_add(HALF, ON(R(OW_NORM_RESIDUAL), R(OW_NORM_RESIDUAL), R(OW_NORM_Y)));
    send_next();
  }
  start();
}
