// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <iterator>

#include "ow/conform/make.h"

namespace ow::conform {

namespace {

constexpr Fault kFaults[] = {
    {"subnormals are flushed", "numerics.md", "Formats"},
    {"nan keeps a payload", "numerics.md", "Formats"},
    {"nan has a sign", "numerics.md", "Formats"},
    {"overflow saturates", "numerics.md", "Formats"},
    {"zeros lose their sign", "numerics.md", "Formats"},
    {"add rounds down", "numerics.md", "Operations"},
    {"sub exchanges its operands", "numerics.md", "Operations"},
    {"fma rounds its product", "numerics.md", "Operations"},
    {"mixed rounds its product to 16 bits", "numerics.md", "Operations"},
    {"max and min drop a nan", "numerics.md", "Operations"},
    {"max takes the second zero", "numerics.md", "Operations"},
    {"cmplt is cmple", "numerics.md", "Operations"},
    {"cmpne of a nan is 0", "numerics.md", "Operations"},
    {"sra fills with zeros", "numerics.md", "Operations"},
    {"a shift saturates", "numerics.md", "Operations"},
    {"gate keeps at zero", "numerics.md", "Operations"},
    {"integer sums saturate", "numerics.md", "Operations"},
    {"nan casts to the least integer", "numerics.md", "Casts"},
    {"float casts truncate", "numerics.md", "Casts"},
    {"casts to bytes wrap", "numerics.md", "Casts"},
    {"integer casts wrap", "numerics.md", "Casts"},
    {"integers become floats cut off", "numerics.md", "Casts"},
    {"narrow casts cut off", "numerics.md", "Casts"},
    {"sums are sequential", "numerics.md", "Reductions"},
    {"sums have eight partial results", "numerics.md", "Reductions"},
    {"the tree joins neighbours", "numerics.md", "Reductions"},
    {"products of dot are rounded", "numerics.md", "Reductions"},
    {"a maximum starts from 0", "numerics.md", "Reductions"},
    {"rcp is an ulp off", "numerics.md", "Non-linear functions"},
    {"exp is an ulp off", "numerics.md", "Non-linear functions"},
    {"tanh is an ulp off", "numerics.md", "Non-linear functions"},
    {"sigmoid is an ulp off", "numerics.md", "Non-linear functions"},
    {"rsqrt of -0 is nan", "numerics.md", "Non-linear functions"},
    {"log of 0 is nan", "numerics.md", "Non-linear functions"},
    {"a reset keeps the random numbers", "numerics.md", "Stochastic rounding"},
    {"wfi does nothing", "isa.md", "Scalar core"},
    {"advance stays", "fabric.md", "Switches"},
    {"ring is inverted", "fabric.md", "Switches"},
    {"reset does nothing", "fabric.md", "Switches"},
    {"teardown does nothing", "fabric.md", "Teardown"},
    {"noce is ignored", "fabric.md", "Switches"},
    {"slots never leave", "fabric.md", "Switches"},
    {"mode 2 pops always", "fabric.md", "Switches"},
    {"a popped slot is lost", "fabric.md", "Switches"},
    {"range leaves out its end", "fabric.md", "Filters"},
    {"counter passes one less", "fabric.md", "Filters"},
    {"counter period is longer", "fabric.md", "Filters"},
    {"sparse counter keeps its limit", "fabric.md", "Filters"},
    {"filters drop nothing", "fabric.md", "Filters"},
    {"a copy that is owed follows the old route", "fabric.md", "Data colours"},
    {"multicast takes one output", "fabric.md", "Data colours"},
    {"east and west are exchanged", "fabric.md", "Data colours"},
    {"control bit is lost at a link", "fabric.md", "Control wavelets"},
    {"data bit 31 is stuck at a link", "fabric.md", "Links"},
    {"decay is left out", "numerics.md", "Training"},
    {"momentum is not nesterov's", "numerics.md", "Training"},
    {"the moments exchange their rates", "numerics.md", "Training"},
    {"epsilon is left out", "numerics.md", "Training"},
    {"gradients are not clipped", "numerics.md", "Training"},
    {"a cosine is linear", "numerics.md", "Training"},
    {"cubic falls like a square", "numerics.md", "Training"},
    {"pieces are a step longer", "numerics.md", "Training"},
    {"a slope does not stop", "numerics.md", "Training"},
    {"the loss scale stays", "numerics.md", "Training"},
    {"the loss is not scaled", "numerics.md", "Training"},
    {"whole sums go round the column", "numerics.md", "Training"},
    {"the deltas' sums are not whole", "numerics.md", "Training"},
    {"tiles' gradients are one sum", "numerics.md", "Training"},
    {"micro-batches are added in turn", "numerics.md", "Training"},
    {"random masks are even", "numerics.md", "Masks"},
    {"the least weights stay", "numerics.md", "Masks"},
    {"nothing is dropped", "numerics.md", "Masks"},
    {"rigl grows at random", "numerics.md", "Masks"},
    {"masks are not balanced", "numerics.md", "Masks"},
    {"masks change a step later", "numerics.md", "Masks"},
    {"gradual masks stay", "numerics.md", "Masks"},
    {"weights begin by the next seed", "numerics.md", "First weights and samples"},
    {"samples come unshuffled", "numerics.md", "First weights and samples"}};

}  // namespace

const std::vector<Fault>& model_faults() {
  static const std::vector<Fault> all(std::begin(kFaults), std::end(kFaults));
  return all;
}

}  // namespace ow::conform
