// SPDX-License-Identifier: Apache-2.0
// The file is compressed with gzip, whose check finds damage. It begins with lines: the format, and
// for each signal of a tile its name, elements and bits. Then come little-endian words of 64 bits:
// two for each event of the log, and for each tile what it sends (4), whether it is idle, and its
// signals.
#include "ow/sim/saved_run.h"

#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/sim/recording.h"

namespace ow {
namespace {

constexpr char kFormat[] = "openwafer simulation 1 ";
constexpr size_t kMaxBytes = size_t{1} << 36;
constexpr size_t kTileHead = 5;  // words before a tile's signals

enum Kind : uint64_t { kIn, kOut, kQuiet };
constexpr int kPortBits = 16, kKindBits = 8;
uint64_t at(uint64_t cycle, Kind kind, uint64_t port) {
  return cycle << (kPortBits + kKindBits) | uint64_t{kind} << kPortBits | port;
}
uint64_t cycle_of(uint64_t at) { return at >> (kPortBits + kKindBits); }
uint64_t kind_of(uint64_t at) { return at >> kPortBits & 0xFF; }
size_t port_of(uint64_t at) { return at & 0xFFFF; }

}  // namespace

void EdgeLog::add_in(uint64_t cycle, const uint64_t* words) {
  for (int p = 0; p < ports_; ++p) {
    if (words[p] != 0) events_.push_back({at(cycle, kIn, static_cast<uint64_t>(p)), words[p]});
  }
}

void EdgeLog::add_out(uint64_t cycle, const uint64_t* words, bool quiet) {
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

bool EdgeLog::set(std::vector<Event> events, uint64_t cycles) {
  uint64_t last = 0;
  for (const Event& event : events) {
    const uint64_t cycle = cycle_of(event.at);
    if (cycle < last || cycle > cycles || kind_of(event.at) > kQuiet ||
        port_of(event.at) >= static_cast<size_t>(ports_)) {
      return false;
    }
    last = cycle;
  }
  events_ = std::move(events);
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

SavedRun::SavedRun(std::string path, GridShape shape, const StateLayout& layout)
    : path_(std::move(path)), log_(2 * (shape.rows + shape.cols)), words_(layout.words()) {
  text_ = read_bytes(path_, kMaxBytes);
  GridShape saved;
  size_t events = 0, signals = 0, end = text_.find('\n');
  const std::string first = text_.substr(0, end == std::string::npos ? 0 : end);
  if (first.rfind(kFormat, 0) != 0 ||
      std::sscanf(first.c_str() + sizeof kFormat - 1, "%d %d %" SCNu64 " %zu %zu", &saved.rows,
                  &saved.cols, &cycle_, &events, &signals) != 5) {
    throw BadInput(path_ + ": is no saved simulation, or one of another version");
  }
  if (saved.rows != shape.rows || saved.cols != shape.cols) {
    throw BadInput(fmt::format("{}: a grid of {} x {} tiles, here are {} x {}", path_, saved.rows,
                               saved.cols, shape.rows, shape.cols));
  }
  read_signals(signals, &end, layout);
  const size_t log_at = end + 1, log_bytes = events * sizeof(EdgeLog::Event);
  tiles_at_ = log_at + log_bytes;
  const size_t tiles = static_cast<size_t>(shape.rows) * static_cast<size_t>(shape.cols);
  if (events > text_.size() / sizeof(EdgeLog::Event) ||
      text_.size() != tiles_at_ + tiles * (kTileHead + saved_words_) * sizeof(uint64_t)) {
    throw BadInput(path_ + ": a saved simulation of another length than it says");
  }
  std::vector<EdgeLog::Event> log(events);
  std::memcpy(log.data(), text_.data() + log_at, log_bytes);
  if (!log_.set(std::move(log), cycle_)) {
    throw BadInput(path_ + ": its words at the edges are not those of such a grid");
  }
}

// The tile may have more registers than the one that was saved: with waves it keeps some that else
// nothing reads.
void SavedRun::read_signals(size_t count, size_t* end, const StateLayout& layout) {
  std::map<std::string, size_t> own;
  for (size_t s = 0; s < layout.signals().size(); ++s) {
    const StateSignal& signal = layout.signals()[s];
    own[fmt::format("{} {} {}", signal.name, signal.elements, signal.bits)] = s;
  }
  for (; count > 0; --count) {
    const size_t begin = *end + 1;
    *end = text_.find('\n', begin);
    if (*end == std::string::npos) throw BadInput(path_ + ": ends within the names of registers");
    const std::string line = text_.substr(begin, *end - begin);
    const auto at = own.find(line);
    if (at == own.end()) {
      throw BadInput(fmt::format("{}: saved by another version: here a tile has no register {}",
                                 path_, line.substr(0, line.find(' '))));
    }
    const size_t words = layout.signals()[at->second].words();
    parts_.push_back({saved_words_, layout.first(at->second), words});
    saved_words_ += words;
  }
}

void SavedRun::tile(size_t index, TileState* state) const {
  const char* from =
      text_.data() + tiles_at_ + index * (kTileHead + saved_words_) * sizeof(uint64_t);
  uint64_t begin[kTileHead];
  std::memcpy(begin, from, sizeof begin);
  std::copy(begin, begin + 4, state->sent.begin());
  state->idle = begin[4] != 0;
  state->words.assign(words_, 0);
  for (const Part& part : parts_) {
    std::memcpy(state->words.data() + part.to, from + sizeof begin + part.from * sizeof(uint64_t),
                part.words * sizeof(uint64_t));
  }
}

}  // namespace ow
