// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/weights_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "ow/tensor/npy.h"
#include "ow/tensor/safetensors.h"

namespace ow {
namespace {

// Whether a tensor of a checkpoint is for the training alone.
bool only_trains(const std::string& name) {
  const std::string mask = kMaskSuffix;
  return name == kCheckpointSums || name.rfind(kMomentPrefix, 0) == 0 ||
         (name.size() > mask.size() &&
          name.compare(name.size() - mask.size(), mask.size(), mask) == 0);
}

// A .npy file holds one array without a name. It can be a network's only tensor.
Tensors read_whole(const std::string& path, const std::vector<WeightSpec>& specs) {
  Tensors tensors = read_tensors(path);
  const auto unnamed = tensors.find("");
  if (tensors.size() != 1 || unnamed == tensors.end()) return tensors;
  if (specs.size() != 1) {
    throw BadInput(
        path +
        ": one array without a name is the weights of one layer without a bias; .npz and "
        "safetensors have names");
  }
  Tensors named;
  named[specs.front().name] = std::move(unnamed->second);
  return named;
}

// The tensors of a file of weights. Those of a safetensors file are read one by one, so it may be
// larger than the memory. All others are read whole.
class WeightsFile {
 public:
  WeightsFile(const std::string& path, const std::vector<WeightSpec>& specs) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || is_numpy_file(path)) {
      tensors_ = read_whole(path, specs);
      return;
    }
    file_ = std::make_unique<SafetensorsFile>(path);
    for (size_t k = 0; k < file_->tensors().size(); ++k) {
      const TensorHead& head = file_->tensors()[k];
      tensors_[head.name] = {head.type, head.shape, {}};
      places_[head.name] = k;
    }
  }

  // All tensors that have not been taken; those of a safetensors file without elements.
  const Tensors& tensors() const { return tensors_; }
  Tensor take(const std::string& name) {
    const auto found = tensors_.find(name);
    Tensor tensor = std::move(found->second);
    tensors_.erase(found);
    if (file_ == nullptr) return tensor;
    const size_t place = places_.at(name);
    tensor.bytes.resize(file_->tensors()[place].bytes());
    file_->read(place, 0, tensor.bytes.size(), tensor.bytes.data());
    return tensor;
  }

 private:
  Tensors tensors_;
  std::unique_ptr<SafetensorsFile> file_;  // null: the tensors have their elements
  std::map<std::string, size_t> places_;
};

std::vector<TensorType> types_of(std::optional<HalfType> rounded) {
  if (rounded) return {tensor_type(*rounded), TensorType::F32, TensorType::F64};
  return {TensorType::F32, TensorType::F16, TensorType::BF16, TensorType::F64};
}

// The numbers of a tensor, rounded once.
std::vector<float> numbers_of(const Tensor& tensor, std::optional<HalfType> rounded) {
  std::vector<float> numbers;
  if (rounded) {
    for (const uint16_t half : half_elements(tensor, *rounded)) {
      numbers.push_back(static_cast<float>(from_half(*rounded, half)));
    }
    return numbers;
  }
  numbers.resize(tensor.elements());
  for (size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<float>(tensor.value(n));
  return numbers;
}

}  // namespace

Weights load_weights(const std::string& path, std::optional<HalfType> type,
                     const std::vector<WeightSpec>& specs) {
  WeightsFile file(path, specs);
  const std::string names = names_text(file.tensors());
  const bool checkpoint = file.tensors().count(kCheckpointSums) != 0;
  Weights weights;
  for (const WeightSpec& spec : specs) {
    const auto fail = [&](const std::string& what) {
      throw BadInput(fmt::format("{}: tensor '{}' {}", path, printable_text(spec.name, 60), what));
    };
    const auto found = file.tensors().find(spec.name);
    if (found == file.tensors().end()) fail("is missing: " + names);
    Tensor wanted;
    wanted.shape = spec.shape;
    if (found->second.shape != spec.shape) {
      fail(fmt::format("has the shape {}, the network wants {}", found->second.shape_text(),
                       wanted.shape_text()));
    }
    const std::optional<HalfType> rounded = spec.half ? type : std::nullopt;
    const std::vector<TensorType> types = types_of(rounded);
    if (std::find(types.begin(), types.end(), found->second.type) == types.end()) {
      std::string list;
      for (const TensorType k : types) {
        list += (list.empty() ? "" : " or ") + std::string(type_name(k));
      }
      fail(fmt::format("is {}, must be {}", type_name(found->second.type), list));
    }
    std::vector<float> numbers = numbers_of(file.take(spec.name), rounded);
    const auto wrong =
        std::find_if(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); });
    if (wrong != numbers.end()) {
      fail(fmt::format("holds a number that is not finite{}, at {}",
                       rounded ? std::string(" in ") + half_name(*rounded) : "",
                       wrong - numbers.begin()));
    }
    weights[spec.name] = std::move(numbers);
  }
  for (const auto& [name, tensor] : file.tensors()) {
    if (checkpoint && only_trains(name)) continue;
    throw BadInput(
        fmt::format("{}: tensor '{}' is not one of the network's", path, printable_text(name, 60)));
  }
  return weights;
}

void save_weights(const std::string& path, HalfType type, const std::vector<WeightSpec>& specs,
                  const Weights& weights) {
  Tensors tensors;
  for (const WeightSpec& spec : specs) {
    const std::vector<float>& numbers = weights.at(spec.name);
    if (spec.half) {
      std::vector<uint16_t> halves;
      for (const float x : numbers) {
        const uint16_t half = to_half(type, static_cast<double>(x));
        halves.push_back(half_is_zero(half) ? uint16_t{0} : half);
      }
      tensors[spec.name] = half_tensor(type, spec.shape, halves);
      continue;
    }
    Tensor& tensor = tensors[spec.name];
    tensor.type = TensorType::F32;
    tensor.shape = spec.shape;
    for (const float x : numbers) {
      uint32_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      for (int b = 0; b < 4; ++b) tensor.bytes.push_back(static_cast<uint8_t>(bits >> (8 * b)));
    }
  }
  write_safetensors(path, tensors);
}

}  // namespace ow
