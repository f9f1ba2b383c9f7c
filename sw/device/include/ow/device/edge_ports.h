// SPDX-License-Identifier: Apache-2.0
// The host's side of the grid's edge links. It does what a neighbouring router would do, and has a
// send queue of kPortRoom wavelets per port and colour. All simulated devices share it, so they
// behave alike cycle by cycle.
#ifndef OW_SRC_EDGE_PORTS_H_
#define OW_SRC_EDGE_PORTS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/edge_exit.h"
#include "ow/device/edge_link.h"
#include "ow/device/sim_control.h"

namespace ow {

class EdgePorts {
 public:
  explicit EdgePorts(GridShape shape);

  // Ports are numbered north (by column), east (by row), south (by column), west (by row).
  int count() const { return static_cast<int>(ports_.size()); }
  int port(Side side, int index) const;  // BadInput if there is none
  int first(Side side) const { return first_[static_cast<int>(side)]; }

  // One simulated cycle: `drive` returns the words that the host puts on the wires of `cycle`, and
  // `receive` takes the words that the grid has on them.
  void drive(uint64_t cycle, uint64_t* in_words);
  void receive(uint64_t cycle, const uint64_t* out_words);

  // Whether there is nothing to send that a credit allows, and no credit to return.
  bool quiet() const { return busy_ports_ == 0; }

  // Takes as many as there is room for; see Device::offer.
  size_t send(int port, const Wavelet* wavelets, size_t count);
  size_t pending(int port, int colour) const { return ports_[port].queues[colour].size(); }
  size_t pending(int port) const { return ports_[port].pending; }
  size_t pending() const { return pending_; }
  int credits(int port, int colour) const { return ports_[port].credits[colour]; }
  std::vector<Arrival> take_arrivals(int port, int colour);
  size_t available(int port, int colour) const { return ports_[port].arrivals[colour].size(); }
  void hold(int port, int colour, bool held);

  // Puts a link in front of a port's colour (edge_link.h), or removes it. At most one colour of a
  // port has one.
  void set_link(int port, int colour, const std::optional<EdgeLinkOptions>& options);
  // The link; InternalError if the port has none.
  EdgeLink& link(int port);
  // Puts a link after a port's colour (edge_exit.h), or removes it. Its credits return through the
  // link; none of them may be owed now.
  void set_exit(int port, int colour, const std::optional<EdgeExitOptions>& options);
  EdgeExit& exit(int port);

  // Whether something has arrived, or a queue went down to kPortRefill or became empty, after the
  // last call.
  bool take_event() {
    const bool event = event_;
    event_ = false;
    return event;
  }

  void record(bool on);
  const std::vector<EdgeEvent>& log() const { return log_; }

 private:
  // A send queue: consumed from the front without moving elements.
  class Queue {
   public:
    size_t size() const { return items_.size() - head_; }
    bool empty() const { return head_ == items_.size(); }
    const Wavelet& front() const { return items_[head_]; }
    void push(const Wavelet& w) { items_.push_back(w); }
    Wavelet pop();

   private:
    std::vector<Wavelet> items_;
    size_t head_ = 0;
  };

  struct Port {
    Side side;
    int index;
    std::array<Queue, kMaxColours> queues;
    std::array<int, kMaxColours> credits;  // for sending into the grid
    std::array<int, kMaxColours> owed;     // credits to return to the grid
    std::array<std::vector<Arrival>, kMaxColours> arrivals;
    uint32_t has_queue = 0;   // bit c: queue c is not empty
    uint32_t has_credit = 0;  // bit c: credits for the next wavelet, or for a plain one, are left
    uint32_t has_owed = 0;    // bit c: a credit is owed
    uint32_t held = 0;
    int next_colour = 0;  // round robin
    int next_owed = 0;
    size_t pending = 0;
    bool busy = false;
    std::optional<EdgeLink> link;
    int link_colour = 0;
    std::optional<EdgeExit> exit;
    int exit_colour = 0;

    uint32_t sendable() const { return has_queue & has_credit; }
    uint32_t returnable() const { return has_owed & ~held; }
  };

  // The colours of `mask` that have a wavelet ready.
  static uint32_t arrived(Port* port, uint32_t mask, uint64_t cycle);
  // Credits of wavelets that got a place in the exit are owed from now on. If none could be
  // returned and the grid has none left, the link counts the cycle.
  static void leave(Port* port, uint64_t cycle);
  void refresh(Port* port);  // keeps `busy` and busy_ports_ right
  static void refresh_credit(Port* port, int colour);

  GridShape shape_;
  std::array<int, kSides> first_{};
  std::vector<Port> ports_;
  int busy_ports_ = 0;
  size_t pending_ = 0;
  uint64_t now_ = 0;  // the cycle that comes next
  bool event_ = false;
  bool record_ = false;
  std::vector<EdgeEvent> log_;
  std::vector<EdgeEvent> driven_;  // of this cycle, by port
};

}  // namespace ow

#endif  // OW_SRC_EDGE_PORTS_H_
