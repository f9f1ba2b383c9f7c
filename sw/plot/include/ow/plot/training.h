// SPDX-License-Identifier: Apache-2.0
// The metrics of trainings (docs/training.md) as panels of a chart.
#ifndef OW_PLOT_TRAINING_H_
#define OW_PLOT_TRAINING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ow/plot/chart.h"

namespace ow::plot {

// One training: what its file says of each step.
struct Metrics {
  std::string file, name;
  size_t steps = 0;
  uint64_t first_step = 0, last_step = 0;
  size_t skipped = 0;  // steps that an overflow skipped
  // By key ("loss", "held_out.accuracy", "cycles.forward"), rising with the steps. Shares are in
  // percent. "density" is the share of the weights that are kept.
  std::map<std::string, std::vector<Point>> curves;
};

// Reads a file of `ow run --mode train`: a JSON object a line. Keys that are not plotted are
// ignored, `null` is a step without this value, and of a step that stands there more than once the
// last line holds. BadInput with the line: what is not JSON, an object without `step`, a value of
// another type; with the file: no step, nothing to plot.
Metrics read_metrics(const std::string& path);

// How a file is called in a legend: its name without the suffix, or, since each training writes a
// `metrics.jsonl`, that of its directory.
std::string name_of_metrics(const std::string& path);

// Panels for all that any of the trainings (1 to kColours) has. Several get a colour each, and of
// their cycles only the whole step's is drawn.
std::vector<Panel> training_panels(const std::vector<Metrics>& trainings);

}  // namespace ow::plot

#endif  // OW_PLOT_TRAINING_H_
