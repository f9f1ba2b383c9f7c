// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer, in simulated cycles: how fast and how late the wafer's edge, the store of
// the weights, the loader of samples and labels, the optimizer and the stages of SwarmX are. Data
// alone; who simulates a part takes its numbers from here, and so does `ow estimate`.
//
// All rates are of one grid row's edge, so that a model is of grids of any size: a wafer of R grid
// rows has R such links, an R-th part of the store, and so on. They are whole numbers of 1/65,536
// of a unit a cycle, and all arithmetic is in integers: no cycle depends on the host.
#ifndef OW_MEMORYX_TIME_MODEL_H_
#define OW_MEMORYX_TIME_MODEL_H_

#include <cstdint>
#include <optional>

#include "ow/base/yaml.h"

namespace ow {

constexpr uint64_t kTimeUnit = 65536;      // of rates, and of fractions of a cycle
constexpr uint64_t kWaveletBits = 32;      // what a wavelet takes of a link: its data
constexpr uint64_t kEdgeDepth = 512;       // wavelets that wait at an edge row, unless given
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
  Flow store;                        // bits of weights, out of MemoryX
  Flow samples;                      // bits of samples and labels
  Flow optimizer;                    // parameters that are updated
  Flow broadcast;                    // bits, a stage of SwarmX towards the wafers
  Flow reduce;                       // bits, a stage of SwarmX back

  // Whether anything takes time.
  bool modelled() const;
};

// What a network asks for on the grid that it is for: the pass that wants its stream fastest, and a
// whole step. Of one grid row, the one that wants most.
struct TimeNeeds {
  uint64_t weights = 0;        // wavelets of that pass's stream ...
  uint64_t weight_cycles = 0;  // ... and the cycles in which the grid takes them if it never waits
  uint64_t samples = 0;        // bits of samples and labels of a step
  uint64_t gradients = 0;      // numbers that leave in a step, an update each
  uint64_t step_cycles = 0;
  uint64_t updates = 0;        // of the layer whose gradients leave fastest ...
  uint64_t update_cycles = 0;  // ... and the cycles that they take
};

// 12 x 100 Gb/s over 1,224 edge rows at 1 GHz, 5 us a hop, for everything that goes over such a
// link; the optimizer updates a parameter for each 32 bits that the link brings.
TimeModel wse_time();

// 1.1 times what the network needs not to wait; 64 cycles late: weights as fast as a pass takes
// them, updates as fast as gradients leave, samples and sums of gradients once a step. What `needs`
// has none of is without a bound.
TimeModel balanced_time(const TimeNeeds& needs);

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
  Part edge, store, samples, optimizer, broadcast, reduce;
  std::optional<uint64_t> edge_depth;

  // Whether `needs` matter.
  bool wants_needs() const { return preset == Preset::Balanced; }
};

// BadInput, one line with the file, the line, the key and the limit.
TimeOptions read_time(const Yaml& value);

TimeModel make_time(const TimeOptions& options, const TimeNeeds& needs);

}  // namespace ow

#endif  // OW_MEMORYX_TIME_MODEL_H_
