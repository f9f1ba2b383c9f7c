// SPDX-License-Identifier: Apache-2.0
// The kernel library: BLAS 1 to 3, sparse kernels and layers for one tile. A program contains only
// the kernels that it calls.
//
// Addresses are byte addresses in SRAM, aligned to their elements. Unless it says otherwise, a
// kernel runs on the task thread: when it returns, its results are in memory. A vector that a
// kernel writes must not overlap one that it reads, except where the text says "in place".
//
// The library uses descriptors OW_K_DSR_FIRST to 30 and microthreads 11 and 12. The start-up code
// sets these descriptors up. Some kernels also use the accumulator cache, and say so. Everything
// else belongs to the program. The host refuses to load a program with kernels into a tile that has
// fewer descriptors or threads (`mini`).
//
// "Beats" are cycles of the engine with 8 lanes. A call takes its beats and about 25 to 60 cycles
// to start and end. docs/numerics.md defines the roundings.
#ifndef OW_KERNELS_H_
#define OW_KERNELS_H_

#include <stdint.h>

#include "openwafer/tile/spmv.h"
#include "openwafer/tile/tile.h"

#define OW_K_DSR_FIRST 10u
#define OW_K_THREAD_A 11u
#define OW_K_THREAD_B 12u

// -------------------------------------------------------------------------------------- BLAS 1 --
// y = a x + y, rounded once per element. n = 1..65,535. In place in y. 16-bit: n / 8 beats, fp32: n
// / 2. `a` is a number or its bits (openwafer/tile/scalar.h).
void ow_axpy_f16(uint32_t n, uint32_t a, uint32_t x, uint32_t y);
void ow_axpy_bf16(uint32_t n, uint32_t a, uint32_t x, uint32_t y);
void ow_axpy_f32(uint32_t n, uint32_t a, uint32_t x, uint32_t y);

// x = a x. 16-bit: n / 8 beats, fp32: n / 2.
void ow_scal_f16(uint32_t n, uint32_t a, uint32_t x);
void ow_scal_bf16(uint32_t n, uint32_t a, uint32_t x);
void ow_scal_f32(uint32_t n, uint32_t a, uint32_t x);

#define ow_axpy_f16(n, a, x, y) (ow_axpy_f16)(n, ow_scalar_bits(OW_F16, a), x, y)
#define ow_axpy_bf16(n, a, x, y) (ow_axpy_bf16)(n, ow_scalar_bits(OW_BF16, a), x, y)
#define ow_axpy_f32(n, a, x, y) (ow_axpy_f32)(n, ow_scalar_bits(OW_F32, a), x, y)
#define ow_scal_f16(n, a, x) (ow_scal_f16)(n, ow_scalar_bits(OW_F16, a), x)
#define ow_scal_bf16(n, a, x) (ow_scal_bf16)(n, ow_scalar_bits(OW_BF16, a), x)
#define ow_scal_f32(n, a, x) (ow_scal_f32)(n, ow_scalar_bits(OW_F32, a), x)

// y = x. 16-bit: n / 8 beats, 32-bit: n / 4.
void ow_copy_16(uint32_t n, uint32_t x, uint32_t y);
void ow_copy_32(uint32_t n, uint32_t x, uint32_t y);

// Stores the fp32 dot product at `result`: 16 partial sums in fp32, added in a fixed tree. 16-bit:
// n / 8 beats, fp32: n / 2.
void ow_dot_f16(uint32_t n, uint32_t x, uint32_t y, uint32_t result);
void ow_dot_bf16(uint32_t n, uint32_t x, uint32_t y, uint32_t result);
void ow_dot_f32(uint32_t n, uint32_t x, uint32_t y, uint32_t result);
// int8 products in an int32 sum (wraps): n / 16 beats.
void ow_dot_i8(uint32_t n, uint32_t x, uint32_t y, uint32_t result);

// Stores the fp32 sum, or the largest or smallest element (in the type of x), at `result`. 16-bit:
// n / 8 beats, fp32: n / 4.
void ow_sum_f16(uint32_t n, uint32_t x, uint32_t result);
void ow_sum_f32(uint32_t n, uint32_t x, uint32_t result);
void ow_max_f16(uint32_t n, uint32_t x, uint32_t result);
void ow_min_f16(uint32_t n, uint32_t x, uint32_t result);
void ow_max_f32(uint32_t n, uint32_t x, uint32_t result);
void ow_min_f32(uint32_t n, uint32_t x, uint32_t result);

// Stores the Euclidean norm in fp32 at `result`: the correctly rounded square root of the fp32 dot
// product. The core computes the root in about 150 cycles.
void ow_nrm2_f16(uint32_t n, uint32_t x, uint32_t result);
void ow_nrm2_f32(uint32_t n, uint32_t x, uint32_t result);
// The square root of fp32 bits, rounded to nearest even. NaN for any number below zero.
uint32_t ow_sqrt_f32(uint32_t bits);

// -------------------------------------------------------------------------------------- BLAS 2 --
// y = A x. A has m rows of n elements, with lda elements from row to row. y_i is the dot product of
// row i, rounded once to the type of y. m n / 8 beats (fp32: m n / 2). Row ends cost nothing from n
// = 56 on (fp32: 14).
void ow_gemv_f16(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y);
void ow_gemv_bf16(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y);
void ow_gemv_f32(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y);

// y = A^T x, with n elements in y. The rows of A, weighted with x, are added in ascending order in
// fp32 from +0, then rounded once. A beat is 8 columns: m * ceil(n / 8) and n / 8 beats. Uses the
// accumulator cache.
void ow_gemv_t_f16(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y);
void ow_gemv_t_bf16(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y);
void ow_gemv_t_f32(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y);

// -------------------------------------------------------------------------------------- BLAS 3 --
// C = A B, or C = A B + C with `add`. A: m x k, B: k x n, C: m x n; ld.. is the number of elements
// from row to row. Each sum is fp32 in ascending k, from +0 or from C, rounded once. One
// instruction computes up to 64 columns of a row of C. Two rows are under way at a time, in the two
// halves of the accumulator cache, so the beats of one hide the start and end of the other. m n (k
// + 2) / 8 beats (fp32: m n k / 2 + m n 3 / 8).
struct ow_gemm {
  uint32_t m, n, k;
  uint32_t a, lda;
  uint32_t b, ldb;
  uint32_t c, ldc;
  uint32_t add;
};
void ow_gemm_f16(const struct ow_gemm* g);
void ow_gemm_bf16(const struct ow_gemm* g);
void ow_gemm_f32(const struct ow_gemm* g);

// -------------------------------------------------------------------------------------- sparse --
// y[idx[i]] += a x[i] for nz different 16-bit indices, rounded once per element. `work` has room
// for nz elements. About 3 passes: nz (1/8 + 2 gather passes).
void ow_axpyi_f16(uint32_t nz, uint32_t a, uint32_t x, uint32_t idx, uint32_t y, uint32_t work);
void ow_axpyi_f32(uint32_t nz, uint32_t a, uint32_t x, uint32_t idx, uint32_t y, uint32_t work);

// y = A x with a sparse A in the format of openwafer/tile/spmv.h at `matrix`. y has the order of
// the rows of A. f16: binary16 values and x, fp32 sums, y rounded once to binary16. f32: all fp32.
// A gather and a beat handle 8 entries (fp32: 2). Uses the accumulator cache.
void ow_spmv_f16(uint32_t matrix, uint32_t x, uint32_t y);
void ow_spmv_f32(uint32_t matrix, uint32_t x, uint32_t y);

// Streamed sparse gemm: Y = W X. X has `features` rows of `samples` binary16 elements. W arrives on
// input queue `queue`, row by row of Y: one wavelet (feature, binary16) per non-zero weight, then a
// control wavelet with ROW_END, with STREAM_END in the last one. Sums are fp32 from +0 in the order
// of the stream, rounded once. Y has `outputs` rows of `samples` binary16 elements, `pitch` bytes
// apart. The call returns at once, and `task` is activated when Y is in memory. samples: a multiple
// of 8, up to 128. The engine takes samples / 8 beats per weight and one per row, the reducer
// samples / 2 cycles per row.
struct ow_spmm {
  uint32_t features, outputs, samples;
  uint32_t x, y, pitch;
  uint32_t queue;
  uint32_t task;
};
void ow_spmm_stream(const struct ow_spmm* s);

// Activation-sparse gemv: y = W^T x. W is resident, with one row of `outputs` <= 128 binary16
// elements per activation. Only non-zero activations arrive on input queue `queue`, as wavelets
// (index, binary16); a control wavelet with STREAM_END ends them. Sums are fp32 from +0 in the
// order of the stream, rounded once. With ascending indices the bits equal those of a stream with
// the zeros. The first call loads the descriptors, so that the second one is short. outputs / 8
// beats per activation and outputs / 8 to end. Uses the accumulator cache and its own descriptors,
// so other kernels may run between the two calls.
void ow_actgemv_load(uint32_t inputs, uint32_t outputs, uint32_t w, uint32_t y, uint32_t queue);
void ow_actgemv_run(void);

// For dense resident W and x in memory, y = W^T x is ow_gemv_t_f16.

// Sends the non-zero elements of x as (index, binary16) on an output queue, then a control wavelet
// with STREAM_END: max(n / 8, non-zeros) cycles. ow_nonzeros_to sets the queue for later calls.
void ow_nonzeros_to(uint32_t queue);
void ow_send_nonzeros(uint32_t n, uint32_t x);

// -------------------------------------------------------------------------------------- layers --
// y = softmax(x), binary16, in place allowed. m = max(x); t_i = exp(x_i - m), with difference and
// function rounded to binary16; s = fp32 sum of t, rounded to binary16; y_i = t_i * (1 / s). n / 2
// beats for exp and n / 2 for the rest. n <= 32,768. `work`: 16 bytes, aligned to 4.
void ow_softmax_f16(uint32_t n, uint32_t x, uint32_t y, uint32_t work);

// y = (x - mean) / sqrt(variance + eps) * gain + bias, binary16 x, gain, bias and y. In fp32: mean
// = sum(x) * (1 / n); d_i = x_i - mean; v = dot(d, d) * (1 / n) + eps; r = rsqrt(v) through
// bfloat16 and one Newton step r (1.5 - 0.5 v r^2); z_i = d_i * r rounded to binary16; y_i = z_i *
// gain_i + bias_i with one rounding. `inv_n` and `eps` are fp32 bits. `work`: 4 n + 16 bytes,
// aligned to 4.
struct ow_layernorm {
  uint32_t n, x, gain, bias, y, work;
  uint32_t inv_n, eps;
};
void ow_layernorm_f16(const struct ow_layernorm* l);

#endif  // OW_KERNELS_H_
