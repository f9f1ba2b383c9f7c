// SPDX-License-Identifier: Apache-2.0
// Writes a plan's tables as BLIF, for a proof that they are the netlist
// (scripts/flows/formal/cover).
//
// The design is cut at its registers and banks. By a bit k of NAME:
//   inputs    port:NAME[k], register:NAME[k], and of a bank read<PORT>:NAME[k]
//   outputs   port:NAME[k]; register':NAME[k], the value after the edge; and of a bank
//             address<PORT>:NAME[k] of reads, at<PORT>:NAME[k], enable<PORT>:NAME[k] and
//             data<PORT>:NAME[k] of writes
//
// A comment "# net NUMBER TABLE" or "# net NUMBER ~TABLE" names a table that is that net of the
// netlist, or its inverse: where a proof may be cut into smaller ones.
#ifndef OW_SIMGEN_BLIF_H_
#define OW_SIMGEN_BLIF_H_

#include <string>

#include "ow/simgen/plan.h"

namespace ow::simgen {

// Throws as write_file does.
void write_blif(const Design& design, const Plan& plan, const std::string& path);

}  // namespace ow::simgen

#endif  // OW_SIMGEN_BLIF_H_
