// SPDX-License-Identifier: Apache-2.0
#include "show_plan.h"

#include <fmt/format.h>

#include "ow/compile/plan_file.h"

namespace ow::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_decisions(const json& plan) {
  const json& layers = plan.at("inputs").at("layers");
  const json& decisions = plan.at("decisions");
  if (!decisions.contains("forward")) {
    for (const auto& [key, value] : decisions.items()) {
      fmt::print("{:<18} {}\n", key, text_of(value));
    }
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
}

}  // namespace

void show_plan(Context& context, const json& plan, const std::string& path) {
  const json& inputs = plan.at("inputs");
  fmt::print("{:<18} {}, {} x {} tiles, inputs' hash {}\n", "plan", text_of(plan.at("kind")),
             inputs.at("grid")[0].get<int>(), inputs.at("grid")[1].get<int>(),
             text_of(plan.at("hash")));
  const json& colours = plan.at("colours");
  fmt::print("{:<18} {}: weights {}, down the column {}, back {}, results {} (-1: none)\n",
             "colours", colours.at("count").get<int>(), colours.at("weights").get<int>(),
             colours.at("down").dump(), colours.at("back").get<int>(), colours.at("result").dump());
  fmt::print("{:<18} {} (hash {})\n\n", "program", text_of(plan.at("firmware").at("file")),
             text_of(plan.at("firmware").at("hash")));
  print_decisions(plan);
  fmt::print("\n{:<36} {:>9} {:>9}\n", "a tile's memory", "address", "bytes");
  for (const json& place : plan.at("memory")) {
    fmt::print("{:<36} {:>9} {:>9}\n", text_of(place.at("name")),
               fmt::format("0x{:05x}", place.at("address").get<uint32_t>()),
               place.at("bytes").get<uint32_t>());
  }
  fmt::print("{:<36} {:>9} {:>9}\n", "in use", "", plan.at("used_bytes").get<uint32_t>());
  fmt::print("\n{:<18} {:>6} {:>12} {:>12} {:>9}\n", "phase", "layer", "cycles", "wavelets",
             "bound");
  for (const json& phase : plan.at("phases")) {
    fmt::print("{:<18} {:>6} {:>12} {:>12} {:>9}\n", text_of(phase.at("name")),
               phase.contains("layer") ? phase.at("layer").dump() : "",
               phase.at("cycles").get<uint64_t>(),
               phase.contains("wavelets") ? phase.at("wavelets").dump() : "",
               phase.contains("bound") ? text_of(phase.at("bound")) : "");
  }
  fmt::print("{:<18} {:>6} {:>12}\n", "in all", "", plan.at("cycles").get<uint64_t>());
  if (!path.empty()) {
    jobs::write_plan(path, plan);
    fmt::print("\nsaved       {}\n", path);
  }
  context.result() = plan;
}

}  // namespace ow::cli
