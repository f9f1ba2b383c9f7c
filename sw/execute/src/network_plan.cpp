// SPDX-License-Identifier: Apache-2.0
#include "network_plan.h"

#include <tuple>

#include "ow/base/error.h"
#include "ow/compile/estimate.h"

namespace ow::jobs {
namespace {

std::string who(const RunParams& params) { return params.path + ": keys 'network' and 'grid'"; }
std::string who_large(const RunParams& params) {
  return params.path + ": keys 'large_layer' and 'grid'";
}

// The large layer fills the grid as the network does.
TrainingJob large_shape(const RunParams& params, const Plan& plan) {
  TrainingJob job = forward_job();
  job.layers = {{params.large->inputs, params.large->outputs, kShortActivation, true}};
  job.grid_rows = params.grid.rows;
  job.grid_cols = params.grid.cols;
  job.samples = plan.samples;
  return job;
}

bool same(const TileConfig& a, const TileConfig& b) {
  const auto all = [](const TileConfig& t) {
    return std::tie(t.lanes, t.threads, t.colours, t.sram_bytes, t.features, t.operations);
  };
  return all(a) == all(b);
}

Plans make_plans(const RunParams& params, const Checked& checked, const TileConfig& tile) {
  Plans plans;
  plans.network = make_forward_plan(who(params), checked.job, checked.samples.samples(),
                                    checked.firmware, tile);
  if (params.large) {
    plans.large = make_forward_plan(who_large(params), large_shape(params, plans.network), 0,
                                    checked.firmware, tile);
  }
  return plans;
}

}  // namespace

void take_plans(const RunParams& params, const RunOptions& options, Checked* checked) {
  PlanFile& file = checked->plan_file;
  file = PlanFile(options.plan, plan_inputs(params, checked->job, checked->samples.samples(),
                                            checked->firmware, options.tile));
  if (!file.usable()) {
    checked->plans = make_plans(params, *checked, options.tile);
    return;
  }
  Plans& plans = checked->plans;
  plans.network =
      read_plan(who(params), file, "plan", checked->job, checked->firmware, options.tile);
  if (params.large) {
    plans.large = read_plan(who_large(params), file, "large_layer",
                            large_shape(params, plans.network), checked->firmware, options.tile);
  }
}

void keep_plan(const RunParams& params, const RunOptions& options, const Checked& checked,
               RunReport* report) {
  PlanFile file = checked.plan_file;
  if (file.path().empty()) return;
  if (!file.usable()) file.keep(plan_document(params, checked));
  report->plan = file.report();
  if (options.on_plan) options.on_plan(file);
}

Plans plans_for(const RunParams& params, const Checked& checked, const TileConfig& tile) {
  if (same(tile, checked.plans.network.tile)) return checked.plans;
  if (!checked.plan_file.path().empty()) {
    throw BadInput(checked.plan_file.path() + ": is of other tiles than the device has");
  }
  return make_plans(params, checked, tile);
}

// Pruned weights are known if the weights come from a file.
nlohmann::json plan_document(const RunParams& params, const Checked& checked) {
  const Plan& plan = checked.plans.network;
  const EstimateShape shape = shape_of(plan, checked.job);
  std::vector<LayerWeights> weights;
  if (checked.job.first) {
    weights = weights_of(checked.job, false);
  } else {
    for (size_t k = 0; k < params.layers.size(); ++k) {
      weights.push_back(drawn_weights(params.layers[k], params.grid.rows, 1, k + 1));
    }
  }
  const TimeModel time = time_of(params.time, shape, weights);
  nlohmann::json document = plan_document(plan_json(plan), memory_json(plan, checked.firmware),
                                          checked.firmware, estimate_job(shape, weights, time));
  if (checked.plans.large) document["large_layer"] = plan_json(*checked.plans.large);
  return document;
}

}  // namespace ow::jobs
