// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/program.h"

#include <algorithm>

#include <fmt/format.h>

#include "grid.h"
#include "ow/base/error.h"

namespace ow {
namespace {

namespace reg = isa::reg;

void check_queue(int queue, int colour) {
  if (queue < 0 || queue >= kNumQueues) {
    throw BadInput(fmt::format("queue {}: must be 0 to {}", queue, kNumQueues - 1));
  }
  if (colour < 0 || colour >= kMaxDataColours) {
    throw BadInput(fmt::format("colour {}: must be 0 to {}", colour, kMaxDataColours - 1));
  }
}

std::vector<uint32_t> segment_words(const ElfSegment& segment) {
  std::vector<uint32_t> words((segment.mem_bytes + 3) / 4, 0);
  for (size_t i = 0; i < segment.bytes.size(); ++i) {
    words[i / 4] |= static_cast<uint32_t>(segment.bytes[i]) << (8 * (i % 4));
  }
  return words;
}

}  // namespace

// -------------------------------------------------------------------------------------- routes --
uint32_t position_word(const Route& route) {
  return isa::Position::InPort::put(route.in) | isa::Position::OutMask::put(route.out_mask);
}

uint32_t route_word(const Route& route) {
  return reg::Route::Enable::put(1) | reg::Route::Position::put(position_word(route));
}

bool parse_route(uint32_t word, Route* route) {
  const uint32_t position = reg::Route::Position::get(word);
  route->in = static_cast<Port>(
      std::min(isa::Position::InPort::get(position), static_cast<uint32_t>(Port::Ramp)));
  route->out_mask = isa::Position::OutMask::get(position);
  return reg::Route::Enable::get(word);
}

Port opposite(Port port) {
  return port == Port::Ramp ? Port::Ramp : static_cast<Port>((static_cast<int>(port) + 2) % 4);
}

const char* port_name(Port port) {
  static const char* const kNames[] = {"north", "east", "south", "west", "ramp"};
  return kNames[static_cast<int>(port)];
}

uint32_t switch_word(const Switch& s) {
  const auto position = [&](size_t i) {
    return i < s.positions.size() ? position_word(s.positions[i]) : 0;
  };
  return reg::Switch::Last::put(s.positions.size() - 1) | reg::Switch::Current::put(s.start) |
         reg::Switch::Position1::put(position(1)) | reg::Switch::Position2::put(position(2)) |
         reg::Switch::Position3::put(position(3));
}

void RouteSet::set(int row, int col, int colour, Route route) {
  if (!in_grid(shape_, row, col)) {
    throw BadInput(fmt::format("route of tile ({}, {}): the grid has {} x {} tiles", row, col,
                               shape_.rows, shape_.cols));
  }
  if (colour < 0 || colour >= kMaxDataColours) {
    throw BadInput(fmt::format("route of colour {}: must be 0 to {}", colour, kMaxDataColours - 1));
  }
  if (route.out_mask == 0 || route.out_mask > 31) {
    throw BadInput(
        fmt::format("route of colour {} in tile ({}, {}): output mask 0x{:x} must be 1 to 0x1f",
                    colour, row, col, route.out_mask));
  }
  routes_[{colour, row, col}] = route;
  switches_.erase({colour, row, col});
}

void RouteSet::set(const Rect& rect, int colour, Route route) {
  for (int r = 0; r < rect.rows; ++r) {
    for (int c = 0; c < rect.cols; ++c) set(rect.row + r, rect.col + c, colour, route);
  }
}

void RouteSet::set(int row, int col, int colour, const Switch& s) {
  const int n = static_cast<int>(s.positions.size());
  if (n < 1 || n > 4) {
    throw BadInput(fmt::format("switch of colour {} in tile ({}, {}): {} positions, must be 1 to 4",
                               colour, row, col, n));
  }
  if (s.start < 0 || s.start >= n) {
    throw BadInput(fmt::format("switch of colour {} in tile ({}, {}): starts at position {} of {}",
                               colour, row, col, s.start, n));
  }
  for (const Route& route : s.positions) set(row, col, colour, route);
  routes_[{colour, row, col}] = s.positions[static_cast<size_t>(s.start)];
  switches_[{colour, row, col}] = s;
}

void RouteSet::listen(Side side, int index, int colour) {
  listeners_.insert({static_cast<int>(side), index, colour});
}

// Everything that a tile can do with a colour. A reset leads to position 0, advances lead to the
// others.
std::vector<Route> RouteSet::positions(const Key& key) const {
  const auto s = switches_.find(key);
  if (s != switches_.end()) return s->second.positions;
  const auto r = routes_.find(key);
  return r == routes_.end() ? std::vector<Route>{} : std::vector<Route>{r->second};
}

// The credit set-up of a ROUTE register: if a switch does not select the input at the start, the
// credits are with the tile that has the switch, not with its neighbour.
uint32_t RouteSet::credit_bits(const Key& key) const {
  const auto [colour, row, col] = key;
  auto waits = [&](const Key& at, int input) {  // at is switched, and starts with another input
    const auto s = switches_.find(at);
    return s != switches_.end() && s->second.positions.size() > 1 &&
           static_cast<int>(routes_.at(at).in) != input;
  };
  uint32_t without = 0, keep = 0;
  for (int p = 0; p < 4; ++p) {
    const Key other{colour, row + kRowStep[p], col + kColStep[p]};
    if (routes_.count(other) == 0) continue;
    if (waits(other, (p + 2) % 4)) without |= 1u << p;
    if (waits(key, p)) keep |= 1u << p;
  }
  return reg::Route::SetCredits::put(1) | reg::Route::WithoutCredits::put(without) |
         reg::Route::KeepCredits::put(keep);
}

void RouteSet::apply(ControlPlane& control, bool checked) const {
  if (checked) {
    const std::vector<std::string> defects = check();
    if (!defects.empty()) {
      throw BadInput(defects.size() == 1
                         ? defects.front()
                         : fmt::format("{} (and {} more)", defects.front(), defects.size() - 1));
    }
  }
  std::set<int> switched;  // colours
  for (const auto& s : switches_) switched.insert(std::get<0>(s.first));
  std::map<Key, std::pair<uint32_t, uint32_t>> words;  // ROUTE, SWITCH
  for (const auto& [key, route] : routes_) {
    std::pair<uint32_t, uint32_t> w{route_word(route), 0};
    if (switched.count(std::get<0>(key)) != 0) {
      const auto s = switches_.find(key);
      if (s != switches_.end()) {
        w.first = route_word(s->second.positions[0]) | reg::Route::Obey::put(1) |
                  reg::Route::PopMode::put(s->second.mode) | reg::Route::Ring::put(s->second.ring);
        w.second = switch_word(s->second);
      }
      w.first |= credit_bits(key);
    }
    words[key] = w;
  }
  std::set<Key> done;
  for (const auto& [key, word] : words) {
    if (done.count(key) != 0) continue;
    const auto [colour, row, col] = key;
    auto same = [&, colour = colour, &word = word](int r, int c) {
      const auto it = words.find({colour, r, c});
      return it != words.end() && it->second == word && done.count(it->first) == 0;
    };
    Rect rect{row, col, 1, 1};
    while (same(row, col + rect.cols)) ++rect.cols;
    for (;;) {
      bool whole_row = true;
      for (int c = 0; c < rect.cols && whole_row; ++c) whole_row = same(row + rect.rows, col + c);
      if (!whole_row) break;
      ++rect.rows;
    }
    for (int r = 0; r < rect.rows; ++r) {
      for (int c = 0; c < rect.cols; ++c) done.insert({colour, row + r, col + c});
    }
    if (switched.count(colour) != 0) {
      control.write(rect, reg::Switch::address(colour), word.second);
    }
    control.write(rect, reg::Route::address(colour), word.first);
  }
}

// ------------------------------------------------------------------------------------- filters --
void set_filter(ControlPlane& control, const Rect& rect, int index, const Filter& f) {
  if (index < 0 || index >= kNumFilters) {
    throw BadInput(fmt::format("filter {}: must be 0 to {}", index, kNumFilters - 1));
  }
  if (f.colour < 0 || f.colour >= kMaxDataColours) {
    throw BadInput(
        fmt::format("filter of colour {}: must be 0 to {}", f.colour, kMaxDataColours - 1));
  }
  if (f.low > 0xFFFF || f.high > 0xFFFF || f.count > 0xFFFF) {
    throw BadInput(
        fmt::format("filter of colour {}: limits {} and {} and count {} must be below "
                    "65536",
                    f.colour, f.low, f.high, f.count));
  }
  const uint32_t word = reg::Filter::Colour::put(f.colour) | reg::Filter::Kind::put(f.kind) |
                        reg::Filter::CountData::put(f.count_data) |
                        reg::Filter::CountCtrl::put(f.count_ctrl) |
                        reg::Filter::FilterCtrl::put(f.filter_ctrl);
  // The limits and the count follow the register; the second write starts the filter.
  control.write(rect, reg::Filter::address(index),
                std::vector<uint32_t>{
                    word, reg::FilterLimits::Low::put(f.low) | reg::FilterLimits::High::put(f.high),
                    reg::FilterCount::Count::put(f.count)});
  control.write(rect, reg::Filter::address(index), word | reg::Filter::Enable::put(1));
}

// -------------------------------------------------------------------------------------- queues --
void bind_inq(ControlPlane& control, const Rect& rect, int queue, int colour) {
  check_queue(queue, colour);
  const std::vector<std::vector<uint32_t>> words =
      control.read_rect(rect, reg::Inq::kAddress, kNumQueues);
  for (size_t i = 0; i < words.size(); ++i) {
    for (int q = 0; q < kNumQueues; ++q) {
      const uint32_t word = words[i][static_cast<size_t>(q)];
      if (q == queue || !reg::Inq::Enable::get(word) ||
          static_cast<int>(reg::Inq::Colour::get(word)) != colour) {
        continue;
      }
      const int n = static_cast<int>(i);
      throw BadInput(
          fmt::format("tile ({}, {}): colour {} for input queue {}, but queue {} has it: "
                      "a colour is served by one (unbind_queues frees it)",
                      rect.row + n / rect.cols, rect.col + n % rect.cols, colour, queue, q));
    }
  }
  control.write(rect, reg::Inq::address(queue),
                reg::Inq::Enable::put(1) | reg::Inq::Colour::put(colour));
}

void bind_outq(ControlPlane& control, const Rect& rect, int queue, int colour) {
  check_queue(queue, colour);
  control.write(rect, reg::Outq::address(queue),
                reg::Outq::Enable::put(1) | reg::Outq::Colour::put(colour));
}

void unbind_queues(ControlPlane& control, const Rect& rect) {
  control.write(rect, reg::Inq::kAddress, std::vector<uint32_t>(kNumQueues, 0));
  control.write(rect, reg::Outq::kAddress, std::vector<uint32_t>(kNumQueues, 0));
}

// -------------------------------------------------------------------------------- program, core --
std::optional<StackGuard> stack_guard(const ElfImage& image, uint32_t sram_bytes) {
  const auto value = image.find("OW_STACK_GUARD");
  const auto bytes = image.find("OW_STACK_BYTES");
  const auto guarded = image.find("OW_STACK_GUARD_BYTES");
  const auto heap = image.find("ow_heap");
  if (!value || !bytes || !guarded || !heap) return std::nullopt;
  if (uint64_t{*heap} + *bytes > sram_bytes) {
    throw BadInput(
        fmt::format("{}: {} bytes of program and data and a stack of {} do not fit the tile's {} "
                    "bytes of SRAM",
                    image.path, *heap, *bytes, sram_bytes));
  }
  return StackGuard{sram_bytes - *bytes, *guarded / 4, *value, *bytes};
}

size_t load_program(ControlPlane& control, const Rect& rect, const ElfImage& image, bool verify) {
  size_t total = 0;
  if (const auto guard = stack_guard(image, read_config(control, rect.row, rect.col).sram_bytes)) {
    control.write(rect, guard->addr, std::vector<uint32_t>(guard->words, guard->value));
    total += guard->words;
  }
  for (const ElfSegment& segment : image.segments) {
    const std::vector<uint32_t> words = segment_words(segment);
    control.write(rect, segment.addr, words);
    total += words.size();
  }
  control.fence(rect);
  if (verify) {
    for (const ElfSegment& segment : image.segments) {
      const std::vector<uint32_t> words = segment_words(segment);
      const std::vector<uint32_t> got =
          control.read_tile(rect.row, rect.col, segment.addr, words.size());
      for (size_t i = 0; i < words.size(); ++i) {
        if (got[i] != words[i]) {
          throw DeviceFault(fmt::format(
              "tile ({}, {}): 0x{:x} holds 0x{:08x} after loading {}, expected 0x{:08x}", rect.row,
              rect.col, segment.addr + 4 * i, got[i], image.path, words[i]));
        }
      }
    }
  }
  return total;
}

void set_identity(ControlPlane& control, const Rect& rect) {
  for (int r = rect.row; r < rect.row + rect.rows; ++r) {
    control.write(Rect{r, rect.col, 1, rect.cols}, kRegRow, static_cast<uint32_t>(r));
  }
  for (int c = rect.col; c < rect.col + rect.cols; ++c) {
    control.write(Rect{rect.row, c, rect.rows, 1}, kRegCol, static_cast<uint32_t>(c));
  }
}

void start_cores(ControlPlane& control, const Rect& rect, uint32_t pc) {
  control.write(rect, kRegCorePc, pc);
  control.write(rect, kRegCoreCtrl, kCoreReset);
  control.write(rect, kRegCoreCtrl, kCoreRun);
}

void halt_cores(ControlPlane& control, const Rect& rect) { control.write(rect, kRegCoreCtrl, 0u); }

CoreState parse_core(uint32_t pc, uint32_t status, uint32_t tval) {
  CoreState s;
  s.pc = pc;
  s.running = reg::CoreStatus::Running::get(status);
  s.trapped = reg::CoreStatus::Stopped::get(status);
  s.asleep = reg::CoreStatus::Asleep::get(status);
  s.waits_tensor = reg::CoreStatus::WaitsTensor::get(status);
  s.stopped_ebreak = reg::CoreStatus::Ebreak::get(status);
  s.cause = static_cast<int>(reg::CoreStatus::Cause::get(status));
  s.tval = tval;
  return s;
}

CoreState read_core(ControlPlane& control, int row, int col) {
  const auto words = control.read_many({{row, col, reg::CorePc::kAddress, 1},
                                        {row, col, reg::CoreStatus::kAddress, 1},
                                        {row, col, reg::CoreTval::kAddress, 1},
                                        {row, col, reg::EngineFault::kAddress, 1}});
  CoreState s = parse_core(words[0][0], words[1][0], words[2][0]);
  s.engine_fault = words[3][0];
  return s;
}

// ------------------------------------------------------------------------------------- counters --
// Each counter is read low word first, which latches its high word.
Counters parse_counters(const std::vector<uint32_t>& words) {
  Counters c{};
  for (size_t k = 0; k < c.size(); ++k) {
    c[k] = words[2 * k] | static_cast<uint64_t>(words[2 * k + 1]) << 32;
  }
  return c;
}

Counters read_counters(ControlPlane& control, int row, int col) {
  return parse_counters(control.read_tile(row, col, kRegCounters, 2 * kNumCounters));
}

std::vector<Counters> read_counters(ControlPlane& control, const Rect& rect) {
  std::vector<Counters> all;
  for (const std::vector<uint32_t>& words :
       control.read_rect(rect, kRegCounters, 2 * kNumCounters)) {
    all.push_back(parse_counters(words));
  }
  return all;
}

TileConfig read_config(ControlPlane& control, int row, int col) {
  const uint32_t w = control.read_tile(row, col, kRegConfig);
  TileConfig c;
  c.lanes = static_cast<int>(reg::Config::Lanes::get(w));
  c.threads = static_cast<int>(reg::Config::Threads::get(w)) + 1;
  c.colours = static_cast<int>(reg::Config::Colours::get(w));
  c.sram_bytes = reg::Config::Sram::get(w) * isa::kConfigSramUnit;
  return c;
}

void read_features(ControlPlane& control, int row, int col, TileConfig* config) {
  config->features = control.read_tile(row, col, reg::Features::kAddress);
  config->operations = control.read_tile(row, col, reg::Operations::kAddress);
}

void check_features(const Layout& layout, const TileConfig& tile) {
  using Features = reg::Features;
  const size_t positions = Features::Positions::get(tile.features);
  for (const auto& [place, route] : layout.routes()) {
    if (route.positions.size() <= positions) continue;
    const auto [row, col, colour] = place;
    throw BadInput(
        fmt::format("layout: colour {} in tile ({}, {}) has {} positions, the machine has {}",
                    colour, row, col, route.positions.size(), positions));
  }
  const size_t filters = Features::Filters::get(tile.features);
  for (const auto& [place, those] : layout.filters()) {
    if (those.size() <= filters) continue;
    throw BadInput(fmt::format("layout: tile ({}, {}) has {} filters, the machine has {}",
                               place.first, place.second, those.size(), filters));
  }
  const int queues = static_cast<int>(Features::Queues::get(tile.features));
  for (const auto& [place, those] : layout.queues()) {
    for (const Layout::Queue& q : those) {
      if (q.number < queues) continue;
      throw BadInput(fmt::format(
          "layout: '{}' is flow number {} {} tile ({}, {}), the machine has {} queues for them",
          q.name, q.number + 1, q.in ? "into" : "out of", place.first, place.second, queues));
    }
  }
  const auto count = [](const char* what, const std::vector<std::string>& names, size_t there) {
    if (names.size() <= there) return;
    throw BadInput(fmt::format("layout: '{}' is {} number {}, the machine has {} to give away",
                               names[there], what, there + 1, there));
  };
  count("descriptor", layout.descriptors(), Features::Dsrs::get(tile.features) + 1);
  count("task", layout.tasks(), Features::Tasks::get(tile.features) + 1 - isa::kFirstLocalTask);
}

void check_claims(const ElfImage& image, const TileConfig& tile) {
  const uint32_t descriptors = reg::Features::Dsrs::get(tile.features) + 1;
  const auto check = [&](const ElfClaim& claim, const char* what, uint32_t first, uint32_t end,
                         uint32_t there) {
    if (first == end || end <= there) return;
    throw BadInput(fmt::format("{}: '{}' has {}s {} to {}, the machine has {} (0 to {})",
                               image.path, claim.name, what, first, end - 1, there, there - 1));
  };
  for (const ElfClaim& claim : image.claims()) {
    check(claim, "descriptor", claim.dsr, claim.dsr_end, descriptors);
    check(claim, "thread", claim.thread, claim.thread_end, static_cast<uint32_t>(tile.threads));
  }
}

void check_numbers(const Layout& layout, const ElfImage& image) {
  for (const ElfClaim& claim : image.claims()) {
    if (claim.dsr == claim.dsr_end || layout.descriptors().size() <= claim.dsr) continue;
    throw BadInput(fmt::format("layout: '{}' is descriptor {}, which '{}' of {} has",
                               layout.descriptors()[claim.dsr], claim.dsr, claim.name, image.path));
  }
  const uint32_t tasks = image.first_named_task() - isa::kFirstLocalTask;
  if (layout.tasks().size() > tasks) {
    throw BadInput(fmt::format("layout: '{}' is task {}, {} has named tasks from there on",
                               layout.tasks()[tasks], image.first_named_task(), image.path));
  }
}

}  // namespace ow
