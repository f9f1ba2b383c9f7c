// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/load_image.h"

#include <vector>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/runtime/tile_config.h"

namespace ow {
namespace {

std::vector<uint32_t> segment_words(const ElfSegment& segment) {
  std::vector<uint32_t> words((segment.mem_bytes + 3) / 4, 0);
  for (size_t i = 0; i < segment.bytes.size(); ++i) {
    words[i / 4] |= static_cast<uint32_t>(segment.bytes[i]) << (8 * (i % 4));
  }
  return words;
}

}  // namespace

std::optional<StackGuard> stack_guard(const ElfImage& image, uint32_t sram_bytes) {
  const auto value = image.find("OW_STACK_GUARD");
  const auto bytes = image.find("OW_STACK_BYTES");
  const auto guarded = image.find("OW_STACK_GUARD_BYTES");
  const auto heap = image.find("ow_heap");
  if (!value || !bytes || !guarded || !heap) return std::nullopt;
  if (uint64_t{*heap} + *bytes > sram_bytes) {
    throw BadInput(
        fmt::format("{}: {} bytes of program and data and a stack of {} do not fit the tile's {} "
                    "bytes of SRAM",
                    image.path, *heap, *bytes, sram_bytes));
  }
  return StackGuard{sram_bytes - *bytes, *guarded / 4, *value, *bytes};
}

size_t load_program(ControlPlane& control, const Rect& rect, const ElfImage& image, bool verify) {
  size_t total = 0;
  if (const auto guard =
          stack_guard(image, read_tile_size(control, rect.row, rect.col).sram_bytes)) {
    control.write(rect, guard->addr, std::vector<uint32_t>(guard->words, guard->value));
    total += guard->words;
  }
  for (const ElfSegment& segment : image.segments) {
    const std::vector<uint32_t> words = segment_words(segment);
    control.write(rect, segment.addr, words);
    total += words.size();
  }
  control.fence(rect);
  if (verify) {
    for (const ElfSegment& segment : image.segments) {
      const std::vector<uint32_t> words = segment_words(segment);
      const std::vector<uint32_t> got =
          control.read_tile(rect.row, rect.col, segment.addr, words.size());
      for (size_t i = 0; i < words.size(); ++i) {
        if (got[i] != words[i]) {
          throw DeviceFault(fmt::format(
              "tile ({}, {}): 0x{:x} holds 0x{:08x} after loading {}, expected 0x{:08x}", rect.row,
              rect.col, segment.addr + 4 * i, got[i], image.path, words[i]));
        }
      }
    }
  }
  return total;
}

}  // namespace ow
