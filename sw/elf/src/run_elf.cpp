// SPDX-License-Identifier: Apache-2.0
#include "ow/run_elf.h"

#include <algorithm>

#include <fmt/format.h>

#include "ow/control_plane.h"
#include "ow/error.h"
#include "ow/program.h"
#include "ow/single_tile.h"
#include "ow/tile_error.h"

namespace ow {
namespace {

constexpr uint64_t kSlice = 1 << 16;  // cycles between looks at progress

}  // namespace

std::string ElfRun::describe(const ElfImage& image) const {
  const std::string line = image.source_line(pc);
  const std::string where =
      fmt::format("at 0x{:x} ({}{}{})", pc, image.locate(pc), line.empty() ? "" : ", ", line);
  switch (end) {
    case ElfEnd::ToHost:
      return fmt::format("tohost written {}", where);
    case ElfEnd::Ebreak:
      return fmt::format("stopped by ebreak {}", where);
    case ElfEnd::Trap:
      return fmt::format("tile (0, 0) stopped by a trap: {}, cause {}, tval 0x{:x}; {}",
                         trap_name(cause), cause, tval, image.describe(pc));
    case ElfEnd::Error:
      return fmt::format("tile (0, 0) stopped: {}", error.describe(&image));
    case ElfEnd::Asleep:
      return fmt::format("asleep {} and nothing can wake it", where);
    case ElfEnd::CycleLimit:
      return fmt::format("cycle limit reached {}", where);
  }
  return "";
}

void check_elf_run(const ElfImage& image, const ElfRunOptions& options) {
  if (options.sram_kb < 1 || options.sram_kb > kBigTileSramBytes / 1024) {
    throw BadInput(
        fmt::format("--sram-kb {}: must be 1 to {}", options.sram_kb, kBigTileSramBytes / 1024));
  }
  const uint32_t bytes = options.sram_kb * 1024;
  if (const auto tohost = image.find("tohost")) {
    if (*tohost % 4 != 0 || *tohost > bytes - 4) {
      throw BadInput(
          fmt::format("{}: tohost at 0x{:x}: must be a multiple of 4 within the {} bytes of SRAM",
                      image.path, *tohost, bytes));
    }
  }
  if (!options.signature) return;
  const uint32_t begin = image.symbol("begin_signature");
  const uint32_t end = image.symbol("end_signature");
  if (begin % 4 != 0 || end % 4 != 0 || begin > end || end > bytes) {
    throw BadInput(fmt::format(
        "{}: signature from 0x{:x} to 0x{:x}: must be words within the {} bytes of SRAM",
        image.path, begin, end, bytes));
  }
}

ElfRun run_elf(const ElfImage& image, const ElfRunOptions& options) {
  check_elf_run(image, options);
  const std::unique_ptr<ObservedTile> tile = make_observed_tile(options.sram_kb > 48);
  ControlPlane control(tile->device());
  const Rect rect{0, 0, 1, 1};
  load_program(control, rect, image);

  const std::optional<uint32_t> tohost = image.find("tohost");
  ElfRun run;
  uint64_t first = 0;
  uint64_t last = 0;
  uint32_t stored = 0;  // a value other than 0, stored to the word of tohost
  tile->observe([&](const Retire& retire, uint64_t cycle) {
    if (stored != 0) return;
    if (first == 0) first = cycle;
    last = cycle;
    run.pc = retire.pc;
    if (!retire.trap) ++run.instructions;
    if (retire.mem_we && tohost && (retire.mem_addr & ~3u) == *tohost) stored = retire.mem_wdata;
  });

  Device& device = tile->device();
  start_cores(control, rect, image.entry);
  const uint64_t limit = device.cycle() + options.max_cycles;
  for (;;) {
    const uint64_t slice_end = std::min(limit, device.cycle() + kSlice);
    const RunStatus status = device.run(slice_end - device.cycle(), [&] { return stored != 0; });
    if (options.progress) options.progress(device.cycle() + options.max_cycles - limit);
    if (stored != 0) {
      run.end = ElfEnd::ToHost;
      // Memory holds the value, unless the program has cleared it again.
      const uint32_t value = control.read_tile(0, 0, *tohost);
      run.tohost = value != 0 ? value : stored;
      break;
    }
    if (status == RunStatus::Quiet || device.cycle() >= limit) {
      tile->observe(nullptr);  // a core that still runs is past its limit
      const CoreState state = read_core(control, 0, 0);
      run.pc = state.pc;
      run.cause = state.cause;
      run.tval = state.tval;
      run.error = read_error(control, 0, 0);
      const bool error = run.error.stopped && run.error.source != ErrorSource::Core;
      run.end = error                        ? ElfEnd::Error
                : state.stopped_ebreak       ? ElfEnd::Ebreak
                : state.trapped              ? ElfEnd::Trap
                : status == RunStatus::Quiet ? ElfEnd::Asleep
                                             : ElfEnd::CycleLimit;
      break;
    }
  }
  tile->observe(nullptr);
  if (first != 0) run.cycles = last - first + 1;
  if (tohost && !run.tohost) {
    run.tohost = run.end == ElfEnd::CycleLimit ? 0 : control.read_tile(0, 0, *tohost);
  }
  if (options.signature) {
    const uint32_t begin = image.symbol("begin_signature");
    const uint32_t words = (image.symbol("end_signature") - begin) / 4;
    if (words != 0) run.signature = control.read_tile(0, 0, begin, words);
  }
  return run;
}

}  // namespace ow
