// SPDX-License-Identifier: Apache-2.0
// Samples with features and, if they are known, classes, from files of several formats.
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
//   CSV: a sample a line: the features and, if there is one column more, its class.
//   IDX: a sample for each index of the first dimension; classes in a file of their own.
//   Safetensors: "inputs" [samples, ...] and, if it is there, "labels" [samples].
struct DataSource {
  std::string file;
  DataFormat format = DataFormat::Csv;
  std::string labels;                              // IDX: the file of the classes; empty: none
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

  size_t samples() const {
    return features == 0 ? 0 : values.size() / static_cast<size_t>(features);
  }
  const float* sample(size_t n) const { return &values[n * static_cast<size_t>(features)]; }
  void add(const Dataset& from, size_t n);  // one of its samples
  // Samples from `first` on as a layer's input, rounded once.
  Activations activations(HalfType type, size_t first, size_t count) const;
};

// BadInput with file, place and limit: another number of features, a value outside the range, a
// class that is not in 0 .. classes - 1, another number of samples than asked for, none at all.
Dataset load_dataset(const DataSource& source, int features, int classes);

}  // namespace ow

#endif  // OW_TENSOR_DATASET_H_
