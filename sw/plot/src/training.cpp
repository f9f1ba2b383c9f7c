// SPDX-License-Identifier: Apache-2.0
#include "ow/plot/training.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ow/base/error.h"
#include "ow/base/json_lines.h"

namespace ow::plot {
namespace {

using nlohmann::json;

constexpr double kMost = 1e100;  // limit of a value, so that differences and ratios are finite

// A key of the file that is plotted. Keys of an object inside are written object.key.
struct Key {
  const char* object;  // or null
  const char* name;
  double unit;  // factor of the value
};
constexpr Key kKeys[] = {
    {nullptr, "loss", 1},          {nullptr, "accuracy", 100},    {nullptr, "rate", 1},
    {nullptr, "loss_scale", 1},    {nullptr, "norm", 1},          {nullptr, "different", 1},
    {"held_out", "loss", 1},       {"held_out", "accuracy", 100}, {"cycles", "step", 1},
    {"cycles", "forward", 1},      {"cycles", "loss", 1},         {"cycles", "gradients", 1},
    {"cycles", "deltas", 1},       {"waits", "edge", 1},          {"waits", "store", 1},
    {"waits", "broadcast", 1},     {"waits", "samples", 1},       {"waits", "optimizer", 1},
    {"waits", "latency", 1},       {"waits", "exit", 1},          {"waits", "reduce", 1},
    {"stalls", "stall_input", 1},  {"stalls", "stall_output", 1}, {"stalls", "stall_row", 1},
    {"stalls", "stall_memory", 1}, {"stalls", "no_work", 1},      {"stalls", "reducer_wait", 1}};

std::string path_of(const Key& key) {
  return key.object != nullptr ? fmt::format("{}.{}", key.object, key.name) : key.name;
}

// A curve of a panel: its key and its name in the legend.
struct Drawn {
  const char* key;
  const char* name;
  bool marked;
  bool alone;  // not drawn beside other trainings, as there would be too many
};

struct PanelKind {
  const char* title;
  AxisKind axis;
  std::vector<Drawn> curves;
};

const std::vector<PanelKind>& kinds() {
  static const std::vector<PanelKind> all = {
      {"loss (mean of a sample)",
       AxisKind::Zero,
       {{"loss", "training", false, false}, {"held_out.loss", "held out", true, false}}},
      {"accuracy (%)",
       AxisKind::Percent,
       {{"accuracy", "training", false, false}, {"held_out.accuracy", "held out", true, false}}},
      {"density (% of the weights kept)",
       AxisKind::Percent,
       {{"density", "density", false, false}}},
      {"cycles a step, and of its parts on the slowest tile",
       AxisKind::Zero,
       {{"cycles.step", "step", false, false},
        {"cycles.forward", "forward", false, true},
        {"cycles.loss", "loss", false, true},
        {"cycles.gradients", "gradients", false, true},
        {"cycles.deltas", "deltas", false, true}}},
      {"cycles a step that the grid waited for what is outside, by cause",
       AxisKind::Zero,
       {{"waits", "all", false, false},
        {"waits.edge", "edge", false, true},
        {"waits.store", "store", false, true},
        {"waits.broadcast", "broadcast", false, true},
        {"waits.samples", "samples", false, true},
        {"waits.optimizer", "optimizer", false, true},
        {"waits.latency", "latency", false, true},
        {"waits.exit", "exit", false, true},
        {"waits.reduce", "reduce", false, true}}},
      {"stall cycles a step, sums over the tiles, by cause",
       AxisKind::Zero,
       {{"stalls.stall_input", "input queue", false, true},
        {"stalls.stall_output", "output queue", false, true},
        {"stalls.stall_row", "accumulator row", false, true},
        {"stalls.stall_memory", "memory", false, true},
        {"stalls.no_work", "no work", false, true},
        {"stalls.reducer_wait", "reducer waits", false, true}}},
      {"learning rate", AxisKind::Zero, {{"rate", "rate", false, false}}},
      {"loss scale", AxisKind::Powers, {{"loss_scale", "loss scale", false, false}}},
      {"norm of the gradients", AxisKind::Zero, {{"norm", "norm", false, false}}},
      {"weights that differ from golden's",
       AxisKind::Zero,
       {{"different", "weights", false, false}}}};
  return all;
}

// Reads a value; NaN for null. Returns false if there is none.
bool take(const json& object, const Key& key, const std::string& where, double* value) {
  const auto found = object.find(key.name);
  if (found == object.end()) return false;
  *value = NAN;
  if (found->is_null()) return true;
  if (found->is_number()) *value = found->get<double>() * key.unit;
  if (std::abs(*value) <= kMost) return true;
  throw BadInput(fmt::format("{}: key '{}' must be a number from {:g} to {:g}", where, path_of(key),
                             -kMost, kMost));
}

uint64_t step_of(const json& line, const std::string& where) {
  if (!line.is_object()) throw BadInput(where + ": must be a JSON object");
  const auto step = line.find("step");
  if (step == line.end()) throw BadInput(where + ": key 'step' is missing");
  if (!step->is_number_unsigned()) {
    throw BadInput(where + ": key 'step' must be a whole number from 0");
  }
  return step->get<uint64_t>();
}

// The values of a line, by key.
std::map<std::string, double> values_of(const json& line, const std::string& where) {
  std::map<std::string, double> values;
  for (const Key& key : kKeys) {
    const json* object = &line;
    if (key.object != nullptr) {
      const auto found = line.find(key.object);
      if (found == line.end() || found->is_null()) continue;
      if (!found->is_object()) {
        throw BadInput(fmt::format("{}: key '{}' must be an object", where, key.object));
      }
      object = &*found;
    }
    double value = 0;
    if (!take(*object, key, where, &value)) continue;
    values[path_of(key)] = value;
    if (object != &line && std::string(key.object) == "waits") values["waits"] += value;
  }
  double kept = 0, weights = 0;
  const bool both = take(line, {nullptr, "kept", 1}, where, &kept) &&
                    take(line, {nullptr, "weights", 1}, where, &weights);
  if (both && weights > 0) values["density"] = 100 * kept / weights;
  const auto skipped = line.find("skipped");
  if (skipped != line.end() && !skipped->is_boolean()) {
    throw BadInput(where + ": key 'skipped' must be true or false");
  }
  values["skipped"] = skipped != line.end() && skipped->get<bool>() ? 1 : 0;
  return values;
}

// Nothing to show: nothing was clipped, scaled, different, waited for or stalled.
bool is_trivial(const std::string& key, const std::vector<Point>& curve) {
  const bool from_zero =
      key == "different" || key.compare(0, 5, "waits") == 0 || key.compare(0, 6, "stalls") == 0;
  const double nothing = from_zero ? 0 : key == "loss_scale" ? 1 : NAN;
  for (const Point& p : curve) {
    if (!std::isnan(p.y) && p.y != nothing) return false;
  }
  return true;
}

void add_curve(const Metrics& training, const Drawn& drawn, int number, bool alone, Panel* panel) {
  const auto found = training.curves.find(drawn.key);
  if (found == training.curves.end() || is_trivial(drawn.key, found->second)) return;
  Curve curve;
  curve.points = found->second;
  curve.marked = drawn.marked;
  curve.colour = alone ? static_cast<int>(panel->curves.size()) : number;
  curve.name = alone          ? drawn.name
               : drawn.marked ? fmt::format("{}, {}", training.name, drawn.name)
                              : training.name;
  panel->curves.push_back(std::move(curve));
}

}  // namespace

Metrics read_metrics(const std::string& path) {
  std::map<uint64_t, std::map<std::string, double>> steps;
  read_json_lines(path, [&](const json& line, const std::string& where) {
    const uint64_t step = step_of(line, where);
    steps[step] = values_of(line, where);
  });
  if (steps.empty()) throw BadInput(path + ": holds no step of a training");
  Metrics metrics;
  metrics.file = path;
  metrics.name = name_of_metrics(path);
  metrics.steps = steps.size();
  metrics.first_step = steps.begin()->first;
  metrics.last_step = steps.rbegin()->first;
  for (auto& [step, values] : steps) {
    metrics.skipped += values.at("skipped") != 0 ? 1 : 0;
    values.erase("skipped");
    for (const auto& [key, value] : values) {
      metrics.curves[key].push_back({static_cast<double>(step), value});
    }
  }
  if (training_panels({metrics}).empty()) throw BadInput(path + ": holds nothing that is plotted");
  return metrics;
}

std::string name_of_metrics(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string directory = file.parent_path().filename().string();
  const bool own = file.filename() != "metrics.jsonl" || directory.empty() || directory == "." ||
                   directory == "..";
  return own ? file.stem().string() : directory;
}

std::vector<Panel> training_panels(const std::vector<Metrics>& trainings) {
  const bool alone = trainings.size() == 1;
  std::vector<Panel> panels;
  for (const PanelKind& kind : kinds()) {
    Panel panel{kind.title, kind.axis, {}};
    for (size_t k = 0; k < trainings.size(); ++k) {
      for (const Drawn& drawn : kind.curves) {
        if (alone || !drawn.alone) {
          add_curve(trainings[k], drawn, static_cast<int>(k), alone, &panel);
        }
      }
    }
    if (!panel.curves.empty()) panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace ow::plot
