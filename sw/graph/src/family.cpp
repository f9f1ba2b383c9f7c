// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "ow/base/error.h"

namespace ow {
namespace {

// Adds the operations of a model, and keeps the names of their parameters.
class Builder {
 public:
  Builder(const LanguageShape& shape, bool tied, std::string where)
      : s_(shape), where_(std::move(where)) {
    names_.shape = shape;
    names_.blocks.resize(static_cast<size_t>(shape.layers));
    if (s_.family == LanguageFamily::Gpt2) {
      gpt2(tied);
    } else {
      llama(tied);
    }
  }

  FamilyGraph take() { return {std::move(graph_), std::move(names_)}; }

 private:
  using Options = std::map<std::string, double>;

  std::string add(const std::string& name, const char* kind, std::vector<std::string> inputs,
                  Options options = {}, std::map<std::string, std::string> shared = {}) {
    Op op{prefix_ + name, kind, std::move(inputs), std::move(options), where_, std::move(shared)};
    graph_.add(op);
    return op.name;
  }

  // y = W x, with a bias if its name is wanted.
  std::string linear(const char* name, const std::string& input, int outputs, std::string* weight,
                     std::string* bias = nullptr, int copies = 1) {
    *weight = prefix_ + name + ".weight";
    if (bias != nullptr) *bias = prefix_ + name + ".bias";
    return add(name, "linear", {input},
               {{"outputs", outputs}, {"bias", bias != nullptr ? 1 : 0}, {"copies", copies}});
  }

  std::string norm(const char* name, const std::string& input, std::string* gain,
                   std::string* bias) {
    const bool centred = s_.family == LanguageFamily::Gpt2;
    *gain = prefix_ + name + ".gain";
    if (centred) *bias = prefix_ + name + ".bias";
    return add(name, centred ? "layer_norm" : "rms_norm", {input}, {{"epsilon", s_.epsilon}});
  }

  void head(const std::string& input, bool tied) {
    if (!tied) {
      linear("head", input, s_.vocabulary, &names_.head);
      return;
    }
    add("head", "linear", {input}, {{"outputs", s_.vocabulary}, {"bias", 0}},
        {{"weight", names_.embedding}});
  }

  void gpt2(bool tied) {
    names_.embedding = "wte.weight";
    names_.places = "wte.positions";
    std::string x =
        add("wte", "embedding", {kInputTensor},
            {{"vocabulary", s_.vocabulary}, {"width", s_.width}, {"positions", s_.positions}});
    for (size_t n = 0; n < names_.blocks.size(); ++n) {
      auto& b = names_.blocks[n];
      prefix_ = fmt::format("h.{}.", n);
      const std::string first = norm("ln_1", x, &b.attention_norm, &b.attention_norm_bias);
      const std::string q = linear("q", first, s_.width, &b.query, &b.query_bias);
      const std::string k = linear("k", first, s_.width, &b.key, &b.key_bias);
      const std::string v = linear("v", first, s_.width, &b.value, &b.value_bias);
      const std::string attention = add("attn", "attention", {q, k, v}, {{"heads", s_.heads}});
      const std::string o = linear("proj", attention, s_.width, &b.output, &b.output_bias);
      const std::string middle = add("mid", "add", {x, o});
      const std::string second = norm("ln_2", middle, &b.hidden_norm, &b.hidden_norm_bias);
      const std::string up = linear("fc", second, s_.hidden, &b.up, &b.up_bias);
      const std::string unit = add("act", "gelu", {up});
      const std::string down = linear("out", unit, s_.width, &b.down, &b.down_bias);
      x = add("sum", "add", {middle, down});
    }
    prefix_.clear();
    head(norm("ln_f", x, &names_.norm, &names_.norm_bias), tied);
  }

  void llama(bool tied) {
    names_.embedding = "embed.weight";
    std::string x = add("embed", "embedding", {kInputTensor},
                        {{"vocabulary", s_.vocabulary}, {"width", s_.width}});
    Options turns = {{"heads", s_.heads}, {"positions", s_.positions}, {"theta", s_.theta}};
    if (s_.scaling) {
      turns["factor"] = s_.scaling->factor;
      turns["low_frequency_factor"] = s_.scaling->low_frequency_factor;
      turns["high_frequency_factor"] = s_.scaling->high_frequency_factor;
      turns["original_positions"] = s_.scaling->original_positions;
    }
    const int queries = s_.heads * s_.head_size, keys = s_.kv_heads * s_.head_size;
    const int copies = s_.heads / s_.kv_heads;
    std::string none;
    for (size_t n = 0; n < names_.blocks.size(); ++n) {
      auto& b = names_.blocks[n];
      prefix_ = fmt::format("layers.{}.", n);
      const std::string first = norm("norm_1", x, &b.attention_norm, &none);
      const std::string q = linear("q", first, queries, &b.query);
      const std::string k = linear("k", first, keys, &b.key, nullptr, copies);
      const std::string v = linear("v", first, keys, &b.value, nullptr, copies);
      const std::string q_turned = add("q_turned", "rotary", {q}, turns);
      const std::string k_turned = add("k_turned", "rotary", {k}, turns);
      const std::string attention =
          add("attn", "attention", {q_turned, k_turned, v}, {{"heads", s_.heads}});
      const std::string o = linear("o", attention, s_.width, &b.output);
      const std::string middle = add("mid", "add", {x, o});
      const std::string second = norm("norm_2", middle, &b.hidden_norm, &none);
      const std::string gate = linear("gate", second, s_.hidden, &b.gate);
      const std::string up = linear("up", second, s_.hidden, &b.up);
      const std::string unit = add("silu", "silu", {gate});
      const std::string product = add("product", "mul", {unit, up});
      const std::string down = linear("down", product, s_.width, &b.down);
      x = add("sum", "add", {middle, down});
    }
    prefix_.clear();
    head(norm("norm", x, &names_.norm, &none), tied);
  }

  LanguageShape s_;
  std::string where_, prefix_;
  Graph graph_ = Graph::of_tokens();
  LanguageParts<std::string> names_;
};

double option(const Op& op, const char* key) {
  const auto found = op.attributes.find(key);
  return found == op.attributes.end() ? 0 : found->second;
}

// The shape that a graph must have if it is a model: sizes of the first operation of each kind. Not
// all of them need to fit.
LanguageShape shape_of(const Graph& graph, LanguageFamily family) {
  LanguageShape s;
  s.family = family;
  std::vector<const Op*> matrices;
  const auto whole = [](const Op& op, const char* key) {
    return static_cast<int>(option(op, key));
  };
  for (const Op& op : graph.ops) {
    if (op.kind == "embedding") {
      s.vocabulary = whole(op, "vocabulary");
      s.width = whole(op, "width");
      if (family == LanguageFamily::Gpt2) s.positions = whole(op, "positions");
    } else if (op.kind == "attention") {
      ++s.layers;
      s.heads = whole(op, "heads");
      s.head_size = graph.values[static_cast<size_t>(op.value)].features / std::max(s.heads, 1);
    } else if (op.kind == "rotary") {
      s.positions = whole(op, "positions");
      s.theta = option(op, "theta");
      if (option(op, "factor") > 1) {
        s.scaling =
            RotaryScaling{option(op, "factor"), option(op, "low_frequency_factor"),
                          option(op, "high_frequency_factor"), whole(op, "original_positions")};
      }
    } else if (op.kind == "layer_norm" || op.kind == "rms_norm") {
      s.epsilon = option(op, "epsilon");
    } else if (op.kind == "gelu" || op.kind == "silu") {
      s.hidden = graph.values[static_cast<size_t>(op.value)].features;
    } else if (op.kind == "linear" && whole(op, "copies") > 1) {
      s.kv_heads = whole(op, "copies");
    }
  }
  s.kv_heads = s.kv_heads > 0 ? s.heads / s.kv_heads : s.heads;
  return s;
}

// Whether two graphs are the same from their ends on, but for names.
class Comparison {
 public:
  Comparison(const Graph& graph, const Graph& family, std::string where)
      : graph_(graph), family_(family), where_(std::move(where)) {}

  // Value v of the graph is value w of the family. `tells`: an error says where it is not.
  bool same(int v, int w, bool tells) {
    if (v == 0 || w == 0) return v == w ? true : differs(v, tells);
    const auto known = pairs_.find(v);
    if (known != pairs_.end()) return known->second == w ? true : differs(v, tells);
    const Op& a = graph_.ops[static_cast<size_t>(v) - 1];
    const Op& b = family_.ops[static_cast<size_t>(w) - 1];
    if (a.kind != b.kind || a.attributes != b.attributes) return differs(v, tells);
    if (!inputs_same(a, b, tells)) return false;
    for (size_t p = 0; p < a.parameters.size(); ++p) {
      const auto put = parameters_.emplace(b.parameters[p], a.parameters[p]).first;
      if (put->second != a.parameters[p]) return differs(v, tells);
    }
    pairs_[v] = w;
    return true;
  }

  // The name that a parameter of the family has in the graph.
  void rename(std::string* name) const {
    for (const auto& [theirs, mine] : parameters_) {
      if (family_.parameters[theirs].name != *name) continue;
      *name = graph_.parameters[mine].name;
      return;
    }
  }

 private:
  // The order of two inputs does not matter where they are added or multiplied.
  bool inputs_same(const Op& a, const Op& b, bool tells) {
    const auto all = [&](bool swapped, bool say) {
      const size_t count = a.input_values.size();
      for (size_t n = 0; n < count; ++n) {
        if (!same(a.input_values[swapped ? count - 1 - n : n], b.input_values[n], say))
          return false;
      }
      return true;
    };
    if (a.kind != "add" && a.kind != "mul") return all(false, tells);
    const auto before = std::make_pair(pairs_, parameters_);
    for (const bool swapped : {false, true}) {
      if (all(swapped, false)) return true;
      std::tie(pairs_, parameters_) = before;
    }
    return tells && all(false, true);
  }

  bool differs(int v, bool tells) const {
    if (!tells) return false;
    throw BadInput(
        fmt::format("{}: is no model of the family: '{}' is not what stands there in one", where_,
                    graph_.values[static_cast<size_t>(v)].name));
  }

  const Graph& graph_;
  const Graph& family_;
  std::string where_;
  std::map<int, int> pairs_;             // values
  std::map<size_t, size_t> parameters_;  // family's, graph's
};

}  // namespace

FamilyGraph family_graph(const LanguageShape& shape, bool tied, const std::string& where) {
  return Builder(shape, tied, where).take();
}

FamilyGraph family_of(const Graph& graph, LanguageFamily family, const std::string& where) {
  const auto none = [&](const char* what) {
    return BadInput(fmt::format("{}: is no model of the family: it has {}", where, what));
  };
  const LanguageShape shape = shape_of(graph, family);
  if (graph.values.front().element != Value::Element::Token) throw none("no tokens");
  if (shape.layers == 0 || shape.width == 0) throw none("no embedding, or no attention");
  if (shape.hidden == 0 || shape.positions == 0) throw none("no activation, or no positions");
  const auto last = static_cast<size_t>(graph.last_value());
  const bool tied = last > 0 && !graph.ops[last - 1].shared.empty();
  FamilyGraph found = family_graph(shape, tied, where);
  Comparison both(graph, found.graph, where);
  both.same(static_cast<int>(last), found.graph.last_value(), true);
  LanguageParts<std::string>& n = found.names;
  for (std::string* name : {&n.embedding, &n.places, &n.norm, &n.norm_bias, &n.head}) {
    both.rename(name);
  }
  for (auto& b : n.blocks) {
    for (std::string* name :
         {&b.attention_norm, &b.attention_norm_bias, &b.query, &b.key, &b.value, &b.query_bias,
          &b.key_bias, &b.value_bias, &b.output, &b.output_bias, &b.hidden_norm,
          &b.hidden_norm_bias, &b.gate, &b.up, &b.up_bias, &b.down, &b.down_bias}) {
      both.rename(name);
    }
  }
  found.graph = graph;
  return found;
}

}  // namespace ow
