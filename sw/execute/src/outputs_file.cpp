// SPDX-License-Identifier: Apache-2.0
#include "outputs_file.h"

#include "ow/tensor/safetensors.h"

namespace ow::jobs {
namespace {

void append(std::vector<uint8_t>* bytes, uint32_t value, int size) {
  for (int k = 0; k < size; ++k) bytes->push_back(static_cast<uint8_t>(value >> (8 * k)));
}

}  // namespace

void write_outputs(const std::string& path, HalfType type,
                   const std::vector<Activations>& batches) {
  Tensor outputs, classes;
  outputs.type = type == HalfType::Binary16 ? TensorType::F16 : TensorType::BF16;
  classes.type = TensorType::I32;
  uint64_t samples = 0;
  for (const Activations& y : batches) {
    samples += static_cast<uint64_t>(y.samples);
    for (int s = 0; s < y.samples; ++s) {
      for (int f = 0; f < y.features; ++f) append(&outputs.bytes, y.at(f, s), 2);
    }
    for (const int c : classify(type, y)) append(&classes.bytes, static_cast<uint32_t>(c), 4);
  }
  outputs.shape = {samples, static_cast<uint64_t>(batches.front().features)};
  classes.shape = {samples};
  write_safetensors(path, {{"outputs", outputs}, {"classes", classes}});
}

}  // namespace ow::jobs
