// SPDX-License-Identifier: Apache-2.0
// Where the parameters of a network are in the module that was exported.
#ifndef OW_IMPORT_ONNX_PARAMETERS_H_
#define OW_IMPORT_ONNX_PARAMETERS_H_

#include <string>

#include "ow/import/module_map.h"
#include "values.h"

namespace ow::exported {

// The module that a node is in, by the node's name: "/h.0/attn/MatMul" is in "h.0.attn".
std::string scope(const Node& node);
// Whether a constant is a tensor of the module, and not what the exporter computed of one.
bool named(const Constant& c);
// The name of a parameter's tensor in the module. What the exporter computed has the name of the
// module that its node is in.
std::string tensor_name(const Constant& c, const Node& node, const char* suffix);
// A vector as a matrix of one column.
Constant column(const Constant& c);

class Parameters {
 public:
  explicit Parameters(const Values& values) : values_(values) {}

  // Takes the rows and columns of a constant [all rows, all columns] as a parameter. If an
  // operation above has the same, returns that one's name; else "". BadInput, by the node: an order
  // of elements that is not one of rows and columns.
  std::string add(const std::string& name, const Constant& c, const Node& node, const char* suffix,
                  const Places& rows, const Places& columns);

  // The whole tensor of the module that a constant is from.
  Constant whole(const Constant& c) const;
  // Whether a tensor of the module has a parameter.
  bool has(const std::string& tensor) const;
  // The parameter of an embedding's table that has the numbers of a matrix whose name is lost; "".
  std::string table_of(const Constant& c, const Places& rows, const Places& columns) const;
  // BadInput: a tensor of which no parameter has some elements.
  void check() const;

  ParameterValues values;
  ModuleMap map;

 private:
  ModuleTensor& tensor_of(const Node& node, ModuleTensor wanted);

  const Values& values_;
};

}  // namespace ow::exported

#endif  // OW_IMPORT_ONNX_PARAMETERS_H_
