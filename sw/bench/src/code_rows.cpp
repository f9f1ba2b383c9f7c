// SPDX-License-Identifier: Apache-2.0
// `ow bench code`: bytes of SRAM that the tiles' programs take: code, data and stack.
#include <filesystem>
#include <string>

#include "ow/bench/benches.h"
#include "ow/isa/isa.h"
#include "ow/runtime/elf.h"

namespace ow::bench {

void measure_code(Rows* rows, const std::string& firmware) {
  for (const std::string program : {"forward", "train", "selftest"}) {
    const std::string name = "code." + program;
    if (!rows->wants(name)) continue;
    const ElfImage image = read_elf(firmware + "/" + program + ".elf", isa::kFull.sram_bytes);
    const uint32_t program_bytes = image.symbol("ow_heap");
    const uint32_t stack = image.symbol("ow_stack_top") - image.symbol("ow_heap_end");
    rows->add(name, program_bytes + stack, {{"program", program_bytes}, {"stack", stack}});
  }
}

}  // namespace ow::bench
