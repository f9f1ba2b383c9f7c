// SPDX-License-Identifier: Apache-2.0
#include "tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "operators.h"

namespace ow::exported {
namespace {

constexpr size_t kMaxViews = 32;  // of a part that is open

constexpr size_t kMaxShown = 12;  // its operators in a message

}  // namespace

void check_inputs(const Node& node, const TensorInputs& inputs) {
  static const std::set<std::string> kTwo = {"Add", "Einsum", "Gather", "Gemm", "MatMul", "Mul"};
  const size_t least = kTwo.count(node.op) != 0 ? 2 : 1;
  for (size_t k = 0; k < least; ++k) {
    if (k >= inputs.size() || inputs[k] == nullptr) node.fail(fmt::format("has no input {}", k));
  }
}

Places counted(size_t n) {
  Places all(n);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

std::vector<Array> numbers(const Node& node, const TensorInputs& inputs) {
  std::vector<const Array*> arrays;
  for (const Tensor* t : inputs) arrays.push_back(t == nullptr ? nullptr : &t->array);
  return evaluate(node, arrays);
}

std::vector<Array> moved_places(const Node& node, const TensorInputs& inputs) {
  std::vector<Array> places;
  places.reserve(inputs.size());
  std::vector<const Array*> arrays;
  Node mover = node;
  if (node.op == "Cast") mover.op = "Identity";
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Tensor* t = inputs[k];
    if (t == nullptr || (k > 0 && node.op != "Concat")) {
      arrays.push_back(t == nullptr ? nullptr : &t->array);
      continue;
    }
    places.push_back({t->array.shape, {t->places->begin(), t->places->end()}, true});
    arrays.push_back(&places.back());
  }
  return evaluate(mover, arrays);
}

std::shared_ptr<const Places> places_in(const Array& array) {
  return std::make_shared<Places>(array.data.begin(), array.data.end());
}

void add_views(const std::vector<View>& from, std::vector<View>* to) {
  for (const View& view : from) {
    const bool there = std::any_of(to->begin(), to->end(), [&](const View& v) {
      return v.value == view.value && v.shape == view.shape && *v.places == *view.places;
    });
    if (!there && to->size() < kMaxViews) to->push_back(view);
  }
}

View turned(const View& view) {
  if (view.shape.size() < 2) return view;
  View out = view;
  std::swap(out.shape[out.shape.size() - 1], out.shape[out.shape.size() - 2]);
  const auto rows = static_cast<size_t>(out.shape[out.shape.size() - 2]);
  const auto columns = static_cast<size_t>(out.shape.back());
  auto places = std::make_shared<Places>(view.places->size());
  for (size_t i = 0; i < places->size(); ++i) {
    const size_t first = i / (rows * columns) * rows * columns;
    const size_t row = i / columns % rows, column = i % columns;
    (*places)[i] = (*view.places)[first + column * rows + row];
  }
  out.places = std::move(places);
  return out;
}

std::vector<View> moved_views(const Node& node, const TensorInputs& inputs) {
  std::vector<View> out;
  if (node.op == "Concat" || node.outputs.size() != 1) return out;
  for (const View& view : inputs[0]->views) {
    if (view.shape != inputs[0]->array.shape) continue;
    Tensor seen;
    seen.array.shape = view.shape;
    seen.places = view.places;
    TensorInputs moved = inputs;
    moved[0] = &seen;
    const Array places = moved_places(node, moved).front();
    out.push_back({view.value, places.shape, places_in(places)});
  }
  return out;
}

std::optional<View> factor(const Tensor& t) {
  if (t.known()) return t.view();
  for (const View& view : t.views) {
    if (t.leaves.size() == 1 && view.shape == t.array.shape) return view;
  }
  return std::nullopt;
}

void refuse(const Tensor& tensor) {
  std::string operators;
  for (size_t n = 0; n < tensor.nodes.size() && n < kMaxShown; ++n) {
    operators += (n == 0 ? "" : ", ") + tensor.nodes[n]->op;
  }
  if (tensor.nodes.size() > kMaxShown) operators += " ..";
  tensor.nodes.front()->fail("begins a part that no kind of layer computes: " + operators);
}

std::shared_ptr<const Constant> constant_of(const Tensor& tensor) {
  auto constant = std::make_shared<Constant>();
  constant->array = tensor.array;
  constant->origin = tensor.origin;
  if (tensor.places) constant->places = *tensor.places;
  return constant;
}

}  // namespace ow::exported
