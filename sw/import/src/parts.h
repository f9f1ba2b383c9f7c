// SPDX-License-Identifier: Apache-2.0
// Where the tensors of a file belong in a model.
#ifndef OW_IMPORT_SRC_PARTS_H_
#define OW_IMPORT_SRC_PARTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ow/graph/language_model.h"
#include "ow/tensor/safetensors.h"

namespace ow {

// `Values`: a vector of encodings, const if the model is written.
template <typename Values>
struct Part {
  std::string name;             // of the tensor in the file
  std::vector<uint64_t> shape;  // there
  // The model's matrices or vectors that are one after the other in the tensor, of one size.
  std::vector<Values*> values;
  bool transposed = false;  // the matrix is [inputs][outputs] in the file
  // Rotary pairs are neighbours in the file, features 2 i and 2 i + 1 of heads of so many; 0: they
  // are halves, as in the model.
  int neighbours = 0;
};
using ModelPart = Part<std::vector<uint16_t>>;

// The tensors of a file, by name.
class TensorSource {
 public:
  virtual ~TensorSource() = default;
  virtual const std::string& path() const = 0;
  // Types and shapes, without elements.
  virtual const Tensors& tensors() const = 0;
  // The elements of one of them, rounded once.
  virtual std::vector<uint16_t> read(const std::string& name, HalfType type) const = 0;
};

// Puts a tensor's elements in the file's order into the model.
void place_values(const ModelPart& part, std::vector<uint16_t> values);

// Refuses a number that is not finite in `type`.
void check_finite(const std::string& path, const std::string& name, HalfType type,
                  const std::vector<uint16_t>& values);

// Reads all parts. All names and shapes are checked before the first element is read. BadInput: a
// tensor that is missing, has another shape than `asker` asks for, is of another type than F16,
// BF16, F32 and F64, is not one of the parts and not `ignored`, or holds a number that is not
// finite.
void read_parts(const TensorSource& source, const std::vector<ModelPart>& parts, HalfType type,
                const std::string& asker, const std::function<bool(const std::string&)>& ignored);

}  // namespace ow

#endif  // OW_IMPORT_SRC_PARTS_H_
