// SPDX-License-Identifier: Apache-2.0
// ow_simgen: from a netlist of Yosys to C that evaluates many instances of it at once.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>

#include "ow/base/error.h"
#include "ow/simgen/blif.h"
#include "ow/simgen/design.h"
#include "ow/simgen/emit.h"
#include "ow/simgen/netlist.h"
#include "ow/simgen/plan.h"

namespace {

constexpr int kBadInput = 2;

struct Arguments {
  std::string netlist;
  std::string top;
  std::string blif;
  ow::simgen::BlastOptions blast;
  ow::simgen::PlanOptions plan;
  ow::simgen::EmitOptions emit;
};

void generate(const Arguments& arguments) {
  using namespace ow::simgen;  // NOLINT(google-build-using-namespace): its program
  const Netlist netlist = read_netlist(arguments.netlist, arguments.top);
  Design design = blast(netlist, arguments.blast);
  const Plan order = plan(&design, arguments.plan);
  if (!arguments.blif.empty()) {
    write_blif(design, order, arguments.blif);
    return;
  }
  emit(design, order, arguments.emit);
  size_t always = 0;
  for (const Block& block : order.blocks) {
    if (block.condition == 0) always += block.steps.size();
  }
  fmt::print("{}: {} registers, {} banks, {} tables, {} steps without a condition\n", arguments.top,
             order.registers.size(), design.banks.size(), order.cover.order.size(), always);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Writes C that evaluates many instances of a synchronous design at once.");
  app.add_option("netlist", arguments.netlist, "JSON of Yosys' write_json: one flat module")
      ->required();
  app.add_option("--top", arguments.top, "name of the module")->required();
  app.add_option("--clock", arguments.blast.clock, "its clock")->capture_default_str();
  app.add_option("--state", arguments.blast.state,
                 "names of signals that hold state (a regular expression)")
      ->capture_default_str();
  CLI::Option* blif = app.add_option("--blif", arguments.blif,
                                     "writes the tables into this file instead, for a proof");
  app.add_option("--name", arguments.emit.name, "begins the names of files and functions")
      ->excludes(blif);
  app.add_option("--directory", arguments.emit.directory, "of the files")->excludes(blif);
  app.add_option("--files", arguments.emit.files, "with functions")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return fmt::format("ow_simgen: {} (see ow_simgen --help)\n", e.what());
  });
  try {
    app.parse(argc, argv);
    if (arguments.blif.empty() && (arguments.emit.name.empty() || arguments.emit.directory.empty()))
      throw ow::BadInput("--name and --directory are needed, or --blif");
    generate(arguments);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kBadInput;
  } catch (const ow::BadInput& e) {
    fmt::print(stderr, "ow_simgen: {}\n", e.what());
    return kBadInput;
  } catch (const std::exception& e) {
    fmt::print(stderr, "ow_simgen: {}\n", e.what());
    return 1;
  }
  return 0;
}
