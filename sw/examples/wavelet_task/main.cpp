// SPDX-License-Identifier: Apache-2.0
// A histogram: values stream into two tiles, which count them.
#include <cstdio>

#include "openwafer/openwafer.h"

int main(int argc, char** argv) try {
  constexpr uint32_t kTiles = 2, kBins = 16, kEach = 1000;
  ow::Layout layout({kTiles, 1});
  layout.broadcast("value", ow::Side::West);

  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:2x1");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/wavelet_task.elf", layout));
  for (uint32_t tile = 0; tile < kTiles; ++tile) {
    // Makes a value when the port has room.
    run.produce("value", tile, [tile, i = uint32_t{0}]() mutable -> std::optional<ow::Word> {
      if (i == kEach) return std::nullopt;
      return ow::Word{tile * kEach + i++};
    });
  }
  run.wait();

  std::vector<uint32_t> sum(kBins, 0);
  const std::vector<uint32_t> bins = run.read<uint32_t>("bins");  // tile after tile
  for (size_t i = 0; i < bins.size(); ++i) sum[i % kBins] += bins[i];
  int wrong = 0;
  for (uint32_t bin = 0; bin < kBins; ++bin) wrong += sum[bin] != kTiles * kEach / kBins;
  std::printf("wavelet_task: %u values, %d of %u bins wrong\n", kTiles * kEach, wrong, kBins);
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
