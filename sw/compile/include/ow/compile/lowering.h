// SPDX-License-Identifier: Apache-2.0
// What the tiles do with a kind of operation. A kind that tiles can run has a file lower.cpp in its
// folder of sw/layers, and the build collects the table. Nothing else in this library names a kind.
// docs/numerics.md defines what a kind computes.
#ifndef OW_COMPILE_LOWERING_H_
#define OW_COMPILE_LOWERING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/compile/phase_cost.h"
#include "ow/firmware/job.h"
#include "ow/graph/graph.h"
#include "ow/graph/kind.h"
#include "ow/graph/training.h"

namespace ow::jobs {

// A pass of the tiles' program over a streamed matrix.
struct StreamedPart {
  LayerShape (*shape)(const Op& op, int inputs);
};

// Done by a streamed pass with each of its outputs, element by element.
struct FinishPart {
  uint32_t flag;     // OW_PASS_... flag of the pass
  const char* mask;  // kernel that masks deltas (struct ow_gate)
  uint64_t start;    // cycles of the mask, besides one for each vector of deltas
};

// The tile must have one of these bits.
struct LossUnit {
  uint32_t features;    // isa::reg::Features
  uint32_t operations;  // isa::reg::Operations
  const char* what;
};

// The target of a sample: a class, or one value per output (else null).
struct Goal {
  int label = 0;
  const float* values = nullptr;
};

class GraphLowering;

// Runs after the last pass and makes the deltas with which the backward passes begin.
struct LossPart {
  const char* kernel;  // its phase (struct ow_loss)
  // Rows of `samples` fp32 numbers in the work area of a tile that owns so many outputs, besides
  // OW_LOSS_ROWS. Null: none.
  uint64_t (*rows)(uint64_t samples, uint64_t owned);
  std::vector<LossUnit> units;  // in addition to those that every training needs
  // From the outputs, a value of the graph.
  WorkCost (*cost)(const GraphLowering& lowering, int outputs);
  // The factor of the derivative, from loss scale and number of outputs, rounded once.
  float (*factor)(float scale, int outputs);
  // Adds the loss of a sample, in double. It is for people and is never compared.
  void (*add)(const Op& op, const std::vector<double>& outputs, const Goal& goal, double* loss);
  // What options of the operation the kernel needs. Null: none.
  void (*options)(const Op& op, int outputs, ow_loss* parameters) = nullptr;
  bool in_place = false;  // deltas may replace the outputs
};

// Rows of the loss's work area, OW_LOSS_ROWS among them.
uint64_t work_rows(const LossPart& loss, int samples, uint64_t owned);

// At most one of the parts, and the phases of the kind's operations (graph_lowering.h). A finish
// and a loss have none of their own.
struct Lowering {
  const char* name;
  const StreamedPart* streamed = nullptr;
  const FinishPart* finish = nullptr;
  const LossPart* loss = nullptr;
  void (*forward)(GraphLowering& lowering, const Op& op) = nullptr;
  void (*backward)(GraphLowering& lowering, const Op& op) = nullptr;
  bool mixes = false;   // its value of a sample depends on other samples
  bool passes = false;  // its deltas are those of its value, whatever its inputs are
};

// All of them. find_lowering returns null for a kind that no program of the tiles runs.
const std::vector<const Lowering*>& lowerings();
const Lowering* find_lowering(const std::string& kind);

// The part of a loss. InternalError for another name: names from users are compared with
// loss_names() where their line is known.
const LossPart& loss_part(const std::string& kind);

// The form of a loss's targets. Classes are stored in every tile of their column, 32 bits per
// sample. Values are stored like the last tensor, 16 bits for each output and sample. Values are
// read only once, when the deltas are made, so deltas may replace them.
TargetForm targets_of(const std::string& loss);

// The part of an activation; null for none. InternalError for another name, as above.
const FinishPart* finish_part(const std::string& kind);
std::vector<std::string> activation_names();  // includes none

// Bits of a sample's class or target values on their way into the grid.
uint64_t target_bits(const std::string& loss, int outputs);

}  // namespace ow::jobs

#endif  // OW_COMPILE_LOWERING_H_
