// SPDX-License-Identifier: Apache-2.0
// Whether a cell has the ports of its type, with as many bits as their places say.
#ifndef OW_SIMGEN_SRC_CHECKS_H_
#define OW_SIMGEN_SRC_CHECKS_H_

#include "ow/simgen/netlist.h"

namespace ow::simgen {

// Registers, by what they have besides D, Q and a clock.
struct RegisterType {
  bool enable = false;
  bool reset = false;               // synchronous
  bool reset_needs_enable = false;  // else it acts without
};

// Null if the cell is none.
const RegisterType* register_type(const Cell& cell);

// BadInput, with the cell and the port or the parameter, if one is missing or has another width
// than the cell's other ones ask for, or if the cell is of an unknown type.
void check(const Cell& cell);

}  // namespace ow::simgen

#endif  // OW_SIMGEN_SRC_CHECKS_H_
