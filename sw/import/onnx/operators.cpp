// SPDX-License-Identifier: Apache-2.0
#include "operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "operator_parts.h"

namespace ow::exported {
namespace {

template <typename F>
Outputs binary(const Node& node, const Inputs& inputs, bool flag, const F& f) {
  const Array &a = input(node, inputs, 0), &b = input(node, inputs, 1);
  Array out = array(node, joined_shape(node, a.shape, b.shape), flag || (a.whole && b.whole));
  const auto from_a = broadcast(node, a.shape, out.shape);
  const auto from_b = broadcast(node, b.shape, out.shape);
  for (size_t i = 0; i < out.elements(); ++i) {
    out.data[i] = f(a.data[from_a[i]], b.data[from_b[i]]);
    if (out.whole && !flag) out.data[i] = std::trunc(out.data[i]);
  }
  return {std::move(out)};
}

template <typename F>
Outputs unary(const Node& node, const Inputs& inputs, const F& f) {
  Array out = input(node, inputs, 0);
  for (double& x : out.data) x = f(x);
  return {std::move(out)};
}

Outputs where(const Node& node, const Inputs& inputs) {
  const Array &c = input(node, inputs, 0), &a = input(node, inputs, 1), &b = input(node, inputs, 2);
  Array out =
      array(node, joined_shape(node, c.shape, joined_shape(node, a.shape, b.shape)), a.whole);
  const auto from_c = broadcast(node, c.shape, out.shape);
  const auto from_a = broadcast(node, a.shape, out.shape);
  const auto from_b = broadcast(node, b.shape, out.shape);
  for (size_t i = 0; i < out.elements(); ++i) {
    out.data[i] = c.data[from_c[i]] != 0 ? a.data[from_a[i]] : b.data[from_b[i]];
  }
  return {std::move(out)};
}

Outputs matmul(const Node& node, const Inputs& inputs) {
  const Array &a = input(node, inputs, 0), &b = input(node, inputs, 1);
  if (a.rank() < 2 || b.rank() < 2) node.fail("multiplies a vector");
  const Shape lead_a(a.shape.begin(), a.shape.end() - 2),
      lead_b(b.shape.begin(), b.shape.end() - 2);
  Shape shape = joined_shape(node, lead_a, lead_b);
  const auto from_a = broadcast(node, lead_a, shape), from_b = broadcast(node, lead_b, shape);
  const auto rows = static_cast<size_t>(a.shape[a.shape.size() - 2]);
  const auto inner = static_cast<size_t>(a.shape.back());
  const auto columns = static_cast<size_t>(b.shape.back());
  if (static_cast<size_t>(b.shape[b.shape.size() - 2]) != inner) {
    node.fail("multiplies matrices whose sizes do not fit each other");
  }
  const size_t many = from_a.size();
  shape.push_back(static_cast<int64_t>(rows));
  shape.push_back(static_cast<int64_t>(columns));
  Array out = array(node, std::move(shape));
  for (size_t m = 0; m < many; ++m) {
    const double* x = a.data.data() + from_a[m] * rows * inner;
    const double* y = b.data.data() + from_b[m] * inner * columns;
    double* z = out.data.data() + m * rows * columns;
    for (size_t r = 0; r < rows; ++r) {
      for (size_t k = 0; k < inner; ++k) {
        const double v = x[r * inner + k];
        for (size_t c = 0; c < columns; ++c) z[r * columns + c] += v * y[k * columns + c];
      }
    }
  }
  return {std::move(out)};
}

// Sums of products over named axes: "bhid,bhjd->bhij".
Outputs einsum(const Node& node, const Inputs& inputs) {
  const auto found = node.attributes.find("equation");
  std::string text = found == node.attributes.end() ? "" : found->second.s;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const size_t comma = text.find(','), arrow = text.find("->");
  if (inputs.size() != 2 || comma == std::string::npos || arrow == std::string::npos ||
      arrow < comma || text.find('.') != std::string::npos) {
    node.fail("is not a product of two arrays with all axes named");
  }
  const std::string names[] = {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1),
                               text.substr(arrow + 2)};
  std::map<char, int64_t> sizes;
  for (size_t k = 0; k < 2; ++k) {
    const Array& a = input(node, inputs, k);
    if (names[k].size() != a.shape.size()) node.fail("names another number of axes");
    for (size_t n = 0; n < names[k].size(); ++n) {
      if (!sizes.emplace(names[k][n], a.shape[n]).second && sizes[names[k][n]] != a.shape[n]) {
        node.fail("has inputs whose shapes do not fit each other");
      }
    }
  }
  // All axes, those that are summed last.
  std::string all = names[2];
  for (const auto& [name, size] : sizes) {
    if (all.find(name) == std::string::npos) all += name;
  }
  if (all.size() != sizes.size()) node.fail("names an axis of the result twice");
  Shape shape, out_shape;
  for (const char name : all) shape.push_back(sizes[name]);
  out_shape.assign(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(names[2].size()));
  const auto steps_of = [&](const std::string& own) {
    Shape steps(all.size(), 0);
    int64_t step = 1;
    for (size_t n = own.size(); n-- > 0;) {
      steps[all.find(own[n])] += step;
      step *= sizes[own[n]];
    }
    return steps;
  };
  const Shape a_steps = steps_of(names[0]), b_steps = steps_of(names[1]), to = steps_of(names[2]);
  const size_t count = count_of(node, shape);
  Array out = array(node, out_shape);
  Shape at(shape.size(), 0);
  int64_t a = 0, b = 0, o = 0;
  for (size_t i = 0; i < count; ++i) {
    out.data[static_cast<size_t>(o)] +=
        inputs[0]->data[static_cast<size_t>(a)] * inputs[1]->data[static_cast<size_t>(b)];
    for (size_t k = shape.size(); k-- > 0;) {
      a += a_steps[k];
      b += b_steps[k];
      o += to[k];
      if (++at[k] < shape[k]) break;
      a -= a_steps[k] * shape[k];
      b -= b_steps[k] * shape[k];
      o -= to[k] * shape[k];
      at[k] = 0;
    }
  }
  return {std::move(out)};
}

// Means and sums over axes.
Outputs reduce(const Node& node, const Inputs& inputs, bool mean) {
  const Array& a = input(node, inputs, 0);
  std::set<size_t> axes = axes_of(node, inputs, 1, a.rank());
  if (axes.empty()) {
    for (size_t k = 0; k < a.shape.size(); ++k) axes.insert(k);
  }
  Shape kept = a.shape, shape;
  size_t each = 1;
  for (size_t k = 0; k < a.shape.size(); ++k) {
    if (axes.count(k) == 0) {
      shape.push_back(a.shape[k]);
      continue;
    }
    each *= static_cast<size_t>(a.shape[k]);
    kept[k] = 1;
    if (node.whole("keepdims", 1) != 0) shape.push_back(1);
  }
  Array out = array(node, kept);
  const auto to = broadcast(node, kept, a.shape);
  for (size_t i = 0; i < a.elements(); ++i) out.data[to[i]] += a.data[i];
  for (double& x : out.data) x = mean ? x / static_cast<double>(each) : x;
  out.shape = shape;
  return {std::move(out)};
}

Outputs softmax(const Node& node, const Inputs& inputs) {
  Array out = input(node, inputs, 0);
  const Around around(out.shape, axis_of(node, node.whole("axis", -1), out.rank()));
  if (around.after != 1) node.fail("is not over the last axis");
  for (size_t b = 0; b < around.before; ++b) {
    double* row = out.data.data() + b * around.size;
    const double most = *std::max_element(row, row + around.size);
    double sum = 0;
    for (size_t k = 0; k < around.size; ++k) sum += row[k] = std::exp(row[k] - most);
    for (size_t k = 0; k < around.size; ++k) row[k] /= sum;
  }
  return {std::move(out)};
}

Outputs trilu(const Node& node, const Inputs& inputs) {
  Array out = input(node, inputs, 0);
  if (out.rank() < 2) node.fail("takes a triangle of a vector");
  const int64_t offset = given(inputs, 1) ? static_cast<int64_t>(inputs[1]->data.at(0)) : 0;
  const bool upper = node.whole("upper", 1) != 0;
  const int64_t columns = out.shape.back(), rows = out.shape[out.shape.size() - 2];
  for (size_t i = 0; i < out.elements(); ++i) {
    const int64_t c = static_cast<int64_t>(i) % columns;
    const int64_t r = static_cast<int64_t>(i) / columns % rows;
    if (upper ? c < r + offset : c > r + offset) out.data[i] = 0;
  }
  return {std::move(out)};
}

Outputs range(const Node& node, const Inputs& inputs) {
  const double first = input(node, inputs, 0).data.at(0), end = input(node, inputs, 1).data.at(0);
  const double step = input(node, inputs, 2).data.at(0);
  if (step == 0) node.fail("goes on without end");
  const double count = std::max(0.0, std::ceil((end - first) / step));
  if (!(count <= static_cast<double>(kMaxElements))) node.fail("gives too many elements");
  Array out = array(node, {static_cast<int64_t>(count)}, input(node, inputs, 0).whole);
  for (size_t k = 0; k < out.elements(); ++k) out.data[k] = first + static_cast<double>(k) * step;
  return {std::move(out)};
}

Outputs constant(const Node& node, const Inputs&) {
  for (const auto& [key, a] : node.attributes) {
    if (key == "value") return {a.tensor};
    Array out;
    out.whole = key == "value_int" || key == "value_ints";
    if (key == "value_float") out.data = {a.f};
    if (key == "value_int") out.data = {static_cast<double>(a.i)};
    if (key == "value_ints") {
      out.shape = {static_cast<int64_t>(a.ints.size())};
      out.data.assign(a.ints.begin(), a.ints.end());
    }
    if (!out.data.empty()) return {std::move(out)};
  }
  node.fail("holds a constant of a type that is not read");
}

Outputs constant_of_shape(const Node& node, const Inputs& inputs) {
  const auto found = node.attributes.find("value");
  const bool there = found != node.attributes.end() && found->second.tensor.elements() == 1;
  Array out =
      array(node, whole_numbers(input(node, inputs, 0)), there && found->second.tensor.whole);
  std::fill(out.data.begin(), out.data.end(), there ? found->second.tensor.data[0] : 0.0);
  return {std::move(out)};
}

Outputs cast(const Node& node, const Inputs& inputs) {
  constexpr int64_t kFloat = 1, kFloat16 = 10, kDouble = 11, kBfloat16 = 16, kBool = 9;
  const int64_t to = node.whole("to", kFloat);
  Array out = input(node, inputs, 0);
  out.whole = to != kFloat && to != kDouble && to != kFloat16 && to != kBfloat16;
  if (!out.whole) return {std::move(out)};
  for (double& x : out.data) x = to == kBool ? (x != 0 ? 1 : 0) : std::trunc(x);
  return {std::move(out)};
}

Outputs shape_of(const Node& node, const Inputs& inputs) {
  const Array& a = input(node, inputs, 0);
  Array out = array(node, {a.rank()}, true);
  std::copy(a.shape.begin(), a.shape.end(), out.data.begin());
  return {std::move(out)};
}

template <typename F>
Operator two(const F& f, bool flag = false) {
  return [f, flag](const Node& n, const Inputs& in) { return binary(n, in, flag, f); };
}
template <typename F>
Operator one(const F& f) {
  return [f](const Node& n, const Inputs& in) { return unary(n, in, f); };
}

const std::map<std::string, Operator>& operators() {
  static const std::map<std::string, Operator> all = {
      {"Add", two([](double a, double b) { return a + b; })},
      {"Sub", two([](double a, double b) { return a - b; })},
      {"Mul", two([](double a, double b) { return a * b; })},
      {"Div", two([](double a, double b) { return a / b; })},
      {"Pow", two([](double a, double b) { return std::pow(a, b); })},
      {"Min", two([](double a, double b) { return std::min(a, b); })},
      {"Max", two([](double a, double b) { return std::max(a, b); })},
      {"Equal", two([](double a, double b) { return a == b; }, true)},
      {"Less", two([](double a, double b) { return a < b; }, true)},
      {"LessOrEqual", two([](double a, double b) { return a <= b; }, true)},
      {"Greater", two([](double a, double b) { return a > b; }, true)},
      {"GreaterOrEqual", two([](double a, double b) { return a >= b; }, true)},
      {"And", two([](double a, double b) { return a != 0 && b != 0; }, true)},
      {"Or", two([](double a, double b) { return a != 0 || b != 0; }, true)},
      {"Not", one([](double x) { return x == 0 ? 1.0 : 0.0; })},
      {"Neg", one([](double x) { return -x; })},
      {"Abs", one([](double x) { return std::fabs(x); })},
      {"Sqrt", one([](double x) { return std::sqrt(x); })},
      {"Reciprocal", one([](double x) { return 1 / x; })},
      {"Exp", one([](double x) { return std::exp(x); })},
      {"Log", one([](double x) { return std::log(x); })},
      {"Cos", one([](double x) { return std::cos(x); })},
      {"Sin", one([](double x) { return std::sin(x); })},
      {"Erf", one([](double x) { return std::erf(x); })},
      {"Tanh", one([](double x) { return std::tanh(x); })},
      {"Sigmoid", one([](double x) { return 1 / (1 + std::exp(-x)); })},
      {"Relu", one([](double x) { return std::max(x, 0.0); })},
      {"Where", where},
      {"MatMul", matmul},
      {"Einsum", einsum},
      {"ReduceMean", [](const Node& n, const Inputs& in) { return reduce(n, in, true); }},
      {"ReduceSum", [](const Node& n, const Inputs& in) { return reduce(n, in, false); }},
      {"Softmax", softmax},
      {"Trilu", trilu},
      {"Range", range},
      {"Constant", constant},
      {"ConstantOfShape", constant_of_shape},
      {"Cast", cast},
      {"Shape", shape_of}};
  return all;
}

}  // namespace

std::vector<Array> evaluate(const Node& node, const Inputs& inputs) {
  for (const auto* all : {&operators(), &moving_operators()}) {
    const auto found = all->find(node.op);
    if (found == all->end()) continue;
    try {
      return found->second(node, inputs);
    } catch (const std::out_of_range&) {
      node.fail("has an input with too few elements");
    }
  }
  node.fail("is an operator that no pattern of a network has");
}

}  // namespace ow::exported
