// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/gradient_sum.h"

#include "ow/base/error.h"

namespace ow::memoryx {

int GradientSum::arrays(int micro_batches) {
  int n = 1;
  for (int left = micro_batches - 1; left > 0; left /= 2) ++n;
  return n;
}

void GradientSum::added(int micro_batches) {
  if (slot() >= store_.gradients()) throw InternalError("more micro-batches than the store is for");
  weights_.push_back(static_cast<uint64_t>(micro_batches));
  count_ += micro_batches;
  while (weights_.size() > 1 && weights_.back() == weights_[weights_.size() - 2]) merge();
}

void GradientSum::finish() {
  if (weights_.empty()) throw InternalError("a step without a gradient");
  while (weights_.size() > 1) merge();
  weights_.clear();
  count_ = 0;
}

void GradientSum::merge() {
  const int last = static_cast<int>(weights_.size()) - 1;
  struct Piece {
    size_t tensor, first, count;
  };
  std::vector<Piece> pieces;
  for (size_t t = 0; t < store_.tensors(); ++t) {
    store_.each_window(t, [&](size_t first, size_t count) { pieces.push_back({t, first, count}); });
  }
  pool_.run(pieces.size(), [&](size_t k) {
    const Piece& p = pieces[k];
    const View<float> to = store_.gradient(p.tensor, last - 1, p.first, p.count);
    const View<float> from = store_.gradient(p.tensor, last, p.first, p.count);
    float* __restrict sum = to.data();
    const float* __restrict more = from.data();
    for (size_t i = 0; i < p.count; ++i) sum[i] = sum[i] + more[i];
  });
  weights_[weights_.size() - 2] += weights_.back();
  weights_.pop_back();
}

}  // namespace ow::memoryx
