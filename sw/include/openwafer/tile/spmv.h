// SPDX-License-Identifier: Apache-2.0
// The sparse matrix format of ow_spmv, which the kernel reads. pack_spmv
// (openwafer/sparse.h) writes it.
//
// Rows are sorted by length, longest first, and put into slices of up to OW_SPMV_SLICE rows. The
// sums of a slice are in the accumulator cache. A slice stores its entries by diagonals (jagged
// diagonal storage): the k-th entry of every row that has one, rows in order. Diagonals of (nearly)
// the same number of rows form a segment: a rectangle of rows x diagonals, padded with zeros where
// a row is shorter. A segment is one instruction. The first segment covers all rows of its slice. A
// long row has its own slice, cut into up to OW_SPMV_SLICE pieces that act as rows; their sums are
// then added (reduction `sum` of docs/numerics.md).
//
// Slices alternate between two streams A and B. Each has its own values and indices, and a
// microthread in its half of the cache: while one starts an instruction, the other keeps the engine
// busy.
//
// In memory, 32-bit words: struct ow_spmv_head, then for each round (one slice per stream) two
// structs ow_spmv_slice, then their segments in turns, A first. Both streams have the same number
// of segments (dim0 = 0: none).
#ifndef OW_SPMV_H_
#define OW_SPMV_H_

#include <stdint.h>

#define OW_SPMV_STREAMS 2u
#define OW_SPMV_SLICE 64u

struct ow_spmv_head {
  uint32_t rounds;
  uint32_t values[OW_SPMV_STREAMS];   // bytes from the head to the values of each stream
  uint32_t indices[OW_SPMV_STREAMS];  // bytes from the head to the 16-bit indices
};

struct ow_spmv_slice {
  uint32_t dim;       // word 2 of the sums' descriptor: rows or pieces; 0: no slice here (only B)
  uint32_t y_dim;     // word 2 of the results' descriptor
  uint32_t y_offset;  // bytes from y to its results
  uint32_t long_row;  // 1: its pieces are one row
  uint32_t segments;  // the same in both slices of a round
};

struct ow_spmv_segment {
  uint32_t dim0;  // words 2 and 3 of the sums' descriptor
  uint32_t dim1;
};

#endif  // OW_SPMV_H_
