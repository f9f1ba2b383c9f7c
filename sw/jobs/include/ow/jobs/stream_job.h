// SPDX-License-Identifier: Apache-2.0
// Networks on a grid by weight streaming: where everything lies, what travels, and a run.
//
// Feature i is kept by grid row i mod R as its local feature i div R, sample s by grid column s div
// n as its local sample s mod n; so is every layer's output, which is the next layer's input. A
// tile holds its block of x and y as one row of n binary16 values for each local feature.
//
// Weights enter at the west edge of each grid row and are multicast along it. Partial sums of an
// output go round the column: from the row below its owner down to the last row, from there on a
// colour of their own through all routers to the first row, and down to the owner. So a ramp takes
// one wavelet for each of its tile's additions, and in each output one tile (the first) takes none.
// Colours: down by the parity of the grid row that sends, and back. The
// last layer's results leave at the west edge from the western half of a grid row and at the east
// edge from the rest, each tile relaying what comes from farther in (two colours by the parity of
// the column that sends).
#ifndef OW_JOBS_STREAM_JOB_H_
#define OW_JOBS_STREAM_JOB_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ow/control_plane.h"
#include "ow/elf.h"
#include "ow/golden/network.h"
#include "ow/program.h"

namespace ow::jobs {

// Colours.
constexpr int kColourWeights = 0;
constexpr int kColourDown = 1;    // +1 for odd grid rows
constexpr int kColourBack = 3;    // from the last grid row to the first
constexpr int kColourResult = 4;  // +1 for odd grid columns

struct LayerShape {
  int inputs = 0;
  int outputs = 0;
  bool relu = false;
};

struct LayerPlan {
  LayerShape shape;
  int local_inputs = 0;  // of the grid row that has most
  uint32_t x_addr = 0;
  uint32_t y_addr = 0;
  uint32_t bias_addr = 0;
  int ring = 0;  // accumulator rows in use
};

struct StreamPlan {
  GridShape grid;
  int samples = 0;  // a tile
  int lanes = 0;
  std::vector<LayerPlan> layers;
  uint32_t used_bytes = 0;  // of a tile's SRAM, program and stack included

  int batch() const { return samples * grid.cols; }
  // Features i of 0 .. n - 1 that grid row r keeps.
  int owned(int n, int row) const { return n > row ? (n - row + grid.rows - 1) / grid.rows : 0; }
  // Tiles of a grid row whose results leave at the west edge; the others' leave at the east edge.
  int west_columns() const { return grid.cols / 2; }
};

// Lays the layers out in a tile. Throws BadInput with `who` in front if a size does not fit the
// machine: samples not a multiple of the lanes or more than the accumulator holds, buffers beyond
// the tile's SRAM, more layers than the kernel takes.
StreamPlan make_plan(const std::string& who, GridShape grid, int samples,
                     const std::vector<LayerShape>& layers, const ElfImage& firmware,
                     int lanes = 8);

// Shapes of a network's layers.
std::vector<LayerShape> shapes(const golden::Network& network);

// The wavelets of one grid row for one layer: the outputs owner by owner (those of grid row 0
// first, each owner's in ascending order), for each the weights of this row in ascending local
// index (zeros left out unless dense), then a row end; the last one ends the stream. Partial sums
// turn round only where the owner changes.
std::vector<Wavelet> weight_stream(const golden::Layer& layer, int row, int rows, bool dense);

// Lower bound of the cycles that the layer takes, from its shape and its weights alone: the most of
// what the stream and the engine of the slowest grid row need, and what the reducers need together.
// These do one output after the other, an element a cycle, and an element goes through all tiles of
// its column, so an output costs its samples.
struct LayerBound {
  uint64_t stream = 0;
  uint64_t engine = 0;
  uint64_t reducer = 0;
  uint64_t cycles() const {
    return stream > engine ? (stream > reducer ? stream : reducer)
                           : (engine > reducer ? engine : reducer);
  }
};
LayerBound layer_bound(const StreamPlan& plan, const golden::Layer& layer, bool dense);

// What a tile's kernel noted of a layer, in cycles since reset (low 32 bits).
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
  uint64_t multiply_adds = 0;                  // useful: weights streamed x samples
  golden::Activations logits;                  // of the last layer, as they came through the fabric
  std::vector<std::vector<LayerTimes>> times;  // by layer, then tile row by row
};

class StreamJob {
 public:
  // Loads the firmware, routes, queues, the plan's parameters and the network's biases into the
  // grid and starts the cores. `control`, `firmware` and `network` must outlive the job.
  StreamJob(ControlPlane& control, const ElfImage& firmware, const StreamPlan& plan,
            const golden::Network& network);

  // Writes the first layer's input: features x up to batch() samples; the rest is zero.
  void write_input(const golden::Activations& x);

  // Streams all layers and takes the results. DeviceFault with the hang report's text if the grid
  // stops before they are there.
  StreamRun run(bool dense);

  // Overwrites what the tiles keep of every layer's output with NaNs that no operation makes, so
  // that results of an earlier run cannot pass for those of the next.
  void spoil_outputs();

  // Reads what the tiles keep of layer k's output.
  golden::Activations read_layer(size_t k);

  // Sums over all tiles since reset.
  Counters counters();

  // Called every few hundred cycles while run() runs.
  void on_progress(std::function<void()> call) { progress_ = std::move(call); }

  const StreamPlan& plan() const { return plan_; }

 private:
  void run_until_quiet(const std::string& what);

  ControlPlane& control_;
  const ElfImage& firmware_;
  StreamPlan plan_;
  const golden::Network& network_;
  std::function<void()> progress_;
};

}  // namespace ow::jobs

#endif  // OW_JOBS_STREAM_JOB_H_
