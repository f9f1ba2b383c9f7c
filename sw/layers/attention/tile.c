// SPDX-License-Identifier: Apache-2.0
// Softmax attention of a tile's heads, forward (N111). One head after the other, one block of keys
// after the other; products go into the accumulator cache, some rows at a time.
//
// A tile sends its keys and values to the next one before it works on them, and waits until they
// are taken. So a tile begins as much later as its neighbours to the east have more blocks, and
// all end together: the longest work of a sequence's tiles is that of its last one alone.
#include "attention.h"

OW_FLOW(keys);

enum { A = DSR_KERNEL, B, DST };

void attention_planes(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length,
                      uint32_t stride, uint32_t rows, uint32_t pitch, uint32_t planes,
                      uint32_t plane_pitch) {
  ow_dsr_mem3(dsr, type, addr, length, (int32_t)stride, rows, (int32_t)pitch, planes,
              (int32_t)plane_pitch);
}

void attention_rows(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length,
                    uint32_t stride, uint32_t rows, uint32_t row_pitch) {
  attention_planes(dsr, type, addr, length, stride, rows, row_pitch, 1, 0);
}

void attention_begin(const struct ow_attention* p, uint32_t head, struct attention_head* h) {
  const uint32_t at = head * pitch(), half_bytes = OW_ATTENTION_HEAD_BYTES(samples, p->size);
  h->size = p->size;
  h->q = p->q + at;
  h->k = p->k + at;
  h->v = p->v + at;
  h->y = p->y + at;
  h->value_pitch = p->heads * pitch();
  h->maxima = p->kept + head * 3 * pitch();
  h->inverses = h->maxima + pitch();
  h->queries = p->work;
  h->sums = h->queries + half_bytes;
  h->received = h->sums + 2 * half_bytes;
  h->scores = h->received + 2 * half_bytes;
  h->row = h->scores + OW_ATTENTION_SCORE_BYTES(samples);
  h->wide_row = h->row + pitch();
  h->total = h->wide_row + 2 * pitch();
  h->along = h->total + 2 * pitch();
  h->more = h->along + 2 * pitch();
  attention_rows(A, half_type(), h->q, samples, 2, h->size, h->value_pitch);
  attention_rows(DST, half_type(), h->queries, samples, 2, h->size, pitch());
  OW_HALF_DO(ow_mul_s, OW_CTL(DST, A, OW_NONE, 0), p->scale);
}

// Keys and values of a head to the next tile. 16-bit numbers go in pairs.
static void send_rows(uint32_t addr, uint32_t size, uint32_t row_pitch) {
  attention_rows(DSR_IN, OW_F32, addr, samples / 2, 4, size, row_pitch);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, keys.out, samples / 2 * size, 0);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, OW_NONE, 0));
}

int attention_block(const struct ow_attention* p, const struct attention_head* h,
                    struct attention_block* b) {
  const int32_t* slots = attention_slots(p);
  if (b->keys == 0) {
    b->keys = h->k;
    b->values = h->v;
    b->pitch = h->value_pitch;
  } else if (b->block++ == (uint32_t)slots[OW_SLOTS_WEST]) {
    return 0;
  } else {
    b->keys = h->received;
    b->values = b->keys + OW_ATTENTION_HEAD_BYTES(samples, h->size);
    b->pitch = pitch();
    receive_words(b->keys, keys.in, samples * h->size);
  }
  if ((uint32_t)slots[OW_SLOTS_EAST] > b->block) {
    send_rows(b->keys, h->size, b->pitch);
    send_rows(b->values, h->size, b->pitch);
  }
  return 1;
}

// The slot after the sequence of a group of slots.
static uint32_t sequence_end(const struct ow_attention* p, uint32_t slot) {
  const int32_t* starts = attention_slots(p) + OW_SLOTS_STARTS;
  uint32_t end = slot + 8;
  while (end < samples && starts[end / 8] == starts[slot / 8]) end += 8;
  return end;
}

uint32_t attention_reach(const struct ow_attention* p) { return sequence_end(p, 0); }

int attention_piece(const struct ow_attention* p, const struct attention_block* b,
                    struct attention_piece* piece) {
  if (b->block > 0) {
    if (piece->queries > 0) return 0;
    const int32_t first = attention_slots(p)[OW_SLOTS_STARTS] + (int32_t)(b->block * samples);
    piece->query = 0;
    piece->queries = sequence_end(p, 0);
    piece->key = first > 0 ? (uint32_t)first : 0;
    piece->keys = samples - piece->key;
    return 1;
  }
  const uint32_t next = piece->queries > 0 ? piece->key + 8 : 0;
  if (next == samples) return 0;
  piece->query = piece->key = next;
  piece->queries = sequence_end(p, next) - next;
  piece->keys = 8;
  return 1;
}

void attention_products(const struct attention_head* h, const struct attention_piece* piece,
                        uint32_t key_rows, uint32_t key_pitch, uint32_t queries,
                        uint32_t query_pitch, uint32_t count) {
  const uint32_t width = piece->queries;
  attention_planes(DST, OW_F32, OW_ACC_ADDR(0), width, 4, h->size, 0, count, 4 * width);
  attention_planes(A, half_type(), queries + 2 * piece->query, width, 2, h->size, query_pitch,
                   count, 0);
  attention_planes(B, half_type(), key_rows, width, 0, h->size, key_pitch, count, 2);
  OW_MIXED_DO(ow_fma, OW_CTL(DST, A, B, 0) | OW_FRESH);
}

static uint32_t score_at(const struct attention_head* h, const struct attention_piece* piece) {
  return h->scores + piece->key * pitch() + 2 * piece->query;
}

void attention_scores(const struct ow_attention* p, const struct attention_head* h,
                      const struct attention_block* b) {
  struct attention_piece piece = {0, 0, 0, 0};
  while (attention_piece(p, b, &piece)) {
    const uint32_t width = piece.queries;
    uint32_t to = score_at(h, &piece), now;
    for (uint32_t done = 0; done < piece.keys; done += now, to += now * pitch()) {
      now = attention_rows_at_once(width, piece.keys - done);
      attention_products(h, &piece, b->keys + 2 * (piece.key + done), b->pitch, h->queries, pitch(),
                         now);
      set_row(A, OW_F32, OW_ACC_ADDR(0), now * width);
      attention_rows(DST, half_type(), to, width, 2, now, pitch());
      ow_cvt(OW_F32, OW_CTL(DST, A, OW_NONE, 0));
    }
    if (b->block > 0) continue;
    attention_rows(DST, half_type(), score_at(h, &piece), 8, 2, 8, pitch());
    set_row(A, half_type(), p->slots, 64);
    OW_HALF_DO(ow_add, OW_CTL(DST, DST, A, 0));
  }
}

void attention_powers(const struct ow_attention* p, const struct attention_head* h,
                      const struct attention_block* b) {
  struct attention_piece piece = {0, 0, 0, 0};
  while (attention_piece(p, b, &piece)) {
    attention_rows(DST, half_type(), score_at(h, &piece), piece.queries, 2, piece.keys, pitch());
    attention_rows(A, half_type(), h->maxima + 2 * piece.query, piece.queries, 2, piece.keys, 0);
    OW_HALF_DO(ow_sub, OW_CTL(DST, DST, A, 0));
    OW_HALF_DO(ow_exp, OW_CTL(DST, DST, OW_NONE, 0));
  }
}

void attention_weighted(const struct ow_attention* p, const struct attention_block* b,
                        uint32_t rows, uint32_t weights, uint32_t feature, uint32_t count) {
  struct attention_piece piece = {0, 0, 0, 0};
  set_row(DST, OW_F32, OW_ACC_ADDR(0), count * samples);
  ow_mov_s(OW_F32, OW_CTL(DST, OW_NONE, OW_NONE, 0), 0u);
  while (attention_piece(p, b, &piece)) {
    const uint32_t width = piece.queries;
    attention_planes(DST, OW_F32, OW_ACC_ADDR(piece.query), width, 4, piece.keys, 0, count,
                     4 * samples);
    attention_planes(A, half_type(), weights + piece.key * pitch() + 2 * piece.query, width, 2,
                     piece.keys, pitch(), count, 0);
    if (rows == 0) {
      OW_MIXED_DO(ow_fma_s, OW_CTL(DST, A, OW_NONE, 0), 1.0);
      continue;
    }
    attention_planes(B, half_type(), rows + feature * b->pitch + 2 * piece.key, width, 0,
                     piece.keys, 2, count, b->pitch);
    OW_MIXED_DO(ow_fma, OW_CTL(DST, A, B, 0));
  }
}

// The maxima over the keys so far. Between blocks, what sums shrink by goes to `wide_row`.
static void join_maxima(const struct ow_attention* p, const struct attention_head* h,
                        const struct attention_block* b) {
  const uint32_t reach = b->block > 0 ? attention_reach(p) : samples;
  struct attention_piece piece = {0, 0, 0, 0};
  set_row(A, OW_I16, h->maxima, reach);
  set_row(DST, OW_I16, h->row, reach);
  if (b->block == 0) {
    ow_mov_s(OW_I16, OW_CTL(A, OW_NONE, OW_NONE, 0), half == OW_BF16 ? 0xFF80u : 0xFC00u);
  } else {
    ow_mov(OW_I16, OW_CTL(DST, A, OW_NONE, 0));
  }
  while (attention_piece(p, b, &piece)) {
    attention_rows(DST, half_type(), h->maxima + 2 * piece.query, piece.queries, 2, piece.keys, 0);
    attention_rows(A, half_type(), score_at(h, &piece), piece.queries, 2, piece.keys, pitch());
    OW_HALF_DO(ow_max, OW_CTL(DST, DST, A, 0));
  }
  if (b->block == 0) return;
  set_row(A, half_type(), h->maxima, reach);
  set_row(B, half_type(), h->row, reach);
  OW_HALF_DO(ow_sub, OW_CTL(B, B, A, 0));
  OW_HALF_DO(ow_exp, OW_CTL(B, B, OW_NONE, 0));
  set_row(DST, OW_F32, h->wide_row, reach);
  OW_HALF_DO(ow_cvt, OW_CTL(DST, B, OW_NONE, 0));
}

// `count` rows of sums of a block are in the cache; those of the blocks before are at `to`.
static void join_sums(const struct ow_attention* p, const struct attention_head* h,
                      const struct attention_block* b, uint32_t to, uint32_t count) {
  if (b->block == 0) {
    set_row(A, OW_F32, OW_ACC_ADDR(0), count * samples);
    set_row(DST, OW_F32, to, count * samples);
  } else {
    const uint32_t reach = attention_reach(p);
    attention_rows(A, OW_F32, OW_ACC_ADDR(0), reach, 4, count, 4 * samples);
    attention_rows(DST, OW_F32, to, reach, 4, count, 4 * samples);
    attention_rows(B, OW_F32, h->wide_row, reach, 4, count, 0);
    ow_fma(OW_F32, OW_CTL(A, DST, B, 0));
  }
  ow_mov(OW_F32, OW_CTL(DST, A, OW_NONE, 0));
}

// The inverse of the sums of powers, by one step of Newton's method.
static void invert(const struct attention_head* h) {
  enum { MINUS = DST, R = DST + 1, HALF, E };
  set_row(A, OW_F32, h->total, samples);
  set_row(MINUS, OW_F32, h->wide_row, samples);
  set_row(R, OW_F32, h->inverses, samples);
  set_row(HALF, OW_BF16, h->row, samples);
  ow_cvt(OW_F32, OW_CTL(HALF, A, OW_NONE, 0));
  ow_rcp(OW_BF16, OW_CTL(HALF, HALF, OW_NONE, 0));
  ow_cvt(OW_BF16, OW_CTL(R, HALF, OW_NONE, 0));
  ow_mul_s(OW_F32, OW_CTL(MINUS, A, OW_NONE, 0), -1.0f);
  ow_mov_s(OW_F32, OW_CTL(A, OW_NONE, OW_NONE, 0), 1.0f);
  ow_fma(OW_F32, OW_CTL(A, MINUS, R, 0));
  ow_mov(OW_F32, OW_CTL(MINUS, R, OW_NONE, 0));
  ow_fma(OW_F32, OW_CTL(R, MINUS, A, 0));
}

static void attend(const struct ow_attention* p, const struct attention_head* h) {
  struct attention_block b = {0, 0, 0, 0};
  while (attention_block(p, h, &b)) {
    attention_scores(p, h, &b);
    join_maxima(p, h, &b);
    attention_powers(p, h, &b);
    attention_weighted(p, &b, 0, h->scores, 0, 1);
    join_sums(p, h, &b, h->total, 1);
    uint32_t now;
    for (uint32_t f = 0; f < h->size; f += now) {
      now = attention_rows_at_once(samples, h->size - f);
      attention_weighted(p, &b, b.values, h->scores, f, now);
      join_sums(p, h, &b, h->sums + 4 * f * samples, now);
    }
  }
  invert(h);
  attention_rows(A, OW_F32, h->sums, samples, 4, h->size, 4 * samples);
  attention_rows(B, OW_F32, h->inverses, samples, 4, h->size, 0);
  ow_mul(OW_F32, OW_CTL(A, A, B, 0));
  attention_rows(DST, half_type(), h->y, samples, 2, h->size, h->value_pitch);
  ow_cvt(OW_F32, OW_CTL(DST, A, OW_NONE, 0));
}

OW_PHASE(attention, struct ow_attention, p) {
  for (uint32_t head = 0; head < p->heads; ++head) {
    struct attention_head h;
    attention_begin(p, head, &h);
    attend(p, &h);
  }
}
