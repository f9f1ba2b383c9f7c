// SPDX-License-Identifier: Apache-2.0
// `ow plot`: the metrics of trainings as a picture (docs/commands.md).
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/plot/training.h"

namespace ow::cli {
namespace {

using plot::Metrics;
using plot::Panel;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> names;
  std::string svg;
};

void check(Context* context, const Options& o) {
  if (o.files.size() > plot::kColours) {
    throw BadInput(
        fmt::format("{} files of metrics, the limit is {}: more curves cannot be told "
                    "apart",
                    o.files.size(), plot::kColours));
  }
  if (!o.names.empty() && o.names.size() != o.files.size()) {
    throw BadInput(fmt::format("--name: {} names for {} files; a name for each, in their order",
                               o.names.size(), o.files.size()));
  }
  std::vector<File> read;
  for (const std::string& file : o.files) read.push_back({"metrics", file});
  context->check_files(read, {{"--svg", o.svg}});
}

// Those that are called alike, as several parts of one directory's history, are told by their
// paths.
void name_all(const Options& o, std::vector<Metrics>* trainings) {
  std::vector<std::string> names;
  for (const Metrics& t : *trainings) names.push_back(t.name);
  for (size_t k = 0; k < names.size(); ++k) {
    if (std::count(names.begin(), names.end(), names[k]) > 1) {
      (*trainings)[k].name = (*trainings)[k].file;
    }
    if (!o.names.empty()) (*trainings)[k].name = o.names[k];
  }
}

std::string title_of(const std::vector<Metrics>& trainings) {
  if (trainings.size() > 1) return fmt::format("{} trainings", trainings.size());
  return fmt::format("training {}", trainings.front().name);
}

int run(Context& context, const Options& o) {
  check(&context, o);
  std::vector<Metrics> trainings;
  for (const std::string& file : o.files) trainings.push_back(plot::read_metrics(file));
  name_all(o, &trainings);
  const std::vector<Panel> panels = plot::training_panels(trainings);
  write_file(o.svg, plot::draw_chart(title_of(trainings), "step", panels));
  nlohmann::json& result = context.result();
  for (const Metrics& t : trainings) {
    fmt::print("{}: {} steps, {} to {}", t.name, t.steps, t.first_step, t.last_step);
    if (t.skipped > 0) fmt::print(", {} skipped by an overflow", t.skipped);
    fmt::print("\n");
    result["trainings"].push_back({{"name", t.name},
                                   {"file", t.file},
                                   {"steps", t.steps},
                                   {"first_step", t.first_step},
                                   {"last_step", t.last_step},
                                   {"skipped", t.skipped}});
  }
  for (const Panel& panel : panels) result["panels"].push_back(panel.title);
  result["svg"] = o.svg;
  return 0;
}

}  // namespace

void add_plot(CLI::App& app, Context& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      context.add(app, "plot", "Draw the metrics of trainings: loss, accuracy, density, cycles",
                  [o, &context] { return run(context, *o); });
  command->add_option("metrics", o->files, "Files of metrics that `ow run --mode train` wrote")
      ->type_name("METRICS.jsonl")
      ->required();
  command->add_option("--svg", o->svg, "The picture to write")->type_name("FILE")->required();
  command
      ->add_option("--name", o->names,
                   "Name in the legend, one for each file in their order (else the file's, or the "
                   "directory's of a metrics.jsonl)")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

}  // namespace ow::cli
