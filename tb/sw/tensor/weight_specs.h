// SPDX-License-Identifier: Apache-2.0
#ifndef OW_TB_SW_TENSOR_WEIGHT_SPECS_H_
#define OW_TB_SW_TENSOR_WEIGHT_SPECS_H_

#include <vector>

#include "ow/tensor/network.h"
#include "ow/tensor/weights_file.h"

namespace ow {

// What a file of these layers' weights holds.
inline std::vector<WeightSpec> specs_of(const std::vector<LayerShape>& layers) {
  std::vector<WeightSpec> specs;
  for (size_t k = 0; k < layers.size(); ++k) {
    const auto outputs = static_cast<uint64_t>(layers[k].outputs);
    specs.push_back(
        {weight_name(layers[k], k), {outputs, static_cast<uint64_t>(layers[k].inputs)}, true});
    if (layers[k].bias) specs.push_back({bias_name(layers[k], k), {outputs}});
  }
  return specs;
}

}  // namespace ow

#endif  // OW_TB_SW_TENSOR_WEIGHT_SPECS_H_
