// SPDX-License-Identifier: Apache-2.0
// Runs a network on a grid by weight streaming: loads it, runs it, reads it back. plan.h says where
// everything is placed.
#ifndef OW_JOBS_STREAM_JOB_H_
#define OW_JOBS_STREAM_JOB_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ow/compile/plan.h"
#include "ow/execute/edge_time.h"
#include "ow/execute/executor.h"
#include "ow/memoryx/weight_stream.h"
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
  uint64_t wavelets_in = 0;                    // weights and row ends
  uint64_t wavelets_out = 0;                   // results
  uint64_t multiply_adds = 0;                  // useful ones: weights streamed x samples held
  Activations outputs;                         // of the last layer, as they came through the fabric
  std::vector<std::vector<LayerTimes>> times;  // by layer, then tile row by row
  EdgeReport edge;  // what the grid waited for outside; empty if nothing there takes time
};

class StreamJob {
 public:
  // Loads the program and the network's biases. `network` must outlive the job. BadInput if the
  // machine does not have the plan's tiles.
  StreamJob(const Runtime& machine, const ElfImage& firmware, const StreamPlan& plan,
            const Network& network);

  // Time outside the wafer, from the next run on. BadInput if the device is not simulated.
  void set_time(const TimeModel& model);

  // Writes the first layer's input: features x at most the capacity's samples. The tiles work on no
  // more samples than these need. Unused lanes are zero.
  void write_input(const Activations& x);

  // Streams all layers and takes the results. DeviceFault with the hang report if the grid stops
  // early.
  StreamRun run(bool dense);

  // Overwrites the stored outputs of every layer with NaNs that no operation makes, so old results
  // cannot pass for new ones. If activations share two places, this also overwrites the input; then
  // call it before write_input.
  void spoil_outputs();

  // The stored outputs of layer k, for the samples that were written.
  Activations read_layer(size_t k);

  // Sums over all tiles since reset.
  Counters counters() { return sum_counters(executor_.run()); }

  // Called every few hundred cycles while run() runs.
  void on_progress(std::function<void()> call) { executor_.on_progress(std::move(call)); }

  // For the samples written last.
  const StreamPlan& plan() const { return plan_; }

 private:
  void write_biases();
  // The blocks that leave at the ports of a side: of `columns` tiles from column `first` on, in
  // steps of `step`.
  void take_outputs(const std::vector<StreamPort>& ports, int first, int step, int columns,
                    StreamRun* result);
  void open_edge();
  uint64_t cycle_limit() const;

  StreamPlan plan_;
  const Network& network_;
  Executor executor_;
  int held_ = 0;  // samples of the input
  std::unique_ptr<EdgeTime> edge_;
};

}  // namespace ow::jobs

#endif  // OW_JOBS_STREAM_JOB_H_
