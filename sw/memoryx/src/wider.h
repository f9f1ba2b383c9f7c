// SPDX-License-Identifier: Apache-2.0
// Where the compiler can, loops are made for wider vectors as well, and the machine chooses. No bit
// depends on it.
#ifndef OW_MEMORYX_WIDER_H_
#define OW_MEMORYX_WIDER_H_

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define OW_WIDER __attribute__((target_clones("avx2", "default")))
#else
#define OW_WIDER
#endif

#endif  // OW_MEMORYX_WIDER_H_
