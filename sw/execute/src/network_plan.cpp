// SPDX-License-Identifier: Apache-2.0
#include "network_plan.h"

#include <algorithm>
#include <tuple>

#include "ow/base/error.h"
#include "ow/compile/estimate.h"

namespace ow::jobs {
namespace {

PlanRequest network_request(const RunParams& params, size_t samples) {
  PlanRequest r;
  r.who = params.path + ": keys 'network' and 'grid'";
  r.grid = params.grid;
  r.samples = params.samples;
  r.count = static_cast<int>(std::min<size_t>(samples, 1u << 30));
  r.type = params.type;
  r.layers = params.layers;
  return r;
}

// The large layer fills the grid as the network does.
PlanRequest large_request(const RunParams& params, const StreamPlan& plan) {
  PlanRequest r;
  r.who = params.path + ": keys 'large_layer' and 'grid'";
  r.grid = params.grid;
  r.samples = plan.capacity;
  r.layers = {{params.large->inputs, params.large->outputs, kShortActivation, true}};
  return r;
}

bool same(const TileConfig& a, const TileConfig& b) {
  const auto all = [](const TileConfig& t) {
    return std::tie(t.lanes, t.threads, t.colours, t.sram_bytes, t.features, t.operations);
  };
  return all(a) == all(b);
}

Plans make_plans(const RunParams& params, size_t samples, const ElfImage& firmware,
                 const TileConfig& tile) {
  Plans plans;
  plans.network = make_plan(network_request(params, samples), firmware, tile);
  if (params.large) {
    plans.large = make_plan(large_request(params, plans.network), firmware, tile);
  }
  return plans;
}

}  // namespace

void take_plans(const RunParams& params, const RunOptions& options, Checked* checked) {
  const size_t samples = checked->samples.samples();
  const Network* network = checked->network ? &*checked->network : nullptr;
  PlanFile& file = checked->plan_file;
  file = PlanFile(options.plan,
                  plan_inputs(params, network, samples, checked->firmware, options.tile));
  Plans plans;
  if (file.usable()) {
    plans.network =
        read_stream_plan(file, "plan", begin_plan(network_request(params, samples), options.tile));
    if (params.large) {
      plans.large = read_stream_plan(
          file, "large_layer", begin_plan(large_request(params, plans.network), options.tile));
    }
  } else {
    plans = make_plans(params, samples, checked->firmware, options.tile);
  }
  checked->plan = plans.network;
  checked->large_plan = plans.large;
}

void keep_plan(const RunParams& params, const RunOptions& options, const Checked& checked,
               RunReport* report) {
  PlanFile file = checked.plan_file;
  if (file.path().empty()) return;
  if (!file.usable()) file.keep(plan_document(params, checked));
  report->plan = file.report();
  if (options.on_plan) options.on_plan(file);
}

Plans plans_for(const RunParams& params, size_t samples, const Checked& checked,
                const TileConfig& tile) {
  if (same(tile, checked.plan.tile)) return {checked.plan, checked.large_plan};
  if (!checked.plan_file.path().empty()) {
    throw BadInput(checked.plan_file.path() + ": is of other tiles than the device has");
  }
  return make_plans(params, samples, checked.firmware, tile);
}

// Pruned weights are known if the weights come from a file.
nlohmann::json plan_document(const RunParams& params, const Checked& checked) {
  const EstimateShape shape = shape_of(checked.plan);
  std::vector<LayerWeights> weights;
  for (size_t k = 0; k < params.layers.size(); ++k) {
    weights.push_back(checked.network
                          ? weights_of(checked.network->layers[k], params.grid.rows, false)
                          : drawn_weights(params.layers[k], params.grid.rows, 1, k + 1));
  }
  const TimeModel time = time_of(params.time, shape, weights);
  nlohmann::json document =
      plan_document(plan_json(checked.plan), memory_json(checked.plan, checked.firmware),
                    checked.firmware, estimate_job(shape, weights, time));
  if (checked.large_plan) document["large_layer"] = plan_json(*checked.large_plan);
  return document;
}

}  // namespace ow::jobs
