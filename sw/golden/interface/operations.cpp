// SPDX-License-Identifier: Apache-2.0
// The C interface of operations and random numbers (openwafer/golden.h).
#include <algorithm>
#include <cstring>
#include <vector>

#include "calls.h"
#include "openwafer/golden.h"
#include "ow/base/rng.h"
#include "ow/golden/elementary.h"
#include "ow/golden/nonlinear.h"
#include "ow/golden/sampling.h"

namespace ow::golden {

std::string& last_error() {
  thread_local std::string error;
  return error;
}

namespace {

constexpr int kTypes = 8;
constexpr int kOps = 64;
constexpr char kNoName[] = "?";

bool is_float(Type type) { return type == Type::F16 || type == Type::BF16 || type == Type::F32; }
bool is_half(Type type) { return type == Type::F16 || type == Type::BF16; }
bool is_mixed(Type type) { return type == Type::Mixed || type == Type::MixedB; }
bool is_wide_integer(Type type) { return type == Type::I16 || type == Type::I32; }

// Whether the instruction set has this operation on elements (docs/isa.md, I11).
bool exists(Op op, Type type) {
  switch (op) {
    case Op::Mov:
      return !is_mixed(type);
    case Op::Fma:
      return is_float(type) || is_mixed(type) || is_wide_integer(type);
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Sll:
    case Op::Srl:
    case Op::Sra:
    case Op::Gate:
      return is_wide_integer(type);
    case Op::Rcp:
    case Op::Rsqrt:
    case Op::Exp:
    case Op::Log:
    case Op::Tanh:
    case Op::Sigmoid:
      return is_half(type);
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Max:
    case Op::Min:
    case Op::CmpEq:
    case Op::CmpNe:
    case Op::CmpLt:
    case Op::CmpLe:
      return is_float(type) || is_wide_integer(type);
    default:
      return false;
  }
}

bool takes_one(Op op) { return op == Op::Mov || (op >= Op::Rcp && op <= Op::Sigmoid); }

bool reduces(Op op, Type type, Type result) {
  if (op == Op::Dot && type == Type::I32) return false;
  const bool known = op == Op::Dot || op == Op::Sum || op == Op::RMax || op == Op::RMin;
  return known && !is_mixed(type) && !is_mixed(result) && is_float(type) == is_float(result);
}

std::string named(Op op, Type type) {
  return std::string("there is no ") + op_name(op) + " of " + type_name(type);
}

}  // namespace

Type checked_type(int type) {
  expect(type >= 0 && type < kTypes, "type " + std::to_string(type) + " must be 0 to 7");
  return static_cast<Type>(type);
}

Op checked_op(int op) {
  expect(op >= 0 && op < kOps && std::strcmp(op_name(static_cast<Op>(op)), kNoName) != 0,
         "operation " + std::to_string(op) + " does not exist");
  return static_cast<Op>(op);
}

}  // namespace ow::golden

using namespace ow::golden;  // NOLINT(google-build-using-namespace): C functions around it

int ow_golden_interface(void) { return OW_GOLDEN_INTERFACE; }
const char* ow_golden_version(void) { return OW_VERSION; }
const char* ow_golden_error(void) { return last_error().c_str(); }

int ow_golden_op(const char* name) {
  for (int op = 0; op < kOps; ++op) {
    if (std::strcmp(name, op_name(static_cast<Op>(op))) == 0 && *name != kNoName[0]) return op;
  }
  return -1;
}

int ow_golden_type(const char* name) {
  for (int type = 0; type < kTypes; ++type) {
    if (std::strcmp(name, type_name(static_cast<Type>(type))) == 0) return type;
  }
  return -1;
}

int ow_golden_apply(int op, int type, size_t n, const uint32_t* a, const uint32_t* b,
                    const uint32_t* c, uint32_t* out) {
  return call([&] {
    const Op what = checked_op(op);
    const Type of = checked_type(type);
    expect(exists(what, of), named(what, of));
    expect(takes_one(what) || b != nullptr, named(what, of) + " without b");
    expect(what != Op::Fma || c != nullptr, named(what, of) + " without c");
    for (size_t i = 0; i < n; ++i) {
      out[i] = apply(what, of, a[i], b != nullptr ? b[i] : 0, c != nullptr ? c[i] : 0);
    }
  });
}

int ow_golden_convert(int from, int to, size_t n, const uint32_t* a, uint32_t* out) {
  return call([&] {
    const Type source = checked_type(from), result = checked_type(to);
    expect(!is_mixed(source) && !is_mixed(result), "elements are never of a mixed type");
    for (size_t i = 0; i < n; ++i) out[i] = convert(source, result, a[i]);
  });
}

int ow_golden_convert_stochastic(int to, size_t n, const uint32_t* a, uint32_t state[4],
                                 uint32_t* out) {
  return call([&] {
    const Type result = checked_type(to);
    expect(is_half(result), "stochastic rounding gives f16 or bf16");
    for (size_t i = 0; i < n; ++i) {
      uint32_t random = 0;
      ow_golden_tile_random(state, 1, &random);
      out[i] = convert_stochastic(result, a[i], static_cast<uint16_t>(random >> 16));
    }
  });
}

int ow_golden_reduce(int op, int type, int result, size_t n, const uint32_t* a, const uint32_t* b,
                     uint32_t* out) {
  return call([&] {
    const Op what = checked_op(op);
    const Type of = checked_type(type), gives = checked_type(result);
    expect(reduces(what, of, gives), named(what, of) + " with a result of " + type_name(gives));
    expect(what != Op::Dot || b != nullptr, "dot needs b");
    *out = reduce(what, of, gives, a, b, n);
  });
}

int ow_golden_form(const char* name, int steps, size_t n, const uint32_t* a, uint32_t* out) {
  return call([&] {
    const std::string form = name;
    expect(form != "rcp" && form != "rsqrt" ? true : steps == 1 || steps == 2,
           "steps must be 1 or 2");
    for (size_t i = 0; i < n; ++i) {
      if (form == "rcp") {
        out[i] = f32_rcp(a[i], steps);
      } else if (form == "rsqrt") {
        out[i] = f32_rsqrt(a[i], steps);
      } else if (form == "exp") {
        out[i] = f32_exp(a[i]);
      } else {
        expect(form == "exp_by_f16", "the forms are rcp, rsqrt, exp and exp_by_f16");
        out[i] = f32_exp_by_f16(a[i]);
      }
    }
  });
}

int ow_golden_elementary(const char* name, size_t n, const double* x, double* out) {
  return call([&] {
    const std::string function = name;
    for (size_t i = 0; i < n; ++i) {
      if (function == "log") {
        expect(x[i] >= 0x1p-1022 && x[i] <= 0x1.fffffffffffffp+1023, "log of a normal x above 0");
        out[i] = fixed_log(x[i]);
      } else if (function == "exp") {
        expect(x[i] >= -700 && x[i] <= 700, "exp of -700 to 700");
        out[i] = fixed_exp(x[i]);
      } else {
        expect(function == "sin" || function == "cos", "the functions are log, exp, sin and cos");
        expect(x[i] >= 0 && x[i] <= 0x1p20, "sin and cos of 0 to 2^20");
        const SinCos both = fixed_sin_cos(x[i]);
        out[i] = function == "sin" ? both.sin : both.cos;
      }
    }
  });
}

int ow_golden_tile_random(uint32_t state[4], size_t n, uint32_t* out) {
  Xoshiro128Plus random(state[0], state[1], state[2], state[3]);
  for (size_t i = 0; i < n; ++i) out[i] = random.next();
  std::copy_n(random.state().begin(), 4, state);
  return 0;
}

int ow_golden_host_random(uint64_t seed, size_t n, uint64_t* out) {
  ow::Rng rng(seed);
  for (size_t i = 0; i < n; ++i) out[i] = rng.next();
  return 0;
}

int ow_golden_token(const uint32_t* logits, size_t vocabulary, double temperature, int top_k,
                    double top_p, uint64_t seed, uint64_t answer, int position) {
  return call(-1, [&] {
    expect(vocabulary > 0, "a token of no vocabulary");
    const std::vector<uint32_t> all(logits, logits + vocabulary);
    if (temperature == 0) return greedy_token(all);
    expect(temperature > 0 && top_k >= 0 && top_p > 0,
           "temperature and top_p must be above 0, top_k at least 0");
    return sampled_token(all, {temperature, top_k, top_p, seed, answer}, position);
  });
}
