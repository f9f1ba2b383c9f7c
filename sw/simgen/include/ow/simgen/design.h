// SPDX-License-Identifier: Apache-2.0
// A synchronous design in bits: what a netlist comes to when its words are cut into bits.
#ifndef OW_SIMGEN_DESIGN_H_
#define OW_SIMGEN_DESIGN_H_

#include <string>
#include <utility>
#include <vector>

#include "ow/simgen/arithmetic.h"
#include "ow/simgen/logic.h"
#include "ow/simgen/netlist.h"

namespace ow::simgen {

// A bit of state. At each edge of the clock it takes `d` if `enable` is 1. It begins as 0.
struct Register {
  BitName name;
  Bit q = kFalse;
  Bit d = kFalse;
  Bit enable = kTrue;  // with `wake`
  Bit wake = kTrue;    // of its clock gate: `enable` is 0 where this is 0
};

// A memory that stays one. A read gives a word at once; a write stores its bits at the edge.
struct Bank {
  std::string name;
  int words = 0;
  struct Read {
    Word address;
    Word data;  // sources
  };
  struct Write {
    Word address;
    Word enable;  // of each bit of the word, with `wake`
    Word data;
    Bit wake = kTrue;  // of its clock gate
  };
  std::vector<Read> reads;
  std::vector<Write> writes;  // of several to a word the last one counts
};

// The clock gate that all ports for writing are behind; kTrue if they are not behind one.
Bit common_wake(const std::vector<Bank::Write>& writes);

struct DesignPort {
  std::string name;
  bool input = false;
  Word bits;
};

// A signal that holds state, by its name in the RTL: a word, or all words of an array, the last one
// first (so does Yosys with the bits of an array that is no memory). Each bit is a register or a
// constant, or kNoState if the design does without it.
struct StateSignal {
  std::string name;
  Word bits;
};
constexpr Bit kNoState = ~Bit{0};

struct Design {
  Logic logic;
  std::vector<DesignPort> ports;  // without the clock
  std::vector<Register> registers;
  std::vector<Bank> banks;
  std::vector<StateSignal> signals;       // by name
  std::vector<std::pair<Net, Bit>> nets;  // what the nets of the netlist have become
};

struct BlastOptions {
  std::string clock = "clk_i";
  // A memory of at least so many bits is a bank. A smaller one becomes registers.
  int bank_bits = 16384;
  // The names of signals that hold state, as a regular expression.
  std::string state = ".*_q";
};

// BadInput, which names the cell or the net, for what a synchronous design of one clock does not
// have: another clock (but for a clock gate: the AND of the clock and a latch that is open while it
// is low) or none, another latch, an asynchronous reset, a loop of logic, two drivers, a net
// without one. Also for a cell of an unknown type, with ports of other widths than its type and
// parameters say, or with a sign on one operand only; for state that does not begin as 0; for a
// memory with clocked ports for reading or ports wider than a word; and for a bank whose first word
// is not 0.
Design blast(const Netlist& netlist, const BlastOptions& options = {});

}  // namespace ow::simgen

#endif  // OW_SIMGEN_DESIGN_H_
