// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/kernels.h"

#include "ow/base/error.h"

namespace ow::golden {
namespace {

// The type of sums, and the rounding from them to the type of results.
uint32_t store(Type type, uint32_t sum) {
  const Type to = source_type(type);
  return to == Type::F32 ? sum : convert(Type::F32, to, sum);
}

void same_size(size_t a, size_t b) {
  if (a != b) throw InternalError("golden kernel: operands of different sizes");
}

}  // namespace

Vec axpy(Type type, uint32_t a, const Vec& x, const Vec& y) {
  same_size(x.size(), y.size());
  Vec r(y);
  for (size_t i = 0; i < r.size(); ++i) r[i] = apply(Op::Fma, type, x[i], a, y[i]);
  return r;
}

Vec scal(Type type, uint32_t a, const Vec& x) {
  Vec r(x);
  for (uint32_t& e : r) e = apply(Op::Mul, type, e, a);
  return r;
}

uint32_t dot(Type type, Type result, const Vec& x, const Vec& y) {
  same_size(x.size(), y.size());
  return reduce(Op::Dot, type, result, x.data(), y.data(), x.size());
}

uint32_t sqrt_f32(uint32_t x) {
  const uint32_t magnitude = x & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 0x7FC00000;
  if (magnitude == 0 || x == 0x7F800000) return x;
  if ((x >> 31) != 0) return 0x7FC00000;
  // Integer root by bisection: the largest r with r * r <= m * 2^e, of 25 bits or more.
  int exponent = static_cast<int>(x >> 23);
  uint64_t m = x & 0x7FFFFF;
  if (exponent == 0) {
    exponent = 1;
  } else {
    m |= 0x800000;
  }
  exponent -= 150;  // value = m * 2^exponent
  while (m < (uint64_t{1} << 52) || (exponent & 1) != 0) {
    m <<= 1;
    --exponent;
  }
  uint64_t low = 0;
  uint64_t high = uint64_t{1} << 28;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    (middle * middle <= m ? low : high) = middle;
  }
  // Round low * 2^(exponent / 2), with a sticky bit for the rest, to 24 bits.
  uint64_t r = low << 1 | (low * low != m ? 1 : 0);
  int e = exponent / 2 - 1;
  int drop = 0;
  while ((r >> drop) >= (uint64_t{1} << 24)) ++drop;
  const uint64_t rest = r & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  uint64_t kept = r >> drop;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  e += drop;
  if (kept == (uint64_t{1} << 24)) {
    kept >>= 1;
    ++e;
  }
  return (static_cast<uint32_t>(e + 150) << 23) + static_cast<uint32_t>(kept - 0x800000);
}

uint32_t nrm2(Type type, const Vec& x) { return sqrt_f32(dot(type, Type::F32, x, x)); }

Vec gemv(Type type, size_t n, const Vec& a, const Vec& x) {
  same_size(n, x.size());
  Vec y;
  for (size_t row = 0; row + n <= a.size(); row += n) {
    y.push_back(reduce(Op::Dot, type, type, &a[row], x.data(), n));
  }
  return y;
}

Vec gemv_t(Type type, size_t n, const Vec& a, const Vec& x) {
  same_size(a.size(), n * x.size());
  Vec sums(n, 0);
  for (size_t row = 0; row < x.size(); ++row) {
    for (size_t j = 0; j < n; ++j) {
      sums[j] = apply(Op::Fma, type, a[row * n + j], x[row], sums[j]);
    }
  }
  for (uint32_t& s : sums) s = store(type, s);
  return sums;
}

Vec gemm(Type type, size_t m, size_t n, size_t k, const Vec& a, const Vec& b, const Vec& c) {
  same_size(a.size(), m * k);
  same_size(b.size(), k * n);
  Vec r(m * n, 0);
  for (size_t i = 0; i < m; ++i) {
    Vec sums(n, 0);
    if (!c.empty()) {
      for (size_t j = 0; j < n; ++j) {
        sums[j] =
            type == Type::F32 ? c[i * n + j] : convert(source_type(type), Type::F32, c[i * n + j]);
      }
    }
    for (size_t l = 0; l < k; ++l) {
      for (size_t j = 0; j < n; ++j) {
        sums[j] = apply(Op::Fma, type, b[l * n + j], a[i * k + l], sums[j]);
      }
    }
    for (size_t j = 0; j < n; ++j) r[i * n + j] = store(type, sums[j]);
  }
  return r;
}

Vec axpyi(Type type, uint32_t a, const Vec& x, const Vec& idx, Vec y) {
  same_size(x.size(), idx.size());
  for (size_t i = 0; i < x.size(); ++i) {
    uint32_t& e = y.at(idx[i]);
    e = apply(Op::Fma, type, x[i], a, e);
  }
  return y;
}

Vec spmm(Type type, size_t samples, const std::vector<std::vector<Weight>>& rows, const Vec& x) {
  Vec y;
  for (const std::vector<Weight>& row : rows) {
    Vec sums(samples, 0);
    for (const Weight& w : row) {
      for (size_t s = 0; s < samples; ++s) {
        sums[s] = apply(Op::Fma, type, w.value, x.at(w.index * samples + s), sums[s]);
      }
    }
    for (uint32_t s : sums) y.push_back(store(type, s));
  }
  return y;
}

Vec softmax_f16(const Vec& x) {
  const uint32_t m = reduce(Op::RMax, Type::F16, Type::F16, x.data(), nullptr, x.size());
  Vec t(x);
  for (uint32_t& e : t) e = apply(Op::Exp, Type::F16, apply(Op::Sub, Type::F16, e, m));
  const uint32_t s = reduce(Op::Sum, Type::F16, Type::F16, t.data(), nullptr, t.size());
  return scal(Type::F16, apply(Op::Rcp, Type::F16, s), t);
}

Vec layernorm_f16(const Vec& x, const Vec& gain, const Vec& bias, uint32_t inv_n, uint32_t eps) {
  constexpr Type kF = Type::F32;
  const uint32_t sum = reduce(Op::Sum, Type::F16, kF, x.data(), nullptr, x.size());
  const uint32_t mean = apply(Op::Mul, kF, sum, inv_n);
  Vec d(x);
  for (uint32_t& e : d) e = apply(Op::Sub, kF, convert(Type::F16, kF, e), mean);
  uint32_t v = apply(Op::Mul, kF, dot(kF, kF, d, d), inv_n);
  v = apply(Op::Add, kF, v, eps);
  uint32_t r = convert(kF, Type::BF16, v);
  r = convert(Type::BF16, kF, apply(Op::Rsqrt, Type::BF16, r));
  uint32_t t = apply(Op::Mul, kF, apply(Op::Mul, kF, r, r), v);
  t = apply(Op::Add, kF, apply(Op::Mul, kF, t, 0xBF000000), 0x3FC00000);
  r = apply(Op::Mul, kF, r, t);
  Vec y(x.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const uint32_t z = convert(kF, Type::F16, apply(Op::Mul, kF, d[i], r));
    y[i] = apply(Op::Fma, Type::F16, z, gain[i], bias[i]);
  }
  return y;
}

}  // namespace ow::golden
