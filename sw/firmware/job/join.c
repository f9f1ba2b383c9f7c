// SPDX-License-Identifier: Apache-2.0
// A vector joined down a grid column and sent back up. Cycles: 2 (words + 25) for each grid row.
#include "job.h"

void join_column(uint32_t addr, uint32_t dsr, uint32_t other, uint32_t other_dsr, uint32_t words,
                 int sum) {
  const uint32_t mine = ow_reg_read(OW_REG_ROW);
  if (grid_rows == 1) return;
  if (mine > 0) {
    receive_words(other, sums.in, words);
    if (sum) {
      ow_add(OW_F32, OW_CTL(dsr, dsr, other_dsr, 0));
    } else {
      ow_max(OW_F32, OW_CTL(dsr, dsr, other_dsr, 0));
    }
  }
  send_words(addr, sums.out, words);
  if (mine + 1 == grid_rows) return;
  receive_words(addr, sums.in, words);
  if (mine + 2 < grid_rows) send_words(addr, sums.out, words);
}
