// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/ramp.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/tile_map.h"
#include "ow/isa/isa.h"

namespace ow {
namespace {

namespace reg = isa::reg;

void check_queue(int queue, int colour) {
  if (queue < 0 || queue >= kNumQueues) {
    throw BadInput(fmt::format("queue {}: must be 0 to {}", queue, kNumQueues - 1));
  }
  if (colour < 0 || colour >= kMaxDataColours) {
    throw BadInput(fmt::format("colour {}: must be 0 to {}", colour, kMaxDataColours - 1));
  }
}

}  // namespace

void bind_inq(ControlPlane& control, const Rect& rect, int queue, int colour) {
  check_queue(queue, colour);
  const std::vector<std::vector<uint32_t>> words =
      control.read_rect(rect, reg::Inq::kAddress, kNumQueues);
  for (size_t i = 0; i < words.size(); ++i) {
    for (int q = 0; q < kNumQueues; ++q) {
      const uint32_t word = words[i][static_cast<size_t>(q)];
      if (q == queue || !reg::Inq::Enable::get(word) ||
          static_cast<int>(reg::Inq::Colour::get(word)) != colour) {
        continue;
      }
      const int n = static_cast<int>(i);
      throw BadInput(
          fmt::format("tile ({}, {}): colour {} for input queue {}, but queue {} has it: "
                      "a colour is served by one (unbind_queues frees it)",
                      rect.row + n / rect.cols, rect.col + n % rect.cols, colour, queue, q));
    }
  }
  control.write(rect, reg::Inq::address(queue),
                reg::Inq::Enable::put(1) | reg::Inq::Colour::put(colour));
}

void bind_outq(ControlPlane& control, const Rect& rect, int queue, int colour) {
  check_queue(queue, colour);
  control.write(rect, reg::Outq::address(queue),
                reg::Outq::Enable::put(1) | reg::Outq::Colour::put(colour));
}

void unbind_queues(ControlPlane& control, const Rect& rect) {
  control.write(rect, reg::Inq::kAddress, std::vector<uint32_t>(kNumQueues, 0));
  control.write(rect, reg::Outq::kAddress, std::vector<uint32_t>(kNumQueues, 0));
}

void set_filter(ControlPlane& control, const Rect& rect, int index, const Filter& f) {
  if (index < 0 || index >= kNumFilters) {
    throw BadInput(fmt::format("filter {}: must be 0 to {}", index, kNumFilters - 1));
  }
  if (f.colour < 0 || f.colour >= kMaxDataColours) {
    throw BadInput(
        fmt::format("filter of colour {}: must be 0 to {}", f.colour, kMaxDataColours - 1));
  }
  if (f.low > 0xFFFF || f.high > 0xFFFF || f.count > 0xFFFF) {
    throw BadInput(
        fmt::format("filter of colour {}: limits {} and {} and count {} must be below "
                    "65536",
                    f.colour, f.low, f.high, f.count));
  }
  const uint32_t word = reg::Filter::Colour::put(f.colour) | reg::Filter::Kind::put(f.kind) |
                        reg::Filter::CountData::put(f.count_data) |
                        reg::Filter::CountCtrl::put(f.count_ctrl) |
                        reg::Filter::FilterCtrl::put(f.filter_ctrl);
  // The limits and the count follow the register; the second write starts the filter.
  control.write(rect, reg::Filter::address(index),
                std::vector<uint32_t>{
                    word, reg::FilterLimits::Low::put(f.low) | reg::FilterLimits::High::put(f.high),
                    reg::FilterCount::Count::put(f.count)});
  control.write(rect, reg::Filter::address(index), word | reg::Filter::Enable::put(1));
}

}  // namespace ow
