// SPDX-License-Identifier: Apache-2.0
// Trainings on tiles of fewer lanes and of more memory than `full` has: the bits of a training are
// those of golden, which knows neither. The build links this with a simulator of each tile.
#include <gtest/gtest.h>

#include <string>

#include "token_steps.h"

namespace ow::jobs {
namespace {

TEST(TrainingTiles, AChainIsThatOfGolden) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    for (const GridShape grid : {GridShape{1, 1}, GridShape{3, 2}}) {
      Growing g(19);
      const std::string a = g.element("relu", {g.linear("input", 23, true)});
      TrainingJob job = job_of(g.end(g.linear(a, 10, true), "softmax_cross_entropy"), grid, 16);
      job.type = type;
      compare_steps(with_sum_orders(job), 3);
    }
  }
}

TEST(TrainingTiles, ForksAndNormsAreThoseOfGolden) {
  Growing g(12);
  const std::string a = g.linear("input", 9, false);
  const std::string b = g.linear(g.element("gelu", {g.element("layer_norm", {a})}), 9, true);
  const Graph graph = g.end(g.linear(g.element("add", {a, b}), 4, true), "mean_squared_error");
  compare_steps(with_sum_orders(job_of(graph, {2, 2}, 24)), 3);
}

TEST(TrainingTiles, ATransformerIsThatOfGolden) {
  const Model small{8, 4, 2, 12, 1, 11, 48};
  compare_tokens(job_of(llama(small), {2, 2}, 16), small.vocabulary, 32, 2);
  compare_tokens(job_of(gpt2(small), {2, 2}, 16), small.vocabulary, 32, 2);
}

}  // namespace
}  // namespace ow::jobs
