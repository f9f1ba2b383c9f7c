// SPDX-License-Identifier: Apache-2.0
// The graphs of the families of language models: what `family` of a network stands for, and what a
// graph must be to become a model of such a family.
#ifndef OW_GRAPH_FAMILY_H_
#define OW_GRAPH_FAMILY_H_

#include <string>

#include "ow/graph/graph.h"
#include "ow/graph/language_model.h"

namespace ow {

// A graph without a loss, whose last value are the logits, and the names of its parameters.
// Features of queries, keys and values stand head by head in the model, and as attention takes them
// in the graph: feature k of head g as feature k heads + g.
struct FamilyGraph {
  Graph graph = Graph::of_tokens();
  LanguageParts<std::string> names;
};

// `tied`: the head is the embedding. BadInput, beginning with `where`, if the shape does not make a
// graph.
FamilyGraph family_graph(const LanguageShape& shape, bool tied, const std::string& where);

// What a graph is as a model, whatever its values are called. `names` has the names of this graph's
// parameters. The positions of a Llama are those of its rotations. A loss at the end is left out.
// BadInput, beginning with `where`, if it is no model of the family: the first operation, from the
// end, that is another one.
FamilyGraph family_of(const Graph& graph, LanguageFamily family, const std::string& where);

}  // namespace ow

#endif  // OW_GRAPH_FAMILY_H_
