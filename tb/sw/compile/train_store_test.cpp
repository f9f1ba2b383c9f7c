// SPDX-License-Identifier: Apache-2.0
// Trainings whose arrays lie in a file that is mapped part by part (`train.store`): the same bits,
// and less memory than the arrays take.
#include <gtest/gtest.h>

#include <string>

#include "../memoryx/limited.h"
#include "ow/base/rng.h"
#include "train_directory.h"

namespace ow::jobs {
namespace {

TEST_F(TrainJob, AStoreInAFileChangesNoBit) {
  const TrainParams whole = params();
  run_training(whole, options("whole", false));
  const std::string text = with("  seed: 3\n",
                                "  seed: 3\n  store: {directory: ., window: 4096, "
                                "threads: 2}\n  num_wafers: 2\n");
  TrainParams mapped = params(text);
  EXPECT_EQ(mapped.memory.store.directory, directory_ + "/.");
  RunOptions run = options("mapped", false);
  run.num_steps = 5;
  EXPECT_EQ(run_training(mapped, run).different, 0u);
  // Goes on in memory, and so does the other way round.
  run.resume = true;
  run.num_steps = 1;
  run_training(whole, run);
  run.num_steps = 0;
  run_training(mapped, run);
  EXPECT_TRUE(last_checkpoint("mapped") == last_checkpoint("whole"));
  mapped.memory.store.directory = directory_ + "/none";
  EXPECT_THROW(check_training(mapped, options("", false)), BadInput);
}

// Steps with made-up gradients: what the weights are then, in one number.
uint64_t steps(const TrainParams& params) {
  memoryx::MemoryX memory(params.job, params.memory);
  memory.begin();
  memoryx::Store& store = memory.store();
  for (uint64_t step = 0; step < 2; ++step) {
    Rng rng(step);
    for (size_t t = 0; t < store.tensors(); ++t) {
      store.each_window(t, [&](size_t first, size_t count) {
        for (float& g : store.gradient(t, memory.gradient_slot(), first, count)) {
          g = static_cast<float>(rng.next() >> 40) * 0x1p-24f - 0.5f;
        }
      });
    }
    memory.gradient_added();
    memory.finish_step();
  }
  memoryx::NumberOf hash;
  for (size_t t = 0; t < store.tensors(); ++t) {
    store.each_window(t, [&](size_t first, size_t count) {
      hash.add(store.weights(t, first, count).data(), count * sizeof(float));
    });
  }
  return hash.value();
}

TEST_F(TrainJob, AStoreOfFourTimesItsMemoryIsReachedFromTheFile) {
  const auto job = [&](const std::string& store) {
    return params(
        "data: {file: x.csv}\nnetwork: {layers: [1024, 1024, 1024, 1024, 1024]}\n"
        "grid: {rows: 2, columns: 2}\ntrain:\n  seed: 1\n  steps: 2\n"
        "  optimizer: {kind: adamw, rate: 0.01, max_norm: 1}\n"
        "  sparsity: [{pattern: layers.2.*, algorithm: rigl, density: 0.2}]\n" +
        store);
  };
  const TrainParams in_memory = job("");
  const TrainParams mapped = job("  store: {directory: ., window: 65536}\n");
  const size_t bytes = memoryx::MemoryX(in_memory.job, {}).store().bytes();
  const auto limited = [&](const TrainParams& params) {
    return memoryx::in_a_process([&] {
      memoryx::limit_memory(bytes / 4);
      return steps(params);
    });
  };
  const std::string want = std::to_string(steps(in_memory));
  EXPECT_EQ(limited(mapped), want);
  EXPECT_NE(limited(in_memory), want) << "the limit is one";
}

}  // namespace
}  // namespace ow::jobs
