// SPDX-License-Identifier: Apache-2.0
// A netlist of simple gates, flip-flops and SRAM banks, as scripts/flows/faults/faults writes it.
//
// Text, one item per line, nets by number:
//   openwafer-netlist 1
//   config <key> <value>              what was synthesised, e.g. SramBytes
//   nets <count>
//   name <net> <name>                 the design's name of a net
//   input <port> <net>..  output <port> <net or 0 or 1>..   lowest bit first
//   gate <type> <output> <input>..    NOT AND NAND OR NOR XOR XNOR MUX NMUX AOI3 OAI3 AOI4 OAI4
//   dff <q> <d>
//   bank <rows> <req> <we> <be 8> <addr n> <wdata 64> <rdata 64>
// Inputs that are constant are written as "=0" or "=1". `block <name>` names the block of the
// design for the lines that follow.
#ifndef OW_FAULTS_NETLIST_H_
#define OW_FAULTS_NETLIST_H_

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace ow::faults {

enum class GateType : uint8_t {
  Not,
  And,
  Nand,
  Or,
  Nor,
  Xor,
  Xnor,
  Mux,
  Nmux,
  Aoi3,
  Oai3,
  Aoi4,
  Oai4
};
int gate_inputs(GateType type);
const char* gate_name(GateType type);

using Net = uint32_t;
// Nets 0 and 1 are the constants.
constexpr Net kZero = 0;
constexpr Net kOne = 1;

struct Gate {
  GateType type;
  Net out;
  Net in[4];  // A, B, C or S, D; unused ones are kZero
  uint16_t block;
};
struct Dff {
  Net q;
  Net d;
  uint16_t block;
};
struct Bank {
  uint32_t rows;
  Net req, we;
  Net be[8];
  std::vector<Net> addr;
  Net wdata[64];
  Net rdata[64];
};
struct Port {
  std::string name;
  bool input;
  std::vector<Net> bits;
};

struct Netlist {
  std::map<std::string, uint64_t> config;
  size_t nets = 2;
  std::vector<std::string> names;  // one per net, empty if it has none
  std::vector<std::string> blocks;
  std::vector<Gate> gates;  // in topological order
  std::vector<Dff> dffs;
  std::vector<Bank> banks;
  std::vector<Port> ports;

  const Port* port(const std::string& name) const;  // null if there is none
  // BadInput with the line if the text is not such a netlist, if a net has two drivers or none, or
  // if the gates have a loop.
  static Netlist read(std::istream& in, const std::string& what);
  static Netlist read_file(const std::string& path);
};

// A single stuck-at fault at a pin of a gate or flip-flop. Pin -1 is its output: the net and all
// that it drives. Pins from 0 on are single inputs.
struct Fault {
  bool dff = false;
  uint32_t cell = 0;
  int pin = -1;
  bool value = false;
};
// Every pin of every gate and flip-flop, both values: (sum of pins) * 2 faults, numbered.
uint64_t fault_count(const Netlist& n);
Fault fault_at(const Netlist& n, uint64_t index);
// `count` different faults, drawn uniformly; the same for the same seed.
std::vector<Fault> sample_faults(const Netlist& n, size_t count, uint64_t seed);
// "u_core.u_alu NAND in 1 of <net> stuck at 0".
std::string describe(const Netlist& n, const Fault& f);
std::string block_of(const Netlist& n, const Fault& f);

}  // namespace ow::faults

#endif  // OW_FAULTS_NETLIST_H_
