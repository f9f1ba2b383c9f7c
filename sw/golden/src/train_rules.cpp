// SPDX-License-Identifier: Apache-2.0
#include "train_rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ow/base/error.h"
#include "ow/base/rng.h"

namespace ow::golden {
namespace {

using Kind = SchedulePiece::Kind;
using Algorithm = SparsityGroup::Algorithm;

// sin z = z - z^3 / 3! + ... + z^17 / 17! - z^19 / 19!, by Horner's rule in z^2.
double half_turn_cosine(double x) {
  const double z = 3.14159265358979323846 * (0.5 - x);
  const double z2 = z * z;
  double inverse[20];
  double factorial = 1;
  for (int k = 1; k <= 19; ++k) {
    factorial = factorial * k;
    inverse[k] = 1 / factorial;
  }
  double p = -inverse[19];
  for (int k = 17; k >= 1; k -= 2) p = p * z2 + (k % 4 == 1 ? inverse[k] : -inverse[k]);
  return p * z;
}

// The k positions with the greatest keys, equal keys in ascending position.
std::vector<size_t> greatest(const std::vector<double>& keys, size_t k) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keys[a] > keys[b]; });
  order.resize(k);
  return order;
}

size_t count_at(const SparsityGroup& group, uint64_t step, size_t elements) {
  return static_cast<size_t>(schedule_value(group.density, step) * static_cast<double>(elements));
}

double random_key(uint64_t seed, size_t number, uint64_t step, size_t position) {
  uint64_t h = seed;
  h = mix64(h) + number;
  h = mix64(h) + step;
  h = mix64(h) + position;
  return static_cast<double>(mix64(h) >> 32);
}

std::vector<uint8_t> mask_of(size_t elements, const std::vector<size_t>& kept) {
  std::vector<uint8_t> mask(elements, 0);
  for (const size_t i : kept) mask[i] = 1;
  return mask;
}

constexpr double kLast = -1;  // a key below that of every size and every random number

}  // namespace

double schedule_value(const Schedule& schedule, uint64_t step) {
  for (const SchedulePiece& p : schedule) {
    if (step >= p.steps) {
      step -= p.steps;
      continue;
    }
    const double x = static_cast<double>(step) / static_cast<double>(p.steps);
    const double y = 1 - x;
    if (p.kind == Kind::Linear) return p.from + (p.to - p.from) * x;
    if (p.kind == Kind::Cosine) {
      return p.to + (p.from - p.to) * ((1 + half_turn_cosine(x)) / 2);
    }
    if (p.kind == Kind::Cubic) return p.to + (p.from - p.to) * (y * y * y);
    if (p.kind == Kind::Power) return p.to + (p.from - p.to) * whole_power(p.base, step);
    return p.from;
  }
  return schedule.back().to;
}

bool is_due(const UpdateTimes& times, uint64_t step) {
  if (times.steps.empty()) {
    return step >= times.start && step < times.stop && (step - times.start) % times.every == 0;
  }
  return std::count(times.steps.begin(), times.steps.end(), step) > 0;
}

double whole_power(double base, uint64_t exponent) {
  double result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0) result = result * base;
    base = base * base;
    exponent >>= 1;
  }
  return result;
}

std::vector<uint8_t> first_mask(const SparsityGroup& group, const Parameter& p, uint64_t seed,
                                size_t number) {
  const size_t n = p.value.size();
  const size_t k = count_at(group, 0, n);
  std::vector<uint8_t> mask(n, 0);
  if (group.init == SparsityGroup::Init::Even) {
    size_t sum = 0;
    for (uint8_t& keep : mask) {
      sum += k;  // position i is kept where the sum of i + 1 times k passes a multiple of n
      keep = sum >= n ? 1 : 0;
      if (sum >= n) sum -= n;
    }
    return mask;
  }
  std::vector<double> keys(n);
  for (size_t i = 0; i < n; ++i) {
    keys[i] = group.init == SparsityGroup::Init::Magnitude ? std::fabs(p.value[i])
                                                           : random_key(seed, number, 0, i);
  }
  return mask_of(n, greatest(keys, k));
}

std::vector<uint8_t> next_mask(const SparsityGroup& group, const Parameter& p, uint64_t seed,
                               size_t number, uint64_t step, const std::vector<float>& gradient) {
  const size_t n = p.value.size();
  const size_t k = count_at(group, step, n);
  std::vector<double> keys(n);
  for (size_t i = 0; i < n; ++i) keys[i] = p.mask[i] != 0 ? std::fabs(p.value[i]) : kLast;
  if (group.algorithm == Algorithm::Gradual) return mask_of(n, greatest(keys, k));
  // SET and RigL.
  const size_t before = p.kept();
  const auto replaced =
      static_cast<size_t>(schedule_value(group.drop, step) * static_cast<double>(k));
  const size_t grown = std::min(k - std::min(before, k - replaced), n - before);
  std::vector<uint8_t> mask = mask_of(n, greatest(keys, k - grown));
  for (size_t i = 0; i < n; ++i) {
    keys[i] = p.mask[i] != 0                       ? kLast
              : group.algorithm == Algorithm::Rigl ? std::fabs(gradient[i])
                                                   : random_key(seed, number, step, i);
  }
  for (const size_t i : greatest(keys, grown)) mask[i] = 1;
  return mask;
}

std::vector<uint64_t> samples_of_step(const TrainingJob& job, uint64_t samples, uint64_t step) {
  std::vector<uint64_t> out;
  std::vector<uint64_t> order;
  uint64_t shuffled = UINT64_MAX;
  for (uint64_t k = 0; k < job.batch(); ++k) {
    const uint64_t position = step * job.batch() + k;
    if (position / samples != shuffled) {
      shuffled = position / samples;
      order.resize(samples);
      std::iota(order.begin(), order.end(), uint64_t{0});
      Rng rng(mix64(mix64(job.seed) + shuffled));
      for (uint64_t i = samples - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
    }
    out.push_back(order[position % samples]);
  }
  return out;
}

}  // namespace ow::golden
