// SPDX-License-Identifier: Apache-2.0
// Recognises what a part of a file computes, by its numbers.
#ifndef OW_IMPORT_ONNX_KINDS_H_
#define OW_IMPORT_ONNX_KINDS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "values.h"

namespace ow::exported {

// A view of a value: an array whose elements are elements of the value's [slots, features].
struct View {
  int value = -1;
  std::vector<int64_t> shape;
  std::shared_ptr<const Places> places;
};

// Numbers that the file computes from one view of a value.
struct Sample {
  const Value& value;
  const View& view;
  size_t tokens;                   // of a sequence
  const std::vector<double>& got;  // one for each element of the view
};

// The kind that gives these numbers element by element; "" for x itself.
std::optional<std::string> element_kind(const Sample& sample);

// Features of each slot in one row of the view, in their order: one row a slot, in the order of the
// slots, all with the same features.
std::optional<Places> features_of_rows(const View& view, size_t features, size_t slots);

struct Norm {
  bool centred = false;
  double epsilon = 0;
};
std::optional<Norm> norm_kind(const Sample& sample, size_t slots);

// Heads in the last axis of a view [.., tokens, features of a head]: for each index before these,
// the features.
std::optional<std::vector<Places>> heads_of(const View& view, size_t features);

struct Rotation {
  std::vector<Places> heads;  // each once; halves turn against each other
  double theta = 0;
};
std::optional<Rotation> rotation_kind(const Sample& sample);

// Softmax attention, scaled by the root of a head's size, of each token to itself and those before
// it. `keys` are [.., features of a head, tokens].
bool is_attention(const Value& q, const View& queries, const Value& k, const View& keys,
                  const Value& v, const View& values, const std::vector<double>& got);

}  // namespace ow::exported

#endif  // OW_IMPORT_ONNX_KINDS_H_
