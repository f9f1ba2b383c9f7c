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
      rows->cycles(fmt::format("{}, {} {}", name, counts[k], of), cycles[k]);
    }
  };
  const jobs::ReduceCost cost =
      jobs::measure_reduction(read_elf(bench.stream_firmware, isa::kFull.sram_bytes), SimOptions{});
  both("drain of a layer", "outputs", cost.outputs, cost.cycles);
  rows->add("fabric.layer_drain", cost.wavelets_per_cycle(),
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
  rows->add("fabric.reduce_f32", f32.wavelets_per_cycle(), raw(f32));
  // The slower one of the two formats.
  const jobs::ColumnSumCost f16 = sum("column sum f16", jobs::ColumnType::F16);
  const jobs::ColumnSumCost bf16 = sum("column sum bf16", jobs::ColumnType::Bf16);
  rows->add("fabric.reduce_f16", std::min(f16.wavelets_per_cycle(), bf16.wavelets_per_cycle()),
            {{"f16", raw(f16)}, {"bf16", raw(bf16)}});
}

void dot_rows(Rows* rows, const FabricBench& bench) {
  const ElfImage kernel = read_elf(bench.dot_firmware, isa::kFull.sram_bytes);
  double least = 1;
  nlohmann::json raw;
  for (const int cols : {1, 4}) {
    const jobs::DotRowsCost c = jobs::measure_dot_rows(kernel, cols, SimOptions{});
    if (c.wrong != 0) throw DeviceFault("rows of dotw: results differ from golden");
    rows->cycles(fmt::format("rows of dotw, tiles {}", cols), c.cycles);
    least = std::min(least, c.beats_per_cycle());
    raw.push_back(
        {{"tiles", cols}, {"results", c.results}, {"beats", c.beats}, {"cycles", c.cycles}});
  }
  rows->add("fabric.dot_rows", 100 * least, {{"runs", raw}});
}

void hops(Rows* rows) {
  const jobs::HopCost cost = jobs::measure_hops(SimOptions{});
  const nlohmann::json raw = {{"tiles", {cost.hops[0], cost.hops[1]}},
                              {"latency", {cost.latency[0], cost.latency[1]}},
                              {"wavelets", cost.wavelets},
                              {"stream_cycles", cost.stream_cycles}};
  rows->add("fabric.hop_cycles", cost.cycles_per_hop(), raw);
  rows->add("fabric.hop_rate", cost.wavelets_per_cycle(), raw);
}

void load(Rows* rows) {
  const jobs::LoadCost cost = jobs::measure_load(4096, SimOptions{});
  rows->cycles(fmt::format("load of {} words, one tile", cost.words), cost.cycles_one);
  rows->cycles(fmt::format("load of {} words, 16 tiles", cost.words), cost.cycles_all);
  rows->add("fabric.load_cycles", std::max(cost.one(), cost.all()),
            {{"words", cost.words},
             {"cycles_one_tile", cost.cycles_one},
             {"cycles_16_tiles", cost.cycles_all},
             {"distance", cost.distance},
             {"one_tile", cost.one()},
             {"all_tiles", cost.all()}});
}

}  // namespace

void measure_fabric(Rows* rows, const FabricBench& bench) {
  const uint64_t seed = rows->options().seed;
  const auto measure = [&](const std::vector<std::string>& names, const auto& function) {
    if (!rows->wants_any(names)) return;
    for (const fabric::Figure& f : function(rows->progress(names.front()))) {
      nlohmann::json raw = nlohmann::json::object();
      for (const auto& [key, value] : f.raw) raw[key] = value;
      rows->add(f.row, f.value, raw);
    }
  };
  if (rows->wants_any({"fabric.hop_cycles", "fabric.hop_rate"})) hops(rows);
  if (rows->wants("fabric.load_cycles")) load(rows);
  measure({"fabric.fair_share_error", "fabric.control_share", "fabric.link_use"},
          [](const fabric::Progress& p) { return fabric::measure_shares(8, p); });
  measure({"fabric.permutations"},
          [&](const fabric::Progress& p) { return fabric::measure_colours(seed, 8, 1000, p); });
  measure({"fabric.request_latency", "fabric.request_load"},
          [&](const fabric::Progress& p) { return fabric::measure_requests(seed, 6000, p); });
  measure({"fabric.broadcast_rate"},
          [](const fabric::Progress& p) { return fabric::measure_broadcast(2000, p); });
  if (rows->wants_any({"fabric.reduce_f32", "fabric.reduce_f16", "fabric.layer_drain"})) {
    reductions(rows, bench);
  }
  if (rows->wants("fabric.dot_rows")) dot_rows(rows, bench);
}

}  // namespace ow::bench
