// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/dataset.h"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/tensor/csv.h"
#include "ow/tensor/idx.h"
#include "ow/tensor/npy.h"
#include "ow/tensor/safetensors.h"
#include "ow/tensor/sequences.h"

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

// The class of a sample whose values are 1 for it and 0 for the others; -1 for other values.
int one_hot_class(const Tensor& labels, size_t sample, int classes) {
  int found = -1;
  for (int c = 0; c < classes; ++c) {
    const double v = labels.value(sample * static_cast<size_t>(classes) + static_cast<size_t>(c));
    if (v == 0) continue;
    if (v != 1 || found >= 0) return -1;
    found = c;
  }
  return found;
}

// One number a sample, or one-hot. `name`: of the file.
void take_labels(const Tensor& labels, const std::string& name, size_t samples, int outputs,
                 Taker* take) {
  const bool first = !labels.shape.empty() && labels.shape[0] == samples;
  const bool one_hot =
      labels.shape.size() == 2 && outputs > 1 && labels.shape[1] == static_cast<uint64_t>(outputs);
  if (!first || (labels.shape.size() != 1 && !one_hot)) {
    throw BadInput(
        fmt::format("{}: classes of shape {} for {} samples", name, labels.shape_text(), samples));
  }
  for (size_t n = 0; n < samples; ++n) {
    const int hot = one_hot ? one_hot_class(labels, n, outputs) : 0;
    if (hot < 0) {
      throw BadInput(fmt::format("{}: sample {}: a one-hot class is one 1 and zeros", name, n));
    }
    take->label(one_hot ? hot : labels.value(n),
                [&] { return fmt::format("{}: sample {}", name, n); });
  }
}

// [samples, ...] with one value per output.
void take_targets(const Tensor& targets, const std::string& name, size_t samples, int outputs,
                  Taker* take) {
  uint64_t width = 1;
  for (size_t k = 1; k < targets.shape.size(); ++k) width *= targets.shape[k];
  if (targets.shape.empty() || targets.shape[0] != samples ||
      width != static_cast<uint64_t>(outputs)) {
    throw BadInput(fmt::format("{}: targets of shape {} for {} samples: the network has {} outputs",
                               name, targets.shape_text(), samples, outputs));
  }
  for (size_t n = 0; n < targets.elements(); ++n) {
    take->target(targets.value(n), [&] {
      return fmt::format("{}: targets of sample {}, output {}", name, n / width, n % width);
    });
  }
}

// `more`: the classes or values, if they are known, of the file `more_name`.
void take_tensors(const DataSource& source, const Tensor& inputs, const Tensor* more,
                  const std::string& more_name, int features, int outputs, Taker* take) {
  uint64_t width = 1;
  for (size_t k = 1; k < inputs.shape.size(); ++k) width *= inputs.shape[k];
  if (inputs.shape.empty() || width != static_cast<uint64_t>(features)) {
    throw BadInput(fmt::format("{}: samples of shape {}: the network has {} inputs", source.file,
                               inputs.shape_text(), features));
  }
  const size_t samples = inputs.shape[0];
  take->count(samples);
  for (size_t n = 0; n < inputs.elements(); ++n) {
    take->value(inputs.value(n), [&] {
      return fmt::format("{}: sample {}, feature {}", source.file,
                         n / static_cast<size_t>(features), n % static_cast<size_t>(features));
    });
  }
  if (more == nullptr) return;
  if (source.targets) {
    take_targets(*more, more_name, samples, outputs, take);
  } else {
    take_labels(*more, more_name, samples, outputs, take);
  }
}

// Two files, each with one tensor.
void load_pair(const DataSource& source, int features, int outputs, Taker* take) {
  const auto read = [&](const std::string& file) {
    return source.format == DataFormat::Npy ? read_npy(file, kMaxBytes) : read_idx(file, kMaxBytes);
  };
  const Tensor inputs = read(source.file);
  const Tensor more = source.labels.empty() ? Tensor() : read(source.labels);
  take_tensors(source, inputs, source.labels.empty() ? nullptr : &more, source.labels, features,
               outputs, take);
}

// One file of named tensors.
void load_named(const DataSource& source, int features, int outputs, Taker* take) {
  const Tensors tensors = source.format == DataFormat::Npz
                              ? read_npz(source.file, kMaxBytes)
                              : read_safetensors(source.file, kMaxBytes);
  const char* second = source.targets ? "targets" : "labels";
  const auto inputs = tensors.find("inputs");
  const auto more = tensors.find(second);
  if (inputs == tensors.end()) {
    throw BadInput(
        fmt::format("{}: tensor 'inputs' is missing: {}", source.file, names_text(tensors)));
  }
  if (tensors.size() > (more == tensors.end() ? 1 : 2)) {
    throw BadInput(
        fmt::format("{}: holds more tensors than 'inputs' and '{}'", source.file, second));
  }
  take_tensors(source, inputs->second, more == tensors.end() ? nullptr : &more->second, source.file,
               features, outputs, take);
}

// Tokens 0 .. outputs - 1 of an array.
TokenText read_tokens(const DataSource& source, int outputs) {
  const Tensor tokens = read_npy(source.file, kMaxBytes);
  if (tokens.shape.size() != 1) {
    throw BadInput(fmt::format("{}: of shape {}: tokens have one dimension", source.file,
                               tokens.shape_text()));
  }
  TokenText text{{}, source.end};
  for (size_t n = 0; n < tokens.elements(); ++n) {
    const double v = tokens.value(n);
    if (!(v >= 0 && v < outputs) || v != std::floor(v)) {
      throw BadInput(
          fmt::format("{}: token {}: {:g} is not in 0..{}", source.file, n, v, outputs - 1));
    }
    text.ids.push_back(static_cast<int>(v));
  }
  return text;
}

void load_tokens(const DataSource& source, int outputs, const TextReader& read, Dataset* out) {
  const bool is_text = source.format == DataFormat::Text;
  if (is_text && !read) throw BadInput(source.file + ": a text is for trainings on tokens");
  const TokenText text = is_text ? read(source) : read_tokens(source, outputs);
  for (const int id : text.ids) {
    if (id < outputs) continue;
    throw BadInput(fmt::format("{}: its tokenizer gives token {}, the network tells {} apart",
                               source.file, id, outputs));
  }
  Sequences sequences = pack_sequences(text.ids, text.end, source.sequence);
  if (sequences.ids.empty()) {
    throw BadInput(fmt::format(
        "{}: {} tokens, too few for {}", source.file, text.ids.size(),
        text.end ? "a document of two"
                 : fmt::format("a sequence of {} and its last target", source.sequence)));
  }
  out->features = source.sequence;
  out->values.assign(sequences.ids.begin(), sequences.ids.end());
  out->labels = std::move(sequences.targets);
  out->starts = std::move(sequences.starts);
}

}  // namespace

DataFormat data_format(const std::string& file) {
  const std::string name = ends(file, ".gz") ? file.substr(0, file.size() - 3) : file;
  if (ends(name, ".csv")) return DataFormat::Csv;
  if (ends(name, ".idx") || ends(name, "-ubyte")) return DataFormat::Idx;
  if (ends(name, ".npy")) return DataFormat::Npy;
  if (ends(file, ".npz")) return DataFormat::Npz;
  if (ends(file, ".safetensors")) return DataFormat::Safetensors;
  throw BadInput(file +
                 ": the name tells no format: must end with .csv, .idx, -ubyte, .npy (or one of "
                 "these and .gz), .npz or .safetensors");
}

void Dataset::add(const Dataset& from, size_t n) {
  features = from.features;
  values.insert(values.end(), from.sample(n), from.sample(n) + features);
  const size_t each = from.labels.size() / from.samples();
  const auto first = from.labels.begin() + static_cast<std::ptrdiff_t>(n * each);
  labels.insert(labels.end(), first, first + static_cast<std::ptrdiff_t>(each));
  if (!from.starts.empty()) {
    const auto start = from.starts.begin() + static_cast<std::ptrdiff_t>(n) * features;
    starts.insert(starts.end(), start, start + features);
  }
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

Dataset load_dataset(const DataSource& source, HalfType type, int features, int outputs,
                     const TextReader& text) {
  Dataset out;
  out.features = features;
  out.outputs = outputs;
  Taker take(source, type, &out);
  if (source.sequence > 0) {
    load_tokens(source, outputs, text, &out);
    take.count(out.samples());
  } else if (source.format == DataFormat::Csv) {
    load_csv(source, features, outputs, &take);
  } else if (source.format == DataFormat::Npz || source.format == DataFormat::Safetensors) {
    load_named(source, features, outputs, &take);
  } else {
    load_pair(source, features, outputs, &take);
  }
  return out;
}

}  // namespace ow
