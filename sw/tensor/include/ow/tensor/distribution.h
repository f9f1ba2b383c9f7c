// SPDX-License-Identifier: Apache-2.0
// How elements are spread over the rows of a grid.
#ifndef OW_TENSOR_DISTRIBUTION_H_
#define OW_TENSOR_DISTRIBUTION_H_

namespace ow {

// n elements are dealt to `rows` grid rows in turns: element i is in row i % rows. Returns how many
// are in `row`.
constexpr int owned_elements(int n, int row, int rows) {
  return n > row ? (n - row + rows - 1) / rows : 0;
}

}  // namespace ow

#endif  // OW_TENSOR_DISTRIBUTION_H_
