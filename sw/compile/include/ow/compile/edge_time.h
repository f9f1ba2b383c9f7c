// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer at the edge of a simulated grid: a link in front of the weights' colour of
// every grid row (ow/device/edge_link.h), one behind the gradients' (ow/device/edge_exit.h), and
// what the grid had to wait for. All cycles are the device's.
#ifndef OW_COMPILE_EDGE_TIME_H_
#define OW_COMPILE_EDGE_TIME_H_

#include <cstdint>
#include <functional>
#include <optional>
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

// What a part of a stream waits for: the gradients that its weights wait for have crossed the link
// out of this wafer, have come to MemoryX from all wafers, and have led to new weights.
struct EdgeReady {
  uint64_t left = 0;
  uint64_t came = 0;
  uint64_t ready = 0;
};

// A stream, and what else comes before it.
struct EdgeStream {
  uint64_t sample_bits = 0;  // of a grid row
  // The weights of its phase k leave MemoryX in cycle weights[k].ready or later, those of the
  // phases behind when they like.
  std::vector<EdgeReady> weights;
  // Biases come in front of it, so many words to each grid row; empty: the tiles have them.
  std::vector<uint64_t> biases;
  EdgeReady biases_ready;
  bool reduces = false;  // what leaves goes through SwarmX's stages
};

class EdgeTime {
 public:
  // `exit`: the colour of what leaves at the west edge through a link; -1: nothing does. BadInput
  // if the model takes time and the device is not simulated: then time is what it is.
  EdgeTime(Device& device, int colour, int exit, const TimeModel& model);

  const TimeModel& model() const { return model_; }
  bool modelled() const { return model_.modelled(); }

  // A stream begins now. Its samples have been loaded since those before them went in; it goes into
  // the grid when they and its biases are there. Cycles that are over do not count.
  void open(EdgeStream stream);
  // Waits until the biases are there: what holds them is counted as what holds the stream.
  void await_biases(const std::function<void()>& progress);
  // The wavelets that are sent to a grid row from now on are of another phase.
  void begin_phase(int row, size_t phase);
  // Between two streams: so many cycles were no time.
  void skip(uint64_t cycles);
  // Cycles by which a stream of so many wavelets a grid row, opened last, to which as many answer,
  // may end later than without a model: its holds and the time on the way of all of them.
  uint64_t longest_wait(uint64_t wavelets) const;
  // Cycles until what has left the grid has a place behind it, so that its credits are back.
  uint64_t longest_stay() const;
  // For each wavelet that has left a grid row since the stream was opened the cycle in which it had
  // crossed the link; null where there is none.
  const std::vector<uint64_t>* left(int row) const;
  // Of the stream that was opened last; empty without a model.
  EdgeReport report() const;

 private:
  std::vector<EdgeHold> holds(const EdgeReady& ready) const;
  std::vector<EdgeHold> holds(size_t phase) const;
  // Biases first, if there are any; until both are there.
  std::vector<EdgeHold> entrance(int row, const EdgeHold& samples);

  Device& device_;
  int exit_ = -1;
  TimeModel model_;
  EdgeStream stream_;          // that was opened last
  uint64_t biases_there_ = 0;  // the cycle in which they are
  uint64_t loader_free_ = 0;   // cycle from which the next samples are loaded
  uint64_t opened_at_ = 0;
  uint64_t opens_at_ = 0;  // when nothing holds the stream any more
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_EDGE_TIME_H_
