// SPDX-License-Identifier: Apache-2.0
#include "exported.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <set>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/text.h"

namespace ow::exported {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 31;  // protobuf's own limit of a file
constexpr size_t kMaxNodes = 1'000'000;

std::string shown(const std::string& name) { return printable_text(name, 100); }

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file, what));
}

// Elements of a binary form.
template <typename T>
void take_raw(const std::string& raw, size_t count, std::vector<double>* out, bool* good) {
  *good = raw.size() == count * sizeof(T);
  if (!*good) return;
  for (size_t k = 0; k < count; ++k) {
    T value;
    std::memcpy(&value, raw.data() + k * sizeof(T), sizeof(T));
    out->push_back(static_cast<double>(value));
  }
}

template <typename List>
void take_list(const List& list, size_t count, std::vector<double>* out, bool* good) {
  *good = static_cast<size_t>(list.size()) == count;
  if (*good) out->assign(list.begin(), list.end());
}

Array array_of(const std::string& file, const ::onnx::TensorProto& t) {
  using Proto = ::onnx::TensorProto;
  const std::string name = fmt::format("tensor '{}'", shown(t.name()));
  if (t.data_location() == Proto::EXTERNAL) {
    fail(file, name + " is in another file: export with all weights in one");
  }
  Array a;
  size_t count = 1;
  for (const int64_t size : t.dims()) {
    if (size < 0 || (size > 0 && count > kMaxBytes / static_cast<size_t>(size))) {
      fail(file, name + " has more elements than a file can hold");
    }
    a.shape.push_back(size);
    count *= static_cast<size_t>(size);
  }
  bool good = false;
  const bool raw = t.has_raw_data();
  switch (t.data_type()) {
    case Proto::FLOAT:
      raw ? take_raw<float>(t.raw_data(), count, &a.data, &good)
          : take_list(t.float_data(), count, &a.data, &good);
      break;
    case Proto::DOUBLE:
      raw ? take_raw<double>(t.raw_data(), count, &a.data, &good)
          : take_list(t.double_data(), count, &a.data, &good);
      break;
    case Proto::INT64:
      a.whole = true;
      raw ? take_raw<int64_t>(t.raw_data(), count, &a.data, &good)
          : take_list(t.int64_data(), count, &a.data, &good);
      break;
    case Proto::INT32:
      a.whole = true;
      raw ? take_raw<int32_t>(t.raw_data(), count, &a.data, &good)
          : take_list(t.int32_data(), count, &a.data, &good);
      break;
    case Proto::BOOL:
    case Proto::UINT8:
      a.whole = true;
      raw ? take_raw<uint8_t>(t.raw_data(), count, &a.data, &good)
          : take_list(t.int32_data(), count, &a.data, &good);
      break;
    default:
      fail(file, fmt::format("{} has the element type {}: FLOAT, DOUBLE, INT64, INT32, BOOL and "
                             "UINT8 are read",
                             name, t.data_type()));
  }
  if (!good) fail(file, name + " does not have as many elements as its shape says");
  return a;
}

Node node_of(const std::string& file, const ::onnx::NodeProto& from) {
  Node node;
  node.file = file;
  node.op = from.op_type();
  node.name = from.name().empty() && from.output_size() > 0 ? from.output(0) : from.name();
  node.inputs.assign(from.input().begin(), from.input().end());
  node.outputs.assign(from.output().begin(), from.output().end());
  if (!from.domain().empty() && from.domain() != "ai.onnx") {
    node.fail(
        fmt::format("is of the domain '{}', whose operators are not known", shown(from.domain())));
  }
  for (const auto& a : from.attribute()) {
    Attribute& to = node.attributes[a.name()];
    to.i = a.i();
    to.f = static_cast<double>(a.f());
    to.s = a.s();
    to.ints.assign(a.ints().begin(), a.ints().end());
    if (a.has_t()) to.tensor = array_of(file, a.t());
    if (a.has_g()) node.fail("has a graph of its own: loops and branches are not read");
  }
  return node;
}

}  // namespace

int64_t Node::whole(const std::string& key, int64_t fallback) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? fallback : found->second.i;
}

double Node::real(const std::string& key, double fallback) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? fallback : found->second.f;
}

void Node::fail(const std::string& what) const {
  throw BadInput(fmt::format("{}: node '{}' ({}) {}", file, shown(name), shown(op), what));
}

Model read_model(const std::string& path) {
  const std::string bytes = read_text(path, kMaxBytes - 1);
  ::onnx::ModelProto proto;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  if (!proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage() || !proto.has_graph() ||
      proto.graph().node_size() == 0) {
    fail(path, "is no ONNX model, or is cut short");
  }
  const ::onnx::GraphProto& graph = proto.graph();
  if (static_cast<size_t>(graph.node_size()) > kMaxNodes) {
    fail(path, fmt::format("has {} nodes, the limit is {}", graph.node_size(), kMaxNodes));
  }
  Model model;
  model.file = path;
  for (const auto& t : graph.initializer()) model.constants[t.name()] = array_of(path, t);
  for (const auto& input : graph.input()) {
    if (model.constants.count(input.name()) != 0) continue;
    if (!model.input.empty()) {
      fail(path, fmt::format("has the inputs '{}' and '{}': a network has one, its tokens",
                             shown(model.input), shown(input.name())));
    }
    model.input = input.name();
    for (const auto& d : input.type().tensor_type().shape().dim()) {
      model.input_shape.push_back(d.has_dim_value() ? d.dim_value() : -1);
    }
    if (input.type().tensor_type().elem_type() != ::onnx::TensorProto::INT64 &&
        input.type().tensor_type().elem_type() != ::onnx::TensorProto::INT32) {
      fail(path, fmt::format("its input '{}' holds no tokens (INT64)", shown(model.input)));
    }
  }
  if (model.input.empty()) fail(path, "has no input");
  if (graph.output_size() != 1) {
    fail(path, fmt::format("has {} outputs: a network has one, its logits", graph.output_size()));
  }
  model.output = graph.output(0).name();
  for (const auto& n : graph.node()) model.nodes.push_back(node_of(path, n));
  return model;
}

}  // namespace ow::exported
