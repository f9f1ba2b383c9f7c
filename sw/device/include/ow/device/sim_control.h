// SPDX-License-Identifier: Apache-2.0
// What a simulated device can do besides Device: single cycles, a log of its edges, kept credits.
#ifndef OW_SIM_CONTROL_H_
#define OW_SIM_CONTROL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/edge_exit.h"
#include "ow/device/edge_link.h"

namespace ow {

// An entry of the edge log. `in` is true for a wavelet from the host into the grid. Entries are in
// the order of cycle, then side, then index; in before out.
struct EdgeEvent {
  uint64_t cycle = 0;
  Side side = Side::North;
  int index = 0;
  bool in = false;
  Wavelet wavelet;
};

inline bool operator==(const EdgeEvent& a, const EdgeEvent& b) {
  return a.cycle == b.cycle && a.side == b.side && a.index == b.index && a.in == b.in &&
         a.wavelet == b.wavelet;
}
inline bool operator!=(const EdgeEvent& a, const EdgeEvent& b) { return !(a == b); }

struct UnitClock {
  std::string unit;  // of ow_tile_clocks: router, engine, ...
  uint64_t edges = 0;
};

class SimControl {
 public:
  virtual ~SimControl() = default;

  // Simulates one cycle.
  virtual void step() = 0;

  // As Device::run, but `done` (not empty) is asked before every cycle.
  virtual RunStatus run_each(uint64_t max_cycles, const std::function<bool()>& done) = 0;

  // A blocked colour's credits are kept back at this port until it is unblocked.
  virtual void block(Side side, int index, int colour, bool blocked) = 0;

  // Recording of every edge wavelet, the control plane's included; off after construction. Turning
  // it on clears the log.
  virtual void record_edges(bool on) = 0;
  virtual const std::vector<EdgeEvent>& edge_log() const = 0;

  // A link in front of a port's colour, or none any more; nothing of the colour may wait there. One
  // colour of a port has one at most. And the link of a port, which must have one: what opens its
  // streams, tells where phases begin and has counted.
  virtual void set_link(Side side, int index, int colour,
                        const std::optional<EdgeLinkOptions>& options) = 0;
  virtual EdgeLink& link(Side side, int index) = 0;
  // The same for what leaves the grid: a link behind a port's colour.
  virtual void set_exit(Side side, int index, int colour,
                        const std::optional<EdgeExitOptions>& options) = 0;
  virtual EdgeExit& exit(Side side, int index) = 0;

  // Tile evaluations done so far (what skipping idle tiles saves).
  virtual uint64_t evaluations() const = 0;

  // Of these, by units with a clock of their own, how often the unit was clocked; empty where the
  // model's clocks have no gates.
  virtual std::vector<UnitClock> unit_clocks() const { return {}; }
};

}  // namespace ow

#endif  // OW_SIM_CONTROL_H_
