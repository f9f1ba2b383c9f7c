// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/job.h"

#include <fmt/format.h>

#include <utility>

#include "ow/base/error.h"
#include "ow/base/yaml.h"
#include "params_parts.h"

namespace ow::jobs {
namespace {

constexpr const char* kNoTraining = "is no training: key 'train' is missing";

void read_training_of(YamlMap top, RunParams* params) {
  const std::string& file = params->training_file;
  const YamlMap training(Yaml::read(file));
  if (!training.has("train")) {
    top["network"].map()["training"].fail(fmt::format("{} {}", file, kNoTraining));
  }
  params->training = std::make_shared<const TrainParams>(read_training(file, training));
}

}  // namespace

const RunParams& Job::base() const {
  return is_training() ? std::get<TrainParams>(params).base : std::get<RunParams>(params);
}

const RunParams& Job::network() const {
  if (is_training()) throw BadInput(base().path + ": is a training: it has a key 'train'");
  return std::get<RunParams>(params);
}

const TrainParams& Job::training() const {
  if (!is_training()) throw BadInput(fmt::format("{}: {}", base().path, kNoTraining));
  return std::get<TrainParams>(params);
}

void Job::set_wafers(int wafers) { std::get<TrainParams>(params).wafers = wafers; }

Job read_job(const std::string& path, bool with_training) {
  const YamlMap top(Yaml::read(path));
  if (top.has("train")) return {read_training(path, top)};
  RunParams params = read_run(path, top);
  if (with_training && !params.training_file.empty()) read_training_of(top, &params);
  return {std::move(params)};
}

}  // namespace ow::jobs
