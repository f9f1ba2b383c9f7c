// SPDX-License-Identifier: Apache-2.0
// What the column sum kernel and its host program agree on.
#ifndef OW_MEASURE_COLUMN_SUM_H_
#define OW_MEASURE_COLUMN_SUM_H_

#include <stdint.h>

#define OW_CS_TASK_LAUNCH 16u  // activated by the host
#define OW_CS_INQ 0u           // input queue: sums of the tiles in the north
#define OW_CS_OUTQ 0u          // output queue: to the tile in the south

// Symbol ow_cs_params; written by the host before the launch. Row and number of rows say what a
// tile does: the first one sends its vector, the last one keeps the sum in place of its own.
struct ow_cs_params {
  uint32_t rows;    // of the column, at least 2
  uint32_t type;    // enum ow_type: OW_F16, OW_BF16 or OW_F32
  uint32_t n;       // elements: even
  uint32_t x_addr;  // the tile's vector, 64-byte aligned
};

// Symbol ow_cs_times: cycle counts, low words.
struct ow_cs_times {
  uint32_t start;
  uint32_t done;
};

#endif  // OW_MEASURE_COLUMN_SUM_H_
