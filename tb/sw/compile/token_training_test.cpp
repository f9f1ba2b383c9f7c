// SPDX-License-Identifier: Apache-2.0
// Trainings on tokens: attention and the other kinds of transformers, on simulated tiles against
// golden.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "../golden/token_draws.h"
#include "draws.h"
#include "graph_steps.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "seed.h"

namespace ow::jobs {
namespace {

// Sequences of random lengths up to `longest`, a new batch each step.
void compare_tokens(const TrainingJob& job, int vocabulary, int longest, int steps) {
  Rng rng(7);
  compare_steps(job, steps, [&](int /*step*/) {
    golden::TokenBatch batch(job, vocabulary, longest, &rng);
    return StepInput{batch.tokens, batch.targets};
  });
}

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

struct Model {
  int width, heads, kv_heads, hidden, layers, vocabulary, positions;
};

// Learned positions, layer norms, gelu, biases; the head is tied to the embedding.
Graph gpt2(const Model& m) {
  Growing g(Graph::of_tokens());
  const std::string e =
      g.with("embedding", {"input"},
             {{"vocabulary", m.vocabulary}, {"width", m.width}, {"positions", m.positions}});
  std::string x = e;
  for (int n = 0; n < m.layers; ++n) {
    const std::string in = g.element("layer_norm", {x});
    const std::string q = g.linear(in, m.width, true), k = g.linear(in, m.width, true),
                      v = g.linear(in, m.width, true);
    const std::string a = g.with("attention", {q, k, v}, {{"heads", m.heads}});
    const std::string mid = g.element("add", {x, g.linear(a, m.width, true)});
    const std::string up = g.linear(g.element("layer_norm", {mid}), m.hidden, true);
    x = g.element("add", {mid, g.linear(g.element("gelu", {up}), m.width, true)});
  }
  const std::string head =
      g.linear(g.element("layer_norm", {x}), m.vocabulary, false, e + ".weight");
  return g.end(head, "softmax_cross_entropy");
}

// Rotary positions, RMS norms, grouped heads, a gated feed-forward part, no biases.
Graph llama(const Model& m) {
  Growing g(Graph::of_tokens());
  const int size = m.width / m.heads, copies = m.heads / m.kv_heads;
  const std::map<std::string, double> turns = {{"heads", m.heads}, {"positions", m.positions}};
  const std::string e =
      g.with("embedding", {"input"}, {{"vocabulary", m.vocabulary}, {"width", m.width}});
  std::string x = e;
  for (int n = 0; n < m.layers; ++n) {
    const std::string in = g.element("rms_norm", {x});
    const std::map<std::string, double> kv = {
        {"outputs", m.kv_heads * size}, {"bias", n % 2}, {"copies", copies}};
    const std::string q = g.linear(in, m.width, false), k = g.with("linear", {in}, kv),
                      v = g.with("linear", {in}, kv);
    const std::string turned_q = g.with("rotary", {q}, turns),
                      turned_k = g.with("rotary", {k}, turns);
    const std::string a = g.with("attention", {turned_q, turned_k, v}, {{"heads", m.heads}});
    const std::string mid = g.element("add", {x, g.linear(a, m.width, false)});
    const std::string norm = g.element("rms_norm", {mid});
    const std::string gate = g.linear(norm, m.hidden, false), up = g.linear(norm, m.hidden, false);
    const std::string product = g.element("mul", {g.element("silu", {gate}), up});
    x = g.element("add", {mid, g.linear(product, m.width, false)});
  }
  return g.end(g.linear(g.element("rms_norm", {x}), m.vocabulary, false), "softmax_cross_entropy");
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

// Nano: 4 x 4 tiles of 32 tokens, sequences of at most 32.
class NanoTraining : public testing::TestWithParam<HalfType> {};
INSTANTIATE_TEST_SUITE_P(Types, NanoTraining,
                         testing::Values(HalfType::Binary16, HalfType::Bfloat16));

void train_nano(const Graph& graph, HalfType type) {
  const int steps = std::getenv("OW_NIGHTLY") == nullptr ? 1 : 20;
  TrainingJob job = job_of(graph, {4, 4}, 32);
  job.type = type;
  job.loss_scale.initial = 256;
  compare_tokens(job, 76, 32, steps);
}

TEST_P(NanoTraining, TwentyStepsAreThoseOfGolden) {
  train_nano(gpt2({32, 4, 4, 128, 2, 76, 32}), GetParam());
}

TEST(GatedNanoTraining, TwentyStepsAreThoseOfGolden) {
  train_nano(llama({32, 4, 2, 80, 2, 76, 32}), HalfType::Binary16);
}

}  // namespace
}  // namespace ow::jobs
