// SPDX-License-Identifier: Apache-2.0
// `ow yield`: how many wafers come out whole, with and without repair.
#include <fmt/format.h>

#include <cstdio>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/progress.h"
#include "ow/wafer/files.h"
#include "ow/wafer/yield.h"

namespace ow::cli {
namespace {

struct Options {
  std::string wafer;
  wafer::Shape shape{2, 2, 8, 8, 1, 1};
  double density = 0.1;
  double area = 0.05;
  wafer::YieldModel model;
  uint64_t wafers = 1000;
  uint64_t seed = 1;
};

// A wafer is drawn tile by tile: what takes minutes each, or more memory than there is, is refused.
void check_tiles(const wafer::Shape& shape) {
  constexpr long kMost = 1L << 24;
  const long tiles =
      static_cast<long>(shape.reticles()) * (shape.rows + shape.spare_rows) * (shape.cols + 2);
  if (tiles <= kMost) return;
  throw BadInput(
      fmt::format("{} x {} reticles with two spare columns each are {} tiles, the limit "
                  "is {}",
                  shape.reticle_rows, shape.reticle_cols, tiles, kMost));
}

void print_title(const Options& o, const wafer::Shape& shape) {
  const long tiles = static_cast<long>(shape.logical_rows()) * shape.logical_cols();
  std::printf(
      "%d x %d reticles of %d x %d logical tiles (%ld in all), %g defects/cm2, %g mm2 "
      "a tile%s\n",
      shape.reticle_rows, shape.reticle_cols, shape.rows, shape.cols, tiles, o.density, o.area,
      o.model.alpha > 0 ? fmt::format(", clustered (alpha {:g})", o.model.alpha).c_str() : "");
  std::printf("%-14s %-11s %12s %16s %16s\n", "spare columns", "spare rows", "whole wafers",
              "without repair", "defects a wafer");
}

// Prints and records what `spares` spare columns give.
void estimate(const Options& o, const wafer::Shape& shape, const wafer::YieldModel& model,
              nlohmann::json* result) {
  const int spares = shape.spare_cols;
  Progress progress(fmt::format("{} spare column(s)", spares), o.wafers);
  const wafer::YieldResult r = wafer::simulate_yield(shape, model, o.wafers, o.seed,
                                                     [&](uint64_t n) { progress.update(n); });
  const double mean = static_cast<double>(r.defects) / static_cast<double>(r.wafers);
  std::printf("%-14d %-11d %10.2f %% %14.2f %% %16.1f\n", spares, shape.spare_rows, 100 * r.share(),
              100 * r.share_unrepaired(), mean);
  (*result)["yield"].push_back({{"spare_columns", spares},
                                {"spare_rows", shape.spare_rows},
                                {"whole", r.whole},
                                {"whole_share", r.share()},
                                {"without_repair", r.perfect},
                                {"without_repair_share", r.share_unrepaired()},
                                {"defects", r.defects},
                                {"reticles_lost", r.reticles_lost}});
}

int run(Context& context, const Options& o) {
  context.check_files({{"--wafer", o.wafer}}, {});
  wafer::Shape shape = o.wafer.empty() ? o.shape : wafer::read_shape(o.wafer);
  shape.check();
  check_tiles(shape);
  wafer::YieldModel model = o.model;
  model.tile_defects = o.density * o.area / 100.0;  // a cm2 has 100 mm2
  nlohmann::json& result = context.result();
  const long tiles = static_cast<long>(shape.logical_rows()) * shape.logical_cols();
  result["logical_tiles"] = tiles;
  result["defects_per_cm2"] = o.density;
  result["tile_mm2"] = o.area;
  result["alpha"] = model.alpha;
  result["wafers"] = o.wafers;
  result["seed"] = o.seed;
  print_title(o, shape);
  for (int spares = 1; spares <= 2; ++spares) {
    shape.spare_cols = spares;
    estimate(o, shape, model, &result);
  }
  return 0;
}

void add_shape(CLI::App* command, Options* o) {
  auto* wafer = command->add_option(
      "--wafer", o->wafer,
      "Wafer configuration (YAML) instead of the shape options; with 1 and 2 spare columns");
  wafer->type_name("FILE");
  const auto shape = [&](const char* name, int& value, const char* what, uint64_t low = 1,
                         uint64_t high = 1024) {
    command->add_option(name, value, what)->excludes(wafer)->check(whole_number(low, high));
  };
  shape("--reticle-rows", o->shape.reticle_rows, "Reticles from north to south (2)");
  shape("--reticle-columns", o->shape.reticle_cols, "Reticles from west to east (2)");
  shape("--rows", o->shape.rows, "Logical rows of tiles a reticle (8)");
  shape("--columns", o->shape.cols, "Logical columns of tiles a reticle (8)");
  shape("--spare-rows", o->shape.spare_rows, "Spare rows a reticle (1)", 0, 2);
}

void add_model(CLI::App* command, Options* o) {
  command->add_option("--density", o->density, "Fatal defects per cm2 of tile area (0.1)")
      ->check(real_number(0.0, 1e6));
  command->add_option("--tile-mm2", o->area, "Area of a tile in mm2 (0.05)")
      ->check(real_number(1e-6, 1e3));
  command
      ->add_option("--wire-defects", o->model.wire_defects,
                   "Mean fatal defects of a connection between two tiles (0)")
      ->check(real_number(0.0, 1.0));
  command
      ->add_option("--link-failure", o->model.link_failure,
                   "Chance that a reticle-crossing link is beyond its spare lanes (0)")
      ->check(real_number(0.0, 1.0));
  command
      ->add_option("--chain-defects", o->model.chain_defects,
                   "Mean fatal defects of a row's test-access chain (0)")
      ->check(real_number(0.0, 1.0));
  command
      ->add_option("--alpha", o->model.alpha,
                   "Cluster parameter of the defects of a reticle (0: not clustered)")
      ->check(real_number(0.0, 1e6));
  command->add_option("--wafers", o->wafers, "Wafers to draw for each number of spares (1000)")
      ->check(whole_number(1, 10000000));
  command->add_option("--seed", o->seed, "Seed of the first wafer (1)")->check(whole_number(0));
}

}  // namespace

void add_yield(CLI::App& app, Context& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      context.add(app, "yield", "Estimate by Monte Carlo how many wafers can be repaired",
                  [o, &context] { return run(context, *o); });
  add_shape(command, o.get());
  add_model(command, o.get());
}

}  // namespace ow::cli
