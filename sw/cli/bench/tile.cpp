// SPDX-License-Identifier: Apache-2.0
// `ow bench tile`: one tile's kernels and operations against their targets and baselines.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "bench.h"
#include "ow/error.h"
#ifdef OW_HAVE_BENCH
#include "ow/bench/tile_bench.h"
#endif

namespace ow::cli {
namespace {

struct TileOptions {
  std::string firmware = OW_FIRMWARE_DIR "/tile_bench.elf";
  std::string matrices = OW_SOURCE_DIR "/data/matrices";
  std::string baselines = OW_SOURCE_DIR "/configs/tile-baselines.yaml";
  bool update_baselines = false;
  std::string testfloat;  // T15: report of scripts/testfloat
  std::string coverage;   // T17: report of scripts/coverage
};

#ifdef OW_HAVE_BENCH
// The table of kernels and operations, against their baselines.
void show_timings(Context& context, const bench::TileBench& bench, const TileOptions& options,
                  BenchRows& rows) {
  bench::Baselines baselines = bench::load_baselines(options.baselines);
  nlohmann::json& table = context.result()["timings"] = nlohmann::json::array();
  std::printf("\n%-44s %9s %9s %9s %6s  %s\n", "kernel or operation", "elements", "cycles", "bound",
              "ratio", "bound by");
  int slower = 0;
  for (const bench::TileTiming& t : bench.timings()) {
    const auto baseline = baselines.find(t.name);
    const bool slow = baseline != baselines.end() && t.cycles > baseline->second;
    std::printf("%-44s %9llu %9llu %9.1f %5.1f%%  %s%s\n", t.name.c_str(),
                static_cast<unsigned long long>(t.elements),
                static_cast<unsigned long long>(t.cycles), t.bound, 100 * t.ratio(),
                t.limit.c_str(),
                slow ? fmt::format("  SLOWER than its baseline {}", baseline->second).c_str() : "");
    table.push_back({{"name", t.name},
                     {"elements", t.elements},
                     {"cycles", t.cycles},
                     {"bound", t.bound},
                     {"bound_by", t.limit},
                     {"ratio", t.ratio()}});
    if (options.update_baselines) {
      baselines[t.name] = t.cycles;
    } else if (slow) {
      ++slower;
    }
  }
  context.result()["slower_than_baseline"] = slower;
  if (options.update_baselines) {
    write_file(options.baselines, bench::baselines_text(baselines));
  } else if (slower != 0) {
    rows.fault("timings", fmt::format("{} slower than {}", slower, options.baselines));
  }
}

int run_tile(Context& context, const BenchOptions& bench_options, const TileOptions& options) {
  BenchRows rows("tile", bench_options, context, {"ops"});
  // Read first: a wrong name should not cost a run.
  nlohmann::json testfloat, coverage;
  if (!options.testfloat.empty() && rows.wants("T15")) {
    testfloat = read_report("--testfloat", options.testfloat, "wrong");
  }
  if (!options.coverage.empty() && rows.wants("T17")) {
    coverage = read_report("--coverage", options.coverage, "percent");
  }
  bench::TileBenchOptions tile;
  tile.firmware = options.firmware;
  tile.spmv_firmware = OW_FIRMWARE_DIR "/spmv_bench.elf";
  tile.matrices = options.matrices;
  tile.seed = bench_options.seed;
  bench::TileBench bench(tile);
  for (const std::string& row : bench::TileBench::rows()) {
    if (!rows.wants(row)) continue;
    try {
      for (const bench::TileFigure& f : bench.measure(row)) {
        nlohmann::json raw = nlohmann::json::object();
        for (const auto& [key, value] : f.raw) raw[key] = value;
        rows.add(f.row, f.value, std::move(raw));
      }
    } catch (const DeviceFault& fault) {
      rows.fault(row, fault.what());
    }
  }
  if (!testfloat.is_null()) {
    const double wrong = testfloat["wrong"].get<double>();
    rows.add("T15", wrong, std::move(testfloat));
  }
  if (!coverage.is_null()) {
    const double percent = coverage["percent"].get<double>();
    rows.add("T17", percent, std::move(coverage));
  }
  if (rows.wants("ops")) {
    for (const std::string& fault : bench.operations()) rows.fault("ops", fault);
  }
  show_timings(context, bench, options, rows);
  return rows.finish();
}
#else
int run_tile(Context&, const BenchOptions&, const TileOptions&) {
  throw BadInput("bench tile: this build has no tile model");
}
#endif

}  // namespace

void add_bench_tile(CLI::App& sub, Benches& benches) {
  auto options = std::make_shared<TileOptions>();
  benches["tile"] = [options](Context& context, const BenchOptions& bench) {
    return run_tile(context, bench, *options);
  };
  sub.add_option("--tile-firmware", options->firmware, "tile: firmware instead of the build's own")
      ->type_name("ELF");
  sub.add_option("--matrices", options->matrices, "tile: directory of the matrices of T9")
      ->type_name("DIR");
  sub.add_option("--baselines", options->baselines, "tile: file of the cycles that count as slower")
      ->type_name("FILE");
  sub.add_flag("--update-baselines", options->update_baselines, "tile: write that file");
  sub.add_option("--testfloat", options->testfloat, "tile: report of scripts/testfloat (T15)")
      ->type_name("FILE");
  sub.add_option("--coverage", options->coverage, "tile: report of scripts/coverage (T17)")
      ->type_name("FILE");
}

}  // namespace ow::cli
