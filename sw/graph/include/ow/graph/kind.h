// SPDX-License-Identifier: Apache-2.0
// What a graph must know of a kind of operation: its name, options, inputs, and the shapes of what
// it gives and trains. Each kind is a folder of sw/layers; the file kind.cpp there has this part,
// and the build collects the table. No other file lists kinds.
#ifndef OW_GRAPH_KIND_H_
#define OW_GRAPH_KIND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/graph/graph.h"

namespace ow {

// A key of an operation in a job's file, besides name, kind and inputs.
struct KindOption {
  enum class Form { Whole, Real, Flag };
  const char* key;
  Form form;
  double low, high;                // of a number
  std::optional<double> fallback;  // used if the key is missing; none: the key is required
};

struct ParameterShape {
  const char* suffix;  // of its name, after the operation's
  Parameter::Form form;
  size_t rows;
  size_t columns;
  float initial = 0;  // of a vector
};

// What the targets of a loss are: a class per sample, or a value for each of its outputs.
enum class TargetForm { Classes, Values };

struct Kind {
  const char* name;
  std::vector<KindOption> options;
  size_t inputs;  // a loss has the targets as its last
  // Features of its value, from those of its inputs. BadInput, beginning with op.where, if they do
  // not fit. Null for a loss.
  int (*features)(const Op& op, const std::vector<int>& inputs);
  // Null: it has none.
  std::vector<ParameterShape> (*parameters)(const Op& op, const std::vector<int>& inputs) = nullptr;
  std::optional<TargetForm> targets = std::nullopt;  // only of a loss
  Value::Element takes = Value::Element::Number;     // in all its inputs

  bool is_loss() const { return targets.has_value(); }
};

// For kinds whose value has the features of their first input.
int same_features(const Op& op, const std::vector<int>& inputs);

// All kinds, by name; null for a name that is not one.
const std::vector<const Kind*>& kinds();
const Kind* find_kind(const std::string& name);
std::vector<std::string> kind_names();
std::vector<std::string> loss_names();

}  // namespace ow

#endif  // OW_GRAPH_KIND_H_
