// SPDX-License-Identifier: Apache-2.0
// A loaded program, or the tiles of it that a Run names: places, prints, counters.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime_state.h"

namespace ow {

Rect common(const Rect& a, const Rect& b) {
  const int row = std::max(a.row, b.row), col = std::max(a.col, b.col);
  return Rect{row, col, std::max(0, std::min(a.row + a.rows, b.row + b.rows) - row),
              std::max(0, std::min(a.col + a.cols, b.col + b.cols) - col)};
}

std::string rect_text(const Rect& r) {
  return fmt::format("{} x {} tiles at ({}, {})", r.rows, r.cols, r.row, r.col);
}

// -------------------------------------------------------------------------------------- places --
void Run::State::check_loaded() const {
  if (replaced) throw BadInput("this program's tiles have been given to another one");
}

void Run::State::check_usable() const {
  check_loaded();
  if (!cancelled.empty()) throw BadInput(cancelled + " was cancelled: load the program again");
}

std::vector<Run::State::Tiles> Run::State::tiles(const Rect& within) const {
  std::vector<Tiles> all;
  for (const LoadedPart& part : parts) {
    const Rect here = common(part.rect, within);
    if (here.rows > 0 && here.cols > 0) all.push_back({&part, here});
  }
  return all;
}

std::vector<size_t> Run::State::places(const Rect& within) const {
  std::vector<size_t> all;
  for (int r = within.row - rect.row; r < within.row - rect.row + within.rows; ++r) {
    for (int c = within.col - rect.col; c < within.col - rect.col + within.cols; ++c) {
      all.push_back(static_cast<size_t>(r) * static_cast<size_t>(rect.cols) +
                    static_cast<size_t>(c));
    }
  }
  return all;
}

std::string Run::State::title(const Rect& area) const {
  if (area == rect) return "the program";
  for (const auto& [name, place] : regions) {
    if (place == area) return fmt::format("region '{}'", name);
  }
  return "the run";
}

std::string Run::State::where(const Rect& area) const {
  if (area == rect) return "";
  for (const auto& region : regions) {
    if (region.second == area) return fmt::format(" in region '{}'", region.first);
  }
  return " in " + rect_text({area.row - rect.row, area.col - rect.col, area.rows, area.cols});
}

Run::Run(std::shared_ptr<State> state, const Rect& tiles)
    : state_(std::move(state)), area_(tiles) {}

Rect Run::rect() const { return area_; }

int Run::colours() const {
  std::set<int> colours;
  for (const auto& route : state_->routed) colours.insert(std::get<2>(route));
  return static_cast<int>(colours.size());
}

Run Run::on(const Rect& tiles) const {
  if (!fits(tiles, {area_.rows, area_.cols})) {
    throw BadInput(fmt::format("{} are not in {}, which has {} x {}", rect_text(tiles),
                               state_->title(area_), area_.rows, area_.cols));
  }
  return Run(state_, Rect{area_.row + tiles.row, area_.col + tiles.col, tiles.rows, tiles.cols});
}

// -------------------------------------------------------------------------------------- prints --
std::vector<Print> Run::prints() {
  state_->check_loaded();
  state_->machine->control();  // first finishes the copies under way
  std::vector<Print> all;
  for (PrintReader& printer : state_->printers) {
    for (Print& print : printer.take_prints(area_)) all.push_back(std::move(print));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Print& a, const Print& b) { return a.cycle < b.cycle; });
  return all;
}

uint64_t Run::prints_lost() const {
  uint64_t lost = 0;
  for (const PrintReader& printer : state_->printers) lost += printer.lost(area_);
  return lost;
}

// ------------------------------------------------------------------------------------ counters --
void Run::State::begin_counts() {
  const size_t tiles = places(rect).size();
  launched.assign(tiles, {});
  counted.assign(tiles, {});
  read_counters(rect);
}

void Run::State::read_counters(const Rect& within) {
  ControlPlane& control = machine->control();
  const uint64_t now = machine->device().cycle();
  const std::vector<Counters> all = ow::read_counters(control, within);
  const std::vector<size_t> at = places(within);
  for (size_t k = 0; k < at.size(); ++k) counted[at[k]] = {all[k], now};
}

std::vector<Counters> tile_counters(const Run& run) {
  const Run::State& of = Internals::of(run);
  of.check_loaded();
  return read_counters(of.machine->control(), run.rect());
}

Profile Run::profile() {
  State& run = *state_;
  run.check_loaded();
  if (!run.machine->info().counters) throw BadInput("profile: these tiles have no counters");
  const std::vector<State::Counted> before = run.counted;
  run.read_counters(area_);
  Profile profile;
  for (const size_t i : run.places(area_)) {
    profile.cycles = std::max(profile.cycles, run.counted[i].cycle - before[i].cycle);
    const auto of = [&](Counter k) {
      const auto n = static_cast<size_t>(k);
      return run.counted[i].counters[n] - before[i].counters[n];
    };
    Activity a;
    a.beats = of(kCtrBeats);
    a.stall_input = of(kCtrStallInput);
    a.stall_output = of(kCtrStallOutput);
    a.stall_row = of(kCtrStallRow);
    a.stall_memory = of(kCtrStallMemory);
    a.no_work = of(kCtrNoWork);
    a.instructions = of(kCtrInstructions);
    a.asleep = of(kCtrAsleep);
    a.wavelets_in = of(kCtrWaveletsIn);
    a.wavelets_out = of(kCtrWaveletsOut);
    a.reducer_elements = of(kCtrReducerElements);
    a.reducer_waits = of(kCtrReducerWait);
    const auto add = [&](uint64_t Activity::*field) { profile.total.*field += a.*field; };
    for (uint64_t Activity::*field :
         {&Activity::beats, &Activity::stall_input, &Activity::stall_output, &Activity::stall_row,
          &Activity::stall_memory, &Activity::no_work, &Activity::instructions, &Activity::asleep,
          &Activity::wavelets_in, &Activity::wavelets_out, &Activity::reducer_elements,
          &Activity::reducer_waits}) {
      add(field);
    }
    profile.tiles.push_back(a);
  }
  return profile;
}

}  // namespace ow
