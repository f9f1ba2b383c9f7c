// SPDX-License-Identifier: Apache-2.0
// Writes a plan as C (runtime/ow_wide.h has the words that it uses).
//
// Files in `directory`:
//   NAME.h          sizes, the state of a block of tiles, names
//   NAME_names.c    names of inputs, outputs, registers, banks
//   NAME_0.c ...    NAME_code_512, or for another OW_WIDE: one edge of the clock for a block
#ifndef OW_SIMGEN_EMIT_H_
#define OW_SIMGEN_EMIT_H_

#include <string>

#include "ow/simgen/plan.h"

namespace ow::simgen {

struct EmitOptions {
  std::string name;  // of the model: begins the names of files and functions
  std::string directory;
  int files = 4;           // with functions, of about the same length
  size_t function = 1000;  // steps of a function at least, but for the last
};

// BadInput for a design without state that changes, for a bank of words with more than 64 bits, and
// for a file that cannot be written.
void emit(const Design& design, const Plan& plan, const EmitOptions& options);

}  // namespace ow::simgen

#endif  // OW_SIMGEN_EMIT_H_
