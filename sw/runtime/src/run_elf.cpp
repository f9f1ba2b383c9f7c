// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/run_elf.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/device/sim_control.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/sim/single_tile.h"

namespace ow {
namespace {

constexpr uint64_t kSlice = 1 << 16;  // cycles between looks at progress

// Follows the retired instructions: where the core is, the store that ends the run, and the
// contents of tohost and of the signature. The core executes some more instructions before the
// control plane can stop it; their stores are undone.
class Watch {
 public:
  Watch(const ElfImage& image, bool signature) : image_(image), tohost_(image.find("tohost")) {
    if (!signature) return;
    begin_ = image.symbol("begin_signature");
    end_ = image.symbol("end_signature");
  }

  void retired(const Retire& retire, uint64_t cycle) {
    if (!ended_) {
      if (first_ == 0) first_ = cycle;
      run_.cycles = cycle - first_ + 1;
      run_.pc = retire.pc;
      if (!retire.trap) {
        ++run_.instructions;
        run_.last_pc = retire.pc;
      }
      if (retire.rd_we && retire.rd == 1) run_.ra = retire.rd_data;
    }
    if (retire.mem_we) store(retire);
  }

  void end() { ended_ = true; }
  bool ended() const { return ended_; }
  // The word of tohost after the store that ended the run.
  std::optional<uint32_t> stored() const { return stored_; }
  const ElfRun& run() const { return run_; }

  // Undoes what the core stored to the words from `begin` on after the end of the run.
  void restore(uint32_t begin, std::vector<uint32_t>* words) const {
    for (uint32_t addr : stored_late_) {
      if (addr >= begin && (addr - begin) / 4 < words->size()) {
        (*words)[(addr - begin) / 4] = before(addr);
      }
    }
  }

 private:
  void store(const Retire& retire) {
    const uint32_t addr = retire.mem_addr & ~3u;
    const bool is_tohost = tohost_ && addr == *tohost_;
    if (!is_tohost && (addr < begin_ || addr >= end_)) return;
    if (ended_) {
      stored_late_.insert(addr);
      return;
    }
    // Sizes of sb, sh and sw come from their encoding; the value is in the low bits.
    const unsigned size = retire.insn >> 12 & 3;
    const uint32_t mask = size == 2 ? ~0u : size == 1 ? 0xFFFFu : 0xFFu;
    const unsigned shift = 8 * (retire.mem_addr & 3);
    const uint32_t word = (before(addr) & ~(mask << shift)) | (retire.mem_wdata & mask) << shift;
    words_[addr] = word;
    if (is_tohost && retire.mem_wdata != 0) {
      stored_ = word;
      ended_ = true;
    }
  }

  // The word before the end of the run: as stored by the core, or as loaded.
  uint32_t before(uint32_t addr) const {
    const auto it = words_.find(addr);
    return it != words_.end() ? it->second : image_.loaded_word(addr);
  }

  const ElfImage& image_;
  std::optional<uint32_t> tohost_;
  uint32_t begin_ = 0;  // of the signature
  uint32_t end_ = 0;
  uint64_t first_ = 0;
  bool ended_ = false;
  std::optional<uint32_t> stored_;
  std::map<uint32_t, uint32_t> words_;  // stored by the core before the end, by address
  std::set<uint32_t> stored_late_;
  ElfRun run_;
};

// A pc outside the program does not say how the core got there; this text does.
std::string reached_from(const ElfRun& run, uint32_t pc, const ElfImage& image) {
  if (image.holds(pc)) return "";
  std::string text = fmt::format(", reached from {}", image.describe(run.last_pc));
  if (run.ra && image.holds(*run.ra)) {
    // ra is the return address, so the call is the instruction before it.
    const std::string line = image.source_line(*run.ra - 4);
    text += fmt::format(", ra 0x{:x} in {}{}", *run.ra, image.locate(*run.ra),
                        line.empty() ? line : fmt::format(" ({})", line));
  }
  return text;
}

}  // namespace

std::string ElfRun::describe(const ElfImage& image) const {
  const std::string line = image.source_line(pc);
  const std::string where =
      fmt::format("at 0x{:x} ({}{}{}){}", pc, image.locate(pc), line.empty() ? "" : ", ", line,
                  reached_from(*this, pc, image));
  switch (end) {
    case ElfEnd::ToHost:
      return fmt::format("tohost written {}", where);
    case ElfEnd::Ebreak:
      return fmt::format("stopped by ebreak {}", where);
    case ElfEnd::Trap:
      return fmt::format("tile (0, 0) stopped by a trap: {}, cause {}, tval 0x{:x}; {}{}{}",
                         trap_name(cause), cause, tval, image.describe(pc),
                         reached_from(*this, pc, image), image.why_illegal(cause));
    case ElfEnd::Error:
      return fmt::format("tile (0, 0) stopped: {}", error.describe(&image));
    case ElfEnd::Asleep:
      return fmt::format("asleep {} and nothing can wake it", where);
    case ElfEnd::CycleLimit:
      return fmt::format("cycle limit reached (--max-cycles) {}", where);
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
  Watch watch(image, options.signature);
  tile->observe([&](const Retire& retire, uint64_t cycle) { watch.retired(retire, cycle); });

  Device& device = tile->device();
  start_cores(control, rect, image.entry);
  const uint64_t limit = device.cycle() + options.max_cycles;
  RunStatus status = RunStatus::Done;
  do {
    const uint64_t slice_end = std::min(limit, device.cycle() + kSlice);
    status = device.sim()->run_each(slice_end - device.cycle(), [&] { return watch.ended(); });
    if (options.progress) options.progress(device.cycle() + options.max_cycles - limit);
  } while (!watch.ended() && status != RunStatus::Quiet && device.cycle() < limit);
  watch.end();

  ElfRun run = watch.run();
  if (watch.stored()) {
    run.end = ElfEnd::ToHost;
  } else {
    const CoreState state = read_core_state(control, 0, 0);
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
  }
  halt_cores(control, rect);  // a core that runs on would write into what is read now
  if (tohost) {
    run.tohost = watch.stored()              ? *watch.stored()
                 : run.end == ElfEnd::Ebreak ? control.read_tile(0, 0, *tohost)
                                             : 0;
  }
  if (options.signature) {
    const uint32_t begin = image.symbol("begin_signature");
    const uint32_t words = (image.symbol("end_signature") - begin) / 4;
    if (words != 0) run.signature = control.read_tile(0, 0, begin, words);
    watch.restore(begin, &run.signature);
  }
  tile->observe(nullptr);
  return run;
}

}  // namespace ow
