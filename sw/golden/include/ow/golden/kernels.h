// SPDX-License-Identifier: Apache-2.0
// What the kernels of sw/include/openwafer/tile/kernels.h must compute, bit for bit. Elements are
// encodings in the low bits of a uint32_t. Matrices are dense and stored row by row, unless a
// function says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/golden/tile_ops.h"

namespace ow::golden {

using Vec = std::vector<uint32_t>;

// BLAS 1.
Vec axpy(Type type, uint32_t a, const Vec& x, const Vec& y);
Vec scal(Type type, uint32_t a, const Vec& x);
uint32_t dot(Type type, Type result, const Vec& x, const Vec& y);
uint32_t sqrt_f32(uint32_t x);  // correctly rounded
uint32_t nrm2(Type type, const Vec& x);

// y = A x, y_i rounded once from the fp32 reduction. A is m x n, m = a.size() / n.
Vec gemv(Type type, size_t n, const Vec& a, const Vec& x);

// y = A^T x: the rows are added in ascending order in fp32 from +0, then rounded once. `type` is
// Mixed, MixedB or F32.
Vec gemv_t(Type type, size_t n, const Vec& a, const Vec& x);

// C = A B, or A B + c if c is not empty. A: m x k, B: k x n.
Vec gemm(Type type, size_t m, size_t n, size_t k, const Vec& a, const Vec& b, const Vec& c);

// y[idx[i]] += a x[i]; all indices differ.
Vec axpyi(Type type, uint32_t a, const Vec& x, const Vec& idx, Vec y);

// A stream of weights: rows of (feature, value). Y has `samples` elements per row, X is
// features x samples. Mixed arithmetic, rounded once to the source type.
struct Weight {
  uint32_t index;
  uint32_t value;
};
Vec spmm(Type type, size_t samples, const std::vector<std::vector<Weight>>& rows, const Vec& x);

// binary16 layers, in the steps that openwafer/tile/kernels.h lists.
Vec softmax_f16(const Vec& x);
Vec layernorm_f16(const Vec& x, const Vec& gain, const Vec& bias, uint32_t inv_n, uint32_t eps);

}  // namespace ow::golden
