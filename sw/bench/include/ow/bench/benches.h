// SPDX-License-Identifier: Apache-2.0
// The benches of `ow bench`: each measures the rows of its name in configs/targets.yaml that were
// asked for, and leaves rows of reports to Rows::finish. BadInput for files that are not as they
// must be, before anything takes time.
#ifndef OW_BENCH_BENCHES_H_
#define OW_BENCH_BENCHES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "ow/bench/rows.h"
#include "ow/device/device.h"
#include "ow/wafer/bringup.h"

namespace ow::bench {

// The digits job, the streaming kernel, the core and the hang report.
struct SimBench {
  std::string params;       // job of S1, S2, S4 and S5
  bool usual = true;        // it is the one whose cycles are baselines
  std::string firmware;     // stream_layer.elf
  std::string riscv_tests;  // directory of the official programs (S8); empty: a report, if any
  uint64_t instructions = 1000000;  // S9
};
void measure_sim(Rows* rows, const SimBench& bench);

// Kernels and operations of one tile.
struct TileBenchFiles {
  std::string firmware;       // tile_calls.elf
  std::string spmv_firmware;  // tile_spmv.elf
  std::string matrices;       // directory (T9)
};
void measure_tile(Rows* rows, const TileBenchFiles& files);

// The router and the control plane, and reductions on a grid.
struct FabricBench {
  std::string stream_firmware;  // stream_layer.elf
  std::string sum_firmware;     // column_sum.elf
  std::string dot_firmware;     // dot_rows.elf
};
void measure_fabric(Rows* rows, const FabricBench& bench);

// Rates, noise, repair and refusal of the reticle-crossing link.
struct LinkBench {
  double millions = 100;  // wavelets of W3, in millions; a hundredth of them in two clocks
};
void measure_link(Rows* rows, const LinkBench& bench);
// The table that W3 brings, of its raw "cases": those that the formula is about.
nlohmann::json noise_table(const nlohmann::json& cases);

// The digits job on a wafer, and campaigns of random defects.
struct WaferBench {
  std::string wafer;      // configuration
  std::string defects;    // faults of W1
  std::string params;     // the job of W1 and W8
  std::string firmware;   // stream_layer.elf
  uint64_t sets = 500;    // W8
  uint64_t digits = 20;   // of them with the digits job
  uint64_t beyond = 100;  // W9
  uint64_t skip = 0;      // sets of W8 and W9 to pass over
  unsigned jobs = 1;      // sets at the same time
  size_t limit = 0;       // images of W1; 0: all
  // Brings up a wafer from its files and hands out the logical mesh.
  std::function<std::unique_ptr<Device>(const std::string& wafer, const std::string& defects)> open;
  // The programs of the self-test for tiles of `mini` or `full`.
  std::function<wafer::BringupOptions(bool mini)> selftest;
};
void measure_wafer(Rows* rows, const WaferBench& bench);

// Trainings on the RTL, and what the host does for them.
struct TrainBench {
  std::string params;           // job of M1 and M2
  std::string firmware;         // train.elf
  std::string stream_firmware;  // stream_layer.elf
  std::string program;          // ow itself, for the ranks of M6
};
void measure_train(Rows* rows, const TrainBench& bench);

}  // namespace ow::bench

#endif  // OW_BENCH_BENCHES_H_
