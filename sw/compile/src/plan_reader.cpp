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
#include "ow/compile/executable.h"
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
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  bool flag() const {
    if (!value_.is_boolean()) fail(key_, "must be true or false");
    return value_.get<bool>();
  }
  Recompute recompute() const {
    for (const Recompute r : kPolicies) {
      if (value_ == recompute_name(r)) return r;
    }
    fail(key_, "must be none, ffn, block or all");
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

Plan read_plan(const std::string& who, const PlanFile& file, const std::string& key,
               TrainingJob job, const ElfImage& firmware, const TileConfig& tile) {
  const nlohmann::json whole = file.document();
  const Reader from = Reader(file.path(), "", whole)[key.c_str()];
  const size_t layers = job.layers.size();
  if (job.samples == 0) {
    job.samples =
        static_cast<int>(from["samples_per_tile"].integer(tile.lanes, int64_t{16} * tile.lanes));
  }
  const auto orders = [&](const char* name) {
    std::vector<SumOrder> of;
    for (size_t k = 0; k < layers; ++k) of.push_back(from[name].list(layers)[k].order());
    return of;
  };
  job.forward = orders("forward");
  Choices choices;
  if (job.loss.empty()) return make_plan(who, job, firmware, tile, choices);
  job.delta = orders("delta");
  choices.piece = static_cast<uint32_t>(from["gathered_features"].integer(1, kMaxCount));
  const uint32_t window = from["window_features"].count();
  if (window > 0) choices.window = window;
  choices.recompute = from["recompute"].recompute();
  choices.outputs_leave = from["outputs_leave"].flag();
  choices.in_turns = from["list_in_turns"].flag();
  const auto rows = static_cast<uint32_t>(job.grid_rows);
  for (const LayerShape& layer : job.layers) {
    if (choices.piece % rows == 0 || choices.piece >= static_cast<uint32_t>(layer.outputs))
      continue;
    from["gathered_features"].fail(key + ".gathered_features",
                                   fmt::format("must be a multiple of {} grid rows", rows));
  }
  return make_plan(who, job, firmware, tile, choices);
}

}  // namespace ow::jobs
