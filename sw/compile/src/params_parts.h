// SPDX-License-Identifier: Apache-2.0
// The readers of a job's file, and of the parts that all jobs share.
#ifndef OW_COMPILE_PARAMS_PARTS_H_
#define OW_COMPILE_PARAMS_PARTS_H_

#include <string>

#include "ow/base/yaml.h"
#include "ow/compile/params.h"
#include "ow/compile/train_params.h"

namespace ow::jobs {

// `path`: the file of parameters. Other paths are relative to its directory.
void read_data(const std::string& path, YamlMap data, RunParams* params);
void read_network(const std::string& path, YamlMap network,
                  RunParams* params);  // network_params.cpp
void read_grid(YamlMap grid, RunParams* params);

// Reads the whole file of a network or of a training; `top` has its keys. Does not read the file
// that network.training names.
RunParams read_run(const std::string& path, YamlMap top);         // params.cpp
TrainParams read_training(const std::string& path, YamlMap top);  // train_params.cpp

}  // namespace ow::jobs

#endif  // OW_COMPILE_PARAMS_PARTS_H_
