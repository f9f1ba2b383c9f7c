// SPDX-License-Identifier: Apache-2.0
// `ow bench fabric`: the router and the control plane, and reductions on a grid.
#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/bench/benches.h"
#include "ow/isa/isa.h"
#include "ow/measure/fabric/measure.h"
#include "ow/measure/grid_costs.h"
#include "ow/runtime/elf.h"

namespace ow::bench {
namespace {

void reductions(Rows* rows, const FabricBench& bench) {
  // A longer and a shorter run, by what they reduce.
  const auto both = [&](const std::string& name, const char* of, const auto& counts,
                        const auto& cycles) {
    for (const size_t k : {size_t{0}, size_t{1}}) {
      rows->cycles("W13", fmt::format("{}, {} {}", name, counts[k], of), cycles[k]);
    }
  };
  const jobs::ReduceCost cost =
      jobs::measure_reduction(read_elf(bench.stream_firmware, isa::kFull.sram_bytes), SimOptions{});
  both("drain of a layer", "outputs", cost.outputs, cost.cycles);
  rows->add("W13.drain", cost.wavelets_per_cycle(),
            {{"rows", cost.rows},
             {"elements_per_cycle", cost.elements_per_cycle()},
             {"samples", cost.samples},
             {"outputs", {cost.outputs[0], cost.outputs[1]}},
             {"wavelets", {cost.wavelets[0], cost.wavelets[1]}},
             {"cycles", {cost.cycles[0], cost.cycles[1]}}});
  const ElfImage kernel = read_elf(bench.sum_firmware, isa::kFull.sram_bytes);
  const auto sum = [&](const char* name, jobs::ColumnType type) {
    const jobs::ColumnSumCost c = jobs::measure_column_sum(kernel, type, SimOptions{});
    if (c.wrong != 0) throw DeviceFault("column sum: elements differ from golden");
    both(name, "wavelets", c.wavelets, c.cycles);
    return c;
  };
  const auto raw = [](const jobs::ColumnSumCost& c) {
    return nlohmann::json{{"rows", c.rows},
                          {"wavelets", {c.wavelets[0], c.wavelets[1]}},
                          {"cycles", {c.cycles[0], c.cycles[1]}}};
  };
  const jobs::ColumnSumCost f32 = sum("column sum f32", jobs::ColumnType::F32);
  rows->add("W13.reduce", f32.wavelets_per_cycle(), raw(f32));
  // The slower one of the two formats.
  const jobs::ColumnSumCost f16 = sum("column sum f16", jobs::ColumnType::F16);
  const jobs::ColumnSumCost bf16 = sum("column sum bf16", jobs::ColumnType::Bf16);
  rows->add("W13.reduce16", std::min(f16.wavelets_per_cycle(), bf16.wavelets_per_cycle()),
            {{"f16", raw(f16)}, {"bf16", raw(bf16)}});
}

void dot_rows(Rows* rows, const FabricBench& bench) {
  const ElfImage kernel = read_elf(bench.dot_firmware, isa::kFull.sram_bytes);
  double least = 1;
  nlohmann::json raw;
  for (const int cols : {1, 4}) {
    const jobs::DotRowsCost c = jobs::measure_dot_rows(kernel, cols, SimOptions{});
    if (c.wrong != 0) throw DeviceFault("rows of dotw: results differ from golden");
    rows->cycles("H11", fmt::format("rows of dotw, tiles {}", cols), c.cycles);
    least = std::min(least, c.beats_per_cycle());
    raw.push_back(
        {{"tiles", cols}, {"results", c.results}, {"beats", c.beats}, {"cycles", c.cycles}});
  }
  rows->add("H11", 100 * least, {{"runs", raw}});
}

}  // namespace

void measure_fabric(Rows* rows, const FabricBench& bench) {
  const uint64_t seed = rows->options().seed;
  const auto measure = [&](const std::string& name, const auto& function) {
    if (!rows->wants(name)) return;
    for (const fabric::Figure& f : function(rows->progress(name))) {
      nlohmann::json raw = nlohmann::json::object();
      for (const auto& [key, value] : f.raw) raw[key] = value;
      rows->add(f.row, f.value, raw);
    }
  };
  measure("W10", [](const fabric::Progress& p) { return fabric::measure_shares(8, p); });
  measure("W11",
          [&](const fabric::Progress& p) { return fabric::measure_colours(seed, 8, 1000, p); });
  measure("W12",
          [&](const fabric::Progress& p) { return fabric::measure_requests(seed, 6000, p); });
  measure("W13", [](const fabric::Progress& p) { return fabric::measure_broadcast(2000, p); });
  if (rows->wants("W13")) reductions(rows, bench);
  if (rows->wants("H11")) dot_rows(rows, bench);
}

}  // namespace ow::bench
