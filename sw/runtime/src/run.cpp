// SPDX-License-Identifier: Apache-2.0
// A loaded program: arrays of its tiles, launches, streams.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ow/diagnose/tile_error.h"
#include "runtime_state.h"

namespace ow {
namespace {

// Where the elements of a tile's array are in the host's.
class Spread {
 public:
  // BadInput for a mapping of dimensions that the array does not have.
  Spread(const ElfExport& array, const Rect& rect, const Mapping& mapping)
      : rect_(rect), mapping_(mapping), dims_(array.dims) {
    const int n = static_cast<int>(dims_.size());
    if (mapping.row_dim >= n || mapping.col_dim >= n || mapping.row_dim < -1 ||
        mapping.col_dim < -1) {
      throw BadInput(fmt::format("{} {}: the mapping names dimensions {} and {} of {}", array.name,
                                 array.shape(), mapping.row_dim, mapping.col_dim, n));
    }
    host_ = dims_;
    if (mapping.row_dim >= 0) host_[static_cast<size_t>(mapping.row_dim)] *= times_row();
    if (mapping.col_dim >= 0) host_[static_cast<size_t>(mapping.col_dim)] *= times_col();
  }

  // Elements of the host's array.
  size_t size() const {
    size_t n = mapping_.each ? times_row() * times_col() : 1;
    for (const uint32_t length : host_) n *= length;
    return n;
  }
  size_t tile_size() const {
    size_t n = 1;
    for (const uint32_t length : dims_) n *= length;
    return n;
  }
  // The host's index of each element of tile (r, c) of the rectangle.
  std::vector<size_t> of(int r, int c) const {
    std::vector<size_t> at(tile_size());
    const size_t base = mapping_.each ? static_cast<size_t>(r * rect_.cols + c) * tile_size() : 0;
    std::vector<uint32_t> index(dims_.size(), 0);
    for (size_t& element : at) {
      size_t host = 0;
      for (size_t d = 0; d < dims_.size(); ++d) {
        host = host * host_[d] + place(static_cast<int>(d), index[d], r, c);
      }
      element = base + host;
      for (size_t d = dims_.size(); d-- > 0;) {
        if (++index[d] < dims_[d]) break;
        index[d] = 0;
      }
    }
    return at;
  }

 private:
  uint32_t times_row() const { return static_cast<uint32_t>(rect_.rows); }
  uint32_t times_col() const { return static_cast<uint32_t>(rect_.cols); }
  size_t place(int d, uint32_t i, int r, int c) const {
    uint32_t tiles = 1;
    uint32_t tile = 0;
    if (d == mapping_.row_dim) {
      tiles = times_row();
      tile = static_cast<uint32_t>(r);
    }
    if (d == mapping_.col_dim) {
      tile = tile * times_col() + static_cast<uint32_t>(c);
      tiles *= times_col();
    }
    return mapping_.cyclic ? size_t{i} * tiles + tile
                           : size_t{tile} * dims_[static_cast<size_t>(d)] + i;
  }

  Rect rect_;
  Mapping mapping_;
  std::vector<uint32_t> dims_;
  std::vector<uint32_t> host_;
};

class LaunchState : public Event::State {
 public:
  LaunchState(std::shared_ptr<Run::State> run, std::vector<const Run::State::Part*> parts,
              std::string name)
      : run_(std::move(run)), parts_(std::move(parts)), name_(std::move(name)) {}
  bool done() const override { return done_; }
  void wait(uint64_t cycles) override {
    if (done_) return;
    run_->check_loaded();
    wait_for_rest(*run_->machine, parts_, fmt::format("'{}'", name_), cycles);
    done_ = true;
  }

 private:
  std::shared_ptr<Run::State> run_;
  std::vector<const Run::State::Part*> parts_;
  std::string name_;
  bool done_ = false;
};

}  // namespace

// A copy that keeps the machine.
static std::shared_ptr<Event::State> kept(std::shared_ptr<Runtime::State> machine,
                                          std::shared_ptr<Event::State> copy) {
  Event::State* state = copy.get();
  const auto both =
      std::make_shared<std::pair<std::shared_ptr<Runtime::State>, std::shared_ptr<Event::State>>>(
          std::move(machine), std::move(copy));
  return {both, state};
}

void Run::State::check_loaded() const {
  if (replaced) throw BadInput("this program's tiles have been given to another one");
}

Run::State::Array Run::State::array(const std::string& name, ElementType type) const {
  check_loaded();
  std::vector<std::pair<const Part*, const ElfExport*>> found;
  for (const Part& part : parts) {
    for (const ElfExport& e : part.image.exports()) {
      if (e.name == name) found.emplace_back(&part, &e);
    }
  }
  if (found.empty()) parts.front().image.exported(name);  // says what there is instead
  const ElfExport& first = *found.front().second;
  Rect box = found.front().first->rect;
  long tiles = 0;
  for (const auto& [part, e] : found) {
    if (e->type != type) {
      throw BadInput(fmt::format("{}: '{}' is {}, not {}", part->image.path, name, e->shape(),
                                 element_name(type)));
    }
    if (e->dims != first.dims) {
      throw BadInput(fmt::format("'{}' is {} in {} and {} in {}", name, first.shape(),
                                 found.front().first->image.path, e->shape(), part->image.path));
    }
    const Rect& r = part->rect;
    const int row = std::min(box.row, r.row);
    const int col = std::min(box.col, r.col);
    box = Rect{row, col, std::max(box.row + box.rows, r.row + r.rows) - row,
               std::max(box.col + box.cols, r.col + r.cols) - col};
    tiles += static_cast<long>(r.rows) * r.cols;
  }
  if (tiles != static_cast<long>(box.rows) * box.cols) {
    throw BadInput(fmt::format("the tiles that have '{}' are no rectangle", name));
  }
  Array array{&first, box, std::vector<uint32_t>(static_cast<size_t>(tiles)), found.size() > 1};
  for (const auto& [part, e] : found) {
    for (int r = part->rect.row; r < part->rect.row + part->rect.rows; ++r) {
      for (int c = part->rect.col; c < part->rect.col + part->rect.cols; ++c) {
        array.addr[static_cast<size_t>((r - box.row) * box.cols + c - box.col)] = e->addr;
      }
    }
  }
  return array;
}

size_t Run::elements(const std::string& name, ElementType type, Mapping mapping) const {
  const State::Array array = state_->array(name, type);
  return Spread(*array.shape, array.rect, mapping).size();
}

Event Run::write_bytes(const std::string& name, ElementType type, const void* data, size_t count,
                       Mapping mapping) {
  const State::Array array = state_->array(name, type);
  const Spread spread(*array.shape, array.rect, mapping);
  if (count != spread.size()) {
    throw BadInput(fmt::format(
        "'{}' is {} in each of {} x {} tiles: {} elements were given, the "
        "mapping wants {}",
        name, array.shape->shape(), array.rect.rows, array.rect.cols, count, spread.size()));
  }
  const size_t size = element_bytes(type);
  const auto* from = static_cast<const uint8_t*>(data);
  ControlPlane& control = state_->machine->control();
  auto bulk = std::make_unique<Bulk>(state_->machine->device());
  for (int r = 0; r < array.rect.rows; ++r) {
    for (int c = 0; c < array.rect.cols; ++c) {
      const uint32_t addr = array.addr[static_cast<size_t>(r * array.rect.cols + c)];
      const int row = array.rect.row + r;
      const int col = array.rect.col + c;
      std::vector<uint32_t> words((spread.tile_size() * size + 3) / 4, 0);
      auto* to = reinterpret_cast<uint8_t*>(words.data());
      if (spread.tile_size() * size % 4 != 0) {  // what shares the last word stays as it is
        words.back() =
            control.read_tile(row, col, addr + 4 * static_cast<uint32_t>(words.size() - 1));
      }
      for (const size_t at : spread.of(r, c)) {
        std::memcpy(to, from + at * size, size);
        to += size;
      }
      bulk->write(row, col, addr, std::move(words));
    }
  }
  return Event(kept(state_->machine, state_->machine->copy(std::move(bulk), nullptr)));
}

Event Run::read_bytes(const std::string& name, ElementType type, void* data, size_t count,
                      Mapping mapping) {
  const State::Array array = state_->array(name, type);
  const Spread spread(*array.shape, array.rect, mapping);
  if (count != spread.size()) throw InternalError("read of another size than the array's");
  const size_t size = element_bytes(type);
  auto bulk = std::make_unique<Bulk>(state_->machine->device());
  auto words = std::make_shared<std::vector<std::vector<uint32_t>>>(array.addr.size());
  for (int r = array.rect.rows - 1; r >= 0; --r) {
    for (int c = array.rect.cols - 1; c >= 0; --c) {
      // Of tiles that hold the same only the first is asked.
      const bool wanted =
          mapping.each || ((r == 0 || mapping.row_dim >= 0) && (c == 0 || mapping.col_dim >= 0));
      if (!wanted) continue;
      const auto tile = static_cast<size_t>(r * array.rect.cols + c);
      (*words)[tile].resize((spread.tile_size() * size + 3) / 4);
      bulk->read(array.rect.row + r, array.rect.col + c, array.addr[tile], &(*words)[tile]);
    }
  }
  const Rect rect = array.rect;
  auto* to = static_cast<uint8_t*>(data);
  return Event(
      kept(state_->machine, state_->machine->copy(std::move(bulk), [words, rect, spread, size, to] {
        for (size_t tile = 0; tile < words->size(); ++tile) {
          if ((*words)[tile].empty()) continue;
          const auto* from = reinterpret_cast<const uint8_t*>((*words)[tile].data());
          for (const size_t at :
               spread.of(static_cast<int>(tile) / rect.cols, static_cast<int>(tile) % rect.cols)) {
            std::memcpy(to + at * size, from, size);
            from += size;
          }
        }
      })));
}

// ------------------------------------------------------------------------------------ launches --
Event Run::launch(const std::string& name, const std::vector<uint32_t>& arguments) {
  state_->check_loaded();
  std::vector<const State::Part*> parts;
  for (const State::Part& part : state_->parts) {
    const std::vector<ElfLaunch>& launches = part.image.launches();
    if (std::any_of(launches.begin(), launches.end(),
                    [&](const ElfLaunch& l) { return l.name == name; })) {
      parts.push_back(&part);
    }
  }
  if (parts.empty()) state_->parts.front().image.launch(name);  // says what there is instead
  ControlPlane& control = state_->machine->control();
  for (const State::Part* part : parts) {
    const ElfLaunch& launch = part->image.launch(name);
    if (launch.arguments != arguments.size()) {
      throw BadInput(fmt::format("{}: '{}' takes {} arguments, not {}", part->image.path, name,
                                 launch.arguments, arguments.size()));
    }
    if (!arguments.empty()) {
      control.write(part->rect, part->image.exported("ow_args").addr, arguments);
    }
    control.write(part->rect, kRegTaskActivate, uint32_t{1} << launch.task);
    state_->machine->written(part->rect);
  }
  return Event(std::make_shared<LaunchState>(state_, std::move(parts), name));
}

void Run::wait(uint64_t cycles) {
  state_->check_loaded();
  std::vector<const State::Part*> parts;
  for (const State::Part& part : state_->parts) parts.push_back(&part);
  wait_for_rest(*state_->machine, parts, "the program", cycles);
}

// ------------------------------------------------------------------------------------- streams --
const std::vector<StreamPort>& Run::State::stream(const std::string& name, bool in) const {
  check_loaded();
  const auto& streams = in ? streams_in : streams_out;
  const auto stream = streams.find(name);
  if (stream != streams.end()) return stream->second;
  throw BadInput(
      fmt::format("the layout has no stream '{}' {} the grid", name, in ? "into" : "out of"));
}

size_t Run::ports(const std::string& stream) const {
  const bool in = state_->streams_in.count(stream) != 0;
  return state_->stream(stream, in).size();
}

void Run::send_bytes(const std::string& stream, size_t element, const void* data, size_t count) {
  const std::vector<StreamPort>& ports = state_->stream(stream, true);
  const size_t pack = element == 2 ? 2 : 1;  // elements a wavelet
  if (element != 2 && element != 4) {
    throw BadInput(
        fmt::format("stream '{}': elements of {} bytes cannot be sent", stream, element));
  }
  if (count % (ports.size() * pack) != 0) {
    throw BadInput(fmt::format("stream '{}': {} elements cannot be cut evenly over {} ports",
                               stream, count, ports.size()));
  }
  const size_t each = count / ports.size();
  const auto* from = static_cast<const uint8_t*>(data);
  for (size_t p = 0; p < ports.size(); ++p) {
    auto words = std::make_shared<std::vector<uint32_t>>(each / pack);
    if (!words->empty()) std::memcpy(words->data(), from + p * each * element, each * element);
    state_->machine->produce(ports[p], [words, at = size_t{0}]() mutable -> std::optional<Word> {
      if (at == words->size()) return std::nullopt;
      return Word{(*words)[at++], false};
    });
  }
}

void Run::produce(const std::string& stream, size_t port,
                  std::function<std::optional<Word>()> next) {
  const std::vector<StreamPort>& ports = state_->stream(stream, true);
  if (port >= ports.size()) {
    throw BadInput(fmt::format("stream '{}' has {} ports, not {}", stream, ports.size(), port + 1));
  }
  state_->machine->produce(ports[port], std::move(next));
}

void Run::consume(const std::string& stream, size_t port, std::function<void(Word)> take) {
  const std::vector<StreamPort>& ports = state_->stream(stream, false);
  if (port >= ports.size()) {
    throw BadInput(fmt::format("stream '{}' has {} ports, not {}", stream, ports.size(), port + 1));
  }
  state_->machine->consume(ports[port], std::move(take));
}

void Run::receive_bytes(const std::string& stream, size_t element, void* data, size_t count,
                        uint64_t cycles) {
  const std::vector<StreamPort>& ports = state_->stream(stream, false);
  const size_t pack = element == 2 ? 2 : 1;
  if ((element != 2 && element != 4) || count % pack != 0) {
    throw BadInput(fmt::format("stream '{}': {} elements of {} bytes are not whole wavelets",
                               stream, count, element));
  }
  const size_t wanted = count / pack;
  Runtime::State& machine = *state_->machine;
  std::vector<std::vector<uint32_t>> words(ports.size());
  const auto complete = [&] {
    bool all = true;
    for (size_t p = 0; p < ports.size(); ++p) {
      while (words[p].size() < wanted) {
        const std::vector<Word> got = machine.take(ports[p], 1);
        if (got.empty()) break;
        if (!got.front().control) words[p].push_back(got.front().data);
      }
      all = all && words[p].size() == wanted;
    }
    return all;
  };
  const RunStatus status = machine.work(cycles, complete);
  if (status != RunStatus::Done && !complete()) {
    for (const State::Part& part : state_->parts) {
      check_errors(machine.control(), part.rect, &part.image);
    }
    size_t p = 0;
    while (words[p].size() == wanted) ++p;
    throw DeviceFault(fmt::format(
        "stream '{}', port {}: {} of {} wavelets came; {}\n{}", stream, p, words[p].size(), wanted,
        status == RunStatus::Quiet ? "nothing moves any more"
                                   : fmt::format("no more within {} cycles", cycles),
        hang_text(machine)));
  }
  auto* to = static_cast<uint8_t*>(data);
  for (const std::vector<uint32_t>& port : words) {
    if (!port.empty()) std::memcpy(to, port.data(), count * element);
    to += count * element;
  }
}

void Run::State::read_counters() {
  ControlPlane& control = machine->control();
  counted_at = machine->device().cycle();
  counters = ow::read_counters(control, rect);
}

}  // namespace ow
