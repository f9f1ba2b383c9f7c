// SPDX-License-Identifier: Apache-2.0
// The keys of a training: schedules, sparsity, where MemoryX's arrays lie; what is wrong is one
// line.
#include "ow/compile/job.h"

#include <gtest/gtest.h>

#include <string>

#include "numpy_files.h"
#include "ow/base/error.h"
#include "temporary_file.h"

namespace ow::jobs {
namespace {

using Piece = SchedulePiece::Kind;

// `train`: more of its keys, from line 5 on.
std::string job(const std::string& train, const std::string& rate = "0.1") {
  return temporary_file("train_params.yaml",
                        "data: {file: x.csv}\nnetwork: {layers: [8, 6, 4]}\n"
                        "grid: {rows: 2, columns: 1}\n"
                        "train: {seed: 1, steps: 2, optimizer: {kind: sgd, rate: " +
                            rate + "},\n" + train + "}\n");
}

Schedule rate(const std::string& text) {
  return read_job(job("", text)).training().job.optimizer.rate;
}

std::string refused(const std::string& train, const std::string& rate = "0.1") {
  try {
    read_job(job(train, rate));
  } catch (const BadInput& error) {
    const std::string what = error.what();
    return what.substr(what.find("yaml") + 4);
  }
  return "";
}

TEST(TrainParams, SchedulesMayGoOnForGood) {
  const Schedule slope =
      rate("[{kind: constant, value: 1, steps: 3}, {kind: slope, from: 1, slope: -0.5}]");
  ASSERT_EQ(slope.size(), 2u);
  EXPECT_EQ(slope[1].kind, Piece::Slope);
  EXPECT_EQ(slope[1].base, -0.5);
  EXPECT_EQ(slope[1].to, 0);
  EXPECT_EQ(rate("[{kind: slope, from: 1, slope: 2, to: 9}]")[0].to, 9);
  EXPECT_EQ(rate("[{kind: power, from: 1, to: 0, base: 0.5}]")[0].steps, kForever);
  const Schedule cycle = rate("[{kind: cycle, values: [3, 1, 2], steps: 5}]");
  ASSERT_EQ(cycle.size(), 4u);
  EXPECT_EQ(cycle[2].from, 2);
  EXPECT_EQ(cycle[2].steps, 5u);
  EXPECT_EQ(cycle[3].kind, Piece::Repeat);
  EXPECT_EQ(cycle[3].steps, 3u);
  const Schedule wave =
      rate("[{kind: constant, value: 1, steps: 3}, {kind: wave, from: 3, to: 1, half_period: 7}]");
  ASSERT_EQ(wave.size(), 4u);
  EXPECT_EQ(wave[2].from, 1);
  EXPECT_EQ(wave[2].to, 3);
  EXPECT_EQ(wave[3].steps, 2u);
  EXPECT_EQ(rate("[{kind: linear, from: 0, to: 1, steps: 2}, {kind: repeat}]")[1].steps, 1u);
  const std::string where = ":4: key 'train.optimizer.rate[";
  EXPECT_EQ(refused("", "[{kind: repeat}]"), where + "0]' has nothing in front to be repeated");
  EXPECT_EQ(
      refused("", "[{kind: cycle, values: [1], steps: 1}, {kind: constant, value: 1, steps: 1}]"),
      where + "1]' stands behind a piece that goes on for good");
  EXPECT_EQ(refused("", "[{kind: power, from: 1, to: 0, base: 0.5}, {kind: repeat}]"),
            where + "1]' stands behind a piece that goes on for good");
  EXPECT_EQ(refused("", "[{kind: slope, from: 1, slope: 0}]"), where + "0].slope' must not be 0");
  EXPECT_EQ(refused("", "[{kind: slope, from: 1, slope: 1, to: 0}]"),
            where + "0].to' lies the other way");
  EXPECT_EQ(refused("", "[{kind: power, from: 1, to: 0, base: 0.5, stesp: 2}]"),
            where + "0].stesp' is not known; known here: base, from, kind, steps, to");
  EXPECT_EQ(refused("", "[{kind: linear, from: 1, to: 0}]"), where + "0].steps' is missing");
}

// What can be written in several ways is refused by all of them.
TEST(TrainParams, AValueOfAnotherFormIsRefusedByTheFormsThatThereAre) {
  EXPECT_EQ(refused("", "{kind: linear, from: 0, to: 0.1, steps: 3}"),
            ":4: key 'train.optimizer.rate' must be a number or a list of pieces");
  EXPECT_EQ(refused("loss_scale: [1, 2]"),
            ":5: key 'train.loss_scale' must be a number or keys and values");
  EXPECT_EQ(refused("sparsity: [{pattern: '*', algorithm: set, density: 0.5, update: 3}]"),
            ":5: key 'train.sparsity[0].update' must be a list of steps, or the keys every, start "
            "and stop");
  EXPECT_EQ(refused("sparsity: [{pattern: {a: b}, density: 0.5}]"),
            ":5: key 'train.sparsity[0].pattern' must be a pattern of names or a list of them");
  EXPECT_EQ(refused("sparsity: [{pattern: '*', density: {kind: constant, value: 1, steps: 1}}]"),
            ":5: key 'train.sparsity[0].density' must be a number or a list of pieces");
}

TEST(TrainParams, GroupsOfSeveralPatternsBalancedOnes) {
  const TrainParams p =
      read_job(job("sparsity: [{pattern: [layers.0.*, layers.1.*], algorithm: rigl, init: zeros, "
                   "density: 0.5, balance: {inputs: 2}}, {pattern: '*', density: 1, balance: "
                   "{outputs: 4}}]"))
          .training();
  ASSERT_EQ(p.job.sparsity.size(), 3u);
  EXPECT_EQ(p.job.sparsity[0].pattern, "layers.0.*");
  EXPECT_EQ(p.job.sparsity[1].pattern, "layers.1.*");
  for (int k = 0; k < 2; ++k) {
    const SparsityGroup& g = p.job.sparsity[static_cast<size_t>(k)];
    EXPECT_EQ(g.init, SparsityGroup::Init::Zeros);
    EXPECT_EQ(g.update.every, 1u) << "every step unless said otherwise";
    EXPECT_EQ(g.balance, SparsityGroup::Balance::Inputs);
    EXPECT_EQ(g.parts, 2);
  }
  EXPECT_EQ(p.job.sparsity[2].balance, SparsityGroup::Balance::Outputs);
  const auto group = [](const std::string& keys) {
    return refused("sparsity: [{pattern: '*', density: 1, " + keys + "}]");
  };
  EXPECT_EQ(group("balance: {}"), ":5: key 'train.sparsity[0].balance' needs inputs or outputs");
  EXPECT_EQ(group("balance: {inputs: 2, outputs: 2}"),
            ":5: key 'train.sparsity[0].balance.outputs' is one too many: inputs or outputs");
  EXPECT_EQ(
      group("balance: {inputs: 0}"),
      ":5: key 'train.sparsity[0].balance.inputs' must be a whole number from 1 to 65535, not "
      "'0'");
  EXPECT_EQ(group("init: full"),
            ":5: key 'train.sparsity[0].init' must be random, magnitude, even, zeros or dense, "
            "not 'full'");
}

// The steps of a training of two: 0 and 1.
// Fails if pruning that begins at its end prunes nothing and says nothing.
TEST(TrainParams, PruningThatNeverHappensIsRefused) {
  const auto group = [](const std::string& keys) {
    return refused("sparsity: [{pattern: '*', " + keys + "}]");
  };
  const std::string falls = "density: [{kind: linear, from: 1, to: 0.1, steps: 1}]";
  for (const char* update : {"", ", update: {every: 1, start: 1}", ", update: [1]",
                             ", update: {every: 1, start: 1, stop: 2}", ", update: [0, 1, 7]"}) {
    EXPECT_EQ(group("algorithm: gradual, " + falls + update), "") << update;
  }
  for (const char* algorithm : {"gradual", "set", "rigl"}) {
    for (const char* update :
         {"{every: 1, start: 1, stop: 1}", "{every: 1, start: 2}", "[2]", "{every: 9, start: 5}"}) {
      EXPECT_EQ(
          group(std::string("algorithm: ") + algorithm + ", " + falls + ", update: " + update),
          ":5: key 'train.sparsity[0].update' has no step of the training in it, which are "
          "0 to 1")
          << algorithm << " " << update;
    }
  }
  for (const char* never :
       {"density: 0.5", "density: [{kind: linear, from: 0.1, to: 1, steps: 1}]",
        "density: [{kind: constant, value: 1, steps: 2}, {kind: linear, from: 1, to: 0, steps: 1}]",
        "density: [{kind: linear, from: 1, to: 0.1, steps: 1}], update: {every: 2}"}) {
    EXPECT_EQ(group(std::string("algorithm: gradual, ") + never),
              ":5: key 'train.sparsity[0].density' prunes nothing: at none of its updates it is "
              "below what it begins with")
        << never;
  }
  EXPECT_EQ(group("algorithm: gradual, init: dense, " + falls), "");
  EXPECT_EQ(group("algorithm: set, density: 0.5"), "") << "moves weights";
}

// One that is 0 in binary32 would divide 0 by 0.
TEST(TrainParams, EpsilonIsANormalNumberOfBinary32) {
  const auto with = [](const std::string& epsilon) {
    return "optimizer: {kind: adamw, rate: 0.1, epsilon: " + epsilon + "}";
  };
  const auto what = [&](const std::string& epsilon) {
    try {
      const TrainParams p =
          read_job(temporary_file("train_params.yaml",
                                  "data: {file: x.csv}\nnetwork: {layers: [8, 6, 4]}\n"
                                  "grid: {rows: 2, columns: 1}\ntrain: {seed: 1, steps: 2, " +
                                      with(epsilon) + "}\n"))
              .training();
      EXPECT_GT(static_cast<float>(p.job.optimizer.epsilon), 0.0f);
    } catch (const BadInput& error) {
      const std::string text = error.what();
      return text.substr(text.find("yaml") + 4);
    }
    return std::string();
  };
  EXPECT_EQ(what("1.1755e-38"), "");
  EXPECT_EQ(what("1"), "");
  for (const char* epsilon : {"0", "1e-60", "1e-40"}) {
    EXPECT_EQ(what(epsilon),
              std::string(":4: key 'train.optimizer.epsilon' must be a number from 1.1755e-38 to "
                          "1, not '") +
                  epsilon + "'");
  }
}

TEST(TrainParams, WhatALossThatIsNoNumberDoes) {
  EXPECT_TRUE(read_job(job("")).training().stops_on_nan);
  EXPECT_TRUE(read_job(job("on_nan: stop")).training().stops_on_nan);
  EXPECT_FALSE(read_job(job("on_nan: warn")).training().stops_on_nan);
  EXPECT_EQ(refused("on_nan: go"), ":5: key 'train.on_nan' must be stop or warn, not 'go'");
}

TEST(TrainParams, WhereTheStoreLies) {
  const TrainParams p =
      read_job(job("store: {directory: here, window: 4096, threads: 2}")).training();
  EXPECT_EQ(p.memory.store.directory, testing::TempDir() + "here");
  EXPECT_EQ(p.memory.store.window, 4096u);
  EXPECT_EQ(p.memory.threads, 2);
  EXPECT_TRUE(read_job(job("")).training().memory.store.directory.empty());
  EXPECT_EQ(refused("store: {window: 0}"),
            ":5: key 'train.store.window' must be a whole number from 1 to 1073741824, not '0'");
  EXPECT_EQ(refused("store: {room: 1}"),
            ":5: key 'train.store.room' is not known; known here: directory, threads, window");
}

TEST(TrainParams, FirstWeightsMayStandInFilesOfNumPy) {
  const std::string weights = npy_of("<f2", "(1, 2)", std::string("\0\x3C\0\xC0", 4));
  const std::string bias = npy_of("<f2", "(1,)", std::string("\0\x38", 2));
  const std::string file = temporary_file(
      "first.npz", zip_of({{"layers.0.weight.npy", weights}, {"layers.0.bias.npy", bias}}, true));
  const TrainParams p =
      read_job(temporary_file("first.yaml",
                              "data: {file: x.csv}\nnetwork: {layers: [2, 1], weights: " + file +
                                  "}\ngrid: {rows: 1, columns: 1}\n"
                                  "train: {seed: 1, steps: 1, loss: mean_squared_error, "
                                  "optimizer: {kind: sgd, rate: 1}}\n"))
          .training();
  ASSERT_NE(p.job.first, nullptr);
  EXPECT_EQ(p.job.first->values.at("layers.0.weight"), (std::vector<float>{1, -2}));
}

}  // namespace
}  // namespace ow::jobs
