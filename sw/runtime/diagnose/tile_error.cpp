// SPDX-License-Identifier: Apache-2.0
#include "ow/diagnose/tile_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/tile_config.h"

namespace ow {
namespace {

constexpr int kTrapIllegal = static_cast<int>(isa::Trap::Illegal);

// The description's text for the cause, or `otherwise`.
template <typename Cause>
const char* told(int cause, const char* otherwise) {
  const char* text = isa::about(static_cast<Cause>(cause));
  return text != nullptr ? text : otherwise;
}

const char* reducer_fault_name(int cause) {
  return told<isa::ReducerCause>(cause, "unknown error of the reducer");
}

bool intact(const StackGuard& guard, const std::vector<uint32_t>& words) {
  return std::all_of(words.begin(), words.end(), [&](uint32_t w) { return w == guard.value; });
}

// Whether the tile still holds the program: its code is as it was loaded.
bool holds(ControlPlane& control, int row, int col, const ElfImage& image) {
  return std::all_of(image.code.begin(), image.code.end(), [&](const auto& range) {
    const uint32_t begin = range.first & ~3u;
    const std::vector<uint32_t> words =
        control.read_tile(row, col, begin, (range.second - begin) / 4);
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] != image.loaded_word(begin + 4 * static_cast<uint32_t>(i))) return false;
    }
    return true;
  });
}

// The task of a core that stopped where the program has no instruction. There the pc does not tell
// how the core got there.
std::string lost_in(ControlPlane& control, const StoppedTile& tile, const ElfImage& image) {
  const TileError& e = tile.error;
  if (e.source != ErrorSource::Core || (e.pc != 0 && image.holds(e.pc))) return "";
  using isa::reg::TaskRunning;
  const uint32_t running = control.read_tile(tile.row, tile.col, kRegTaskRunning);
  if (!TaskRunning::Running::get(running)) return ", in no task";
  const uint32_t task = TaskRunning::Task::get(running);
  const uint32_t entry = control.read_tile(tile.row, tile.col, isa::reg::TaskEntry::address(task));
  return fmt::format(", in task {} ({})", task, image.locate(entry));
}

// Throws if a stack of the program has grown over its guard words. Other tiles of the rectangle may
// hold other programs.
void check_stacks(ControlPlane& control, const Rect& rect, const ElfImage& image,
                  const StackGuard& guard) {
  const std::vector<std::vector<uint32_t>> words = control.read_rect(rect, guard.addr, guard.words);
  for (size_t i = 0; i < words.size(); ++i) {
    const int n = static_cast<int>(i);
    const int row = rect.row + n / rect.cols;
    const int col = rect.col + n % rect.cols;
    if (intact(guard, words[i]) || !holds(control, row, col, image)) continue;
    throw DeviceFault(
        fmt::format("tile ({}, {}): the stack has overflowed its {} bytes: what lies below 0x{:x} "
                    "may be overwritten",
                    row, col, guard.stack_bytes, guard.addr));
  }
}

}  // namespace

const char* trap_name(int cause) { return told<isa::Trap>(cause, "unknown trap"); }

const char* engine_fault_name(int cause) {
  return told<isa::EngineCause>(cause, "unknown engine fault");
}

std::string describe_pc(const ElfImage* image, uint32_t pc) {
  return image != nullptr ? image->describe(pc) : fmt::format("pc 0x{:x}", pc);
}

std::string TileError::describe(const ElfImage* image) const {
  switch (source) {
    case ErrorSource::Core: {
      if (cause == kTrapIllegal && pc == 0 && addr == 0) {
        return "a call of a null function, or a jump to address 0; " + describe_pc(image, pc);
      }
      std::string s = trap_name(cause);
      if (cause == kTrapIllegal) {
        s += fmt::format(" 0x{:08x}", addr);
      } else if (cause != 3 && cause != 11) {
        s += fmt::format(", address 0x{:x}", addr);
      }
      if (cause == 1 && addr == 0) s += " (a call through a null pointer?)";
      return s + "; " + describe_pc(image, pc) +
             (image != nullptr ? image->why_illegal(cause) : "");
    }
    case ErrorSource::Engine: {
      std::string s =
          fmt::format("tensor instruction of thread {}: {}", unit, engine_fault_name(cause));
      if (cause == kEngineAddress) s += fmt::format(", address 0x{:x}", addr);
      return s + "; " + describe_pc(image, pc);
    }
    case ErrorSource::Reducer: {
      std::string s = reducer_fault_name(cause);
      if (cause == kReducerStore || cause == kReducerBias)
        s += fmt::format(", address 0x{:x}", addr);
      return s + "; drain at " + describe_pc(image, pc);
    }
    case ErrorSource::Ramp:
      break;
    case ErrorSource::Regs:
      return std::string(told<isa::RegsCause>(cause, "unknown error of a register access")) +
             fmt::format(", register 0x{:x}; ", addr) + describe_pc(image, pc);
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
    case kRampTwoQueues:
      return fmt::format(
                 "colour {} was bound to input queue {} while an instruction or a drain "
                 "reads the queue that has it; ",
                 unit, (addr - isa::reg::Inq::kAddress) / 4) +
             describe_pc(image, pc);
    default:
      s = "unknown error of the ramp";
      break;
  }
  return s + "; core at " + describe_pc(image, pc);
}

TileError parse_error(uint32_t error, uint32_t addr, uint32_t pc) {
  TileError e;
  e.stopped = isa::reg::Error::Stopped::get(error);
  e.source = static_cast<ErrorSource>(isa::reg::Error::Source::get(error));
  e.unit = static_cast<int>(isa::reg::Error::Unit::get(error));
  e.cause = static_cast<int>(isa::reg::Error::Cause::get(error));
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
  std::optional<StackGuard> guard;
  if (image != nullptr) {
    guard = stack_guard(*image, read_tile_size(control, rect.row, rect.col).sram_bytes);
  }
  if (stopped.empty()) {
    if (guard) check_stacks(control, rect, *image, *guard);
    return;
  }
  const StoppedTile& first = stopped.front();
  std::string text =
      fmt::format("tile ({}, {}) stopped: {}", first.row, first.col, first.error.describe(image));
  if (image != nullptr) text += lost_in(control, first, *image);
  if (guard &&
      !intact(*guard, control.read_tile(first.row, first.col, guard->addr, guard->words))) {
    text += fmt::format("; its stack has overflowed its {} bytes", guard->stack_bytes);
  }
  if (stopped.size() == 2) text += " (and another tile)";
  if (stopped.size() > 2) text += fmt::format(" (and {} other tiles)", stopped.size() - 1);
  throw DeviceFault(text);
}

}  // namespace ow
