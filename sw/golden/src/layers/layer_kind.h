// SPDX-License-Identifier: Apache-2.0
// What a kind of layer computes, written from its definition (docs/numerics.md): a folder here for
// each, and a line of the table (layer_kind.cpp). Of the compiler's kinds (sw/compile) nothing is
// used: these judge them. A kind may be here that no program of the tiles does.
#ifndef OW_GOLDEN_SRC_LAYERS_LAYER_KIND_H_
#define OW_GOLDEN_SRC_LAYERS_LAYER_KIND_H_

#include <string>
#include <vector>

#include "ow/golden/train.h"
#include "ow/tensor/graph.h"
#include "ow/tensor/training.h"

namespace ow::golden {

struct ParameterShape {
  const char* suffix;  // of its name, behind the layer's
  size_t rows;
  size_t columns;
  bool matrix;  // begins at random and may have a mask (N20, N21); else it begins with zeros
};

// A layer in a pass over a micro-batch.
struct LayerPass {
  const TrainingJob& job;
  const GraphLayer& layer;
  int forward_rows;  // grid rows that a sum goes round; 1: whole (N12)
  int delta_rows;
  std::vector<const Parameter*> parameters;  // as parameters() has them
  std::vector<bool> dense;                   // of each: its gradient outside the mask is wanted
  std::vector<const Activations*> inputs;
  std::vector<bool> wanted;             // of each: its deltas are
  const Activations* output = nullptr;  // of the forward pass, in the backward one
};

struct Backward {
  std::vector<Activations> deltas;            // of each input; empty where they are not wanted
  std::vector<std::vector<float>> gradients;  // of each parameter
};

struct LayerKind {
  const char* name;
  // Features of its tensor, of those of its inputs. InternalError if they do not fit.
  int (*features)(const GraphLayer& layer, const std::vector<int>& inputs);
  std::vector<ParameterShape> (*parameters)(const GraphLayer& layer,
                                            const std::vector<int>& inputs);
  Activations (*forward)(const LayerPass& pass);
  Backward (*backward)(const LayerPass& pass, const Activations& delta);
  // Of a kind that works element by element, on an encoding.
  uint16_t (*element)(HalfType type, uint16_t x) = nullptr;
  // Of a kind that is a layer of a Network (ow/tensor/network.h): with its weights, rounded.
  Layer (*layer)(const LayerPass& pass) = nullptr;
  // Of a loss, instead of all above but the name: the deltas of `out`, for the loss times `scale`;
  // `loss` is the mean over the samples. InternalError for targets that do not fit.
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

// 16 bits and back; fp32 as its encoding.
uint16_t narrow(HalfType type, uint32_t x);
uint32_t widen(HalfType type, uint16_t x);
// The sum of two tensors, element by element in fp32, rounded once.
Activations sum_of(HalfType type, const Activations& a, const Activations& b);
// Kinds without parameters.
std::vector<ParameterShape> no_parameters(const GraphLayer& layer, const std::vector<int>& inputs);

// InternalError with `what` unless it holds.
void good(bool condition, const char* what);

}  // namespace ow::golden

#endif  // OW_GOLDEN_SRC_LAYERS_LAYER_KIND_H_
