// SPDX-License-Identifier: Apache-2.0
// Sends numbers, and control wavelets with orders. The tile answers, and prints orders that it does
// not know.
#include <cstdio>

#include "openwafer/openwafer.h"
#include "openwafer/tile/wavelet.h"

int main(int argc, char** argv) try {
  constexpr uint32_t kReport = 1, kClear = 2, kUnknown = 9;
  const auto number = [](uint32_t value) { return ow::Word{value}; };
  const auto order = [](uint32_t identity) { return ow::Word{OW_IDENTITY(identity), true}; };
  const std::vector<ow::Word> words = {number(3),     number(4),      order(kReport),
                                       number(5),     order(kReport), order(kUnknown),
                                       order(kClear), number(1),      order(kReport)};
  ow::Layout layout({1, 1});
  layout.enter("number", ow::Side::West, 0, 0);
  layout.leave("answer", 0, 0, ow::Side::East);

  ow::Runtime machine = ow::open(argc > 1 ? argv[1] : "sim:1x1");
  ow::Run run = machine.load(ow::Program(OW_KERNEL_DIR "/control_tasks.elf", layout));
  run.produce("number", 0, [words, i = size_t{0}]() mutable -> std::optional<ow::Word> {
    if (i == words.size()) return std::nullopt;
    return words[i++];
  });
  const std::vector<uint32_t> got = run.receive<uint32_t>("answer", 3);
  run.wait();

  int wrong = got != std::vector<uint32_t>{7, 12, 1};
  const std::vector<ow::Print> prints = run.prints();
  for (const ow::Print& print : prints) std::printf("%s\n", print.line().c_str());
  wrong += prints.size() != 1 || prints[0].text != "unknown order 9 after 3 numbers";
  std::printf("control_tasks: %zu answers, %d wrong\n", got.size(), wrong);
  return wrong == 0 ? 0 : 1;
} catch (const ow::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_status();
}
