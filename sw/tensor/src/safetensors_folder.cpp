// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/safetensors_folder.h"

#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/base/text.h"

namespace ow {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kName = 60;  // characters of a name in a message

}  // namespace

SafetensorsFolder::SafetensorsFolder(const std::string& folder) {
  std::error_code error;
  path_ = (fs::path(folder) / kModelFile).string();
  if (fs::exists(path_, error)) {
    files_.push_back(std::make_unique<SafetensorsFile>(path_));
    const SafetensorsFile& file = *files_.back();
    for (size_t k = 0; k < file.tensors().size(); ++k) add(file, k);
    return;
  }
  path_ = (fs::path(folder) / kModelIndex).string();
  if (!fs::exists(path_, error)) {
    throw BadInput(fmt::format("{}: has neither {} nor {}", folder, kModelFile, kModelIndex));
  }
  read_index(folder);
}

void SafetensorsFolder::read_index(const std::string& folder) {
  const json index = read_json(path_);
  const bool object = index.is_object() && index.contains("weight_map");
  const json& list = object ? index["weight_map"] : index;
  if (!object || !list.is_object()) {
    throw BadInput(fmt::format("{}: must be an object with an object 'weight_map'", path_));
  }
  std::map<std::string, std::set<std::string>> shards;  // the tensors of each file
  for (const auto& [name, shard] : list.items()) {
    const std::string file = shard.is_string() ? shard.get<std::string>() : "";
    if (file.empty() || file == "." || file == ".." || file.find('\0') != std::string::npos ||
        file.find('/') != std::string::npos) {
      throw BadInput(fmt::format("{}: tensor '{}': its place must be the name of a file beside",
                                 path_, printable_text(name, kName)));
    }
    shards[file].insert(name);
  }
  for (auto& [shard, names] : shards) {
    files_.push_back(std::make_unique<SafetensorsFile>((fs::path(folder) / shard).string()));
    const SafetensorsFile& file = *files_.back();
    for (size_t k = 0; k < file.tensors().size(); ++k) {
      if (names.erase(file.tensors()[k].name) != 0) add(file, k);
    }
    if (!names.empty()) {
      throw BadInput(fmt::format("{}: tensor '{}' is not in {}", path_,
                                 printable_text(*names.begin(), kName), printable_text(shard)));
    }
  }
}

void SafetensorsFolder::add(const SafetensorsFile& file, size_t tensor) {
  const TensorHead& head = file.tensors()[tensor];
  tensors_[head.name] = {head.type, head.shape, {}};
  places_[head.name] = {&file, tensor};
}

Tensor SafetensorsFolder::read(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw InternalError("no tensor of this name in the folder");
  Tensor tensor = found->second;
  const Place& place = places_.at(name);
  tensor.bytes.resize(place.file->tensors()[place.tensor].bytes());
  place.file->read(place.tensor, 0, tensor.bytes.size(), tensor.bytes.data());
  return tensor;
}

}  // namespace ow
