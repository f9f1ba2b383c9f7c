// SPDX-License-Identifier: Apache-2.0
// Every input of the non-linear functions; every operation with every type.
#include "tile_measure.h"

namespace ow::bench {

// Every input of every function, on the whole tile.
void TileRows::functions() {
  constexpr uint32_t kN = 8192;
  double wrong = 0;
  double inputs = 0;
  for (const Op op : {Op::Rcp, Op::Rsqrt, Op::Exp, Op::Log, Op::Tanh, Op::Sigmoid}) {
    for (const Type type : {Type::F16, Type::BF16}) {
      uint64_t cycles = 0;
      for (uint32_t first = 0; first < 65536; first += kN) {
        Space space(tile());
        Vec x(kN);
        for (uint32_t i = 0; i < kN; ++i) x[i] = first + i;
        const uint32_t xa = space.take(2 * kN);
        const uint32_t ya = space.take(2 * kN, 16);
        tile().write(xa, type, x);
        Call call;
        call.function = OW_TB_INSTRUCTION;
        call.insn = instruction_word(op, type);
        call.args = {control(0, 1, kNone, 0), 0};
        call.dsrs = {vector(0, type, ya, kN), vector(1, type, xa, kN)};
        cycles += tile().call(call).cycles;
        const Vec y = tile().read(ya, type, kN);
        for (uint32_t i = 0; i < kN; ++i) wrong += y[i] != golden::apply(op, type, x[i]) ? 1 : 0;
        inputs += kN;
      }
      timing(fmt::format("{} {}, all inputs", golden::op_name(op), golden::type_name(type)), 65536,
             cycles, 65536 / kFunctionRate);
    }
  }
  if (wrong != 0) {
    throw DeviceFault(fmt::format("{} of {} inputs are not correctly rounded", wrong, inputs));
  }
}

namespace {

constexpr uint32_t kElements = 1024;

// An operation with its types, and what follows from them.
struct Operation {
  Op op;
  Type type, to;
  bool scalar;

  Type from() const { return golden::source_type(type); }
  bool reduction() const {
    return op == Op::Dot || op == Op::Sum || op == Op::RMax || op == Op::RMin;
  }
  bool indexed() const { return op == Op::Gather || op == Op::Scatter || op == Op::Fmag; }
  bool nonlinear() const {
    return op == Op::Rcp || op == Op::Rsqrt || op == Op::Exp || op == Op::Log || op == Op::Tanh ||
           op == Op::Sigmoid;
  }
  bool two() const {
    return !(op == Op::Mov || op == Op::Cvt || nonlinear() || op == Op::Sum || op == Op::RMax ||
             op == Op::RMin);
  }
  // Any bits at all for what maps bits to bits; numbers of like size for sums.
  bool tame() const { return reduction() || op == Op::Fma || op == Op::Fmag; }
  std::string name() const {
    return fmt::format("{}{} {}{}", golden::op_name(op), scalar ? " scalar" : "",
                       golden::type_name(type),
                       op == Op::Cvt ? fmt::format(" to {}", golden::type_name(to)) : "");
  }
};

struct Operands {
  Vec a, b, d, x;
  uint32_t s = 0;
};

// What dst, or x of a scatter, holds afterwards.
Vec results(const Operation& o, const Operands& v) {
  if (o.reduction()) {
    return {golden::reduce(o.op, o.type, o.to, v.a.data(), v.b.data(), kElements)};
  }
  Vec want(v.d);
  for (uint32_t i = 0; i < kElements; ++i) {
    const uint32_t other = o.scalar ? v.s : v.b[i];
    const uint32_t first = o.scalar && o.op == Op::Mov ? v.s : v.a[i];
    switch (o.op) {
      case Op::Scatter:
        want[v.b[i]] = v.a[i];
        break;
      case Op::Cvt:
        want[i] = golden::convert(o.type, o.to, v.a[i]);
        break;
      case Op::Gather:
        want[i] = v.x[v.b[i]];
        break;
      case Op::Fmag:
        want[i] = golden::apply(Op::Fma, o.type, v.a[i], v.x[v.b[i]], v.d[i]);
        break;
      default:
        want[i] = golden::apply(o.op, o.type, first, other, v.d[i]);
    }
  }
  return want;
}

// Elements a cycle of the datapath (docs/isa.md).
double datapath_rate(const Operation& o) {
  const int in = golden::type_bytes(o.from()), out = golden::type_bytes(o.to);
  if (o.nonlinear()) return kFunctionRate;
  if (o.type == Type::I8 && o.op == Op::Dot) return 16;
  if (o.type == Type::Mixed || o.type == Type::MixedB) return 4;  // fp32 in memory
  if (std::max(in, o.reduction() ? in : out) < 4) return 8;
  const bool product = o.op == Op::Mul || o.op == Op::Fma || o.op == Op::Dot || o.op == Op::Fmag;
  return product ? 2 : 4;
}

// Cycles for the lines that the two read ports and the write port move.
double memory_cycles(const Operation& o) {
  const auto lines = [](int bytes) { return bytes * kElements / 16.0; };
  const int in = golden::type_bytes(o.from()), out = golden::type_bytes(o.to);
  double reads = o.op == Op::Gather ? 0 : lines(in);
  if (o.two() && !o.scalar) reads += lines(o.indexed() ? 2 : in);
  if (o.op == Op::Fma || o.op == Op::Fmag) reads += lines(out);
  return std::max(reads / 2, o.reduction() ? 0 : lines(out));
}

}  // namespace

void TileRows::one_operation(Op op, Type type, Type to, bool scalar) {
  const Operation o{op, type, to, scalar};
  const Type from = o.from();
  Space space(tile());
  const uint32_t aa = space.take(kElements * 4);
  const uint32_t ba = space.take(kElements * 4, 16);
  const uint32_t da = space.take(kElements * 4, 32);
  const uint32_t xa = space.take(kElements * 4, 48);
  const auto draw = [&](Type t) {
    return o.tame() ? data_.values(t, kElements) : data_.any(t, kElements);
  };
  Operands v;
  v.a = draw(from);
  v.b = draw(from);
  v.d = draw(to);
  v.x = draw(from);
  if (o.indexed()) {
    for (uint32_t i = 0; i < kElements; ++i) v.b[i] = i;
    for (uint32_t i = kElements; i-- > 1;) std::swap(v.b[i], v.b[data_.rng().below(i + 1)]);
  }
  v.s = data_.value(from);
  const Type b_type = o.indexed() ? Type::I16 : from;
  tile().write(aa, from, v.a);
  tile().write(ba, b_type, v.b);
  tile().write(da, to, v.d);
  tile().write(xa, from, v.x);

  Call call;
  call.function = OW_TB_INSTRUCTION;
  call.insn = instruction_word(op, type);
  const bool none = op == Op::Scatter;
  call.args = {
      control(none ? kNone : 0, 1, o.two() && !scalar ? 2 : kNone, 0, scalar ? kScalar : 0),
      o.indexed() ? xa
      : scalar    ? v.s
                  : 0};
  call.dsrs = {vector(0, to, da, o.reduction() ? 1 : kElements), vector(1, from, aa, kElements),
               vector(2, b_type, ba, kElements)};
  const CallResult r = tile().call(call);

  const Vec want = results(o, v);
  check(o.name(), tile().read(none ? xa : da, to, want.size()), want);
  timing(o.name(), kElements, r.cycles, kElements / datapath_rate(o), memory_cycles(o));
}

void TileRows::stochastic(Type to) {
  constexpr uint32_t kN = 1024;
  Space space(tile());
  const Vec a = data_.values(Type::F32, kN);
  const uint32_t aa = space.take(4 * kN);
  const uint32_t da = space.take(2 * kN, 32);
  tile().write(aa, Type::F32, a);
  const std::vector<uint32_t> state = {0x12345678, 0x9ABCDEF0, 0x0F1E2D3C, 0x4B5A6978};
  tile().control().write_tile(0, 0, kRegPrng, state);
  Call call;
  call.function = OW_TB_INSTRUCTION;
  call.insn = instruction_word(Op::Cvt, Type::F32);
  call.args = {control(0, 1, kNone, 0, kStochastic), 0};
  call.dsrs = {vector(0, to, da, kN), vector(1, Type::F32, aa, kN)};
  const CallResult r = tile().call(call);
  golden::Xoshiro128Plus generator(state[0], state[1], state[2], state[3]);
  Vec want;
  for (const uint32_t e : a) {
    want.push_back(
        golden::convert_stochastic(to, e, static_cast<uint16_t>(generator.next() >> 16)));
  }
  const std::string name = fmt::format("cvt f32 to {}, stochastic", golden::type_name(to));
  check(name, tile().read(da, to, kN), want);
  timing(name, kN, r.cycles, kN / 4.0);
}

// Wavelets with an index each, a dot product of 128 elements for each.
void TileRows::triggered_dots(Type type) {
  constexpr uint32_t kN = 128;
  constexpr uint32_t kRows = 64;
  constexpr uint32_t kWavelets = 60;
  const Type from = golden::source_type(type);
  Space space(tile());
  const Vec a = data_.values(from, kN * kRows);
  const Vec x = data_.values(from, kN);
  const uint32_t aa = space.take(2 * kN * kRows);
  const uint32_t xa = space.take(2 * kN, 16);
  const uint32_t da = space.take(4 * kWavelets, 32);
  tile().write(aa, from, a);
  tile().write(xa, from, x);
  Call call;
  call.function = OW_TB_INSTRUCTION;
  call.insn = instruction_word(Op::Dotw, type);
  call.args = {control(0, 1, 2, 0), xa};
  call.dsrs = {vector(0, Type::F32, da, kWavelets),
               memory(1, from, aa, {{kN, 2}, {kRows, 2 * static_cast<int32_t>(kN)}}),
               fabric_in(2, from, OW_TB_INQ, 0)};
  Vec want;
  for (uint32_t k = 0; k < kWavelets; ++k) {
    const uint32_t row = static_cast<uint32_t>(data_.rng().below(kRows));
    call.stream.push_back({TileRunner::kColourIn, false, row << 16});
    want.push_back(golden::reduce(Op::Dot, from, Type::F32, &a[row * kN], x.data(), kN));
  }
  call.stream.push_back({TileRunner::kColourIn, true, kStreamEnd});
  call.stream_first = true;
  const CallResult r = tile().call(call);
  const std::string name = fmt::format("dotw {}, 60 of 128", golden::type_name(type));
  check(name, tile().read(da, Type::F32, kWavelets), want);
  timing(name, kWavelets * kN, r.cycles, kWavelets * kN / kLanes);
}

std::vector<std::string> TileRows::operations() {
  using T = Type;
  std::vector<std::string> faults;
  const auto one = [&](Op op, T type, T to, bool scalar) {
    try {
      one_operation(op, type, to, scalar);
    } catch (const DeviceFault& fault) {
      const std::string what = fault.what();
      faults.push_back(fmt::format("{} {}: {}", golden::op_name(op), golden::type_name(type),
                                   what.substr(0, what.find('\n'))));
      tile_.reset();  // a fault may have stopped the tile
    } catch (const InternalError& error) {
      faults.push_back(error.what());
    }
  };
  const auto each = [&](Op op, std::vector<T> types, bool scalar = false) {
    for (const T t : types) one(op, t, golden::result_type(t), scalar);
  };
  const std::vector<T> arithmetic = {T::F16, T::BF16, T::F32, T::I16, T::I32};
  each(Op::Mov, {T::F16, T::F32, T::I8});
  each(Op::Mov, {T::F16, T::F32}, true);
  for (const Op op :
       {Op::Add, Op::Sub, Op::Mul, Op::Max, Op::Min, Op::CmpEq, Op::CmpNe, Op::CmpLt, Op::CmpLe}) {
    each(op, arithmetic);
  }
  each(Op::Add, {T::F16}, true);
  each(Op::Fma, {T::F16, T::BF16, T::F32, T::Mixed, T::MixedB, T::I16, T::I32});
  each(Op::Fma, {T::F16, T::F32}, true);
  for (const Op op : {Op::And, Op::Or, Op::Xor, Op::Sll, Op::Srl, Op::Sra}) {
    each(op, {T::I16, T::I32});
  }
  const std::vector<T> all = {T::F16, T::BF16, T::F32, T::I8, T::I16, T::I32};
  for (const T from : all) {
    for (const T to : all) {
      if (from != to) one(Op::Cvt, from, to, false);
    }
  }
  const auto guarded = [&](const std::function<void()>& body) {
    try {
      body();
    } catch (const DeviceFault& fault) {
      const std::string what = fault.what();
      faults.push_back(what.substr(0, what.find('\n')));
      tile_.reset();
    }
  };
  for (const T to : {T::F16, T::BF16}) guarded([&] { stochastic(to); });
  for (const T t : {T::Mixed, T::MixedB}) guarded([&] { triggered_dots(t); });
  for (const T t : {T::F16, T::BF16, T::F32}) one(Op::Dot, t, T::F32, false);
  for (const T t : {T::I8, T::I16}) one(Op::Dot, t, T::I32, false);
  for (const T t : {T::F16, T::BF16, T::F32}) one(Op::Sum, t, T::F32, false);
  for (const T t : {T::I8, T::I16, T::I32}) one(Op::Sum, t, T::I32, false);
  for (const Op op : {Op::RMax, Op::RMin}) each(op, arithmetic);
  each(Op::Gather, {T::F16, T::F32});
  each(Op::Scatter, {T::F16, T::F32});
  each(Op::Fmag, {T::F16, T::BF16, T::F32, T::Mixed, T::MixedB});
  for (const Op op : {Op::Rcp, Op::Rsqrt, Op::Exp, Op::Log, Op::Tanh, Op::Sigmoid}) {
    each(op, {T::F16, T::BF16});
  }
  each(Op::Gate, {T::I16, T::I32});
  return faults;
}

}  // namespace ow::bench
