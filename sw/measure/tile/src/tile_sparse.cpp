// SPDX-License-Identifier: Apache-2.0
// Streams of weights, sparse activations, sparse results.
#include "tile_measure.h"

namespace ow::bench {

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
    call.stream.push_back(
        {TileRunner::kColourIn, true,
         isa::Control::RowEnd::put(1) | isa::Control::StreamEnd::put(j + 1 == outputs)});
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

void TileRows::streams() {
  for (const int percent : {100, 50, 20, 10, 5, 1}) {
    size_t weights = 0;
    const CallResult r = streamed(256, 32, 64, percent / 100.0, options_.seed + 600, &weights);
    const double beats = static_cast<double>(weights) * 32 / kLanes;
    timing(fmt::format("spmm 256x32x64 at {} %", percent), weights * 32, r.cycles, beats);
    figure(fmt::format("tile.streamed_{}", percent), 100.0 * beats / static_cast<double>(r.cycles),
           {{"cycles", static_cast<double>(r.cycles)},
            {"weights", static_cast<double>(weights)},
            {"beats", static_cast<double>(r.counters[kCtrBeats])},
            {"stall_input", static_cast<double>(r.counters[kCtrStallInput])},
            {"stall_row", static_cast<double>(r.counters[kCtrStallRow])},
            {"stall_memory", static_cast<double>(r.counters[kCtrStallMemory])}});
  }
}

void TileRows::short_streams() {
  for (const size_t samples : {size_t{16}, size_t{8}}) {
    for (const int percent : {100, 20, 5}) {
      size_t weights = 0;
      const CallResult r =
          streamed(256, samples, 64, percent / 100.0, options_.seed + 700, &weights);
      const double beats = static_cast<double>(weights * samples) / kLanes;
      timing(fmt::format("spmm 256x{}x64 at {} %", samples, percent), weights * samples, r.cycles,
             beats);
      // The engine's beats with a start, or the reducer's elements, whichever take longer.
      constexpr double kRows = 64, kStart = 128;
      const double model =
          std::max(beats + kRows + kStart, kRows * static_cast<double>(samples) / 2);
      figure(fmt::format("tile.streamed_{}_samples_{}", samples, percent),
             static_cast<double>(r.cycles) / model,
             {{"cycles", static_cast<double>(r.cycles)},
              {"utilisation", 100.0 * beats / static_cast<double>(r.cycles)},
              {"weights", static_cast<double>(weights)},
              {"cycles_a_weight", static_cast<double>(r.cycles) / static_cast<double>(weights)}});
    }
  }
}

void TileRows::sparse_activations() {
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
    call.stream.push_back({TileRunner::kColourIn, true, kStreamEnd});
    return tile().call(call);
  };
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
    check("activation-sparse gemv, dense run", dense_y, golden::gemv_t(Type::Mixed, kN, w, x));
    check("activation-sparse gemv", sparse_y, dense_y);
    const double d = static_cast<double>(active) / kN;
    const double speed_up = static_cast<double>(dense.cycles) / static_cast<double>(sparse.cycles);
    timing(fmt::format("activation-sparse gemv 128x128 at {} %", percent), active * kN,
           sparse.cycles, active * kN / kLanes);
    figure(fmt::format("tile.sparse_gemv_{}", percent), speed_up * d,
           {{"dense_cycles", static_cast<double>(dense.cycles)},
            {"sparse_cycles", static_cast<double>(sparse.cycles)},
            {"active", static_cast<double>(active)},
            {"speed_up", speed_up}});
  }
}

void TileRows::sparse_send() {
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
  const std::vector<Arrival> got =
      tile().device().take_arrivals(Side::East, 0, TileRunner::kColourOut);
  std::vector<Wavelet> want;
  for (uint32_t i = 0; i < kN; ++i) {
    if (x[i] != 0) want.push_back({TileRunner::kColourOut, false, i << 16 | x[i]});
  }
  want.push_back({TileRunner::kColourOut, true, kStreamEnd});
  if (got.size() != want.size()) {
    throw DeviceFault(fmt::format("send: {} wavelets, golden {}", got.size(), want.size()));
  }
  for (size_t k = 0; k < want.size(); ++k) {
    if (got[k].wavelet != want[k]) throw DeviceFault(fmt::format("send: wavelet {} differs", k));
  }
  const double bound = std::max(kN / kLanes, static_cast<double>(nonzeros));
  timing("send non-zeros, 90 % zeros", kN, r.cycles, bound);
  figure("tile.send_nonzeros", static_cast<double>(r.cycles) / bound,
         {{"cycles", static_cast<double>(r.cycles)},
          {"nonzeros", static_cast<double>(nonzeros)},
          {"bound", bound}});
}

}  // namespace ow::bench
