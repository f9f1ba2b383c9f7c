// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/graph/kind.h"

namespace ow {
namespace {

// The kind's options, with their fallbacks, and nothing else.
void check_attributes(const Kind& kind, Op* op) {
  for (const KindOption& option : kind.options) {
    if (op->attributes.count(option.key) != 0) continue;
    if (!option.fallback) {
      throw BadInput(fmt::format("{}: '{}' is missing", op->where, option.key));
    }
    op->attributes[option.key] = *option.fallback;
  }
  for (const auto& attribute : op->attributes) {
    const bool known =
        std::any_of(kind.options.begin(), kind.options.end(),
                    [&](const KindOption& option) { return option.key == attribute.first; });
    if (!known) {
      throw BadInput(
          fmt::format("{}: '{}' is no option of {}", op->where, attribute.first, kind.name));
    }
  }
}

// The index of a parameter: a new one, or that of the name which the operation shares.
size_t use_parameter(const ParameterShape& shape, const Op& op, std::vector<Parameter>* all) {
  const auto share = op.shared.find(shape.suffix);
  const std::string name = share != op.shared.end() ? share->second : op.name + "." + shape.suffix;
  const auto there =
      std::find_if(all->begin(), all->end(), [&](const Parameter& p) { return p.name == name; });
  if (share == op.shared.end()) {
    if (there != all->end()) {
      throw BadInput(fmt::format("{}: a parameter '{}' is there already", op.where, name));
    }
    all->push_back({name, shape.form, shape.rows, shape.columns, shape.initial});
    return all->size() - 1;
  }
  if (there == all->end()) {
    throw BadInput(fmt::format("{}: shares '{}', which no operation above has", op.where, name));
  }
  const bool same_form = there->form == shape.form || (there->form == Parameter::Form::Table &&
                                                       shape.form == Parameter::Form::Matrix);
  if (!same_form || there->rows != shape.rows || there->columns != shape.columns) {
    throw BadInput(fmt::format("{}: shares '{}' of {} x {} as its {} of {} x {}", op.where, name,
                               there->rows, there->columns, shape.suffix, shape.rows,
                               shape.columns));
  }
  return static_cast<size_t>(there - all->begin());
}

}  // namespace

Graph Graph::of_tokens() {
  Graph graph(1);
  graph.values.front().element = Value::Element::Token;
  return graph;
}

int Graph::value(const std::string& name) const {
  for (size_t v = 0; v < values.size(); ++v) {
    if (values[v].name == name) return static_cast<int>(v);
  }
  return -1;
}

int Graph::giver(const std::string& name) const {
  for (size_t n = 0; n < ops.size(); ++n) {
    if (ops[n].name == name) return static_cast<int>(n);
  }
  return -1;
}

bool Graph::has_loss() const { return !ops.empty() && ops.back().value < 0; }

Graph without_loss(Graph graph) {
  if (graph.has_loss()) graph.ops.pop_back();
  return graph;
}

int Graph::last_value() const {
  return has_loss() ? ops.back().input_values.front() : ops.back().value;
}

void Graph::add(Op op) {
  const Kind* kind = find_kind(op.kind);
  if (kind == nullptr) throw BadInput(fmt::format("{}: no kind '{}'", op.where, op.kind));
  if (has_loss()) throw BadInput(op.where + ": stands after the loss, which is the last");
  if (value(op.name) >= 0 || op.name == kTargetsTensor) {
    throw BadInput(fmt::format("{}: the name '{}' is taken", op.where, op.name));
  }
  if (op.inputs.size() != kind->inputs) {
    throw BadInput(fmt::format("{}: {} inputs; {} takes {}", op.where, op.inputs.size(), kind->name,
                               kind->inputs));
  }
  check_attributes(*kind, &op);
  std::vector<int> features;
  for (size_t n = 0; n < op.inputs.size(); ++n) {
    const bool targets = kind->is_loss() && n + 1 == op.inputs.size();
    const int v = value(op.inputs[n]);
    if (targets != (op.inputs[n] == kTargetsTensor) || (!targets && v < 0)) {
      throw BadInput(fmt::format("{}: '{}' is no value that it can take", op.where, op.inputs[n]));
    }
    op.input_values.push_back(targets ? -1 : v);
    if (targets) continue;
    const Value& input = values[static_cast<size_t>(v)];
    if (input.element != kind->takes) {
      const bool tokens = input.element == Value::Element::Token;
      throw BadInput(fmt::format("{}: '{}' holds {}; {} takes {}", op.where, input.name,
                                 tokens ? "tokens" : "numbers", kind->name,
                                 tokens ? "numbers" : "tokens"));
    }
    features.push_back(input.features);
  }
  const int own = kind->is_loss() ? 0 : kind->features(op, features);
  std::vector<Parameter> all = parameters;
  size_t shares = 0;
  if (kind->parameters != nullptr) {
    for (const ParameterShape& shape : kind->parameters(op, features)) {
      op.parameters.push_back(use_parameter(shape, op, &all));
      shares += op.shared.count(shape.suffix);
    }
  }
  if (shares != op.shared.size()) {
    throw BadInput(fmt::format("{}: shares a parameter that {} does not have", op.where, op.kind));
  }
  parameters = std::move(all);
  if (!kind->is_loss()) {
    op.value = static_cast<int>(values.size());
    values.push_back({op.name, own});
  }
  ops.push_back(std::move(op));
}

}  // namespace ow
