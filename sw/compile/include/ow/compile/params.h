// SPDX-License-Identifier: Apache-2.0
// Parameters of `ow run`, read from a YAML file (docs/run.md, configs/).
#ifndef OW_JOBS_PARAMS_H_
#define OW_JOBS_PARAMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/memoryx/time_model.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/graph.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

struct LargeLayerParams {
  int inputs = 0;
  int outputs = 0;
  double density = 0;
  uint64_t seed = 0;
};

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
  Graph graph;                     // if layers are named; else empty
  std::vector<LayerShape> layers;  // the layers that are streamed
  std::string loss;                // the graph's; empty: it has none
  std::string weights;             // file of the network's tensors
  std::string training;  // else: parameters of a training that makes them (train_params.h)
  GridShape grid;
  int samples = 0;  // samples a tile; 0: as many as fit
  std::optional<LargeLayerParams> large;
  TimeOptions time;
};

// Reads and checks the file. Throws BadInput, one line with the file, the line, the key and the
// limit, for: a file that cannot be read or is not YAML; an unknown, missing or repeated key; a
// value of another type or out of range. make_plan checks sizes that depend on the machine.
RunParams load_params(const std::string& path);

}  // namespace ow::jobs

#endif  // OW_JOBS_PARAMS_H_
