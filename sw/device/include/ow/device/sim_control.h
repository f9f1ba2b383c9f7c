// SPDX-License-Identifier: Apache-2.0
// What a simulated device can do beyond Device: single cycles, a log of its edges, held-back
// credits.
#ifndef OW_SIM_CONTROL_H_
#define OW_SIM_CONTROL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/edge_exit.h"
#include "ow/device/edge_link.h"

namespace ow {

// An entry of the edge log. `in` is true for a wavelet from the host into the grid. Entries are
// sorted by cycle, then side, then index; `in` comes first.
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

  // Like Device::run, but asks `done` (not empty) before every cycle.
  virtual RunStatus run_each(uint64_t max_cycles, const std::function<bool()>& done) = 0;

  // Records every edge wavelet, including the control plane's. Off after construction. Turning it
  // on clears the log.
  virtual void record_edges(bool on) = 0;
  virtual const std::vector<EdgeEvent>& edge_log() const = 0;

  // Puts a link in front of a port's colour, or removes it; no wavelet of the colour may wait
  // there. At most one colour of a port has a link. The second function returns the link of a port,
  // which must have one; use it to open streams, mark phases and read counts.
  virtual void set_link(Side side, int index, int colour,
                        const std::optional<EdgeLinkOptions>& options) = 0;
  virtual EdgeLink& link(Side side, int index) = 0;
  // The same for what leaves the grid: a link after a port's colour.
  virtual void set_exit(Side side, int index, int colour,
                        const std::optional<EdgeExitOptions>& options) = 0;
  virtual EdgeExit& exit(Side side, int index) = 0;

  // Writes words into a tile's SRAM from a byte address on, which takes no time. Nothing in the
  // tile may use them meanwhile. Only the replicated engine has it; InternalError for others.
  virtual bool has_memory() const { return false; }
  virtual void write_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count);

  // Ends the recording of the run, if it has one: the file gets its name. BadInput if it cannot be
  // written. Without this call the destructor ends it, which can only print that.
  virtual void end_recording() {}

  // Tile evaluations so far. Skipped idle tiles do not count.
  virtual uint64_t evaluations() const = 0;

  // How often each unit with its own clock was clocked in these evaluations. Empty if the model's
  // clocks have no gates.
  virtual std::vector<UnitClock> unit_clocks() const { return {}; }
};

}  // namespace ow

#endif  // OW_SIM_CONTROL_H_
