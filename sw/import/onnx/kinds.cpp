// SPDX-License-Identifier: Apache-2.0
#include "kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ow::exported {
namespace {

// Constants of the file are binary32.
constexpr double kClose = 1e-5;
// Tables of angles are made in binary32 of position times frequency.
constexpr double kCloseAngles = 3e-4;

bool close(double got, double wanted, double limit = kClose) {
  return std::fabs(got - wanted) <= limit * (1 + std::fabs(wanted));
}

double number(const Sample& s, size_t i) { return s.value.probe[(*s.view.places)[i]]; }

// A number with few digits that another one may have been before it was rounded.
double rounded(double x, int digits) {
  return std::strtod(fmt::format("{:.{}g}", x, digits).c_str(), nullptr);
}

size_t size_at(const View& view, size_t from_end) {
  return static_cast<size_t>(view.shape[view.shape.size() - from_end]);
}

}  // namespace

std::optional<std::string> element_kind(const Sample& s) {
  struct Known {
    const char* name;
    double (*f)(double);
  };
  static const Known kKnown[] = {{"", [](double x) { return x; }},
                                 {"relu", [](double x) { return std::max(x, 0.0); }},
                                 {"silu", [](double x) { return x / (1 + std::exp(-x)); }},
                                 {"gelu", [](double x) {
                                    const double root = std::sqrt(2 / std::acos(-1.0));
                                    return x / 2 *
                                           (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
                                  }}};
  for (const Known& known : kKnown) {
    bool same = true;
    for (size_t i = 0; same && i < s.got.size(); ++i) same = close(s.got[i], known.f(number(s, i)));
    if (same) return known.name;
  }
  return std::nullopt;
}

std::optional<Places> features_of_rows(const View& view, size_t features, size_t slots) {
  const Places& p = *view.places;
  if (view.shape.empty() || slots == 0 || p.size() % slots != 0) return std::nullopt;
  const size_t each = p.size() / slots;
  if (size_at(view, 1) != each) return std::nullopt;
  Places row(each);
  for (size_t k = 0; k < each; ++k) row[k] = p[k] % features;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] != i / each * features + row[i % each]) return std::nullopt;
  }
  return row;
}

std::optional<Norm> norm_kind(const Sample& s, size_t slots) {
  const size_t d = s.value.features;
  const auto row = features_of_rows(s.view, d, slots);
  if (!row || row->size() != d || d < 2) return std::nullopt;
  for (const bool centred : {false, true}) {
    std::vector<double> off(s.got.size()), variance(slots);
    for (size_t slot = 0; slot < slots; ++slot) {
      double mean = 0;
      for (size_t k = 0; k < d; ++k) mean += centred ? number(s, slot * d + k) : 0;
      mean /= static_cast<double>(d);
      for (size_t k = 0; k < d; ++k) {
        double& o = off[slot * d + k];
        o = number(s, slot * d + k) - mean;
        variance[slot] += o * o / static_cast<double>(d);
      }
    }
    // Epsilon shows best where the variance is least, in the largest number.
    const auto least =
        static_cast<size_t>(std::min_element(variance.begin(), variance.end()) - variance.begin());
    size_t at = least * d;
    for (size_t k = 0; k < d; ++k) {
      if (std::fabs(off[least * d + k]) > std::fabs(off[at])) at = least * d + k;
    }
    if (s.got[at] == 0) continue;
    const double ratio = off[at] / s.got[at];
    const double epsilon = std::max(rounded(ratio * ratio - variance[least], 5), 1e-12);
    bool same = epsilon <= 1;
    for (size_t i = 0; same && i < off.size(); ++i) {
      same = close(s.got[i], off[i] / std::sqrt(variance[i / d] + epsilon));
    }
    if (same) return Norm{centred, epsilon};
  }
  return std::nullopt;
}

std::optional<std::vector<Places>> heads_of(const View& view, size_t features) {
  const Places& p = *view.places;
  if (view.shape.size() < 3 || p.empty()) return std::nullopt;
  const size_t h = size_at(view, 1), t = size_at(view, 2);
  std::vector<Places> heads;
  for (size_t first = 0; first < p.size(); first += t * h) {
    Places head(h);
    for (size_t k = 0; k < h; ++k) head[k] = p[first + k] % features;
    for (size_t i = 0; i < t * h; ++i) {
      const size_t slot = p[first] / features + i / h;
      if (p[first + i] != slot * features + head[i % h]) return std::nullopt;
    }
    heads.push_back(std::move(head));
  }
  return heads;
}

std::optional<Rotation> rotation_kind(const Sample& s) {
  const size_t features = s.value.features;
  const auto all = heads_of(s.view, features);
  if (!all || size_at(s.view, 1) % 2 != 0 || size_at(s.view, 2) < 2) return std::nullopt;
  const size_t h = size_at(s.view, 1), pairs = h / 2;
  const auto position = [&](size_t i) { return (*s.view.places)[i] / features % s.tokens; };
  for (const bool neighbours : {false, true}) {
    // Places in a head of the two numbers of a pair.
    const auto low = [&](size_t k) { return neighbours ? 2 * k : k; };
    const auto high = [&](size_t k) { return neighbours ? 2 * k + 1 : k + pairs; };
    // The angle of a pair at the first slot of position 1.
    const auto angle = [&](size_t k) {
      const double a = number(s, h + low(k)), b = number(s, h + high(k));
      const double x = s.got[h + low(k)], y = s.got[h + high(k)];
      return std::atan2(a * y - b * x, a * x + b * y);
    };
    double theta = 10000;
    for (int digits = 1; digits <= 7; ++digits) {
      if (pairs > 1) {
        const double a = angle(1);
        if (!(a > 0)) break;
        theta = rounded(std::pow(a, -static_cast<double>(pairs)), digits);
      }
      bool same = true;
      for (size_t first = 0; same && first < s.got.size(); first += h) {
        for (size_t k = 0; same && k < pairs; ++k) {
          const double turn = static_cast<double>(position(first)) *
                              std::pow(theta, -static_cast<double>(k) / static_cast<double>(pairs));
          const double a = number(s, first + low(k)), b = number(s, first + high(k));
          const double c = std::cos(turn), d = std::sin(turn);
          same = close(s.got[first + low(k)], a * c - b * d, kCloseAngles) &&
                 close(s.got[first + high(k)], b * c + a * d, kCloseAngles);
        }
      }
      if (!same) continue;
      Rotation found;
      found.theta = theta;
      for (const Places& head : *all) {
        Places halves(h);
        for (size_t k = 0; k < pairs; ++k) {
          halves[k] = head[low(k)];
          halves[k + pairs] = head[high(k)];
        }
        const auto& heads = found.heads;
        if (std::find(heads.begin(), heads.end(), halves) == heads.end()) {
          found.heads.push_back(std::move(halves));
        }
      }
      return found;
    }
  }
  return std::nullopt;
}

bool is_attention(const Value& q, const View& queries, const Value& k, const View& keys,
                  const Value& v, const View& values, const std::vector<double>& got) {
  if (queries.shape.size() < 3 || keys.shape.size() < 3 || values.shape.size() < 3) return false;
  const size_t h = size_at(queries, 1), t = size_at(queries, 2);
  const bool fits = size_at(keys, 1) == t && size_at(keys, 2) == h && size_at(values, 2) == t &&
                    size_at(values, 1) == h && got.size() == queries.places->size() &&
                    keys.places->size() == got.size() && values.places->size() == got.size();
  if (!fits) return false;
  const double scale = 1 / std::sqrt(static_cast<double>(h));
  std::vector<double> share(t), sum(h);
  for (size_t first = 0; first < got.size(); first += t * h) {
    const auto at = [first](const Value& value, const View& view, size_t i) {
      return value.probe[(*view.places)[first + i]];
    };
    for (size_t i = 0; i < t; ++i) {
      double most = -INFINITY, all = 0;
      for (size_t j = 0; j <= i; ++j) {
        share[j] = 0;
        for (size_t f = 0; f < h; ++f) {
          share[j] += at(q, queries, i * h + f) * at(k, keys, f * t + j) * scale;
        }
        most = std::max(most, share[j]);
      }
      for (size_t j = 0; j <= i; ++j) all += share[j] = std::exp(share[j] - most);
      std::fill(sum.begin(), sum.end(), 0);
      for (size_t j = 0; j <= i; ++j) {
        for (size_t f = 0; f < h; ++f) sum[f] += share[j] / all * at(v, values, j * h + f);
      }
      for (size_t f = 0; f < h; ++f) {
        if (!close(got[first + i * h + f], sum[f])) return false;
      }
    }
  }
  return true;
}

}  // namespace ow::exported
