// SPDX-License-Identifier: Apache-2.0
// Trainings on tokens: rows that are looked up, their gradients, and targets that are ignored.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exact.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/train.h"
#include "seed.h"
#include "token_draws.h"

namespace ow::golden {
namespace {

constexpr int kVocabulary = 11, kWidth = 6, kPositions = 24;

// Tokens -> rows -> classes. `smoothing`: by the loss over a vocabulary.
Graph lookup_graph(int positions, bool tied, std::optional<double> smoothing = {}) {
  Graph graph = Graph::of_tokens();
  graph.add({"e",
             "embedding",
             {"input"},
             {{"vocabulary", kVocabulary}, {"width", kWidth}, {"positions", positions}},
             "e",
             {}});
  ow::Op head{"head", "linear", {"e"}, {{"outputs", kVocabulary}, {"bias", 0}}, "head", {}};
  if (tied) head.shared = {{"weight", "e.weight"}};
  graph.add(head);
  std::map<std::string, double> options;
  if (smoothing) options["smoothing"] = *smoothing;
  const char* loss = smoothing ? "vocabulary_cross_entropy" : "softmax_cross_entropy";
  graph.add({"cost", loss, {"head", "targets"}, options, "cost", {}});
  return graph;
}

TrainingJob lookup_job() {
  TrainingJob job;
  job.grid_rows = 2;
  job.grid_cols = 3;
  job.samples = 16;
  job.loss_scale.initial = 64;
  return job;
}

// N108, on its own terms: fp32 sums from +0 in ascending slot.
TEST(GoldenTokens, RowsAreLookedUpAndTheirGradientsAddedInTheOrderOfTheSlots) {
  for (const uint64_t seed : test_seeds({1, 2, 3})) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    for (const int positions : {0, kPositions}) {
      const Trainer trainer(lookup_job(), lookup_graph(positions, false));
      Rng rng(seed);
      TokenBatch batch(lookup_job(), kVocabulary, kPositions, &rng);
      batch.tokens.ids[7] = kNoToken;
      const MicroBatch out = trainer.run(batch.tokens, batch.targets);
      std::vector<std::vector<float>> sums;
      for (const Parameter& p : trainer.parameters()) sums.emplace_back(p.value.size(), 0.0f);
      const auto table = [&](size_t p, int row, size_t f) {
        return trainer.parameters()[p].value[static_cast<size_t>(row) * kWidth + f];
      };
      for (size_t s = 0; s < batch.tokens.ids.size(); ++s) {
        const int token = batch.tokens.ids[s], position = batch.tokens.position_of(s);
        for (size_t f = 0; f < kWidth; ++f) {
          const uint16_t x = out.outputs[0].at(static_cast<int>(f), static_cast<int>(s));
          if (token == kNoToken) {
            ASSERT_EQ(x, 0);
            continue;
          }
          float want = table(0, token, f);
          if (positions > 0) want += table(1, position, f);
          ASSERT_EQ(x, to_half(HalfType::Binary16, want)) << s << " " << f;
          const float d = from_half(HalfType::Binary16,
                                    out.deltas[0].at(static_cast<int>(f), static_cast<int>(s)));
          sums[0][static_cast<size_t>(token) * kWidth + f] += d;
          if (positions > 0) sums[1][static_cast<size_t>(position) * kWidth + f] += d;
        }
      }
      EXPECT_EQ(out.gradients[0], sums[0]);
      if (positions > 0) {
        EXPECT_EQ(out.gradients[1], sums[1]);
      }
    }
  }
}

TEST(GoldenTokens, GradientsAreThoseOfCalculus) {
  for (const Graph& graph :
       {lookup_graph(kPositions, false), lookup_graph(kPositions, true),
        lookup_graph(kPositions, false, 0), lookup_graph(kPositions, false, 0.3)}) {
    const Trainer trainer(lookup_job(), graph);
    Rng rng(7);
    const TokenBatch batch(lookup_job(), kVocabulary, kPositions, &rng);
    const MicroBatch out = trainer.run(batch.tokens, batch.targets);
    ExactGraph exact(graph, trainer.parameters());
    const auto calculus = exact.gradients(batch.tokens, batch.targets);
    const double counted = static_cast<double>(lookup_job().batch() - out.ignored);
    EXPECT_NEAR(out.loss, exact.loss(batch.tokens, batch.targets), 0.001);
    for (size_t k = 0; k < exact.parameters.size(); ++k) {
      double largest = 0, worst = 0;
      for (size_t i = 0; i < exact.parameters[k].size(); ++i) {
        constexpr double kStep = 1e-5;
        double& w = exact.parameters[k][i];
        const double before = w;
        w = before + kStep;
        const double up = exact.loss(batch.tokens, batch.targets);
        w = before - kStep;
        const double down = exact.loss(batch.tokens, batch.targets);
        w = before;
        const double slope = (up - down) / (2 * kStep);
        largest = std::max(largest, std::fabs(slope));
        worst = std::max(worst, std::fabs(slope - out.gradients[k][i] / (counted * 64)));
        EXPECT_NEAR(slope, calculus[k][i], 1e-6 * std::max(std::fabs(slope), 1e-3));
      }
      EXPECT_GT(largest, 1e-4) << trainer.parameters()[k].name;
      EXPECT_LT(worst, 0.003 * largest) << trainer.parameters()[k].name;
    }
  }
}

// N128: as if their samples were not there, except that they take slots.
TEST(GoldenTokens, IgnoredTargetsHaveNoDeltasAndAreNotInTheMean) {
  const Graph graph = lookup_graph(0, false);
  TrainingJob job = lookup_job();
  job.optimizer.kind = OptimizerOptions::Kind::Sgd;
  job.optimizer.rate = constant_schedule(0.5);
  Trainer trainer(job, graph);
  Rng rng(8);
  const TokenBatch batch(job, kVocabulary, kPositions, &rng);
  const MicroBatch out = trainer.run(batch.tokens, batch.targets);
  uint64_t ignored = 0;
  for (size_t s = 0; s < batch.targets.classes.size(); ++s) {
    if (batch.targets.classes[s] != kNoToken) continue;
    ++ignored;
    for (int j = 0; j < kVocabulary; ++j) {
      ASSERT_EQ(out.deltas[1].at(j, static_cast<int>(s)), 0) << s;
    }
  }
  EXPECT_EQ(out.ignored, ignored);
  EXPECT_GT(ignored, 0u);
  const std::vector<Parameter> before = trainer.parameters();
  const Trainer::Result result = trainer.update({out});
  EXPECT_EQ(result.loss, out.loss);
  const float factor = 1.0f / (static_cast<float>(job.batch() - ignored) * 64.0f);
  for (size_t i = 0; i < before[1].value.size(); ++i) {
    EXPECT_EQ(trainer.parameters()[1].value[i],
              before[1].value[i] - 0.5f * (out.gradients[1][i] * factor));
  }
}

// The mean of a step is over the samples of all its micro-batches that count.
TEST(GoldenTokens, AStepsLossIsTheMeanOverItsSamplesThatCount) {
  TrainingJob job = lookup_job();
  job.micro_batches = 2;
  Trainer trainer(job, lookup_graph(0, false));
  Rng rng(9);
  TokenBatch few(job, kVocabulary, kPositions, &rng), all = few;
  for (size_t s = 3; s < few.targets.classes.size(); ++s) few.targets.classes[s] = kNoToken;
  few.targets.classes[0] = 1;
  const MicroBatch a = trainer.run(few.tokens, few.targets);
  const MicroBatch b = trainer.run(all.tokens, all.targets);
  const auto counted = [&](const MicroBatch& m) {
    return static_cast<double>(job.micro_batch() - m.ignored);
  };
  const double mean = (a.loss * counted(a) + b.loss * counted(b)) / (counted(a) + counted(b));
  EXPECT_NEAR(trainer.update({a, b}).loss, mean, 1e-12);
}

TEST(GoldenTokens, AStepWithoutTargetsMovesNothing) {
  TrainingJob job = lookup_job();
  Trainer trainer(job, lookup_graph(0, false));
  Rng rng(10);
  TokenBatch batch(job, kVocabulary, kPositions, &rng);
  for (int& target : batch.targets.classes) target = kNoToken;
  const MicroBatch out = trainer.run(batch.tokens, batch.targets);
  EXPECT_EQ(out.loss, 0);
  const std::vector<Parameter> before = trainer.parameters();
  const Trainer::Result result = trainer.update({out});
  EXPECT_FALSE(result.skipped);
  EXPECT_EQ(result.loss, 0);
  for (size_t k = 0; k < before.size(); ++k) {
    EXPECT_EQ(trainer.parameters()[k].value, before[k].value);
  }
}

TEST(GoldenTokens, RefusesWhatDoesNotFit) {
  const TrainingJob job = lookup_job();
  const Trainer trainer(job, lookup_graph(kPositions, false));
  Rng rng(11);
  const TokenBatch good(job, kVocabulary, kPositions, &rng);
  EXPECT_NO_THROW(trainer.run(good.tokens, good.targets));
  const auto refused = [&](const std::function<void(TokenBatch*)>& change) {
    TokenBatch bad = good;
    change(&bad);
    EXPECT_THROW(trainer.run(bad.tokens, bad.targets), InternalError);
  };
  refused([](TokenBatch* b) { b->tokens.ids[0] = kVocabulary; });
  refused([](TokenBatch* b) { b->tokens.ids[0] = -2; });
  refused([](TokenBatch* b) { b->tokens.ids.pop_back(); });
  refused([](TokenBatch* b) { b->tokens.starts.pop_back(); });
  refused([](TokenBatch* b) { b->tokens.starts[2] = 4; });
  refused([](TokenBatch* b) { b->tokens.starts[0] = 8; });
  refused([](TokenBatch* b) {  // a sequence longer than the table of positions
    for (int& start : b->tokens.starts) start = 0;
    for (int& id : b->tokens.ids) id = 1;
  });
  refused([](TokenBatch* b) { b->targets.classes.pop_back(); });
  EXPECT_THROW(trainer.run(Activations::zero(1, 48), good.targets), InternalError);
  TrainingJob odd = job;
  odd.samples = 12;
  odd.grid_cols = 4;
  EXPECT_THROW(Trainer(odd, lookup_graph(0, false)).run(good.tokens, good.targets), InternalError);
}

}  // namespace
}  // namespace ow::golden
