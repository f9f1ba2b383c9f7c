// SPDX-License-Identifier: Apache-2.0
// The tiles of a row take turns on one colour, the easternmost first. Layout::gather of the library
// makes the same routes; here they are written by hand.
#include <cstdio>

#include "openwafer/openwafer.h"

int main(int argc, char** argv) try {
  constexpr int kTiles = 4, kEach = 12;
  ow::Layout layout({1, kTiles});
  const int colour = layout.colour("turn");
  ow::Switch turns;
  turns.positions = {{ow::Port::Ramp, ow::kOutE}, {ow::Port::West, ow::kOutE}};
  // The first tile has no tile after it: it only sends.
  layout.route(0, 0, colour, ow::Route{ow::Port::Ramp, ow::kOutE});
  for (int c = 1; c < kTiles; ++c) layout.route(0, c, colour, turns);
  for (int c = 0; c < kTiles; ++c) layout.tile_sends("turn", 0, c, colour);
  layout.host_receives("turn", 0, kTiles - 1, ow::Side::East, colour);

  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:1x4");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/switches.elf", layout));
  std::vector<int32_t> values;
  for (int i = 0; i < kTiles * kEach; ++i) values.push_back(i / kEach * 100 + i % kEach);
  run.write("value", values);
  run.launch("gather");
  const std::vector<int32_t> got = run.receive<int32_t>("turn", values.size());

  int wrong = 0;
  for (int i = 0; i < kTiles * kEach; ++i) {
    wrong += got[i] != (kTiles - 1 - i / kEach) * 100 + i % kEach;
  }
  std::printf("switches: %d tiles took turns, %zu values, %d wrong\n", kTiles, got.size(), wrong);
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
