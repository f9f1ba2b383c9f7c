// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer at the edge of a simulated grid: a link in front of the weights' colour of
// every grid row (ow/device/edge_link.h), and what the grid had to wait for.
#ifndef OW_COMPILE_EDGE_TIME_H_
#define OW_COMPILE_EDGE_TIME_H_

#include <cstdint>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/edge_link.h"
#include "ow/memoryx/time_model.h"

namespace ow::jobs {

void add_waits(const EdgeWaits& from, EdgeWaits* to);

// Of a stream, phase by phase (a layer's pass each), the grid row that waited most.
struct EdgeReport {
  std::vector<EdgePhase> phases;
  EdgeWaits waits() const;  // sums over the phases
  EdgeWaits late() const;
  uint64_t held() const;  // of the waits, for what was not there yet when its stream could go on
};

class EdgeTime {
 public:
  // BadInput if the model takes time and the device is not simulated: then time is what it is.
  EdgeTime(Device& device, int colour, const TimeModel& model);

  const TimeModel& model() const { return model_; }
  bool modelled() const { return model_.modelled(); }

  // A stream begins now. Its samples, so many bits a grid row, have been loaded since those before
  // them went in; it goes into the grid when they are there. The weights of its phase k leave
  // MemoryX in cycle weights_ready[k] or later, those of the phases behind when they like. Cycles
  // that are over do not count.
  void open(uint64_t sample_bits, const std::vector<uint64_t>& weights_ready);
  // The wavelets that are sent to a grid row from now on are of another phase.
  void begin_phase(int row, size_t phase);
  // Between two streams: so many cycles were no time.
  void skip(uint64_t cycles);
  // Cycles by which a stream of so many wavelets a grid row, opened last, may end later than
  // without a model: its holds and the time on the way of all of them.
  uint64_t longest_wait(uint64_t wavelets) const;
  // Of the stream that was opened last; empty without a model.
  EdgeReport report() const;

 private:
  std::vector<EdgeHold> holds(size_t phase) const;

  Device& device_;
  TimeModel model_;
  std::vector<uint64_t> weights_ready_;  // by phase, of the stream that was opened last
  uint64_t loader_free_ = 0;             // cycle from which the next samples are loaded
  uint64_t opened_at_ = 0;
  uint64_t opens_at_ = 0;  // when nothing holds the stream any more
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_EDGE_TIME_H_
