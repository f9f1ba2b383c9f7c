// SPDX-License-Identifier: Apache-2.0
// Models as the package glassllm writes them: matrices y = x W, a text of JSON with the shape.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/base/json_object.h"
#include "ow/import/imported_model.h"
#include "ow/tensor/npy.h"
#include "parts.h"

namespace ow {
namespace {

constexpr const char* kConfig = "__config__";

class NpzSource : public TensorSource {
 public:
  NpzSource(std::string path, Tensors tensors)
      : path_(std::move(path)), tensors_(std::move(tensors)) {}
  const std::string& path() const override { return path_; }
  const Tensors& tensors() const override { return tensors_; }
  std::vector<uint16_t> read(const std::string& name, HalfType type) const override {
    return half_elements(tensors_.at(name), type);
  }

 private:
  std::string path_;
  Tensors tensors_;
};

LanguageShape shape_of(const std::string& where, const nlohmann::json& file) {
  const JsonObject keys(where, file);
  static const char* const kKnown[] = {"d_model",  "eps",       "init_std",
                                       "max_len",  "n_heads",   "n_kv_heads",
                                       "n_layers", "rope_base", "vocab_size"};
  for (const auto& [key, value] : file.items()) {
    const bool known = std::find(std::begin(kKnown), std::end(kKnown), key) != std::end(kKnown);
    if (!known && !value.is_null()) keys.fail(key, "is not supported");
  }
  LanguageShape s;
  s.width = keys.whole("d_model", 1, 1 << 17);
  s.layers = keys.whole("n_layers", 1, 1024);
  s.heads = keys.whole("n_heads", 1, 4096);
  s.kv_heads = keys.whole("n_kv_heads", 1, 4096, s.heads);
  s.vocabulary = keys.whole("vocab_size", 1, 1 << 20);
  s.positions = keys.whole("max_len", 1, 1 << 20);
  s.epsilon = keys.positive("eps", 1, 1e-6);
  s.theta = keys.positive("rope_base", 1e12, 10000.0);
  if (s.width % (2 * s.heads) != 0 || s.heads % s.kv_heads != 0) {
    keys.fail("n_heads", fmt::format("is {}, with {} heads of keys and values and {} features",
                                     s.heads, s.kv_heads, s.width));
  }
  s.head_size = s.width / s.heads;
  return s;
}

std::vector<ModelPart> parts_of(LanguageModel* m) {
  const LanguageShape& s = m->shape;
  const auto width = static_cast<uint64_t>(s.width), hidden = static_cast<uint64_t>(s.hidden);
  const auto keys = static_cast<uint64_t>(s.kv_heads) * static_cast<uint64_t>(s.head_size);
  std::vector<ModelPart> parts;
  parts.push_back({"E", {static_cast<uint64_t>(s.vocabulary), width}, {&m->embedding}});
  for (size_t n = 0; n < m->blocks.size(); ++n) {
    LanguageModel::Block& b = m->blocks[n];
    const auto add = [&](const char* name, std::vector<uint64_t> shape,
                         std::vector<uint16_t>* values, int neighbours = 0) {
      const bool matrix = shape.size() == 2;
      parts.push_back(
          {fmt::format("blocks.{}.{}", n, name), std::move(shape), {values}, matrix, neighbours});
    };
    add("norm1.gamma", {width}, &b.attention_norm);
    add("attn.W_Q", {width, width}, &b.query, s.head_size);
    add("attn.W_K", {width, keys}, &b.key, s.head_size);
    add("attn.W_V", {width, keys}, &b.value);
    add("attn.W_O", {width, width}, &b.output);
    add("norm2.gamma", {width}, &b.hidden_norm);
    add("ffn.W1", {width, hidden}, &b.gate);
    add("ffn.W3", {width, hidden}, &b.up);
    add("ffn.W2", {hidden, width}, &b.down);
  }
  parts.push_back({"norm_f.gamma", {width}, {&m->norm}});
  return parts;
}

}  // namespace

ImportedModel read_npz_model(const std::string& path, std::optional<HalfType> type) {
  NpzContents file = read_npz_contents(path, kMaxTensorBytes);
  const auto config = file.texts.find(kConfig);
  if (config == file.texts.end()) {
    throw BadInput(
        fmt::format("{}: has no text '{}', which says the model's shape", path, kConfig));
  }
  const std::string where = fmt::format("{}: '{}'", path, kConfig);
  const nlohmann::json json = parse_json(config->second, where);
  ImportedModel out;
  LanguageModel& model = out.model;
  model.shape = shape_of(where, json);
  model.type = type.value_or(HalfType::Binary16);
  // The one size that the text lacks.
  constexpr const char* kHidden = "blocks.0.ffn.W1";
  const auto hidden = file.tensors.find(kHidden);
  const bool there = hidden != file.tensors.end() && hidden->second.shape.size() == 2;
  const uint64_t units = there ? hidden->second.shape[1] : 0;
  if (units < 1 || units > 1 << 20) {
    throw BadInput(fmt::format("{}: tensor '{}' must be [{}, 1 to 1048576]", path, kHidden,
                               model.shape.width));
  }
  model.shape.hidden = static_cast<int>(units);
  model.blocks.resize(static_cast<size_t>(model.shape.layers));
  const NpzSource source(path, std::move(file.tensors));
  read_parts(source, parts_of(&model), model.type, kConfig,
             [](const std::string&) { return false; });
  return out;
}

}  // namespace ow
