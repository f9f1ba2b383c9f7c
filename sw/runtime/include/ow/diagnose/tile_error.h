// SPDX-License-Identifier: Apache-2.0
// Why a tile stopped: the ERROR registers (docs/memory-map.md), in words.
#ifndef OW_TILE_ERROR_H_
#define OW_TILE_ERROR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/device/control_plane.h"
#include "ow/isa/isa.h"
#include "ow/runtime/elf.h"

namespace ow {

using isa::ErrorSource;

// Causes of the engine, the reducer and the ramp. Causes of the core are mcause.
enum EngineCause {
  kEngineIllegal = static_cast<int>(isa::EngineCause::Illegal),
  kEngineDescriptor = static_cast<int>(isa::EngineCause::Descriptor),
  kEngineAddress = static_cast<int>(isa::EngineCause::Address)
};
enum ReducerCause {
  kReducerRegisters = static_cast<int>(isa::ReducerCause::Registers),
  kReducerStore = static_cast<int>(isa::ReducerCause::Store),
  kReducerBias = static_cast<int>(isa::ReducerCause::Bias),
  kReducerBusy = static_cast<int>(isa::ReducerCause::Busy)
};
enum RampCause {
  kRampNoConsumer = static_cast<int>(isa::RampCause::NoConsumer),
  kRampOverrun = static_cast<int>(isa::RampCause::Overrun),
  kRampTwoTakers = static_cast<int>(isa::RampCause::TwoTakers),
  kRampTwoQueues = static_cast<int>(isa::RampCause::TwoQueues)
};

// The first error of a tile.
struct TileError {
  bool stopped = false;
  ErrorSource source = ErrorSource::Core;
  int cause = 0;
  int unit = 0;       // engine: the thread; ramp: the colour or the queue
  uint32_t addr = 0;  // the accessed address; core: mtval
  uint32_t pc = 0;    // of the instruction; ramp: where the core was

  // "store access fault, address 0x40000000; pc 0x1a4 in main+0x10 (main.c:12)". The place in the
  // program needs an image.
  std::string describe(const ElfImage* image = nullptr) const;
};

// A tile that stopped.
struct StoppedTile {
  int row = 0;
  int col = 0;
  TileError error;
};

// "pc 0x1a4 in main+0x10 (main.c:12)"; without an image only the address.
std::string describe_pc(const ElfImage* image, uint32_t pc);

// Names of trap causes (mcause) and of the engine's faults.
const char* trap_name(int cause);
const char* engine_fault_name(int cause);

// Decodes the words of ERROR, ERROR_ADDR and ERROR_PC.
TileError parse_error(uint32_t error, uint32_t addr, uint32_t pc);

TileError read_error(ControlPlane& control, int row, int col);
// The stopped tiles of the rectangle, row by row.
std::vector<StoppedTile> read_errors(ControlPlane& control, const Rect& rect);

// Throws DeviceFault with one line (tile, cause, address, place in the program, number of others)
// if an error has stopped a tile of the rectangle or, with an image, if its stack has overflowed.
void check_errors(ControlPlane& control, const Rect& rect, const ElfImage* image = nullptr);

}  // namespace ow

#endif  // OW_TILE_ERROR_H_
