// SPDX-License-Identifier: Apache-2.0
#include "ow/import/llama_folder.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/text.h"
#include "ow/import/llama_config.h"
#include "ow/tensor/safetensors.h"
#include "ow/tensor/safetensors_folder.h"

namespace ow {
namespace {

namespace fs = std::filesystem;
constexpr const char* kConfigFile = "config.json";

// A tensor of the model: its name in the folder, its shape there, and the values here.
template <typename Values>
struct Part {
  std::string name;
  std::vector<uint64_t> shape;
  Values* values;
};

// All tensors, in the order of their use. `Model`: LanguageModel, const or not; its blocks are
// there.
template <typename Model>
auto parts_of(Model& model, bool tied) {
  using Values = std::remove_reference_t<decltype((model.norm))>;
  const LanguageShape& s = model.shape;
  const auto width = static_cast<uint64_t>(s.width), hidden = static_cast<uint64_t>(s.hidden);
  const auto vocabulary = static_cast<uint64_t>(s.vocabulary);
  const uint64_t queries = static_cast<uint64_t>(s.heads) * static_cast<uint64_t>(s.head_size);
  const uint64_t keys = static_cast<uint64_t>(s.kv_heads) * static_cast<uint64_t>(s.head_size);
  std::vector<Part<Values>> parts;
  parts.push_back({"model.embed_tokens.weight", {vocabulary, width}, &model.embedding});
  for (size_t n = 0; n < model.blocks.size(); ++n) {
    auto& b = model.blocks[n];
    const auto add = [&](const char* name, std::vector<uint64_t> shape, Values* values) {
      parts.push_back(
          {fmt::format("model.layers.{}.{}.weight", n, name), std::move(shape), values});
    };
    add("input_layernorm", {width}, &b.attention_norm);
    add("self_attn.q_proj", {queries, width}, &b.query);
    add("self_attn.k_proj", {keys, width}, &b.key);
    add("self_attn.v_proj", {keys, width}, &b.value);
    add("self_attn.o_proj", {width, queries}, &b.output);
    add("post_attention_layernorm", {width}, &b.hidden_norm);
    add("mlp.gate_proj", {hidden, width}, &b.gate);
    add("mlp.up_proj", {hidden, width}, &b.up);
    add("mlp.down_proj", {width, hidden}, &b.down);
  }
  parts.push_back({"model.norm.weight", {width}, &model.norm});
  if (!tied) parts.push_back({"lm_head.weight", {vocabulary, width}, &model.head});
  return parts;
}

// Tensors that say nothing new: tables of the rotation that older files keep, and the head of a
// model that takes the embedding instead.
bool ignored(const std::string& name, bool tied) {
  const std::string table = ".self_attn.rotary_emb.inv_freq";
  return (tied && name == "lm_head.weight") ||
         (name.size() > table.size() &&
          name.compare(name.size() - table.size(), table.size(), table) == 0);
}

[[noreturn]] void fail(const SafetensorsFolder& folder, const std::string& name,
                       const std::string& what) {
  throw BadInput(fmt::format("{}: tensor '{}' {}", folder.path(), printable_text(name, 60), what));
}

void check_shape(const SafetensorsFolder& folder, const std::string& name,
                 const std::vector<uint64_t>& shape) {
  const auto found = folder.tensors().find(name);
  if (found == folder.tensors().end()) {
    fail(folder, name, "is missing: " + names_text(folder.tensors()));
  }
  Tensor wanted;
  wanted.shape = shape;
  const Tensor& tensor = found->second;
  if (tensor.shape != shape) {
    fail(folder, name,
         fmt::format("has the shape {}, {} asks for {}", tensor.shape_text(), kConfigFile,
                     wanted.shape_text()));
  }
  switch (tensor.type) {
    case TensorType::F16:
    case TensorType::BF16:
    case TensorType::F32:
    case TensorType::F64:
      return;
    default:
      fail(folder, name,
           fmt::format("is {}, must be F16, BF16, F32 or F64", type_name(tensor.type)));
  }
}

std::vector<uint16_t> read_values(const SafetensorsFolder& folder, const std::string& name,
                                  HalfType type) {
  std::vector<uint16_t> values = half_elements(folder.read(name), type);
  for (size_t k = 0; k < values.size(); ++k) {
    if (half_is_finite(type, values[k])) continue;
    fail(folder, name,
         fmt::format("holds a number that is not finite in {}, at {}", half_name(type), k));
  }
  return values;
}

}  // namespace

LanguageModel read_llama_folder(const std::string& path, HalfType type) {
  const LlamaConfig config = read_llama_config((fs::path(path) / kConfigFile).string());
  const SafetensorsFolder folder(path);
  LanguageModel model;
  model.shape = config.shape;
  model.type = type;
  model.blocks.resize(static_cast<size_t>(config.shape.layers));
  const auto parts = parts_of(model, config.tied);
  // All shapes before the first element: a wrong folder is refused at once.
  std::set<std::string> known;
  for (const auto& part : parts) {
    check_shape(folder, part.name, part.shape);
    known.insert(part.name);
  }
  for (const auto& [name, tensor] : folder.tensors()) {
    if (known.count(name) == 0 && !ignored(name, config.tied)) {
      fail(folder, name, "is not one of the model's");
    }
  }
  for (const auto& part : parts) *part.values = read_values(folder, part.name, type);
  return model;
}

void write_llama_folder(const std::string& path, const LanguageModel& model) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw BadInput(fmt::format("{}: cannot be made: {}", path, error.message()));
  const bool tied = model.head.empty();
  const auto parts = parts_of(model, tied);
  std::vector<TensorHead> heads;
  for (const auto& part : parts) {
    heads.push_back({part.name, tensor_type(model.type), part.shape});
    if (heads.back().bytes() != 2 * part.values->size()) {
      throw InternalError(fmt::format("'{}' does not have the model's shape", part.name));
    }
  }
  FileWriter file((fs::path(path) / kModelFile).string());
  // The note that other readers ask for.
  const std::string header = safetensors_header(heads, {{"format", "pt"}});
  file.append(header.data(), header.size());
  for (const auto& part : parts) {
    const Tensor tensor = half_tensor(model.type, {}, *part.values);
    file.append(tensor.bytes.data(), tensor.bytes.size());
  }
  file.close();
  write_file((fs::path(path) / kConfigFile).string(),
             llama_config_text({model.shape, tied}, model.type));
}

}  // namespace ow
