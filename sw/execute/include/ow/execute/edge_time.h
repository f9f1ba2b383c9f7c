// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer, at the edge of a simulated grid. Each grid row has a link before the
// weights' colour (ow/device/edge_link.h) and one after the gradients' colour
// (ow/device/edge_exit.h). This class also reports what the grid had to wait for. All cycles are
// the device's.
#ifndef OW_EXECUTE_EDGE_TIME_H_
#define OW_EXECUTE_EDGE_TIME_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/edge_link.h"
#include "ow/memoryx/time_model.h"
#include "ow/runtime/machine.h"

namespace ow::jobs {

void add_waits(const EdgeWaits& from, EdgeWaits* to);

// A stream, phase by phase (a phase is a pass over a matrix), of the grid row that waited most in
// it.
struct EdgeReport {
  std::vector<EdgePhase> phases;
  EdgeWaits waits() const;  // sums over the phases
  EdgeWaits late() const;
  uint64_t held() const;  // the part of the waits caused by data that was not ready when the stream
                          // could continue
};

// What a part of a stream waits for. `left`: the gradients for its weights crossed the link out of
// this wafer. `came`: those of all wafers arrived at MemoryX. `ready`: the weights are updated.
struct EdgeReady {
  uint64_t left = 0;
  uint64_t came = 0;
  uint64_t ready = 0;
};

// A stream, and what must be in the grid before it.
struct EdgeStream {
  uint64_t sample_bits = 0;  // of one grid row
  // The phase of each of its steps. Empty: each step is a phase.
  std::vector<size_t> phases;
  // The weights of phase k leave MemoryX in cycle weights[k].ready or later. Phases without one,
  // and later ones, are free.
  std::vector<std::optional<EdgeReady>> weights;
  // Words of biases for each grid row, before the stream. Empty: the tiles have them.
  std::vector<uint64_t> biases;
  EdgeReady biases_ready;
  bool reduces = false;  // what leaves passes SwarmX's stages
};

class EdgeTime {
 public:
  // The weights' ports, and those through which gradients leave, if any; all at the west edge, by
  // grid row. BadInput if the model takes time and the device is not simulated.
  EdgeTime(Device& device, const std::vector<StreamPort>& in, const std::vector<StreamPort>& out,
           const TimeModel& model);

  const TimeModel& model() const { return model_; }
  bool modelled() const { return model_.modelled(); }

  // A stream begins now. Its samples have been loading since the samples before them went in. It
  // enters the grid when its samples and biases are there. Past cycles do not count as waits.
  void open(EdgeStream stream);
  // Waits until the biases are there. The wait is counted like a wait of the stream.
  void await_biases(const std::function<void()>& progress);
  // Wavelets sent to a grid row from now on belong to step `to` of the stream, those before them to
  // step `from`.
  void begin_step(int row, size_t from, size_t to);
  // Between two streams: these cycles do not count.
  void skip(uint64_t cycles);
  // The most cycles by which the model can delay the end of the stream opened last, if a grid row
  // takes `wavelets` wavelets and sends as many: all holds, and the time of all wavelets on the
  // way.
  uint64_t longest_wait(uint64_t wavelets) const;
  // The most cycles until a wavelet that has left the grid gives its credit back.
  uint64_t longest_stay() const;
  // For each wavelet that left a grid row since open(), the cycle in which it had crossed the link.
  // Null if there is no link.
  const std::vector<uint64_t>* left(int row) const;
  // The report of the stream opened last. Empty without a model.
  EdgeReport report() const;

 private:
  std::vector<EdgeHold> holds(const EdgeReady& ready) const;
  std::vector<EdgeHold> holds(size_t phase) const;
  size_t phase_of(size_t step) const;
  // What holds the entrance of a stream: its samples, and its biases if there are any.
  std::vector<EdgeHold> entrance(int row, const EdgeHold& samples);

  Device& device_;
  bool exits_ = false;  // through links
  TimeModel model_;
  EdgeStream stream_;          // opened last
  uint64_t biases_there_ = 0;  // cycle in which they are in the grid
  uint64_t loader_free_ = 0;   // cycle from which the next samples load
  uint64_t opened_at_ = 0;
  uint64_t opens_at_ = 0;  // cycle from which nothing holds the stream
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_EDGE_TIME_H_
