// SPDX-License-Identifier: Apache-2.0
// All that the golden model knows of a machine: what decides the order of additions.
#ifndef OW_GOLDEN_NUMERICS_H_
#define OW_GOLDEN_NUMERICS_H_

#include "ow/tensor/half.h"

namespace ow::golden {

// Feature i of a value lies in grid row i mod `rows`, sample s in grid column s div `samples`.
struct Numerics {
  HalfType type = HalfType::Binary16;  // of weights in streams, activations and deltas
  int rows = 1;                        // of the grid
  int columns = 1;
  int samples = 1;  // of a tile
  // Grid rows that a sum of this operation goes round: `rows`, or 1 if it is whole (N12). In the
  // forward pass, and in that of the deltas.
  int forward_rows = 1;
  int delta_rows = 1;
};

}  // namespace ow::golden

#endif  // OW_GOLDEN_NUMERICS_H_
