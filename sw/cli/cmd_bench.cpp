// SPDX-License-Identifier: Apache-2.0
// `ow bench NAME`: measures what docs/results.md reports, against the targets of a file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/progress.h"
#include "ow/bench/benches.h"
#include "ow/bench/document.h"
#include "ow/bench/report.h"
#include "ow/bench/report_queue.h"
#include "ow/open/wafer.h"

namespace ow::cli {
namespace {

struct BenchCommand {
  std::string name;
  std::string document;           // whose tables are written; empty: none
  bool measure = false;           // make the reports that are missing or of another tree
  std::vector<std::string> skip;  // of all benches
  bench::Options common;
  bench::SimBench sim;
  bench::TileBenchFiles tile;
  bench::FabricBench fabric;
  bench::LinkBench link;
  bench::WaferBench wafer;
  bench::TrainBench train;
};

void set_defaults(BenchCommand* c) {
  const std::string source = OW_SOURCE_DIR, firmware = OW_FIRMWARE_DIR;
  c->common.source = source;
  c->common.targets = source + "/configs/targets.yaml";
  c->common.misses = source + "/configs/known-misses.yaml";
  c->common.sources = source + "/configs/reports.yaml";
  c->common.reports = OW_BUILD_DIR "/reports";
  c->common.progress = [](const std::string& label) -> bench::Progress {
    constexpr uint64_t kSteps = 1000;
    auto bar = std::make_shared<Progress>(label, kSteps);
    return [bar](double done) { bar->update(static_cast<uint64_t>(done * kSteps)); };
  };
  c->sim.params = source + "/configs/digits.yaml";
  c->sim.firmware = firmware + "/stream_layer.elf";
  c->tile.firmware = firmware + "/tile_calls.elf";
  c->tile.spmv_firmware = firmware + "/tile_spmv.elf";
  c->tile.matrices = source + "/data/matrices";
  c->common.baselines = source + "/configs/baselines.yaml";
  c->fabric = {firmware + "/stream_layer.elf", firmware + "/column_sum.elf",
               firmware + "/dot_rows.elf"};
  c->train = {source + "/configs/digits-train.yaml", firmware + "/train.elf",
              firmware + "/stream_layer.elf", OW_BUILD_DIR "/ow"};
  c->wafer.wafer = source + "/configs/wafer-2x2.yaml";
  c->wafer.defects = source + "/configs/defects-2x2.yaml";
  c->wafer.params = source + "/configs/digits.yaml";
  c->wafer.firmware = firmware + "/stream_layer.elf";
  c->wafer.open = [](const std::string& wafer, const std::string& defects) {
    wafer::ReadyWafer ready = wafer::ready_wafer({wafer, defects, "", {}, OW_FIRMWARE_DIR, {}});
    if (!ready.device) throw DeviceFault(ready.refusal);
    return std::move(ready.device);
  };
  c->wafer.selftest = [](bool mini) {
    return wafer::selftest_options(mini, false, OW_FIRMWARE_DIR);
  };
}

// The options that are not what a bench takes by itself, as one types them: figures of a shorter
// run or of other files say so in their command.
std::string changed_options(const BenchCommand& c, const std::string& name) {
  BenchCommand d;
  set_defaults(&d);
  std::string text;
  const auto option = [&](const char* bench, const char* key, const auto& value,
                          const auto& usual) {
    if (name == bench && value != usual) text += fmt::format(" {} {}", key, value);
  };
  option("sim", "--params", c.sim.params, d.sim.params);
  option("sim", "--firmware", c.sim.firmware, d.sim.firmware);
  option("sim", "--instructions", c.sim.instructions, d.sim.instructions);
  option("tile", "--tile-firmware", c.tile.firmware, d.tile.firmware);
  option("tile", "--matrices", c.tile.matrices, d.tile.matrices);
  option("link", "--millions", c.link.millions, d.link.millions);
  option("wafer", "--wafer", c.wafer.wafer, d.wafer.wafer);
  option("wafer", "--wafer-defects", c.wafer.defects, d.wafer.defects);
  option("wafer", "--wafer-images", c.wafer.limit, d.wafer.limit);
  option("wafer", "--wafer-sets", c.wafer.sets, d.wafer.sets);
  option("wafer", "--wafer-digits", c.wafer.digits, d.wafer.digits);
  option("wafer", "--wafer-beyond", c.wafer.beyond, d.wafer.beyond);
  option("wafer", "--wafer-skip", c.wafer.skip, d.wafer.skip);
  option("train", "--train-params", c.train.params, d.train.params);
  return text;
}

// What measures the rows of a bench; those of others come from reports alone.
std::map<std::string, std::function<void(bench::Rows*)>> measurers(const BenchCommand& c) {
  BenchCommand d;
  set_defaults(&d);
  bench::SimBench sim = c.sim;
  sim.usual = sim.params == d.sim.params;
  return {{"sim", [sim](bench::Rows* rows) { measure_sim(rows, sim); }},
          {"tile", [&c](bench::Rows* rows) { measure_tile(rows, c.tile); }},
          {"fabric", [&c](bench::Rows* rows) { measure_fabric(rows, c.fabric); }},
          {"link", [&c](bench::Rows* rows) { measure_link(rows, c.link); }},
          {"wafer", [&c](bench::Rows* rows) { measure_wafer(rows, c.wafer); }},
          {"train", [&c](bench::Rows* rows) { measure_train(rows, c.train); }}};
}

// What --only may name besides rows: parts of a bench that have no target.
std::set<std::string> parts_of(const std::string& bench) {
  return bench == "tile" ? std::set<std::string>{"ops"} : std::set<std::string>{};
}

// Into the document, if there is one: the table of a bench with what was measured.
void write_table(const BenchCommand& c, const std::string& name, const nlohmann::json& result) {
  if (c.document.empty()) return;
  write_file(c.document, bench::with_table(read_text(c.document),
                                           bench::load_targets(c.common.targets, name), result));
}

// One bench: its rows, its results into `result`, its table into the document.
int run_bench(const BenchCommand& c, const std::string& name, nlohmann::json& result) {
  bench::Options options = c.common;
  options.arguments = changed_options(c, name);
  bench::Rows rows(name, options, parts_of(name));
  const auto all = measurers(c);
  const auto found = all.find(name);
  if (found != all.end()) found->second(&rows);
  const int status = rows.finish();
  result = rows.result();
  write_table(c, name, result);
  return status;
}

// The reports of what is asked for of these benches, in their order. `excused`: also of rows that
// may be without a figure (configs/known-misses.yaml), which may take hours; without it, of these
// only the ones whose programs from elsewhere are here.
std::vector<bench::ReportSource> wanted_reports(const BenchCommand& c,
                                                const std::vector<std::string>& benches,
                                                bool excused) {
  const auto sources = bench::load_report_sources(c.common.sources);
  const auto misses = bench::load_known_misses(c.common.misses);
  const std::set<std::string> only(c.common.only.begin(), c.common.only.end());
  std::vector<bench::ReportSource> wanted;
  for (const std::string& name : benches) {
    for (const std::string& row : bench::row_names(bench::load_targets(c.common.targets, name))) {
      const auto source = sources.find(row);
      const auto miss = misses.find(row);
      if (source == sources.end()) continue;
      if (!only.empty() && only.count(bench::row_of(row)) == 0) continue;
      const std::string& needs = source->second.needs;
      const bool here = !needs.empty() && std::getenv(needs.c_str()) != nullptr;
      if (!excused && !here && miss != misses.end() && !miss->second.value) continue;
      wanted.push_back(source->second);
    }
  }
  return wanted;
}

// One bench by its name.
int run_one(BenchCommand c, nlohmann::json& result) {
  std::optional<bench::ReportQueue> queue;
  if (c.measure) {
    queue.emplace(c.common.source, c.common.reports, wanted_reports(c, {c.name}, true));
    c.common.queue = &*queue;
  }
  return run_bench(c, c.name, result);
}

// What a run of all took is a row, too.
constexpr const char* kRowOfAll = "A8";

// Rows of a bench that have a figure, or may be without one (configs/known-misses.yaml).
double percent_measured(const nlohmann::json& of_bench) {
  const auto& without = of_bench.at("not_measured");
  const auto excused = std::count_if(without.begin(), without.end(),
                                     [](const auto& row) { return row.at("known") == true; });
  const size_t figures = of_bench.at("results").size();
  const size_t rows = figures + without.size();
  return rows == 0 ? 100
                   : 100.0 * static_cast<double>(figures + excused) / static_cast<double>(rows);
}

// That row, when its report is written: judged, and put to its bench's results and table.
int judge_all(const BenchCommand& c, nlohmann::json& of_bench) {
  const auto name = of_bench.at("bench").get<std::string>();
  bench::Options options = c.common;
  options.only = {kRowOfAll};
  std::printf("\now bench all\n");
  bench::Rows rows(name, options);
  const int status = rows.finish();
  for (const char* list : {"results", "faults", "not_measured"}) {
    for (const auto& entry : rows.result().at(list)) of_bench[list].push_back(entry);
  }
  write_table(c, name, rows.result());
  return status;
}

// All of them, one after the other, while the commands of their reports run beside them.
int run_all(const BenchCommand& c, const std::vector<std::string>& benches,
            nlohmann::json& result) {
  BenchCommand every = c;
  const auto begin = std::chrono::steady_clock::now();
  const auto sources = bench::load_report_sources(c.common.sources);
  const auto own = sources.find(kRowOfAll);
  nlohmann::json from;  // of the tree as it is now: one that changes meanwhile is another one
  if (own != sources.end()) {
    from =
        bench::provenance(c.common.source, own->second.command, c.common.seed, own->second.inputs);
  }
  bench::ReportQueue queue(c.common.source, c.common.reports, wanted_reports(c, benches, false));
  every.common.queue = &queue;
  every.common.last = kRowOfAll;
  int status = 0;
  double before = 0;  // what figures of earlier runs took
  nlohmann::json measured = nlohmann::json::object();
  for (const std::string& name : benches) {
    std::printf("%sow bench %s\n", name == benches.front() ? "" : "\n", name.c_str());
    nlohmann::json of_bench;
    status = std::max(status, run_bench(every, name, of_bench));
    before += of_bench.value("seconds_before", 0.0);
    measured[name] = percent_measured(of_bench);
    result["benches"].push_back(std::move(of_bench));
  }
  // What the earlier runs took whose figures and reports this one goes on from would have gone on
  // side by side, too.
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const bench::ReportQueue::Counts reports = queue.counts();
  if (own != sources.end()) {
    bench::write_report(c.common.reports, own->second,
                        {{"seconds", took.count() + std::max(before, reports.kept_seconds)},
                         {"seconds_before", before},
                         {"percent_measured", measured},
                         {"skipped", every.skip},
                         {"status", status},
                         {"reports",
                          {{"made", reports.made},
                           {"kept", reports.kept},
                           {"kept_seconds", reports.kept_seconds}}}},
                        from);
  }
  for (nlohmann::json& of_bench : result["benches"]) {
    const auto name = of_bench.at("bench").get<std::string>();
    if (bench::load_targets(c.common.targets, name).count(kRowOfAll) == 0) continue;
    status = std::max(status, judge_all(c, of_bench));
  }
  return status;
}

// A document without these tables is refused before anything takes time.
void check_document(const std::string& document, const std::vector<std::string>& benches) {
  if (document.empty()) return;
  const std::string text = read_text(document);
  for (const std::string& name : benches) bench::table_rows(text, name);
}

// The reports of the rows, in their directory, are read, and made by the commands of `--measure`.
void check_files(const Context& context, const BenchCommand& c, const std::string& document) {
  std::vector<File> read = {{"--targets", c.common.targets},
                            {"--known-misses", c.common.misses},
                            {"--report-sources", c.common.sources},
                            {"--baselines", c.common.baselines},
                            {"--params", c.sim.params},
                            {"--train-params", c.train.params},
                            {"--firmware", c.sim.firmware},
                            {"--tile-firmware", c.tile.firmware},
                            {"--wafer", c.wafer.wafer},
                            {"--wafer-defects", c.wafer.defects}};
  for (const auto& [row, source] : bench::load_report_sources(c.common.sources)) {
    read.push_back({"--reports", c.common.reports + "/" + source.file});
  }
  context.check_files(read, {{"--document", document}});
}

int run(Context& context, const BenchCommand& c) {
  const std::vector<std::string> known = bench::target_benches(c.common.targets);
  if (c.name != "all") {
    if (!c.skip.empty()) throw BadInput("--skip is for bench all");
    if (std::find(known.begin(), known.end(), c.name) == known.end()) {
      throw BadInput(fmt::format("bench {}: must be all or one of {}, which {} has", c.name,
                                 fmt::join(known, ", "), c.common.targets));
    }
    check_files(context, c, c.document);
    check_document(c.document, {c.name});
    bench::check_only(c.name, bench::load_targets(c.common.targets, c.name), c.common.only,
                      parts_of(c.name));
    return run_one(c, context.result());
  }
  if (!c.common.only.empty()) throw BadInput("bench all: --only is for a single bench");
  for (const std::string& name : c.skip) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw BadInput(fmt::format("--skip {}: must be some of {}", name, fmt::join(known, ", ")));
    }
  }
  std::vector<std::string> wanted;
  std::copy_if(known.begin(), known.end(), std::back_inserter(wanted), [&c](const auto& name) {
    return std::find(c.skip.begin(), c.skip.end(), name) == c.skip.end();
  });
  BenchCommand every = c;
  if (every.document.empty()) every.document = c.common.source + "/docs/results.md";
  check_files(context, every, every.document);
  check_document(every.document, wanted);
  return run_all(every, wanted, context.result());
}

void add_files(CLI::App* sub, BenchCommand* c) {
  const auto file = [sub](const char* option, std::string& value, const char* what,
                          const char* type = "FILE") {
    return sub->add_option(option, value, what)->type_name(type);
  };
  file("--targets", c->common.targets, "File of the targets");
  file("--known-misses", c->common.misses, "File of the misses that are known");
  file("--report-sources", c->common.sources, "File of the rows that other commands measure");
  file("--reports", c->common.reports, "Directory of their reports", "DIR");
  file("--document", c->document, "Write the tables of this document (docs/results.md)");
  file("--params", c->sim.params, "sim: job of S1, S2, S4 and S5");
  file("--train-params", c->train.params, "train: job of M1 and M2");
  file("--firmware", c->sim.firmware, "sim: kernel instead of the build's own", "ELF");
  file("--riscv-tests", c->sim.riscv_tests,
       "sim: directory of the official riscv-tests, built for the tile (S8)", "DIR")
      ->envname("RISCV_TESTS");
  file("--tile-firmware", c->tile.firmware, "tile: firmware instead of the build's own", "ELF");
  file("--matrices", c->tile.matrices, "tile: directory of the matrices of T9", "DIR");
  file("--baselines", c->common.baselines, "File of the cycles that must stay as they are");
  file("--wafer", c->wafer.wafer, "wafer: configuration");
  file("--wafer-defects", c->wafer.defects, "wafer: faults of W1");
}

void add_counts(CLI::App* sub, BenchCommand* c) {
  const auto count = [sub](const char* option, auto& value, const char* what, uint64_t low,
                           uint64_t high = 1000000) {
    sub->add_option(option, value, what)->check(whole_number(low, high))->capture_default_str();
  };
  count("--seed", c->common.seed, "Seed of random parts", 0, UINT64_MAX);
  count("--instructions", c->sim.instructions, "sim: random instructions of S9", 1, 1000000000);
  sub->add_option("--millions", c->link.millions,
                  "link: wavelets of W3, in millions (a hundredth of them in two clocks)")
      ->check(real_number(0.01, 1e6))
      ->capture_default_str();
  count("--wafer-images", c->wafer.limit, "wafer: images of W1; 0: all", 0);
  count("--wafer-sets", c->wafer.sets, "wafer: sets of faults of W8", 1);
  count("--wafer-digits", c->wafer.digits, "wafer: of them with the digits job", 0);
  count("--wafer-beyond", c->wafer.beyond, "wafer: sets of faults of W9", 1);
  count("--wafer-skip", c->wafer.skip, "wafer: pass over the first N sets of W8 and W9", 0);
  count("--wafer-jobs", c->wafer.jobs, "wafer: sets at the same time", 1, 256);
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto command = std::make_shared<BenchCommand>();
  set_defaults(command.get());
  CLI::App* sub = context.add(app, "bench",
                              "Measure against the targets; exit status 1 if one is missed or has "
                              "no figure, unless configs/known-misses.yaml names it",
                              [&context, command] { return run(context, *command); });
  sub->add_option("name", command->name, "sim, tile, fabric, link, wafer, ... or all")->required();
  sub->add_option("--only", command->common.only,
                  "Only these rows (tile: also ops, the operations)")
      ->delimiter(',')
      ->type_name("ROW");
  sub->add_option("--skip", command->skip, "all: without these benches")
      ->delimiter(',')
      ->type_name("NAME");
  sub->add_flag("--measure", command->measure,
                "Run the commands of rows whose reports are missing or of another tree");
  sub->add_flag("--resume", command->common.resume,
                "Take figures that earlier runs of this tree gave with this seed and these counts");
  sub->add_flag("--update-baselines", command->common.update_baselines,
                "Write what this run took into that file");
  add_files(sub, command.get());
  add_counts(sub, command.get());
}

}  // namespace ow::cli
