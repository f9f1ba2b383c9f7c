// SPDX-License-Identifier: Apache-2.0
// Verification of the logical mesh with traffic between all neighbours.
#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/runtime/program.h"
#include "ow/wafer/bringup.h"

namespace ow::wafer {
namespace {

constexpr int kWords = 48;        // through every row and column, each way
constexpr uint32_t kWord = 0x40;  // an address of a tile's memory

// Colours: 0 to the east, 1 to the west, 2 to the south, 3 to the north.
struct Flow {
  Side from;
  Side to;
  Route route;
};
const Flow kFlows[] = {{Side::West, Side::East, {Port::West, kOutE}},
                       {Side::East, Side::West, {Port::East, kOutW}},
                       {Side::North, Side::South, {Port::North, kOutS}},
                       {Side::South, Side::North, {Port::South, kOutN}}};

Wavelet word(int colour, int index, int i) {
  // Every bit of the data in both values, the control bit now and then (without commands).
  uint32_t x = static_cast<uint32_t>(colour * 977 + index * 131071 + i) * 2654435761u;
  x ^= x >> 15;
  if (i % 2 != 0) x = ~x;
  const bool ctrl = i % 8 == 7;
  return {static_cast<uint8_t>(colour), ctrl, ctrl ? x & ~0x03FFFFFCu : x};
}

// Wires up the flows, after a word over the control plane to every tile, out and back; what is
// wrong.
std::vector<std::string> set_up(Device& device, ControlPlane& control) {
  const GridShape shape = device.shape();
  const Rect all = whole(shape);
  std::vector<std::string> wrong;
  for (int r = 0; r < shape.rows; ++r) {
    for (int c = 0; c < shape.cols; ++c) {
      control.write_tile(r, c, kWord, static_cast<uint32_t>(0x5A000000 + r * 4096 + c));
    }
  }
  const auto read = control.read_rect(all, kWord, 1);
  for (int r = 0; r < shape.rows; ++r) {
    for (int c = 0; c < shape.cols; ++c) {
      const uint32_t got = read[static_cast<size_t>(r * shape.cols + c)].front();
      if (got == static_cast<uint32_t>(0x5A000000 + r * 4096 + c)) continue;
      wrong.push_back(fmt::format(
          "control plane: logical tile ({}, {}) answers 0x{:08x} for its word", r, c, got));
    }
  }
  RouteSet routes(shape);
  for (int k = 0; k < 4; ++k) {
    routes.set(all, k, kFlows[k].route);
    const int ports = k < 2 ? shape.rows : shape.cols;
    for (int i = 0; i < ports; ++i) routes.listen(kFlows[k].to, i, k);
  }
  routes.apply(control);
  control.fence(all);
  return wrong;
}

}  // namespace

std::vector<std::string> verify_mesh(Device& device, uint64_t* wavelets) {
  std::vector<std::string> wrong;
  const GridShape shape = device.shape();
  const Rect all = whole(shape);
  ControlPlane::Options options;
  options.timeout = 200000;
  ControlPlane control(device, options);
  try {
    wrong = set_up(device, control);
  } catch (const DeviceFault& e) {
    return {std::string("control plane: ") + e.what()};
  } catch (const ProtocolError& e) {
    // An answer that no tile gives: something on its way changes it.
    return {std::string("control plane: ") + e.what()};
  }
  // Through every connection in both directions at the same time.
  for (int k = 0; k < 4; ++k) {
    const int ports = k < 2 ? shape.rows : shape.cols;
    for (int i = 0; i < ports; ++i) {
      std::vector<Wavelet> words;
      for (int n = 0; n < kWords; ++n) words.push_back(word(k, i, n));
      device.send(kFlows[k].from, i, words);
    }
  }
  device.run(static_cast<uint64_t>(20000 + 64 * (shape.rows + shape.cols)), [&] {
    for (int k = 0; k < 4; ++k) {
      const int ports = k < 2 ? shape.rows : shape.cols;
      for (int i = 0; i < ports; ++i) {
        if (device.available(kFlows[k].to, i, k) < kWords) return false;
      }
    }
    return true;
  });
  for (int k = 0; k < 4; ++k) {
    const int ports = k < 2 ? shape.rows : shape.cols;
    for (int i = 0; i < ports; ++i) {
      const std::vector<Arrival> got = device.take(kFlows[k].to, i, k);
      if (wavelets != nullptr) *wavelets += got.size();
      const std::string where =
          fmt::format("logical {} {}, from {} to {}", k < 2 ? "row" : "column", i,
                      side_name(kFlows[k].from), side_name(kFlows[k].to));
      if (got.size() != kWords) {
        wrong.push_back(fmt::format("{}: {} of {} words arrive", where, got.size(), kWords));
        continue;
      }
      for (int n = 0; n < kWords; ++n) {
        if (got[static_cast<size_t>(n)].wavelet == word(k, i, n)) continue;
        wrong.push_back(fmt::format("{}: word {} is wrong", where, n));
        break;
      }
    }
  }
  if (wrong.empty()) {
    // The tiles are left as they were.
    for (uint32_t k = 0; k < 4; ++k) control.write(all, isa::reg::Route::address(k), 0);
    control.write(all, kWord, 0);
    control.fence(all);
  }
  return wrong;
}

}  // namespace ow::wafer
