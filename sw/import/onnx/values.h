// SPDX-License-Identifier: Apache-2.0
// The values of a network that were recognised in an ONNX file.
#ifndef OW_IMPORT_ONNX_VALUES_H_
#define OW_IMPORT_ONNX_VALUES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exported.h"

namespace ow::exported {

// Places of an array's elements in another one.
using Places = std::vector<size_t>;

// A constant of the file, or what an operation made of one by moving its elements.
struct Constant {
  Array array;
  std::string origin;  // the constant's name; empty: it was computed
  Places places;       // of the elements there
};

// A value of the network: for each slot (a token of a sequence), `features` numbers. Its features
// are numbered as in the file.
struct Value {
  enum class Kind { Tokens, Embedding, Linear, Norm, Element, Pair, Rotary, Attention };
  Kind kind = Kind::Tokens;
  std::string layer;           // its kind of layer; of Pair, Norm and Element it varies
  const Node* node = nullptr;  // that ends it
  size_t features = 1;
  std::vector<double> probe;  // [slots, features], drawn
  std::vector<int> sources;   // values
  // Of Linear: the source's feature at each input. Of Rotary: for each head the features that turn,
  // halves as the kind has them.
  std::vector<Places> lists;
  // Of Attention: such lists for queries, keys and values.
  std::vector<std::vector<Places>> heads;
  double epsilon = 0, theta = 0;
  // Parameters, [rows, columns]: a table and positions, a matrix [outputs, inputs] and a bias, a
  // gain and a bias.
  std::shared_ptr<const Constant> first, second;
};

// What a file computes. Value 0 are the tokens.
struct Values {
  std::vector<Value> all;
  int logits = -1;
  size_t slots = 0, tokens = 0;  // of all sequences, of one
  std::string file;
  std::map<std::string, Array> constants;  // of the file, and those that are copies of them
};

// BadInput as read_onnx_network.
Values recognise(const Model& model, int tokens);

}  // namespace ow::exported

#endif  // OW_IMPORT_ONNX_VALUES_H_
