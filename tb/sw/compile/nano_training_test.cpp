// SPDX-License-Identifier: Apache-2.0
// Twenty steps of a small transformer, of the form of GPT-2 and of that of Llama, on simulated
// tiles against golden.
#include <gtest/gtest.h>

#include "token_steps.h"

namespace ow::jobs {
namespace {

// Nano: 4 x 4 tiles of 32 tokens, sequences of at most 32.
class NanoTraining : public testing::TestWithParam<HalfType> {};
INSTANTIATE_TEST_SUITE_P(Types, NanoTraining,
                         testing::Values(HalfType::Binary16, HalfType::Bfloat16));

void train_nano(const Graph& graph, HalfType type) {
  TrainingJob job = job_of(graph, {4, 4}, 32);
  job.type = type;
  job.loss_scale.initial = 256;
  compare_tokens(job, 76, 32, 20);
}

TEST_P(NanoTraining, TwentyStepsAreThoseOfGolden) {
  train_nano(gpt2({32, 4, 4, 128, 2, 76, 32}), GetParam());
}

TEST(GatedNanoTraining, TwentyStepsAreThoseOfGolden) {
  train_nano(llama({32, 4, 2, 80, 2, 76, 32}), HalfType::Binary16);
}

}  // namespace
}  // namespace ow::jobs
