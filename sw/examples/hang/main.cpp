// SPDX-License-Identifier: Apache-2.0
// A program that hangs (12 words for a tile that needs 16), and one that runs forever.
#include <cstdio>
#include <string>

#include "openwafer/openwafer.h"

int main(int argc, char** argv) try {
  ow::Layout layout({1, 2});
  layout.broadcast("x", ow::Side::West);
  ow::Runtime machine = ow::open(argc > 2 ? argv[2] : "sim:1x2");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/hang.elf", layout));
  if (argc > 1 && std::string(argv[1]) == "spin") {
    run.launch("spin").wait(10000);  // cycles
  } else {
    run.send("x", std::vector<float>(12, 1.0f));
    run.launch("take").wait();
  }
  return 0;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
