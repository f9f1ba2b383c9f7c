// SPDX-License-Identifier: Apache-2.0
// Loading a program into a rectangle of tiles.
#include <fmt/format.h>

#include <algorithm>

#include "runtime_state.h"

namespace ow {
namespace {

constexpr uint64_t kStartCycles = 1'000'000;  // of start-up code and ow_main
constexpr int kRowStep[4] = {-1, 0, 1, 0};
constexpr int kColStep[4] = {0, 1, 0, -1};

uint32_t out_of(int side) { return 1u << side; }

bool overlap(const Rect& a, const Rect& b) {
  return a.row < b.row + b.rows && b.row < a.row + a.rows && a.col < b.col + b.cols &&
         b.col < a.col + a.cols;
}

class Loader {
 public:
  Loader(std::shared_ptr<Runtime::State> machine, const Program& program, const Rect& rect)
      : machine_(std::move(machine)),
        program_(program),
        control_(machine_->control()),
        run_(std::make_shared<Run::State>()),
        routes_(machine_->info().grid) {
    run_->machine = machine_;
    run_->rect = rect;
  }

  std::shared_ptr<Run::State> load() {
    check_place();
    read_firmware();
    for (const Run::State::Part& part : run_->parts) {
      run_->printers.emplace_back(control_, part.rect, part.image);
    }
    if (program_.layout()) check_units(*program_.layout());
    if (program_.layout()) lay_out(*program_.layout());
    check_routes();
    replace_others();
    clear_tiles();
    for (const Run::State::Part& part : run_->parts) load_program(control_, part.rect, part.image);
    identify();
    if (program_.layout()) {
      routes_.apply(control_);
      set_filters(*program_.layout());
      bind_queues(*program_.layout());
      set_variables(*program_.layout());
    }
    for (const Run::State::Part& part : run_->parts) {
      start_cores(control_, part.rect, part.image.entry);
    }
    std::vector<const Run::State::Part*> parts;
    for (const Run::State::Part& part : run_->parts) parts.push_back(&part);
    machine_->runs.push_back(run_);
    wait_for_rest(*machine_, parts, "the start of " + run_->parts.front().image.path, kStartCycles);
    run_->read_counters();
    return run_;
  }

 private:
  void check_place() const {
    const Rect& r = run_->rect;
    const GridShape grid = machine_->info().grid;
    if (r.row < 0 || r.col < 0 || r.rows < 1 || r.cols < 1 || r.row + r.rows > grid.rows ||
        r.col + r.cols > grid.cols) {
      throw BadInput(fmt::format("program of {} x {} tiles at ({}, {}): the machine has {} x {}",
                                 r.rows, r.cols, r.row, r.col, grid.rows, grid.cols));
    }
    if (!program_.layout()) return;
    const GridShape shape = program_.layout()->shape();
    if (shape.rows != r.rows || shape.cols != r.cols) {
      throw BadInput(fmt::format("layout of {} x {} tiles for a rectangle of {} x {}", shape.rows,
                                 shape.cols, r.rows, r.cols));
    }
    if (program_.layout()->colours() > machine_->info().colours) {
      throw BadInput(fmt::format("the layout needs {} colours, the machine has {}",
                                 program_.layout()->colours(), machine_->info().colours));
    }
  }

  void read_firmware() {
    if (program_.parts().empty()) throw BadInput("program without firmware");
    for (const Program::Part& part : program_.parts()) {
      Rect at = run_->rect;
      if (part.rect) {
        const Rect& p = *part.rect;
        if (p.row < 0 || p.col < 0 || p.rows < 1 || p.cols < 1 || p.row + p.rows > at.rows ||
            p.col + p.cols > at.cols) {
          throw BadInput(
              fmt::format("{}: {} x {} tiles at ({}, {}) are not in the program's {} x "
                          "{}",
                          part.elf, p.rows, p.cols, p.row, p.col, at.rows, at.cols));
        }
        at = Rect{at.row + p.row, at.col + p.col, p.rows, p.cols};
      }
      run_->parts.push_back({at, read_elf(part.elf, machine_->info().sram_bytes)});
    }
  }

  // Switches and filters that the tiles lack. Asked of the machine only if there are some.
  void check_units(const Layout& layout) {
    const auto moves = [](const auto& route) { return route.second.positions.size() > 1; };
    if (layout.filters().empty() &&
        std::none_of(layout.routes().begin(), layout.routes().end(), moves)) {
      return;
    }
    TileConfig tile;
    read_features(control_, run_->rect.row, run_->rect.col, &tile);
    check_features(layout, tile);
  }

  void lay_out(const Layout& layout) {
    const Rect& at = run_->rect;
    for (const auto& [place, positions] : layout.routes()) {
      const auto [row, col, colour] = place;
      set_route(at.row + row, at.col + col, colour, positions);
      run_->switched = run_->switched || positions.positions.size() > 1;
    }
    for (const auto& [name, stream] : layout.streams()) {
      for (const Layout::EdgePort& port : stream.ports) {
        const StreamPort edge = reach_edge(name, stream.to_grid, port);
        (stream.to_grid ? run_->streams_in : run_->streams_out)[name].push_back(edge);
      }
    }
  }

  void set_route(int row, int col, int colour, const Switch& positions) {
    if (positions.positions.size() == 1) {
      routes_.set(row, col, colour, positions.positions.front());
    } else {
      routes_.set(row, col, colour, positions);
    }
    run_->routed.insert({row, col, colour});
  }

  // A straight way between a tile at the rectangle's side and the machine's edge.
  StreamPort reach_edge(const std::string& name, bool to_grid, const Layout::EdgePort& port) {
    const int side = static_cast<int>(port.side);
    if (!machine_->device().has_side(port.side)) {
      throw BadInput(fmt::format("stream '{}': this machine has no ports at its {} side", name,
                                 side_name(port.side)));
    }
    const GridShape grid = machine_->info().grid;
    int row = run_->rect.row + port.row + kRowStep[side];
    int col = run_->rect.col + port.col + kColStep[side];
    while (row >= 0 && col >= 0 && row < grid.rows && col < grid.cols) {
      const int back = (side + 2) % 4;
      const Route way = to_grid ? Route{static_cast<Port>(side), out_of(back)}
                                : Route{static_cast<Port>(back), out_of(side)};
      set_route(row, col, port.colour, Switch{{way}, 0, false, PopMode::None});
      row += kRowStep[side];
      col += kColStep[side];
    }
    const bool by_row = port.side == Side::West || port.side == Side::East;
    const StreamPort edge{port.side, by_row ? row : col, port.colour};
    if (!to_grid) routes_.listen(edge.side, edge.index, edge.colour);
    return edge;
  }

  void check_routes() const {
    const std::vector<std::string> defects = routes_.check();
    if (!defects.empty()) throw BadInput("layout: " + defects.front());
    for (const std::weak_ptr<Run::State>& weak : machine_->runs) {
      const std::shared_ptr<Run::State> other = weak.lock();
      if (!other || other->replaced || overlap(other->rect, run_->rect)) continue;
      for (const auto& place : run_->routed) {
        if (other->routed.count(place) == 0) continue;
        const auto [row, col, colour] = place;
        throw BadInput(fmt::format("layout: colour {} of tile ({}, {}) is used by another program",
                                   colour, row, col));
      }
    }
  }

  void replace_others() {
    auto& runs = machine_->runs;
    for (const std::weak_ptr<Run::State>& weak : runs) {
      const std::shared_ptr<Run::State> other = weak.lock();
      if (!other || !overlap(other->rect, run_->rect)) continue;
      other->replaced = true;
      reset_credits_ = reset_credits_ || other->switched;
      for (const auto* streams : {&other->streams_in, &other->streams_out}) {
        for (const auto& stream : *streams) machine_->drop_streams(stream.second);
      }
    }
    runs.erase(std::remove_if(runs.begin(), runs.end(),
                              [](const std::weak_ptr<Run::State>& weak) {
                                const auto run = weak.lock();
                                return !run || run->replaced;
                              }),
               runs.end());
  }

  void clear_tiles() {
    const Rect& at = run_->rect;
    const auto colours = static_cast<size_t>(machine_->info().colours);
    control_.write(at, kRegCoreCtrl, kCoreReset | kCoreClearQueues);
    control_.write(at, kRegSwitch, std::vector<uint32_t>(colours, 0));
    // Where switches were, credits may be with the wrong neighbour.
    control_.write(
        at, kRegRoute,
        std::vector<uint32_t>(colours, isa::reg::Route::SetCredits::put(reset_credits_)));
    unbind_queues(control_, at);
    for (uint32_t f = 0; f < kNumFilters; ++f) control_.write(at, isa::reg::Filter::address(f), 0u);
  }

  // Row and column within the rectangle.
  void identify() {
    const Rect& at = run_->rect;
    for (int r = 0; r < at.rows; ++r) {
      control_.write(Rect{at.row + r, at.col, 1, at.cols}, kRegRow, static_cast<uint32_t>(r));
    }
    for (int c = 0; c < at.cols; ++c) {
      control_.write(Rect{at.row, at.col + c, at.rows, 1}, kRegCol, static_cast<uint32_t>(c));
    }
  }

  // Writes what most tiles get by one multicast for each row, and single tiles where they differ.
  void write_tiles(uint32_t addr, const std::map<Layout::Place, uint32_t>& values) {
    for (auto it = values.begin(); it != values.end();) {
      auto end = std::next(it);
      int cols = 1;
      while (end != values.end() && end->second == it->second &&
             end->first == Layout::Place{it->first.first, it->first.second + cols}) {
        ++cols;
        ++end;
      }
      control_.write(
          Rect{run_->rect.row + it->first.first, run_->rect.col + it->first.second, 1, cols}, addr,
          it->second);
      it = end;
    }
  }

  void set_filters(const Layout& layout) {
    for (const auto& [place, filters] : layout.filters()) {
      const Rect tile{run_->rect.row + place.first, run_->rect.col + place.second, 1, 1};
      for (size_t f = 0; f < filters.size(); ++f) {
        set_filter(control_, tile, static_cast<int>(f), filters[f]);
      }
    }
  }

  void bind_queues(const Layout& layout) {
    std::map<uint32_t, std::map<Layout::Place, uint32_t>> words;  // by register
    for (const auto& [place, queues] : layout.queues()) {
      for (const Layout::Queue& q : queues) {
        using Inq = isa::reg::Inq;
        using Outq = isa::reg::Outq;
        const uint32_t reg = q.in ? Inq::address(q.number) : Outq::address(q.number);
        words[reg][place] = q.in ? Inq::Enable::put(1) | Inq::Colour::put(q.colour)
                                 : Outq::Enable::put(1) | Outq::Colour::put(q.colour);
      }
    }
    for (const auto& [reg, values] : words) write_tiles(reg, values);
  }

  void set_variables(const Layout& layout) {
    for (const Run::State::Part& part : run_->parts) {
      for (const auto& [name, values] : layout.variables()) {
        std::map<Layout::Place, uint32_t> here;
        bool needed = false;
        for (const auto& [place, value] : values) {
          const int row = run_->rect.row + place.first;
          const int col = run_->rect.col + place.second;
          if (!overlap(part.rect, Rect{row, col, 1, 1})) continue;
          here[place] = value;
          needed = needed || value != kNoQueue;
        }
        if (here.empty()) continue;
        const auto& exports = part.image.exports();
        const auto variable =
            std::find_if(exports.begin(), exports.end(),
                         [&, &n = name](const ElfExport& e) { return e.name == n; });
        if (variable == exports.end() && !needed) continue;
        if (variable == exports.end() || variable->type != ElementType::U32 ||
            !variable->dims.empty()) {
          throw BadInput(
              fmt::format("{}: must export u32 '{}', in which the layout leaves a number",
                          part.image.path, name));
        }
        write_tiles(variable->addr, here);
      }
    }
  }

  std::shared_ptr<Runtime::State> machine_;
  const Program& program_;
  ControlPlane& control_;
  std::shared_ptr<Run::State> run_;
  RouteSet routes_;
  bool reset_credits_ = false;
};

}  // namespace

std::shared_ptr<Run::State> load(std::shared_ptr<Runtime::State> machine, const Program& program,
                                 const Rect& rect) {
  return Loader(std::move(machine), program, rect).load();
}

}  // namespace ow
