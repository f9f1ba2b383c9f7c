// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of measurements and tests: files of them, and the product that golden computes
// from a packed part.
#ifndef OW_MEASURE_SPARSE_H_
#define OW_MEASURE_SPARSE_H_

#include <string>

#include "openwafer/sparse.h"
#include "ow/golden/kernels.h"

namespace ow::bench {

// A Matrix Market coordinate file, real or pattern, general or symmetric, plain or gzip. Entries
// stored as 0 are dropped; columns ascend in each row. BadInput, with file and line, for anything
// else.
CsrMatrix read_matrix_market(const std::string& path);

// What the kernel must give for a part: reads the image as openwafer/tile/spmv.h describes it.
// `type` is Mixed for an image of binary16 values, F32 for one of fp32 values.
golden::Vec spmv(golden::Type type, const SpmvPart& part, const golden::Vec& x);

}  // namespace ow::bench

#endif  // OW_MEASURE_SPARSE_H_
