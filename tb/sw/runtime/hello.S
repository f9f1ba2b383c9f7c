# SPDX-License-Identifier: Apache-2.0
# Writes 1 (or VALUE) to tohost and a signature of two words. UNREACHED: has compressed instructions that are never reached.
        .globl _start, tohost, begin_signature, end_signature
_start: la   a1, begin_signature
        li   a0, 0x12345678
        sw   a0, 0(a1)
        sb   a0, 4(a1)
        li   a0, VALUE
        la   a1, tohost
        sw   a0, 0(a1)
1:      j    1b
#ifdef UNREACHED
        .option push
        .option rvc
        c.nop
        c.nop
        .option pop
#endif
        .balign 4
tohost: .word 0
begin_signature:
        .word 0, 0xffffffff
end_signature:
