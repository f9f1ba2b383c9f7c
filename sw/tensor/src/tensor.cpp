// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/tensor.h"

#include <cstring>
#include <utility>

#include "ow/base/error.h"
#include "ow/tensor/half.h"

namespace ow {
namespace {

struct Type {
  const char* name;
  size_t bytes;
};

Type type_of(TensorType type) {
  switch (type) {
    case TensorType::F16:
      return {"F16", 2};
    case TensorType::BF16:
      return {"BF16", 2};
    case TensorType::F32:
      return {"F32", 4};
    case TensorType::F64:
      return {"F64", 8};
    case TensorType::U8:
      return {"U8", 1};
    case TensorType::I8:
      return {"I8", 1};
    case TensorType::U16:
      return {"U16", 2};
    case TensorType::I16:
      return {"I16", 2};
    case TensorType::U32:
      return {"U32", 4};
    case TensorType::I32:
      return {"I32", 4};
    case TensorType::U64:
      return {"U64", 8};
    case TensorType::I64:
      return {"I64", 8};
  }
  throw InternalError("no such type of element");
}

}  // namespace

const char* type_name(TensorType type) { return type_of(type).name; }
size_t type_bytes(TensorType type) { return type_of(type).bytes; }

double Tensor::value(size_t i) const {
  const size_t size = type_bytes(type);
  uint64_t raw = 0;
  for (size_t k = size; k-- > 0;) raw = raw << 8 | bytes[i * size + k];
  switch (type) {
    case TensorType::F16:
      return from_half(HalfType::Binary16, static_cast<uint16_t>(raw));
    case TensorType::BF16:
      return from_half(HalfType::Bfloat16, static_cast<uint16_t>(raw));
    case TensorType::F32: {
      const auto word = static_cast<uint32_t>(raw);
      float value;
      std::memcpy(&value, &word, sizeof value);
      return value;
    }
    case TensorType::F64: {
      double value;
      std::memcpy(&value, &raw, sizeof value);
      return value;
    }
    case TensorType::I8:
      return static_cast<int8_t>(raw);
    case TensorType::I16:
      return static_cast<int16_t>(raw);
    case TensorType::I32:
      return static_cast<int32_t>(raw);
    case TensorType::I64:
      return static_cast<double>(static_cast<int64_t>(raw));
    default:
      return static_cast<double>(raw);
  }
}

std::string Tensor::shape_text() const {
  std::string text;
  for (const uint64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

TensorType tensor_type(HalfType type) {
  return type == HalfType::Binary16 ? TensorType::F16 : TensorType::BF16;
}

std::vector<uint16_t> half_elements(const Tensor& tensor, HalfType type) {
  const size_t n = tensor.elements();
  std::vector<uint16_t> out(n);
  if (tensor.type == tensor_type(type)) {
    for (size_t k = 0; k < n; ++k) {
      out[k] = static_cast<uint16_t>(tensor.bytes[2 * k] | tensor.bytes[2 * k + 1] << 8);
    }
  } else {
    for (size_t k = 0; k < n; ++k) out[k] = to_half(type, tensor.value(k));
  }
  return out;
}

Tensor half_tensor(HalfType type, std::vector<uint64_t> shape,
                   const std::vector<uint16_t>& values) {
  Tensor out;
  out.type = tensor_type(type);
  out.shape = std::move(shape);
  out.bytes.reserve(2 * values.size());
  for (const uint16_t v : values) {
    out.bytes.push_back(static_cast<uint8_t>(v));
    out.bytes.push_back(static_cast<uint8_t>(v >> 8));
  }
  return out;
}

}  // namespace ow
