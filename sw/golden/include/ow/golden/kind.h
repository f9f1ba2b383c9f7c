// SPDX-License-Identifier: Apache-2.0
// What a kind of operation computes, written from its definition. Each kind has a file
// golden/golden.cpp in its folder of sw/layers, and the build collects the table. It uses nothing
// of the compiler or of the tiles, because it checks them. A kind may be here that no program of
// the tiles can run.
#ifndef OW_GOLDEN_KIND_H_
#define OW_GOLDEN_KIND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/golden/numerics.h"
#include "ow/golden/train.h"
#include "ow/graph/graph.h"

namespace ow::golden {

// An operation in a pass over a micro-batch.
struct LayerPass {
  const Numerics& numerics;
  const ow::Op& op;
  std::vector<const Parameter*> parameters;  // in the order of the kind
  std::vector<bool> dense;  // per parameter: its gradient is also needed outside the mask
  std::vector<const Activations*> inputs;
  std::vector<bool> wanted;             // per input: its deltas are needed
  const Activations* output = nullptr;  // in the backward pass: the output of the forward pass
  const Tokens* tokens = nullptr;       // null if the samples are numbers
  bool zeros = false;                   // streamed weights of zero take part, too
};

struct Backward {
  std::vector<Activations> deltas;            // one per input; empty if they are not needed
  std::vector<std::vector<float>> gradients;  // one per parameter
};

struct LayerKind {
  const char* name;
  Activations (*forward)(const LayerPass& pass);
  Backward (*backward)(const LayerPass& pass, const Activations& delta);
  // Only for a kind that works element by element, on an encoding.
  uint16_t (*element)(HalfType type, uint16_t x) = nullptr;
  // Only for a kind that is a layer of a Network (ow/tensor/network.h): with its rounded weights.
  Layer (*layer)(const LayerPass& pass) = nullptr;
  // Only for a loss, which has this and its name alone: the deltas of `out`, for the loss times
  // `scale`. `loss` is the mean over the samples whose target is not ignored. InternalError for
  // targets that do not fit.
  Activations (*loss)(const ow::Op& op, const Numerics& numerics, const Activations& out,
                      const Targets& targets, float scale, double* loss) = nullptr;
};

// All kinds; then the one of a name, InternalError if there is none.
const std::vector<const LayerKind*>& layer_kinds();
const LayerKind& layer_kind(const std::string& name);

// fp32, as its encoding, to 16 bits (rounded once) and back.
uint16_t narrow(HalfType type, uint32_t x);
uint32_t widen(HalfType type, uint16_t x);
// The sum of two tensors, element by element in fp32, rounded once.
Activations sum_of(HalfType type, const Activations& a, const Activations& b);

// Throws InternalError with `what` if the condition does not hold.
void require(bool condition, const char* what);

}  // namespace ow::golden

#endif  // OW_GOLDEN_KIND_H_
