// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ow/base/file.h"
#include "ow/base/hash.h"
#include "ow/memoryx/update_time.h"

namespace ow::jobs {
namespace {

using nlohmann::json;

// Whether it has a name of its own: "layers.<k>" is only its place.
bool has_name(const LayerShape& layer, size_t k) {
  return layer_name(layer, k) != layer_name(LayerShape{}, k);
}

json layers_json(const std::vector<LayerShape>& layers) {
  json all = json::array();
  for (size_t k = 0; k < layers.size(); ++k) {
    const LayerShape& layer = layers[k];
    json one = {{"inputs", layer.inputs},
                {"outputs", layer.outputs},
                {"activation", layer.activation},
                {"bias", layer.bias}};
    // Only then, so that plans of layers without a name do not change.
    if (has_name(layer, k)) one["name"] = layer.name;
    all.push_back(one);
  }
  return all;
}

json tile_json(const TileConfig& tile) {
  return {{"lanes", tile.lanes},       {"threads", tile.threads},
          {"colours", tile.colours},   {"sram_bytes", tile.sram_bytes},
          {"features", tile.features}, {"operations", tile.operations}};
}

json time_json(const TimeOptions& time) {
  using Preset = TimeOptions::Preset;
  const auto number = [](const std::optional<uint64_t>& n) { return n ? json(*n) : json(); };
  const auto part = [&](const TimeOptions::FlowOptions& p) {
    return json::array({number(p.rate), number(p.latency)});
  };
  const auto parts = [&](const std::vector<TimeOptions::FlowOptions>& of) {
    json all = json::array();
    for (const TimeOptions::FlowOptions& p : of) all.push_back(part(p));
    return all;
  };
  return {{"preset", time.preset == Preset::Ideal      ? "ideal"
                     : time.preset == Preset::Balanced ? "balanced"
                                                       : "wse"},
          {"edge", part(time.edge)},
          {"exit", part(time.exit)},
          {"depths", json::array({number(time.edge_depth), number(time.exit_depth)})},
          {"store", part(time.store)},
          {"samples", part(time.samples)},
          {"optimizer", part(time.optimizer)},
          {"broadcast", part(time.broadcast)},
          {"reduce", part(time.reduce)},
          {"broadcast_stages", parts(time.broadcast_stages)},
          {"reduce_stages", parts(time.reduce_stages)}};
}

json orders_json(const std::vector<SumOrder>& orders) {
  json all = json::array();
  for (const SumOrder order : orders) all.push_back(order == SumOrder::Whole ? "whole" : "column");
  return all;
}

// The weights of a job as far as streams depend on them: which ones are zero.
json pruned_json(const TrainingJob& job) {
  if (!job.first) return "not known";
  json all = json::array();
  for (const Parameter& p : graph_of(job).parameters) {
    if (p.form != Parameter::Form::Matrix) continue;
    std::vector<uint8_t> kept;
    for (const float w : job.first->values.at(p.name)) {
      kept.push_back(half_is_zero(to_half(job.type, static_cast<double>(w))) ? 0 : 1);
    }
    Hash hash;
    hash.add(kept);
    all.push_back(fmt::format("{} kept, places of hash {}", std::count(kept.begin(), kept.end(), 1),
                              hash.text()));
  }
  return all;
}

// What any plan depends on.
json inputs_of(const char* kind, const TrainingJob& job, const TimeOptions& time,
               const ElfImage& firmware, const TileConfig& tile) {
  json inputs = {{"kind", kind},
                 {"layers", layers_json(job.layers)},
                 {"type", half_name(job.type)},
                 {"grid", {job.grid_rows, job.grid_cols}},
                 {"samples_per_tile", job.samples},
                 {"time", time_json(time)},
                 {"tile", tile_json(tile)},
                 {"program", hash_of(read_text(firmware.path))}};
  if (!job.graph.empty() && !is_chain_of(job.graph, job.layers, job.loss)) {
    for (const Op& op : job.graph.ops) inputs["graph"].push_back(op_text(op));
  }
  return inputs;
}

}  // namespace

json plan_inputs(const TrainParams& params, const TrainingJob& job, const TrainingJob& chosen,
                 const ElfImage& firmware, const TileConfig& tile) {
  json kept = json::array();
  bool drawn = false;
  for (size_t k = 0; k < job.layers.size(); ++k) {
    const double first = density_at(job, k, 0);
    drawn = drawn || first < 1;
    kept.push_back(json::array({first, kept_at_last(job, k)}));
  }
  const bool by_rule = job.forward == chosen.forward && job.delta == chosen.delta;
  json inputs = inputs_of("training", job, params.base.time, firmware, tile);
  inputs.update(
      {{"loss", job.loss},
       {"micro_batches", job.micro_batches},
       {"wafers", params.wafers},
       {"weights_kept", kept},
       {"updates_wait", memoryx::updates_wait(job)},
       {"sums", by_rule ? json("by the rule")
                        : json::array({orders_json(job.forward), orders_json(job.delta)})}});
  // The plan depends on the seed if the weights are drawn.
  if (drawn) inputs["seed"] = job.seed;
  return inputs;
}

json plan_inputs(const RunParams& params, const TrainingJob& job, size_t samples,
                 const ElfImage& firmware, const TileConfig& tile) {
  json inputs = inputs_of("inference", job, params.time, firmware, tile);
  inputs["weights"] = pruned_json(job);
  if (job.samples == 0) {
    inputs["samples_per_tile"] =
        fmt::format("at most {}", most_samples(samples, params.grid, tile));
  }
  if (params.large) {
    inputs["large_layer"] = json::array({params.large->inputs, params.large->outputs});
  }
  return inputs;
}

json plan_json(const Plan& plan) {
  if (plan.loss.empty()) {
    return {{"samples_per_tile", plan.samples},
            {"forward", orders_json(plan.forward)},
            {"used_bytes", plan.used_bytes}};
  }
  return {{"forward", orders_json(plan.forward)},
          {"delta", orders_json(plan.delta)},
          {"gathered_features", plan.choices.piece},
          {"window_features", plan.window},
          {"recompute", recompute_name(plan.choices.recompute)},
          {"outputs_leave", plan.choices.outputs_leave},
          {"list_in_turns", plan.choices.in_turns},
          {"used_bytes", plan.used_bytes}};
}

json plan_document(const json& plan, const json& memory, const ElfImage& firmware,
                   const Estimate& estimate) {
  json phases = json::array();
  for (const PhaseEstimate& p : estimate.phases) {
    json phase = {{"name", p.name}, {"cycles", p.cycles}};
    if (p.layer >= 0) phase["layer"] = p.layer;
    if (p.wavelets > 0) phase.update({{"wavelets", p.wavelets}, {"bound", p.bound()}});
    phases.push_back(phase);
  }
  return {{"plan", plan},
          {"memory", memory},
          {"firmware", firmware.path},
          {"phases", phases},
          {"cycles", estimate.cycles}};
}

json memory_json(const Plan& plan, const ElfImage& firmware) {
  json blocks = json::array();
  blocks.push_back({{"name", "program"}, {"address", 0}, {"bytes", firmware.symbol("ow_heap")}});
  std::vector<Plan::Block> sorted = plan.blocks;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.addr < b.addr; });
  for (const Plan::Block& b : sorted) {
    blocks.push_back({{"name", b.name}, {"address", b.addr}, {"bytes", b.bytes}});
  }
  const uint32_t stack = firmware.symbol("ow_heap_end");
  blocks.push_back(
      {{"name", "stack"}, {"address", stack}, {"bytes", firmware.symbol("ow_stack_top") - stack}});
  return blocks;
}

}  // namespace ow::jobs
