// SPDX-License-Identifier: Apache-2.0
// Streams between the host and the grid: producers and consumers at the edge ports, and arrays that
// are sent and received.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "copy.h"
#include "ow/diagnose/tile_error.h"

namespace ow {
namespace {

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

// A producer of single words. Words made before an exception are in the vector already.
MakeWavelets one_by_one(std::function<std::optional<Word>()> next) {
  return [next = std::move(next)](size_t room, std::vector<Wavelet>* wavelets) {
    for (; room > 0; --room) {
      const std::optional<Word> word = next();
      if (!word) return false;
      wavelets->push_back({0, word->control, word->data});
    }
    return true;
  };
}

}  // namespace

std::vector<StreamPort> ports_of(const std::map<std::string, std::vector<StreamPort>>& streams) {
  std::vector<StreamPort> all;
  for (const auto& named : streams) {
    all.insert(all.end(), named.second.begin(), named.second.end());
  }
  return all;
}

// --------------------------------------------------------------------------------- of a machine --
void Runtime::State::serve() {
  if (copy_) copy_->pump();
  for (auto source = sources_.begin(); source != sources_.end();) {
    const StreamPort& port = source->first;
    size_t room = device_->pending_sends(port.side, port.index, port.colour);
    room = room <= kPortRefill ? kPortRoom - room : 0;
    std::vector<Wavelet> wavelets;
    // What one call makes is sent before the next one.
    const auto send = [&] {
      if (wavelets.empty()) return;
      for (Wavelet& wavelet : wavelets) wavelet.colour = static_cast<uint8_t>(port.colour);
      device_->send(port.side, port.index, wavelets);
      moved_[port] += wavelets.size();
      room -= std::min(room, wavelets.size());
      wavelets.clear();
    };
    try {
      while (room > 0 && !source->second.empty()) {
        const size_t before = room;
        const bool more = source->second.front()(room, &wavelets);
        send();
        if (!more) {
          source->second.erase(source->second.begin());
        } else if (room == before) {
          break;
        }
      }
    } catch (...) {
      send();
      throw;
    }
    source = source->second.empty() ? sources_.erase(source) : std::next(source);
  }
  for (auto& [port, sink] : sinks_) fetch(port, &sink);
}

void Runtime::State::fetch(const StreamPort& port, Sink* sink) {
  if (device_->available(port.side, port.index, port.colour) != 0) {
    for (const Arrival& a : device_->take_arrivals(port.side, port.index, port.colour)) {
      sink->words.push_back({a.wavelet.data, a.wavelet.ctrl, a.cycle});
    }
  }
  if (!sink->take) return;
  // If it throws, the remaining words wait for the next call.
  while (sink->taken < sink->words.size()) {
    const Word word = sink->words[sink->taken++];
    ++moved_[port];
    if (sink->take(word)) continue;
    --moved_[port];
    --sink->taken;
    if (sink->taken > sink->words.size() / 2) {
      sink->words.erase(sink->words.begin(),
                        sink->words.begin() + static_cast<std::ptrdiff_t>(sink->taken));
      sink->taken = 0;
    }
    return hold(port, sink, true);
  }
  sink->words.clear();
  sink->taken = 0;
  hold(port, sink, false);
}

void Runtime::State::hold(const StreamPort& port, Sink* sink, bool held) {
  if (sink->held == held) return;
  sink->held = held;
  device_->hold(port.side, port.index, port.colour, held);
}

std::vector<StreamPort> Runtime::State::refusing() const {
  std::vector<StreamPort> ports;
  for (const auto& [port, sink] : sinks_) {
    if (sink.held) ports.push_back(port);
  }
  return ports;
}

void Runtime::State::produce(const StreamPort& port, MakeWavelets make) {
  sources_[port].push_back(std::move(make));
}

void Runtime::State::consume(const StreamPort& port, std::function<bool(Word)> take) {
  Sink& sink = sinks_[port];
  sink.take = std::move(take);
  fetch(port, &sink);
}

uint64_t Runtime::State::moved(const StreamPort& port) const {
  const auto moved = moved_.find(port);
  return moved == moved_.end() ? 0 : moved->second;
}

std::vector<Word> Runtime::State::take_words(const StreamPort& port, size_t most) {
  Sink& sink = sinks_[port];
  fetch(port, &sink);
  const size_t end = std::min(sink.words.size(), sink.taken + most);
  std::vector<Word> words(sink.words.begin() + static_cast<std::ptrdiff_t>(sink.taken),
                          sink.words.begin() + static_cast<std::ptrdiff_t>(end));
  sink.taken = end;
  moved_[port] += words.size();
  if (sink.taken == sink.words.size()) {
    sink.words.clear();
    sink.taken = 0;
  }
  return words;
}

void Runtime::State::give_back(const StreamPort& port, const std::vector<uint32_t>& words) {
  Sink& sink = sinks_[port];
  std::vector<Word> all;
  for (const uint32_t word : words) all.push_back({word, false});
  all.insert(all.end(), sink.words.begin() + static_cast<std::ptrdiff_t>(sink.taken),
             sink.words.end());
  sink.words = std::move(all);
  sink.taken = 0;
  moved_[port] -= words.size();
}

bool Runtime::State::sends_left(const std::vector<StreamPort>& ports) const {
  return std::any_of(ports.begin(), ports.end(), [this](const StreamPort& port) {
    return sources_.count(port) != 0 ||
           device_->pending_sends(port.side, port.index, port.colour) != 0;
  });
}

void Runtime::State::end_callbacks(const StreamPort& port) {
  sources_.erase(port);
  const auto sink = sinks_.find(port);
  if (sink == sinks_.end()) return;
  sink->second.take = nullptr;
  hold(port, &sink->second, false);
}

void Runtime::State::end_callbacks(const Run::State& run) {
  if (run.replaced) return;  // its ports may be another program's
  for (const StreamPort& port : ports_of(run.streams_in)) end_callbacks(port);
  for (const StreamPort& port : ports_of(run.streams_out)) end_callbacks(port);
}

void Runtime::State::drop_streams(const Run::State& run) {
  end_callbacks(run);
  for (const StreamPort& port : ports_of(run.streams_in)) moved_.erase(port);
  for (const StreamPort& port : ports_of(run.streams_out)) {
    sinks_.erase(port);
    moved_.erase(port);
    device_->take_arrivals(port.side, port.index, port.colour);
  }
}

// --------------------------------------------------------------------------------- of a program --
const std::vector<StreamPort>& Run::State::stream(const std::string& name, bool in) const {
  check_usable();
  const auto& streams = in ? streams_in : streams_out;
  const auto stream = streams.find(name);
  if (stream != streams.end()) return stream->second;
  throw BadInput(
      fmt::format("the layout has no stream '{}' {} the grid", name, in ? "into" : "out of"));
}

std::vector<StreamPort> stream_ports(const Run& run, const std::string& stream) {
  const Run::State& of = Internals::of(run);
  return of.stream(stream, of.streams_in.count(stream) != 0);
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
    state_->machine->produce(ports[p], one_by_one(Parts(std::move(words), parts)));
  }
}

void Run::produce(const std::string& stream, size_t port,
                  std::function<std::optional<Word>()> next) {
  const std::vector<StreamPort>& ports = state_->stream(stream, true);
  if (port >= ports.size()) {
    throw BadInput(fmt::format("stream '{}' has {} ports, not {}", stream, ports.size(), port + 1));
  }
  state_->machine->produce(ports[port], one_by_one(std::move(next)));
}

void produce_wavelets(const Run& run, const std::string& stream, size_t port, MakeWavelets make) {
  Run::State& of = Internals::of(run);
  of.machine->produce(of.stream(stream, true).at(port), std::move(make));
}

void Run::set_consumer(const std::string& stream, size_t port, std::function<bool(Word)> take,
                       bool refuses) {
  const std::vector<StreamPort>& ports = state_->stream(stream, false);
  if (port >= ports.size()) {
    throw BadInput(fmt::format("stream '{}' has {} ports, not {}", stream, ports.size(), port + 1));
  }
  if (refuses && !state_->machine->device().can_hold()) {
    throw BadInput(
        fmt::format("stream '{}': {} cannot keep words in the grid: its consumer must "
                    "take each word",
                    stream, state_->machine->info().description));
  }
  state_->machine->consume(ports[port], std::move(take));
}

uint64_t Run::cancel(const std::string& stream) {
  const bool in = state_->streams_in.count(stream) != 0;
  uint64_t words = 0;
  for (const StreamPort& port : state_->stream(stream, in)) {
    state_->machine->end_callbacks(port);
    words += state_->machine->moved(port);
  }
  return words;
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

}  // namespace ow
