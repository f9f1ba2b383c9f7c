// SPDX-License-Identifier: Apache-2.0
// `ow bench library`: copies through ow::Runtime.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "openwafer/openwafer.h"
#include "ow/base/error.h"
#include "ow/bench/benches.h"
#include "ow/runtime/machine.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

std::vector<uint32_t> numbers(size_t n) {
  std::vector<uint32_t> words(n);
  for (size_t i = 0; i < n; ++i) words[i] = static_cast<uint32_t>(i) * 2654435761u;
  return words;
}

// A quarter of the array of each tile, there and back; the slower one.
void part_copy(Rows* rows, const std::string& firmware) {
  constexpr size_t kTiles = 16, kPorts = 16, kFirst = 1000, kWords = 2048;
  Runtime machine = make_runtime(make_device(DeviceKind::Replicated, {4, 4}));
  Run run = machine.load(Program(firmware));
  const Mapping part = Mapping::tiles().slice(0, kFirst, kWords);
  const std::vector<uint32_t> data = numbers(kTiles * kWords);
  const uint64_t begin = machine.cycle();
  run.write("block", data, part);
  const uint64_t middle = machine.cycle();
  const bool same = run.read<uint32_t>("block", part) == data;
  const uint64_t end = machine.cycle();
  if (!same) throw DeviceFault("part copy: other words came back");
  const uint64_t cycles[] = {middle - begin, end - middle};
  rows->cycles("part copy of 2048 words, to 16 tiles", cycles[0]);
  rows->cycles("part copy of 2048 words, back", cycles[1]);
  const auto slower = static_cast<double>(std::max(cycles[0], cycles[1]));
  rows->add("library.part_copy", 100.0 * kTiles * kWords / kPorts / slower,
            {{"words", kWords}, {"cycles", {cycles[0], cycles[1]}}});
}

// One block for all tiles of 8 x 8.
void multicast_write(Rows* rows, const std::string& firmware) {
  constexpr size_t kWords = 4096;
  constexpr uint64_t kDistance = 7 + 7;
  Runtime machine = make_runtime(make_device(DeviceKind::Replicated, {8, 8}));
  Run run = machine.load(Program(firmware));
  const Mapping same = Mapping::same().slice(0, 0, kWords);
  const std::vector<uint32_t> data = numbers(kWords);
  const uint64_t begin = machine.cycle();
  run.write("block", data, same);
  const uint64_t cycles = machine.cycle() - begin;
  for (const Rect& tile : {Rect{0, 0, 1, 1}, Rect{7, 7, 1, 1}}) {
    if (run.on(tile).read<uint32_t>("block", same) != data) {
      throw DeviceFault("multicast write: other words came back");
    }
  }
  rows->cycles("multicast of 4096 words to 64 tiles", cycles);
  rows->add("library.multicast_write", static_cast<double>(cycles - kDistance) / kWords,
            {{"words", kWords}, {"cycles", cycles}, {"distance", kDistance}});
}

}  // namespace

void measure_library(Rows* rows, const std::string& firmware) {
  if (rows->wants("library.part_copy")) part_copy(rows, firmware);
  if (rows->wants("library.multicast_write")) multicast_write(rows, firmware);
}

}  // namespace ow::bench
