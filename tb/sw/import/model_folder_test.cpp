// SPDX-License-Identifier: Apache-2.0
// Folders of models: what is written is read again, in which forms a folder may come, and how
// one that does not fit is refused.
#include "ow/import/model_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "messages.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/rng.h"
#include "ow/base/temporary_directory.h"
#include "ow/tensor/safetensors.h"
#include "same_model.h"
#include "seed.h"

namespace ow {
namespace {

using nlohmann::json;

LanguageShape small_shape() {
  LanguageShape shape;
  shape.width = 8;
  shape.layers = 2;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.head_size = 6;
  shape.hidden = 10;
  shape.vocabulary = 12;
  shape.positions = 32;
  shape.epsilon = 1e-5;
  return shape;
}

// A folder that a test changes.
class Folder {
 public:
  explicit Folder(const LanguageModel& model) { write_model_folder(path(), model); }
  std::string path() const { return directory_.path() + "/model"; }
  std::string file(const std::string& name) const { return path() + "/" + name; }

  json config() const { return read_json(file("config.json")); }
  void set_config(const json& config) const { write_file(file("config.json"), config.dump()); }
  void change_config(const std::string& key, const json& value) const {
    json changed = config();
    changed[key] = value;
    set_config(changed);
  }
  Tensors tensors() const { return read_safetensors(file("model.safetensors")); }
  void set_tensors(const Tensors& tensors) const {
    write_safetensors(file("model.safetensors"), tensors);
  }
  LanguageModel read(HalfType type = HalfType::Binary16) const {
    return read_model_folder(path(), type);
  }
  std::string refusal() const {
    return refusal_of([&] { read(); });
  }

 private:
  TemporaryDirectory directory_;
};

TEST(ModelFolder, WhatIsWrittenIsReadAgain) {
  for (const uint64_t seed : test_seeds(1, 8)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    const auto draw = [&](int high) {
      return 1 + static_cast<int>(rng.below(static_cast<uint64_t>(high)));
    };
    LanguageShape shape;
    shape.width = draw(20);
    shape.layers = draw(3);
    shape.kv_heads = draw(3);
    shape.heads = shape.kv_heads * draw(3);
    shape.head_size = 2 * draw(4);
    if (rng.below(2) == 0) {
      shape.family = LanguageFamily::Gpt2;
      shape.kv_heads = shape.heads;
      shape.width = shape.heads * shape.head_size;
    }
    shape.hidden = draw(30);
    shape.vocabulary = draw(40);
    shape.positions = draw(1000);
    shape.epsilon = rng.uniform() * 1e-4 + 1e-9;
    const bool llama = shape.family == LanguageFamily::Llama;
    if (llama) shape.theta = 1 + 1e6 * rng.uniform();
    if (llama && rng.below(2) == 0)
      shape.scaling = RotaryScaling{1 + rng.uniform(), 1, 4.5, draw(10000)};
    const HalfType type = rng.below(2) == 0 ? HalfType::Binary16 : HalfType::Bfloat16;
    const LanguageModel model = random_language_model(shape, type, seed, rng.below(2) == 0);
    const Folder folder(model);
    expect_equal(folder.read(type), model);
  }
}

// A value of each matrix at a known place, by the names and the order that the format defines.
TEST(ModelFolder, HasTheFamilysNamesAndShapes) {
  const LanguageModel model = random_language_model(small_shape(), HalfType::Binary16, 3);
  const Tensors tensors = Folder(model).tensors();
  EXPECT_EQ(tensors.size(), 3u + 2 * 9);
  const auto expect = [&](const std::string& name, const std::vector<uint64_t>& shape,
                          const std::vector<uint16_t>& values) {
    ASSERT_EQ(tensors.count(name), 1u) << name;
    EXPECT_EQ(tensors.at(name).shape, shape) << name;
    EXPECT_EQ(half_elements(tensors.at(name), HalfType::Binary16), values) << name;
  };
  expect("model.embed_tokens.weight", {12, 8}, model.embedding);
  const LanguageModel::Block& block = model.blocks[1];
  expect("model.layers.1.input_layernorm.weight", {8}, block.attention_norm);
  expect("model.layers.1.self_attn.q_proj.weight", {12, 8}, block.query);
  expect("model.layers.1.self_attn.k_proj.weight", {6, 8}, block.key);
  expect("model.layers.1.self_attn.v_proj.weight", {6, 8}, block.value);
  expect("model.layers.1.self_attn.o_proj.weight", {8, 12}, block.output);
  expect("model.layers.1.post_attention_layernorm.weight", {8}, block.hidden_norm);
  expect("model.layers.1.mlp.gate_proj.weight", {10, 8}, block.gate);
  expect("model.layers.1.mlp.up_proj.weight", {10, 8}, block.up);
  expect("model.layers.1.mlp.down_proj.weight", {8, 10}, block.down);
  expect("model.norm.weight", {8}, model.norm);
  expect("lm_head.weight", {12, 8}, model.head);
}

// Elements of 32 bits, a quarter of a step above the middle of two encodings of either type.
TEST(ModelFolder, RoundsWeightsOnce) {
  const LanguageModel model = random_language_model(small_shape(), HalfType::Binary16, 4);
  const Folder folder(model);
  Tensors tensors = folder.tensors();
  Tensor norm;
  norm.shape = {8};
  const std::vector<float> values = {
      1 + 0x1p-11f + 0x1p-13f, 1 + 0x1p-8f + 0x1p-10f, -3, 0.1f, 1 + 0x1p-11f, 1 + 0x1p-8f, 2, 0};
  for (const float value : values) {
    uint32_t word;
    std::memcpy(&word, &value, 4);
    for (int k = 0; k < 4; ++k) norm.bytes.push_back(static_cast<uint8_t>(word >> (8 * k)));
  }
  tensors["model.norm.weight"] = norm;
  folder.set_tensors(tensors);
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    const LanguageModel read = folder.read(type);
    for (size_t k = 0; k < values.size(); ++k) {
      EXPECT_EQ(read.norm[k], to_half(type, values[k])) << half_name(type) << " " << k;
    }
    EXPECT_EQ(read.embedding[5], to_half(type, from_half(HalfType::Binary16, model.embedding[5])));
  }
  tensors["model.norm.weight"].bytes[3] = 0x7E;  // 2^125 and more
  folder.set_tensors(tensors);
  EXPECT_EQ(folder.refusal(), folder.file("model.safetensors") +
                                  ": tensor 'model.norm.weight' holds a number that is not finite "
                                  "in binary16, at 0");
  EXPECT_EQ(message([&] { folder.read(HalfType::Bfloat16); }), "");
}

TEST(ModelFolder, MayHaveShards) {
  const LanguageModel model = random_language_model(small_shape(), HalfType::Bfloat16, 5);
  const Folder folder(model);
  Tensors shards[2];
  json map = json::object();
  size_t k = 0;
  for (const auto& [name, tensor] : folder.tensors()) {
    shards[k % 2][name] = tensor;
    map[name] = "part-" + std::to_string(k++ % 2) + ".safetensors";
  }
  shards[1]["not.listed"] = shards[1].begin()->second;
  for (const int n : {0, 1}) {
    write_safetensors(folder.file("part-" + std::to_string(n) + ".safetensors"), shards[n]);
  }
  const std::string index = folder.file("model.safetensors.index.json");
  const auto write_index = [&](const json& weight_map) {
    write_file(index, json{{"metadata", {{"total_size", 1}}}, {"weight_map", weight_map}}.dump());
  };
  write_index(map);
  std::remove(folder.file("model.safetensors").c_str());
  expect_equal(folder.read(HalfType::Bfloat16), model);

  const auto changed = [&](const json& place) {
    json moved = map;
    moved["model.norm.weight"] = place;
    write_index(moved);
    return folder.refusal();
  };
  const std::string other = map["model.norm.weight"] == "part-0.safetensors" ? "part-1.safetensors"
                                                                             : "part-0.safetensors";
  EXPECT_EQ(changed(other), index + ": tensor 'model.norm.weight' is not in " + other);
  for (const json& wrong : {json("../x"), json(""), json("."), json(".."), json(3), json("/a"),
                            json(std::string("a\0b", 3))}) {
    EXPECT_EQ(changed(wrong), index +
                                  ": tensor 'model.norm.weight': its place must be the name of "
                                  "a file beside");
  }
  expect_in("part-9.safetensors: cannot be read", changed("part-9.safetensors"));
  json fewer = map;
  fewer.erase("model.norm.weight");
  write_index(fewer);
  expect_in(index + ": tensor 'model.norm.weight' is missing: the file has 'lm_head.weight', ",
            folder.refusal());
  for (const json& wrong : {json::array(), json{{"weight_map", 3}}, json::object()}) {
    write_file(index, wrong.dump());
    EXPECT_EQ(folder.refusal(), index + ": must be an object with an object 'weight_map'");
  }
  std::remove(index.c_str());
  EXPECT_EQ(folder.refusal(), folder.path() +
                                  ": has neither model.safetensors nor "
                                  "model.safetensors.index.json");
}

TEST(ModelFolder, TensorsThatDoNotFitAreRefused) {
  const Folder folder(random_language_model(small_shape(), HalfType::Binary16, 6));
  const Tensors good = folder.tensors();
  const std::string path = folder.file("model.safetensors"),
                    name = "model.layers.1.mlp.up_proj.weight";
  const auto refusal = [&](const std::function<void(Tensors*)>& change) {
    Tensors tensors = good;
    change(&tensors);
    folder.set_tensors(tensors);
    return folder.refusal();
  };
  EXPECT_EQ(refusal([&](Tensors* t) {
              (*t)[name].shape = {8, 10};
            }),
            path + ": tensor '" + name + "' has the shape [8, 10], config.json asks for [10, 8]");
  EXPECT_EQ(
      refusal([&](Tensors* t) { t->erase(name); }),
      path + ": tensor '" + name + "' is missing: " + [&] {
        Tensors others = good;
        others.erase(name);
        return names_text(others);
      }());
  EXPECT_EQ(refusal([&](Tensors* t) {
              (*t)[name] = {TensorType::U8, {10, 8}, std::vector<uint8_t>(80)};
            }),
            path + ": tensor '" + name + "' is U8, must be F16, BF16, F32 or F64");
  EXPECT_EQ(refusal([&](Tensors* t) {
              (*t)["model.layers.1.mlp.up_proj.bias"] = {TensorType::U8, {1}, {0}};
            }),
            path + ": tensor 'model.layers.1.mlp.up_proj.bias' is not one of the model's");
  EXPECT_EQ(
      refusal([&](Tensors* t) {
        (*t)["model.layers.0.self_attn.rotary_emb.inv_freq"] = {TensorType::F32, {1}, {0, 0, 0, 0}};
      }),
      "");
  EXPECT_EQ(refusal([](Tensors*) {}), "");
  // One that takes the embedding as its head may have a head, which says nothing.
  folder.change_config("tie_word_embeddings", true);
  EXPECT_TRUE(folder.read().head.empty());
  std::remove(folder.file("config.json").c_str());
  expect_in("config.json: cannot be read", folder.refusal());
}

TEST(LlamaConfig, HasTheFamilysDefaults) {
  LanguageShape shape = small_shape();
  shape.head_size = 4;
  shape.kv_heads = 2;
  const LanguageModel model = random_language_model(shape, HalfType::Binary16, 7);
  const Folder folder(model);
  json config = folder.config();
  for (const char* key :
       {"head_dim", "num_key_value_heads", "rms_norm_eps", "rope_theta", "tie_word_embeddings",
        "hidden_act", "attention_bias", "mlp_bias", "architectures", "torch_dtype"}) {
    config.erase(key);
  }
  folder.set_config(config);
  LanguageModel wanted = model;
  wanted.shape.epsilon = 1e-6;
  expect_equal(folder.read(), wanted);
  // Keys that do not matter, and those that do with the value that does not.
  config.update({{"head_dim", nullptr},
                 {"use_cache", true},
                 {"pretraining_tp", 1},
                 {"initializer_range", 0.02},
                 {"rope_interleaved", false},
                 {"bos_token_id", 1},
                 {"sliding_window", nullptr},
                 {"partial_rotary_factor", 1.0},
                 {"layer_types", {"full_attention", "full_attention"}},
                 {"rope_scaling", nullptr}});
  folder.set_config(config);
  expect_equal(folder.read(), wanted);
}

TEST(LlamaConfig, RotaryScalingInItsSpellings) {
  LanguageShape shape = small_shape();
  shape.theta = 500000;
  shape.scaling = RotaryScaling{8, 1, 4, 8192};
  const LanguageModel model = random_language_model(shape, HalfType::Binary16, 8);
  const Folder folder(model);
  json config = folder.config();
  ASSERT_EQ(config["rope_scaling"]["rope_type"], "llama3");
  json rope = config["rope_scaling"];
  rope.erase("rope_type");
  rope["type"] = "llama3";
  config["rope_scaling"] = rope;
  folder.set_config(config);
  expect_equal(folder.read(), model);
  config.erase("rope_scaling");
  config.erase("rope_theta");
  rope["rope_type"] = "llama3";
  rope["rope_theta"] = 500000.0;
  config["rope_parameters"] = rope;
  folder.set_config(config);
  expect_equal(folder.read(), model);
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500000}};
  folder.set_config(config);
  EXPECT_FALSE(folder.read().shape.scaling);

  const std::string path = folder.file("config.json");
  const auto refusal = [&](const std::string& key, const json& value) {
    json changed = rope;
    changed[key] = value;
    config["rope_parameters"] = changed;
    folder.set_config(config);
    return folder.refusal();
  };
  EXPECT_EQ(refusal("rope_type", "yarn"),
            path + ": 'rope_parameters.rope_type' is 'yarn', must be default or llama3");
  EXPECT_EQ(refusal("beta_fast", 32), path + ": 'rope_parameters.beta_fast' is not supported");
  EXPECT_EQ(refusal("factor", nullptr), path + ": 'rope_parameters.factor' is missing");
  EXPECT_EQ(refusal("high_freq_factor", 1),
            path + ": 'rope_parameters.high_freq_factor' must be greater than low_freq_factor");
  EXPECT_EQ(
      refusal("partial_rotary_factor", 0.5),
      path + ": 'rope_parameters.partial_rotary_factor' must be 1: all features of a head turn");
  config["rope_scaling"] = rope;
  folder.set_config(config);
  EXPECT_EQ(folder.refusal(), path + ": 'rope_parameters' and 'rope_scaling' are both there");
  config.erase("rope_parameters");
  config["rope_scaling"] = "llama3";
  folder.set_config(config);
  EXPECT_EQ(folder.refusal(), path + ": 'rope_scaling' must be an object, not \"llama3\"");
}

TEST(LlamaConfig, WhatIsNotSupportedIsRefusedByItsKey) {
  const Folder folder(random_language_model(small_shape(), HalfType::Binary16, 9));
  const json good = folder.config();
  const std::string path = folder.file("config.json");
  const auto refusal = [&](const std::string& key, const json& value) {
    json changed = good;
    changed[key] = value;
    folder.set_config(changed);
    return folder.refusal();
  };
  EXPECT_EQ(refusal("model_type", "qwen2"),
            path + ": 'model_type' is 'qwen2', must be gpt2 or llama");
  EXPECT_EQ(refusal("model_type", 3), path + ": 'model_type' must be a string, not 3");
  EXPECT_EQ(refusal("hidden_act", "gelu"),
            path + R"(: 'hidden_act' is "gelu", which is not supported: it must be "silu")");
  for (const char* key : {"attention_bias", "mlp_bias", "use_sliding_window", "rope_interleaved"}) {
    EXPECT_EQ(refusal(key, true),
              path + ": '" + key + "' is true, which is not supported: it must be false");
  }
  EXPECT_EQ(refusal("sliding_window", 4096),
            path + ": 'sliding_window' is 4096, which is not supported: it must be absent");
  EXPECT_EQ(refusal("residual_multiplier", 0.5),
            path + ": 'residual_multiplier' is 0.5, which is not supported: it must be 1");
  EXPECT_EQ(refusal("layer_types", {"full_attention", "sliding_attention"}),
            path + R"(: 'layer_types' may hold full_attention alone, not "sliding_attention")");
  EXPECT_EQ(refusal("hidden_size", nullptr), path + ": 'hidden_size' is missing");
  EXPECT_EQ(refusal("hidden_size", 0),
            path + ": 'hidden_size' must be a whole number from 1 to 131072, not 0");
  EXPECT_EQ(refusal("vocab_size", 1.5),
            path + ": 'vocab_size' must be a whole number from 1 to 1048576, not 1.5");
  expect_in("'vocab_size' must be a whole number", refusal("vocab_size", UINT64_MAX));
  EXPECT_EQ(refusal("num_key_value_heads", 3),
            path + ": 'num_attention_heads' is 2, not a multiple of 'num_key_value_heads', 3");
  EXPECT_EQ(refusal("head_dim", 5), path + ": 'head_dim' is 5: it must be even");
  EXPECT_EQ(refusal("rms_norm_eps", -1e-5),
            path + ": 'rms_norm_eps' must be a number above 0 and up to 1, not -1e-05");
  EXPECT_EQ(
      refusal("rope_theta", "10000"),
      path + R"(: 'rope_theta' must be a number above 0 and up to 1000000000000, not "10000")");
  EXPECT_EQ(refusal("tie_word_embeddings", 1),
            path + ": 'tie_word_embeddings' must be true or false, not 1");
  json changed = good;
  changed.erase("head_dim");
  changed["hidden_size"] = 9;
  folder.set_config(changed);
  EXPECT_EQ(folder.refusal(), path +
                                  ": 'hidden_size' is 9, not a multiple of "
                                  "'num_attention_heads', 2, and there is no 'head_dim'");
  write_file(path, "[]");
  EXPECT_EQ(folder.refusal(), path + ": must be a JSON object");
}

TEST(RandomLanguageModel, DependsOnItsSeedAlone) {
  const LanguageShape shape = small_shape();
  const LanguageModel one = random_language_model(shape, HalfType::Binary16, 1);
  expect_equal(one, random_language_model(shape, HalfType::Binary16, 1));
  EXPECT_NE(one.embedding, random_language_model(shape, HalfType::Binary16, 2).embedding);
  EXPECT_TRUE(random_language_model(shape, HalfType::Binary16, 1, true).head.empty());
}

// The mean square of weights is what keeps sums near 1.
TEST(RandomLanguageModel, WeightsFitTheirInputs) {
  LanguageShape shape = small_shape();
  shape.width = 64;
  shape.hidden = 96;
  const LanguageModel model = random_language_model(shape, HalfType::Bfloat16, test_seed(1));
  const auto mean_square = [&](const std::vector<uint16_t>& values) {
    double sum = 0;
    for (const uint16_t v : values) sum += std::pow(from_half(HalfType::Bfloat16, v), 2);
    return sum / static_cast<double>(values.size());
  };
  EXPECT_NEAR(mean_square(model.blocks[0].gate) * 64, 1, 0.1);
  EXPECT_NEAR(mean_square(model.blocks[1].down) * 96 * 4, 1, 0.1);
  EXPECT_NEAR(mean_square(model.embedding) * 64, 1, 0.2);
  for (const uint16_t gain : model.norm) {
    EXPECT_NEAR(from_half(HalfType::Bfloat16, gain), 1, 0.11);
  }
}

TEST(Gpt2Config, KeysThatChangeTheMathematicsAreRefused) {
  LanguageShape shape = small_shape();
  shape.family = LanguageFamily::Gpt2;
  shape.kv_heads = shape.heads;
  shape.head_size = shape.width / shape.heads;
  const LanguageModel model = random_language_model(shape, HalfType::Binary16, 9, true);
  const Folder folder(model);
  const json good = folder.config();
  const std::string at = folder.file("config.json") + ": ";
  const auto refusal = [&](const std::string& key, const json& value) {
    folder.set_config(good);
    folder.change_config(key, value);
    return folder.refusal();
  };
  EXPECT_EQ(refusal("activation_function", "relu"),
            at + "'activation_function' is 'relu', must be gelu_new or gelu_pytorch_tanh");
  EXPECT_EQ(refusal("scale_attn_by_inverse_layer_idx", true),
            at + "'scale_attn_by_inverse_layer_idx' is true, which is not supported: it must be "
                 "false");
  EXPECT_EQ(refusal("n_head", 3), at + "'n_embd' is 8, not a multiple of twice 'n_head', 3");
  EXPECT_EQ(refusal("model_type", "gptj"), at + "'model_type' is 'gptj', must be gpt2 or llama");
  for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{
           {"reorder_and_upcast_attn", true}, {"resid_pdrop", 0.1}, {"n_ctx", 32}}) {
    EXPECT_EQ(refusal(key, value), "");
  }
  // The family's defaults.
  json config = good;
  for (const char* key : {"activation_function", "tie_word_embeddings"}) config.erase(key);
  folder.set_config(config);
  expect_equal(folder.read(), model);
}

// Published files have no prefix, and masks beside the weights.
TEST(Gpt2Folder, NamesMayHaveAPrefix) {
  LanguageShape shape = small_shape();
  shape.family = LanguageFamily::Gpt2;
  shape.kv_heads = shape.heads;
  shape.head_size = shape.width / shape.heads;
  const LanguageModel model = random_language_model(shape, HalfType::Binary16, 10, true);
  const Folder folder(model);
  Tensors plain;
  const std::string prefix = "transformer.";
  for (const auto& [name, tensor] : folder.tensors()) plain[name.substr(prefix.size())] = tensor;
  plain["h.0.attn.bias"] = {TensorType::F32, {1}, {0, 0, 0, 0}};
  plain["h.1.attn.masked_bias"] = {TensorType::F32, {}, {0, 0, 0, 0}};
  folder.set_tensors(plain);
  expect_equal(folder.read(), model);
}

}  // namespace
}  // namespace ow
