// SPDX-License-Identifier: Apache-2.0
// Mutants of a language model's folder: its shape, its tensors, their index.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mutants.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
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

}  // namespace
}  // namespace ow
