// SPDX-License-Identifier: Apache-2.0
// Graphs: what they hold, what operations share, and what is refused.
#include "ow/graph/graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/graph/chain.h"
#include "ow/graph/family.h"
#include "ow/graph/kind.h"

namespace ow {
namespace {

Op op(const std::string& name, const std::string& kind, std::vector<std::string> inputs,
      std::map<std::string, double> attributes = {}) {
  return {name, kind, std::move(inputs), std::move(attributes), name, {}};
}

Graph small() {
  Graph graph(7);
  graph.add(op("in", "linear", {"input"}, {{"outputs", 6}}));
  graph.add(op("r", "relu", {"in"}));
  return graph;
}

TEST(Graph, HoldsValuesAndParametersInTheOrderOfTheirUse) {
  Graph graph = small();
  graph.add(op("sum", "add", {"r", "in"}));
  graph.add(op("loss", "mean_squared_error", {"sum", "targets"}));
  EXPECT_TRUE(graph.has_loss());
  ASSERT_EQ(graph.values.size(), 4u);
  EXPECT_EQ(graph.values[3].name, "sum");
  EXPECT_EQ(graph.values[3].features, 6);
  EXPECT_EQ(graph.ops[2].input_values, (std::vector<int>{2, 1}));
  EXPECT_EQ(graph.ops[3].input_values, (std::vector<int>{3, -1}));
  EXPECT_EQ(graph.ops[3].value, -1);
  ASSERT_EQ(graph.parameters.size(), 2u);
  EXPECT_EQ(graph.parameters[0].name, "in.weight");
  EXPECT_EQ(graph.parameters[0].rows, 6u);
  EXPECT_EQ(graph.parameters[0].columns, 7u);
  EXPECT_EQ(graph.parameters[1].form, Parameter::Form::Vector) << "a bias, if nothing is said";
  EXPECT_EQ(graph.ops[0].attributes.at("bias"), 1);
}

TEST(Graph, OperationsShareParametersOfOneShape) {
  Graph graph(6);
  graph.add(op("a", "linear", {"input"}, {{"outputs", 6}}));
  Op b = op("b", "linear", {"a"}, {{"outputs", 6}});
  b.shared = {{"weight", "a.weight"}};
  graph.add(b);
  ASSERT_EQ(graph.parameters.size(), 3u);
  EXPECT_EQ(graph.ops[1].parameters, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(graph.parameters[2].name, "b.bias");
}

Graph of_tokens() {
  Graph graph = Graph::of_tokens();
  graph.add(op("e", "embedding", {"input"}, {{"vocabulary", 9}, {"width", 6}, {"positions", 4}}));
  return graph;
}

TEST(Graph, TokensAreLookedUpInTablesThatAMatrixMayShare) {
  Graph graph = of_tokens();
  EXPECT_EQ(graph.values[0].element, Value::Element::Token);
  EXPECT_EQ(graph.values[1].features, 6);
  EXPECT_EQ(graph.values[1].element, Value::Element::Number);
  ASSERT_EQ(graph.parameters.size(), 2u);
  EXPECT_EQ(graph.parameters[0].name, "e.weight");
  EXPECT_EQ(graph.parameters[1].name, "e.positions");
  EXPECT_EQ(graph.parameters[1].rows, 4u);
  EXPECT_EQ(graph.parameters[1].form, Parameter::Form::Table);
  Op head = op("head", "linear", {"e"}, {{"outputs", 9}, {"bias", 0}});
  head.shared = {{"weight", "e.weight"}};
  graph.add(head);
  EXPECT_EQ(graph.parameters.size(), 2u);
  EXPECT_EQ(graph.parameters[0].form, Parameter::Form::Table);
}

TEST(Graph, CopiesOfOutputsAreFeatures) {
  Graph graph(5);
  graph.add(op("a", "linear", {"input"}, {{"outputs", 4}, {"copies", 3}}));
  EXPECT_EQ(graph.values[1].features, 12);
  EXPECT_EQ(graph.parameters[0].rows, 4u);
  EXPECT_EQ(graph.parameters[1].rows, 4u);
}

std::string refusal(Op added, Graph graph = small()) {
  const size_t ops = graph.ops.size(), parameters = graph.parameters.size();
  try {
    graph.add(std::move(added));
  } catch (const BadInput& error) {
    EXPECT_EQ(graph.ops.size(), ops);
    EXPECT_EQ(graph.parameters.size(), parameters);
    return error.what();
  }
  return "";
}

TEST(Graph, WhatDoesNotFitIsRefusedAndChangesNothing) {
  EXPECT_EQ(refusal(op("x", "tanh", {"r"})), "x: no kind 'tanh'");
  EXPECT_EQ(refusal(op("r", "relu", {"in"})), "r: the name 'r' is taken");
  EXPECT_EQ(refusal(op("input", "relu", {"in"})), "input: the name 'input' is taken");
  EXPECT_EQ(refusal(op("targets", "relu", {"in"})), "targets: the name 'targets' is taken");
  EXPECT_EQ(refusal(op("x", "relu", {"in", "r"})), "x: 2 inputs; relu takes 1");
  EXPECT_EQ(refusal(op("x", "relu", {"out"})), "x: 'out' is no value that it can take");
  EXPECT_EQ(refusal(op("x", "relu", {"targets"})), "x: 'targets' is no value that it can take");
  EXPECT_EQ(refusal(op("x", "mean_squared_error", {"r", "in"})),
            "x: 'in' is no value that it can take");
  EXPECT_EQ(refusal(op("x", "add", {"r", "input"})), "x adds 'r' of 6 features and 'input' of 7");
  EXPECT_EQ(refusal(op("x", "linear", {"r"})), "x: 'outputs' is missing");
  EXPECT_EQ(refusal(op("x", "relu", {"r"}, {{"slope", 1}})), "x: 'slope' is no option of relu");
  Op shares = op("x", "linear", {"r"}, {{"outputs", 5}});
  shares.shared = {{"weight", "in.weight"}};
  EXPECT_EQ(refusal(shares), "x: shares 'in.weight' of 6 x 7 as its weight of 5 x 6");
  shares.shared = {{"weight", "out.weight"}};
  EXPECT_EQ(refusal(shares), "x: shares 'out.weight', which no operation above has");
  shares.shared = {{"gain", "in.weight"}};
  EXPECT_EQ(refusal(shares), "x: shares a parameter that linear does not have");
  const std::map<std::string, double> table = {{"vocabulary", 9}, {"width", 6}};
  EXPECT_EQ(refusal(op("x", "embedding", {"r"}, table)),
            "x: 'r' holds numbers; embedding takes tokens");
  EXPECT_EQ(refusal(op("x", "relu", {"input"}), of_tokens()),
            "x: 'input' holds tokens; relu takes numbers");
  EXPECT_EQ(refusal(op("x", "mean_squared_error", {"input", "targets"}), of_tokens()),
            "x: 'input' holds tokens; mean_squared_error takes numbers");
  Op rows = op("x", "embedding", {"input"}, table);
  rows.shared = {{"weight", "out.weight"}};
  Graph both = of_tokens();
  both.add(op("out", "linear", {"e"}, {{"outputs", 9}}));
  EXPECT_EQ(refusal(rows, both), "x: shares 'out.weight' of 9 x 6 as its weight of 9 x 6");
  Graph whole = small();
  whole.add(op("loss", "mean_squared_error", {"r", "targets"}));
  EXPECT_EQ(refusal(op("x", "relu", {"r"}), whole), "x: stands after the loss, which is the last");
}

TEST(Kinds, AreFoldersWithTheirNames) {
  for (const Kind* kind : kinds()) {
    EXPECT_EQ(find_kind(kind->name), kind) << kind->name;
    EXPECT_EQ(kind->is_loss(), kind->features == nullptr) << kind->name;
  }
  EXPECT_EQ(find_kind("tanh"), nullptr);
}

LanguageShape shape_of(LanguageFamily family) {
  LanguageShape s;
  s.family = family;
  s.width = 16;
  s.layers = 2;
  s.heads = 4;
  s.kv_heads = family == LanguageFamily::Llama ? 2 : 4;
  s.head_size = 4;
  s.hidden = 24;
  s.vocabulary = 9;
  s.positions = 32;
  s.epsilon = 1e-5;
  return s;
}

// A graph with other names, inputs of sums the other way round and a loss is the same model; one
// with another kind in it is none.
TEST(Family, IsFoundInAGraphWhateverItsValuesAreCalled) {
  for (const LanguageFamily family : {LanguageFamily::Gpt2, LanguageFamily::Llama}) {
    const FamilyGraph made = family_graph(shape_of(family), family == LanguageFamily::Gpt2, "f");
    Graph other = Graph::of_tokens(), broken = Graph::of_tokens();
    const auto renamed = [](const std::string& name) {
      return name == "input" ? name : "x." + name;
    };
    for (Op next : made.graph.ops) {
      next = {renamed(next.name), next.kind, next.inputs, next.attributes, "w", next.shared};
      for (std::string& input : next.inputs) input = renamed(input);
      for (auto& [suffix, name] : next.shared) name = renamed(name);
      if (next.kind == "add") std::swap(next.inputs[0], next.inputs[1]);
      other.add(next);
      if (next.kind == "add" && next.name.find(".1.") != std::string::npos) next.kind = "mul";
      broken.add(next);
    }
    other.add(op("loss", "softmax_cross_entropy", {"x.head", "targets"}));
    const FamilyGraph found = family_of(other, family, "f");
    EXPECT_EQ(found.names.embedding, renamed(made.names.embedding));
    EXPECT_EQ(found.names.blocks[1].key, renamed(made.names.blocks[1].key));
    EXPECT_EQ(found.names.head.empty(), made.names.head.empty());
    EXPECT_EQ(found.names.shape.kv_heads, made.names.shape.kv_heads);
    EXPECT_EQ(found.names.shape.positions, 32);
    EXPECT_THROW(family_of(broken, family, "f"), BadInput);
    const bool gpt2 = family == LanguageFamily::Gpt2;
    EXPECT_THROW(family_of(other, gpt2 ? LanguageFamily::Llama : LanguageFamily::Gpt2, "f"),
                 BadInput);
  }
}

TEST(Family, OperationsComeBackFromTheirLines) {
  for (const LanguageFamily family : {LanguageFamily::Gpt2, LanguageFamily::Llama}) {
    for (const Op& one : family_graph(shape_of(family), true, "f").graph.ops) {
      const Op back = op_of_text(op_text(one), "f");
      EXPECT_EQ(op_text(back), op_text(one));
      EXPECT_EQ(back.inputs, one.inputs);
      EXPECT_EQ(back.attributes, one.attributes);
      EXPECT_EQ(back.shared, one.shared);
    }
  }
  EXPECT_THROW(op_of_text("x linear", "f"), BadInput);
}

}  // namespace
}  // namespace ow
