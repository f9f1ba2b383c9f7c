// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/products.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "openwafer/layout.h"
#include "openwafer/program.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/isa/isa.h"
#include "ow/measure/grid_costs.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/machine.h"
#include "ow/tensor/half.h"

namespace ow::jobs {
namespace {

// A tile's memory as it fills up.
class Memory {
 public:
  explicit Memory(uint32_t addr) : addr_(addr) {}
  uint32_t put(const std::vector<uint16_t>& halves) {
    words.resize((words.size() + 3) / 4 * 4);
    const auto at = static_cast<uint32_t>(4 * words.size());
    for (size_t n = 0; n < halves.size(); ++n) {
      if (n % 2 == 0) words.push_back(0);
      words.back() |= static_cast<uint32_t>(halves[n]) << n % 2 * 16;
    }
    return addr_ + at;
  }
  std::vector<uint32_t> words;

 private:
  uint32_t addr_;
};

std::vector<uint16_t> random_halves(size_t count, Rng* rng) {
  std::vector<uint16_t> out;
  for (size_t n = 0; n < count; ++n)
    out.push_back(to_half(HalfType::Binary16, rng->uniform() - 0.5));
  return out;
}

// Matrices [inputs][outputs] of `parts` tiles, added tile after tile from +0 (N116).
std::vector<uint16_t> product(const std::vector<std::vector<uint16_t>>& matrices,
                              const std::vector<std::vector<uint16_t>>& vectors, int outputs) {
  std::vector<uint16_t> out;
  const auto width = static_cast<size_t>(outputs);
  for (size_t o = 0; o < width; ++o) {
    uint32_t sum = 0;
    for (size_t part = 0; part < matrices.size(); ++part) {
      uint32_t own = 0;
      for (size_t i = 0; i < vectors[part].size(); ++i) {
        own = golden::mixed_fma(matrices[part][i * width + o], vectors[part][i], own);
      }
      sum = part == 0 ? own : golden::f32_add(own, sum);
    }
    out.push_back(golden::f32_to_f16(sum));
  }
  return out;
}

ow_gemv gemv_of(uint32_t matrix, int inputs, int outputs, uint32_t y) {
  const auto in = static_cast<uint32_t>(inputs), out = static_cast<uint32_t>(outputs);
  ow_gemv gemv{};
  gemv.matrix = OW_WORDS_INDEXED(OW_F16, matrix, out, in, static_cast<int32_t>(2 * out));
  gemv.sums = OW_WORDS_MEM2(OW_F32, OW_ACC_ADDR(0), out, 4, 1, 4 * static_cast<int32_t>(out));
  gemv.row = OW_RED_ACC_SAMPLES(out) | OW_RED_ACC_RING(1);
  gemv.passes = 1;
  gemv.y = y;
  return gemv;
}

ow_dsr_words of_flow(ow_dsr_words words, ow_region_flow flow) {
  words.address = flow;  // the program puts the queue in
  return words;
}

void append(std::vector<uint32_t>* to, const void* from, size_t bytes) {
  const size_t at = to->size();
  to->resize(at + bytes / 4);
  std::memcpy(&(*to)[at], from, bytes);
}

using Values = std::vector<std::vector<uint16_t>>;  // of tiles, or of rows or columns of them

// What each column has of the first product; if there is a second one, what each row has of it.
Values expected(const Values& x, const Values& first, const Values& second, int tiles) {
  const int outputs = static_cast<int>(x.front().size());
  const auto at = [tiles](int row, int col) { return static_cast<size_t>(row * tiles + col); };
  Values columns;
  for (int c = 0; c < tiles; ++c) {
    Values column;
    for (int r = 0; r < tiles; ++r) column.push_back(first[at(r, c)]);
    columns.push_back(product(column, x, outputs));
  }
  if (second.empty()) return columns;
  Values rows;
  const Values inputs(columns.rbegin(), columns.rend());
  for (int r = 0; r < tiles; ++r) {
    Values row;
    for (int c = tiles; c-- > 0;) row.push_back(second[at(r, c)]);
    rows.push_back(product(row, inputs, outputs));
  }
  return rows;
}

// The flows of a region that products take.
Layout layout_of(GridShape shape) {
  Layout layout(shape);
  Region region = layout.region("tiles", whole(shape));
  region.broadcast_rows("row", 0, true);
  region.broadcast_columns("up", shape.rows - 1, true);
  region.shift("down", Side::South);
  region.shift("left", Side::West);
  return layout;
}

}  // namespace

double ProductCost::lanes() const {
  const double beats = static_cast<double>(size) * size / (tiles * isa::kFull.lanes);
  return beats / static_cast<double>(cycles);
}

ProductCost measure_products(const std::string& elf, int size, int tiles, bool two) {
  const int n = size / tiles;  // inputs and outputs of a tile
  if (size % tiles != 0 || n % 8 != 0 || n > 128) throw InternalError("products of odd sizes");
  const uint32_t base = read_elf(elf, isa::kFull.sram_bytes).exported("memory").addr;
  const size_t each = static_cast<size_t>(n);
  Rng rng(19);
  Values x, first(static_cast<size_t>(tiles) * tiles), second;
  for (int r = 0; r < tiles; ++r) x.push_back(random_halves(each, &rng));
  for (auto& matrix : first) matrix = random_halves(each * each, &rng);
  for (size_t t = 0; two && t < first.size(); ++t)
    second.push_back(random_halves(each * each, &rng));

  std::vector<uint32_t> parameters, memories;
  uint32_t result = 0;
  for (int t = 0; t < tiles * tiles; ++t) {
    Memory memory(base);
    memory.words.resize(OW_PRODUCT_WORDS * sizeof(ow_dsr_words) / 4);  // the table
    const uint32_t vector = memory.put(x[static_cast<size_t>(t / tiles)]);
    const uint32_t middle = memory.put(std::vector<uint16_t>(each));
    result = memory.put(std::vector<uint16_t>(each)) - base;
    ow_region region{};
    region.entries = OW_PRODUCT_WORDS;
    region.rows = region.columns = static_cast<uint32_t>(tiles);
    region.attention =
        gemv_of(memory.put(first[static_cast<size_t>(t)]), n, n, two ? middle : base + result);
    if (two) {
      region.output = gemv_of(memory.put(second[static_cast<size_t>(t)]), n, n, base + result);
    }
    std::vector<ow_dsr_words> table(OW_PRODUCT_WORDS);
    const auto count = static_cast<uint32_t>(n);
    const uint32_t closed = OW_TAGGED | OW_CLOSE(1, 1);
    table[OW_DSR_ROW_IN] = of_flow(OW_WORDS_FABRIC_IN(OW_F16, 0, 0, OW_TAGGED), OW_FLOW_ROW);
    table[OW_DSR_UP_IN] = of_flow(OW_WORDS_FABRIC_IN(OW_F16, 0, 0, OW_TAGGED), OW_FLOW_UP);
    table[OW_PRODUCT_FIRST] = OW_WORDS_MEM1(OW_F16, vector, count, 2);
    table[OW_PRODUCT_FIRST_OUT] =
        of_flow(OW_WORDS_FABRIC_OUT(OW_F16, 0, count, closed), OW_FLOW_ROW);
    table[OW_PRODUCT_SECOND] = OW_WORDS_MEM1(OW_F16, middle, count, 2);
    table[OW_PRODUCT_SECOND_OUT] =
        of_flow(OW_WORDS_FABRIC_OUT(OW_F16, 0, count, closed), OW_FLOW_UP);
    append(&parameters, &region, sizeof region);
    std::memcpy(memory.words.data(), table.data(), table.size() * sizeof table[0]);
    memories.insert(memories.end(), memory.words.begin(), memory.words.end());
  }

  const GridShape shape{tiles, tiles};
  Program program(layout_of(shape));
  program.add_firmware(whole(shape), elf);
  const Mapping mapping = Mapping::tiles();
  program.set_parameter("parameter_words", parameters, mapping);
  const size_t words = memories.size() / first.size();
  program.set_parameter("memory", memories, mapping.slice(0, 0, words));
  Runtime machine = make_runtime(make_device(DeviceKind::Replicated, shape));
  Run run = machine.load(program);
  run.launch("measure").wait();

  ProductCost cost{size, tiles * tiles};
  const std::vector<uint32_t> times = run.read<uint32_t>("times");
  uint32_t begin = UINT32_MAX, end = 0;
  for (int t = 0; t < tiles * tiles; ++t) {
    const size_t at = 2 * static_cast<size_t>(t);
    begin = std::min(begin, times[at]);
    end = std::max(end, times[at + 1]);
  }
  cost.cycles = end - begin;

  const Values want = expected(x, first, second, tiles);
  for (int k = 0; k < tiles; ++k) {
    const Rect tile = two ? Rect{k, 0, 1, 1} : Rect{tiles - 1, k, 1, 1};
    const std::vector<uint32_t> got =
        run.on(tile).read<uint32_t>("memory", Mapping::tiles().slice(0, result / 4, each / 2));
    for (size_t o = 0; o < each; ++o) {
      const uint32_t half = got[o / 2] >> o % 2 * 16 & 0xFFFF;
      cost.wrong += half == want[static_cast<size_t>(k)][o] ? 0 : 1;
    }
  }
  return cost;
}

}  // namespace ow::jobs
