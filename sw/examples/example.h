// SPDX-License-Identifier: Apache-2.0
// What the host programs of the examples share: a row of simulated tiles with one program.
#ifndef OW_EXAMPLES_EXAMPLE_H_
#define OW_EXAMPLES_EXAMPLE_H_

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "openwafer/tile/wavelet.h"
#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/diagnose/hang_report.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/program.h"
#include "ow/sim/sim.h"

namespace ow::example {

inline uint32_t bits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  return word;
}

// A row of tiles. The program is loaded; routes, queues and filters come before start().
struct Row {
  Row(int columns, const std::string& elf)
      : device(make_device(DeviceKind::Replicated, {1, columns})),
        control(*device),
        tiles{0, 0, 1, columns},
        image(read_elf(elf, read_config(control, 0, 0).sram_bytes)) {
    load_program(control, tiles, image);
    set_identity(control, tiles);
  }

  void start() { start_cores(control, tiles, image.entry); }
  void launch(const std::string& name) {
    control.write(tiles, kRegTaskActivate, 1u << image.launch(name).task);
    control.fence(tiles);
  }
  // Until nothing moves; throws what went wrong in a tile.
  void wait() {
    if (device->run(100000) != RunStatus::Quiet) {
      throw DeviceFault(make_hang_report(control, &image).text());
    }
    check_errors(control, tiles, &image);
  }
  void write(int column, const std::string& name, const std::vector<uint32_t>& words) {
    const ElfExport& e = image.exported(name);
    if (4 * words.size() != e.bytes()) throw BadInput(name + " is " + e.shape());
    control.write_tile(0, column, e.addr, words);
  }
  std::vector<uint32_t> read(int column, const std::string& name) {
    const ElfExport& e = image.exported(name);
    return control.read_tile(0, column, e.addr, (e.bytes() + 3) / 4);
  }

  std::unique_ptr<Device> device;
  ControlPlane control;
  Rect tiles;
  ElfImage image;
};

// The body of main: 0 if nothing is wrong, 1 if something is, 3 if the device says so.
template <class Body>
int run(Body body) {
  try {
    return body() == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}

}  // namespace ow::example

#endif  // OW_EXAMPLES_EXAMPLE_H_
