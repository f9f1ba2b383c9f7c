// SPDX-License-Identifier: Apache-2.0
// The measurements behind TileBench: what they share, and one member function a measurement.
#ifndef OW_MEASURE_SRC_TILE_MEASURE_H_
#define OW_MEASURE_SRC_TILE_MEASURE_H_

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/device/tile_map.h"
#include "ow/golden/kernels.h"
#include "ow/isa/isa.h"
#include "ow/measure/sparse.h"
#include "ow/measure/tile_costs.h"
#include "ow/measure/tile_runner.h"
#include "ow/sim/sim.h"

namespace ow::bench {

using golden::Weight;

constexpr uint32_t kScalar = isa::TensorCtl::Scalar::put(1);
constexpr uint32_t kSaveAddress = isa::Dsr0::SaveAddress::put(1);
constexpr uint32_t kStreamEnd = isa::Control::StreamEnd::kMask;
constexpr uint32_t kNone = 31;
constexpr double kLanes = isa::kFull.lanes;
constexpr double kFunctionRate = 2;  // elements a cycle of the non-linear functions
constexpr uint32_t kStochastic = isa::TensorCtl::Stochastic::put(1);

// DeviceFault, naming the first element that differs.
inline void check(const std::string& what, const Vec& got, const Vec& want) {
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
  Rng& rng() { return rng_; }

 private:
  Rng rng_;
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

class TileRows {
 public:
  TileRows(TileBench& bench, std::vector<TileFigure>& out)
      : bench_(bench), options_(bench.options_), out_(out), data_(bench.options_.seed) {}

  // The measurements, each with the rows that it gives. One gives cycles alone.
  struct Measurement {
    std::vector<std::string> rows;
    void (TileRows::*measure)();
  };
  static const std::vector<Measurement>& table();

  void axpy();
  void dot();
  void gemv();
  void gemm();
  void wide_and_bytes();
  void streams();
  void short_streams();
  void sparse_activations();
  void sparse_matrices();
  void sparse_send();
  void instruction_latency();
  void task_latency();
  void neighbour_latency();
  void thread_costs();
  void functions();
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
  uint64_t spmv_matrix(const std::string& name, const CsrMatrix& matrix, Type type, size_t* padding,
                       size_t* parts, Counters* counters);
  void stochastic(Type to);
  void triggered_dots(Type type);
  void one_operation(Op op, Type type, Type to, bool scalar);

  TileBench& bench_;
  const TileBenchOptions& options_;
  std::vector<TileFigure>& out_;
  Data data_;
  std::unique_ptr<TileRunner> tile_;
};

}  // namespace ow::bench

#endif  // OW_MEASURE_SRC_TILE_MEASURE_H_
