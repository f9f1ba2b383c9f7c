// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/plan_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kept_orders.h"
#include "ow/base/file.h"

namespace ow::jobs {
namespace {

using nlohmann::json;

const char* name_of(SumOrder order) { return order == SumOrder::Whole ? "whole" : "column"; }

const char* name_of(HalfType type) { return type == HalfType::Binary16 ? "binary16" : "bfloat16"; }

// Of a text: CRC-32, eight digits.
std::string hash_of(const std::string& text) {
  const uLong sum = crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(text.data()),
                          static_cast<uInt>(text.size()));
  return fmt::format("{:08x}", sum);
}

// Not by its place: "layers.<k>" says no more.
bool has_name(const LayerShape& layer, size_t k) {
  return layer_name(layer, k) != layer_name(LayerShape{}, k);
}

// For people.
std::string called(const LayerShape& layer, size_t k) {
  return has_name(layer, k) ? fmt::format("'{}'", layer.name) : fmt::format("layer {}", k);
}

json layers_json(const std::vector<LayerShape>& layers) {
  json all = json::array();
  for (size_t k = 0; k < layers.size(); ++k) {
    const LayerShape& layer = layers[k];
    json one = {{"inputs", layer.inputs},
                {"outputs", layer.outputs},
                {"activation", layer.activation},
                {"bias", layer.bias}};
    // Plans of layers without a name stay as they have been.
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

json colours_json(const Colours& c) {
  return {{"weights", c.weights},
          {"down", {c.down[0], c.down[1]}},
          {"back", c.back},
          {"result", {c.result[0], c.result[1]}},
          {"count", c.count}};
}

json phases_json(const Estimate& estimate) {
  json phases = json::array();
  for (const PhaseEstimate& p : estimate.phases) {
    json phase = {{"name", p.name}, {"cycles", p.cycles}};
    if (p.layer >= 0) phase["layer"] = p.layer;
    if (p.wavelets > 0) {
      phase.update({{"wavelets", p.wavelets}, {"bound", p.bound()}});
    }
    phases.push_back(phase);
  }
  return phases;
}

// What lies in a tile, by address; each ends where the next one begins. What begins at the same
// address lies in the same place: one entry with all names.
class Memory {
 public:
  Memory(const ElfImage& firmware) : end_(firmware.symbol("ow_stack_top")) {
    add("program and its data", 0);
    add("stack", firmware.symbol("ow_heap_end"));
  }
  // Of `used` bytes, the stack's among them, the others lie below.
  void free_behind(uint32_t used) {
    const uint32_t stack = places_[1].first;
    const uint32_t at = used - (end_ - stack);
    if (at < stack) add("free", at);
  }
  void add(const std::string& name, uint32_t address) { places_.emplace_back(address, name); }
  json take() {
    std::stable_sort(places_.begin(), places_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    json all = json::array();
    std::string name;
    for (size_t k = 0; k < places_.size(); ++k) {
      const uint32_t next = k + 1 < places_.size() ? places_[k + 1].first : end_;
      name += (name.empty() ? "" : ", ") + places_[k].second;
      if (next == places_[k].first) continue;
      all.push_back(
          {{"name", name}, {"address", places_[k].first}, {"bytes", next - places_[k].first}});
      name.clear();
    }
    return all;
  }

 private:
  uint32_t end_;
  std::vector<std::pair<uint32_t, std::string>> places_;
};

json firmware_json(const ElfImage& firmware) {
  return {{"file", firmware.path}, {"hash", hash_of(read_text(firmware.path))}};
}

json memory_of(const TrainPlan& plan, const ElfImage& firmware) {
  Memory memory(firmware);
  for (size_t k = 0; k < plan.bias_addr.size(); ++k) {
    if (plan.layers[k].bias) memory.add(bias_name(plan.layers[k], k), plan.bias_addr[k]);
  }
  memory.add("targets", plan.targets_addr);
  for (size_t k = 0; k < plan.tensors.size(); ++k) {
    memory.add(k == 0 ? "input" : "outputs of " + called(plan.layers[k - 1], k - 1),
               plan.tensors[k].addr);
  }
  const TensorPlan& last = plan.tensors.back();
  memory.add("deltas of " + called(plan.layers.back(), plan.layers.size() - 1), last.delta_addr);
  if (plan.tensors.size() > 2 && plan.window > 0) {
    memory.add("window of the other deltas", plan.tensors[plan.tensors.size() - 2].delta_addr);
  }
  memory.add("work area", plan.work_addr);
  if (plan.grid.rows > 1) memory.add("gathered from the column", plan.gather_addr);
  memory.free_behind(plan.used_bytes);
  return memory.take();
}

json memory_of(const StreamPlan& plan, const ElfImage& firmware) {
  Memory memory(firmware);
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerPlan& layer = plan.layers[k];
    if (layer.shape.bias) memory.add(bias_name(layer.shape, k), layer.bias_addr);
    if (plan.in_turn) continue;
    if (k == 0) memory.add("input", layer.x_addr);
    memory.add("outputs of " + called(layer.shape, k), layer.y_addr);
  }
  if (plan.in_turn) {
    memory.add("activations, in turn from both ends", plan.layers.front().x_addr);
  } else {
    memory.free_behind(plan.used_bytes);
  }
  return memory.take();
}

}  // namespace

json plan_inputs(const TrainingJob& job, const TileConfig& tile) {
  json densities = json::array();
  for (size_t k = 0; k < job.layers.size(); ++k) densities.push_back(kept_at_last(job, k));
  return {{"layers", layers_json(job.layers)},
          {"type", name_of(job.type)},
          {"loss", job.loss},
          {"grid", {job.grid_rows, job.grid_cols}},
          {"samples_per_tile", job.samples},
          {"weights_kept_at_last", densities},
          {"tile", {{"lanes", tile.lanes}, {"sram_bytes", tile.sram_bytes}}}};
}

json plan_document(const TrainingJob& job, const TrainPlan& plan, const ElfImage& firmware,
                   const Estimate& estimate) {
  json forward = json::array(), delta = json::array();
  for (const SumOrder order : plan.forward) forward.push_back(name_of(order));
  for (const SumOrder order : plan.delta) delta.push_back(name_of(order));
  const json inputs = plan_inputs(job, plan.tile);
  return {{"format", kPlanFormat},
          {"kind", "training"},
          {"inputs", inputs},
          {"hash", hash_of(inputs.dump())},
          {"decisions", {{"forward", forward}, {"delta", delta}}},
          {"colours", colours_json(plan.colours)},
          {"firmware", firmware_json(firmware)},
          {"memory", memory_of(plan, firmware)},
          {"used_bytes", plan.used_bytes},
          {"window_features", plan.window},
          {"gathered_features", plan.gather_rows},
          {"phases", phases_json(estimate)},
          {"cycles", estimate.cycles}};
}

json plan_document(const StreamPlan& plan, const ElfImage& firmware, const Estimate& estimate) {
  std::vector<LayerShape> layers;
  for (const LayerPlan& layer : plan.layers) layers.push_back(layer.shape);
  const json inputs = {{"layers", layers_json(layers)},
                       {"type", name_of(plan.type)},
                       {"grid", {plan.grid.rows, plan.grid.cols}},
                       {"tile", tile_json(plan.tile)}};
  return {{"format", kPlanFormat},
          {"kind", "inference"},
          {"inputs", inputs},
          {"hash", hash_of(inputs.dump())},
          {"decisions",
           {{"samples_per_tile", plan.capacity},
            {"activations", plan.in_turn ? "two places in turn" : "a place each"}}},
          {"colours", colours_json(plan.colours)},
          {"firmware", firmware_json(firmware)},
          {"memory", memory_of(plan, firmware)},
          {"used_bytes", plan.used_bytes},
          {"phases", phases_json(estimate)},
          {"cycles", estimate.cycles}};
}

void write_plan(const std::string& path, const json& document) {
  write_file(path, document.dump(2) + "\n");
}

TrainingJob with_kept_orders(const std::string& path, TrainingJob job, const TileConfig& tile) {
  const KeptOrders orders = read_orders(path, plan_inputs(job, tile), job.layers.size());
  job.forward = orders.forward;
  job.delta = orders.delta;
  return job;
}

}  // namespace ow::jobs
