// SPDX-License-Identifier: Apache-2.0
// The strings that describe machines: which there are, what each can do, and the flags of `ow` that
// write them.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

#include "ow/base/error.h"
#include "ow/open/board.h"
#include "ow/open/machine.h"

namespace ow {
namespace {

constexpr char kWafer[] = "wafer:";
constexpr char kGrids[] =
    "sim:ROWSxCOLUMNS, sim-mini:ROWSxCOLUMNS, mono:ROWSxCOLUMNS, wafer:FILE[,OPTION]... or "
    "uart:PATH[:BAUD]; for a job also golden, fpga-sim, or sim, sim-mini or mono alone; with "
    ",engine=wide, ,split=K, ,save=FILE or ,restore=FILE after sim, and ,record=FILE after sim and "
    "mono";

constexpr std::pair<const char*, MachineKind> kKinds[] = {
    {"golden", MachineKind::Golden},    {"sim", MachineKind::Sim},
    {"sim-mini", MachineKind::SimMini}, {"mini", MachineKind::SimMini},
    {"mono", MachineKind::Mono},        {"fpga-sim", MachineKind::FpgaSim}};

// What a kind can do besides running, and why it cannot do the rest. Only wafers have pictures.
struct Ability {
  MachineKind kind;
  bool checked, check_idle, recorded, trains;
  const char* why;
};
constexpr Ability kAbilities[] = {
    {MachineKind::Golden, false, false, false, true, "has no hardware to look at"},
    {MachineKind::Sim, true, true, true, true, ""},
    {MachineKind::Mono, true, true, true, true, ""},
    {MachineKind::SimMini, false, true, false, false,
     "only a simulated grid of full tiles has that"},
    {MachineKind::Wafer, false, false, false, false, "only a simulated grid has that, not a wafer"},
    {MachineKind::Board, false, false, false, false, "a board is only seen from outside"},
    {MachineKind::FpgaSim, false, false, false, false, "a board is only seen from outside"},
};

// A file's name as it stands in the string, where a comma ends it.
std::string quoted(const std::string& file) {
  std::string out;
  for (const char c : file) {
    if (c == ',' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// The text up to the first comma without a backslash before it, which is then cut off, with its
// commas as they are.
std::string take_part(std::string* text) {
  std::string part;
  size_t at = 0;
  for (; at < text->size() && (*text)[at] != ','; ++at) {
    if ((*text)[at] == '\\' && at + 1 < text->size()) ++at;
    part += (*text)[at];
  }
  text->erase(0, at + 1);
  return part;
}

constexpr int kMostParts = 999;  // of a grid that is split
constexpr int kMostDigits = 12;  // of a number of cycles
constexpr char kRecord[] = ",record=";
// The file of ",record=FILE" at the end of `text`, which is then cut off.
std::string take_recording(const std::string& name, std::string* text) {
  size_t at = text->find(kRecord);
  while (at != std::string::npos && at > 0 && (*text)[at - 1] == '\\') {
    at = text->find(kRecord, at + 1);  // the comma is part of a file's name
  }
  if (at == std::string::npos) return "";
  const std::string file = text->substr(at + sizeof(kRecord) - 1);
  if (file.empty()) throw BadInput(name + ": record= needs a file");
  text->resize(at);
  return file;
}

// The options of a simulated grid, as ",engine=NAME", which are then cut off.
void take_options(const std::string& name, std::string* text, MachineSpec* spec) {
  const size_t comma = text->find(',');
  if (comma == std::string::npos || text->rfind("sim", 0) != 0) return;
  std::string options = text->substr(comma + 1);
  text->resize(comma);
  SimOptions parsed;
  std::set<std::string> given;
  do {
    const std::string option = take_part(&options);
    const size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
    if (!given.insert(key).second) {
      throw BadInput(fmt::format("{}: '{}' is given twice", name, key));
    }
    if (key == "engine") {
      parse_engine(name, value, &parsed);
    } else if (key == "threads") {
      parse_threads(name, value, &parsed);
    } else if (key == "split") {
      static const std::regex form("[1-9]\\d{0,2}");
      if (!std::regex_match(value, form)) {
        throw BadInput(
            fmt::format("{}: split '{}': must be processes, 1 to {}", name, value, kMostParts));
      }
      spec->split = std::stoi(value);
    } else if (option == "lockstep") {
      parsed.lockstep = true;
    } else if (key == "save" || key == "restore") {
      if (value.empty()) throw BadInput(fmt::format("{}: {}= needs a file", name, key));
      (key == "save" ? parsed.save_file : parsed.restore_file) = value;
    } else if (key == "every") {
      static const std::regex form("[1-9]\\d*");
      if (!std::regex_match(value, form) || value.size() > kMostDigits) {
        throw BadInput(
            fmt::format("{}: every '{}': must be cycles, 1 to 999999999999", name, value));
      }
      parsed.save_every = std::stoull(value);
    } else {
      throw BadInput(
          fmt::format("{}: option '{}': must be engine=, threads=, lockstep, split=, save=, "
                      "every=, restore= or record=",
                      name, key));
    }
  } while (!options.empty());
  if (given.count("every") != 0 && parsed.save_file.empty()) {
    throw BadInput(name + ": every= is only for save=");
  }
  if (parsed.engine != Engine::Wide && parsed.lockstep) {
    throw BadInput(name + ": lockstep is only for engine=wide");
  }
  spec->engine = parsed.engine;
  spec->width = parsed.width;
  spec->threads = parsed.threads;
  spec->lockstep = parsed.lockstep;
  spec->save_file = parsed.save_file;
  spec->save_every = parsed.save_every;
  spec->restore_file = parsed.restore_file;
}

// Replaces the kind at the beginning of a string: "rtl:4x4" becomes "sim:4x4".
bool replace_kind(const std::string& before, const std::string& after, std::string* text) {
  if (*text != before && text->rfind(before + ":", 0) != 0) return false;
  text->replace(0, before.size(), after);
  return true;
}

// Sets all but the names.
void parse_kind(const std::string& text, MachineSpec* spec) {
  if (text.rfind(kWafer, 0) == 0) {
    spec->kind = MachineKind::Wafer;
    spec->wafer = wafer::parse_source(text.substr(sizeof(kWafer) - 1), spec->name);
    return;
  }
  if (uart::is_board(text)) {
    spec->kind = MachineKind::Board;
    return;
  }
  const size_t colon = text.find(':');
  for (const auto& [word, kind] : kKinds) {
    if (text.substr(0, colon) != word) continue;
    spec->kind = kind;
    if (colon == std::string::npos) return;
    static const std::regex form("(\\d{1,4})x(\\d{1,4})");
    std::smatch part;
    const std::string grid = text.substr(colon + 1);
    if (!std::regex_match(grid, part, form)) {
      throw BadInput(fmt::format("{}: grid '{}': must be ROWSxCOLUMNS, as 4x4", spec->name, grid));
    }
    spec->grid = GridShape{std::stoi(part[1]), std::stoi(part[2])};
    return;
  }
  throw BadInput(fmt::format("{}: must be {}", spec->name, kGrids));
}

MachineSpec wafer_of(const MachineFlags& f) {
  if (f.device && *f.device != "rtl" && *f.device != "sim") {
    throw BadInput("--wafer: not with --device " + *f.device);
  }
  if (f.tiles == "mini") throw BadInput("--tiles mini: not with --wafer");
  std::string text = kWafer + quoted(f.wafer);
  if (!f.defects.empty()) text += ",defects=" + quoted(f.defects);
  if (!f.map.empty()) text += ",map=" + quoted(f.map);
  if (!f.window.empty()) text += ",window=" + f.window;
  if (f.accept_smaller) text += ",accept-smaller";
  return parse_machine(text, "--wafer");
}

}  // namespace

MachineSpec parse_machine(const std::string& whole, const std::string& name) {
  MachineSpec spec;
  std::string text = whole;
  spec.record_file = take_recording(name, &text);
  const bool plain = text.find(',') == std::string::npos;
  take_options(name, &text, &spec);
  spec.text = text;
  spec.name = name;
  const auto full = {MachineKind::Sim, MachineKind::Mono};
  parse_kind(text, &spec);
  if (!plain && spec.kind == MachineKind::SimMini) {
    throw BadInput(name + ": engine=, split=, save= and restore= are only for sim");
  }
  if (!spec.record_file.empty() && std::find(full.begin(), full.end(), spec.kind) == full.end()) {
    throw BadInput(name + ": only a simulated grid of full tiles is recorded");
  }
  return spec;
}

MachineSpec machine_of(const MachineFlags& f) {
  const std::pair<bool, const char*> parts[] = {{f.device.has_value(), "--device"},
                                                {!f.tiles.empty(), "--tiles"},
                                                {!f.wafer.empty(), "--wafer"},
                                                {!f.defects.empty(), "--defects"},
                                                {!f.map.empty(), "--map"},
                                                {!f.window.empty(), "--window"},
                                                {f.accept_smaller, "--accept-smaller"}};
  if (f.machine) {
    for (const auto& [given, flag] : parts) {
      if (given)
        throw BadInput(fmt::format("--machine: not with {}, which writes a part of it", flag));
    }
    return parse_machine(*f.machine, "--machine " + *f.machine);
  }
  if (!f.wafer.empty()) return wafer_of(f);
  for (const auto& [given, flag] : parts) {
    const bool of_wafer = flag != parts[0].second && flag != parts[1].second;
    if (given && of_wafer) throw BadInput(fmt::format("{}: which wafer? (--wafer FILE)", flag));
  }
  std::string text = f.device.value_or("sim");
  std::string name = "--device " + text;
  replace_kind("rtl", "sim", &text);
  // A board's tiles are those of `mini` in any case.
  const bool board = uart::is_board(text) || text.rfind("fpga-sim", 0) == 0;
  if (f.tiles == "mini" && !board) {
    if (!replace_kind("sim", "sim-mini", &text)) {
      throw BadInput(fmt::format("--tiles mini: not with {}, only with a simulated grid", name));
    }
    name = "--tiles mini";
  }
  return parse_machine(text, name);
}

void check_use(const MachineSpec& spec, const MachineUse& use) {
  const auto refuse = [&spec](const char* why, const char* flag) {
    throw BadInput(fmt::format("{}: {} ({})", spec.name, why, flag));
  };
  for (const Ability& can : kAbilities) {
    if (can.kind != spec.kind) continue;
    if (use.trains && !can.trains) throw BadInput(spec.name + ": not with a training");
    if (use.checked && !can.checked) refuse(can.why, "--checked");
    if (use.check_idle && !can.check_idle) refuse(can.why, "--check-idle");
    if (use.recorded && !can.recorded) refuse(can.why, "--record");
    if (spec.engine != Engine::Replicated) {
      constexpr char kWhy[] = "only engine=replicated has that";
      if (use.checked) refuse(kWhy, "--checked");
      if (use.check_idle) refuse(kWhy, "--check-idle");
    }
  }
  if (!use.drawn) return;
  if (spec.kind != MachineKind::Wafer) refuse("only a wafer is drawn", "--svg");
  if (!spec.wafer.map.empty()) refuse("with a map there is no bring-up to be drawn", "--svg");
}

}  // namespace ow
