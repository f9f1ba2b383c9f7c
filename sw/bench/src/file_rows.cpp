// SPDX-License-Identifier: Apache-2.0
// Rows that other commands measure: area, clock and paths. Each command leaves a JSON file in the
// build tree, from which the rows are read if it is there.
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/bench/benches.h"

namespace ow::bench {
namespace {

struct FileRow {
  const char* name;
  const char* file;     // in the build tree
  const char* pointer;  // to the value
  const char* command;  // writes the file
};

constexpr const char* kTiming = "make timing";
constexpr const char* kBoard = "make fpga";
constexpr const char* kGates = "scripts/flows/timing/gates";
constexpr const char* kReticle = "scripts/flows/timing/gates --reticle";
constexpr const char* kFaults = "ow faults";
constexpr const char* kSizes = "scripts/flows/fpga/fpga sizes";
constexpr const char* kClock = "scripts/flows/fpga/fpga clock";

const std::vector<FileRow> kSilicon = {
    {"silicon.tile_path_fo4", "timing.json", "/figures/tile_path_fo4", kTiming},
    {"silicon.link_path_fo4", "timing.json", "/figures/link_path_fo4", kTiming},
    {"silicon.station_path_fo4", "timing.json", "/figures/station_path_fo4", kTiming},
    {"silicon.hop_path_fo4", "timing.json", "/figures/hop_path_fo4", kTiming},
    {"silicon.tile_kge", "timing.json", "/figures/tile_kge", kTiming},
    {"silicon.router_kge", "timing.json", "/figures/router_kge", kTiming},
    {"silicon.router_gates", "gates.json", "/gates", kGates},
    {"silicon.reticle_overhead", "reticle-gates.json", "/percent", kReticle},
    {"silicon.selftest_coverage", "selftest-faults.json", "/percent", kFaults},
};

const std::vector<FileRow> kFpga = {
    {"fpga.board_cells", "fpga/ulx3s/summary.json", "/figures/board_cells", kBoard},
    {"fpga.board_clock", "fpga/ulx3s/summary.json", "/figures/board_clock", kBoard},
    {"fpga.tile_clock", "fpga/clock.json", "/figures/tile_clock", kClock},
    {"fpga.tile_cells", "fpga/sizes.json", "/figures/tile_cells", kSizes},
    {"fpga.router_cells", "fpga/sizes.json", "/figures/router_cells", kSizes},
    {"fpga.link_cells", "fpga/sizes.json", "/figures/link_cells", kSizes},
    {"fpga.station_cells", "fpga/sizes.json", "/figures/station_cells", kSizes},
    {"fpga.bridge_cells", "fpga/sizes.json", "/figures/bridge_cells", kSizes},
};

void read_rows(Rows* rows, const std::vector<FileRow>& list) {
  for (const FileRow& row : list) {
    if (!rows->wants(row.name)) continue;
    const std::string path = rows->options().build + "/" + row.file;
    const nlohmann::json::json_pointer pointer(row.pointer);
    if (!std::filesystem::exists(path)) {
      rows->not_measured(row.name, row.command);
      continue;
    }
    const nlohmann::json contents = read_json(path);
    // A run for single blocks, or without paths, has only a part of the figures.
    if (!contents.contains(pointer)) {
      rows->not_measured(row.name, row.command);
    } else if (!contents[pointer].is_number()) {
      throw BadInput(fmt::format("{}: '{}' is no number", path, row.pointer));
    } else {
      rows->add(row.name, contents[pointer].get<double>(), {{"file", path}}, row.command);
    }
  }
}

}  // namespace

void measure_silicon(Rows* rows) { read_rows(rows, kSilicon); }

void measure_fpga(Rows* rows) { read_rows(rows, kFpga); }

}  // namespace ow::bench
