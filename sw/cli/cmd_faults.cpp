// SPDX-License-Identifier: Apache-2.0
// `ow faults`: random stuck-at faults in the netlist of a tile under its self-test.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/progress.h"
#include "ow/dft/tester.h"
#include "ow/firmware/selftest.h"
#include "parts.h"

namespace ow::cli {
namespace {

struct Options {
  std::string netlist;
  uint64_t faults = 1000;
  uint64_t seed = 1;
  int threads = 2;
};

struct Count {
  int faults = 0;
  int escapes = 0;
};

int run(Context& context, const Options& o) {
  context.check_files({{"netlist", o.netlist}}, {});
  const faults::Netlist netlist = faults::Netlist::read_file(o.netlist);
  const std::vector<faults::Fault> sample =
      faults::sample_faults(netlist, static_cast<size_t>(o.faults), o.seed);
  faults::SelftestOptions selftest;
  selftest.threads = o.threads;
  const auto program = [](const char* name) {
    // For the smallest tile.
    return read_elf(fmt::format("{}/{}.elf", firmware_dir(), name), isa::kMini.sram_bytes);
  };
  selftest.selftest = program("selftest");
  for (const char* name : {OW_SELFTEST_THOROUGH}) selftest.thorough.push_back(program(name));
  fmt::print("netlist     {}: {} gates, {} flip-flops, {} stuck-at faults\n", o.netlist,
             netlist.gates.size(), netlist.dffs.size(), faults::fault_count(netlist));
  faults::SelftestRun run;
  {
    Progress bar("faults found", sample.size());
    std::map<std::string, uint64_t> found;
    selftest.progress = [&](const std::string& step, uint64_t, uint64_t of_step) {
      found[step] = of_step;
      uint64_t sum = 0;
      for (const auto& [name, count] : found) sum += count;
      bar.update(sum);
    };
    run = faults::run_selftest(netlist, sample, selftest);
  }
  std::map<std::string, Count> blocks;
  uint64_t found = 0;
  nlohmann::json escapes = nlohmann::json::array(), steps = nlohmann::json::array();
  for (size_t i = 0; i < sample.size(); ++i) {
    Count& count = blocks[faults::block_of(netlist, sample[i])];
    ++count.faults;
    if (run.found_by[i] >= 0) {
      ++found;
      continue;
    }
    ++count.escapes;
    escapes.push_back(faults::describe(netlist, sample[i]));
  }
  for (const faults::Step& s : run.steps) {
    fmt::print("step        {}: {} found, {} cycles\n", s.name, s.found, s.cycles);
    steps.push_back({{"step", s.name}, {"found", s.found}, {"cycles", s.cycles}});
  }
  nlohmann::json table = nlohmann::json::object();
  for (const auto& [name, count] : blocks) {
    const std::string block = name.empty() ? "tile" : name;
    fmt::print("block       {}: {} faults, {} escapes\n", block, count.faults, count.escapes);
    table[block] = {{"faults", count.faults}, {"escapes", count.escapes}};
  }
  for (const auto& escape : escapes) fmt::print("escape      {}\n", escape.get<std::string>());
  for (size_t i = 0; i < run.signatures.size(); ++i) {
    fmt::print("signature   {}: 0x{:08x}\n", i + 1, run.signatures[i]);
  }
  const double percent = 100.0 * static_cast<double>(found) / static_cast<double>(sample.size());
  fmt::print("found       {} of {} faults, {:.1f} %\n", found, sample.size(), percent);
  context.result() = {{"faults", sample.size()}, {"of", faults::fault_count(netlist)},
                      {"seed", o.seed},          {"found", found},
                      {"percent", percent},      {"signatures", run.signatures},
                      {"steps", steps},          {"blocks", table},
                      {"escapes", escapes}};
  return 0;
}

}  // namespace

void add_faults(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* sub =
      context.add(app, "faults",
                  "Random stuck-at faults in a tile's netlist (scripts/flows/faults/faults) under "
                  "its self-test; lists those that it does not find",
                  [&context, options] { return run(context, *options); });
  sub->add_option("netlist", options->netlist, "Netlist that scripts/flows/faults/faults has made")
      ->required()
      ->type_name("FILE");
  sub->add_option("--faults", options->faults, "Faults to draw")->check(whole_number(1, 100000000));
  sub->add_option("--seed", options->seed, "Seed of the draw")->check(whole_number(0));
  sub->add_option("--threads", options->threads, "Threads")->check(whole_number(1, 64));
}

}  // namespace ow::cli
