// SPDX-License-Identifier: Apache-2.0
#include "plan_report.h"

#include <fmt/format.h>

#include "ow/base/json.h"
#include "ow/compile/plan_file.h"

namespace ow::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

void print_decisions(const json& plan) {
  const json& layers = plan.at("inputs").at("layers");
  const json& decisions = plan.at("plan");
  if (decisions.contains("samples_per_tile")) {
    fmt::print("{:<18} {}\n", "samples a tile", text_of(decisions.at("samples_per_tile")));
    return;
  }
  fmt::print("{:<18} {:<12} {:<12}\n", "sums", "forward", "deltas");
  for (size_t k = 0; k < layers.size(); ++k) {
    fmt::print("{:<18} {:<12} {:<12}\n",
               fmt::format("layer {}: {}x{}", k, layers[k].at("inputs").get<int>(),
                           layers[k].at("outputs").get<int>()),
               text_of(decisions.at("forward")[k]),
               k == 0 ? "-" : text_of(decisions.at("delta")[k]));
  }
  fmt::print("{:<18} {}\n", "computed twice", decisions.value("recompute", "none"));
}

}  // namespace

void print_plan(const jobs::PlanFile& file, const std::string& made) {
  if (!file.path().empty()) fmt::print("{:<11} {}\n", "plan", file.says(made));
}

void show_plan(Context& context, const jobs::PlanFile& file) {
  const json& plan = file.document();
  const json& inputs = plan.at("inputs");
  fmt::print("{:<18} {}, {} x {} tiles, inputs' hash {}\n", "plan", text_of(inputs.at("kind")),
             inputs.at("grid")[0].get<int>(), inputs.at("grid")[1].get<int>(),
             text_of(plan.at("hash")));
  fmt::print("{:<18} {} (hash {})\n\n", "program", text_of(plan.at("firmware")),
             text_of(inputs.at("program")));
  print_decisions(plan);
  fmt::print("\n{:<36} {:>9} {:>9}\n", "a tile's memory", "address", "bytes");
  for (const json& place : plan.at("memory")) {
    fmt::print("{:<36} {:>9} {:>9}\n", text_of(place.at("name")),
               fmt::format("0x{:05x}", place.at("address").get<uint32_t>()),
               place.at("bytes").get<uint32_t>());
  }
  fmt::print("{:<36} {:>9} {:>9}\n", "in use", "",
             plan.at("plan").at("used_bytes").get<uint32_t>());
  fmt::print("\n{:<18} {:>6} {:>12} {:>12} {:>9}\n", "phase", "layer", "cycles", "wavelets",
             "bound");
  for (const json& phase : plan.at("phases")) {
    fmt::print("{:<18} {:>6} {:>12} {:>12} {:>9}\n", text_of(phase.at("name")),
               phase.contains("layer") ? json_text(phase.at("layer")) : "",
               phase.at("cycles").get<uint64_t>(),
               phase.contains("wavelets") ? json_text(phase.at("wavelets")) : "",
               phase.contains("bound") ? text_of(phase.at("bound")) : "");
  }
  fmt::print("{:<18} {:>6} {:>12}\n", "in all", "", plan.at("cycles").get<uint64_t>());
  if (!file.path().empty()) {
    fmt::print("\n");
    print_plan(file);
  }
  context.result() = plan;
}

}  // namespace ow::cli
