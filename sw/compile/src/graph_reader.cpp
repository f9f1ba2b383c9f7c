// SPDX-License-Identifier: Apache-2.0
#include "graph_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "ow/graph/kind.h"

namespace ow::jobs {
namespace {

constexpr int kMaxWidth = 65535;
constexpr size_t kMaxNamed = 1000;  // layers of a list
constexpr size_t kMaxLayers = 10'000;
constexpr size_t kMaxName = 64;
// In a repeated block: what the block before it gives, or the input of the first one.
constexpr char kPrevious[] = "previous";

// A name becomes part of the tensors' names in checkpoints, and patterns are matched with it.
std::string read_word(const Yaml& value) {
  std::string word = value.text();
  const auto good = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  if (!std::all_of(word.begin(), word.end(), good) || word.size() > kMaxName ||
      std::isalpha(static_cast<unsigned char>(word.front())) == 0) {
    value.fail(
        fmt::format("must be at most {} letters, digits, _, - and ., a letter first", kMaxName));
  }
  return word;
}

double read_option(YamlMap* map, const KindOption& option) {
  if (option.fallback && !map->has(option.key)) {
    map->find(option.key);  // known in any case
    return *option.fallback;
  }
  const Yaml value = (*map)[option.key];
  if (option.form == KindOption::Form::Flag) return value.flag() ? 1 : 0;
  if (option.form == KindOption::Form::Real) return value.real(option.low, option.high);
  return static_cast<double>(
      value.integer(static_cast<int64_t>(option.low), static_cast<int64_t>(option.high)));
}

std::vector<std::string> names_of(const std::vector<Yaml>& list) {
  std::vector<std::string> names;
  for (const Yaml& item : list) names.push_back(item.map()["name"].text());
  return names;
}

class Reader {
 public:
  explicit Reader(Graph samples) : graph_(std::move(samples)) {}

  // A list of layers and of blocks that are repeated.
  void read(const std::vector<Yaml>& list) {
    const std::vector<std::string> names = names_of(list);
    for (const Yaml& item : list) {
      YamlMap map = item.map();
      if (map.has("repeat")) {
        read_block(&map, item);
      } else {
        read_layer(std::move(map), item, names);
      }
    }
  }

  Graph graph() { return std::move(graph_); }

 private:
  // Names of a block's layers begin with `prefix`; `previous` is what its first layers take.
  struct Block {
    std::string prefix;
    std::string previous;
  };

  // The value that a name stands for: of the same block, of a whole repetition, or of the list.
  std::string resolve(const std::string& name) const {
    if (!block_.prefix.empty()) {
      if (name == kPrevious) return block_.previous;
      if (graph_.value(block_.prefix + name) >= 0) return block_.prefix + name;
    }
    const auto whole = repetitions_.find(name);
    return whole != repetitions_.end() ? whole->second : name;
  }

  std::string read_name(const Yaml& value) const {
    const std::string name = read_word(value);
    if (name == kInputTensor || name == kTargetsTensor) {
      value.fail(fmt::format("is '{}', which comes with the samples", name));
    }
    if (name == kPrevious) value.fail("is 'previous', which a repeated block takes");
    if (name.rfind("optimizer.", 0) == 0) {
      value.fail("begins with 'optimizer.', as the optimizer's tensors in a checkpoint do");
    }
    if (graph_.giver(block_.prefix + name) >= 0 || repetitions_.count(name) != 0) {
      value.fail(fmt::format("is '{}', as a layer above is", name));
    }
    return name;
  }

  // The inputs of a layer: values of earlier layers. `names`: those of all layers of the list,
  // later ones too.
  void read_inputs(const Yaml& value, const Kind& kind, const std::vector<std::string>& names,
                   Op* op) const {
    std::vector<Yaml> list;
    if (value.is_list()) {
      list = value.list(1, kMaxNamed, "names");
    } else {
      list.push_back(value);
    }
    for (size_t n = 0; n < list.size(); ++n) {
      const std::string word = read_word(list[n]);
      const std::string tensor = resolve(word);
      const bool targets = kind.is_loss() && n + 1 == kind.inputs;
      if (list.size() == kind.inputs && targets != (tensor == kTargetsTensor)) {
        list[n].fail(
            targets ? fmt::format("must be '{}', the last input of a loss", kTargetsTensor)
            : kind.is_loss()
                ? fmt::format("is '{}', which must be the last input of a loss", kTargetsTensor)
                : fmt::format("is '{}', which only a loss takes", kTargetsTensor));
      }
      const bool given = tensor == kTargetsTensor || graph_.value(tensor) >= 0;
      if (!given && std::find(names.begin(), names.end(), word) != names.end()) {
        list[n].fail(
            fmt::format("is '{}', which this layer or one below gives: a layer takes from "
                        "those above it, so that none waits for itself",
                        word));
      }
      if (!given) list[n].fail(fmt::format("is '{}', which no layer gives", word));
      op->inputs.push_back(tensor);
    }
    if (list.size() != kind.inputs) {
      value.fail(fmt::format("must be {} tensors for the kind {}, not {}", kind.inputs, kind.name,
                             list.size()));
    }
  }

  void read_layer(YamlMap map, const Yaml& item, const std::vector<std::string>& names) {
    Op op;
    op.name = block_.prefix + read_name(map["name"]);
    op.kind = map["kind"].one_of(kind_names());
    op.where = fmt::format("{} ('{}')", item.where(), op.name);
    const Kind& kind = *find_kind(op.kind);
    read_inputs(map["inputs"], kind, names, &op);
    for (const KindOption& option : kind.options) {
      op.attributes[option.key] = read_option(&map, option);
    }
    if (kind.parameters != nullptr) {
      if (const auto share = map.find("share")) read_share(*share, &op);
    }
    map.close();
    if (graph_.ops.size() == kMaxLayers) {
      item.fail(fmt::format("is one too many: at most {} layers", kMaxLayers));
    }
    graph_.add(std::move(op));
  }

  // Parameters of layers above that this one uses: `share: {weight: embedding.weight}`.
  void read_share(const Yaml& value, Op* op) const {
    for (const auto& [suffix, layer] : value.map().items()) {
      const std::string name = read_word(layer);
      const size_t dot = name.rfind('.');
      if (dot == std::string::npos) layer.fail("must be a parameter, such as first.weight");
      op->shared[suffix] = resolve(name.substr(0, dot)) + name.substr(dot);
    }
  }

  // `repeat` blocks of the same layers, called <name>.0.<layer>, <name>.1.<layer> and so on. A
  // layer may take `previous`. After the block its name stands for what the last one gives.
  void read_block(YamlMap* map, const Yaml& item) {
    if (!block_.prefix.empty()) item.fail("repeats within a repeated block");
    const std::string name = read_name((*map)["name"]);
    const auto count = static_cast<int>((*map)["repeat"].integer(1, 1000));
    const Yaml input = (*map)["input"];
    Block block{"", resolve(read_word(input))};
    if (graph_.value(block.previous) < 0) {
      input.fail(fmt::format("is '{}', which no layer above gives", block.previous));
    }
    const std::vector<Yaml> list = (*map)["layers"].list(1, kMaxNamed, "layers");
    map->close();
    for (int k = 0; k < count; ++k) {
      block.prefix = fmt::format("{}.{}.", name, k);
      block_ = block;
      read(list);
      if (graph_.has_loss()) item.fail("repeats a loss");
      block.previous = graph_.values.back().name;
    }
    block_ = {};
    repetitions_[name] = block.previous;
  }

  Graph graph_;
  Block block_;
  std::map<std::string, std::string> repetitions_;  // name, what its last block gives
};

}  // namespace

bool is_graph(const Yaml& layers) {
  if (!layers.is_list()) return false;
  const std::vector<Yaml> list = layers.list(0, SIZE_MAX);
  return !list.empty() && list.front().is_map();
}

Graph read_graph(YamlMap* network) {
  if (const auto family = network->find("family")) {
    for (const char* key : {"inputs", "layers"}) {
      if (network->has(key)) (*network)[key].fail("stands beside network.family, which makes it");
    }
    return read_family(*family);
  }
  const Yaml inputs = (*network)["inputs"];
  Reader reader(inputs.text() == "tokens" ? Graph::of_tokens()
                                          : Graph(static_cast<int>(inputs.integer(1, kMaxWidth))));
  reader.read((*network)["layers"].list(1, kMaxNamed, "layers"));
  return reader.graph();
}

}  // namespace ow::jobs
