// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <set>

#include <fmt/format.h>

#include "family_configs.h"
#include "ow/base/text.h"

namespace ow {
namespace {

using nlohmann::json;

// Keys that change the mathematics of some model, with the value that does not.
const std::map<std::string, json>& neutral_values() {
  static const std::map<std::string, json> values = {{"add_cross_attention", false},
                                                     {"alibi", false},
                                                     {"attention_bias", false},
                                                     {"attention_multiplier", nullptr},
                                                     {"attn_logit_softcapping", nullptr},
                                                     {"auto_map", nullptr},
                                                     {"clip_qkv", nullptr},
                                                     {"compression_config", nullptr},
                                                     {"embedding_multiplier", 1},
                                                     {"final_logit_softcapping", nullptr},
                                                     {"hidden_act", "silu"},
                                                     {"is_encoder_decoder", false},
                                                     {"logit_scale", 1},
                                                     {"logits_scaling", 1},
                                                     {"mlp_bias", false},
                                                     {"no_rope_layer_interval", nullptr},
                                                     {"no_rope_layers", nullptr},
                                                     {"num_experts", nullptr},
                                                     {"num_local_experts", nullptr},
                                                     {"parallel_attn", false},
                                                     {"partial_rotary_factor", 1},
                                                     {"pruned_heads", json::object()},
                                                     {"qk_layernorm", false},
                                                     {"quantization_config", nullptr},
                                                     {"query_pre_attn_scalar", nullptr},
                                                     {"residual_multiplier", 1},
                                                     {"rope_interleaved", false},
                                                     {"sliding_window", nullptr},
                                                     {"use_parallel_residual", false},
                                                     {"use_qk_norm", false},
                                                     {"use_sliding_window", false}};
  return values;
}

void check_layers(const JsonObject& keys) {
  if (const json* types = keys.find("layer_types")) {
    for (const json& type : *types) {
      if (type != "full_attention") {
        keys.fail("layer_types", "may hold full_attention alone, not " + JsonObject::shown(type));
      }
    }
  }
}

// The rotation's parameters: the keys rope_theta and rope_scaling, or rope_parameters, which has
// both.
void read_rotary(const JsonObject& keys, LanguageShape* shape) {
  constexpr double kMaxTheta = 1e12, kMaxFactor = 1e6;
  shape->theta = keys.positive("rope_theta", kMaxTheta, 10000.0);
  const json* scaling = keys.find("rope_scaling");
  const json* parameters = keys.find("rope_parameters");
  if (scaling != nullptr && parameters != nullptr) {
    keys.fail("rope_parameters", "and 'rope_scaling' are both there");
  }
  const std::string name = parameters != nullptr ? "rope_parameters" : "rope_scaling";
  if (parameters == nullptr) parameters = scaling;
  if (parameters == nullptr) return;
  const JsonObject rope = keys.object(name);
  static const std::set<std::string> kKnown = {
      "rope_type",        "type",
      "factor",           "low_freq_factor",
      "high_freq_factor", "original_max_position_embeddings",
      "rope_theta",       "partial_rotary_factor"};
  for (const auto& [key, value] : parameters->items()) {
    if (kKnown.count(key) == 0 && !value.is_null()) rope.fail(key, "is not supported");
  }
  if (rope.positive("partial_rotary_factor", 1, 1.0) != 1) {
    rope.fail("partial_rotary_factor", "must be 1: all features of a head turn");
  }
  shape->theta = rope.positive("rope_theta", kMaxTheta, shape->theta);
  const std::string key = rope.find("rope_type") != nullptr ? "rope_type" : "type";
  const std::string type = rope.text(key, "default");
  if (type == "default") return;
  if (type != "llama3") {
    rope.fail(key, fmt::format("is '{}', must be default or llama3", printable_text(type)));
  }
  RotaryScaling to;
  to.factor = rope.positive("factor", kMaxFactor);
  to.low_frequency_factor = rope.positive("low_freq_factor", kMaxFactor);
  to.high_frequency_factor = rope.positive("high_freq_factor", kMaxFactor);
  to.original_positions = rope.whole("original_max_position_embeddings", 1, 1 << 30);
  if (to.high_frequency_factor <= to.low_frequency_factor) {
    rope.fail("high_freq_factor", "must be greater than low_freq_factor");
  }
  shape->scaling = to;
}

}  // namespace

ModelConfig llama_config(const JsonObject& keys) {
  check_neutral(keys, neutral_values());
  check_layers(keys);
  ModelConfig config;
  LanguageShape& shape = config.shape;
  shape.width = keys.whole("hidden_size", 1, 1 << 17);
  shape.layers = keys.whole("num_hidden_layers", 1, 1024);
  shape.heads = keys.whole("num_attention_heads", 1, 4096);
  shape.kv_heads = keys.whole("num_key_value_heads", 1, 4096, shape.heads);
  if (shape.heads % shape.kv_heads != 0) {
    keys.fail("num_attention_heads",
              fmt::format("is {}, not a multiple of 'num_key_value_heads', {}", shape.heads,
                          shape.kv_heads));
  }
  if (keys.find("head_dim") == nullptr && shape.width % shape.heads != 0) {
    keys.fail("hidden_size", fmt::format("is {}, not a multiple of 'num_attention_heads', {}, "
                                         "and there is no 'head_dim'",
                                         shape.width, shape.heads));
  }
  shape.head_size = keys.whole("head_dim", 2, 4096, shape.width / shape.heads);
  if (shape.head_size % 2 != 0) {
    keys.fail("head_dim", fmt::format("is {}: it must be even", shape.head_size));
  }
  shape.hidden = keys.whole("intermediate_size", 1, 1 << 20);
  shape.vocabulary = keys.whole("vocab_size", 1, 1 << 20);
  shape.positions = keys.whole("max_position_embeddings", 1, 1 << 30);
  shape.epsilon = keys.positive("rms_norm_eps", 1, 1e-6);
  config.tied = keys.flag("tie_word_embeddings", false);
  read_rotary(keys, &shape);
  return config;
}

nlohmann::ordered_json llama_keys(const ModelConfig& config) {
  const LanguageShape& shape = config.shape;
  nlohmann::ordered_json out = {{"architectures", {"LlamaForCausalLM"}},
                                {"model_type", "llama"},
                                {"vocab_size", shape.vocabulary},
                                {"hidden_size", shape.width},
                                {"intermediate_size", shape.hidden},
                                {"num_hidden_layers", shape.layers},
                                {"num_attention_heads", shape.heads},
                                {"num_key_value_heads", shape.kv_heads},
                                {"head_dim", shape.head_size},
                                {"hidden_act", "silu"},
                                {"max_position_embeddings", shape.positions},
                                {"rms_norm_eps", shape.epsilon},
                                {"rope_theta", shape.theta},
                                {"tie_word_embeddings", config.tied},
                                {"attention_bias", false},
                                {"mlp_bias", false}};
  if (shape.scaling) {
    out["rope_scaling"] = {{"rope_type", "llama3"},
                           {"factor", shape.scaling->factor},
                           {"low_freq_factor", shape.scaling->low_frequency_factor},
                           {"high_freq_factor", shape.scaling->high_frequency_factor},
                           {"original_max_position_embeddings", shape.scaling->original_positions}};
  }
  return out;
}

}  // namespace ow
