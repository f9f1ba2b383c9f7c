// SPDX-License-Identifier: Apache-2.0
#include "waits.h"

#include <fmt/format.h>

namespace ow::cli {

nlohmann::json waits_json(const EdgeWaits& waits) {
  nlohmann::json json;
  for (int k = 0; k < kEdgeWaits; ++k) {
    json[edge_wait_name(static_cast<EdgeWait>(k))] = waits[static_cast<size_t>(k)];
  }
  return json;
}

std::string waits_text(const EdgeWaits& waits, uint64_t times) {
  std::string text;
  for (int k = 0; k < kEdgeWaits; ++k) {
    if (k > 0) text += ", ";
    text += fmt::format("{} {}", waits[static_cast<size_t>(k)] / times,
                        edge_wait_name(static_cast<EdgeWait>(k)));
  }
  return text;
}

}  // namespace ow::cli
