// SPDX-License-Identifier: Apache-2.0
// A program as riscv-arch-test has them, for the target that docs/riscv.md describes: its data begin
// off the alignment of a signature, and its signature is five words long.
#include "model_test.h"

        .globl _start
_start:
        RVMODEL_BOOT
        la      x3, begin_signature
        li      x4, 5
2:      sw      x4, 0(x3)
        addi    x3, x3, 4
        addi    x4, x4, -1
        bnez    x4, 2b
        RVMODEL_HALT

        .data
        .word   1
        RVMODEL_DATA_BEGIN
        .fill   5, 4, -1
        RVMODEL_DATA_END
