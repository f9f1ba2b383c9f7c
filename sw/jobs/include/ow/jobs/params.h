// SPDX-License-Identifier: Apache-2.0
// Parameters of `ow run`, read from a YAML file (configs/).
#ifndef OW_JOBS_PARAMS_H_
#define OW_JOBS_PARAMS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ow/device.h"
#include "ow/golden/train.h"

namespace ow::jobs {

struct DataParams {
  std::string file;  // as written in the YAML file, made relative to that file's directory
  int rows = 0;
  int held_out_modulo = 4;     // row number mod this ...
  int held_out_remainder = 3;  // ... equal to this: held out
};

struct LargeLayerParams {
  int inputs = 0;
  int outputs = 0;
  double density = 0;
  uint64_t seed = 0;
};

struct RunParams {
  std::string path;  // of the YAML file
  DataParams data;
  golden::TrainOptions training;
  GridShape grid;
  int samples = 0;  // a tile
  std::optional<LargeLayerParams> large;
};

// Reads and checks the file. Throws BadInput, one line with the file, the line, the key and the
// limit: a file that cannot be read or is not YAML, an unknown, missing or repeated key, a value of
// another type or out of its range. Sizes that depend on the machine are checked by make_plan.
RunParams load_params(const std::string& path);

}  // namespace ow::jobs

#endif  // OW_JOBS_PARAMS_H_
