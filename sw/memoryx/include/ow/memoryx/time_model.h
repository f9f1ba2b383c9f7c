// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer, in simulated cycles: rate and latency of the links into and out of the
// wafer, of the store of weights, of the loader of samples and labels, of the optimizer, and of the
// stages of SwarmX. This is data only. The simulation of each part and `ow estimate` use the same
// numbers.
//
// All rates are per grid row, so one model fits grids of any size: a grid of R rows has R such
// links, R times this share of the store, and so on. Rates are whole numbers of 1/65,536 units per
// cycle, and all arithmetic is in integers, so no cycle depends on the host.
#ifndef OW_MEMORYX_TIME_MODEL_H_
#define OW_MEMORYX_TIME_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ow/base/yaml.h"

namespace ow {

constexpr uint64_t kTimeUnit = 65536;  // of rates, and of fractions of a cycle
constexpr uint64_t kWaveletBits = 32;  // bits of a wavelet on a link: its data
constexpr uint64_t kEdgeDepth = 512;   // default of the queue at an edge row, in wavelets, each way
constexpr uint64_t kBalancedLatency = 64;  // cycles, for every part of the preset `balanced`
constexpr uint64_t kWseLatency = 5000;     // cycles: 5 us a hop at 1 GHz
constexpr uint64_t kWseLinkBits = 1200;    // per cycle: 12 x 100 Gb/s at 1 GHz ...
constexpr uint64_t kWseEdgeRows = 1224;    // ... shared by this many edge rows

// A part that passes `rate` / 65,536 units per cycle, the first unit after `latency` cycles.
struct Flow {
  uint64_t rate = 0;  // 0: not modelled, unbounded
  uint64_t latency = 0;

  bool bounded() const { return rate != 0; }
  // Cycles until `units` have passed: latency + ceil(units x 65,536 / rate). UINT64_MAX means
  // never.
  uint64_t cycles(uint64_t units) const;
  // The time that `units` occupy the part, in 1/65,536 cycles, rounded up. 0 if unbounded.
  uint64_t period(uint64_t units) const;
};

struct TimeModel {
  Flow edge;                         // bits, into the wafer
  uint64_t edge_depth = kEdgeDepth;  // wavelets that may wait between link and grid
  Flow exit;                         // bits, out of the wafer: gradients
  uint64_t exit_depth = kEdgeDepth;  // wavelets that may wait between grid and link
  Flow store;                        // bits of weights, out of MemoryX
  Flow samples;                      // bits of samples and labels
  Flow optimizer;                    // parameters that are updated
  // Bits through the stages of SwarmX between MemoryX and a wafer, in and out. The stage nearest
  // the wafers is first. Both have the same number of stages; one wafer has none.
  std::vector<Flow> broadcast;
  std::vector<Flow> reduce;

  // Whether anything takes time.
  bool modelled() const;
  // The latency of a first wavelet, in cycles: way_in() from MemoryX to the edge, way_out() from
  // the edge to MemoryX.
  uint64_t way_in() const;
  uint64_t way_out() const;
  // The time of a wavelet in the slowest part, in 1/65,536 cycles. In: link, store and stages. Out:
  // link, and stages if gradients are reduced.
  uint64_t period_in() const;
  uint64_t period_out(bool reduces) const;
};

// What a network needs on its grid, for the grid row that needs most: the pass that takes its
// stream fastest, and a whole step.
struct TimeNeeds {
  uint64_t weights = 0;        // wavelets of that pass's stream ...
  uint64_t weight_cycles = 0;  // ... and the cycles in which the grid takes them if it never waits
  uint64_t samples = 0;        // bits of samples and labels of a step
  uint64_t step_cycles = 0;
  uint64_t updates = 0;        // of the layer whose gradients leave fastest ...
  uint64_t update_cycles = 0;  // ... and the cycles that they take
};

// The preset `wse`. All links and stages have 12 x 100 Gb/s over 1,224 edge rows at 1 GHz, and 5 us
// a hop. The optimizer updates one parameter for every 32 bits of a link, so gradients wait for it
// only at the end.
TimeModel wse_time(int stages = 0);

// The preset `balanced`: 1.1 times what the network needs not to wait, 64 cycles late. All parts on
// the way in pass weights as fast as the fastest pass takes them. Gradients pass all stages and are
// updated as fast as they are made. Samples are loaded once a step. Parts without needs are
// unbounded.
TimeModel balanced_time(const TimeNeeds& needs, int stages = 0);

// The key `time` of a job: `ideal` (nothing is modelled), `balanced`, `wse`, or a mapping that
// changes a preset.
struct TimeOptions {
  enum class Preset { Ideal, Balanced, Wse };
  // Unset values are the preset's.
  struct FlowOptions {
    std::optional<uint64_t> rate;
    std::optional<uint64_t> latency;
  };
  Preset preset = Preset::Ideal;
  FlowOptions edge, exit, store, samples, optimizer;
  // For all stages of a kind, and for single stages. The stage nearest the wafers is first.
  FlowOptions broadcast, reduce;
  std::vector<FlowOptions> broadcast_stages, reduce_stages;
  std::optional<uint64_t> edge_depth, exit_depth;

  // Whether make_time uses `needs`.
  bool wants_needs() const { return preset == Preset::Balanced; }
};

// BadInput, one line with the file, the line, the key and the limit.
TimeOptions read_time(const Yaml& value);

// The model with `stages` stages of SwarmX. Options for stages that do not exist are ignored, so a
// job runs on any number of wafers.
TimeModel make_time(const TimeOptions& options, const TimeNeeds& needs, int stages = 0);

}  // namespace ow

#endif  // OW_MEMORYX_TIME_MODEL_H_
