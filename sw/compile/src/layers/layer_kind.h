// SPDX-License-Identifier: Apache-2.0
// What the compiler asks of a kind of layer: a folder here for each, and a line of the table
// (layer_kind.cpp); nothing else in this library knows a kind by its name. The tiles' programs
// (sw/firmware) and the golden model (sw/golden/src/layers) have it each on their own; what it
// computes stands in docs/numerics.md.
//
// A kind without any of the parts below can be described, and is refused where a plan for tiles is
// made: no program of theirs does it.
#ifndef OW_COMPILE_SRC_LAYERS_LAYER_KIND_H_
#define OW_COMPILE_SRC_LAYERS_LAYER_KIND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/tensor/graph.h"
#include "ow/tensor/training.h"

namespace ow::jobs {

// A key of a layer in parameters, beside name, kind and inputs.
struct LayerOption {
  enum class Form { Whole, Flag };
  const char* key;
  Form form;
  int64_t low, high;               // of a whole number
  std::optional<double> fallback;  // where the key is missing; none: it must be there
};

// Streamed: a pass of the tiles' program, begun by a matrix that comes in as a stream.
struct StreamedPart {
  LayerShape (*shape)(const GraphLayer& layer, int inputs);
  uint32_t (*flags)(const LayerShape& shape);  // OW_SL_... that the pass takes
};

// Done by a streamed pass with each of its outputs, element by element.
struct FinishPart {
  uint32_t flag;  // OW_SL_... that the pass takes
  // That a vector of deltas takes where the delta pass behind comes to it.
  uint64_t delta_cycles;
};

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

// For the estimate, in cycles, each with what it takes more for every beat of the tile's samples
// (docs/training.md).
struct LossCosts {
  struct Cost {
    uint64_t cycles;
    uint64_t beat;
    uint64_t at(uint64_t beats) const { return cycles + beat * beats; }
  };
  Cost start;  // its programs
  Cost hop;    // a tile of the column that something goes through
  Cost value;  // an output that the tile owns
};

// What a sample should be: a class, or values, one an output (else null).
struct Goal {
  int label = 0;
  const float* values = nullptr;
};

// Behind the last pass: the deltas that everything backward begins with.
struct LossPart {
  uint32_t program;  // OW_TR_LOSS_... (ow/firmware/train.h)
  TargetForm targets;
  // Rows of `samples` fp32 numbers in the work area for each output that a tile owns, besides
  // OW_TR_LOSS_ROWS.
  uint32_t rows_an_output;
  std::vector<LossUnit> units;  // besides those of every training
  LossCosts costs;
  // What the derivative is multiplied by, of the loss scale and the outputs; rounded once.
  float (*factor)(float scale, int outputs);
  // Adds the loss of a sample: for people, in double, compared with nothing.
  void (*add)(const std::vector<double>& outputs, const Goal& goal, double* loss);
};

struct LayerKind {
  const char* name;
  std::vector<LayerOption> options;
  size_t inputs;  // tensors that it takes; a loss the targets as its last one
  // Features of its tensor, of those of its inputs (of a loss without the targets). BadInput, which
  // begins with layer.where, if they do not fit.
  int (*features)(const GraphLayer& layer, const std::vector<int>& inputs);
  const StreamedPart* streamed = nullptr;
  const FinishPart* finish = nullptr;
  const LossPart* loss = nullptr;
};

// The table; null for a name that is not in it.
const std::vector<const LayerKind*>& layer_kinds();
const LayerKind* find_layer_kind(const std::string& name);
std::vector<std::string> layer_kind_names();

// Of a loss. InternalError for another name: those that a user gives are compared with loss_names()
// where the line is known.
const LossPart& loss_part(const std::string& kind);
std::vector<std::string> loss_names();

// Of an activation; null for none. InternalError for another name, as above.
const FinishPart* finish_part(const std::string& kind);
std::vector<std::string> activation_names();  // none, too

// The flags with which the tiles' programs do a layer: its own, and its activation's.
uint32_t pass_flags(const LayerShape& layer);

// Of a sample's class or values, on their way into the grid.
uint64_t target_bits(const LossPart& loss, int outputs);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SRC_LAYERS_LAYER_KIND_H_
