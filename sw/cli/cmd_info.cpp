// SPDX-License-Identifier: Apache-2.0
// `ow info`: what this build is, what a tile of it says of itself, and the machine's registers and
// encodings.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli.h"
#include "ow/device/control_plane.h"
#include "ow/isa/tables.h"
#include "ow/runtime/tile_config.h"
#include "ow/sim/sim.h"

namespace ow::cli {
namespace {

struct Options {
  bool registers = false;
  bool opcodes = false;
};

std::string bits_of(const isa::FieldInfo& f) {
  const int msb = f.lsb + f.width * f.count - 1;
  return msb == f.lsb ? fmt::format("[{}]", msb) : fmt::format("[{}:{}]", msb, f.lsb);
}

nlohmann::json json_of(const std::vector<isa::FieldInfo>& fields) {
  nlohmann::json list = nlohmann::json::array();
  for (const isa::FieldInfo& f : fields) {
    list.push_back({{"name", f.name},
                    {"lsb", f.lsb},
                    {"width", f.width},
                    {"count", f.count},
                    {"type", f.type},
                    {"access", f.access},
                    {"about", f.about}});
  }
  return list;
}

void print_fields(const std::vector<isa::FieldInfo>& fields) {
  for (const isa::FieldInfo& f : fields) {
    fmt::print("                {:<9}{:<16} {}\n", bits_of(f), f.name, f.about);
  }
}

void print_registers(nlohmann::json* result) {
  nlohmann::json spaces = nlohmann::json::array();
  for (const isa::SpaceInfo& s : isa::spaces()) {
    fmt::print("Registers: {}. {}\n", s.name, s.about);
    nlohmann::json registers = nlohmann::json::array();
    for (const isa::RegisterInfo& r : s.registers) {
      const std::string more = r.count > 1 ? fmt::format("+{}k", r.stride) : "";
      fmt::print("  0x{:08X} {:<5}{:<16} {:<3} {}{}\n", s.base + r.offset, more, r.name, r.access,
                 r.about, r.planned ? " (planned)" : "");
      print_fields(r.fields);
      nlohmann::json entry = {
          {"name", r.name},     {"address", s.base + r.offset}, {"count", r.count},
          {"stride", r.stride}, {"access", r.access},           {"unit", r.unit},
          {"about", r.about},   {"planned", r.planned},         {"fields", json_of(r.fields)}};
      if (r.has_reset) entry["reset"] = r.reset;
      registers.push_back(std::move(entry));
    }
    spaces.push_back({{"name", s.name}, {"base", s.base}, {"registers", std::move(registers)}});
  }
  (*result)["registers"] = std::move(spaces);
}

// Operations, types, CSRs, causes and the other encodings; then the words.
void print_opcodes(nlohmann::json* result) {
  nlohmann::json enums = nlohmann::json::object();
  for (const isa::EnumInfo& e : isa::enums()) {
    fmt::print("{}: {} ({} bits)\n", e.name, e.about, e.width);
    nlohmann::json values = nlohmann::json::object();
    for (const isa::ValueInfo& v : e.values) {
      const std::string number =
          e.width > 8 ? fmt::format("0x{:X}", v.value) : fmt::format("{}", v.value);
      fmt::print("  {:>6}  {:<18} {}{}\n", number, v.name, v.about, v.planned ? " (planned)" : "");
      values[v.name] = v.value;
    }
    enums[e.name] = std::move(values);
  }
  nlohmann::json words = nlohmann::json::object();
  for (const isa::WordInfo& w : isa::words()) {
    fmt::print("{}: {} ({} bits)\n", w.name, w.about, w.width);
    print_fields(w.fields);
    words[w.name] = {{"width", w.width}, {"fields", json_of(w.fields)}};
  }
  (*result)["encodings"] = std::move(enums);
  (*result)["words"] = std::move(words);
}

void print_build(nlohmann::json* result) {
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 1});
  ControlPlane control(*device);
  const TileConfig config = read_tile_config(control, 0, 0);
  std::printf("Openwafer %s\n", OW_VERSION);
  std::printf("device          %s\n", device->description().c_str());
  std::printf("lanes           %d x 16 bits\n", config.lanes);
  std::printf("threads         %d\n", config.threads);
  std::printf("data colours    %d\n", config.colours);
  std::printf("SRAM            %u bytes a tile\n", config.sram_bytes);
  std::printf("features        0x%08X, operations 0x%08X\n", config.features, config.operations);
  (*result)["version"] = OW_VERSION;
  (*result)["lanes"] = config.lanes;
  (*result)["threads"] = config.threads;
  (*result)["colours"] = config.colours;
  (*result)["sram_bytes"] = config.sram_bytes;
  (*result)["features"] = config.features;
  (*result)["operations"] = config.operations;
}

}  // namespace

void add_info(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* sub =
      context.add(app, "info",
                  "Show the version and the tile configuration of this build, or the machine's "
                  "registers and encodings",
                  [&context, options] {
                    nlohmann::json* result = &context.result();
                    if (options->registers) print_registers(result);
                    if (options->opcodes) print_opcodes(result);
                    if (!options->registers && !options->opcodes) print_build(result);
                    return 0;
                  });
  sub->add_flag("--registers", options->registers,
                "The registers of tile, station and link, with their fields");
  sub->add_flag("--opcodes", options->opcodes,
                "Operations, types, CSRs, causes, and the layouts of words");
}

}  // namespace ow::cli
