// SPDX-License-Identifier: Apache-2.0
#include "ow/conform/link_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "link_parts.h"
#include "ow/base/error.h"
#include "ow/conform/suite.h"

namespace ow::conform {
namespace {

using Words = std::vector<std::string>;

constexpr uint64_t kMostCycles = 1000000;

uint64_t number(const std::string& word, int base, uint64_t most) {
  char* end = nullptr;
  const uint64_t value = std::strtoull(word.c_str(), &end, base);
  if (word.empty() || *end != '\0' || value > most)
    throw BadInput("'" + word + "' is not a number up to " + std::to_string(most));
  return value;
}

// The CRC of a frame, with the 48 bits above it in the second beat (L3).
uint32_t crc_of(uint64_t first, uint64_t second) {
  uint32_t r = 0;
  for (int k = 0; k < 112; ++k) {
    const uint64_t bit = k < 64 ? first >> (63 - k) & 1 : second >> (127 - k) & 1;
    const bool out = (r >> 15 & 1) != bit;
    r = (r << 1 & 0xFFFF) ^ (out ? 0x3D65 : 0);
  }
  return ~r & 0xFFFF;
}

// A frame in ten words: word, credits, ack, nack, hint and marker of the first beat; word, credit,
// seq, epoch of the second; and whether its CRC is right.
std::string fields_of(uint64_t first, uint64_t second) {
  using F = isa::FrameFirst;
  using S = isa::FrameSecond;
  return fmt::format(" {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {}", F::Word::get(first),
                     F::Credits::get(first), F::Ack::get(first),
                     F::Nack::get(first) << 1 | F::NackEpoch::get(first), first >> 53,
                     S::Word::get(second), S::Credit::get(second), S::Seq::get(second),
                     S::Epoch::get(second),
                     S::Crc::get(second) == crc_of(first, second) ? "right" : "wrong");
}

// One clock of an end, as `clock` lines have it.
struct End {
  bool reset = false, retrain = false, off = false;
  int status = -1;  // the word of the status that is read
};

class Bench {
 public:
  Bench(Door* door, const LinkShape& shape) : door_(door), shape_(shape) {
    for (int side = 0; side < 2; ++side) {
      wires_.emplace_back(shape);
      routers_.emplace_back();
      ears_.emplace_back(shape);
    }
  }

  std::string answer(const Words& w);

 private:
  size_t side(const Words& w, size_t k) const { return number(w.at(k), 10, 1); }
  int lane(const std::string& word) const {
    return static_cast<int>(number(word, 10, static_cast<uint64_t>(shape_.lanes()) - 1));
  }
  void step();
  uint32_t status(size_t end, int word);
  bool up(size_t end) {
    using State = isa::link::State;
    return State::Up::get(status(end, static_cast<int>(State::kAddress)));
  }
  std::string on_wires(const Words& w);
  std::string on_router(const Words& w);
  std::string until_up(uint64_t limit);
  std::string period(size_t end);
  std::string latency(size_t end, int colour);

  Door* door_;
  LinkShape shape_;
  std::vector<LinkWires> wires_;     // from end 0, from end 1
  std::vector<LinkRouter> routers_;  // at each end
  std::vector<LinkEar> ears_;        // to what each end drives
  std::array<End, 2> ends_;
  std::array<uint64_t, 2> into_{}, shown_{};  // at the tile's side of each end
  std::array<Lanes, 2> lanes_in_{};
  std::array<uint32_t, 2> read_{};  // words of the status
  uint64_t cycle_ = 0;
};

void Bench::step() {
  constexpr uint32_t kReset = 1, kRetrain = 2, kOff = 4, kRead = 8;
  std::array<uint64_t, 2> next{};
  std::string line = "clock";
  for (size_t s = 0; s < 2; ++s) {
    next[s] = routers_[s].step(shown_[s]);
    End& end = ends_[s];
    uint32_t command =
        (end.reset ? kReset : 0) | (end.retrain ? kRetrain : 0) | (end.off ? kOff : 0);
    if (end.status >= 0) command |= kRead | static_cast<uint32_t>(end.status) << 8;
    line +=
        fmt::format(" {:x} {:x} {:x} {:x}", into_[s], lanes_in_[s][0], lanes_in_[s][1], command);
    end.reset = end.retrain = false;
    end.status = -1;
  }
  const Words got = words_of(door_->ask(line));
  if (got.size() != 9 || got[0] != "ok")
    throw Refused("clock: it takes 8 numbers and answers ok and 8 numbers");
  for (size_t s = 0; s < 2; ++s) {
    const auto word = [&](size_t k) { return number(got[1 + 4 * s + k], 16, UINT64_MAX); };
    shown_[s] = word(0);
    const Lanes sent = {word(1), word(2)};
    read_[s] = static_cast<uint32_t>(word(3));
    ears_[s].hear(cycle_, sent);
    lanes_in_[1 - s] = wires_[s].carry(sent);
    into_[s] = next[s];
  }
  ++cycle_;
}

uint32_t Bench::status(size_t end, int word) {
  ends_[end].status = word;
  step();
  return read_[end];
}

std::string Bench::until_up(uint64_t limit) {
  constexpr int kApart = 20;
  const uint64_t begin = cycle_;
  while (cycle_ - begin < limit) {
    for (int k = 0; k < kApart; ++k) step();
    if (up(0) && up(1)) return fmt::format("ok {:x}", cycle_ - begin);
  }
  return "ok down";
}

std::string Bench::period(size_t end) {
  ears_[end].await_period();
  for (int k = 0; k < 3 * isa::kTrainPeriod && !ears_[end].has_period(); ++k) step();
  if (!ears_[end].has_period()) return "ok none";
  const LinkEar::Period& p = ears_[end].period();
  return fmt::format("ok {} {:x} {} {} {}", p.markers, p.message, p.tests, p.different, p.phase);
}

std::string Bench::latency(size_t end, int colour) {
  constexpr uint64_t kMost = 1000;
  LinkRouter& far = routers_[1 - end];
  routers_[end].send(colour, {{false, 0x12345678}});
  const uint64_t before = far.taken(), sent = routers_[end].sent();
  while (routers_[end].sent() == sent) step();
  // It is on the end's input now, and is counted at the far output by the far router, a cycle
  // later.
  const uint64_t begin = cycle_;
  while (far.taken() == before && cycle_ - begin < kMost) step();
  return fmt::format("ok {}", cycle_ - begin - 1);
}

std::string Bench::on_wires(const Words& w) {
  const std::string& what = w[1];
  LinkWires& wires = wires_[side(w, 2)];
  if (what == "fault") {
    using Fault = LinkWires::Fault;
    const std::string& kind = w.at(4);
    wires.set_fault(lane(w.at(3)), kind == "stuck0"     ? Fault::Stuck0
                                   : kind == "stuck1"   ? Fault::Stuck1
                                   : kind == "inverted" ? Fault::Inverted
                                                        : Fault::None);
  } else if (what == "late") {
    wires.set_late(lane(w.at(3)), static_cast<int>(number(w.at(4), 10, 3)));
  } else if (what == "cut") {
    wires.cut(number(w.at(3), 10, 1) == 1);
  } else {
    for (size_t k = 3; k + 1 < w.size(); k += 2)
      wires.flip({number(w[k], 16, UINT64_MAX), number(w[k + 1], 16, UINT64_MAX)}, what == "flip");
  }
  return "ok";
}

std::string Bench::on_router(const Words& w) {
  const std::string& what = w[1];
  LinkRouter& router = routers_[side(w, 2)];
  std::string out = "ok";
  if (what == "script") {
    std::vector<uint64_t> words;
    for (size_t k = 3; k < w.size(); ++k) words.push_back(number(w[k], 16, UINT64_MAX));
    router.script(words);
    return out;
  }
  if (what == "noted") {
    for (const uint64_t word : router.noted()) out += fmt::format(" {:x}", word);
    return out;
  }
  if (what == "credits") {
    // Of the colours that are named, in the order in which they came.
    for (const int colour : router.credited()) {
      if (std::find(w.begin() + 3, w.end(), std::to_string(colour)) != w.end())
        out += fmt::format(" {}", colour);
    }
    return out;
  }
  const auto colour = static_cast<int>(number(w.at(3), 10, isa::kColourRsp));
  if (what == "came") return fmt::format("ok {:x}", router.came(colour));
  if (what == "block") {
    router.block(colour, number(w.at(4), 10, 1) == 1);
  } else if (what == "take") {
    for (const Word& word : router.take(colour))
      out += fmt::format(" {}{:x}", word.control ? "c" : "d", word.data);
  } else {
    std::vector<Word> words;
    for (size_t k = 4; k < w.size(); ++k)
      words.push_back(
          {w[k][0] == 'c', static_cast<uint32_t>(number(w[k].substr(1), 16, UINT32_MAX))});
    router.send(colour, words);
  }
  return out;
}

std::string Bench::answer(const Words& w) {
  const std::string& what = w[1];
  if (what == "fault" || what == "late" || what == "cut" || what == "flip" || what == "disturb")
    return on_wires(w);
  if (what == "script" || what == "noted" || what == "credits" || what == "block" ||
      what == "take" || what == "send" || what == "came") {
    return on_router(w);
  }
  if (what == "run") {
    for (uint64_t n = number(w.at(2), 10, kMostCycles); n > 0; --n) step();
    return "ok";
  }
  if (what == "align") {
    // The next cycle that is run begins a frame.
    while (cycle_ % (2 * static_cast<uint64_t>(shape_.slices())) != number(w.at(2), 10, 15)) step();
    return "ok";
  }
  if (what == "up") return until_up(number(w.at(2), 10, kMostCycles));
  if (what == "measure") {
    // Wavelets that come in so many cycles, from end 0 and from end 1.
    const uint64_t one = routers_[1].taken(), two = routers_[0].taken();
    for (uint64_t n = number(w.at(2), 10, kMostCycles); n > 0; --n) step();
    return fmt::format("ok {:x} {:x}", routers_[1].taken() - one, routers_[0].taken() - two);
  }
  if (what == "counts") {
    return fmt::format("ok {:x} {:x} {:x} {:x}", routers_[0].sent(), routers_[1].taken(),
                       routers_[1].sent(), routers_[0].taken());
  }
  const size_t end = side(w, 2);
  if (what == "status")
    return fmt::format("ok {:x}", status(end, static_cast<int>(number(w.at(3), 10, 63))));
  if (what == "period") return period(end);
  if (what == "latency")
    return latency(end, static_cast<int>(number(w.at(3), 10, isa::kColourRsp)));
  if (what == "listen") {
    std::array<int, 4> map = {63, 63, 63, 63};
    for (size_t k = 3; k < w.size() && k < 7; ++k)
      map[k - 3] = static_cast<int>(number(w[k], 10, 63));
    ears_[end].listen(map);
    return "ok";
  }
  if (what == "frames") {
    const std::vector<uint64_t> beats = ears_[end].take_frames();
    std::string out = ears_[end].spare() ? "ok spare" : "ok";
    for (size_t k = 0; k + 1 < beats.size(); k += 2) out += fields_of(beats[k], beats[k + 1]);
    return out;
  }
  End& e = ends_[end];
  if (what == "reset")
    e.reset = true;
  else if (what == "retrain")
    e.retrain = true;
  else if (what == "off")
    e.off = true;
  else if (what == "on")
    e.off = false;
  else
    throw Refused("link " + what);
  step();
  return "ok";
}

class LinkBench : public Door {
 public:
  explicit LinkBench(std::unique_ptr<Door> door) : door_(std::move(door)) {}

  std::string ask(const std::string& line) override {
    const Words words = words_of(line);
    if (words.size() < 2 || words[0] != "link") return door_->ask(line);
    try {
      if (words[1] == "open") {
        const std::string& size = words.at(2);
        bench_.reset();
        const std::string opened = door_->ask("ends " + size);
        if (opened == "ok")
          bench_ = std::make_unique<Bench>(door_.get(), LinkShape{size == "mini"});
        return opened;
      }
      if (!bench_) return "no link";
      return bench_->answer(words);
    } catch (const Silent&) {
      throw;
    } catch (const Refused& e) {
      return std::string("no ") + e.what();
    } catch (const std::exception& e) {
      return std::string("error ") + e.what();
    }
  }
  void restart() override {
    bench_.reset();
    door_->restart();
  }

 private:
  std::unique_ptr<Door> door_;
  std::unique_ptr<Bench> bench_;
};

}  // namespace

std::unique_ptr<Door> make_link_bench(std::unique_ptr<Door> door) {
  return std::make_unique<LinkBench>(std::move(door));
}

}  // namespace ow::conform
