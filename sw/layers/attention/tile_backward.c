// SPDX-License-Identifier: Apache-2.0
// The deltas of queries, keys and values (N112). Scores are computed again, block by block. Sums
// for keys and values of a block go from tile to tile to the west, to the tile that has them, on
// the way of the gradients; each tile on the way adds its own.
#include "attention.h"

enum { A = DSR_KERNEL, B, DST, C };

// What the head needs besides.
struct backward {
  uint32_t delta;        // of the result, the head's
  uint32_t slopes;       // deltas of scores, [n keys][n queries]
  uint32_t part;         // fp32, [size][n]: sums over the queries for each key of a block
  uint32_t wide, wider;  // fp32, a fill of the cache; where `part` is, which comes later
};

// Sums of the result times its delta over the features.
static void sum_along(const struct attention_head* h, const struct backward* k) {
  attention_rows(DST, OW_F32, OW_ACC_ADDR(0), samples, 4, h->size, 0);
  attention_rows(A, half_type(), h->y, samples, 2, h->size, h->value_pitch);
  attention_rows(B, half_type(), k->delta, samples, 2, h->size, h->value_pitch);
  OW_MIXED_DO(ow_fma, OW_CTL(DST, A, B, 0) | OW_FRESH);
  set_row(A, OW_F32, OW_ACC_ADDR(0), samples);
  set_row(DST, OW_F32, h->along, samples);
  ow_mov(OW_F32, OW_CTL(DST, A, OW_NONE, 0));
}

// Powers become shares of the sum; then the deltas of scores.
static void slopes(const struct attention_head* h, const struct attention_block* b,
                   const struct backward* k, const struct attention_piece* piece) {
  const uint32_t width = piece->queries, first = 2 * piece->query;
  uint32_t at = piece->key * pitch() + first, now;
  for (uint32_t done = 0; done < piece->keys; done += now, at += now * pitch()) {
    now = attention_rows_at_once(width, piece->keys - done);
    attention_products(h, piece, b->values + 2 * (piece->key + done), b->pitch, k->delta,
                       h->value_pitch, now);
    attention_rows(A, OW_F32, OW_ACC_ADDR(0), width, 4, now, 4 * width);
    attention_rows(B, OW_F32, h->along + 2 * first, width, 4, now, 0);
    attention_rows(DST, OW_F32, k->wide, width, 4, now, 4 * width);
    ow_sub(OW_F32, OW_CTL(DST, A, B, 0));
    attention_rows(A, half_type(), h->scores + at, width, 2, now, pitch());
    attention_rows(B, OW_F32, h->inverses + 2 * first, width, 4, now, 0);
    attention_rows(C, OW_F32, k->wider, width, 4, now, 4 * width);
    OW_HALF_DO(ow_cvt, OW_CTL(C, A, OW_NONE, 0));
    ow_mul(OW_F32, OW_CTL(C, C, B, 0));
    ow_cvt(OW_F32, OW_CTL(A, C, OW_NONE, 0));
    OW_HALF_DO(ow_cvt, OW_CTL(C, A, OW_NONE, 0));
    ow_mul(OW_F32, OW_CTL(DST, DST, C, 0));
    attention_rows(A, half_type(), k->slopes + at, width, 2, now, pitch());
    ow_cvt(OW_F32, OW_CTL(A, DST, OW_NONE, 0));
  }
}

// The delta of the queries: a block's sums join those of the blocks before.
static void add_queries(const struct ow_attention* p, const struct attention_head* h,
                        const struct attention_block* b, const struct backward* k) {
  uint32_t now;
  for (uint32_t f = 0; f < h->size; f += now) {
    now = attention_rows_at_once(samples, h->size - f);
    attention_weighted(p, b, b->keys, k->slopes, f, now);
    const uint32_t to = h->sums + 4 * f * samples;
    const uint32_t width = b->block == 0 ? samples : attention_reach(p);
    attention_rows(A, OW_F32, OW_ACC_ADDR(0), width, 4, now, 4 * samples);
    attention_rows(DST, OW_F32, to, width, 4, now, 4 * samples);
    if (b->block == 0) {
      ow_mov(OW_F32, OW_CTL(DST, A, OW_NONE, 0));
    } else {
      ow_add(OW_F32, OW_CTL(DST, DST, A, 0));
    }
  }
}

// Rows of `part` from a key on.
static void set_part(uint32_t dsr, const struct attention_head* h, const struct backward* k,
                     uint32_t key) {
  attention_rows(dsr, OW_F32, k->part + 4 * key, samples - key, 4, h->size, 4 * samples);
}

// The deltas of a block's keys or values: products over the queries of weights [keys][queries] and
// rows [features][queries]. Those of the tile's own go to `to`.
static void add_keys(const struct ow_attention* p, const struct attention_head* h,
                     const struct attention_block* b, const struct backward* k, uint32_t weights,
                     uint32_t rows, uint32_t rows_pitch, uint32_t to) {
  struct attention_piece piece = {0, 0, 0, 0};
  const int32_t* slots = attention_slots(p);
  while (attention_piece(p, b, &piece)) {
    const uint32_t width = piece.queries, first = 2 * piece.query;
    attention_planes(A, half_type(), weights + piece.key * pitch() + first, width, 2, h->size, 0,
                     piece.keys, pitch());
    attention_planes(B, half_type(), rows + first, width, 2, h->size, rows_pitch, piece.keys, 0);
    attention_rows(DST, OW_F32, k->part + 4 * piece.key, h->size, 4 * samples, piece.keys, 4);
    OW_HALF_DO(ow_dot, OW_CTL(DST, A, B, 0));
  }
  const int more = (uint32_t)slots[OW_SLOTS_EAST] > b->block;
  if (b->block == 0) {
    const int32_t crossing = slots[OW_SLOTS_CROSSING];
    piece.key = crossing > 0 ? (uint32_t)crossing : 0;
  }
  const uint32_t words = (samples - piece.key) * h->size;
  set_part(A, h, k, piece.key);
  if (more) ow_dsr_fabric_in(DSR_IN, OW_F32, result.in, words);
  if (b->block > 0) {
    ow_dsr_fabric_out(DSR_OUT, OW_F32, result.out, words, 0);
    if (more) {
      ow_add(OW_F32, OW_CTL(DSR_OUT, A, DSR_IN, 0));
    } else {
      ow_mov(OW_F32, OW_CTL(DSR_OUT, A, OW_NONE, 0));
    }
    return;
  }
  if (more) ow_add(OW_F32, OW_CTL(A, A, DSR_IN, 0));
  set_part(A, h, k, 0);
  attention_rows(DST, half_type(), to, samples, 2, h->size, h->value_pitch);
  ow_cvt(OW_F32, OW_CTL(DST, A, OW_NONE, 0));
}

OW_PHASE(attention_deltas, struct ow_attention, p) {
  for (uint32_t head = 0; head < p->heads; ++head) {
    struct attention_head h;
    struct attention_block b = {0, 0, 0, 0};
    attention_begin(p, head, &h);
    const uint32_t at = head * pitch();
    const uint32_t part = h.more + OW_ATTENTION_SCORE_BYTES(samples);
    const struct backward k = {p->delta + at, h.more, part, part, part + OW_ATTENTION_TEMP_BYTES};
    sum_along(&h, &k);
    while (attention_block(p, &h, &b)) {
      struct attention_piece piece = {0, 0, 0, 0};
      attention_scores(p, &h, &b);
      attention_powers(p, &h, &b);
      while (attention_piece(p, &b, &piece)) slopes(&h, &b, &k, &piece);
      add_queries(p, &h, &b, &k);
      add_keys(p, &h, &b, &k, k.slopes, h.queries, pitch(), p->dk + at);
      add_keys(p, &h, &b, &k, h.scores, k.delta, h.value_pitch, p->dv + at);
    }
    attention_rows(A, OW_F32, h.sums, samples, 4, h.size, 4 * samples);
    ow_mul_s(OW_F32, OW_CTL(A, A, OW_NONE, 0), p->wide_scale);
    attention_rows(DST, half_type(), p->dq + at, samples, 2, h.size, h.value_pitch);
    ow_cvt(OW_F32, OW_CTL(DST, A, OW_NONE, 0));
  }
}
