// SPDX-License-Identifier: Apache-2.0
// What normalisations over the features share (docs/numerics.md, N109, N120, N121).
//
// Element by element a tile works on some features at a time, in fp32 in the work area. Descriptors
// of features go on by themselves from one time to the next.
#ifndef OW_JOB_NORM_H_
#define OW_JOB_NORM_H_

#include "job.h"

// Rows of the work area, `samples` fp32 numbers each. From NORM_NUMBERS on are features in fp32,
// and before them rows of norm_scale.
enum { NORM_SQUARES, NORM_SUM, NORM_OTHER, NORM_OTHER_SUM, NORM_NUMBERS };
_Static_assert(NORM_NUMBERS == OW_NORM_ROWS, "the host makes room for all rows");

// Descriptors.
enum {
  NORM_X = DSR_KERNEL,  // features in fp32
  NORM_IN,              // features that are read
  NORM_OUT,             // features that are written
  NORM_OUT_2,
  NORM_SUM_DSR,      // after norm_sums these are rows that come again for each feature
  NORM_SQUARES_DSR,  // of the same name
  NORM_R,            // the scales
  NORM_GAIN,
  NORM_BIAS,
  NORM_MORE,  // more features in fp32
  NORM_TO,
  NORM_DSRS
};
_Static_assert((int)NORM_DSRS <= (int)DSR_ROUND, "column.c has the others");
// The parameters, fp32. What was written to NORM_OUT, and to NORM_OUT_2, for a second time.
enum { NORM_GAINS = DSR_A, NORM_BIASES = DSR_B, NORM_NORMAL = DSR_IN, NORM_AGAIN = DSR_OUT };

static inline uint32_t norm_row(const struct ow_norm* p, uint32_t row) {
  return p->work + row * samples * 4;
}

// The sums over the features of all grid rows, times the share: of a b to NORM_SQUARES and, if
// `sums` is 2, of a to NORM_SUM. a and b are the tile's own features at 16 bits.
void norm_sums(const struct ow_norm* p, uint32_t a, uint32_t b, uint32_t sums);
// 1 / sqrt(variance + epsilon) to the scales; the variance is in NORM_SQUARES.
void norm_scale(const struct ow_norm* p);
// The deltas times the gains, where the deltas of the input will be.
void norm_gained(const struct ow_norm* p);

// Numbers from an address on that go on.
void norm_going(uint32_t dsr, enum ow_type type, uint32_t addr);
// The first features: read from `in`, written to `out`.
void norm_features(const struct ow_norm* p, uint32_t in, uint32_t out);
// Of `left` features those that are next: so many rows of NORM_X, NORM_MORE, NORM_OUT and
// NORM_OUT_2. `numbers`: of NORM_X at most.
uint32_t norm_next(uint32_t left, uint32_t numbers);
// The next parameters of `from`, NORM_GAINS or NORM_BIASES, as numbers of the 16-bit type that are
// the same for all samples: NORM_GAIN or NORM_BIAS.
void norm_parameters(const struct ow_norm* p, uint32_t from, uint32_t count);
// The deltas of the input (N120, N121). `sums`: 2 if the mean was taken off, else 1.
void norm_deltas(const struct ow_norm* p, uint32_t sums);

#endif  // OW_JOB_NORM_H_
