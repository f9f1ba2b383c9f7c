// SPDX-License-Identifier: Apache-2.0
// The reference inference of networks: what the machine must compute (docs/numerics.md). All it
// knows of the machine is the number of grid rows that a sum goes round, because that fixes the
// order of the additions. A whole sum goes round a single row (N12).
#ifndef OW_GOLDEN_NETWORK_H_
#define OW_GOLDEN_NETWORK_H_

#include <vector>

#include "ow/tensor/network.h"

namespace ow::golden {

// One layer. `dense`: zero weights take part too. Throws InternalError if sizes do not agree.
Activations run_layer(HalfType type, const Layer& layer, const Activations& x, int grid_rows,
                      bool dense = false);

// All layers; the sums of layer k go round sum_rows[k] grid rows. Element k of the result is the
// output of layer k.
std::vector<Activations> run_layers(const Network& network, const Activations& x,
                                    const std::vector<int>& sum_rows, bool dense = false);

// The same with one number of grid rows for all layers.
std::vector<Activations> run_network(const Network& network, const Activations& x, int grid_rows,
                                     bool dense = false);

}  // namespace ow::golden

#endif  // OW_GOLDEN_NETWORK_H_
