// SPDX-License-Identifier: Apache-2.0
#include "random_netlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ow::simgen {
namespace {

constexpr size_t kMaxWidth = 9;

uint64_t mask(size_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

// A word as a number, with its sign if it has one.
int64_t number(uint64_t value, size_t width, bool is_signed) {
  value &= mask(width);
  if (is_signed && width > 0 && (value >> (width - 1) & 1) != 0) value |= ~mask(width);
  return static_cast<int64_t>(value);
}

std::string digits(uint64_t value, size_t width) {
  std::string text;
  for (size_t k = width; k-- > 0;) text += (value >> k & 1) != 0 ? '1' : '0';
  return text;
}

struct Operands {
  int64_t a, b;              // as numbers
  uint64_t raw_a, raw_b, s;  // as words
  size_t a_width, b_width, s_width, width;
  bool both_signed, a_signed, b_signed;
};

uint64_t shifted(const Operands& o, bool arithmetic) {
  const auto wide = static_cast<uint64_t>(o.a) & mask(std::max(o.width, o.a_width));
  const size_t all = std::max(o.width, o.a_width);
  if (!arithmetic) return o.raw_b >= 64 ? 0 : wide >> o.raw_b;
  const int64_t value = o.a_signed ? o.a : static_cast<int64_t>(wide);
  (void)all;
  return static_cast<uint64_t>(o.raw_b >= 64 ? (value < 0 ? -1 : 0) : value >> o.raw_b);
}

uint64_t moved(const Operands& o, bool keeps_sign) {
  const uint64_t a =
      keeps_sign ? static_cast<uint64_t>(o.a) & mask(std::max(o.width, o.a_width)) : o.raw_a;
  if (o.b >= 0) return o.b >= 64 ? 0 : a >> o.b;
  return -o.b >= 64 ? 0 : (a & mask(o.width)) << -o.b;
}

uint64_t parity(uint64_t value) {
  uint64_t odd = 0;
  for (; value != 0; value &= value - 1) odd ^= 1;
  return odd;
}

using Reference = std::function<uint64_t(const Operands&)>;

const std::map<std::string, Reference>& references() {
  const auto raw = [](int64_t value) { return static_cast<uint64_t>(value); };
  static const std::map<std::string, Reference> cells = {
      {"$add", [raw](const Operands& o) { return raw(o.a) + raw(o.b); }},
      {"$sub", [raw](const Operands& o) { return raw(o.a) - raw(o.b); }},
      {"$mul", [raw](const Operands& o) { return raw(o.a) * raw(o.b); }},
      {"$neg", [raw](const Operands& o) { return 0 - raw(o.a); }},
      {"$and", [raw](const Operands& o) { return raw(o.a) & raw(o.b); }},
      {"$or", [raw](const Operands& o) { return raw(o.a) | raw(o.b); }},
      {"$xor", [raw](const Operands& o) { return raw(o.a) ^ raw(o.b); }},
      {"$xnor", [raw](const Operands& o) { return ~(raw(o.a) ^ raw(o.b)); }},
      {"$not", [raw](const Operands& o) { return ~raw(o.a); }},
      {"$pos", [raw](const Operands& o) { return raw(o.a); }},
      {"$eq", [](const Operands& o) { return uint64_t{o.a == o.b}; }},
      {"$ne", [](const Operands& o) { return uint64_t{o.a != o.b}; }},
      {"$lt", [](const Operands& o) { return uint64_t{o.a < o.b}; }},
      {"$le", [](const Operands& o) { return uint64_t{o.a <= o.b}; }},
      {"$gt", [](const Operands& o) { return uint64_t{o.a > o.b}; }},
      {"$ge", [](const Operands& o) { return uint64_t{o.a >= o.b}; }},
      {"$reduce_and", [](const Operands& o) { return uint64_t{o.raw_a == mask(o.a_width)}; }},
      {"$reduce_or", [](const Operands& o) { return uint64_t{o.raw_a != 0}; }},
      {"$reduce_bool", [](const Operands& o) { return uint64_t{o.raw_a != 0}; }},
      {"$reduce_xor", [](const Operands& o) { return parity(o.raw_a); }},
      {"$reduce_xnor", [](const Operands& o) { return 1 - parity(o.raw_a); }},
      {"$logic_not", [](const Operands& o) { return uint64_t{o.raw_a == 0}; }},
      {"$logic_and", [](const Operands& o) { return uint64_t{o.raw_a != 0 && o.raw_b != 0}; }},
      {"$logic_or", [](const Operands& o) { return uint64_t{o.raw_a != 0 || o.raw_b != 0}; }},
      {"$shl", [raw](const Operands& o) { return o.raw_b >= 64 ? 0 : raw(o.a) << o.raw_b; }},
      {"$sshl", [raw](const Operands& o) { return o.raw_b >= 64 ? 0 : raw(o.a) << o.raw_b; }},
      {"$shr", [](const Operands& o) { return shifted(o, false); }},
      {"$sshr", [](const Operands& o) { return shifted(o, true); }},
      {"$shift", [](const Operands& o) { return moved(o, true); }},
      {"$shiftx", [](const Operands& o) { return moved(o, false); }},
      {"$mux", [](const Operands& o) { return o.s != 0 ? o.raw_b : o.raw_a; }},
      {"$bwmux", [](const Operands& o) { return (o.raw_b & o.s) | (o.raw_a & ~o.s); }},
      {"$bmux", [](const Operands& o) { return o.raw_a >> (o.s * o.width); }},
      {"$demux", [](const Operands& o) { return o.raw_a << (o.s * o.a_width); }},
  };
  return cells;
}

}  // namespace

const std::vector<std::string>& logic_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> all;
    for (const auto& [type, reference] : references()) all.push_back(type);
    return all;
  }();
  return types;
}

uint64_t reference_cell(const Cell& cell, const Words& inputs) {
  const auto width_of = [&cell](const std::string& port) {
    const auto at = cell.ports.find(port);
    return at == cell.ports.end() ? size_t{0} : at->second.size();
  };
  const auto is_signed = [&cell](const std::string& parameter) {
    return cell.parameters.count(parameter) != 0 && cell.flag(parameter);
  };
  Operands o{};
  o.a_width = width_of("A");
  o.b_width = width_of("B");
  o.s_width = width_of("S");
  o.width = width_of("Y");
  o.a_signed = is_signed("A_SIGNED");
  o.b_signed = is_signed("B_SIGNED");
  o.raw_a = inputs.at("A") & mask(o.a_width);
  o.raw_b = o.b_width > 0 ? inputs.at("B") & mask(o.b_width) : 0;
  o.s = o.s_width > 0 ? inputs.at("S") & mask(o.s_width) : 0;
  o.a = number(o.raw_a, o.a_width, o.a_signed);
  o.b = number(o.raw_b, o.b_width, o.b_signed);
  return references().at(cell.type)(o) & mask(o.width);
}

// ------------------------------------------------------------------------------------- builder --
std::vector<Net> Builder::fresh(size_t width) {
  std::vector<Net> nets(width);
  for (Net& net : nets) net = next_++;
  return nets;
}

std::vector<Net> Builder::input(const std::string& name, size_t width) {
  const std::vector<Net> nets = fresh(width);
  netlist_.ports.push_back({name, true, nets});
  known_.insert(known_.end(), nets.begin(), nets.end());
  return nets;
}

void Builder::output(const std::string& name, const std::vector<Net>& nets) {
  netlist_.ports.push_back({name, false, nets});
}

std::vector<Net> Builder::any(size_t width) {
  std::vector<Net> nets(width);
  for (Net& net : nets) {
    const double kind = rng_.uniform();
    if (kind < 0.06 || known_.empty()) {
      net = kNetZero;
    } else if (kind < 0.1) {
      net = kNetOne;
    } else {
      net = known_[below(known_.size())];
    }
  }
  return nets;
}

Cell& Builder::add(const std::string& type, const std::string& prefix) {
  Cell cell;
  cell.type = type;
  cell.name = fmt::format("{}{}", prefix, netlist_.cells.size());
  netlist_.cells.push_back(std::move(cell));
  return netlist_.cells.back();
}

Cell& Builder::cell_of(const std::string& type, size_t most) {
  const size_t a = 1 + below(most), b = 1 + below(most);
  size_t y = 1 + below(most);
  Cell& cell = add(type, "logic");
  const bool sign = below(2) != 0;
  const auto flag = [&cell](const char* name, bool value) {
    cell.parameters[name] = value ? "1" : "0";
  };
  const bool one_operand = type == "$not" || type == "$neg" || type == "$pos" ||
                           type.rfind("$reduce", 0) == 0 || type == "$logic_not";
  const bool truth = type[1] == 'e' || (type[1] == 'n' && type == "$ne") || type == "$lt" ||
                     type == "$le" || type == "$gt" || type == "$ge" ||
                     type.rfind("$reduce", 0) == 0 || type.rfind("$logic", 0) == 0;
  if (type == "$mux" || type == "$bwmux") {
    cell.ports["A"] = any(a);
    cell.ports["B"] = any(a);
    cell.ports["S"] = any(type == "$mux" ? 1 : a);
    y = a;
  } else if (type == "$bmux" || type == "$demux") {
    const size_t select = 1 + below(2), width = 1 + below(4);
    const bool picks = type == "$bmux";
    cell.ports["A"] = any(picks ? width << select : width);
    cell.ports["S"] = any(select);
    y = picks ? width : width << select;
  } else {
    const bool shifts = type.find("sh") != std::string::npos;
    cell.ports["A"] = any(a);
    flag("A_SIGNED", sign);
    if (!one_operand) {
      cell.ports["B"] = any(shifts ? 1 + below(5) : b);
      const bool both_ways = type == "$shift" || type == "$shiftx";
      flag("B_SIGNED", both_ways ? below(2) != 0 : !shifts && sign);
    }
    if (truth) y = 1;
  }
  cell.ports["Y"] = fresh(y);
  return cell;
}

void Builder::logic() {
  const Cell& cell = cell_of(logic_types()[below(logic_types().size())], kMaxWidth);
  const std::vector<Net>& y = cell.ports.at("Y");
  known_.insert(known_.end(), y.begin(), y.end());
}

// The clock, or that of a gate whose enable finish() connects.
Net Builder::clock(bool gated) {
  if (!gated) return clock_[0];
  if (gated_ != kNetZero) return gated_;
  const std::vector<Net> q = fresh(1), y = fresh(1);
  gated_ = y[0];
  Cell& latch = add("$dlatch", "gate");
  latch.parameters["EN_POLARITY"] = "0";
  latch.ports["EN"] = clock_;
  latch.ports["Q"] = q;
  waiting_.push_back(netlist_.cells.size() - 1);
  Cell& both = add("$and", "gated");
  both.parameters["A_SIGNED"] = both.parameters["B_SIGNED"] = "0";
  both.ports["A"] = clock_;
  both.ports["B"] = q;
  both.ports["Y"] = y;
  return gated_;
}

Cell& Builder::registers(const std::string& type, size_t width, bool gated) {
  const Net from = clock(gated);
  Cell& cell = add(type, "state");
  cell.parameters["CLK_POLARITY"] = "1";
  cell.parameters["EN_POLARITY"] = below(2) != 0 ? "1" : "0";
  cell.parameters["SRST_POLARITY"] = below(2) != 0 ? "1" : "0";
  cell.parameters["SRST_VALUE"] = digits(static_cast<uint64_t>(rng_.uniform() * 512), width);
  cell.ports["CLK"] = {from};
  cell.ports["Q"] = fresh(width);
  for (size_t k = 0; k < width; ++k) {
    netlist_.names[cell.ports["Q"][k]] = {cell.name, static_cast<int>(k)};
  }
  known_.insert(known_.end(), cell.ports["Q"].begin(), cell.ports["Q"].end());
  waiting_.push_back(netlist_.cells.size() - 1);
  return cell;
}

Cell& Builder::memory(size_t words, size_t width, bool gated, size_t reads, size_t writes) {
  const Net from = clock(gated);
  size_t address = 1;
  while (size_t{1} << address < words) ++address;
  Cell& cell = add("$mem_v2", "memory");
  const auto set = [&cell](const char* name, uint64_t value, size_t bits) {
    cell.parameters[name] = digits(value, bits);
  };
  cell.parameters["MEMID"] = "\\" + cell.name;
  set("OFFSET", 0, 8);
  set("SIZE", words, 16);
  set("WIDTH", width, 8);
  set("ABITS", address, 8);
  set("RD_PORTS", reads, 4);
  set("WR_PORTS", writes, 4);
  for (const char* name : {"RD_CLK_ENABLE", "RD_WIDE_CONTINUATION"}) set(name, 0, reads);
  set("WR_WIDE_CONTINUATION", 0, writes);
  for (const char* name : {"WR_CLK_ENABLE", "WR_CLK_POLARITY"}) set(name, ~uint64_t{0}, writes);
  cell.parameters["INIT"] = "x";
  cell.ports["WR_CLK"] = std::vector<Net>(writes, from);
  cell.ports["RD_DATA"] = fresh(reads * width);
  // It may not depend on itself.
  cell.ports["RD_ADDR"] = any(reads * address);
  known_.insert(known_.end(), cell.ports["RD_DATA"].begin(), cell.ports["RD_DATA"].end());
  waiting_.push_back(netlist_.cells.size() - 1);
  return cell;
}

void Builder::connect(Cell* cell, const std::string& port, size_t width) {
  if (cell->ports.count(port) == 0) cell->ports[port] = any(width);
}

Netlist Builder::finish(size_t outputs) {
  for (const size_t k : waiting_) {
    Cell& cell = netlist_.cells[k];
    if (cell.type == "$dlatch") {
      connect(&cell, "D", 1);
    } else if (cell.type == "$mem_v2") {
      const auto writes = static_cast<size_t>(cell.number("WR_PORTS"));
      const auto width = static_cast<size_t>(cell.number("WIDTH"));
      if (below(2) != 0 && cell.ports.count("WR_EN") == 0) {  // of whole words
        for (const Net net : any(writes)) {
          std::vector<Net>& enables = cell.ports["WR_EN"];
          enables.insert(enables.end(), width, net);
        }
      }
      connect(&cell, "WR_EN", writes * width);
      connect(&cell, "WR_ADDR", writes * static_cast<size_t>(cell.number("ABITS")));
      connect(&cell, "WR_DATA", writes * width);
    } else {
      connect(&cell, "D", cell.ports["Q"].size());
      connect(&cell, "EN", 1);
      connect(&cell, "SRST", 1);
    }
  }
  output("out_o", any(outputs));
  return std::move(netlist_);
}

// ----------------------------------------------------------------------------------- reference --
ReferenceModel::ReferenceModel(const Netlist& netlist) : netlist_(netlist) {
  values_[kNetZero] = false;
  values_[kNetOne] = true;
  for (const Cell& cell : netlist.cells) {
    if (cell.type == "$mem_v2") {
      memories_[cell.name].assign(static_cast<size_t>(cell.number("SIZE")), 0);
    }
  }
}

void ReferenceModel::set(const std::string& port, uint64_t value) {
  for (const Port& p : netlist_.ports) {
    if (p.name != port) continue;
    for (size_t k = 0; k < p.bits.size(); ++k) values_[p.bits[k]] = (value >> k & 1) != 0;
  }
}

bool ReferenceModel::net(Net net) { return values_[net]; }

uint64_t ReferenceModel::word(const std::vector<Net>& nets) { return word(nets, 0, nets.size()); }

uint64_t ReferenceModel::word(const std::vector<Net>& nets, size_t n, size_t width) {
  uint64_t value = 0;
  for (size_t k = 0; k < width; ++k) value |= uint64_t{values_[nets[n * width + k]]} << k;
  return value;
}

// Cells stand behind those that they read, but for registers.
void ReferenceModel::settle() {
  for (const Cell& cell : netlist_.cells) {
    if (cell.type == "$mem_v2") {
      const std::vector<uint64_t>& words = memories_.at(cell.name);
      const auto width = static_cast<size_t>(cell.number("WIDTH"));
      const auto address = static_cast<size_t>(cell.number("ABITS"));
      for (size_t p = 0; p < static_cast<size_t>(cell.number("RD_PORTS")); ++p) {
        const uint64_t at = word(cell.port("RD_ADDR"), p, address);
        const uint64_t value = at < words.size() ? words[at] : 0;
        for (size_t k = 0; k < width; ++k) {
          values_[cell.port("RD_DATA")[p * width + k]] = (value >> k & 1) != 0;
        }
      }
    }
    if (cell.name.rfind("logic", 0) != 0) continue;
    Words inputs;
    for (const auto& [port, nets] : cell.ports) inputs[port] = word(nets);
    const uint64_t value = reference_cell(cell, inputs);
    for (size_t k = 0; k < cell.port("Y").size(); ++k) {
      values_[cell.port("Y")[k]] = (value >> k & 1) != 0;
    }
  }
}

bool ReferenceModel::clocked(Net clock) {
  for (const Cell& cell : netlist_.cells) {
    if (cell.type == "$dlatch" && clock != netlist_.ports[0].bits[0]) {
      return values_[cell.port("D")[0]];
    }
  }
  return true;
}

// Of several ports that write a word the last one counts.
void ReferenceModel::write(const Cell& cell) {
  std::vector<uint64_t>& words = memories_.at(cell.name);
  const auto width = static_cast<size_t>(cell.number("WIDTH"));
  const auto address = static_cast<size_t>(cell.number("ABITS"));
  for (size_t p = 0; p < static_cast<size_t>(cell.number("WR_PORTS")); ++p) {
    const uint64_t at = word(cell.port("WR_ADDR"), p, address);
    const uint64_t enable = word(cell.port("WR_EN"), p, width);
    if (at >= words.size()) continue;
    words[at] = (words[at] & ~enable) | (word(cell.port("WR_DATA"), p, width) & enable);
  }
}

void ReferenceModel::clock() {
  settle();
  std::map<Net, bool> next = values_;
  for (const Cell& cell : netlist_.cells) {
    if (cell.type == "$mem_v2" && clocked(cell.port("WR_CLK")[0])) write(cell);
    if (cell.name.rfind("state", 0) != 0 || !clocked(cell.port("CLK")[0])) continue;
    const bool has_enable =
        cell.type == "$dffe" || cell.type.back() == 'e' || cell.type == "$sdffce";
    const bool enable = !has_enable || values_[cell.port("EN")[0]] == cell.flag("EN_POLARITY");
    const bool has_reset = cell.type.rfind("$sdff", 0) == 0;
    const bool reset = has_reset && values_[cell.port("SRST")[0]] == cell.flag("SRST_POLARITY");
    const bool acts = reset && (cell.type != "$sdffce" || enable);
    for (size_t k = 0; k < cell.port("Q").size(); ++k) {
      const std::string& begins = cell.parameters.at("SRST_VALUE");
      if (acts) {
        next[cell.port("Q")[k]] = begins[begins.size() - 1 - k] == '1';
      } else if (enable) {
        next[cell.port("Q")[k]] = values_[cell.port("D")[k]];
      }
    }
  }
  values_ = std::move(next);
}

}  // namespace ow::simgen
