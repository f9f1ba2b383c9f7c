// SPDX-License-Identifier: Apache-2.0
// The device interface: a grid of tiles seen from its four edges. Everything that the host does
// (loading, launching, reading back) uses wavelets at edge ports; see control_plane.h.
// Host code does not know which implementation it uses.
//
// A device works by itself and tells the host when there is something to do. It may be a simulator
// or a machine at the end of a wire. SimControl (sim_control.h) holds what only a simulator can do.
#ifndef OW_DEVICE_H_
#define OW_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "openwafer/grid.h"
#include "ow/isa/isa.h"

namespace ow {

class SimControl;

constexpr int kMaxColours = isa::kMaxColours;  // encodings
constexpr int kMaxDataColours = isa::kMaxDataColours;
constexpr int kColourReq = isa::kColourReq;  // control plane, see docs/fabric.md
constexpr int kColourRsp = isa::kColourRsp;
// Slots at the receiving end of a link: of a data colour, of a colour of the control plane.
constexpr int kLinkCredits = isa::kLinkCredits;
constexpr int kCtlCredits = isa::kCtlCredits;
constexpr int link_credits(int colour) {
  return colour == kColourReq || colour == kColourRsp ? kCtlCredits : kLinkCredits;
}

// A control wavelet with commands for the routers on its way (docs/fabric.md). It is sent only when
// all credits of its colour are there. It takes all of them, and all of them come back.
inline bool is_command(const Wavelet& w) {
  return w.colour < kMaxDataColours && w.ctrl && (w.data & isa::Control::Commands::kMask) != 0;
}

// A wavelet that left the grid; `cycle` is the cycle in which it was on the edge's wires.
struct Arrival {
  uint64_t cycle = 0;
  Wavelet wavelet;
};

enum class RunStatus {
  Done,       // the predicate said so
  Quiet,      // nothing moves any more, and nothing can before the host sends something
  CycleLimit  // max_cycles have passed
};

// The most wavelets that a port's queue of a colour holds, and the level at which the device asks
// for more. A sender that stays above this level sends without gaps.
constexpr size_t kPortRoom = 1024;
constexpr size_t kPortRefill = 512;

// Why a device has stopped working.
enum class Pause {
  Event,  // wavelets arrived, or a port's queue went down to kPortRefill or became empty
  Quiet,  // as RunStatus::Quiet
  Limit   // the cycles have passed
};

// Every member that takes a side and an index throws BadInput if there is no such port.
class Device {
 public:
  virtual ~Device() = default;

  virtual GridShape shape() const = 0;
  // If a device is part of a larger machine, it has no ports at the sides where the machine
  // continues. Every device has ports at its west side.
  virtual bool has_side(Side) const { return true; }

  // Cycles of the machine's clock after its reset, as last reported by the device.
  virtual uint64_t cycle() const = 0;
  // The count that limits refer to. For a machine at the end of a wire it leaves out the cycles
  // spent waiting for the wire.
  virtual uint64_t patience_cycle() const { return cycle(); }

  // One line that names implementation and configuration.
  virtual std::string description() const = 0;

  // Sends wavelets into the grid, in order for each port and colour. At most one leaves a port per
  // cycle, if its colour has a credit; colours take turns. Wavelets without room in the port wait
  // here; a sender that makes wavelets on demand looks at pending_sends.
  void send(Side side, int index, const Wavelet* wavelets, size_t count);
  void send(Side side, int index, const std::vector<Wavelet>& wavelets) {
    send(side, index, wavelets.data(), wavelets.size());
  }
  void send(Side side, int index, const Wavelet& wavelet) { send(side, index, &wavelet, 1); }

  // Wavelets that have not entered the grid: of one colour, of a port, of all ports.
  size_t pending_sends(Side side, int index, int colour) const;
  size_t pending_sends(Side side, int index) const;
  size_t pending_sends() const { return waiting_count_ + queued(); }

  // Credits that the port has left for sending `colour` into the grid (0..link_credits(colour)).
  virtual int send_credits(Side side, int index, int colour) const = 0;

  // The edge takes what arrives and returns the credit. Wavelets are kept in order of arrival until
  // they are taken. `available` counts them without taking them.
  virtual std::vector<Arrival> take_arrivals(Side side, int index, int colour) = 0;
  virtual size_t available(Side side, int index, int colour) const = 0;

  // While a colour is held at a port, its credits are not returned: when the grid has none left,
  // its wavelets wait in the grid. Only devices that can_hold() have it; InternalError for others.
  virtual bool can_hold() const { return false; }
  void hold(Side side, int index, int colour, bool held);

  // Lets the device work until `done` returns true, nothing moves any more, or max_cycles have
  // passed. `done` is asked first, and then whenever something has arrived or a queue has room
  // again; it may be empty.
  RunStatus run(uint64_t max_cycles, const std::function<bool()>& done);
  RunStatus run(uint64_t max_cycles) { return run(max_cycles, nullptr); }

  // Whether the device can tell that nothing moves any more (Quiet). If it cannot, it runs to the
  // limit, and the host asks the tiles.
  virtual bool tells_quiet() const = 0;

  // The controls of a simulated device, or null.
  virtual SimControl* sim() { return nullptr; }

  // ---- What a device implements; `send` and `run` use it.
  virtual size_t offer(Side side, int index, const Wavelet* wavelets, size_t count) = 0;
  // Wavelets taken that have not entered the grid.
  virtual size_t queued(Side side, int index, int colour) const = 0;
  virtual size_t queued(Side side, int index) const = 0;
  virtual size_t queued() const = 0;
  virtual void hold_credits(Side side, int index, int colour, bool held);  // if it can_hold()
  // Works for at most max_cycles (more than 0), less if there is something to tell.
  virtual Pause advance(uint64_t max_cycles) = 0;

 protected:
  // Offers what waits; advance() of a device that is driven by other means (step) calls it.
  void offer_waiting();

 private:
  using Key = std::tuple<Side, int, int>;       // side, index, colour
  std::map<Key, std::deque<Wavelet>> waiting_;  // no empty ones
  size_t waiting_count_ = 0;
  uint64_t acts_ = 0;  // calls of send and hold
};

}  // namespace ow

#endif  // OW_DEVICE_H_
