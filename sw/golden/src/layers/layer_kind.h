// SPDX-License-Identifier: Apache-2.0
// What a kind of layer computes, written from its definition (docs/numerics.md). Each kind has a
// folder here and a line in the table (layer_kind.cpp). Nothing of the compiler's kinds
// (sw/compile) is used, because these check them. There may be kinds here that no program of the
// tiles can run.
#ifndef OW_GOLDEN_SRC_LAYERS_LAYER_KIND_H_
#define OW_GOLDEN_SRC_LAYERS_LAYER_KIND_H_

#include <string>
#include <vector>

#include "ow/golden/train.h"
#include "ow/tensor/graph.h"
#include "ow/tensor/training.h"

namespace ow::golden {

struct ParameterShape {
  const char* suffix;  // of its name, after the layer's
  size_t rows;
  size_t columns;
  bool matrix;  // starts at random and may have a mask (N20, N21); otherwise it starts as zeros
};

// A layer in a pass over a micro-batch.
struct LayerPass {
  const TrainingJob& job;
  const GraphLayer& layer;
  int forward_rows;  // grid rows that a sum goes round; 1: whole (N12)
  int delta_rows;
  std::vector<const Parameter*> parameters;  // in the order of parameters()
  std::vector<bool> dense;  // per parameter: its gradient is also needed outside the mask
  std::vector<const Activations*> inputs;
  std::vector<bool> wanted;             // per input: its deltas are needed
  const Activations* output = nullptr;  // in the backward pass: the output of the forward pass
};

struct Backward {
  std::vector<Activations> deltas;            // one per input; empty if they are not needed
  std::vector<std::vector<float>> gradients;  // one per parameter
};

struct LayerKind {
  const char* name;
  // Features of its output, from those of its inputs. InternalError if they do not fit.
  int (*features)(const GraphLayer& layer, const std::vector<int>& inputs);
  std::vector<ParameterShape> (*parameters)(const GraphLayer& layer,
                                            const std::vector<int>& inputs);
  Activations (*forward)(const LayerPass& pass);
  Backward (*backward)(const LayerPass& pass, const Activations& delta);
  // Only for a kind that works element by element, on an encoding.
  uint16_t (*element)(HalfType type, uint16_t x) = nullptr;
  // Only for a kind that is a layer of a Network (ow/tensor/network.h): with its rounded weights.
  Layer (*layer)(const LayerPass& pass) = nullptr;
  // Only for a loss, which has this and its name alone: the deltas of `out`, for the loss times
  // `scale`. `loss` is the mean over the samples. InternalError for targets that do not fit.
  Activations (*loss)(const TrainingJob& job, const Activations& out, const Targets& targets,
                      float scale, double* loss) = nullptr;
};

// InternalError for a name that is not in the table.
const LayerKind& layer_kind(const std::string& name);

const LayerKind& linear_kind();
const LayerKind& relu_kind();
const LayerKind& add_kind();
const LayerKind& softmax_cross_entropy_kind();
const LayerKind& mean_squared_error_kind();

// fp32, as its encoding, to 16 bits (rounded once) and back.
uint16_t narrow(HalfType type, uint32_t x);
uint32_t widen(HalfType type, uint16_t x);
// The sum of two tensors, element by element in fp32, rounded once.
Activations sum_of(HalfType type, const Activations& a, const Activations& b);
// The parameters of a kind that has none.
std::vector<ParameterShape> no_parameters(const GraphLayer& layer, const std::vector<int>& inputs);

// Throws InternalError with `what` if the condition does not hold.
void require(bool condition, const char* what);

}  // namespace ow::golden

#endif  // OW_GOLDEN_SRC_LAYERS_LAYER_KIND_H_
