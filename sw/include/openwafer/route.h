// SPDX-License-Identifier: Apache-2.0
// Routes of a colour through a tile's router, switches between routes, and filters before the ramp
// (docs/fabric.md).
#ifndef OPENWAFER_ROUTE_H_
#define OPENWAFER_ROUTE_H_

#include <cstdint>
#include <vector>

namespace ow {

enum class Port { North = 0, East = 1, South = 2, West = 3, Ramp = 4 };

constexpr uint32_t kOutN = 1u << 0;
constexpr uint32_t kOutE = 1u << 1;
constexpr uint32_t kOutS = 1u << 2;
constexpr uint32_t kOutW = 1u << 3;
constexpr uint32_t kOutRamp = 1u << 4;

struct Route {
  Port in = Port::Ramp;
  uint32_t out_mask = 0;  // kOut... bits
};

// Which routers use up a command of a control wavelet (docs/fabric.md).
enum class PopMode { None = 0, Always = 1, OnAdvance = 2, OnAdvanceOrNop = 3 };

// Up to four routes of one colour in one tile, and how control wavelets move between them.
struct Switch {
  std::vector<Route> positions;  // 1 to 4
  int start = 0;                 // index of the first one in effect
  bool ring = false;             // the last position is followed by the first
  PopMode mode = PopMode::None;
};

// What a tile's filter lets through to its ramp. Dropped wavelets still go on to the neighbours.
struct Filter {
  enum class Kind { Counter = 0, SparseCounter = 1, Range = 2 };
  int colour = 0;
  Kind kind = Kind::Range;
  bool count_data = true;  // what the counters count
  bool count_ctrl = false;
  bool filter_ctrl = false;  // counters: drop control wavelets too
  uint32_t low = 0;          // limit1, or the least index
  uint32_t high = 0;         // max_counter, limit2, or the greatest index
  uint32_t count = 0;        // initial count
};

// The words of a control wavelet. Slot 0 is for the first router that uses a command.
enum class Command { Nop, Advance, Reset, Teardown };
uint32_t switch_command(int slot, Command what, bool not_to_ramp = false);

}  // namespace ow

#endif  // OPENWAFER_ROUTE_H_
