// SPDX-License-Identifier: Apache-2.0
// Host program of the switches example: a row of tiles takes turns on one colour. Exit status 0 if
// every word arrives, the easternmost tile's first.
#include <cstdio>

#include "../example.h"

int main() {
  return ow::example::run([] {
    constexpr int kColumns = 4;
    constexpr int kColour = 3;
    ow::example::Row row(kColumns, OW_KERNEL_DIR "/switches.elf");

    ow::Switch turns;
    turns.positions = {{ow::Port::Ramp, ow::kOutE}, {ow::Port::West, ow::kOutE}};
    ow::RouteSet routes(row.device->shape());
    // The first tile has nobody behind it: it only sends.
    routes.set(0, 0, kColour, {ow::Port::Ramp, ow::kOutE});
    for (int c = 1; c < kColumns; ++c) routes.set(0, c, kColour, turns);
    routes.listen(ow::Side::East, 0, kColour);
    routes.apply(row.control);
    ow::bind_outq(row.control, row.tiles, 0, kColour);
    row.start();

    const uint32_t n = row.image.exported("value").elements();
    for (int c = 0; c < kColumns; ++c) {
      std::vector<uint32_t> words(n);
      for (uint32_t i = 0; i < n; ++i) words[i] = 100 * static_cast<uint32_t>(c) + i;
      row.write(c, "value", words);
    }
    row.launch("gather");
    row.wait();

    int wrong = 0;
    const auto got = row.device->take(ow::Side::East, 0, kColour);
    if (got.size() != kColumns * (n + 1)) return 1;
    for (size_t k = 0; k < got.size(); ++k) {
      const uint32_t tile = kColumns - 1 - static_cast<uint32_t>(k / (n + 1));
      const uint32_t i = static_cast<uint32_t>(k % (n + 1));
      const ow::Wavelet& w = got[k].wavelet;
      wrong += i == n ? !w.ctrl : w.ctrl || w.data != 100 * tile + i;
    }
    std::printf("switches: %d tiles took turns, %zu wavelets, %d wrong\n", kColumns, got.size(),
                wrong);
    return wrong;
  });
}
