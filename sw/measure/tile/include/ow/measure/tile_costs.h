// SPDX-License-Identifier: Apache-2.0
// The measurements of `ow bench tile`. Every call's results are compared bit for bit with the
// golden model; a difference is a DeviceFault.
#ifndef OW_MEASURE_TILE_COSTS_H_
#define OW_MEASURE_TILE_COSTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ow::bench {

struct TileBenchOptions {
  std::string firmware;       // tile_calls.elf
  std::string spmv_firmware;  // tile_spmv.elf
  std::string matrices;       // directory of the matrices of spmv
  uint64_t seed = 1;
  bool all_alignments = true;  // axpy: all 256; else 16 of them
};

// A row of configs/targets.yaml by its name (tile.axpy_f16), with what its value is made of.
struct TileFigure {
  std::string row;
  double value = 0;
  std::map<std::string, double> raw;
};

// A line of the table of kernels and operations. `bound`: the cycles that the datapath or the
// memory ports need, whichever are more.
struct TileTiming {
  std::string name;
  uint64_t elements = 0;
  uint64_t cycles = 0;
  double bound = 0;
  std::string limit;  // "datapath" or "ports"
  double ratio() const { return cycles == 0 ? 0 : bound / static_cast<double>(cycles); }
};

class TileBench {
 public:
  explicit TileBench(TileBenchOptions options) : options_(std::move(options)) {}

  // The rows of each measurement. One, "tile.functions", is no row of a target: it gives cycles of
  // the non-linear functions over all their inputs.
  static std::vector<std::vector<std::string>> measurements();
  // Takes one of them, by its place in that list. May be asked for any subset in any order.
  std::vector<TileFigure> measure(size_t measurement);
  // Single instructions, every operation with every type. Goes on after a difference; returns one
  // line for each.
  std::vector<std::string> operations();

  // Whole calls and instructions timed so far.
  const std::vector<TileTiming>& timings() const { return timings_; }

 private:
  friend class TileRows;
  TileBenchOptions options_;
  std::vector<TileTiming> timings_;
};

}  // namespace ow::bench

#endif  // OW_MEASURE_TILE_COSTS_H_
