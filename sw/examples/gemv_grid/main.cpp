// SPDX-License-Identifier: Apache-2.0
// y = A x on 4 x 4 tiles: A in blocks, x broadcast down the columns, partial sums along the rows.
#include <cstdio>

#include "openwafer/openwafer.h"

int main(int argc, char** argv) try {
  constexpr int kGrid = 4, kRows = kGrid * 16, kCols = kGrid * 24;
  ow::Layout layout({kGrid, kGrid});
  layout.broadcast("x", ow::Side::North);
  layout.chain("sum", ow::Side::East, /*enter=*/false, /*leave=*/true);

  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:4x4");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/gemv_grid.elf", layout));

  std::vector<float> a, x;
  for (int i = 0; i < kRows * kCols; ++i) a.push_back(i % 17 / 16.0f - 0.5f);
  for (int i = 0; i < kCols; ++i) x.push_back(i % 5 / 4.0f - 0.5f);
  run.write("A", a, ow::Mapping::blocks());
  run.profile();
  run.send("x", x);  // a quarter of it down each column
  run.launch("compute").wait();
  const ow::Profile profile = run.profile();

  const std::vector<float> y = run.receive<float>("sum", kRows / kGrid);
  int wrong = 0;
  for (int i = 0; i < kRows; ++i) {
    float sum = 0;  // exact: few bits
    for (int k = 0; k < kCols; ++k) sum += a[i * kCols + k] * x[k];
    wrong += y[i] != sum;
  }
  std::printf("gemv_grid: %d rows, %d wrong, %llu beats on %zu tiles\n", kRows, wrong,
              static_cast<unsigned long long>(profile.total.beats), profile.tiles.size());
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
