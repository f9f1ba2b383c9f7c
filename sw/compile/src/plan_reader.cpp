// SPDX-License-Identifier: Apache-2.0
// Plans that were kept: checks that they are of the same inputs, and reads them.
#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/hash.h"
#include "ow/base/json.h"
#include "ow/compile/plan_file.h"

namespace ow::jobs {
namespace {

using nlohmann::json;

constexpr size_t kShown = 60;         // characters of a value that is shown
constexpr int64_t kMaxCount = 65535;  // limit of a descriptor

std::string shown(const json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : json_text(value);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return text;
}

// The first key, in the order of their names, whose values differ.
std::string first_difference(const json& kept, const json& wanted) {
  const auto differs = [](const std::string& key, const json& before, const json& now) {
    return fmt::format("'{}' was {}, is {}", key, shown(before), shown(now));
  };
  for (const auto& [key, value] : wanted.items()) {
    const json before = kept.value(key, json());
    if (before == value) continue;
    // For lists, also the index.
    if (before.is_array() && value.is_array() && before.size() == value.size()) {
      for (size_t k = 0; k < value.size(); ++k) {
        if (before[k] != value[k]) {
          return differs(fmt::format("{}[{}]", key, k), before[k], value[k]);
        }
      }
    }
    return differs(key, before, value);
  }
  for (const auto& [key, value] : kept.items()) {
    if (!wanted.contains(key)) return differs(key, value, json());
  }
  return "";
}

// The hash of all keys but itself.
std::string sum_of(json document) {
  document.erase("sum");
  return hash_of(json_text(document));
}

// The values of a file, with its name and their key in errors.
class Reader {
 public:
  Reader(std::string path, std::string key, const json& value)
      : path_(std::move(path)), key_(std::move(key)), value_(value) {}

  Reader operator[](const char* key) const {
    const std::string full = key_ + "." + key;
    if (!value_.is_object() || !value_.contains(key)) fail(full, "is missing");
    return {path_, full, value_.at(key)};
  }
  // Element k.
  Reader operator[](size_t k) const {
    return {path_, fmt::format("{}[{}]", key_, k), value_.at(k)};
  }
  const Reader& list(size_t count) const {
    if (!value_.is_array() || value_.size() != count) {
      fail(key_, fmt::format("must be a list of {} values", count));
    }
    return *this;
  }
  int64_t integer(int64_t low, int64_t high) const {
    const bool whole = value_.is_number_integer();
    const bool huge =
        value_.is_number_unsigned() &&
        value_.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (!whole || huge || value_.get<int64_t>() < low || value_.get<int64_t>() > high) {
      fail(key_, fmt::format("must be a whole number from {} to {}", low, high));
    }
    return value_.get<int64_t>();
  }
  uint32_t count(int64_t high = kMaxCount) const { return static_cast<uint32_t>(integer(0, high)); }
  // An address in a tile, with room for `bytes` bytes.
  uint32_t address(uint64_t bytes, const TileConfig& tile) const {
    const int64_t last = static_cast<int64_t>(tile.sram_bytes) - static_cast<int64_t>(bytes);
    if (last < 0) fail(key_, fmt::format("has no room for {} bytes", bytes));
    return static_cast<uint32_t>(integer(0, last));
  }
  bool flag() const {
    if (!value_.is_boolean()) fail(key_, "must be true or false");
    return value_.get<bool>();
  }
  SumOrder order() const {
    if (value_ != "column" && value_ != "whole") fail(key_, "must be column or whole");
    return value_ == "whole" ? SumOrder::Whole : SumOrder::Column;
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw BadInput(fmt::format("{}: is damaged: key '{}' {}", path_, key, what));
  }

 private:
  std::string path_;
  std::string key_;
  const json& value_;
};

Colours read_colours(const Reader& from, const TileConfig& tile) {
  Colours c;
  const int64_t last = tile.colours - 1;
  const auto colour = [&](const Reader& value, int64_t low) {
    return static_cast<int>(value.integer(low, last));
  };
  c.weights = colour(from["weights"], 0);
  c.back = colour(from["back"], -1);
  for (size_t k = 0; k < 2; ++k) {
    c.down[k] = colour(from["down"].list(2)[k], -1);
    c.result[k] = colour(from["result"].list(2)[k], -1);
  }
  c.count = static_cast<int>(from["count"].integer(1, tile.colours));
  return c;
}

}  // namespace

PlanFile::PlanFile(const std::string& path, json inputs) : path_(path), inputs_(std::move(inputs)) {
  if (path_.empty()) return;
  std::error_code error;
  if (!std::filesystem::exists(path_, error) && !error) return;
  json file = read_json(path_);
  const json format = file.is_object() ? file.value("format", json()) : json();
  if (!format.is_string() || format.get<std::string>().rfind("openwafer-plan-", 0) != 0) {
    throw BadInput(path_ + ": is no plan");
  }
  if (format != kPlanFormat) {
    why_ = fmt::format("'format' was {}, is {}", shown(format), kPlanFormat);
    return;
  }
  if (file.value("sum", json()) != sum_of(file)) {
    throw BadInput(path_ + ": is damaged: its check sum differs (without it a new one is made)");
  }
  const json kept = file.value("inputs", json());
  if (!kept.is_object()) throw BadInput(path_ + ": is damaged: key 'inputs' is missing");
  why_ = first_difference(kept, inputs_);
  if (!why_.empty()) return;
  usable_ = true;
  document_ = std::move(file);
}

void PlanFile::set_aside(const std::string& why) {
  usable_ = false;
  why_ = why;
}

void PlanFile::keep(json document) {
  if (usable_) return;
  document["format"] = kPlanFormat;
  document["inputs"] = inputs_;
  document["hash"] = hash_of(json_text(inputs_));
  document["sum"] = sum_of(document);
  document_ = std::move(document);
  if (!path_.empty()) write_file(path_, json_text(document_, 2) + "\n");
}

std::string PlanFile::says(const std::string& made) const {
  if (path_.empty()) return "";
  if (usable_) return path_ + ": used, its inputs are the same";
  return path_ + ": " + made + (why_.empty() ? "" : " anew: " + why_);
}

nlohmann::json PlanFile::report() const {
  if (path_.empty()) return nullptr;
  nlohmann::json out = {{"file", path_}, {"used", usable_}};
  if (!why_.empty()) out["why"] = why_;
  return out;
}

TrainPlan read_train_plan(const PlanFile& file, TrainPlan plan) {
  const nlohmann::json whole = file.document();
  const Reader from = Reader(file.path(), "", whole)["plan"];
  const TileConfig& tile = plan.tile;
  const size_t layers = plan.layers.size();
  const auto row = 2 * static_cast<uint64_t>(plan.samples);  // bytes of a feature's samples
  const auto block = [&](int features) {
    return row * static_cast<uint64_t>(plan.owned(features, 0));
  };
  plan.colours = read_colours(from["colours"], tile);
  plan.forward.clear();
  plan.delta.clear();
  plan.bias_addr.clear();
  for (size_t k = 0; k < layers; ++k) {
    plan.forward.push_back(from["forward"].list(layers)[k].order());
    plan.delta.push_back(from["delta"].list(layers)[k].order());
    const LayerShape& layer = plan.layers[k];
    const uint64_t bytes = layer.bias ? 4 * static_cast<uint64_t>(plan.owned(layer.outputs, 0)) : 0;
    plan.bias_addr.push_back(from["biases"].list(layers)[k].address(bytes, tile));
  }
  for (size_t k = 0; k <= layers; ++k) {
    TensorPlan& tensor = plan.tensors[k];
    const Reader at = from["tensors"].list(layers + 1)[k];
    tensor.addr = at["address"].address(block(tensor.features), tile);
    tensor.delta_addr = at["deltas"].address(k > 0 ? block(tensor.features) : 0, tile);
  }
  plan.targets_addr = from["targets"].address(2 * row, tile);
  plan.work_words = from["work_words"].count();
  plan.work_addr = from["work"].address(4 * static_cast<uint64_t>(plan.work_words), tile);
  plan.gather_rows = from["gathered_features"].count();
  plan.gather_addr =
      from["gathered"].address(plan.grid.rows > 1 ? row * plan.gather_rows : 0, tile);
  plan.last_gathered = from["last_gathered"].flag();
  plan.window = from["window_features"].count();
  plan.used_bytes = from["used_bytes"].count(tile.sram_bytes);
  return plan;
}

StreamPlan read_stream_plan(const PlanFile& file, const std::string& key, StreamPlan plan) {
  const nlohmann::json whole = file.document();
  const Reader from = Reader(file.path(), "", whole)[key.c_str()];
  const TileConfig& tile = plan.tile;
  const size_t layers = plan.layers.size();
  plan.colours = read_colours(from["colours"], tile);
  plan.capacity = static_cast<int>(from["samples_per_tile"].integer(tile.lanes, 16 * tile.lanes));
  if (plan.capacity % tile.lanes != 0) from["samples_per_tile"].fail(key, "has odd samples");
  plan.samples = plan.capacity;
  plan.in_turn = from["in_turn"].flag();
  const auto block = [&](int features) {
    return 2 * static_cast<uint64_t>(plan.capacity) *
           static_cast<uint64_t>(plan.owned(features, 0));
  };
  for (size_t k = 0; k < layers; ++k) {
    LayerPlan& layer = plan.layers[k];
    const Reader at = from["layers"].list(layers)[k];
    const uint64_t bias =
        layer.shape.bias ? 4 * static_cast<uint64_t>(plan.owned(layer.shape.outputs, 0)) : 0;
    layer.x_addr = at["x"].address(block(layer.shape.inputs), tile);
    layer.y_addr = at["y"].address(block(layer.shape.outputs), tile);
    layer.bias_addr = at["bias"].address(bias, tile);
    layer.kept = at["kept"].flag();
  }
  plan.used_bytes = from["used_bytes"].count(tile.sram_bytes);
  return plan;
}

}  // namespace ow::jobs
