// SPDX-License-Identifier: Apache-2.0
// The file is compressed with gzip, whose check finds damage. It begins with lines: the format, and
// for each signal of a tile its name, elements and bits. Then come little-endian words of 64 bits:
// two for each event of the log, and for each tile what it sends (4), whether it is idle, and its
// signals.
#include "ow/sim/saved_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/text.h"
#include "ow/device/link_word.h"
#include "ow/sim/recording.h"

namespace ow {
namespace {

constexpr char kFormat[] = "openwafer simulation 1 ";
constexpr size_t kTileHead = 5;  // words before a tile's signals
constexpr size_t kLine = 1000;   // the longest line, in letters

enum Kind : uint64_t { kIn, kOut, kQuiet };
constexpr int kPortBits = 16, kKindBits = 8, kCycleBits = 40;
uint64_t at(uint64_t cycle, Kind kind, uint64_t port) {
  return cycle << (kPortBits + kKindBits) | uint64_t{kind} << kPortBits | port;
}
uint64_t cycle_of(uint64_t at) { return at >> (kPortBits + kKindBits); }
uint64_t kind_of(uint64_t at) { return at >> kPortBits & 0xFF; }
size_t port_of(uint64_t at) { return at & 0xFFFF; }
// Grows from event to event: what leaves in a cycle comes before what comes in in it.
uint64_t order_of(uint64_t place) {
  const uint64_t kinds = 3, rank = (kind_of(place) + kinds - 1) % kinds;
  return at(cycle_of(place), Kind{rank}, port_of(place));
}

}  // namespace

void EdgeLog::add_in(uint64_t cycle, const uint64_t* words) {
  for (int p = 0; p < ports_; ++p) {
    if (words[p] != 0) events_.push_back({at(cycle, kIn, static_cast<uint64_t>(p)), words[p]});
  }
}

void EdgeLog::add_out(uint64_t cycle, const uint64_t* words, bool quiet) {
  if (cycle >> kCycleBits != 0) {
    throw BadInput(fmt::format("a run that is saved has at most 2^{} cycles", kCycleBits));
  }
  for (int p = 0; p < ports_; ++p) {
    if (words[p] != 0) events_.push_back({at(cycle, kOut, static_cast<uint64_t>(p)), words[p]});
  }
  if (quiet != quiet_) events_.push_back({at(cycle, kQuiet, 0), quiet ? 1u : 0u});
  quiet_ = quiet;
}

void EdgeLog::take_in(uint64_t cycle, const uint64_t* words, const std::string& path) {
  for (int p = 0; p < ports_; ++p) {
    const uint64_t key = at(cycle, kIn, static_cast<uint64_t>(p));
    const bool was = next_ < events_.size() && events_[next_].at == key;
    if (words[p] == (was ? events_[next_].word : 0)) {
      next_ += was ? 1 : 0;
      continue;
    }
    throw BadInput(fmt::format(
        "{}: in cycle {} the program sends another word than in the saved run: is it another "
        "program, or are its inputs others?",
        path, cycle));
  }
}

bool EdgeLog::take_out(uint64_t cycle, uint64_t* words) {
  std::fill(words, words + ports_, uint64_t{0});
  for (; next_ < events_.size() && cycle_of(events_[next_].at) == cycle; ++next_) {
    const Event& event = events_[next_];
    if (kind_of(event.at) == kIn) break;
    if (kind_of(event.at) == kOut) words[port_of(event.at)] = event.word;
    if (kind_of(event.at) == kQuiet) quiet_ = event.word != 0;
  }
  return quiet_;
}

bool EdgeLog::skip(uint64_t cycle, uint64_t* out, uint64_t* digest) {
  while (next_ < events_.size() && cycle_of(events_[next_].at) < cycle) {
    const Event& event = events_[next_++];
    if (kind_of(event.at) == kOut) {
      *digest =
          digest_word(*digest, cycle_of(event.at), static_cast<int>(port_of(event.at)), event.word);
    }
    if (kind_of(event.at) == kQuiet) quiet_ = event.word != 0;
  }
  return take_out(cycle, out);
}

bool EdgeLog::add(const Event& event, uint64_t cycles) {
  const uint64_t cycle = cycle_of(event.at), kind = kind_of(event.at);
  if (kind > kQuiet || (kind == kIn ? cycle >= cycles : cycle == 0 || cycle > cycles)) return false;
  const auto ports = kind == kQuiet ? size_t{1} : static_cast<size_t>(ports_);
  if (port_of(event.at) >= ports) return false;
  if (kind == kQuiet ? event.word > 1 : event.word == 0 || event.word > kLinkMask) return false;
  if (!events_.empty() && order_of(event.at) <= order_of(events_.back().at)) return false;
  events_.push_back(event);
  return true;
}

void write_run(const std::string& path, GridShape shape, uint64_t cycle, const EdgeLog& log,
               const StateLayout& layout, const std::function<void(size_t, TileState*)>& tile) {
  FileWriter file(path, FileWriter::Packing::Gzip);
  std::string head = fmt::format("{}{} {} {} {} {}\n", kFormat, shape.rows, shape.cols, cycle,
                                 log.events().size(), layout.signals().size());
  for (const StateSignal& s : layout.signals()) {
    head += fmt::format("{} {} {}\n", s.name, s.elements, s.bits);
  }
  file.append(head.data(), head.size());
  file.append(log.events().data(), log.events().size() * sizeof(EdgeLog::Event));
  const size_t tiles = static_cast<size_t>(shape.rows) * static_cast<size_t>(shape.cols);
  TileState state;
  for (size_t t = 0; t < tiles; ++t) {
    state.words.resize(layout.words());
    tile(t, &state);
    const uint64_t begin[kTileHead] = {state.sent[0], state.sent[1], state.sent[2], state.sent[3],
                                       state.idle ? 1u : 0u};
    file.append(begin, sizeof begin);
    file.append(state.words.data(), state.words.size() * sizeof state.words[0]);
  }
  file.close();
}

SavedRun::SavedRun(const std::string& path, GridShape shape, const StateLayout& layout)
    : path_(path),
      file_(path),
      shape_(shape),
      layout_(layout),
      log_(2 * (shape.rows + shape.cols)) {
  std::string line;
  uint64_t numbers[5];
  if (!file_.read_line(&line, kLine) || line.rfind(kFormat, 0) != 0 ||
      !read_numbers(line, sizeof kFormat - 1, numbers, std::size(numbers))) {
    throw BadInput(path_ + ": is no saved simulation, or one of another version");
  }
  const auto [rows, columns, cycle, events, signals] = numbers;
  if (rows != static_cast<uint64_t>(shape.rows) || columns != static_cast<uint64_t>(shape.cols)) {
    throw BadInput(fmt::format("{}: a grid of {} x {} tiles, here are {} x {}", path_, rows,
                               columns, shape.rows, shape.cols));
  }
  if (cycle >> kCycleBits != 0) {
    throw BadInput(fmt::format("{}: cycle {}: must be less than 2^{}", path_, cycle, kCycleBits));
  }
  cycle_ = cycle;
  read_signals(signals);
  read_log(events);
}

// A file of another version of the RTL would give wrong results without a word.
void SavedRun::read_signals(uint64_t count) {
  const std::vector<StateSignal>& signals = layout_.signals();
  std::map<std::string, size_t> own;
  for (size_t s = 0; s < signals.size(); ++s) {
    own[fmt::format("{} {} {}", signals[s].name, signals[s].elements, signals[s].bits)] = s;
  }
  std::vector<uint8_t> found(signals.size(), 0);
  std::string line;
  for (; count > 0; --count) {
    if (!file_.read_line(&line, kLine)) {
      throw BadInput(path_ + ": ends within the names of registers");
    }
    const auto at = own.find(line);
    const std::string name = printable_text(line.substr(0, line.find(' ')), kLine);
    if (at == own.end()) {
      throw BadInput(
          fmt::format("{}: saved by another version: here a tile has no register {}", path_, name));
    }
    if (found[at->second]++ > 0) {
      throw BadInput(fmt::format("{}: register {} comes twice", path_, name));
    }
    order_.push_back(at->second);
  }
  if (order_.size() < signals.size()) {
    const auto lacks = std::find(found.begin(), found.end(), 0) - found.begin();
    throw BadInput(fmt::format("{}: saved by another version: it has no register {}", path_,
                               signals[static_cast<size_t>(lacks)].name));
  }
  in_order_.resize(kTileHead + layout_.words());
}

void SavedRun::read(void* to, size_t bytes) {
  if (file_.read(to, bytes) == bytes) return;
  throw BadInput(path_ + ": a saved simulation of another length than it says");
}

void SavedRun::read_log(uint64_t events) {
  for (; events > 0; --events) {
    EdgeLog::Event event;
    read(&event, sizeof event);
    if (log_.add(event, cycle_)) continue;
    throw BadInput(path_ + ": its words at the edges are not those of such a grid");
  }
}

void SavedRun::next_tile(TileState* state) {
  read(in_order_.data(), in_order_.size() * sizeof in_order_[0]);
  const uint64_t* from = in_order_.data();
  std::copy_n(from, state->sent.size(), state->sent.begin());
  const uint64_t idle = from[kTileHead - 1];
  state->idle = idle != 0;
  from += kTileHead;
  state->words.resize(layout_.words());
  for (const size_t s : order_) {
    const size_t words = layout_.signals()[s].words();
    std::copy_n(from, words, &state->words[layout_.first(s)]);
    from += words;
  }
  const std::string fault = idle > 1 ? "neither idle nor busy" : fault_of(*state, layout_);
  const auto columns = static_cast<size_t>(shape_.cols);
  if (!fault.empty()) {
    throw BadInput(
        fmt::format("{}: tile ({}, {}): {}", path_, tiles_ / columns, tiles_ % columns, fault));
  }
  ++tiles_;
}

void SavedRun::close() {
  char more;
  if (file_.read(&more, 1) == 0) return;
  throw BadInput(path_ + ": a saved simulation of another length than it says");
}

}  // namespace ow
