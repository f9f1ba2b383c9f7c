// SPDX-License-Identifier: Apache-2.0
// Trainings on several wafers: the bits of one, whatever their number and wherever they are.
#include "ow/swarmx/swarm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/check/training_job.h"
#include "ow/execute/train_job.h"
#include "train_directory.h"

namespace ow::jobs {
namespace {

enum class On { Golden, Rtl };

class Swarms : public TrainJob {
 protected:
  // Six steps of the job; it evaluates nothing by itself.
  TrainParams params(int micro_batches, int wafers, const std::string& text = kTrainJob) const {
    TrainParams p = load(text);
    p.steps = 6;
    p.evaluate_every = 0;
    p.job.micro_batches = micro_batches;
    p.wafers = wafers;
    return p;
  }

  RunOptions options(const std::string& model, On device) const {
    return TrainJob::options(model, device == On::Rtl);
  }

  // In so many ranks, a thread each; rank 0's report. What a rank throws is kept in errors_.
  TrainReport train(const TrainParams& p, const RunOptions& run, int ranks) {
    const auto transports = ranks::local_transports(ranks);
    errors_.assign(static_cast<size_t>(ranks), "");
    std::vector<TrainReport> reports(static_cast<size_t>(ranks));
    std::vector<std::thread> threads;
    for (size_t r = 0; r < transports.size(); ++r) {
      threads.emplace_back([&, r] {
        RunOptions here = run;
        here.transport = transports[r].get();
        try {
          reports[r] = run_training(p, here);
          transports[r]->close();
        } catch (const Error& error) {
          errors_[r] = error.what();
          transports[r]->fail(error.exit_status(), error.what());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return reports.front();
  }

  std::vector<std::string> errors_;
};

// The reference judges each of them; that they are equal is more: optimizer state, too.
TEST_F(Swarms, NumberOfWafersAndRanksChangesNoBit) {
  const struct {
    int micro_batches;
    std::vector<int> wafers;
  } cases[] = {{8, {1, 2, 4, 8}}, {3, {1, 3}}, {12, {3, 6, 12}}, {7, {1, 7}}, {5, {1, 5}}};
  int n = 0;
  for (const auto& c : cases) {
    std::string want;
    for (const int wafers : c.wafers) {
      for (const int ranks : {1, 2, 3, wafers}) {
        if (ranks > wafers) continue;
        SCOPED_TRACE(testing::Message() << c.micro_batches << " micro-batches, " << wafers
                                        << " wafers, " << ranks << " ranks");
        const std::string model = "model-" + std::to_string(n++);
        const TrainReport report =
            train(params(c.micro_batches, wafers), options(model, On::Golden), ranks);
        EXPECT_EQ(report.steps, 6u);
        EXPECT_EQ(report.compared, 6u * (6 * 9 + 9 + 9 * 3 + 3));
        EXPECT_EQ(report.different, 0u) << report.first_difference;
        for (const std::string& error : errors_) EXPECT_EQ(error, "");
        if (want.empty()) want = last_checkpoint(model);
        EXPECT_EQ(last_checkpoint(model), want);
      }
    }
  }
}

TEST_F(Swarms, OfTilesAreThoseOfOneWaferToo) {
  std::string want, loss;
  for (const int wafers : {1, 2, 4}) {
    const std::string model = "tiles-" + std::to_string(wafers);
    TrainParams p = params(4, wafers);
    p.steps = 3;
    p.base.time.preset = TimeOptions::Preset::Wse;
    const TrainReport report = train(p, options(model, On::Rtl), wafers == 4 ? 2 : 1);
    EXPECT_EQ(report.compared, 3u * (6 * 9 + 9 + 9 * 3 + 3));
    EXPECT_EQ(report.different, 0u) << report.first_difference;
    if (want.empty()) want = last_checkpoint(model);
    EXPECT_EQ(last_checkpoint(model), want);
    // What is shown is the same, too, and the stages' time stands beside the wafers'.
    const std::string metrics = read_text(directory_ + "/" + model + "/metrics.jsonl");
    const auto line = parse_json(metrics.substr(0, metrics.find('\n')), "metrics");
    if (loss.empty()) loss = line.at("loss").dump();
    EXPECT_EQ(line.at("loss").dump(), loss);
    EXPECT_EQ(line.at("wafers"), wafers);
    EXPECT_GT(line.at("samples_per_second"), 0);
    // Two steps wait for those before them, each stage both ways; the first one for weights alone.
    const uint64_t latencies = wafers == 1 ? 0 : wafers == 2 ? 1 : 2;
    const auto waits = [&](EdgeWait cause) { return report.waits[static_cast<size_t>(cause)]; };
    EXPECT_GE(waits(EdgeWait::Broadcast), 2 * latencies * kWseLatency);
    EXPECT_GE(waits(EdgeWait::Reduce), 2 * latencies * kWseLatency);
    if (wafers == 1) {
      EXPECT_EQ(waits(EdgeWait::Broadcast) + waits(EdgeWait::Reduce), 0u);
    }
  }
}

// A wafer's cycles are its own and the stages', whichever process simulates it, and when.
TEST_F(Swarms, CyclesAreTheSameInAnyNumberOfRanks) {
  TrainParams p = params(4, 4);
  p.steps = 3;
  p.base.time.preset = TimeOptions::Preset::Wse;
  p.base.time.reduce.rate = kTimeUnit / 2;
  p.base.time.broadcast_stages.resize(2);
  p.base.time.broadcast_stages[1].rate = kTimeUnit / 2;
  p.base.time.broadcast_stages[1].latency = 777;
  TrainReport want;
  for (const int ranks : {1, 2, 4}) {
    RunOptions run = options("", On::Rtl);
    run.check = false;
    const TrainReport got = train(p, run, ranks);
    for (const std::string& error : errors_) EXPECT_EQ(error, "");
    if (ranks == 1) want = got;
    EXPECT_GT(got.cycles, 0u);
    EXPECT_EQ(got.cycles, want.cycles) << ranks;
    EXPECT_EQ(got.waits, want.waits) << ranks;
    EXPECT_EQ(got.one_by_one, want.one_by_one) << ranks;
  }
  // A stage that is slower than the wafers' own links is what they wait for, each way.
  const auto waits = [](const TrainReport& r, EdgeWait cause) {
    return r.waits[static_cast<size_t>(cause)];
  };
  p.base.time.reduce.rate.reset();
  p.base.time.broadcast_stages[1].rate.reset();
  RunOptions run = options("", On::Rtl);
  run.check = false;
  const TrainReport even = train(p, run, 1);
  EXPECT_LT(even.cycles, want.cycles);
  EXPECT_LT(waits(even, EdgeWait::Reduce), waits(want, EdgeWait::Reduce));
}

// One micro-batch per wafer. With `balanced` the second step of several wafers takes as long as
// that of one wafer and at most the latencies of all stages, each way.
TEST_F(Swarms, EqualWorkTakesTheTimeOfOneWaferAndTheStages) {
  uint64_t one = 0;
  for (const int wafers : {1, 2, 4}) {
    TrainParams p = params(wafers, wafers);
    p.steps = 2;
    p.base.time.preset = TimeOptions::Preset::Balanced;
    RunOptions run = options("", On::Rtl);
    run.check = false;
    uint64_t second = 0;
    run.on_step = [&second](const TrainStep& step) { second = step.cycles; };
    train(p, run, 1);
    if (wafers == 1) one = second;
    const uint64_t stages = wafers == 1 ? 0 : wafers == 2 ? 1 : 2;
    EXPECT_GE(second, one) << wafers;
    EXPECT_LE(second, one + 2 * stages * kBalancedLatency + one / 50) << wafers;
  }
}

// Two batches of held-out samples, the second of four: on four wafers two have none.
TEST_F(Swarms, HeldOutSamplesGoForwardOnAllWafers) {
  train(params(4, 1), options("model", On::Golden), 1);
  std::vector<uint64_t> cycles;
  Evaluation want;
  for (const On device : {On::Golden, On::Rtl}) {
    for (const int wafers : {1, 2, 4}) {
      for (const int ranks : {1, 3}) {
        if (ranks > wafers || (ranks > 1 && device == On::Rtl)) continue;
        SCOPED_TRACE(testing::Message() << wafers << " wafers, " << ranks << " ranks");
        RunOptions run = options("model", device);
        run.mode = TrainMode::Eval;
        const TrainReport report = train(params(4, wafers), run, ranks);
        for (const std::string& error : errors_) EXPECT_EQ(error, "");
        ASSERT_EQ(report.evaluations.size(), 1u);
        const Evaluation& e = report.evaluations.front();
        if (want.samples == 0) want = e;
        EXPECT_EQ(e.samples, 20u);
        EXPECT_EQ(e.compared, 20u * 3);
        EXPECT_EQ(e.different, 0u);
        EXPECT_EQ(e.right, want.right);
        EXPECT_EQ(e.loss, want.loss);
        if (device == On::Rtl) cycles.push_back(e.cycles);
      }
    }
  }
  // Two wafers do at the same time what one wafer does one after the other.
  ASSERT_EQ(cycles.size(), 3u);
  EXPECT_LT(cycles[1], cycles[0] * 3 / 4);
  EXPECT_EQ(cycles[2], cycles[1]);
}

TEST_F(Swarms, ACheckpointGoesOnAtAnotherNumber) {
  train(params(8, 1), options("whole", On::Golden), 1);
  RunOptions run = options("parts", On::Golden);
  run.num_steps = 2;
  const struct {
    int wafers, ranks;
    On device;
  } parts[] = {{4, 2, On::Golden}, {2, 1, On::Rtl}, {8, 3, On::Golden}};
  for (const auto& part : parts) {
    run.make = options("", part.device).make;
    const TrainReport report = train(params(8, part.wafers), run, part.ranks);
    EXPECT_EQ(report.steps, 2u);
    EXPECT_EQ(report.different, 0u);
    run.resume = true;
  }
  EXPECT_EQ(last_checkpoint("parts"), last_checkpoint("whole"));
}

// A wafer that stops for good at its nth micro-batch.
class Broken : public TrainWafer {
 public:
  Broken(const TrainingJob& job, const memoryx::TrainStreams& streams, int* left)
      : inner_(golden::training_wafer(job, streams)), left_(left) {}
  void set_time(const TimeModel& /*time*/) override {}
  std::string description() const override { return "broken"; }
  TrainRun train(memoryx::WaferSide& memory, const Samples& samples,
                 const Targets& targets) override {
    if ((*left_)-- == 0) throw DeviceFault("tile (0, 1) hangs");
    return inner_->train(memory, samples, targets);
  }
  TrainRun forward(const memoryx::WaferSide& memory, const Samples& samples) override {
    return inner_->forward(memory, samples);
  }

 private:
  std::unique_ptr<TrainWafer> inner_;
  int* left_;
};

TEST_F(Swarms, AWaferThatStopsEndsTheRunAndResumingGoesOn) {
  train(params(8, 1), options("whole", On::Golden), 1);
  for (const int ranks : {1, 2, 4}) {
    const std::string model = "broken-" + std::to_string(ranks);
    RunOptions run = options(model, On::Golden);
    std::atomic<int> made{0};
    int left = 2 * 3 + 1;  // in the fourth step
    run.model = [&](const TrainingJob& job,
                    const memoryx::TrainStreams& streams) -> std::unique_ptr<TrainWafer> {
      if (made++ == 2) return std::make_unique<Broken>(job, streams, &left);
      return golden::training_wafer(job, streams);
    };
    train(params(8, 4), run, ranks);
    for (const std::string& error : errors_) {
      EXPECT_THAT(error, testing::HasSubstr("tile (0, 1) hangs"));
    }
    run.model = golden::training_wafer;
    run.resume = true;
    EXPECT_EQ(train(params(8, 2), run, 1).first_step, 2u);
    EXPECT_EQ(last_checkpoint(model), last_checkpoint("whole"));
  }
}

// A wafer of a rank works on until it sees that the run has failed: it sees it on the other rank.
TEST_F(Swarms, AFaultReachesTheOtherRanksBeforeItsOwnIsJoined) {
  const TrainingJob job = params(4, 4).job;
  memoryx::MemoryX memory(job, {});
  memory.begin();
  const auto ranks = ranks::local_transports(2);
  const auto wait_for_the_end = [](ranks::Transport& of) {
    for (int n = 0; n < 2000; ++n) {  // 20 s
      of.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no end has come";
  };
  const auto work = [&](int wafer, int, memoryx::WaferSide&) {
    if (wafer == 2) throw BadInput("sample 7: no");
    wait_for_the_end(*ranks[wafer < 2 ? 1 : 0]);
  };
  const memoryx::TrainStreams streams{{2}, {{0}}, {{0}}};
  std::thread other([&] {
    swarmx::Swarm swarm(job, 4, streams, *ranks[1], nullptr);
    EXPECT_TRUE(swarm.await());
    EXPECT_THROW(swarm.run(work), BadInput);
  });
  swarmx::Swarm swarm(job, 4, streams, *ranks[0], &memory);
  swarm.begin_step();
  EXPECT_THROW(swarm.run(work), BadInput);
  other.join();
}

TEST_F(Swarms, AStepsOrderIsThatOfAnyWindowOfTheStore) {
  const TrainingJob job = params(2, 2, with("[6, 9, 3]", "[6, 5000, 3]")).job;
  memoryx::MemoryOptions options;
  options.store.window = memoryx::kBlock;
  memoryx::MemoryX memory(job, options);
  memory.begin();
  const swarmx::StepOrder order(memory);
  const memoryx::TrainStreams streams;
  swarmx::WaferMemory wafer(job, streams, 1);
  wafer.begin(order, nullptr, 0);
  for (const memoryx::LayerParameters& layer : memoryx::parameters_of(job.layers)) {
    const size_t tensor = layer.weight, n = memory.store().spec(tensor).elements();
    if (!memory.store().spec(tensor).masked) continue;
    const auto want = memory.store().mask(tensor, 0, n), got = wafer.store().mask(tensor, 0, n);
    EXPECT_TRUE(std::equal(want.begin(), want.end(), got.begin()));
  }
}

// A wafer would take the wavelets of one matrix for those of another.
TEST_F(Swarms, AWaferTakesTheStreamsThatMemoryXSends) {
  const TrainingJob job = params(1, 1).job;
  memoryx::MemoryX memory(job, {});
  memory.begin();
  const auto rank = std::move(ranks::local_transports(1).front());
  const memoryx::TrainStreams streams{{2}, {{0}, {2}}, {{0}}};
  swarmx::Swarm swarm(job, 1, streams, *rank, &memory);
  const auto take = [&](const memoryx::StreamSchedule& schedule) {
    swarm.run([&](int, int, memoryx::WaferSide& wafer) {
      wafer.stream(schedule, streams.options);
      if (!swarm.round().forward()) wafer.gradient_added();
    });
  };
  swarm.begin_step();
  EXPECT_NO_THROW(take(streams.step));
  swarm.begin_forward(0, 1);
  EXPECT_NO_THROW(take(streams.forward));
  swarm.begin_forward(0, 1);
  EXPECT_THROW(take(streams.step), InternalError);
  rank->close();
}

TEST_F(Swarms, WhatCannotBeSharedIsRefused) {
  const auto refused = [&](int micro_batches, int wafers, int ranks) {
    train(params(micro_batches, wafers), options("", On::Golden), ranks);
    const std::string what = errors_.front();
    return what.substr(what.find("job.yaml") + 10);
  };
  EXPECT_EQ(refused(4, 3, 1), "3 wafers cannot share the 4 micro-batches of a step equally");
  EXPECT_EQ(refused(4, 8, 1), "8 wafers cannot share the 4 micro-batches of a step equally");
  EXPECT_EQ(refused(4, 0, 1), "0 wafers, at least 1 is needed");
  EXPECT_EQ(refused(6, 2, 1),
            "each of 2 wafers would take 3 of the 6 micro-batches of a step, which is not a power "
            "of two (docs/numerics.md, N16)");
  EXPECT_EQ(refused(4, 2, 3), "3 ranks for 2 wafers: a rank has at least one");
  EXPECT_EQ(refused(4, 1, 2), "2 ranks for 1 wafer: a rank has at least one");
}

}  // namespace
}  // namespace ow::jobs
