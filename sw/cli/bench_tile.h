// SPDX-License-Identifier: Apache-2.0
// `ow bench tile`: one tile's kernels and operations against their targets and baselines.
#ifndef OW_CLI_BENCH_TILE_H_
#define OW_CLI_BENCH_TILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli.h"

namespace ow::cli {

struct TileBenchArguments {
  std::string targets;
  std::string firmware;
  std::string spmv_firmware;
  std::string matrices = OW_SOURCE_DIR "/data/matrices";
  std::string baselines = OW_SOURCE_DIR "/configs/tile-baselines.yaml";
  std::vector<std::string> only;
  uint64_t seed = 1;
  bool update_baselines = false;
  std::string coverage;   // T17: report of scripts/coverage
  std::string testfloat;  // T15: report of scripts/testfloat
};

int run_bench_tile(Context& context, const TileBenchArguments& arguments);

}  // namespace ow::cli

#endif  // OW_CLI_BENCH_TILE_H_
