// SPDX-License-Identifier: Apache-2.0
// Misaligned loads and stores of every kind at every offset, against bytes.
#include "openwafer/tile/export.h"

OW_EXPORT(u32, wrong);
OW_EXPORT(u32, accesses);
static uint8_t memory[16];

void ow_main(void) { ow_emulate_misaligned(); }

static uint32_t of_bytes(uint32_t at, uint32_t bytes) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < bytes; ++i) value |= (uint32_t)memory[at + i] << (8 * i);
  return value;
}

static void check(uint32_t got, uint32_t want) {
  wrong += got != want;
  ++accesses;
}

#define LOAD(insn, at, result) \
  __asm__ volatile(insn " %0, 0(%1)" : "=r"(result) : "r"(&memory[at]) : "memory")
#define STORE(insn, at, value) \
  __asm__ volatile(insn " %0, 0(%1)" ::"r"(value), "r"(&memory[at]) : "memory")

OW_LAUNCH(run) {
  wrong = accesses = 0;
  for (uint32_t i = 0; i < 16; ++i) memory[i] = (uint8_t)(0x7B + 37 * i);
  for (uint32_t at = 0; at < 8; ++at) {
    uint32_t value;
    LOAD("lw", at, value);
    check(value, of_bytes(at, 4));
    LOAD("lhu", at, value);
    check(value, of_bytes(at, 2));
    LOAD("lh", at, value);
    check(value, (uint32_t)(int32_t)(int16_t)of_bytes(at, 2));
    STORE("sw", at, 0x8899AABBu + at);
    check(of_bytes(at, 4), 0x8899AABBu + at);
    const uint32_t beside = memory[at + 2];
    STORE("sh", at, 0x1234C0DEu + at);
    check(of_bytes(at, 2), 0xC0DEu + at);
    check(memory[at + 2], beside);
  }
  // What is loaded into x0 is nowhere.
  __asm__ volatile("lw x0, 0(%0)\n\tsw x0, 0(%0)" ::"r"(&memory[1]) : "memory");
  check(of_bytes(1, 4), 0);
}

OW_LAUNCH(fault) { *(volatile uint32_t*)0x40000000u = 1; }
