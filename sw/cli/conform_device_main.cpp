// SPDX-License-Identifier: Apache-2.0
// ow-conform-device MACHINE: one of our own machines, behind the line protocol of `ow conform` on
// standard input and output.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ow/base/error.h"
#include "ow/open/machine.h"
#include "parts.h"
#include "simulated_board.h"
#include "training_host.h"

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], "--help") == 0) {
    std::fprintf(argc == 2 ? stdout : stderr,
                 "usage: ow-conform-device sim | sim-mini | mono | fpga-sim | uart:PATH[:BAUD]\n"
                 "Answers the line protocol of `ow conform` (docs/conformance.md).\n");
    return argc == 2 ? 0 : 2;
  }
  try {
    const ow::MachineSpec spec = ow::parse_machine(argv[1], "ow-conform-device");
    ow::MachineOptions options;
    options.simulated_board = ow::cli::start_simulated_board;
    const auto make_grid = [&](ow::GridShape shape) {
      // Machines with few shapes: a smaller one is a corner of it.
      if (spec.kind == ow::MachineKind::Mono) shape.rows = std::max(shape.rows, 2);
      if (spec.kind == ow::MachineKind::Mono || spec.kind == ow::MachineKind::FpgaSim)
        shape.cols = std::max(shape.cols, 2);
      ow::Machine machine(spec, options);
      machine.fit(shape, "the test");
      return machine.device();
    };
    ow::conform::TrainingHost device(make_grid, ow::cli::firmware_dir());
    ow::conform::serve(&device, stdin, stdout);
    return 0;
  } catch (const ow::Error& e) {
    std::fprintf(stderr, "ow-conform-device: %s: %s\n", e.category(), e.what());
    return e.exit_status();
  }
}
