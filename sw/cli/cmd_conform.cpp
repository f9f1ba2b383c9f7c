// SPDX-License-Identifier: Apache-2.0
// `ow conform`: the conformance kit (docs/conformance.md).
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/progress.h"
#include "ow/conform/judge.h"
#include "ow/conform/link_bench.h"
#include "ow/conform/make.h"
#include "parts.h"

namespace ow::cli {
namespace {

struct Options {
  std::string suite, device_file, door, html, package, lines, filter;
  std::string documents;
  uint64_t seed = 1;
  double seconds = 60;
};

// The reference pages: beside an installed program, or in the tree.
std::string documents_of(const Options& options) {
  if (!options.documents.empty()) return options.documents;
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const auto installed = here / "../share/openwafer/docs";
  return !error && std::filesystem::is_directory(installed, error)
             ? installed.string()
             : std::string(OW_SOURCE_DIR) + "/docs";
}

// A suite file, or one that is made now.
conform::Suite suite_of(const Options& options) {
  return options.suite.empty() ? conform::make_suite(options.seed, documents_of(options))
                               : conform::read_suite(options.suite);
}

std::string after(const std::string& text, const char* prefix) {
  const std::string begin = prefix;
  return text.rfind(begin, 0) == 0 ? text.substr(begin.size()) : "";
}

std::unique_ptr<conform::Door> open_door(const Options& options) {
  const std::string& door = options.door;
  if (door == "model") return conform::make_model();
  if (const auto fault = after(door, "model:"); !fault.empty()) return conform::make_model(fault);
  if (const auto command = after(door, "command:"); !command.empty())
    return conform::make_link_bench(conform::make_line_door(command, options.seconds));
  if (const auto directory = after(door, "results:"); !directory.empty())
    return conform::make_results_door(directory);
  if (const auto library = after(door, "library:"); !library.empty()) {
    const size_t comma = library.find(',');
    return conform::make_link_bench(conform::make_library_door(
        library.substr(0, comma), comma == std::string::npos ? "" : library.substr(comma + 1)));
  }
  // Our own machines, in a program of their own.
  for (const char* own : {"sim", "sim-mini", "mono", "fpga-sim"}) {
    if (door == own)
      return conform::make_line_door(part_path("ow-conform-device", "--device " + door) + " " + own,
                                     options.seconds);
  }
  if (const auto fault = after(door, "link:"); door == "link" || !fault.empty()) {
    auto ends =
        conform::make_line_door(part_path("ow-conform-link", "--device " + door), options.seconds);
    if (!fault.empty()) ends = conform::make_faulty_link(std::move(ends), fault);
    return conform::make_link_bench(std::move(ends));
  }
  throw BadInput("--device " + door +
                 ": must be command:COMMAND, library:FILE[,ARGUMENTS], results:DIRECTORY, model, "
                 "or sim, sim-mini, mono, fpga-sim, link");
}

int list(Context& context, const Options& options) {
  const conform::Suite suite = suite_of(options);
  const bool chosen = !options.device_file.empty();
  const conform::DeviceFile device =
      chosen ? conform::read_device_file(options.device_file) : conform::DeviceFile{};
  nlohmann::json tests = nlohmann::json::array();
  for (const conform::Test& test : suite.tests) {
    if (test.name.rfind(options.filter, 0) != 0) continue;
    const std::string lacks = chosen ? device.lacks(test.needs) : "";
    std::string rules;
    for (const std::string& id : test.rules) rules += (rules.empty() ? "" : " ") + id;
    std::printf("%-36s %s%s\n", test.name.c_str(), rules.c_str(),
                lacks.empty() ? "" : ("  (not claimed: " + lacks + ")").c_str());
    tests.push_back({{"test", test.name},
                     {"about", test.about},
                     {"rules", test.rules},
                     {"claimed", lacks.empty()}});
  }
  context.result()["tests"] = tests;
  return 0;
}

// Devices that are wrong on purpose, and the section that each breaks.
int faults(Context& context, const Options&) {
  nlohmann::json all = nlohmann::json::array();
  const auto add = [&all](const char* device, const std::vector<conform::Fault>& known) {
    for (const conform::Fault& fault : known) {
      const std::string door = fmt::format("{}:{}", device, fault.name);
      std::printf("%-48s %s, %s\n", door.c_str(), fault.document, fault.section);
      all.push_back({{"device", door}, {"document", fault.document}, {"section", fault.section}});
    }
  };
  add("model", conform::model_faults());
  add("link", conform::link_faults());
  context.result()["faults"] = all;
  return 0;
}

// Requests of each test as lines, for devices that are run elsewhere.
void write_lines(const conform::Suite& suite, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw BadInput(directory + ": " + error.message());
  for (const conform::Test& test : suite.tests) {
    std::string text;
    for (const conform::Step& step : test.steps) text += step.request + "\n";
    write_file(directory + "/" + test.name + ".ask", text);
  }
}

int make(Context& context, const Options& options) {
  context.check_files({}, {{"FILE", options.suite}});
  const conform::Suite suite = conform::make_suite(options.seed, documents_of(options));
  conform::write_suite(options.suite, suite);
  if (!options.lines.empty()) write_lines(suite, options.lines);
  size_t steps = 0;
  for (const conform::Test& test : suite.tests) steps += test.steps.size();
  std::printf("%s: %zu tests, %zu requests, seed %llu, vectors %s\n", options.suite.c_str(),
              suite.tests.size(), steps, static_cast<unsigned long long>(options.seed),
              suite.digest().c_str());
  context.result()["tests"] = suite.tests.size();
  context.result()["vectors"] = suite.digest();
  return 0;
}

void print(const conform::Report& report, const conform::Suite& suite) {
  int passed = 0, failed = 0, waived = 0, reported = 0;
  for (const auto& [id, rule] : report.rules) {
    passed += rule.verdict == conform::Verdict::Passed;
    failed += rule.verdict == conform::Verdict::Failed;
    waived += rule.verdict == conform::Verdict::Waived;
    reported += rule.verdict == conform::Verdict::Reported;
    if (rule.verdict != conform::Verdict::Failed) continue;
    const conform::Rule& says = suite.rules.at(id);
    std::printf("%s failed: %s, %s\n  says: %s\n", id.c_str(), says.document.c_str(),
                says.section.c_str(), says.text.c_str());
    for (const conform::Outcome& outcome : report.outcomes) {
      if (outcome.test == rule.first)
        std::printf("  %s: %s\n", outcome.test.c_str(), outcome.why.c_str());
    }
  }
  std::printf("%s: %s. Rules: %d passed, %d failed, %d waived, %d reported, %zu not claimed\n",
              report.device.c_str(),
              report.conforms() ? "conforms to what it claims" : "does not conform", passed, failed,
              waived, reported,
              report.rules.size() - static_cast<size_t>(passed + failed + waived + reported));
}

int run(Context& context, const Options& options) {
  context.check_files({{"DEVICE.yaml", options.device_file}, {"--suite", options.suite}},
                      {{"--html", options.html}, {"--package", options.package}});
  const conform::DeviceFile device = conform::read_device_file(options.device_file);
  const std::unique_ptr<conform::Door> door = open_door(options);
  const conform::Suite suite = suite_of(options);
  conform::Report report;
  {
    Progress progress("tests", suite.tests.size());
    conform::JudgeOptions judging;
    judging.filter = options.filter;
    judging.day = conform::today();
    judging.progress = [&](size_t done, size_t) { progress.update(done); };
    report = conform::judge(suite, device, door.get(), judging);
  }
  print(report, suite);
  context.result() = conform::report_json(report, suite);
  if (!options.html.empty()) write_file(options.html, conform::report_html(report, suite));
  if (!options.package.empty()) conform::write_package(options.package, report, device);
  return report.conforms() ? 0 : 1;
}

int verify(Context& context, const Options& options) {
  context.check_files({{"PACKAGE", options.package}}, {});
  const conform::Package package = conform::read_package(options.package);
  const conform::Suite suite = conform::make_suite(package.seed, documents_of(options));
  const std::vector<std::string> wrong = conform::verify_package(package, suite, conform::today());
  for (const std::string& line : wrong) std::printf("%s\n", line.c_str());
  std::printf("%s: %s, %s\n", options.package.c_str(), package.device.name.c_str(),
              wrong.empty() ? "its answers are those of a device that conforms to what it claims"
                            : "is refused");
  context.result()["wrong"] = wrong;
  return wrong.empty() ? 0 : 1;
}

void add_suite(CLI::App* sub, Options* options) {
  sub->add_option("--suite", options->suite,
                  "Vectors that `ow conform make` has written; without it they are made now")
      ->type_name("FILE");
  sub->add_option("--seed", options->seed, "Seed of vectors that are made now")
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--docs", options->documents, "Folder of the reference pages")->type_name("DIR");
  sub->add_option("--only", options->filter, "Only tests whose names begin so")->type_name("NAME");
}

}  // namespace

void add_conform(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand(
      "conform", "Judge a tile, a grid or arithmetic against the rules of the documents");
  group->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  const auto add = [&](const char* name, const char* about, int (*body)(Context&, const Options&)) {
    return context.add(*group, name, about,
                       [&context, options, body] { return body(context, *options); });
  };
  CLI::App* sub = add("list", "List tests and the rules that they show", list);
  add_suite(sub, options.get());
  sub->add_option("--claims", options->device_file, "Say which ones this device claims")
      ->type_name("DEVICE.yaml");
  add("faults", "List the devices that are wrong on purpose, for --device", faults);
  sub = add("make", "Write the vectors of a seed", make);
  sub->add_option("file", options->suite, "The vectors")->required()->type_name("FILE");
  sub->add_option("--seed", options->seed, "Seed")->type_name("N")->capture_default_str();
  sub->add_option("--docs", options->documents, "Folder of the reference pages")->type_name("DIR");
  sub->add_option("--lines", options->lines, "Also write each test's requests into this folder")
      ->type_name("DIR");
  sub = add(
      "run",
      "Run a device and say which rules it keeps; exit status 1 if it breaks one that it claims",
      run);
  sub->add_option("claims", options->device_file, "What the device claims")
      ->required()
      ->type_name("DEVICE.yaml");
  sub->add_option(
         "--device", options->door,
         "command:COMMAND, library:FILE[,ARGUMENTS], results:DIRECTORY, model, sim, "
         "sim-mini, mono, fpga-sim or link; model:FAULT and link:FAULT are wrong on purpose")
      ->required()
      ->type_name("DEVICE");
  add_suite(sub, options.get());
  sub->add_option("--seconds", options->seconds, "Longest time of an answer")
      ->type_name("S")
      ->check(real_number(0.01, 86400))
      ->capture_default_str();
  sub->add_option("--html", options->html, "Write the report as a page")->type_name("FILE");
  sub->add_option("--package", options->package, "Write a submission: claims, answers, verdicts")
      ->type_name("FILE");
  sub = add("verify", "Judge the answers of a submission again; exit status 1 if it is refused",
            verify);
  sub->add_option("package", options->package, "The submission")->required()->type_name("FILE");
  sub->add_option("--docs", options->documents, "Folder of the reference pages")->type_name("DIR");
}

}  // namespace ow::cli
