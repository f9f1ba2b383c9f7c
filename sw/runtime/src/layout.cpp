// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "openwafer/error.h"
#include "openwafer/program.h"
#include "ow/isa/isa.h"

namespace ow {

uint32_t switch_command(int slot, Command what, bool not_to_ramp) {
  constexpr isa::SwitchOp kOps[] = {isa::SwitchOp::Nop, isa::SwitchOp::Advance,
                                    isa::SwitchOp::Reset, isa::SwitchOp::Teardown};
  return isa::Control::Commands::put(slot, isa::Command::Op::put(kOps[static_cast<size_t>(what)]) |
                                               isa::Command::Noce::put(not_to_ramp));
}

namespace {

Port port_of(Side side) { return static_cast<Port>(static_cast<int>(side)); }
uint32_t out_of(Side side) { return 1u << static_cast<int>(side); }
Side opposite_side(Side side) { return static_cast<Side>((static_cast<int>(side) + 2) % 4); }

}  // namespace

Layout::Layout(GridShape shape) : shape_(shape) {
  if (shape.rows < 1 || shape.cols < 1) {
    throw BadInput(
        fmt::format("layout of {} x {} tiles: must be at least 1 x 1", shape.rows, shape.cols));
  }
}

void Layout::take_name(const std::string& name) {
  if (name.empty()) throw BadInput("layout: a name is empty");
  if (host_streams_.count(name) != 0 || !names_.insert(name).second) refuse_taken(name);
}

void Layout::refuse_taken(const std::string& name) const {
  throw BadInput(fmt::format("layout: the name '{}' is taken", name));
}

void Layout::set_variable(const std::string& variable, const Place& place, uint32_t value) {
  for (const auto* numbers : {&descriptors_, &tasks_}) {
    if (std::find(numbers->begin(), numbers->end(), variable) != numbers->end()) {
      refuse_taken(variable);
    }
  }
  variables_[variable][place] = value;
}

void Layout::check_tile(const std::string& name, int row, int col) const {
  if (row < 0 || col < 0 || row >= shape_.rows || col >= shape_.cols) {
    throw BadInput(fmt::format("layout: '{}' names tile ({}, {}) of {} x {}", name, row, col,
                               shape_.rows, shape_.cols));
  }
}

int Layout::queue(const std::string& name, bool in, int row, int col, int colour) {
  check_tile(name, row, col);
  std::vector<Queue>& queues = queues_[{row, col}];
  for (const Queue& other : queues) {
    if (in && other.in && other.colour == colour) {
      throw BadInput(
          fmt::format("layout: '{}' and '{}' both take colour {} in tile ({}, {}): a "
                      "colour is served by one input queue",
                      other.name, name, colour, row, col));
    }
  }
  const auto used =
      std::count_if(queues.begin(), queues.end(), [in](const Queue& q) { return q.in == in; });
  const Queue queue{in, static_cast<int>(used), colour, name};
  queues.push_back(queue);
  set_variable(name + (in ? "_in" : "_out"), {row, col}, static_cast<uint32_t>(queue.number));
  return queue.number;
}

std::vector<std::vector<Layout::Place>> Layout::lines(Side towards) const {
  const bool rows = towards == Side::West || towards == Side::East;
  std::vector<std::vector<Place>> lines;
  for (int i = 0; i < (rows ? shape_.rows : shape_.cols); ++i) {
    std::vector<Place> line;
    for (int k = 0; k < (rows ? shape_.cols : shape_.rows); ++k) {
      line.push_back(rows ? Place{i, k} : Place{k, i});
    }
    if (towards == Side::West || towards == Side::North) std::reverse(line.begin(), line.end());
    lines.push_back(std::move(line));
  }
  return lines;
}

void Layout::broadcast(const std::string& name, Side from) {
  const int c = colour(name);
  const Side towards = opposite_side(from);
  for (const std::vector<Place>& line : lines(towards)) {
    for (const auto& [row, col] : line) {
      const bool last = Place{row, col} == line.back();
      route(row, col, c, Route{port_of(from), kOutRamp | (last ? 0 : out_of(towards))});
      queue(name, true, row, col, c);
    }
    streams_[name].ports.push_back({line.front().first, line.front().second, from, c});
  }
}

// A ramp receives on one colour and sends on the other; its neighbour does the reverse. Even and
// odd positions in the line alternate.
void Layout::chain(const std::string& name, Side towards, bool enter, bool leave) {
  const int even = colour(name);
  const int odd = next_colour_++;
  const Side from = opposite_side(towards);
  const std::string out = enter && leave ? name + ".out" : name;
  if (out != name) take_name(out);
  for (const std::vector<Place>& line : lines(towards)) {
    for (size_t k = 0; k < line.size(); ++k) {
      const auto [row, col] = line[k];
      const int send_on = k % 2 == 0 ? even : odd;
      const int take_on = k % 2 == 0 ? odd : even;
      if (k > 0 || enter) {
        route(row, col, take_on, Route{port_of(from), kOutRamp});
        queue(name, true, row, col, take_on);
      } else {
        set_variable(name + "_in", line[k], kNoQueue);
      }
      if (k + 1 < line.size() || leave) {
        route(row, col, send_on, Route{Port::Ramp, out_of(towards)});
        queue(name, false, row, col, send_on);
      } else {
        set_variable(name + "_out", line[k], kNoQueue);
      }
    }
    const auto [row, col] = line.front();
    const auto [last_row, last_col] = line.back();
    if (enter) streams_[name].ports.push_back({row, col, from, odd});
    if (leave) {
      streams_[out].to_grid = false;
      streams_[out].ports.push_back(
          {last_row, last_col, towards, line.size() % 2 == 1 ? even : odd});
    }
  }
}

void Layout::gather(const std::string& name, Side to) {
  const int c = colour(name);
  const uint32_t kAdvance = switch_command(0, Command::Advance);
  uint32_t reset = 0;  // of every router on the way, however long: the list goes round
  for (int slot = 0; slot < isa::kNumCommands; ++slot)
    reset |= switch_command(slot, Command::Reset);
  streams_[name].to_grid = false;
  for (const std::vector<Place>& line : lines(to)) {
    for (size_t k = 0; k < line.size(); ++k) {
      const auto [row, col] = line[k];
      const Route own{Port::Ramp, out_of(to)};
      const Route pass{port_of(opposite_side(to)), out_of(to)};
      // The first tile of the line has no tile after it and resets all switches. The others let
      // their neighbours pass after the control wavelet has gone through their own router, which
      // removes its command.
      if (k == 0) {
        route(row, col, c, own);
      } else {
        route(row, col, c, Switch{{own, pass}, 0, false, PopMode::Always});
      }
      queue(name, false, row, col, c);
      if (line.size() > 1) set_variable(name + "_end", line[k], k == 0 ? reset : kAdvance);
    }
    streams_[name].ports.push_back({line.back().first, line.back().second, to, c});
  }
}

// Along the source's row, and from there up and down every column.
void Layout::tree(const std::string& name, int colour, const Rect& area, int row, int col) {
  const auto out = [](Side side, bool there) { return there ? out_of(side) : 0; };
  for (int r = area.row; r < area.row + area.rows; ++r) {
    for (int c = area.col; c < area.col + area.cols; ++c) {
      const uint32_t north = out(Side::North, r <= row && r > area.row);
      const uint32_t south = out(Side::South, r >= row && r + 1 < area.row + area.rows);
      const uint32_t west = out(Side::West, r == row && c <= col && c > area.col);
      const uint32_t east = out(Side::East, r == row && c >= col && c + 1 < area.col + area.cols);
      const uint32_t on = north | south | west | east;
      const bool source = r == row && c == col;
      if (source) {
        route(r, c, colour, Route{Port::Ramp, on});
        queue(name, false, r, c, colour);
      } else {
        const Port from = r > row   ? Port::North
                          : r < row ? Port::South
                          : c > col ? Port::West
                                    : Port::East;
        route(r, c, colour, Route{from, kOutRamp | on});
        queue(name, true, r, c, colour);
      }
      set_variable(name + (source ? "_in" : "_out"), {r, c}, kNoQueue);
    }
  }
}

void Layout::broadcast(const std::string& name, int row, int col) {
  check_tile(name, row, col);
  if (shape_.rows * shape_.cols == 1) {
    throw BadInput(fmt::format("layout: '{}': a broadcast to no other tile", name));
  }
  tree(name, colour(name), whole(shape_), row, col);
}

void Layout::broadcast_rows(const std::string& name, int col) {
  check_tile(name, 0, col);
  if (shape_.cols == 1) {
    throw BadInput(fmt::format("layout: '{}': a row has no other tile", name));
  }
  const int c = colour(name);
  for (int r = 0; r < shape_.rows; ++r) tree(name, c, Rect{r, 0, 1, shape_.cols}, r, col);
}

void Layout::broadcast_columns(const std::string& name, int row) {
  check_tile(name, row, 0);
  if (shape_.rows == 1) {
    throw BadInput(fmt::format("layout: '{}': a column has no other tile", name));
  }
  const int c = colour(name);
  for (int k = 0; k < shape_.cols; ++k) tree(name, c, Rect{0, k, shape_.rows, 1}, row, k);
}

// A tile takes words until the host's control wavelet moves its switch; from then on it passes all
// words. The last tile has two equal positions, so its router also keeps the resetting control
// wavelet from its ramp.
void Layout::scatter(const std::string& name, Side from) {
  const int c = colour(name);
  const Side towards = opposite_side(from);
  for (const std::vector<Place>& line : lines(towards)) {
    for (const auto& [row, col] : line) {
      const Route own{port_of(from), kOutRamp};
      const Route pass{port_of(from), out_of(towards)};
      if (line.size() == 1) {
        route(row, col, c, own);
      } else {
        const bool last = Place{row, col} == line.back();
        route(row, col, c, Switch{{own, last ? own : pass}, 0, false, PopMode::None});
      }
      queue(name, true, row, col, c);
    }
    streams_[name].parts = line.size();
    streams_[name].ports.push_back({line.front().first, line.front().second, from, c});
  }
}

void Layout::enter(const std::string& name, Side from, int row, int col) {
  check_tile(name, row, col);
  const int c = colour(name);
  for (const std::vector<Place>& line : lines(opposite_side(from))) {
    const auto at = std::find(line.begin(), line.end(), Place{row, col});
    if (at == line.end()) continue;
    for (auto place = line.begin(); place != at; ++place) {
      route(place->first, place->second, c, Route{port_of(from), out_of(opposite_side(from))});
    }
    route(row, col, c, Route{port_of(from), kOutRamp});
    queue(name, true, row, col, c);
    streams_[name].ports.push_back({line.front().first, line.front().second, from, c});
  }
}

void Layout::leave(const std::string& name, int row, int col, Side to) {
  check_tile(name, row, col);
  const int c = colour(name);
  for (const std::vector<Place>& line : lines(to)) {
    const auto at = std::find(line.begin(), line.end(), Place{row, col});
    if (at == line.end()) continue;
    route(row, col, c, Route{Port::Ramp, out_of(to)});
    for (auto place = at + 1; place != line.end(); ++place) {
      route(place->first, place->second, c, Route{port_of(opposite_side(to)), out_of(to)});
    }
    queue(name, false, row, col, c);
    streams_[name].to_grid = false;
    streams_[name].ports.push_back({line.back().first, line.back().second, to, c});
  }
}

int Layout::colour(const std::string& name) {
  take_name(name);
  return next_colour_++;
}

void Layout::route(int row, int col, int colour, const Switch& positions) {
  check_tile(fmt::format("colour {}", colour), row, col);
  if (colour < 0 || colour >= next_colour_) {
    throw BadInput(fmt::format("layout: colour {}: {} have been given out", colour, next_colour_));
  }
  routes_[{row, col, colour}] = positions;
}

void Layout::filter(int row, int col, const Filter& filter) {
  const std::string name = fmt::format("filter of colour {}", filter.colour);
  check_tile(name, row, col);
  if (filter.colour < 0 || filter.colour >= next_colour_) {
    throw BadInput(fmt::format("layout: {}: {} colours have been given out", name, next_colour_));
  }
  std::vector<Filter>& filters = filters_[{row, col}];
  for (const Filter& other : filters) {
    if (other.colour == filter.colour) {
      throw BadInput(fmt::format("layout: tile ({}, {}) has two filters of colour {}", row, col,
                                 filter.colour));
    }
  }
  filters.push_back(filter);
}

void Layout::tile_receives(const std::string& name, int row, int col, int colour) {
  queue(name, true, row, col, colour);
}
void Layout::tile_sends(const std::string& name, int row, int col, int colour) {
  queue(name, false, row, col, colour);
}

void Layout::host_sends(const std::string& name, Side from, int row, int col, int colour) {
  check_tile(name, row, col);
  host_stream(name, true).ports.push_back({row, col, from, colour});
}
void Layout::host_receives(const std::string& name, int row, int col, Side to, int colour) {
  check_tile(name, row, col);
  host_stream(name, false).ports.push_back({row, col, to, colour});
}

// A stream made only by host_sends or host_receives. Streams of named flows are already complete.
Layout::Stream& Layout::host_stream(const std::string& name, bool to_grid) {
  if (name.empty()) throw BadInput("layout: a name is empty");
  const auto [stream, is_new] = streams_.try_emplace(name);
  if (is_new) {
    stream->second.to_grid = to_grid;
    host_streams_.insert(name);
  } else if (host_streams_.count(name) == 0 || stream->second.to_grid != to_grid) {
    refuse_taken(name);
  }
  return stream->second;
}

int Layout::leave_number(const std::string& name, int number) {
  for (int row = 0; row < shape_.rows; ++row) {
    for (int col = 0; col < shape_.cols; ++col) {
      variables_[name][{row, col}] = static_cast<uint32_t>(number);
    }
  }
  return number;
}

void Layout::take_number_name(const std::string& name) {
  if (variables_.count(name) != 0) refuse_taken(name);
  take_name(name);
}

int Layout::descriptor(const std::string& name) {
  take_number_name(name);
  descriptors_.push_back(name);
  return leave_number(name, static_cast<int>(descriptors_.size()) - 1);
}

int Layout::task(const std::string& name) {
  take_number_name(name);
  tasks_.push_back(name);
  return leave_number(name, isa::kFirstLocalTask + static_cast<int>(tasks_.size()) - 1);
}

Program::Program(std::string elf) { parts_.push_back({std::nullopt, std::move(elf)}); }
Program::Program(std::string elf, Layout layout) : layout_(std::move(layout)) {
  parts_.push_back({std::nullopt, std::move(elf)});
}
Program::Program(Layout layout) : layout_(std::move(layout)) {}

Program& Program::add_firmware(const Rect& part, std::string elf) {
  if (part.row < 0 || part.col < 0 || part.rows < 1 || part.cols < 1) {
    throw BadInput(fmt::format("program: {}: {} x {} tiles at ({}, {})", elf, part.rows, part.cols,
                               part.row, part.col));
  }
  for (const Firmware& other : parts_) {
    if (!other.rect || overlap(*other.rect, part)) {
      throw BadInput(fmt::format("program: {} and {} are for the same tiles", other.elf, elf));
    }
  }
  parts_.push_back({part, std::move(elf)});
  return *this;
}

Program& Program::set_parameter_bytes(const std::string& name, ElementType type, const void* data,
                                      size_t count, const Mapping& mapping) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  parameters_.push_back({name, type, {bytes, bytes + count * element_bytes(type)}, count, mapping});
  return *this;
}

}  // namespace ow
