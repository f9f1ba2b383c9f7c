// SPDX-License-Identifier: Apache-2.0
// Plans of trainings: what fits, what is refused, where tensors lie, in which order sums are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/execute/network_run.h"
#include "train_jobs.h"

namespace ow::jobs {
namespace {

TEST(TrainPlans, RefuseWhatDoesNotFit) {
  const ElfImage image = firmware();
  const auto refused = [&](const TrainingJob& job, const TileConfig& tile) {
    return refusal_of([&] { make_plan("test", job, image, tile); });
  };
  EXPECT_EQ(refused(job_for({4, 4}, 32, {64, 128, 10}), kFullTile), "");
  EXPECT_EQ(refused(job_for({4, 4}, 12, {64, 128, 10}), kFullTile),
            "test: 12 samples a tile: must be a multiple of the 8 lanes, the limit is 128 (a row "
            "of the accumulator cache)");
  EXPECT_THAT(
      refused(job_for({1, 1}, 32, {1024, 1024, 10}), kFullTile),
      testing::MatchesRegex("test: training layers 1024-1024-10 with 32 samples a tile on "
                            "1 grid rows needs [0-9]+ bytes of a tile, the limit is 49152 .*"));
  // Orders come from a file that anybody may have written.
  TrainingJob wide = job_for({2, 1}, 8, {1200, 4});
  EXPECT_EQ(refused(wide, kFullTile), "");
  wide.forward = wide.delta = {SumOrder::Whole};
  EXPECT_EQ(refused(wide, kFullTile),
            "test: a pass with whole sums gathers 1200 features of a column in each tile, the "
            "limit is 873");
  EXPECT_EQ(refused(job_for({4, 4}, 32, {8, 8, 8, 8, 8, 8, 8, 8, 8, 8}), kFullTile), "");
  EXPECT_EQ(refused(job_for({4, 4}, 32, {64, 128, 10}),
                    TileConfig{{8, 13, 4, 49152}, kFullTile.features, kFullTile.operations}),
            "test: 4 x 4 tiles need 6 colours, the limit is 4");
}

TEST(TrainPlans, SayWhichStreamsTheTilesTake) {
  using memoryx::Pass;
  constexpr SumOrder kColumn = SumOrder::Column, kWhole = SumOrder::Whole;
  TrainingJob job = job_for({2, 1}, 8, {9, 7, 5});
  job.forward = {kWhole, kColumn};
  job.delta = {kColumn, kWhole};
  job.layers[0].bias = false;
  const Plan plan = make_plan("test", job, firmware(), kFullTile, Choices{4, 2});
  const memoryx::TrainStreams& streams = plan.streams;
  EXPECT_EQ(streams.options.rows, 2);
  const memoryx::StreamSchedule forward = {{0, Pass::Forward, kWhole}, {1, Pass::Forward, kColumn}};
  EXPECT_EQ(streams.forward, forward);
  memoryx::StreamSchedule step = forward;
  step.push_back({2, Pass::Gradient});                 // the biases of the last layer
  step.push_back({1, Pass::Gradient, kColumn, 0, 5});  // at once, because its deltas are whole
  step.push_back({1, Pass::Delta, kWhole, 0, 4});      // two features of each grid row
  step.push_back({1, Pass::Delta, kWhole, 4, 3});
  step.push_back({0, Pass::Gradient, kColumn, 0, 4});
  step.push_back({0, Pass::Gradient, kColumn, 4, 3});
  EXPECT_EQ(streams.step, step);
  EXPECT_EQ(memoryx::passes_of(step), (std::vector<size_t>{0, 1, 2, 3, 4, 4, 5, 5}));
}

TEST(TrainPlans, ChooseTheOrderOfSumsThatTakesFewerCycles) {
  using Orders = std::vector<SumOrder>;
  constexpr SumOrder kColumn = SumOrder::Column, kWhole = SumOrder::Whole;
  const auto chosen = [](GridShape grid, double density, const std::vector<int>& sizes) {
    TrainingJob job = job_for(grid, 32, sizes);
    if (density < 1) make_sparse(&job, density);
    return with_sum_orders(job);
  };
  // n weights a tile and output: 4 n < n + 33 where the deltas have been gathered.
  EXPECT_EQ(chosen({4, 4}, 0.5, {8, 1024, 128}).delta[1], kColumn);  // 16
  EXPECT_EQ(chosen({4, 4}, 0.2, {8, 1024, 128}).delta[1], kWhole);   // 6.4
  EXPECT_EQ(chosen({8, 8}, 1, {8, 1024, 128}).delta[1], kColumn);    // 16
  EXPECT_EQ(chosen({8, 8}, 0.5, {8, 1024, 128}).delta[1], kWhole);   // 8
  // 1,024 inputs are more than a tile has room for; 64 are not, and are worth it for 128 outputs.
  EXPECT_EQ(chosen({4, 4}, 0.01, {1024, 128}).forward, Orders{kColumn});
  EXPECT_EQ(chosen({4, 4}, 0.1, {64, 128, 10}).forward, (Orders{kWhole, kColumn}));
  EXPECT_EQ(chosen({1, 4}, 0.1, {64, 128, 10}).forward, (Orders{kColumn, kColumn}));
  // A mask that is pruned counts as it ends; orders that are named stay.
  TrainingJob job = job_for({4, 4}, 32, {64, 128, 10});
  make_sparse(&job, 1);
  job.sparsity[0].algorithm = SparsityGroup::Algorithm::Gradual;
  job.sparsity[0].density = {{SchedulePiece::Kind::Cubic, 1, 0.1, 100, 1}};
  EXPECT_EQ(with_sum_orders(job).forward, (Orders{kWhole, kColumn}));
  job.forward = job.delta = {kColumn, kColumn};
  EXPECT_EQ(with_sum_orders(job).forward, job.forward);
}

TEST(TrainPlans, KeepActivationsAndOneWindowOfDeltas) {
  const ElfImage image = firmware();
  // Orders are chosen for a program of so many bytes.
  const uint32_t stack = image.symbol("ow_stack_top") - image.symbol("ow_heap_end");
  EXPECT_LE(image.symbol("ow_heap") + stack, kProgramBytes);
  // 512-512-10 with 32 samples a tile: 32 kB of activations on two grid rows.
  const Plan tight = make_plan("test", job_for({2, 2}, 32, {512, 512, 10}), image, kFullTile);
  EXPECT_LT(tight.window, 256u);
  EXPECT_GE(tight.window, 16u);
  EXPECT_GE(tight.choices.piece, 16u);
  const Plan roomy = make_plan("test", job_for({4, 4}, 32, {64, 128, 10}), image, kFullTile);
  EXPECT_EQ(roomy.window, 32u);
  EXPECT_EQ(roomy.choices.piece, 128u);
  // The last deltas are made where they are gathered: no other place is kept for them.
  EXPECT_TRUE(roomy.values.back().gathered);
  // Deltas of the hidden layer come in one window in front of its activations.
  EXPECT_EQ(roomy.values[2].delta_addr + 32 * 2 * 32, roomy.values[2].addr);
}

// What an output should be is not looked at again when its delta is made: without that place three
// tensors of 1,024 features would not fit 8x8 tiles.
TEST(TrainPlans, LastDeltasTakeTheirTargetsPlaceWhereTheyAreNotGathered) {
  TrainingJob job = job_for({8, 8}, 32, {1024, 1024, 1024});
  job.loss = "mean_squared_error";
  const Plan wide = make_plan("test", job, firmware(), kFullTile);
  EXPECT_FALSE(wide.values.back().gathered);
  EXPECT_EQ(wide.values.back().delta_addr, wide.targets_addr);
  EXPECT_GE(wide.choices.piece, 48u);
  job = job_for({4, 4}, 32, {64, 128, 16});
  job.loss = "mean_squared_error";
  const Plan roomy = make_plan("test", job, firmware(), kFullTile);
  EXPECT_TRUE(roomy.values.back().gathered);
}

TEST(Plan, AsksForTheUnitsThatTheJobUses) {
  using isa::reg::Features, isa::reg::Operations;
  const HalfType half = HalfType::Binary16;
  TileConfig tile = kFullTile;
  tile.features &= ~Features::Stochastic::kMask;
  EXPECT_NO_THROW(check_units("test", half, "softmax_cross_entropy", tile));
  tile.features &= ~Features::Nonlinear::kMask & ~Features::Int32::kMask;
  tile.operations &= ~Operations::Bfloat16::kMask;
  EXPECT_NO_THROW(check_units("test", half, "mean_squared_error", tile));
  EXPECT_THROW(check_units("test", half, "softmax_cross_entropy", tile), BadInput);
  EXPECT_THROW(check_units("test", HalfType::Bfloat16, "mean_squared_error", tile), BadInput);
  tile.features &= ~Features::DotwRows::kMask;
  EXPECT_THROW(check_units("test", half, "mean_squared_error", tile), BadInput);
}

}  // namespace
}  // namespace ow::jobs
