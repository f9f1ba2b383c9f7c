// SPDX-License-Identifier: Apache-2.0
// Verification of the logical mesh with traffic between all neighbours.
#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/runtime/routes.h"
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

// Rows or columns that flow k goes through.
int ports(const GridShape& shape, int k) { return k < 2 ? shape.rows : shape.cols; }

// Wires up the flows, after a word over the control plane to every tile, out and back.
void set_up(Device& device, ControlPlane& control, std::vector<std::string>* wrong) {
  const GridShape shape = device.shape();
  const Rect all = whole(shape);
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
      wrong->push_back(fmt::format(
          "control plane: logical tile ({}, {}) answers 0x{:08x} for its word", r, c, got));
    }
  }
  RouteSet routes(shape);
  for (int k = 0; k < 4; ++k) {
    routes.set(all, k, kFlows[k].route);
    for (int i = 0; i < ports(shape, k); ++i) routes.listen(kFlows[k].to, i, k);
  }
  routes.apply(control);
  control.fence(all);
}

// Words through every connection in both directions at the same time.
void pass_words(Device& device, uint64_t* wavelets, std::vector<std::string>* wrong) {
  const GridShape shape = device.shape();
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < ports(shape, k); ++i) {
      std::vector<Wavelet> words;
      for (int n = 0; n < kWords; ++n) words.push_back(word(k, i, n));
      device.send(kFlows[k].from, i, words);
    }
  }
  device.run(static_cast<uint64_t>(20000 + 64 * (shape.rows + shape.cols)), [&] {
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < ports(shape, k); ++i) {
        if (device.available(kFlows[k].to, i, k) < kWords) return false;
      }
    }
    return true;
  });
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < ports(shape, k); ++i) {
      const std::vector<Arrival> got = device.take_arrivals(kFlows[k].to, i, k);
      if (wavelets != nullptr) *wavelets += got.size();
      const std::string where =
          fmt::format("logical {} {}, from {} to {}", k < 2 ? "row" : "column", i,
                      side_name(kFlows[k].from), side_name(kFlows[k].to));
      if (got.size() != kWords) {
        wrong->push_back(fmt::format("{}: {} of {} words arrive", where, got.size(), kWords));
        continue;
      }
      for (int n = 0; n < kWords; ++n) {
        if (got[static_cast<size_t>(n)].wavelet == word(k, i, n)) continue;
        wrong->push_back(fmt::format("{}: word {} is wrong", where, n));
        break;
      }
    }
  }
}

// The tiles as they were.
void clear(Device& device, ControlPlane& control) {
  const Rect all = whole(device.shape());
  for (uint32_t k = 0; k < 4; ++k) control.write(all, isa::reg::Route::address(k), 0);
  control.write(all, kWord, 0);
  control.fence(all);
}

}  // namespace

std::vector<std::string> verify_mesh(Device& device, uint64_t* wavelets) {
  std::vector<std::string> wrong;
  ControlPlane::Options options;
  options.timeout = 200000;
  ControlPlane control(device, options);
  // A fault that no test before this one sees may also break the rules of the links at the wafer's
  // edges, answer what nobody asked, or answer nothing: that is something wrong with the wafer,
  // too.
  const char* step = "control plane: ";
  try {
    set_up(device, control, &wrong);
    step = "mesh: ";
    pass_words(device, wavelets, &wrong);
    if (wrong.empty()) clear(device, control);
  } catch (const DeviceFault& e) {
    wrong.push_back(std::string(step) + e.what());
  } catch (const ProtocolError& e) {
    wrong.push_back(std::string(step) + e.what());
  }
  return wrong;
}

}  // namespace ow::wafer
