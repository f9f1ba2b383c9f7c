// SPDX-License-Identifier: Apache-2.0
// Steps of trainings on tokens, on the RTL with golden beside it.
#ifndef OW_BENCH_TOKEN_STEPS_H_
#define OW_BENCH_TOKEN_STEPS_H_

#include <cstdint>
#include <string>

#include "ow/base/rng.h"
#include "ow/execute/train_grid.h"
#include "ow/golden/train.h"
#include "ow/memoryx/memoryx.h"
#include "ow/tensor/sequences.h"

namespace ow::bench {

// A micro-batch a step.
class TokenSteps {
 public:
  // `firmware`: the folder of the programs. BadInput if the job does not fit the tiles.
  TokenSteps(const TrainingJob& job, const std::string& firmware);

  // Of sequences of job.sequence slots those from the n-th micro-batch on.
  jobs::TrainRun run(const Sequences& of, size_t n);
  bool different() const { return different_; }  // from golden
  const jobs::Plan& plan() const { return plan_; }

 private:
  TrainingJob job_;
  ElfImage program_;
  jobs::Plan plan_;
  jobs::TrainGrid grid_;
  memoryx::MemoryX memory_;
  golden::Trainer golden_;
  bool different_ = false;
};

// A micro-batch of random tokens in sequences that fill their slots.
Sequences random_tokens(const TrainingJob& job, int vocabulary, Rng* rng);

// A training of a small transformer, drawn: either family, one or two blocks, 16-bit types, grids
// of 1 to 4 rows and columns, up to 32 tokens a tile.
TrainingJob drawn_transformer(Rng* rng, int* vocabulary);

// Cycles of the streamed passes of a step, of its slowest tiles: those phases in which no kernel
// works besides, of all matrices but the last one.
uint64_t streamed_cycles(const jobs::Plan& plan, const jobs::TrainRun& run);

}  // namespace ow::bench

#endif  // OW_BENCH_TOKEN_STEPS_H_
