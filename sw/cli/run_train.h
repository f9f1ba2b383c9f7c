// SPDX-License-Identifier: Apache-2.0
// `ow run` for a file with a key `train` (docs/run.md).
#ifndef OW_CLI_RUN_TRAIN_H_
#define OW_CLI_RUN_TRAIN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cli.h"
#include "ow/device/device.h"

namespace ow::cli {

struct TrainRequest {
  std::string params;
  std::string mode;  // train, eval, train_and_eval, predict
  bool golden = false;
  // Makes the device unless it is the golden one.
  std::function<std::unique_ptr<Device>(GridShape)> make;
  std::string firmware;   // empty: the build's own
  bool recorded = false;  // by a simulated device
  bool check = true;
  bool validate_only = false;
  bool compile_only = false;
  std::string plan;  // its file; empty: that of model_dir, where something is trained
  bool resume = false;
  std::string model_dir;
  std::string metrics;
  std::string save_outputs;  // of predict
  uint64_t num_steps = 0;
  int wafers = 0;  // 0: as the parameters say
};

// The options that only a training has.
void add_train_options(CLI::App* sub, TrainRequest* request);

// Of a network, which one process runs. BadInput if this is one of several; false for all of them
// but the one that says so.
bool speaks_alone(const std::string& params);

// The exit status: 1 if something differs from the golden model.
int run_train(Context& context, const TrainRequest& request);

}  // namespace ow::cli

#endif  // OW_CLI_RUN_TRAIN_H_
