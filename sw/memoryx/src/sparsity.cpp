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

// The encodings of absolute values have the order of the values.
uint64_t size_key(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & 0x7FFFFFFFu;
}

size_t kept_of(const SparsityGroup& group, uint64_t step, size_t elements) {
  return whole_share(value_at(group.density, step), elements);
}

// The parts of a matrix; each keeps the same number of weights. There is one unless they are
// balanced.
class Parts {
 public:
  Parts(const SparsityGroup& group, const TensorSpec& spec)
      : count_(group.balance == SparsityGroup::Balance::None ? 1
                                                             : static_cast<size_t>(group.parts)),
        inputs_(group.balance == SparsityGroup::Balance::Inputs),
        columns_(spec.shape.back()),
        each_((inputs_ ? columns_ : spec.elements() / columns_) / count_) {}

  size_t count() const { return count_; }
  size_t of(size_t element) const {
    if (count_ == 1) return 0;
    return (inputs_ ? element % columns_ : element / columns_) / each_;
  }
  // The part's share of k weights. It never shrinks as k grows, since a gradual mask only loses
  // weights.
  size_t share(size_t k, size_t part) const { return k / count_ + (part < k % count_ ? 1 : 0); }
  // The index of the element in its part.
  size_t place(size_t element) const {
    if (count_ == 1) return element;
    if (inputs_) return element / columns_ * each_ + element % columns_ % each_;
    return element % (columns_ * each_);
  }

 private:
  size_t count_;
  bool inputs_;
  size_t columns_;
  size_t each_;  // inputs, or outputs, per part
};

void check_balance(const SparsityGroup& g, const TensorSpec& spec) {
  if (g.balance == SparsityGroup::Balance::None) return;
  const bool inputs = g.balance == SparsityGroup::Balance::Inputs;
  const uint64_t n = inputs ? spec.shape.back() : spec.elements() / spec.shape.back();
  if (g.parts < 1 || n % static_cast<uint64_t>(g.parts) != 0) {
    throw BadInput(fmt::format("sparsity of '{}': '{}' has {} {}, which are not {} equal parts",
                               g.pattern, spec.name, n, inputs ? "inputs" : "outputs", g.parts));
  }
}

void check_group(const SparsityGroup& g, const std::vector<TensorSpec>& tensors) {
  const std::string who = fmt::format("sparsity of '{}'", g.pattern);
  const bool regrows = g.algorithm == Algorithm::Set || g.algorithm == Algorithm::Rigl;
  if (g.init == SparsityGroup::Init::Zeros && !regrows) {
    throw BadInput(who + ": only set and rigl find weights where there are none");
  }
  if (g.init == SparsityGroup::Init::Dense && g.algorithm == Algorithm::Static) {
    throw BadInput(who + ": a static mask that keeps everything is a density of 1");
  }
  check_schedule(g.density, 0, 1, who + ": density");
  check_schedule(g.drop, 0, 1, who + ": the share to drop");
  if (g.update.every == 0) throw BadInput(who + ": updates every 0 steps");
  if (g.algorithm == Algorithm::Gradual && !moves(g.density)) {
    throw BadInput(who + ": gradual pruning needs a density that changes");
  }
  for (const TensorSpec& spec : tensors) {
    if (spec.matrix() && !spec.table && fnmatch(g.pattern.c_str(), spec.name.c_str(), 0) == 0)
      return;
  }
  throw BadInput(who + ": no matrix has a name like this");
}

}  // namespace

size_t whole_share(double share, size_t count) {
  return static_cast<size_t>(share * static_cast<double>(count) * (1 + 0x1p-50));
}

int group_of(const std::vector<SparsityGroup>& groups, const TensorSpec& tensor) {
  if (!tensor.matrix() || tensor.table) return -1;
  for (size_t k = 0; k < groups.size(); ++k) {
    if (fnmatch(groups[k].pattern.c_str(), tensor.name.c_str(), 0) == 0) return static_cast<int>(k);
  }
  return -1;
}

void Sparsity::check(const std::vector<SparsityGroup>& groups,
                     const std::vector<TensorSpec>& tensors) {
  for (const SparsityGroup& g : groups) check_group(g, tensors);
  for (const TensorSpec& spec : tensors) {
    const int group = memoryx::group_of(groups, spec);
    if (group >= 0) check_balance(groups[static_cast<size_t>(group)], spec);
  }
}

Sparsity::Sparsity(const std::vector<SparsityGroup>& groups, uint64_t seed, Store& store)
    : groups_(groups), seed_(seed), store_(store), kept_(store.tensors()) {
  check(groups_, store_.specs());
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

// Chooses the `count[p]` greatest keys of each part p. Keys are those of take_greatest, less than
// 2^48 - 1. Meanwhile masks have two bits: 1 was kept before, 2 is kept now.
template <typename Keys>
void Sparsity::choose(size_t tensor, const std::vector<size_t>& count, const Keys& keys) {
  const size_t n = store_.spec(tensor).elements();
  const Parts parts(*group(tensor), store_.spec(tensor));
  for (size_t p = 0; p < parts.count(); ++p) {
    const auto of_part = [&](size_t first, size_t m, uint64_t* out) {
      keys(first, m, out);
      if (parts.count() == 1) return;
      for (size_t i = 0; i < m; ++i) out[i] = parts.of(first + i) == p ? out[i] + 1 : 0;
    };
    take_greatest(n, store_.window(), count[p], of_part,
                  [&](size_t first, size_t m, const uint8_t* chosen) {
                    const View<uint8_t> mask = store_.mask(tensor, first, m);
                    for (size_t i = 0; i < m; ++i) {
                      mask[i] = static_cast<uint8_t>(mask[i] | chosen[i] << 1);
                    }
                  });
  }
}

// The new bits become the mask.
void Sparsity::settle(size_t tensor) {
  kept_[tensor] = 0;
  store_.each_window(tensor, [&](size_t first, size_t m) {
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    for (size_t i = 0; i < m; ++i) {
      mask[i] >>= 1;
      kept_[tensor] += mask[i];
    }
    clear_outside(tensor, first, m);
  });
}

// Shares k weights among the parts of a matrix.
std::vector<size_t> Sparsity::shares(size_t tensor, size_t k) const {
  const Parts parts(*group(tensor), store_.spec(tensor));
  std::vector<size_t> count;
  for (size_t p = 0; p < parts.count(); ++p) count.push_back(parts.share(k, p));
  return count;
}

void Sparsity::begin() {
  using Init = SparsityGroup::Init;
  for (size_t t = 0; t < store_.tensors(); ++t) {
    const SparsityGroup* g = group(t);
    if (g == nullptr) continue;
    const size_t n = store_.spec(t).elements();
    size_t k = kept_of(*g, 0, n);
    if (g->init == Init::Zeros) k = 0;
    if (g->init == Init::Dense) k = n;
    const Parts parts(*g, store_.spec(t));
    const std::vector<size_t> count = shares(t, k);
    const size_t each = n / parts.count();
    const auto even = [&](size_t element) {
      __extension__ typedef unsigned __int128 Wide;
      const size_t at = parts.place(element), of = count[parts.of(element)];
      return static_cast<uint64_t>(static_cast<Wide>(at + 1) * of / each -
                                   static_cast<Wide>(at) * of / each);
    };
    store_.each_window(
        t, [&](size_t first, size_t m) { std::memset(store_.mask(t, first, m).data(), 0, m); });
    choose(t, count, [&](size_t first, size_t m, uint64_t* out) {
      if (g->init == Init::Magnitude) {
        const View<float> w = store_.weights(t, first, m);
        for (size_t i = 0; i < m; ++i) out[i] = size_key(w[i]);
        return;
      }
      for (size_t i = 0; i < m; ++i) {
        out[i] = g->init == Init::Even ? even(first + i) : random_key(seed_, t, 0, first + i);
      }
    });
    settle(t);
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
    const std::vector<size_t> count = shares(t, kept_of(g, step, store_.spec(t).elements()));
    if (g.algorithm == Algorithm::Gradual) {
      keep_greatest(t, count);
    } else {
      regrow(t, g, step, count);
    }
    settle(t);
  }
}

// Keeps the greatest weights of the mask.
void Sparsity::keep_greatest(size_t tensor, const std::vector<size_t>& count) {
  choose(tensor, count, [&](size_t first, size_t m, uint64_t* out) {
    const View<float> w = store_.weights(tensor, first, m);
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    for (size_t i = 0; i < m; ++i) out[i] = (mask[i] & 1) != 0 ? size_key(w[i]) + 1 : 0;
  });
}

void Sparsity::regrow(size_t tensor, const SparsityGroup& group, uint64_t step,
                      const std::vector<size_t>& count) {
  const Parts parts(group, store_.spec(tensor));
  const size_t each = store_.spec(tensor).elements() / parts.count();
  const double share = value_at(group.drop, step);
  std::vector<size_t> before(parts.count());
  store_.each_window(tensor, [&](size_t first, size_t m) {
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    for (size_t i = 0; i < m; ++i) before[parts.of(first + i)] += mask[i];
  });
  std::vector<size_t> stay, grown;
  for (size_t p = 0; p < parts.count(); ++p) {
    const size_t dropped = whole_share(share, count[p]);
    grown.push_back(std::min(count[p] - std::min(before[p], count[p] - dropped), each - before[p]));
    stay.push_back(count[p] - grown[p]);
  }
  keep_greatest(tensor, stay);
  choose(tensor, grown, [&](size_t first, size_t m, uint64_t* out) {
    constexpr uint64_t kCandidate = uint64_t{1} << 32;
    const View<uint8_t> mask = store_.mask(tensor, first, m);
    const bool rigl = group.algorithm == Algorithm::Rigl;
    const View<float> g = store_.gradient(tensor, 0, first, m);
    for (size_t i = 0; i < m; ++i) {
      const uint64_t key = rigl ? size_key(g[i]) : random_key(seed_, tensor, step, first + i);
      out[i] = (mask[i] & 1) != 0 ? 0 : kCandidate | key;
    }
  });
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
