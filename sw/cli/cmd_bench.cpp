// SPDX-License-Identifier: Apache-2.0
// `ow bench AREA`: measures the machine against the targets of a file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/progress.h"
#include "ow/bench/benches.h"
#include "ow/open/ranks.h"
#include "text_data.h"

namespace ow::cli {
namespace {

struct BenchCommand {
  std::string area;
  bench::Options common;
  bench::TileBenchFiles tile;
  bench::FabricBench fabric;
  std::string library;  // the firmware
  bench::LinkBench link;
  bench::NetworkBench network;
  bench::TrainBench train;
  bench::TransformerBench transformer;
  std::string firmware = OW_FIRMWARE_DIR;
  std::shared_ptr<GridRanks> ranks;  // scale: of this run
};

void set_defaults(BenchCommand* c) {
  const std::string source = OW_SOURCE_DIR;
  c->common.source = source;
  c->common.build = OW_BUILD_DIR;
  c->common.targets = source + "/configs/targets.yaml";
  c->common.misses = source + "/configs/known-misses.yaml";
  c->common.baselines = source + "/configs/baselines.yaml";
  c->common.progress = [](const std::string& label) -> bench::Progress {
    constexpr uint64_t kSteps = 1000;
    auto bar = std::make_shared<Progress>(label, kSteps);
    return [bar](double done) { bar->update(static_cast<uint64_t>(done * kSteps)); };
  };
  const std::string stream = c->firmware + "/forward.elf";
  c->tile = {c->firmware + "/tile_calls.elf", c->firmware + "/tile_spmv.elf",
             source + "/data/matrices"};
  c->fabric = {stream, c->firmware + "/column_sum.elf", c->firmware + "/dot_rows.elf"};
  c->library = c->firmware + "/copies.elf";
  c->network.params = source + "/configs/digits.yaml";
  c->network.firmware = stream;
  c->transformer = {source + "/configs/novel-train.yaml",
                    source + "/configs/novel-tiny-train.yaml",
                    source + "/configs/carroll-train.yaml",
                    source + "/configs/block-train.yaml",
                    source + "/configs/shared-heads-train.yaml",
                    c->firmware,
                    nullptr};
  if (read_text_data != nullptr) c->transformer.read_text = read_text_data;
  c->train = {source + "/configs/digits-train.yaml", c->firmware + "/train.elf", stream};
}

// What measures each area.
std::map<std::string, std::function<void(bench::Rows*)>> areas(const BenchCommand& c) {
  return {{"tile", [&c](bench::Rows* rows) { measure_tile(rows, c.tile); }},
          {"network", [&c](bench::Rows* rows) { measure_network(rows, c.network); }},
          {"fabric", [&c](bench::Rows* rows) { measure_fabric(rows, c.fabric); }},
          {"library", [&c](bench::Rows* rows) { measure_library(rows, c.library); }},
          {"link", [&c](bench::Rows* rows) { measure_link(rows, c.link); }},
          {"train", [&c](bench::Rows* rows) { measure_train(rows, c.train); }},
          {"transformer", [&c](bench::Rows* rows) { measure_transformer(rows, c.transformer); }},
          {"language", [&c](bench::Rows* rows) { measure_language(rows, c.firmware); }},
          {"sim", [](bench::Rows* rows) { bench::measure_sim(rows); }},
          {"scale", [&c](bench::Rows* rows) { measure_scale(rows, c.ranks); }},
          {"code", [&c](bench::Rows* rows) { measure_code(rows, c.firmware); }},
          {"silicon", [](bench::Rows* rows) { bench::measure_silicon(rows); }},
          {"fpga", [](bench::Rows* rows) { bench::measure_fpga(rows); }}};
}

// One area; its results are added to `result`.
int run_area(const BenchCommand& c, const std::string& area, nlohmann::json& result) {
  std::set<std::string> parts;
  if (area == "tile") parts = {"tile.functions", "tile.operations"};
  bench::Rows rows(area, c.common, parts);
  areas(c).at(area)(&rows);
  const int status = rows.finish();
  for (const auto& [key, value] : rows.result().items()) {
    if (!value.is_array()) continue;
    for (const auto& entry : value) result[key].push_back(entry);
  }
  return status;
}

int run(Context& context, BenchCommand c) {
  int status = 0;
  c.ranks = join_ranks(0, "bench", &status);
  if (!c.ranks) {
    context.write_nothing();
    return status;
  }
  context.check_files({{"--targets", c.common.targets},
                       {"--known-misses", c.common.misses},
                       {"--baselines", c.common.baselines},
                       {"--params", c.network.params},
                       {"--train-params", c.train.params}},
                      {});
  const std::vector<std::string> known = bench::target_areas(c.common.targets);
  const auto measured = areas(c);
  std::vector<std::string> wanted = {c.area};
  if (c.area == "all") {
    if (!c.common.only.empty()) throw BadInput("bench all: --only is for a single area");
    wanted = known;
  }
  for (const std::string& area : wanted) {
    if (measured.count(area) != 0 && std::find(known.begin(), known.end(), area) != known.end()) {
      continue;
    }
    throw BadInput(fmt::format("bench {}: must be all or one of {}, which {} has", area,
                               fmt::join(known, ", "), c.common.targets));
  }
  nlohmann::json& result = context.result();
  for (const char* list : {"results", "faults", "not_measured"}) {
    result[list] = nlohmann::json::array();
  }
  for (const std::string& area : wanted) {
    const bool first = area == wanted.front();
    if (!first) std::printf("\n");
    status = std::max(status, run_area(c, area, result));
  }
  return status;
}

void add_files(CLI::App* sub, BenchCommand* c) {
  const auto file = [sub](const char* option, std::string& value, const char* what,
                          const char* type = "FILE") {
    return sub->add_option(option, value, what)->type_name(type);
  };
  file("--targets", c->common.targets, "File of the targets");
  file("--known-misses", c->common.misses, "File of the misses that are known");
  file("--baselines", c->common.baselines, "File of the cycles that must stay as they are");
  file("--params", c->network.params, "network: the job");
  file("--train-params", c->train.params, "train: the job of the digits");
  file("--matrices", c->tile.matrices, "tile: directory of the sparse matrices", "DIR");
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto command = std::make_shared<BenchCommand>();
  set_defaults(command.get());
  CLI::App* sub = context.add(app, "bench",
                              "Measure against the targets; exit status 1 if one is missed, unless "
                              "configs/known-misses.yaml names it",
                              [&context, command] {
                                BenchCommand c = *command;
                                BenchCommand usual;
                                set_defaults(&usual);
                                c.network.usual = c.network.params == usual.network.params;
                                return run(context, c);
                              });
  sub->add_option("area", command->area, "tile, fabric, link, network, ... or all")->required();
  sub->add_option("--only", command->common.only,
                  "Only these rows (tile: also functions and operations, which give cycles)")
      ->delimiter(',')
      ->type_name("ROW");
  sub->add_flag("--markdown", command->common.markdown,
                "Print the table for docs/results.md instead");
  sub->add_flag("--update-baselines", command->common.update_baselines,
                "Write the cycles of this run into that file");
  add_files(sub, command.get());
  sub->add_option("--seed", command->common.seed, "Seed of random parts")
      ->check(whole_number(0, UINT64_MAX))
      ->capture_default_str();
  sub->add_option("--millions", command->link.millions,
                  "link: wavelets over noisy lanes, in millions")
      ->check(real_number(0.01, 1e6))
      ->capture_default_str();
}

}  // namespace ow::cli
