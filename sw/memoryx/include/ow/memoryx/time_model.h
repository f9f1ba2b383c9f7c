// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer, in simulated cycles: how fast and how late the wafer's edge is, into the
// wafer and out of it, the store of the weights, the loader of samples and labels, the optimizer
// and the stages of SwarmX. Data alone; who simulates a part takes its numbers from here, and so
// does `ow estimate`.
//
// All rates are of one grid row's edge, so that a model is of grids of any size: a wafer of R grid
// rows has R such links, an R-th part of the store, and so on. They are whole numbers of 1/65,536
// of a unit a cycle, and all arithmetic is in integers: no cycle depends on the host.
#ifndef OW_MEMORYX_TIME_MODEL_H_
#define OW_MEMORYX_TIME_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ow/base/yaml.h"

namespace ow {

constexpr uint64_t kTimeUnit = 65536;  // of rates, and of fractions of a cycle
constexpr uint64_t kWaveletBits = 32;  // what a wavelet takes of a link: its data
constexpr uint64_t kEdgeDepth = 512;   // wavelets that wait at an edge row, each way, unless given
constexpr uint64_t kBalancedLatency = 64;  // cycles, of everything in the preset `balanced`
constexpr uint64_t kWseLatency = 5000;     // cycles: 5 us a hop at 1 GHz
constexpr uint64_t kWseLinkBits = 1200;    // a cycle: 12 x 100 Gb/s at 1 GHz ...
constexpr uint64_t kWseEdgeRows = 1224;    // ... over so many edge rows

// Something that passes `rate` / 65,536 units a cycle, the first of them `latency` cycles late.
struct Flow {
  uint64_t rate = 0;  // 0: not modelled, without bound
  uint64_t latency = 0;

  bool bounded() const { return rate != 0; }
  // Cycles from the beginning until `units` have passed: latency + ceil(units x 65,536 / rate).
  // At most UINT64_MAX, which stands for never.
  uint64_t cycles(uint64_t units) const;
  // 1/65,536 cycles that `units` occupy it, rounded up; 0 without a bound.
  uint64_t period(uint64_t units) const;
};

struct TimeModel {
  Flow edge;                         // bits, into the wafer
  uint64_t edge_depth = kEdgeDepth;  // wavelets that have crossed a link and wait for the grid
  Flow exit;                         // bits, out of the wafer: gradients
  uint64_t exit_depth = kEdgeDepth;  // wavelets that have left the grid and wait for the way on
  Flow store;                        // bits of weights, out of MemoryX
  Flow samples;                      // bits of samples and labels
  Flow optimizer;                    // parameters that are updated
  // Bits, the stages of SwarmX between MemoryX and a wafer, the one next to the wafers first: on
  // the way in, and back. None for one wafer; the same number of both.
  std::vector<Flow> broadcast;
  std::vector<Flow> reduce;

  // Whether anything takes time.
  bool modelled() const;
  // Cycles that a first wavelet is late: from MemoryX to the edge, and from the edge to MemoryX.
  uint64_t way_in() const;
  uint64_t way_out() const;
  // 1/65,536 cycles a wavelet of the slowest link each way: in, store and stages too; out, stages
  // too if gradients are reduced.
  uint64_t period_in() const;
  uint64_t period_out(bool reduces) const;
};

// What a network asks for on the grid that it is for: the pass that wants its stream fastest, and a
// whole step. Of one grid row, the one that wants most.
struct TimeNeeds {
  uint64_t weights = 0;        // wavelets of that pass's stream ...
  uint64_t weight_cycles = 0;  // ... and the cycles in which the grid takes them if it never waits
  uint64_t samples = 0;        // bits of samples and labels of a step
  uint64_t step_cycles = 0;
  uint64_t updates = 0;        // of the layer whose gradients leave fastest ...
  uint64_t update_cycles = 0;  // ... and the cycles that they take
};

// 12 x 100 Gb/s over 1,224 edge rows at 1 GHz, 5 us a hop, for everything that goes over such a
// link, each way and between stages; the optimizer updates a parameter for each 32 bits that the
// link brings, so that it is never what gradients wait for but at the end.
TimeModel wse_time(int stages = 0);

// 1.1 times what the network needs not to wait; 64 cycles late: weights as fast as a pass takes
// them, on every link of their way; gradients out, through every stage, and updated as fast as they
// are made; samples once a step. What `needs` has none of is without a bound.
TimeModel balanced_time(const TimeNeeds& needs, int stages = 0);

// The key `time` of a job: `ideal` (nothing is modelled), `balanced`, `wse`, or a mapping with a
// preset to begin with and what is different from it.
struct TimeOptions {
  enum class Preset { Ideal, Balanced, Wse };
  // Unset: the preset's.
  struct Part {
    std::optional<uint64_t> rate;
    std::optional<uint64_t> latency;
  };
  Preset preset = Preset::Ideal;
  Part edge, exit, store, samples, optimizer;
  // Of a kind of stage, and of its stages one by one, the one next to the wafers first.
  Part broadcast, reduce;
  std::vector<Part> broadcast_stages, reduce_stages;
  std::optional<uint64_t> edge_depth, exit_depth;

  // Whether `needs` matter.
  bool wants_needs() const { return preset == Preset::Balanced; }
};

// BadInput, one line with the file, the line, the key and the limit.
TimeOptions read_time(const Yaml& value);

// With so many stages of SwarmX; those that the options name one by one and that are not there are
// of no account, so that a job runs on any number of wafers.
TimeModel make_time(const TimeOptions& options, const TimeNeeds& needs, int stages = 0);

}  // namespace ow

#endif  // OW_MEMORYX_TIME_MODEL_H_
