// SPDX-License-Identifier: Apache-2.0
// Trainings of named layers, and towards values that come with the samples, on golden and on RTL
// tiles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/rng.h"
#include "ow/compile/estimate.h"
#include "train_directory.h"

namespace ow::jobs {
namespace {

constexpr const char* kShort = "network: {layers: [6, 9, 3]}\n";
constexpr const char* kNamed =
    "network:\n"
    "  inputs: 6\n"
    "  layers:\n"
    "    - {name: hidden, kind: linear, inputs: [input], outputs: 9}\n"
    "    - {name: kept, kind: relu, inputs: [hidden]}\n"
    "    - {name: out, kind: linear, inputs: [kept], outputs: 3}\n";
constexpr const char* kSquares =
    "    - {name: cost, kind: mean_squared_error, inputs: [out, targets]}\n";

class TrainGraph : public TrainDirectory {
 protected:
  TrainGraph() {
    Rng rng(9);
    std::string classes, values;
    for (int n = 0; n < 80; ++n) {
      const auto label = static_cast<int>(rng.below(3));
      std::string features;
      std::vector<float> x;
      for (int f = 0; f < 6; ++f) {
        x.push_back(static_cast<float>(rng.uniform() + (f % 3 == label ? 1.0 : 0.0)));
        features += fmt::format("{},", x.back());
      }
      classes += fmt::format("{}{}\n", features, label);
      values += fmt::format("{}{},{},{}\n", features, x[0] - x[1], 0.5f * x[2], x[3] * x[4] - 1);
    }
    write_file(directory_ + "/classes.csv", classes);
    write_file(directory_ + "/values.csv", values);
  }

  TrainParams params(const std::string& data, const std::string& network,
                     const std::string& more = "") const {
    return load("data: {" + data + ", held_out_modulo: 5, held_out_remainder: 4}\n" + network +
                "grid: {rows: 2, columns: 2, samples_per_tile: 8}\n"
                "train:\n"
                "  seed: 3\n"
                "  steps: 4\n"
                "  optimizer: {kind: adamw, rate: 0.01}\n"
                "  loss_scale: 256\n" +
                more);
  }

  RunOptions options(const std::string& model, bool rtl) const {
    RunOptions run = TrainDirectory::options(model, rtl);
    run.mode = TrainMode::TrainAndEval;
    if (!model.empty()) run.plan = plan_path(run.model_dir);
    return run;
  }

  Tensors last_checkpoint(const std::string& model) const {
    return read_safetensors(newest(model));
  }

  std::string refused(const std::string& data, const std::string& network,
                      const std::string& more = "") const {
    try {
      run_training(params(data, network, more), options("", false));
    } catch (const BadInput& error) {
      const std::string what = error.what();
      return what.substr(what.find_last_of('/') + 1);
    }
    return "";
  }
};

// The given names stand in checkpoints, patterns and plans. Bits and cycles are the same as for a
// list of sizes.
TEST_F(TrainGraph, NamedLayersAreTheShortListByOtherNames) {
  const std::string sparse = "  sparsity: [{pattern: PATTERN, density: 0.5}]\n";
  const auto group = [&](const char* pattern) {
    return std::string(sparse).replace(sparse.find("PATTERN"), 7, pattern);
  };
  const TrainReport sizes = run_training(params("file: classes.csv", kShort, group("layers.0.*")),
                                         options("sizes", true));
  const TrainParams named = params("file: classes.csv", kNamed, group("hid*.weight"));
  const TrainReport names = run_training(named, options("names", true));
  EXPECT_EQ(names.different + sizes.different, 0u);
  EXPECT_EQ(names.cycles, sizes.cycles);
  EXPECT_EQ(names.last_loss, sizes.last_loss);
  const Tensors a = last_checkpoint("sizes"), b = last_checkpoint("names");
  EXPECT_EQ(a.size(), b.size());
  for (const auto& [short_name, name] : std::vector<std::pair<std::string, std::string>>{
           {"layers.0.weight", "hidden.weight"},
           {"layers.0.bias", "hidden.bias"},
           {"layers.1.weight", "out.weight"},
           {"layers.1.bias", "out.bias"},
           {"layers.0.weight_mask", "hidden.weight_mask"},
           {"optimizer.1.layers.1.weight", "optimizer.1.out.weight"}}) {
    ASSERT_EQ(a.count(short_name), 1u) << short_name;
    ASSERT_EQ(b.count(name), 1u) << name;
    EXPECT_EQ(a.at(short_name).bytes, b.at(name).bytes) << name;
  }
  const nlohmann::json plan = read_json(plan_path(directory_ + "/names"));
  EXPECT_EQ(plan.at("inputs").at("layers").at(0).at("name"), "hidden");
  EXPECT_THAT(plan.at("memory").dump(), testing::HasSubstr("hidden.bias"));
  const nlohmann::json old = read_json(plan_path(directory_ + "/sizes"));
  EXPECT_FALSE(old.at("inputs").at("layers").at(0).contains("name"));
  // Goes on under its own names, and under no others.
  RunOptions run = options("names", false);
  run.resume = true;
  TrainParams more = named;
  more.steps = 5;
  EXPECT_EQ(run_training(more, run).different, 0u);
  run.model_dir = directory_ + "/sizes";
  run.plan.clear();
  EXPECT_THROW(run_training(more, run), BadInput);
  EXPECT_EQ(refused("file: classes.csv", kNamed, group("layers.*")),
            "job.yaml: key 'train': sparsity of 'layers.*': no matrix has a name like this");
}

// What is trained before the first matrix, a fork, blocks with residuals, a matrix used twice.
constexpr const char* kBranches =
    "network:\n"
    "  inputs: 6\n"
    "  layers:\n"
    "    - {name: before, kind: layer_norm, inputs: input, epsilon: 1e-3}\n"
    "    - {name: first, kind: linear, inputs: before, outputs: 8}\n"
    "    - name: block\n"
    "      repeat: 2\n"
    "      input: first\n"
    "      layers:\n"
    "        - {name: norm, kind: layer_norm, inputs: previous}\n"
    "        - {name: up, kind: linear, inputs: norm, outputs: 11}\n"
    "        - {name: act, kind: gelu, inputs: up}\n"
    "        - {name: down, kind: linear, inputs: act, outputs: 8, bias: false}\n"
    "        - {name: sum, kind: add, inputs: [previous, down]}\n"
    "    - {name: again, kind: linear, inputs: before, outputs: 8, share: {weight: first.weight}}\n"
    "    - {name: kept, kind: relu, inputs: again}\n"
    "    - {name: both, kind: add, inputs: [block, kept]}\n"
    "    - {name: out, kind: linear, inputs: both, outputs: 3}\n";

TEST_F(TrainGraph, AGraphThatBranchesIsThatOfGolden) {
  const std::string sparse = "  sparsity: [{pattern: '*.down.weight', density: 0.5}]\n";
  TrainParams p = params("file: classes.csv", kBranches, sparse);
  const TrainReport tiles = run_training(p, options("tiles", true));
  EXPECT_EQ(tiles.mismatches(), 0u) << tiles.first_difference;
  EXPECT_GT(tiles.compared, 0u);
  EXPECT_GT(tiles.evaluations.back().compared, 0u);
  const TrainReport golden = run_training(p, options("golden", false));
  EXPECT_EQ(golden.mismatches(), 0u) << golden.first_difference;
  EXPECT_EQ(last_tensors("tiles"), last_tensors("golden"));
  // Its plan is used again, and a training that goes on has the same bits.
  RunOptions run = options("tiles", true);
  run.resume = true;
  p.steps = 6;
  const TrainReport more = run_training(p, run);
  EXPECT_EQ(more.mismatches(), 0u) << more.first_difference;
  EXPECT_EQ(more.plan.at("used"), true);
  run_training(p, options("whole", false));
  EXPECT_EQ(last_tensors("tiles"), last_tensors("whole"));
  // With another option it is another training.
  std::string other = kBranches;
  other.replace(other.find("1e-3"), 4, "1e-4");
  EXPECT_THAT(refusal_of([&] { run_training(params("file: classes.csv", other, sparse), run); }),
              testing::HasSubstr("network.graph[0]"));
}

TEST_F(TrainGraph, WhatNoProgramTrainsIsOneLine) {
  std::string other = kBranches;
  const std::string act = "kind: gelu, inputs: up";
  other.replace(other.find(act), act.size(), "kind: attention, inputs: [up, up, up], heads: 11");
  EXPECT_EQ(refused("file: classes.csv", other),
            "job.yaml:13: key 'network.layers[2].layers[2]' ('block.0.act'): 11 heads on 2 grid "
            "rows: must be a multiple of them, or half");
  other.replace(other.find("heads: 11"), 9, "heads: 10");
  other.replace(other.find("outputs: 11"), 11, "outputs: 10");
  EXPECT_EQ(refused("file: classes.csv", other),
            "job.yaml:13: key 'network.layers[2].layers[2]' ('block.0.act'): attention needs "
            "sequences of tokens; the network's inputs are numbers");
}

// The committed example, on tiles beside golden, and what its estimate says.
TEST(TrainGraphFile, TheResidualDigitsAreThoseOfGolden) {
  TrainParams p = read_job(OW_SOURCE_DIR "/configs/digits-residual-train.yaml").training();
  p.steps = 2;
  RunOptions run = golden::training_run(OW_FIRMWARE_DIR "/train.elf");
  run.larger_firmware = training_programs(OW_FIRMWARE_DIR, HalfType::Binary16);
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  const CheckedTraining checked = check_training(p, run);
  EXPECT_THAT(checked.firmware.path, testing::EndsWith("train_graph.elf"));
  const TrainReport report = run_training(p, checked, run);
  EXPECT_EQ(report.mismatches(), 0u) << report.first_difference;
  EXPECT_GT(report.compared, 2u * 8512);
  const Estimate estimate =
      estimate_job(shape_of(checked.plan, checked.job), training_weights(checked.job, 0), {});
  const double step = static_cast<double>(report.cycles) / 2;
  EXPECT_NEAR(static_cast<double>(estimate.cycles), step, 0.03 * step);
}

TEST_F(TrainGraph, TheSquaredErrorIsToTheValuesOfTheFile) {
  const TrainParams p = params("file: values.csv, targets: values", std::string(kNamed) + kSquares);
  RunOptions run = options("csv", true);
  const TrainReport report = run_training(p, run);
  EXPECT_EQ(report.different, 0u);
  EXPECT_LT(report.last_loss, report.first_loss);
  const Evaluation& e = report.evaluations.back();
  EXPECT_TRUE(e.judged);
  EXPECT_FALSE(e.labelled);
  EXPECT_EQ(e.different, 0u);
  const std::string metrics = read_text(directory_ + "/csv/metrics.jsonl");
  const nlohmann::json first = parse_json(metrics.substr(0, metrics.find('\n')), "metrics");
  EXPECT_TRUE(first.contains("loss"));
  EXPECT_FALSE(first.contains("accuracy"));

  // The loss is the mean over samples and outputs of the squared distance: by hand.
  run.mode = TrainMode::Predict;
  const TrainReport predicted = run_training(p, run);
  const Tensor outputs = read_safetensors(predicted.saved).at("outputs");
  const Dataset all = load_dataset(p.base.data, HalfType::Binary16, 6, 3);
  double squares = 0;
  for (size_t n = 0; n < 16; ++n) {
    for (size_t j = 0; j < 3; ++j) {
      const double off = outputs.value(3 * n + j) - all.target(5 * n + 4)[j];
      squares += off * off;
    }
  }
  EXPECT_NEAR(e.loss, squares / 48, 1e-9);

  // The same samples as tensors.
  Tensors tensors;
  const auto put = [&](const char* name, const std::vector<float>& values) {
    Tensor t;
    t.type = TensorType::F32;
    t.shape = {80, values.size() / 80};
    t.bytes.resize(4 * values.size());
    std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
    tensors[name] = t;
  };
  put("inputs", all.values);
  put("targets", all.targets);
  write_safetensors(directory_ + "/values.safetensors", tensors);
  run_training(params("file: values.safetensors, targets: values", std::string(kNamed) + kSquares),
               options("tensors", false));
  const Tensors a = last_checkpoint("csv"), b = last_checkpoint("tensors");
  for (const auto& [name, tensor] : a) EXPECT_EQ(tensor.bytes, b.at(name).bytes) << name;
}

TEST_F(TrainGraph, TargetsThatDoNotFitAreOneLine) {
  const std::string squares = std::string(kNamed) + kSquares;
  EXPECT_EQ(refused("file: values.csv, targets: values", kNamed),
            "job.yaml:1: key 'data.targets' is values, and softmax_cross_entropy takes classes");
  EXPECT_EQ(refused("file: classes.csv, targets: values", squares),
            "classes.csv: 7 columns, the network has 6 inputs (and 3 values may follow)");
  EXPECT_EQ(refused("file: values.csv", squares), "values.csv:1: more than 7 columns");
  EXPECT_EQ(refused("file: x-ubyte, targets: values", squares),
            "job.yaml:1: key 'data.targets' is not for IDX files, which hold classes");
  EXPECT_EQ(refused("file: values.csv, targets: [1]", squares),
            "job.yaml:1: key 'data.targets' must be classes or values");
  write_file(directory_ + "/few.csv", "1,2,3,4,5,6\n");
  EXPECT_EQ(refused("file: few.csv, targets: values", squares),
            "job.yaml: key 'data': a training needs the samples' values");
  Tensors tensors;
  tensors["inputs"] = {TensorType::U8, {2, 6}, std::vector<uint8_t>(12, 1)};
  tensors["targets"] = {TensorType::U8, {2, 2}, std::vector<uint8_t>(4, 1)};
  write_safetensors(directory_ + "/two.safetensors", tensors);
  EXPECT_EQ(refused("file: two.safetensors, targets: values", squares),
            "two.safetensors: targets of shape [2, 2] for 2 samples: the network has 3 outputs");
  EXPECT_EQ(refused("file: two.safetensors", squares),
            "two.safetensors: holds more tensors than 'inputs' and 'labels'");
}

}  // namespace
}  // namespace ow::jobs
