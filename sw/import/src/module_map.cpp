// SPDX-License-Identifier: Apache-2.0
#include "ow/import/module_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>
#include <type_traits>

#include "folder_parts.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/json_object.h"
#include "ow/base/text.h"
#include "ow/graph/kind.h"
#include "ow/tensor/safetensors_folder.h"

namespace ow {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::vector<uint64_t> shape_of(const Parameter& p) {
  if (p.form == Parameter::Form::Vector) return {p.rows};
  return {p.rows, p.columns};
}

size_t count_of(const std::vector<uint64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<>());
}

// Rows and columns of a module's tensor before it is transposed, if it is.
struct Sizes {
  explicit Sizes(const ModuleTensor& t) : rows(t.shape.back()), columns(1) {
    if (!is_matrix(t.shape)) return;
    columns = t.shape[t.shape.size() - 2];
    if (!t.transposed) std::swap(rows, columns);
  }
  size_t place(const ModuleTensor& t, size_t row, size_t column) const {
    return t.transposed ? column * rows + row : row * columns + column;
  }
  size_t rows, columns;
};

// Calls work(element of the parameter, element of the tensor) for all of a part.
template <typename Work>
void each_element(const ModuleTensor& tensor, const ModulePart& part, const Work& work) {
  const Sizes sizes(tensor);
  const size_t rows = part.rows.empty() ? sizes.rows : part.rows.size();
  const size_t columns = part.columns.empty() ? sizes.columns : part.columns.size();
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      work(r * columns + c, sizes.place(tensor, part.rows.empty() ? r : part.rows[r],
                                        part.columns.empty() ? c : part.columns[c]));
    }
  }
}

bool in_order(const std::vector<size_t>& list, size_t all) {
  if (list.empty()) return true;
  if (list.size() != all) return false;
  for (size_t k = 0; k < all; ++k) {
    if (list[k] != k) return false;
  }
  return true;
}

// Features head by head, for each as attention takes it: the feature k H + g is feature g h + k.
std::vector<size_t> interleaved(int heads, int size) {
  std::vector<size_t> list;
  for (int k = 0; k < size; ++k) {
    for (int g = 0; g < heads; ++g) list.push_back(static_cast<size_t>(g * size + k));
  }
  return list;
}

std::string layer_text(const Op& op) {
  std::string inputs;
  for (const std::string& name : op.inputs) inputs += (inputs.empty() ? "" : ", ") + name;
  std::string text =
      fmt::format("  - {{name: {}, kind: {}, inputs: [{}]", op.name, op.kind, inputs);
  for (const KindOption& option : find_kind(op.kind)->options) {
    const double value = op.attributes.at(option.key);
    if (option.fallback && *option.fallback == value) continue;
    if (option.form == KindOption::Form::Flag) {
      text += fmt::format(", {}: {}", option.key, value != 0);
    } else {
      text += fmt::format(", {}: {}", option.key, value);
    }
  }
  std::string shared;
  for (const auto& [suffix, name] : op.shared) {
    shared += fmt::format("{}{}: {}", shared.empty() ? "" : ", ", suffix, name);
  }
  if (!shared.empty()) text += fmt::format(", share: {{{}}}", shared);
  return text + "}\n";
}

void make_folder(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    throw BadInput(path + ": is there already, and is not an empty folder");
  }
  fs::create_directories(path, error);
  if (error) throw BadInput(fmt::format("{}: cannot be made: {}", path, error.message()));
}

Tensor float_tensor(std::vector<uint64_t> shape, const std::vector<float>& values) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.bytes.resize(values.size() * sizeof(float));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

std::string map_text(const ModuleMap& map) {
  ordered_json all = ordered_json::array();
  for (const ModuleTensor& tensor : map) {
    const Sizes sizes(tensor);
    ordered_json parts = ordered_json::array();
    for (const ModulePart& part : tensor.parts) {
      ordered_json one = {{"parameter", part.parameter}};
      if (!in_order(part.rows, sizes.rows)) one["rows"] = part.rows;
      if (!in_order(part.columns, sizes.columns)) one["columns"] = part.columns;
      parts.push_back(std::move(one));
    }
    all.push_back({{"tensor", tensor.name},
                   {"shape", tensor.shape},
                   {"transposed", tensor.transposed},
                   {"parts", std::move(parts)}});
  }
  return ordered_json{{"tensors", std::move(all)}}.dump() + "\n";
}

// A list of places below `limit`.
std::vector<size_t> read_places(const JsonObject& keys, const char* key, size_t limit) {
  std::vector<size_t> list;
  const nlohmann::json* value = keys.find(key);
  if (value == nullptr) return list;
  if (!value->is_array() || value->empty()) keys.fail(key, "must be a list of numbers");
  for (const nlohmann::json& place : *value) {
    if (!place.is_number_unsigned() || place.get<uint64_t>() >= limit) {
      keys.fail(key, fmt::format("may hold numbers from 0 to {}, not {}", limit - 1,
                                 JsonObject::shown(place)));
    }
    list.push_back(place.get<size_t>());
  }
  return list;
}

ModuleTensor read_tensor(const std::string& where, const nlohmann::json& json) {
  const JsonObject keys(where, json);
  ModuleTensor tensor;
  tensor.name = keys.text("tensor");
  tensor.transposed = keys.flag("transposed", false);
  const nlohmann::json* shape = keys.find("shape");
  if (shape == nullptr || !shape->is_array() || shape->empty()) {
    keys.fail("shape", "must be a list of numbers");
  }
  for (const nlohmann::json& size : *shape) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() < 1 || size.get<uint64_t>() > 1 << 24) {
      keys.fail("shape", "must be numbers from 1 to 16777216");
    }
    tensor.shape.push_back(size.get<uint64_t>());
  }
  if (tensor.shape.size() > 1 && !is_matrix(tensor.shape)) {
    keys.fail("shape", "must be that of a vector or of a matrix");
  }
  const Sizes sizes(tensor);
  const nlohmann::json* parts = keys.find("parts");
  if (parts == nullptr || !parts->is_array() || parts->empty()) {
    keys.fail("parts", "must be a list");
  }
  for (const nlohmann::json& one : *parts) {
    const JsonObject part(where, one);
    tensor.parts.push_back({part.text("parameter"), read_places(part, "rows", sizes.rows),
                            read_places(part, "columns", sizes.columns)});
  }
  return tensor;
}

}  // namespace

bool is_matrix(const std::vector<uint64_t>& shape) {
  return shape.size() >= 2 &&
         std::all_of(shape.begin(), shape.end() - 2, [](uint64_t size) { return size == 1; });
}

Tensors module_tensors(const ModuleMap& map, const ParameterValues& values,
                       const std::string& where) {
  Tensors out;
  for (const ModuleTensor& tensor : map) {
    std::vector<float> all(count_of(tensor.shape));
    for (const ModulePart& part : tensor.parts) {
      const auto found = values.find(part.parameter);
      if (found == values.end()) {
        throw BadInput(fmt::format("{}: has no parameter '{}'", where, part.parameter));
      }
      size_t count = 0;
      each_element(tensor, part, [&](size_t, size_t) { ++count; });
      if (count != found->second.size()) {
        throw BadInput(fmt::format("{}: parameter '{}' has {} numbers, tensor '{}' has {}", where,
                                   part.parameter, found->second.size(), tensor.name, count));
      }
      each_element(tensor, part,
                   [&](size_t mine, size_t theirs) { all[theirs] = found->second[mine]; });
    }
    out[tensor.name] = float_tensor(tensor.shape, all);
  }
  return out;
}

ParameterValues parameter_values(const ModuleMap& map, const Tensors& tensors,
                                 const std::string& where) {
  ParameterValues out;
  for (const ModuleTensor& tensor : map) {
    const auto found = tensors.find(tensor.name);
    if (found == tensors.end()) {
      throw BadInput(
          fmt::format("{}: tensor '{}' is missing: {}", where, tensor.name, names_text(tensors)));
    }
    if (found->second.shape != tensor.shape) {
      Tensor wanted;
      wanted.shape = tensor.shape;
      throw BadInput(fmt::format("{}: tensor '{}' has the shape {}, must have {}", where,
                                 tensor.name, found->second.shape_text(), wanted.shape_text()));
    }
    for (const ModulePart& part : tensor.parts) {
      std::vector<float>& values = out[part.parameter];
      each_element(tensor, part, [&](size_t, size_t theirs) {
        values.push_back(static_cast<float>(found->second.value(theirs)));
      });
    }
  }
  return out;
}

ParameterValues parameter_values(const Graph& graph, const Tensors& tensors,
                                 const std::string& where) {
  ModuleMap map;
  for (const Parameter& p : graph.parameters) {
    map.push_back({p.name, shape_of(p), false, {{p.name, {}, {}}}});
  }
  return parameter_values(map, tensors, where);
}

ModuleMap family_map(const FamilyGraph& family, const std::string& prefix) {
  const LanguageShape& s = family.names.shape;
  using Names = const LanguageParts<std::string>;
  const FolderParts<Names> parts(family.names, family.names.head.empty(), prefix);
  // Rows of these are heads, and columns of the output's matrix.
  std::map<const std::string*, int> heads, columns;
  for (const auto& b : family.names.blocks) {
    for (const std::string* q : {&b.query, &b.query_bias}) heads[q] = s.heads;
    for (const std::string* k : {&b.key, &b.value, &b.key_bias, &b.value_bias}) {
      heads[k] = s.kv_heads;
    }
    columns[&b.output] = s.heads;
  }
  ModuleMap map;
  for (const auto& part : parts.all()) {
    ModuleTensor tensor{part.name, part.shape, part.transposed, {}};
    const size_t rows = Sizes(tensor).rows, each = rows / part.values.size();
    size_t first = 0;
    for (const std::string* name : part.values) {
      ModulePart one{*name, {}, {}};
      if (heads.count(name) != 0) {
        one.rows = interleaved(heads[name], s.head_size);
        for (size_t& row : one.rows) row += first;
      }
      if (columns.count(name) != 0) one.columns = interleaved(columns[name], s.head_size);
      first += each;
      tensor.parts.push_back(std::move(one));
    }
    map.push_back(std::move(tensor));
  }
  return map;
}

void write_network_folder(const std::string& path, const ImportedNetwork& network) {
  make_folder(path);
  Tensors tensors;
  for (const Parameter& p : network.graph.parameters) {
    std::vector<uint64_t> shape = shape_of(p);
    const std::vector<float>& values = network.values.at(p.name);
    if (values.size() != count_of(shape)) {
      throw InternalError(fmt::format("'{}' does not have the network's shape", p.name));
    }
    tensors[p.name] = float_tensor(std::move(shape), values);
  }
  write_safetensors((fs::path(path) / kNetworkWeights).string(), tensors);
  write_file((fs::path(path) / kNetworkMap).string(), map_text(network.map));
  std::string text = "# A network for `network.graph` of a job.\ninputs: tokens\nlayers:\n";
  for (const Op& op : network.graph.ops) text += layer_text(op);
  write_file((fs::path(path) / kNetworkGraph).string(), text);
}

ImportedNetwork read_network_folder(const std::string& path) {
  const std::string file = (fs::path(path) / kConfigFile).string();
  const ModelConfig config = read_model_config(file);
  const SafetensorsFolder folder(path);
  const FamilyGraph family = family_graph(config.shape, config.tied, file);
  ImportedNetwork out;
  out.graph = family.graph;
  out.map = family_map(family, folder_prefix(folder.tensors()));
  Tensors tensors;
  for (const ModuleTensor& tensor : out.map) {
    if (folder.tensors().count(tensor.name) == 0) continue;  // said below
    tensors[tensor.name] = folder.read(tensor.name);
  }
  for (const auto& [name, tensor] : folder.tensors()) {
    if (tensors.count(name) != 0 || ignored_tensor(name, config)) continue;
    throw BadInput(fmt::format("{}: tensor '{}' is not one of the model's", folder.path(),
                               printable_text(name, 60)));
  }
  out.values = parameter_values(out.map, tensors, folder.path());
  return out;
}

void write_module_folder(const std::string& path, const Tensors& tensors,
                         const ModelConfig* config) {
  make_folder(path);
  std::vector<TensorHead> heads;
  for (const auto& [name, tensor] : tensors) heads.push_back({name, tensor.type, tensor.shape});
  FileWriter file((fs::path(path) / kModelFile).string());
  const std::string header = safetensors_header(heads, {{"format", "pt"}});
  file.append(header.data(), header.size());
  for (const auto& [name, tensor] : tensors) file.append(tensor.bytes.data(), tensor.bytes.size());
  file.close();
  if (config == nullptr) return;
  write_file((fs::path(path) / kConfigFile).string(), model_config_text(*config, std::nullopt));
}

ModuleMap read_module_map(const std::string& path) {
  const nlohmann::json json = parse_json(read_text(path), path);
  const JsonObject keys(path, json);
  const nlohmann::json* tensors = keys.find("tensors");
  if (tensors == nullptr || !tensors->is_array()) keys.fail("tensors", "must be a list");
  ModuleMap map;
  for (const nlohmann::json& tensor : *tensors) map.push_back(read_tensor(path, tensor));
  return map;
}

}  // namespace ow
