// SPDX-License-Identifier: Apache-2.0
// The reference inference of networks: what the machine must compute (docs/numerics.md). All it
// knows of the machine is the number of grid rows that a sum goes round, because that fixes the
// order of the additions. A whole sum goes round a single row (N12).
#ifndef OW_GOLDEN_NETWORK_H_
#define OW_GOLDEN_NETWORK_H_

#include <cstdint>
#include <vector>

#include "ow/tensor/network.h"

namespace ow::golden {

// One layer. `dense`: zero weights take part too. Throws InternalError if sizes do not agree.
Activations run_layer(HalfType type, const Layer& layer, const Activations& x, int grid_rows,
                      bool dense = false);

// The partial sums of a layer before they are added up (N52): fp32 encodings,
// [grid row][output][sample].
std::vector<uint32_t> partial_sums(HalfType type, const Layer& layer, const Activations& x,
                                   int grid_rows, bool dense = false);

// A wavelet of a stream of weights.
struct StreamWavelet {
  bool control;
  uint32_t data;
};
// What a layer whose sums go round the column streams into grid row `row` (N7, N8): for each
// output, owner by owner and then in ascending order, the non-zero weights of this row's inputs as
// (local index, value), then a control wavelet that ends the row of sums; the last one ends the
// stream.
std::vector<StreamWavelet> weight_stream(const Layer& layer, int row, int grid_rows);

// All layers; the sums of layer k go round sum_rows[k] grid rows. Element k of the result is the
// output of layer k.
std::vector<Activations> run_layers(const Network& network, const Activations& x,
                                    const std::vector<int>& sum_rows, bool dense = false);

// The same with one number of grid rows for all layers.
std::vector<Activations> run_network(const Network& network, const Activations& x, int grid_rows,
                                     bool dense = false);

}  // namespace ow::golden

#endif  // OW_GOLDEN_NETWORK_H_
