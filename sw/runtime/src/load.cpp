// SPDX-License-Identifier: Apache-2.0
// Loading a program into a rectangle of tiles.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>

#include "ow/device/neighbours.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/colours.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/layout_state.h"
#include "ow/runtime/load_checks.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "rectangles.h"
#include "runtime_state.h"

namespace ow {
namespace {

constexpr uint64_t kStartCycles = 1'000'000;  // of start-up code and ow_main

uint32_t out_of(int side) { return 1u << side; }

using Place = LayoutState::Place;
using TileWords = std::map<Place, std::vector<uint32_t>>;  // consecutive words of each tile

class Loader {
 public:
  Loader(std::shared_ptr<Runtime::State> machine, const Program& program, const Rect& rect)
      : machine_(std::move(machine)),
        program_(program.state()),
        layout_(program_.layout ? &program_.layout->state() : nullptr),
        control_(machine_->control()),
        run_(std::make_shared<Run::State>()),
        routes_(machine_->info().grid) {
    run_->machine = machine_.get();
    run_->rect = rect;
  }

  std::shared_ptr<Run::State> load() {
    check_place();
    read_firmware();
    for (const Run::State::LoadedPart& part : run_->parts) {
      run_->printers.emplace_back(control_, part.rect, part.image);
    }
    check_units();
    if (layout_ != nullptr) {
      choose_colours(*layout_);
      lay_out(*layout_);
      for (const auto& [name, place] : layout_->regions) {
        run_->regions[name] =
            Rect{run_->rect.row + place.row, run_->rect.col + place.col, place.rows, place.cols};
      }
    }
    find_flows();
    check_routes();
    check_parameters();
    // From here on nothing is refused: the program that ran in these tiles is gone.
    replace_others();
    clear_tiles();
    for (const Run::State::LoadedPart& part : run_->parts)
      load_program(control_, part.rect, part.image);
    identify();
    if (layout_ != nullptr) {
      routes_.apply(control_);
      set_filters(*layout_);
      bind_queues(*layout_);
    }
    for (const auto& [addr, words] : flows_) write_tiles(addr, words);
    write_parameters();
    for (const Run::State::LoadedPart& part : run_->parts) {
      start_cores(control_, part.rect, part.image.entry);
    }
    machine_->runs.push_back(run_);
    wait_for_rest(*machine_, run_->tiles(run_->rect),
                  "the start of " + run_->parts.front().image.path, kStartCycles);
    run_->begin_counts();
    return run_;
  }

 private:
  void check_place() const {
    const Rect& r = run_->rect;
    const GridShape grid = machine_->info().grid;
    if (!fits(r, grid)) {
      throw BadInput(fmt::format("program of {} x {} tiles at ({}, {}): the machine has {} x {}",
                                 r.rows, r.cols, r.row, r.col, grid.rows, grid.cols));
    }
    if (layout_ == nullptr) return;
    const GridShape shape = layout_->shape;
    if (shape.rows != r.rows || shape.cols != r.cols) {
      throw BadInput(fmt::format("layout of {} x {} tiles for a rectangle of {} x {}", shape.rows,
                                 shape.cols, r.rows, r.cols));
    }
  }

  void read_firmware() {
    if (program_.parts.empty()) throw BadInput("program without firmware");
    for (const ProgramState::Firmware& part : program_.parts) {
      Rect at = run_->rect;
      if (part.rect) {
        const Rect& p = *part.rect;
        if (!fits(p, {at.rows, at.cols})) {
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

  // What layout and firmware need and the tiles lack, or what both claim.
  void check_units() const {
    if (layout_ != nullptr) check_features(*layout_, machine_->tile());
    for (const Run::State::LoadedPart& part : run_->parts) {
      check_claims(part.image, machine_->tile());
    }
  }

  // The machine's colours for the layout's nets. Streams of different programs cross each other's
  // tiles on different colours.
  void choose_colours(const LayoutState& layout) {
    std::vector<std::set<Place>> tiles(layout.nets.size());
    for (const auto& [place, positions] : layout.routes) {
      const auto [row, col, net] = place;
      tiles[static_cast<size_t>(net)].insert({run_->rect.row + row, run_->rect.col + col});
    }
    for (const auto& named : layout.streams) {
      for (const LayoutState::EdgePort& port : named.second.ports) {
        for (const Place& place : way_to_edge(port)) {
          tiles[static_cast<size_t>(port.net)].insert(place);
        }
      }
    }
    ColourProblem problem;
    problem.colours = machine_->info().colours;
    for (const std::set<Place>& net : tiles) problem.nets.emplace_back(net.begin(), net.end());
    for (const auto& [row, col, colour] : routes_of_others()) {
      problem.taken[{row, col}] |= uint32_t{1} << colour;
    }
    const std::optional<std::vector<int>> found = assign_colours(problem);
    if (!found) refuse_colours(layout, problem);
    colour_ = *found;
  }

  // Names the tile with the most colours.
  [[noreturn]] void refuse_colours(const LayoutState& layout, const ColourProblem& problem) const {
    std::map<Place, int> crowd;
    for (const std::vector<Place>& net : problem.nets) {
      for (const Place& tile : net) ++crowd[tile];
    }
    const auto others = [&](const Place& tile) {
      const auto taken = problem.taken.find(tile);
      return taken == problem.taken.end()
                 ? 0
                 : static_cast<int>(std::bitset<32>(taken->second).count());
    };
    Place worst = crowd.begin()->first;
    for (const auto& [tile, nets] : crowd) {
      if (nets + others(tile) > crowd[worst] + others(worst)) worst = tile;
    }
    const int there = others(worst);
    const std::string where = fmt::format(
        "tile ({}, {}){}", worst.first, worst.second,
        layout.region_text({worst.first - run_->rect.row, worst.second - run_->rect.col}));
    const std::string own =
        fmt::format("layout: {} colours pass {}{}", crowd[worst], where,
                    there == 0 ? "" : fmt::format(", beside {} of other programs", there));
    const bool full = crowd[worst] + there > problem.colours;
    throw BadInput(fmt::format(
        "{}{} the machine has {}{}", own, full ? ":" : ", the most of any tile;", problem.colours,
        full ? "" : ", and no choice of colours was found in which all differ that meet"));
  }

  int machine_colour(int net) const { return colour_[static_cast<size_t>(net)]; }

  void lay_out(const LayoutState& layout) {
    const Rect& at = run_->rect;
    for (const auto& [place, positions] : layout.routes) {
      const auto [row, col, net] = place;
      set_route(at.row + row, at.col + col, machine_colour(net), positions);
      run_->switched = run_->switched || positions.positions.size() > 1;
    }
    for (const auto& [name, stream] : layout.streams) {
      for (const LayoutState::EdgePort& port : stream.ports) {
        const StreamPort edge = reach_edge(name, stream.to_grid, port);
        (stream.to_grid ? run_->streams_in : run_->streams_out)[name].push_back(edge);
      }
      if (stream.parts > 1) run_->parts_of[name] = stream.parts;
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
  StreamPort reach_edge(const std::string& name, bool to_grid, const LayoutState::EdgePort& port) {
    const int side = static_cast<int>(port.side);
    if (!machine_->device().has_side(port.side)) {
      throw BadInput(fmt::format("stream '{}': this machine has no ports at its {} side", name,
                                 side_name(port.side)));
    }
    const int colour = machine_colour(port.net);
    for (const auto& [row, col] : way_to_edge(port)) {
      const int back = (side + 2) % 4;
      const Route way = to_grid ? Route{static_cast<Port>(side), out_of(back)}
                                : Route{static_cast<Port>(back), out_of(side)};
      set_route(row, col, colour, Switch{{way}, 0, false, PopMode::None});
    }
    const bool by_row = port.side == Side::West || port.side == Side::East;
    const StreamPort edge{port.side, by_row ? run_->rect.row + port.row : run_->rect.col + port.col,
                          colour};
    if (!to_grid) routes_.listen(edge.side, edge.index, edge.colour);
    return edge;
  }

  // The tiles between a tile at the rectangle's side and the machine's edge.
  std::vector<Place> way_to_edge(const LayoutState::EdgePort& port) const {
    const int side = static_cast<int>(port.side);
    const GridShape grid = machine_->info().grid;
    std::vector<Place> way;
    int row = run_->rect.row + port.row + kRowStep[side];
    int col = run_->rect.col + port.col + kColStep[side];
    while (row >= 0 && col >= 0 && row < grid.rows && col < grid.cols) {
      way.emplace_back(row, col);
      row += kRowStep[side];
      col += kColStep[side];
    }
    return way;
  }

  // Row, column and colour of all routes of programs that stay.
  std::set<std::tuple<int, int, int>> routes_of_others() const {
    std::set<std::tuple<int, int, int>> routes;
    for (const std::shared_ptr<Run::State>& other : machine_->runs) {
      if (overlap(other->rect, run_->rect)) continue;
      routes.insert(other->routed.begin(), other->routed.end());
    }
    return routes;
  }

  void check_routes() const {
    const std::vector<std::string> defects = routes_.check();
    if (!defects.empty()) throw BadInput("layout: " + defects.front());
  }

  void replace_others() {
    auto& runs = machine_->runs;
    for (const std::shared_ptr<Run::State>& other : runs) {
      if (!overlap(other->rect, run_->rect)) continue;
      reset_credits_ = reset_credits_ || other->switched;
      machine_->drop_streams(*other);
      other->replaced = true;
    }
    runs.erase(std::remove_if(runs.begin(), runs.end(),
                              [](const std::shared_ptr<Run::State>& run) { return run->replaced; }),
               runs.end());
  }

  void clear_tiles() {
    const Rect& at = run_->rect;
    control_.write(at, kRegCoreCtrl, kCoreReset | kCoreClearQueues);
    clear_routes();
    unbind_queues(control_, at);
    for (int f = 0; f < machine_->info().filters; ++f) {
      control_.write(at, isa::reg::Filter::address(f), 0u);
    }
  }

  // All colours of the tiles except those on which streams of other programs pass.
  void clear_routes() {
    const Rect& at = run_->rect;
    std::map<int, std::set<Place>> passed;  // by colour
    for (const auto& [row, col, colour] : routes_of_others()) {
      if (overlap(at, Rect{row, col, 1, 1})) passed[colour].insert({row, col});
    }
    // A switch may have left credits with the wrong neighbour.
    const uint32_t none = isa::reg::Route::SetCredits::put(reset_credits_);
    const auto clear = [&](const Rect& rect, int colour, size_t colours) {
      control_.write(rect, isa::reg::Switch::address(colour), std::vector<uint32_t>(colours, 0));
      control_.write(rect, isa::reg::Route::address(colour), std::vector<uint32_t>(colours, none));
    };
    int free = 0;  // the first colour that has not been cleared
    const auto clear_before = [&](int end) {
      if (end > free) clear(at, free, static_cast<size_t>(end - free));
      free = end + 1;
    };
    for (const auto& [colour, tiles] : passed) {
      clear_before(colour);
      for (int r = at.row; r < at.row + at.rows; ++r) {
        for (int c = at.col; c < at.col + at.cols; ++c) {
          if (tiles.count({r, c}) == 0) clear(Rect{r, c, 1, 1}, colour, 1);
        }
      }
    }
    clear_before(machine_->info().colours);
  }

  // Row and column within the part that the firmware stands in.
  void identify() {
    for (const Run::State::LoadedPart& part : run_->parts) {
      const Rect& at = part.rect;
      for (int r = 0; r < at.rows; ++r) {
        control_.write(Rect{at.row + r, at.col, 1, at.cols}, kRegRow, static_cast<uint32_t>(r));
      }
      for (int c = 0; c < at.cols; ++c) {
        control_.write(Rect{at.row, at.col + c, at.rows, 1}, kRegCol, static_cast<uint32_t>(c));
      }
    }
  }

  void write_tiles(uint32_t addr, const TileWords& values) {
    in_rectangles(values, [&](const Rect& rect, const std::vector<uint32_t>& words) {
      control_.write(
          Rect{run_->rect.row + rect.row, run_->rect.col + rect.col, rect.rows, rect.cols}, addr,
          words);
    });
  }

  void set_filters(const LayoutState& layout) {
    for (const auto& [place, filters] : layout.filters) {
      const Rect tile{run_->rect.row + place.first, run_->rect.col + place.second, 1, 1};
      for (size_t f = 0; f < filters.size(); ++f) {
        Filter filter = filters[f];
        filter.colour = machine_colour(filter.colour);
        set_filter(control_, tile, static_cast<int>(f), filter);
      }
    }
  }

  void bind_queues(const LayoutState& layout) {
    std::map<uint32_t, TileWords> words;  // by register
    for (const auto& [place, queues] : layout.queues) {
      for (const LayoutState::Queue& q : queues) {
        using Inq = isa::reg::Inq;
        using Outq = isa::reg::Outq;
        const uint32_t reg = q.in ? Inq::address(q.number) : Outq::address(q.number);
        const int colour = machine_colour(q.net);
        words[reg][place] = {q.in ? Inq::Enable::put(1) | Inq::Colour::put(colour)
                                  : Outq::Enable::put(1) | Outq::Colour::put(colour)};
      }
    }
    for (const auto& [reg, values] : words) write_tiles(reg, values);
  }

  // What the tiles of a part learn of the flows that its firmware knows. A flow that the layout
  // does not have has no queues.
  void find_flows() {
    constexpr uint32_t kNone = LayoutState::kNoQueue;
    using Ends = std::map<Place, LayoutState::Ends>;
    const std::map<std::string, Ends> none;
    const std::map<std::string, Ends>& flows = layout_ == nullptr ? none : layout_->flows;
    for (const Run::State::LoadedPart& part : run_->parts) {
      const Rect at{part.rect.row - run_->rect.row, part.rect.col - run_->rect.col, part.rect.rows,
                    part.rect.cols};
      std::set<std::string> known;
      for (const ElfFlow& flow : part.image.flows()) {
        known.insert(flow.name);
        TileWords words;
        for (int r = at.row; r < at.row + at.rows; ++r) {
          for (int c = at.col; c < at.col + at.cols; ++c) words[{r, c}] = {kNone, kNone, 0};
        }
        const auto laid = flows.find(flow.name);
        if (laid != flows.end()) {
          for (const auto& [tile, ends] : laid->second) {
            const auto here = words.find(tile);
            if (here != words.end()) here->second = {ends.in, ends.out, ends.end};
          }
        }
        flows_.emplace_back(flow.addr, std::move(words));
      }
      for (const auto& [name, ends] : flows) {
        if (known.count(name) == 0) check_no_end(part, at, name, ends);
      }
    }
  }

  void check_no_end(const Run::State::LoadedPart& part, const Rect& at, const std::string& flow,
                    const std::map<Place, LayoutState::Ends>& ends) const {
    for (const auto& end : ends) {
      const auto [row, col] = end.first;
      if (!overlap(at, Rect{row, col, 1, 1})) continue;
      throw BadInput(fmt::format("{}: no OW_FLOW({}), but the layout has '{}' in tile ({}, {}){}",
                                 part.image.path, flow, flow, row, col,
                                 layout_->region_text(end.first)));
    }
  }

  void check_parameters() const {
    for (const ProgramState::Parameter& p : program_.parameters) {
      run_->target(p.name, p.type, p.count, p.mapping, run_->rect);
    }
  }

  // Like any copy of arrays, it waits for earlier writes.
  void write_parameters() {
    if (program_.parameters.empty()) return;
    machine_->written(run_->rect);
    for (const ProgramState::Parameter& p : program_.parameters) {
      run_->write(p.name, p.type, p.bytes.data(), p.count, p.mapping, run_->rect)
          ->wait(Event::kCycleLimit);
    }
  }

  std::shared_ptr<Runtime::State> machine_;
  const ProgramState& program_;
  const LayoutState* layout_;  // or null
  ControlPlane& control_;
  std::shared_ptr<Run::State> run_;
  RouteSet routes_;
  std::vector<int> colour_;                            // of the machine, by the layout's
  std::vector<std::pair<uint32_t, TileWords>> flows_;  // by address
  bool reset_credits_ = false;
};

// What a Run and the Events of its launches share.
struct Handle {
  std::shared_ptr<Runtime::State> machine;
  std::shared_ptr<Run::State> run;
  Handle(std::shared_ptr<Runtime::State> of, std::shared_ptr<Run::State> loaded)
      : machine(std::move(of)), run(std::move(loaded)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { machine->end_callbacks(*run); }
};

}  // namespace

std::shared_ptr<Run::State> load(std::shared_ptr<Runtime::State> machine, const Program& program,
                                 const Rect& rect) {
  std::shared_ptr<Run::State> run = Loader(machine, program, rect).load();
  Run::State* state = run.get();
  return {std::make_shared<Handle>(std::move(machine), std::move(run)), state};
}

}  // namespace ow
