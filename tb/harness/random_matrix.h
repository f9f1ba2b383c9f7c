// SPDX-License-Identifier: Apache-2.0
// Sparse matrices for the tests of formats and kernels.
#pragma once

#include "openwafer/sparse.h"
#include "ow/base/rng.h"

namespace ow {

inline CsrMatrix random_matrix(Rng* rng, uint32_t n) {
  CsrMatrix m;
  m.rows = m.cols = n;
  for (uint32_t i = 0; i < n; ++i) {
    // A row without entries, many short ones, a long one.
    const double p = i == 3 ? 0 : i == 7 ? 0.7 : 0.03 + 0.05 * rng->uniform();
    for (uint32_t j = 0; j < n; ++j) {
      if (rng->uniform() >= p) continue;
      m.column.push_back(j);
      m.value.push_back(rng->uniform() * 2 - 1.001);
    }
    m.row_start.push_back(m.column.size());
  }
  return m;
}

}  // namespace ow
