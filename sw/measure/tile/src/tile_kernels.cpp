// SPDX-License-Identifier: Apache-2.0
// Dense kernels.
#include "tile_measure.h"

namespace ow::bench {

void TileRows::axpy() {
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
      check(fmt::format("axpy f16 at x + {} bytes, y + {}", 2 * xo, yo),
            tile().read(ya, Type::F16, kN), want);
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
  figure("tile.axpy_f16", 100.0 * kN / kLanes / static_cast<double>(worst), raw);
}

void TileRows::dot() {
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
    check("dot", tile().read(ra, Type::F32, 1), {golden::dot(type, Type::F32, x, y)});
    timing(fmt::format("dot {} {}", golden::type_name(type), kN), kN, r.cycles, kN / kLanes,
           2 * kN * 2 / 32.0);
    if (type == Type::F16) {
      figure("tile.dot_f16", 100.0 * kN / kLanes / static_cast<double>(r.cycles),
             {{"cycles", static_cast<double>(r.cycles)},
              {"beats", static_cast<double>(r.counters[kCtrBeats])}});
    }
  }
}

void TileRows::gemv() {
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
    check(transposed ? "gemv, transposed" : "gemv", tile().read(ya, Type::F16, kN),
          transposed ? golden::gemv_t(Type::Mixed, kN, a, x) : golden::gemv(Type::F16, kN, a, x));
    const double beats = kN * kN / kLanes;
    timing(transposed ? "gemv_t f16 128x128" : "gemv f16 128x128", kN * kN, r.cycles, beats);
    if (!transposed) {
      figure("tile.gemv_f16", 100.0 * beats / static_cast<double>(r.cycles),
             {{"cycles", static_cast<double>(r.cycles)},
              {"beats", static_cast<double>(r.counters[kCtrBeats])}});
    }
  }
}

void TileRows::gemm() {
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
  check("gemm", tile().read(ca, Type::F16, kN * kN),
        golden::gemm(Type::Mixed, kN, kN, kN, a, b, {}));
  const double beats = kN * kN * kN / kLanes;
  timing("gemm f16 64x64x64", kN * kN * kN, r.cycles, beats);
  figure("tile.gemm_f16", 100.0 * beats / static_cast<double>(r.cycles),
         {{"cycles", static_cast<double>(r.cycles)},
          {"beats", static_cast<double>(r.counters[kCtrBeats])},
          {"stall_memory", static_cast<double>(r.counters[kCtrStallMemory])},
          {"no_work", static_cast<double>(r.counters[kCtrNoWork])}});
}

void TileRows::wide_and_bytes() {
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
    check("axpy f32", tile().read(ya, Type::F32, kN), golden::axpy(Type::F32, a, x, y));
    timing("axpy f32 4096", kN, r.cycles, kN / 2.0);
    figure("tile.axpy_f32", 100.0 * kN / 2 / static_cast<double>(r.cycles),
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
    check("dot i8", tile().read(ra, Type::I32, 1), {golden::dot(Type::I8, Type::I32, x, y)});
    timing("dot i8 16384", kN, r.cycles, kN / 16.0, 2 * kN / 32.0);
    figure("tile.dot_i8", 100.0 * kN / 16 / static_cast<double>(r.cycles),
           {{"cycles", static_cast<double>(r.cycles)},
            {"beats", static_cast<double>(r.counters[kCtrBeats])}});
  }
}

}  // namespace ow::bench
