// SPDX-License-Identifier: Apache-2.0
// The combinational cells of Yosys' word-level library.
#ifndef OW_SIMGEN_SRC_CELLS_H_
#define OW_SIMGEN_SRC_CELLS_H_

#include <functional>
#include <vector>

#include "ow/simgen/arithmetic.h"
#include "ow/simgen/netlist.h"

namespace ow::simgen {

// A cell whose output bit k needs only bit k of its words (and select inputs).
bool is_bitwise(const Cell& cell);
bool is_combinational(const Cell& cell);

// The nets that bit k of the output needs; of all bits for a cell that is not bitwise.
std::vector<Net> inputs_of(const Cell& cell, size_t k);

using Values = std::function<Bit(Net)>;
// Bit k of the output of a bitwise cell.
Bit make_bit(Logic* logic, const Cell& cell, size_t k, const Values& values);
// The output of any other combinational cell.
Word make_word(Logic* logic, const Cell& cell, const Values& values);

}  // namespace ow::simgen

#endif  // OW_SIMGEN_SRC_CELLS_H_
