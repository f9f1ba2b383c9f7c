// SPDX-License-Identifier: Apache-2.0
// A small transformer as an ONNX file, written node by node.
#ifndef OW_TB_HARNESS_ONNX_FILES_H_
#define OW_TB_HARNESS_ONNX_FILES_H_

#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "ow/base/rng.h"

namespace ow {

class OnnxFile {
 public:
  OnnxFile() {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    auto* input = graph().add_input();
    input->set_name("tokens");
    auto* type = input->mutable_type()->mutable_tensor_type();
    type->set_elem_type(::onnx::TensorProto::INT64);
    type->mutable_shape()->add_dim()->set_dim_value(1);
    type->mutable_shape()->add_dim()->set_dim_value(kTokens);
  }

  std::string bytes() const { return model_.SerializeAsString(); }
  ::onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  std::string floats(const std::string& name, std::vector<int64_t> shape,
                     const std::vector<float>& values) {
    ::onnx::TensorProto* t = graph().add_initializer();
    t->set_name(name);
    t->set_data_type(::onnx::TensorProto::FLOAT);
    for (const int64_t size : shape) t->add_dims(size);
    t->set_raw_data(values.data(), values.size() * sizeof(float));
    return name;
  }
  std::string drawn(const std::string& name, std::vector<int64_t> shape) {
    size_t count = 1;
    for (const int64_t size : shape) count *= static_cast<size_t>(size);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(rng_.uniform() - 0.5);
    return floats(name, std::move(shape), values);
  }
  std::string scalar(float value) {
    return floats("c" + std::to_string(graph().initializer_size()), {}, {value});
  }
  std::string wholes(std::vector<int64_t> values) {
    ::onnx::TensorProto* t = graph().add_initializer();
    t->set_name("i" + std::to_string(graph().initializer_size()));
    t->set_data_type(::onnx::TensorProto::INT64);
    t->add_dims(static_cast<int64_t>(values.size()));
    for (const int64_t v : values) t->add_int64_data(v);
    return t->name();
  }

  // A node `name`; its output has its name.
  std::string node(const std::string& op, const std::string& name,
                   std::initializer_list<std::string> inputs) {
    ::onnx::NodeProto* n = graph().add_node();
    n->set_op_type(op);
    n->set_name(name);
    for (const std::string& input : inputs) n->add_input(input);
    n->add_output(name);
    return name;
  }
  void attribute(const std::string& key, const std::vector<int64_t>& values) {
    ::onnx::AttributeProto* a = graph().mutable_node(graph().node_size() - 1)->add_attribute();
    a->set_name(key);
    a->set_type(::onnx::AttributeProto::INTS);
    for (const int64_t v : values) a->add_ints(v);
  }

  std::string linear(const std::string& module, const std::string& x, int64_t inputs,
                     int64_t outputs) {
    const std::string w = drawn(module + ".weight", {outputs, inputs});
    const std::string turned = node("Transpose", "/" + module + "/Transpose", {w});
    attribute("perm", {1, 0});
    const std::string y = node("MatMul", "/" + module + "/MatMul", {x, turned});
    return node("Add", "/" + module + "/Add", {drawn(module + ".bias", {outputs}), y});
  }

  static constexpr int64_t kTokens = 8;

 private:
  ::onnx::ModelProto model_;
  Rng rng_{7};
};

// Tokens to logits: positions, a norm, attention of two heads of four features, and gelu.
// `activation`: "tanh" or "erf", the forms of gelu.
inline OnnxFile small_onnx(const std::string& activation) {
  constexpr int64_t kTokens = OnnxFile::kTokens, kWidth = 8, kHeads = 2, kSize = 4;
  OnnxFile f;
  const std::string table = f.drawn("wte.weight", {11, kWidth});
  const std::string places = f.drawn("wpe", {1, kTokens, kWidth});
  std::string x =
      f.node("Add", "/Add", {f.node("Gather", "/wte/Gather", {table, "tokens"}), places});
  const std::string n =
      f.node("LayerNormalization", "/norm/LayerNormalization",
             {x, f.drawn("norm.weight", {kWidth}), f.drawn("norm.bias", {kWidth})});
  std::string heads[3];
  for (int part = 0; part < 3; ++part) {
    const std::string name(1, "qkv"[part]);
    const std::string y = f.linear("attn." + name, n, kWidth, kWidth);
    const std::string split =
        f.node("Reshape", "/attn/Reshape_" + name, {y, f.wholes({1, kTokens, kHeads, kSize})});
    heads[part] = f.node("Transpose", "/attn/Transpose_" + name, {split});
    f.attribute("perm",
                part == 1 ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 2, 1, 3});
  }
  std::vector<float> mask;
  for (int64_t i = 0; i < kTokens * kTokens; ++i)
    mask.push_back(i % kTokens > i / kTokens ? -INFINITY : 0);
  const std::string product = f.node("MatMul", "/attn/MatMul", {heads[0], heads[1]});
  const std::string scaled = f.node("Div", "/attn/Div", {product, f.scalar(2)});
  const std::string seen =
      f.node("Add", "/attn/Add", {scaled, f.floats("attn.mask", {kTokens, kTokens}, mask)});
  const std::string share = f.node("Softmax", "/attn/Softmax", {seen});
  const std::string o = f.node("MatMul", "/attn/MatMul_1", {share, heads[2]});
  const std::string back = f.node("Transpose", "/attn/Transpose", {o});
  f.attribute("perm", {0, 2, 1, 3});
  const std::string flat =
      f.node("Reshape", "/attn/Reshape", {back, f.wholes({1, kTokens, kWidth})});
  x = f.node("Add", "/Add_1", {x, f.linear("attn.out", flat, kWidth, kWidth)});
  const std::string u = f.linear("up", x, kWidth, 12);
  std::string unit;
  if (activation == "erf") {
    const std::string e =
        f.node("Erf", "/Erf", {f.node("Div", "/Div", {u, f.scalar(std::sqrt(2.0f))})});
    unit = f.node("Add", "/Add_2", {e, f.scalar(1)});
  } else {
    const std::string cube = f.node("Pow", "/Pow", {u, f.scalar(3)});
    const std::string sum =
        f.node("Add", "/Add_3", {u, f.node("Mul", "/Mul", {cube, f.scalar(0.044715f)})});
    const std::string t =
        f.node("Tanh", "/Tanh", {f.node("Mul", "/Mul_1", {sum, f.scalar(0.79788456f)})});
    unit = f.node("Add", "/Add_2", {t, f.scalar(1)});
  }
  const std::string half = f.node("Mul", "/Mul_2", {u, f.scalar(0.5f)});
  x = f.node("Add", "/Add_4",
             {f.linear("down", f.node("Mul", "/Mul_3", {half, unit}), 12, kWidth), x});
  const std::string turned = f.node("Transpose", "/head/Transpose", {table});
  f.attribute("perm", {1, 0});
  f.graph().add_output()->set_name(f.node("MatMul", "/head/MatMul", {x, turned}));
  return f;
}

}  // namespace ow

#endif  // OW_TB_HARNESS_ONNX_FILES_H_
