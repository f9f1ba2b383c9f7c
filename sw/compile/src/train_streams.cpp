// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/train_streams.h"

#include <algorithm>

#include "ow/memoryx/memoryx.h"

namespace ow::jobs {
namespace {

using memoryx::Pass;
using memoryx::StreamSchedule;

// Adds the steps of a pass of `outputs` outputs, `most` in each.
void add_parts(size_t parameter, Pass pass, SumOrder order, int outputs, int64_t most,
               StreamSchedule* schedule) {
  for (int first = 0; first < outputs;) {
    const auto count = static_cast<int>(std::min<int64_t>(most, outputs - first));
    schedule->push_back({parameter, pass, order, first, count});
    first += count;
  }
}

}  // namespace

memoryx::TrainStreams streams_of(const TrainPlan& plan) {
  memoryx::TrainStreams streams;
  streams.options.rows = plan.grid.rows;
  streams.options.colour = plan.colours.weights;
  const std::vector<memoryx::LayerParameters> parameters = memoryx::parameters_of(plan.layers);
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    streams.forward.push_back({parameters[k].weight, Pass::Forward, plan.forward[k]});
  }
  streams.step = streams.forward;
  for (size_t k = plan.layers.size(); k-- > 0;) {
    const LayerShape& layer = plan.layers[k];
    const size_t weight = parameters[k].weight;
    if (layer.bias) streams.step.push_back({parameters[k].bias, Pass::Gradient});
    add_parts(weight, Pass::Gradient, SumOrder::Column, layer.outputs, plan.gather_rows,
              &streams.step);
    if (k == 0) continue;
    add_parts(weight, Pass::Delta, plan.delta[k], layer.inputs,
              int64_t{plan.window} * plan.grid.rows, &streams.step);
  }
  return streams;
}

}  // namespace ow::jobs
