// SPDX-License-Identifier: Apache-2.0
// The tensors of a model's folder as Hugging Face lays it out: model.safetensors, or shards that
// model.safetensors.index.json lists.
#ifndef OW_TENSOR_SAFETENSORS_FOLDER_H_
#define OW_TENSOR_SAFETENSORS_FOLDER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ow/tensor/safetensors.h"

namespace ow {

constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kModelIndex = "model.safetensors.index.json";

// Tensors are read one by one, so a model may be larger than the memory that holds one of its
// tensors twice.
class SafetensorsFolder {
 public:
  // Reads the headers. If both model.safetensors and an index are there, the index is ignored.
  // BadInput in one line: neither is there, a broken index, a shard that is no plain name of a file
  // in the folder, a tensor that is not in its shard, and what SafetensorsFile refuses.
  explicit SafetensorsFolder(const std::string& folder);

  // The file that lists the tensors, for messages.
  const std::string& path() const { return path_; }
  // Types and shapes by name, without elements. Tensors that the index does not list are left out.
  const Tensors& tensors() const { return tensors_; }
  // The tensor with its elements. Its name must be one of tensors().
  Tensor read(const std::string& name) const;

 private:
  struct Place {
    const SafetensorsFile* file;
    size_t tensor;
  };
  void add(const SafetensorsFile& file, size_t tensor);
  void read_index(const std::string& folder);

  std::string path_;
  std::vector<std::unique_ptr<SafetensorsFile>> files_;
  Tensors tensors_;
  std::map<std::string, Place> places_;
};

}  // namespace ow

#endif  // OW_TENSOR_SAFETENSORS_FOLDER_H_
