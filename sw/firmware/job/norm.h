// SPDX-License-Identifier: Apache-2.0
// What normalisations over the features share (docs/numerics.md, N109, N120, N121).
#ifndef OW_JOB_NORM_H_
#define OW_JOB_NORM_H_

#include "job.h"

// Rows of the work area.
enum { NORM_SQUARES, NORM_SUM, NORM_OTHER, NORM_OTHER_SUM, NORM_X, NORM_A, NORM_B };
_Static_assert(NORM_B < OW_NORM_ROWS, "the host makes room for all rows");

// Descriptors. NORM_X_DSR and NORM_SUM_DSR name these rows after norm_sums and norm_scale.
enum {
  NORM_HALF = DSR_KERNEL,
  NORM_OUT,
  NORM_SUM_DSR,
  NORM_SQUARES_DSR,
  NORM_X_DSR,
  NORM_R,  // the scales
  NORM_DSRS
};

static inline uint32_t norm_row(const struct ow_norm* p, uint32_t row) {
  return p->work + row * samples * 4;
}

// A parameter, fp32 at `addr`, in the 16-bit type.
uint32_t norm_rounded(uint32_t addr);

// The sums over the features of all grid rows, times the share: of a b to NORM_SQUARES and, if
// `sums` is 2, of a to NORM_SUM. a and b are the tile's own features at 16 bits.
void norm_sums(const struct ow_norm* p, uint32_t a, uint32_t b, uint32_t sums);
// 1 / sqrt(variance + epsilon) to the scales; the variance is in NORM_SQUARES.
void norm_scale(const struct ow_norm* p);
// The deltas times the gains, where the deltas of the input will be.
void norm_gained(const struct ow_norm* p);
// One row of the deltas of the input, from t in NORM_X_DSR, less what it shares with all (N120).
void norm_delta(const struct ow_norm* p, uint32_t at);

#endif  // OW_JOB_NORM_H_
