// SPDX-License-Identifier: Apache-2.0
#include "heat_map.h"

#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/plot/heat_map.h"

namespace ow::cli {

void write_heat_map(const std::string& file, const std::string& job,
                    const jobs::TileCounts& counts) {
  if (counts.cycles() == 0) throw BadInput("--heat-map: nothing ran on the grid");
  const auto map = [&counts](const char* title, std::initializer_list<Counter> sum) {
    plot::HeatMap made{title, {}};
    for (const Counters& tile : counts.tiles()) {
      uint64_t all = 0;
      for (const Counter counter : sum) all += tile[static_cast<size_t>(counter)];
      made.values.push_back(100.0 * static_cast<double>(all) /
                            static_cast<double>(counts.cycles()));
    }
    return made;
  };
  const std::vector<plot::HeatMap> maps = {
      map("engine: beats, % of cycles", {kCtrBeats}),
      map("ramp: words, % of cycles", {kCtrWaveletsIn, kCtrWaveletsOut}),
      map("engine: stalls, % of cycles",
          {kCtrStallInput, kCtrStallOutput, kCtrStallRow, kCtrStallMemory})};
  const std::string title = fmt::format("{}: {} x {} tiles, {} cycles", job, counts.grid().rows,
                                        counts.grid().cols, counts.cycles());
  write_file(file, plot::draw_heat_maps(title, counts.grid().rows, counts.grid().cols, maps));
}

}  // namespace ow::cli
