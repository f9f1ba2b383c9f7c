// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/base/text.h"
#include "ow/tensor/npy.h"
#include "ow/tensor/safetensors.h"

namespace ow {

std::string layer_name(const LayerShape& layer, size_t k) {
  return layer.name.empty() ? fmt::format("layers.{}", k) : layer.name;
}

std::string weight_name(const LayerShape& layer, size_t k) {
  return layer_name(layer, k) + ".weight";
}

std::string bias_name(const LayerShape& layer, size_t k) { return layer_name(layer, k) + ".bias"; }

size_t Layer::nonzero() const {
  return weights.size() -
         static_cast<size_t>(std::count_if(weights.begin(), weights.end(), half_is_zero));
}

size_t Network::weights() const {
  size_t n = 0;
  for (const Layer& layer : layers) n += layer.weights.size();
  return n;
}

size_t Network::nonzero() const {
  size_t n = 0;
  for (const Layer& layer : layers) n += layer.nonzero();
  return n;
}

std::vector<LayerShape> Network::shapes() const {
  return std::vector<LayerShape>(layers.begin(), layers.end());
}

std::string sizes_text(const std::vector<LayerShape>& layers) {
  std::string text = layers.empty() ? "" : std::to_string(layers.front().inputs);
  for (const LayerShape& layer : layers) text += "-" + std::to_string(layer.outputs);
  return text;
}

Activations Activations::zero(int features, int samples) {
  Activations a;
  a.features = features;
  a.samples = samples;
  a.values.assign(static_cast<size_t>(features) * static_cast<size_t>(samples), 0);
  return a;
}

Activations Activations::slice(int first, int count) const {
  Activations part = zero(features, count);
  for (int f = 0; f < features; ++f) {
    for (int s = 0; s < count; ++s) part.at(f, s) = at(f, first + s);
  }
  return part;
}

std::vector<int> classify(HalfType type, const Activations& outputs) {
  std::vector<int> classes(static_cast<size_t>(outputs.samples), 0);
  for (int s = 0; s < outputs.samples; ++s) {
    float best = 0;
    bool found = false;
    for (int k = 0; k < outputs.features; ++k) {
      const float value = from_half(type, outputs.at(k, s));
      if (value == value && (!found || value > best)) {
        best = value;
        found = true;
        classes[static_cast<size_t>(s)] = k;
      }
    }
  }
  return classes;
}

Network random_network(uint64_t seed, HalfType type, const std::vector<LayerShape>& layers,
                       double density) {
  Rng rng(seed);
  Network network;
  network.type = type;
  for (const LayerShape& shape : layers) {
    Layer layer;
    static_cast<LayerShape&>(layer) = shape;
    const size_t count = static_cast<size_t>(shape.inputs) * static_cast<size_t>(shape.outputs);
    layer.weights.reserve(count);
    for (size_t n = 0; n < count; ++n) {
      const bool kept = rng.uniform() < density;
      const uint16_t value = to_half(type, 2.0 * rng.uniform() - 1.0);
      layer.weights.push_back(kept ? value : uint16_t{0});
    }
    for (int j = 0; shape.bias && j < shape.outputs; ++j) {
      layer.bias_values.push_back(static_cast<float>(rng.uniform() - 0.5));
    }
    network.layers.push_back(std::move(layer));
  }
  return network;
}

Activations random_activations(uint64_t seed, HalfType type, int features, int samples, double low,
                               double high) {
  Rng rng(seed);
  Activations x = Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = to_half(type, low + (high - low) * rng.uniform());
  return x;
}

void save_network(const std::string& path, const Network& network) {
  Tensors tensors;
  for (size_t k = 0; k < network.layers.size(); ++k) {
    const Layer& layer = network.layers[k];
    tensors[weight_name(layer, k)] = half_tensor(
        network.type, {static_cast<uint64_t>(layer.outputs), static_cast<uint64_t>(layer.inputs)},
        layer.weights);
    if (!layer.bias) continue;
    Tensor bias;
    bias.type = TensorType::F32;
    bias.shape = {static_cast<uint64_t>(layer.outputs)};
    for (const float value : layer.bias_values) {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      for (int b = 0; b < 4; ++b) bias.bytes.push_back(static_cast<uint8_t>(bits >> (8 * b)));
    }
    tensors[bias_name(layer, k)] = std::move(bias);
  }
  write_safetensors(path, tensors);
}

namespace {

// Whether a tensor of a checkpoint is for the training alone.
bool only_trains(const std::string& name) {
  const std::string mask = kMaskSuffix;
  return name == kCheckpointSums || name.rfind(kMomentPrefix, 0) == 0 ||
         (name.size() > mask.size() &&
          name.compare(name.size() - mask.size(), mask.size(), mask) == 0);
}

// The tensors of a file of weights. Those of a safetensors file are read one by one, so it may be
// larger than the memory. All others are read whole.
class WeightFile {
 public:
  WeightFile(const std::string& path, const std::vector<LayerShape>& layers);

  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
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

// A .npy file holds one array without a name. It can be a network's only tensor.
Tensors read_weights(const std::string& path, const std::vector<LayerShape>& layers) {
  Tensors tensors = read_tensors(path);
  const auto unnamed = tensors.find("");
  if (tensors.size() != 1 || unnamed == tensors.end()) return tensors;
  if (layers.size() != 1 || layers.front().bias) {
    throw BadInput(
        path +
        ": one array without a name is the weights of one layer without a bias; .npz and "
        "safetensors have names");
  }
  Tensors named;
  named[weight_name(layers.front(), 0)] = std::move(unnamed->second);
  return named;
}

WeightFile::WeightFile(const std::string& path, const std::vector<LayerShape>& layers) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || is_numpy_file(path)) {
    tensors_ = read_weights(path, layers);
    return;
  }
  file_ = std::make_unique<SafetensorsFile>(path);
  for (size_t k = 0; k < file_->tensors().size(); ++k) {
    const TensorHead& head = file_->tensors()[k];
    tensors_[head.name] = {head.type, head.shape, {}};
    places_[head.name] = k;
  }
}

}  // namespace

Network load_network(const std::string& path, HalfType type,
                     const std::vector<LayerShape>& layers) {
  WeightFile file(path, layers);
  const std::string names = names_text(file.tensors());
  const bool checkpoint = file.has(kCheckpointSums);
  const auto take = [&](const std::string& name, const std::vector<uint64_t>& shape,
                        const std::vector<TensorType>& types) {
    if (!file.has(name)) {
      throw BadInput(fmt::format("{}: tensor '{}' is missing: {}", path, name, names));
    }
    const Tensor& t = file.tensors().at(name);
    Tensor wanted;
    wanted.shape = shape;
    if (t.shape != shape) {
      throw BadInput(fmt::format("{}: tensor '{}' has the shape {}, the network wants {}", path,
                                 name, t.shape_text(), wanted.shape_text()));
    }
    if (std::find(types.begin(), types.end(), t.type) == types.end()) {
      std::string list;
      for (const TensorType k : types)
        list += (list.empty() ? "" : " or ") + std::string(type_name(k));
      throw BadInput(
          fmt::format("{}: tensor '{}' is {}, must be {}", path, name, type_name(t.type), list));
    }
    return file.take(name);
  };
  Network network;
  network.type = type;
  for (size_t k = 0; k < layers.size(); ++k) {
    Layer layer;
    static_cast<LayerShape&>(layer) = layers[k];
    const auto outputs = static_cast<uint64_t>(layer.outputs);
    const Tensor weights =
        take(weight_name(layer, k), {outputs, static_cast<uint64_t>(layer.inputs)},
             {tensor_type(type), TensorType::F32, TensorType::F64});
    layer.weights = half_elements(weights, type);
    for (size_t n = 0; n < layer.weights.size(); ++n) {
      if (!half_is_finite(type, layer.weights[n])) {
        throw BadInput(fmt::format("{}: tensor '{}' holds a number that is not finite in {}, at {}",
                                   path, weight_name(layer, k), half_name(type), n));
      }
    }
    if (layer.bias) {
      const Tensor bias =
          take(bias_name(layer, k), {outputs},
               {TensorType::F32, TensorType::F16, TensorType::BF16, TensorType::F64});
      for (size_t n = 0; n < bias.elements(); ++n) {
        layer.bias_values.push_back(static_cast<float>(bias.value(n)));
        if (!std::isfinite(layer.bias_values.back())) {
          throw BadInput(fmt::format("{}: tensor '{}' holds a number that is not finite, at {}",
                                     path, bias_name(layer, k), n));
        }
      }
    }
    network.layers.push_back(std::move(layer));
  }
  for (const auto& [name, tensor] : file.tensors()) {
    if (checkpoint && only_trains(name)) continue;
    throw BadInput(
        fmt::format("{}: tensor '{}' is not one of the network's", path, printable_text(name, 60)));
  }
  return network;
}

}  // namespace ow
