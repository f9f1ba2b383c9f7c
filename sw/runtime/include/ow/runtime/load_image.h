// SPDX-License-Identifier: Apache-2.0
// Writes a program into tiles, with a guard below its stack.
#ifndef OW_RUNTIME_LOAD_IMAGE_H_
#define OW_RUNTIME_LOAD_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "openwafer/grid.h"
#include "ow/device/control_plane.h"
#include "ow/runtime/elf.h"

namespace ow {

// The guard words at the lower end of a program's stack, which show whether the stack overflowed.
struct StackGuard {
  uint32_t addr = 0;
  uint32_t words = 0;
  uint32_t value = 0;  // of each
  uint32_t stack_bytes = 0;
};
// Nothing if the program was not linked with Openwafer's start-up code. BadInput, with the sizes,
// if program and stack do not fit the tile.
std::optional<StackGuard> stack_guard(const ElfImage& image, uint32_t sram_bytes);

// Writes the image, with zeroed memory and the stack's guard, into every tile of the rectangle
// (multicast) and waits until it is there. `verify` reads one tile back and compares. Returns the
// number of words written. BadInput if program and stack do not fit.
size_t load_program(ControlPlane& control, const Rect& rect, const ElfImage& image,
                    bool verify = false);

}  // namespace ow

#endif  // OW_RUNTIME_LOAD_IMAGE_H_
