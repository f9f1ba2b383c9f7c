// SPDX-License-Identifier: Apache-2.0
// Reads graphs: the keys `inputs` and `layers`, or `family`, of a job's network, or of a file of
// their own, which may be YAML or JSON (docs/networks.md).
#ifndef OW_COMPILE_SRC_GRAPH_READER_H_
#define OW_COMPILE_SRC_GRAPH_READER_H_

#include "ow/base/yaml.h"
#include "ow/graph/graph.h"

namespace ow::jobs {

// Whether a value of `layers` names layers; otherwise it is a list of sizes.
bool is_graph(const Yaml& layers);

// BadInput with file, line, key and limit.
Graph read_graph(YamlMap* network);
// The graph that the key `family` stands for. BadInput likewise.
Graph read_family(const Yaml& family);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SRC_GRAPH_READER_H_
