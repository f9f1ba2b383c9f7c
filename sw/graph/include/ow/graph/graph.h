// SPDX-License-Identifier: Apache-2.0
// A computation as data: operations on named values, with parameters that operations may share.
// Nothing here knows a device, and nothing computes. What a kind of operation means is its folder's
// (sw/layers); kind.h has what a graph must know of it.
#ifndef OW_GRAPH_GRAPH_H_
#define OW_GRAPH_GRAPH_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ow {

// Values that come with the samples. Every other value has the name of the operation that gives it.
inline constexpr char kInputTensor[] = "input";
inline constexpr char kTargetsTensor[] = "targets";

// What flows between operations: `features` numbers for each sample, or a token.
struct Value {
  enum class Element { Number, Token };
  std::string name;
  int features = 0;  // of tokens: 1
  Element element = Element::Number;
};

// What is trained. Its master copy is fp32, [rows, columns], the column runs fastest; a vector has
// one column.
struct Parameter {
  // A matrix is streamed, starts at random and may have a mask (N20, N21). A table is a matrix
  // whose rows are looked up: it has no mask. A vector stays in the tiles.
  enum class Form { Matrix, Table, Vector };
  std::string name;  // "<operation>.<suffix>", or the name under which operations share it
  Form form = Form::Matrix;
  size_t rows = 0;
  size_t columns = 1;
  float initial = 0;  // of each element of a vector
};

struct Op {
  std::string name;  // of its value, and prefix of its parameters' names
  std::string kind;
  std::vector<std::string> inputs;           // values of the samples, or of earlier operations
  std::map<std::string, double> attributes;  // all of the kind's options; flags are 0 and 1
  std::string where;  // its place in a file, or its name: errors begin with this
  // Parameters of other operations that this one uses: its suffix, their name.
  std::map<std::string, std::string> shared;

  // ---- Set by Graph::add.
  int value = -1;                       // index in Graph::values; -1: a loss gives none
  std::vector<int> input_values = {};   // indices in Graph::values; -1: the targets
  std::vector<size_t> parameters = {};  // indices in Graph::parameters, in the order of the kind
};

struct Graph {
  Graph() = default;
  // A graph whose samples have so many features.
  explicit Graph(int features) : values{{kInputTensor, features}} {}
  // A graph whose samples are tokens.
  static Graph of_tokens();

  std::vector<Value> values;          // the first one is the samples'
  std::vector<Parameter> parameters;  // in the order of their first use
  std::vector<Op> ops;                // each after those that it takes from; a loss is the last

  bool empty() const { return ops.empty(); }
  int features() const { return values.empty() ? 0 : values.front().features; }
  // Index of a value; -1 if there is none of that name.
  int value(const std::string& name) const;
  // The operation that gives a value; -1 for a value of the samples.
  int giver(const std::string& name) const;
  // Whether the last operation is a loss.
  bool has_loss() const;
  // The value that the loss takes, or else that of the last operation; and its features.
  int last_value() const;
  int outputs() const { return values[static_cast<size_t>(last_value())].features; }

  // Adds an operation after the others. Throws BadInput, beginning with op.where: a kind that does
  // not exist; a name that is taken; inputs that are missing, too many or too few, or of features
  // that do not fit; tokens for a kind of numbers, or the reverse; attributes that the kind does
  // not have; a shared parameter that is missing or of another shape; anything after a loss. A
  // matrix may be a table of another operation.
  void add(Op op);
};

// The graph without its loss, if it ends with one.
Graph without_loss(Graph graph);

}  // namespace ow

#endif  // OW_GRAPH_GRAPH_H_
