// SPDX-License-Identifier: Apache-2.0
// `ow bringup`: finds what is broken in a simulated wafer, repairs it, verifies it.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "bringup_report.h"
#include "cli.h"
#include "machine_files.h"
#include "machine_options.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/wafer/files.h"

namespace ow::cli {
namespace {

struct Options {
  MachineFlags machine;
  std::string map;
  std::string svg;
  bool thorough = false;
  bool mini = false;
};

int run(Context& context, const Options& o) {
  const MachineSpec machine = machine_of(o.machine);
  if (machine.kind != MachineKind::Wafer) {
    throw BadInput("which wafer? (--machine wafer:FILE or --wafer FILE)");
  }
  const wafer::WaferSource& source = machine.wafer;
  if (!source.map.empty()) {
    throw BadInput(machine.name + ": a bring-up makes the map (--map FILE writes it)");
  }
  const wafer::Shape shape = wafer::read_shape(source.wafer);
  const wafer::Faults faults =
      source.defects.empty() ? wafer::Faults() : wafer::read_faults(source.defects, shape);
  context.check_files(files_of(machine).read, {{"--map", o.map}, {"--svg", o.svg}});
  const auto device = o.mini ? wafer::make_mini_wafer_device(shape, faults)
                             : wafer::make_wafer_device(shape, faults, source.sim);
  fmt::print("wafer       {}: {}\n", source.wafer, device->device().description());
  const wafer::Bringup result = bring_up_wafer(*device, o.mini, o.thorough, source.part);
  print_bringup(shape, result);
  const wafer::SimCounts counts = device->counts();
  fmt::print("simulated   {} cycles\n", device->device().cycle());
  context.result() = bringup_json(shape, result);
  context.result()["cycles"] = device->device().cycle();
  context.result()["evaluations"] = {
      {"tiles", counts.tiles}, {"stations", counts.stations}, {"links", counts.links}};
  if (!o.map.empty() && result.succeeded()) {
    write_file(o.map, json_text(wafer::to_json(*result.map()), 1) + "\n");
  }
  if (!o.svg.empty()) write_svg(o.svg, shape, result);
  return result.succeeded() ? 0 : 1;
}

}  // namespace

void add_bringup(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = context.add(app, "bringup",
                              "Test a simulated wafer, repair it and verify its logical mesh; "
                              "exit status 1 if it is refused",
                              [&context, options] { return run(context, *options); });
  add_machine(sub, &options->machine);
  add_wafer_flags(sub, &options->machine);
  sub->add_option("--map", options->map, "Write the repair map, if the wafer works")
      ->type_name("FILE");
  sub->add_option("--svg", options->svg, "Write a picture of the wafer")->type_name("FILE");
  auto* window = sub->add_option("--window", options->machine.window,
                                 "Set up these logical tiles only: ROWSxCOLUMNS[@ROW,COLUMN]");
  sub->get_option("--accept-smaller")->excludes(window);
  sub->add_flag("--thorough", options->thorough,
                "Run all programs of the self-test: slower, finds more (docs/bring-up.md)");
  sub->add_flag("--mini", options->mini, "Tiles of 2 lanes and 8 kB instead of full ones");
}

}  // namespace ow::cli
