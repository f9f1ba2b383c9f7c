// SPDX-License-Identifier: Apache-2.0
#include "ow/simgen/netlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow::simgen {
namespace {

using nlohmann::json;

Net read_net(const json& bit) {
  if (bit.is_number_integer()) {
    const auto net = bit.get<int64_t>();
    if (net < 0 || net > std::numeric_limits<Net>::max()) {
      throw BadInput(fmt::format("a net has the number {}", net));
    }
    return static_cast<Net>(net);
  }
  const auto text = bit.get<std::string>();
  if (text != "0" && text != "1" && text != "x" && text != "z") {
    throw BadInput(fmt::format("'{}' is neither a net nor a value", text));
  }
  return text == "1" ? kNetOne : kNetZero;
}

std::vector<Net> read_nets(const json& bits) {
  std::vector<Net> nets;
  nets.reserve(bits.size());
  for (const json& bit : bits) nets.push_back(read_net(bit));
  return nets;
}

Cell read_cell(const std::string& name, const json& from) {
  Cell cell;
  cell.name = name;
  cell.type = from.at("type").get<std::string>();
  for (const auto& [key, value] : from.at("parameters").items()) {
    if (!value.is_string()) {
      cell.refuse(
          fmt::format("{} is {} and no text of binary digits: write_json without -compat-int", key,
                      value.dump()));
    }
    cell.parameters[key] = value.get<std::string>();
  }
  for (const auto& [port, bits] : from.at("connections").items()) {
    cell.ports[port] = read_nets(bits);
  }
  return cell;
}

// The value with which a signal begins.
void read_init(const json& entry, const std::vector<Net>& bits, std::set<Net>* ones) {
  const auto attributes = entry.find("attributes");
  if (attributes == entry.end() || !attributes->contains("init")) return;
  const json& init = attributes->at("init");
  const std::string digits = init.is_string() ? init.get<std::string>() : "1";
  for (size_t k = 0; k < std::min(bits.size(), digits.size()); ++k) {
    if (digits[digits.size() - 1 - k] == '1') ones->insert(bits[k]);
  }
}

Netlist read_module(const std::string& top, const json& module) {
  Netlist netlist;
  netlist.top = top;
  for (const auto& [name, port] : module.at("ports").items()) {
    const std::string direction = port.at("direction").get<std::string>();
    if (direction != "input" && direction != "output") {
      throw BadInput(fmt::format("port {}: is {} and neither input nor output", name, direction));
    }
    netlist.ports.push_back({name, direction == "input", read_nets(port.at("bits"))});
  }
  for (const auto& [name, cell] : module.at("cells").items()) {
    netlist.cells.push_back(read_cell(name, cell));
  }
  for (const auto& [name, entry] : module.at("netnames").items()) {
    const std::vector<Net> bits = read_nets(entry.at("bits"));
    read_init(entry, bits, &netlist.ones);
    if (entry.value("hide_name", 0) != 0) continue;
    for (size_t k = 0; k < bits.size(); ++k) {
      BitName& known = netlist.names[bits[k]];
      if (known.signal.empty() || name.size() < known.signal.size()) {
        known = {name, static_cast<int>(k)};
      }
    }
    netlist.signals.push_back({name, bits});
  }
  return netlist;
}

}  // namespace

const std::string& Cell::digits(const std::string& parameter) const {
  const auto at = parameters.find(parameter);
  if (at == parameters.end() || at->second.empty()) {
    refuse(fmt::format("has no parameter {}", parameter));
  }
  return at->second;
}

int64_t Cell::number(const std::string& parameter) const {
  uint64_t value = 0;
  for (const char digit : digits(parameter)) {
    if (std::string("01xz").find(digit) == std::string::npos) {
      refuse(fmt::format("{} is no number", parameter));
    }
    if (value >> 62 != 0) refuse(fmt::format("{} is beyond 63 bits", parameter));
    value = value << 1 | (digit == '1' ? 1u : 0u);
  }
  return static_cast<int64_t>(value);
}

const std::vector<Net>& Cell::port(const std::string& port) const {
  const auto at = ports.find(port);
  if (at == ports.end()) refuse(fmt::format("has no port {}", port));
  return at->second;
}

bool Cell::bit(const std::string& parameter, int64_t n) const {
  const std::string& all = digits(parameter);
  return n < static_cast<int64_t>(all.size()) &&
         all[all.size() - 1 - static_cast<size_t>(n)] == '1';
}

void Cell::refuse(const std::string& why) const {
  throw BadInput(fmt::format("cell {} ({}): {}", name, type, why));
}

std::string Netlist::name(Net net) const {
  const auto at = names.find(net);
  if (at == names.end()) return fmt::format("net {}", net);
  return fmt::format("{}[{}]", at->second.signal, at->second.bit);
}

Netlist read_netlist(const std::string& path, const std::string& top) {
  const std::string text = read_text(path);
  try {
    const json file = json::parse(text);
    const json& modules = file.at("modules");
    if (!modules.contains(top)) {
      throw BadInput(fmt::format("has no module {}", top));
    }
    return read_module(top, modules.at(top));
  } catch (const BadInput& e) {
    throw BadInput(fmt::format("{}: {}", path, e.what()));
  } catch (const json::exception& e) {
    throw BadInput(fmt::format("{}: is no netlist of Yosys' write_json: {}", path, e.what()));
  }
}

}  // namespace ow::simgen
