// SPDX-License-Identifier: Apache-2.0
// Copies of parts of arrays, and of what all tiles get.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "draws.h"
#include "messages.h"
#include "openwafer/openwafer.h"
#include "programs.h"
#include "seed.h"

namespace ow {
namespace {

const std::string kElf = OW_KERNEL_DIR "/library_kernel.elf";
const std::string kBulk = OW_KERNEL_DIR "/bulk_kernel.elf";
constexpr Distribution kBlock = Distribution::Block, kCyclic = Distribution::Cyclic;

// A cache of keys [feature][position]: one position of all features, which are halves of words.
TEST(PartCopies, TouchOnlyTheirElements) {
  Runtime machine = open("sim:1x2");
  ow::Run run = machine.load(Program(kElf));
  std::vector<f16> all;
  for (int i = 0; i < 2 * 24; ++i) all.push_back(f16(i));
  run.write("matrix", all);
  const Mapping position = Mapping::tiles().slice(1, 3, 1);
  std::vector<f16> want;
  for (int i = 0; i < 8; ++i) want.push_back(f16(6 * i + 3));
  EXPECT_EQ(run.read<f16>("matrix", position), want);
  for (size_t i = 0; i < 8; ++i) all[6 * i + 3] = want[i] = f16(100 + static_cast<int>(i));
  run.write("matrix", want, position);
  EXPECT_EQ(run.read<f16>("matrix", position), want);
  EXPECT_EQ(run.read<f16>("matrix"), all);
  // Rows of a matrix that is spread over the tiles: those that have none of them are left alone.
  const Mapping row = Mapping::blocks().slice(0, 2, 1);
  std::vector<f16> line(12, f16(-1));
  run.write("matrix", line, row);
  EXPECT_EQ(run.read<f16>("matrix", row), line);
  for (size_t t = 0; t < 2; ++t) std::fill_n(all.begin() + 24 * t + 12, 6, f16(-1));
  EXPECT_EQ(run.read<f16>("matrix"), all);
}

// Any mapping with any slices, against what it means element by element.
template <typename T>
void try_parts(ow::Run* run, const std::string& name, const std::vector<size_t>& dims,
               GridShape grid, std::mt19937_64* random) {
  const auto below = [&](size_t n) { return static_cast<size_t>((*random)() % n); };
  const auto any = [&] { return below(2) == 0 ? kBlock : kCyclic; };
  const size_t n = dims.size(), tiles = static_cast<size_t>(grid.rows * grid.cols);
  size_t tile_size = 1;
  for (const size_t d : dims) tile_size *= d;
  std::vector<T> now(tiles * tile_size);
  for (T& x : now) x = T(static_cast<int>(below(100)));
  run->write(name, now);

  const auto dim = [&] { return static_cast<int>(below(n + 1)) - 1; };
  Mapping m = below(3) == 0 ? Mapping::tiles() : Mapping::grid(dim(), any(), dim(), any());
  if (m.row_dim == m.col_dim) m.by_col = m.by_row;
  std::vector<size_t> host, first(n, 0), count;
  for (size_t d = 0; d < n; ++d) {
    const auto at = static_cast<int>(d);
    host.push_back(dims[d] * static_cast<size_t>((at == m.row_dim ? grid.rows : 1) *
                                                 (at == m.col_dim ? grid.cols : 1)));
  }
  if (below(2) == 0) {
    for (size_t& h : host) h = 1 + below(h);
    m = m.with_shape(host);
  }
  count = host;
  const bool sliced = below(4) != 0;
  for (size_t d = 0; sliced && d < n; ++d) {
    if (below(3) == 0 && d + 1 < n) continue;
    first[d] = below(host[d]);
    count[d] = 1 + below(host[d] - first[d]);
    m = m.slice(static_cast<int>(d), first[d], count[d]);
  }
  const bool zeroes = m.slices.empty();
  size_t size = 1;
  for (const size_t c : count) size *= c;
  std::vector<T> data(m.each ? tiles * size : size);
  for (T& x : data) x = T(static_cast<int>(100 + below(100)));
  for (size_t t = 0; t < tiles; ++t) {
    const size_t r = t / static_cast<size_t>(grid.cols), c = t % static_cast<size_t>(grid.cols);
    for (size_t e = 0; e < tile_size; ++e) {
      size_t at = m.each ? t : 0, rest = e;
      std::vector<size_t> index(n);
      for (size_t d = n; d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
      bool there = true, wanted = true;
      for (size_t d = 0; d < n; ++d) {
        const bool by_row = static_cast<int>(d) == m.row_dim,
                   by_col = static_cast<int>(d) == m.col_dim;
        const size_t rows = by_row ? static_cast<size_t>(grid.rows) : 1;
        const size_t cols = by_col ? static_cast<size_t>(grid.cols) : 1;
        const size_t tile = (by_row ? r : 0) * cols + (by_col ? c : 0);
        const bool cyclic = (by_row ? m.by_row : by_col ? m.by_col : kBlock) == kCyclic;
        const size_t h = cyclic ? index[d] * rows * cols + tile : tile * dims[d] + index[d];
        there = there && h < host[d];
        wanted = wanted && h >= first[d] && h < first[d] + count[d];
        at = at * count[d] + h - first[d];
      }
      if (there && wanted) now[t * tile_size + e] = data[at];
      if (!there && zeroes) now[t * tile_size + e] = T(0);
    }
  }
  run->write(name, data, m);
  ASSERT_EQ(run->read<T>(name), now);
  ASSERT_EQ(run->read<T>(name, m), data);
}

TEST(PartCopies, AreWhatTheirMappingsMean) {
  const uint64_t seed = test_seed(1);
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const GridShape grid{2, 3};
  Runtime machine = open("sim:2x3");
  ow::Run run = machine.load(Program(kElf));
  for (int k = 0; k < draws(200) && !testing::Test::HasFailure(); ++k) {
    try_parts<f16>(&run, "matrix", {4, 6}, grid, &random);
    try_parts<uint8_t>(&run, "bytes", {5}, grid, &random);
    try_parts<int32_t>(&run, "vector", {8}, grid, &random);
  }
}

TEST(PartCopies, ThatLeaveTheArrayAreRefused) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf));
  const uint64_t begin = machine.cycle();
  const auto refusal = [&](const Mapping& m) {
    return message([&] { run.write("matrix", std::vector<f16>(6), m); });
  };
  EXPECT_EQ(refusal(Mapping::blocks().slice(0, 5, 4)),
            "matrix f16[4][6]: slice of 4 elements from 5 along dimension 0: 8 long there");
  EXPECT_EQ(refusal(Mapping::same().slice(1, 6, 1)),
            "matrix f16[4][6]: slice of 1 elements from 6 along dimension 1: 6 long there");
  EXPECT_EQ(refusal(Mapping::same().slice(1, 2, ~size_t{0})),
            "matrix f16[4][6]: slice of 18446744073709551615 elements from 2 along dimension 1: 6 "
            "long there");
  EXPECT_EQ(refusal(Mapping::same().slice(0, 1, 0)),
            "matrix f16[4][6]: slice of 0 elements from 1 along dimension 0: 4 long there");
  EXPECT_EQ(refusal(Mapping::blocks().with_shape({7, 12}).slice(0, 7, 1)),
            "matrix f16[4][6]: slice of 1 elements from 7 along dimension 0: 7 long there");
  EXPECT_EQ(refusal(Mapping::tiles().slice(2, 0, 1)),
            "matrix f16[4][6]: a slice names dimension 2 of 2");
  EXPECT_EQ(refusal(Mapping::tiles().slice(1, 0, 2).slice(1, 0, 1)),
            "matrix f16[4][6]: two slices along dimension 1");
  EXPECT_TRUE(
      has(refusal(Mapping::same().slice(0, 0, 2)), "6 elements were given, the mapping wants 12"));
  EXPECT_EQ(machine.cycle(), begin) << "nothing has been sent";
}

// A quarter of each tile's array, which a tile has in one piece.
TEST(PartCopies, InOnePieceRunAtTheRateOfThePorts) {
  Runtime machine = open("sim:4x4");
  ow::Run run = machine.load(Program(kBulk));
  constexpr size_t kFirst = 1000, kCount = 2048, kTiles = 16, kPorts = 16;
  const Mapping part = Mapping::tiles().slice(0, kFirst, kCount);
  const std::vector<uint32_t> data = numbers(kTiles * kCount, 1);
  const uint64_t begin = machine.cycle();
  run.write("bulk", data, part);
  const uint64_t middle = machine.cycle();
  EXPECT_EQ(run.read<uint32_t>("bulk", part), data);
  const uint64_t end = machine.cycle();
  const auto rate = [&](uint64_t cycles) {
    return static_cast<double>(data.size()) / kPorts / static_cast<double>(cycles);
  };
  EXPECT_GE(rate(middle - begin), 0.9);
  EXPECT_GE(rate(end - middle), 0.9);
  std::printf("words a port and cycle: to the tiles %.3f, back %.3f\n", rate(middle - begin),
              rate(end - middle));
}

// One injector sends each word once.
TEST(PartCopies, OfTheSameForAllTilesCostOneTilesWords) {
  Runtime machine = open("sim:8x8");
  ow::Run run = machine.load(Program(kElf));
  const std::vector<uint32_t> data = numbers(2048, 7);
  constexpr double kDistance = 7 + 7;
  const uint64_t begin = machine.cycle();
  run.write("big", data, Mapping::same());
  const double cycles = static_cast<double>(machine.cycle() - begin) - kDistance;
  EXPECT_LE(cycles / static_cast<double>(data.size()), 1.25);
  std::printf("cycles a word: %.3f\n", cycles / static_cast<double>(data.size()));
  const std::vector<uint32_t> back = run.read<uint32_t>("big");
  for (size_t t = 0; t < 64; ++t) {
    ASSERT_TRUE(std::equal(data.begin(), data.end(), back.begin() + static_cast<long>(t * 2048)))
        << "tile " << t;
  }
}

// Firmwares have the array at different addresses, and what shares words with it differs by tile.
TEST(PartCopies, OfTheSameForAllTilesKeepWhatEachTileHasBeside) {
  Runtime machine = open("sim:2x3");
  Program program(Layout({2, 3}));
  program.add_firmware({0, 0, 2, 2}, kElf)
      .add_firmware({0, 2, 2, 1}, OW_KERNEL_DIR "/parameters_kernel.elf");
  ow::Run run = machine.load(program);
  ow::Run left = run.on({0, 0, 2, 2});
  std::vector<uint8_t> bytes = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  left.write("bytes", bytes);
  left.write("bytes", std::vector<uint8_t>{100, 101}, Mapping::same().slice(0, 3, 2));
  for (size_t t = 0; t < 4; ++t) {
    bytes[5 * t + 3] = 100;
    bytes[5 * t + 4] = 101;
  }
  EXPECT_EQ(left.read<uint8_t>("bytes"), bytes);
}

}  // namespace
}  // namespace ow
