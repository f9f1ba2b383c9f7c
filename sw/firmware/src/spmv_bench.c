// SPDX-License-Identifier: Apache-2.0
// tile_bench with the sparse matrix-vector product alone, which leaves more room for matrices.
#define OW_TB_ONLY_SPMV
#include "tile_bench.c"
