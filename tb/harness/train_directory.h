// SPDX-License-Identifier: Apache-2.0
// Trainings whose files lie in a directory of their own, for as long as a test takes.
#ifndef OW_TRAIN_DIRECTORY_H_
#define OW_TRAIN_DIRECTORY_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/base/temporary_directory.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/sim/sim.h"
#include "ow/tensor/safetensors.h"

namespace ow::jobs {

class TrainDirectory : public testing::Test {
 protected:
  // The text as the file of a job.
  TrainParams load(const std::string& text) const {
    write_file(directory_ + "/job.yaml", text);
    return read_job(directory_ + "/job.yaml").training();
  }

  // On golden, or on RTL tiles; `model`: the directory of its checkpoints, here; empty: none.
  RunOptions options(const std::string& model, bool rtl) const {
    RunOptions run = golden::training_run(OW_FIRMWARE_DIR "/train.elf");
    run.larger_firmware = training_programs(OW_FIRMWARE_DIR, HalfType::Binary16);
    if (!model.empty()) run.model_dir = directory_ + "/" + model;
    if (rtl) {
      run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
    }
    return run;
  }

  std::string newest(const std::string& model) const {
    return memoryx::checkpoints_in(directory_ + "/" + model).front();
  }
  // Its arrays, without the check sums: of trainings whose keys differ.
  std::map<std::string, std::vector<uint8_t>> last_tensors(const std::string& model) const {
    std::map<std::string, std::vector<uint8_t>> tensors;
    for (const auto& [name, tensor] : read_safetensors(newest(model))) {
      if (name != "openwafer.crc32") tensors[name] = tensor.bytes;
    }
    return tensors;
  }

  const TemporaryDirectory made_;
  const std::string& directory_ = made_.path();
};

inline constexpr const char* kTrainJob =
    "data:\n"
    "  file: samples.csv\n"
    "  held_out_modulo: 5\n"
    "  held_out_remainder: 4\n"
    "network:\n"
    "  layers: [6, 9, 3]\n"
    "grid:\n"
    "  rows: 2\n"
    "  columns: 2\n"
    "  samples_per_tile: 8\n"
    "train:\n"
    "  seed: 3\n"
    "  steps: 8\n"
    "  micro_batches: 2\n"
    "  optimizer:\n"
    "    kind: adamw\n"
    "    rate: [{kind: linear, from: 0.02, to: 0.01, steps: 8}]\n"
    "    max_norm: 2\n"
    "  loss_scale: {initial: 256, dynamic: true, interval: 3}\n"
    "  sparsity:\n"
    "    - {pattern: layers.0.weight, algorithm: rigl, density: 0.5, update: {every: 2}}\n"
    "  evaluate_every: 4\n"
    "  checkpoints: {every: 2, keep: 3}\n";

// Jobs of a file of samples.
class TrainJob : public TrainDirectory {
 protected:
  TrainJob() {
    Rng rng(9);
    std::string samples;
    for (int n = 0; n < 100; ++n) {
      const auto label = static_cast<int>(rng.below(3));
      for (int f = 0; f < 6; ++f) {
        samples += std::to_string(rng.uniform() + (f % 3 == label ? 1.0 : 0.0)) + ",";
      }
      samples += std::to_string(label) + "\n";
    }
    write_file(directory_ + "/samples.csv", samples);
  }

  TrainParams params(const std::string& text = kTrainJob) const { return load(text); }

  // The job with a part replaced.
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = kTrainJob;
    text.replace(text.find(from), from.size(), to);
    return text;
  }

  std::string refused(const std::string& text) const {
    RunOptions run = options("", false);
    const std::string what = refusal_of([&] { check_training(params(text), run); });
    return what.empty() ? what : what.substr(what.find("job.yaml"));
  }

  std::string last_checkpoint(const std::string& model) const { return read_text(newest(model)); }
};

}  // namespace ow::jobs

#endif  // OW_TRAIN_DIRECTORY_H_
