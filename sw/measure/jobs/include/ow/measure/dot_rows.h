// SPDX-License-Identifier: Apache-2.0
// What the kernel of dot products along a row of tiles and its host program agree on.
#ifndef OW_MEASURE_DOT_ROWS_H_
#define OW_MEASURE_DOT_ROWS_H_

#include <stdint.h>

#define OW_DR_TASK_LAUNCH 16u  // activated by the host
#define OW_DR_INQ_INDICES 0u   // the stream of indices, the same in all tiles of the row
#define OW_DR_INQ_EAST 1u      // sums of the next tile in the east; the last one has none
#define OW_DR_OUTQ_WEST 0u     // to the tile in the west; the first one keeps the sums

// Symbol ow_dr_params; written by the host before the launch. A row end of the stream leads to the
// next vector, its end ends the kernel.
struct ow_dr_params {
  uint32_t cols;  // of the row
  uint32_t lanes;
  uint32_t samples;  // elements of a vector
  uint32_t indices;  // rows of the matrix
  uint32_t vectors;
  uint32_t results;   // indices in the stream
  uint32_t x_addr;    // the matrix, row by row, binary16; 64-byte aligned as all
  uint32_t v_addr;    // the vectors, one after the other
  uint32_t sum_addr;  // fp32, in the first tile; room for whole rows of `lanes` results
};

// Symbol ow_dr_times: cycle counts, low words.
struct ow_dr_times {
  uint32_t start;
  uint32_t done;
};

#endif  // OW_MEASURE_DOT_ROWS_H_
