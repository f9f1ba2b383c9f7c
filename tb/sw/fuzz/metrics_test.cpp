// SPDX-License-Identifier: Apache-2.0
// Mutants of files of metrics: read and drawn, or refused.
#include <gtest/gtest.h>

#include "ow/plot/training.h"
#include "run_mutants.h"

namespace ow {
namespace {

TEST(Fuzz, MetricsOfATraining) {
  const std::string golden =
      "{\"step\":0,\"loss\":2.5,\"accuracy\":0.1,\"kept\":9,\"weights\":10,\"skipped\":false}\n\n"
      "{\"step\":1,\"loss\":null,\"loss_scale\":8,\"rate\":0.1,\"skipped\":true,\"different\":1}\n";
  const std::string grid =
      "{\"step\":7,\"norm\":1e3,\"cycles\":{\"step\":90,\"forward\":50,\"deltas\":40},"
      "\"waits\":{\"edge\":3,\"samples\":null},\"stalls\":{\"no_work\":2}}\n"
      "{\"step\":9,\"loss_scale\":2,\"held_out\":{\"loss\":1,\"accuracy\":0.5}}\n";
  run("metrics", {".jsonl", {golden, grid, golden + grid}, text, [](const std::string& path) {
                    const plot::Metrics metrics = plot::read_metrics(path);
                    for (const auto& trainings : {std::vector<plot::Metrics>{metrics},
                                                  std::vector<plot::Metrics>{metrics, metrics}}) {
                      plot::draw_chart("", "step", plot::training_panels(trainings));
                    }
                  }});
}

}  // namespace
}  // namespace ow
