// SPDX-License-Identifier: Apache-2.0
// `ow bringup`: finds what is broken in a simulated wafer, repairs it, verifies it.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/wafer/files.h"
#include "wafer.h"

namespace ow::cli {
namespace {

struct Options {
  std::string wafer;
  std::string defects;
  std::string map;
  std::string svg;
  std::string window;
  bool accept_smaller = false;
  bool thorough = false;
  bool mini = false;
};

int run(Context& context, const Options& o) {
  const wafer::Shape shape = wafer::read_shape(o.wafer);
  const wafer::Faults faults =
      o.defects.empty() ? wafer::Faults() : wafer::read_faults(o.defects, shape);
  context.check_files({{"--wafer", o.wafer}, {"--defects", o.defects}},
                      {{"--map", o.map}, {"--svg", o.svg}});
  wafer::WaferPart part;
  if (!o.window.empty()) {
    part.window = wafer::parse_window(o.window);
    if (!part.window) {
      throw BadInput(fmt::format(
          "--window {}: must be ROWSxCOLUMNS or ROWSxCOLUMNS@ROW,COLUMN, as 3x4@1,0", o.window));
    }
  }
  part.accept_smaller = o.accept_smaller;
  const auto device = o.mini ? wafer::make_mini_wafer_device(shape, faults)
                             : wafer::make_wafer_device(shape, faults);
  fmt::print("wafer       {}: {}\n", o.wafer, device->device().description());
  const wafer::Bringup result = bring_up_wafer(*device, o.mini, o.thorough, part);
  print_bringup(shape, result);
  const wafer::SimCounts counts = device->counts();
  fmt::print("simulated   {} cycles\n", device->device().cycle());
  context.result() = bringup_json(shape, result);
  context.result()["cycles"] = device->device().cycle();
  context.result()["evaluations"] = {
      {"tiles", counts.tiles}, {"stations", counts.stations}, {"links", counts.links}};
  if (!o.map.empty() && result.good()) {
    write_file(o.map, json_text(wafer::to_json(*result.map()), 1) + "\n");
  }
  if (!o.svg.empty()) write_svg(o.svg, shape, result);
  return result.good() ? 0 : 1;
}

}  // namespace

void add_bringup(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = context.add(app, "bringup",
                              "Test a simulated wafer, repair it and verify its logical mesh; "
                              "exit status 1 if it is refused",
                              [&context, options] { return run(context, *options); });
  sub->add_option("--wafer", options->wafer, "Configuration of the wafer (configs/wafer-*.yaml)")
      ->required()
      ->type_name("FILE");
  sub->add_option("--defects", options->defects,
                  "What is broken in the simulated wafer; the bring-up does not read it")
      ->type_name("FILE");
  sub->add_option("--map", options->map, "Write the repair map, if the wafer works")
      ->type_name("FILE");
  sub->add_option("--svg", options->svg, "Write a picture of the wafer")->type_name("FILE");
  auto* window = sub->add_option("--window", options->window,
                                 "Set up these logical tiles only: ROWSxCOLUMNS[@ROW,COLUMN]");
  sub->add_flag("--accept-smaller", options->accept_smaller,
                "If the wafer is refused, set up the largest rectangle that works")
      ->excludes(window);
  sub->add_flag("--thorough", options->thorough,
                "Run all programs of the self-test: slower, finds more (docs/bring-up.md)");
  sub->add_flag("--mini", options->mini, "Tiles of 2 lanes and 8 kB instead of full ones");
}

}  // namespace ow::cli
