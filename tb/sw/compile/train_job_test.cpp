// SPDX-License-Identifier: Apache-2.0
// The job of a training: its parameters, checkpoints and resuming, on golden and on RTL tiles.
#include "ow/execute/run_job.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/json_lines.h"
#include "ow/tensor/safetensors.h"
#include "train_directory.h"

namespace ow::jobs {
namespace {

TEST_F(TrainJob, AnInterruptedOneEndsAsIfItHadNotBeenOnAnyDevice) {
  const TrainParams p = params();
  RunOptions whole = options("whole", true);
  whole.mode = TrainMode::TrainAndEval;
  const TrainReport report = run_training(p, whole);
  EXPECT_EQ(report.steps, 8u);
  EXPECT_EQ(report.different, 0u);
  EXPECT_EQ(report.compared, 8u * (6 * 9 + 9 + 9 * 3 + 3));
  EXPECT_LT(report.last_loss, report.first_loss);
  ASSERT_EQ(report.evaluations.size(), 2u);
  EXPECT_EQ(report.evaluations.back().samples, 20u);
  EXPECT_EQ(report.evaluations.back().compared, 60u);
  EXPECT_EQ(report.evaluations.back().different, 0u);
  EXPECT_GT(report.cycles, 0u);

  // On golden, then on RTL, then on golden again.
  RunOptions parts = options("parts", false);
  parts.num_steps = 3;
  run_training(p, parts);
  for (const bool rtl : {true, false}) {
    RunOptions next = options("parts", rtl);
    next.resume = true;
    next.num_steps = rtl ? 2 : 0;
    const TrainReport resumed = run_training(p, next);
    EXPECT_EQ(resumed.first_step, rtl ? 3u : 5u);
    EXPECT_EQ(resumed.different, 0u);
  }
  EXPECT_EQ(last_checkpoint("parts"), last_checkpoint("whole"));

  // A line a step, and as many checkpoints as are kept.
  const std::string metrics = read_text(directory_ + "/whole/metrics.jsonl");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 8);
  const nlohmann::json first = parse_json(metrics.substr(0, metrics.find('\n')), "metrics");
  EXPECT_EQ(first.at("step"), 0);
  EXPECT_EQ(first.at("different"), 0);
  EXPECT_GT(first.at("cycles").at("gradients"), 0);
  // An engine's cycle is a beat or a stall of one cause.
  uint64_t engines = 0;
  for (const char* cause :
       {"stall_input", "stall_output", "stall_row", "stall_memory", "no_work"}) {
    engines += first.at("stalls").at(cause).get<uint64_t>();
  }
  const uint64_t cycles = first.at("cycles").at("step").get<uint64_t>() *
                          static_cast<uint64_t>(p.base.grid.rows * p.base.grid.cols);
  EXPECT_GT(engines, cycles / 4);
  EXPECT_LE(engines, cycles + cycles / 20) << "what the host reads between is not in them";
  EXPECT_GT(first.at("stalls").at("reducer_wait"), 0);
  EXPECT_EQ(memoryx::checkpoints_in(directory_ + "/whole").size(), 3u);
}

TEST_F(TrainJob, ADamagedCheckpointIsRefusedAndTheOneBeforeTaken) {
  const TrainParams p = params();
  run_training(p, options("model", false));
  const std::string want = last_checkpoint("model");
  const std::string newest = memoryx::checkpoints_in(directory_ + "/model").front();
  write_file(newest, want.substr(0, want.size() / 2));
  RunOptions run = options("model", false);
  run.resume = true;
  const TrainReport report = run_training(p, run);
  EXPECT_EQ(report.first_step, 6u);
  EXPECT_THAT(report.refused, testing::HasSubstr(newest));
  EXPECT_EQ(last_checkpoint("model"), want);
  // A checkpoint of another job is refused, and nothing is lost.
  TrainParams other = p;
  other.job.seed = 4;
  EXPECT_THROW(run_training(other, run), BadInput);
  EXPECT_EQ(last_checkpoint("model"), want);
}

// A step that is skipped has no norm: 0 would be a figure, which plots draw.
TEST_F(TrainJob, ASkippedStepReportsNoNorm) {
  TrainParams p = params();
  p.job.loss_scale = {0x1p18, true, 5, 0x1p18};
  p.job.optimizer.max_norm = 1;
  const TrainReport report = run_training(p, options("model", false));
  ASSERT_GT(report.skipped, 0u);
  ASSERT_LT(report.skipped, report.steps);
  const std::string metrics = directory_ + "/model/metrics.jsonl";
  size_t skipped = 0;
  read_json_lines(metrics, [&](const nlohmann::json& line, const std::string& where) {
    const bool skips = line.at("skipped");
    skipped += skips ? 1 : 0;
    EXPECT_EQ(line.at("norm").is_null(), skips) << where;
    if (!skips) {
      EXPECT_GT(line.at("norm"), 0) << where;
    }
  });
  EXPECT_EQ(skipped, report.skipped);
}

TEST_F(TrainJob, EvaluatesACheckpoint) {
  const TrainParams p = params();
  RunOptions run = options("model", false);
  run.mode = TrainMode::TrainAndEval;
  const TrainReport trained = run_training(p, run);
  for (const bool rtl : {false, true}) {
    RunOptions eval = options("model", rtl);
    eval.mode = TrainMode::Eval;
    const TrainReport report = run_training(p, eval);
    EXPECT_EQ(report.steps, 0u);
    EXPECT_EQ(report.evaluations.back().right, trained.evaluations.back().right);
    EXPECT_EQ(report.evaluations.back().different, 0u);
  }
}

// A checkpoint of other orders of sums than this program chooses: they go on, on the tiles, too.
TEST_F(TrainJob, GoesOnWithTheOrdersOfSumsOfItsCheckpoint) {
  const TrainParams p = params();
  RunOptions run = options("model", false);
  for (const SumOrder order : {SumOrder::Whole, SumOrder::Column}) {
    std::filesystem::remove_all(run.model_dir);
    TrainParams other = p;
    other.job.forward.assign(2, order);
    other.job.delta = {SumOrder::Column, order};
    run.resume = false;
    run.num_steps = 4;
    run.make = nullptr;
    run_training(other, run);
    run.resume = true;
    run.make = options("", true).make;
    run.num_steps = 1;
    EXPECT_EQ(check_training(p, run).plan.forward, other.job.forward);
    EXPECT_EQ(check_training(p, run).plan.delta, other.job.delta);
    const TrainReport report = run_training(p, run);
    EXPECT_EQ(report.first_step, 4u);
    EXPECT_EQ(report.different, 0u);
  }
}

TEST_F(TrainJob, GoesOnWithNoOtherJobAndNoOtherSamples) {
  RunOptions run = options("model", false);
  run.num_steps = 2;
  run_training(params(), run);
  run.resume = true;
  const auto refused = [&](const std::string& text) -> std::string {
    try {
      run_training(params(text), run);
    } catch (const BadInput& error) {
      const std::string what = error.what();
      return what.substr(what.find(": ") + 2);
    }
    return "";
  };
  const std::string other = "is of another training: key ";
  EXPECT_EQ(refused(with("max_norm: 2", "max_norm: 3")),
            other + "'train.optimizer.max_norm' is 2, not 3");
  EXPECT_EQ(refused(with("remainder: 4", "remainder: 3")).substr(0, 54),
            other + "'data.features' is of hash");
  EXPECT_EQ(refused(with("modulo: 5", "modulo: 10")), other + "'data.samples' is 80, not 90");
  // How long, on how many wafers and what is kept of it is another matter.
  EXPECT_EQ(refused(with("steps: 8\n", "steps: 3\n  num_wafers: 2\n")), "");
  EXPECT_EQ(refused(with("keep: 3", "keep: 1")), "");
}

TEST_F(TrainJob, APlanAloneAsksForNoSamples) {
  const TrainParams p = params(with("  held_out_modulo: 5\n  held_out_remainder: 4\n", ""));
  std::filesystem::remove(directory_ + "/samples.csv");
  RunOptions run = options("", false);
  run.mode = TrainMode::Eval;
  run.until = Until::Planned;
  EXPECT_EQ(check_training(p, run).plan.layers.size(), 2u);
  run.until = Until::Done;
  EXPECT_THROW(check_training(p, run), BadInput);
}

TEST_F(TrainJob, PredictsSamplesWithoutClasses) {
  RunOptions run = options("model", false);
  run.mode = TrainMode::TrainAndEval;
  const TrainReport trained = run_training(params(), run);
  // The held-out samples by themselves, without their classes.
  const Dataset all = load_dataset(params().base.data, HalfType::Binary16, 6, 3);
  std::string text;
  for (size_t n = 4; n < all.samples(); n += 5) {
    for (int f = 0; f < 6; ++f) text += (f > 0 ? "," : "") + fmt::format("{}", all.sample(n)[f]);
    text += "\n";
  }
  write_file(directory_ + "/new.csv", text);
  const TrainParams unlabelled = params(with(
      "  file: samples.csv\n  held_out_modulo: 5\n  held_out_remainder: 4\n", "  file: new.csv\n"));
  Tensors first;
  for (const bool rtl : {false, true}) {
    RunOptions predict = options("model", rtl);
    predict.mode = TrainMode::Predict;
    if (rtl) predict.save_outputs = directory_ + "/outputs.safetensors";
    const TrainReport report = run_training(unlabelled, predict);
    EXPECT_EQ(report.evaluations.back().samples, 20u);
    EXPECT_FALSE(report.evaluations.back().labelled);
    EXPECT_EQ(report.evaluations.back().different, 0u);
    const Tensors got = read_safetensors(report.saved);
    EXPECT_EQ(got.at("outputs").shape, (std::vector<uint64_t>{20, 3}));
    size_t right = 0;
    for (size_t n = 0; n < 20; ++n) {
      right += got.at("classes").value(n) == all.labels[5 * n + 4] ? 1 : 0;
    }
    EXPECT_EQ(right, trained.evaluations.back().right);
    if (rtl) {
      EXPECT_EQ(got.at("outputs").bytes, first.at("outputs").bytes);
    }
    first = got;
  }
  // A training still asks for them.
  EXPECT_THROW(run_training(unlabelled, options("other", false)), BadInput);
}

TEST_F(TrainJob, TimeOutsideTheWaferChangesCyclesAlone) {
  TrainParams p = params();
  p.steps = 3;
  const TrainReport ideal = run_training(p, options("ideal", true));
  p.base.time.preset = TimeOptions::Preset::Wse;
  const TrainReport wse = run_training(p, options("wse", true));
  EXPECT_EQ(last_checkpoint("wse"), last_checkpoint("ideal"));
  EXPECT_GE(ideal.one_by_one, ideal.cycles);
  EXPECT_GT(wse.one_by_one, wse.cycles + 3 * kWseLatency);
  EXPECT_EQ(wse.different, 0u);
  EXPECT_FALSE(ideal.timed);
  EXPECT_EQ(total(ideal.waits), 0u);
  EXPECT_GT(wse.cycles, ideal.cycles + 3 * kWseLatency);
  EXPECT_GE(wse.waits[static_cast<size_t>(EdgeWait::Latency)], 3 * kWseLatency);
  EXPECT_GT(wse.waits[static_cast<size_t>(EdgeWait::Edge)], 0u);
  EXPECT_GT(wse.waits[static_cast<size_t>(EdgeWait::Exit)], 0u);
  EXPECT_GT(wse.waits[static_cast<size_t>(EdgeWait::Optimizer)], 0u);
  const std::string metrics = read_text(directory_ + "/wse/metrics.jsonl");
  const nlohmann::json first = parse_json(metrics.substr(0, metrics.find('\n')), "metrics");
  // The first step has samples to wait for, and no update.
  EXPECT_GT(first.at("waits").at("samples"), 0);
  EXPECT_EQ(first.at("waits").at("optimizer"), 0);
  EXPECT_GE(first.at("cycles").at("one_by_one"), first.at("cycles").at("step"));
}

// Updates that need not wait for the last gradient: faster, the same bits, and the same cycles
// whenever it is run, on several wafers too.
TEST_F(TrainJob, UpdatesBesideThePassesChangeNoBit) {
  TrainParams p = params();
  p.steps = 3;
  p.job.sparsity.front().algorithm = SparsityGroup::Algorithm::Static;
  p.job.loss_scale.dynamic = false;
  p.job.optimizer.max_norm = 1e6;  // above any norm here
  p.base.time.preset = TimeOptions::Preset::Wse;
  const TrainReport waiting = run_training(p, options("waiting", true));
  p.job.optimizer.max_norm = 0;
  const TrainReport beside = run_training(p, options("beside", true));
  EXPECT_TRUE(last_tensors("beside") == last_tensors("waiting"));
  EXPECT_EQ(beside.different + waiting.different, 0u);
  EXPECT_LT(beside.cycles, waiting.cycles);
  p.wafers = 2;
  const TrainReport two = run_training(p, options("two", true));
  const TrainReport again = run_training(p, options("again", true));
  EXPECT_EQ(last_checkpoint("two"), last_checkpoint("beside"));
  EXPECT_EQ(two.cycles, again.cycles);
  EXPECT_EQ(two.waits, again.waits);
  EXPECT_EQ(two.one_by_one, again.one_by_one);
}

// A line that was not finished goes, so that every line is one step's.
TEST_F(TrainJob, ALineThatWasCutIsNotGoneOnWith) {
  const std::string metrics = directory_ + "/model/metrics.jsonl";
  RunOptions run = options("model", false);
  run.num_steps = 4;
  run_training(params(), run);
  const std::string before = read_text(metrics);
  write_file(metrics, before + "{\"accuracy\":0.5,\"kept\"");
  run.resume = true;
  run_training(params(), run);
  const std::string after = read_text(metrics);
  EXPECT_EQ(after.substr(0, before.size()), before);
  std::istringstream lines(after);
  int steps = 0;
  for (std::string line; std::getline(lines, line); ++steps) {
    EXPECT_EQ(parse_json(line, "metrics")["step"], steps);
  }
  EXPECT_EQ(steps, 8);
  std::filesystem::create_directories(directory_ + "/other/metrics.jsonl");
  try {
    run_training(params(), options("other", false));
    ADD_FAILURE() << "written to a directory";
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()),
              directory_ + "/other/metrics.jsonl: cannot be written: Is a directory");
  }
}

TEST_F(TrainJob, DirectoriesAreNotMixedUp) {
  const TrainParams p = params();
  run_training(p, options("model", false));
  EXPECT_THROW(run_training(p, options("model", false)), BadInput);  // without resume
  RunOptions run = options("none", false);
  run.resume = true;
  EXPECT_THROW(run_training(p, run), BadInput);
  run.model_dir.clear();
  EXPECT_THROW(run_training(p, run), BadInput);
}

TEST_F(TrainJob, TheSquaredErrorIsToOneForTheClass) {
  RunOptions run = options("", true);
  const TrainReport report =
      run_training(params(with("  micro_batches: 2\n", "  loss: mean_squared_error\n")), run);
  EXPECT_EQ(report.different, 0u);
  EXPECT_LT(report.last_loss, report.first_loss);
}

TEST_F(TrainJob, BadParametersAreOneLineWithTheLimit) {
  EXPECT_EQ(refused(kTrainJob), "");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"  seed: 3\n", "job.yaml:12: key 'train.seed' is missing"},
      {"    kind: adamw\n", "job.yaml:15: key 'train.optimizer.kind' is missing"},
  };
  for (const auto& [line, want] : cases) {
    EXPECT_THAT(refused(with(line, "")), testing::HasSubstr(want.substr(want.find("key"))));
  }
  const auto expect = [&](const char* from, const char* to, const char* want) {
    EXPECT_THAT(refused(with(from, to)), testing::StartsWith(want));
  };
  expect("  seed: 3\n", "  seed: 3\n  sede: 4\n", "job.yaml:13: key 'train.sede' is not known");
  expect("steps: 8\n", "steps: 0\n",
         "job.yaml:13: key 'train.steps' must be a whole number from 1 to 1000000000, not '0'");
  expect("kind: linear", "kind: bent",
         "job.yaml:17: key 'train.optimizer.rate[0].kind' must be constant, linear, cosine, "
         "cubic, power, slope, cycle, wave or repeat, not 'bent'");
  expect("initial: 256", "initial: 257",
         "job.yaml:19: key 'train.loss_scale.initial' must be a power of two");
  expect("density: 0.5", "density: 1.5",
         "job.yaml:21: key 'train.sparsity[0].density' must be a number from 0 to 1, not '1.5'");
  expect("pattern: layers.0.weight", "pattern: layers.7.weight",
         "job.yaml: key 'train': sparsity of 'layers.7.weight': no matrix has a name like this");
  expect("algorithm: rigl, ", "", "job.yaml:21: key 'train.sparsity[0].update' is not known");
  expect("train:\n", "time: {edge: {bits: 0}}\ntrain:\n",
         "job.yaml:11: key 'time.edge.bits' must be a number from 0.000");
  expect("layers: [6, 9, 3]\n", "layers: [6, 9, 3]\n  activations: relu\n",
         "job.yaml:7: key 'network.activations' the last layer's must be none: the loss comes "
         "behind it");
  expect("samples_per_tile: 8", "samples_per_tile: 12",
         "job.yaml: 12 samples a tile: must be a multiple of the 8 lanes, the limit is 128 (a row "
         "of the accumulator cache)");
  expect("  held_out_modulo: 5\n  held_out_remainder: 4\n", "",
         "job.yaml: key 'data': holds no sample out (held_out_modulo), nothing to evaluate with");
}

TEST(TrainParams, OfTheDigitsAreThoseOfTheTarget) {
  const TrainParams p = read_job(OW_SOURCE_DIR "/configs/digits-train.yaml").training();
  EXPECT_LE(p.steps, 300u);
  EXPECT_EQ(p.job.grid_rows * p.job.grid_cols, 16);
  RunOptions run;
  run.mode = TrainMode::TrainAndEval;
  run.firmware = OW_FIRMWARE_DIR "/train.elf";
  run.train_reference = golden::training_reference;
  run.model = golden::training_wafer;
  const TrainReport report = run_training(p, run);
  EXPECT_EQ(report.evaluations.back().samples, 449u);
  EXPECT_GE(report.evaluations.back().accuracy(), 0.97);
  EXPECT_LE(static_cast<double>(report.kept), 0.1 * static_cast<double>(report.weights));
}

}  // namespace
}  // namespace ow::jobs
