// SPDX-License-Identifier: Apache-2.0
// The program is killed, or asked to end, while it trains and saves, and goes on with --resume.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "program.h"

namespace ow {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLast = "checkpoint-000000000040.safetensors";
constexpr const char* kJob = R"(
data: {file: SOURCE/data/optdigits/digits.csv.gz, scale: 16, rows: 1797}
network: {layers: [64, 24, 10]}
grid: {rows: 2, columns: 2, samples_per_tile: 8}
train:
  seed: 1
  steps: 40
  micro_batches: 2
  optimizer: {kind: adamw, rate: 0.01, max_norm: 1}
  loss_scale: {initial: 16777216, dynamic: true, interval: 5}
  sparsity:
    - {pattern: "*.weight", algorithm: rigl, density: 0.3, update: {every: 3}}
  checkpoints: {every: 1, keep: 2}
)";

// A training by the golden model whose checkpoints go to `directory`, from those that are there.
pid_t start(const std::string& job, const std::string& directory,
            const std::string& resume = "--resume=auto") {
  const pid_t child = fork();
  if (child != 0) return child;
  const int log = open((directory + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  std::vector<std::string> words = {OW_PROGRAM,    "run",      job,      "--mode",
                                    "train",       "--device", "golden", "--no-check",
                                    "--model-dir", directory,  resume};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// A directory with the job, whose text may be changed.
class CheckpointsOfTheProgram : public testing::Test {
 protected:
  CheckpointsOfTheProgram() {
    fs::remove_all(base_);
    fs::create_directories(base_);
    write_job("steps: 40", "steps: 40");
  }
  ~CheckpointsOfTheProgram() override { fs::remove_all(base_); }

  void write_job(const std::string& from, const std::string& to) const {
    std::string text = kJob;
    text.replace(text.find("SOURCE"), 6, OW_SOURCE_DIR);
    text.replace(text.find(from), from.size(), to);
    write_file(job_, text);
  }

  const std::string base_ = testing::TempDir() + "ow_killed_" + std::to_string(getpid());
  const std::string job_ = base_ + "/job.yaml";
};

TEST_F(CheckpointsOfTheProgram, KillsChangeNoBitOfWhatItResumesTo) {
  constexpr int kKills = 5;
  const std::string &base = base_, &job = job_;
  const std::string killed = base + "/killed", whole = base + "/whole";
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(wait_for(start(job, whole)), 0) << read_text(whole + ".log");
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const std::string want = read_text(whole + "/" + kLast);

  const char* named = std::getenv("OW_SEED");
  const uint64_t seed = named == nullptr ? 1 : std::strtoull(named, nullptr, 10);
  RecordProperty("seed", std::to_string(seed));
  Rng rng(seed);
  for (int kills = 0, runs = 0; kills < kKills; ++runs) {
    ASSERT_LT(runs, 20 * kKills) << kills << " kills, seed " << seed;
    const pid_t child = start(job, killed);
    ASSERT_GE(child, 0);
    usleep(static_cast<useconds_t>(rng.below(static_cast<uint64_t>(took.count()) + 1)));
    kill(child, SIGKILL);
    const int status = wait_for(child);
    // One that ended before its moment came begins anew, and does not count.
    if (!WIFSIGNALED(status)) {
      ASSERT_EQ(status, 0) << read_text(killed + ".log");
      fs::remove_all(killed);
      continue;
    }
    ++kills;
    // In a copy: the next kill is to find what this one has left.
    const std::string copy = base + "/copy";
    fs::remove_all(copy);
    if (fs::exists(killed)) fs::copy(killed, copy, fs::copy_options::recursive);
    ASSERT_EQ(wait_for(start(job, copy)), 0) << read_text(copy + ".log") << "seed " << seed;
    ASSERT_EQ(read_text(copy + "/" + kLast), want) << kills << " kills, seed " << seed;
  }
}

// Sends the signals when the training is under way: at the latest after some seconds.
int status_after(pid_t child, const std::string& directory, const std::vector<int>& signals) {
  for (int k = 0; k < 5000; ++k, usleep(1000)) {
    std::error_code error;
    if (fs::file_size(directory + "/metrics.jsonl", error) > 0 && !error) break;
  }
  for (const int signal : signals) kill(child, signal);
  return wait_for(child);
}

// The first signal ends it after a step, with a checkpoint and a status of its own.
TEST_F(CheckpointsOfTheProgram, ASignalEndsItWithACheckpointThatGoesOnToTheSameBits) {
  write_job("checkpoints: {every: 1, keep: 2}", "checkpoints: {every: 1000}");
  const std::string whole = base_ + "/whole";
  ASSERT_EQ(wait_for(start(job_, whole)), 0) << read_text(whole + ".log");
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) {
    const std::string parts = base_ + "/signal" + std::to_string(signal);
    for (int run = 0; run < 3; ++run) {
      const int status = status_after(start(job_, parts), parts, {signal});
      ASSERT_TRUE(WIFEXITED(status)) << strsignal(WTERMSIG(status));
      ASSERT_EQ(WEXITSTATUS(status), 4) << read_text(parts + ".log");
      fs::remove(parts + "/metrics.jsonl");  // the next run is waited for, too
    }
    ASSERT_EQ(wait_for(start(job_, parts)), 0) << read_text(parts + ".log");
    EXPECT_EQ(read_text(parts + "/" + kLast), read_text(whole + "/" + kLast));
  }
}

// A longer training, which the second signal finds at work.
TEST_F(CheckpointsOfTheProgram, ASecondSignalEndsItAtOnce) {
  write_job("micro_batches: 2", "micro_batches: 512");
  const std::string model = base_ + "/model";
  const int status = status_after(start(job_, model), model, {SIGTERM, SIGINT});
  ASSERT_TRUE(WIFSIGNALED(status)) << read_text(model + ".log");
  const std::string said = read_text(model + ".log");
  EXPECT_NE(said.find(": asked to end: after this step, with a checkpoint; again: at once\n"),
            std::string::npos)
      << said;
}

TEST_F(CheckpointsOfTheProgram, ResumeAloneWantsSomethingToResume) {
  const std::string model = base_ + "/model";
  EXPECT_EQ(WEXITSTATUS(wait_for(start(job_, model, "--resume"))), 2);
  EXPECT_NE(read_text(model + ".log").find("model: holds no checkpoint"), std::string::npos);
  EXPECT_EQ(WEXITSTATUS(wait_for(start(job_, model, "--resume=maybe"))), 2);
  EXPECT_NE(read_text(model + ".log").find("must stand alone or be --resume=auto"),
            std::string::npos);
  // A damaged checkpoint is something: nothing is begun in its place.
  fs::create_directories(model);
  write_file(model + "/" + kLast, "no checkpoint");
  EXPECT_EQ(WEXITSTATUS(wait_for(start(job_, model, "--resume=auto"))), 2);
  EXPECT_EQ(read_text(model + "/" + kLast), "no checkpoint");
}

// Two runs that would write one place.
class SharedPlaces : public testing::Test {
 protected:
  void SetUp() override {
    base_ = testing::TempDir() + "ow_shared_" + std::to_string(getpid());
    fs::create_directories(base_);
    std::string text = kJob;
    text.replace(text.find("SOURCE"), 6, OW_SOURCE_DIR);
    text.replace(text.find("steps: 40"), 9, "steps: 1000000");
    write_file(base_ + "/job.yaml", text);
  }
  void TearDown() override {
    end_holder();
    fs::remove_all(base_);
  }

  // Begins a training that does not end by itself, and waits for its first checkpoint.
  void hold(const std::string& directory, const std::string& options) {
    holder_ = fork();
    if (holder_ == 0) {
      const std::string command =
          "cd '" + base_ + "' && exec '" OW_PROGRAM "' >log 2>&1 " + train(directory, options);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    const auto has_saved = [&] {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(base_ + "/" + directory, error)) {
        if (entry.path().extension() == ".safetensors" && entry.path() != first_) {
          first_ = entry.path();
          return true;
        }
      }
      return false;
    };
    bool saved = false;
    for (int tries = 0; tries < 6000 && !saved; ++tries) {
      usleep(10000);
      saved = has_saved();
    }
    ASSERT_TRUE(saved) << read_text(base_ + "/log");
  }

  void end_holder() {
    if (holder_ > 0) kill(holder_, SIGKILL);
    if (holder_ > 0) wait_for(holder_);
    holder_ = 0;
  }

  static std::string train(const std::string& directory, const std::string& options) {
    return "run job.yaml --mode train --device golden --no-check --model-dir " + directory + " " +
           options;
  }

  Result run(const std::string& arguments) { return run_ow(arguments, "cd '" + base_ + "' &&"); }

  void refused(const std::string& arguments, const std::string& place) {
    const Result r = run(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_EQ(lines(r.output), 1) << r.output;
    EXPECT_NE(r.output.find(place + ": process " + std::to_string(holder_) + " on "),
              std::string::npos)
        << r.output;
  }

  std::string base_, first_;
  pid_t holder_ = 0;
};

TEST_F(SharedPlaces, ASecondTrainingInADirectoryIsRefused) {
  hold("m", "");
  refused(train("m", "--resume --num-steps 1"), "m");
  fs::create_directory_symlink("m", base_ + "/n");
  refused(train("n", "--resume"), "n");
  end_holder();
  const Result next = run(train("m", "--resume --num-steps 1"));
  EXPECT_EQ(next.status, 0) << "a dead holder blocks nobody: " << next.output;
}

TEST_F(SharedPlaces, ASecondTrainingThatGoesOnIsRefused) {
  ASSERT_EQ(run(train("m", "--num-steps 1")).status, 0);
  first_ = base_ + "/m/checkpoint-000000000001.safetensors";
  hold("m", "--resume");
  refused(train("m", "--resume"), "m");
}

TEST_F(SharedPlaces, ASecondRunThatWritesAFileIsRefused) {
  hold("m", "--json r.json --metrics shared.jsonl");
  refused(train("n", "--num-steps 1 --json r.json"), "--json r.json");
  EXPECT_FALSE(fs::exists(base_ + "/n"));
  refused(train("n", "--num-steps 1 --metrics shared.jsonl"), "shared.jsonl");
  refused("plot shared.jsonl --json ./r.json --svg p.svg", "r.json");
}

TEST_F(SharedPlaces, MetricsOfADirectoryAreNotWrittenByATrainingInAnother) {
  hold("m", "");
  refused(train("n", "--num-steps 1 --metrics m/metrics.jsonl"), "m/metrics.jsonl");
}

TEST_F(SharedPlaces, WhatOnlyReadsGoesOn) {
  hold("m", "");
  const Result plot = run("plot m/metrics.jsonl --svg p.svg");
  EXPECT_EQ(plot.status, 0) << plot.output;
}

}  // namespace
}  // namespace ow
