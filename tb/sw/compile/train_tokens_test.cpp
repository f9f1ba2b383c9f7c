// SPDX-License-Identifier: Apache-2.0
// Jobs that train on tokens, from their file to the last checkpoint, on golden and on RTL tiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "numpy_files.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "train_directory.h"

namespace ow::jobs {
namespace {

constexpr const char* kData =
    "data: {file: text.npy, format: tokens, sequence: 16, held_out_modulo: 5, "
    "held_out_remainder: 4}\n";
constexpr const char* kNetwork =
    "network:\n"
    "  inputs: tokens\n"
    "  layers:\n"
    "    - {name: wte, kind: embedding, inputs: input, vocabulary: 7, width: 8, positions: 16}\n"
    "    - {name: ln_1, kind: layer_norm, inputs: wte}\n"
    "    - {name: q, kind: linear, inputs: ln_1, outputs: 8}\n"
    "    - {name: k, kind: linear, inputs: ln_1, outputs: 8}\n"
    "    - {name: v, kind: linear, inputs: ln_1, outputs: 8}\n"
    "    - {name: attn, kind: attention, inputs: [q, k, v], heads: 2}\n"
    "    - {name: proj, kind: linear, inputs: attn, outputs: 8}\n"
    "    - {name: mid, kind: add, inputs: [wte, proj]}\n"
    "    - {name: head, kind: linear, inputs: mid, outputs: 7, bias: false, "
    "share: {weight: wte.weight}}\n";
constexpr const char* kTrain =
    "grid: {rows: 2, columns: 2, samples_per_tile: 16}\n"
    "train: {seed: 3, steps: 3, optimizer: {kind: adamw, rate: 0.01}, loss_scale: 256}\n";

class TrainTokens : public TrainDirectory {
 protected:
  TrainTokens() {
    Rng rng(9);
    std::string ids;
    for (int n = 0; n < 400; ++n) ids += static_cast<char>(n % 3 == 0 ? rng.below(7) : n % 3);
    write_file(directory_ + "/text.npy", npy_of("|u1", "(400,)", ids));
  }
  TrainParams params(const std::string& data = kData, const std::string& network = kNetwork) const {
    return load(data + network + kTrain);
  }
  // Four micro-batches a step, for so many wafers.
  TrainParams shared(int wafers) const {
    TrainParams p = params();
    p.job.micro_batches = 4;
    p.wafers = wafers;
    return p;
  }
  // On golden or on tiles, from the last checkpoint on, if there is one.
  TrainReport train(const std::string& model, int wafers, bool rtl, uint64_t steps = 0) const {
    RunOptions run = options(model, rtl);
    run.mode = TrainMode::TrainAndEval;
    run.num_steps = steps;
    run.resume = !memoryx::checkpoints_in(run.model_dir).empty();
    const TrainReport report = run_training(shared(wafers), run);
    EXPECT_EQ(report.mismatches(), 0u) << model << report.first_difference;
    return report;
  }
  std::string refused(std::string data, const std::string& from, const std::string& to,
                      const std::string& network = kNetwork) const {
    const size_t at = data.find(from);
    if (at != std::string::npos) data.replace(at, from.size(), to);
    const std::string what =
        refusal_of([&] { run_training(params(data, network), options("", false)); });
    return what.substr(what.find_last_of('/') + 1);
  }
};

// Every bit, of weights and of the outputs of what is held out.
TEST_F(TrainTokens, AJobOfTokensIsThatOfGolden) {
  RunOptions run = options("tiles", true);
  run.mode = TrainMode::TrainAndEval;
  const TrainReport tiles = run_training(params(), run);
  EXPECT_EQ(tiles.mismatches(), 0u) << tiles.first_difference;
  EXPECT_GT(tiles.compared, 0u);
  EXPECT_GT(tiles.evaluations.back().compared, 0u);
  EXPECT_EQ(tiles.evaluations.back().samples, 4u * 16);
  run = options("golden", false);
  run.mode = TrainMode::TrainAndEval;
  const TrainReport golden = run_training(params(), run);
  EXPECT_EQ(golden.mismatches(), 0u) << golden.first_difference;
  EXPECT_EQ(last_tensors("tiles"), last_tensors("golden"));
  EXPECT_EQ(golden.last_loss, tiles.last_loss);
}

// Documents end with token 0: several in a sample, with empty slots and ignored targets.
TEST_F(TrainTokens, AJobOfDocumentsIsThatOfGolden) {
  std::string data = kData;
  data.replace(data.find("sequence: 16"), 12, "sequence: 16, end: 0");
  RunOptions run = options("tiles", true);
  run.mode = TrainMode::TrainAndEval;
  size_t samples = 0;
  run.on_step = [&](const TrainStep& step) { samples += step.samples; };
  const TrainReport tiles = run_training(params(data), run);
  EXPECT_EQ(tiles.mismatches(), 0u) << tiles.first_difference;
  EXPECT_LT(samples, 3u * 32);
  EXPECT_EQ(tiles.samples, samples);
  run = options("golden", false);
  run.mode = TrainMode::TrainAndEval;
  EXPECT_EQ(run_training(params(data), run).mismatches(), 0u);
  EXPECT_EQ(last_tensors("tiles"), last_tensors("golden"));
}

// A text by whatever the caller reads it with.
TEST_F(TrainTokens, ATextIsItsTokens) {
  std::string data = kData;
  data.replace(data.find("format: tokens"), 14, "format: text, tokenizer: t.json");
  RunOptions run = options("text", false);
  EXPECT_THAT(refusal_of([&] { run_training(params(data), run); }),
              testing::HasSubstr("a text is for trainings on tokens"));
  run.read_text = [](const DataSource& source) {
    EXPECT_THAT(source.tokenizer, testing::EndsWith("/t.json"));
    TokenText text;
    for (int n = 0; n < 400; ++n) text.ids.push_back(n % 7);
    return text;
  };
  EXPECT_EQ(run_training(params(data), run).mismatches(), 0u);
}

// A training that begins with the weights of another one: other bits than drawn ones, the same on
// tiles and golden, and part of what a training is.
TEST_F(TrainTokens, BeginsWithTheWeightsOfAFile) {
  run_training(params(), options("before", false));
  std::string network = kNetwork;
  network.insert(network.find("  layers:"), "  weights: " + newest("before") + "\n");
  const TrainReport tiles = run_training(params(kData, network), options("tiles", true));
  EXPECT_EQ(tiles.mismatches(), 0u) << tiles.first_difference;
  run_training(params(kData, network), options("golden", false));
  EXPECT_EQ(last_tensors("tiles"), last_tensors("golden"));
  EXPECT_NE(last_tensors("tiles"), last_tensors("before"));
  RunOptions go_on = options("before", false);
  go_on.resume = true;
  EXPECT_THAT(
      refusal_of([&] { run_training(params(kData, network), go_on); }),
      testing::HasSubstr("is of another training: key 'network.weights' is nothing, not hash "));
  std::string other = network;
  other.replace(other.find("inputs: mid, outputs: 7"), 0, "bias: true, ");
  other.replace(other.find(", bias: false"), 13, "");
  EXPECT_THAT(refused(kData, "", "", other), testing::HasSubstr("tensor 'head.bias' is missing"));
}

// Masks of attention and feed-forward matrices that change on the way.
TEST_F(TrainTokens, MasksChangeAsThoseOfGolden) {
  std::string network = kNetwork;
  network.replace(network.find("inputs: [wte, proj]}"), 20, "inputs: [wte, fc]}");
  network.insert(network.find("    - {name: mid"),
                 "    - {name: up, kind: linear, inputs: proj, outputs: 16}\n"
                 "    - {name: act, kind: gelu, inputs: up}\n"
                 "    - {name: fc, kind: linear, inputs: act, outputs: 8}\n");
  const std::string sparse =
      ", sparsity: [{pattern: [q.weight, k.weight, v.weight, proj.weight, up.weight, fc.weight], "
      "algorithm: rigl, density: 0.3, update: {every: 2}}]}\n";
  const auto train = [&](const std::string& model, bool rtl, uint64_t steps) {
    std::string text = kTrain;
    text.replace(text.rfind("}"), 2, sparse);
    TrainParams p = load(kData + network + text);
    p.steps = steps;
    const TrainReport report = run_training(p, options(model, rtl));
    EXPECT_EQ(report.mismatches(), 0u) << model << report.first_difference;
    EXPECT_LT(report.kept, report.weights);
  };
  train("tiles", true, 5);
  train("golden", false, 5);
  EXPECT_EQ(last_tensors("tiles"), last_tensors("golden"));
  train("long", false, 50);
}

// Each wafer gets the rows of the tables that a step uses. The number of wafers and of ranks
// changes no bit, also if it changes on the way.
TEST_F(TrainTokens, WafersAndRanksShareTheTables) {
  train("one", 1, false);
  train("four", 4, false);
  EXPECT_EQ(last_tensors("four"), last_tensors("one"));
  // A step on one wafer, the next on four wafers of two ranks, the last on two of one.
  train("changed", 1, false, 1);
  TrainParams p = shared(4);
  const auto ranks = ranks::local_transports(2);
  const auto rank = [&](int r) {
    RunOptions run = options("changed", false);
    run.transport = ranks[static_cast<size_t>(r)].get();
    run.resume = true;
    run.num_steps = 1;
    run_training(p, run);
    run.transport->close();
  };
  std::thread other(rank, 1);
  rank(0);
  other.join();
  train("changed", 2, false);
  EXPECT_EQ(last_tensors("changed"), last_tensors("one"));
}

// N wafers take a step's samples in an Nth of the cycles.
TEST_F(TrainTokens, WafersOfTilesShareTheTables) {
  const TrainReport one = train("one", 1, true), two = train("two", 2, true),
                    four = train("four", 4, true);
  EXPECT_EQ(last_tensors("two"), last_tensors("one"));
  EXPECT_EQ(last_tensors("four"), last_tensors("one"));
  EXPECT_GE(static_cast<double>(one.cycles), 0.97 * 2 * static_cast<double>(two.cycles));
  EXPECT_GE(static_cast<double>(one.cycles), 0.97 * 4 * static_cast<double>(four.cycles));
}

TEST_F(TrainTokens, WhatDoesNotFitIsOneLine) {
  EXPECT_EQ(refused(kData, "sequence: 16", "sequence: 12"),
            "job.yaml:1: key 'data.sequence' must be a multiple of 8 that divides the 32 tokens of "
            "2 grid columns");
  EXPECT_EQ(refused(kData, "format: tokens, sequence: 16, ", ""),
            "job.yaml:1: key 'data.file' holds no tokens (data.format: tokens), which the network "
            "takes");
  EXPECT_THAT(refused(kData, "sequence: 16", "sequence: 32"),
              testing::EndsWith("('wte'): sequences of 32 tokens, the limit is its 16 positions"));
  std::string small = kNetwork;
  small.replace(small.find("outputs: 7"), 10, "outputs: 5");
  small.replace(small.find(", share: {weight: wte.weight}"), 29, "");
  EXPECT_THAT(refused(kData, "", "", small), testing::HasSubstr("is not in 0..4"));
}

}  // namespace
}  // namespace ow::jobs
