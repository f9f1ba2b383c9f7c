// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "family_configs.h"
#include "ow/base/text.h"

namespace ow {
namespace {

using nlohmann::json;

const std::map<std::string, json>& neutral_values() {
  static const std::map<std::string, json> values = {{"add_cross_attention", false},
                                                     {"alibi", false},
                                                     {"auto_map", nullptr},
                                                     {"compression_config", nullptr},
                                                     {"is_encoder_decoder", false},
                                                     {"multi_query", false},
                                                     {"num_experts", nullptr},
                                                     {"pruned_heads", json::object()},
                                                     {"quantization_config", nullptr},
                                                     {"scale_attn_by_inverse_layer_idx", false},
                                                     {"scale_attn_weights", true}};
  return values;
}

}  // namespace

ModelConfig gpt2_config(const JsonObject& keys) {
  check_neutral(keys, neutral_values());
  const std::string activation = keys.text("activation_function", "gelu_new");
  if (activation != "gelu_new" && activation != "gelu_pytorch_tanh") {
    keys.fail("activation_function", fmt::format("is '{}', must be gelu_new or gelu_pytorch_tanh",
                                                 printable_text(activation)));
  }
  ModelConfig config;
  LanguageShape& shape = config.shape;
  shape.family = LanguageFamily::Gpt2;
  shape.width = keys.whole("n_embd", 1, 1 << 17);
  shape.layers = keys.whole("n_layer", 1, 1024);
  shape.heads = shape.kv_heads = keys.whole("n_head", 1, 4096);
  if (shape.width % (2 * shape.heads) != 0) {
    keys.fail("n_embd",
              fmt::format("is {}, not a multiple of twice 'n_head', {}", shape.width, shape.heads));
  }
  shape.head_size = shape.width / shape.heads;
  shape.hidden = keys.whole("n_inner", 1, 1 << 20, 4 * shape.width);
  shape.vocabulary = keys.whole("vocab_size", 1, 1 << 20);
  shape.positions = keys.whole("n_positions", 1, 1 << 20);
  shape.epsilon = keys.positive("layer_norm_epsilon", 1, 1e-5);
  config.tied = keys.flag("tie_word_embeddings", true);
  return config;
}

nlohmann::ordered_json gpt2_keys(const ModelConfig& config) {
  const LanguageShape& shape = config.shape;
  return {{"architectures", {"GPT2LMHeadModel"}},
          {"model_type", "gpt2"},
          {"vocab_size", shape.vocabulary},
          {"n_embd", shape.width},
          {"n_inner", shape.hidden},
          {"n_layer", shape.layers},
          {"n_head", shape.heads},
          {"n_positions", shape.positions},
          {"activation_function", "gelu_new"},
          {"layer_norm_epsilon", shape.epsilon},
          {"tie_word_embeddings", config.tied}};
}

}  // namespace ow
