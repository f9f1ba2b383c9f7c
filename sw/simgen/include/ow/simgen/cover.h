// SPDX-License-Identifier: Apache-2.0
// Covers logic with as few three-input tables as possible.
//
// The method is the usual one of FPGA mappers: cuts of up to three leaves for each node, the best
// by area flow, then by exact area (Mishchenko, Chatterjee, Brayton, "Improvements to technology
// mapping for LUT-based FPGAs", 2006). Depth does not matter, so there are no required times.
#ifndef OW_SIMGEN_COVER_H_
#define OW_SIMGEN_COVER_H_

#include <vector>

#include "ow/simgen/logic.h"

namespace ow::simgen {

// Tables in topological order. Inputs are other tables or sources, and a table depends on all of
// its own: one that is constant has none. Bits keep their numbers.
struct Cover {
  std::vector<Bit> order;    // the bits that are tables
  std::vector<Node> tables;  // by bit; those of other bits are not used
  bool has(Bit bit) const { return is_table[bit] != 0; }
  std::vector<uint8_t> is_table;  // by bit
};

// `needed`: the bits that someone reads.
Cover cover(const Logic& logic, const std::vector<Bit>& needed);

}  // namespace ow::simgen

#endif  // OW_SIMGEN_COVER_H_
