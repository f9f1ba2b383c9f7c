// SPDX-License-Identifier: Apache-2.0
// The files that `ow run` reads and writes.
#include <filesystem>
#include <system_error>
#include <vector>

#include "machine_files.h"
#include "ow/memoryx/checkpoint.h"
#include "run_command.h"

namespace ow::cli {
namespace {

// What a training keeps in its directory: the checkpoints, and under names of their own what an
// option may put elsewhere. A training claims its directory and its metrics itself; a prediction
// may read them meanwhile.
void add_model_dir(const Context& context, const RunCommand& c, std::vector<File>* read,
                   std::vector<File>* written) {
  namespace fs = std::filesystem;
  const std::string& directory = c.run.model_dir;
  if (directory.empty()) return;
  for (const std::string& path : memoryx::checkpoints_in(directory)) {
    read->push_back({"--model-dir", path});
  }
  std::vector<File> kept = {
      {"--model-dir", jobs::plan_path(directory), "--plan", false, false},
      {"--model-dir", directory + "/metrics.jsonl", "--metrics", false, false}};
  if (c.mode == "predict" && c.run.save_outputs.empty()) {
    kept.push_back({"--model-dir", directory + "/predictions.safetensors", "", false});
  }
  // Checkpoints that are not there yet.
  for (const std::string& path : {context.json_path(), c.run.save_outputs, c.run.plan,
                                  c.run.metrics, c.sim.record_file, c.heat_map}) {
    const std::string name = fs::path(path).filename().string();
    if (!memoryx::names_checkpoint(name)) continue;
    kept.push_back({"--model-dir", (fs::path(directory) / name).string(), "", false, false});
  }
  written->insert(written->begin(), kept.begin(), kept.end());
}

}  // namespace

// Weights may replace those that were read. A plan's file is read as well as written, and is not
// written if its plan is used: programs that run the same job may share it. Metrics may lie in a
// directory that is yet to be made.
void check_files(Context* context, const RunCommand& c, const MachineSpec& machine,
                 const jobs::Job& job) {
  std::error_code error;
  const jobs::RunParams& params = job.base();
  const std::string& metrics = c.run.metrics;
  std::vector<File> read = {{"parameters", c.job},
                            {"data.file", params.data.file},
                            {"data.labels", params.data.labels},
                            {"network.weights", params.weights, "--save-weights"},
                            {"--weights", c.run.weights, "--save-weights"},
                            {"network.training", params.training_file},
                            {"--firmware", c.run.firmware}};
  if (params.training) {
    const DataSource& data = params.training->base.data;
    read.push_back({"data.file of network.training", data.file});
    read.push_back({"data.labels of network.training", data.labels});
  }
  const MachineFiles files = files_of(machine);
  read.insert(read.end(), files.read.begin(), files.read.end());
  std::vector<File> written = {
      {"--plan", c.run.plan, "", false, false},
      {"--save-weights", c.run.save_weights},
      {"--save-outputs", c.run.save_outputs},
      {"--metrics", metrics, "", std::filesystem::exists(metrics, error), false},
      {"--record", machine.record_file.empty() ? c.sim.record_file : ""}};
  written.insert(written.end(), files.written.begin(), files.written.end());
  written.push_back({"--heat-map", c.heat_map});
  written.push_back({"--svg", c.svg});
  add_model_dir(*context, c, &read, &written);
  context->check_files(read, written);
}

}  // namespace ow::cli
