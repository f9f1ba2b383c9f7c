// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/optimizer.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <optional>

#include "ow/base/error.h"
#include "ow/memoryx/schedule.h"

namespace ow::memoryx {
namespace {

constexpr size_t kSums = 16;  // partial sums of a block's squares

// A gradient as the update takes it: 0 outside the mask. Each factor is rounded separately.
struct Scale {
  float factor;
  float clip;
  bool clipped;
};

// No branch, so the compiler can vectorise the loop.
inline float masked(float g, uint8_t keep) {
  uint32_t bits;
  std::memcpy(&bits, &g, sizeof bits);
  bits &= 0u - keep;
  std::memcpy(&g, &bits, sizeof g);
  return g;
}

inline bool finite_bits(float g) {
  uint32_t bits;
  std::memcpy(&bits, &g, sizeof bits);
  return (bits & 0x7F800000u) != 0x7F800000u;
}

// The square sum of at most one block: element i goes to sum i mod 16, then the tree adds the sums.
double square_sum(const float* g, const uint8_t* mask, size_t n, float factor) {
  double sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    float part[kSums];
    for (size_t j = 0; j < kSums; ++j) {
      part[j] = (mask == nullptr ? g[i + j] : masked(g[i + j], mask[i + j])) * factor;
    }
    for (size_t j = 0; j < kSums; ++j) {
      const double x = part[j];
      sums[j] += x * x;
    }
  }
  for (; i < n; ++i) {
    const double x = (mask == nullptr ? g[i] : masked(g[i], mask[i])) * factor;
    sums[i % kSums] += x * x;
  }
  for (size_t half = kSums / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

bool all_finite(const float* g, const uint8_t* mask, size_t n) {
  uint32_t wrong = 0;
  if (mask == nullptr) {
    for (size_t i = 0; i < n; ++i) wrong |= finite_bits(g[i]) ? 0u : 1u;
  } else {
    for (size_t i = 0; i < n; ++i) wrong |= finite_bits(masked(g[i], mask[i])) ? 0u : 1u;
  }
  return wrong == 0;
}

// kMask, kClip: what the loop also does, as constants for the compiler.
template <bool kMask, bool kClip>
inline float scaled(float g, const uint8_t* mask, size_t i, const Scale& scale) {
  if (kMask) g = masked(g, mask[i]);
  g = g * scale.factor;
  if (kClip) g = g * scale.clip;
  return g;
}

struct AdamW {
  float beta1, rest1, beta2, rest2, correct1, correct2, epsilon, rate, keep;
};

template <bool kMask, bool kClip>
void adamw(size_t n, const float* __restrict g, const uint8_t* __restrict mask, float* __restrict w,
           float* __restrict m, float* __restrict v, const Scale& scale, const AdamW& a) {
  for (size_t i = 0; i < n; ++i) {
    const float x = scaled<kMask, kClip>(g[i], mask, i, scale);
    const float first = (a.beta1 * m[i]) + (a.rest1 * x);
    const float second = (a.beta2 * v[i]) + (a.rest2 * (x * x));
    m[i] = first;
    v[i] = second;
    const float up = a.rate * (first * a.correct1);
    const float down = std::sqrt(second * a.correct2) + a.epsilon;
    w[i] = (w[i] * a.keep) - (up / down);
  }
}

struct Sgd {
  float decay, momentum, rate;
  bool nesterov;
};

// kDecay: there is weight decay. kMomentum: 0 none, 1 plain, 2 Nesterov's.
template <bool kMask, bool kClip, bool kDecay, int kMomentum>
void sgd(size_t n, const float* __restrict g, const uint8_t* __restrict mask, float* __restrict w,
         float* __restrict v, const Scale& scale, const Sgd& s) {
  for (size_t i = 0; i < n; ++i) {
    float x = scaled<kMask, kClip>(g[i], mask, i, scale);
    if (kDecay) x = x + (s.decay * w[i]);
    if (kMomentum != 0) {
      const float speed = (s.momentum * v[i]) + x;
      v[i] = speed;
      x = kMomentum == 2 ? x + (s.momentum * speed) : speed;
    }
    w[i] = w[i] - (s.rate * x);
  }
}

template <bool kMask, bool kClip, bool kDecay>
void sgd_by_momentum(size_t n, const float* g, const uint8_t* mask, float* w, float* v,
                     const Scale& scale, const Sgd& s) {
  if (v == nullptr) {
    sgd<kMask, kClip, kDecay, 0>(n, g, mask, w, v, scale, s);
  } else if (s.nesterov) {
    sgd<kMask, kClip, kDecay, 2>(n, g, mask, w, v, scale, s);
  } else {
    sgd<kMask, kClip, kDecay, 1>(n, g, mask, w, v, scale, s);
  }
}

template <bool kMask, bool kClip>
void sgd_all(size_t n, const float* g, const uint8_t* mask, float* w, float* v, const Scale& scale,
             const Sgd& s) {
  if (s.decay != 0) {
    sgd_by_momentum<kMask, kClip, true>(n, g, mask, w, v, scale, s);
  } else {
    sgd_by_momentum<kMask, kClip, false>(n, g, mask, w, v, scale, s);
  }
}

// Calls the loop that was compiled for these options.
template <typename Loop>
void choose(const uint8_t* mask, bool clipped, const Loop& loop) {
  if (mask != nullptr) {
    clipped ? loop(std::true_type(), std::true_type()) : loop(std::true_type(), std::false_type());
  } else {
    clipped ? loop(std::false_type(), std::true_type())
            : loop(std::false_type(), std::false_type());
  }
}

void in_range(bool good, const char* what) {
  if (!good) throw BadInput(std::string("optimizer: ") + what);
}

}  // namespace

void Optimizer::check(const OptimizerOptions& options) {
  check_schedule(options.rate, 0, 1e6, "optimizer: the learning rate");
  in_range(options.weight_decay >= 0 && options.weight_decay <= 1e6,
           "weight decay must be from 0 to 1000000");
  in_range(options.momentum >= 0 && options.momentum < 1, "momentum must be from 0 to below 1");
  in_range(!options.nesterov || options.momentum > 0, "Nesterov's rule needs a momentum");
  in_range(options.beta1 >= 0 && options.beta1 < 1 && options.beta2 >= 0 && options.beta2 < 1,
           "beta1 and beta2 must be from 0 to below 1");
  in_range(options.epsilon >= OptimizerOptions::kLeastEpsilon && options.epsilon <= 1,
           "epsilon must be from 1.1755e-38 to 1");
  in_range(options.max_norm >= 0, "the limit of the norm must not be below 0");
}

Optimizer::Optimizer(const OptimizerOptions& options, Store& store, Pool& pool)
    : options_(options), store_(store), pool_(pool) {
  check(options);
  in_range(store.moments() == options.moments(), "the store has another number of moments");
  in_range(store.gradients() >= 1, "the store has no gradients");
  size_t blocks = 0;
  for (size_t k = 0; k < store.tensors(); ++k) {
    const size_t before = blocks;
    store.each_window(k, [&](size_t first, size_t count) {
      pieces_.push_back({k, first, count, before + first / kBlock});
      blocks += (count + kBlock - 1) / kBlock;
    });
  }
  squares_.resize(blocks);
}

bool Optimizer::survey(float factor) {
  std::atomic<bool> finite{true};
  const bool sums = options_.max_norm > 0;
  pool_.run(pieces_.size(), [&](size_t k) {
    const Piece& piece = pieces_[k];
    const View<float> g = store_.gradient(piece.tensor, 0, piece.first, piece.count);
    std::optional<View<uint8_t>> mask;
    if (store_.spec(piece.tensor).masked) {
      mask.emplace(store_.mask(piece.tensor, piece.first, piece.count));
    }
    const uint8_t* keep = mask ? mask->data() : nullptr;
    if (!sums) {
      if (!all_finite(g.data(), keep, piece.count)) finite = false;
      return;
    }
    for (size_t i = 0; i < piece.count; i += kBlock) {
      const size_t n = piece.count - i < kBlock ? piece.count - i : kBlock;
      const float* part = g.data() + i;
      const uint8_t* kept = keep == nullptr ? nullptr : keep + i;
      const double sum = square_sum(part, kept, n, factor);
      squares_[piece.block + i / kBlock] = sum;
      // A finite sum has finite terms only. Another sum may come from products out of range, so
      // look.
      if (!std::isfinite(sum) && !all_finite(part, kept, n)) finite = false;
    }
  });
  return finite;
}

Optimizer::Result Optimizer::step(uint64_t step, uint64_t updates, float divisor) {
  const float factor = 1.0f / divisor;
  const double exact_rate = value_at(options_.rate, step);
  Result result;
  result.rate = static_cast<float>(exact_rate);
  result.skipped = !survey(factor);
  if (result.skipped) return result;
  float clip = 1;
  if (options_.max_norm > 0) {
    double total = 0;
    for (const double square : squares_) total += square;
    result.norm = std::sqrt(total);
    if (*result.norm > options_.max_norm) {
      clip = static_cast<float>(options_.max_norm / *result.norm);
    }
  }
  pool_.run(pieces_.size(),
            [&](size_t k) { update(pieces_[k], updates, result.rate, exact_rate, factor, clip); });
  return result;
}

void Optimizer::update(const Piece& piece, uint64_t updates, float rate, double exact_rate,
                       float factor, float clip) {
  const TensorSpec& spec = store_.spec(piece.tensor);
  const View<float> g = store_.gradient(piece.tensor, 0, piece.first, piece.count);
  const View<float> w = store_.weights(piece.tensor, piece.first, piece.count);
  std::optional<View<uint8_t>> mask;
  if (spec.masked) mask.emplace(store_.mask(piece.tensor, piece.first, piece.count));
  const uint8_t* keep = mask ? mask->data() : nullptr;
  const double decay = spec.matrix() ? options_.weight_decay : 0;
  const Scale scale{factor, clip, clip != 1.0f};
  if (options_.kind == OptimizerOptions::Kind::AdamW) {
    const View<float> m = store_.moment(piece.tensor, 0, piece.first, piece.count);
    const View<float> v = store_.moment(piece.tensor, 1, piece.first, piece.count);
    const auto narrow = [](double x) { return static_cast<float>(x); };
    const AdamW a{narrow(options_.beta1),
                  narrow(1 - options_.beta1),
                  narrow(options_.beta2),
                  narrow(1 - options_.beta2),
                  narrow(1 / (1 - power(options_.beta1, updates + 1))),
                  narrow(1 / (1 - power(options_.beta2, updates + 1))),
                  narrow(options_.epsilon),
                  rate,
                  narrow(1 - exact_rate * decay)};
    choose(keep, scale.clipped, [&](auto with_mask, auto with_clip) {
      adamw<with_mask.value, with_clip.value>(piece.count, g.data(), keep, w.data(), m.data(),
                                              v.data(), scale, a);
    });
    return;
  }
  std::optional<View<float>> v;
  if (store_.moments() > 0) v.emplace(store_.moment(piece.tensor, 0, piece.first, piece.count));
  const Sgd s{static_cast<float>(decay), static_cast<float>(options_.momentum), rate,
              options_.nesterov};
  choose(keep, scale.clipped, [&](auto with_mask, auto with_clip) {
    sgd_all<with_mask.value, with_clip.value>(piece.count, g.data(), keep, w.data(),
                                              v ? v->data() : nullptr, scale, s);
  });
}

}  // namespace ow::memoryx
