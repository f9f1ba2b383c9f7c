// SPDX-License-Identifier: Apache-2.0
#include "ow/jobs/params.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "ow/error.h"

namespace ow::jobs {
namespace {

// A mapping of the file. Every key that it holds must be asked for before it is closed.
class Section {
 public:
  Section(std::string file, std::string name, const YAML::Node& node)
      : file_(std::move(file)), name_(std::move(name)), node_(node) {
    if (!node_.IsMap())
      fail(node_, name_.empty() ? "the file" : name_, "must hold keys and values");
    std::set<std::string> seen;
    for (const auto& item : node_) {
      const std::string key = item.first.IsScalar() ? item.first.Scalar() : "(not a name)";
      if (!seen.insert(key).second) fail(item.first, full(key), "stands there twice");
    }
  }

  int64_t integer(const std::string& key, int64_t low, int64_t high) {
    return parse_integer(get(key), full(key), low, high);
  }

  double real(const std::string& key, double low, double high, bool low_open = false) {
    const YAML::Node node = get(key);
    const std::string limit =
        fmt::format("must be a number {} {:g} to {:g}", low_open ? "above" : "from", low, high);
    const std::string text = scalar(node, full(key), limit);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value) || value < low || value > high ||
        (low_open && value <= low)) {
      fail(node, full(key), fmt::format("{}, not '{}'", limit, text));
    }
    return value;
  }

  std::string text(const std::string& key) {
    const YAML::Node node = get(key);
    const std::string value = scalar(node, full(key), "must be a text");
    if (value.empty()) fail(node, full(key), "must not be empty");
    return value;
  }

  std::vector<int> integers(const std::string& key, size_t min_count, size_t max_count, int low,
                            int high) {
    const YAML::Node node = get(key);
    if (!node.IsSequence() || node.size() < min_count || node.size() > max_count) {
      fail(node, full(key),
           fmt::format("must be a list of {} to {} whole numbers", min_count, max_count));
    }
    std::vector<int> values;
    for (size_t k = 0; k < node.size(); ++k) {
      values.push_back(
          static_cast<int>(parse_integer(node[k], fmt::format("{}[{}]", full(key), k), low, high)));
    }
    return values;
  }

  Section section(const std::string& key) { return Section(file_, full(key), get(key)); }

  bool has(const std::string& key) const { return node_[key].IsDefined(); }

  [[noreturn]] void bad(const std::string& key, const std::string& what) const {
    fail(node_[key], full(key), what);
  }

  // Call when all keys have been asked for.
  void close() const {
    for (const auto& item : node_) {
      const std::string key = item.first.IsScalar() ? item.first.Scalar() : "(not a name)";
      if (known_.count(key) != 0) continue;
      std::string list;
      for (const std::string& name : known_) list += (list.empty() ? "" : ", ") + name;
      fail(item.first, full(key), "is not known; known here: " + list);
    }
  }

 private:
  std::string full(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

  YAML::Node get(const std::string& key) {
    known_.insert(key);
    const YAML::Node node = node_[key];
    if (!node.IsDefined()) fail(node_, full(key), "is missing");
    return node;
  }

  std::string scalar(const YAML::Node& node, const std::string& key,
                     const std::string& limit) const {
    if (!node.IsScalar()) fail(node, key, limit);
    return node.Scalar();
  }

  int64_t parse_integer(const YAML::Node& node, const std::string& key, int64_t low,
                        int64_t high) const {
    const std::string limit = fmt::format("must be a whole number from {} to {}", low, high);
    const std::string value = scalar(node, key, limit);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < low ||
        number > high) {
      fail(node, key, fmt::format("{}, not '{}'", limit, value));
    }
    return number;
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& key,
                         const std::string& what) const {
    const YAML::Mark mark = node.Mark();
    throw BadInput(fmt::format("{}:{}: key '{}' {}", file_, mark.line + 1, key, what));
  }

  std::string file_;
  std::string name_;
  YAML::Node node_;
  std::set<std::string> known_;
};

std::string beside(const std::string& file, const std::string& path) {
  if (path.front() == '/') return path;
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? path : file.substr(0, slash + 1) + path;
}

}  // namespace

RunParams load_params(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    throw BadInput(path + ": cannot be read: " +
                   (errno != 0 ? std::strerror(errno) : "it is empty or a directory"));
  }
  YAML::Node root;
  try {
    root = YAML::Load(text.str());
  } catch (const YAML::Exception& e) {
    throw BadInput(fmt::format("{}:{}: not YAML: {}", path, e.mark.line + 1, e.msg));
  }

  RunParams params;
  params.path = path;
  Section top(path, "", root);

  Section data = top.section("data");
  params.data.file = beside(path, data.text("file"));
  params.data.rows = static_cast<int>(data.integer("rows", 1, 1000000));
  params.data.held_out_modulo = static_cast<int>(data.integer("held_out_modulo", 2, 1000));
  params.data.held_out_remainder =
      static_cast<int>(data.integer("held_out_remainder", 0, params.data.held_out_modulo - 1));
  if (params.data.rows <= params.data.held_out_remainder) {
    data.bad("rows", fmt::format("leaves no image to hold out: must be above {}",
                                 params.data.held_out_remainder));
  }
  data.close();

  Section network = top.section("network");
  golden::TrainOptions& t = params.training;
  t.layers = network.integers("layers", 2, 9, 1, 65535);
  if (t.layers.front() != golden::kDigitPixels || t.layers.back() != golden::kDigitClasses) {
    network.bad("layers", fmt::format("must start with {} (pixels) and end with {} (classes)",
                                      golden::kDigitPixels, golden::kDigitClasses));
  }
  network.close();

  Section training = top.section("training");
  t.seed = static_cast<uint64_t>(training.integer("seed", 0, INT64_MAX));
  t.epochs = static_cast<int>(training.integer("epochs", 1, 10000));
  t.batch = static_cast<int>(training.integer("batch", 1, 65536));
  t.learning_rate = training.real("learning_rate", 0, 1, true);
  t.weight_decay = training.real("weight_decay", 0, 10);
  t.sparsity = training.real("sparsity", 0, 0.999);
  t.prune_begin = static_cast<int>(training.integer("prune_begin", 1, t.epochs));
  t.prune_end = static_cast<int>(training.integer("prune_end", t.prune_begin, t.epochs));
  training.close();

  Section grid = top.section("grid");
  params.grid.rows = static_cast<int>(grid.integer("rows", 1, 64));
  params.grid.cols = static_cast<int>(grid.integer("columns", 1, 64));
  params.samples = static_cast<int>(grid.integer("samples_per_tile", 1, 65535));
  grid.close();

  if (top.has("large_layer")) {
    Section large = top.section("large_layer");
    LargeLayerParams l;
    l.inputs = static_cast<int>(large.integer("inputs", 1, 65535));
    l.outputs = static_cast<int>(large.integer("outputs", 1, 65535));
    l.density = large.real("density", 0, 1, true);
    l.seed = static_cast<uint64_t>(large.integer("seed", 0, INT64_MAX));
    large.close();
    params.large = l;
  }
  top.close();
  return params;
}

}  // namespace ow::jobs
