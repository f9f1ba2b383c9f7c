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
};

class EdgeTime {
 public:
  // BadInput if the model takes time and the device is not simulated: then time is what it is.
  EdgeTime(Device& device, int colour, const TimeModel& model);

  const TimeModel& model() const { return model_; }
  bool modelled() const { return model_.modelled(); }

  // A stream begins now; its first wavelet leaves MemoryX when samples are there and weights are
  // up to date (cycles; those that are over do not count).
  void open(uint64_t samples_ready, uint64_t weights_ready);
  // The wavelets that are sent to a grid row from now on are of another phase.
  void begin_phase(int row);
  // Cycles by which a stream of so many wavelets a grid row, opened last, may end later than
  // without a model: its holds and the time on the way of all of them.
  uint64_t longest_wait(uint64_t wavelets) const;
  // Of the stream that was opened last; empty without a model.
  EdgeReport report() const;

 private:
  Device& device_;
  TimeModel model_;
  uint64_t opened_at_ = 0;
  uint64_t opens_at_ = 0;  // when nothing holds the stream any more
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_EDGE_TIME_H_
