// SPDX-License-Identifier: Apache-2.0
// Kinds of trainings on RTL tiles, every weight compared with golden after every step; and runs
// that are killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "options.h"
#include "ow/base/error.h"
#include "ow/base/temporary_directory.h"
#include "trainings.h"

namespace ow {
namespace {

using jobs::TrainMode;
using jobs::TrainParams;
using jobs::TrainReport;

// What the digits job does not have.
std::vector<std::pair<std::string, TrainParams>> kinds(const TrainParams& digits) {
  using Algorithm = SparsityGroup::Algorithm;
  TrainParams base = digits;
  base.steps = 50;
  base.job.sparsity.clear();
  std::vector<std::pair<std::string, TrainParams>> all;
  all.emplace_back("dense", base);
  TrainParams bfloat16 = digits;
  bfloat16.steps = 50;
  bfloat16.job.type = HalfType::Bfloat16;
  all.emplace_back("bfloat16", bfloat16);
  TrainParams rigl = base;
  rigl.job.sparsity.resize(1);
  SparsityGroup& group = rigl.job.sparsity.front();
  group.pattern = "*.weight";
  group.algorithm = Algorithm::Rigl;
  group.density = constant_schedule(0.1);
  group.update.start = 5;
  group.update.every = 5;
  all.emplace_back("RigL", rigl);
  TrainParams micro = base;
  micro.job.micro_batches = 3;
  micro.job.optimizer.max_norm = 0.5;
  micro.job.loss_scale.initial = 131072;
  micro.job.loss_scale.dynamic = true;
  micro.job.loss_scale.interval = 10;
  all.emplace_back("micro-batches, clipping, overflow", micro);
  return all;
}

TEST(TrainingKinds, EveryWeightIsThatOfGoldenAfterEveryStep) {
  const std::string job = OW_SOURCE_DIR "/configs/digits-train.yaml";
  for (const auto& [name, params] : kinds(jobs::read_job(job).training())) {
    const TrainReport r = run_training(params, checked_on_rtl(TrainMode::Train));
    EXPECT_GT(r.compared, 0u) << name;
    EXPECT_EQ(r.different, 0u) << name << ": " << r.first_difference;
    if (!params.job.loss_scale.dynamic) continue;
    EXPECT_GT(r.skipped, 0u) << name << ": no step overflowed";
  }
}

// A small job, with a checkpoint every second step.
TrainParams small_job(const std::string& directory) {
  TrainParams p = image_job(directory, {2, 2}, 8, {784, 16, 10}, 0.1);
  p.steps = 40;
  p.checkpoint_every = 2;
  return p;
}

std::string newest(const std::string& directory) {
  const std::vector<std::string> all = memoryx::checkpoints_in(directory);
  return all.empty() ? "" : read_text(all.front());
}

// Trains in a process of its own, which is killed some time after it has written the checkpoint of
// `step`. Whether that was before its end.
bool train_and_kill(const TrainParams& p, const jobs::RunOptions& run, uint64_t step,
                    unsigned wait_us) {
  const pid_t child = fork();
  if (child < 0) throw InternalError("a process cannot be made");
  if (child == 0) {
    try {
      run_training(p, run);
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  constexpr int kTries = 600;
  const std::string reached = memoryx::checkpoint_path(run.model_dir, step);
  int status = 0;
  for (int k = 0; k < kTries && !std::filesystem::exists(reached); ++k) {
    if (waitpid(child, &status, WNOHANG) == child) return false;
    usleep(100000);
  }
  const bool came = std::filesystem::exists(reached);
  if (came) usleep(wait_us);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return came && WIFSIGNALED(status);
}

TEST(KilledTraining, OnTilesGoesOnFromACheckpointToTheSameLastCheckpoint) {
  const TemporaryDirectory scratch;
  const uint64_t seed = test_option("OW_SEED", 1);
  write_images(scratch.path(), seed, 256);
  const TrainParams p = small_job(scratch.path());
  const auto in = [&scratch](const std::string& name) {
    jobs::RunOptions run = on_rtl();
    run.model_dir = scratch.path() + "/" + name;
    return run;
  };
  run_training(p, in("whole"));
  Rng rng(seed);
  for (int k = 0; k < 2; ++k) {
    jobs::RunOptions run = in("killed-" + std::to_string(k));
    const uint64_t step = 2 + 2 * rng.below(8);
    const auto wait_us = static_cast<unsigned>(rng.below(300000));
    EXPECT_TRUE(train_and_kill(p, run, step, wait_us)) << "step " << step;
    ASSERT_FALSE(memoryx::checkpoints_in(run.model_dir).empty()) << "step " << step;
    run.resume = true;
    run_training(p, run);
    EXPECT_EQ(newest(run.model_dir), newest(scratch.path() + "/whole")) << "step " << step;
  }
}

}  // namespace
}  // namespace ow
