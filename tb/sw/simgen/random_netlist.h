// SPDX-License-Identifier: Apache-2.0
// Random netlists of Yosys' cells, and what they must do: word by word, as Yosys' manual says it.
#ifndef OW_TB_SW_SIMGEN_RANDOM_NETLIST_H_
#define OW_TB_SW_SIMGEN_RANDOM_NETLIST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/simgen/netlist.h"

namespace ow::simgen {

using Words = std::map<std::string, uint64_t>;  // of a cell's inputs, by port

// The output Y of a combinational cell. Words have at most 32 bits.
uint64_t reference_cell(const Cell& cell, const Words& inputs);

// Makes netlists: nets are given numbers in order.
class Builder {
 public:
  explicit Builder(uint64_t seed) : rng_(seed) {
    netlist_.top = "random";
    clock_ = fresh(1);
    netlist_.ports.push_back({"clk_i", true, clock_});
  }

  std::vector<Net> fresh(size_t width);
  std::vector<Net> input(const std::string& name, size_t width);
  void output(const std::string& name, const std::vector<Net>& nets);
  // Any nets that there are, or constants.
  std::vector<Net> any(size_t width);
  // A combinational cell of a random type with random operands.
  void logic();
  // One of this type; its operands have `width` bits at most.
  Cell& cell_of(const std::string& type, size_t width);
  // Registers of a type, behind a clock gate or not. What they take is chosen in finish(), but for
  // ports that the caller connects before anything else is added.
  Cell& registers(const std::string& type, size_t width, bool gated);
  // Likewise; ports for reading take addresses that are known.
  Cell& memory(size_t words, size_t width, bool gated, size_t reads = 1, size_t writes = 1);
  // Connects what registers and memories take, and so many outputs.
  Netlist finish(size_t outputs = 16);

  Rng& rng() { return rng_; }
  size_t below(size_t limit) {
    return static_cast<size_t>(rng_.uniform() * static_cast<double>(limit));
  }

 private:
  Net clock(bool gated);
  // Any nets, if the port is not connected.
  void connect(Cell* cell, const std::string& port, size_t width);
  Cell& add(const std::string& type, const std::string& prefix);

  Rng rng_;
  Netlist netlist_;
  std::vector<Net> clock_;
  std::vector<Net> known_;  // that may be read
  Net gated_ = kNetZero;
  Net next_ = 2;
  std::vector<size_t> waiting_;  // cells whose inputs finish() connects
};

// The types of combinational cells.
const std::vector<std::string>& logic_types();

// A netlist word by word: one tile.
class ReferenceModel {
 public:
  explicit ReferenceModel(const Netlist& netlist);
  void set(const std::string& port, uint64_t value);
  // An edge of the clock.
  void clock();
  bool net(Net net);
  void set_net(Net net, bool value) { values_[net] = value; }
  // The words of a memory.
  std::vector<uint64_t>& memory(const std::string& cell) { return memories_.at(cell); }

 private:
  uint64_t word(const std::vector<Net>& nets);
  // Number n of the words of `width` bits that stand one after another.
  uint64_t word(const std::vector<Net>& nets, size_t n, size_t width);
  void settle();
  void write(const Cell& memory);
  bool clocked(Net clock);

  const Netlist& netlist_;
  std::map<Net, bool> values_;
  std::map<std::string, std::vector<uint64_t>> memories_;
};

}  // namespace ow::simgen

#endif  // OW_TB_SW_SIMGEN_RANDOM_NETLIST_H_
