// SPDX-License-Identifier: Apache-2.0
#include "ow/dft/netlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"

namespace ow::faults {
namespace {

struct TypeInfo {
  const char* name;
  int inputs;
};
constexpr TypeInfo kTypes[] = {{"NOT", 1},  {"AND", 2},  {"NAND", 2}, {"OR", 2},   {"NOR", 2},
                               {"XOR", 2},  {"XNOR", 2}, {"MUX", 3},  {"NMUX", 3}, {"AOI3", 3},
                               {"OAI3", 3}, {"AOI4", 4}, {"OAI4", 4}};
constexpr int kTypeCount = static_cast<int>(sizeof(kTypes) / sizeof(kTypes[0]));

// The words of a line.
class Words {
 public:
  Words(const std::string& line, const std::string& where) : at_(line.c_str()), where_(where) {}
  bool more() {
    while (*at_ == ' ') ++at_;
    return *at_ != 0;
  }
  std::string word() {
    if (!more()) fail("a word is missing");
    const char* begin = at_;
    while (*at_ != 0 && *at_ != ' ') ++at_;
    return std::string(begin, at_);
  }
  std::string rest() {
    more();
    return at_;
  }
  uint64_t number() {
    const std::string w = word();
    char* end = nullptr;
    const uint64_t value = std::strtoull(w.c_str(), &end, 10);
    if (w.empty() || *end != 0) fail("\"" + w + "\" is no number");
    return value;
  }
  Net net(size_t nets) {
    if (more() && *at_ == '=') {
      const std::string w = word();
      if (w != "=0" && w != "=1") fail("\"" + w + "\" is no constant");
      return w == "=0" ? kZero : kOne;
    }
    const uint64_t value = number();
    if (value < 2 || value >= nets) fail(fmt::format("net {} of {}", value, nets));
    return static_cast<Net>(value);
  }
  [[noreturn]] void fail(const std::string& why) const { throw BadInput(where_ + ": " + why); }

 private:
  const char* at_;
  const std::string& where_;
};

// Kahn's algorithm over the gates. Ties keep the order of the text, so neighbours stay together.
void sort_gates(Netlist* n, const std::string& what) {
  constexpr uint32_t kNone = ~0u;
  std::vector<uint32_t> driver(n->nets, kNone);
  for (size_t g = 0; g < n->gates.size(); ++g) driver[n->gates[g].out] = static_cast<uint32_t>(g);
  std::vector<uint32_t> level(n->gates.size(), 0);
  std::vector<uint8_t> state(n->gates.size(), 0);
  std::vector<uint32_t> stack;
  for (uint32_t root = 0; root < n->gates.size(); ++root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const uint32_t g = stack.back();
      if (state[g] == 2) {
        stack.pop_back();
        continue;
      }
      bool ready = true;
      uint32_t deepest = 0;
      const Gate& gate = n->gates[g];
      for (int i = 0; i < gate_inputs(gate.type); ++i) {
        const uint32_t from = driver[gate.in[i]];
        if (from == kNone) continue;
        if (state[from] == 2) {
          deepest = std::max(deepest, level[from] + 1);
        } else {
          if (state[g] == 1 && state[from] == 1) {
            throw BadInput(what + ": the gates have a loop through " + describe(*n, {false, g}));
          }
          stack.push_back(from);
          ready = false;
        }
      }
      state[g] = 1;
      if (ready) {
        level[g] = deepest;
        state[g] = 2;
        stack.pop_back();
      }
    }
  }
  std::vector<uint32_t> order(n->gates.size());
  for (uint32_t g = 0; g < order.size(); ++g) order[g] = g;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return level[a] < level[b]; });
  std::vector<Gate> sorted;
  sorted.reserve(order.size());
  for (const uint32_t g : order) sorted.push_back(n->gates[g]);
  n->gates = std::move(sorted);
}

void check_drivers(const Netlist& n, const std::string& what) {
  std::vector<uint8_t> drivers(n.nets, 0);
  drivers[kZero] = drivers[kOne] = 1;
  const auto drive = [&](Net net) {
    if (drivers[net]++ != 0) {
      throw BadInput(fmt::format("{}: net {} ({}) has two drivers", what, net, n.names[net]));
    }
  };
  for (const Gate& g : n.gates) drive(g.out);
  for (const Dff& d : n.dffs) drive(d.q);
  for (const Bank& b : n.banks) {
    for (const Net net : b.rdata) {
      if (net > kOne) drive(net);
    }
  }
  for (const Port& p : n.ports) {
    if (!p.input) continue;
    for (const Net net : p.bits) drive(net);
  }
  const auto use = [&](Net net) {
    if (drivers[net] == 0) {
      throw BadInput(fmt::format("{}: nothing drives net {} ({})", what, net, n.names[net]));
    }
  };
  for (const Gate& g : n.gates) {
    for (int i = 0; i < gate_inputs(g.type); ++i) use(g.in[i]);
  }
  for (const Dff& d : n.dffs) use(d.d);
  for (const Bank& b : n.banks) {
    use(b.req);
    use(b.we);
    for (const Net net : b.be) use(net);
    for (const Net net : b.addr) use(net);
    for (const Net net : b.wdata) use(net);
  }
  for (const Port& p : n.ports) {
    for (const Net net : p.bits) use(net);
  }
}

}  // namespace

int gate_inputs(GateType type) { return kTypes[static_cast<int>(type)].inputs; }
const char* gate_name(GateType type) { return kTypes[static_cast<int>(type)].name; }

const Port* Netlist::port(const std::string& name) const {
  for (const Port& p : ports) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

Netlist Netlist::read(std::istream& in, const std::string& what) {
  Netlist n;
  n.names.resize(2);
  n.blocks.emplace_back("");
  uint16_t block = 0;
  std::map<std::string, uint16_t> block_numbers = {{"", 0}};
  std::string line;
  size_t number = 0;
  std::string where;
  while (std::getline(in, line)) {
    ++number;
    if (line.empty()) continue;
    where = fmt::format("{}:{}", what, number);
    Words words(line, where);
    const std::string kind = words.word();
    if (number == 1) {
      if (kind != "openwafer-netlist" || words.number() != 1) {
        words.fail("the first line is not \"openwafer-netlist 1\"");
      }
    } else if (kind == "config") {
      const std::string key = words.word();
      n.config[key] = words.number();
    } else if (kind == "nets") {
      if (n.nets != 2) words.fail("the number of nets stands there twice");
      n.nets = words.number();
      if (n.nets < 2 || n.nets > 50000000) words.fail("the number of nets");
      n.names.resize(n.nets);
    } else if (kind == "name") {
      const Net net = words.net(n.nets);
      n.names[net] = words.rest();
    } else if (kind == "block") {
      const std::string name = words.rest();
      const auto [it, fresh] =
          block_numbers.emplace(name, static_cast<uint16_t>(block_numbers.size()));
      if (fresh) n.blocks.push_back(name);
      block = it->second;
    } else if (kind == "input" || kind == "output") {
      Port p;
      p.name = words.word();
      p.input = kind == "input";
      while (words.more()) p.bits.push_back(words.net(n.nets));
      n.ports.push_back(p);
    } else if (kind == "gate") {
      const std::string type = words.word();
      int t = 0;
      while (t < kTypeCount && type != kTypes[t].name) ++t;
      if (t == kTypeCount) words.fail("no gate type \"" + type + "\"");
      Gate g = {static_cast<GateType>(t), words.net(n.nets), {}, block};
      for (int i = 0; i < kTypes[t].inputs; ++i) g.in[i] = words.net(n.nets);
      n.gates.push_back(g);
    } else if (kind == "dff") {
      Dff d = {};
      d.q = words.net(n.nets);
      d.d = words.net(n.nets);
      d.block = block;
      n.dffs.push_back(d);
    } else if (kind == "bank") {
      Bank b = {};
      b.rows = static_cast<uint32_t>(words.number());
      if (b.rows < 2 || b.rows > 65536) words.fail("the rows of a bank");
      size_t bits = 1;
      while ((size_t{1} << bits) < b.rows) ++bits;
      b.addr.resize(bits);
      b.req = words.net(n.nets);
      b.we = words.net(n.nets);
      for (Net& net : b.be) net = words.net(n.nets);
      for (Net& net : b.addr) net = words.net(n.nets);
      for (Net& net : b.wdata) net = words.net(n.nets);
      for (Net& net : b.rdata) net = words.net(n.nets);
      n.banks.push_back(b);
    } else {
      words.fail("no such line: " + kind);
    }
  }
  if (number == 0) throw BadInput(what + ": the file is empty");
  check_drivers(n, what);
  sort_gates(&n, what);
  return n;
}

Netlist Netlist::read_file(const std::string& path) {
  const std::string text = read_text(path);
  if (!text.empty() && text.back() != '\n') throw BadInput(path + ": ends within a line");
  std::istringstream in(text);
  return read(in, path);
}

uint64_t fault_count(const Netlist& n) {
  uint64_t pins = 2 * n.dffs.size();
  for (const Gate& g : n.gates) pins += 1 + static_cast<uint64_t>(gate_inputs(g.type));
  return 2 * pins;
}

namespace {
Fault fault_of_pin(const Netlist& n, const std::vector<uint64_t>& first, uint64_t index) {
  Fault f;
  f.value = (index & 1) != 0;
  const uint64_t pin = index >> 1;
  if (pin >= first.back()) {
    f.dff = true;
    f.cell = static_cast<uint32_t>((pin - first.back()) / 2);
    f.pin = (pin - first.back()) % 2 == 0 ? -1 : 0;
    if (f.cell >= n.dffs.size()) throw BadInput("no such fault");
    return f;
  }
  const auto it = std::upper_bound(first.begin(), first.end(), pin) - 1;
  f.cell = static_cast<uint32_t>(it - first.begin());
  f.pin = static_cast<int>(pin - *it) - 1;
  return f;
}
// Number of pins before each gate; the last entry is the number of all pins.
std::vector<uint64_t> first_pins(const Netlist& n) {
  std::vector<uint64_t> first(n.gates.size() + 1, 0);
  for (size_t g = 0; g < n.gates.size(); ++g) {
    first[g + 1] = first[g] + 1 + static_cast<uint64_t>(gate_inputs(n.gates[g].type));
  }
  return first;
}
}  // namespace

Fault fault_at(const Netlist& n, uint64_t index) { return fault_of_pin(n, first_pins(n), index); }

std::vector<Fault> sample_faults(const Netlist& n, size_t count, uint64_t seed) {
  const uint64_t all = fault_count(n);
  if (count > all) throw BadInput(fmt::format("{} faults of {}", count, all));
  const std::vector<uint64_t> first = first_pins(n);
  Rng random(seed);
  std::unordered_set<uint64_t> seen;
  std::vector<Fault> out;
  while (out.size() < count) {
    const uint64_t index = random.below(all);
    if (seen.insert(index).second) out.push_back(fault_of_pin(n, first, index));
  }
  return out;
}

std::string block_of(const Netlist& n, const Fault& f) {
  return n.blocks[f.dff ? n.dffs[f.cell].block : n.gates[f.cell].block];
}

std::string describe(const Netlist& n, const Fault& f) {
  const auto net = [&](Net x) {
    return x <= kOne            ? std::string(x == kOne ? "1" : "0")
           : n.names[x].empty() ? fmt::format("net {}", x)
                                : n.names[x];
  };
  const Net out = f.dff ? n.dffs[f.cell].q : n.gates[f.cell].out;
  const char* type = f.dff ? "DFF" : gate_name(n.gates[f.cell].type);
  std::string pin = "output";
  if (f.pin >= 0) {
    const Net in = f.dff ? n.dffs[f.cell].d : n.gates[f.cell].in[f.pin];
    pin = fmt::format("input {} from {}", f.pin, net(in));
  }
  return fmt::format("{} {} to {}, {} stuck at {}", block_of(n, f), type, net(out), pin,
                     f.value ? 1 : 0);
}

}  // namespace ow::faults
