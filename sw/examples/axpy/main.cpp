// SPDX-License-Identifier: Apache-2.0
// y = a x + y on two tiles, one above the other: x streams in from the west, y streams out to the
// east. docs/programming.md walks through it.
#include <cstdio>

#include "openwafer/openwafer.h"

int main(int argc, char** argv) try {
  constexpr int kTiles = 2, kLength = 512, kMax = 2048;
  ow::Layout layout({kTiles, 1});
  layout.broadcast("x", ow::Side::West);
  layout.gather("sum", ow::Side::East);
  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:2x1");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/axpy.elf", layout));

  const ow::f16 a(1.5);
  std::vector<ow::f16> x, y(kTiles * kMax);  // [tile][element]
  for (int i = 0; i < kTiles * kLength; ++i) x.push_back(ow::f16((i % 64 - 32) / 4.0));
  for (int i = 0; i < kTiles * kMax; ++i) y[i] = ow::f16(i % 128 / 16.0);
  run.write("y", y);
  run.profile();
  run.send("x", x);  // a half to each row
  run.launch("axpy", kLength, a).wait();
  const ow::Profile profile = run.profile();

  const std::vector<ow::f16> out = run.receive<ow::f16>("sum", kLength);
  int wrong = 0;
  for (int row = 0; row < kTiles; ++row) {
    for (int i = row * kLength; i < (row + 1) * kLength; ++i) {
      // Exact in binary32, so that it is rounded once.
      wrong += out[i] != ow::f16(a * x[i] + y[row * (kMax - kLength) + i]);
    }
  }
  std::printf("axpy: %d elements on each of %d tiles, %d wrong, %llu beats\n", kLength, kTiles,
              wrong, static_cast<unsigned long long>(profile.total.beats));
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
