// SPDX-License-Identifier: Apache-2.0
// What one instruction of a tile's core did. Both the simulated tile and the model of the
// instruction set report it.
#ifndef OW_BASE_RETIRE_H_
#define OW_BASE_RETIRE_H_

#include <cstdint>

namespace ow {

// One executed instruction: what it changed, or that it trapped. A trap changes nothing.
struct Retire {
  bool trap = false;
  uint32_t pc = 0;
  uint32_t insn = 0;  // 0 if it could not be fetched
  bool rd_we = false;
  uint32_t rd = 0;
  uint32_t rd_data = 0;
  bool mem_we = false;
  uint32_t mem_addr = 0;
  uint32_t mem_wdata = 0;  // as stored, in the low bits
};

}  // namespace ow

#endif  // OW_BASE_RETIRE_H_
