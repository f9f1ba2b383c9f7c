// SPDX-License-Identifier: Apache-2.0
// Samples with features and, if they are known, classes or target values, from files of several
// formats.
#ifndef OW_TENSOR_DATASET_H_
#define OW_TENSOR_DATASET_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/tensor/half.h"
#include "ow/tensor/network.h"

namespace ow {

enum class DataFormat { Csv, Idx, Npy, Npz, Safetensors, Tokens, Text };

// Where samples come from, and what is required of them.
//   CSV: one sample per line: the features and, if there are more columns, its class or values.
//   IDX: one sample per index of the first dimension; classes are in a file of their own.
//   Npy: as IDX. Its second file may hold values [samples, ...] instead of classes.
//   Safetensors, npz: "inputs" [samples, ...] and optionally "labels" [samples] or, for values,
//   "targets" [samples, ...].
//   Tokens: an .npy file of one dimension, as samples of sequences (sequences.h).
//   Text: a text, of which a tokenizer makes tokens. UTF-8; may be packed by gzip.
// Classes of tensors may be one-hot: [samples, outputs], a 1 for the class and 0 for the others.
struct DataSource {
  std::string file;
  DataFormat format = DataFormat::Csv;
  std::string labels;                              // IDX, npy: the second file; empty: none
  bool targets = false;                            // target values instead of classes; not IDX
  size_t samples = 0;                              // this number exactly; 0: any number
  int sequence = 0;                                // slots of a sample of tokens
  std::optional<int> end;                          // tokens: the one that ends a document
  std::string tokenizer;                           // text: the file of its tokenizer
  std::string end_text;                            // text: of the token that ends a document
  double scale = 1;                                // values are divided by this
  std::optional<std::pair<double, double>> range;  // of the values in the file
};

// The format by the end of a file's name: .csv, .idx, -ubyte, .npy (each also with .gz after it),
// .npz or .safetensors. BadInput for any other.
DataFormat data_format(const std::string& file);

struct Dataset {
  int features = 0;
  std::vector<float> values;  // sample by sample
  // One per sample, or one per slot of tokens; empty if they are not known.
  std::vector<int> labels;
  // Tokens: per slot, the slot of its sample at which its sequence begins.
  std::vector<int> starts;
  int outputs = 0;
  std::vector<float> targets;  // target values, sample by sample; empty if they are not known

  size_t samples() const {
    return features == 0 ? 0 : values.size() / static_cast<size_t>(features);
  }
  const float* sample(size_t n) const { return &values[n * static_cast<size_t>(features)]; }
  const float* target(size_t n) const { return &targets[n * static_cast<size_t>(outputs)]; }
  void add(const Dataset& from, size_t n);  // appends sample n of `from`
  // Samples from `first` on as a layer's input, rounded once.
  Activations activations(HalfType type, size_t first, size_t count) const;
};

// Tokens, and the one that ends a document, if any does.
struct TokenText {
  std::vector<int> ids;
  std::optional<int> end;
};
// Reads a text as tokens. This library has no tokenizers: a caller that takes texts passes one.
using TextReader = std::function<TokenText(const DataSource& source)>;

// Reads the samples for a network that computes in `type` and has `outputs` outputs, one per class
// or per target value. BadInput with file, place and limit: a wrong number of features or outputs,
// a value outside the range, a value that is not finite in the type after the division, a class
// outside 0 .. outputs - 1, a wrong number of samples, or none at all.
Dataset load_dataset(const DataSource& source, HalfType type, int features, int outputs,
                     const TextReader& text = nullptr);

}  // namespace ow

#endif  // OW_TENSOR_DATASET_H_
