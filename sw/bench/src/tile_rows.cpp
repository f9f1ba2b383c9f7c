// SPDX-License-Identifier: Apache-2.0
// `ow bench tile`: one tile's kernels and operations against their targets and baselines.
#include <cstdio>

#include "ow/base/error.h"
#include "ow/bench/benches.h"
#include "ow/measure/tile_costs.h"

namespace ow::bench {
namespace {

// The table of kernels and operations, whose cycles are baselines.
void show_timings(Rows* rows, const std::vector<TileTiming>& timings) {
  std::FILE* out = rows->options().markdown ? stderr : stdout;
  nlohmann::json& table = rows->result()["timings"] = nlohmann::json::array();
  std::fprintf(out, "\n%-44s %9s %9s %9s %6s  %s\n", "kernel or operation", "elements", "cycles",
               "bound", "ratio", "bound by");
  for (const TileTiming& t : timings) {
    const std::string note = rows->cycles(t.name, t.cycles);
    std::fprintf(out, "%-44s %9llu %9llu %9.1f %5.1f%%  %s%s\n", t.name.c_str(),
                 static_cast<unsigned long long>(t.elements),
                 static_cast<unsigned long long>(t.cycles), t.bound, 100 * t.ratio(),
                 t.limit.c_str(), note.empty() ? "" : ("  " + note).c_str());
    table.push_back({{"name", t.name},
                     {"elements", t.elements},
                     {"cycles", t.cycles},
                     {"bound", t.bound},
                     {"bound_by", t.limit},
                     {"ratio", t.ratio()}});
  }
}

}  // namespace

void measure_tile(Rows* rows, const TileBenchFiles& files) {
  TileBenchOptions tile;
  tile.firmware = files.firmware;
  tile.spmv_firmware = files.spmv_firmware;
  tile.matrices = files.matrices;
  tile.seed = rows->options().seed;
  TileBench bench(tile);
  const auto measurements = TileBench::measurements();
  for (size_t k = 0; k < measurements.size(); ++k) {
    if (!rows->wants_any(measurements[k])) continue;
    try {
      for (const TileFigure& f : bench.measure(k)) {
        nlohmann::json raw = nlohmann::json::object();
        for (const auto& [key, value] : f.raw) raw[key] = value;
        rows->add(f.row, f.value, std::move(raw));
      }
    } catch (const DeviceFault& fault) {
      rows->fault(measurements[k].front(), fault.what());
    }
  }
  if (rows->wants("tile.operations")) {
    for (const std::string& fault : bench.operations()) rows->fault("tile.operations", fault);
  }
  show_timings(rows, bench.timings());
}

}  // namespace ow::bench
