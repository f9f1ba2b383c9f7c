// SPDX-License-Identifier: Apache-2.0
// `ow elf FILE`: runs a bare-metal RV32IM program on one RTL tile (docs/riscv.md).
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/progress.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/run_elf.h"
#include "ow/sim/single_tile.h"

namespace ow::cli {
namespace {

struct Options {
  std::string file;
  std::string signature;
  uint32_t sram_kb = 48;
  uint64_t max_cycles = 100000000;
};

int run(Context& context, const Options& options) {
  nlohmann::json& result = context.result();
  context.check_files({{"program", options.file}}, {{"--signature", options.signature}});
  ElfRunOptions run_options;
  run_options.sram_kb = options.sram_kb;
  run_options.max_cycles = options.max_cycles;
  run_options.signature = !options.signature.empty();
  // The size is looked at before the file, so that both give a line that names the limit.
  if (options.sram_kb < 1 || options.sram_kb > 2048) {
    throw BadInput(fmt::format("--sram-kb {}: must be 1 to 2048", options.sram_kb));
  }
  if (options.max_cycles < 1) throw BadInput("--max-cycles 0: must be at least 1");
  if (options.sram_kb * 1024 > kTileSramBytes && !has_big_tile()) {
    context.hand_over("ow-large", fmt::format("--sram-kb {}", options.sram_kb));
  }
  const ElfImage image = read_elf(options.file, options.sram_kb * 1024);
  check_elf_run(image, run_options);
  if (!image.find("tohost")) {
    std::fprintf(
        stderr,
        "ow: %s: no symbol 'tohost' (stripped?): only ebreak or a trap ends it, or %llu cycles "
        "(--max-cycles)\n",
        options.file.c_str(), static_cast<unsigned long long>(options.max_cycles));
  }

  ElfRun outcome;
  {
    Progress progress("cycles", options.max_cycles);
    run_options.progress = [&](uint64_t cycles) { progress.update(cycles); };
    outcome = run_elf(image, run_options);
  }
  const bool passed = outcome.passed();
  std::printf("%s: %s\n", options.file.c_str(), outcome.describe(image).c_str());
  if (outcome.tohost) {
    std::printf("tohost        %u (0x%x)\n", *outcome.tohost, *outcome.tohost);
  } else {
    std::printf("tohost        the program has no such symbol\n");
  }
  std::printf("cycles        %llu\n", static_cast<unsigned long long>(outcome.cycles));
  std::printf("instructions  %llu\n", static_cast<unsigned long long>(outcome.instructions));
  if (!options.signature.empty()) {
    std::string text;
    for (uint32_t word : outcome.signature) text += fmt::format("{:08x}\n", word);
    write_file(options.signature, text);
  }
  static const char* const ends[] = {"tohost", "ebreak", "trap", "error", "asleep", "cycle limit"};
  result["file"] = options.file;
  result["end"] = ends[static_cast<int>(outcome.end)];
  result["pc"] = outcome.pc;
  if (outcome.tohost) result["tohost"] = *outcome.tohost;
  result["cycles"] = outcome.cycles;
  result["max_cycles"] = options.max_cycles;
  result["instructions"] = outcome.instructions;
  if (outcome.end == ElfEnd::Trap || outcome.end == ElfEnd::Ebreak) {
    result["cause"] = outcome.cause;
    result["tval"] = outcome.tval;
    const std::string line = image.source_line(outcome.pc);
    if (!line.empty()) result["source"] = line;
  }
  if (outcome.end == ElfEnd::Error) {
    result["pc"] = outcome.error.pc;
    result["error"] = outcome.error.describe(&image);
    const std::string line = image.source_line(outcome.error.pc);
    if (!line.empty()) result["source"] = line;
  }
  result["pass"] = passed;
  // A stop by the engine, the reducer or the ramp is a device fault like in any other command.
  if (outcome.end == ElfEnd::Error) return 3;
  return passed ? 0 : 1;
}

}  // namespace

void add_elf(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = context.add(
      app, "elf",
      "Run a bare-metal RV32IM ELF on one tile until it writes `tohost` or calls ebreak; exit "
      "status 0 if tohost is 1",
      [options, &context] { return run(context, *options); });
  sub->add_option("file", options->file, "The program, linked into the tile's SRAM (from 0)")
      ->required()
      ->type_name("FILE");
  sub->add_option("--signature", options->signature,
                  "Write the words from begin_signature to end_signature, in hex, one a line")
      ->type_name("FILE");
  sub->add_option("--sram-kb", options->sram_kb,
                  "Memory of the tile in kB, 1 to 2048; above 48 the big configuration runs")
      ->type_name("N")
      ->check(whole_number(1, 2048))
      ->capture_default_str();
  sub->add_option("--max-cycles", options->max_cycles, "Give up after this many cycles")
      ->type_name("N")
      ->check(whole_number(1, INT64_MAX))
      ->capture_default_str();
}

}  // namespace ow::cli
