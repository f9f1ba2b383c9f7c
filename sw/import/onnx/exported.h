// SPDX-License-Identifier: Apache-2.0
// An ONNX file as data: nodes in their order, and constants. Nothing here knows protobuf.
#ifndef OW_IMPORT_ONNX_EXPORTED_H_
#define OW_IMPORT_ONNX_EXPORTED_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ow::exported {

// Numbers of any type, row by row. Doubles hold binary32 and the whole numbers of shapes exactly.
struct Array {
  std::vector<int64_t> shape;
  std::vector<double> data;
  bool whole = false;  // integers or flags: division drops the rest

  size_t elements() const { return data.size(); }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
};

struct Attribute {
  int64_t i = 0;
  double f = 0;
  std::string s;
  std::vector<int64_t> ints;
  Array tensor;
};

struct Node {
  std::string op, name;
  std::vector<std::string> inputs, outputs;  // an empty name: not given
  std::map<std::string, Attribute> attributes;

  int64_t whole(const std::string& key, int64_t fallback) const;
  double real(const std::string& key, double fallback) const;
  // Throws BadInput: "FILE: node '/h.0/Mul' (Mul) ...".
  [[noreturn]] void fail(const std::string& what) const;
  std::string file;
};

struct Model {
  std::string file;
  std::vector<Node> nodes;  // each after those that it takes from
  std::map<std::string, Array> constants;
  std::string input, output;
  std::vector<int64_t> input_shape;  // -1: free
};

// BadInput with the file: no ONNX, a function or an operator of another domain, an element type
// that networks do not have, weights outside the file, several inputs or outputs, more than 2^31
// elements of a constant.
Model read_model(const std::string& path);

}  // namespace ow::exported

#endif  // OW_IMPORT_ONNX_EXPORTED_H_
