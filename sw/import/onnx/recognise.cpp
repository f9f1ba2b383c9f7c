// SPDX-License-Identifier: Apache-2.0
// Goes through a file's nodes with drawn numbers. A tensor is a constant, a view of a value that is
// known, or open: computed from known ones by what is no kind of layer so far. An open tensor whose
// numbers are those of a kind becomes a value of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "operators.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/base/text.h"
#include "tensor.h"

namespace ow::exported {
namespace {

constexpr int64_t kMaxTokens = 1 << 16;

class Recogniser {
 public:
  Recogniser(const Model& model, int tokens) : model_(model), rng_(1) {
    out_.file = model.file;
    if (model.input_shape.size() != 2) fail("must have an input [sequences, tokens]");
    const int64_t many = model.input_shape[0] < 0 ? 1 : model.input_shape[0];
    const int64_t each = model.input_shape[1] < 0 ? tokens : model.input_shape[1];
    if (many < 1 || each < 2 || many * each > kMaxTokens) {
      fail(fmt::format("has an input of {} sequences of {} tokens: 2 to {} tokens in all", many,
                       each, kMaxTokens));
    }
    out_.slots = static_cast<size_t>(many * each);
    out_.tokens = static_cast<size_t>(each);
    for (const auto& [name, array] : model.constants) {
      add_constant(name, array, name, std::make_shared<Places>(counted(array.elements())));
    }
    Value input;
    input.probe.assign(out_.slots, 0);
    out_.all.push_back(input);
    Tensor& tensor = tensors_[model.input];
    tensor.array = {{many, each}, input.probe, true};
    tensor.value = 0;
    tensor.places = std::make_shared<Places>(counted(out_.slots));
  }

  Values run() {
    for (const Node& node : model_.nodes) step(node);
    const auto found = tensors_.find(model_.output);
    if (found == tensors_.end()) fail("its output is given by no node");
    const Tensor& last = found->second;
    if (last.open()) refuse(last);
    if (!last.known() || value(last).kind != Value::Kind::Linear || !whole_rows(last.view())) {
      fail(fmt::format("its output '{}' is no layer's logits for each token",
                       printable_text(model_.output)));
    }
    out_.logits = last.value;
    out_.constants = model_.constants;
    for (const Node& node : model_.nodes) {
      if (copies_constant(node)) out_.constants[node.outputs[0]] = tensors_[node.outputs[0]].array;
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("{}: {}", model_.file, what));
  }

  const Value& value(const Tensor& tensor) const {
    return out_.all[static_cast<size_t>(tensor.value)];
  }

  // All features of a value in each row, in their order.
  bool whole_rows(const View& view) const {
    const size_t features = out_.all[static_cast<size_t>(view.value)].features;
    const auto row = features_of_rows(view, features, out_.slots);
    return row && *row == counted(features);
  }

  void add_constant(const std::string& name, Array array, const std::string& origin = "",
                    std::shared_ptr<const Places> places = nullptr) {
    Tensor& tensor = tensors_[name];
    tensor.array = std::move(array);
    tensor.origin = origin;
    tensor.places = std::move(places);
  }

  // A new value, and the tensor that is this view of it. Its numbers are drawn: of sizes from small
  // to large, slot by slot, so that an epsilon shows and so does what is not linear.
  void add_value(const std::string& name, Value value, std::vector<int64_t> shape,
                 std::shared_ptr<const Places> places) {
    value.probe.resize(out_.slots * value.features);
    for (size_t slot = 0; slot < out_.slots; ++slot) {
      const double size = std::pow(10.0, -2 + 2.5 * rng_.uniform());
      for (size_t k = 0; k < value.features; ++k) {
        value.probe[slot * value.features + k] = size * (4 * rng_.uniform() - 2);
      }
    }
    Tensor& tensor = tensors_[name];
    tensor = {};
    tensor.array.shape = std::move(shape);
    for (const size_t place : *places) tensor.array.data.push_back(value.probe[place]);
    tensor.places = std::move(places);
    tensor.value = static_cast<int>(out_.all.size());
    out_.all.push_back(std::move(value));
  }

  TensorInputs inputs_of(const Node& node) const {
    TensorInputs inputs;
    for (const std::string& name : node.inputs) {
      const auto found = tensors_.find(name);
      if (!name.empty() && found == tensors_.end()) {
        node.fail(fmt::format("takes '{}', which no node above gives", printable_text(name)));
      }
      inputs.push_back(name.empty() ? nullptr : &found->second);
    }
    return inputs;
  }

  void step(const Node& node) {
    if (node.outputs.empty()) node.fail("gives nothing");
    const TensorInputs inputs = inputs_of(node);
    const bool all_constant = std::all_of(inputs.begin(), inputs.end(), [](const Tensor* t) {
      return t == nullptr || t->constant();
    });
    if (all_constant || node.op == "Shape") return fold(node, inputs);
    check_inputs(node, inputs);
    if (lookup(node, inputs) || linear(node, inputs) || vector_added(node, inputs) ||
        normalised(node, inputs) || pair(node, inputs) || moved(node, inputs)) {
      return;
    }
    compute(node, inputs);
  }

  // A parameter with the numbers of another one, which the exporter keeps once: not shared.
  bool copies_constant(const Node& node) const {
    return node.op == "Identity" && model_.constants.count(node.inputs[0]) != 0;
  }

  void fold(const Node& node, const TensorInputs& inputs) {
    std::vector<Array> arrays = numbers(node, inputs);
    std::vector<Array> places;
    const bool from = !inputs.empty() && inputs[0] != nullptr && inputs[0]->places &&
                      inputs[0]->constant() && moves(node) && node.op != "Concat";
    if (from) places = moved_places(node, inputs);
    const bool named = copies_constant(node);
    for (size_t k = 0; k < arrays.size() && k < node.outputs.size(); ++k) {
      const std::string& name = node.outputs[k];
      add_constant(name, std::move(arrays[k]),
                   named  ? name
                   : from ? inputs[0]->origin
                          : "",
                   from ? places_in(places[k]) : nullptr);
    }
  }

  // Rows of a table by tokens.
  bool lookup(const Node& node, const TensorInputs& inputs) {
    if (node.op != "Gather" || !inputs[0]->constant() || inputs[1]->value != 0) return false;
    if (inputs[0]->array.rank() != 2 || node.whole("axis", 0) != 0 ||
        *inputs[1]->places != counted(out_.slots)) {
      node.fail("looks tokens up in what is no table [tokens, features]");
    }
    Value v;
    v.kind = Value::Kind::Embedding;
    v.node = &node;
    v.first = constant_of(*inputs[0]);
    v.features = static_cast<size_t>(inputs[0]->array.shape[1]);
    std::vector<int64_t> shape = inputs[1]->array.shape;
    shape.push_back(inputs[0]->array.shape[1]);
    const size_t elements = out_.slots * v.features;
    add_value(node.outputs[0], std::move(v), std::move(shape),
              std::make_shared<Places>(counted(elements)));
    return true;
  }

  // A product with a constant matrix.
  bool linear(const Node& node, const TensorInputs& inputs) {
    const bool gemm = node.op == "Gemm";
    if ((!gemm && node.op != "MatMul") || !inputs[1]->constant() || inputs[1]->array.rank() != 2) {
      return false;
    }
    const Tensor& x = *inputs[0];
    if (x.open()) refuse(x);
    const bool plain =
        node.real("alpha", 1) == 1 && node.real("beta", 1) == 1 && node.whole("transA", 0) == 0;
    const auto list = features_of_rows(x.view(), value(x).features, out_.slots);
    if (!plain || !list || x.value == 0) {
      node.fail("multiplies a matrix with what is not, row by row, the features of the tokens");
    }
    // [outputs, inputs].
    Tensor weight = *inputs[1];
    if (!gemm || node.whole("transB", 0) == 0) {
      Node turn;
      turn.op = "Transpose";
      const TensorInputs one = {&weight};
      const Array numbers_turned = numbers(turn, one).front();
      if (weight.places) weight.places = places_in(moved_places(turn, one).front());
      weight.array = numbers_turned;
    }
    Value v;
    v.kind = Value::Kind::Linear;
    v.node = &node;
    v.sources = {x.value};
    v.lists = {*list};
    v.first = constant_of(weight);
    v.features = static_cast<size_t>(weight.array.shape[0]);
    if (weight.array.shape[1] != x.array.shape.back()) node.fail("has a matrix of another size");
    if (gemm && inputs.size() > 2 && inputs[2] != nullptr) {
      if (!inputs[2]->constant() || inputs[2]->array.elements() != v.features) {
        node.fail("adds what is no bias");
      }
      v.second = constant_of(*inputs[2]);
    }
    std::vector<int64_t> shape = x.array.shape;
    shape.back() = weight.array.shape[0];
    const size_t elements = out_.slots * v.features;
    add_value(node.outputs[0], std::move(v), std::move(shape),
              std::make_shared<Places>(counted(elements)));
    return true;
  }

  // The element of a constant that meets each feature (and position, if `rows`) of a view: none if
  // several do.
  std::optional<Constant> by_feature(const Node& node, const Tensor& x, const Tensor& c,
                                     size_t rows) const {
    const size_t features = value(x).features;
    const auto from = broadcast(node, c.array.shape, x.array.shape);
    constexpr size_t kNone = SIZE_MAX;
    Places element(rows * features, kNone);
    for (size_t i = 0; i < from.size(); ++i) {
      const size_t place = (*x.places)[i];
      size_t& e = element[place / features % out_.tokens % rows * features + place % features];
      if (e != kNone && e != from[i]) return std::nullopt;
      e = from[i];
    }
    Constant out;
    out.origin = c.origin;
    out.array.shape = {static_cast<int64_t>(rows), static_cast<int64_t>(features)};
    for (const size_t e : element) {
      if (e == kNone) return std::nullopt;
      out.array.data.push_back(c.array.data[e]);
      if (c.places) out.places.push_back((*c.places)[e]);
    }
    return out;
  }

  // A bias after a matrix, positions after a table, gain and bias after a norm: the same value with
  // a parameter more.
  bool vector_added(const Node& node, const TensorInputs& inputs) {
    if ((node.op != "Add" && node.op != "Mul") || inputs[0]->constant() == inputs[1]->constant()) {
      return false;
    }
    const Tensor& x = inputs[0]->constant() ? *inputs[1] : *inputs[0];
    const Tensor& c = inputs[0]->constant() ? *inputs[0] : *inputs[1];
    if (!x.known() || c.array.elements() < 2 || c.array.rank() > x.array.rank()) return false;
    using Kind = Value::Kind;
    Value v = value(x);
    const bool add = node.op == "Add";
    const bool gain = v.kind == Kind::Norm && !add && !v.first && !v.second;
    const bool bias =
        (v.kind == Kind::Linear && add && !v.second) ||
        (v.kind == Kind::Norm && add && v.first && !v.second && v.layer == "layer_norm");
    const bool places = v.kind == Kind::Embedding && add && !v.second;
    if (!gain && !bias && !places) return false;
    const size_t rows = places ? out_.tokens : 1;
    if (c.array.elements() != rows * v.features) return false;
    const auto constant = by_feature(node, x, c, rows);
    if (!constant) return false;
    (gain ? v.first : v.second) = std::make_shared<Constant>(*constant);
    v.node = &node;
    const View view = x.view();
    add_value(node.outputs[0], std::move(v), view.shape, view.places);
    return true;
  }

  bool normalised(const Node& node, const TensorInputs& inputs) {
    if (node.op != "LayerNormalization") return false;
    const Tensor& x = *inputs[0];
    if (x.open()) refuse(x);
    const int64_t axis = node.whole("axis", -1);
    const bool last = axis == -1 || axis + 1 == x.array.rank();
    if (!x.known() || !last || !whole_rows(x.view())) {
      node.fail("normalises what is not all features of a token");
    }
    Value v;
    v.kind = Value::Kind::Norm;
    v.layer = "layer_norm";
    v.node = &node;
    v.sources = {x.value};
    v.features = value(x).features;
    v.epsilon = std::stod(fmt::format("{:.6g}", node.real("epsilon", 1e-5)));
    for (size_t k = 1; k < inputs.size() && k < 3; ++k) {
      if (inputs[k] == nullptr) continue;
      if (!inputs[k]->constant() || inputs[k]->array.elements() != v.features) {
        node.fail("has a gain or a bias that is no vector of the features");
      }
      (k == 1 ? v.first : v.second) = constant_of(*inputs[k]);
    }
    const View view = x.view();
    add_value(node.outputs[0], std::move(v), view.shape, view.places);
    return true;
  }

  // Sum or product of two values.
  bool pair(const Node& node, const TensorInputs& inputs) {
    const bool add = node.op == "Add";
    if (!add && node.op != "Mul") return false;
    const Tensor &a = *inputs[0], &b = *inputs[1];
    if (!a.known() || !b.known() || a.value == b.value || a.value == 0 || b.value == 0 ||
        a.array.shape != b.array.shape || *a.places != *b.places ||
        value(a).features != value(b).features) {
      return false;
    }
    Value v;
    v.kind = Value::Kind::Pair;
    v.layer = add ? "add" : "mul";
    v.node = &node;
    v.sources = {a.value, b.value};
    v.features = value(a).features;
    const View view = a.view();
    add_value(node.outputs[0], std::move(v), view.shape, view.places);
    return true;
  }

  bool moved(const Node& node, const TensorInputs& inputs) {
    if (!moves(node)) return false;
    const bool all = node.op == "Concat";
    const int v = inputs[0] == nullptr ? -1 : inputs[0]->value;
    if (v < 0) return false;
    for (size_t k = 1; k < inputs.size(); ++k) {
      if (inputs[k] != nullptr && (all ? inputs[k]->value != v : !inputs[k]->constant())) {
        return false;
      }
    }
    std::vector<Array> arrays = numbers(node, inputs), places = moved_places(node, inputs);
    for (size_t k = 0; k < arrays.size() && k < node.outputs.size(); ++k) {
      Tensor tensor;
      tensor.array = std::move(arrays[k]);
      tensor.value = v;
      tensor.places = places_in(places[k]);
      for (const Tensor* t : inputs) {
        if (t == nullptr || !t->known()) continue;
        add_views({t->view()}, &tensor.views);
        add_views(t->views, &tensor.views);
      }
      tensors_[node.outputs[k]] = std::move(tensor);
    }
    return true;
  }

  static bool multiplies(const Node& node) { return node.op == "MatMul" || node.op == "Einsum"; }

  void compute(const Node& node, const TensorInputs& inputs) {
    std::vector<Array> arrays = numbers(node, inputs);
    Tensor open;
    for (const Tensor* t : inputs) {
      if (t == nullptr || t->constant()) continue;
      if (t->known()) open.leaves.insert(t->value);
      open.leaves.insert(t->leaves.begin(), t->leaves.end());
      if (t->known()) add_views({t->view()}, &open.views);
      add_views(t->views, &open.views);
      if (open.product.empty()) open.product = t->product;
      for (const Node* before : t->nodes) {
        const bool there =
            std::find(open.nodes.begin(), open.nodes.end(), before) != open.nodes.end();
        if (!there) open.nodes.push_back(before);
      }
    }
    open.nodes.push_back(&node);
    std::sort(open.nodes.begin(), open.nodes.end());  // as in the file
    if (multiplies(node) && open.product.empty()) {
      const auto a = factor(*inputs[0]);
      auto b = factor(*inputs[1]);
      // Keys as a matrix product has them.
      if (b && node.op == "Einsum") *b = turned(*b);
      if (a && b) open.product = {*a, *b};
    }
    if (inputs.size() > 0 && inputs[0] != nullptr && moves(node)) {
      add_views(moved_views(node, inputs), &open.views);
    }
    for (size_t k = 0; k < arrays.size() && k < node.outputs.size(); ++k) {
      open.array = std::move(arrays[k]);
      if (open.array.elements() > 0 && arrays.size() == 1) {
        if (attention(node, inputs, open) || of_one_value(node, open)) continue;
      }
      tensors_[node.outputs[k]] = open;
    }
  }

  bool of_one_value(const Node& node, const Tensor& open) {
    if (open.leaves.size() != 1 || *open.leaves.begin() == 0) return false;
    for (const View& view : open.views) {
      if (view.shape != open.array.shape) continue;
      const Value& from = out_.all[static_cast<size_t>(view.value)];
      const bool all = view.places->size() == from.probe.size();
      const Sample sample{from, view, out_.tokens, open.array.data};
      Value v;
      v.node = &node;
      v.sources = {view.value};
      v.features = from.features;
      if (const auto kind = all ? element_kind(sample) : std::nullopt) {
        if (kind->empty()) {
          Tensor same;
          same.array = open.array;
          same.value = view.value;
          same.places = view.places;
          tensors_[node.outputs[0]] = std::move(same);
          return true;
        }
        v.kind = Value::Kind::Element;
        v.layer = *kind;
      } else if (const auto norm = norm_kind(sample, out_.slots)) {
        v.kind = Value::Kind::Norm;
        v.layer = norm->centred ? "layer_norm" : "rms_norm";
        v.epsilon = norm->epsilon;
        if (!whole_rows(view)) continue;
      } else if (auto turns = rotation_kind(sample)) {
        v.kind = Value::Kind::Rotary;
        v.theta = turns->theta;
        v.lists = std::move(turns->heads);
      } else {
        continue;
      }
      const View seen = view;
      add_value(node.outputs[0], std::move(v), seen.shape, seen.places);
      return true;
    }
    return false;
  }

  bool attention(const Node& node, const TensorInputs& inputs, const Tensor& open) {
    if (!multiplies(node) || open.product.size() != 2 || !inputs[1]->known()) return false;
    const View queries = open.product[0], keys = open.product[1], values = inputs[1]->view();
    if (queries.shape.size() < 3 || open.array.elements() != queries.places->size()) return false;
    const auto of = [&](const View& view) -> const Value& {
      return out_.all[static_cast<size_t>(view.value)];
    };
    if (!is_attention(of(queries), queries, of(keys), keys, of(values), values, open.array.data)) {
      return false;
    }
    const View seen = turned(keys);  // with the axes of queries
    const auto h = static_cast<size_t>(seen.shape.back());
    const auto t = static_cast<size_t>(seen.shape[seen.shape.size() - 2]);
    // A token's query, key and value, and whole sequences.
    for (size_t i = 0; i < seen.places->size(); ++i) {
      const size_t slot = (*queries.places)[i] / of(queries).features;
      if ((*seen.places)[i] / of(keys).features != slot || t != out_.tokens ||
          (*values.places)[i] / of(values).features != slot || slot % t != i / h % t) {
        return false;
      }
    }
    std::vector<std::vector<Places>> lists;
    for (const View& view : {queries, seen, values}) {
      const auto heads = heads_of(view, of(view).features);
      if (!heads) return false;
      lists.push_back(*heads);
    }
    // A head for each different list of the queries.
    Value v;
    v.kind = Value::Kind::Attention;
    v.node = &node;
    v.sources = {queries.value, keys.value, values.value};
    v.heads.resize(3);
    std::vector<size_t> head_at;
    for (size_t n = 0; n < lists[0].size(); ++n) {
      auto& known = v.heads[0];
      const auto found = std::find(known.begin(), known.end(), lists[0][n]);
      head_at.push_back(static_cast<size_t>(found - known.begin()));
      if (found == known.end()) {
        for (size_t part = 0; part < 3; ++part) v.heads[part].push_back(lists[part][n]);
      } else if (v.heads[1][head_at[n]] != lists[1][n] || v.heads[2][head_at[n]] != lists[2][n]) {
        return false;
      }
    }
    v.features = v.heads[0].size() * h;
    const size_t source_features = of(queries).features, features = v.features;
    auto out = std::make_shared<Places>(open.array.elements());
    for (size_t i = 0; i < out->size(); ++i) {
      const size_t slot = (*queries.places)[i] / source_features;
      (*out)[i] = slot * features + head_at[i / (t * h)] * h + i % h;
    }
    add_value(node.outputs[0], std::move(v), open.array.shape, std::move(out));
    return true;
  }

  const Model& model_;
  Values out_;
  std::map<std::string, Tensor> tensors_;
  Rng rng_;
};

}  // namespace

Values recognise(const Model& model, int tokens) { return Recogniser(model, tokens).run(); }

}  // namespace ow::exported
