// SPDX-License-Identifier: Apache-2.0
// `ow-wave`: runs a recording again, in the simulator that writes waves.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/sim/sim_device.h"

namespace ow::cli {
namespace {

std::pair<int, int> tile_of(const std::string& text) {
  int row = 0, column = 0, end = 0;
  if (std::sscanf(text.c_str(), "%4d,%4d%n", &row, &column, &end) != 2 ||
      static_cast<size_t>(end) != text.size()) {
    throw BadInput("--tile " + text + ": must be ROW,COLUMN");
  }
  return {row, column};
}

// Whether there is a cycle to write: the run begins in cycle `first`.
void check_cycles(const Waves& waves, bool has_from, uint64_t first, const std::string& saved,
                  const Recording& recording) {
  if (waves.from >= recording.cycles || waves.from > waves.to) {
    throw BadInput(recording.path + ": its " + std::to_string(recording.cycles) +
                   " cycles have none from --from to --to");
  }
  const std::pair<const char*, bool> early[] = {{"--from", has_from && waves.from < first},
                                                {"--to", waves.to < first}};
  for (const auto& [flag, is] : early) {
    if (!is) continue;
    throw BadInput(std::string(flag) + ": " + saved + " begins later, in cycle " +
                   std::to_string(first));
  }
}

int run(int argc, char** argv) {
  CLI::App app{
      "Runs a recording again (of ow run --record FILE, or of a program that opens "
      "sim:...,record=FILE) and writes its waves as FST",
      "ow-wave"};
  std::string file, restore;
  std::vector<std::string> tiles;
  SimOptions options;
  app.add_option("recording", file, "The recording")->required()->type_name("FILE");
  app.add_option("waves", options.waves.file, "Where the waves go")->required()->type_name("FILE");
  const CLI::Option* const from =
      app.add_option("--from", options.waves.from, "The first cycle")->check(whole_number(0));
  app.add_option("--to", options.waves.to, "The last cycle")->check(whole_number(0));
  app.add_option("--tile", tiles, "Only of this tile (may be repeated)")->type_name("ROW,COLUMN");
  app.add_option("--restore", restore,
                 "A save of the run (sim:...,save=FILE): begins there, not at the first cycle")
      ->type_name("FILE");
  refuse_empty_names(app);
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return std::string("ow-wave: bad input: ") + e.what() + " (see ow-wave --help)\n";
  });
  if (const auto status = parse(app, argc, argv)) return *status;
  for (const std::string& tile : tiles) options.waves.tiles.push_back(tile_of(tile));
  check_files({{"recording", file}, {"--restore", restore}}, {{"waves", options.waves.file}});
  const Claim claim(options.waves.file);
  const Recording recording = read_recording(file);
  const auto simulator = make_simulator(recording.shape, options);
  if (!restore.empty()) simulator->restore_tiles(restore);
  check_cycles(options.waves, from->count() > 0, simulator->cycle(), restore, recording);
  simulator->replay(recording);
  std::printf("%llu cycles of %d x %d tiles\n", static_cast<unsigned long long>(recording.cycles),
              recording.shape.rows, recording.shape.cols);
  return written(0);
}

}  // namespace
}  // namespace ow::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // what cannot be written is said
  try {
    return ow::cli::run(argc, argv);
  } catch (const ow::Error& e) {
    std::fprintf(stderr, "ow-wave: %s: %s\n", e.category(), e.what());
    return e.exit_status();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ow-wave: internal error: %s\n", e.what());
    return 3;
  }
}
