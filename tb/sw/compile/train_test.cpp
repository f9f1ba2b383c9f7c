// SPDX-License-Identifier: Apache-2.0
// Steps of a training on grids of RTL tiles against the reference trainer: every activation, delta
// and gradient, and every weight after the update, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../memoryx/both.h"
#include "ow/base/error.h"
#include "ow/execute/network_run.h"
#include "ow/execute/train_grid.h"
#include "ow/golden/network.h"
#include "ow/measure/weight_search.h"
#include "ow/sim/sim.h"
#include "train_jobs.h"

namespace ow::jobs {
namespace {

// Trains on a grid and by the reference, in step.
class Beside {
 public:
  explicit Beside(const TrainingJob& job, const std::optional<Choices>& choices = std::nullopt)
      : job_(job),
        golden_(job),
        memory_(job, {}),
        image_(firmware()),
        machine_(make_runtime(make_device(DeviceKind::Replicated, {job.grid_rows, job.grid_cols}))),
        grid_(machine_, image_, make_plan("test", job, image_, kFullTile, choices)),
        rng_(5) {
    memory_.begin();
  }

  void step() {
    std::vector<golden::MicroBatch> batches;
    for (int m = 0; m < job_.micro_batches; ++m) batches.push_back(micro_batch());
    const memoryx::Optimizer::Result mine = memory_.finish_step();
    const golden::Trainer::Result theirs = golden_.update(batches);
    EXPECT_EQ(mine.skipped, theirs.skipped);
    skipped_ += mine.skipped ? 1 : 0;
    for (size_t k = 0; k < memory_.store().tensors(); ++k) {
      ASSERT_TRUE(memoryx::same_bits(memoryx::weights_of(memory_.store(), k),
                                     golden_.parameters()[k].value))
          << golden_.parameters()[k].name << " after step " << golden_.step();
    }
  }

  TrainGrid& grid() { return grid_; }
  // For looks into tiles at rest.
  ControlPlane control() { return ControlPlane(device_of(machine_)); }
  const memoryx::MemoryX& memory() const { return memory_; }
  const golden::Trainer& golden() const { return golden_; }
  int skipped() const { return skipped_; }

 private:
  golden::MicroBatch micro_batch() {
    const auto samples = static_cast<int>(job_.micro_batch());
    const int outputs = job_.layers.back().outputs;
    const Activations x =
        random_activations(rng_.next(), job_.type, job_.layers.front().inputs, samples, -1.0, 1.0);
    Targets targets;
    for (int s = 0; s < samples; ++s) {
      targets.classes.push_back(static_cast<int>(rng_.below(static_cast<uint64_t>(outputs))));
    }
    if (job_.loss == "mean_squared_error") {
      targets.values = random_activations(rng_.next(), job_.type, outputs, samples, -1.0, 1.0);
    }
    golden::MicroBatch want = golden_.run(x, targets);
    const size_t depth = job_.layers.size();
    // Deltas overwrite the activations, so these are compared after a forward pass alone.
    EXPECT_EQ(grid_.forward(memory_, x).outputs.values, want.outputs.back().values);
    for (size_t k = 0; k < depth; ++k) {
      EXPECT_EQ(grid_.read_value(value_of(k), samples).values,
                want.outputs[golden_.tensor_of(k)].values)
          << "activations " << k;
    }
    const int slot = memory_.gradient_slot();
    const TrainRun run = grid_.train(memory_, x, targets);
    EXPECT_EQ(run.outputs.values, want.outputs.back().values);
    EXPECT_EQ(grid_.read_value(0, samples).values, x.values);
    for (size_t k = 0; k < depth; ++k) {
      if (!grid_.plan().values[static_cast<size_t>(value_of(k))].kept) continue;
      EXPECT_EQ(grid_.read_deltas(value_of(k)).values, want.deltas[golden_.sum_of(k)].values)
          << "deltas " << k;
    }
    compare_gradients(want, slot);
    EXPECT_GT(run.times.forward, 0u);
    EXPECT_GT(run.times.gradients, 0u);
    return want;
  }

  // The graph's value that layer k gives, behind its activation.
  int value_of(size_t k) const { return static_cast<int>(golden_.tensor_of(k)) + 1; }

  void compare_gradients(const golden::MicroBatch& want, int slot) {
    const memoryx::Store& store = memory_.store();
    for (size_t k = 0; k < store.tensors(); ++k) {
      const size_t n = store.spec(k).elements();
      const std::vector<float> got = memoryx::copy_of(store.gradient(k, slot, 0, n));
      std::vector<uint8_t> mask(n, 1);
      if (store.spec(k).masked && !memory_.needs_dense(k)) {
        const auto view = store.mask(k, 0, n);
        mask.assign(view.begin(), view.end());
      }
      for (size_t i = 0; i < n; ++i) {
        if (mask[i] == 0) continue;
        ASSERT_EQ(std::memcmp(&got[i], &want.gradients[k][i], sizeof(float)), 0)
            << store.spec(k).name << " " << i << ": " << got[i] << ", not " << want.gradients[k][i];
      }
    }
  }

  TrainingJob job_;
  golden::Trainer golden_;
  memoryx::MemoryX memory_;
  ElfImage image_;
  Runtime machine_;
  TrainGrid grid_;
  Rng rng_;
  int skipped_ = 0;
};

struct Case {
  const char* what;
  GridShape grid;
  int samples;
  std::vector<int> sizes;
  double density;
  HalfType type;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.what; }

class Train : public testing::TestWithParam<Case> {};

TEST_P(Train, EveryBitIsThatOfTheReference) {
  const Case& c = GetParam();
  TrainingJob job = job_for(c.grid, c.samples, c.sizes);
  job.type = c.type;
  if (c.density < 1) make_sparse(&job, c.density);
  Beside both(job);
  for (int k = 0; k < 2; ++k) both.step();
  EXPECT_EQ(both.skipped(), 0);
}

// The same with whole sums in all passes, and in every second one of each direction.
TEST_P(Train, EveryBitIsThatOfTheReferenceInBothOrdersOfSums) {
  const Case& c = GetParam();
  TrainingJob job = job_for(c.grid, c.samples, c.sizes);
  job.type = c.type;
  if (c.density < 1) make_sparse(&job, c.density);
  for (const bool mixed : {false, true}) {
    job.forward.assign(job.layers.size(), SumOrder::Whole);
    job.delta = job.forward;
    for (size_t k = 0; mixed && k < job.layers.size(); ++k) {
      (k % 2 == 0 ? job.forward : job.delta)[k] = SumOrder::Column;
    }
    Beside both(job);
    both.step();
  }
}

// Shapes, densities and windows at random, with the orders that the compiler chooses or any others.
TEST(TrainRandom, EveryBitIsThatOfTheReference) {
  constexpr uint64_t kSeed = 21;
  Rng rng(kSeed);
  const auto up_to = [&rng](int most) { return 1 + static_cast<int>(rng.below(most)); };
  int whole = 0;
  for (int n = 0; n < 10; ++n) {
    std::vector<int> sizes;
    for (int k = 0, layers = up_to(3); k <= layers; ++k) sizes.push_back(up_to(40));
    TrainingJob job = job_for({up_to(4), up_to(3)}, 8 * up_to(4), sizes);
    job.type = rng.below(2) == 0 ? HalfType::Binary16 : HalfType::Bfloat16;
    if (rng.below(2) == 0) job.loss = "mean_squared_error";
    make_sparse(&job, rng.uniform());
    if (n % 2 == 0) {
      job = with_sum_orders(job);
    } else {
      for (size_t k = 0; k < job.layers.size(); ++k) {
        for (std::vector<SumOrder>* orders : {&job.forward, &job.delta}) {
          orders->push_back(rng.below(2) == 0 ? SumOrder::Whole : SumOrder::Column);
        }
      }
    }
    for (const std::vector<SumOrder>* orders : {&job.forward, &job.delta}) {
      whole += static_cast<int>(std::count(orders->begin(), orders->end(), SumOrder::Whole));
    }
    SCOPED_TRACE(testing::Message() << "network " << n << " of seed " << kSeed);
    const auto window = static_cast<uint32_t>(rng.below(6));  // 0: as the plan has it
    std::optional<Choices> choices;
    if (window > 0) choices = Choices{UINT32_MAX, window};
    Beside both(job, choices);
    both.step();
  }
  EXPECT_GT(whole, 5);
}

constexpr HalfType kF16 = HalfType::Binary16, kBf16 = HalfType::Bfloat16;
INSTANTIATE_TEST_SUITE_P(
    Shapes, Train,
    testing::Values(Case{"one layer on one tile", {1, 1}, 8, {5, 3}, 1, kF16},
                    Case{"dense", {2, 2}, 16, {9, 7, 5}, 1, kF16},
                    Case{"sparse", {2, 2}, 16, {20, 14, 6}, 0.1, kF16},
                    Case{"dense, bfloat16", {2, 2}, 16, {9, 7, 5}, 1, kBf16},
                    Case{"sparse, bfloat16", {2, 2}, 16, {20, 14, 6}, 0.1, kBf16},
                    Case{"no sums round the column", {1, 3}, 8, {6, 5, 4}, 0.5, kF16},
                    Case{"none along the row", {3, 1}, 8, {7, 8, 5, 4}, 0.5, kF16},
                    Case{"rows without features", {4, 3}, 8, {3, 9, 2}, 0.5, kBf16},
                    Case{"rows that send in one round alone", {4, 1}, 64, {3, 1}, 1, kF16},
                    Case{".. and one after it", {4, 1}, 64, {3, 1, 4}, 1, kF16},
                    Case{"digits", {4, 4}, 32, {64, 128, 10}, 0.1, kF16}));

// Layers without a bias or a ReLU; the other loss; four layers, so that deltas change places.
TEST(TrainKinds, EveryKindOfLayerAndLossIsThatOfTheReference) {
  TrainingJob job = job_for({2, 3}, 16, {10, 8, 9, 7, 5});
  job.layers[1].bias = false;
  job.layers[2].activation = "none";
  for (const std::string& loss :
       std::vector<std::string>{"softmax_cross_entropy", "mean_squared_error"}) {
    job.loss = loss;
    Beside both(job);
    both.step();
  }
}

// Deltas that are gathered, gradients that are sent and deltas that are made, a few at a time.
TEST(TrainKinds, SmallAreasGiveTheSameBits) {
  TrainingJob job = job_for({3, 2}, 16, {20, 26, 17});
  for (const std::string& loss :
       std::vector<std::string>{"mean_squared_error", "softmax_cross_entropy"}) {
    job.loss = loss;
    Beside both(job, Choices{3, 1});  // as many as grid rows, at least
    for (int k = 0; k < 2; ++k) both.step();
  }
  job.delta = {SumOrder::Whole, SumOrder::Whole};
  Beside whole(job, Choices{UINT32_MAX, 4});
  whole.step();
}

// RigL wants gradients of all positions, but only before its mask changes.
TEST(TrainKinds, MasksThatChangeGetTheGradientsThatTheyNeed) {
  TrainingJob job = job_for({2, 2}, 16, {12, 10, 4});
  make_sparse(&job, 0.3);
  job.sparsity[0].algorithm = SparsityGroup::Algorithm::Rigl;
  job.sparsity[0].update.start = 1;
  job.sparsity[0].update.every = 2;
  Beside both(job);
  for (int k = 0; k < 4; ++k) both.step();
}

// Several micro-batches, clipping, and a scale at which the first step overflows.
TEST(TrainKinds, AStepThatOverflowsIsSkippedAsByTheReference) {
  TrainingJob job = job_for({2, 2}, 8, {9, 7, 5});
  job.micro_batches = 3;
  job.optimizer.max_norm = 0.5;
  job.loss_scale.initial = 131072;
  job.loss_scale.dynamic = true;
  Beside both(job);
  for (int k = 0; k < 4; ++k) both.step();
  EXPECT_GE(both.skipped(), 1);
  EXPECT_LT(both.skipped(), 4);
}

TEST(TrainMemory, NoTileHoldsAWeight) {
  const TrainingJob job = job_for({2, 2}, 16, {24, 18, 6});
  Beside both(job);
  const Network network = both.golden().network();  // what the step streams
  both.step();
  const bench::WeightSearch search(network, job.grid_rows);
  ASSERT_GT(search.runs(), 1000u);
  ControlPlane control = both.control();
  EXPECT_EQ(search.found(&control), 0u);
  // A stream's wavelets in the work area, or weights beside each other, would have been seen.
  std::vector<uint32_t> wavelets, pairs;
  for (uint32_t i = 0; i < bench::WeightSearch::kRun; ++i) {
    wavelets.push_back(i << 16 | network.layers[0].weight(5, static_cast<int>(2 * i)));
  }
  for (int i = 0; i < static_cast<int>(bench::WeightSearch::kRun); i += 2) {
    pairs.push_back(uint32_t{network.layers[1].weight(i + 1, 3)} << 16 |
                    network.layers[1].weight(i, 3));
  }
  control.write_tile(1, 0, both.grid().plan().targets_addr, wavelets);
  EXPECT_EQ(search.found(&control), 1u);
  control.write_tile(0, 1, both.grid().plan().targets_addr, pairs);
  EXPECT_EQ(search.found(&control), 2u);
}

TEST(TrainForward, TakesABatchThatIsNotFull) {
  const TrainingJob job = job_for({2, 2}, 16, {9, 7, 5});
  Beside both(job);
  const Activations x = random_activations(3, job.type, 9, 21, -1.0, 1.0);
  const Network network = both.golden().network();
  const Activations y = both.grid().forward(both.memory(), x).outputs;
  EXPECT_EQ(y.samples, 21);
  EXPECT_EQ(y.values, golden::run_network(network, x, 2, false).back().values);
  both.step();
}

// Sums of steps are the device's cycles but for what the host reads, whatever is modelled: two
// steps and an evaluation take the same with time outside the wafer that nobody has to wait for.
TEST(TrainGrid, ModelledTimeThatNobodyWaitsForAddsNoCycle) {
  const TrainingJob job = job_for({2, 2}, 8, {9, 7, 5});
  std::vector<uint64_t> cycles[2];
  for (const bool timed : {false, true}) {
    const ElfImage image = firmware();
    const Runtime machine =
        make_runtime(make_device(DeviceKind::Replicated, {job.grid_rows, job.grid_cols}));
    TrainGrid grid(machine, image, make_plan("test", job, image, kFullTile));
    memoryx::MemoryX memory(job, {});
    memory.begin();
    if (timed) {
      TimeModel time;
      time.edge.rate = time.store.rate = time.samples.rate = time.optimizer.rate =
          kTimeUnit * kTimeUnit;
      grid.set_time(time);
    }
    const auto samples = static_cast<int>(job.micro_batch());
    const Activations x = random_activations(3, job.type, 9, samples, -1.0, 1.0);
    Targets targets;
    targets.classes.assign(static_cast<size_t>(samples), 1);
    for (int step = 0; step < 2; ++step) {
      const TrainRun run = grid.train(memory, x, targets);
      // 9 inputs and 5 outputs, on two grid rows: one has 5 inputs of each output and 3 biases.
      EXPECT_EQ(run.row_gradients, 5u * 7u + 4u + 4u * 5u + 3u);
      EXPECT_GT(run.gradients, 2 * run.row_gradients - 20);
      cycles[timed ? 1 : 0].push_back(run.cycles);
      memory.finish_step();
      cycles[timed ? 1 : 0].push_back(grid.forward(memory, x).cycles);
      grid.read_value(0, 1);  // is in no step
    }
  }
  EXPECT_THAT(cycles[1], testing::ElementsAreArray(cycles[0]));
}

}  // namespace
}  // namespace ow::jobs
