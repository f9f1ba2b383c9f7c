// SPDX-License-Identifier: Apache-2.0
// A flat module as Yosys writes it with `write_json`: word-level cells, ports, names.
#ifndef OW_SIMGEN_NETLIST_H_
#define OW_SIMGEN_NETLIST_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ow::simgen {

// A bit of a net, by the number that Yosys gave it, or a constant. An unknown value is 0.
using Net = int32_t;
constexpr Net kNetZero = -1;
constexpr Net kNetOne = -2;

struct Cell {
  std::string name;
  std::string type;                               // "$add", "$dffe", ...
  std::map<std::string, std::string> parameters;  // digits 0, 1, x, the most significant first
  std::map<std::string, std::vector<Net>> ports;  // bit 0 first

  // BadInput, with the cell, if there is none of this name; for a number also if it has another
  // digit or is beyond 63 bits.
  const std::string& digits(const std::string& parameter) const;
  int64_t number(const std::string& parameter) const;
  bool flag(const std::string& parameter) const { return number(parameter) != 0; }
  const std::vector<Net>& port(const std::string& name) const;
  bool bit(const std::string& parameter, int64_t n) const;  // whether digit n is a 1
  // BadInput with the name and the type.
  [[noreturn]] void refuse(const std::string& why) const;
};

struct Port {
  std::string name;
  bool input = false;
  std::vector<Net> bits;
};

// A bit of a named signal. A net may have several names.
struct BitName {
  std::string signal;  // with the instances above it: "u_router.u_in.full_q"
  int bit = 0;
};

// A named signal, whole.
struct Signal {
  std::string name;
  std::vector<Net> bits;
};

struct Netlist {
  std::string top;
  std::vector<Port> ports;
  std::vector<Cell> cells;
  std::map<Net, BitName> names;  // of each net the shortest; the first of several as short
  std::set<Net> ones;            // that begin as 1 (the attribute init)
  std::vector<Signal> signals;   // by name

  // Of a net, or "net 12" if it has none.
  std::string name(Net net) const;
};

// Reads the module `top`. BadInput, one line, if it is not such a file, has no module of this name,
// or has numbers in place of digits (write_json -compat-int).
Netlist read_netlist(const std::string& path, const std::string& top);

}  // namespace ow::simgen

#endif  // OW_SIMGEN_NETLIST_H_
