// SPDX-License-Identifier: Apache-2.0
// Compiles loops for wider vectors too, if the compiler can; the machine then chooses one at run
// time. No bit depends on the choice.
#ifndef OW_MEMORYX_WIDER_H_
#define OW_MEMORYX_WIDER_H_

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define OW_WIDER __attribute__((target_clones("avx2", "default")))
#else
#define OW_WIDER
#endif

#endif  // OW_MEMORYX_WIDER_H_
