// SPDX-License-Identifier: Apache-2.0
// A head that two tiles of a column share, half the ring from each other. What one of them has and
// the other needs goes round the ring; cycles: for each grid row on the way one a word, and 60.
#include "attention.h"

// Rows of words that go round the column. Pitches are bytes.
struct column_rows {
  uint32_t from, from_pitch, to, to_pitch;
  uint32_t length, rows;
};

// Each tile sends its rows half the ring further, and has received others when this returns. What
// passes by is kept at `room` for a while: twice its bytes, if there is more than one hop.
static void turn_column(const struct column_rows* p, uint32_t room) {
  enum { ROWS_OUT = DSR_ROUND, OUT, IN, ROWS_IN };
  const uint32_t words = p->length * p->rows, here = 4 * words, hops = grid_rows / 2;
  ow_dsr_fabric_out(OUT, OW_F32, sums.out, words, 0);
  ow_dsr_fabric_in(IN, OW_F32, sums.in, words);
  attention_rows(ROWS_OUT, OW_F32, p->from, p->length, p->rows, p->from_pitch);
  for (uint32_t n = 1;; ++n) {
    const uint32_t at = room + n % 2 * here;
    ow_mov(OW_F32, OW_CTL(OUT, ROWS_OUT, OW_NONE, THREAD_WEIGHTS));
    if (n < hops) {
      set_row(ROWS_IN, OW_F32, at, words);
    } else {
      attention_rows(ROWS_IN, OW_F32, p->to, p->length, p->rows, p->to_pitch);
    }
    ow_mov(OW_F32, OW_CTL(ROWS_IN, IN, OW_NONE, THREAD_GATHER));
    attention_end(ROWS_IN);
    attention_end(ROWS_OUT);
    if (n == hops) return;
    set_row(ROWS_OUT, OW_F32, at, words);
  }
}

static const struct ow_attention_halves* halves_of(const struct attention_head* h) {
  return (const struct ow_attention_halves*)h->p;  // its first member
}

static void copy_rows(uint32_t from, uint32_t to, uint32_t length, uint32_t rows,
                      uint32_t from_pitch, uint32_t to_pitch) {
  attention_rows(ANY_A, OW_F32, from, length, rows, from_pitch);
  attention_rows(ANY, OW_F32, to, length, rows, to_pitch);
  ow_mov(OW_F32, ATTENTION_DO(ANY, ANY_A, OW_NONE));
}

// Rows of all features, from those of the tile and those of the other one.
static void get_keys(const struct ow_attention_halves* p, uint32_t own, uint32_t all) {
  const uint32_t rows = p->of.size / 2, length = samples / 2, mine = p->part * pitch();
  const struct column_rows sent = {own, pitch(), all + pitch() - mine, 2 * pitch(), length, rows};
  copy_rows(own, all + mine, length, rows, pitch(), 2 * pitch());
  turn_column(&sent, p->of.work);
}

// Between a value of all queries and some features, and one of the tile's half of the queries and
// all features: for each row of the one there are two in the other, of as many bytes in all.
static void exchange(const struct ow_attention_halves* p, uint32_t from, uint32_t to) {
  const uint32_t rows = p->of.size / 2, length = samples / 4;
  const uint32_t mine = p->part * samples, others = samples - mine;  // bytes
  const struct column_rows sent = {from + others, pitch(), to + others, pitch(), length, rows};
  copy_rows(from + mine, to + mine, length, rows, pitch(), pitch());
  turn_column(&sent, p->of.work);
}

static void get_operands(const struct ow_attention_halves* p) {
  exchange(p, p->q, p->of.q);
  get_keys(p, p->k, p->of.k);
  get_keys(p, p->v, p->of.v);
}

static void clear(uint32_t at, uint32_t keys, uint32_t size) {
  if (keys == 0) return;
  attention_rows(ANY, OW_F32, at, keys, size, 4 * samples);
  ow_mov_s(OW_F32, ATTENTION_DO(ANY, OW_NONE, OW_NONE), 0.0f);
}

void attention_clear_rest(const struct attention_head* h) {
  const uint32_t end = h->from + h->width;
  clear(h->part, h->b->first, h->size);
  clear(h->part + 4 * end, samples - end, h->size);
}

// On the way rows are where the tile's own keys and values have been, which it has sent on.
void attention_join_halves(const struct attention_head* h, uint32_t to) {
  const struct ow_attention_halves* p = halves_of(h);
  const uint32_t row = 4 * samples, rows = h->size / 2;
  const uint32_t mine = h->part + p->part * row, others = h->part + row - p->part * row;
  // What is received lies where what was sent has been, if it is not received meanwhile.
  const int next = grid_rows == 2;
  const uint32_t in = next ? p->of.k : others, pitch_in = next ? row : 2 * row;
  const struct column_rows sent = {others, 2 * row, in, pitch_in, samples, rows};
  attention_end(SENT_TO);
  turn_column(&sent, p->of.k);
  attention_rows(ANY_A, OW_F32, mine, samples, rows, 2 * row);
  attention_rows(ANY_B, OW_F32, in, samples, rows, pitch_in);
  ow_add(OW_F32, ATTENTION_DO(ANY_A, ANY_A, ANY_B));
  attention_rows(ANY, half_type(), to, samples, rows, pitch());
  ow_cvt(OW_F32, ATTENTION_DO(ANY, ANY_A, OW_NONE));
  attention_set_kinds();
}

OW_PHASE(attention_halves, struct ow_attention_halves, p) {
  const uint32_t width = samples / 2;
  get_operands(p);
  attention_forward(&p->of, 0, width, p->part * width);
  exchange(p, p->of.y, p->y);
  attention_end(ANY);
  attention_end(SENT_TO);
}

OW_PHASE(attention_halves_deltas, struct ow_attention_halves, p) {
  const uint32_t width = samples / 2;
  get_operands(p);
  exchange(p, p->y, p->of.y);
  exchange(p, p->delta, p->of.delta);
  attention_backward(&p->of, 0, width, p->part * width);
  exchange(p, p->of.dq, p->dq);
  attention_end(ANY);
  attention_end(SENT_TO);
}
