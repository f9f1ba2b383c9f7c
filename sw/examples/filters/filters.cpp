// SPDX-License-Identifier: Apache-2.0
// Host program of the filters example: one stream, of which each tile of a row takes its own range.
// Exit status 0 if every tile has exactly that.
#include <cstdio>

#include "../example.h"

int main() {
  return ow::example::run([] {
    constexpr int kColumns = 4;
    constexpr int kColour = 5;
    ow::example::Row row(kColumns, OW_KERNEL_DIR "/filters.elf");
    const uint32_t n = row.image.exported("part").elements();
    const uint32_t share = n / kColumns;

    // Every tile takes the stream from the west and passes it on; the last one only takes it.
    ow::RouteSet routes(row.device->shape());
    for (int c = 0; c < kColumns; ++c) {
      const uint32_t east = c + 1 < kColumns ? ow::kOutE : 0;
      routes.set(0, c, kColour, {ow::Port::West, ow::kOutRamp | east});
      ow::Filter mine;
      mine.colour = kColour;
      mine.kind = ow::Filter::Kind::Range;
      mine.low = static_cast<uint32_t>(c) * share;
      mine.high = mine.low + share - 1;
      ow::set_filter(row.control, {0, c, 1, 1}, 0, mine);
    }
    routes.apply(row.control);
    ow::bind_inq(row.control, row.tiles, 0, kColour);
    row.start();
    row.launch("receive");

    std::vector<ow::Wavelet> stream;
    for (uint32_t k = 0; k < n; ++k) {
      const uint32_t index = k * 37 % n;  // in any order
      stream.push_back({kColour, false, index << 16 | (1000 + index)});
    }
    stream.push_back({kColour, true, OW_STREAM_END});
    row.device->send(ow::Side::West, 0, stream);
    row.wait();

    int wrong = 0;
    for (int c = 0; c < kColumns; ++c) {
      const std::vector<uint32_t> words = row.read(c, "part");
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t got = words[i / 2] >> (16 * (i % 2)) & 0xFFFF;
        const bool own = i / share == static_cast<uint32_t>(c);
        wrong += got != (own ? 1000 + i : 0);
      }
      wrong += row.read(c, "done")[0] != 1;
    }
    std::printf("filters: %u elements dealt out to %d tiles, %d wrong\n", n, kColumns, wrong);
    return wrong;
  });
}
