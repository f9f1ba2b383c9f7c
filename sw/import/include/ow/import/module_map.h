// SPDX-License-Identifier: Apache-2.0
// How the parameters of a network are tensors of a module of another program: of a model's folder,
// or of what an ONNX file was exported from.
#ifndef OW_IMPORT_MODULE_MAP_H_
#define OW_IMPORT_MODULE_MAP_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ow/graph/family.h"
#include "ow/graph/graph.h"
#include "ow/import/model_config.h"
#include "ow/tensor/safetensors.h"

namespace ow {

// A parameter [rows, columns] in a module's matrix: its row r is the matrix's row rows[r], and so
// with columns. Empty: all, in their order. A vector has one column.
struct ModulePart {
  std::string parameter;
  std::vector<size_t> rows, columns;
};

// A tensor of a module, which is all of its parts. `transposed`: it is [columns, rows].
struct ModuleTensor {
  std::string name;
  std::vector<uint64_t> shape;  // in the module
  bool transposed = false;
  std::vector<ModulePart> parts;
};
using ModuleMap = std::vector<ModuleTensor>;
// Whether a shape is that of a matrix: two sizes, after sizes of 1.
bool is_matrix(const std::vector<uint64_t>& shape);

// Values of parameters by name, [rows, columns].
using ParameterValues = std::map<std::string, std::vector<float>>;

// The module's tensors, in F32. BadInput, beginning with `where`: a parameter that has no values,
// or not as many as its part.
Tensors module_tensors(const ModuleMap& map, const ParameterValues& values,
                       const std::string& where);

// The other way round. BadInput: a tensor that is missing or has another shape. Tensors that are
// not in the map are not looked at.
ParameterValues parameter_values(const ModuleMap& map, const Tensors& tensors,
                                 const std::string& where);

// The values of a graph's parameters in a file of their names, such as a checkpoint; other tensors
// are not looked at. BadInput, beginning with `where`, for one that is missing or of another shape.
ParameterValues parameter_values(const Graph& graph, const Tensors& tensors,
                                 const std::string& where);

// Hugging Face's names of a model of a family, without the head if it is the embedding. With
// `prefix` before those of GPT-2's body.
ModuleMap family_map(const FamilyGraph& family, const std::string& prefix);

// What `ow import` of a graph writes into a folder, which must be new or empty: its layers, for the
// key `network.graph` of a job; first weights, for `network.weights`; and the map.
constexpr const char* kNetworkGraph = "network.yaml";
constexpr const char* kNetworkWeights = "weights.safetensors";
constexpr const char* kNetworkMap = "module.json";
// A network of another program. The graph has no loss.
struct ImportedNetwork {
  Graph graph = Graph::of_tokens();
  ParameterValues values;
  ModuleMap map;
};
// The graph is written last, so a folder with it is whole. BadInput if a file cannot be written.
void write_network_folder(const std::string& path, const ImportedNetwork& network);

// A model's folder (ow/import/model_folder.h), in F32. BadInput as read_model_folder.
ImportedNetwork read_network_folder(const std::string& path);

// Writes the tensors of a module as model.safetensors into a folder, which must be new or empty,
// and config.json, if `config` is given, last. BadInput if a file cannot be written.
void write_module_folder(const std::string& path, const Tensors& tensors,
                         const ModelConfig* config);

// BadInput with file and key.
ModuleMap read_module_map(const std::string& path);

}  // namespace ow

#endif  // OW_IMPORT_MODULE_MAP_H_
