// SPDX-License-Identifier: Apache-2.0
// Networks in ONNX files. A part of the file is recognised by what it computes: its numbers, for
// drawn inputs, are those of a kind of layer. How it is written down does not matter.
#ifndef OW_IMPORT_ONNX_NETWORK_H_
#define OW_IMPORT_ONNX_NETWORK_H_

#include <string>

#include "ow/import/module_map.h"

namespace ow {

// Reads a model that takes tokens [sequences, tokens] and gives logits. `tokens`: of a sequence, if
// the file leaves that open. BadInput with the file and the node that is no part of a network.
ImportedNetwork read_onnx_network(const std::string& path, int tokens);

}  // namespace ow

#endif  // OW_IMPORT_ONNX_NETWORK_H_
