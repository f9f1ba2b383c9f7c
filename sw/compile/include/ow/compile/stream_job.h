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

#include "ow/compile/edge_time.h"
#include "ow/compile/plan.h"
#include "ow/device/control_plane.h"
#include "ow/memoryx/weight_stream.h"
#include "ow/runtime/counters.h"
#include "ow/runtime/elf.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

// What a tile's kernel noted about a layer, in cycles since reset (low 32 bits).
struct LayerTimes {
  uint32_t start = 0;
  uint32_t weights_done = 0;
  uint32_t drain_done = 0;
  uint32_t send_done = 0;
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
  // Loads the firmware, routes, queues, the plan's parameters and the network's biases into the
  // grid and starts the cores. `control`, `firmware` and `network` must outlive the job. BadInput
  // if the device does not have the plan's tiles.
  StreamJob(ControlPlane& control, const ElfImage& firmware, const StreamPlan& plan,
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
  Counters counters();

  // Called every few hundred cycles while run() runs.
  void on_progress(std::function<void()> call) { progress_ = std::move(call); }

  // For the samples written last.
  const StreamPlan& plan() const { return plan_; }

 private:
  // What an edge port will bring: blocks of the tiles whose results leave there.
  struct Outlet {
    Side side;
    int row;
    int colour;
    int first_column;  // of the blocks, in the order of arrival
    int step;
    size_t blocks;
    size_t words;  // in one block
  };

  void set_routes();
  void bind_queues();
  void write_parameters();
  void write_biases();
  std::vector<Outlet> outlets() const;
  void take_outputs(const std::vector<Outlet>& outlets, StreamRun* result);
  void open_edge();
  uint64_t cycle_limit() const;

  ControlPlane& control_;
  const ElfImage& firmware_;
  StreamPlan plan_;
  const Network& network_;
  int held_ = 0;  // samples of the input
  std::function<void()> progress_;
  std::unique_ptr<EdgeTime> edge_;
};

}  // namespace ow::jobs

#endif  // OW_JOBS_STREAM_JOB_H_
