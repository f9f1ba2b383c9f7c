// SPDX-License-Identifier: Apache-2.0
// Processors with a fused multiply-add get a second version of a function with OW_FUSED_CLONES. It
// is faster and computes the same bits.
#ifndef OW_GOLDEN_SRC_FUSED_H_
#define OW_GOLDEN_SRC_FUSED_H_

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define OW_FUSED_CLONES __attribute__((target_clones("fma", "default")))
#else
#define OW_FUSED_CLONES
#endif

#endif  // OW_GOLDEN_SRC_FUSED_H_
