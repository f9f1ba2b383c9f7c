// SPDX-License-Identifier: Apache-2.0
// The areas of `ow bench`. Each function measures the rows of its area in configs/targets.yaml that
// were asked for. BadInput for files that are not as they must be, before anything takes time.
#ifndef OW_BENCH_BENCHES_H_
#define OW_BENCH_BENCHES_H_

#include <functional>
#include <memory>
#include <string>

#include "ow/bench/rows.h"

namespace ow {
class GridRanks;
struct DataSource;
struct TokenText;
}  // namespace ow

namespace ow::bench {

// Kernels and operations of one tile.
struct TileBenchFiles {
  std::string firmware;       // tile_calls.elf
  std::string spmv_firmware;  // tile_spmv.elf
  std::string matrices;       // directory
};
void measure_tile(Rows* rows, const TileBenchFiles& files);

// Routers and the control plane, and reductions on a grid.
struct FabricBench {
  std::string stream_firmware;  // forward.elf
  std::string sum_firmware;     // column_sum.elf
  std::string dot_firmware;     // dot_rows.elf
};
void measure_fabric(Rows* rows, const FabricBench& bench);

// Copies through the library. `firmware`: copies.elf.
void measure_library(Rows* rows, const std::string& firmware);

// Rate, latency and goodput of the reticle-crossing link.
struct LinkBench {
  double millions = 20;  // wavelets over noisy lanes, in millions
};
void measure_link(Rows* rows, const LinkBench& bench);

// The digits job and a large layer.
struct NetworkBench {
  std::string params;    // the job
  bool usual = true;     // it is the one whose cycles are baselines
  std::string firmware;  // forward.elf
};
void measure_network(Rows* rows, const NetworkBench& bench);

// Trainings on the RTL, and what the host does for them.
struct TrainBench {
  std::string params;           // the digits training
  std::string firmware;         // train.elf
  std::string stream_firmware;  // forward.elf
};
void measure_train(Rows* rows, const TrainBench& bench);

// Language models that are trained from scratch.
struct TransformerBench {
  // The jobs: on the RTL, by golden, three of which a step is measured on the RTL.
  std::string novel, tiny, wide, block, shared;
  std::string firmware;                                   // the directory of the programs
  std::function<TokenText(const DataSource&)> read_text;  // of texts (ow/tensor/dataset.h)
};
void measure_transformer(Rows* rows, const TransformerBench& bench);

// A language model on regions of tiles. `firmware`: the directory of the programs.
void measure_language(Rows* rows, const std::string& firmware);

// The simulator: its speed, the instructions of the host for a tile's cycle, the hang report.
void measure_sim(Rows* rows);

// Large grids in the two engines of the simulator. Rows are not measured without the wide engine,
// nor one that needs two `ranks` with another number.
void measure_scale(Rows* rows, const std::shared_ptr<GridRanks>& ranks);

// Bytes of the tiles' programs. `firmware`: their directory.
void measure_code(Rows* rows, const std::string& firmware);

// What the flows of timing, gates and FPGA have left in the build tree.
void measure_silicon(Rows* rows);
void measure_fpga(Rows* rows);

}  // namespace ow::bench

#endif  // OW_BENCH_BENCHES_H_
