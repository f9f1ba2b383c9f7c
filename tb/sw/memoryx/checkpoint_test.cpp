// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a training that goes on is the one that never stopped, bit for bit, whatever stopped
// it and when; damaged files and those of other models are refused.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "both.h"
#include "crashing_calls.h"
#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow::memoryx {
namespace {

constexpr uint64_t kSteps = 30;

TrainingJob job_of() {
  TrainingJob job;
  job.layers = {{12, 20, "relu", true}, {20, 4, "none", true}};
  job.samples = 16;
  job.micro_batches = 2;
  job.seed = 5;
  job.optimizer.rate = constant_schedule(0.01);
  job.loss_scale = {0x1p22, true, 5, 0x1p24};  // overflows at first
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "layers.0.weight";
  job.sparsity[0].algorithm = SparsityGroup::Algorithm::Rigl;
  job.sparsity[0].density = constant_schedule(0.4);
  job.sparsity[0].update.every = 3;
  return job;
}

// What the reference trainer goes on from.
void restore(const MemoryX& memory, golden::Trainer* golden) {
  std::vector<golden::Parameter> parameters = golden->parameters();
  const Store& store = memory.store();
  for (size_t k = 0; k < parameters.size(); ++k) {
    golden::Parameter& p = parameters[k];
    const size_t n = p.value.size();
    p.value = weights_of(store, k);
    if (store.moments() > 0) p.first = copy_of(store.moment(k, 0, 0, n));
    if (store.moments() > 1) p.second = copy_of(store.moment(k, 1, 0, n));
    if (!store.spec(k).masked) continue;
    const View<uint8_t> mask = store.mask(k, 0, n);
    p.mask.assign(mask.begin(), mask.end());
  }
  const RunState s = memory.state();
  golden->restore(parameters, s.step, s.updates, s.loss_scale, s.good_steps);
}

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() : problem_(9, 12, 4, 150) {}
  void SetUp() override {
    directory_ = testing::TempDir() + "ow_checkpoints_" + std::to_string(getpid());
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Trains up to step `stop`, from the newest checkpoint that can be read if there is one, and
  // saves after each step. Returns what a checkpoint of the end holds.
  std::string train(uint64_t stop, FileCalls* calls = nullptr) {
    Both both(job_of(), problem_.data);
    for (const std::string& path : checkpoints_in(directory_)) {
      try {
        both.memory.load(path);
        EXPECT_EQ(both.memory.updated(), 0u) << "no update of this run";
        restore(both.memory, &both.golden);
        break;
      } catch (const BadInput&) {
      }
    }
    while (both.memory.step() < stop) {
      both.step();
      if (both.difference() != "") return both.difference();
      both.memory.save(checkpoint_path(directory_, both.memory.step()), calls);
      remove_old_checkpoints(directory_, 2, calls);
    }
    const std::string end = directory_ + "/end";
    both.memory.save(end);
    std::string contents = read_text(end);
    std::filesystem::remove(end);
    return contents;
  }
  // The one that was never disturbed.
  std::string undisturbed(uint64_t stop = kSteps) {
    std::string contents = train(stop);
    clear();
    return contents;
  }
  void clear() {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  static std::string refusal(const std::function<void()>& work) {
    try {
      work();
    } catch (const BadInput& e) {
      return e.what();
    }
    return "nothing";
  }

  Problem problem_;
  std::string directory_;
};

TEST_F(Checkpoints, ATrainingGoesOnAsIfItHadNotStopped) {
  const std::string want = undisturbed();
  for (const uint64_t stop : {1, 2, 7, 16, 29}) {
    clear();
    train(stop);
    EXPECT_EQ(train(kSteps), want) << stop;
    EXPECT_EQ(checkpoints_in(directory_).size(), 2u) << "older ones go";
  }
}

TEST_F(Checkpoints, ACrashBehindEveryCallLosesNoMoreThanAStep) {
  constexpr uint64_t kEnd = 8;  // of the trainings that go on after a crash in step 4 or 5
  const std::string want = undisturbed(kEnd);
  for (const bool lost : {false, true}) {
    int calls = 0;
    for (bool crashed = true; crashed; ++calls) {
      clear();
      train(3);  // there are checkpoints
      CrashingCalls crashing(calls, lost);
      try {
        train(5, &crashing);
      } catch (const Crash&) {
      }
      crashed = crashing.crashed();
      // The newest that can be read is of step 2 or later: what the last save began from at most.
      uint64_t newest = 0;
      for (const std::string& path : checkpoints_in(directory_)) {
        if (refusal([&] { newest = std::max(newest, check_checkpoint(path).step); }) != "nothing") {
          ADD_FAILURE() << path << " cannot be read, after call " << calls;
        }
      }
      ASSERT_GE(newest, 3u) << "after call " << calls;
      ASSERT_EQ(train(kEnd), want) << "after call " << calls;
    }
    EXPECT_GT(calls, 40) << "writes, syncs, renames and removals of two checkpoints";
  }
}

TEST_F(Checkpoints, TwentyKillsAtRandomMomentsChangeNoBit) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string want = undisturbed();
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const char* text = std::getenv("OW_SEED");
  const uint64_t seed = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  RecordProperty("seed", std::to_string(seed));
  Rng rng(seed);
  uint64_t furthest = 0;
  // A training that ended before its moment came does not count.
  for (int runs = 0, killed = 0; killed < 20; ++runs) {
    ASSERT_LT(runs, 400) << killed << " kills, seed " << seed;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      train(kSteps);
      _exit(0);
    }
    usleep(static_cast<useconds_t>(rng.below(static_cast<uint64_t>(whole.count()) + 1)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
    uint64_t newest = 0;
    for (const std::string& path : checkpoints_in(directory_)) {
      newest = std::max(newest, check_checkpoint(path).step);
    }
    ASSERT_GE(newest, furthest);
    furthest = newest;
    // What goes on from here, in a copy: the next kill is to find what this one has left.
    const std::string left = directory_ + "_left";
    std::filesystem::rename(directory_, left);
    std::filesystem::copy(left, directory_);
    ASSERT_EQ(train(kSteps), want) << killed << " kills, seed " << seed;
    std::filesystem::remove_all(directory_);
    std::filesystem::rename(left, directory_);
    // From the beginning again once it has got to the end: all moments are to be hit.
    if (furthest == kSteps) {
      clear();
      furthest = 0;
    }
  }
}

TEST_F(Checkpoints, DamagedFilesAreRefused) {
  train(4);
  const std::string path = checkpoint_path(directory_, 4);
  const std::string good = read_text(path);
  Both both(job_of(), problem_.data);
  const std::vector<float> before = weights_of(both.memory.store(), 0);
  const std::string bad = directory_ + "/bad.safetensors";
  const auto words = [&](const std::string& contents) {
    write_file(bad, contents);
    return refusal([&] { both.memory.load(bad); });
  };
  for (size_t length = 0; length < good.size(); length += 1 + good.size() / 300) {
    ASSERT_NE(words(good.substr(0, length)), "nothing") << length;
  }
  Rng rng(3);
  for (int k = 0; k < 500; ++k) {
    std::string changed = good;
    // Half of them in the header.
    const size_t at = rng.below(k % 2 == 0 ? 1500 : good.size());
    changed[at] = static_cast<char>(changed[at] ^ (1 << rng.below(8)));
    ASSERT_NE(words(changed), "nothing") << at;
  }
  std::string weight = good;
  weight[good.size() / 2] = static_cast<char>(weight[good.size() / 2] ^ 1);
  EXPECT_NE(words(weight).find("is damaged: its check sum differs"), std::string::npos);
  EXPECT_NE(words("").find("no safetensors file"), std::string::npos);
  EXPECT_TRUE(same_bits(weights_of(both.memory.store(), 0), before)) << "nothing was read";
  EXPECT_EQ(words(good), "nothing");
  EXPECT_EQ(both.memory.step(), 4u);
}

// The file holds everything on which later bits depend. A job in which any of it differs is refused
// with the key that differs and both values.
class CheckpointKeys : public Checkpoints {
 protected:
  CheckpointKeys() : base_(job_of()) { base_.optimizer.weight_decay = 0.01; }

  std::string words(const std::function<void(TrainingJob*)>& change) const {
    const std::string path = directory_ + "/base";
    MemoryX(base_, {}).save(path);
    TrainingJob job = base_;
    change(&job);
    MemoryX memory(job, {});
    const std::string what = refusal([&] { memory.load(path); });
    const std::string begin = path + ": is of another training: key ";
    return what.rfind(begin, 0) == 0 ? what.substr(begin.size()) : what;
  }
  void has(const std::function<void(TrainingJob*)>& change, const char* want) const {
    EXPECT_EQ(words(change), want);
  }

  using Optimizer = OptimizerOptions::Kind;
  using Piece = SchedulePiece::Kind;
  TrainingJob base_;
};

TEST_F(CheckpointKeys, OfNetworkGridAndSums) {
  EXPECT_EQ(words([](TrainingJob*) {}), "nothing");
  has([](TrainingJob* j) { j->type = HalfType::Bfloat16; },
      "'network.type' is binary16, not bfloat16");
  has([](TrainingJob* j) { j->layers[0].inputs = 13; },
      "'network.layers[0]' is layers.0: 12 to 20, relu, bias true, not layers.0: 13 to 20, relu, "
      "bias true");
  has([](TrainingJob* j) { j->layers[1].name = "out"; },
      "'network.layers[1]' is layers.1: 20 to 4, none, bias true, not out: 20 to 4, none, bias "
      "true");
  has([](TrainingJob* j) { j->layers[0].activation = "none"; },
      "'network.layers[0]' is layers.0: 12 to 20, relu, bias true, not layers.0: 12 to 20, none, "
      "bias true");
  has(
      [](TrainingJob* j) {
        j->layers.push_back({4, 4, "none", false});
      },
      "'network.layers[2]' is nothing, not layers.2: 4 to 4, none, bias false");
  has([](TrainingJob* j) { j->loss = "mean_squared_error"; },
      "'train.loss' is softmax_cross_entropy, not mean_squared_error");
  has([](TrainingJob* j) { j->grid_rows = 2; }, "'grid.rows' is 1, not 2");
  has([](TrainingJob* j) { j->grid_cols = 3; }, "'grid.columns' is 1, not 3");
  has([](TrainingJob* j) { j->samples = 8; }, "'grid.samples_per_tile' is 16, not 8");
  has([](TrainingJob* j) { j->seed = 6; }, "'train.seed' is 5, not 6");
  has([](TrainingJob* j) { j->micro_batches = 4; }, "'train.micro_batches' is 2, not 4");
  has(
      [](TrainingJob* j) {
        j->forward = {SumOrder::Whole, SumOrder::Column};
      },
      "'sums.forward[0]' is column, not whole");
  has(
      [](TrainingJob* j) {
        j->delta = {SumOrder::Column, SumOrder::Whole};
      },
      "'sums.delta[1]' is column, not whole");
}

TEST_F(CheckpointKeys, OfTheOptimizerAndTheLossScale) {
  has([](TrainingJob* j) { j->optimizer.kind = Optimizer::Sgd; },
      "'train.optimizer.kind' is adamw, not sgd");
  has([](TrainingJob* j) { j->optimizer.rate[0].from = 0.02; },
      "'train.optimizer.rate[0]' is constant 0.01, not constant 0.02");
  has(
      [](TrainingJob* j) {
        j->optimizer.rate.push_back({Piece::Linear, 0.01, 0, 9, 1});
      },
      "'train.optimizer.rate[0]' is constant 0.01, not constant 0.01, 1 steps");
  has([](TrainingJob* j) { j->optimizer.weight_decay = 0; },
      "'train.optimizer.weight_decay' is 0.01, not 0");
  has([](TrainingJob* j) { j->optimizer.max_norm = 1; }, "'train.optimizer.max_norm' is 0, not 1");
  has([](TrainingJob* j) { j->optimizer.beta1 = 0.8; }, "'train.optimizer.beta1' is 0.9, not 0.8");
  has([](TrainingJob* j) { j->optimizer.beta2 = 0.99; },
      "'train.optimizer.beta2' is 0.999, not 0.99");
  has([](TrainingJob* j) { j->optimizer.epsilon = 1e-7; },
      "'train.optimizer.epsilon' is 1e-08, not 1e-07");
  has([](TrainingJob* j) { j->loss_scale.initial = 2; },
      "'train.loss_scale.initial' is 4194304, not 2");
  has([](TrainingJob* j) { j->loss_scale.dynamic = false; },
      "'train.loss_scale.dynamic' is true, not false");
  has([](TrainingJob* j) { j->loss_scale.interval = 6; },
      "'train.loss_scale.interval' is 5, not 6");
  has([](TrainingJob* j) { j->loss_scale.most = 0x1p23; },
      "'train.loss_scale.most' is 16777216, not 8388608");
  base_.optimizer.kind = Optimizer::Sgd;
  base_.optimizer.momentum = 0.5;
  has([](TrainingJob* j) { j->optimizer.momentum = 0.25; },
      "'train.optimizer.momentum' is 0.5, not 0.25");
  has([](TrainingJob* j) { j->optimizer.nesterov = true; },
      "'train.optimizer.nesterov' is false, not true");
  EXPECT_EQ(words([](TrainingJob* j) { j->optimizer.beta1 = 0.8; }), "nothing") << "of adamw";
}

TEST_F(CheckpointKeys, OfTheSparsity) {
  has([](TrainingJob* j) { j->sparsity[0].pattern = "*"; },
      "'train.sparsity[0].pattern' is layers.0.weight, not *");
  has([](TrainingJob* j) { j->sparsity[0].algorithm = SparsityGroup::Algorithm::Set; },
      "'train.sparsity[0].algorithm' is rigl, not set");
  has([](TrainingJob* j) { j->sparsity[0].init = SparsityGroup::Init::Even; },
      "'train.sparsity[0].init' is random, not even");
  has([](TrainingJob* j) { j->sparsity[0].density = constant_schedule(0.5); },
      "'train.sparsity[0].density[0]' is constant 0.4, not constant 0.5");
  has(
      [](TrainingJob* j) {
        j->sparsity[0].drop = {{Piece::Power, 0.3, 0, 9, 0.5}};
      },
      "'train.sparsity[0].drop[0]' is constant 0.3, not power 0.3 to 0 by 0.5, 9 steps");
  has([](TrainingJob* j) { j->sparsity[0].update.every = 4; },
      "'train.sparsity[0].update' is every 3 from 0, not every 4 from 0");
  has([](TrainingJob* j) { j->sparsity[0].update.stop = 100; },
      "'train.sparsity[0].update' is every 3 from 0, not every 3 from 0 to 100");
  has(
      [](TrainingJob* j) {
        j->sparsity[0].update.steps = {1, 2};
      },
      "'train.sparsity[0].update' is every 3 from 0, not steps 1 2");
  has([](TrainingJob* j) { j->sparsity.push_back(j->sparsity[0]); },
      "'train.sparsity[1].pattern' is nothing, not layers.0.weight");
  has([](TrainingJob* j) { j->sparsity.clear(); },
      "'train.sparsity[0].algorithm' is rigl, not nothing");
}

TEST_F(Checkpoints, OtherSamplesAreRefusedByWhoKnowsThem) {
  const std::string path = directory_ + "/data";
  const auto with = [&](const std::string& samples) {
    MemoryOptions options;
    if (!samples.empty()) options.data = {{"data.samples", samples}};
    return std::make_unique<MemoryX>(job_of(), options);
  };
  with("7")->save(path);
  EXPECT_EQ(refusal([&] { with("7")->load(path); }), "nothing");
  EXPECT_EQ(refusal([&] { with("")->load(path); }), "nothing");
  EXPECT_EQ(refusal([&] { with("8")->load(path); }),
            path + ": is of another training: key 'data.samples' is 7, not 8");
}

TEST_F(Checkpoints, OtherFormatsAndFilesAreRefusedByName) {
  train(1);
  const std::string path = checkpoint_path(directory_, 1);
  std::string old = read_text(path);
  const std::string now = "openwafer training 2";
  old.replace(old.find(now), now.size(), "openwafer training 1");
  write_file(path, old);
  const std::string want =
      path + ": is of the format 'openwafer training 1', this program reads '" + now + "'";
  EXPECT_EQ(refusal([&] { check_checkpoint(path); }), want);
  EXPECT_EQ(refusal([&] { MemoryX(job_of(), {}).load(path); }), want);
  EXPECT_NE(refusal([&] { check_checkpoint(OW_SOURCE_DIR "/README.md"); }).find("safetensors"),
            std::string::npos);
  EXPECT_NE(refusal([&] { check_checkpoint(directory_ + "/none"); }).find("cannot be read"),
            std::string::npos);
}

TEST_F(Checkpoints, FullAndForbiddenPlacesAreErrorsAndKeepWhatWasThere) {
  class Full : public FileCalls {
   public:
    long write(int file, const void* data, size_t bytes) override {
      if (++writes_ < 3) return FileCalls::write(file, data, bytes);
      errno = ENOSPC;
      return -1;
    }
    int writes_ = 0;
  };
  train(1);
  const std::string path = checkpoint_path(directory_, 1);
  const std::string before = read_text(path);
  Both both(job_of(), problem_.data);
  Full full;
  EXPECT_NE(refusal([&] { both.memory.save(path, &full); }).find("No space left"),
            std::string::npos);
  EXPECT_EQ(read_text(path), before);
  EXPECT_NE(refusal([&] { both.memory.save(directory_ + "/none/x"); }).find("cannot be written"),
            std::string::npos);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1u) << "no temporary file is left";
}

TEST_F(Checkpoints, OtherProgramsReadThem) {
  train(2);
  const std::string path = checkpoint_path(directory_, 2);
  Both both(job_of(), problem_.data);
  both.memory.load(path);
  double sum = 0;
  for (const float w : weights_of(both.memory.store(), 0)) sum += static_cast<double>(w);
  const char* named = std::getenv("OW_PYTHON");
  const char* venv = std::getenv("OW_VENV");
  const std::string python = named != nullptr
                                 ? named
                                 : std::filesystem::path(OW_SOURCE_DIR) /
                                       (venv != nullptr ? venv : ".venv") / "bin/python3";
  ASSERT_TRUE(named != nullptr || std::filesystem::exists(python))
      << python << " is not there: scripts/bootstrap test makes it";
  const std::string command =
      fmt::format("'{}' '{}/tb/sw/memoryx/checkpoint.py' '{}' layers.0.weight 20 12 {:.9f}", python,
                  OW_SOURCE_DIR, path, sum);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace ow::memoryx
