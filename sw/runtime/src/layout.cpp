// SPDX-License-Identifier: Apache-2.0
// Layouts: names, colours, routes, queues, and the host's ends. Patterns of flows: flows.cpp.
#include "openwafer/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "openwafer/error.h"
#include "ow/device/neighbours.h"
#include "ow/isa/isa.h"
#include "ow/runtime/layout_state.h"

namespace ow {
namespace {

std::string rect_text(const Rect& rect) {
  return fmt::format("{} x {} tiles at ({}, {})", rect.rows, rect.cols, rect.row, rect.col);
}

}  // namespace

uint32_t switch_command(int slot, Command what, bool not_to_ramp) {
  constexpr isa::SwitchOp kOps[] = {isa::SwitchOp::Nop, isa::SwitchOp::Advance,
                                    isa::SwitchOp::Reset, isa::SwitchOp::Teardown};
  return isa::Control::Commands::put(slot, isa::Command::Op::put(kOps[static_cast<size_t>(what)]) |
                                               isa::Command::Noce::put(not_to_ramp));
}

// --------------------------------------------------------------------------- the layout's state --
int LayoutState::add_net(const std::string& flow) {
  nets.push_back(flow);
  return static_cast<int>(nets.size()) - 1;
}

void LayoutState::route(const Place& tile, int net, const Switch& positions) {
  routes[{tile.first, tile.second, net}] = positions;
}

void LayoutState::check_free(const std::string& flow, bool in, const Place& tile) const {
  const auto ends = flows.find(flow);
  if (ends == flows.end()) return;
  const auto there = ends->second.find(tile);
  if (there == ends->second.end()) return;
  if ((in ? there->second.in : there->second.out) == kNoQueue) return;
  throw BadInput(fmt::format("layout: '{}' has two {} in tile ({}, {}){}", flow,
                             in ? "inputs" : "outputs", tile.first, tile.second,
                             region_text(tile)));
}

void LayoutState::queue(const std::string& flow, bool in, const Place& tile, int net) {
  std::vector<Queue>& there = queues[tile];
  for (const Queue& other : there) {
    if (in && other.in && other.net == net) {
      throw BadInput(
          fmt::format("layout: '{}' and '{}' both take colour {} in tile ({}, {}): a "
                      "colour is served by one input queue",
                      other.name, flow, net, tile.first, tile.second));
    }
  }
  check_free(flow, in, tile);
  const auto used =
      std::count_if(there.begin(), there.end(), [in](const Queue& q) { return q.in == in; });
  there.push_back({in, static_cast<int>(used), net, flow});
  Ends& ends = flows[flow][tile];
  (in ? ends.in : ends.out) = static_cast<uint32_t>(used);
}

LayoutState::Stream& LayoutState::host_stream(const std::string& name, bool to_grid) {
  const auto [stream, is_new] = streams.try_emplace(name);
  if (is_new) {
    stream->second.to_grid = to_grid;
    host_streams.insert(name);
  } else if (host_streams.count(name) == 0 || stream->second.to_grid != to_grid) {
    refuse_taken(name);
  }
  return stream->second;
}

void LayoutState::take_name(const std::string& name) {
  if (host_streams.count(name) != 0 || !names.insert(name).second) refuse_taken(name);
}

void LayoutState::refuse_taken(const std::string& name) const {
  throw BadInput(fmt::format("layout: the name '{}' is taken", name));
}

std::string LayoutState::region_text(const Place& tile) const {
  const auto tiles = [](const Rect& rect) { return static_cast<long>(rect.rows) * rect.cols; };
  const std::string* name = nullptr;
  long least = 0;
  for (const auto& [region, rect] : regions) {
    if (!overlap(rect, Rect{tile.first, tile.second, 1, 1})) continue;
    if (name != nullptr && tiles(rect) >= least) continue;
    name = &region;
    least = tiles(rect);
  }
  return name == nullptr ? "" : fmt::format(" of region '{}'", *name);
}

// -------------------------------------------------------------------------------------- regions --
Region::Region(std::shared_ptr<LayoutState> layout, std::string name, const Rect& rect)
    : layout_(std::move(layout)), name_(std::move(name)), rect_(rect) {}

Rect Region::row(int row) const {
  const Rect tiles{rect_.row + row, rect_.col, 1, rect_.cols};
  tile(row, 0);  // checks it
  return tiles;
}

Rect Region::column(int col) const {
  tile(0, col);  // checks it
  return {rect_.row, rect_.col + col, rect_.rows, 1};
}

Rect Region::tile(int row, int col) const {
  if (row < 0 || col < 0 || row >= rect_.rows || col >= rect_.cols) {
    throw BadInput(fmt::format("layout: tile ({}, {}) of {} x {}{}", row, col, rect_.rows,
                               rect_.cols,
                               name_.empty() ? "" : fmt::format(" of region '{}'", name_)));
  }
  return {rect_.row + row, rect_.col + col, 1, 1};
}

int Region::colour(const std::string& name) { return flow_colour(name); }

void Region::route(int row, int col, int colour, const Switch& positions) {
  const Rect at = tile(row, col);
  const size_t there = layout_->nets.size();
  if (colour < 0 || static_cast<size_t>(colour) >= there) {
    throw BadInput(fmt::format("layout: colour {}: {} have been given out", colour, there));
  }
  layout_->route({at.row, at.col}, colour, positions);
}

void Region::filter(int row, int col, const Filter& filter) {
  const Rect at = tile(row, col);
  const size_t there = layout_->nets.size();
  if (filter.colour < 0 || static_cast<size_t>(filter.colour) >= there) {
    throw BadInput(fmt::format("layout: filter of colour {}: {} colours have been given out",
                               filter.colour, there));
  }
  std::vector<Filter>& filters = layout_->filters[{at.row, at.col}];
  for (const Filter& other : filters) {
    if (other.colour == filter.colour) {
      throw BadInput(fmt::format("layout: tile ({}, {}) has two filters of colour {}", at.row,
                                 at.col, filter.colour));
    }
  }
  filters.push_back(filter);
}

void Region::tile_receives(const std::string& name, int row, int col, int colour) {
  const Rect at = tile(row, col);
  layout_->queue(name, true, {at.row, at.col}, colour);
}
void Region::tile_sends(const std::string& name, int row, int col, int colour) {
  const Rect at = tile(row, col);
  layout_->queue(name, false, {at.row, at.col}, colour);
}

void Region::host_sends(const std::string& name, Side from, int row, int col, int colour) {
  const Rect at = tile(row, col);
  layout_->host_stream(name_of(name), true).ports.push_back({at.row, at.col, from, colour});
}
void Region::host_receives(const std::string& name, int row, int col, Side to, int colour) {
  const Rect at = tile(row, col);
  layout_->host_stream(name_of(name), false).ports.push_back({at.row, at.col, to, colour});
}

std::string Region::name_of(const std::string& flow) const {
  if (flow.empty()) throw BadInput("layout: a name is empty");
  return name_.empty() ? flow : name_ + "." + flow;
}

int Region::flow_colour(const std::string& name) {
  const std::string full = name_of(name);
  layout_->take_name(full);
  return layout_->add_net(full);
}

// --------------------------------------------------------------------------------------- layout --
Layout::Layout(GridShape shape) : Region(std::make_shared<LayoutState>(shape), "", whole(shape)) {
  if (shape.rows < 1 || shape.cols < 1) {
    throw BadInput(
        fmt::format("layout of {} x {} tiles: must be at least 1 x 1", shape.rows, shape.cols));
  }
}

Layout::Layout(const Layout& other)
    : Region(std::make_shared<LayoutState>(*other.layout_), "", other.rect()) {}

Layout& Layout::operator=(const Layout& other) {
  if (this != &other) Region::operator=(Layout(other));
  return *this;
}

Region Layout::region(const std::string& name, const Rect& rect) {
  if (name.empty() || name.find('.') != std::string::npos) {
    throw BadInput(fmt::format("layout: region '{}': a name has no '.' and is not empty", name));
  }
  if (!fits(rect, shape())) {
    throw BadInput(fmt::format("layout: region '{}' of {}: the layout has {} x {}", name,
                               rect_text(rect), shape().rows, shape().cols));
  }
  if (!layout_->regions.emplace(name, rect).second) layout_->refuse_taken(name);
  return {layout_, name, rect};
}

}  // namespace ow
