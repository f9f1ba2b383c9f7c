// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/dataset.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/tensor/csv.h"
#include "ow/tensor/idx.h"
#include "ow/tensor/safetensors.h"

namespace ow {
namespace {

constexpr size_t kMaxSamples = 100'000'000;
constexpr size_t kMaxBytes = size_t{1} << 32;

bool ends(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Takes values and classes one by one and reports errors in them. `where` names a value.
class Taker {
 public:
  Taker(const DataSource& source, HalfType type, Dataset* out)
      : source_(source), type_(type), classes_(out->outputs), out_(*out) {}

  template <typename Where>
  void value(double v, const Where& where) {
    if (!std::isfinite(v)) throw BadInput(fmt::format("{}: is not finite", where()));
    if (source_.range && (v < source_.range->first || v > source_.range->second)) {
      throw BadInput(fmt::format("{}: {:g} is not in {:g}..{:g}", where(), v, source_.range->first,
                                 source_.range->second));
    }
    const double divided = v / source_.scale;
    if (!fits(divided)) {
      const std::string by =
          source_.scale == 1 ? "" : fmt::format(" divided by {:g}", source_.scale);
      throw BadInput(fmt::format("{}: {:g}{} {}", where(), v, by, too_large()));
    }
    out_.values.push_back(static_cast<float>(divided));
  }

  template <typename Where>
  void label(double v, const Where& where) {
    if (!(v >= 0 && v < classes_) || v != std::floor(v)) {
      throw BadInput(fmt::format("{}: class {:g} is not in 0..{}", where(), v, classes_ - 1));
    }
    out_.labels.push_back(static_cast<int>(v));
  }

  // Takes the value unscaled: the divisor is for features only.
  template <typename Where>
  void target(double v, const Where& where) {
    if (!std::isfinite(v)) throw BadInput(fmt::format("{}: is not finite", where()));
    if (!fits(v)) throw BadInput(fmt::format("{}: {:g} {}", where(), v, too_large()));
    out_.targets.push_back(static_cast<float>(v));
  }

  void count(size_t samples) const {
    if (samples == 0) throw BadInput(fmt::format("{}: holds no samples", source_.file));
    if (source_.samples != 0 && samples != source_.samples) {
      throw BadInput(fmt::format("{}: {} samples, not {}{}", source_.file, samples, source_.samples,
                                 samples < source_.samples ? ": the file is truncated" : ""));
    }
  }

 private:
  // Whether the value is finite in the network's type.
  bool fits(double v) const {
    return std::fabs(v) <= static_cast<double>(std::numeric_limits<float>::max()) &&
           std::isfinite(
               from_half(type_, to_half(type_, static_cast<double>(static_cast<float>(v)))));
  }
  std::string too_large() const {
    return fmt::format("is beyond {}, whose limit is {}", half_name(type_),
                       type_ == HalfType::Binary16 ? "65504" : "3.38953e+38");
  }

  const DataSource& source_;
  HalfType type_;
  int classes_;
  Dataset& out_;
};

void load_csv(const DataSource& source, int features, int outputs, Taker* take) {
  const auto width = static_cast<size_t>(features);
  const size_t more = source.targets ? static_cast<size_t>(outputs) : 1;
  const size_t most = source.samples != 0 ? source.samples : kMaxSamples;
  const Table table = read_csv(source.file, most, width + more);
  take->count(table.rows());
  if (table.columns != width && table.columns != width + more) {
    throw BadInput(fmt::format("{}: {} columns, the network has {} inputs (and {} may follow)",
                               source.file, table.columns, features,
                               source.targets ? fmt::format("{} values", more) : "a class"));
  }
  for (size_t r = 0; r < table.rows(); ++r) {
    for (size_t c = 0; c < table.columns; ++c) {
      const auto where = [&] { return fmt::format("{}:{}: column {}", source.file, r + 1, c + 1); };
      if (c < width) {
        take->value(table.at(r, c), where);
      } else if (source.targets) {
        take->target(table.at(r, c), where);
      } else {
        take->label(table.at(r, c), where);
      }
    }
  }
}

void take_tensors(const DataSource& source, const Tensor& inputs, const Tensor* labels,
                  const std::string& labels_name, int features, Taker* take) {
  uint64_t width = 1;
  for (size_t k = 1; k < inputs.shape.size(); ++k) width *= inputs.shape[k];
  if (inputs.shape.empty() || width != static_cast<uint64_t>(features)) {
    throw BadInput(fmt::format("{}: samples of shape {}: the network has {} inputs", source.file,
                               inputs.shape_text(), features));
  }
  const size_t samples = inputs.shape[0];
  take->count(samples);
  if (labels != nullptr && (labels->shape.size() != 1 || labels->shape[0] != samples)) {
    throw BadInput(fmt::format("{}: classes of shape {} for {} samples", labels_name,
                               labels->shape_text(), samples));
  }
  for (size_t n = 0; n < inputs.elements(); ++n) {
    take->value(inputs.value(n), [&] {
      return fmt::format("{}: sample {}, feature {}", source.file,
                         n / static_cast<size_t>(features), n % static_cast<size_t>(features));
    });
  }
  for (size_t n = 0; labels != nullptr && n < samples; ++n) {
    take->label(labels->value(n), [&] { return fmt::format("{}: sample {}", labels_name, n); });
  }
}

// [samples, ...] with one value per output.
void take_targets(const DataSource& source, const Tensor& inputs, const Tensor& targets,
                  int outputs, Taker* take) {
  uint64_t width = 1;
  for (size_t k = 1; k < targets.shape.size(); ++k) width *= targets.shape[k];
  if (targets.shape.empty() || targets.shape[0] != inputs.shape[0] ||
      width != static_cast<uint64_t>(outputs)) {
    throw BadInput(fmt::format("{}: targets of shape {} for {} samples: the network has {} outputs",
                               source.file, targets.shape_text(), inputs.shape[0], outputs));
  }
  for (size_t n = 0; n < targets.elements(); ++n) {
    take->target(targets.value(n), [&] {
      return fmt::format("{}: targets of sample {}, output {}", source.file, n / width, n % width);
    });
  }
}

void load_safetensors(const DataSource& source, int features, int outputs, Taker* take) {
  Tensors tensors = read_safetensors(source.file, kMaxBytes);
  const char* second = source.targets ? "targets" : "labels";
  const auto inputs = tensors.find("inputs");
  const auto labels = tensors.find(second);
  if (inputs == tensors.end()) {
    throw BadInput(fmt::format("{}: tensor 'inputs' is missing", source.file));
  }
  if (tensors.size() > (labels == tensors.end() ? 1 : 2)) {
    throw BadInput(
        fmt::format("{}: holds more tensors than 'inputs' and '{}'", source.file, second));
  }
  const Tensor* more = labels == tensors.end() ? nullptr : &labels->second;
  take_tensors(source, inputs->second, source.targets ? nullptr : more, source.file, features,
               take);
  if (source.targets && more != nullptr) {
    take_targets(source, inputs->second, *more, outputs, take);
  }
}

}  // namespace

DataFormat data_format(const std::string& file) {
  const std::string name = ends(file, ".gz") ? file.substr(0, file.size() - 3) : file;
  if (ends(name, ".csv")) return DataFormat::Csv;
  if (ends(name, ".idx") || ends(name, "-ubyte")) return DataFormat::Idx;
  if (ends(file, ".safetensors")) return DataFormat::Safetensors;
  throw BadInput(file +
                 ": the name tells no format: must end with .csv, .idx, -ubyte (or one of "
                 "these and .gz) or .safetensors");
}

void Dataset::add(const Dataset& from, size_t n) {
  features = from.features;
  values.insert(values.end(), from.sample(n), from.sample(n) + features);
  if (!from.labels.empty()) labels.push_back(from.labels[n]);
  outputs = from.outputs;
  if (from.targets.empty()) return;
  targets.insert(targets.end(), from.target(n), from.target(n) + outputs);
}

Activations Dataset::activations(HalfType type, size_t first, size_t count) const {
  Activations x = Activations::zero(features, static_cast<int>(count));
  for (size_t s = 0; s < count; ++s) {
    for (int f = 0; f < features; ++f) {
      x.at(f, static_cast<int>(s)) = to_half(type, static_cast<double>(sample(first + s)[f]));
    }
  }
  return x;
}

Dataset load_dataset(const DataSource& source, HalfType type, int features, int outputs) {
  Dataset out;
  out.features = features;
  out.outputs = outputs;
  Taker take(source, type, &out);
  if (source.format == DataFormat::Csv) {
    load_csv(source, features, outputs, &take);
  } else if (source.format == DataFormat::Safetensors) {
    load_safetensors(source, features, outputs, &take);
  } else {
    const Tensor inputs = read_idx(source.file, kMaxBytes);
    const Tensor labels = source.labels.empty() ? Tensor() : read_idx(source.labels, kMaxBytes);
    take_tensors(source, inputs, source.labels.empty() ? nullptr : &labels, source.labels, features,
                 &take);
  }
  return out;
}

}  // namespace ow
