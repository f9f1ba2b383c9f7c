// SPDX-License-Identifier: Apache-2.0
// Two ends of a reticle-crossing link: the Verilated ow_link, both in one clock, and the wires
// between them with their faults and noise. At each tile edge stands a router's side of the credit
// protocol. It offers numbered wavelets and checks what comes out: per colour nothing may be lost,
// wrong, doubled or out of order.
#ifndef OW_LINK_PAIR_H_
#define OW_LINK_PAIR_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/rng.h"
#include "ow/isa/isa.h"

class VerilatedContext;

namespace ow::link {

constexpr int kGroups = 2;
constexpr int kGroupLanes = 34;
constexpr int kLanes = kGroups * kGroupLanes;
constexpr int kFrameBits = 128;
constexpr int kColours = 26;
constexpr int kControlColour = 24;  // and 25
constexpr uint32_t kAllColours = (1u << kColours) - 1;

// The size of a link, as sw/isa has it for the configurations.
struct Shape {
  bool mini;
  int groups, data;  // groups of lanes; data lanes of each
  int colours;       // data colours

  constexpr int group_lanes() const { return data + kGroupLanes - isa::kGroupData; }
  constexpr int lanes() const { return groups * group_lanes(); }
  // Number of lane i, counted without gaps.
  constexpr int lane(int i) const { return i / group_lanes() * kGroupLanes + i % group_lanes(); }
  // Cycles of a beat, that is of a wavelet at full rate.
  constexpr int slices() const { return isa::kBeatBits / (groups * data); }
  // One bit for each colour: data colours and those of the control plane.
  constexpr uint32_t all_colours() const {
    return ((1u << colours) - 1) | (kAllColours & ~((1u << kControlColour) - 1));
  }
};
constexpr Shape kFull{false, kGroups, isa::kGroupData, kControlColour};
constexpr Shape kMini{true, isa::kMiniLaneGroups, isa::kMiniGroupData, isa::kMini.num_colours};

// What the lanes of one direction carry in a cycle; lane 34 g + l is bit l of group[g], whatever
// the size of the groups.
struct Lanes {
  std::array<uint64_t, kGroups> group{};
};

enum class Fault { None, Stuck0, Stuck1, Inverted, BridgedAnd, BridgedOr, Follows, Intermittent };

// The wires of one direction.
class Wires {
 public:
  Wires(uint64_t seed, const Shape& shape) : shape_(shape), random_(seed) {}

  // Independent wrong bits: probability of each bit of each lane.
  void set_noise(double bit_error_rate);
  // Bursts of 2 to 16 bits with a random pattern, either over neighbouring lanes in one cycle or
  // over several cycles on one lane: the mean number per cycle.
  void set_bursts(double a_cycle);
  // `other` is the lane that a bridge goes to; `rate` is the share of wrong bits of an intermittent
  // lane, which comes and goes every few hundred cycles.
  void set_fault(int lane, Fault fault, int other = 0, double rate = 0.5);
  void clear_faults();
  void cut(bool on) { cut_ = on; }  // all lanes 0
  // Flips these bits in the next cycle that carries something (once).
  void flip_next(const Lanes& mask) {
    flip_ = mask;
    flip_armed_ = true;
  }

  Lanes carry(const Lanes& sent);
  const Lanes& sent() const { return sent_; }  // what was driven in the last cycle

  uint64_t bits_flipped() const { return bits_flipped_; }
  uint64_t bursts() const { return bursts_; }

 private:
  void draw_gap();
  void burst(Lanes* got);
  struct LaneFault {
    int lane;
    Fault fault;
    int other;
    double rate;
    bool active;
    uint32_t until;
  };
  struct Burst {
    int lane;
    int left;
  };

  Shape shape_;
  Rng random_;
  double rate_ = 0;
  double log_keep_ = 0;
  uint64_t gap_ = 0;  // bits until the next wrong one
  double burst_rate_ = 0;
  std::vector<Burst> running_;
  std::vector<LaneFault> faults_;
  bool cut_ = false;
  bool flip_armed_ = false;
  Lanes flip_;
  Lanes sent_;
  uint32_t cycle_ = 0;
  uint64_t bits_flipped_ = 0;
  uint64_t bursts_ = 0;
};

// The router at a tile edge: source and sink of numbered wavelets of every colour.
class Router {
 public:
  explicit Router(uint64_t seed);

  uint32_t offered = 0;  // colours that have something to send, a bit each
  uint32_t blocked = 0;  // colours that are not taken out of this router's buffer
  double load = 1.0;     // probability to offer something in a cycle
  // With `raw` set the router does none of this. It sends the words of `script`, one per cycle, and
  // keeps every word that comes in and is not 0, with its cycle.
  bool raw = false;
  std::deque<uint64_t> script;
  std::vector<std::pair<uint64_t, uint64_t>> log;

  // `from_link` is what the link shows in `cycle`; returns what the link sees in cycle `next`.
  uint64_t step(uint64_t from_link, uint64_t cycle, uint64_t next);

  uint64_t sent() const { return sent_total_; }
  uint64_t taken() const { return taken_total_; }
  uint64_t sent(int colour) const { return sent_[static_cast<size_t>(colour)]; }
  uint64_t taken(int colour) const { return expect_[static_cast<size_t>(colour)]; }
  uint64_t errors() const { return errors_; }
  const std::string& first_error() const { return first_error_; }

  // Latencies from the source's link to the sink's, in cycles, since the last reset_latency().
  uint64_t latency_min() const { return latency_min_; }
  uint64_t latency_max() const { return latency_max_; }
  void reset_latency() {
    latency_min_ = ~uint64_t{0};
    latency_max_ = 0;
  }
  // The router whose wavelets this router receives (for latencies).
  void set_source(const Router* source) { source_ = source; }

 private:
  static constexpr uint32_t kTimes = 1024;
  void error(const std::string& what);
  uint32_t word_of(int colour, uint64_t number, bool* ctrl) const;

  Rng random_;
  const Router* source_ = nullptr;
  std::array<uint8_t, kColours> credits_{};
  std::array<uint8_t, kColours> held_{};  // wavelets of blocked colours in this router
  std::array<uint8_t, kColours> owed_{};  // credits to be returned
  std::array<uint64_t, kColours> sent_{};
  std::array<uint64_t, kColours> expect_{};
  std::vector<uint64_t> time_;  // of the last kTimes wavelets of each colour
  uint32_t can_ = 0;
  uint32_t owes_ = 0;
  uint32_t full_ = 0;
  uint32_t above_ = 0;
  uint64_t sent_total_ = 0;
  uint64_t taken_total_ = 0;
  uint64_t errors_ = 0;
  uint64_t latency_min_ = ~uint64_t{0};
  uint64_t latency_max_ = 0;
  std::string first_error_;
};

// Words of the status (docs/links.md).
struct Status {
  bool up = false;
  int reason = 0;
  int cause = 0;
  int trainings = 0;
  uint32_t replays = 0;
  uint32_t wrong_frames = 0;
  uint32_t frames = 0;
  std::vector<int> faulty;          // lanes, as this end's receiver found them
  std::array<int, 4> rx_map{};      // lower and higher faulty lane of each group; 63: none
  std::array<int, 4> tx_map{};      // the same of the lanes that this end drives
  std::array<int, kLanes> phase{};  // delay of each lane there is, in eighths of a bit
};

enum Reason {
  kUp = static_cast<int>(isa::LinkDown::Not),
  kOff = static_cast<int>(isa::LinkDown::Off),
  kNoSignal = static_cast<int>(isa::LinkDown::NoSignal),
  kTraining = static_cast<int>(isa::LinkDown::Training),
  kTooManyLanes = static_cast<int>(isa::LinkDown::Lanes),
  kPeerDown = static_cast<int>(isa::LinkDown::PeerLanes),
  kPeerReset = static_cast<int>(isa::LinkDown::PeerReset)
};
enum Cause {
  kReset = static_cast<int>(isa::LinkCause::Reset),
  kCommand = static_cast<int>(isa::LinkCause::Command),
  kErrors = static_cast<int>(isa::LinkCause::Errors),
  kSilence = static_cast<int>(isa::LinkCause::Silence),
  kHandshake = static_cast<int>(isa::LinkCause::Handshake),
  kPeer = static_cast<int>(isa::LinkCause::Peer)
};

class EndModel;

class Pair {
 public:
  explicit Pair(uint64_t seed, const Shape& shape = kFull);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  // wires(s): from side s to the other.
  Wires& wires(int side) { return wires_[static_cast<size_t>(side)]; }
  Router& router(int side) { return routers_[static_cast<size_t>(side)]; }

  void step();
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) step();
  }
  // Runs until both sides are up; false if they are not within `limit` cycles.
  bool train(uint64_t limit = 20000);
  // Stops offering, opens all sinks, and runs until everything that was sent has come out, or
  // `limit`.
  bool drain(uint64_t limit = 100000);

  uint64_t cycle() const { return cycle_; }
  bool up(int side) const;
  bool idle(int side) const;
  void retrain(int side) { retrain_ |= 1 << side; }
  void enable(int side, bool on);
  // Ends that report to be idle get no clock until something arrives.
  void sleep(bool on) { sleep_ = on; }
  void reset(int side, int cycles = 2);
  // By how much the cycle count of side 1 is ahead of that of side 0, before training.
  void set_parity(int parity) { parity_ = parity; }
  Status status(int side);
  uint64_t lanes_active(int side) const { return active_[static_cast<size_t>(side)]; }

  // Sum of both routers' errors, and the first of them.
  uint64_t errors() const { return routers_[0].errors() + routers_[1].errors(); }
  std::string first_error() const;

 private:
  Shape shape_;
  std::unique_ptr<VerilatedContext> context_;
  std::array<std::unique_ptr<EndModel>, 2> ends_;
  std::array<Wires, 2> wires_;
  std::array<Router, 2> routers_;
  uint64_t cycle_ = 0;
  int retrain_ = 0;
  int parity_ = 0;
  bool sleep_ = false;
  std::array<int, 2> reset_{};
  std::array<uint64_t, 2> active_{};  // cycles in which a side's lanes were not all 0
};

}  // namespace ow::link

#endif  // OW_LINK_PAIR_H_
