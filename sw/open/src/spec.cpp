// SPDX-License-Identifier: Apache-2.0
// The strings that describe machines: which there are, what each can do, and the flags of `ow` that
// write them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include "option_parts.h"
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

constexpr int kMostParts = 999;  // of a grid that is split
constexpr int kMostDigits = 12;  // of a number of cycles

// Whether a wafer's or a board's string asks for a recording, which neither has.
bool asks_recording(const std::string& text) {
  const std::vector<std::string> parts = option_parts(text);
  return std::any_of(parts.begin() + 1, parts.end(),
                     [](const std::string& part) { return part.rfind("record=", 0) == 0; });
}

[[noreturn]] void refuse_recording(const std::string& name) {
  throw BadInput(name + ": only a simulated grid of full tiles is recorded");
}

// The options of a grid after its kind, as "engine=NAME". A kind that lacks an option refuses it.
class GridOptions {
 public:
  explicit GridOptions(MachineSpec* spec) : spec_(spec) {}

  void take(const std::string& option) {
    const size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
    const bool known = std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
    if (!known || (key == "lockstep") != (equals == std::string::npos)) refuse(option);
    if (!given_.insert(key).second) {
      throw BadInput(fmt::format("{}: '{}' is given twice", spec_->name, key));
    }
    check_kind(key);
    if (key == "engine") {
      parse_engine(spec_->name, value, &parsed_);
    } else if (key == "threads") {
      parse_threads(spec_->name, value, &parsed_);
    } else if (key == "split") {
      spec_->split = parts(value);
    } else if (key == "lockstep") {
      parsed_.lockstep = true;
    } else if (key == "every") {
      parsed_.save_every = cycles(value);
    } else {
      if (value.empty()) throw BadInput(fmt::format("{}: {}= needs a file", spec_->name, key));
      (key == "save"      ? spec_->save_file
       : key == "restore" ? spec_->restore_file
                          : spec_->record_file) = value;
    }
  }

  void end() {
    if (given_.count("every") != 0 && spec_->save_file.empty()) {
      throw BadInput(spec_->name + ": every= is only for save=");
    }
    if (parsed_.engine != Engine::Wide && parsed_.lockstep) {
      throw BadInput(spec_->name + ": lockstep is only for engine=wide");
    }
    spec_->engine = parsed_.engine;
    spec_->width = parsed_.width;
    spec_->threads = parsed_.threads;
    spec_->lockstep = parsed_.lockstep;
    spec_->save_every = parsed_.save_every;
  }

 private:
  static constexpr const char* kKeys[] = {"engine", "threads", "lockstep", "split",
                                          "save",   "every",   "restore",  "record"};

  [[noreturn]] void refuse(const std::string& option) const {
    const bool files = given_.count("save") + given_.count("restore") + given_.count("record") != 0;
    throw BadInput(
        fmt::format("{}: option '{}': must be engine=, threads=, lockstep, split=, save=, every=, "
                    "restore= or record={}",
                    spec_->name, option, files ? "; a comma in a file's name is written \\," : ""));
  }

  void check_kind(const std::string& key) const {
    const MachineKind kind = spec_->kind;
    if (kind == MachineKind::Sim) return;
    if (key != "record") {
      throw BadInput(
          fmt::format("{}: {}{} is only for sim", spec_->name, key, key == "lockstep" ? "" : "="));
    }
    if (kind != MachineKind::Mono) refuse_recording(spec_->name);
  }

  int parts(const std::string& value) const {
    static const std::regex form("[1-9]\\d{0,2}");
    if (std::regex_match(value, form)) return std::stoi(value);
    throw BadInput(
        fmt::format("{}: split '{}': must be processes, 1 to {}", spec_->name, value, kMostParts));
  }

  uint64_t cycles(const std::string& value) const {
    static const std::regex form("[1-9]\\d*");
    if (std::regex_match(value, form) && value.size() <= kMostDigits) return std::stoull(value);
    throw BadInput(
        fmt::format("{}: every '{}': must be cycles, 1 to 999999999999", spec_->name, value));
  }

  MachineSpec* spec_;
  SimOptions parsed_;
  std::set<std::string> given_;
};

// Replaces the kind at the beginning of a string: "rtl:4x4" becomes "sim:4x4".
bool replace_kind(const std::string& before, const std::string& after, std::string* text) {
  if (*text != before && text->rfind(before + ":", 0) != 0) return false;
  text->replace(0, before.size(), after);
  return true;
}

// The kind and the grid of "sim:4x4".
void parse_grid(const std::string& text, MachineSpec* spec) {
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

MachineSpec parse_machine(const std::string& text, const std::string& name) {
  MachineSpec spec;
  spec.text = text;
  spec.name = name;
  const bool wafer = text.rfind(kWafer, 0) == 0;
  if (wafer || uart::is_board(text)) {
    if (asks_recording(text)) refuse_recording(name);
    spec.kind = wafer ? MachineKind::Wafer : MachineKind::Board;
    if (wafer) spec.wafer = wafer::parse_source(text.substr(sizeof(kWafer) - 1), name);
    return spec;
  }
  const std::vector<std::string> parts = option_parts(text);
  spec.text = parts.front();
  parse_grid(spec.text, &spec);
  GridOptions options(&spec);
  for (size_t i = 1; i < parts.size(); ++i) options.take(parts[i]);
  options.end();
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
