/* SPDX-License-Identifier: Apache-2.0
 *
 * What the C of ow_simgen is written with. A value is a bit of a signal in OW_WIDE tiles: one
 * vector. OW_WIDE is 512 (AVX-512F), 256 (AVX-512VL, or AVX2) or 64 (any machine). SHL and SHR
 * shift each word of 64 bits, by 0 to 64 bits.
 */
#ifndef OW_WIDE_H_
#define OW_WIDE_H_

#include <stddef.h>
#include <stdint.h>

#define OW_JOIN_(a, b) a##_##b
#define OW_JOIN(a, b) OW_JOIN_(a, b)
#define OW_NAME(name) OW_JOIN(name, OW_WIDE) /* of a function for this width */

#if OW_WIDE == 512
#include <immintrin.h>
typedef __m512i V;
#define ZERO _mm512_setzero_si512()
#define ONES _mm512_set1_epi64(-1)
#define L3(a, b, c, t) _mm512_ternarylogic_epi64(a, b, c, t)
#define ANY(a, active) (_mm512_test_epi64_mask(a, active) != 0)
#define SHL(a, n) _mm512_sll_epi64(a, _mm_cvtsi32_si128(n))
#define SHR(a, n) _mm512_srl_epi64(a, _mm_cvtsi32_si128(n))
#elif OW_WIDE == 256
#include <immintrin.h>
typedef __m256i V;
#define ZERO _mm256_setzero_si256()
#define ONES _mm256_set1_epi64x(-1)
#define ANY(a, active) (!_mm256_testz_si256(a, active))
#define SHL(a, n) _mm256_sll_epi64(a, _mm_cvtsi32_si128(n))
#define SHR(a, n) _mm256_srl_epi64(a, _mm_cvtsi32_si128(n))
#ifdef __AVX512VL__
#define L3(a, b, c, t) _mm256_ternarylogic_epi64(a, b, c, t)
#endif
#elif OW_WIDE == 64
typedef uint64_t V;
#define ZERO UINT64_C(0)
#define ONES (~UINT64_C(0))
#define ANY(a, active) (((a) & (active)) != 0)
#define SHL(a, n) ((n) == 64 ? 0 : (a) << (n))
#define SHR(a, n) ((n) == 64 ? 0 : (a) >> (n))
#else
#error "OW_WIDE is 512, 256 or 64"
#endif

/* Without such an instruction the model's header has an expression for each table. */
#define L2(a, b, t) L3(a, a, b, t)
#define L1(a) L3(a, a, a, 0x0f)
/* Which seldom needs d later, and finds q in memory. */
#define MUX(e, d, q) L3(d, e, q, 0xe2)

/* Banks: `words` words of at most 64 bits for each tile, one tile after another. */
void OW_NAME(ow_wide_read)(const uint64_t* bank, int words, V tiles, int address_bits,
                           const V* address, int bits, V* data);
void OW_NAME(ow_wide_write)(uint64_t* bank, int words, int address_bits, const V* address, int bits,
                            int enable_bits, const V* enable, const V* data);

/* What ow_wide_code has (ow_wide_model.h). */
struct ow_wide_move;
int OW_NAME(ow_wide_move)(const struct ow_wide_move* moves, size_t move_count, size_t count,
                          void* list, const size_t* places);
void OW_NAME(ow_wide_copy)(const void* list, const size_t* places, size_t count, void* to);

#endif
