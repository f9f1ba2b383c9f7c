// SPDX-License-Identifier: Apache-2.0
// The link that brings one colour's wavelets to a port of a simulated edge, in simulated cycles:
//
//   the host's queue -> store -> link -> a queue of `depth` wavelets -> the grid, one a cycle
//
// Store and link each let a wavelet through in a fixed time; the link waits while the queue is
// full, the store runs ahead by what the host has offered. All times are whole numbers of 1/65,536
// of a cycle, so that what happens in a cycle depends on nothing but earlier cycles. What delays
// the beginning of a stream (latencies, an update, samples that are loaded) are holds: nothing
// passes before. The buffers of a link cover its round trip, so latency delays the beginning alone.
#ifndef OW_DEVICE_EDGE_LINK_H_
#define OW_DEVICE_EDGE_LINK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ow {

// Why the grid had to wait for a wavelet.
enum class EdgeWait { Edge, Store, Samples, Optimizer };
constexpr int kEdgeWaits = 4;
const char* edge_wait_name(EdgeWait wait);  // "edge", ...

// Cycles in which the grid would have taken a wavelet and none was there, by cause.
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
};

// Nothing passes before the cycle `until`.
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
  EdgeWaits late{};  // of those, after the phase's first kEdgeSettle cycles
};
constexpr uint64_t kEdgeSettle = 2000;

class EdgeLink {
 public:
  explicit EdgeLink(const EdgeLinkOptions& options) : options_(options) {}

  // A stream begins in cycle `now`: its holds in the order of their ends; phases are forgotten.
  void open(uint64_t now, std::vector<EdgeHold> holds);
  // The next wavelet that is offered begins a phase.
  void begin_phase() { marks_.push_back(offered_); }
  // The host has put `count` wavelets into its queue before cycle `now`.
  void offer(uint64_t now, size_t count);
  // Whether a wavelet is there for the grid in cycle `now`. Cycles do not go back.
  bool ready(uint64_t now);
  // The grid takes it.
  void take(uint64_t now);
  // The grid would take one, and it is not there.
  void starve(uint64_t now);

  const std::vector<EdgePhase>& phases() const { return phases_; }

 private:
  void advance(uint64_t now);
  void enter_phase();
  EdgeWait cause(uint64_t now) const;

  EdgeLinkOptions options_;
  std::vector<EdgeHold> holds_;
  uint64_t opens_at_ = 0;  // the end of the last hold
  uint64_t offered_ = 0;   // since the stream was opened
  uint64_t crossed_ = 0;   // have come over the link
  uint64_t taken_ = 0;     // by the grid
  // 1/65,536 cycles: when store and link are through with what they have begun.
  uint64_t store_at_ = 0;
  uint64_t link_at_ = 0;
  bool crossing_ = false;  // a wavelet is on its way, there at link_at_
  bool dry_ = true;        // the store has waited for the host
  bool full_ = false;      // the link has waited for room
  std::deque<uint64_t> marks_;
  std::vector<EdgePhase> phases_;
};

}  // namespace ow

#endif  // OW_DEVICE_EDGE_LINK_H_
