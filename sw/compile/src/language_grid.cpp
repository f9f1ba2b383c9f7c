// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/language_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "openwafer/layout.h"
#include "openwafer/program.h"
#include "ow/base/error.h"
#include "ow/runtime/elf.h"
#include "wafer_ring.h"

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
void add_region(Region region, bool head, bool shares_heads) {
  const GridShape shape = region.shape();
  region.broadcast_rows("row", 0, true);
  region.broadcast_columns("up", shape.rows - 1, true);
  if (shape.rows * shape.cols > 1) region.broadcast("command", 0, 0);
  if (shape.rows > 1) {
    region.shift("down", Side::South);
    region.shift("join", Side::South);
  }
  if (shape.cols > 1) region.shift("left", Side::West);
  if (!head && shares_heads) region.shift("right", Side::East);
  if (!head) return;
  region.enter("host", Side::West, 0, 0);
  region.leave("report", 0, 0, Side::West);
}

// What the head alone has.
void add_results(Layout* layout, const Rect& head) {
  const int last = head.row + head.rows - 1;
  Region results = layout->region("results", {last, head.col, 1, head.cols});
  results.chain("logits", Side::West, false, true);
  if (head.rows > 1) {
    layout->flow("answer", {last, head.col, 1, 1}, {head.row, head.col, 1, 1});
  }
}

// Of several wafers: `next` of the first region comes from the west edge, that of the last one
// goes there, past the tiles between.
void add_links(Layout* layout, const Rect& first, const Rect& last) {
  for (int row = 0; row < first.rows; ++row) {
    const int in = layout->colour(fmt::format("in{}", row));
    layout->route(first.row + row, 0, in, Route{Port::West, kOutRamp});
    layout->tile_receives("next", first.row + row, 0, in);
    layout->host_sends("in", Side::West, first.row + row, 0, in);
    const int out = layout->colour(fmt::format("out{}", row));
    for (int col = 0; col <= last.col; ++col) {
      const Port from = col == last.col ? Port::Ramp : Port::East;
      layout->route(last.row + row, col, out, Route{from, kOutW});
    }
    layout->tile_sends("next", last.row + row, last.col, out);
    layout->host_receives("out", last.row + row, 0, Side::West, out);
  }
}

Layout layout_of(const LanguagePlan& plan, int wafer) {
  Layout layout(plan.grid);
  const size_t first = plan.first_of(wafer), end = plan.first_of(wafer + 1);
  for (size_t k = first; k < end; ++k) {
    const std::string name = k == 0 ? "head" : fmt::format("block{}", k - 1);
    add_region(layout.region(name, plan.regions[k]), k == 0,
               parts_of_head(plan.shape, plan.region.cols) > 1);
  }
  if (wafer == 0) add_results(&layout, plan.regions[0]);
  if (plan.wafers > 1) add_links(&layout, plan.regions[first], plan.regions[end - 1]);
  for (size_t k = first; k < end; ++k) {
    if (plan.wafers > 1 && k + 1 == end) break;
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

LanguageGrid::LanguageGrid(const std::vector<Runtime>& machines, const LanguageModel& model,
                           const LanguageOptions& options, const std::string& firmware) {
  const std::string block = program_of(firmware, "block", model.type);
  const std::string head = program_of(firmware, "head", model.type);
  const MachineInfo& info = machines.front().info();
  for (const Runtime& machine : machines) {
    const GridShape grid = machine.grid();
    if (grid.rows == info.grid.rows && grid.cols == info.grid.cols) continue;
    throw BadInput("wafers of different sizes");
  }
  plan_ = plan_language(model, options, static_cast<int>(machines.size()), info.grid,
                        free_memory(block, info), free_memory(head, info));
  for (int wafer = 0; wafer < plan_.wafers; ++wafer) {
    Program program(layout_of(plan_, wafer));
    for (size_t k = plan_.first_of(wafer); k < plan_.first_of(wafer + 1); ++k) {
      add_tiles(&program, k, k == 0 ? head : block);
    }
    runs_.push_back(Runtime(machines[static_cast<size_t>(wafer)]).load(program));
    runs_.back().launch("serve");
  }
  ring_ = std::make_unique<WaferRing>(machines, runs_);
  runs_.front().consume("head.report", 0, [this](Word word) { reports_.push_back(word); });
  runs_.front().consume("results.logits", 0, [this](Word word) { logits_.push_back(word.data); });
}

LanguageGrid::~LanguageGrid() = default;

int LanguageGrid::inside() const {
  const int regions = static_cast<int>(plan_.regions.size());
  const int links = plan_.wafers > 1 ? plan_.wafers : 0;
  return std::min(regions + 2, 2 * regions - 1) + 2 * links;
}

// The tiles of a region.
void LanguageGrid::add_tiles(Program* program, size_t region, const std::string& elf) const {
  const Rect& rect = plan_.regions[region];
  program->add_firmware(rect, elf);
  const Mapping mapping = Mapping::tiles().on_tiles(rect);
  const std::vector<RegionTile>& tiles = plan_.tiles[region];
  program->set_parameter("parameter_words", joined(tiles, &RegionTile::parameters), mapping);
  const std::vector<uint32_t> memory = joined(tiles, &RegionTile::memory);
  program->set_parameter("memory", memory, mapping.slice(0, 0, memory.size() / tiles.size()));
}

void LanguageGrid::set_pages(int slot, const std::vector<uint16_t>& pages) {
  const size_t first = (plan_.page_table + 2 * static_cast<size_t>(plan_.slot_pages * slot)) / 4;
  std::vector<uint32_t> words((pages.size() + 1) / 2);
  for (size_t i = 0; i < pages.size(); ++i) {
    words[i / 2] |= static_cast<uint32_t>(pages[i]) << (i % 2 * 16);
  }
  ring_->meet();  // and then all of them wait for as long
  for (int wafer = 0; wafer < plan_.wafers; ++wafer) {
    for (size_t k = plan_.first_of(wafer); k < plan_.first_of(wafer + 1); ++k) {
      if (k == 0) continue;
      runs_[static_cast<size_t>(wafer)].write(
          "memory", words,
          Mapping::same().on_tiles(plan_.regions[k]).slice(0, first, words.size()));
    }
  }
}

void LanguageGrid::send(const ow_command& command) {
  runs_.front().send("head.host", std::vector<uint32_t>{command.what, command.position,
                                                        command.last, command.token});
}

// Logits of the first report, if it has some.
size_t LanguageGrid::logits_due() const {
  const uint32_t what = reports_.front().data;
  const bool quiet = (what & OW_COMMAND_QUIET) != 0;
  const bool asked = (what & OW_COMMAND_LOGITS) != 0;
  return asked && !quiet ? static_cast<size_t>(plan_.shape.vocabulary) : 0;
}

LanguageGrid::Report LanguageGrid::wait(uint64_t limit) {
  const auto complete = [this] {
    return reports_.size() >= OW_COMMAND_WORDS && logits_.size() >= logits_due();
  };
  if (!ring_->work(limit, complete)) {
    throw DeviceFault("a token does not come back\n" + ring_->fault());
  }
  const size_t tokens = logits_due(), columns = static_cast<size_t>(plan_.region.cols);
  Report report;
  report.cycle = ring_->time(0, reports_[OW_COMMAND_WORDS - 1].cycle);
  report.command = {reports_[0].data, reports_[1].data, reports_[2].data, reports_[3].data};
  reports_.erase(reports_.begin(), reports_.begin() + OW_COMMAND_WORDS);
  report.logits.resize(tokens);
  size_t next = 0;
  for (size_t col = 0; col < columns; ++col) {
    for (size_t t = col; t < tokens; t += columns) report.logits[t] = logits_[next++];
  }
  logits_.erase(logits_.begin(), logits_.begin() + static_cast<ptrdiff_t>(tokens));
  return report;
}

}  // namespace ow::jobs
