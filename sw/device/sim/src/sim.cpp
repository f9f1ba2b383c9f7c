// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/sim.h"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <utility>

#include "monolithic.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/sim/sim_device.h"
#include "ow/sim/split.h"

namespace ow {
namespace {

bool is_wide(const SimOptions& options) {
  return options.engine == Engine::Wide || (options.engine == Engine::Auto && has_wide());
}

std::unique_ptr<SimDevice> make_engine(GridShape shape, const SimOptions& options) {
  return is_wide(options) ? make_wide(shape, options, make_tile_maker(options.lockstep))
                          : make_simulator(shape, options);
}

// The recording gets its name at the end of the run, the save again and again.
void check_files(const SimOptions& options) {
  const std::string& record = options.record_file;
  if (record.empty()) return;
  for (const auto& [file, what] : {std::pair{&options.save_file, "that the run is saved in"},
                                   std::pair{&options.restore_file, "that the run goes on from"}}) {
    if (file->empty() || !same_file(record, *file)) continue;
    throw BadInput(fmt::format("{}: a recording cannot be the file {}", record, what));
  }
}

// Rows of tiles that one process has.
int rows_together(GridShape shape, const SimOptions& options) {
  return is_wide(options) ? rows_of_block(shape, options.width) : 1;
}

}  // namespace

DeviceKind parse_device_kind(const std::string& name) {
  if (name == "replicated") return DeviceKind::Replicated;
  if (name == "monolithic") return DeviceKind::Monolithic;
  throw BadInput(fmt::format("device '{}': must be replicated or monolithic", name));
}

void parse_engine(const std::string& who, const std::string& name, SimOptions* options) {
  static const std::map<std::string, std::pair<Engine, int>> engines = {
      {"replicated", {Engine::Replicated, 0}},
      {"auto", {Engine::Auto, 0}},
      {"wide", {Engine::Wide, 0}},
      {"wide-512", {Engine::Wide, 512}},
      {"wide-256", {Engine::Wide, 256}},
      {"wide-64", {Engine::Wide, 64}}};
  const auto at = engines.find(name);
  if (at == engines.end()) {
    throw BadInput(fmt::format(
        "{}: engine '{}': must be replicated, auto, wide, wide-512, wide-256 or wide-64", who,
        name));
  }
  options->engine = at->second.first;
  options->width = at->second.second;
}

void parse_threads(const std::string& who, const std::string& number, SimOptions* options) {
  constexpr int kMost = 256;
  static const std::regex form("[1-9]\\d{0,2}");
  if (!std::regex_match(number, form) || std::stoi(number) > kMost) {
    throw BadInput(fmt::format("{}: threads '{}': must be 1 to {}", who, number, kMost));
  }
  options->threads = std::stoi(number);
}

int serve_parts(GridRanks* ranks) { return ranks->serve(make_engine); }

void check_ranks(const std::string& who, GridShape shape, const SimOptions& options, int ranks) {
  check_split(shape, ranks, rows_together(shape, options), who);
}

bool has_monolithic() { return make_monolithic != nullptr; }

std::unique_ptr<Device> make_device(DeviceKind kind, GridShape shape, const SimOptions& options) {
  check_files(options);
  std::unique_ptr<SimDevice> device;
  if (kind == DeviceKind::Replicated) {
    device = options.ranks ? make_split(shape, options, rows_together(shape, options), make_engine)
                           : make_engine(shape, options);
  } else if (has_monolithic()) {
    device = make_monolithic(shape, options);
  } else {
    throw BadInput(
        "mono: this program has no grid in one piece; the target ow-large builds an `ow` that has");
  }
  if (!options.record_file.empty()) device->record_run(options.record_file);
  if (!options.save_file.empty()) device->save_run(options.save_file, options.save_every);
  if (!options.restore_file.empty()) device->restore_run(options.restore_file);
  return device;
}

}  // namespace ow
