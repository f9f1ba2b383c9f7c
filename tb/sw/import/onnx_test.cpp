// SPDX-License-Identifier: Apache-2.0
// ONNX files written node by node. torch_test.py has those that PyTorch writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "network.h"
#include "onnx_files.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
#include "ow/graph/chain.h"

namespace ow {
namespace {

class Onnx : public testing::Test {
 protected:
  std::string file() const { return directory_.path() + "/m.onnx"; }
  ImportedNetwork read(OnnxFile f) const {
    write_file(file(), f.bytes());
    return read_onnx_network(file(), 32);
  }
  std::string refused(OnnxFile f) const {
    try {
      read(std::move(f));
    } catch (const BadInput& error) {
      return std::string(error.what()).substr(file().size());
    }
    return "";
  }
  TemporaryDirectory directory_;
};

TEST_F(Onnx, AModuleIsReadAsItsLayers) {
  const Graph graph = read(small_onnx("tanh")).graph;
  std::vector<std::string> lines;
  for (const Op& op : graph.ops) lines.push_back(op_text(op));
  EXPECT_THAT(lines,
              testing::ElementsAre(
                  "wte: embedding(input), positions 8, vocabulary 11, width 8",
                  "norm: layer_norm(wte), epsilon 1e-05",
                  "attn.q: linear(norm), bias 1, copies 1, outputs 8",
                  "attn.k: linear(norm), bias 1, copies 1, outputs 8",
                  "attn.v: linear(norm), bias 1, copies 1, outputs 8",
                  "attn.attention: attention(attn.q, attn.k, attn.v), heads 2",
                  "attn.out: linear(attn.attention), bias 1, copies 1, outputs 8",
                  "add: add(wte, attn.out)", "up: linear(add), bias 1, copies 1, outputs 12",
                  "gelu: gelu(up)", "down: linear(gelu), bias 1, copies 1, outputs 8",
                  "add_2: add(down, add)",
                  "head: linear(add_2), bias 0, copies 1, outputs 11, weight is wte.weight"));
}

// Feature k of head g is row g h + k of the module and row k H + g of the network; both ways, and
// through the files.
TEST_F(Onnx, ParametersGoBackIntoTheModuleBitForBit) {
  OnnxFile from = small_onnx("tanh");
  const ImportedNetwork network = read(from);
  const auto& q = network.values.at("attn.q.weight");
  const std::string folder = directory_.path() + "/network";
  write_network_folder(folder, network);
  const Tensors back = module_tensors(
      read_module_map(folder + "/module.json"),
      parameter_values(network.graph, read_safetensors(folder + "/weights.safetensors"), "w"), "w");
  size_t compared = 0;
  for (const auto& t : from.graph().initializer()) {
    const auto found = back.find(t.name());
    if (found == back.end()) continue;
    ++compared;
    ASSERT_EQ(found->second.bytes.size(), t.raw_data().size()) << t.name();
    EXPECT_EQ(std::memcmp(found->second.bytes.data(), t.raw_data().data(), t.raw_data().size()), 0)
        << t.name();
    if (t.name() != "attn.q.weight") continue;
    for (size_t k = 0; k < 4; ++k) {
      for (size_t g = 0; g < 2; ++g) {
        float one;
        std::memcpy(&one, t.raw_data().data() + (g * 4 + k) * 8 * sizeof(float), sizeof one);
        EXPECT_EQ(q[(k * 2 + g) * 8], one);
      }
    }
  }
  EXPECT_EQ(compared, 16u);
  EXPECT_EQ(back.size(), 16u);
}

TEST_F(Onnx, WhatIsNoLayerIsRefusedByItsNode) {
  EXPECT_EQ(
      refused(small_onnx("erf")),
      ": node '/Div' (Div) begins a part that no kind of layer computes: Div, Erf, Add, Mul, Mul");
  OnnxFile unknown = small_onnx("tanh");
  unknown.graph().mutable_node(1)->set_op_type("Hardmax");
  EXPECT_EQ(refused(unknown),
            ": node '/Add' (Hardmax) is an operator that no pattern of a network has");
  OnnxFile wide = small_onnx("tanh");
  wide.graph().mutable_node(wide.graph().node_size() - 1)->set_domain("com.other");
  EXPECT_EQ(
      refused(wide),
      ": node '/head/MatMul' (MatMul) is of the domain 'com.other', whose operators are not known");
  OnnxFile cut = small_onnx("tanh");
  cut.graph().mutable_initializer(0)->set_raw_data("x");
  EXPECT_EQ(refused(cut), ": tensor 'wte.weight' does not have as many elements as its shape says");
  OnnxFile two = small_onnx("tanh");
  *two.graph().add_input() = two.graph().input(0);
  two.graph().mutable_input(1)->set_name("more");
  EXPECT_EQ(refused(two), ": has the inputs 'tokens' and 'more': a network has one, its tokens");
  write_file(file(), "no model");
  EXPECT_THROW(read_onnx_network(file(), 32), BadInput);
}

// A scale that is not the root of a head's size is another attention.
TEST_F(Onnx, AnAttentionOfAnotherScaleIsRefused) {
  OnnxFile f = small_onnx("tanh");
  std::string divisor;
  for (const auto& node : f.graph().node()) {
    if (node.name() == "/attn/Div") divisor = node.input(1);
  }
  for (auto& t : *f.graph().mutable_initializer()) {
    const float scale = 3;
    if (t.name() == divisor) t.set_raw_data(&scale, sizeof scale);
  }
  EXPECT_THAT(refused(f), testing::StartsWith(": node '/attn/MatMul' (MatMul) begins a part"));
}

}  // namespace
}  // namespace ow
