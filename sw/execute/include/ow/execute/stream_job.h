// SPDX-License-Identifier: Apache-2.0
// Runs a forward pass on a grid by weight streaming: loads it, runs it, reads it back. plan.h
// says where everything is placed.
#ifndef OW_EXECUTE_STREAM_JOB_H_
#define OW_EXECUTE_STREAM_JOB_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ow/compile/plan.h"
#include "ow/execute/edge_time.h"
#include "ow/execute/executor.h"
#include "ow/memoryx/memoryx.h"
#include "ow/runtime/elf.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

// What a tile noted about a layer, in cycles since reset (low 32 bits).
struct LayerTimes {
  uint32_t start = 0;
  uint32_t end = 0;
};

struct StreamRun {
  uint64_t first_cycle = 0;  // the first wavelet was offered
  uint64_t last_cycle = 0;   // the last result left the grid
  uint64_t cycles() const { return last_cycle - first_cycle + 1; }
  uint64_t wavelets_in = 0;    // weights and row ends
  uint64_t wavelets_out = 0;   // results
  uint64_t multiply_adds = 0;  // useful ones: weights streamed x samples held
  Activations outputs;         // the last value, as it came through the fabric
  // By layer with a matrix, then tile row by row; with what stands before it, up to the last
  // matrix, and of the last one also with what follows.
  std::vector<std::vector<LayerTimes>> times;
  EdgeReport edge;  // what the grid waited for outside; empty if nothing there takes time
};

class StreamJob {
 public:
  // Loads the program and the parameters that stay in the tiles. `plan` is that of `job`, which has
  // no loss, and first values. BadInput if the machine does not have the plan's tiles.
  StreamJob(const Runtime& machine, const ElfImage& firmware, const Plan& plan, TrainingJob job);

  // Time outside the wafer, from the next run on. BadInput if the device is not simulated.
  void set_time(const TimeModel& model);

  // Writes the input: features x at most the plan's batch. The tiles work on no more samples than
  // these need. Unused lanes are zero.
  void write_input(const Activations& x);

  // Streams all matrices and takes the results; `dense`: zeros, too. DeviceFault with the hang
  // report if the grid stops early.
  StreamRun run(bool dense);

  // Overwrites all values but the input with NaNs that no operation makes, so old results cannot
  // pass for new ones. If values share memory, this may overwrite the input, too; then call it
  // before write_input.
  void spoil_values();

  // A value of the graph, for the samples that were written. Only the plan knows whether it is
  // still there (ValuePlan::kept).
  Activations read_value(int value);

  // Of all tiles since reset, row by row.
  std::vector<Counters> counters() { return tile_counters(executor_.run()); }

  // Called every few hundred cycles while run() runs.
  void on_progress(std::function<void()> call) { executor_.on_progress(std::move(call)); }

  // For the samples written last.
  const Plan& plan() const { return plan_; }

 private:
  // The blocks that leave at the ports of a side: of `columns` tiles from column `first` on, in
  // steps of `step`.
  void take_outputs(const std::vector<StreamPort>& ports, int first, int step, int columns,
                    StreamRun* result);
  void take_times(const Launched& launched, StreamRun* result) const;
  void open_edge();
  uint64_t cycle_limit() const;
  const ValuePlan& output() const { return plan_.values[static_cast<size_t>(plan_.output)]; }

  const Plan whole_;  // for a full batch
  Plan plan_;
  const TrainingJob job_;
  memoryx::MemoryX memory_;
  Executor executor_;
  int held_ = 0;  // samples of the input
  std::unique_ptr<EdgeTime> edge_;
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_STREAM_JOB_H_
