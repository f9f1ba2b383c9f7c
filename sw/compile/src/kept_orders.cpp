// SPDX-License-Identifier: Apache-2.0
#include "kept_orders.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/json.h"

namespace ow::jobs {
namespace {

using nlohmann::json;

// The first key, in the order of the file, whose values differ.
std::string first_difference(const json& kept, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (!kept.is_object() || !kept.contains(key) || kept.at(key) != value) return key;
  }
  return "";
}

std::vector<SumOrder> read_list(const std::string& path, const json& decisions, const char* key,
                                size_t layers) {
  const auto bad = [&] {
    throw BadInput(
        fmt::format("{}: key 'decisions.{}': must be a list of {} words, each 'column' or "
                    "'whole'",
                    path, key, layers));
  };
  if (!decisions.contains(key) || !decisions.at(key).is_array()) bad();
  std::vector<SumOrder> orders;
  for (const json& word : decisions.at(key)) {
    if (word != "column" && word != "whole") bad();
    orders.push_back(word == "whole" ? SumOrder::Whole : SumOrder::Column);
  }
  if (orders.size() != layers) bad();
  return orders;
}

}  // namespace

KeptOrders read_orders(const std::string& path, const json& inputs, size_t layers) {
  const json file = read_json(path);
  if (!file.is_object() || file.value("format", json()) != kPlanFormat ||
      file.value("kind", json()) != "training") {
    throw BadInput(path + ": is no plan of a training");
  }
  const std::string differs = first_difference(file.value("inputs", json::object()), inputs);
  if (!differs.empty()) {
    throw BadInput(
        fmt::format("{}: is the plan of another training: key 'inputs.{}' differs", path, differs));
  }
  const json decisions = file.value("decisions", json::object());
  return {read_list(path, decisions, "forward", layers),
          read_list(path, decisions, "delta", layers)};
}

}  // namespace ow::jobs
