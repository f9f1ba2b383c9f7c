// SPDX-License-Identifier: Apache-2.0
// NumPy's files: an array (.npy), and arrays by their names in a ZIP archive (.npz).
#ifndef OW_TENSOR_NPY_H_
#define OW_TENSOR_NPY_H_

#include <cstddef>
#include <map>
#include <string>

#include "ow/tensor/safetensors.h"
#include "ow/tensor/tensor.h"

namespace ow {

// Versions 1 to 3 of the format, either order of bytes and of elements, plain or gzip-compressed.
// b1 becomes U8. BadInput with the file: no .npy, a type other than b1, f2, f4, f8, i1 to i8 or u1
// to u8 (Python objects, say), more than 8 dimensions, too few or too many elements, more than
// `limit` bytes.
Tensor read_npy(const std::string& path, size_t limit);

// The names lose their .npy. BadInput as read_npy and unpack_zip (ow/base/zip.h), or for a file
// that is no .npy.
Tensors read_npz(const std::string& path, size_t limit);

// The same, and texts: arrays of type U without dimensions, as UTF-8.
struct NpzContents {
  Tensors tensors;
  std::map<std::string, std::string> texts;
};
NpzContents read_npz_contents(const std::string& path, size_t limit);

// A file of tensors in any format that its first bytes tell: safetensors, .npz, or .npy, whose one
// tensor has an empty name.
Tensors read_tensors(const std::string& path, size_t limit = kMaxTensorBytes);

// Whether a regular file begins like .npy or .npz. False if it cannot be read.
bool is_numpy_file(const std::string& path);

}  // namespace ow

#endif  // OW_TENSOR_NPY_H_
