// SPDX-License-Identifier: Apache-2.0
// Patterns of flows: which nets they are made of, and the routes of a net.
#include <fmt/format.h>

#include <algorithm>

#include "openwafer/error.h"
#include "openwafer/layout.h"
#include "ow/device/neighbours.h"
#include "ow/isa/isa.h"
#include "ow/runtime/layout_state.h"

namespace ow {
namespace {

using Place = LayoutState::Place;

Port port_of(Side side) { return static_cast<Port>(static_cast<int>(side)); }
uint32_t out_of(Side side) { return 1u << static_cast<int>(side); }
Side opposite_side(Side side) { return static_cast<Side>((static_cast<int>(side) + 2) % 4); }

// The tiles of each line of the rectangle that runs towards a side, in that direction.
std::vector<std::vector<Place>> lines(const Rect& rect, Side towards) {
  const bool rows = towards == Side::West || towards == Side::East;
  std::vector<std::vector<Place>> lines;
  for (int i = 0; i < (rows ? rect.rows : rect.cols); ++i) {
    std::vector<Place> line;
    for (int k = 0; k < (rows ? rect.cols : rect.rows); ++k) {
      line.emplace_back(rect.row + (rows ? i : k), rect.col + (rows ? k : i));
    }
    if (towards == Side::West || towards == Side::North) std::reverse(line.begin(), line.end());
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Place> tiles_of(const Rect& rect) {
  std::vector<Place> tiles;
  for (int r = 0; r < rect.rows; ++r) {
    for (int c = 0; c < rect.cols; ++c) tiles.emplace_back(rect.row + r, rect.col + c);
  }
  return tiles;
}

LayoutState::EdgePort edge_port(const Place& tile, Side side, int net) {
  return {tile.first, tile.second, side, net};
}

}  // namespace

// ----------------------------------------------------------------------------------------- nets --
std::map<Place, Route> LayoutState::ways(const Connection& connection) {
  std::map<Place, Route> ways;
  ways[connection.source].in = Port::Ramp;
  for (const Place& goal : connection.to) {
    Place at = connection.source;
    const auto step = [&](Side side) {
      ways[at].out_mask |= out_of(side);
      at.first += kRowStep[static_cast<int>(side)];
      at.second += kColStep[static_cast<int>(side)];
      ways[at].in = port_of(opposite_side(side));
    };
    const auto along_row = [&] {
      while (at.second != goal.second) step(at.second < goal.second ? Side::East : Side::West);
    };
    if (connection.row_first) along_row();
    while (at.first != goal.first) step(at.first < goal.first ? Side::South : Side::North);
    along_row();
    ways[at].out_mask |= kOutRamp;
  }
  return ways;
}

void LayoutState::check_free(const std::string& flow,
                             const std::vector<Connection>& connections) const {
  for (const Connection& c : connections) {
    check_free(flow, false, c.source);
    for (const Place& goal : c.to) check_free(flow, true, goal);
  }
}

void LayoutState::connect(const std::string& flow, const std::string& name,
                          const std::vector<Connection>& connections) {
  for (const Connection& c : connections) {
    const int net = add_net(name);
    for (const auto& [tile, way] : ways(c)) route(tile, net, way);
    queue(flow, false, c.source, net);
    for (const Place& goal : c.to) queue(flow, true, goal, net);
  }
}

int LayoutState::crowd(const Connection& connection) const {
  long most = 0;
  for (const auto& way : ways(connection)) {
    const auto [row, col] = way.first;
    const auto first = routes.lower_bound({row, col, 0});
    const auto end = routes.lower_bound({row, col + 1, 0});
    most = std::max<long>(most, std::distance(first, end));
  }
  return static_cast<int>(most);
}

// ------------------------------------------------------------------------ between host and tiles
// -- The name of a new stream that all tiles of the rectangle receive (`in`) or send.
static std::string take_stream(LayoutState* layout, const std::string& flow,
                               const std::string& stream, const Rect& rect, bool in) {
  for (const Place& tile : tiles_of(rect)) layout->check_free(flow, in, tile);
  layout->take_name(stream);
  return stream;
}

void Region::broadcast(const std::string& name, Side from) {
  LayoutState& layout = *layout_;
  const std::string stream = take_stream(&layout, name, name_of(name), rect_, true);
  const Side towards = opposite_side(from);
  for (const std::vector<Place>& line : lines(rect_, towards)) {
    const int net = layout.add_net(stream);
    for (const Place& tile : line) {
      const uint32_t on = tile == line.back() ? 0 : out_of(towards);
      layout.route(tile, net, Route{port_of(from), kOutRamp | on});
      layout.queue(name, true, tile, net);
    }
    layout.streams[stream].ports.push_back(edge_port(line.front(), from, net));
  }
}

void Region::gather(const std::string& name, Side to) {
  LayoutState& layout = *layout_;
  const std::string stream = take_stream(&layout, name, name_of(name), rect_, false);
  const uint32_t advance = switch_command(0, Command::Advance);
  uint32_t reset = 0;  // of every router on the way, however long: the list goes round
  for (int slot = 0; slot < isa::kNumCommands; ++slot) {
    reset |= switch_command(slot, Command::Reset);
  }
  layout.streams[stream].to_grid = false;
  for (const std::vector<Place>& line : lines(rect_, to)) {
    const int net = layout.add_net(stream);
    for (const Place& tile : line) {
      const Route own{Port::Ramp, out_of(to)};
      const Route pass{port_of(opposite_side(to)), out_of(to)};
      // The first tile of the line has no tile after it and resets all switches. The others let
      // their neighbours pass after the control wavelet has gone through their own router, which
      // removes its command.
      const bool first = tile == line.front();
      if (first) {
        layout.route(tile, net, own);
      } else {
        layout.route(tile, net, Switch{{own, pass}, 0, false, PopMode::Always});
      }
      layout.queue(name, false, tile, net);
      if (line.size() > 1) layout.flows[name][tile].end = first ? reset : advance;
    }
    layout.streams[stream].ports.push_back(edge_port(line.back(), to, net));
  }
}

// A tile takes words until the host's control wavelet moves its switch; from then on it passes all
// words. The last tile has two equal positions, so its router also keeps the resetting control
// wavelet from its ramp.
void Region::scatter(const std::string& name, Side from) {
  LayoutState& layout = *layout_;
  const std::string stream = take_stream(&layout, name, name_of(name), rect_, true);
  const Side towards = opposite_side(from);
  for (const std::vector<Place>& line : lines(rect_, towards)) {
    const int net = layout.add_net(stream);
    for (const Place& tile : line) {
      const Route own{port_of(from), kOutRamp};
      const Route pass{port_of(from), out_of(towards)};
      if (line.size() == 1) {
        layout.route(tile, net, own);
      } else {
        const bool last = tile == line.back();
        layout.route(tile, net, Switch{{own, last ? own : pass}, 0, false, PopMode::None});
      }
      layout.queue(name, true, tile, net);
    }
    layout.streams[stream].parts = line.size();
    layout.streams[stream].ports.push_back(edge_port(line.front(), from, net));
  }
}

void Region::enter(const std::string& name, Side from, int row, int col) {
  const Rect goal = tile(row, col);
  layout_->check_free(name, true, {goal.row, goal.col});
  const int net = flow_colour(name);
  const Side towards = opposite_side(from);
  for (const std::vector<Place>& line : lines(rect_, towards)) {
    const auto at = std::find(line.begin(), line.end(), Place{goal.row, goal.col});
    if (at == line.end()) continue;
    for (auto tile = line.begin(); tile != at; ++tile) {
      layout_->route(*tile, net, Route{port_of(from), out_of(towards)});
    }
    layout_->route(*at, net, Route{port_of(from), kOutRamp});
    layout_->queue(name, true, *at, net);
    layout_->streams[name_of(name)].ports.push_back(edge_port(line.front(), from, net));
  }
}

void Region::leave(const std::string& name, int row, int col, Side to) {
  const Rect source = tile(row, col);
  layout_->check_free(name, false, {source.row, source.col});
  const int net = flow_colour(name);
  for (const std::vector<Place>& line : lines(rect_, to)) {
    const auto at = std::find(line.begin(), line.end(), Place{source.row, source.col});
    if (at == line.end()) continue;
    layout_->route(*at, net, Route{Port::Ramp, out_of(to)});
    for (auto tile = at + 1; tile != line.end(); ++tile) {
      layout_->route(*tile, net, Route{port_of(opposite_side(to)), out_of(to)});
    }
    layout_->queue(name, false, *at, net);
    LayoutState::Stream& stream = layout_->streams[name_of(name)];
    stream.to_grid = false;
    stream.ports.push_back(edge_port(line.back(), to, net));
  }
}

// A net for each hop: a ramp receives on one colour and sends on another.
void Region::chain(const std::string& name, Side towards, bool enter, bool leave) {
  LayoutState& layout = *layout_;
  const std::string stream = name_of(name);
  const std::vector<std::vector<Place>> all = lines(rect_, towards);
  const Side from = opposite_side(towards);
  std::vector<LayoutState::Connection> hops;
  for (const std::vector<Place>& line : all) {
    for (size_t k = 0; k + 1 < line.size(); ++k) hops.push_back({line[k], {line[k + 1]}});
    if (enter) layout.check_free(name, true, line.front());
    if (leave) layout.check_free(name, false, line.back());
  }
  layout.check_free(name, hops);
  layout.take_name(stream);
  const std::string out = enter && leave ? stream + ".out" : stream;
  if (out != stream) layout.take_name(out);
  layout.connect(name, stream, hops);
  for (const std::vector<Place>& line : all) {
    if (enter) {
      const int net = layout.add_net(stream);
      layout.route(line.front(), net, Route{port_of(from), kOutRamp});
      layout.queue(name, true, line.front(), net);
      layout.streams[stream].ports.push_back(edge_port(line.front(), from, net));
    }
    if (leave) {
      const int net = layout.add_net(stream);
      layout.route(line.back(), net, Route{Port::Ramp, out_of(towards)});
      layout.queue(name, false, line.back(), net);
      layout.streams[out].to_grid = false;
      layout.streams[out].ports.push_back(edge_port(line.back(), towards, net));
    }
  }
  layout.flows[name];  // a line of one tile has no end, but firmware may ask for it
}

// -------------------------------------------------------------------------------- between tiles --
namespace {

void connect_all(LayoutState* layout, const std::string& flow, const std::string& name,
                 const std::vector<LayoutState::Connection>& connections) {
  layout->check_free(flow, connections);
  layout->take_name(name);
  layout->connect(flow, name, connections);
}

// From one tile to the others of `area`.
LayoutState::Connection broadcast_to(const std::string& name, const Rect& area, const Rect& source,
                                     bool itself) {
  const Place from{source.row, source.col};
  std::vector<Place> to = tiles_of(area);
  if (!itself) to.erase(std::remove(to.begin(), to.end(), from), to.end());
  if (to.empty()) {
    throw BadInput(fmt::format("layout: '{}': a broadcast to no other tile", name));
  }
  return {from, std::move(to)};
}

}  // namespace

void Region::ring(const std::string& name, Side towards) {
  std::vector<LayoutState::Connection> hops;
  for (const std::vector<Place>& line : lines(rect_, towards)) {
    for (size_t k = 0; k < line.size(); ++k) {
      hops.push_back({line[k], {line[(k + 1) % line.size()]}});
    }
  }
  connect_all(layout_.get(), name, name_of(name), hops);
}

void Region::broadcast(const std::string& name, int row, int col, bool itself) {
  const std::string full = name_of(name);
  connect_all(layout_.get(), name, full, {broadcast_to(full, rect_, tile(row, col), itself)});
}

void Region::broadcast_rows(const std::string& name, int col, bool itself) {
  const std::string full = name_of(name);
  std::vector<LayoutState::Connection> all;
  for (int r = 0; r < rect_.rows; ++r) {
    all.push_back(broadcast_to(full, row(r), tile(r, col), itself));
  }
  connect_all(layout_.get(), name, full, all);
}

void Region::broadcast_columns(const std::string& name, int row, bool itself) {
  const std::string full = name_of(name);
  std::vector<LayoutState::Connection> all;
  for (int c = 0; c < rect_.cols; ++c) {
    all.push_back(broadcast_to(full, column(c), tile(row, c), itself));
  }
  connect_all(layout_.get(), name, full, all);
}

void Layout::flow(const std::string& name, const Rect& senders, const Rect& receivers) {
  if (name.empty()) throw BadInput("layout: a name is empty");
  const auto text = [](const Rect& r) {
    return fmt::format("{} x {} tiles at ({}, {})", r.rows, r.cols, r.row, r.col);
  };
  for (const Rect& rect : {senders, receivers}) {
    if (fits(rect, shape())) continue;
    throw BadInput(fmt::format("layout: flow '{}' names {}: the layout has {} x {}", name,
                               text(rect), shape().rows, shape().cols));
  }
  const std::vector<Place> from = tiles_of(senders);
  const std::vector<Place> goals = tiles_of(receivers);
  std::vector<std::vector<Place>> to(from.size());
  if (from.size() == 1) {
    to.front() = goals;
  } else if (from.size() == goals.size()) {
    for (size_t k = 0; k < goals.size(); ++k) to[k] = {goals[k]};
  } else if (senders.cols == 1 && senders.rows == receivers.rows) {
    for (const Place& tile : goals)
      to[static_cast<size_t>(tile.first - receivers.row)].push_back(tile);
  } else if (senders.rows == 1 && senders.cols == receivers.cols) {
    for (const Place& tile : goals) {
      to[static_cast<size_t>(tile.second - receivers.col)].push_back(tile);
    }
  } else {
    throw BadInput(
        fmt::format("layout: flow '{}' from {} to {}: the senders are one tile, as many "
                    "as the receivers, or a column or row of the receivers' length",
                    name, text(senders), text(receivers)));
  }
  std::vector<LayoutState::Connection> all;
  for (size_t k = 0; k < from.size(); ++k) {
    LayoutState::Connection along_row{from[k], to[k], true};
    LayoutState::Connection along_column{from[k], to[k], false};
    const bool row_first = layout_->crowd(along_row) <= layout_->crowd(along_column);
    all.push_back(row_first ? std::move(along_row) : std::move(along_column));
  }
  layout_->check_free(name, all);
  layout_->connect(name, name, all);
}

}  // namespace ow
