// SPDX-License-Identifier: Apache-2.0
// Files of a job's weights.
#include <filesystem>
#include <system_error>

#include "ow/base/file.h"
#include "ow/base/hash.h"
#include "ow/compile/params.h"
#include "ow/memoryx/checkpoint.h"
#include "ow/tensor/safetensors.h"

namespace ow::jobs {

std::vector<WeightSpec> weight_specs(const Graph& graph) {
  std::vector<WeightSpec> specs;
  for (const Parameter& p : graph.parameters) {
    WeightSpec spec{p.name, {p.rows}, p.form == Parameter::Form::Matrix};
    if (p.form != Parameter::Form::Vector) spec.shape.push_back(p.columns);
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::shared_ptr<const FirstValues> read_first_values(const std::string& path, const Graph& graph,
                                                     std::optional<HalfType> type) {
  auto first = std::make_shared<FirstValues>();
  first->values = load_weights(path, type, weight_specs(graph));
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {  // a pipe can be read only once
    first->hash = hash_of(read_text(path, kMaxTensorBytes));
    if (memoryx::is_checkpoint(path)) memoryx::check_checkpoint(path);
  }
  return first;
}

}  // namespace ow::jobs
