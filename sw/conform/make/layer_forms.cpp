// SPDX-License-Identifier: Apache-2.0
// Softmax and layer normalisation as sequences of calls, with the errors that docs/numerics.md
// names against the exact layer. `make` itself looks at the errors: a suite whose results are worse
// is not made.
#include <algorithm>
#include <cmath>

#include "form.h"
#include "openwafer/number.h"
#include "ow/base/error.h"

namespace ow::conform {
namespace {

constexpr size_t kLengths[] = {8, 32, 200};

double value(uint32_t half) { return from_half(HalfType::Binary16, static_cast<uint16_t>(half)); }

// The unit in the last place of a number of binary16.
double ulp(double y) {
  return std::ldexp(1.0, std::max(std::ilogb(std::max(std::fabs(y), 0x1p-14)) - 10, -24));
}

// Finite numbers of binary16 between -range and range.
Words halves(Maker* m, size_t count, double range) {
  Words x;
  for (size_t k = 0; k < count; ++k)
    x.push_back(
        to_half(HalfType::Binary16, static_cast<float>((m->rng().uniform() * 2 - 1) * range)));
  return x;
}

void within(const Words& got, const std::vector<double>& exact, const std::vector<double>& bounds,
            const char* rule) {
  for (size_t k = 0; k < got.size(); ++k) {
    const double error = std::fabs(value(got[k]) - exact[k]);
    if (!(error <= bounds[k]))
      throw InternalError(
          fmt::format("{}: an error of {} where {} is the most", rule, error, bounds[k]));
  }
}

std::vector<double> softmax_of(const Words& x) {
  double largest = -INFINITY, sum = 0;
  for (const uint32_t k : x) largest = std::max(largest, value(k));
  std::vector<double> y;
  for (const uint32_t k : x) y.push_back(std::exp(value(k) - largest));
  for (const double k : y) sum += k;
  for (double& k : y) k /= sum;
  return y;
}

std::vector<double> ulps(const std::vector<double>& y, double count) {
  std::vector<double> bounds;
  for (const double k : y) bounds.push_back(count * ulp(k));
  return bounds;
}

void make_softmax(Maker* m, bool is_short) {
  Form form(m, is_short ? "softmax_short" : "softmax", "Softmax in fp32 of binary16.",
            {is_short ? "N100" : "N99", "N11"}, {"reductions"});
  for (const size_t n : kLengths) {
    const Words x = halves(m, n, is_short ? 5 : 12);
    const uint32_t largest =
        form.call("cvt", "f16", "f32", {form.call("rmax", "f16", "f16", {x})})[0];
    const Words d = form.f32("sub", {form.call("cvt", "f16", "f32", {x}), Words(n, largest)});
    const Words t = is_short ? form.short_exponential(d) : form.exponential(d);
    const uint32_t inverse = form.reciprocal(form.f32("sum", {t}), 2)[0];
    const Words y = form.call("cvt", "f32", "f16", {form.f32("mul", {t, Words(n, inverse)})});
    const std::vector<double> exact = softmax_of(x);
    within(y, exact, ulps(exact, is_short ? 1.5 : 0.51), is_short ? "N100" : "N99");
  }
}

void make_half_softmax(Maker* m) {
  Form form(m, "softmax_f16", "Softmax in binary16.", {"N101", "N11"}, {"reductions"});
  const auto f16 = [&](const char* op, const std::vector<Words>& operands) {
    return form.call(op, "f16", "f16", operands);
  };
  for (const size_t n : kLengths) {
    const Words x = halves(m, n, 6);
    const Words t = f16("exp", {f16("sub", {x, Words(n, f16("rmax", {x})[0])})});
    const Words y = f16("mul", {t, Words(n, f16("rcp", {f16("sum", {t})})[0])});
    within(y, softmax_of(x), std::vector<double>(n, 0.0007), "N101");
  }
}

void make_layer_norm(Maker* m) {
  constexpr float kEpsilon = 1e-5f;
  Form form(m, "normalisation", "Layer normalisation of binary16 through fp32, then gain and bias.",
            {"N102", "N103", "N11"}, {"reductions"});
  for (const size_t n : kLengths) {
    const Words x = halves(m, n, 4), gain = halves(m, n, 2), bias = halves(m, n, 2);
    const Words one_nth = all_of(1, 1 / static_cast<float>(n));
    const uint32_t mean = form.f32("mul", {form.call("sum", "f16", "f32", {x}), one_nth})[0];
    const Words d = form.f32("sub", {form.call("cvt", "f16", "f32", {x}), Words(n, mean)});
    const Words v =
        form.f32("add", {form.f32("mul", {form.f32("dot", {d, d}), one_nth}), all_of(1, kEpsilon)});
    Words r =
        form.call("cvt", "bf16", "f32",
                  {form.call("rsqrt", "bf16", "bf16", {form.call("cvt", "f32", "bf16", {v})})});
    const Words t =
        form.f32("mul", {form.f32("mul", {form.f32("mul", {r, r}), v}), all_of(1, -0.5f)});
    r = form.f32("mul", {r, form.f32("add", {t, all_of(1, 1.5f)})});
    const Words z = form.call("cvt", "f32", "f16", {form.f32("mul", {d, Words(n, r[0])})});
    const Words y = form.call("fma", "f16", "f16", {z, gain, bias});

    double sum = 0, squares = 0;
    for (const uint32_t k : x) sum += value(k);
    const double middle = sum / static_cast<double>(n);
    for (const uint32_t k : x) squares += (value(k) - middle) * (value(k) - middle);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + kEpsilon);
    std::vector<double> plain, whole, plain_bounds, whole_bounds;
    for (size_t k = 0; k < n; ++k) {
      plain.push_back((value(x[k]) - middle) * scale);
      plain_bounds.push_back(0.7 * std::max(ulp(plain[k]), 0x1p-21));
      const double product = plain[k] * value(gain[k]);
      whole.push_back(product + value(bias[k]));
      whole_bounds.push_back(1.9 * ulp(std::max(std::fabs(whole[k]), std::fabs(product))));
    }
    within(z, plain, plain_bounds, "N102");
    within(y, whole, whole_bounds, "N103");
  }
}

// Far beyond the range of binary16.
void make_wide(Maker* m) {
  Form form(m, "bfloat16", "The functions of bfloat16 where binary16 lacks the range.", {"N104"});
  Words x;
  for (int k = 0; k < 64; ++k)
    x.push_back(to_half(HalfType::Bfloat16, static_cast<float>(m->rng().uniform() * 160 - 80)));
  const Words y = form.call("exp", "bf16", "bf16", {x});
  for (size_t k = 0; k < x.size(); ++k) {
    const double exact =
        std::exp(static_cast<double>(from_half(HalfType::Bfloat16, static_cast<uint16_t>(x[k]))));
    const double got = from_half(HalfType::Bfloat16, static_cast<uint16_t>(y[k]));
    if (!(std::fabs(got - exact) <= exact * 0x1p-8)) throw InternalError("N104: a larger error");
  }
}

}  // namespace

void make_layer_forms(Maker* m) {
  make_softmax(m, false);
  make_softmax(m, true);
  make_half_softmax(m);
  make_layer_norm(m);
  make_wide(m);
}

}  // namespace ow::conform
