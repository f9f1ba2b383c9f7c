// SPDX-License-Identifier: Apache-2.0
// The frames as docs/links.md defines them, read off the wires: which lane carries which bit, what
// the fields mean, how frames are numbered and acknowledged, and what an idle end sends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "ow/device/link_word.h"
#include "ow/measure/link/pair.h"

namespace ow::link {
namespace {

using First = isa::FrameFirst;
using Second = isa::FrameSecond;
using Word = isa::LinkWord;
using Credits = isa::LinkCredits;

struct Frame {
  uint64_t first, second;

  bool header() const { return first != 0; }
  uint32_t credits() const { return static_cast<uint32_t>(First::Credits::get(first)); }
  uint64_t credit() const { return header() ? Second::Credit::get(second) : 0; }
  std::vector<uint64_t> words() const {
    std::vector<uint64_t> out;
    for (const uint64_t w : {First::Word::get(first), Second::Word::get(second)}) {
      if (Word::Colour::get(w) != 0) out.push_back(w);
    }
    return out;
  }
  bool carries() const {
    return !words().empty() || Credits::Colour::get(credits()) != 0 || credit() != 0;
  }
};

// Decodes what one end drives, with that end's lane map.
class Ear {
 public:
  Ear(const Shape& shape, const std::array<int, 4>& map) : shape_(shape), map_(map) {}

  // Takes the lanes that the sending end drove after cycle `cycle`.
  void hear(uint64_t cycle, const Lanes& lanes) {
    Lanes rest = lanes;
    for (int b = shape_.groups * shape_.data - 1; b >= 0; --b) {
      const auto group = static_cast<size_t>(b / shape_.data);
      const uint64_t bit = uint64_t{1} << lane_of(b % shape_.data, group);
      beat_ = beat_ << 1 | ((lanes.group[group] & bit) != 0 ? 1 : 0);
      rest.group[group] &= ~bit;
    }
    EXPECT_EQ(rest.group[0] | rest.group[1], 0u) << "lanes that carry nothing are not 0";
    const auto slices = static_cast<uint64_t>(shape_.slices());
    if ((cycle + 1) % slices != 0) return;
    if ((cycle + 1) % (2 * slices) != 0) {
      first_ = beat_;
    } else if ((first_ | beat_) != 0) {
      frames.push_back({first_, beat_});
    }
    beat_ = 0;
  }

  std::vector<Frame> frames;

 private:
  // "On lane d below lo, on d + 1 from there on while that is below hi, and on d + 2 above."
  int lane_of(int d, size_t group) const {
    if (d < map_[2 * group]) return d;
    return d + 1 < map_[2 * group + 1] ? d + 1 : d + 2;
  }

  Shape shape_;
  std::array<int, 4> map_;
  uint64_t beat_ = 0, first_ = 0;
};

// The remainder of the 112 bits before it, inverted.
uint16_t crc_of(const Frame& f) {
  uint32_t r = 0;
  const auto take = [&r](uint64_t x, int bits) {
    for (int i = 63; i >= 64 - bits; --i) {
      const bool out = (r >> 15 & 1) != (x >> i & 1);
      r = (r << 1 & 0xFFFF) ^ (out ? 0x3D65 : 0);
    }
  };
  take(f.first, 64);
  take(f.second, 48);
  return static_cast<uint16_t>(~r);
}

void check_form(const std::vector<Frame>& frames) {
  uint64_t next = 0;
  for (const Frame& f : frames) {
    EXPECT_EQ(Second::Crc::get(f.second), crc_of(f));
    EXPECT_EQ(Second::Seq::get(f.second), next) << "a frame's number, or the one that comes next";
    EXPECT_EQ(Second::Epoch::get(f.second), 0u);
    if (f.header()) {
      EXPECT_EQ(First::Marker::get(f.first), 31u);
      EXPECT_EQ(First::Hint::get(f.first), 0b000111u);
      EXPECT_EQ(First::Nack::get(f.first), 0u);
    } else {
      EXPECT_EQ(Second::Credit::get(f.second), 31u);
      EXPECT_EQ(f.words().size(), 1u);
    }
    if (f.carries()) next = (next + 1) % 16;
  }
}

// Wavelets that the router at side 0 sends, and the frames heard in both directions.
class Exchange {
 public:
  Exchange(Pair* pair, const Shape& shape) : p_(*pair), shape_(shape) {
    for (int side = 0; side < 2; ++side) {
      ears_.emplace_back(shape, p_.status(side).tx_map);
      p_.router(side).raw = true;
    }
    frames_before_ = p_.status(1).frames;
  }

  void send(const Wavelet& w) {
    sent_[w.colour].push_back(link_of_wavelet(w));
    p_.router(0).script.push_back(link_of_wavelet(w));
  }
  void run(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      const uint64_t cycle = p_.cycle() + late_;
      p_.step();
      for (int side = 0; side < 2; ++side) {
        ears_[static_cast<size_t>(side)].hear(cycle, p_.wires(side).sent());
      }
    }
  }

  void check() {
    std::map<int, std::vector<uint64_t>> carried, came;
    uint32_t numbered = 0;
    for (const Frame& f : ears_[0].frames) {
      numbered += f.carries() ? 1 : 0;
      for (const uint64_t w : f.words()) {
        Wavelet x;
        x.colour = static_cast<uint8_t>(Word::Colour::get(w) - 1);
        x.ctrl = Word::Ctrl::get(w) != 0;
        x.data = static_cast<uint32_t>(Word::Data::get(w));
        carried[x.colour].push_back(link_of_wavelet(x));
      }
    }
    for (const auto& entry : p_.router(1).log) {
      came[link_wavelet(entry.second).colour].push_back(entry.second);
    }
    EXPECT_EQ(carried, sent_);
    EXPECT_EQ(came, sent_);
    check_form(ears_[0].frames);
    check_form(ears_[1].frames);
    EXPECT_EQ(p_.status(1).frames - frames_before_, numbered);
    ASSERT_FALSE(ears_[1].frames.empty());
    EXPECT_EQ(First::Ack::get(ears_[1].frames.back().first), numbered % 16);
    check_credits();
  }

  const std::vector<Frame>& frames() const { return ears_[0].frames; }

 private:
  // For each wavelet that leaves the far end's buffer, a frame brings back a credit.
  void check_credits() {
    std::map<int, size_t> back;
    for (const Frame& f : ears_[1].frames) {
      const uint32_t many = f.credits();
      if (Credits::Colour::get(many) != 0) {
        back[static_cast<int>(Credits::Colour::get(many)) - 1] += Credits::Count::get(many) + 1;
        EXPECT_EQ(Credits::Grant::get(many), 0u);
      }
      if (f.credit() != 0) ++back[static_cast<int>(f.credit()) - 1];
    }
    for (const auto& [colour, words] : sent_) EXPECT_EQ(back[colour], words.size()) << colour;
  }

  Pair& p_;
  Shape shape_;
  std::vector<Ear> ears_;
  std::map<int, std::vector<uint64_t>> sent_;
  uint32_t frames_before_ = 0;
  uint64_t late_ = 0;
};

void listen(const Shape& shape, const std::vector<int>& faulty) {
  Pair p(19, shape);
  for (const int lane : faulty) p.wires(0).set_fault(lane, Fault::Stuck1);
  ASSERT_TRUE(p.train(60000));
  Exchange x(&p, shape);
  Rng random(7);
  Wavelet w;
  for (int c = 0; c < kColours; ++c) {
    if ((shape.all_colours() >> c & 1) == 0) continue;
    w.colour = static_cast<uint8_t>(c);
    for (int i = 0; i < 2; ++i) {
      w.data = static_cast<uint32_t>(random.next()) & ~isa::Control::Commands::kMask;
      w.ctrl = random.below(2) != 0;
      x.send(w);
    }
    // Together and one by one, in even cycles and in odd ones.
    x.run(2 + c % 3 * (20 + c % 5) * shape.slices());
  }
  x.run(200 * shape.slices());
  x.check();
  size_t halves = 0;
  for (const Frame& f : x.frames()) halves += f.header() ? 0 : 1;
  EXPECT_GT(halves, 0u) << "no frame whose first beat was idle";
}

TEST(LinkFrames, AreOnTheWiresAsTheDocumentSays) {
  listen(kFull, {});
  listen(kMini, {});
}

TEST(LinkFrames, GoAroundFaultyLanes) {
  listen(kFull, {0, 33, kGroupLanes + 5, kGroupLanes + 6});
  listen(kFull, {17, kGroupLanes + 32});
  listen(kMini, {3, 4});
  listen(kMini, {0, 9});
}

// A bit of the marker or the hint is changed, and the CRC too, so that it stays correct.
TEST(LinkFrames, OfAWrongFormAreWrongFrames) {
  Pair p(20);
  ASSERT_TRUE(p.train());
  for (int side = 0; side < 2; ++side) p.router(side).offered = kAllColours;
  uint32_t power = 1;  // x^n modulo the polynomial
  const auto raise = [&power] { power = (power << 1 & 0xFFFF) ^ (power >> 15 != 0 ? 0x3D65 : 0); };
  for (int n = 0; n < 64 + 53; ++n) raise();
  uint32_t wrong = p.status(1).wrong_frames;
  for (int bit = 53; bit < 64; ++bit, raise()) {
    p.run(200 + p.cycle() % 2);  // a first beat is next on the wires
    Lanes first, second;
    first.group[1] = uint64_t{1} << (bit - 32);
    second.group[0] = power;
    for (const Lanes& flips : {first, second}) {
      p.wires(0).flip_next(flips);
      p.step();
    }
    p.run(200);
    EXPECT_EQ(p.status(1).wrong_frames, ++wrong) << "bit " << bit;
  }
  EXPECT_TRUE(p.drain());
  EXPECT_EQ(p.errors(), 0u) << p.first_error();
}

}  // namespace
}  // namespace ow::link
