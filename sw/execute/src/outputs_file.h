// SPDX-License-Identifier: Apache-2.0
// The outputs of a network as a file (docs/run.md).
#ifndef OW_EXECUTE_OUTPUTS_FILE_H_
#define OW_EXECUTE_OUTPUTS_FILE_H_

#include <string>
#include <vector>

#include "ow/tensor/network.h"

namespace ow::jobs {

// Writes a safetensors file with "outputs" [samples, outputs] in the network's type, from one or
// more batches in order, and "classes" [samples] in I32, the number of the largest output. BadInput
// if it cannot be written.
void write_outputs(const std::string& path, HalfType type, const std::vector<Activations>& batches);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_OUTPUTS_FILE_H_
