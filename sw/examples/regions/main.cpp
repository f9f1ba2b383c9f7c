// SPDX-License-Identifier: Apache-2.0
// Two layers on two regions of 2 x 2 tiles: what the first gives flows to the second.
#include <cstdio>

#include "openwafer/openwafer.h"

std::vector<float> times(const std::vector<float>& a, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  for (size_t i = 0; i < a.size(); ++i) y[i / x.size()] += a[i] * x[i % x.size()];  // few bits
  return y;
}

int main(int argc, char** argv) try {
  constexpr int kLength = 2 * 16;
  ow::Layout layout({4, 4});
  ow::Region first = layout.region("first", {0, 0, 2, 2});
  ow::Region second = layout.region("second", {2, 2, 2, 2});
  first.broadcast("x", ow::Side::North);
  first.chain("sum", ow::Side::East);
  second.chain("sum", ow::Side::East, /*enter=*/false, /*leave=*/true);
  for (int part = 0; part < 2; ++part) layout.flow("x", first.tile(part, 1), second.column(part));

  ow::Program program(layout);
  for (const ow::Region& region : {first, second}) {
    program.add_firmware(region, OW_KERNEL_DIR "/regions.elf");
  }
  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:4x4");
  ow::Run run = machine.load(program);

  std::vector<float> a, b, x;
  for (int i = 0; i < kLength * kLength; ++i) a.push_back(i % 7 - 3), b.push_back(i % 5 - 2);
  for (int i = 0; i < kLength; ++i) x.push_back(i % 3 - 1);
  run.on(first).write("A", a, ow::Mapping::blocks());
  run.on(second).write("A", b, ow::Mapping::blocks());
  run.send("first.x", x);
  run.launch("layer").wait();
  const bool right = run.receive<float>("second.sum", kLength / 2) == times(b, times(a, x));
  std::printf("regions: %s, %d colours\n", right ? "right" : "wrong", run.colours());
  return right ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
