// SPDX-License-Identifier: Apache-2.0
// A loaded program: arrays of its tiles, launches, streams.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ow/diagnose/tile_error.h"
#include "runtime_state.h"

namespace ow {
namespace {

// Cycles after which a started task has read its eight arguments, on the slowest core.
constexpr uint64_t kBeginCycles = 1000;

// Words that a port sends, in equal parts if they are scattered. The control wavelet after a part
// moves the switch of the tile that took the part; the one after the last part resets all switches.
class Parts {
 public:
  Parts(std::vector<uint32_t> words, size_t parts)
      : words_(std::make_shared<const std::vector<uint32_t>>(std::move(words))),
        part_(words_->size() / parts),
        left_(parts > 1 && part_ > 0 ? parts : 0) {}

  std::optional<Word> operator()() {
    if (left_ > 0 && at_ == end_of_part_ + part_) {
      end_of_part_ = at_;
      return Word{switch_command(0, --left_ > 0 ? Command::Advance : Command::Reset, true), true};
    }
    if (at_ == words_->size()) return std::nullopt;
    return Word{(*words_)[at_++], false};
  }

 private:
  std::shared_ptr<const std::vector<uint32_t>> words_;
  size_t part_;             // words
  size_t left_;             // parts that no control wavelet has ended
  size_t at_ = 0;           // the next word
  size_t end_of_part_ = 0;  // of the last one that was ended
};

class LaunchState : public Event::State {
 public:
  LaunchState(std::shared_ptr<Run::State> run, std::vector<const Run::State::LoadedPart*> parts,
              std::string name)
      : run_(std::move(run)), parts_(std::move(parts)), name_(std::move(name)) {}
  bool done() const override { return done_; }
  void wait(uint64_t cycles) override {
    if (done_) return;
    run_->check_loaded();
    run_->rest(parts_, fmt::format("'{}'", name_), cycles);
    done_ = true;
  }

 private:
  std::shared_ptr<Run::State> run_;
  std::vector<const Run::State::LoadedPart*> parts_;
  std::string name_;
  bool done_ = false;
};

long tiles_of(const Rect& r) { return static_cast<long>(r.rows) * r.cols; }

// The intersection; it has no rows or no columns if there is none.
Rect common(const Rect& a, const Rect& b) {
  const int row = std::max(a.row, b.row), col = std::max(a.col, b.col);
  return Rect{row, col, std::max(0, std::min(a.row + a.rows, b.row + b.rows) - row),
              std::max(0, std::min(a.col + a.cols, b.col + b.cols) - col)};
}

// The smallest rectangle that contains both.
Rect around(const Rect& a, const Rect& b) {
  const int row = std::min(a.row, b.row), col = std::min(a.col, b.col);
  return Rect{row, col, std::max(a.row + a.rows, b.row + b.rows) - row,
              std::max(a.col + a.cols, b.col + b.cols) - col};
}

std::string rect_text(const Rect& r) {
  return fmt::format("{} x {} tiles at ({}, {})", r.rows, r.cols, r.row, r.col);
}

}  // namespace

// A copy that keeps the machine alive.
static std::shared_ptr<Event::State> kept(Runtime::State* machine,
                                          std::shared_ptr<Event::State> copy) {
  Event::State* state = copy.get();
  const auto both =
      std::make_shared<std::pair<std::shared_ptr<Runtime::State>, std::shared_ptr<Event::State>>>(
          machine->shared_from_this(), std::move(copy));
  return {both, state};
}

void Run::State::check_loaded() const {
  if (replaced) throw BadInput("this program's tiles have been given to another one");
}

Run::State::Array Run::State::array(const std::string& name, ElementType type,
                                    const std::optional<Rect>& only) const {
  check_loaded();
  if (only && !fits(*only, {rect.rows, rect.cols})) {
    throw BadInput(fmt::format("'{}' in {}: the program has {} x {} tiles", name, rect_text(*only),
                               rect.rows, rect.cols));
  }
  std::vector<std::pair<const LoadedPart*, const ElfExport*>> found;
  Rect box;
  if (only) box = Rect{rect.row + only->row, rect.col + only->col, only->rows, only->cols};
  bool anywhere = false;
  for (const LoadedPart& part : parts) {
    for (const ElfExport& e : part.image.exports()) {
      if (e.name != name) continue;
      anywhere = true;
      if (only && tiles_of(common(part.rect, box)) == 0) continue;
      if (!only) box = found.empty() ? part.rect : around(box, part.rect);
      found.emplace_back(&part, &e);
    }
  }
  if (!anywhere) parts.front().image.exported(name);  // says what there is instead
  Array array{nullptr, box, std::vector<uint32_t>(static_cast<size_t>(tiles_of(box)))};
  long tiles = 0;
  for (const auto& [part, e] : found) {
    if (array.shape == nullptr) array.shape = e;
    if (e->type != type) {
      throw BadInput(fmt::format("{}: '{}' is {}, not {}", part->image.path, name, e->shape(),
                                 element_name(type)));
    }
    if (e->dims != array.shape->dims) {
      throw BadInput(fmt::format("'{}' is {} in {} and {} in {}", name, array.shape->shape(),
                                 found.front().first->image.path, e->shape(), part->image.path));
    }
    const Rect here = common(part->rect, box);
    tiles += tiles_of(here);
    for (int r = here.row; r < here.row + here.rows; ++r) {
      for (int c = here.col; c < here.col + here.cols; ++c) {
        array.addr[static_cast<size_t>((r - box.row) * box.cols + c - box.col)] = e->addr;
      }
    }
  }
  if (tiles != tiles_of(box)) {
    throw BadInput(only ? fmt::format("'{}': not all tiles in {} have it", name, rect_text(*only))
                        : fmt::format("the tiles that have '{}' are no rectangle: name one that "
                                      "they fill (Mapping::in)",
                                      name));
  }
  return array;
}

size_t Run::elements(const std::string& name, ElementType type, const Mapping& mapping) const {
  const State::Array array = state_->array(name, type, mapping.only);
  return Spread(*array.shape, array.rect, mapping).size();
}

Run::State::Target Run::State::target(const std::string& name, ElementType type, size_t count,
                                      const Mapping& mapping) const {
  Array array = this->array(name, type, mapping.only);
  Spread spread(*array.shape, array.rect, mapping);
  if (count != spread.size()) {
    throw BadInput(fmt::format(
        "'{}' is {} in each of {} x {} tiles: {} elements were given, the "
        "mapping wants {}",
        name, array.shape->shape(), array.rect.rows, array.rect.cols, count, spread.size()));
  }
  return {std::move(array), std::move(spread)};
}

std::shared_ptr<Event::State> Run::State::write(const std::string& name, ElementType type,
                                                const void* data, size_t count,
                                                const Mapping& mapping) {
  const auto [array, spread] = target(name, type, count, mapping);
  const size_t size = element_bytes(type);
  const auto* from = static_cast<const uint8_t*>(data);
  ControlPlane& control = machine->control();
  auto bulk = std::make_unique<Bulk>(machine->device(), machine->info().sram_bytes);
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
        if (at == Spread::kNone) {
          std::memset(to, 0, size);
        } else {
          std::memcpy(to, from + at * size, size);
        }
        to += size;
      }
      bulk->write(row, col, addr, std::move(words));
    }
  }
  return machine->copy(std::move(bulk), nullptr);
}

Event Run::write_bytes(const std::string& name, ElementType type, const void* data, size_t count,
                       const Mapping& mapping) {
  return Event(kept(state_->machine, state_->write(name, type, data, count, mapping)));
}

Event Run::read_bytes(const std::string& name, ElementType type, void* data, size_t count,
                      const Mapping& mapping, std::shared_ptr<void> keep) {
  const State::Array array = state_->array(name, type, mapping.only);
  const Spread spread(*array.shape, array.rect, mapping);
  if (count != spread.size()) throw InternalError("read of another size than the array's");
  const size_t size = element_bytes(type);
  Runtime::State& machine = *state_->machine;
  auto bulk = std::make_unique<Bulk>(machine.device(), machine.info().sram_bytes);
  auto words = std::make_shared<std::vector<std::vector<uint32_t>>>(array.addr.size());
  for (int r = array.rect.rows - 1; r >= 0; --r) {
    for (int c = array.rect.cols - 1; c >= 0; --c) {
      // If tiles hold the same, only the first one is read.
      const bool wanted =
          mapping.each || ((r == 0 || mapping.row_dim >= 0) && (c == 0 || mapping.col_dim >= 0));
      if (!wanted || !spread.any(r, c)) continue;
      const auto tile = static_cast<size_t>(r * array.rect.cols + c);
      (*words)[tile].resize((spread.tile_size() * size + 3) / 4);
      bulk->read(array.rect.row + r, array.rect.col + c, array.addr[tile], &(*words)[tile]);
    }
  }
  const Rect rect = array.rect;
  auto* to = static_cast<uint8_t*>(data);
  return Event(kept(&machine, machine.copy(std::move(bulk), [words, rect, spread, size, to, keep] {
    for (size_t tile = 0; tile < words->size(); ++tile) {
      if ((*words)[tile].empty()) continue;
      const auto* from = reinterpret_cast<const uint8_t*>((*words)[tile].data());
      for (const size_t at :
           spread.of(static_cast<int>(tile) / rect.cols, static_cast<int>(tile) % rect.cols)) {
        if (at != Spread::kNone) std::memcpy(to + at * size, from, size);
        from += size;
      }
    }
  })));
}

// ------------------------------------------------------------------------------------ launches --
void Run::State::rest(const std::vector<const LoadedPart*>& some, const std::string& what,
                      uint64_t cycles, const std::vector<StreamPort>& sends) {
  wait_for_rest(*machine, some, what, cycles, sends);
  for (const LoadedPart* part : some) launched.erase(part);
}

// An activation is one bit, and all launches of a tile share one place for arguments. So a task
// must have begun before it is launched again, and must have read its arguments before others are
// written.
void Run::State::await_turn(const LoadedPart& part, const std::string& name, uint32_t task,
                            bool arguments) {
  std::map<uint32_t, bool>& before = launched[&part];
  uint32_t awaited = 0;
  for (const auto& [other, has_arguments] : before) {
    if (other == task || (arguments && has_arguments)) awaited |= uint32_t{1} << other;
  }
  if (awaited == 0) return;
  ControlPlane& control = machine->control();
  control.fence(part.rect);
  const auto waits = [&] {
    const auto words = control.read_rect(part.rect, kRegTaskActivate, 1);
    return std::any_of(words.begin(), words.end(),
                       [&](const std::vector<uint32_t>& word) { return (word[0] & awaited) != 0; });
  };
  Device& device = machine->device();
  const uint64_t begin = device.patience_cycle();
  while (waits()) {
    const RunStatus status = machine->work(kBeginCycles, nullptr);
    const bool late = device.patience_cycle() - begin >= Event::kCycleLimit;
    if (!late && (status != RunStatus::Quiet || !waits())) continue;
    check_errors(control, part.rect, &part.image);
    throw DeviceFault(
        fmt::format("'{}' cannot be launched, as what was launched before has not "
                    "begun{}\n{}",
                    name, late ? fmt::format(" within {} cycles", Event::kCycleLimit) : "",
                    hang_text(*machine)));
  }
  if (arguments) machine->work(kBeginCycles, nullptr);
  for (auto it = before.begin(); it != before.end();) {
    it = (awaited >> it->first & 1) != 0 ? before.erase(it) : std::next(it);
  }
}

Event Run::launch(const std::string& name, const std::vector<uint32_t>& arguments) {
  state_->check_loaded();
  std::vector<const State::LoadedPart*> parts;
  for (const State::LoadedPart& part : state_->parts) {
    const std::vector<ElfLaunch>& launches = part.image.launches();
    if (std::any_of(launches.begin(), launches.end(),
                    [&](const ElfLaunch& l) { return l.name == name; })) {
      parts.push_back(&part);
    }
  }
  if (parts.empty()) state_->parts.front().image.launch(name);  // says what there is instead
  // In all parts or in none.
  for (const State::LoadedPart* part : parts) {
    const size_t wanted = part->image.launch(name).arguments;
    if (wanted != arguments.size()) {
      throw BadInput(fmt::format("{}: '{}' takes {} arguments, not {}", part->image.path, name,
                                 wanted, arguments.size()));
    }
  }
  ControlPlane& control = state_->machine->control();
  for (const State::LoadedPart* part : parts) {
    state_->await_turn(*part, name, part->image.launch(name).task, !arguments.empty());
  }
  for (const State::LoadedPart* part : parts) {
    const uint32_t task = part->image.launch(name).task;
    if (!arguments.empty()) {
      control.write(part->rect, part->image.exported("ow_args").addr, arguments);
    }
    control.write(part->rect, kRegTaskActivate, uint32_t{1} << task);
    state_->machine->written(part->rect);
    state_->launched[part][task] = !arguments.empty();
  }
  return Event(std::make_shared<LaunchState>(state_, std::move(parts), name));
}

void Run::wait(uint64_t cycles) {
  state_->check_loaded();
  std::vector<const State::LoadedPart*> parts;
  for (const State::LoadedPart& part : state_->parts) parts.push_back(&part);
  state_->rest(parts, "the program", cycles, ports_of(state_->streams_in));
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
  const auto scattered = state_->parts_of.find(stream);
  const size_t parts = scattered == state_->parts_of.end() ? 1 : scattered->second;
  if (count % (ports.size() * parts * pack) != 0) {
    throw BadInput(fmt::format("stream '{}': {} elements cannot be cut evenly over {} ports{}",
                               stream, count, ports.size(),
                               parts > 1 ? fmt::format(" and {} tiles of each", parts) : ""));
  }
  const size_t each = count / ports.size();
  const auto* from = static_cast<const uint8_t*>(data);
  for (size_t p = 0; p < ports.size(); ++p) {
    std::vector<uint32_t> words(each / pack);
    if (!words.empty()) std::memcpy(words.data(), from + p * each * element, each * element);
    state_->machine->produce(ports[p], Parts(std::move(words), parts));
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
        const std::vector<Word> got = machine.take_words(ports[p], 1);
        if (got.empty()) break;
        if (!got.front().control) words[p].push_back(got.front().data);
      }
      all = all && words[p].size() == wanted;
    }
    return all;
  };
  const auto give_back = [&] {
    for (size_t k = 0; k < ports.size(); ++k) machine.give_back(ports[k], words[k]);
  };
  RunStatus status;
  try {
    status = machine.work(cycles, complete);
  } catch (...) {
    give_back();
    throw;
  }
  if (status != RunStatus::Done && !complete()) {
    give_back();
    for (const State::LoadedPart& part : state_->parts) {
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
