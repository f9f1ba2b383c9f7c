// SPDX-License-Identifier: Apache-2.0
// What goes round a grid column. Gather: every tile gets the features of all tiles of its column.
// Each grid row sends its own and then what it received, all rows at the same time. Cycles: about
// 5/8 per sample and feature, and 200 for a row.
#include "job.h"

// Descriptors of a round and of the round before it.
enum { SENT, TO, FROM, IN, ROUND_DSRS };
enum { OWN = DSR_A, COPY = DSR_B };

static uint32_t round_dsr(uint32_t n) { return DSR_ROUND + n % 2 * ROUND_DSRS; }

// Words that do not change are written once.
static void init_rounds(void) {
  for (uint32_t dsr = DSR_ROUND; dsr < DSR_ROUND + 2 * ROUND_DSRS; dsr += ROUND_DSRS) {
    ow_dsr_mem1(dsr + SENT, OW_F32, 0, 1, 4);
    ow_dsr_fabric_out(dsr + TO, OW_F32, sums.out, 1, 0);
    ow_dsr_fabric_in(dsr + FROM, OW_F32, sums.in, 1);
    ow_dsr_mem1(dsr + IN, OW_F32, 0, 1, 4);
  }
}

// A descriptor in use cannot be written: this waits until the words of the round have arrived.
static void wait_round(uint32_t n) { ow_dsrw(round_dsr(n) + IN, OW_DSR_DIM3, 0); }

void wait_gathered(void) { wait_round(grid_rows - 1); }

// The last round may send nothing while the one before still sends.
void wait_sent(void) {
  ow_dsrw(DSR_ROUND + SENT, OW_DSR_DIM3, 0);
  ow_dsrw(DSR_ROUND + ROUND_DSRS + SENT, OW_DSR_DIM3, 0);
}

// What the n-th round sends: the tile's own part, or what the round before received.
static void set_sent(uint32_t n, uint32_t addr, uint32_t words) {
  const uint32_t dsr = round_dsr(n);
  ow_dsrw(dsr + SENT, OW_DSR_ADDRESS, addr);
  ow_dsrw(dsr + SENT, OW_DSR_DIM0, ow_dim_word(words, 4));
  ow_dsrw(dsr + TO, OW_DSR_DIM0, ow_dim_word(words, 0));
}

static void start_sending(uint32_t n, uint32_t words) {
  if (words == 0) return;
  const uint32_t dsr = round_dsr(n);
  ow_mov(OW_F32, OW_CTL(dsr + TO, dsr + SENT, OW_NONE, THREAD_WEIGHTS));
}

// Receives a round after the round before has received everything, while the core goes on.
static void start_receiving(uint32_t n, uint32_t addr, uint32_t words) {
  if (words == 0) return;
  const uint32_t dsr = round_dsr(n);
  ow_dsrw(dsr + FROM, OW_DSR_DIM0, ow_dim_word(words, 0));
  ow_dsrw(dsr + IN, OW_DSR_ADDRESS, addr);
  ow_dsrw(dsr + IN, OW_DSR_DIM0, ow_dim_word(words, 4));
  ow_mov(OW_F32, OW_CTL(dsr + IN, dsr + FROM, OW_NONE, THREAD_GATHER));
}

// The tile's own part to its place among the others.
static void copy_own(uint32_t from, uint32_t to, uint32_t words) {
  if (words == 0 || from == to) return;
  set_row(OWN, OW_I16, from, words * 2);
  set_row(COPY, OW_I16, to, words * 2);
  ow_mov(OW_I16, OW_CTL(COPY, OWN, OW_NONE, THREAD_DRAIN));
}

// The gradients of biases are computed in the first round, which takes longest.
OW_PHASE(gather, struct ow_gather, p) {
  const uint32_t row = ow_reg_read(OW_REG_ROW), each = pitch() / 4;
  uint32_t addr = p->own, words = dealt_to(&p->dealt, row) * each;
  init_rounds();
  set_sent(1, addr, words);  // early: the next grid row waits for it
  start_sending(1, words);
  uint32_t owner = row;
  for (uint32_t n = 1; n < grid_rows; ++n) {
    owner = owner > 0 ? owner - 1 : grid_rows - 1;
    const uint32_t in = p->to + dealt_before(&p->dealt, owner) * pitch();
    const uint32_t in_words = dealt_to(&p->dealt, owner) * each;
    if (n > 1) set_sent(n, addr, words);
    start_receiving(n, in, in_words);
    if (n > 1) {
      wait_round(n - 1);
      start_sending(n, words);
    } else {
      copy_own(addr, p->to + dealt_before(&p->dealt, row) * pitch(), words);
      bias_gradients(p->bias_deltas, p->bias_rows, p->bias_work, p->bias_room);
    }
    addr = in;
    words = in_words;
  }
}
