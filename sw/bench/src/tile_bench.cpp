// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/tile_bench.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "ow/bench/spmv_format.h"
#include "ow/bench/tile_runner.h"
#include "ow/error.h"
#include "ow/golden/kernels.h"
#include "ow/golden/rng.h"
#include "ow/sim.h"
#include "ow/single_tile.h"
#include "ow/text_file.h"
#include "ow/tile_map.h"

namespace ow::bench {

using golden::Weight;

namespace {

constexpr uint32_t kScalar = 1u << 15;
constexpr uint32_t kSaveAddress = 1u << 11;
constexpr uint32_t kNone = 31;
constexpr double kLanes = 8;
constexpr double kFunctionRate = 2;  // elements a cycle of the non-linear functions
constexpr uint32_t kStochastic = 1u << 21;

void check(const std::string& what, const Vec& got, const Vec& want) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (i >= got.size() || got[i] != want[i]) {
      throw DeviceFault(fmt::format("{}: element {} is 0x{:x}, golden 0x{:x}", what, i,
                                    i < got.size() ? got[i] : 0, want[i]));
    }
  }
}

// Finite numbers of a few orders of magnitude around 1, or any bits.
class Data {
 public:
  explicit Data(uint64_t seed) : rng_(seed) {}

  uint32_t value(Type type) {
    switch (type) {
      case Type::F16:
      case Type::BF16:
      case Type::F32: {
        const double u = rng_.uniform() * 2 - 1;
        const float f = static_cast<float>(u * std::exp2(static_cast<double>(rng_.below(4)) - 2));
        uint32_t bits = golden::apply(Op::Mov, Type::F32, 0);
        __builtin_memcpy(&bits, &f, sizeof bits);
        return type == Type::F32 ? bits : golden::convert(Type::F32, type, bits);
      }
      default:
        return bits(type);
    }
  }
  uint32_t bits(Type type) {
    const uint32_t x = static_cast<uint32_t>(rng_.next() >> 32);
    const int n = golden::type_bytes(type);
    return n == 4 ? x : n == 2 ? x & 0xFFFF : x & 0xFF;
  }
  Vec values(Type type, size_t n) {
    Vec v(n);
    for (uint32_t& e : v) e = value(type);
    return v;
  }
  Vec any(Type type, size_t n) {
    Vec v(n);
    for (uint32_t& e : v) e = bits(type);
    return v;
  }
  golden::Rng& rng() { return rng_; }

 private:
  golden::Rng rng_;
};

// Addresses of operands, one after the other, each at an offset of its own in a line of 64 bytes.
class Space {
 public:
  explicit Space(const TileRunner& tile) : next_(tile.heap()), end_(tile.heap_end()) {}
  uint32_t take(size_t bytes, uint32_t offset = 0) {
    const uint32_t at = ((next_ + 63) & ~63u) + offset;
    next_ = at + static_cast<uint32_t>(bytes);
    if (next_ > end_) throw InternalError("operands do not fit the tile");
    return at;
  }

 private:
  uint32_t next_;
  uint32_t end_;
};

}  // namespace

class TileRows {
 public:
  TileRows(TileBench& bench, std::vector<TileFigure>& out)
      : bench_(bench), options_(bench.options_), out_(out), data_(bench.options_.seed) {}

  void t1();
  void t2();
  void t3();
  void t4();
  void t5();
  void t6();
  void t7();
  void t8();
  void t9();
  void t10();
  void t11();
  void t12();
  void t13();
  void t14();
  void t16();
  std::vector<std::string> operations();

 private:
  TileRunner& tile() {
    if (!tile_) {
      tile_ = std::make_unique<TileRunner>(make_device(DeviceKind::Replicated, GridShape{1, 1}),
                                           options_.firmware);
    }
    return *tile_;
  }
  void figure(const std::string& row, double value, std::map<std::string, double> raw = {}) {
    out_.push_back({row, value, std::move(raw)});
  }
  void timing(const std::string& name, uint64_t elements, uint64_t cycles, double datapath,
              double ports) {
    bench_.timings_.push_back({name, elements, cycles, std::max(datapath, ports),
                               datapath >= ports ? "datapath" : "ports"});
  }
  void timing(const std::string& name, uint64_t elements, uint64_t cycles, double bound) {
    timing(name, elements, cycles, bound, 0);
  }
  CallResult run(uint32_t function, std::vector<uint32_t> args) {
    Call call;
    call.function = function;
    call.args = std::move(args);
    return tile().call(call);
  }

  CallResult streamed(size_t features, size_t samples, size_t outputs, double density,
                      uint64_t seed, size_t* weights);
  uint64_t spmv_matrix(const SparseMatrix& matrix, Type type, size_t* padding, size_t* tiles,
                       Counters* counters);
  void stochastic(Type to);
  void triggered_dots(Type type);
  void one_operation(Op op, Type type, Type to, bool scalar);

  TileBench& bench_;
  const TileBenchOptions& options_;
  std::vector<TileFigure>& out_;
  Data data_;
  std::unique_ptr<TileRunner> tile_;
};

// ------------------------------------------------------------------------------------- BLAS 1 ----
void TileRows::t1() {
  constexpr uint32_t kN = 8192;
  const Vec x = data_.values(Type::F16, kN);
  const Vec y = data_.values(Type::F16, kN);
  const uint32_t a = data_.value(Type::F16);
  const Vec want = golden::axpy(Type::F16, a, x, y);
  uint64_t worst = 0;
  uint64_t best = ~uint64_t{0};
  double sum = 0;
  int runs = 0;
  std::map<std::string, double> raw;
  const uint32_t step = options_.all_alignments ? 1 : 4;
  for (uint32_t xo = 0; xo < 8; xo += step) {
    for (uint32_t yo = 0; yo < 64; yo += 2 * step) {
      if (!options_.all_alignments && yo / 2 % 8 != (yo / 16 + xo) % 8) continue;
      Space space(tile());
      const uint32_t xa = space.take(2 * kN, 2 * xo);
      const uint32_t ya = space.take(2 * kN, yo % 64);
      if (yo == 0 || !options_.all_alignments) tile().write(xa, Type::F16, x);
      tile().write(ya, Type::F16, y);
      const CallResult r = run(OW_TB_AXPY_F16, {kN, a, xa, ya});
      check(fmt::format("T1 at x + {} bytes, y + {}", 2 * xo, yo), tile().read(ya, Type::F16, kN),
            want);
      if (r.cycles > worst) {
        worst = r.cycles;
        raw["worst_x_offset"] = 2 * xo;
        raw["worst_y_offset"] = yo;
        raw["worst_beats"] = static_cast<double>(r.counters[kCtrBeats]);
        raw["worst_stall_memory"] = static_cast<double>(r.counters[kCtrStallMemory]);
      }
      best = std::min(best, r.cycles);
      sum += static_cast<double>(r.cycles);
      ++runs;
    }
  }
  timing("axpy f16, worst alignment", kN, worst, kN / kLanes, 2 * kN * 2 / 32.0);
  timing("axpy f16, best alignment", kN, best, kN / kLanes, 2 * kN * 2 / 32.0);
  raw["cycles"] = static_cast<double>(worst);
  raw["cycles_best"] = static_cast<double>(best);
  raw["cycles_mean"] = sum / runs;
  raw["alignments"] = runs;
  figure("T1", 100.0 * kN / kLanes / static_cast<double>(worst), raw);
}

void TileRows::t2() {
  constexpr uint32_t kN = 8192;
  for (const Type type : {Type::F16, Type::BF16}) {
    Space space(tile());
    const Vec x = data_.values(type, kN);
    const Vec y = data_.values(type, kN);
    const uint32_t xa = space.take(2 * kN);
    const uint32_t ya = space.take(2 * kN, 16);
    const uint32_t ra = space.take(4, 32);
    tile().write(xa, type, x);
    tile().write(ya, type, y);
    const CallResult r = run(type == Type::F16 ? OW_TB_DOT_F16 : OW_TB_DOT_BF16, {kN, xa, ya, ra});
    check("T2", tile().read(ra, Type::F32, 1), {golden::dot(type, Type::F32, x, y)});
    timing(fmt::format("dot {} {}", golden::type_name(type), kN), kN, r.cycles, kN / kLanes,
           2 * kN * 2 / 32.0);
    if (type == Type::F16) {
      figure("T2", 100.0 * kN / kLanes / static_cast<double>(r.cycles),
             {{"cycles", static_cast<double>(r.cycles)},
              {"beats", static_cast<double>(r.counters[kCtrBeats])}});
    }
  }
}

void TileRows::t3() {
  constexpr uint32_t kN = 128;
  for (const bool transposed : {false, true}) {
    Space space(tile());
    const Vec a = data_.values(Type::F16, kN * kN);
    const Vec x = data_.values(Type::F16, kN);
    const uint32_t aa = space.take(2 * kN * kN);
    const uint32_t xa = space.take(2 * kN, 16);
    const uint32_t ya = space.take(2 * kN, 32);
    tile().write(aa, Type::F16, a);
    tile().write(xa, Type::F16, x);
    const CallResult r =
        run(transposed ? OW_TB_GEMV_T_F16 : OW_TB_GEMV_F16, {kN, kN, aa, kN, xa, ya});
    check(transposed ? "T3 transposed" : "T3", tile().read(ya, Type::F16, kN),
          transposed ? golden::gemv_t(Type::Mixed, kN, a, x) : golden::gemv(Type::F16, kN, a, x));
    const double beats = kN * kN / kLanes;
    timing(transposed ? "gemv_t f16 128x128" : "gemv f16 128x128", kN * kN, r.cycles, beats);
    if (!transposed) {
      figure("T3", 100.0 * beats / static_cast<double>(r.cycles),
             {{"cycles", static_cast<double>(r.cycles)},
              {"beats", static_cast<double>(r.counters[kCtrBeats])}});
    }
  }
}

void TileRows::t4() {
  constexpr uint32_t kN = 64;
  Space space(tile());
  const Vec a = data_.values(Type::F16, kN * kN);
  const Vec b = data_.values(Type::F16, kN * kN);
  const uint32_t aa = space.take(2 * kN * kN);
  const uint32_t ba = space.take(2 * kN * kN, 16);
  const uint32_t ca = space.take(2 * kN * kN, 32);
  tile().write(aa, Type::F16, a);
  tile().write(ba, Type::F16, b);
  const CallResult r = run(OW_TB_GEMM_F16, {kN, kN, kN, aa, kN, ba, kN, ca, kN, 0});
  check("T4", tile().read(ca, Type::F16, kN * kN), golden::gemm(Type::Mixed, kN, kN, kN, a, b, {}));
  const double beats = kN * kN * kN / kLanes;
  timing("gemm f16 64x64x64", kN * kN * kN, r.cycles, beats);
  figure("T4", 100.0 * beats / static_cast<double>(r.cycles),
         {{"cycles", static_cast<double>(r.cycles)},
          {"beats", static_cast<double>(r.counters[kCtrBeats])},
          {"stall_memory", static_cast<double>(r.counters[kCtrStallMemory])},
          {"no_work", static_cast<double>(r.counters[kCtrNoWork])}});
}

void TileRows::t5() {
  {
    constexpr uint32_t kN = 4096;
    Space space(tile());
    const Vec x = data_.values(Type::F32, kN);
    const Vec y = data_.values(Type::F32, kN);
    const uint32_t a = data_.value(Type::F32);
    const uint32_t xa = space.take(4 * kN);
    const uint32_t ya = space.take(4 * kN, 16);
    tile().write(xa, Type::F32, x);
    tile().write(ya, Type::F32, y);
    const CallResult r = run(OW_TB_AXPY_F32, {kN, a, xa, ya});
    check("T5 fp32 axpy", tile().read(ya, Type::F32, kN), golden::axpy(Type::F32, a, x, y));
    timing("axpy f32 4096", kN, r.cycles, kN / 2.0);
    figure("T5.f32", 100.0 * kN / 2 / static_cast<double>(r.cycles),
           {{"cycles", static_cast<double>(r.cycles)},
            {"beats", static_cast<double>(r.counters[kCtrBeats])}});
  }
  {
    constexpr uint32_t kN = 16384;
    Space space(tile());
    const Vec x = data_.any(Type::I8, kN);
    const Vec y = data_.any(Type::I8, kN);
    const uint32_t xa = space.take(kN);
    const uint32_t ya = space.take(kN, 16);
    const uint32_t ra = space.take(4, 32);
    tile().write(xa, Type::I8, x);
    tile().write(ya, Type::I8, y);
    const CallResult r = run(OW_TB_DOT_I8, {kN, xa, ya, ra});
    check("T5 int8 dot", tile().read(ra, Type::I32, 1), {golden::dot(Type::I8, Type::I32, x, y)});
    timing("dot i8 16384", kN, r.cycles, kN / 16.0, 2 * kN / 32.0);
    figure("T5.i8", 100.0 * kN / 16 / static_cast<double>(r.cycles),
           {{"cycles", static_cast<double>(r.cycles)},
            {"beats", static_cast<double>(r.counters[kCtrBeats])}});
  }
}

// ------------------------------------------------------------------------------------- sparse ----
CallResult TileRows::streamed(size_t features, size_t samples, size_t outputs, double density,
                              uint64_t seed, size_t* weights) {
  Data data(seed);
  const Vec x = data.values(Type::F16, features * samples);
  std::vector<std::vector<Weight>> rows(outputs);
  Call call;
  *weights = 0;
  for (size_t j = 0; j < outputs; ++j) {
    for (size_t i = 0; i < features; ++i) {
      if (data.rng().uniform() >= density) continue;
      uint32_t w = data.value(Type::F16);
      if ((w & 0x7FFF) == 0) w = 0x3C00;
      const uint32_t index = static_cast<uint32_t>(i);
      rows[j].push_back({index, w});
      call.stream.push_back({TileRunner::kColourIn, false, index << 16 | w});
      ++*weights;
    }
    call.stream.push_back({TileRunner::kColourIn, true, j + 1 == outputs ? 3u : 1u});
  }
  Space space(tile());
  const uint32_t xa = space.take(2 * x.size());
  const uint32_t ya = space.take(2 * outputs * samples);
  tile().write(xa, Type::F16, x);
  call.function = OW_TB_SPMM;
  call.args = {static_cast<uint32_t>(features),
               static_cast<uint32_t>(outputs),
               static_cast<uint32_t>(samples),
               xa,
               ya,
               static_cast<uint32_t>(2 * samples),
               OW_TB_INQ,
               OW_TB_TASK_DONE};
  call.dones = 1;
  call.stream_first = true;
  const CallResult r = tile().call(call);
  check(fmt::format("streamed sparse gemm at density {}", density),
        tile().read(ya, Type::F16, outputs * samples), golden::spmm(Type::Mixed, samples, rows, x));
  return r;
}

void TileRows::t6() {
  for (const int percent : {100, 50, 20, 10, 5, 1}) {
    size_t weights = 0;
    const CallResult r = streamed(256, 32, 64, percent / 100.0, options_.seed + 600, &weights);
    const double beats = static_cast<double>(weights) * 32 / kLanes;
    timing(fmt::format("spmm 256x32x64 at {} %", percent), weights * 32, r.cycles, beats);
    figure(fmt::format("T6.{}", percent), 100.0 * beats / static_cast<double>(r.cycles),
           {{"cycles", static_cast<double>(r.cycles)},
            {"weights", static_cast<double>(weights)},
            {"beats", static_cast<double>(r.counters[kCtrBeats])},
            {"stall_input", static_cast<double>(r.counters[kCtrStallInput])},
            {"stall_row", static_cast<double>(r.counters[kCtrStallRow])},
            {"stall_memory", static_cast<double>(r.counters[kCtrStallMemory])}});
  }
}

void TileRows::t7() {
  for (const size_t samples : {size_t{16}, size_t{8}}) {
    for (const int percent : {100, 20, 5}) {
      size_t weights = 0;
      const CallResult r =
          streamed(256, samples, 64, percent / 100.0, options_.seed + 700, &weights);
      const double beats = static_cast<double>(weights * samples) / kLanes;
      timing(fmt::format("spmm 256x{}x64 at {} %", samples, percent), weights * samples, r.cycles,
             beats);
      figure(fmt::format("T7.{}.{}", samples, percent),
             100.0 * beats / static_cast<double>(r.cycles),
             {{"cycles", static_cast<double>(r.cycles)},
              {"weights", static_cast<double>(weights)},
              {"cycles_a_weight", static_cast<double>(r.cycles) / static_cast<double>(weights)}});
    }
  }
}

void TileRows::t8() {
  constexpr uint32_t kN = 128;
  Space space(tile());
  const Vec w = data_.values(Type::F16, kN * kN);  // row i: the weights of activation i
  const uint32_t wa = space.take(2 * kN * kN);
  const uint32_t ya = space.take(2 * kN);
  tile().write(wa, Type::F16, w);
  run(OW_TB_ACT_LOAD, {kN, kN, wa, ya, OW_TB_INQ});
  const auto stream = [&](const Vec& x, bool zeros) {
    Call call;
    call.function = OW_TB_ACT_RUN;
    call.stream_first = true;
    for (uint32_t i = 0; i < kN; ++i) {
      if (!zeros && (x[i] & 0x7FFF) == 0) continue;
      call.stream.push_back({TileRunner::kColourIn, false, i << 16 | x[i]});
    }
    call.stream.push_back({TileRunner::kColourIn, true, 2});
    return tile().call(call);
  };
  double different = 0;
  for (const int percent : {50, 30, 10}) {
    const uint32_t active = (kN * static_cast<uint32_t>(percent) + 50) / 100;
    Vec x(kN, 0);
    for (uint32_t left = active; left != 0;) {
      uint32_t& e = x[data_.rng().below(kN)];
      if (e != 0) continue;
      e = data_.value(Type::F16) | 1;  // not zero
      --left;
    }
    const CallResult dense = stream(x, true);
    const Vec dense_y = tile().read(ya, Type::F16, kN);
    const CallResult sparse = stream(x, false);
    const Vec sparse_y = tile().read(ya, Type::F16, kN);
    check("T8 dense", dense_y, golden::gemv_t(Type::Mixed, kN, w, x));
    for (uint32_t i = 0; i < kN; ++i) different += dense_y[i] != sparse_y[i] ? 1 : 0;
    const double d = static_cast<double>(active) / kN;
    const double speed_up = static_cast<double>(dense.cycles) / static_cast<double>(sparse.cycles);
    timing(fmt::format("activation-sparse gemv 128x128 at {} %", percent), active * kN,
           sparse.cycles, active * kN / kLanes);
    figure(fmt::format("T8.{}", percent), speed_up * d,
           {{"dense_cycles", static_cast<double>(dense.cycles)},
            {"sparse_cycles", static_cast<double>(sparse.cycles)},
            {"active", static_cast<double>(active)},
            {"speed_up", speed_up}});
  }
  figure("T8.bits", different);
}

uint64_t TileRows::spmv_matrix(const SparseMatrix& matrix, Type type, size_t* padding,
                               size_t* tiles, Counters* counters) {
  const Type element = golden::source_type(type);
  const uint32_t bytes = static_cast<uint32_t>(golden::type_bytes(element));
  Space space(tile());
  const uint32_t xa = space.take(matrix.cols * bytes);
  const uint32_t ma = space.take(0);
  const SpmvPlan plan = make_spmv_plan(matrix, type, ma, tile().heap_end() - ma - 128, xa);
  Vec x(matrix.cols);
  for (uint32_t& e : x) e = data_.value(element);
  tile().write(xa, element, x);
  uint64_t cycles = 0;
  size_t nonzeros = 0;
  std::vector<double> product(matrix.rows, 0);
  const auto number = [&](uint32_t e) {
    const uint32_t f = element == Type::F32 ? e : golden::convert(element, Type::F32, e);
    float v = 0;
    __builtin_memcpy(&v, &f, sizeof v);
    return static_cast<double>(v);
  };
  for (const SpmvTile& part : plan.tiles) {
    const uint32_t ya = (ma + 4 * static_cast<uint32_t>(part.words.size()) + 15) & ~15u;
    tile().write(ma, Type::I32, part.words);
    const CallResult r = run(type == Type::F32 ? OW_TB_SPMV_F32 : OW_TB_SPMV_F16, {ma, xa, ya});
    const Vec y = tile().read(ya, element, part.y_elements);
    check(fmt::format("spmv {} of {}", golden::type_name(element), matrix.name), y,
          spmv(type, part, x));
    cycles += r.cycles;
    for (size_t k = 0; k < r.counters.size(); ++k) (*counters)[k] += r.counters[k];
    nonzeros += part.nonzeros;
    *padding += part.padding;
    ++*tiles;
    for (uint32_t k = 0; k < part.y_elements; ++k) {
      product[plan.order[part.first_row + k]] = number(y[k]);
    }
  }
  // The format holds the whole matrix: against a product in double precision.
  for (uint32_t i = 0; i < matrix.rows; ++i) {
    double sum = 0;
    double size = 0;
    for (const auto& [col, v] : matrix.row[i]) {
      const double term = v * plan.scale * number(x[plan.x_position[col]]);
      sum += term;
      size += std::abs(term);
    }
    if (std::abs(sum - product[i]) > 0.004 * size + 1e-4) {
      throw InternalError(
          fmt::format("{}: row {} is {}, must be about {}", matrix.name, i, product[i], sum));
    }
  }
  if (nonzeros != matrix.nonzeros()) throw InternalError(matrix.name + ": entries were lost");
  return cycles;
}

void TileRows::t9() {
  // A firmware of its own, for more room.
  tile_ = std::make_unique<TileRunner>(make_device(DeviceKind::Replicated, GridShape{1, 1}),
                                       options_.spmv_firmware);
  const char* const names[] = {"494_bus", "west0479", "adder_dcop_05",
                               "watt_2",  "dwt_992",  "hangGlider_2"};
  for (const Type type : {Type::Mixed, Type::F32}) {
    double logs = 0;
    std::map<std::string, double> raw;
    const char* const label = type == Type::F32 ? "f32" : "f16";
    for (const char* name : names) {
      const SparseMatrix m = read_matrix_market(options_.matrices + "/" + name + ".mtx.gz");
      size_t padding = 0;
      size_t tiles = 0;
      Counters counters{};
      const uint64_t cycles = spmv_matrix(m, type, &padding, &tiles, &counters);
      const double rate = static_cast<double>(m.nonzeros()) / static_cast<double>(cycles);
      logs += std::log(rate);
      raw[std::string(name) + ".rate"] = rate;
      raw[std::string(name) + ".cycles"] = static_cast<double>(cycles);
      raw[std::string(name) + ".nonzeros"] = static_cast<double>(m.nonzeros());
      raw[std::string(name) + ".padding"] = static_cast<double>(padding);
      raw[std::string(name) + ".beats"] = static_cast<double>(counters[kCtrBeats]);
      raw[std::string(name) + ".stall_memory"] = static_cast<double>(counters[kCtrStallMemory]);
      raw[std::string(name) + ".no_work"] = static_cast<double>(counters[kCtrNoWork]);
      raw[std::string(name) + ".tiles"] = static_cast<double>(tiles);
      timing(fmt::format("spmv {} {}", label, name), m.nonzeros(), cycles,
             static_cast<double>(m.nonzeros()) / (type == Type::F32 ? 2 : 8));
    }
    figure(std::string("T9.") + label, std::exp(logs / 6), raw);
  }
}

void TileRows::t10() {
  constexpr uint32_t kN = 1024;
  Vec x(kN, 0);
  uint32_t nonzeros = 0;
  while (nonzeros < kN / 10) {
    uint32_t& e = x[data_.rng().below(kN)];
    if (e != 0) continue;
    e = data_.value(Type::F16) | 1;
    ++nonzeros;
  }
  Space space(tile());
  const uint32_t xa = space.take(2 * kN);
  tile().write(xa, Type::F16, x);
  const CallResult r = run(OW_TB_SEND_NONZEROS, {kN, xa});
  const std::vector<Arrival> got = tile().device().take(Side::East, 0, TileRunner::kColourOut);
  std::vector<Wavelet> want;
  for (uint32_t i = 0; i < kN; ++i) {
    if (x[i] != 0) want.push_back({TileRunner::kColourOut, false, i << 16 | x[i]});
  }
  want.push_back({TileRunner::kColourOut, true, 2});
  if (got.size() != want.size()) {
    throw DeviceFault(fmt::format("T10: {} wavelets, golden {}", got.size(), want.size()));
  }
  for (size_t k = 0; k < want.size(); ++k) {
    if (got[k].wavelet != want[k]) throw DeviceFault(fmt::format("T10: wavelet {} differs", k));
  }
  const double bound = std::max(kN / kLanes, static_cast<double>(nonzeros));
  timing("send non-zeros, 90 % zeros", kN, r.cycles, bound);
  figure("T10", static_cast<double>(r.cycles) / bound,
         {{"cycles", static_cast<double>(r.cycles)},
          {"nonzeros", static_cast<double>(nonzeros)},
          {"bound", bound}});
}

// ------------------------------------------------------------------------- latencies, threads ----
void TileRows::t11() {
  // Latency: the retire port says when the instruction left decode and what the reads of the beat
  // counter after it gave. A read in cycle c that shows k more beats means that the first was
  // issued in cycle c - k + 1 at the latest.
  {
    const auto observed = make_observed_tile(false);
    TileRunner tile(observed->device(), options_.firmware);
    Space space(tile);
    constexpr uint32_t kN = 512;
    const Vec x = data_.values(Type::F16, kN);
    const Vec y = data_.values(Type::F16, kN);
    const uint32_t xa = space.take(2 * kN);
    const uint32_t ya = space.take(2 * kN, 16);
    tile.write(xa, Type::F16, x);
    tile.write(ya, Type::F16, y);
    Call call;
    call.function = OW_TB_LATENCY;
    const uint32_t a = data_.value(Type::F16);
    call.args = {control(0, 1, kNone, 1, kScalar), a};
    call.dsrs = {vector(0, Type::F16, ya, kN), vector(1, Type::F16, xa, kN)};
    const uint32_t pc = tile.image().symbol("ow_tb_latency");
    uint64_t decode = 0;
    std::vector<std::pair<uint64_t, uint32_t>> reads;
    observed->observe([&](const Retire& r, uint64_t cycle) {
      if (r.pc == pc) decode = cycle;
      if (decode != 0 && r.pc > pc && r.pc <= pc + 32 && r.rd_we) {
        reads.emplace_back(cycle, r.rd_data);
      }
    });
    tile.prepare(call, 0);
    const uint32_t before = static_cast<uint32_t>(read_counters(tile.control(), 0, 0)[kCtrBeats]);
    tile.start(0);
    tile.wait("T11");
    tile.finish(call, 0);
    check("T11", tile.read(ya, Type::F16, kN), golden::axpy(Type::F16, a, x, y));
    uint64_t first = 0;
    for (const auto& [cycle, value] : reads) {
      if (value != before) {
        first = cycle - (value - before) + 1;
        break;
      }
    }
    if (first == 0 || decode == 0) throw DeviceFault("T11: no beat was seen");
    figure("T11.latency", static_cast<double>(first - decode),
           {{"retired", static_cast<double>(decode)}, {"first_beat", static_cast<double>(first)}});
  }
  {
    constexpr uint32_t kRounds = 8;
    constexpr uint32_t kEach = 64;
    constexpr uint32_t kN = 12 * kEach * kRounds;
    Space space(tile());
    const Vec x = data_.values(Type::F16, kN);
    const Vec y = data_.values(Type::F16, kN);
    const uint32_t a = data_.value(Type::F16);
    const uint32_t xa = space.take(2 * kN);
    const uint32_t ya = space.take(2 * kN, 16);
    tile().write(xa, Type::F16, x);
    tile().write(ya, Type::F16, y);
    Call call;
    call.function = OW_TB_BACK_TO_BACK;
    call.args = {kRounds, a};
    for (uint32_t t = 0; t < 12; ++t) {
      // Thread t walks its own part of the vectors, 64 elements an instruction.
      const uint32_t at = t * kEach * kRounds * 2;
      call.dsrs.push_back(memory(2 * t, Type::F16, ya + at, {{kEach, 2}}, kSaveAddress));
      call.dsrs.push_back(memory(2 * t + 1, Type::F16, xa + at, {{kEach, 2}}, kSaveAddress));
    }
    const CallResult r = tile().call(call);
    check("T11 back to back", tile().read(ya, Type::F16, kN), golden::axpy(Type::F16, a, x, y));
    const double each = static_cast<double>(r.cycles) / (12 * kRounds);
    timing("96 axpys of 64, back to back", kN, r.cycles, kN / kLanes);
    figure("T11.back", each, {{"cycles", static_cast<double>(r.cycles)}, {"axpys", 12 * kRounds}});
  }
}

void TileRows::t12() {
  // Latency: a wavelet that is on the west edge's wires in cycle c is at the ramp in cycle c + 1 (a
  // hop is one cycle).
  {
    const auto observed = make_observed_tile(false);
    TileRunner tile(observed->device(), options_.firmware);
    const uint32_t pc = tile.read_word(kRegTaskEntry + 4 * OW_TB_INQ_TASK);
    uint64_t first = 0;
    observed->observe([&](const Retire& r, uint64_t cycle) {
      if (r.pc == pc && first == 0) first = cycle;
    });
    tile.device().record_edges(true);
    tile.send({{TileRunner::kColourTask, false, 7}});
    tile.wait("T12");
    uint64_t edge = 0;
    for (const EdgeEvent& e : tile.device().edge_log()) {
      if (e.in && e.wavelet.colour == TileRunner::kColourTask) edge = e.cycle;
    }
    if (first == 0 || edge == 0) throw DeviceFault("T12: the task did not run");
    figure(
        "T12.latency", static_cast<double>(first - (edge + 1)),
        {{"edge", static_cast<double>(edge)}, {"first_instruction", static_cast<double>(first)}});
  }
  {
    const auto observed = make_observed_tile(false);
    TileRunner tile(observed->device(), options_.firmware);
    constexpr uint32_t kWavelets = 512;
    const uint32_t pc = tile.read_word(kRegTaskEntry + 4 * OW_TB_INQ_TASK);
    uint64_t first = 0;
    uint64_t last = 0;
    observed->observe([&](const Retire& r, uint64_t cycle) {
      if (r.pc != pc) return;
      if (first == 0) first = cycle;
      last = cycle;
    });
    const uint32_t word = tile.image().symbol("ow_tb_task_sum");
    const uint32_t before = tile.read_word(word);
    std::vector<Wavelet> stream;
    uint32_t sum = before;
    for (uint32_t k = 0; k < kWavelets; ++k) {
      stream.push_back({TileRunner::kColourTask, false, 3 * k + 1});
      sum += 3 * k + 1;
    }
    tile.send(stream);
    tile.wait("T12");
    check("T12", {tile.read_word(word)}, {sum});
    figure("T12.rate", static_cast<double>(last - first) / (kWavelets - 1),
           {{"wavelets", kWavelets}, {"cycles", static_cast<double>(last - first)}});
  }
}

void TileRows::t13() {
  TileRunner tile(make_device(DeviceKind::Replicated, GridShape{1, 2}), options_.firmware);
  constexpr uint32_t kWords = 8;
  Space space(tile);
  const uint32_t at = space.take(4 * kWords);
  const Vec x = data_.any(Type::I32, kWords);
  tile.write(at, Type::I32, x, 0);
  Call receive;
  receive.function = OW_TB_INSTRUCTION;
  receive.args = {control(0, 1, kNone, 0), 0};
  receive.dsrs = {vector(0, Type::I32, at, kWords), fabric_in(1, Type::I32, OW_TB_INQ, kWords)};
  receive.insn = instruction_word(0, Type::I32);
  Call send = receive;
  send.dsrs = {fabric_out(0, Type::I32, OW_TB_OUTQ, kWords), vector(1, Type::I32, at, kWords)};
  tile.prepare(receive, 1);
  tile.prepare(send, 0);
  tile.start(1);
  tile.wait("T13");  // the receiver waits for the fabric
  tile.start(0);
  tile.wait("T13");
  const CallResult sent = tile.finish(send, 0);
  const CallResult received = tile.finish(receive, 1);
  check("T13", tile.read(at, Type::I32, kWords, 1), x);
  // Both cycle counts are the wafer's. The reads of the count stand before the sender's call of the
  // instruction and after the receiver's return from it.
  figure("T13", static_cast<double>(received.end - sent.begin),
         {{"send_begin", static_cast<double>(sent.begin)},
          {"send_end", static_cast<double>(sent.end)},
          {"receive_end", static_cast<double>(received.end)}});
}

void TileRows::t14() {
  constexpr uint32_t kN = 6144;
  Space space(tile());
  const Vec x = data_.values(Type::F16, kN);
  const uint32_t a = data_.value(Type::F16);
  const uint32_t xa = space.take(2 * kN);
  const uint32_t ya = space.take(2 * kN, 16);
  const uint32_t wa = space.take(32);
  tile().write(xa, Type::F16, x);
  const auto fresh = [&] {
    const Vec y = data_.values(Type::F16, kN);
    tile().write(ya, Type::F16, y);
    return golden::axpy(Type::F16, a, x, y);
  };
  // One thread waits for the fabric.
  uint64_t alone = 0;
  uint64_t beside = 0;
  for (const bool waiting : {false, true}) {
    const Vec want = fresh();
    Call call;
    call.function = waiting ? OW_TB_BESIDE : OW_TB_INSTRUCTION;
    call.insn = instruction_word(4, Type::F16);
    const uint32_t ctl = control(0, 1, kNone, 0, kScalar);
    call.dsrs = {vector(0, Type::F16, ya, kN), vector(1, Type::F16, xa, kN)};
    if (waiting) {
      call.args = {control(2, 3, kNone, 1), ctl, a};
      call.dsrs.push_back(vector(2, Type::F32, wa, 4));
      call.dsrs.push_back(fabric_in(3, Type::F32, OW_TB_INQ, 4));
    } else {
      call.args = {ctl, a};
    }
    (waiting ? beside : alone) = tile().call(call).cycles;
    check("T14", tile().read(ya, Type::F16, kN), want);
  }
  std::vector<Wavelet> release;
  for (uint32_t k = 0; k < 4; ++k) release.push_back({TileRunner::kColourIn, false, k + 5});
  tile().send(release);
  tile().wait("T14");
  check("T14 waiting thread", tile().read(wa, Type::F32, 4), {5, 6, 7, 8});
  figure("T14.wait", static_cast<double>(beside) - static_cast<double>(alone),
         {{"alone", static_cast<double>(alone)}, {"beside", static_cast<double>(beside)}});

  // The same beats on one thread and on twelve.
  uint64_t cycles[2] = {0, 0};
  for (const uint32_t threads : {1u, 12u}) {
    const Vec want = fresh();
    Call call;
    call.function = OW_TB_LAUNCH_MANY;
    call.args = {threads, a};
    call.dones = ~0u;
    const uint32_t each = kN / threads;
    for (uint32_t t = 0; t < threads; ++t) {
      call.dsrs.push_back(vector(2 * t, Type::F16, ya + 2 * each * t, each));
      call.dsrs.push_back(vector(2 * t + 1, Type::F16, xa + 2 * each * t, each));
    }
    cycles[threads == 1 ? 0 : 1] = tile().call(call).cycles;
    check("T14 threads", tile().read(ya, Type::F16, kN), want);
  }
  figure("T14.threads", static_cast<double>(cycles[1]) - static_cast<double>(cycles[0]),
         {{"one", static_cast<double>(cycles[0])}, {"twelve", static_cast<double>(cycles[1])}});
}

// Every input of every function, on the whole tile.
void TileRows::t16() {
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
        call.insn = instruction_word(static_cast<uint32_t>(op), type);
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

// -------------------------------------------------------------------------------- operations ----
void TileRows::one_operation(Op op, Type type, Type to, bool scalar) {
  constexpr uint32_t kN = 1024;
  const Type from = golden::source_type(type);
  const bool reduction = op == Op::Dot || op == Op::Sum || op == Op::RMax || op == Op::RMin;
  const bool indexed = op == Op::Gather || op == Op::Scatter || op == Op::Fmag;
  const bool nonlinear = static_cast<int>(op) >= 32;
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
  call.insn = instruction_word(static_cast<uint32_t>(op), type);
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
  call.insn = instruction_word(static_cast<uint32_t>(Op::Cvt), Type::F32);
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
  call.insn = instruction_word(18, type);
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
  call.stream.push_back({TileRunner::kColourIn, true, 2});
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

// ------------------------------------------------------------------------------------- bench ----
std::vector<std::string> TileBench::rows() {
  return {"T1", "T2",  "T3",  "T4",  "T5",  "T6",  "T7", "T8",
          "T9", "T10", "T11", "T12", "T13", "T14", "T16"};
}

std::vector<TileFigure> TileBench::measure(const std::string& row) {
  std::vector<TileFigure> out;
  TileRows r(*this, out);
  if (row == "T1")
    r.t1();
  else if (row == "T2")
    r.t2();
  else if (row == "T3")
    r.t3();
  else if (row == "T4")
    r.t4();
  else if (row == "T5")
    r.t5();
  else if (row == "T6")
    r.t6();
  else if (row == "T7")
    r.t7();
  else if (row == "T8")
    r.t8();
  else if (row == "T9")
    r.t9();
  else if (row == "T10")
    r.t10();
  else if (row == "T11")
    r.t11();
  else if (row == "T12")
    r.t12();
  else if (row == "T13")
    r.t13();
  else if (row == "T14")
    r.t14();
  else if (row == "T16")
    r.t16();
  else
    throw BadInput("no row " + row + " of ow bench tile");
  return out;
}

std::vector<std::string> TileBench::operations() {
  std::vector<TileFigure> out;
  return TileRows(*this, out).operations();
}

Baselines load_baselines(const std::string& path) {
  Baselines out;
  try {
    const YAML::Node root = YAML::Load(read_text(path));
    for (const auto& line : root) out[line.first.as<std::string>()] = line.second.as<uint64_t>();
  } catch (const YAML::Exception& e) {
    throw BadInput(fmt::format("{}:{}: {}", path, e.mark.line + 1, e.msg));
  }
  return out;
}

std::string baselines_text(const Baselines& baselines) {
  std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Cycles of whole calls and instructions on one tile of `full`: `ow bench tile` fails if "
      "one\n"
      "# is slower, and `ow bench tile --update-baselines` writes this file.\n";
  for (const auto& [name, cycles] : baselines) text += fmt::format("\"{}\": {}\n", name, cycles);
  return text;
}

}  // namespace ow::bench
