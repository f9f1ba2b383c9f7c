// SPDX-License-Identifier: Apache-2.0
// The order of sums (docs/numerics.md, N12) of a pass: the one that takes fewer cycles.
//
// For a pass with K weights from I inputs to O outputs on R grid rows, with n samples a tile and b
// = max(2, n / lanes) beats a weight:
//   round the column   max(b K / R, K / R + (n + 1) O): a ramp takes one wavelet a cycle, sums too
//   whole              max(b K ceil(O / R) / O, n ceil(O / R)) + gather
//   gather             (R - 1) (n ceil(I / R) 5 / 8 + 200); 0 if the inputs are already gathered
// With many outputs and 32 samples, whole sums cost less if 4 w < w + n + 1, where w = K / (R O) is
// the number of weights a tile and output.
//
// If a mask is denser now than in the end, whole sums are still right. Both orders have the same
// beats; the loss is the gather, and rows that own one output more than others.
#ifndef OW_COMPILE_SUM_ORDER_H_
#define OW_COMPILE_SUM_ORDER_H_

#include <cstdint>

namespace ow::jobs {

struct SumPass {
  int rows = 1;     // of the grid
  int samples = 0;  // a tile
  int lanes = 8;
  int inputs = 0;
  int outputs = 0;
  uint64_t weights = 0;   // weights in the stream
  bool gathered = false;  // each tile already has the inputs of its column
};
uint64_t column_cycles(const SumPass& pass);
uint64_t whole_cycles(const SumPass& pass);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SUM_ORDER_H_
