// SPDX-License-Identifier: Apache-2.0
// MemoryX's updates have the bits of the reference trainer: optimizers, schedules, clipping, loss
// scaling, micro-batches. Threads, windows and the place of the store change nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "both.h"
#include "messages.h"
#include "ow/base/error.h"
#include "ow/memoryx/schedule.h"

namespace ow::memoryx {
namespace {

using Kind = SchedulePiece::Kind;

TrainingJob job_of(int features, int classes) {
  TrainingJob job;
  job.layers = {{features, 24, "relu", true}, {24, classes, "none", true}};
  job.grid_rows = 2;
  job.grid_cols = 2;
  job.samples = 8;
  job.seed = 3;
  job.loss_scale.initial = 64;
  return job;
}

void expect_same(const TrainingJob& job, int steps, const MemoryOptions& options = {}) {
  const Problem problem(9, job.layers.front().inputs, job.layers.back().outputs, 150);
  Both both(job, problem.data, options);
  ASSERT_EQ(both.difference(), "") << "before the first step";
  for (int k = 0; k < steps; ++k) {
    both.step();
    ASSERT_EQ(both.difference(), "") << "after step " << k;
  }
}

TEST(MemoryXTraining, EveryOptimizerGivesTheBitsOfTheReference) {
  for (const double max_norm : {0.0, 0.5}) {
    for (const double decay : {0.0, 0.02}) {
      TrainingJob job = job_of(10, 4);
      job.optimizer.max_norm = max_norm;
      job.optimizer.weight_decay = decay;
      job.optimizer.rate = {{Kind::Linear, 0, 0.01, 5, 1}, {Kind::Cosine, 0.01, 0.001, 20, 1}};
      expect_same(job, 30);
      job.optimizer.kind = OptimizerOptions::Kind::Sgd;
      expect_same(job, 10);
      job.optimizer.momentum = 0.9;
      expect_same(job, 10);
      job.optimizer.nesterov = true;
      expect_same(job, 10);
    }
  }
}

TEST(MemoryXTraining, MicroBatchesAreAddedAsATree) {
  for (const int batches : {1, 2, 3, 4, 5, 7, 8, 11}) {
    TrainingJob job = job_of(10, 4);
    job.micro_batches = batches;
    expect_same(job, 4);
  }
}

TEST(MemoryXTraining, ThreadsWindowsAndFilesChangeNoBit) {
  TrainingJob job = job_of(300, 40);  // of several blocks
  job.optimizer.max_norm = 0.3;
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "layers.0.weight";
  job.sparsity[0].algorithm = SparsityGroup::Algorithm::Rigl;
  job.sparsity[0].density = constant_schedule(0.4);
  job.sparsity[0].update.every = 2;
  MemoryOptions options;
  expect_same(job, 5, options);
  options.threads = 3;
  options.store.window = 1;  // a block
  expect_same(job, 5, options);
  options.store.directory = testing::TempDir();
  expect_same(job, 5, options);
}

TEST(MemoryXTraining, AnOverflowSkipsTheStepOnBothSides) {
  TrainingJob job = job_of(10, 4);
  job.loss_scale = {16777216, true, 3, 16777216};
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "*";
  job.sparsity[0].algorithm = SparsityGroup::Algorithm::Set;
  job.sparsity[0].density = constant_schedule(0.5);
  const Problem problem(9, 10, 4, 150);
  Both both(job, problem.data);
  int skipped = 0;
  for (int k = 0; k < 25; ++k) {
    const Weights before = both.memory.weights();
    const bool skip = both.step().skipped;
    skipped += skip ? 1 : 0;
    ASSERT_EQ(both.difference(), "") << "after step " << k;
    if (!skip) continue;
    EXPECT_EQ(both.memory.weights(), before);
    EXPECT_EQ(both.memory.updated(), 0u);
  }
  EXPECT_GT(skipped, 3);
  EXPECT_LT(skipped, 15);
  EXPECT_EQ(both.memory.updates(), 25u - static_cast<uint64_t>(skipped));
}

TEST(MemoryXTraining, LearnsAndGivesTheReferencesNetwork) {
  TrainingJob job = job_of(10, 4);
  job.optimizer.rate = constant_schedule(0.01);
  const Problem problem(9, 10, 4, 150);
  Both both(job, problem.data);
  const double first = both.step().loss;
  double last = 0;
  for (int k = 0; k < 150; ++k) last = both.step().loss;
  EXPECT_LT(last, first / 3);
  const Weights mine = both.memory.weights();
  for (const auto& parameter : both.golden.parameters()) {
    EXPECT_EQ(mine.at(parameter.name), parameter.value) << parameter.name;
  }
}

TEST(MemoryXSchedule, PiecesFollowEachOtherAndTheLastValueHolds) {
  const Schedule s = {{Kind::Constant, 3, 3, 2, 1},
                      {Kind::Linear, 0, 1, 4, 1},
                      {Kind::Cosine, 1, 0, 4, 1},
                      {Kind::Cubic, 1, 0, 2, 1},
                      {Kind::Power, 8, 0, 3, 0.5}};
  const std::vector<double> want = {
      3, 3,     0, 0.25, 0.5, 0.75, 1, 0.853553390593274, 0.5, 0.146446609406726,
      1, 0.125, 8, 4,    2,   0,    0};
  for (uint64_t k = 0; k < want.size(); ++k) {
    EXPECT_NEAR(value_at(s, k), want[k], 1e-15) << k;
  }
  // The series against the library's cosine.
  const Schedule cosine = {{Kind::Cosine, 1, -1, 1000, 1}};
  for (uint64_t k = 0; k < 1000; ++k) {
    EXPECT_NEAR(value_at(cosine, k), std::cos(M_PI * static_cast<double>(k) / 1000), 1e-15) << k;
  }
}

TEST(MemoryXSchedule, SomeGoOnForGood) {
  const Schedule down = {{Kind::Constant, 0.9, 0.9, 2, 1},
                         {Kind::Slope, 0.9, 0.1, kForever, -0.25}};
  const double want[] = {0.9, 0.9, 0.9, 0.65, 0.4, 0.15, 0.1, 0.1};
  for (uint64_t step = 0; step < 8; ++step) EXPECT_NEAR(value_at(down, step), want[step], 1e-15);
  EXPECT_EQ(value_at_last(down), 0.1);
  EXPECT_EQ(value_at(down, kForever), 0.1);
  const Schedule power = {{Kind::Power, 1, 0.5, kForever, 0.5}};
  EXPECT_EQ(value_at(power, 1), 0.75);
  EXPECT_EQ(value_at(power, 60), 0.5 + 0x1p-61);
  EXPECT_EQ(value_at_last(power), 0.5);
  // A warm-up, then a cycle; a wave.
  const Schedule cycle = {{Kind::Linear, 0, 1, 2, 1},
                          {Kind::Constant, 0.3, 0.3, 2, 1},
                          {Kind::Constant, 0.2, 0.2, 1, 1},
                          {Kind::Repeat, 0, 0, 2, 1}};
  const double round[] = {0, 0.5, 0.3, 0.3, 0.2, 0.3, 0.3, 0.2, 0.3};
  for (uint64_t step = 0; step < 9; ++step) EXPECT_EQ(value_at(cycle, step), round[step]);
  EXPECT_EQ(value_at(cycle, 2 + 3 * uint64_t{1000000007}), 0.3);
  EXPECT_NEAR(value_at_last(cycle), 0.8 / 3, 1e-15);
  const Schedule wave = {
      {Kind::Cosine, 1, -1, 100, 1}, {Kind::Cosine, -1, 1, 100, 1}, {Kind::Repeat, 0, 0, 2, 1}};
  for (uint64_t step = 0; step < 1000; ++step) {
    EXPECT_NEAR(value_at(wave, step), std::cos(M_PI * static_cast<double>(step) / 100), 1e-12);
  }
  const auto refused = [](const Schedule& s) {
    return refusal_of([&] { check_schedule(s, 0, 1, "s"); });
  };
  EXPECT_EQ(refused(cycle), "");
  EXPECT_EQ(refused({{Kind::Power, 1, 0.5, kForever, 0.5}, {Kind::Constant, 1, 1, 1, 1}}),
            "s: a piece without an end in front of others");
  EXPECT_EQ(refused({{Kind::Constant, 1, 1, 1, 1}, {Kind::Repeat, 0, 0, 2, 1}}),
            "s: repeats 2 pieces, 1 are in front");
  EXPECT_EQ(refused({{Kind::Slope, 0.5, 0.9, kForever, -0.1}}),
            "s: a slope of -0.1 does not lead from 0.5 to 0.9");
  EXPECT_FALSE(moves({{Kind::Constant, 0.3, 0.3, 2, 1}, {Kind::Repeat, 0, 0, 1, 1}}));
  EXPECT_TRUE(moves(cycle));
}

TEST(MemoryXSchedule, UpdatesAreDueInTheirIntervalOrByTheirList) {
  const UpdateTimes times{10, 20, 4, {}};
  std::vector<uint64_t> due;
  for (uint64_t k = 0; k < 40; ++k) {
    if (due_at(times, k)) due.push_back(k);
  }
  EXPECT_EQ(due, (std::vector<uint64_t>{10, 14, 18}));
  const UpdateTimes list{0, 0, 1, {3, 5}};
  EXPECT_TRUE(due_at(list, 3) && due_at(list, 5));
  EXPECT_FALSE(due_at(list, 4));
}

TEST(MemoryXTraining, RefusesWhatMakesNoSense) {
  const auto words = [](const std::function<void(TrainingJob*)>& change) {
    TrainingJob job = job_of(10, 4);
    job.sparsity.resize(1);
    job.sparsity[0].pattern = "layers.0.weight";
    change(&job);
    try {
      MemoryX memory(job, {});
    } catch (const BadInput& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const auto has = [&](const std::function<void(TrainingJob*)>& change, const char* part) {
    EXPECT_NE(words(change).find(part), std::string::npos) << words(change);
  };
  EXPECT_EQ(words([](TrainingJob*) {}), "nothing");
  has([](TrainingJob* j) { j->layers[1].inputs = 23; }, "do not fit each other");
  has([](TrainingJob* j) { j->layers[1].activation = "relu"; }, "last layer");
  has([](TrainingJob* j) { j->optimizer.rate = {}; }, "empty schedule");
  has([](TrainingJob* j) { j->optimizer.rate = constant_schedule(-1); },
      "from 0 to 1000000, not -1");
  has([](TrainingJob* j) { j->optimizer.beta1 = 1; }, "beta1");
  has([](TrainingJob* j) { j->optimizer.epsilon = 1e-60; }, "epsilon must be from 1.1755e-38 to 1");
  has([](TrainingJob* j) { j->optimizer.nesterov = true; }, "needs a momentum");
  has([](TrainingJob* j) { j->loss_scale.initial = 3; }, "power of two");
  has([](TrainingJob* j) { j->sparsity[0].pattern = "layer.*"; }, "no matrix has a name");
  has([](TrainingJob* j) { j->sparsity[0].density = constant_schedule(1.5); }, "density");
  has([](TrainingJob* j) { j->sparsity[0].algorithm = SparsityGroup::Algorithm::Gradual; },
      "density that changes");
}

TEST(MemoryXPool, TheFirstErrorOfAPieceIsThrown) {
  Pool pool(3);
  std::vector<int> done(100);
  pool.run(done.size(), [&](size_t k) { done[k] = 1; });
  EXPECT_EQ(done, std::vector<int>(100, 1));
  EXPECT_THROW(pool.run(10,
                        [](size_t k) {
                          if (k == 4) throw BadInput("four");
                        }),
               BadInput);
  pool.run(1, [&](size_t) { done[0] = 2; });
  EXPECT_EQ(done[0], 2);
}

}  // namespace
}  // namespace ow::memoryx
