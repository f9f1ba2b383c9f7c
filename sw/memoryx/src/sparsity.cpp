// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/sparsity.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cstring>

#include "greatest.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/memoryx/schedule.h"

namespace ow::memoryx {
namespace {

using Algorithm = SparsityGroup::Algorithm;

// Encodings of absolute values are in their order.
uint64_t size_key(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & 0x7FFFFFFFu;
}

size_t kept_of(const SparsityGroup& group, uint64_t step, size_t elements) {
  return static_cast<size_t>(value_at(group.density, step) * static_cast<double>(elements));
}

void check_group(const SparsityGroup& g, const Store& store) {
  const std::string who = fmt::format("sparsity of '{}'", g.pattern);
  check_schedule(g.density, 0, 1, who + ": density");
  check_schedule(g.drop, 0, 1, who + ": the share to drop");
  if (g.update.every == 0) throw BadInput(who + ": updates every 0 steps");
  if (g.algorithm == Algorithm::Gradual) {
    bool moves = g.density.size() > 1;
    for (const SchedulePiece& piece : g.density) {
      moves = moves || (piece.kind != SchedulePiece::Kind::Constant && piece.from != piece.to);
    }
    if (!moves) throw BadInput(who + ": gradual pruning needs a density that changes");
  }
  for (size_t k = 0; k < store.tensors(); ++k) {
    const TensorSpec& spec = store.spec(k);
    if (spec.matrix() && fnmatch(g.pattern.c_str(), spec.name.c_str(), 0) == 0) return;
  }
  throw BadInput(who + ": no matrix has a name like this");
}

}  // namespace

int group_of(const std::vector<SparsityGroup>& groups, const TensorSpec& tensor) {
  if (!tensor.matrix()) return -1;
  for (size_t k = 0; k < groups.size(); ++k) {
    if (fnmatch(groups[k].pattern.c_str(), tensor.name.c_str(), 0) == 0) return static_cast<int>(k);
  }
  return -1;
}

Sparsity::Sparsity(const std::vector<SparsityGroup>& groups, uint64_t seed, Store& store)
    : groups_(groups), seed_(seed), store_(store), kept_(store.tensors()) {
  for (const SparsityGroup& g : groups_) check_group(g, store_);
  for (size_t k = 0; k < store_.tensors(); ++k) {
    const TensorSpec& spec = store_.spec(k);
    group_of_.push_back(memoryx::group_of(groups_, spec));
    if (spec.masked != (group_of_.back() >= 0)) {
      throw InternalError(fmt::format("parameter '{}' has a mask or a group, not both", spec.name));
    }
    kept_[k] = spec.elements();
  }
}

const SparsityGroup* Sparsity::group(size_t tensor) const {
  return group_of_[tensor] < 0 ? nullptr : &groups_[static_cast<size_t>(group_of_[tensor])];
}

uint32_t Sparsity::random_key(uint64_t seed, size_t tensor, uint64_t step, size_t element) {
  return static_cast<uint32_t>(mix64(mix64(mix64(mix64(seed) + tensor) + step) + element) >> 32);
}

void Sparsity::clear_outside(size_t tensor, size_t first, size_t count) {
  const View<uint8_t> mask = store_.mask(tensor, first, count);
  const auto clear = [&](const View<float>& array) {
    for (size_t i = 0; i < count; ++i) array[i] = mask[i] != 0 ? array[i] : 0.0f;
  };
  clear(store_.weights(tensor, first, count));
  for (int k = 0; k < store_.moments(); ++k) clear(store_.moment(tensor, k, first, count));
}

void Sparsity::begin() {
  for (size_t t = 0; t < store_.tensors(); ++t) {
    const SparsityGroup* g = group(t);
    if (g == nullptr) continue;
    const size_t n = store_.spec(t).elements();
    const size_t k = kept_of(*g, 0, n);
    const auto keys = [&](size_t first, size_t count, uint64_t* out) {
      if (g->init == SparsityGroup::Init::Magnitude) {
        const View<float> w = store_.weights(t, first, count);
        for (size_t i = 0; i < count; ++i) out[i] = size_key(w[i]);
        return;
      }
      for (size_t i = 0; i < count; ++i) {
        const size_t at = first + i;
        __extension__ typedef unsigned __int128 Wide;
        out[i] = g->init == SparsityGroup::Init::Random
                     ? random_key(seed_, t, 0, at)
                     : static_cast<uint64_t>(static_cast<Wide>(at + 1) * k / n -
                                             static_cast<Wide>(at) * k / n);
      }
    };
    take_greatest(n, store_.window(), k, keys, [&](size_t first, size_t count, uint8_t* chosen) {
      std::memcpy(store_.mask(t, first, count).data(), chosen, count);
      clear_outside(t, first, count);
    });
    kept_[t] = k;
  }
}

bool Sparsity::changes(size_t tensor, uint64_t step) const {
  const SparsityGroup* g = group(tensor);
  return g != nullptr && g->algorithm != Algorithm::Static && due_at(g->update, step);
}

bool Sparsity::needs_dense(size_t tensor, uint64_t step) const {
  return changes(tensor, step) && group(tensor)->algorithm == Algorithm::Rigl;
}

void Sparsity::update(uint64_t step) {
  for (size_t t = 0; t < store_.tensors(); ++t) {
    if (!changes(t, step)) continue;
    const SparsityGroup& g = *group(t);
    const size_t k = kept_of(g, step, store_.spec(t).elements());
    if (g.algorithm == Algorithm::Gradual) {
      gradual(t, k);
    } else {
      regrow(t, g, step, k);
    }
    kept_[t] = k;
  }
}

void Sparsity::gradual(size_t tensor, size_t count) {
  const auto keys = [&](size_t first, size_t n, uint64_t* out) {
    const View<float> w = store_.weights(tensor, first, n);
    const View<uint8_t> mask = store_.mask(tensor, first, n);
    for (size_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? size_key(w[i]) + 1 : 0;
  };
  take_greatest(store_.spec(tensor).elements(), store_.window(), count, keys,
                [&](size_t first, size_t n, uint8_t* chosen) {
                  std::memcpy(store_.mask(tensor, first, n).data(), chosen, n);
                  clear_outside(tensor, first, n);
                });
}

void Sparsity::regrow(size_t tensor, const SparsityGroup& group, uint64_t step, size_t count) {
  const size_t n = store_.spec(tensor).elements();
  const size_t before = kept_[tensor];
  const double share = value_at(group.drop, step);
  const size_t dropped = static_cast<size_t>(share * static_cast<double>(count));
  const size_t grown = std::min(count - std::min(before, count - dropped), n - before);
  // Two bits while both are chosen: 1 was kept before, 2 is kept now.
  const auto weights = [&](size_t first, size_t m, uint64_t* out) {
    const View<float> w = store_.weights(tensor, first, m);
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    for (size_t i = 0; i < m; ++i) out[i] = (mask[i] & 1) != 0 ? size_key(w[i]) + 1 : 0;
  };
  const auto add = [&](size_t first, size_t m, const uint8_t* chosen) {
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    for (size_t i = 0; i < m; ++i) mask[i] = static_cast<uint8_t>(mask[i] | chosen[i] << 1);
  };
  take_greatest(n, store_.window(), count - grown, weights, add);
  const auto candidates = [&](size_t first, size_t m, uint64_t* out) {
    constexpr uint64_t kCandidate = uint64_t{1} << 32;
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    const bool rigl = group.algorithm == Algorithm::Rigl;
    const View<float> g = store_.gradient(tensor, 0, first, m);
    for (size_t i = 0; i < m; ++i) {
      const uint64_t key = rigl ? size_key(g[i]) : random_key(seed_, tensor, step, first + i);
      out[i] = (mask[i] & 1) != 0 ? 0 : kCandidate | key;
    }
  };
  take_greatest(n, store_.window(), grown, candidates, add);
  const auto settle = [&](size_t first, size_t m) {
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    for (size_t i = 0; i < m; ++i) mask[i] >>= 1;
    clear_outside(tensor, first, m);
  };
  store_.each_window(tensor, settle);
}

size_t Sparsity::kept(size_t tensor) const { return kept_[tensor]; }

void Sparsity::recount() {
  for (size_t t = 0; t < store_.tensors(); ++t) {
    if (group(t) == nullptr) continue;
    kept_[t] = 0;
    store_.each_window(t, [&](size_t first, size_t count) {
      const View<uint8_t> mask = store_.mask(t, first, count);
      for (size_t i = 0; i < count; ++i) kept_[t] += mask[i];
    });
  }
}

}  // namespace ow::memoryx
