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
#include "ow/compile/placement.h"
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

// Phases that come several times, one turn after another, with parameters that change by the same
// from turn to turn. The list of phases has them once (struct ow_turns).
struct PhaseTurns {
  size_t first = 0;   // phase
  size_t phases = 0;  // of a turn
  size_t times = 1;
  struct Change {
    uint32_t word = 0;               // of the list, from the first phase's on
    std::vector<int32_t> each_turn;  // by grid row
  };
  std::vector<Change> changes;
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
  size_t forward = 0;             // phases of a forward pass alone: the first ones
  std::vector<PhaseTurns> turns;  // in the list; none ends with the forward pass or the last phase
  uint32_t list_addr = 0;         // bytes of the tile's SRAM
  uint32_t ends_addr = 0;
};

// The turns with which the list of these phases is shortest.
std::vector<PhaseTurns> turns_of(const std::vector<Phase>& phases, size_t forward);
// Bytes of the list and of the cycles that the phases leave.
uint32_t list_bytes(const std::vector<Phase>& phases, const std::vector<PhaseTurns>& turns = {});
uint32_t ends_bytes(const std::vector<Phase>& phases, size_t forward = 0);
// Whether a phase leaves the cycle of its end: it is the last one of its part and layer, or of a
// forward pass.
bool leaves_end(const std::vector<Phase>& phases, size_t forward, size_t phase);

// The list of a grid row. `kernels`: the address of each phase's kernel.
std::vector<uint32_t> list_words(const Executable& executable, const std::vector<uint32_t>& kernels,
                                 int row);

bool has_kernel(const ElfImage& program, const std::string& kernel);
// BadInput if the program lacks a kernel.
void check_kernels(const ElfImage& program, const std::vector<Phase>& phases);

class GraphLowering;
// The phases of a lowering whose buffers have places. The list of phases lies at `list_addr`.
Executable executable_of(const GraphLowering& lowering, uint32_t list_addr,
                         std::vector<PhaseTurns> turns = {});

}  // namespace ow::jobs

#endif  // OW_COMPILE_EXECUTABLE_H_
