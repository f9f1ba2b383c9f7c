// SPDX-License-Identifier: Apache-2.0
// The link that takes one colour's wavelets from a port of a simulated edge, in simulated cycles:
//
//   the grid -> a queue of `depth` wavelets -> link -> the stages after it, one after the other
//
// Link and stages each pass a wavelet in a fixed time. A wavelet that has crossed the link but not
// yet a slower stage keeps its place in the queue, because a stage's buffers only cover its round
// trip. While no place is free the grid's credit is held back. When all credits of the colour are
// held back, the grid cannot send. All times are whole numbers of 1/65,536 cycle. When a wavelet
// arrives, the cycle in which it will be through is already known, so nothing depends on the host.
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

  // A stream begins and left() is cleared. `stages`: its wavelets also pass the stages.
  void open(bool stages);
  // Between two streams: this many cycles took no time.
  void skip(uint64_t cycles);
  // A wavelet worth this many credits is on the wires of cycle `now`. Cycles never decrease.
  void arrive(uint64_t now, int credits);
  // The credits of wavelets that got a place before cycle `now`, each returned once.
  int release(uint64_t now);
  // Credits that have not been returned yet.
  int kept() const { return kept_; }
  // Whether a wavelet has no place in cycle `now`.
  bool full(uint64_t now) const { return !waiting_.empty() && waiting_.front().place > now; }
  // Why the longest-waiting wavelet has no place in cycle `now`: Exit, or Reduce if a stage is the
  // cause.
  EdgeWait cause(uint64_t now) const;
  // For each wavelet of the stream, the cycle in which it had crossed the link.
  const std::vector<uint64_t>& left() const { return left_; }

 private:
  struct Waiting {
    uint64_t place = 0;    // cycle in which it gets the place of one before it ...
    uint64_t crossed = 0;  // ... and in which that had crossed the link
    int credits = 0;
  };
  struct Place {
    uint64_t crossed = 0;  // cycles: over the link
    uint64_t through = 0;  // through the stages: the place is free again
  };

  EdgeExitOptions options_;
  bool stages_ = false;
  uint64_t link_at_ = 0;            // 1/65,536 cycles: the link is through with what has come
  std::vector<uint64_t> stage_at_;  // the same of each stage
  uint64_t arrived_ = 0;            // wavelets, since the link was made
  std::vector<Place> places_;       // by a wavelet's number
  std::deque<Waiting> waiting_;     // for their credits to go back
  int kept_ = 0;
  std::vector<uint64_t> left_;
};

}  // namespace ow

#endif  // OW_DEVICE_EDGE_EXIT_H_
