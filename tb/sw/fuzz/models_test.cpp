// SPDX-License-Identifier: Apache-2.0
// Mutants of language models: of a folder the shape, the tensors, their index; files of other
// programs.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../import/other_forms.h"
#include "mutants.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
#include "ow/import/imported_model.h"
#include "ow/import/model_folder.h"
#include "ow/tensor/safetensors.h"
#include "run_mutants.h"

namespace ow {
namespace {

using nlohmann::json;

LanguageModel small_model(bool tied) {
  LanguageShape shape;
  shape.width = 4;
  shape.layers = 1;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.head_size = 2;
  shape.hidden = 3;
  shape.vocabulary = 5;
  shape.positions = 8;
  shape.epsilon = 1e-5;
  if (tied) shape.scaling = RotaryScaling{8, 1, 4, 16};
  return random_language_model(shape, HalfType::Binary16, 1, tied);
}

// A mutant takes the place of a file of the folder.
void read_with(const std::string& folder, const std::string& name, const std::string& mutant) {
  write_file(folder + "/" + name, read_text(mutant));
  read_model_folder(folder, HalfType::Binary16);
  read_model_folder(folder, HalfType::Bfloat16);
}

TEST(Fuzz, ShapesOfLanguageModels) {
  const TemporaryDirectory directory;
  write_model_folder(directory.path(), small_model(false));
  const std::string plain = read_text(directory.path() + "/config.json");
  const TemporaryDirectory other;
  write_model_folder(other.path(), small_model(true));
  const std::string scaled = read_text(other.path() + "/config.json");
  json newer = json::parse(scaled);
  newer["rope_parameters"] = newer["rope_scaling"];
  newer["rope_parameters"]["rope_theta"] = newer["rope_theta"];
  newer.erase("rope_scaling");
  newer["layer_types"] = {"full_attention"};
  // A file without a head may have one that says nothing.
  run("llama_config", {".json", {plain, scaled, newer.dump(1)}, text, [&](const std::string& path) {
                         read_with(directory.path(), "config.json", path);
                       }});
}

TEST(Fuzz, TensorsOfLanguageModels) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/model.safetensors";
  write_model_folder(directory.path(), small_model(false));
  const std::string good = read_text(file);
  Tensors tensors = read_safetensors(file);
  tensors["model.norm.weight"] = {TensorType::F32, {4}, std::vector<uint8_t>(16, 0x3F)};
  tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = {TensorType::F64, {0}, {}};
  write_safetensors(file, tensors);
  run("llama_tensors",
      {".safetensors", {good, read_text(file)}, header_mutant, [&](const std::string& path) {
         read_with(directory.path(), "model.safetensors", path);
       }});
}

TEST(Fuzz, ShardsOfLanguageModels) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/model.safetensors";
  write_model_folder(directory.path(), small_model(false));
  json index = {{"metadata", {{"total_size", 100}}}, {"weight_map", json::object()}};
  Tensors shards[2];
  for (const auto& [name, tensor] : read_safetensors(file)) {
    const size_t shard = name.size() % 2;
    shards[shard][name] = tensor;
    index["weight_map"][name] = shard == 0 ? "a.safetensors" : "b.safetensors";
  }
  write_safetensors(directory.path() + "/a.safetensors", shards[0]);
  write_safetensors(directory.path() + "/b.safetensors", shards[1]);
  std::remove(file.c_str());
  run("llama_index", {".json", {index.dump(1)}, text, [&](const std::string& path) {
                        read_with(directory.path(), "model.safetensors.index.json", path);
                      }});
}

LanguageModel small_gpt2(bool tied) {
  LanguageShape shape = small_model(false).shape;
  shape.family = LanguageFamily::Gpt2;
  shape.kv_heads = shape.heads;
  return random_language_model(shape, HalfType::Binary16, 2, tied);
}

TEST(Fuzz, ShapesOfGpt2Models) {
  const TemporaryDirectory directory;
  write_model_folder(directory.path(), small_gpt2(true));
  const std::string plain = read_text(directory.path() + "/config.json");
  json more = json::parse(plain);
  more["activation_function"] = "gelu_pytorch_tanh";
  more["scale_attn_weights"] = true;
  more["n_ctx"] = 8;
  run("gpt2_config", {".json", {plain, more.dump(1)}, text, [&](const std::string& path) {
                        read_with(directory.path(), "config.json", path);
                      }});
}

TEST(Fuzz, TensorsOfGpt2Models) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/model.safetensors";
  write_model_folder(directory.path(), small_gpt2(true));
  run("gpt2_tensors",
      {".safetensors", {read_text(file)}, header_mutant, [&](const std::string& path) {
         read_with(directory.path(), "model.safetensors", path);
       }});
}

// A model whose rows blocks of quantised numbers divide.
RealLanguage wide_model(LanguageFamily family) {
  LanguageShape shape = small_model(false).shape;
  shape.family = family;
  shape.width = shape.hidden = 32;
  shape.heads = 2;
  shape.head_size = 16;
  shape.kv_heads = family == LanguageFamily::Llama ? 1 : 2;
  return real_language(random_language_model(shape, HalfType::Binary16, 3, false));
}

void read_gguf_in_both(const std::string& path) {
  read_gguf(path, HalfType::Binary16);
  read_gguf(path, HalfType::Bfloat16);
}

TEST(Fuzz, GgufFiles) {
  std::vector<std::string> valid;
  RealLanguage llama = wide_model(LanguageFamily::Llama), gpt2 = wide_model(LanguageFamily::Gpt2);
  GgufForm pieces = gguf_form(&llama, GgufType::Q4_1);
  pieces.text("tokenizer.ggml.model", "llama");
  pieces.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0x41>", "a"});
  pieces.numbers("tokenizer.ggml.scores", {0, 0, 0, 0, -1});
  pieces.wholes("tokenizer.ggml.token_type", {2, 3, 3, 6, 1});
  pieces.whole("tokenizer.ggml.bos_token_id", 1);
  pieces.whole("tokenizer.ggml.eos_token_id", 2);
  pieces.whole("tokenizer.ggml.eot_token_id", 3);
  pieces.whole("general.alignment", 32);
  pieces.text("llama.rope.scaling.type", "none");
  pieces.whole("llama.expert_count", 0);
  valid.push_back(pieces.file());
  GgufForm merges = gguf_form(&gpt2, GgufType::Q8_0);
  merges.text("tokenizer.ggml.model", "gpt2");
  merges.text("tokenizer.ggml.pre", "qwen2");
  merges.text("tokenizer.chat_template", "{{ messages }}");
  merges.texts("tokenizer.ggml.tokens", {"<e>", "a", "b", "ab"});
  merges.wholes("tokenizer.ggml.token_type", {3, 1, 1, 1});
  merges.texts("tokenizer.ggml.merges", {"a b"});
  merges.flag("tokenizer.ggml.add_bos_token", true);
  merges.whole("tokenizer.ggml.bos_token_id", 0);
  merges.whole("general.file_type", 7);
  valid.push_back(merges.file(2));
  for (const GgufType type : {GgufType::F32, GgufType::F16, GgufType::BF16, GgufType::Q4_0}) {
    valid.push_back(gguf_form(&llama, type).file());
  }
  run("gguf", {".gguf", valid, binary(2400), read_gguf_in_both});
}

TEST(Fuzz, Llama2cFiles) {
  const TemporaryDirectory directory;
  RealLanguage model = wide_model(LanguageFamily::Llama);
  const std::string file = llama2c_form(model), other = directory.path() + "/other";
  const std::string pieces =
      llama2c_pieces({{"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}, {"<0x00>", 0}, {" a", -1}});
  write_file(other, pieces);
  run("llama2c",
      {".bin", {file}, binary(28), [&](const std::string& path) { read_llama2c(path, other); }});
  write_file(other, file);
  run("llama2c_pieces",
      {".bin", {pieces}, binary(100), [&](const std::string& path) { read_llama2c(other, path); }});
}

TEST(Fuzz, NpzModels) {
  RealLanguage model = wide_model(LanguageFamily::Llama);
  run("npz_model", {".npz", {npz_form(model, false)}, damage, [](const std::string& path) {
                      read_npz_model(path);
                    }});
  // The text within an archive whose sums are right.
  const TemporaryDirectory directory;
  const std::string archive = directory.path() + "/model.npz";
  run("npz_config",
      {".json", {npz_config(model.shape).dump(1)}, text, [&](const std::string& path) {
         write_file(archive, npz_form(model, true, read_text(path)));
         read_npz_model(archive);
       }});
}

}  // namespace
}  // namespace ow
