// SPDX-License-Identifier: Apache-2.0
// Files of a network's weights.
#ifndef OW_TENSOR_WEIGHTS_FILE_H_
#define OW_TENSOR_WEIGHTS_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ow/tensor/half.h"

namespace ow {

// What a checkpoint of a training (ow/memoryx/checkpoint.h) holds besides weights and biases: a
// tensor of check sums, masks by the names of their weights, and moments of the optimizer.
constexpr const char* kCheckpointSums = "openwafer.crc32";
constexpr const char* kMaskSuffix = "_mask";
constexpr const char* kMomentPrefix = "optimizer.";

// A parameter as a file has it.
struct WeightSpec {
  std::string name;
  std::vector<uint64_t> shape;  // [rows, columns]; of a vector [rows]
  bool half = false;            // only 16 bits of a number count: those of a streamed matrix
};

// The numbers of parameters by name, the column runs fastest.
using Weights = std::map<std::string, std::vector<float>>;

// Reads them from safetensors (a checkpoint, too) or NumPy's files (the only parameter may be a
// .npy): F16, BF16, F32 or F64. With `type`, those of 16 bits are rounded to it once and may not be
// of the other 16-bit type; all others are rounded to F32. BadInput with file and tensor: one that
// is missing, unknown, of another shape, of another type, or not finite.
Weights load_weights(const std::string& path, std::optional<HalfType> type,
                     const std::vector<WeightSpec>& specs);

// Writes them as safetensors: those of 16 bits rounded to `type`, zeros without a sign; the others
// in F32.
void save_weights(const std::string& path, HalfType type, const std::vector<WeightSpec>& specs,
                  const Weights& weights);

}  // namespace ow

#endif  // OW_TENSOR_WEIGHTS_FILE_H_
