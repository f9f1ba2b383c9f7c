// SPDX-License-Identifier: Apache-2.0
// Descriptors loaded from tables in memory.
#define OW_WITHOUT_NOTES  // cycles are counted, and twelve threads have descriptors by number
#include "openwafer/tile/export.h"

enum { N = 64, THREADS = 12, PROBE = 30 };

OW_EXPORT(f16, x, N);
OW_EXPORT(f16, y, N);
OW_EXPORT(f16, z, N);
OW_EXPORT(f16, w, N);
OW_EXPORT(u32, cycles, 3);
OW_EXPORT(u32, wrong);    // words that are not those of the table
OW_EXPORT(u32, delayed);  // loads that took more than a load alone takes

void ow_main(void) {}

const struct ow_dsr_words table[] = {OW_WORDS_MEM2(OW_F16, OW_ADDR(z), 8, 2, 8, 16),
                                     OW_WORDS_MEM1(OW_F16, OW_ADDR(x), N, 2),
                                     OW_WORDS_MEM1(OW_F16, OW_ADDR(y), N, 2)};

static void written(void) {
  ow_dsr_mem2(0, OW_F16, OW_ADDR(z), 8, 2, 8, 16);
  ow_dsr_mem1(1, OW_F16, OW_ADDR(x), N, 2);
  ow_dsr_mem1(2, OW_F16, OW_ADDR(y), N, 2);
  ow_fma(OW_F16, OW_CTL(0, 1, 2, 1));
}

// The same for words that are not known to the compiler.
static void copied(void) {
  for (uint32_t i = 0; i < 3; ++i) {
    const volatile struct ow_dsr_words* const w = &table[i];
    ow_dsrw(i, OW_DSR_KIND, w->kind);
    ow_dsrw(i, OW_DSR_ADDRESS, w->address);
    ow_dsrw(i, OW_DSR_DIM0, w->dim[0]);
    ow_dsrw(i, OW_DSR_DIM1, w->dim[1]);
    ow_dsrw(i, OW_DSR_DIM2, w->dim[2]);
    ow_dsrw(i, OW_DSR_DIM3, w->dim[3]);
  }
  ow_fma(OW_F16, OW_CTL(0, 1, 2, 1));
}

static void loaded(void) {
  ow_dsr_load(0, &table[0]);
  ow_dsr_load(1, &table[1]);
  ow_dsr_load(2, &table[2]);
  ow_fma(OW_F16, OW_CTL(0, 1, 2, 1));
}

// z = x * y + z, launched in three ways. Cycles of the launch alone.
OW_LAUNCH(launch) {
  static void (*const ways[])(void) = {written, copied, loaded};
  for (uint32_t way = 0; way < 3; ++way) {
    void (*volatile run)(void) = ways[way];
    const uint32_t start = ow_cycles();
    run();
    cycles[way] = ow_cycles() - start;
    ow_dsrw(0, OW_DSR_DIM3, 0);  // waits until it is complete
  }
}

// Loads descriptors while a thread reads them: y = x, then w = z.
OW_LAUNCH(in_use) {
  const struct ow_dsr_words words[] = {
      OW_WORDS_MEM1(OW_F16, OW_ADDR(x), N, 2), OW_WORDS_MEM1(OW_F16, OW_ADDR(y), N, 2),
      OW_WORDS_MEM1(OW_F16, OW_ADDR(z), N, 2), OW_WORDS_MEM1(OW_F16, OW_ADDR(w), N, 2)};
  for (uint32_t i = 0; i < 4; i += 2) {
    ow_dsr_load(1, &words[i]);
    ow_dsr_load(0, &words[i + 1]);
    ow_mov(OW_F16, OW_CTL(0, 1, OW_NONE, 1));
  }
}

// Twelve threads come to their end again and again and save addresses, each in another cycle of the
// loads beside them.
OW_LAUNCH(saving, u32 rounds) {
  struct ow_dsr_words words[4];
  for (uint32_t t = 0; t < THREADS; ++t) {
    ow_dsr_mem1(2 * t, OW_F16, OW_ADDR(y), 1 + 3 * t, 0);
    ow_dsrw(2 * t, OW_DSR_KIND, OW_WORD_MEM(OW_F16) | OW_SAVE_ADDRESS);
    ow_dsr_mem1(2 * t + 1, OW_F16, OW_ADDR(x), 1, 0);
    ow_dsrw(2 * t + 1, OW_DSR_KIND, OW_WORD_MEM(OW_F16) | OW_SAVE_ADDRESS);
  }
  wrong = 0;
  delayed = 0;
  for (uint32_t r = 0; r < rounds; ++r) {
    const uint32_t t = r % THREADS;
    struct ow_dsr_words* const p = &words[r % 4];
    *p = (struct ow_dsr_words)OW_WORDS(OW_WORD_MEM(OW_F16), r << 3, ~r, r << 16, r * r, r + 1);
    ow_mov(OW_F16, OW_CTL(2 * t, 2 * t + 1, OW_NONE, t + 1));
    const uint32_t start = ow_cycles();
    ow_dsr_load(PROBE, p);
    const uint32_t kind = ow_dsrr(PROBE, OW_DSR_KIND);
    if (ow_cycles() - start > 10) ++delayed;
    wrong +=
        (kind != p->kind) + (ow_dsrr(PROBE, OW_DSR_ADDRESS) != p->address) +
        (ow_dsrr(PROBE, OW_DSR_DIM0) != p->dim[0]) + (ow_dsrr(PROBE, OW_DSR_DIM1) != p->dim[1]) +
        (ow_dsrr(PROBE, OW_DSR_DIM2) != p->dim[2]) + (ow_dsrr(PROBE, OW_DSR_DIM3) != p->dim[3]);
  }
}
