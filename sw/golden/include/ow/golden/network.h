// SPDX-License-Identifier: Apache-2.0
// The reference inference of networks: what the machine must compute (docs/numerics.md). The shape
// of the machine enters only as the number of grid rows that a sum goes round, because that fixes
// the order of the additions; a whole sum is one that goes round a single row (N12).
#ifndef OW_GOLDEN_NETWORK_H_
#define OW_GOLDEN_NETWORK_H_

#include <vector>

#include "ow/tensor/network.h"

namespace ow::golden {

// One layer. `dense`: zero weights take part too. Throws InternalError if the sizes do not agree.
Activations run_layer(HalfType type, const Layer& layer, const Activations& x, int grid_rows,
                      bool dense = false);

// All layers, whose sums go round so many grid rows each: element k of the result is the output of
// layer k.
std::vector<Activations> run_layers(const Network& network, const Activations& x,
                                    const std::vector<int>& sum_rows, bool dense = false);

// The same with one number for all layers: element k of the result is the output of layer k.
std::vector<Activations> run_network(const Network& network, const Activations& x, int grid_rows,
                                     bool dense = false);

}  // namespace ow::golden

#endif  // OW_GOLDEN_NETWORK_H_
