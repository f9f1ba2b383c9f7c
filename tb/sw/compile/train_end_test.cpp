// SPDX-License-Identifier: Apache-2.0
// Trainings that end before their last step, and what they warn of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ow/ranks/transport.h"
#include "train_directory.h"

namespace ow::jobs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class TrainEnds : public TrainJob {
 protected:
  // Options whose warnings are kept.
  RunOptions options_of(const std::string& model) {
    RunOptions run = options(model, false);
    run.on_warning = [this](const std::string& what) { warnings_.push_back(what); };
    return run;
  }
  std::vector<std::string> warnings_;
};

// Samples of the classes, one after the other, of which every fifth is held out.
std::string samples_of(const std::string& classes, const std::string& feature = "1") {
  std::string text;
  for (const char label : classes) {
    for (int f = 0; f < 6; ++f) text += feature + ",";
    text += label + std::string("\n");
  }
  return text;
}
// Their sums are beyond binary16.
std::string large_samples() { return samples_of("0120120120", "60000"); }

constexpr const char* kAdamw =
    "    kind: adamw\n    rate: [{kind: linear, from: 0.02, to: 0.01, steps: 8}]\n    max_norm: "
    "2\n";

TEST_F(TrainEnds, AtALossThatIsNoNumberWithStepAndCause) {
  // The first update makes weights that binary16 does not hold.
  const TrainParams p = params(with(kAdamw, "    {kind: sgd, rate: 1000000}\n"));
  RunOptions run = options_of("model");
  run.mode = TrainMode::TrainAndEval;
  const TrainReport report = run_training(p, run);
  EXPECT_EQ(report.end, TrainEnd::Loss);
  EXPECT_THAT(report.why, StartsWith("step 1: the loss is "));
  EXPECT_THAT(report.why, testing::ContainsRegex("layers\\.[01]\\.weight, element [0-9]+, is "
                                                 "-?[0-9.e+]+, beyond binary16$"));
  EXPECT_EQ(report.steps, 1u);
  EXPECT_EQ(report.different, 0u);
  EXPECT_TRUE(report.evaluations.empty());
  EXPECT_TRUE(memoryx::checkpoints_in(run.model_dir).empty());
  const std::string metrics = read_text(run.model_dir + "/metrics.jsonl");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 1);
}

TEST_F(TrainEnds, AtSumsThatOverflow) {
  write_file(directory_ + "/samples.csv", large_samples());
  const TrainReport report = run_training(params(), options_of(""));
  EXPECT_EQ(report.end, TrainEnd::Loss);
  EXPECT_THAT(report.why, StartsWith("step 0: the loss is "));
  EXPECT_THAT(report.why, HasSubstr("all weights are finite, so an activation or its sum"));
  EXPECT_EQ(report.steps, 0u);
}

TEST_F(TrainEnds, AtItsLastStepIfALossIsOnlyWarnedOf) {
  write_file(directory_ + "/samples.csv", large_samples());
  const TrainParams p = params(with("train:\n", "train:\n  on_nan: warn\n"));
  const TrainReport report = run_training(p, options_of("model"));
  EXPECT_EQ(report.end, TrainEnd::Done);
  EXPECT_EQ(report.steps, 8u);
  EXPECT_EQ(report.not_finite, 8u);
  ASSERT_EQ(warnings_.size(), 1u) << "one line, not one a step";
  EXPECT_THAT(warnings_[0], HasSubstr("job.yaml: step 0: the loss is "));
}

// A network's weights that are trained first must be weights.
TEST_F(TrainEnds, WithoutWeightsForTheNetworkThatNamesIt) {
  write_file(directory_ + "/samples.csv", large_samples());
  write_file(directory_ + "/t.yaml", kTrainJob);
  write_file(directory_ + "/net.yaml",
             "data: {file: samples.csv, held_out_modulo: 5, held_out_remainder: 4}\n"
             "network: {layers: [6, 9, 3], training: t.yaml}\n"
             "grid: {rows: 2, columns: 2, samples_per_tile: 8}\n");
  const Job job = read_job(directory_ + "/net.yaml");
  RunOptions run =
      golden::network_run(OW_FIRMWARE_DIR "/forward.elf", OW_FIRMWARE_DIR "/train.elf");
  try {
    execute(job, compile(job, run), run);
    ADD_FAILURE() << "ran without weights";
  } catch (const BadInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.yaml: has no weights to run: step 0: the loss is "));
  }
}

TEST_F(TrainEnds, WhereItIsAskedToWithACheckpointThatGoesOnToTheSameBits) {
  const TrainParams p = params();
  run_training(p, options("whole", false));
  RunOptions run = options_of("parts");
  run.mode = TrainMode::TrainAndEval;
  int asked = 0;
  run.stop = [&] { return asked >= 3; };
  run.on_step = [&](const TrainStep&) { ++asked; };
  const TrainReport report = run_training(p, run);
  EXPECT_EQ(report.end, TrainEnd::Asked);
  EXPECT_EQ(report.why, "asked to, after step 3 of 8");
  EXPECT_EQ(report.steps, 3u);
  EXPECT_EQ(report.saved, newest("parts"));
  EXPECT_TRUE(report.evaluations.empty());
  // Asked before its first step, it only keeps what is there.
  run.resume = true;
  const std::string before = last_checkpoint("parts");
  const TrainReport again = run_training(p, run);
  EXPECT_EQ(again.end, TrainEnd::Asked);
  EXPECT_EQ(again.steps, 0u);
  EXPECT_EQ(last_checkpoint("parts"), before);
  run.stop = nullptr;
  EXPECT_EQ(run_training(p, run).end, TrainEnd::Done);
  EXPECT_EQ(last_checkpoint("parts"), last_checkpoint("whole"));
}

// Whichever rank is asked, all of them end after the same step.
TEST_F(TrainEnds, OnAllRanksAfterTheSameStep) {
  TrainParams p = params();
  run_training(p, options("whole", false));
  p.wafers = 2;
  for (const int asked : {0, 1}) {
    const std::string model = "ranks" + std::to_string(asked);
    auto ranks = ranks::local_transports(2);
    int steps = 0;
    std::atomic<bool> stop{false};
    TrainReport report;
    const auto rank = [&](int r) {
      RunOptions run = options(model, false);
      run.transport = ranks[static_cast<size_t>(r)].get();
      if (r == asked) run.stop = [&] { return stop.load(); };
      if (r == 0) {
        run.on_step = [&](const TrainStep&) { stop = ++steps == 3; };
      }
      const TrainReport mine = run_training(p, run);
      if (r == 0) report = mine;
      run.transport->close();
    };
    std::thread other(rank, 1);
    rank(0);
    other.join();
    EXPECT_EQ(report.end, TrainEnd::Asked);
    // The other rank tells with the results of a step.
    EXPECT_EQ(report.steps, asked == 0 ? 3u : 4u);
    RunOptions rest = options(model, false);
    rest.resume = true;
    run_training(p, rest);
    EXPECT_EQ(last_checkpoint(model), last_checkpoint("whole"));
  }
}

TEST_F(TrainEnds, HasAWarningForClassesThatOnlyHeldOutSamplesHave) {
  const auto warned = [&](const std::string& classes, TrainMode mode) -> std::string {
    warnings_.clear();
    write_file(directory_ + "/samples.csv", samples_of(classes));
    RunOptions run = options_of("");
    run.mode = mode;
    check_training(params(), run);
    return warnings_.empty() ? "" : warnings_.front();
  };
  const std::string file = directory_ + "/job.yaml: ";
  EXPECT_EQ(warned("0101200002", TrainMode::Train),
            file + "class 2 is only among the held-out samples (2 of 2): no step learns it");
  EXPECT_EQ(
      warned("0000200001", TrainMode::TrainAndEval),
      file + "classes 1, 2 are only among the held-out samples (2 of 2): no step learns them");
  EXPECT_EQ(warned("0120000001", TrainMode::Train), "");
  EXPECT_EQ(warned("0101200002", TrainMode::Eval), "") << "trains nothing";
}

}  // namespace
}  // namespace ow::jobs
