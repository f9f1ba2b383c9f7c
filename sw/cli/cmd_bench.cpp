// SPDX-License-Identifier: Apache-2.0
// `ow bench NAME`: measures what docs/results.md reports, against the targets of a file.
#include <fmt/format.h>

#include <memory>

#include "bench.h"
#include "benches.h"
#include "cli.h"

namespace ow::cli {

void add_bench(CLI::App& app, Context& context) {
  auto options = std::make_shared<BenchOptions>();
  options->targets = OW_SOURCE_DIR "/configs/targets.yaml";
  auto name = std::make_shared<std::string>();
  auto benches = std::make_shared<Benches>();
  CLI::App* sub = context.add(
      app, "bench", "Measure against the targets; exit status 1 if one is missed",
      [&context, options, benches, name] { return benches->at(*name)(context, *options); });
  add_benches(*sub, *benches);
  std::vector<std::string> names;
  for (const auto& [bench, body] : *benches) names.push_back(bench);
  sub->add_option("name", *name, fmt::format("{}", fmt::join(names, ", ")))
      ->required()
      ->check(CLI::IsMember(names));
  sub->add_option("--only", options->only, "Only these rows (tile: also ops, the operations)")
      ->delimiter(',')
      ->type_name("ROW");
  sub->add_option("--targets", options->targets, "File of the targets")->type_name("FILE");
  sub->add_option("--seed", options->seed, "Seed of random parts")
      ->check(whole_number(0))
      ->capture_default_str();
}

}  // namespace ow::cli
