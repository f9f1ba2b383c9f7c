// SPDX-License-Identifier: Apache-2.0
// Real sparse matrices.
#include "tile_measure.h"

namespace ow::bench {

uint64_t TileRows::spmv_matrix(const std::string& name, const CsrMatrix& matrix, Type type,
                               size_t* padding, size_t* parts, Counters* counters) {
  const Type element = golden::source_type(type);
  const uint32_t bytes = static_cast<uint32_t>(golden::type_bytes(element));
  Space space(tile());
  const uint32_t xa = space.take(matrix.cols * bytes);
  const uint32_t ma = space.take(0);
  SpmvRoom room;
  room.bytes = tile().heap_end() - ma - 128;
  const SpmvPlan plan =
      pack_spmv(matrix, type == Type::F32 ? ElementType::F32 : ElementType::F16, room);
  Vec x(matrix.cols);
  for (uint32_t& e : x) e = data_.value(element);
  tile().write(xa, element, x);
  uint64_t cycles = 0;
  size_t entries = 0;
  std::vector<double> product(matrix.rows, 0);
  const auto number = [&](uint32_t e) {
    const uint32_t f = element == Type::F32 ? e : golden::convert(element, Type::F32, e);
    float v = 0;
    __builtin_memcpy(&v, &f, sizeof v);
    return static_cast<double>(v);
  };
  for (const SpmvPart& part : plan.parts) {
    const uint32_t ya = (ma + 4 * static_cast<uint32_t>(part.words.size()) + 15) & ~15u;
    tile().write(ma, Type::I32, part.words);
    const CallResult r = run(type == Type::F32 ? OW_TB_SPMV_F32 : OW_TB_SPMV_F16, {ma, xa, ya});
    const Vec y = tile().read(ya, element, part.rows);
    check(fmt::format("spmv {} of {}", golden::type_name(element), name), y, spmv(type, part, x));
    cycles += r.cycles;
    for (size_t k = 0; k < r.counters.size(); ++k) (*counters)[k] += r.counters[k];
    entries += part.entries;
    *padding += part.padding;
    ++*parts;
    for (uint32_t k = 0; k < part.rows; ++k) {
      product[plan.row_order[part.first_row + k]] = number(y[k]);
    }
  }
  // The format holds the whole matrix: against a product in double precision. A value and a sum of
  // binary16 are rounded once each, partial sums of fp32 once an element.
  const double rounding = element == Type::F32 ? 0x1p-23 * matrix.rows : 0x1.8p-11;
  for (uint32_t i = 0; i < matrix.rows; ++i) {
    double sum = 0;
    double size = 0, inputs = 0;
    for (size_t k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
      const uint32_t col = matrix.column[k];
      const double term = matrix.value[k] * plan.scale * number(x[plan.x_position[col]]);
      sum += term;
      size += std::abs(term);
      inputs += std::abs(number(x[plan.x_position[col]]));
    }
    // Below 2^-14 a binary16 number is off by up to 2^-25 whatever its size.
    if (std::abs(sum - product[i]) > rounding * size + 0x1p-24 * (1 + inputs)) {
      throw InternalError(
          fmt::format("{}: row {} is {}, must be about {}", name, i, product[i], sum));
    }
  }
  if (entries != matrix.value.size()) throw InternalError(name + ": entries were lost");
  return cycles;
}

void TileRows::sparse_matrices() {
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
      const CsrMatrix m = read_matrix_market(options_.matrices + "/" + name + ".mtx.gz");
      size_t padding = 0;
      size_t parts = 0;
      Counters counters{};
      const uint64_t cycles = spmv_matrix(name, m, type, &padding, &parts, &counters);
      const double rate = static_cast<double>(m.value.size()) / static_cast<double>(cycles);
      logs += std::log(rate);
      raw[std::string(name) + ".rate"] = rate;
      raw[std::string(name) + ".cycles"] = static_cast<double>(cycles);
      raw[std::string(name) + ".nonzeros"] = static_cast<double>(m.value.size());
      raw[std::string(name) + ".padding"] = static_cast<double>(padding);
      raw[std::string(name) + ".beats"] = static_cast<double>(counters[kCtrBeats]);
      raw[std::string(name) + ".stall_memory"] = static_cast<double>(counters[kCtrStallMemory]);
      raw[std::string(name) + ".no_work"] = static_cast<double>(counters[kCtrNoWork]);
      raw[std::string(name) + ".tiles"] = static_cast<double>(parts);
      timing(fmt::format("spmv {} {}", label, name), m.value.size(), cycles,
             static_cast<double>(m.value.size()) / (type == Type::F32 ? 2 : 8));
    }
    figure(std::string("tile.spmv_") + label, std::exp(logs / 6), raw);
  }
}

}  // namespace ow::bench
