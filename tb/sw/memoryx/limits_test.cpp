// SPDX-License-Identifier: Apache-2.0
// A store four times as large as the memory that it is given: a process whose address space may not
// grow by more than a quarter of the store's bytes trains, streams, saves and loads, and gets the
// bits of one that has all the memory it wants.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "both.h"
#include "limited.h"

namespace ow::memoryx {
namespace {

TrainingJob job_of() {
  TrainingJob job;
  for (int k = 0; k < 8; ++k) {
    job.layers.push_back({1024, 1024, k < 7 ? "relu" : "none", true});
  }
  job.optimizer.max_norm = 1;
  job.optimizer.weight_decay = 0.01;
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "layers.[246].weight";
  job.sparsity[0].algorithm = SparsityGroup::Algorithm::Rigl;
  job.sparsity[0].density = constant_schedule(0.2);
  job.sparsity[0].update.every = 2;
  return job;
}

void add_stream(const MemoryX& memory, Pass pass, NumberOf* hash) {
  StreamSchedule schedule;
  for (const LayerParameters& layer : parameters_of(memory.job().layers)) {
    schedule.push_back({layer.weight, pass});
  }
  const auto stream = memory.stream(schedule, {4, 0, false, 1 << 16});
  std::vector<Wavelet> part;
  for (bool open = true; open;) {
    open = false;
    for (int r = 0; r < 4; ++r) {
      part.clear();
      stream->next(r, 10000, &part);
      for (const Wavelet& w : part) hash->add(&w.data, sizeof w.data);
      open = open || !stream->done(r);
    }
  }
}

// Two steps, streams, a checkpoint and back: everything that there is, in one number.
uint64_t work(const StoreOptions& where, const std::string& checkpoint) {
  MemoryOptions options;
  options.store = where;
  MemoryX memory(job_of(), options);
  memory.begin();
  NumberOf hash;
  for (int step = 0; step < 2; ++step) {
    Rng rng(static_cast<uint64_t>(step));
    const Store& store = memory.store();
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
  add_stream(memory, Pass::Forward, &hash);
  add_stream(memory, Pass::Delta, &hash);
  add_stream(memory, Pass::Gradient, &hash);
  memory.save(checkpoint);
  memory.begin();
  memory.load(checkpoint);
  const Store& store = memory.store();
  for (size_t t = 0; t < store.tensors(); ++t) {
    store.each_window(t, [&](size_t first, size_t count) {
      hash.add(store.weights(t, first, count).data(), count * sizeof(float));
    });
    store.each_window(t, [&](size_t first, size_t count) {
      hash.add(store.moment(t, 1, first, count).data(), count * sizeof(float));
    });
  }
  std::remove(checkpoint.c_str());
  return hash.value();
}

TEST(MemoryXLimits, AStoreOfFourTimesItsMemoryGivesTheSameBits) {
  const std::string file = testing::TempDir() + "ow_limits_" + std::to_string(getpid());
  MemoryX whole(job_of(), {});
  const size_t memory = whole.store().bytes() / 4;
  EXPECT_GT(whole.store().bytes(), size_t{130} << 20);
  const auto limited = [&](const StoreOptions& where) {
    return in_a_process([&] {
      limit_memory(memory);
      return work(where, file + ".limited");
    });
  };
  const std::string want = in_a_process([&] { return work({}, file); });
  EXPECT_EQ(want.find("status"), std::string::npos) << want;
  EXPECT_EQ(limited({testing::TempDir(), size_t{1} << 18}), want);
  EXPECT_NE(limited({}), want) << "the limit is one: without a file it is not enough";
}

}  // namespace
}  // namespace ow::memoryx
