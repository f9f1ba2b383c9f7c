// SPDX-License-Identifier: Apache-2.0
// One stream passes a row of tiles, and each tile takes its own range of indices.
#include <cstdio>

#include "openwafer/openwafer.h"
#include "openwafer/tile/wavelet.h"

int main(int argc, char** argv) try {
  constexpr uint32_t kTiles = 4, kItems = 64, kShare = kItems / kTiles;
  ow::Layout layout({1, kTiles});
  const int colour = layout.colour("item");
  for (uint32_t c = 0; c < kTiles; ++c) {
    // Every tile takes the stream from the west and passes it on; the last one only takes it.
    const uint32_t east = c + 1 < kTiles ? ow::kOutE : 0;
    layout.route(0, c, colour, ow::Route{ow::Port::West, ow::kOutRamp | east});
    ow::Filter mine;
    mine.colour = colour;
    mine.kind = ow::Filter::Kind::Range;
    mine.low = c * kShare;
    mine.high = mine.low + kShare - 1;
    layout.filter(0, c, mine);
    layout.tile_receives("item", 0, c, colour);
  }
  layout.host_sends("item", ow::Side::West, 0, 0, colour);

  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:1x4");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/filters.elf", layout));
  run.launch("receive");
  run.produce("item", 0, [i = uint32_t{0}]() mutable -> std::optional<ow::Word> {
    if (i > kItems) return std::nullopt;
    if (i++ == kItems) return ow::Word{OW_STREAM_END, true};
    const uint32_t index = (i - 1) * 37 % kItems;  // in any order
    return ow::Word{index << 16 | (1000 + index)};
  });
  run.wait();

  int wrong = 0;
  const std::vector<uint16_t> part = run.read<uint16_t>("part");  // tile after tile
  for (uint32_t i = 0; i < kTiles * kItems; ++i) {
    const uint32_t tile = i / kItems, index = i % kItems;
    wrong += part[i] != (index / kShare == tile ? 1000 + index : 0);
  }
  for (uint32_t done : run.read<uint32_t>("done")) wrong += done != 1;
  std::printf("filters: %u elements dealt out to %u tiles, %d wrong\n", kItems, kTiles, wrong);
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
