// SPDX-License-Identifier: Apache-2.0
// The metrics of trainings (docs/training.md) as the panels of a chart.
#ifndef OW_PLOT_TRAINING_H_
#define OW_PLOT_TRAINING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ow/plot/chart.h"

namespace ow::plot {

// One training: what its file says about each step.
struct Metrics {
  std::string file, name;
  size_t steps = 0;
  uint64_t first_step = 0, last_step = 0;
  size_t skipped = 0;  // steps skipped because of an overflow
  // By key ("loss", "held_out.accuracy", "cycles.forward"), in the order of the steps. Shares are
  // in percent. "density" is the share of weights that are kept.
  std::map<std::string, std::vector<Point>> curves;
};

// Reads a file written by `ow run --mode train`: one JSON object per line. Keys that are not
// plotted are ignored. `null` means that the step has no such value. If a step appears twice, the
// last line counts. BadInput with the line: text that is not JSON, an object without `step`, a
// value of another type. BadInput with the file: no step, or nothing to plot.
Metrics read_metrics(const std::string& path);

// The name of a file in a legend: its name without the suffix. A `metrics.jsonl` is named after its
// directory, because every training writes one.
std::string name_of_metrics(const std::string& path);

// Panels for everything that at least one of the trainings (1 to kColours) has. Several trainings
// get one colour each, and only the cycles of whole steps are drawn.
std::vector<Panel> training_panels(const std::vector<Metrics>& trainings);

}  // namespace ow::plot

#endif  // OW_PLOT_TRAINING_H_
