// SPDX-License-Identifier: Apache-2.0
// Parts that the parameters of all jobs share.
#ifndef OW_COMPILE_PARAMS_PARTS_H_
#define OW_COMPILE_PARAMS_PARTS_H_

#include <string>

#include "ow/base/yaml.h"
#include "ow/compile/params.h"

namespace ow::jobs {

// `path`: the file of parameters. Other paths are relative to its directory.
void read_data(const std::string& path, YamlMap data, RunParams* params);
void read_network(const std::string& path, YamlMap network,
                  RunParams* params);  // network_params.cpp
void read_grid(YamlMap grid, RunParams* params);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PARAMS_PARTS_H_
