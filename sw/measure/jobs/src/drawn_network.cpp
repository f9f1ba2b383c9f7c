// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/drawn_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/execute/network_run.h"
#include "ow/golden/train.h"
#include "ow/open/mini.h"
#include "ow/sim/sim.h"

namespace ow::bench {

DrawnNetwork draw_network(uint64_t seed) {
  Rng rng(seed);
  const auto from = [&rng](int low, int high) {
    return low + static_cast<int>(rng.below(static_cast<uint64_t>(high - low + 1)));
  };
  DrawnNetwork d;
  d.seed = seed;
  d.grid = {from(1, 5), from(1, 3)};
  d.type = from(0, 1) == 0 ? HalfType::Binary16 : HalfType::Bfloat16;
  const int depth = from(1, 6);
  int inputs = from(1, 700);
  for (int k = 0; k < depth; ++k) {
    LayerShape layer;
    layer.inputs = inputs;
    layer.outputs = from(1, 700);
    layer.activation = from(0, 3) == 0 ? "none" : "relu";
    layer.bias = from(0, 3) != 0;
    d.layers.push_back(layer);
    inputs = layer.outputs;
  }
  d.count = from(1, 300);
  d.density = rng.uniform();
  return d;
}

std::string DrawnNetwork::text() const {
  return fmt::format("seed {}: {} of {} at {:.0f} %, {} samples, {} x {} tiles", seed,
                     sizes_text(layers), half_name(type), 100 * density, count, grid.rows,
                     grid.cols);
}

double DrawnNetwork::work() const {
  double weights = 0;
  for (const LayerShape& layer : layers) {
    weights += static_cast<double>(layer.inputs) * layer.outputs * density + layer.outputs;
  }
  return weights * count;
}

NetworkOutcome run_drawn(const DrawnNetwork& drawn, bool mini, const std::string& firmware_dir) {
  const TileConfig tile = mini ? jobs::kMiniTile : jobs::kFullTile;
  const ElfImage firmware =
      read_elf(firmware_dir + (mini ? "/forward_mini.elf" : "/forward.elf"), tile.sram_bytes);
  NetworkOutcome out;
  const Network network =
      random_network(drawn.seed + 1000, drawn.type, drawn.layers, drawn.density);
  const TrainingJob work = forward_job(network, drawn.grid.rows, drawn.grid.cols);
  jobs::Plan plan;
  try {
    plan = jobs::make_forward_plan(drawn.text(), work, static_cast<size_t>(drawn.count), firmware,
                                   tile);
  } catch (const BadInput& refused) {
    out.refusal = refused.what();
    return out;
  }
  const Runtime machine = make_runtime(mini ? make_mini_grid(drawn.grid)
                                            : make_device(DeviceKind::Replicated, drawn.grid));
  const Activations x = random_activations(drawn.seed + 2000, drawn.type,
                                           drawn.layers.front().inputs, drawn.count, -1, 1);
  jobs::Comparison comparison(machine, firmware, plan, work, "network", golden::run_forward, false);
  for (int first = 0; first < drawn.count; first += plan.batch()) {
    comparison.run(x.slice(first, std::min(plan.batch(), drawn.count - first)));
  }
  for (const jobs::Workload& w : comparison.workloads()) {
    out.compared += w.sparse.compared;
    out.different += w.sparse.different;
    if (out.first_difference.empty()) out.first_difference = w.sparse.first_difference;
  }
  out.cycles = comparison.workloads().back().sparse.cycles;
  return out;
}

}  // namespace ow::bench
