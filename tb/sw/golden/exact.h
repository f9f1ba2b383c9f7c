// SPDX-License-Identifier: Apache-2.0
// A graph of tokens in double precision, nothing rounded: its loss by the definition of each kind,
// and the gradients of its parameters by the rules of calculus, written once more.
#ifndef OW_TB_GOLDEN_EXACT_H_
#define OW_TB_GOLDEN_EXACT_H_

#include <cstddef>
#include <vector>

#include "ow/golden/train.h"
#include "ow/graph/graph.h"

namespace ow::golden {

// Of all samples; the sample runs fastest.
struct ExactValue {
  ExactValue() = default;
  ExactValue(size_t features, size_t samples)
      : features(features), samples(samples), all(features * samples) {}
  double at(size_t f, size_t s) const { return all[f * samples + s]; }
  double& at(size_t f, size_t s) { return all[f * samples + s]; }
  size_t features = 0, samples = 0;
  std::vector<double> all;
};

class ExactGraph {
 public:
  // With the trainer's masters.
  ExactGraph(const Graph& graph, const std::vector<Parameter>& parameters);

  // The mean over the samples whose target is not ignored, and its gradients.
  double loss(const Tokens& tokens, const Targets& targets) const;
  std::vector<std::vector<double>> gradients(const Tokens& tokens, const Targets& targets) const;

  std::vector<std::vector<double>> parameters;  // as the trainer numbers them

 private:
  std::vector<ExactValue> forward(const Tokens& tokens) const;
  Graph graph_;
};

}  // namespace ow::golden

#endif  // OW_TB_GOLDEN_EXACT_H_
