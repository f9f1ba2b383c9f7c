// SPDX-License-Identifier: Apache-2.0
// What the host asks of a loss: a file here for each, and a line of the table (loss_kind.cpp). What
// its deltas are stands in docs/numerics.md (N13); the tiles' program
// (sw/firmware/src/train_loss.c) and the golden model have it each on their own.
#ifndef OW_COMPILE_SRC_LOSSES_LOSS_KIND_H_
#define OW_COMPILE_SRC_LOSSES_LOSS_KIND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/tensor/training.h"

namespace ow::jobs {

// What samples are trained towards. Classes lie in every tile of their column, 32 bits a sample.
// Values lie as the last tensor does, 16 bits for each output and sample, and are looked at once,
// when their deltas are made: these may take their place.
enum class TargetForm { Classes, Values };

// What a tile must have: one of these bits.
struct LossUnit {
  uint32_t features;    // isa::reg::Features
  uint32_t operations;  // isa::reg::Operations
  const char* what;
};

struct LossKind {
  Loss loss;
  const char* name;  // in parameters and plans
  uint32_t program;  // OW_TR_LOSS_... (ow/firmware/train.h)
  TargetForm targets;
  // Rows of `samples` fp32 numbers in the work area for each output that a tile owns, besides
  // OW_TR_LOSS_ROWS.
  uint32_t rows_an_output;
  std::vector<LossUnit> units;  // besides those of every training
  // What the derivative is multiplied by, of the loss scale and the outputs; rounded once.
  float (*factor)(float scale, int outputs);
  // Adds the loss of a sample: for people, in double, compared with nothing.
  void (*add)(const std::vector<double>& outputs, int target, double* loss);
};

const LossKind& softmax_cross_entropy();
const LossKind& mean_squared_error();

// InternalError for what is not in the table; names that are given by a user are compared with
// loss_names() where the line is known.
const LossKind& loss_kind(Loss loss);
const LossKind& loss_kind(const std::string& name);
std::vector<std::string> loss_names();

// Of a sample's class or values, on their way into the grid.
uint64_t target_bits(const LossKind& kind, int outputs);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SRC_LOSSES_LOSS_KIND_H_
