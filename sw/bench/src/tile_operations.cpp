// SPDX-License-Identifier: Apache-2.0
// T16: every input of the non-linear functions; every operation with every type.
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
  figure("T16", wrong, {{"inputs", inputs}});
}

void TileRows::one_operation(Op op, Type type, Type to, bool scalar) {
  constexpr uint32_t kN = 1024;
  const Type from = golden::source_type(type);
  const bool reduction = op == Op::Dot || op == Op::Sum || op == Op::RMax || op == Op::RMin;
  const bool indexed = op == Op::Gather || op == Op::Scatter || op == Op::Fmag;
  const bool nonlinear = op == Op::Rcp || op == Op::Rsqrt || op == Op::Exp || op == Op::Log ||
                         op == Op::Tanh || op == Op::Sigmoid;
  const bool two = !(op == Op::Mov || op == Op::Cvt || nonlinear || op == Op::Sum ||
                     op == Op::RMax || op == Op::RMin);
  const uint32_t in = static_cast<uint32_t>(golden::type_bytes(from));
  const uint32_t outb = static_cast<uint32_t>(golden::type_bytes(to));
  Space space(tile());
  const uint32_t aa = space.take(kN * 4);
  const uint32_t ba = space.take(kN * 4, 16);
  const uint32_t da = space.take(kN * 4, 32);
  const uint32_t xa = space.take(kN * 4, 48);
  // Any bits at all for what maps bits to bits; numbers of like size for sums.
  const bool tame = reduction || op == Op::Fma || op == Op::Fmag;
  const Vec a = tame ? data_.values(from, kN) : data_.any(from, kN);
  Vec b = tame ? data_.values(from, kN) : data_.any(from, kN);
  const Vec d = tame ? data_.values(to, kN) : data_.any(to, kN);
  const Vec x = tame ? data_.values(from, kN) : data_.any(from, kN);
  Type b_type = from;
  if (indexed) {
    b_type = Type::I16;
    for (uint32_t i = 0; i < kN; ++i) b[i] = i;
    for (uint32_t i = kN; i-- > 1;) std::swap(b[i], b[data_.rng().below(i + 1)]);
  }
  const uint32_t s = data_.value(from);
  tile().write(aa, from, a);
  tile().write(ba, b_type, b);
  tile().write(da, to, d);
  tile().write(xa, from, x);

  Call call;
  call.function = OW_TB_INSTRUCTION;
  call.insn = instruction_word(op, type);
  const bool none = op == Op::Scatter;
  call.args = {control(none ? kNone : 0, 1, two && !scalar ? 2 : kNone, 0, scalar ? kScalar : 0),
               indexed  ? xa
               : scalar ? s
                        : 0};
  call.dsrs = {vector(0, to, da, reduction ? 1 : kN), vector(1, from, aa, kN),
               vector(2, b_type, ba, kN)};
  const CallResult r = tile().call(call);

  Vec want(d);
  const std::string name = fmt::format(
      "{}{} {}{}", golden::op_name(op), scalar ? " scalar" : "", golden::type_name(type),
      op == Op::Cvt ? fmt::format(" to {}", golden::type_name(to)) : std::string());
  uint32_t at = da;
  if (reduction) {
    want = {golden::reduce(op, type, to, a.data(), b.data(), kN)};
  } else if (op == Op::Scatter) {
    at = xa;
    for (uint32_t i = 0; i < kN; ++i) want[b[i]] = a[i];
  } else {
    for (uint32_t i = 0; i < kN; ++i) {
      const uint32_t other = scalar ? s : b[i];
      const uint32_t first = scalar && op == Op::Mov ? s : a[i];
      want[i] = op == Op::Cvt      ? golden::convert(type, to, a[i])
                : op == Op::Gather ? x[b[i]]
                : op == Op::Fmag   ? golden::apply(Op::Fma, type, a[i], x[b[i]], d[i])
                                   : golden::apply(op, type, first, other, d[i]);
    }
  }
  check(name, tile().read(at, to, want.size()), want);

  // Elements a cycle of the datapath (docs/isa.md), and the lines that the two read ports and the
  // write port move.
  const uint32_t wide = std::max(in, reduction ? in : outb);
  double rate = wide == 4 ? 4 : 8;
  if (wide == 4 && (op == Op::Mul || op == Op::Fma || op == Op::Dot || op == Op::Fmag)) rate = 2;
  if (type == Type::Mixed || type == Type::MixedB) rate = 4;  // fp32 in memory
  if (type == Type::I8 && op == Op::Dot) rate = 16;
  if (nonlinear) rate = kFunctionRate;
  double reads = in * kN / 16.0;
  if (two && !scalar) reads += (indexed ? 2 : in) * kN / 16.0;
  if (op == Op::Gather) reads = 2 * kN / 16.0;
  if (op == Op::Fma || op == Op::Fmag) reads += outb * kN / 16.0;
  const double writes = reduction ? 0 : outb * kN / 16.0;
  timing(name, kN, r.cycles, kN / rate, std::max(reads / 2, writes));
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
  return faults;
}

}  // namespace ow::bench
