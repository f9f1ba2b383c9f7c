// SPDX-License-Identifier: Apache-2.0
// The order in which a cycle of a design is evaluated.
//
// Registers and banks are written in place, each after everything that reads it. Logic that only
// some registers need is evaluated only if one of these takes a value, in any of the tiles: it
// stands in a block with a condition. The condition names the enables of these registers, by unit
// (the registers behind one clock gate). If there are too many, it names the units.
#ifndef OW_SIMGEN_PLAN_H_
#define OW_SIMGEN_PLAN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ow/simgen/cover.h"
#include "ow/simgen/design.h"

namespace ow::simgen {

// Registers with the same enable, or the writes of a bank.
struct Group {
  Bit enable = kTrue;
  size_t unit = 0;                // number of its wake
  std::vector<size_t> registers;  // numbers in Plan::registers, one after another
  int bank = -1;                  // its writes
};

// When a block runs: any active tile's unit is awake and, unless `whole`, any of these enables
// is 1.
struct Condition {
  struct Term {
    size_t unit = 0;
    bool whole = false;
    std::vector<Bit> enables;
  };
  std::vector<Term> terms;  // none: always
};

struct Step {
  enum class Kind {
    Table,   // index: its bit
    Flag,    // a unit: whether any tile's is awake
    Read,    // a port of a bank: index, port
    Commit,  // a group: its registers or its bank take their values
    Save,    // a group: these values are kept until its commit, which others still wait for
  };
  Kind kind = Kind::Table;
  size_t index = 0;
  size_t port = 0;
};

struct Block {
  size_t condition = 0;
  std::vector<Step> steps;
};

// A bit of an output that is a register. Others are in the cover, for a proof, and no step
// evaluates them.
struct OutputBit {
  std::string port;
  int bit = 0;
  size_t reg = 0;  // number in Plan::registers
};

struct Plan {
  Cover cover;
  std::vector<OutputBit> outputs;
  std::vector<Register> registers;  // in the order of state
  std::vector<Group> groups;
  std::vector<Bit> wakes;  // by unit; the first is kTrue, of registers without a clock gate
  std::vector<Condition> conditions;  // the first: always
  std::vector<Block> blocks;
};

// The values that a step takes.
std::vector<Bit> bits_of(const Step& step, const Design& design, const Plan& plan);

struct PlanOptions {
  size_t block = 1000;       // steps of a block at most, but for a commit
  size_t least_group = 4;    // registers of a group that has logic with its condition
  size_t most_enables = 48;  // of a condition
  size_t least_tables = 16;  // that have a condition
};

// Adds to the design's logic what the order needs.
Plan plan(Design* design, const PlanOptions& options = {});

}  // namespace ow::simgen

#endif  // OW_SIMGEN_PLAN_H_
