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

// The whole number of elements in a share of them. The double of a decimal fraction may be a little
// less than the fraction: 0.29 of 100 elements are 29.
size_t whole_number(double share, size_t elements) {
  const double exact = share * static_cast<double>(elements);
  return static_cast<size_t>(exact * (1 + 0x1p-50));
}

size_t count_at(const SparsityGroup& group, uint64_t step, size_t elements) {
  return whole_number(schedule_value(group.density, step), elements);
}

double random_key(uint64_t seed, size_t number, uint64_t step, size_t position) {
  uint64_t h = seed;
  h = mix64(h) + number;
  h = mix64(h) + step;
  h = mix64(h) + position;
  return static_cast<double>(mix64(h) >> 32);
}

constexpr double kLast = -1;  // a key below that of every size and every random number

// The positions of a matrix, cut into the parts that keep as many weights each.
std::vector<std::vector<size_t>> parts_of(const SparsityGroup& group, const Parameter& p) {
  using Balance = SparsityGroup::Balance;
  const size_t parts = group.balance == Balance::None ? 1 : static_cast<size_t>(group.parts);
  std::vector<std::vector<size_t>> out(parts);
  for (size_t row = 0; row < p.rows; ++row) {
    for (size_t column = 0; column < p.columns; ++column) {
      const size_t part = group.balance == Balance::None     ? 0
                          : group.balance == Balance::Inputs ? column * parts / p.columns
                                                             : row * parts / p.rows;
      out[part].push_back(row * p.columns + column);
    }
  }
  return out;
}

// The part's share of k weights in all, dealt to the parts one by one.
size_t share_of(size_t k, size_t part, size_t parts) { return (k + parts - 1 - part) / parts; }

// Puts the k of these positions with the greatest keys into the mask; equal keys in ascending
// position.
void keep_greatest(const std::vector<size_t>& positions, const std::vector<double>& keys, size_t k,
                   std::vector<uint8_t>* mask) {
  std::vector<double> own;
  for (const size_t i : positions) own.push_back(keys[i]);
  for (const size_t at : greatest(own, k)) (*mask)[positions[at]] = 1;
}

// Evenly spread: keeps a position if the running sum of k passes a multiple of the number of
// positions.
void keep_even(const std::vector<size_t>& positions, size_t k, std::vector<uint8_t>* mask) {
  size_t sum = 0;
  for (const size_t i : positions) {
    sum += k;
    if (sum < positions.size()) continue;
    (*mask)[i] = 1;
    sum -= positions.size();
  }
}

// The steps of a schedule with a period are those of its first round.
uint64_t first_round(const Schedule& schedule, uint64_t step) {
  if (schedule.back().kind != Kind::Repeat) return step;
  uint64_t end = 0, period = 0;
  for (size_t k = 0; k + 1 < schedule.size(); ++k) {
    end += schedule[k].steps;
    if (k + 1 + schedule.back().steps >= schedule.size()) period += schedule[k].steps;
  }
  while (step >= end) step -= (step - end) / period * period + period;
  return step;
}

}  // namespace

double schedule_value(const Schedule& schedule, uint64_t step) {
  step = first_round(schedule, step);
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
    if (p.kind == Kind::Slope) {
      const double value = p.from + p.base * static_cast<double>(step);
      return p.base > 0 ? (value < p.to ? value : p.to) : (value > p.to ? value : p.to);
    }
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
  using Init = SparsityGroup::Init;
  const size_t n = p.value.size();
  if (group.init == Init::Zeros) return std::vector<uint8_t>(n, 0);
  if (group.init == Init::Dense) return std::vector<uint8_t>(n, 1);
  const size_t k = count_at(group, 0, n);
  std::vector<uint8_t> mask(n, 0);
  std::vector<double> keys(n);
  for (size_t i = 0; i < n; ++i) {
    keys[i] =
        group.init == Init::Magnitude ? std::fabs(p.value[i]) : random_key(seed, number, 0, i);
  }
  const std::vector<std::vector<size_t>> parts = parts_of(group, p);
  for (size_t part = 0; part < parts.size(); ++part) {
    const size_t share = share_of(k, part, parts.size());
    if (group.init == Init::Even) {
      keep_even(parts[part], share, &mask);
    } else {
      keep_greatest(parts[part], keys, share, &mask);
    }
  }
  return mask;
}

std::vector<uint8_t> next_mask(const SparsityGroup& group, const Parameter& p, uint64_t seed,
                               size_t number, uint64_t step, const std::vector<float>& gradient) {
  const size_t n = p.value.size();
  const size_t k = count_at(group, step, n);
  std::vector<double> sizes(n), others(n);
  for (size_t i = 0; i < n; ++i) {
    const bool kept = p.mask[i] != 0;
    sizes[i] = kept ? std::fabs(p.value[i]) : kLast;
    if (group.algorithm == Algorithm::Gradual) continue;
    others[i] = kept                                 ? kLast
                : group.algorithm == Algorithm::Rigl ? std::fabs(gradient[i])
                                                     : random_key(seed, number, step, i);
  }
  std::vector<uint8_t> mask(n, 0);
  const std::vector<std::vector<size_t>> parts = parts_of(group, p);
  for (size_t part = 0; part < parts.size(); ++part) {
    const std::vector<size_t>& positions = parts[part];
    const size_t share = share_of(k, part, parts.size());
    size_t grown = 0;
    if (group.algorithm != Algorithm::Gradual) {  // SET and RigL
      size_t before = 0;
      for (const size_t i : positions) before += p.mask[i];
      const size_t replaced = whole_number(schedule_value(group.drop, step), share);
      grown = std::min(share - std::min(before, share - replaced), positions.size() - before);
    }
    keep_greatest(positions, sizes, share - grown, &mask);
    if (grown > 0) keep_greatest(positions, others, grown, &mask);
  }
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
