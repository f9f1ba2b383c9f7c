// SPDX-License-Identifier: Apache-2.0
// Every kernel of the library on a simulated tile: random shapes and addresses, results bit for bit
// as golden has them, nothing beside them touched. OW_SEED in the environment changes the data.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "ow/base/rng.h"
#include "ow/golden/kernels.h"
#include "ow/measure/sparse.h"
#include "ow/measure/tile_costs.h"
#include "ow/measure/tile_runner.h"
#include "ow/sim/sim.h"
#include "random_matrix.h"
#include "seed.h"

namespace ow::bench {
namespace {

using golden::Weight;

constexpr uint32_t kGuard = 0xA5;  // bytes around every operand

class Kernels : public ::testing::Test {
 protected:
  Kernels()
      : tile_(make_device(DeviceKind::Replicated, GridShape{1, 1}),
              std::string(OW_FIRMWARE_DIR) + "/tile_calls.elf"),
        rng_(seed()),
        next_(tile_.heap()) {}

  static uint64_t seed() { return test_seed(1); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(rng_.below(n)); }
  uint32_t number(Type type) {
    const uint32_t mantissa = static_cast<uint32_t>(rng_.next() >> 32);
    switch (type) {
      case Type::F16:
        return (mantissa & 0x83FF) | (12 + below(5)) << 10;
      case Type::BF16:
        return (mantissa & 0x807F) | (124 + below(5)) << 7;
      case Type::F32:
        return (mantissa & 0x807FFFFF) | (124 + below(5)) << 23;
      case Type::I8:
        return mantissa & 0xFF;
      case Type::I16:
        return mantissa & 0xFFFF;
      default:
        return mantissa;
    }
  }
  Vec numbers(Type type, size_t n) {
    Vec v(n);
    for (uint32_t& e : v) e = number(type);
    return v;
  }

  // Puts a vector somewhere, aligned to its elements only, with guards before and after.
  uint32_t place(Type type, const Vec& v) {
    const uint32_t bytes = static_cast<uint32_t>(golden::type_bytes(type));
    const uint32_t at = ((next_ + 31) & ~15u) + bytes * below(16 / bytes);
    next_ = at + bytes * static_cast<uint32_t>(v.size()) + 16;
    EXPECT_LE(next_, tile_.heap_end());
    tile_.write(at - 16, Type::I8, Vec(16, kGuard));
    tile_.write(next_ - 16, Type::I8, Vec(16, kGuard));
    tile_.write(at, type, v);
    return at;
  }
  uint32_t room(Type type, size_t n) { return place(type, Vec(n, 0)); }

  void expect(const std::string& what, uint32_t at, Type type, const Vec& want) {
    const Vec got = tile_.read(at, type, want.size());
    int shown = 0;
    for (size_t i = 0; i < want.size() && shown < 5; ++i) {
      if (got[i] != want[i]) {
        ++shown;
        ADD_FAILURE() << what << ": element " << i << " of " << want.size() << " is " << std::hex
                      << got[i] << ", golden " << want[i];
      }
    }
    const uint32_t bytes = static_cast<uint32_t>(golden::type_bytes(type));
    const uint32_t end = at + bytes * static_cast<uint32_t>(want.size());
    EXPECT_EQ(tile_.read(at - 16, Type::I8, 16), Vec(16, kGuard)) << what << ": before the result";
    EXPECT_EQ(tile_.read(end, Type::I8, 16), Vec(16, kGuard)) << what << ": behind the result";
  }

  CallResult run(uint32_t function, std::vector<uint32_t> args) {
    Call call;
    call.function = function;
    call.args = std::move(args);
    return tile_.call(call);
  }
  void fresh() { next_ = tile_.heap(); }

  TileRunner tile_;
  Rng rng_;
  uint32_t next_;
};

TEST_F(Kernels, Axpy) {
  const std::pair<uint32_t, Type> kinds[] = {
      {OW_TB_AXPY_F16, Type::F16}, {OW_TB_AXPY_BF16, Type::BF16}, {OW_TB_AXPY_F32, Type::F32}};
  for (int k = 0; k < 12; ++k) {
    const auto [function, type] = kinds[k % 3];
    fresh();
    const uint32_t n = 1 + below(300);
    const Vec x = numbers(type, n);
    const Vec y = numbers(type, n);
    const uint32_t a = number(type);
    const uint32_t xa = place(type, x);
    const uint32_t ya = place(type, y);
    run(function, {n, a, xa, ya});
    expect("axpy", ya, type, golden::axpy(type, a, x, y));
  }
}

TEST_F(Kernels, ScalAndCopy) {
  for (int k = 0; k < 8; ++k) {
    const Type type = k % 2 == 0 ? Type::F16 : Type::F32;
    fresh();
    const uint32_t n = 1 + below(200);
    const Vec x = numbers(type, n);
    const uint32_t a = number(type);
    const uint32_t xa = place(type, x);
    const uint32_t ya = room(type, n);
    run(k % 2 == 0 ? OW_TB_COPY_16 : OW_TB_COPY_32, {n, xa, ya});
    expect("copy", ya, type, x);
    run(k % 2 == 0 ? OW_TB_SCAL_F16 : OW_TB_SCAL_F32, {n, a, xa});
    expect("scal", xa, type, golden::scal(type, a, x));
  }
}

TEST_F(Kernels, Reductions) {
  struct Kind {
    uint32_t function;
    Op op;
    Type type;
    Type result;
  };
  const Kind kinds[] = {{OW_TB_DOT_F16, Op::Dot, Type::F16, Type::F32},
                        {OW_TB_DOT_BF16, Op::Dot, Type::BF16, Type::F32},
                        {OW_TB_DOT_F32, Op::Dot, Type::F32, Type::F32},
                        {OW_TB_DOT_I8, Op::Dot, Type::I8, Type::I32},
                        {OW_TB_SUM_F16, Op::Sum, Type::F16, Type::F32},
                        {OW_TB_SUM_F32, Op::Sum, Type::F32, Type::F32},
                        {OW_TB_MAX_F16, Op::RMax, Type::F16, Type::F16},
                        {OW_TB_MIN_F32, Op::RMin, Type::F32, Type::F32}};
  for (int k = 0; k < 32; ++k) {
    const Kind& kind = kinds[k % 8];
    fresh();
    const uint32_t n = 1 + below(k < 16 ? 24 : 400);
    const Vec x = numbers(kind.type, n);
    const Vec y = numbers(kind.type, n);
    const uint32_t xa = place(kind.type, x);
    const uint32_t ya = place(kind.type, y);
    const uint32_t ra = room(kind.result, 1);
    if (kind.op == Op::Dot) {
      run(kind.function, {n, xa, ya, ra});
    } else {
      run(kind.function, {n, xa, ra});
    }
    expect(golden::op_name(kind.op), ra, kind.result,
           {golden::reduce(kind.op, kind.type, kind.result, x.data(), y.data(), n)});
  }
}

TEST_F(Kernels, Nrm2) {
  for (int k = 0; k < 6; ++k) {
    const Type type = k % 2 == 0 ? Type::F16 : Type::F32;
    fresh();
    const uint32_t n = 1 + below(100);
    const Vec x = numbers(type, n);
    const uint32_t xa = place(type, x);
    const uint32_t ra = room(Type::F32, 1);
    run(k % 2 == 0 ? OW_TB_NRM2_F16 : OW_TB_NRM2_F32, {n, xa, ra});
    expect("nrm2", ra, Type::F32, {golden::nrm2(type, x)});
  }
}

TEST_F(Kernels, Gemv) {
  const std::pair<uint32_t, Type> kinds[] = {
      {OW_TB_GEMV_F16, Type::F16}, {OW_TB_GEMV_BF16, Type::BF16}, {OW_TB_GEMV_F32, Type::F32}};
  const std::pair<uint32_t, Type> transposed[] = {{OW_TB_GEMV_T_F16, Type::Mixed},
                                                  {OW_TB_GEMV_T_BF16, Type::MixedB},
                                                  {OW_TB_GEMV_T_F32, Type::F32}};
  for (int k = 0; k < 9; ++k) {
    const auto [function, type] = kinds[k % 3];
    const auto [function_t, type_t] = transposed[k % 3];
    fresh();
    const uint32_t m = 1 + below(20);
    const uint32_t n = k < 6 ? 1 + below(60) : 129 + below(60);
    const uint32_t lda = n + below(5);
    const Vec a = numbers(type, m * lda);
    Vec packed;
    for (uint32_t i = 0; i < m; ++i) {
      packed.insert(packed.end(), a.begin() + i * lda, a.begin() + i * lda + n);
    }
    const Vec x = numbers(type, n);
    const uint32_t aa = place(type, a);
    const uint32_t xa = place(type, x);
    const uint32_t ya = room(type, m);
    run(function, {m, n, aa, lda, xa, ya});
    expect("gemv", ya, type, golden::gemv(type, n, packed, x));
    const Vec xt = numbers(type, m);
    const uint32_t xta = place(type, xt);
    const uint32_t yta = room(type, n);
    run(function_t, {m, n, aa, lda, xta, yta});
    expect("gemv_t", yta, type, golden::gemv_t(type_t, n, packed, xt));
  }
}

TEST_F(Kernels, Gemm) {
  const std::pair<uint32_t, Type> kinds[] = {
      {OW_TB_GEMM_F16, Type::Mixed}, {OW_TB_GEMM_BF16, Type::MixedB}, {OW_TB_GEMM_F32, Type::F32}};
  for (int k = 0; k < 9; ++k) {
    const auto [function, type] = kinds[k % 3];
    const Type element = golden::source_type(type);
    fresh();
    const uint32_t m = 1 + below(6);
    const uint32_t n = 1 + below(k < 6 ? 40 : 100);
    const uint32_t inner = 1 + below(20);
    const bool add = below(2) != 0;
    const Vec a = numbers(element, m * inner);
    const Vec b = numbers(element, inner * n);
    const Vec c = numbers(element, m * n);
    const uint32_t aa = place(element, a);
    const uint32_t ba = place(element, b);
    const uint32_t ca = place(element, c);
    run(function, {m, n, inner, aa, inner, ba, n, ca, n, add ? 1u : 0u});
    expect("gemm " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(inner), ca,
           element, golden::gemm(type, m, n, inner, a, b, add ? c : Vec()));
  }
}

TEST_F(Kernels, Axpyi) {
  for (int k = 0; k < 6; ++k) {
    const Type type = k % 2 == 0 ? Type::F16 : Type::F32;
    fresh();
    const uint32_t n = 200;
    const uint32_t nz = 1 + below(60);
    const Vec y = numbers(type, n);
    const Vec x = numbers(type, nz);
    Vec idx;
    std::vector<bool> used(n, false);
    while (idx.size() < nz) {
      const uint32_t i = below(n);
      if (!used[i]) idx.push_back(i);
      used[i] = true;
    }
    const uint32_t a = number(type);
    const uint32_t ya = place(type, y);
    const uint32_t xa = place(type, x);
    const uint32_t ia = place(Type::I16, idx);
    const uint32_t wa = room(type, nz);
    run(k % 2 == 0 ? OW_TB_AXPYI_F16 : OW_TB_AXPYI_F32, {nz, a, xa, ia, ya, wa});
    expect("axpyi", ya, type, golden::axpyi(type, a, x, idx, y));
  }
}

// What an element says, as a double.
double real(Type type, uint32_t bits) {
  const uint32_t f = type == Type::F32 ? bits : golden::convert(type, Type::F32, bits);
  float value = 0;
  __builtin_memcpy(&value, &f, sizeof value);
  return static_cast<double>(value);
}

TEST_F(Kernels, Spmv) {
  for (int k = 0; k < 4; ++k) {
    const Type type = k % 2 == 0 ? Type::Mixed : Type::F32;
    const Type element = golden::source_type(type);
    fresh();
    const CsrMatrix m = random_matrix(&rng_, 60 + below(150));
    const Vec x = numbers(element, m.cols);
    const uint32_t xa = (place(element, Vec(m.cols + 32, 0)) + 63) & ~63u;
    tile_.write(xa, element, x);
    const uint32_t ma = (next_ + 63) & ~63u;
    SpmvRoom limits;
    limits.bytes = k < 2 ? 8000 : 2600;
    const SpmvPlan plan =
        pack_spmv(m, type == Type::F32 ? ElementType::F32 : ElementType::F16, limits);
    std::vector<double> y(m.rows, std::nan(""));
    for (const SpmvPart& part : plan.parts) {
      next_ = ma + 4 * static_cast<uint32_t>(part.words.size());
      tile_.write(ma, Type::I32, part.words);
      const uint32_t ya = room(element, part.rows);
      run(k % 2 == 0 ? OW_TB_SPMV_F16 : OW_TB_SPMV_F32, {ma, xa, ya});
      expect("spmv", ya, element, spmv(type, part, x));
      const Vec got = tile_.read(ya, element, part.rows);
      for (uint32_t n = 0; n < part.rows; ++n) {
        y[plan.row_order[part.first_row + n]] = real(element, got[n]);
      }
    }
    // The product itself: values and sums of binary16 are rounded once each, partial sums of fp32
    // once an element.
    for (uint32_t i = 0; i < m.rows; ++i) {
      double sum = 0, size = 0;
      for (size_t e = m.row_start[i]; e < m.row_start[i + 1]; ++e) {
        const double term =
            m.value[e] * plan.scale * real(element, x[plan.x_position[m.column[e]]]);
        sum += term;
        size += std::abs(term);
      }
      const double rounding =
          element == Type::F32
              ? 0x1p-23 * static_cast<double>(m.row_start[i + 1] - m.row_start[i] + 8)
              : 0x1.2p-10;
      EXPECT_NEAR(y[i], sum, rounding * size + 0x1p-25) << "row " << i;
    }
  }
}

TEST_F(Kernels, StreamedSparseGemm) {
  for (int k = 0; k < 5; ++k) {
    fresh();
    const uint32_t samples = 8 * (1 + below(4));
    const uint32_t features = 1 + below(60);
    const uint32_t outputs = 1 + below(20);
    const Vec x = numbers(Type::F16, features * samples);
    std::vector<std::vector<Weight>> rows(outputs);
    Call call;
    for (uint32_t j = 0; j < outputs; ++j) {
      for (uint32_t i = 0; i < features; ++i) {
        if (rng_.uniform() >= 0.2) continue;
        const uint32_t w = number(Type::F16);
        rows[j].push_back({i, w});
        call.stream.push_back({TileRunner::kColourIn, false, i << 16 | w});
      }
      call.stream.push_back(
          {TileRunner::kColourIn, true,
           isa::Control::RowEnd::put(1) | isa::Control::StreamEnd::put(j + 1 == outputs)});
    }
    const uint32_t xa = place(Type::F16, x);
    const uint32_t ya = room(Type::F16, outputs * samples);
    call.function = OW_TB_SPMM;
    call.args = {features, outputs, samples, xa, ya, 2 * samples, OW_TB_INQ, OW_TB_TASK_DONE};
    call.dones = 1;
    tile_.call(call);
    expect("spmm", ya, Type::F16, golden::spmm(Type::Mixed, samples, rows, x));
  }
}

TEST_F(Kernels, ActivationSparseGemv) {
  for (int k = 0; k < 5; ++k) {
    fresh();
    const uint32_t inputs = 1 + below(60);
    const uint32_t outputs = 8 * (1 + below(16));
    const Vec w = numbers(Type::F16, inputs * outputs);
    const uint32_t wa = place(Type::F16, w);
    const uint32_t ya = room(Type::F16, outputs);
    run(OW_TB_ACT_LOAD, {inputs, outputs, wa, ya, OW_TB_INQ});
    for (const double density : {0.4, 0.0, 1.0}) {
      Vec x(inputs, 0);
      Call call;
      call.function = OW_TB_ACT_RUN;
      for (uint32_t i = 0; i < inputs; ++i) {
        if (rng_.uniform() >= density) continue;
        x[i] = number(Type::F16);
        call.stream.push_back({TileRunner::kColourIn, false, i << 16 | x[i]});
      }
      call.stream.push_back({TileRunner::kColourIn, true, isa::Control::StreamEnd::kMask});
      tile_.call(call);
      expect("activation-sparse gemv", ya, Type::F16, golden::gemv_t(Type::Mixed, outputs, w, x));
    }
  }
}

TEST_F(Kernels, SendNonzeros) {
  for (int k = 0; k < 4; ++k) {
    fresh();
    const uint32_t n = 1 + below(200);
    Vec x(n, 0);
    for (uint32_t& e : x) {
      if (below(4) == 0) e = number(Type::F16);
      if (below(8) == 0) e = 0x8000;
    }
    const uint32_t xa = place(Type::F16, x);
    run(OW_TB_SEND_NONZEROS, {n, xa});
    const std::vector<Arrival> got =
        tile_.device().take_arrivals(Side::East, 0, TileRunner::kColourOut);
    size_t at = 0;
    for (uint32_t i = 0; i < n; ++i) {
      if ((x[i] & 0x7FFF) == 0) continue;
      ASSERT_LT(at, got.size());
      EXPECT_EQ(got[at].wavelet.data, i << 16 | x[i]);
      EXPECT_FALSE(got[at].wavelet.ctrl);
      ++at;
    }
    ASSERT_EQ(got.size(), at + 1);
    EXPECT_TRUE(got[at].wavelet.ctrl);
    EXPECT_EQ(got[at].wavelet.data, 2u);
  }
}

// Against the mathematics, with the bounds of docs/numerics.md.
void expect_softmax(const Vec& x, const Vec& got) {
  double largest = -1e300, sum = 0;
  for (const uint32_t e : x) largest = std::max(largest, real(Type::F16, e));
  for (const uint32_t e : x) sum += std::exp(real(Type::F16, e) - largest);
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = std::exp(real(Type::F16, x[i]) - largest) / sum;
    // 10 units in the last place, and at most 0.0007.
    const double ulp = std::exp2(std::max(std::floor(std::log2(want)), -14.0) - 10);
    EXPECT_NEAR(real(Type::F16, got[i]), want, std::min(10 * ulp, 0.0007)) << "softmax, " << i;
  }
}

void expect_layernorm(const Vec& x, const Vec& gain, const Vec& bias, const Vec& got) {
  const double n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const uint32_t e : x) mean += real(Type::F16, e) / n;
  for (const uint32_t e : x)
    variance += (real(Type::F16, e) - mean) * (real(Type::F16, e) - mean) / n;
  for (size_t i = 0; i < x.size(); ++i) {
    const double scaled = (real(Type::F16, x[i]) - mean) / std::sqrt(variance + 1e-5);
    const double term = scaled * real(Type::F16, gain[i]);
    const double want = term + real(Type::F16, bias[i]);
    // The normalised value is within 0.7 units of its last place, which the gain makes 1.4 of the
    // term's at most, and the sum is rounded: of the larger one of the two, because where they
    // cancel the term's own error stays.
    const double size = std::max(std::abs(want), std::abs(term));
    const double ulp = std::exp2(std::max(std::floor(std::log2(size)), -14.0) - 10);
    EXPECT_NEAR(real(Type::F16, got[i]), want, 1.9 * ulp) << "layer norm, " << i;
  }
}

TEST_F(Kernels, SoftmaxAndLayerNorm) {
  for (int k = 0; k < 4; ++k) {
    fresh();
    const uint32_t n = 1 + below(120);
    const Vec x = numbers(Type::F16, n);
    const Vec gain = numbers(Type::F16, n);
    const Vec bias = numbers(Type::F16, n);
    const uint32_t xa = place(Type::F16, x);
    const uint32_t ya = room(Type::F16, n);
    const uint32_t wa = room(Type::F32, n + 4);
    run(OW_TB_SOFTMAX, {n, xa, ya, wa});
    expect("softmax", ya, Type::F16, golden::softmax_f16(x));
    expect_softmax(x, tile_.read(ya, Type::F16, n));
    const uint32_t ga = place(Type::F16, gain);
    const uint32_t ba = place(Type::F16, bias);
    const float inverse = 1.0f / static_cast<float>(n);
    uint32_t inv_n = 0;
    __builtin_memcpy(&inv_n, &inverse, sizeof inv_n);
    const uint32_t eps = 0x3727C5AC;  // 1e-5
    run(OW_TB_LAYERNORM, {n, xa, ga, ba, ya, wa, inv_n, eps});
    expect("layer norm", ya, Type::F16, golden::layernorm_f16(x, gain, bias, inv_n, eps));
    expect_layernorm(x, gain, bias, tile_.read(ya, Type::F16, n));
  }
}

}  // namespace
}  // namespace ow::bench
