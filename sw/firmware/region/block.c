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

OW_FLOW(right);
const struct ow_flow* const region_flows[OW_REGION_FLOWS] = {
    [OW_FLOW_ROW] = &row,    [OW_FLOW_UP] = &up,     [OW_FLOW_COMMAND] = &command,
    [OW_FLOW_JOIN] = &join,  [OW_FLOW_NEXT] = &next, [OW_FLOW_LEFT] = &left,
    [OW_FLOW_RIGHT] = &right};

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

static void load_normal(void) {
  LOAD(OW_DSR_SENT, OW_WORDS_NORM + OW_NORM_NORMAL - OW_NORM_FIRST);
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
  load_normal();
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

// Cosine and sine of the position (N110).
static void angles(void) {
  static const float series[] = {-0x1.30fc4ep-4f, 0x1.0c2cf4p-1f, -0x1.0356b6p+1f, 0x1.921faap+1f};
  const uint32_t turns = R(OW_ANGLE_TURNS), y = R(OW_ANGLE_Y), square = R(OW_ANGLE_SQUARE);
  const uint32_t sum = R(OW_ANGLE_SERIES);
  LOAD_GROUP(ANGLE);
  ow_mul_s(OW_I32, WORK(turns, R(OW_ANGLE_STEPS), OW_NONE), now.position);
  ow_add(OW_I32, WORK(turns, turns, R(OW_ANGLE_QUARTER)));
  ow_cvt(OW_I32, WORK(y, turns, OW_NONE));
  ow_mul_s(OW_F32, WORK(y, y, OW_NONE), 0x1p-31f);
  ow_mul(OW_F32, WORK(square, y, y));
  ow_mul_s(OW_F32, WORK(sum, square, OW_NONE), 0x1.877734p-8f);
  for (uint32_t k = 0;; ++k) {
    ow_add_s(OW_F32, WORK(sum, sum, OW_NONE), series[k]);
    if (k == 3) break;
    ow_mul(OW_F32, WORK(sum, sum, square));
  }
  ow_mul(OW_F32, WORK(square, y, square));
  ow_sub(OW_F32, WORK(y, y, square));
  ow_mul(OW_F32, WORK(y, y, sum));
  ow_cvt(OW_F32, WORK(R(OW_ANGLE_BOTH), y, OW_NONE));
  ow_mul_s(HALF, WORK(R(OW_ANGLE_MINUS_SIN), R(OW_ANGLE_SIN), OW_NONE), -1.0);
}

// The last row. Column 0 has the norm to do, so the next column makes them for it.
static void take_angles(void) {
  const int shared = my_column <= 1 && parameters.columns > 1 && parameters.parts == 1;
  if (shared) {
    LOAD(R(OW_ANGLE_WORDS), OW_WORDS_ANGLE_WORDS);
    LOAD(R(OW_ANGLE_LEFT), OW_WORDS_ANGLE_LEFT);
  }
  if (shared && my_column == 0) {
    ow_mov(OW_I32, ON(R(OW_ANGLE_WORDS), R(OW_ANGLE_LEFT), OW_NONE));
    return;
  }
  angles();
  if (shared) ow_mov(OW_I32, WORK(R(OW_ANGLE_LEFT), R(OW_ANGLE_WORDS), OW_NONE));
}

// Column 0 sends its vector once more when this step is over, so its descriptors must stay.
static int sends_again(void) { return my_column == 0 && parameters.attention.passes > 1; }

// The page of a place: its address; its places.
struct page {
  uint32_t address, places;
};
static struct page page_at(uint32_t place) {
  const uint32_t number = pages[place >> parameters.page_bits];
  return (struct page){
      parameters.pages + number * parameters.page_bytes,
      number == parameters.short_page ? parameters.short_places : parameters.page_places};
}
static uint32_t values_of(struct page page) {
  return page.address + 2 * page.places * parameters.kv_features;
}

// The last place of this row takes the new position's key and value.
static void find_new_place(void) {
  LOAD_GROUP(KEEP);
  const struct page page = page_at(places - 1);
  const uint32_t place = (places - 1) & (parameters.page_places - 1), n = parameters.kv_features;
  put(R(OW_KEEP_KEY_PLACE), page.address + 2 * place);
  ow_dsrw(R(OW_KEEP_KEY_PLACE), OW_DSR_DIM0, ow_dim_word(n, (int32_t)(2 * page.places)));
  put(R(OW_KEEP_VALUE_PLACE), values_of(page) + place * 2 * n);
}

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
  if (keeps) find_new_place();
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

// The new position's key and value to their place.
static void keep(void) {
  ow_mov(HALF, WORK(R(OW_KEEP_KEY_PLACE), R(OW_KEEP_KEY), OW_NONE));
  ow_mov(HALF, WORK(R(OW_KEEP_VALUE_PLACE), R(OW_KEEP_VALUE), OW_NONE));
}

// The dimensions of scores for the last page: `n` places of its `all`, a multiple of 8.
static void shorten(uint32_t n, uint32_t all) {
  const int32_t row_bytes = (int32_t)(2 * parameters.page_places), pitch = (int32_t)(2 * all);
  const uint32_t size = parameters.head_size;
  ow_dsrw(R(OW_SCORE_SUMS), OW_DSR_DIM0, ow_dim_word(n, 4));
  ow_dsrw(R(OW_SCORE_SUMS), OW_DSR_DIM1, ow_dim_word(size, -4 * (int32_t)n));
  ow_dsrw(R(OW_SCORE_KEYS), OW_DSR_DIM1, ow_dim_word(size, pitch - 2 * (int32_t)n));
  if (pitch != row_bytes) {
    const int32_t head = (int32_t)size * pitch;
    ow_dsrw(R(OW_SCORE_KEYS), OW_DSR_DIM2, ow_dim_word(parameters.heads_of_kv, -head));
    ow_dsrw(R(OW_SCORE_KEYS), OW_DSR_DIM3,
            ow_dim_word(parameters.heads / parameters.heads_of_kv, head));
  }
  ow_dsrw(R(OW_SCORE_PAGE), OW_DSR_DIM0, ow_dim_word(n, 2));
  ow_dsrw(R(OW_SCORE_PAGE), OW_DSR_DIM1,
          ow_dim_word(parameters.heads, (int32_t)(parameters.score_pitch - 2 * n)));
  ow_dsrw(R(OW_SCORE_ROWS), OW_DSR_DIM1,
          ow_dim_word(parameters.heads, 2 * row_bytes - 4 * (int32_t)n));
}

// The columns of a head have the sums of a part of its features each, for `n` places. They are
// added towards the first column, which tells the others.
static void join_parts(uint32_t n) {
  const uint32_t in = R(OW_PART_IN), out = R(OW_PART_OUT), rows = R(OW_SCORE_ROWS);
  const uint32_t part = parameters.part;
  const int last = part + 1 == parameters.parts;
  const int32_t row_bytes = (int32_t)(4 * n);
  ow_dsrw(rows, OW_DSR_DIM0, ow_dim_word(n, 4));
  ow_dsrw(rows, OW_DSR_DIM1, ow_dim_word(1, -row_bytes));
  LOAD(in, OW_WORDS_PART_IN);
  WORDS(in, n);
  if (part > 0) {
    LOAD(out, OW_WORDS_PART_OUT);
    WORDS(out, n);
    if (last) {
      ow_mov(OW_F32, WORK(out, rows, OW_NONE));
    } else {
      ow_add(OW_F32, WORK(out, in, rows));
    }
    LOAD(in, OW_WORDS_WHOLE_IN);
    WORDS(in, n);
    ow_mov(OW_F32, WORK(rows, in, OW_NONE));
  } else {
    ow_add(OW_F32, WORK(rows, in, rows));
  }
  if (last) return;
  LOAD(out, OW_WORDS_WHOLE_OUT);
  WORDS(out, n);
  ow_mov(OW_F32, WORK(out, rows, OW_NONE));
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Scores of places from `first` on, of a block at most: their number. They are rounded up to a
// multiple of 8; nothing reads the scores past the last place.
static uint32_t score_block(uint32_t first) {
  const uint32_t page = parameters.page_places, count = least(places - first, OW_SCORE_PLACES);
  const uint32_t shadow = count > page ? page : 0;  // the first page or the second
  for (uint32_t place = 0; place < count; place += page) {
    const uint32_t n = (count - place + 7) & ~7u;
    const struct page at = page_at(first + place);
    put(R(OW_SCORE_KEYS), at.address);
    if (n < page) shorten(n, at.places);
    ow_fma(MIXED, WORK(R(OW_SCORE_SUMS), R(OW_SCORE_KEYS), R(OW_SCORE_QUERY)) | OW_FRESH);
    if (parameters.parts > 1) join_parts(least(n, page));
    if (first == 0 && place == 0) LOAD_GROUP(SOFTMAX);
    if (first == 0 && place == shadow) LOAD_GROUP(MIX);
    put(R(OW_SCORE_PAGE), parameters.scores + 2 * place);
    ow_cvt(OW_F32, WORK(R(OW_SCORE_PAGE), R(OW_SCORE_ROWS), OW_NONE));
  }
  ow_dsrw(R(OW_SOFTMAX_SCORES), OW_DSR_DIM0, ow_dim_word(count, 2));
  ow_dsrw(R(OW_SOFTMAX_SCORES), OW_DSR_DIM1,
          ow_dim_word(parameters.heads, (int32_t)(parameters.score_pitch - 2 * count)));
  return count;
}

// The maximum of the row's scores.
static void score(void) {
  const uint32_t most = R(OW_SOFTMAX_WIDE_MAXIMUM), own = R(OW_SOFTMAX_TOTAL);
  for (uint32_t first = 0; first < places; first += OW_SCORE_PLACES) {
    score_block(first);
    WAIT(R(OW_SCORE_PAGE));
    ow_rmax(HALF, ON(first == 0 ? most : own, R(OW_SOFTMAX_SCORES), OW_NONE));
    if (first > 0) ow_max(OW_F32, ON(most, most, own));
  }
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

// The sums of values of `count` places from `first` on, by e^score.
static void mix_block(uint32_t first, uint32_t count, int last) {
  const uint32_t page = parameters.page_places;
  const int32_t row_bytes = (int32_t)(4 * parameters.heads * parameters.head_size);
  for (uint32_t place = 0; place < count; place += page) {
    put(R(OW_MIX_VALUES), values_of(page_at(first + place)));
    put(R(OW_MIX_WEIGHTS), parameters.scores + 2 * place);
    if (count - place < page) {
      ow_dsrw(R(OW_MIX_SUMS), OW_DSR_DIM3, ow_dim_word(count - place, -row_bytes));
    }
    ow_fma(MIXED, WORK(R(OW_MIX_SUMS), R(OW_MIX_VALUES), R(OW_MIX_WEIGHTS)));
    if (last && place == 0) join_totals();
  }
}

// e^(score - maximum), their sums, and the sums of values by them. The core returns while the last
// page is under way, and arms the next product in between. Scores of several blocks take the
// registers of the sums, which wait in memory meanwhile.
static void mix(void) {
  const uint32_t scores = R(OW_SOFTMAX_SCORES), total = R(OW_SOFTMAX_TOTAL);
  const uint32_t sums = R(OW_MIX_ROWS), kept = R(OW_MIX_WIDE), own = R(OW_SOFTMAX_WIDE_MAXIMUM);
  const int again = places > OW_SCORE_PLACES;
  if (again) LOAD_GROUP(SCORE);
  uint32_t first = 0;
  int last;
  do {
    const uint32_t count = again ? score_block(first) : places;
    last = places - first <= OW_SCORE_PLACES;
    if (count > 0) {
      ow_sub(HALF, WORK(scores, scores, R(OW_SOFTMAX_EACH_MAXIMUM)));
      ow_exp(HALF, WORK(scores, scores, OW_NONE));
    }
    if (last) {
      arm_b(&parameters.output, feed);
      if (is_last_row()) LOAD_GROUP(DIVIDE);
    }
    if (first == 0) {
      ow_mov_s(OW_F32, WORK(sums, OW_NONE, OW_NONE), 0.0f);
    } else {
      ow_mov(OW_F32, WORK(sums, kept, OW_NONE));
    }
    if (count == 0) {
      ow_mov_s(OW_F32, ON(total, OW_NONE, OW_NONE), 0.0f);
      join_totals();
      return;
    }
    ow_sum(HALF, WORK(first == 0 ? total : own, scores, OW_NONE));
    if (first > 0) ow_add(OW_F32, WORK(total, total, own));
    mix_block(first, count, last);
    if (!last) ow_mov(OW_F32, WORK(kept, sums, OW_NONE));
    first += OW_SCORE_PLACES;
  } while (!last);
}

// Column 0, while the product of the attention comes: what the second norm needs.
static void prepare_norm(void) {
  load_group(OW_NORM_FIRST, OW_WORDS_NORM, OW_NORM_X - OW_NORM_FIRST);
  load_group(OW_NORM_X, OW_WORDS_SECOND_NORM, OW_NORM_SECOND_END - OW_NORM_X);
  wait_next_sent();
  // The last row may still need these to send the vector again.
  if (!is_last_row() || parameters.output.passes == 1) load_normal();
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
    if (is_last_row() && parameters.output.passes > 1) load_normal();
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
