// SPDX-License-Identifier: Apache-2.0
// The file that a training's first weights come from: `network.weights`.
#include <fmt/format.h>

#include <cmath>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/hash.h"
#include "ow/base/text.h"
#include "ow/memoryx/checkpoint.h"
#include "ow/tensor/safetensors.h"
#include "params_parts.h"

namespace ow::jobs {
namespace {

bool begins_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

// What a checkpoint has besides values.
bool of_a_checkpoint(const std::string& name) {
  const std::string mask = kMaskSuffix;
  const bool masks =
      name.size() > mask.size() && name.compare(name.size() - mask.size(), mask.size(), mask) == 0;
  return masks || name == kCheckpointSums || begins_with(name, kMomentPrefix);
}

bool is_float(TensorType type) {
  return type == TensorType::F16 || type == TensorType::BF16 || type == TensorType::F32 ||
         type == TensorType::F64;
}

}  // namespace

std::shared_ptr<const FirstValues> read_first_values(const std::string& path, const Graph& graph) {
  const std::string file = read_text(path, kMaxTensorBytes);
  const Tensors tensors = parse_safetensors(file, path);
  if (memoryx::is_checkpoint(path)) memoryx::check_checkpoint(path);
  auto first = std::make_shared<FirstValues>();
  first->hash = hash_of(file);
  for (const Parameter& p : graph.parameters) {
    const auto found = tensors.find(p.name);
    const auto fail = [&](const std::string& what) {
      throw BadInput(fmt::format("{}: tensor '{}' {}", path, printable_text(p.name, 60), what));
    };
    if (found == tensors.end()) fail("is missing: " + names_text(tensors));
    const Tensor& tensor = found->second;
    Tensor wanted;
    wanted.shape = {p.rows};
    if (p.form != Parameter::Form::Vector) wanted.shape.push_back(p.columns);
    if (tensor.shape != wanted.shape) {
      fail(fmt::format("has the shape {}, the network asks for {}", tensor.shape_text(),
                       wanted.shape_text()));
    }
    if (!is_float(tensor.type)) {
      fail(fmt::format("is {}, must be F16, BF16, F32 or F64", type_name(tensor.type)));
    }
    std::vector<float>& values = first->values[p.name];
    values.resize(tensor.elements());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(tensor.value(i));
      if (!std::isfinite(values[i])) fail(fmt::format("holds no finite number at {}", i));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (first->values.count(name) != 0 || of_a_checkpoint(name)) continue;
    throw BadInput(fmt::format("{}: tensor '{}' is no parameter of the network", path,
                               printable_text(name, 60)));
  }
  return first;
}

}  // namespace ow::jobs
