// SPDX-License-Identifier: Apache-2.0
// What the file of a network's run says (docs/run.md, configs/); read_job (job.h) reads it.
#ifndef OW_JOBS_PARAMS_H_
#define OW_JOBS_PARAMS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/graph/graph.h"
#include "ow/graph/training.h"
#include "ow/memoryx/time_model.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/network.h"
#include "ow/tensor/weights_file.h"

namespace ow::jobs {

struct LargeLayerParams {
  int inputs = 0;
  int outputs = 0;
  double density = 0;
  uint64_t seed = 0;
};

struct TrainParams;  // train_params.h

struct RunParams {
  std::string path;  // of the YAML file; paths in it are relative to its directory
  DataSource data;
  // Samples whose number mod `modulo` is `remainder` are held out. A run classifies these, a
  // training takes the others. Without it both take all samples.
  struct HeldOut {
    int modulo = 0;
    int remainder = 0;
  };
  std::optional<HeldOut> held_out;
  HalfType type = HalfType::Binary16;
  Graph graph;                                  // if layers are named; else empty
  std::vector<LayerShape> layers;               // the layers that are streamed
  std::string loss;                             // the graph's; empty: it has none
  std::string weights;                          // file of the network's tensors
  std::string training_file;                    // else: file of a training that makes them,
  std::shared_ptr<const TrainParams> training;  // and what it says; null if it was not read
  GridShape grid;
  int samples = 0;  // samples a tile; 0: as many as fit
  std::optional<LargeLayerParams> large;
  TimeOptions time;
};

// The forward pass of a network's run, without its loss, if it names one.
TrainingJob job_of(const RunParams& params);

// The parameters of a graph, as files of weights have them.
std::vector<WeightSpec> weight_specs(const Graph& graph);

// The values of all of them from a file, which may be a checkpoint. `type`: as of load_weights.
// BadInput as that, and for a damaged checkpoint.
std::shared_ptr<const FirstValues> read_first_values(const std::string& path, const Graph& graph,
                                                     std::optional<HalfType> type = std::nullopt);

}  // namespace ow::jobs

#endif  // OW_JOBS_PARAMS_H_
