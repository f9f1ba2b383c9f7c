// SPDX-License-Identifier: Apache-2.0
// The link that takes one colour's wavelets from a port of a simulated edge, in simulated cycles:
//
//   the grid -> a queue of `depth` wavelets -> link -> the stages behind it, one after the other
//
// Link and stages each let a wavelet through in a fixed time. What the link has let through and a
// slower stage has not still has its place in the queue: the buffers of a stage cover its round
// trip, no more. While no place is free the grid's credit is kept back, and when all credits of the
// colour are, the grid can send nothing. All times are whole numbers of 1/65,536 of a cycle; when a
// wavelet is through is known in the cycle in which it comes, so nothing depends on the host.
#ifndef OW_DEVICE_EDGE_EXIT_H_
#define OW_DEVICE_EDGE_EXIT_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "ow/device/edge_link.h"

namespace ow {

struct EdgeExitOptions {
  uint64_t edge_period = 0;  // 1/65,536 cycles a wavelet; 0: no time
  uint64_t depth = 1;        // not 0
  std::vector<uint64_t> stage_periods = {};
};

class EdgeExit {
 public:
  explicit EdgeExit(const EdgeExitOptions& options);

  // A stream begins: left() is forgotten. `stages`: its wavelets go through them, too.
  void open(bool stages);
  // Between two streams: so many cycles were no time.
  void skip(uint64_t cycles);
  // A wavelet for which so many credits go back is on the wires of cycle `now`. Cycles do not go
  // back.
  void arrive(uint64_t now, int credits);
  // The credits of those wavelets that have got a place before cycle `now`; each of them once.
  int release(uint64_t now);
  // Credits that have not gone back.
  int kept() const { return kept_; }
  // Whether a wavelet has no place in cycle `now`.
  bool full(uint64_t now) const { return !waiting_.empty() && waiting_.front().place > now; }
  // Why the wavelet that has waited longest has no place in cycle `now`: Exit, or Reduce where it
  // is a stage's turn.
  EdgeWait cause(uint64_t now) const;
  // For each wavelet since the stream began the cycle in which it had crossed the link.
  const std::vector<uint64_t>& left() const { return left_; }

 private:
  struct Waiting {
    uint64_t place = 0;    // cycle in which it gets the place of one before it ...
    uint64_t crossed = 0;  // ... and in which that had crossed the link
    int credits = 0;
  };
  struct Place {
    uint64_t crossed = 0;  // cycles: over the link
    uint64_t through = 0;  // .. and through the stages, when the place is free again
  };

  EdgeExitOptions options_;
  bool stages_ = false;
  uint64_t link_at_ = 0;            // 1/65,536 cycles: the link is through with what has come
  std::vector<uint64_t> stage_at_;  // .. and each stage
  uint64_t arrived_ = 0;            // wavelets, since the link was made
  std::vector<Place> places_;       // by a wavelet's number
  std::deque<Waiting> waiting_;     // for their credits to go back
  int kept_ = 0;
  std::vector<uint64_t> left_;
};

}  // namespace ow

#endif  // OW_DEVICE_EDGE_EXIT_H_
