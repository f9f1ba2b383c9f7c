// SPDX-License-Identifier: Apache-2.0
// Which order of sums (docs/numerics.md, N12) a pass takes: that which takes fewer cycles.
//
// Of a pass with K weights from I inputs to O outputs, on R grid rows, with n samples a tile and b
// = n / lanes beats a weight (2 at least):
//   round the column   max(b K / R, K / R + (n + 1) O): a ramp takes one wavelet a cycle, sums too
//   whole              max(b K ceil(O / R) / O, n ceil(O / R)) + gather
//   gather             (R - 1) (n ceil(I / R) 5 / 8 + 200); 0 where the inputs have been gathered
// Where outputs are many, whole sums cost less if 4 w < w + n + 1 for n = 32 samples and w = K / (R
// O) weights a tile and output.
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
  uint64_t weights = 0;   // that are streamed
  bool gathered = false;  // each tile has the inputs of its column already
};
uint64_t column_cycles(const SumPass& pass);
uint64_t whole_cycles(const SumPass& pass);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SUM_ORDER_H_
