// SPDX-License-Identifier: Apache-2.0
// `ow bench code`: bytes of SRAM that the tiles' programs take, code and data.
#include <filesystem>
#include <string>

#include "ow/bench/benches.h"
#include "ow/isa/isa.h"
#include "ow/runtime/elf.h"

namespace ow::bench {

void measure_code(Rows* rows, const std::string& firmware) {
  for (const std::string program : {"stream_layer", "train", "selftest"}) {
    const std::string name = "code." + program;
    if (!rows->wants(name)) continue;
    const ElfImage image = read_elf(firmware + "/" + program + ".elf", isa::kFull.sram_bytes);
    size_t loaded = 0, memory = 0;
    for (const ElfSegment& segment : image.segments) {
      loaded += segment.bytes.size();
      memory += segment.mem_bytes;
    }
    rows->add(name, static_cast<double>(loaded), {{"loaded", loaded}, {"memory", memory}});
  }
}

}  // namespace ow::bench
