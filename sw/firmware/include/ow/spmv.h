// SPDX-License-Identifier: Apache-2.0
// The sparse matrix format of ow_spmv: what the host tool writes and the kernel reads.
//
// Rows are cut into pieces of a bounded length, sorted by length and put into slices of up to
// OW_SPMV_SLICE pieces. A slice has its entries by diagonals: the k-th entry of every piece that
// has one, pieces in order. Diagonals of (nearly) the same number of pieces form a segment, a
// rectangle of `pieces` x `diagonals`, padded with zeros where a piece is shorter; a segment is one
// instruction. Slices alternate between two streams (even: A, odd: B), each with its own values and
// indices, which two microthreads walk in the two halves of the accumulator cache.
//
// A slice is either `rows` pieces that are a row each (its sums are rounded and stored), or the
// pieces of one long row (its sums are added up: reduction `sum` of docs/numerics.md).
//
// In memory, 32-bit words: struct ow_spmv_head, then for each pair of slices (A, B) two structs
// ow_spmv_slice, then their segments alternating A, B: both have the same number of them (a
// segment of 0 diagonals is not there).
#ifndef OW_SPMV_H_
#define OW_SPMV_H_

#include <stdint.h>

#define OW_SPMV_SLICE 64u  // pieces

struct ow_spmv_head {
  uint32_t pairs;       // pairs of slices
  uint32_t values[2];   // byte address of the values of stream A, B
  uint32_t indices[2];  // byte address of the 16-bit indices
};

struct ow_spmv_slice {
  uint32_t pieces;    // 0: no slice here
  uint32_t long_row;  // 1: the pieces are one row
  uint32_t y_offset;  // element of y where its results go
  uint32_t segments;  // the same in A and B
};

struct ow_spmv_segment {
  uint32_t dim0;  // words 2 and 3 of the accumulator's descriptor; dim0 = 0: nothing
  uint32_t dim1;
};

#endif  // OW_SPMV_H_
