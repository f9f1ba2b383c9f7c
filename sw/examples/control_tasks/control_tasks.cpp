// SPDX-License-Identifier: Apache-2.0
// Host program of the control task example: numbers, and control wavelets that say what to do with
// them. Exit status 0 if the answers are right and the tile complains of the order that it does not
// know.
#include <cstdio>

#include "../example.h"
#include "ow/runtime/prints.h"

int main() {
  return ow::example::run([] {
    constexpr int kIn = 4;
    constexpr int kOut = 5;
    constexpr uint32_t kReport = 1, kClear = 2, kUnknown = 9;
    ow::example::Row row(1, OW_KERNEL_DIR "/control_tasks.elf");
    ow::RouteSet routes(row.device->shape());
    routes.set(0, 0, kIn, {ow::Port::West, ow::kOutRamp});
    routes.set(0, 0, kOut, {ow::Port::Ramp, ow::kOutE});
    routes.listen(ow::Side::East, 0, kOut);
    routes.apply(row.control);
    ow::bind_inq(row.control, row.tiles, 1, kIn);
    ow::bind_outq(row.control, row.tiles, 1, kOut);
    row.start();

    const auto number = [](uint32_t value) { return ow::Wavelet{kIn, false, value}; };
    const auto order = [](uint32_t identity) {
      return ow::Wavelet{kIn, true, OW_IDENTITY(identity)};
    };
    row.device->send(ow::Side::West, 0,
                     {number(3), number(4), order(kReport), number(5), order(kReport),
                      order(kUnknown), order(kClear), number(1), order(kReport)});
    row.wait();

    const auto got = row.device->take(ow::Side::East, 0, kOut);
    const uint32_t want[] = {7, 12, 1};
    int wrong = got.size() != 3;
    for (size_t i = 0; i < got.size() && i < 3; ++i) wrong += got[i].wavelet.data != want[i];
    ow::PrintReader reader(row.control, row.tiles, row.image);
    const std::vector<ow::Print> prints = reader.take();
    for (const ow::Print& print : prints) std::printf("%s\n", print.line().c_str());
    wrong += prints.size() != 1 || prints[0].text != "unknown order 9 after 3 numbers";
    std::printf("control_tasks: %zu answers, %d wrong\n", got.size(), wrong);
    return wrong;
  });
}
