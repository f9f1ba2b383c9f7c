// SPDX-License-Identifier: Apache-2.0
// IDX files, the format of the MNIST digits: two zero bytes, a type, the number of dimensions, the
// dimensions, and the elements, all big endian.
#ifndef OW_TENSOR_IDX_H_
#define OW_TENSOR_IDX_H_

#include <cstddef>
#include <string>

#include "ow/tensor/tensor.h"

namespace ow {

// Plain or gzip-compressed. BadInput with the file: a type other than U8, I8, I16, I32, F32 or F64,
// no dimensions or more than 8, too few or too many elements, more than `limit` bytes.
Tensor read_idx(const std::string& path, size_t limit);

}  // namespace ow

#endif  // OW_TENSOR_IDX_H_
