// SPDX-License-Identifier: Apache-2.0
// A stream is stored in a FIFO before its consumer runs.
#include <cstdio>

#include "openwafer/openwafer.h"

int main(int argc, char** argv) try {
  constexpr int kNumbers = 48;
  ow::Layout layout({1, 1});
  layout.enter("late", ow::Side::West, 0, 0);

  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:1x1");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/fifos.elf", layout));
  std::vector<float> x, y, stream, want;
  for (int i = 0; i < kNumbers; ++i) {
    x.push_back(0.5f * i);
    y.push_back(3);
    stream.push_back(i - 8.0f);
    want.push_back(x[i] * stream[i] + y[i]);  // exact
  }
  run.write("x", x);
  run.write("y", y);
  run.launch("fill");
  run.send("late", stream);
  run.wait();
  run.launch("compute").wait();

  const uint32_t waited = run.read<uint32_t>("waiting")[0];
  int wrong = waited != kNumbers;
  const std::vector<float> got = run.read<float>("y");
  for (int i = 0; i < kNumbers; ++i) wrong += got[i] != want[i];
  std::printf("fifos: %u elements waited in the FIFO, %d wrong\n", waited, wrong);
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
