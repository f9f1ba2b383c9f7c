// SPDX-License-Identifier: Apache-2.0
// Sparse matrices for the tests of formats and kernels.
#pragma once

#include "ow/base/rng.h"
#include "ow/measure/spmv_format.h"

namespace ow::bench {

inline SparseMatrix random_matrix(Rng* rng, uint32_t n) {
  SparseMatrix m;
  m.name = "random";
  m.rows = m.cols = n;
  m.row.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    // A row without entries, many short ones, a long one.
    const double p = i == 3 ? 0 : i == 7 ? 0.7 : 0.03 + 0.05 * rng->uniform();
    for (uint32_t j = 0; j < n; ++j) {
      if (rng->uniform() < p) m.row[i].emplace_back(j, rng->uniform() * 2 - 1.001);
    }
  }
  return m;
}

}  // namespace ow::bench
