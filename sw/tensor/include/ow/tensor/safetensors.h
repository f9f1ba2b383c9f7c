// SPDX-License-Identifier: Apache-2.0
// Named tensors in a file, in the safetensors format: eight bytes with the length of a header, the
// header (JSON: for each name its type, shape, and place), and the elements.
#ifndef OW_TENSOR_SAFETENSORS_H_
#define OW_TENSOR_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ow/tensor/tensor.h"

namespace ow {

using Tensors = std::map<std::string, Tensor>;

// The names, for an error that misses one: the first ones and how many others there are.
std::string names_text(const Tensors& tensors);

constexpr size_t kMaxTensorBytes = size_t{1} << 32;

// BadInput with the file and the tensor: a file that is cut short, a broken header, an unknown
// type, a shape that does not fit its bytes, places that overlap or leave a gap, more than `limit`
// bytes. The header's "__metadata__" is ignored.
Tensors read_safetensors(const std::string& path, size_t limit = kMaxTensorBytes);
// The same from the bytes of a file. Errors name `path`.
Tensors parse_safetensors(const std::string& file, const std::string& path);

// Writes the tensors in the order of their names, so that equal tensors give equal files.
void write_safetensors(const std::string& path, const Tensors& tensors);

// For files that do not fit the memory, or that carry notes: the header alone, and the elements
// part by part.
struct TensorHead {
  std::string name;
  TensorType type = TensorType::F32;
  std::vector<uint64_t> shape;
  size_t bytes() const;
};
using TensorNotes = std::map<std::string, std::string>;  // the header's "__metadata__"

// The beginning of such a file; the tensors' elements follow in the same order.
std::string safetensors_header(const std::vector<TensorHead>& tensors, const TensorNotes& notes);

// A file that is read part by part.
class SafetensorsFile {
 public:
  // Reads the header. BadInput as read_safetensors, and for a note that is no text.
  explicit SafetensorsFile(const std::string& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::string& path() const { return path_; }
  // In the order of their elements.
  const std::vector<TensorHead>& tensors() const { return tensors_; }
  const TensorNotes& notes() const { return notes_; }
  // The header with its length, as in the file.
  const std::string& header() const { return header_; }
  // Bytes first .. first + count - 1 of a tensor's elements. BadInput if they cannot be read.
  void read(size_t tensor, size_t first, size_t count, void* out) const;

 private:
  void read_header(size_t file_bytes);
  void read_at(size_t first, size_t count, void* out) const;

  std::string path_;
  int file_ = -1;
  std::string header_;
  std::vector<TensorHead> tensors_;
  std::vector<size_t> places_;
  TensorNotes notes_;
};

}  // namespace ow

#endif  // OW_TENSOR_SAFETENSORS_H_
