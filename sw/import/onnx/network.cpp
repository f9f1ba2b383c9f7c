// SPDX-License-Identifier: Apache-2.0
// Makes a graph of the values that a file computes, with the features of heads as attention takes
// them: feature k of head g as feature k H + g.
#include "network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "parameters.h"
#include "tensor.h"
#include "values.h"

namespace ow {
namespace {

using exported::column;
using exported::Constant;
using exported::counted;
using exported::named;
using exported::Node;
using exported::Places;
using exported::scope;
using exported::tensor_name;
using exported::Value;
using exported::Values;

constexpr size_t kMaxName = 64;  // of a layer, in files of networks

// Heads as lists of features, one after the other: feature k of head g at k H + g.
Places interleaved(const std::vector<Places>& heads) {
  Places out(heads.size() * heads.front().size());
  for (size_t g = 0; g < heads.size(); ++g) {
    for (size_t k = 0; k < heads[g].size(); ++k) out[k * heads.size() + g] = heads[g][k];
  }
  return out;
}

Places sorted(Places list) {
  std::sort(list.begin(), list.end());
  return list;
}

class Builder {
 public:
  explicit Builder(const Values& values) : values_(values), parameters_(values) {}

  ImportedNetwork build() {
    natural(values_.logits);
    parameters_.check();
    return {std::move(graph_), std::move(parameters_.values), std::move(parameters_.map)};
  }

 private:
  const Value& at(int value) const { return values_.all[static_cast<size_t>(value)]; }

  // ---- Names.

  // A name of the graph that no operation has.
  std::string free_name(const Node& node, std::string name) {
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
    }
    if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0) name = "m." + name;
    if (name == kInputTensor || name == kTargetsTensor) name += "_";
    std::string free = name;
    for (int n = 2; !names_.insert(free).second; ++n) free = fmt::format("{}_{}", name, n);
    if (free.size() > kMaxName) {
      node.fail(fmt::format("gets the name '{}': the limit is {} characters", free, kMaxName));
    }
    return free;
  }

  static std::string layer_of(const std::string& tensor, const char* suffix) {
    const std::string end = std::string(".") + suffix;
    const bool ends = tensor.size() > end.size() &&
                      tensor.compare(tensor.size() - end.size(), end.size(), end) == 0;
    return ends ? tensor.substr(0, tensor.size() - end.size()) : tensor;
  }

  // ---- Operations.

  void add(const Node& node, const std::string& name, const std::string& kind,
           std::vector<std::string> inputs, std::map<std::string, double> options = {},
           std::map<std::string, std::string> shared = {}) {
    Op op{name, kind, std::move(inputs), std::move(options), {}, std::move(shared)};
    op.where = fmt::format("{}: node '{}'", values_.file, printable_text(node.name, 100));
    graph_.add(std::move(op));
  }

  // The operation that gives a value, with its features in the order of the file; of attention, in
  // its own.
  std::string natural(int v) {
    const auto known = natural_.find(v);
    if (known != natural_.end()) return known->second;
    const Value& value = at(v);
    std::string name;
    using Kind = Value::Kind;
    switch (value.kind) {
      case Kind::Tokens:
        name = kInputTensor;
        break;
      case Kind::Embedding:
        name = embedding(value);
        break;
      case Kind::Linear:
        name = linear(v, counted(value.features), 1, "");
        break;
      case Kind::Norm:
        name = norm(value);
        break;
      case Kind::Element:
      case Kind::Pair:
        name = pair(value);
        break;
      case Kind::Rotary:
        value.node->fail("turns what goes into no attention");
      case Kind::Attention:
        name = attention(value);
        break;
    }
    return natural_[v] = name;
  }

  // The feature of the operation for each feature of the value.
  Places order_of(int v) const {
    const Value& value = at(v);
    if (value.kind == Value::Kind::Element || value.kind == Value::Kind::Pair) {
      return order_of(value.sources[0]);
    }
    Places order = counted(value.features);
    if (value.kind != Value::Kind::Attention) return order;
    const size_t heads = value.heads[0].size(), size = value.features / heads;
    for (size_t i = 0; i < order.size(); ++i) order[i] = i % size * heads + i / size;
    return order;
  }

  std::string embedding(const Value& value) {
    const Constant& table = *value.first;
    const auto rows = static_cast<size_t>(table.array.shape[0]);
    const std::string tensor = tensor_name(table, *value.node, "weight");
    const std::string name = free_name(*value.node, layer_of(tensor, "weight"));
    if (!parameters_
             .add(name + ".weight", table, *value.node, "weight", counted(rows),
                  counted(value.features))
             .empty()) {
      value.node->fail("looks tokens up in a table a second time");
    }
    std::map<std::string, double> options = {{"vocabulary", static_cast<double>(rows)},
                                             {"width", static_cast<double>(value.features)}};
    if (value.second) {
      // The whole table, if it is known.
      Constant places = *value.second;
      if (named(places)) {
        const Constant whole = parameters_.whole(places);
        const bool begins = whole.array.rank() >= 2 &&
                            static_cast<size_t>(whole.array.shape.back()) == value.features &&
                            places.places == counted(places.places.size());
        if (!begins) value.node->fail("adds positions that are not the first rows of a table");
        places = whole;
        places.array.shape = {static_cast<int64_t>(whole.array.elements() / value.features),
                              static_cast<int64_t>(value.features)};
      }
      const auto count = static_cast<size_t>(places.array.shape[0]);
      options["positions"] = static_cast<double>(count);
      parameters_.add(name + ".positions", places, *value.node, "positions", counted(count),
                      counted(value.features));
    }
    add(*value.node, name, "embedding", {kInputTensor}, std::move(options));
    return name;
  }

  std::string norm(const Value& value) {
    const std::string source = natural(value.sources[0]);
    if (order_of(value.sources[0]) != counted(value.features)) {
      value.node->fail("normalises heads, which no kind of layer does");
    }
    const bool centred = value.layer == "layer_norm";
    if (!value.first || (centred && !value.second)) {
      value.node->fail(fmt::format("normalises without a {}, which {} has",
                                   value.first ? "bias" : "gain", value.layer));
    }
    const std::string tensor = tensor_name(*value.first, *value.node, "weight");
    const std::string name = free_name(*value.node, layer_of(tensor, "weight"));
    std::map<std::string, std::string> shared;
    const auto vector = [&](const char* own, const char* suffix, const Constant& from) {
      const Constant c = column(from);
      const std::string other =
          parameters_.add(name + "." + own, c, *value.node, suffix, counted(value.features), {0});
      if (!other.empty()) shared[own] = other;
    };
    vector("gain", "weight", *value.first);
    if (centred) vector("bias", "bias", *value.second);
    add(*value.node, name, value.layer, {source}, {{"epsilon", value.epsilon}}, std::move(shared));
    return name;
  }

  std::string pair(const Value& value) {
    std::vector<std::string> inputs;
    for (const int source : value.sources) {
      inputs.push_back(natural(source));
      if (order_of(source) != order_of(value.sources[0])) {
        value.node->fail("joins features in different orders");
      }
    }
    const std::string module = scope(*value.node);
    const std::string name =
        free_name(*value.node, module.empty() ? value.layer : module + "." + value.layer);
    add(*value.node, name, value.layer, inputs);
    return name;
  }

  // Outputs `rows` of a matrix, each so often.
  std::string linear(int v, const Places& rows, size_t copies, const char* part) {
    const Value& value = at(v);
    const std::string key = fmt::format("{} {} {}", v, copies, fmt::join(rows, ","));
    const auto known = linears_.find(key);
    if (known != linears_.end()) return known->second;
    const std::string source = natural(value.sources[0]);
    // The matrix's column for each feature of the source's operation.
    const Places order = order_of(value.sources[0]);
    Places columns(order.size(), SIZE_MAX);
    for (size_t i = 0; i < value.lists[0].size(); ++i) columns[order[value.lists[0][i]]] = i;
    if (value.lists[0].size() != order.size() ||
        std::count(columns.begin(), columns.end(), SIZE_MAX) != 0) {
      value.node->fail("multiplies a matrix with a part of the features");
    }
    const std::string tensor = tensor_name(*value.first, *value.node, "weight");
    std::string name = layer_of(tensor, "weight");
    // A matrix that is another one's has the name of its module.
    const std::string table = parameters_.table_of(*value.first, rows, columns);
    if (!table.empty() || (rows.size() == value.features && parameters_.has(tensor))) {
      name = scope(*value.node).empty() ? "head" : scope(*value.node);
    }
    if (rows.size() < value.features && *part != '\0') name += std::string(".") + part;
    name = free_name(*value.node, name);
    std::map<std::string, std::string> shared;
    const std::string other =
        !table.empty()
            ? table
            : parameters_.add(name + ".weight", *value.first, *value.node, "weight", rows, columns);
    if (!other.empty()) shared["weight"] = other;
    if (value.second) {
      const std::string other =
          parameters_.add(name + ".bias", column(*value.second), *value.node, "bias", rows, {0});
      if (!other.empty()) shared["bias"] = other;
    }
    add(*value.node, name, "linear", {source},
        {{"outputs", static_cast<double>(rows.size())},
         {"bias", value.second ? 1 : 0},
         {"copies", static_cast<double>(copies)}},
        std::move(shared));
    return linears_[key] = name;
  }

  // The operation whose feature k H + g is feature lists[g][k] of the value.
  std::string heads(int v, const std::vector<Places>& lists, const char* part) {
    const Value& value = at(v);
    if (value.kind == Value::Kind::Rotary) {
      for (const Places& list : lists) {
        const auto& own = value.lists;
        if (std::find(own.begin(), own.end(), list) == own.end()) {
          value.node->fail("turns other heads than the attention has");
        }
      }
      const std::string source = heads(value.sources[0], lists, part);
      const std::string name = free_name(*value.node, scope(*value.node) + "." + part + "_turned");
      add(*value.node, name, "rotary", {source},
          {{"heads", static_cast<double>(lists.size())},
           {"positions", static_cast<double>(values_.tokens)},
           {"theta", value.theta}});
      return name;
    }
    if (value.kind != Value::Kind::Linear) {
      value.node->fail("gives queries, keys or values, and is no layer with a matrix");
    }
    // Neighbours among the heads may be the same.
    std::vector<Places> own;
    for (const Places& list : lists) {
      if (std::find(own.begin(), own.end(), list) == own.end()) own.push_back(list);
    }
    const size_t copies = lists.size() / own.size();
    for (size_t g = 0; g < lists.size(); ++g) {
      if (own.size() * copies != lists.size() || lists[g] != own[g / copies]) {
        value.node->fail("gives heads of keys or values that are not shared by neighbours");
      }
    }
    return linear(v, interleaved(own), copies, part);
  }

  std::string attention(const Value& value) {
    const size_t count = value.heads[0].size();
    std::vector<std::vector<Places>> lists = value.heads;
    // Queries and keys in the order in which their heads turn; a sum over a head does not change.
    std::vector<Places> orders;
    for (size_t part = 0; part < 2; ++part) {
      const Value& source = at(value.sources[part]);
      for (Places& list : lists[part]) {
        const Places before = list;
        if (source.kind == Value::Kind::Rotary) {
          for (const Places& own : source.lists) {
            if (sorted(own) == sorted(list)) list = own;
          }
        }
        Places order;
        for (const size_t feature : list) {
          order.push_back(static_cast<size_t>(std::find(before.begin(), before.end(), feature) -
                                              before.begin()));
        }
        if (orders.empty()) orders.push_back(order);
        if (orders[0] != order)
          value.node->fail("has queries and keys that turn in different ways");
      }
    }
    static const char* const kParts[] = {"q", "k", "v"};
    std::vector<std::string> inputs;
    for (size_t part = 0; part < 3; ++part) {
      inputs.push_back(heads(value.sources[part], lists[part], kParts[part]));
    }
    const std::string module = scope(*value.node);
    const std::string name =
        free_name(*value.node, module.empty() ? "attention" : module + ".attention");
    add(*value.node, name, "attention", inputs, {{"heads", static_cast<double>(count)}});
    return name;
  }

  const Values& values_;
  Graph graph_ = Graph::of_tokens();
  exported::Parameters parameters_;
  std::set<std::string> names_;
  std::map<int, std::string> natural_;
  std::map<std::string, std::string> linears_;
};

}  // namespace

ImportedNetwork read_onnx_network(const std::string& path, int tokens) {
  const exported::Model model = exported::read_model(path);
  return Builder(exported::recognise(model, tokens)).build();
}

}  // namespace ow
