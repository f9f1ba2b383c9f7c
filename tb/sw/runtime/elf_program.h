// SPDX-License-Identifier: Apache-2.0
// Images for `ow elf` out of words.
#ifndef OW_TB_SW_RUNTIME_ELF_PROGRAM_H_
#define OW_TB_SW_RUNTIME_ELF_PROGRAM_H_

#include <vector>

#include "ow/runtime/elf.h"

namespace ow {

inline constexpr uint32_t kToHost = 0x400;

inline ElfImage program(const std::vector<uint32_t>& words, uint32_t base = 0) {
  ElfImage image;
  image.path = "test.elf";
  image.entry = base;
  ElfSegment segment;
  segment.addr = base;
  for (uint32_t word : words) {
    for (int i = 0; i < 4; ++i) segment.bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  segment.mem_bytes = static_cast<uint32_t>(segment.bytes.size());
  image.segments.push_back(segment);
  image.symbols["tohost"] = kToHost;
  return image;
}

}  // namespace ow

#endif  // OW_TB_SW_RUNTIME_ELF_PROGRAM_H_
