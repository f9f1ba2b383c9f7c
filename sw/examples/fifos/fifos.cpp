// SPDX-License-Identifier: Apache-2.0
// Host program of the FIFO example: a stream is taken before its consumer runs. Exit status 0 if
// the whole stream was in the FIFO by then and y is right.
#include <cstdio>

#include "../example.h"

int main() {
  return ow::example::run([] {
    constexpr int kColour = 2;
    ow::example::Row row(1, OW_KERNEL_DIR "/fifos.elf");
    ow::RouteSet routes(row.device->shape());
    routes.set(0, 0, kColour, {ow::Port::West, ow::kOutRamp});
    routes.apply(row.control);
    ow::bind_inq(row.control, row.tiles, 0, kColour);
    row.start();

    const uint32_t n = row.image.exported("x").elements();
    std::vector<uint32_t> x, y, want;
    std::vector<ow::Wavelet> stream;
    for (uint32_t i = 0; i < n; ++i) {
      const float number = static_cast<float>(i);
      x.push_back(ow::example::bits(0.5f * number));
      y.push_back(ow::example::bits(3));
      stream.push_back({kColour, false, ow::example::bits(number - 8)});
      want.push_back(ow::example::bits(0.5f * number * (number - 8) + 3));  // exact
    }
    row.write(0, "x", x);
    row.write(0, "y", y);
    row.launch("fill");
    row.device->send(ow::Side::West, 0, stream);
    row.wait();
    row.launch("compute");
    row.wait();

    int wrong = row.read(0, "waiting")[0] != n;
    const std::vector<uint32_t> got = row.read(0, "y");
    for (uint32_t i = 0; i < n; ++i) wrong += got[i] != want[i];
    std::printf("fifos: %u elements waited in the FIFO, %d wrong\n", n, wrong);
    return wrong;
  });
}
