// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, and what all operators share.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "operator_parts.h"
#include "operators.h"

namespace ow::exported {
namespace {

Outputs reshape(const Node& node, const Inputs& inputs) {
  const Array& a = input(node, inputs, 0);
  Shape shape = whole_numbers(input(node, inputs, 1));
  int64_t known = 1;
  size_t free = shape.size();
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 0 && node.whole("allowzero", 0) == 0 && k < a.shape.size()) {
      shape[k] = a.shape[k];
    }
    if (shape[k] == -1) {
      free = k;
    } else {
      known *= shape[k];
    }
  }
  const auto all = static_cast<int64_t>(a.elements());
  if (free < shape.size() && known > 0) shape[free] = all / known;
  if (count_of(node, shape) != a.elements()) node.fail("changes the number of elements");
  Array out = a;
  out.shape = shape;
  return {std::move(out)};
}

Outputs transpose(const Node& node, const Inputs& inputs) {
  const Array& a = input(node, inputs, 0);
  Shape order;
  const auto found = node.attributes.find("perm");
  if (found != node.attributes.end()) {
    order = found->second.ints;
  } else {
    for (int64_t k = a.rank(); k-- > 0;) order.push_back(k);
  }
  if (order.size() != a.shape.size()) node.fail("has an order of another number of axes");
  Shape strides(a.shape.size(), 1), shape;
  for (size_t k = a.shape.size(); k-- > 1;) strides[k - 1] = strides[k] * a.shape[k];
  Shape steps;
  for (const int64_t axis : order) {
    const size_t at = axis_of(node, axis, a.rank());
    shape.push_back(a.shape[at]);
    steps.push_back(strides[at]);
  }
  Array out = array(node, shape, a.whole);
  Shape at(shape.size(), 0);
  int64_t from = 0;
  for (double& x : out.data) {
    x = a.data[static_cast<size_t>(from)];
    for (size_t k = shape.size(); k-- > 0;) {
      from += steps[k];
      if (++at[k] < shape[k]) break;
      from -= steps[k] * shape[k];
      at[k] = 0;
    }
  }
  return {std::move(out)};
}

// Elements first, first + step .. of an axis.
Array slice_axis(const Node& node, const Array& a, size_t axis, int64_t first, int64_t step,
                 int64_t count) {
  Shape shape = a.shape;
  shape[axis] = count;
  Array out = array(node, shape, a.whole);
  const Around from(a.shape, axis), to(shape, axis);
  for (size_t b = 0; b < to.before; ++b) {
    for (size_t k = 0; k < to.size; ++k) {
      const auto at = static_cast<size_t>(first + static_cast<int64_t>(k) * step);
      std::copy_n(a.data.begin() + static_cast<std::ptrdiff_t>((b * from.size + at) * from.after),
                  to.after,
                  out.data.begin() + static_cast<std::ptrdiff_t>((b * to.size + k) * to.after));
    }
  }
  return out;
}

Outputs slice(const Node& node, const Inputs& inputs) {
  Array out = input(node, inputs, 0);
  const Shape starts = whole_numbers(input(node, inputs, 1));
  const Shape ends = whole_numbers(input(node, inputs, 2));
  for (size_t k = 0; k < starts.size(); ++k) {
    const int64_t named =
        given(inputs, 3) ? whole_numbers(*inputs[3]).at(k) : static_cast<int64_t>(k);
    const int64_t step = given(inputs, 4) ? whole_numbers(*inputs[4]).at(k) : 1;
    const size_t axis = axis_of(node, named, out.rank());
    const int64_t size = out.shape[axis];
    if (step < 1 || k >= ends.size()) node.fail("takes elements in descending order");
    const auto place = [&](int64_t x) {
      return std::clamp<int64_t>(x < 0 ? x + size : x, 0, size);
    };
    const int64_t first = place(starts[k]), last = place(ends[k]);
    out = slice_axis(node, out, axis, first, step,
                     std::max<int64_t>(0, (last - first + step - 1) / step));
  }
  return {std::move(out)};
}

Outputs split(const Node& node, const Inputs& inputs) {
  const Array& a = input(node, inputs, 0);
  const size_t axis = axis_of(node, node.whole("axis", 0), a.rank());
  Shape sizes;
  const auto found = node.attributes.find("split");
  if (found != node.attributes.end()) sizes = found->second.ints;
  if (given(inputs, 1)) sizes = whole_numbers(*inputs[1]);
  if (sizes.empty()) {
    const auto parts = static_cast<int64_t>(node.outputs.size());
    sizes.assign(node.outputs.size(), a.shape[axis] / std::max<int64_t>(parts, 1));
  }
  if (std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != a.shape[axis]) {
    node.fail("has parts of other sizes than its axis");
  }
  Outputs outputs;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    outputs.push_back(slice_axis(node, a, axis, first, 1, size));
    first += size;
  }
  return outputs;
}

Outputs concat(const Node& node, const Inputs& inputs) {
  const Array& first = input(node, inputs, 0);
  const size_t axis = axis_of(node, node.whole("axis", 0), first.rank());
  Shape shape = first.shape;
  shape[axis] = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Array& part = input(node, inputs, k);
    if (part.rank() != first.rank()) node.fail("joins arrays of different ranks");
    for (size_t at = 0; at < shape.size(); ++at) {
      if (at != axis && part.shape[at] != first.shape[at])
        node.fail("joins arrays that do not fit");
    }
    shape[axis] += part.shape[axis];
  }
  Array out = array(node, shape, first.whole);
  const Around to(shape, axis);
  size_t at = 0;
  for (const Array* part : inputs) {
    const Around from(part->shape, axis);
    for (size_t b = 0; b < from.before; ++b) {
      std::copy_n(part->data.begin() + static_cast<std::ptrdiff_t>(b * from.size * from.after),
                  from.size * from.after,
                  out.data.begin() + static_cast<std::ptrdiff_t>((b * to.size + at) * to.after));
    }
    at += from.size;
  }
  return {std::move(out)};
}

Outputs squeeze(const Node& node, const Inputs& inputs) {
  Array out = input(node, inputs, 0);
  const auto axes = axes_of(node, inputs, 1, out.rank());
  Shape shape;
  for (size_t k = 0; k < out.shape.size(); ++k) {
    const bool goes = axes.empty() ? out.shape[k] == 1 : axes.count(k) != 0;
    if (goes && out.shape[k] != 1) node.fail("drops an axis of several elements");
    if (!goes) shape.push_back(out.shape[k]);
  }
  out.shape = shape;
  return {std::move(out)};
}

Outputs unsqueeze(const Node& node, const Inputs& inputs) {
  Array out = input(node, inputs, 0);
  Shape axes;
  const auto found = node.attributes.find("axes");
  if (found != node.attributes.end()) axes = found->second.ints;
  if (given(inputs, 1)) axes = whole_numbers(*inputs[1]);
  const int64_t rank = out.rank() + static_cast<int64_t>(axes.size());
  std::set<size_t> places;
  for (const int64_t axis : axes) places.insert(axis_of(node, axis, rank));
  if (places.size() != axes.size()) node.fail("adds an axis twice");
  Shape shape;
  size_t next = 0;
  for (size_t k = 0; k < static_cast<size_t>(rank); ++k) {
    shape.push_back(places.count(k) != 0 ? 1 : out.shape[next++]);
  }
  out.shape = shape;
  return {std::move(out)};
}

Outputs expand(const Node& node, const Inputs& inputs) {
  const Array& a = input(node, inputs, 0);
  Array out =
      array(node, joined_shape(node, a.shape, whole_numbers(input(node, inputs, 1))), a.whole);
  const auto from = broadcast(node, a.shape, out.shape);
  for (size_t i = 0; i < out.elements(); ++i) out.data[i] = a.data[from[i]];
  return {std::move(out)};
}

Outputs tile(const Node& node, const Inputs& inputs) {
  Array out = input(node, inputs, 0);
  const Shape times = whole_numbers(input(node, inputs, 1));
  if (times.size() != out.shape.size()) node.fail("repeats another number of axes");
  for (size_t axis = 0; axis < times.size(); ++axis) {
    const Array once = out;
    const Inputs all(static_cast<size_t>(std::max<int64_t>(times[axis], 1)), &once);
    Node joined = node;
    joined.attributes["axis"].i = static_cast<int64_t>(axis);
    out = concat(joined, all).front();
  }
  return {std::move(out)};
}

Outputs gather(const Node& node, const Inputs& inputs) {
  const Array &a = input(node, inputs, 0), &which = input(node, inputs, 1);
  const size_t axis = axis_of(node, node.whole("axis", 0), a.rank());
  Shape shape(a.shape.begin(), a.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), which.shape.begin(), which.shape.end());
  shape.insert(shape.end(), a.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, a.shape.end());
  Array out = array(node, shape, a.whole);
  const Around around(a.shape, axis);
  size_t to = 0;
  for (size_t b = 0; b < around.before; ++b) {
    for (const double x : which.data) {
      const auto size = static_cast<double>(around.size);
      const double at = x < 0 ? x + size : x;
      if (!(at >= 0 && at < size)) node.fail(fmt::format("takes the row {} of {}", x, around.size));
      for (size_t k = 0; k < around.after; ++k) {
        out.data[to++] = a.data[(b * around.size + static_cast<size_t>(at)) * around.after + k];
      }
    }
  }
  return {std::move(out)};
}

Outputs flatten(const Node& node, const Inputs& inputs) {
  Array out = input(node, inputs, 0);
  const int64_t axis = node.whole("axis", 1);
  Shape shape = {1, 1};
  for (size_t k = 0; k < out.shape.size(); ++k) {
    shape[static_cast<int64_t>(k) < (axis < 0 ? axis + out.rank() : axis) ? 0 : 1] *= out.shape[k];
  }
  out.shape = shape;
  return {std::move(out)};
}

}  // namespace

size_t count_of(const Node& node, const Shape& shape) {
  size_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMaxElements / static_cast<size_t>(size))) {
      node.fail(fmt::format("gives an array of more than {} elements", kMaxElements));
    }
    count *= static_cast<size_t>(size);
  }
  return count;
}

Array array(const Node& node, Shape shape, bool whole) {
  Array a;
  a.data.resize(count_of(node, shape));
  a.shape = std::move(shape);
  a.whole = whole;
  return a;
}

const Array& input(const Node& node, const Inputs& inputs, size_t k) {
  if (k >= inputs.size() || inputs[k] == nullptr) {
    node.fail(fmt::format("has no input {}", k));
  }
  return *inputs[k];
}

Shape whole_numbers(const Array& a) {
  constexpr double kMost = 9e15;
  Shape out;
  for (const double x : a.data) out.push_back(static_cast<int64_t>(std::clamp(x, -kMost, kMost)));
  return out;
}

size_t axis_of(const Node& node, int64_t axis, int64_t rank) {
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) node.fail(fmt::format("has the axis {} of {}", axis, rank));
  return static_cast<size_t>(at);
}

std::set<size_t> axes_of(const Node& node, const Inputs& inputs, size_t k, int64_t rank) {
  Shape axes;
  const auto found = node.attributes.find("axes");
  if (found != node.attributes.end()) axes = found->second.ints;
  if (given(inputs, k)) axes = whole_numbers(*inputs[k]);
  std::set<size_t> out;
  for (const int64_t axis : axes) out.insert(axis_of(node, axis, rank));
  return out;
}

Shape joined_shape(const Node& node, const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t k = 0; k < out.size(); ++k) {
    const auto size = [&](const Shape& s) {
      return k + s.size() < out.size() ? 1 : s[k + s.size() - out.size()];
    };
    const int64_t x = size(a), y = size(b);
    if (x != y && x != 1 && y != 1) node.fail("has inputs whose shapes do not fit each other");
    out[k] = x == 1 ? y : x;
  }
  return out;
}

const std::map<std::string, Operator>& moving_operators() {
  const auto same = [](const Node& node, const Inputs& in) { return Outputs{input(node, in, 0)}; };
  static const std::map<std::string, Operator> all = {
      {"Identity", same},       {"Dropout", same},  {"Reshape", reshape}, {"Transpose", transpose},
      {"Slice", slice},         {"Split", split},   {"Concat", concat},   {"Squeeze", squeeze},
      {"Unsqueeze", unsqueeze}, {"Expand", expand}, {"Tile", tile},       {"Gather", gather},
      {"Flatten", flatten}};
  return all;
}

std::vector<size_t> broadcast(const Node& node, const Shape& from, const Shape& to) {
  Shape steps(to.size(), 0);
  int64_t step = 1;
  if (from.size() > to.size()) node.fail("has inputs whose shapes do not fit each other");
  for (size_t k = from.size(); k-- > 0;) {
    const size_t at = k + to.size() - from.size();
    if (from[k] != 1 && from[k] != to[at]) {
      node.fail("has inputs whose shapes do not fit each other");
    }
    steps[at] = from[k] == 1 ? 0 : step;
    step *= from[k];
  }
  std::vector<size_t> out(count_of(node, to));
  Shape at(to.size(), 0);
  int64_t place = 0;
  for (size_t& o : out) {
    o = static_cast<size_t>(place);
    for (size_t k = to.size(); k-- > 0;) {
      place += steps[k];
      if (++at[k] < to[k]) break;
      place -= steps[k] * to[k];
      at[k] = 0;
    }
  }
  return out;
}

bool moves(const Node& node) { return node.op == "Cast" || moving_operators().count(node.op) != 0; }

}  // namespace ow::exported
