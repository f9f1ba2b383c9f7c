// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/causes.h"

#include <fmt/format.h>

#include "ow/isa/isa.h"

namespace ow::jobs {
namespace {

void add_part(uint64_t count, const char* name, std::string* text) {
  if (!text->empty()) *text += ", ";
  *text += fmt::format("{} {}", count, name);
}

}  // namespace

nlohmann::json stalls_json(const Counters& counters) {
  nlohmann::json json;
  for (const StallCause& cause : kStallCauses) {
    const char* const key = isa::name_of(static_cast<isa::Counter>(cause.counter));
    json[key] = counters[static_cast<size_t>(cause.counter)];
  }
  return json;
}

nlohmann::json waits_json(const EdgeWaits& waits) {
  nlohmann::json json;
  for (int k = 0; k < kEdgeWaits; ++k) {
    json[edge_wait_name(static_cast<EdgeWait>(k))] = waits[static_cast<size_t>(k)];
  }
  return json;
}

std::string stalls_text(const Counters& counters, uint64_t times) {
  std::string text;
  for (const StallCause& cause : kStallCauses) {
    add_part(counters[static_cast<size_t>(cause.counter)] / times, cause.name, &text);
  }
  return text;
}

std::string waits_text(const EdgeWaits& waits, uint64_t times) {
  std::string text;
  for (int k = 0; k < kEdgeWaits; ++k) {
    add_part(waits[static_cast<size_t>(k)] / times, edge_wait_name(static_cast<EdgeWait>(k)),
             &text);
  }
  return text;
}

void add_counters(const Counters& before, const Counters& after, Counters* sum) {
  for (size_t k = 0; k < sum->size(); ++k) (*sum)[k] += after[k] - before[k];
}

void add_counters(const std::vector<Counters>& before, const std::vector<Counters>& after,
                  Counters* sum) {
  for (size_t t = 0; t < after.size(); ++t) add_counters(before[t], after[t], sum);
}

}  // namespace ow::jobs
