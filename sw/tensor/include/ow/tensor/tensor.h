// SPDX-License-Identifier: Apache-2.0
// A tensor as in a file: a type of element, a shape, and the elements row by row (the last index
// runs fastest), each little endian.
#ifndef OW_TENSOR_TENSOR_H_
#define OW_TENSOR_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/tensor/half.h"

namespace ow {

enum class TensorType { F16, BF16, F32, F64, U8, I8, U16, I16, U32, I32, U64, I64 };

// "F16", "BF16", ...: the names of safetensors.
const char* type_name(TensorType type);
size_t type_bytes(TensorType type);

struct Tensor {
  TensorType type = TensorType::F32;
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;  // elements() x type_bytes(type)

  size_t elements() const { return bytes.size() / type_bytes(type); }
  // Element i in the order of the bytes; exact, except for integers of more than 53 bits.
  double value(size_t i) const;
  std::string shape_text() const;  // "[60000, 28, 28]"
};

// The tensor's elements as encodings of `type`. Elements of another type are rounded once.
std::vector<uint16_t> half_elements(const Tensor& tensor, HalfType type);
// The tensor of these encodings, one for each element of the shape.
Tensor half_tensor(HalfType type, std::vector<uint64_t> shape, const std::vector<uint16_t>& values);
// The 16-bit type as an element of tensors.
TensorType tensor_type(HalfType type);

}  // namespace ow

#endif  // OW_TENSOR_TENSOR_H_
