// SPDX-License-Identifier: Apache-2.0
// What stands on the bench beside the ends of a link: wires, routers, and ears that read the wires.
#ifndef OW_CONFORM_LINK_PARTS_H_
#define OW_CONFORM_LINK_PARTS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "ow/conform/door.h"
#include "ow/isa/isa.h"

namespace ow::conform {

// Lane l of group g is bit l of word g, in groups of any size (docs/links.md, L1).
using Lanes = std::array<uint64_t, 2>;
constexpr int kWordLanes = 34;

struct LinkShape {
  bool mini = false;
  int groups() const { return mini ? isa::kMiniLaneGroups : 2; }
  int data() const { return mini ? isa::kMiniGroupData : isa::kGroupData; }
  int group_lanes() const { return data() + 2; }
  int lanes() const { return groups() * group_lanes(); }
  int slices() const { return 64 / (groups() * data()); }
  // The word and the bit of lane i, counted without gaps.
  size_t word(int i) const { return static_cast<size_t>(i / group_lanes()); }
  int bit(int i) const { return i % group_lanes(); }
};

// The wires of one direction.
class LinkWires {
 public:
  enum class Fault { None, Stuck0, Stuck1, Inverted };

  explicit LinkWires(const LinkShape& shape)
      : shape_(shape), faults_(static_cast<size_t>(shape.lanes())), late_(faults_.size()) {}

  void set_fault(int lane, Fault fault) { faults_.at(static_cast<size_t>(lane)) = fault; }
  // The lane is so many cycles later than the others.
  void set_late(int lane, int cycles) { late_.at(static_cast<size_t>(lane)) = cycles; }
  // All lanes 0.
  void cut(bool on) { cut_ = on; }
  // These bits are wrong in the next cycles, one mask each; the first waits until the lanes carry
  // something if `waits`.
  void flip(const Lanes& mask, bool waits) {
    if (flips_.empty()) flips_wait_ = waits;
    flips_.push_back(mask);
  }
  Lanes carry(const Lanes& sent);

 private:
  static constexpr size_t kPast = 4;

  LinkShape shape_;
  std::vector<Fault> faults_;
  std::vector<int> late_;
  std::deque<Lanes> past_;  // the newest first
  std::deque<Lanes> flips_;
  bool cut_ = false, flips_wait_ = false;
};

// The router at a tile edge, by the credits of docs/fabric.md.
class LinkRouter {
 public:
  LinkRouter();
  // What the end shows; returns what the router drives next.
  uint64_t step(uint64_t from_end);

  void send(int colour, const std::vector<Word>& words);
  std::vector<Word> take(int colour);
  size_t came(int colour) { return colours_[colour].came.size(); }
  // Keeps what it gets of a colour, and its credits.
  void block(int colour, bool on) { blocked_[colour] = on; }
  // From now on it drives these words of a link, one a cycle, and notes all that come.
  void script(const std::vector<uint64_t>& words);
  std::vector<uint64_t> noted();
  // The colours whose credits have come since it was asked last, in their order.
  std::vector<int> credited();
  uint64_t sent() const { return sent_; }
  uint64_t taken() const { return taken_; }

 private:
  struct Colour {
    std::deque<Word> waits;  // to be sent
    std::vector<Word> came;
    int credits = 0, owed = 0, held = 0;
  };
  std::map<int, Colour> colours_;
  std::map<int, bool> blocked_;
  bool scripted_ = false;
  std::deque<uint64_t> script_;
  std::vector<uint64_t> noted_;
  std::vector<int> credited_;
  int turn_ = 0, owing_ = 0;
  uint64_t sent_ = 0, taken_ = 0;
};

// Reads what an end drives: frames, or periods of training.
class LinkEar {
 public:
  explicit LinkEar(const LinkShape& shape) : shape_(shape) {}

  // The lanes that the end drove after cycle `cycle`.
  void hear(uint64_t cycle, const Lanes& lanes);
  // Frames are heard from now on, with the lower and the higher faulty lane of each group, 63:
  // none.
  void listen(const std::array<int, 4>& map);
  // First and second beats. `spare`: lanes that should be 0 were not.
  std::vector<uint64_t> take_frames();
  bool spare() const { return spare_; }

  // The next period of training: lanes with a whole marker, the message, lanes whose test sequence
  // obeys the polynomial, different ones among them, and the cycle of a frame's time in which the
  // period begins.
  struct Period {
    int markers = 0, tests = 0, different = 0;
    uint64_t message = 0, phase = 0;
  };
  void await_period() { awaited_ = true; }
  bool has_period() const { return !awaited_; }
  const Period& period() const { return period_; }

 private:
  bool bit(const Lanes& lanes, int lane) const;
  void hear_frame(uint64_t cycle, const Lanes& lanes);
  void read_period(uint64_t cycle);

  LinkShape shape_;
  bool listens_ = false, spare_ = false, awaited_ = false;
  std::array<int, 4> map_{};
  uint64_t beat_ = 0, first_ = 0;
  std::vector<uint64_t> frames_;
  std::deque<Lanes> past_;  // the last period, the oldest first
  Period period_;
};

}  // namespace ow::conform

#endif  // OW_CONFORM_LINK_PARTS_H_
