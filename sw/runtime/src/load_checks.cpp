// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/load_checks.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/isa/isa.h"

namespace ow {
namespace {

namespace reg = isa::reg;

}  // namespace

void check_features(const LayoutState& layout, const TileConfig& tile) {
  using Features = reg::Features;
  const size_t positions = Features::Positions::get(tile.features);
  for (const auto& [place, route] : layout.routes) {
    if (route.positions.size() <= positions) continue;
    const auto [row, col, net] = place;
    throw BadInput(fmt::format("layout: '{}' has {} positions in tile ({}, {}), the machine has {}",
                               layout.nets[static_cast<size_t>(net)], route.positions.size(), row,
                               col, positions));
  }
  const size_t filters = Features::Filters::get(tile.features);
  for (const auto& [place, those] : layout.filters) {
    if (those.size() <= filters) continue;
    throw BadInput(fmt::format("layout: tile ({}, {}) has {} filters, the machine has {}",
                               place.first, place.second, those.size(), filters));
  }
  const int queues = static_cast<int>(Features::Queues::get(tile.features));
  for (const auto& [place, those] : layout.queues) {
    for (const LayoutState::Queue& q : those) {
      if (q.number < queues) continue;
      throw BadInput(fmt::format(
          "layout: '{}' is flow number {} {} tile ({}, {}), the machine has {} queues for them",
          q.name, q.number + 1, q.in ? "into" : "out of", place.first, place.second, queues));
    }
  }
}

void check_claims(const ElfImage& image, const TileConfig& tile) {
  const uint32_t descriptors = reg::Features::Dsrs::get(tile.features) + 1;
  const auto check = [&](const ElfClaim& claim, const char* what, uint32_t first, uint32_t end,
                         uint32_t there) {
    if (first == end || end <= there) return;
    throw BadInput(fmt::format("{}: '{}' has {}s {} to {}, the machine has {} (0 to {})",
                               image.path, claim.name, what, first, end - 1, there, there - 1));
  };
  for (const ElfClaim& claim : image.claims()) {
    check(claim, "descriptor", claim.dsr, claim.dsr_end, descriptors);
    check(claim, "thread", claim.thread, claim.thread_end, static_cast<uint32_t>(tile.threads));
  }
  const uint32_t fifos = reg::Features::Fifos::get(tile.features);
  if (!image.used_fifos.empty() && *image.used_fifos.rbegin() >= fifos) {
    throw BadInput(fmt::format("{}: uses FIFO {}, the machine has {}", image.path,
                               *image.used_fifos.rbegin(), fifos));
  }
  for (const ElfDescriptor& named : image.descriptors()) {
    const std::string what =
        fmt::format("{}: '{}' is descriptor {} (OW_DSR)", image.path, named.name, named.number);
    if (named.number >= descriptors) {
      throw BadInput(
          fmt::format("{}, the machine has {} (0 to {})", what, descriptors, descriptors - 1));
    }
    for (const ElfClaim& claim : image.claims()) {
      if (named.number < claim.dsr || named.number >= claim.dsr_end) continue;
      throw BadInput(
          fmt::format("{}, but '{}' has {} to {}", what, claim.name, claim.dsr, claim.dsr_end - 1));
    }
  }
}

}  // namespace ow
