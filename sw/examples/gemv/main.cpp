// SPDX-License-Identifier: Apache-2.0
// y = A x on one tile of any machine.
#include <cstdio>

#include "openwafer/openwafer.h"

int main(int argc, char** argv) try {
  constexpr int kRows = 64, kCols = 96;
  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:1x1");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/gemv.elf"), ow::Rect{});

  std::vector<ow::f16> a, x;
  for (int i = 0; i < kRows * kCols; ++i) a.push_back(ow::f16(i % 17 / 16.0 - 0.5));
  for (int i = 0; i < kCols; ++i) x.push_back(ow::f16(i % 5 / 4.0 - 0.5));
  run.write("A", a);
  run.write("x", x);
  run.launch("compute").wait();

  const std::vector<ow::f16> y = run.read<ow::f16>("y");
  int wrong = 0;
  for (int i = 0; i < kRows; ++i) {
    float sum = 0;  // exact: few bits
    for (int k = 0; k < kCols; ++k) sum += a[i * kCols + k] * x[k];
    wrong += y[i] != ow::f16(sum);
  }
  std::printf("gemv: %d rows, %d wrong\n", kRows, wrong);
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
