// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/dot_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/hang_report.h"
#include "ow/diagnose/tile_error.h"
#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"
#include "ow/isa/isa.h"
#include "ow/measure/grid_costs.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/runtime/tile_config.h"

namespace ow::jobs {
namespace {

constexpr uint32_t kSamples = 32, kIndices = 128, kVectors = 24;
constexpr int kWeights = 1;  // colours: the indices, sums by the parity of the column that sends
constexpr int kSums = 2;
constexpr uint64_t kLimit = 200000;

// A tile's matrix and vectors, two elements a word.
struct Operands {
  std::vector<uint32_t> matrix, vectors;

  uint32_t product(uint32_t index, uint32_t vector) const {
    std::vector<uint32_t> x(kSamples), y(kSamples);
    const auto half = [](const std::vector<uint32_t>& words, uint32_t i) {
      return words[i / 2] >> (16 * (i % 2)) & 0xFFFF;
    };
    for (uint32_t s = 0; s < kSamples; ++s) {
      x[s] = half(matrix, index * kSamples + s);
      y[s] = half(vectors, vector * kSamples + s);
    }
    return golden::reduce(golden::Op::Dot, golden::Type::F16, golden::Type::F32, x.data(), y.data(),
                          kSamples);
  }
};

std::vector<uint32_t> random_halves(Rng* rng, size_t words) {
  std::vector<uint32_t> out(words);
  for (uint32_t& word : out) {
    for (const int shift : {0, 16}) {
      const auto value = static_cast<float>(rng->uniform() - 0.5);
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      word |= static_cast<uint32_t>(golden::f32_to_f16(bits)) << shift;
    }
  }
  return out;
}

struct Products {
  std::vector<Wavelet> stream;
  std::vector<std::pair<uint32_t, uint32_t>> of;  // index and vector
};

// Every vector with about three quarters of the indices.
Products draw(Rng* rng) {
  Products products;
  for (uint32_t v = 0; v < kVectors; ++v) {
    for (uint32_t i = 0; i < kIndices; ++i) {
      if (rng->below(4) == 0) continue;
      products.stream.push_back({kWeights, false, i << 16});
      products.of.emplace_back(i, v);
    }
    const uint32_t end = v + 1 == kVectors ? isa::Control::StreamEnd::kMask : 0u;
    products.stream.push_back({kWeights, true, isa::Control::RowEnd::kMask | end});
  }
  return products;
}

// Gives each tile its operands; the sums of their products, from the east to the west.
std::vector<uint32_t> write_operands(ControlPlane& control, const ow_dr_params& p,
                                     const Products& products, Rng* rng) {
  std::vector<uint32_t> sums(products.of.size());
  const int cols = static_cast<int>(p.cols);
  for (int c = cols; c-- > 0;) {
    Operands own;
    own.matrix = random_halves(rng, kIndices * kSamples / 2);
    own.vectors = random_halves(rng, kVectors * kSamples / 2);
    control.write_tile(0, c, p.x_addr, own.matrix);
    control.write_tile(0, c, p.v_addr, own.vectors);
    for (size_t k = 0; k < sums.size(); ++k) {
      const uint32_t product = own.product(products.of[k].first, products.of[k].second);
      sums[k] = c + 1 == cols ? product : golden::f32_add(product, sums[k]);
    }
  }
  return sums;
}

void connect(ControlPlane& control, int cols) {
  RouteSet routes({1, cols});
  for (int c = 0; c < cols; ++c) {
    const Rect tile{0, c, 1, 1};
    const bool last = c + 1 == cols;
    routes.set(0, c, kWeights, {Port::West, kOutRamp | (last ? 0u : kOutE)});
    bind_inq(control, tile, OW_DR_INQ_INDICES, kWeights);
    if (c > 0) {
      routes.set(0, c, kSums + c % 2, {Port::Ramp, kOutW});
      bind_outq(control, tile, OW_DR_OUTQ_WEST, kSums + c % 2);
    }
    if (!last) {
      routes.set(0, c, kSums + (c + 1) % 2, {Port::East, kOutRamp});
      bind_inq(control, tile, OW_DR_INQ_EAST, kSums + (c + 1) % 2);
    }
  }
  routes.apply(control);
}

}  // namespace

double DotRowsCost::beats_per_cycle() const {
  return static_cast<double>(beats) / static_cast<double>(cycles);
}

DotRowsCost measure_dot_rows(const ElfImage& firmware, int cols, const SimOptions& options) {
  const GridShape shape{1, cols};
  const Rect grid = whole(shape);
  const auto device = make_device(DeviceKind::Replicated, shape, options);
  ControlPlane control(*device);
  load_program(control, grid, firmware);
  set_identity(control, grid);
  connect(control, cols);
  start_cores(control, grid, firmware.entry);
  device->run(kLimit);

  Rng rng(17);
  const Products products = draw(&rng);
  const auto results = static_cast<uint32_t>(products.of.size());
  ow_dr_params p{};
  p.cols = static_cast<uint32_t>(cols);
  p.lanes = static_cast<uint32_t>(read_tile_size(control, 0, 0).lanes);
  p.samples = kSamples;
  p.indices = kIndices;
  p.vectors = kVectors;
  p.results = results;
  p.x_addr = (firmware.symbol("ow_heap") + 63) / 64 * 64;
  p.v_addr = p.x_addr + kIndices * kSamples * 2;
  p.sum_addr = p.v_addr + kVectors * kSamples * 2;
  const std::vector<uint32_t> want = write_operands(control, p, products, &rng);
  std::vector<uint32_t> words(sizeof p / 4);
  std::memcpy(words.data(), &p, sizeof p);
  control.write(grid, firmware.symbol("ow_dr_params"), words);
  control.write(grid, kRegTaskActivate, 1u << OW_DR_TASK_LAUNCH);
  device->send(Side::West, 0, products.stream);
  const RunStatus status = device->run(kLimit);
  check_errors(control, grid, &firmware);
  if (status != RunStatus::Quiet) {
    throw DeviceFault(
        fmt::format("rows of dotw: not at rest\n{}", make_hang_report(control, &firmware).text()));
  }
  DotRowsCost cost;
  cost.cols = cols;
  cost.results = results;
  cost.beats = uint64_t{results} * kSamples / p.lanes;
  for (const auto& times : control.read_rect(grid, firmware.symbol("ow_dr_times"), 2)) {
    cost.cycles = std::max<uint64_t>(cost.cycles, times[1] - times[0]);
  }
  const std::vector<uint32_t> got = control.read_tile(0, 0, p.sum_addr, results);
  for (uint32_t k = 0; k < results; ++k) cost.wrong += got[k] != want[k] ? 1 : 0;
  return cost;
}

}  // namespace ow::jobs
