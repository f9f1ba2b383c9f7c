// SPDX-License-Identifier: Apache-2.0
// The link that brings one colour's wavelets to a port of a simulated edge, in simulated cycles:
//
//   the host's queue -> store -> stages -> link -> a queue of `depth` wavelets -> the grid
//
// Store, stages and link each let a wavelet through in a fixed time, and the grid takes one a
// cycle; the link waits while the queue is full, what is in front of it runs ahead by what there
// is. All times are whole numbers of 1/65,536 of a cycle, so that what happens in a cycle depends
// on nothing but earlier cycles.
//
// A stream follows the one before it without a gap: its first wavelets cross the link as soon as
// that has let the last of the other one through, and wait at the edge until the grid takes them.
// Holds say what may not: the wavelets of a phase leave the store when all of the phase's are over
// (an update, latencies: the buffers of a link cover its round trip, so a latency delays the
// beginning of something alone), and none of a stream goes into the grid before those of its
// entrance are.
#ifndef OW_DEVICE_EDGE_LINK_H_
#define OW_DEVICE_EDGE_LINK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ow {

// Why the grid had to wait for a wavelet: for what holds a stream's beginning, or for what its
// wavelets come through; and why it could send none (ow/device/edge_exit.h).
enum class EdgeWait {
  Edge,       // the rate of the link into the wafer
  Store,      // of the store
  Broadcast,  // of a stage of SwarmX; a stage's latency
  Samples,    // are loaded
  Optimizer,  // updates the weights
  Latency,    // of the edge, in or out, or the store
  Exit,       // the link out of the wafer: gradients on their way, or none may leave
  Reduce      // a stage of SwarmX likewise; its latency, other wafers
};
constexpr int kEdgeWaits = 8;
const char* edge_wait_name(EdgeWait wait);  // "edge", ...

// By cause, cycles in which the grid would have taken a wavelet and none was there, and those in
// which it was kept from sending any.
using EdgeWaits = std::array<uint64_t, kEdgeWaits>;
inline uint64_t total(const EdgeWaits& waits) {
  uint64_t sum = 0;
  for (const uint64_t n : waits) sum += n;
  return sum;
}

struct EdgeLinkOptions {
  uint64_t store_period = 0;  // 1/65,536 cycles a wavelet; 0: no time
  uint64_t edge_period = 0;
  uint64_t depth = 1;  // not 0
  std::vector<uint64_t> stage_periods = {};
};

// What it holds does not go on before the cycle `until`.
struct EdgeHold {
  uint64_t until = 0;
  EdgeWait cause = EdgeWait::Edge;
};

// A part of a stream, from the cycle after the last wavelet of the one before.
struct EdgePhase {
  uint64_t begin = 0;
  uint64_t end = 0;       // cycle of its last wavelet
  uint64_t wavelets = 0;  // that went into the grid
  EdgeWaits waits{};
  EdgeWaits late{};   // of those, after the phase's first kEdgeSettle cycles
  uint64_t held = 0;  // of all of them, for a hold
};
constexpr uint64_t kEdgeSettle = 2000;

class EdgeLink {
 public:
  explicit EdgeLink(const EdgeLinkOptions& options);

  // A stream begins in cycle `now`, with a phase that has these holds; what is offered next is
  // thought to have been there before. Phases are forgotten. All holds are in the order of their
  // ends.
  void open(uint64_t now, std::vector<EdgeHold> entrance, std::vector<EdgeHold> holds);
  // In front of a stream so many wavelets of something else come the same way, which leave the
  // store from cycle `from` on. The cycle in which the last one has crossed the link.
  uint64_t cross(uint64_t from, uint64_t wavelets);
  // The next wavelet that is offered begins a phase.
  void begin_phase(std::vector<EdgeHold> holds = {});
  // Between two streams: so many cycles were no time.
  void skip(uint64_t cycles);
  // The host has put `count` wavelets into its queue before cycle `now`.
  void offer(uint64_t now, size_t count);
  // Whether a wavelet is there for the grid in cycle `now`. Cycles do not go back.
  bool ready(uint64_t now);
  // The grid takes it.
  void take(uint64_t now);
  // The grid would take one, and it is not there.
  void starve(uint64_t now);
  // The grid may send nothing, for a reason that is not this link's.
  void kept_from_sending(uint64_t now, EdgeWait cause) { count(now, cause); }

  const std::vector<EdgePhase>& phases() const { return phases_; }

 private:
  struct Gate {  // in front of a wavelet
    uint64_t at = 0;
    std::vector<EdgeHold> holds;
  };
  void advance(uint64_t now);
  void enter_phase();
  void count(uint64_t now, EdgeWait cause);
  const EdgeHold* hold(uint64_t now) const;
  EdgeWait cause(uint64_t now) const;

  EdgeLinkOptions options_;
  std::vector<EdgeHold> entrance_;
  std::vector<EdgeHold> holds_;  // of the wavelet that crosses, or crosses next
  uint64_t opens_at_ = 0;        // the end of the last hold with which the stream began
  // Wavelets, since the link was made.
  uint64_t begun_ = 0;    // before this stream
  uint64_t offered_ = 0;  // by the host
  uint64_t crossed_ = 0;  // have come over the link
  uint64_t taken_ = 0;    // by the grid
  // 1/65,536 cycles: when store, stages and link are through with what they have begun.
  uint64_t store_at_ = 0;
  std::vector<uint64_t> stage_at_;
  uint64_t link_at_ = 0;
  // .. and when the place of each wavelet that waited at the edge was free again, by number.
  std::vector<uint64_t> free_at_;
  bool crossing_ = false;  // a wavelet is on its way, there at link_at_
  bool ahead_ = false;     // the next ones that are offered have been there for the store
  std::deque<Gate> gates_;
  std::deque<uint64_t> marks_;  // of phases, by the wavelet that begins them
  std::vector<EdgePhase> phases_{1};
};

}  // namespace ow

#endif  // OW_DEVICE_EDGE_LINK_H_
