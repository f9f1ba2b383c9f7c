// SPDX-License-Identifier: Apache-2.0
// The deltas of queries, keys and values (N112). Scores are computed again, block by block. Sums
// for keys and values of a block go from tile to tile to the west, to the tile that has them, on
// the way of the gradients; each tile on the way adds its own.
#include "attention.h"

// Sums of the result times its delta over the features.
static void sum_along(const struct attention_head* h) {
  const uint32_t width = h->width, size = h->size;
  attention_rows(ANY, OW_F32, OW_ACC_ADDR(0), width, size, 0);
  attention_rows(ANY_A, half_type(), h->y, width, size, h->result_pitch);
  attention_rows(ANY_B, half_type(), h->delta, width, size, h->result_pitch);
  OW_MIXED_DO(ow_fma, ATTENTION_DO(ANY, ANY_A, ANY_B) | OW_FRESH);
  ow_dsrw(ALONG, OW_DSR_ADDRESS, h->along);
  ow_mov(OW_F32, ATTENTION_DO(ALONG, FILL, OW_NONE));
}

// Powers become shares of the sum; then the deltas of scores, in the cache.
static void slopes(struct attention_head* h) {
  struct attention_piece* piece = &h->b->piece;
  attention_begin_products(h, h->result_pitch);
  ow_dsrw(WIDE, OW_DSR_ADDRESS, h->part);
  while (attention_piece(h)) {
    const uint32_t width = piece->queries, first = 4 * piece->query;
    const uint32_t words = attention_dim(width, 4), again = attention_dim(1, -4 * width);
    uint32_t at = piece->key * h->row_bytes + 2 * piece->query, now;
    uint32_t values = h->b->values + 2 * piece->key;
    attention_set_products(h, h->delta, h->result_pitch);
    attention_set(INVERSES, h->inverses + first, words, again, 0);
    attention_set(ALONG, h->along + first, words, again, 0);
    ow_dsrw(WIDE, OW_DSR_DIM0, words);
    ow_dsrw(SLOPES, OW_DSR_DIM0, attention_dim(width, 2));
    for (uint32_t left = piece->keys; left > 0; left -= now) {
      now = attention_fill(h, left);
      ow_dsrw(SCORES, OW_DSR_ADDRESS, h->scores + at);
      OW_HALF_DO(ow_cvt, ATTENTION_DO(FILL, SCORES, OW_NONE));
      ow_mul(OW_F32, ATTENTION_DO(FILL, FILL, INVERSES));
      ow_cvt(OW_F32, ATTENTION_DO(SCORES, FILL, OW_NONE));
      attention_products(values);
      ow_sub(OW_F32, ATTENTION_DO(FILL, FILL, ALONG));
      OW_HALF_DO(ow_cvt, ATTENTION_DO(WIDE, SCORES, OW_NONE));
      ow_mul(OW_F32, ATTENTION_DO(FILL, FILL, WIDE));
      ow_dsrw(SLOPES, OW_DSR_ADDRESS, h->slopes + at);
      ow_cvt(OW_F32, ATTENTION_DO(SLOPES, FILL, OW_NONE));
      values += 2 * now;
      at += now * h->row_bytes;
    }
  }
}

// The delta of the queries: a block's sums join those of the blocks before.
static void add_queries(struct attention_head* h) {
  uint32_t now;
  for (uint32_t f = 0; f < h->size; f += now) {
    now = attention_part(h, f);
    attention_weighted(h, h->b->keys, h->slopes, f, now, h->sums + 2 * f * h->row_bytes);
    if (h->b->block == 0) {
      ow_mov(OW_F32, ATTENTION_DO(SUMS, SUMS_A, OW_NONE));
    } else {
      ow_add(OW_F32, ATTENTION_DO(SUMS, SUMS, SUMS_A));
    }
  }
}

// Products over the queries for the block's keys or values: of weights [keys][queries] and rows
// [features][queries].
static void dots(struct attention_head* h, uint32_t weights, uint32_t rows, uint32_t rows_pitch) {
  const struct attention_piece* piece = &h->b->piece;
  const uint32_t size = h->size;
  while (attention_piece(h)) {
    const uint32_t width = piece->queries, first = 2 * piece->query;
    const uint32_t halves = attention_dim(width, 2);
    attention_set(DOTS_A, weights + piece->key * h->row_bytes + first, halves,
                  attention_dim(size, -2 * width), attention_dim(piece->keys, h->row_bytes));
    attention_set(DOTS_B, rows + first, halves, attention_dim(1, rows_pitch - 2 * width),
                  attention_dim(1, -size * rows_pitch));
    attention_set(DOTS, h->part + 4 * piece->key, attention_dim(size, 4 * samples),
                  attention_dim(piece->keys, 4 - 4 * size * samples), 0);
    OW_HALF_DO(ow_dot, ATTENTION_DO(DOTS, DOTS_A, DOTS_B));
  }
}

// Rows of `part` from a key on.
static void set_part(const struct attention_head* h, uint32_t key) {
  attention_rows(ANY_A, OW_F32, h->part + 4 * key, samples - key, h->size, 4 * samples);
}

// They join those of the tiles to the east, and go on to the west. Those of the tile's own keys or
// values become deltas at `to`.
static void join(struct attention_head* h, uint32_t to) {
  const struct attention_block* b = h->b;
  const int32_t* slots = attention_slots(h->p);
  const int32_t crossing = slots[OW_SLOTS_CROSSING];
  const uint32_t first = b->block > 0 ? b->first : crossing > 0 ? (uint32_t)crossing : 0;
  const uint32_t words = (samples - first) * h->size;
  const int more = (uint32_t)slots[OW_SLOTS_EAST] > b->block;
  const int halves = ATTENTION_HALVES && h->width < samples && b->block == 0;
  if (halves) attention_clear_rest(h);
  set_part(h, first);
  if (more) attention_queue(DSR_IN, OW_WORD_FABRIC_IN(OW_F32, result.in), words);
  if (b->block > 0) {
    attention_queue(DSR_OUT, OW_WORD_FABRIC_OUT(OW_F32, result.out), words);
    if (more) {
      ow_add(OW_F32, ATTENTION_DO(DSR_OUT, ANY_A, DSR_IN));
    } else {
      ow_mov(OW_F32, ATTENTION_DO(DSR_OUT, ANY_A, OW_NONE));
    }
    return;
  }
  if (more) ow_add(OW_F32, ATTENTION_DO(ANY_A, ANY_A, DSR_IN));
  if (halves) return attention_join_halves(h, to);
  set_part(h, 0);
  attention_rows(ANY, half_type(), to, samples, h->size, h->value_pitch);
  ow_cvt(OW_F32, ATTENTION_DO(ANY, ANY_A, OW_NONE));
}

ATTENTION_SHARED void attention_backward(const struct ow_attention* p, uint32_t head,
                                         uint32_t width, uint32_t from) {
  struct attention_head h;
  struct attention_block blocks[2];
  struct attention_block* next = blocks + 1;
  const uint32_t at = head * pitch();
  attention_begin(p, head, width, from, &h, blocks);
  sum_along(&h);
  for (;;) {
    attention_scores(&h);
    attention_powers(&h);
    slopes(&h);
    add_queries(&h);
    attention_end(WEIGHTED);  // from here on nothing needs the block's keys and values
    const int more = attention_receive(&h, next, THREAD_DRAIN);
    dots(&h, h.slopes, h.queries, h.query_pitch);
    if (more) attention_pass_on(&h, next);
    join(&h, p->dk + at);
    dots(&h, h.scores, h.delta, h.result_pitch);
    join(&h, p->dv + at);
    if (!more) break;
    attention_end(RECEIVED);
    struct attention_block* before = h.b;
    h.b = next;
    next = before;
  }
  attention_rows(ANY_A, OW_F32, h.sums, width, h.size, 4 * width);
  ow_mul_s(OW_F32, ATTENTION_DO(ANY_A, ANY_A, OW_NONE), p->wide_scale);
  attention_rows(ANY, half_type(), p->dq + head * h.row_bytes, width, h.size, h.result_pitch);
  ow_cvt(OW_F32, ATTENTION_DO(ANY, ANY_A, OW_NONE));
}

OW_PHASE(attention_deltas, struct ow_attention, p) {
  for (uint32_t head = 0; head < p->heads; ++head) attention_backward(p, head, samples, 0);
  attention_end(ANY);
  attention_end(SENT_TO);
}
