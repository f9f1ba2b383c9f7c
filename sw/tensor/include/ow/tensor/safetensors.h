// SPDX-License-Identifier: Apache-2.0
// Named tensors in a file, in the safetensors format: eight bytes with the length of a header, the
// header (JSON: for each name its type, shape, and place), and the elements.
#ifndef OW_TENSOR_SAFETENSORS_H_
#define OW_TENSOR_SAFETENSORS_H_

#include <cstddef>
#include <map>
#include <string>

#include "ow/tensor/tensor.h"

namespace ow {

using Tensors = std::map<std::string, Tensor>;

constexpr size_t kMaxTensorBytes = size_t{1} << 32;

// BadInput with the file and the tensor: cut short, a header that is no header, a type that is not
// known, a shape that does not fit its bytes, places that overlap or leave a gap, more than `limit`
// bytes. The header's "__metadata__" is passed over.
Tensors read_safetensors(const std::string& path, size_t limit = kMaxTensorBytes);

// Writes them in the order of their names, so that equal tensors make equal files.
void write_safetensors(const std::string& path, const Tensors& tensors);

}  // namespace ow

#endif  // OW_TENSOR_SAFETENSORS_H_
