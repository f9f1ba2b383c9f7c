// SPDX-License-Identifier: Apache-2.0
// Scales a vector on a tile of the machine that is named, else on a simulated one; exit status 0 if
// every element is right.
#include <openwafer/openwafer.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) try {
  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:1x1");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/scale.elf"), ow::Rect{});
  std::vector<float> values(run.read<float>("x").size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7 - 3;
  const float a = 1.1f;
  run.write("x", values);
  run.launch("scale", a).wait();

  int wrong = 0;
  for (const char* name : {"by_core", "by_library"}) {
    const std::vector<float> got = run.read<float>(name);
    for (size_t i = 0; i < values.size(); ++i) wrong += got[i] != a * values[i];
  }
  std::printf("%zu elements, %d wrong\n", values.size(), wrong);
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
