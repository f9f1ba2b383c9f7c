// SPDX-License-Identifier: Apache-2.0
#include "ow/import/model_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <type_traits>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/import/model_config.h"
#include "ow/tensor/safetensors.h"
#include "ow/tensor/safetensors_folder.h"
#include "parts.h"

namespace ow {
namespace {

namespace fs = std::filesystem;
constexpr const char* kConfigFile = "config.json";

// All tensors, in the order of their use. `Model`: LanguageModel, const or not; its blocks are
// there.
template <typename Model>
class FolderParts {
  using Values = std::remove_reference_t<decltype((std::declval<Model&>().norm))>;

 public:
  FolderParts(Model& model, bool tied, const std::string& prefix)
      : width_(size(model.shape.width)), prefix_(prefix) {
    const uint64_t vocabulary = size(model.shape.vocabulary);
    if (model.shape.family == LanguageFamily::Llama) {
      prefix_ += "model.";
      add("embed_tokens.weight", {vocabulary, width_}, {&model.embedding});
      for (size_t n = 0; n < model.blocks.size(); ++n) {
        prefix_ = fmt::format("{}model.layers.{}.", prefix, n);
        add_llama(model.shape, model.blocks[n]);
      }
      prefix_ = prefix + "model.";
      add("norm.weight", {width_}, {&model.norm});
    } else {
      add("wte.weight", {vocabulary, width_}, {&model.embedding});
      add("wpe.weight", {size(model.shape.positions), width_}, {&model.places});
      for (size_t n = 0; n < model.blocks.size(); ++n) {
        prefix_ = fmt::format("{}h.{}.", prefix, n);
        add_gpt2(model.shape, model.blocks[n]);
      }
      prefix_ = prefix;
      add("ln_f.weight", {width_}, {&model.norm});
      add("ln_f.bias", {width_}, {&model.norm_bias});
    }
    prefix_.clear();
    if (!tied) add("lm_head.weight", {vocabulary, width_}, {&model.head});
  }

  const std::vector<Part<Values>>& all() const { return parts_; }

 private:
  static uint64_t size(int n) { return static_cast<uint64_t>(n); }

  void add(const char* name, std::vector<uint64_t> shape, std::vector<Values*> values,
           bool transposed = false) {
    parts_.push_back({prefix_ + name, std::move(shape), std::move(values), transposed});
  }

  template <typename Block>
  void add_llama(const LanguageShape& s, Block& b) {
    const uint64_t hidden = size(s.hidden);
    const uint64_t queries = size(s.heads) * size(s.head_size);
    const uint64_t keys = size(s.kv_heads) * size(s.head_size);
    add("input_layernorm.weight", {width_}, {&b.attention_norm});
    add("self_attn.q_proj.weight", {queries, width_}, {&b.query});
    add("self_attn.k_proj.weight", {keys, width_}, {&b.key});
    add("self_attn.v_proj.weight", {keys, width_}, {&b.value});
    add("self_attn.o_proj.weight", {width_, queries}, {&b.output});
    add("post_attention_layernorm.weight", {width_}, {&b.hidden_norm});
    add("mlp.gate_proj.weight", {hidden, width_}, {&b.gate});
    add("mlp.up_proj.weight", {hidden, width_}, {&b.up});
    add("mlp.down_proj.weight", {width_, hidden}, {&b.down});
  }

  // Matrices of this family are [inputs][outputs]; queries, keys and values are one.
  template <typename Block>
  void add_gpt2(const LanguageShape& s, Block& b) {
    const uint64_t hidden = size(s.hidden), three = 3 * width_;
    add("ln_1.weight", {width_}, {&b.attention_norm});
    add("ln_1.bias", {width_}, {&b.attention_norm_bias});
    add("attn.c_attn.weight", {width_, three}, {&b.query, &b.key, &b.value}, true);
    add("attn.c_attn.bias", {three}, {&b.query_bias, &b.key_bias, &b.value_bias});
    add("attn.c_proj.weight", {width_, width_}, {&b.output}, true);
    add("attn.c_proj.bias", {width_}, {&b.output_bias});
    add("ln_2.weight", {width_}, {&b.hidden_norm});
    add("ln_2.bias", {width_}, {&b.hidden_norm_bias});
    add("mlp.c_fc.weight", {width_, hidden}, {&b.up}, true);
    add("mlp.c_fc.bias", {hidden}, {&b.up_bias});
    add("mlp.c_proj.weight", {hidden, width_}, {&b.down}, true);
    add("mlp.c_proj.bias", {width_}, {&b.down_bias});
  }

  uint64_t width_;
  std::string prefix_;
  std::vector<Part<Values>> parts_;
};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Tensors that say nothing new: tables of the rotation and masks of the attention that older files
// keep, and the head of a model that takes the embedding instead.
bool ignored(const std::string& name, const ModelConfig& config) {
  if (config.tied && name == "lm_head.weight") return true;
  if (config.shape.family == LanguageFamily::Llama) {
    return ends_with(name, ".self_attn.rotary_emb.inv_freq");
  }
  return ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias");
}

class FolderSource : public TensorSource {
 public:
  explicit FolderSource(const std::string& path) : folder_(path) {}
  const std::string& path() const override { return folder_.path(); }
  const Tensors& tensors() const override { return folder_.tensors(); }
  std::vector<uint16_t> read(const std::string& name, HalfType type) const override {
    return half_elements(folder_.read(name), type);
  }

 private:
  SafetensorsFolder folder_;
};

// A part's elements in the file's order.
std::vector<uint16_t> file_values(const Part<const std::vector<uint16_t>>& part) {
  std::vector<uint16_t> rows;
  for (const std::vector<uint16_t>* values : part.values) {
    rows.insert(rows.end(), values->begin(), values->end());
  }
  if (!part.transposed) return rows;
  const size_t inputs = part.shape[0], outputs = part.shape[1];
  std::vector<uint16_t> out(rows.size());
  for (size_t o = 0; o < outputs; ++o) {
    for (size_t i = 0; i < inputs; ++i) out[i * outputs + o] = rows[o * inputs + i];
  }
  return out;
}

}  // namespace

LanguageModel read_model_folder(const std::string& path, HalfType type) {
  const ModelConfig config = read_model_config((fs::path(path) / kConfigFile).string());
  const FolderSource source(path);
  LanguageModel model;
  model.shape = config.shape;
  model.type = type;
  model.blocks.resize(static_cast<size_t>(config.shape.layers));
  // Files of GPT-2 with its head have a prefix, those without it have none.
  const bool named = source.tensors().count("transformer.wte.weight") != 0;
  const FolderParts<LanguageModel> parts(model, config.tied, named ? "transformer." : "");
  read_parts(source, parts.all(), type, kConfigFile,
             [&](const std::string& name) { return ignored(name, config); });
  return model;
}

void write_model_folder(const std::string& path, const LanguageModel& model) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw BadInput(fmt::format("{}: cannot be made: {}", path, error.message()));
  const bool tied = model.head.empty();
  const std::string prefix = model.shape.family == LanguageFamily::Gpt2 ? "transformer." : "";
  const FolderParts<const LanguageModel> parts(model, tied, prefix);
  std::vector<TensorHead> heads;
  for (const auto& part : parts.all()) {
    heads.push_back({part.name, tensor_type(model.type), part.shape});
    size_t values = 0;
    for (const auto* list : part.values) values += list->size();
    if (heads.back().bytes() != 2 * values) {
      throw InternalError(fmt::format("'{}' does not have the model's shape", part.name));
    }
  }
  FileWriter file((fs::path(path) / kModelFile).string());
  // The note that other readers ask for.
  const std::string header = safetensors_header(heads, {{"format", "pt"}});
  file.append(header.data(), header.size());
  for (const auto& part : parts.all()) {
    const Tensor tensor = half_tensor(model.type, {}, file_values(part));
    file.append(tensor.bytes.data(), tensor.bytes.size());
  }
  file.close();
  write_file((fs::path(path) / kConfigFile).string(),
             model_config_text({model.shape, tied}, model.type));
}

}  // namespace ow
