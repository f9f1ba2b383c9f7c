// SPDX-License-Identifier: Apache-2.0
// Softmax attention of a tile's heads, forward (N111). One head after the other, one block of keys
// after the other; products go into the accumulator cache, some rows at a time.
//
// A tile sends keys and values on while it works on them. The longest work of a sequence's tiles is
// that of its last one.
#include "attention.h"

OW_FLOW(keys);

void attention_rows(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length, uint32_t rows,
                    uint32_t row_pitch) {
  ow_dsr_mem2(dsr, type, addr, length, (int32_t)ow_type_bytes(type), rows, (int32_t)row_pitch);
}

void attention_set(uint32_t dsr, uint32_t addr, uint32_t dim0, uint32_t dim1, uint32_t dim2) {
  ow_dsrw(dsr, OW_DSR_ADDRESS, addr);
  ow_dsrw(dsr, OW_DSR_DIM0, dim0);
  ow_dsrw(dsr, OW_DSR_DIM1, dim1);
  ow_dsrw(dsr, OW_DSR_DIM2, dim2);
}

void attention_queue(uint32_t dsr, uint32_t kind, uint32_t words) {
  set_row(dsr, OW_F32, 0, words);
  ow_dsrw(dsr, OW_DSR_KIND, kind);
}

ATTENTION_SHARED void attention_set_kinds(void) {
  for (uint32_t dsr = PRODUCT; dsr < ANY; ++dsr) {
    ow_dsr_mem1(dsr, dsr < PRODUCT_A ? OW_F32 : half_type(), OW_ACC_ADDR(0), samples, 4);
  }
}

// Keys and values of a block to the next tile, beside everything else. 16-bit numbers go in pairs.
// The way from keys to values may be longer than a step: two dimensions share it.
static void send_block(const struct attention_block* b, uint32_t size) {
  const uint32_t length = samples / 2, way = b->values - b->keys - size * b->pitch;
  const uint32_t part = way / 2 & ~3u;
  attention_rows(SENT, OW_F32, b->keys, length, size, b->pitch);
  ow_dsrw(SENT, OW_DSR_DIM2, attention_dim(1, part));
  ow_dsrw(SENT, OW_DSR_DIM3, attention_dim(2, way - part));
  attention_queue(SENT_TO, OW_WORD_FABRIC_OUT(OW_F32, keys.out), samples * size);
  ow_mov(OW_F32, OW_CTL(SENT_TO, SENT, OW_NONE, THREAD_GATHER));
}

// The query after those, from a slot on, that are of one sequence.
static uint32_t sequence_end(const struct attention_head* h, uint32_t slot) {
  const int32_t* starts = attention_slots(h->p) + OW_SLOTS_STARTS;
  const uint32_t all = attention_from(h) + h->width;
  uint32_t end = slot + 8;
  while (end < all && starts[end / 8] == starts[slot / 8]) end += 8;
  return end;
}

// Of the tile's slots the first one of the sequence of a slot.
static uint32_t first_slot(const struct attention_head* h, uint32_t slot) {
  const int32_t start = attention_slots(h->p)[OW_SLOTS_STARTS + slot / 8];
  return start > 0 ? (uint32_t)start : 0;
}

static int goes_east(const struct attention_head* h, const struct attention_block* b) {
  return (uint32_t)attention_slots(h->p)[OW_SLOTS_EAST] > b->block;
}

void attention_begin(const struct ow_attention* p, uint32_t head, uint32_t width, uint32_t from,
                     struct attention_head* h, struct attention_block* b) {
  const uint32_t row = 2 * width, at = head * row, keys_at = head * pitch();
  attention_set_kinds();
  h->p = p;
  h->b = b;
  h->size = p->size;
  h->width = width;
  h->row_bytes = row;
  h->from = from;
  h->rows = 16 * lanes / width;
  h->q = p->q + at;
  h->k = p->k + keys_at;
  h->v = p->v + keys_at;
  h->y = p->y + at;
  h->value_pitch = p->heads * pitch();
  h->result_pitch = p->heads * row;
  h->maxima = p->kept + 3 * at;
  h->inverses = h->maxima + row;
  const int in_place = p->queries == p->q;
  h->queries = in_place ? h->q : p->queries;
  h->query_pitch = in_place ? h->result_pitch : row;
  h->sums = p->work;
  h->received = h->sums + 2 * OW_ATTENTION_HEAD_BYTES(width, p->size);
  h->scores = h->received + 2 * OW_ATTENTION_HEAD_BYTES(samples, p->size);
  h->row = h->scores + OW_ATTENTION_SCORE_BYTES(samples, width);
  h->wide_row = h->row + row;
  h->total = h->wide_row + 2 * row;
  h->along = h->total + 2 * row;
  h->slopes = h->along + 2 * row;
  h->part = h->slopes + OW_ATTENTION_SCORE_BYTES(samples, width);
  h->delta = p->delta + at;
  attention_rows(ANY_A, half_type(), h->q, width, h->size, h->result_pitch);
  attention_rows(ANY, half_type(), h->queries, width, h->size, h->query_pitch);
  OW_HALF_DO(ow_mul_s, ATTENTION_DO(ANY, ANY_A, OW_NONE), p->scale);
  b->block = 0;
  b->keys = h->k;
  b->values = h->v;
  b->pitch = h->value_pitch;
  b->reach = width;
  b->first = ATTENTION_HALVES ? first_slot(h, from) : 0;
  b->piece.query = b->piece.queries = 0;
  if (goes_east(h, b)) send_block(b, h->size);
}

int attention_receive(struct attention_head* h, struct attention_block* next, uint32_t thread) {
  const int32_t* slots = attention_slots(h->p);
  const uint32_t words = samples * h->size, block = h->b->block + 1;
  if (h->b->block == (uint32_t)slots[OW_SLOTS_WEST]) return 0;
  if (block > 1) attention_end(SENT_TO);
  const int32_t first = slots[OW_SLOTS_STARTS + attention_from(h) / 8] + (int32_t)(block * samples);
  next->block = block;
  next->keys = h->received;
  next->values = h->received + OW_ATTENTION_HEAD_BYTES(samples, h->size);
  next->pitch = pitch();
  next->reach = sequence_end(h, attention_from(h)) - attention_from(h);
  next->first = first > 0 ? (uint32_t)first : 0;
  next->piece.query = next->piece.queries = 0;
  attention_queue(FROM, OW_WORD_FABRIC_IN(OW_F32, keys.in), words);
  set_row(RECEIVED, OW_F32, h->received, words);
  ow_mov(OW_F32, OW_CTL(RECEIVED, FROM, OW_NONE, thread));
  return 1;
}

void attention_pass_on(struct attention_head* h, const struct attention_block* b) {
  if (!goes_east(h, b)) return;
  attention_end(RECEIVED);
  send_block(b, h->size);
}

int attention_piece(struct attention_head* h) {
  const struct attention_block* b = h->b;
  struct attention_piece* piece = &h->b->piece;
  const uint32_t next = piece->queries > 0 ? piece->key + piece->keys : b->first;
  const uint32_t from = attention_from(h), end = b->block > 0 ? samples : from + h->width;
  if (next == end) {
    piece->query = piece->queries = 0;
    return 0;
  }
  piece->now = 0;
  piece->key = next;
  if (b->block > 0) {
    piece->first = 1;
    piece->queries = b->reach;
    piece->keys = end - next;
  } else {
    const uint32_t query = next > from ? next - from : 0, slot = from + query;
    if (query > 0) piece->queries -= 8;  // they are before this key
    piece->first = piece->queries == 0;
    if (piece->first) piece->queries = sequence_end(h, slot) - slot;
    piece->query = query;
    piece->keys = 8;
  }
  return 1;
}

uint32_t attention_fill(struct attention_head* h, uint32_t left) {
  struct attention_piece* piece = &h->b->piece;
  const uint32_t width = piece->queries;
  if (piece->now == 0 || piece->now > left) {
    const uint32_t most = 16 * lanes / width, now = most < left ? most : left;
    const uint32_t rows = attention_dim(now, h->row_bytes - 2 * width);
    piece->now = now;
    ow_dsrw(PRODUCT, OW_DSR_DIM2, attention_dim(now, 4 * width));
    ow_dsrw(FILL, OW_DSR_DIM1, now);
    ow_dsrw(SCORES, OW_DSR_DIM1, rows);
    ow_dsrw(WIDE, OW_DSR_DIM1, now);
    ow_dsrw(SLOPES, OW_DSR_DIM1, rows);
  }
  return piece->now;
}

void attention_begin_products(struct attention_head* h, uint32_t query_pitch) {
  const uint32_t key_pitch = h->b->pitch;
  ow_dsrw(PRODUCT_A, OW_DSR_DIM0, attention_dim(1, 2));
  ow_dsrw(PRODUCT_A, OW_DSR_DIM2, attention_dim(1, -h->size * query_pitch));
  attention_set(PRODUCT_B, 0, 1, attention_dim(1, key_pitch),
                attention_dim(1, 2 - h->size * key_pitch));
}

void attention_set_products(struct attention_head* h, uint32_t queries, uint32_t query_pitch) {
  const struct attention_piece* piece = &h->b->piece;
  const uint32_t width = piece->queries, words = attention_dim(width, 4);
  ow_dsrw(PRODUCT, OW_DSR_DIM0, words);
  ow_dsrw(PRODUCT, OW_DSR_DIM1, attention_dim(h->size, -4 * width));
  ow_dsrw(PRODUCT_A, OW_DSR_ADDRESS, queries + 2 * piece->query);
  ow_dsrw(PRODUCT_A, OW_DSR_DIM1, attention_dim(1, query_pitch - 2 * width));
  ow_dsrw(FILL, OW_DSR_DIM0, words);
  ow_dsrw(SCORES, OW_DSR_DIM0, attention_dim(width, 2));
}

void attention_products(uint32_t keys) {
  ow_dsrw(PRODUCT_B, OW_DSR_ADDRESS, keys);
  OW_MIXED_DO(ow_fma, ATTENTION_DO(PRODUCT, PRODUCT_A, PRODUCT_B) | OW_FRESH);
}

static uint32_t score_at(const struct attention_head* h, const struct attention_piece* piece) {
  return h->scores + piece->key * h->row_bytes + 2 * piece->query;
}

void attention_scores(struct attention_head* h) {
  struct attention_piece* piece = &h->b->piece;
  attention_begin_products(h, h->query_pitch);
  while (attention_piece(h)) {
    uint32_t to = score_at(h, piece), keys = h->b->keys + 2 * piece->key, now;
    attention_set_products(h, h->queries, h->query_pitch);
    for (uint32_t left = piece->keys; left > 0; left -= now) {
      now = attention_fill(h, left);
      attention_products(keys);
      ow_dsrw(SCORES, OW_DSR_ADDRESS, to);
      ow_cvt(OW_F32, ATTENTION_DO(SCORES, FILL, OW_NONE));
      keys += 2 * now;
      to += now * h->row_bytes;
    }
  }
  if (h->b->block > 0) return;
  // The triangle to each group of queries and its own keys.
  const uint32_t at = h->scores + attention_from(h) * h->row_bytes;
  attention_rows(ANY, half_type(), at, 8, 8, h->row_bytes);
  ow_dsrw(ANY, OW_DSR_DIM2, attention_dim(h->width / 8, 16));
  set_row(ANY_A, half_type(), h->p->slots, 8);
  ow_dsrw(ANY_A, OW_DSR_DIM2, attention_dim(1, -4 * OW_SLOTS_TRIANGLE_WORDS));
  OW_HALF_DO(ow_add, ATTENTION_DO(ANY, ANY, ANY_A));
}

// SCORES: those of a piece; ANY: the maxima of its queries, again for each key.
static void set_piece(const struct attention_head* h) {
  const struct attention_piece* piece = &h->b->piece;
  const uint32_t width = piece->queries;
  attention_rows(ANY, half_type(), h->maxima + 2 * piece->query, width, piece->keys, 0);
  attention_set(SCORES, score_at(h, piece), attention_dim(width, 2),
                attention_dim(piece->keys, h->row_bytes - 2 * width), 0);
}

void attention_powers(struct attention_head* h) {
  while (attention_piece(h)) {
    set_piece(h);
    OW_HALF_DO(ow_sub, ATTENTION_DO(SCORES, SCORES, ANY));
    OW_HALF_DO(ow_exp, ATTENTION_DO(SCORES, SCORES, OW_NONE));
  }
}

void attention_weighted(struct attention_head* h, uint32_t rows, uint32_t weights, uint32_t feature,
                        uint32_t count, uint32_t to) {
  const struct attention_block* b = h->b;
  const struct attention_piece* piece = &b->piece;
  const uint32_t sums = attention_dim(count, 4 * (h->width - b->reach));
  const uint32_t values = rows + feature * b->pitch;
  ow_dsrw(SUMS, OW_DSR_ADDRESS, to);
  ow_dsrw(SUMS, OW_DSR_DIM1, sums);
  ow_dsrw(SUMS_A, OW_DSR_DIM1, sums);
  ow_dsrw(WEIGHTED, OW_DSR_DIM2, attention_dim(count, 2 * h->row_bytes));
  if (b->block > 0 && feature > 0) {  // the other words are there
    ow_dsrw(WEIGHTED_B, OW_DSR_ADDRESS, values + 2 * b->first);
    OW_MIXED_DO(ow_fma, ATTENTION_DO(WEIGHTED, WEIGHTED_A, WEIGHTED_B) | OW_FRESH);
    return;
  }
  if (feature == 0) {
    const uint32_t keys = b->block > 0 ? samples - b->first : 8;  // of each piece
    ow_dsrw(SUMS, OW_DSR_DIM0, attention_dim(b->reach, 4));
    ow_dsrw(SUMS_A, OW_DSR_DIM0, attention_dim(b->reach, 4));
    ow_dsrw(WEIGHTED_A, OW_DSR_DIM0, attention_dim(1, 2));
    ow_dsrw(WEIGHTED_A, OW_DSR_DIM2, attention_dim(1, -keys * h->row_bytes));
    attention_set(WEIGHTED_B, 0, 1, attention_dim(1, 2), attention_dim(1, b->pitch - 2 * keys));
  }
  while (attention_piece(h)) {
    const uint32_t width = piece->queries, ctl = ATTENTION_DO(WEIGHTED, WEIGHTED_A, WEIGHTED_B);
    const uint32_t fresh = piece->first ? OW_FRESH : 0;
    ow_dsrw(WEIGHTED, OW_DSR_ADDRESS, OW_ACC_ADDR(piece->query));
    ow_dsrw(WEIGHTED, OW_DSR_DIM0, attention_dim(width, 4));
    ow_dsrw(WEIGHTED, OW_DSR_DIM1, attention_dim(piece->keys, -4 * width));
    ow_dsrw(WEIGHTED_A, OW_DSR_ADDRESS, weights + piece->key * h->row_bytes + 2 * piece->query);
    ow_dsrw(WEIGHTED_A, OW_DSR_DIM1, attention_dim(1, h->row_bytes - 2 * width));
    if (rows == 0) {
      OW_MIXED_DO(ow_fma_s, ctl | fresh, 1.0);
      continue;
    }
    ow_dsrw(WEIGHTED_B, OW_DSR_ADDRESS, values + 2 * piece->key);
    OW_MIXED_DO(ow_fma, ctl | fresh);
  }
}

// The maxima over the keys so far. Between blocks, what sums shrink by goes to `wide_row`.
static void join_maxima(struct attention_head* h) {
  const struct attention_block* b = h->b;
  set_row(ANY_A, half_type(), h->maxima, b->reach);
  set_row(ANY_B, half_type(), h->row, b->reach);
  if (b->block == 0) {
    ow_mov_s(OW_I16, ATTENTION_DO(ANY_A, OW_NONE, OW_NONE), half == OW_BF16 ? 0xFF80u : 0xFC00u);
  } else {
    ow_mov(OW_I16, ATTENTION_DO(ANY_B, ANY_A, OW_NONE));
  }
  while (attention_piece(h)) {
    set_piece(h);
    OW_HALF_DO(ow_max, ATTENTION_DO(ANY, ANY, SCORES));
  }
  if (b->block == 0) return;
  attention_set(SUMS_B, h->wide_row, attention_dim(b->reach, 4), attention_dim(1, -4 * b->reach),
                0);
  OW_HALF_DO(ow_sub, ATTENTION_DO(ANY_B, ANY_B, ANY_A));
  OW_HALF_DO(ow_exp, ATTENTION_DO(ANY_B, ANY_B, OW_NONE));
  OW_HALF_DO(ow_cvt, ATTENTION_DO(SUMS_B, ANY_B, OW_NONE));
}

// Sums of a block join those of the blocks before.
static void join_sums(struct attention_head* h, uint32_t rows, uint32_t feature, uint32_t count,
                      uint32_t to) {
  attention_weighted(h, rows, h->scores, feature, count, to);
  if (h->b->block > 0) ow_fma(OW_F32, ATTENTION_DO(SUMS_A, SUMS, SUMS_B));
  ow_mov(OW_F32, ATTENTION_DO(SUMS, SUMS_A, OW_NONE));
}

// The inverse of the sums of powers, by one step of Newton's method.
static void invert(struct attention_head* h) {
  enum { TOTAL = ANY_A, MINUS = ANY, R = ANY_B, HALF = SCORES };
  set_row(TOTAL, OW_F32, h->total, h->width);
  set_row(MINUS, OW_F32, h->wide_row, h->width);
  set_row(R, OW_F32, h->inverses, h->width);
  set_row(HALF, OW_BF16, h->row, h->width);
  ow_cvt(OW_F32, ATTENTION_DO(HALF, TOTAL, OW_NONE));
  ow_rcp(OW_BF16, ATTENTION_DO(HALF, HALF, OW_NONE));
  ow_cvt(OW_BF16, ATTENTION_DO(R, HALF, OW_NONE));
  ow_mul_s(OW_F32, ATTENTION_DO(MINUS, TOTAL, OW_NONE), -1.0f);
  ow_mov_s(OW_F32, ATTENTION_DO(TOTAL, OW_NONE, OW_NONE), 1.0f);
  ow_fma(OW_F32, ATTENTION_DO(TOTAL, MINUS, R));
  ow_mov(OW_F32, ATTENTION_DO(MINUS, R, OW_NONE));
  ow_fma(OW_F32, ATTENTION_DO(R, MINUS, TOTAL));
}

// The next block's keys and values, on the thread of all instructions.
static int next_block(struct attention_head* h) {
  if (!attention_receive(h, h->b, THREAD_WEIGHTS)) return 0;
  attention_pass_on(h, h->b);
  return 1;
}

ATTENTION_SHARED void attention_forward(const struct ow_attention* p, uint32_t head, uint32_t width,
                                        uint32_t from) {
  struct attention_head of;
  struct attention_block b;
  struct attention_head* h = &of;
  attention_begin(p, head, width, from, h, &b);
  do {
    attention_scores(h);
    join_maxima(h);
    attention_powers(h);
    join_sums(h, 0, 0, 1, h->total);
    uint32_t now;
    for (uint32_t f = 0; f < h->size; f += now) {
      now = attention_part(h, f);
      join_sums(h, h->b->values, f, now, h->sums + 2 * f * h->row_bytes);
    }
  } while (next_block(h));
  invert(h);
  attention_rows(ANY_A, OW_F32, h->sums, width, h->size, 4 * width);
  attention_rows(ANY_B, OW_F32, h->inverses, width, h->size, 0);
  ow_mul(OW_F32, ATTENTION_DO(ANY_A, ANY_A, ANY_B));
  attention_rows(ANY, half_type(), h->y, width, h->size, h->result_pitch);
  ow_cvt(OW_F32, ATTENTION_DO(ANY, ANY_A, OW_NONE));
}

OW_PHASE(attention, struct ow_attention, p) {
  for (uint32_t head = 0; head < p->heads; ++head) attention_forward(p, head, samples, 0);
  attention_end(ANY);
  attention_end(SENT_TO);
}
