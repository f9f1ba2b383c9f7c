// SPDX-License-Identifier: Apache-2.0
// `ow bench fabric`: the router and the control plane.
#include "ow/fabric/measure.h"

#include <algorithm>
#include <memory>

#include "bench.h"
#include "ow/elf.h"
#include "ow/error.h"

namespace ow::cli {
namespace {

int run_fabric(Context& context, const BenchOptions& options, double gates) {
  BenchRows rows("fabric", options, context);
  const auto measure = [&](const std::string& name, const auto& function) {
    if (!rows.wants(name)) return;
    std::vector<fabric::Figure> figures;
    {
      Progress bar(name, 1000);
      figures = function([&](double done) { bar.update(static_cast<uint64_t>(done * 1000)); });
    }
    for (const fabric::Figure& f : figures) {
      nlohmann::json raw = nlohmann::json::object();
      for (const auto& [key, value] : f.raw) raw[key] = value;
      rows.add(f.row, f.value, raw);
    }
  };
  measure("W10", [](const fabric::Progress& p) { return fabric::measure_shares(8, p); });
  measure("W11", [&](const fabric::Progress& p) {
    return fabric::measure_colours(options.seed, 8, 1000, p);
  });
  measure("W12", [&](const fabric::Progress& p) {
    return fabric::measure_requests(options.seed, 6000, p);
  });
  measure("W13", [](const fabric::Progress& p) { return fabric::measure_broadcast(2000, p); });
  if (rows.wants("W13")) {
    const jobs::ReduceCost cost =
        jobs::measure_reduction(read_elf(OW_FIRMWARE_DIR "/stream_layer.elf", 49152), SimOptions{});
    rows.add("W13.drain", cost.wavelets_per_cycle(),
             {{"rows", cost.rows},
              {"elements_per_cycle", cost.elements_per_cycle()},
              {"samples", cost.samples},
              {"outputs", {cost.outputs[0], cost.outputs[1]}},
              {"cycles", {cost.cycles[0], cost.cycles[1]}}});
    const ElfImage kernel = read_elf(OW_FIRMWARE_DIR "/column_sum.elf", 49152);
    const auto sum = [&](jobs::ColumnType type) {
      const jobs::ColumnSumCost c = jobs::measure_column_sum(kernel, type, SimOptions{});
      if (c.wrong != 0) throw DeviceFault("column sum: elements differ from golden");
      return c;
    };
    const auto raw = [](const jobs::ColumnSumCost& c) {
      return nlohmann::json{{"rows", c.rows},
                            {"wavelets", {c.wavelets[0], c.wavelets[1]}},
                            {"cycles", {c.cycles[0], c.cycles[1]}}};
    };
    const jobs::ColumnSumCost f32 = sum(jobs::ColumnType::F32);
    rows.add("W13.reduce", f32.wavelets_per_cycle(), raw(f32));
    // The slower one of the two formats.
    const jobs::ColumnSumCost f16 = sum(jobs::ColumnType::F16);
    const jobs::ColumnSumCost bf16 = sum(jobs::ColumnType::Bf16);
    rows.add("W13.reduce16", std::min(f16.wavelets_per_cycle(), bf16.wavelets_per_cycle()),
             {{"f16", raw(f16)}, {"bf16", raw(bf16)}});
  }
  if (gates >= 0 && rows.wants("W14")) rows.add("W14", gates, {{"gate_equivalents", gates}});
  return rows.finish();
}

}  // namespace

void add_bench_fabric(CLI::App& sub, Benches& benches) {
  auto gates = std::make_shared<double>(-1);
  benches["fabric"] = [gates](Context& context, const BenchOptions& options) {
    return run_fabric(context, options, *gates);
  };
  sub.add_option("--gates", *gates,
                 "fabric: gate equivalents of the router, measured outside (W14)")
      ->check(real_number(0, 1e9));
}

}  // namespace ow::cli
