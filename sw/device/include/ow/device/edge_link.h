// SPDX-License-Identifier: Apache-2.0
// The link that brings one colour's wavelets to a port of a simulated edge, in simulated cycles:
//
//   the host's queue -> store -> stages -> link -> a queue of `depth` wavelets -> the grid
//
// Store, stages and link each pass a wavelet in a fixed time, and the grid takes one per cycle. The
// link waits while the queue is full. The parts in front of it run ahead as far as wavelets are
// available. All times are whole numbers of 1/65,536 cycle, so a cycle depends only on earlier
// cycles.
//
// A stream follows the one before it without a gap: its first wavelets cross the link right after
// the last one of the earlier stream, and wait at the edge until the grid takes them. A hold delays
// this. The wavelets of a phase leave the store when all holds of the phase are over. No wavelet of
// a stream enters the grid before the holds of its entrance are over. Holds are updates and
// latencies; the buffers of a link cover its round trip, so a latency only delays a beginning.
#ifndef OW_DEVICE_EDGE_LINK_H_
#define OW_DEVICE_EDGE_LINK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ow {

// Why the grid had to wait for a wavelet (a hold at the beginning of a stream, or a part on the
// way), or why it could not send (ow/device/edge_exit.h).
enum class EdgeWait {
  Edge,       // the rate of the link into the wafer
  Store,      // of the store
  Broadcast,  // of a stage of SwarmX; a stage's latency
  Samples,    // are loaded
  Optimizer,  // updates the weights
  Latency,    // of the edge, in or out, or the store
  Exit,       // the link out of the wafer: gradients on their way, or none may leave
  Reduce      // of a stage of SwarmX for gradients; its latency; other wafers
};
constexpr int kEdgeWaits = 8;
const char* edge_wait_name(EdgeWait wait);  // "edge", ...

// Lost cycles by cause: the grid would have taken a wavelet and none was there, or the grid was
// kept from sending.
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

// A hold: nothing goes on before the cycle `until`.
struct EdgeHold {
  uint64_t until = 0;
  EdgeWait cause = EdgeWait::Edge;
};

// A part of a stream, starting in the cycle after the last wavelet of the part before.
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

  // A stream begins in cycle `now` with a phase that has these holds. The next wavelets offered
  // count as available before `now`. Earlier phases are cleared. Holds are sorted by their ends.
  void open(uint64_t now, std::vector<EdgeHold> entrance, std::vector<EdgeHold> holds);
  // This many other wavelets use the same way in front of a stream, and leave the store from cycle
  // `from` on. Returns the cycle in which the last one has crossed the link.
  uint64_t cross(uint64_t from, uint64_t wavelets);
  // The next wavelet offered begins a phase.
  void begin_phase(std::vector<EdgeHold> holds = {});
  // The next wavelet offered, and those after it, wait for this within their phase.
  void delay(EdgeHold hold) { gates_.push_back({offered_, {hold}}); }
  // Between two streams: this many cycles took no time.
  void skip(uint64_t cycles);
  // The host has put `count` wavelets into its queue before cycle `now`.
  void offer(uint64_t now, size_t count);
  // Whether a wavelet is ready for the grid in cycle `now`. Cycles never decrease.
  bool ready(uint64_t now);
  // The grid takes it.
  void take_wavelet(uint64_t now);
  // The grid would take a wavelet, but none is there.
  void starve(uint64_t now);
  // The grid cannot send, for a reason outside this link.
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
  uint64_t opens_at_ = 0;        // the end of the last hold at the beginning of the stream
  // Counts of wavelets over the life of the link.
  uint64_t begun_ = 0;    // before this stream
  uint64_t offered_ = 0;  // by the host
  uint64_t crossed_ = 0;  // have come over the link
  uint64_t taken_ = 0;    // by the grid
  // 1/65,536 cycles: when store, stages and link finish what they have begun.
  uint64_t store_at_ = 0;
  std::vector<uint64_t> stage_at_;
  uint64_t link_at_ = 0;
  // When the place of each wavelet that waited at the edge became free again, by number.
  std::vector<uint64_t> free_at_;
  bool crossing_ = false;  // a wavelet is on its way, there at link_at_
  bool ahead_ = false;     // the next ones that are offered have been there for the store
  std::deque<Gate> gates_;
  std::deque<uint64_t> marks_;  // of phases, by the wavelet that begins them
  std::vector<EdgePhase> phases_{1};
};

}  // namespace ow

#endif  // OW_DEVICE_EDGE_LINK_H_
