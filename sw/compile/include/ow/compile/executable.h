// SPDX-License-Identifier: Apache-2.0
// What the tiles of a grid do, ready to be loaded: a program, a list of phases, where the list and
// what goes in and out lie in a tile. Only data; execute.h runs it. ow/firmware/job.h says what a
// phase is to a tile.
#ifndef OW_COMPILE_EXECUTABLE_H_
#define OW_COMPILE_EXECUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "openwafer/grid.h"
#include "ow/compile/plan.h"
#include "ow/graph/training.h"
#include "ow/runtime/elf.h"

namespace ow::jobs {

// A kernel with its parameters.
struct Phase {
  // What it belongs to, for reports of time.
  enum class Part { Forward, Loss, Gradient, Delta, Send };
  Part part = Part::Forward;
  size_t layer = 0;
  const char* kernel = "";                        // ow_phase_<kernel> of the program
  std::vector<std::vector<uint32_t>> parameters;  // words, by grid row
};

struct Executable {
  GridShape grid;
  HalfType type = HalfType::Binary16;
  int lanes = 0;
  int samples = 0;  // a tile
  int ring = 0;     // accumulator rows in use
  Exit exit = Exit::West;
  std::map<std::string, Side> chains;  // flows from tile to tile, besides those of every job
  std::vector<Phase> phases;
  size_t forward = 0;      // phases of a forward pass alone: the first ones
  uint32_t list_addr = 0;  // bytes of the tile's SRAM
  uint32_t ends_addr = 0;
};

// Bytes of the list and of the cycles that the phases leave.
uint32_t list_bytes(const std::vector<Phase>& phases);
uint32_t ends_bytes(const std::vector<Phase>& phases);

bool has_kernel(const ElfImage& program, const std::string& kernel);
// BadInput if the program lacks a kernel.
void check_kernels(const ElfImage& program, const std::vector<Phase>& phases);

class GraphLowering;
// The phases of a lowering whose buffers have places. The list of phases lies at `list_addr`.
Executable executable_of(const GraphLowering& lowering, uint32_t list_addr);

}  // namespace ow::jobs

#endif  // OW_COMPILE_EXECUTABLE_H_
