// SPDX-License-Identifier: Apache-2.0
// Samples with features and, if they are known, classes or values to be reached, from files of
// several formats.
#ifndef OW_TENSOR_DATASET_H_
#define OW_TENSOR_DATASET_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/tensor/half.h"
#include "ow/tensor/network.h"

namespace ow {

enum class DataFormat { Csv, Idx, Safetensors };

// Where samples come from, and what is asked of them.
//   CSV: a sample a line: the features and, if there are more columns, its class or values.
//   IDX: a sample for each index of the first dimension; classes in a file of their own.
//   Safetensors: "inputs" [samples, ...] and, if it is there, "labels" [samples] or, for values,
//   "targets" [samples, ...].
struct DataSource {
  std::string file;
  DataFormat format = DataFormat::Csv;
  std::string labels;                              // IDX: the file of the classes; empty: none
  bool targets = false;                            // values to be reached, not classes; not IDX
  size_t samples = 0;                              // exactly so many; 0: any number
  double scale = 1;                                // values are divided by this
  std::optional<std::pair<double, double>> range;  // of the values in the file
};

// The format that a file's name tells: .csv, .idx, -ubyte, .safetensors, the first three also with
// .gz behind; BadInput for another one.
DataFormat data_format(const std::string& file);

struct Dataset {
  int features = 0;
  std::vector<float> values;  // sample by sample
  std::vector<int> labels;    // of each sample; empty if they are not known
  int outputs = 0;
  std::vector<float> targets;  // values to be reached, sample by sample; empty as above

  size_t samples() const {
    return features == 0 ? 0 : values.size() / static_cast<size_t>(features);
  }
  const float* sample(size_t n) const { return &values[n * static_cast<size_t>(features)]; }
  const float* target(size_t n) const { return &targets[n * static_cast<size_t>(outputs)]; }
  void add(const Dataset& from, size_t n);  // one of its samples
  // Samples from `first` on as a layer's input, rounded once.
  Activations activations(HalfType type, size_t first, size_t count) const;
};

// Of a network that computes in `type`, with so many outputs, one a class or one a value to be
// reached. BadInput with file, place and limit: another number of features or outputs, a value
// outside the range, one that is not finite in the type once it is divided, a class that is not in
// 0 .. outputs - 1, another number of samples than asked for, none at all.
Dataset load_dataset(const DataSource& source, HalfType type, int features, int outputs);

}  // namespace ow

#endif  // OW_TENSOR_DATASET_H_
