// SPDX-License-Identifier: Apache-2.0
// A store four times as large as the memory that it is given: a process whose address space may not
// grow by more than a quarter of the store's bytes trains, streams, saves and loads, and gets the
// bits of one that has all the memory it wants.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "both.h"
#include "limited.h"
#include "messages.h"
#include "ow/memoryx/gradient_sink.h"

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
  const auto stream = memory.stream(schedule, {4, false, 1 << 16});
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

// Ranges are known without a byte of the store: this one has 4 TB.
TEST(MemoryXLimits, RangesAreCheckedWithoutAStore) {
  TrainingJob job;
  for (int k = 0; k < 100; ++k) job.layers.push_back({65536, 65536, "none", false});
  MemoryOptions options;
  options.store.directory = testing::TempDir();
  EXPECT_EQ(refusal_of([&] { check_ranges(job, options); }), "");
  options.store.directory = "/no/such/directory";
  EXPECT_NE(refusal_of([&] { check_ranges(job, options); }), "");
  options.store.directory.clear();
  options.threads = 0;
  EXPECT_EQ(refusal_of([&] { check_ranges(job, options); }), "threads must be from 1 to 1024");
  options.threads = 1;
  job.optimizer.beta1 = 1;
  EXPECT_EQ(refusal_of([&] { check_ranges(job, options); }),
            "optimizer: beta1 and beta2 must be from 0 to below 1");
  job.optimizer.beta1 = 0.9;
  job.loss_scale.initial = 3;
  EXPECT_NE(refusal_of([&] { check_ranges(job, options); }), "");
  job.loss_scale.initial = 1;
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "nothing";
  EXPECT_NE(refusal_of([&] { check_ranges(job, options); }), "");
}

TEST(MemoryXLimits, AStoreHas65535ParametersByName) {
  std::vector<TensorSpec> specs;
  for (size_t k = 0; k < kMaxParameters; ++k) specs.push_back({"p" + std::to_string(k), {1, 1}});
  Store store(specs, 0, 1, {});
  for (const size_t k : {size_t{0}, kMaxParameters - 1}) {
    EXPECT_EQ(store.index("p" + std::to_string(k)), k);
    store.weights(k, 0, 1)[0] = 1.0f + static_cast<float>(k);
  }
  const StreamSchedule schedule = {{kMaxParameters - 1, Pass::Forward}, {0, Pass::Forward}};
  const auto make = [&](const StreamStep& step) {
    return store_matrix(store, step.parameter, HalfType::Bfloat16, step.pass);
  };
  WeightStream stream(matrix_batches(schedule, make, {}), {});
  std::vector<Wavelet> wavelets;
  while (!stream.done(0)) stream.next(0, 10, &wavelets);
  ASSERT_EQ(wavelets.size(), 4u);
  EXPECT_EQ(wavelets[0].data, 0x4780u);  // 65,535 is rounded to 65,536
  EXPECT_EQ(wavelets[2].data, 0x3F80u);
  const std::string file = testing::TempDir() + "ow_many_" + std::to_string(getpid());
  save_checkpoint(file, store, {});
  store.weights(kMaxParameters - 1, 0, 1)[0] = 0;
  load_checkpoint(file, store);
  EXPECT_EQ(store.weights(kMaxParameters - 1, 0, 1)[0], 65535.0f);
  std::remove(file.c_str());
  specs.push_back({"one more", {1, 1}});
  EXPECT_EQ(refusal_of([&] { Store(specs, 0, 1, {}); }), "65536 parameters, the limit is 65535");
}

// A line of /proc/self/status, in bytes.
size_t memory_status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(name, 0) == 0) return std::stoul(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

// A device that only answers: as many gradients from a grid row as it took positions.
void answer(MemoryX* memory, const StreamSchedule& schedule, const GradientOptions& shape) {
  StreamOptions options;
  options.rows = shape.rows;
  const auto stream = memory->stream(schedule, options);
  GradientSink sink(*memory, schedule, shape);
  std::vector<Wavelet> part;
  uint64_t count = 0;
  const auto give = [&](int row, size_t most) {
    for (; most > 0 && !sink.done(row); --most) {
      sink.take(row, static_cast<float>(++count % 1000) - 499.5f);
    }
  };
  for (bool open = true; open;) {
    open = false;
    for (int r = 0; r < shape.rows; ++r) {
      part.clear();
      stream->next(r, 4096, &part);
      if (schedule[stream->step(r)].pass == Pass::Gradient) give(r, part.size());
      open = open || !stream->done(r);
    }
  }
  for (int r = 0; r < shape.rows; ++r) give(r, SIZE_MAX);
  sink.finish();
}

// The memory that a step needs beside the store does not grow with the weights.
TEST(MemoryXLimits, AStepOf50MillionWeightsNeedsTheWindowAnd200Megabytes) {
  constexpr int kSide = 3536;
  constexpr size_t kMore = size_t{200} << 20;
  TrainingJob job;
  for (int k = 0; k < 4; ++k) job.layers.push_back({kSide, kSide, "none", true});
  StreamSchedule schedule;
  for (const size_t weight : {0, 2, 4, 6}) schedule.push_back({weight, Pass::Forward});
  for (const size_t weight : {6, 4, 2, 0}) {
    schedule.push_back({weight + 1, Pass::Gradient});
    for (int first = 0; first < kSide; first += 128) {
      const int count = std::min(128, kSide - first);
      schedule.push_back({weight, Pass::Gradient, SumOrder::Column, first, count});
    }
    for (int first = 0; weight > 0 && first < kSide; first += 512) {
      const int count = std::min(512, kSide - first);
      schedule.push_back({weight, Pass::Delta, SumOrder::Column, first, count});
    }
  }
  const StoreOptions where{testing::TempDir()};
  const std::string used = in_a_process([&] {
    const size_t before = memory_status("VmRSS:");
    MemoryOptions options;
    options.store = where;
    MemoryX memory(job, options);
    memory.begin();
    answer(&memory, schedule, {4, 8});
    memory.finish_step();
    return memory_status("VmHWM:") - before;
  });
  ASSERT_EQ(used.find("status"), std::string::npos) << used;
  RecordProperty("bytes", used);
  EXPECT_LE(std::stoul(used), where.window * sizeof(float) + kMore);
}

}  // namespace
}  // namespace ow::memoryx
