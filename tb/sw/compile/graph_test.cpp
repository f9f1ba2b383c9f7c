// SPDX-License-Identifier: Apache-2.0
// Networks of named layers: what is read, what becomes of them on the tiles, and how what is wrong
// is refused.
#include "ow/graph/graph.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph_reader.h"
#include "messages.h"
#include "ow/base/error.h"
#include "ow/compile/job.h"
#include "ow/compile/lower.h"
#include "ow/compile/plan.h"
#include "ow/graph/chain.h"
#include "temporary_file.h"

namespace ow::jobs {
namespace {

const std::string kBefore =
    "data: {file: x.csv}\n"
    "grid: {rows: 2, columns: 2}\n"
    "network:\n"
    "  inputs: 6\n"
    "  layers:\n";
const std::string kTrain = "train: {seed: 1, steps: 2, optimizer: {kind: sgd, rate: 1}}\n";
// From line 6 on.
const std::string kLayers =
    "    - {name: hidden, kind: linear, inputs: [input], outputs: 9}\n"
    "    - {name: kept, kind: relu, inputs: hidden}\n"
    "    - {name: logits, kind: linear, inputs: [kept], outputs: 3, bias: false}\n";
const std::string kLoss =
    "    - {name: cost, kind: mean_squared_error, inputs: [logits, targets]}\n";

std::string written(const std::string& text) { return temporary_file("graph.yaml", text); }

TEST(Graph, NamedLayersAreReadAndLowered) {
  const RunParams p = read_job(written(kBefore + kLayers + kLoss)).network();
  ASSERT_EQ(p.graph.ops.size(), 4u);
  EXPECT_EQ(p.graph.features(), 6);
  EXPECT_EQ(p.graph.ops[1].inputs, std::vector<std::string>{"hidden"});
  EXPECT_EQ(p.graph.ops[2].attributes.at("bias"), 0);
  ASSERT_EQ(p.graph.values.size(), 4u);
  EXPECT_EQ(p.graph.values[2].features, 9);
  EXPECT_EQ(p.graph.values[3].features, 3);
  ASSERT_EQ(p.graph.parameters.size(), 3u);
  EXPECT_EQ(p.graph.parameters[2].name, "logits.weight");
  ASSERT_EQ(p.layers.size(), 2u);
  EXPECT_EQ(sizes_text(p.layers), "6-9-3");
  EXPECT_EQ(p.layers[0].activation, "relu");
  EXPECT_EQ(p.layers[1].activation, kNoActivation);
  EXPECT_TRUE(p.layers[0].bias);
  EXPECT_FALSE(p.layers[1].bias);
  EXPECT_EQ(weight_name(p.layers[0], 0), "hidden.weight");
  EXPECT_EQ(bias_name(p.layers[0], 0), "hidden.bias");
  EXPECT_EQ(p.loss, "mean_squared_error");
}

TEST(Graph, ATrainingWithoutALossLayerGetsOneBehindTheLastLayer) {
  const TrainParams without = read_job(written(kBefore + kLayers + kTrain)).training();
  EXPECT_EQ(without.job.loss, "softmax_cross_entropy");
  ASSERT_EQ(without.job.graph.ops.size(), 4u);
  EXPECT_EQ(without.job.graph.ops.back().kind, "softmax_cross_entropy");
  EXPECT_EQ(without.job.graph.ops.back().inputs, (std::vector<std::string>{"logits", "targets"}));
  const TrainParams with = read_job(written(kBefore + kLayers + kLoss + kTrain)).training();
  EXPECT_EQ(with.job.loss, "mean_squared_error");
  EXPECT_EQ(with.job.graph.ops.back().name, "cost");
}

// A list of sizes stands for a graph, which becomes the same layers again.
TEST(Graph, ShortListsStandForGraphs) {
  const std::vector<LayerShape> layers = {
      {5, 7, "relu", true}, {7, 4, "none", false}, {4, 4, "relu", false}, {4, 2, "none", true}};
  const Graph graph = chain_graph(layers, "mean_squared_error");
  EXPECT_EQ(graph.ops.size(), 4u + 2u + 1u);
  const Lowered back = lower(graph);
  EXPECT_EQ(back.loss, "mean_squared_error");
  ASSERT_EQ(back.layers.size(), layers.size());
  for (size_t k = 0; k < layers.size(); ++k) {
    EXPECT_EQ(back.layers[k].inputs, layers[k].inputs);
    EXPECT_EQ(back.layers[k].outputs, layers[k].outputs);
    EXPECT_EQ(back.layers[k].activation, layers[k].activation);
    EXPECT_EQ(back.layers[k].bias, layers[k].bias);
    // A list of sizes has the names layers.0, layers.1, ..., which checkpoints hold.
    EXPECT_EQ(weight_name(back.layers[k], k), "layers." + std::to_string(k) + ".weight");
    EXPECT_EQ(weight_name(layers[k], k), "layers." + std::to_string(k) + ".weight");
  }
  EXPECT_THROW(chain_graph({}, ""), BadInput);
  EXPECT_THROW(chain_graph({{5, 7}, {8, 2}}, ""), BadInput);
  EXPECT_THROW(chain_graph({{5, 7, "relu"}}, "mean_squared_error"), BadInput);
  EXPECT_EQ(chain_graph({{5, 7, "relu"}}, "").ops.size(), 2u);
}

// A file of its own, in JSON; a block of layers that is repeated; a shared parameter.
TEST(Graph, ComesFromAFileWithBlocksAndSharedParameters) {
  const std::string graph = temporary_file("graph.json", R"({
    "inputs": 6,
    "layers": [
      {"name": "first", "kind": "linear", "inputs": "input", "outputs": 6},
      {"name": "block", "repeat": 3, "input": "first", "layers": [
        {"name": "norm", "kind": "layer_norm", "inputs": "previous", "epsilon": 1e-6},
        {"name": "up", "kind": "linear", "inputs": "norm", "outputs": 6, "bias": false},
        {"name": "act", "kind": "gelu", "inputs": "up"},
        {"name": "sum", "kind": "add", "inputs": ["previous", "act"]}]},
      {"name": "out", "kind": "linear", "inputs": "block", "outputs": 6,
       "share": {"weight": "first.weight"}}]})");
  YamlMap map = Yaml::read(graph).map();
  const Graph read = read_graph(&map);
  ASSERT_EQ(read.ops.size(), 14u);
  EXPECT_EQ(read.ops[1].name, "block.0.norm");
  EXPECT_EQ(read.ops[1].inputs, std::vector<std::string>{"first"});
  EXPECT_EQ(read.ops[1].attributes.at("epsilon"), 1e-6);
  EXPECT_EQ(read.ops[8].inputs, (std::vector<std::string>{"block.0.sum", "block.1.act"}));
  EXPECT_EQ(read.ops[13].inputs, std::vector<std::string>{"block.2.sum"});
  EXPECT_EQ(read.ops[13].parameters.front(), 0u) << "first.weight";
  // A job takes it by name.
  const std::string job = temporary_file(
      "graph.yaml",
      "data: {file: x.csv}\ngrid: {rows: 2, columns: 2}\nnetwork: {graph: " + graph + "}\n");
  EXPECT_EQ(read_job(job).network().graph.ops.size(), 14u);
}

Graph family(const std::string& keys) {
  YamlMap map = Yaml::parse("family: {" + keys + "}\n", "f").map();
  return read_graph(&map);
}

// The long form of docs/networks.md and the short one are the same graph.
TEST(Graph, AFamilyStandsForItsLayers) {
  const Graph gpt2 = family("gpt2, layers: 2, width: 8, heads: 2, vocabulary: 7, positions: 16");
  EXPECT_EQ(op_text(gpt2.ops[0]), "wte: embedding(input), positions 16, vocabulary 7, width 8");
  EXPECT_EQ(op_text(gpt2.ops[5]), "h.0.attn: attention(h.0.q, h.0.k, h.0.v), heads 2");
  EXPECT_EQ(op_text(gpt2.ops.back()),
            "head: linear(ln_f), bias 0, copies 1, outputs 7, weight is wte.weight");
  EXPECT_EQ(gpt2.ops.size(), 1u + 2 * 12 + 2);
  const Graph llama = family(
      "llama, layers: 1, width: 8, heads: 4, kv_heads: 2, hidden: 12, vocabulary: 7, positions: "
      "16");
  EXPECT_EQ(op_text(llama.ops[3]),
            "layers.0.k: linear(layers.0.norm_1), bias 0, copies 2, outputs 4");
  EXPECT_TRUE(llama.ops.back().shared.empty());
  EXPECT_EQ(llama.outputs(), 7);
}

TEST(Graph, WhatDoesNotMakeAFamilyIsOneLine) {
  const auto said = [](const std::string& keys) -> std::string {
    try {
      family(keys);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  };
  const std::string rest = ", layers: 2, vocabulary: 7, positions: 16";
  EXPECT_EQ(said("gpt2, width: 9, heads: 2" + rest),
            "f:1: key 'family.width' is 9, no multiple of heads, 2");
  EXPECT_EQ(said("llama, width: 8, heads: 4, kv_heads: 3, hidden: 8" + rest),
            "f:1: key 'family.heads' is 4, no multiple of kv_heads, 3");
  EXPECT_EQ(said("gpt2, width: 8, heads: 0" + rest),
            "f:1: key 'family.heads' must be a whole number from 1 to 1000, not '0'");
  EXPECT_EQ(said("gpt2, llama, width: 8, heads: 2" + rest),
            "f:1: key 'family' must name one of gpt2 and llama");
  EXPECT_EQ(said("llama, width: 8, heads: 2" + rest), "f:1: key 'family.hidden' is missing");
}

// What is said about a network of these lines, without the file's name; of a training if `train`.
std::string refused(const std::string& layers, bool train = false,
                    const std::string& before = kBefore) {
  const std::string path = written(before + layers + (train ? kTrain : ""));
  try {
    read_job(path);
  } catch (const BadInput& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(what.rfind(path, 0), 0u) << what;
    return what.substr(std::min(what.size(), path.size()));
  }
  return "";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kLayers + kLoss;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Graph, WhatIsWrongIsOneLineWithItsPlace) {
  EXPECT_EQ(refused(kLayers + kLoss), "");
  const auto block = [](const std::string& keys) {
    return refused("    - {name: b, " + keys + "}\n");
  };
  const std::string one = "layers: [{name: r, kind: relu, inputs: previous}]";
  EXPECT_EQ(block("repeat: 2, input: nowhere, " + one),
            ":6: key 'network.layers[0].input' is 'nowhere', which no layer above gives");
  EXPECT_EQ(block("repeat: 0, input: input, " + one),
            ":6: key 'network.layers[0].repeat' must be a whole number from 1 to 1000, not '0'");
  EXPECT_EQ(
      block("repeat: 2, input: input, layers: [{name: previous, kind: relu, inputs: input}]"),
      ":6: key 'network.layers[0].layers[0].name' is 'previous', which a repeated block takes");
  EXPECT_EQ(
      refused(with("kind: relu", "kind: tanh")),
      ":7: key 'network.layers[1].kind' must be add, attention, embedding, gelu, layer_norm, "
      "linear, mean_squared_error, mul, relu, rms_norm, rotary, silu, softmax_cross_entropy or "
      "vocabulary_cross_entropy, not 'tanh'");
  EXPECT_EQ(refused(with("inputs: hidden", "inputs: hidden, slope: 1")),
            ":7: key 'network.layers[1].slope' is not known; known here: inputs, kind, name");
  EXPECT_EQ(refused(with("outputs: 9", "bias: true")),
            ":6: key 'network.layers[0].outputs' is missing");
  EXPECT_EQ(refused(with("outputs: 9", "outputs: 0")),
            ":6: key 'network.layers[0].outputs' must be a whole number from 1 to 65535, not '0'");
  EXPECT_EQ(refused(with("bias: false", "bias: 3")),
            ":8: key 'network.layers[2].bias' must be true or false, not '3'");
  EXPECT_EQ(refused(with("inputs: hidden", "inputs: hiden")),
            ":7: key 'network.layers[1].inputs' is 'hiden', which no layer gives");
  EXPECT_EQ(refused(with("inputs: [input]", "inputs: [logits]")),
            ":6: key 'network.layers[0].inputs[0]' is 'logits', which this layer or one below "
            "gives: a layer takes from those above it, so that none waits for itself");
  EXPECT_EQ(refused(with("inputs: hidden", "inputs: kept")),
            ":7: key 'network.layers[1].inputs' is 'kept', which this layer or one below gives: a "
            "layer takes from those above it, so that none waits for itself");
  EXPECT_EQ(refused(with("inputs: hidden", "inputs: [hidden, input]")),
            ":7: key 'network.layers[1].inputs' must be 1 tensors for the kind relu, not 2");
  EXPECT_EQ(refused(with("inputs: [kept]", "inputs: [targets]")),
            ":8: key 'network.layers[2].inputs[0]' is 'targets', which only a loss takes");
  EXPECT_EQ(refused(with("[logits, targets]", "[targets, logits]")),
            ":9: key 'network.layers[3].inputs[0]' is 'targets', which must be the last input of a "
            "loss");
  EXPECT_EQ(refused(with("[logits, targets]", "[logits, kept]")),
            ":9: key 'network.layers[3].inputs[1]' must be 'targets', the last input of a loss");
  EXPECT_EQ(refused(with("name: kept", "name: hidden")),
            ":7: key 'network.layers[1].name' is 'hidden', as a layer above is");
  EXPECT_EQ(refused(with("name: kept", "name: input")),
            ":7: key 'network.layers[1].name' is 'input', which comes with the samples");
  for (const char* name : {"1st", "a*", "'a b'", "x/y", "\"-\""}) {
    EXPECT_EQ(refused(with("name: kept", std::string("name: ") + name)),
              ":7: key 'network.layers[1].name' must be at most 64 letters, digits, _, - and ., a "
              "letter first");
  }
  EXPECT_EQ(refused(with("name: kept", "name: optimizer.1.hidden")),
            ":7: key 'network.layers[1].name' begins with 'optimizer.', as the optimizer's tensors "
            "in a checkpoint do");
  EXPECT_EQ(refused(with("    - {name: kept", "    - 9\n    - {name: kept")),
            ":7: key 'network.layers[1]' must hold keys and values");
  std::string before = kBefore;
  before.replace(before.find("  inputs: 6\n"), 12, "");
  EXPECT_EQ(refused(kLayers, false, before), ":4: key 'network.inputs' is missing");
  EXPECT_EQ(
      refused(kLayers + "  bias: true\n"),
      ":9: key 'network.bias' is not known; known here: family, graph, inputs, layers, training, "
      "type, weights");
}

// What can be described, but no program of the tiles does.
TEST(Graph, WhatTheTilesDoNotDoIsRefusedWithItsPlace) {
  const auto place = [](int line, int layer, const std::string& name) {
    return ":" + std::to_string(line) + ": key 'network.layers[" + std::to_string(layer) + "]' ('" +
           name + "'): ";
  };
  // The tiles' programs are looked at when the job is compiled.
  const auto unlowered = [](const std::string& layers) {
    const TrainingJob job = job_of(read_job(written(kBefore + layers)).network());
    return refusal_of([&] { program_of(job, {OW_FIRMWARE_DIR "/forward.elf"}, kFullTile); });
  };
  const std::string alone =
      "', which no layer with weights gives it alone: the tiles do it behind one";
  EXPECT_EQ(unlowered(with("kind: relu, inputs: hidden", "kind: add, inputs: [hidden, hidden]")),
            "");
  EXPECT_EQ(unlowered(with("bias: false", "copies: 2")), "");
  expect_in(place(7, 1, "kept") + "takes 'hidden" + alone,
            unlowered(with("inputs: [kept]", "inputs: [hidden]")));
  expect_in(place(7, 1, "kept") + "takes 'input" + alone,
            unlowered(with("inputs: hidden", "inputs: input")));
  expect_in(place(8, 2, "logits") + "takes 'kept" + alone,
            unlowered(with("kind: linear, inputs: [kept], outputs: 3, bias: false",
                           "kind: relu, inputs: [kept]")));
  EXPECT_EQ(refused(with("kind: relu", "kind: embedding, vocabulary: 9, width: 4")),
            place(7, 1, "kept") + "'hidden' holds numbers; embedding takes tokens");
  EXPECT_EQ(refused(kLayers + kLoss + "    - {name: more, kind: relu, inputs: [logits]}\n"),
            place(10, 4, "more") + "stands after the loss, which is the last");
  EXPECT_EQ(refused("    - {name: a, kind: relu, inputs: [input]}\n"),
            place(6, 0, "a") +
                "takes 'input', which no layer with weights gives: the tiles' programs do it "
                "behind one");
  // Sizes are looked at first, also where nobody does the kind.
  EXPECT_EQ(refused(with("kind: relu, inputs: hidden", "kind: add, inputs: [hidden, input]")),
            ":7: key 'network.layers[1]' ('kept') adds 'hidden' of 9 features and 'input' of 6");
}

TEST(Graph, ATrainingHasOneLoss) {
  const std::string train =
      "train: {seed: 1, steps: 2, loss: softmax_cross_entropy, "
      "optimizer: {kind: sgd, rate: 1}}\n";
  EXPECT_EQ(refused(kLayers + kLoss + train),
            ":10: key 'train.loss' is 'softmax_cross_entropy', and a layer of the network is its "
            "loss: one of the two");
  EXPECT_EQ(refused("    - {name: a, kind: linear, inputs: [input], outputs: 2}\n"
                    "    - {name: b, kind: relu, inputs: [a]}\n",
                    true),
            ":6: key 'network.layers' the last layer's must be none: the loss comes behind it");
}

}  // namespace
}  // namespace ow::jobs
