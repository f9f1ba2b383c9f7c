// SPDX-License-Identifier: Apache-2.0
#include "ow/diagnose/hang_report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "diagnoser.h"

namespace ow {
namespace {

using Tiles = std::vector<std::pair<int, int>>;

// "tile (0, 1)", "tiles (0, 0) to (3, 3)" for a rectangle, "tiles (0, 0), (1, 2) and 7 more".
std::string tile_names(Tiles tiles) {
  constexpr size_t kNamed = 4;
  std::sort(tiles.begin(), tiles.end());
  const auto name = [](const std::pair<int, int>& t) {
    return fmt::format("({}, {})", t.first, t.second);
  };
  if (tiles.size() == 1) return "tile " + name(tiles.front());
  const auto& a = tiles.front();
  const auto& b = tiles.back();
  const long area = static_cast<long>(b.first - a.first + 1) * (b.second - a.second + 1);
  const bool rectangle = static_cast<long>(tiles.size()) == area &&
                         std::all_of(tiles.begin(), tiles.end(), [&](const std::pair<int, int>& t) {
                           return t.second >= a.second && t.second <= b.second;
                         });
  if (rectangle && tiles.size() > 2) return fmt::format("tiles {} to {}", name(a), name(b));
  std::string text = "tiles ";
  for (size_t i = 0; i < std::min(kNamed, tiles.size()); ++i) {
    text += (i == 0 ? "" : ", ") + name(tiles[i]);
  }
  if (tiles.size() > kNamed) text += fmt::format(" and {} more", tiles.size() - kNamed);
  return text;
}

}  // namespace

Diagnosis& Diagnoser::add_diagnosis(HangCause cause, const TileState* t, int colour, bool root,
                                    std::string text) {
  Diagnosis d;
  d.cause = cause;
  d.colour = colour;
  d.root = root;
  if (t != nullptr) {
    d.row = t->row;
    d.col = t->col;
  }
  d.text = std::move(text);
  for (Diagnosis& other : list_) {
    if (other.row == d.row && other.col == d.col && other.text == d.text) return other;
  }
  list_.push_back(std::move(d));
  return list_.back();
}

std::vector<Diagnosis> Diagnoser::diagnose() {
  route_cycles();
  for (const TileState& t : tiles_) {
    router(t);
    if (t.error.stopped) {  // an error hides what else the tile waits for
      stopped(t);
      continue;
    }
    producers(t);
    core(t);
    threads(t);
    reducer(t);
    input_queues(t);
    output_queues(t);
    tasks(t);
  }
  host();
  cycles();
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Diagnosis& a, const Diagnosis& b) { return a.root > b.root; });
  return std::move(list_);
}

const char* hang_cause_name(HangCause cause) {
  switch (cause) {
    case HangCause::NoConsumer:
      return "no consumer";
    case HangCause::NoTask:
      return "no task";
    case HangCause::NoRoute:
      return "no route";
    case HangCause::RouteCycle:
      return "route cycle";
    case HangCause::Misroute:
      return "misroute";
    case HangCause::LostCredit:
      return "lost credit";
    case HangCause::NotSelected:
      return "not selected";
    case HangCause::TornDown:
      return "torn down";
    case HangCause::EdgeBlocked:
      return "edge blocked";
    case HangCause::UnboundInput:
      return "unbound input queue";
    case HangCause::UnboundOutput:
      return "unbound output queue";
    case HangCause::OutputNotRouted:
      return "output not routed";
    case HangCause::NoUpstream:
      return "no upstream";
    case HangCause::RowNotDrained:
      return "row not drained";
    case HangCause::RowNotClosed:
      return "row not closed";
    case HangCause::ReductionWait:
      return "reduction waits";
    case HangCause::TaskBlocked:
      return "task blocked";
    case HangCause::TaskNoEntry:
      return "task without entry";
    case HangCause::CoreTrapped:
      return "core trapped";
    case HangCause::CoreHalted:
      return "core halted";
    case HangCause::CoreBreak:
      return "core at ebreak";
    case HangCause::CoreComputes:
      return "core computes";
    case HangCause::CoreWaits:
      return "core waits";
    case HangCause::WaitCycle:
      return "cycle of waits";
    case HangCause::CoreBusy:
      return "core busy";
    case HangCause::EngineFault:
      return "engine fault";
    case HangCause::ReducerFault:
      return "reducer fault";
    case HangCause::QueueMisuse:
      return "queue misuse";
    case HangCause::TensorWait:
      return "tensor wait";
    case HangCause::Downstream:
      return "downstream";
    case HangCause::HostUnsent:
      return "host unsent";
  }
  return "?";
}

bool HangReport::has(HangCause cause) const { return find(cause) != nullptr; }

const Diagnosis* HangReport::find(HangCause cause, int row, int col, int colour) const {
  for (const Diagnosis& d : diagnoses) {
    if (d.cause == cause && (row < 0 || d.row == row) && (col < 0 || d.col == col) &&
        (colour < 0 || d.colour == colour)) {
      return &d;
    }
  }
  return nullptr;
}

std::string HangReport::text() const {
  std::string s;
  if (moving) {
    Tiles busy;
    for (const TileState& t : tiles) {
      if (t.moved) busy.emplace_back(t.row, t.col);
    }
    s = fmt::format("still computing in cycle {}{}\n", cycle,
                    busy.empty() ? "" : ": " + tile_names(busy));
  } else {
    s = fmt::format("nothing moves any more since cycle {}\n", cycle);
  }
  // Joins equal lines, in the order of their first ones.
  using Key = std::tuple<bool, HangCause, std::string>;
  std::map<Key, Tiles> tiles_of;
  std::vector<Key> order;
  for (const Diagnosis& d : diagnoses) {
    const Key key{d.root, d.cause, d.text};
    Tiles& same = tiles_of[key];
    if (same.empty()) order.push_back(key);
    same.emplace_back(d.row, d.col);
  }
  for (const Key& key : order) {
    const auto& [root, cause, text] = key;
    const Tiles& where = tiles_of.at(key);
    s += fmt::format("  {} [{}] {}{}\n", root ? "cause:" : "waits:", hang_cause_name(cause),
                     where.front().first < 0 ? "" : tile_names(where) + ": ", text);
  }
  if (diagnoses.empty() && !moving) {
    s += "  no tile waits for anything: the job ended early or never started\n";
  }
  for (const IdleCores& c : cores)
    s += fmt::format("  cores: {}: {}\n", tile_names(c.tiles), c.text);
  return s;
}

namespace {

// Number of readings of a grid that moves, and the cycles between them.
constexpr int kReadings = 3;
constexpr uint64_t kBetween = 500;

// Diagnoses found in every reading, with the text of the last one.
std::vector<Diagnosis> lasting(const std::vector<std::vector<Diagnosis>>& readings) {
  std::vector<Diagnosis> kept = readings.back();
  const auto passes = [&](const Diagnosis& d) {
    return std::any_of(readings.begin(), readings.end(), [&](const std::vector<Diagnosis>& r) {
      return std::none_of(r.begin(), r.end(), [&](const Diagnosis& o) {
        return o.row == d.row && o.col == d.col && o.cause == d.cause && o.text == d.text;
      });
    });
  };
  kept.erase(std::remove_if(kept.begin(), kept.end(), passes), kept.end());
  return kept;
}

// Marks in all readings what made progress between the first and the last.
void mark_movement(std::vector<std::vector<TileState>>* readings) {
  const std::vector<TileState> first = readings->front();
  const std::vector<TileState> last = readings->back();
  constexpr size_t kInstructions = 2;  // in TileState::progress
  for (size_t i = 0; i < first.size(); ++i) {
    std::set<uint32_t> pcs;
    for (const auto& reading : *readings) pcs.insert(reading[i].core.pc);
    for (auto& reading : *readings) {
      TileState& t = reading[i];
      // A tile of `mini` counts no instructions. A core that stalls keeps its pc.
      const bool executes =
          last[i].core_busy() &&
          (first[i].progress[kInstructions] != last[i].progress[kInstructions] || pcs.size() > 1);
      t.moved = executes || first[i].progress != last[i].progress;
      t.computes = t.core.running && executes;
      t.pcs = pcs;
      t.core.pc = last[i].core.pc;
    }
  }
}

// What cores without a diagnosis do: asleep, or halted.
std::vector<IdleCores> idle_cores(const HangReport& report, const LoadedImages& images) {
  std::map<std::string, Tiles> by_text;
  for (const TileState& t : report.tiles) {
    if (t.error.stopped || t.core.stopped_ebreak) continue;
    if (t.core.running && !t.core.asleep) continue;
    const std::string at = describe_pc(image_at(images, t.row, t.col), t.core.pc);
    by_text[t.core.running ? "asleep until a task is ready, " + at : std::string("halted")]
        .emplace_back(t.row, t.col);
  }
  std::vector<IdleCores> all;
  for (auto& [text, tiles] : by_text) all.push_back({std::move(tiles), text});
  return all;
}

}  // namespace

const ElfImage* image_at(const LoadedImages& images, int row, int col) {
  for (const LoadedImage& part : images) {
    const Rect& r = part.rect;
    const bool inside =
        row >= r.row && row < r.row + r.rows && col >= r.col && col < r.col + r.cols;
    if (inside) return part.image;
  }
  return nullptr;
}

HangReport make_hang_report(ControlPlane& control, const ElfImage* image) {
  return make_hang_report(control, LoadedImages{{whole(control.shape()), image}});
}

HangReport make_hang_report(ControlPlane& control, const LoadedImages& images) {
  Device& device = control.device();
  HangReport report;
  report.cycle = device.cycle();
  report.moving = device.run(1) != RunStatus::Quiet;
  std::vector<std::vector<TileState>> readings;
  for (int k = 0; k < (report.moving ? kReadings : 1); ++k) {
    if (k > 0) device.run(kBetween);
    readings.push_back(read_tile_states(control, whole(control.shape())));
  }
  if (report.moving) mark_movement(&readings);
  std::vector<std::vector<Diagnosis>> found;
  for (const auto& tiles : readings) {
    found.push_back(Diagnoser(device, tiles, images, report.moving).diagnose());
  }
  report.tiles = std::move(readings.back());
  report.diagnoses = lasting(found);
  report.cores = idle_cores(report, images);
  return report;
}

}  // namespace ow
