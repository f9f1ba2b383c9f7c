// SPDX-License-Identifier: Apache-2.0
// Trainings on tokens: attention and the other kinds of transformers, on simulated tiles against
// golden.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "draws.h"
#include "ow/base/error.h"
#include "seed.h"
#include "token_steps.h"

namespace ow::jobs {
namespace {

TEST(TokenTraining, TablesAndIgnoredTargetsAreThoseOfGolden) {
  for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 2}, GridShape{3, 1}}) {
    Growing g(Graph::of_tokens());
    const std::string e =
        g.with("embedding", {"input"}, {{"vocabulary", 11}, {"width", 7}, {"positions", 40}});
    const std::string f = g.element("gelu", {e});
    const TrainingJob job =
        job_of(g.end(g.linear(f, 11, false, e + ".weight"), "softmax_cross_entropy"), grid, 16);
    compare_tokens(job, 11, 40, 3);
  }
}

// More outputs than a panel has, and fewer than grid rows.
TEST(TokenTraining, TheLossOverAVocabularyIsThatOfGolden) {
  for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 2}, GridShape{3, 1}}) {
    for (const int vocabulary : {2, 101}) {
      for (const double smoothing : {0.0, 0.1}) {
        Growing g(Graph::of_tokens());
        const std::string e =
            g.with("embedding", {"input"}, {{"vocabulary", vocabulary}, {"width", 8}});
        const std::string z = g.linear(e, vocabulary, true);
        TrainingJob job =
            job_of(g.end(z, "vocabulary_cross_entropy", {{"smoothing", smoothing}}), grid, 16);
        job.type = smoothing > 0 ? HalfType::Bfloat16 : HalfType::Binary16;
        job.loss_scale.initial = 64;
        SCOPED_TRACE(testing::Message() << grid.rows << " x " << grid.cols << " tiles, "
                                        << vocabulary << " outputs, smoothing " << smoothing);
        Choices choices;
        choices.outputs_leave = smoothing > 0;
        compare_tokens(job, vocabulary, 16 * grid.cols, 2, choices);
      }
    }
  }
}

TEST(TokenTraining, AttentionIsThatOfGolden) {
  for (const GridShape grid :
       {GridShape{1, 1}, GridShape{2, 1}, GridShape{1, 2}, GridShape{2, 3}}) {
    for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
      SCOPED_TRACE(testing::Message() << grid.rows << " x " << grid.cols);
      Growing g(Graph::of_tokens());
      const std::string e = g.with("embedding", {"input"}, {{"vocabulary", 11}, {"width", 8}});
      const std::string q = g.linear(e, 12, true), k = g.linear(e, 12, true),
                        v = g.linear(e, 12, true);
      const std::string a = g.with("attention", {q, k, v}, {{"heads", 2}});
      TrainingJob job = job_of(g.end(g.linear(a, 11, true), "softmax_cross_entropy"), grid, 16);
      job.type = type;
      compare_tokens(job, 11, 16 * grid.cols, 2);
    }
  }
}

// A grid row with several heads.
TEST(TokenTraining, HeadsOfARowAreThoseOfGolden) {
  Growing g(Graph::of_tokens());
  const std::string e = g.with("embedding", {"input"}, {{"vocabulary", 11}, {"width", 8}});
  const std::string q = g.linear(e, 24, true), k = g.linear(e, 24, false),
                    v = g.linear(e, 24, true);
  const std::string a = g.with("attention", {q, k, v}, {{"heads", 6}});
  const TrainingJob job = job_of(g.end(g.linear(a, 11, true), "softmax_cross_entropy"), {2, 2}, 24);
  compare_tokens(job, 11, 48, 2);
}

// Twice as many grid rows as heads: the two rows of a head with a row between them; at night next
// to each other, and farther apart, too.
TEST(TokenTraining, HeadsThatTwoRowsShareAreThoseOfGolden) {
  const bool night = std::getenv("OW_NIGHTLY") != nullptr;
  std::vector<GridShape> grids = {{4, 2}};
  if (night) grids.insert(grids.end(), {{2, 2}, {6, 1}, {8, 3}});
  for (const GridShape grid : grids) {
    SCOPED_TRACE(testing::Message() << grid.rows << " rows");
    const int heads = grid.rows / 2;
    const Model small{4 * heads, heads, heads, 12, 1, 11, 64};
    for (const int samples : {16, 32}) {
      if (samples == 32 && !night) continue;
      for (const auto& graph : {gpt2(small), llama(small)}) {
        TrainingJob job = job_of(graph, grid, samples);
        job.type = samples == 16 ? HalfType::Binary16 : HalfType::Bfloat16;
        compare_tokens(job, small.vocabulary, std::min(small.positions, samples * grid.cols), 2);
      }
    }
  }
}

TEST(TokenTraining, ASmallTransformerIsThatOfGolden) {
  const Model small{8, 4, 2, 12, 1, 11, 48};
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    for (const auto& graph : {gpt2(small), llama(small)}) {
      TrainingJob job = job_of(graph, {2, 2}, 24);
      job.type = type;
      compare_tokens(job, small.vocabulary, small.positions, 2);
    }
  }
}

Choices with_policy(Recompute policy, bool in_turns = false) {
  return {UINT32_MAX, UINT32_MAX, policy, false, in_turns};
}

// Each policy computes more phases, in less memory.
TEST(TokenTraining, WhatIsComputedTwiceTakesLessMemory) {
  const Model small{8, 2, 2, 24, 3, 11, 32};
  for (const auto& graph : {gpt2(small), llama(small)}) {
    const TrainingJob job = job_of(graph, {2, 2}, 16);
    const ElfImage image = program_of(job, training_programs(OW_FIRMWARE_DIR, job.type), kFullTile);
    uint32_t bytes = UINT32_MAX;
    size_t phases = 0;
    for (const Recompute policy : kPolicies) {
      const Plan plan = make_plan("test", job, image, kFullTile, with_policy(policy));
      EXPECT_GT(plan.executable.phases.size(), phases) << recompute_name(policy);
      // With room for all values none shares its bytes.
      if (policy == Recompute::Block) {
        EXPECT_LT(plan.used_bytes, bytes);
      }
      phases = plan.executable.phases.size();
      bytes = plan.used_bytes;
    }
  }
}

TEST(TokenTraining, WhatIsComputedTwiceIsThatOfGolden) {
  const Model small{8, 2, 2, 12, 2, 11, 16};
  const TrainingJob job = job_of(llama(small), {2, 1}, 16);
  compare_tokens(job, small.vocabulary, small.positions, 1, with_policy(Recompute::All));
}

TEST(TokenTraining, AllPoliciesAreThoseOfGolden) {
  const Model small{8, 2, 2, 24, 3, 11, 32};
  for (const auto& graph : {gpt2(small), llama(small)}) {
    for (const Recompute policy : kPolicies) {
      SCOPED_TRACE(recompute_name(policy));
      const TrainingJob job = job_of(graph, {2, 2}, 16);
      const Choices choices = with_policy(policy, policy == Recompute::Block);
      compare_tokens(job, small.vocabulary, small.positions, 2, choices);
    }
  }
}

// A list of blocks that stands there once is as long for more of them.
TEST(TokenTraining, ABlockMoreTakesNoMoreOfTheListOfPhases) {
  std::vector<uint32_t> bytes;
  for (const int layers : {3, 4}) {
    const TrainingJob job = job_of(gpt2({8, 2, 2, 24, layers, 11, 32}), {2, 2}, 16);
    const ElfImage image = program_of(job, training_programs(OW_FIRMWARE_DIR, job.type), kFullTile);
    const Plan plan = make_plan("test", job, image, kFullTile, with_policy(Recompute::All, true));
    bytes.push_back(plan.executable.ends_addr - plan.executable.list_addr);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

// The model of data/models/carroll: 852,608 parameters, 64 tokens a step on 4 x 4 tiles.
TEST(TokenTraining, ALargerModelFitsOrIsRefusedWithItsBytes) {
  const Graph graph = llama({128, 4, 2, 341, 4, 1024, 128, false}, "vocabulary_cross_entropy");
  TrainingJob job = job_of(graph, {4, 4}, 16);
  const ElfImage image = program_of(job, training_programs(OW_FIRMWARE_DIR, job.type), kFullTile);
  EXPECT_LE(make_plan("test", job, image, kFullTile).used_bytes, kFullTile.sram_bytes);
  job = job_of(graph, {4, 4}, 32);
  try {
    make_plan("test", job, image, kFullTile);
    FAIL() << "32 tokens a tile fit";
  } catch (const BadInput& refused) {
    const std::string line = refused.what();
    EXPECT_NE(line.find(" bytes of a tile, the limit is 49152 (largest: "), std::string::npos)
        << line;
  }
}

// Grids of 1 to 3 rows and columns, heads that fit them, sequences over one or several tiles.
TrainingJob random_transformer(uint64_t seed, Model* m) {
  Rng rng(seed);
  const auto up_to = [&rng](int most) { return 1 + static_cast<int>(rng.below(most)); };
  const GridShape grid{up_to(3), up_to(3)};
  m->kv_heads = grid.rows * up_to(2);
  m->heads = m->kv_heads * up_to(2);
  m->width = m->heads * 2 * up_to(4);
  m->hidden = up_to(30);
  m->layers = 1;
  m->vocabulary = 2 + up_to(20);
  const int samples = 8 * up_to(4);
  m->positions = 8 * up_to(samples * grid.cols / 8);
  TrainingJob job = job_of(rng.below(2) == 0 ? gpt2(*m) : llama(*m), grid, samples);
  job.type = rng.below(2) == 0 ? HalfType::Binary16 : HalfType::Bfloat16;
  job.seed = seed;
  return job;
}

// Equal to golden, or refused for want of memory.
TEST(TokenTraining, RandomTransformersAreThoseOfGolden) {
  const uint64_t seed = test_seed(20261130);
  const int count = draws(20) / (std::getenv("OW_NIGHTLY") == nullptr ? 5 : 1);  // 1 or 20
  for (int n = 0; n < count; ++n) {
    SCOPED_TRACE(testing::Message() << "transformer " << n << " of seed " << seed);
    Model m{};
    const TrainingJob job = random_transformer(seed * 1000 + static_cast<uint64_t>(n), &m);
    try {
      compare_tokens(job, m.vocabulary, m.positions, 2);
    } catch (const BadInput& refused) {
      EXPECT_NE(std::string(refused.what()).find(" bytes of a tile, the limit is "),
                std::string::npos)
          << refused.what();
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ow::jobs
