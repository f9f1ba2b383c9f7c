// SPDX-License-Identifier: Apache-2.0
// The device interface: a grid of tiles seen from its four edges. Everything that the host does
// (loading, launching, reading back) goes through wavelets at edge ports; see control_plane.h and
// program.h. Host code knows none of the implementations.
#ifndef OW_DEVICE_H_
#define OW_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ow {

constexpr int kMaxColours = 32;  // encodings; 0..23 carry data
constexpr int kMaxDataColours = 24;
constexpr int kColourReq = 24;  // control plane, see docs/fabric.md
constexpr int kColourRsp = 25;
// Slots at the receiving end of a link: of a data colour, of a colour of the control plane.
constexpr int kLinkCredits = 2;
constexpr int kCtlCredits = 2;
constexpr int link_credits(int colour) {
  return colour == kColourReq || colour == kColourRsp ? kCtlCredits : kLinkCredits;
}

struct Wavelet {
  uint8_t colour = 0;
  bool ctrl = false;
  uint32_t data = 0;
};

// A control wavelet with commands for the routers on its way (docs/fabric.md): it is sent with all
// credits of its colour in hand, takes them all along and brings all of them back.
inline bool is_command(const Wavelet& w) {
  return w.colour < kMaxDataColours && w.ctrl && (w.data & 0x03FFFFFCu) != 0;
}

inline bool operator==(const Wavelet& a, const Wavelet& b) {
  return a.colour == b.colour && a.ctrl == b.ctrl && a.data == b.data;
}
inline bool operator!=(const Wavelet& a, const Wavelet& b) { return !(a == b); }

// Edges of the grid, in the order of the router's ports.
enum class Side { North = 0, East = 1, South = 2, West = 3 };
constexpr int kSides = 4;
const char* side_name(Side side);

// Grid rows count from the north, grid columns from the west.
struct GridShape {
  int rows = 0;
  int cols = 0;
};

// A wavelet that left the grid; `cycle` is the cycle in which it was on the edge's wires.
struct Arrival {
  uint64_t cycle = 0;
  Wavelet wavelet;
};

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

enum class RunStatus {
  Done,       // the predicate said so
  Quiet,      // nothing moves any more, and nothing can before the host sends something
  CycleLimit  // max_cycles have passed
};

// Edge ports of the west and east sides are numbered by grid row, those of the north and south
// sides by grid column. Every member that takes a side and an index throws BadInput if there is no
// such port.
class Device {
 public:
  virtual ~Device() = default;

  virtual GridShape shape() const = 0;

  // Cycles since reset was released: the number of the next cycle to be simulated.
  virtual uint64_t cycle() const = 0;

  // Appends wavelets to the port's send queues (one per colour). At most one wavelet leaves a port
  // in a cycle, when its colour has a credit; the colours take turns.
  virtual void send(Side side, int index, const Wavelet* wavelets, size_t count) = 0;
  void send(Side side, int index, const std::vector<Wavelet>& wavelets) {
    send(side, index, wavelets.data(), wavelets.size());
  }
  void send(Side side, int index, const Wavelet& wavelet) { send(side, index, &wavelet, 1); }

  // Wavelets that wait in the send queues: of one colour, of a port, of all ports.
  virtual size_t pending_sends(Side side, int index, int colour) const = 0;
  virtual size_t pending_sends(Side side, int index) const = 0;
  virtual size_t pending_sends() const = 0;

  // Credits that the port has left for sending `colour` into the grid (0..link_credits(colour)).
  virtual int send_credits(Side side, int index, int colour) const = 0;

  // The edge always takes what arrives and returns the credit; wavelets are kept in the order of
  // arrival until taken. `available` counts them without taking.
  virtual std::vector<Arrival> take(Side side, int index, int colour) = 0;
  virtual size_t available(Side side, int index, int colour) const = 0;

  // For tests: a blocked colour's credits are kept back at this port until it is unblocked.
  virtual void block(Side side, int index, int colour, bool blocked) = 0;

  // Simulates one cycle.
  virtual void step() = 0;

  // Simulates until `done` (asked before every cycle; may be empty) says true, nothing moves any
  // more, or max_cycles have passed, whichever is first.
  virtual RunStatus run(uint64_t max_cycles, const std::function<bool()>& done) = 0;
  RunStatus run(uint64_t max_cycles) { return run(max_cycles, nullptr); }

  // Wavelets that entered and left over all edges since reset, control plane included.
  virtual uint64_t edge_wavelets_in() const = 0;
  virtual uint64_t edge_wavelets_out() const = 0;

  // Recording of every edge wavelet; off after construction. Turning it on clears the log.
  virtual void record_edges(bool on) = 0;
  virtual const std::vector<EdgeEvent>& edge_log() const = 0;

  // One line that names the implementation and its configuration.
  virtual std::string description() const = 0;
};

}  // namespace ow

#endif  // OW_DEVICE_H_
