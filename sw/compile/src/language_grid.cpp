// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/language_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "openwafer/layout.h"
#include "openwafer/program.h"
#include "ow/base/error.h"
#include "ow/runtime/elf.h"

namespace ow::jobs {
namespace {

std::string program_of(const std::string& firmware, const char* part, HalfType type) {
  return fmt::format("{}/region_{}{}.elf", firmware, part,
                     type == HalfType::Bfloat16 ? "_bf16" : "");
}

FreeMemory free_memory(const std::string& elf, const MachineInfo& info) {
  const ElfImage image = read_elf(elf, info.sram_bytes);
  const ElfExport& memory = image.exported("memory");
  const uint32_t end = image.symbol("ow_heap_end");
  return {memory.addr, end - memory.addr};
}

// Flows inside a region; names are those of ow/firmware/region.h.
void add_region(Region region, bool head) {
  const GridShape shape = region.shape();
  region.broadcast_rows("row", 0, true);
  region.broadcast_columns("up", shape.rows - 1, true);
  if (shape.rows * shape.cols > 1) region.broadcast("command", 0, 0);
  if (shape.rows > 1) {
    region.shift("down", Side::South);
    region.shift("join", Side::South);
  }
  if (shape.cols > 1) region.shift("left", Side::West);
  if (!head) return;
  region.enter("host", Side::West, 0, 0);
  region.leave("report", 0, 0, Side::West);
}

Layout layout_of(const LanguagePlan& plan) {
  Layout layout(plan.grid);
  for (size_t k = 0; k < plan.regions.size(); ++k) {
    const std::string name = k == 0 ? "head" : fmt::format("block{}", k - 1);
    add_region(layout.region(name, plan.regions[k]), k == 0);
  }
  const Rect& head = plan.regions[0];
  const int last = head.row + head.rows - 1;
  Region results = layout.region("results", {last, head.col, 1, head.cols});
  results.chain("logits", Side::West, false, true);
  if (head.rows > 1) {
    layout.flow("answer", {last, head.col, 1, 1}, {head.row, head.col, 1, 1});
  }
  for (size_t k = 0; k < plan.regions.size(); ++k) {
    const Rect& from = plan.regions[k];
    const Rect& to = plan.regions[(k + 1) % plan.regions.size()];
    for (int row = 0; row < plan.region.rows; ++row) {
      layout.flow("next", {from.row + row, from.col, 1, 1}, {to.row + row, to.col, 1, 1});
    }
  }
  return layout;
}

// An array of each tile of a region, one after another; the short ones filled up with zeros.
std::vector<uint32_t> joined(const std::vector<RegionTile>& tiles,
                             std::vector<uint32_t> RegionTile::*part) {
  size_t longest = 0;
  for (const RegionTile& tile : tiles) longest = std::max(longest, (tile.*part).size());
  std::vector<uint32_t> all;
  for (const RegionTile& tile : tiles) {
    all.insert(all.end(), (tile.*part).begin(), (tile.*part).end());
    all.resize((all.size() + longest - 1) / longest * longest);
  }
  return all;
}

}  // namespace

LanguageGrid::LanguageGrid(const Runtime& machine, const LanguageModel& model,
                           const LanguageOptions& options, const std::string& firmware)
    : machine_(machine) {
  const std::string block = program_of(firmware, "block", model.type);
  const std::string head = program_of(firmware, "head", model.type);
  const MachineInfo& info = machine_.info();
  plan_ =
      plan_language(model, options, info.grid, free_memory(block, info), free_memory(head, info));
  Program program(layout_of(plan_));
  for (size_t k = 0; k < plan_.regions.size(); ++k) {
    const Rect& rect = plan_.regions[k];
    program.add_firmware(rect, k == 0 ? head : block);
    const Mapping mapping = Mapping::tiles().on_tiles(rect);
    const std::vector<RegionTile>& tiles = plan_.tiles[k];
    program.set_parameter("parameter_words", joined(tiles, &RegionTile::parameters), mapping);
    program.set_parameter("descriptor_words", joined(tiles, &RegionTile::descriptors), mapping);
    const std::vector<uint32_t> memory = joined(tiles, &RegionTile::memory);
    program.set_parameter("memory", memory, mapping.slice(0, 0, memory.size() / tiles.size()));
  }
  run_ = std::make_unique<Run>(machine_.load(program));
  run_->launch("serve");
}

void LanguageGrid::set_pages(int slot, const std::vector<uint16_t>& pages) {
  const auto each = static_cast<size_t>(plan_.slot_pages) / 2;  // words
  std::vector<uint32_t> words((pages.size() + 1) / 2);
  for (size_t i = 0; i < pages.size(); ++i) {
    words[i / 2] |= static_cast<uint32_t>(pages[i]) << (i % 2 * 16);
  }
  for (size_t k = 1; k < plan_.regions.size(); ++k) {
    run_->write("memory", words,
                Mapping::same()
                    .on_tiles(plan_.regions[k])
                    .slice(0, each * static_cast<size_t>(slot), words.size()));
  }
}

void LanguageGrid::send(const ow_command& command) {
  run_->send("head.host",
             std::vector<uint32_t>{command.what, command.position, command.last, command.token});
}

LanguageGrid::Report LanguageGrid::wait(uint64_t limit) {
  const std::vector<uint32_t> words =
      run_->receive<uint32_t>("head.report", OW_COMMAND_WORDS, limit);
  Report report;
  report.cycle = machine_.cycle();
  report.command = {words[0], words[1], words[2], words[3]};
  const bool quiet = (words[0] & OW_COMMAND_QUIET) != 0;
  if ((words[0] & OW_COMMAND_LOGITS) == 0 || quiet) return report;
  const auto tokens = static_cast<size_t>(plan_.shape.vocabulary);
  const auto columns = static_cast<size_t>(plan_.region.cols);
  const std::vector<uint32_t> logits = run_->receive<uint32_t>("results.logits", tokens, limit);
  report.logits.resize(tokens);
  size_t next = 0;
  for (size_t col = 0; col < columns; ++col) {
    for (size_t t = col; t < tokens; t += columns) report.logits[t] = logits[next++];
  }
  return report;
}

}  // namespace ow::jobs
