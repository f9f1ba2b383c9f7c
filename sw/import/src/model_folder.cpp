// SPDX-License-Identifier: Apache-2.0
#include "ow/import/model_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "folder_parts.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/import/model_config.h"
#include "ow/tensor/safetensors.h"
#include "ow/tensor/safetensors_folder.h"
#include "parts.h"

namespace ow {
namespace {

namespace fs = std::filesystem;

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

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string folder_prefix(const Tensors& tensors) {
  return tensors.count("transformer.wte.weight") != 0 ? "transformer." : "";
}

bool ignored_tensor(const std::string& name, const ModelConfig& config) {
  if (config.tied && name == "lm_head.weight") return true;
  if (config.shape.family == LanguageFamily::Llama) {
    return ends_with(name, ".self_attn.rotary_emb.inv_freq");
  }
  return ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias");
}

LanguageModel read_model_folder(const std::string& path, HalfType type) {
  const ModelConfig config = read_model_config((fs::path(path) / kConfigFile).string());
  const FolderSource source(path);
  LanguageModel model;
  model.shape = config.shape;
  model.type = type;
  model.blocks.resize(static_cast<size_t>(config.shape.layers));
  const FolderParts<LanguageParts<std::vector<uint16_t>>> parts(model, config.tied,
                                                                folder_prefix(source.tensors()));
  read_parts(source, parts.all(), type, kConfigFile,
             [&](const std::string& name) { return ignored_tensor(name, config); });
  return model;
}

void write_model_folder(const std::string& path, const LanguageModel& model) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw BadInput(fmt::format("{}: cannot be made: {}", path, error.message()));
  const bool tied = model.head.empty();
  const std::string prefix = model.shape.family == LanguageFamily::Gpt2 ? "transformer." : "";
  const FolderParts<const LanguageParts<std::vector<uint16_t>>> parts(model, tied, prefix);
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
