// SPDX-License-Identifier: Apache-2.0
// The program is killed while it trains and saves, and goes on with --resume.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ow/base/file.h"
#include "ow/base/rng.h"

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
pid_t start(const std::string& job, const std::string& directory) {
  bool resume = false;
  if (fs::exists(directory)) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename();
      resume = resume ||
               (name.rfind("checkpoint-", 0) == 0 && entry.path().extension() == ".safetensors");
    }
  }
  const pid_t child = fork();
  if (child != 0) return child;
  const int log = open((directory + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  std::vector<std::string> words = {OW_PROGRAM, "run",    job,          "--mode",      "train",
                                    "--device", "golden", "--no-check", "--model-dir", directory};
  if (resume) words.emplace_back("--resume");
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

TEST(CheckpointsOfTheProgram, KillsChangeNoBitOfWhatItResumesTo) {
  constexpr int kKills = 5;
  const std::string base = testing::TempDir() + "ow_killed_" + std::to_string(getpid());
  fs::create_directories(base);
  std::string text = kJob;
  text.replace(text.find("SOURCE"), 6, OW_SOURCE_DIR);
  const std::string job = base + "/job.yaml", killed = base + "/killed", whole = base + "/whole";
  write_file(job, text);
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
  fs::remove_all(base);
}

}  // namespace
}  // namespace ow
