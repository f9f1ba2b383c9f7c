// SPDX-License-Identifier: Apache-2.0
#include "ow/tile_error.h"

#include <fmt/format.h>

#include "ow/error.h"
#include "ow/tile_map.h"

namespace ow {
namespace {

const char* reducer_fault_name(int cause) {
  switch (cause) {
    case kReducerRegisters:
      return "bad reducer registers";
    case kReducerStore:
      return "the reducer stores outside memory";
    case kReducerBias:
      return "the reducer reads a bias outside memory";
    case kReducerBusy:
      return "a reducer register was written while a drain runs";
    default:
      return "unknown error of the reducer";
  }
}

std::string place(uint32_t pc, const ElfImage* image) {
  if (image == nullptr) return fmt::format("pc 0x{:x}", pc);
  return image->describe(pc);
}

}  // namespace

const char* trap_name(int cause) {
  switch (cause) {
    case 0:
      return "instruction address misaligned";
    case 1:
      return "instruction access fault";
    case 2:
      return "illegal instruction";
    case 3:
      return "breakpoint";
    case 4:
      return "load address misaligned";
    case 5:
      return "load access fault";
    case 6:
      return "store address misaligned";
    case 7:
      return "store access fault";
    case 11:
      return "environment call";
    default:
      return "unknown trap";
  }
}

const char* engine_fault_name(int cause) {
  switch (cause) {
    case kEngineIllegal:
      return "illegal operation or type";
    case kEngineDescriptor:
      return "malformed descriptor";
    case kEngineAddress:
      return "address outside memory";
    default:
      return "unknown engine fault";
  }
}

std::string TileError::describe(const ElfImage* image) const {
  switch (source) {
    case ErrorSource::Core: {
      std::string s = trap_name(cause);
      if (cause == 2) {
        s += fmt::format(" 0x{:08x}", addr);
      } else if (cause != 3 && cause != 11) {
        s += fmt::format(", address 0x{:x}", addr);
      }
      return s + "; " + place(pc, image);
    }
    case ErrorSource::Engine: {
      std::string s =
          fmt::format("tensor instruction of thread {}: {}", unit, engine_fault_name(cause));
      if (cause == kEngineAddress) s += fmt::format(", address 0x{:x}", addr);
      return s + "; " + place(pc, image);
    }
    case ErrorSource::Reducer: {
      std::string s = reducer_fault_name(cause);
      if (cause == kReducerStore || cause == kReducerBias)
        s += fmt::format(", address 0x{:x}", addr);
      return s + "; drain at " + place(pc, image);
    }
    case ErrorSource::Ramp:
      break;
  }
  std::string s;
  switch (cause) {
    case kRampNoConsumer:
      s = fmt::format("a wavelet of colour {} came in, to which no input queue is bound", unit);
      break;
    case kRampOverrun:
      s = fmt::format("output queue {} was pushed into while it was full or by two at once", unit);
      break;
    case kRampTwoTakers:
      s = fmt::format("input queue {} was read by two at once", unit);
      break;
    default:
      s = "unknown error of the ramp";
      break;
  }
  return s + "; core at " + place(pc, image);
}

TileError parse_error(uint32_t error, uint32_t addr, uint32_t pc) {
  TileError e;
  e.stopped = error >> 31 != 0;
  e.source = static_cast<ErrorSource>(error >> 16 & 3);
  e.unit = static_cast<int>(error >> 8 & 31);
  e.cause = static_cast<int>(error & 31);
  e.addr = addr;
  e.pc = pc;
  return e;
}

TileError read_error(ControlPlane& control, int row, int col) {
  const std::vector<uint32_t> w = control.read_tile(row, col, kRegError, 3);
  return parse_error(w[0], w[1], w[2]);
}

std::vector<StoppedTile> read_errors(ControlPlane& control, const Rect& rect) {
  const std::vector<std::vector<uint32_t>> words = control.read_rect(rect, kRegError, 3);
  std::vector<StoppedTile> stopped;
  for (size_t i = 0; i < words.size(); ++i) {
    const TileError error = parse_error(words[i][0], words[i][1], words[i][2]);
    if (!error.stopped) continue;
    const int n = static_cast<int>(i);
    stopped.push_back({rect.row + n / rect.cols, rect.col + n % rect.cols, error});
  }
  return stopped;
}

void check_errors(ControlPlane& control, const Rect& rect, const ElfImage* image) {
  const std::vector<StoppedTile> stopped = read_errors(control, rect);
  if (stopped.empty()) return;
  const StoppedTile& first = stopped.front();
  std::string text =
      fmt::format("tile ({}, {}) stopped: {}", first.row, first.col, first.error.describe(image));
  if (stopped.size() == 2) text += " (and another tile)";
  if (stopped.size() > 2) text += fmt::format(" (and {} other tiles)", stopped.size() - 1);
  throw DeviceFault(text);
}

}  // namespace ow
