// SPDX-License-Identifier: Apache-2.0
// The tensors of a model's folder, and the parts of a model that they are.
#ifndef OW_IMPORT_SRC_FOLDER_PARTS_H_
#define OW_IMPORT_SRC_FOLDER_PARTS_H_

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ow/graph/language_model.h"
#include "ow/import/model_config.h"
#include "parts.h"

namespace ow {

constexpr const char* kConfigFile = "config.json";

// Before the names of a model's body: files of GPT-2 with its head have a prefix, those without it
// have none.
std::string folder_prefix(const Tensors& tensors);

// Tensors that say nothing new: tables of the rotation and masks of the attention that older files
// keep, and the head of a model that takes the embedding instead.
bool ignored_tensor(const std::string& name, const ModelConfig& config);

// All tensors, in the order of their use. `Model`: LanguageParts, const or not;
// its blocks are there.
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

}  // namespace ow

#endif  // OW_IMPORT_SRC_FOLDER_PARTS_H_
