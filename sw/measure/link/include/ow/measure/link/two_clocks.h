// SPDX-License-Identifier: Apache-2.0
// Two ends of a link in clocks of one frequency and any phase. Time on the wires is in sixteenths
// of a bit: flight, the skew of each lane, the jitter of each edge, and the receiver's delay
// elements (ow_link_delay), which training sets.
#ifndef OW_LINK_TWO_CLOCKS_H_
#define OW_LINK_TWO_CLOCKS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ow/measure/link/pair.h"

namespace ow::link {

constexpr int kTicks = 16;  // in a clock period

struct Crossing {
  int phase = 0;   // of side 1's clock against side 0's, 0 to 15 ticks
  int flight = 4;  // ticks on the shortest lane
  int skew = 0;    // ticks between the shortest and the longest lane, 0 to 16
  int jitter = 0;  // each edge moves by up to this many ticks either way
  double bit_error_rate = 0;
};

class TwoClocks {
 public:
  TwoClocks(const Crossing& crossing, uint64_t seed, const Shape& shape = kFull);
  ~TwoClocks();
  TwoClocks(const TwoClocks&) = delete;
  TwoClocks& operator=(const TwoClocks&) = delete;

  Router& router(int side) { return routers_[static_cast<size_t>(side)]; }
  Wires& wires(int side) { return wires_[static_cast<size_t>(side)]; }

  void run(uint64_t periods);
  bool train(uint64_t limit = 30000);
  bool drain(uint64_t limit = 100000);
  bool up(int side) const;
  // Makes side 1's present period longer by this many ticks, as a drift of its phase would.
  void drift(int ticks) { next_edge_ += static_cast<uint64_t>(ticks); }
  void retrain(int side) { retrain_[static_cast<size_t>(side)] = true; }
  uint32_t status(int side, int word);
  // Delay of a lane at a receiver, in eighths of a bit; lanes are counted without gaps.
  int delay(int side, int lane);

  uint64_t errors() const { return routers_[0].errors() + routers_[1].errors(); }
  std::string first_error() const;
  // Latency from one tile's edge to the other's, in ticks, since it was last reset.
  uint64_t latency_min() const;
  uint64_t latency_max() const;

 private:
  struct Model;
  void tick();
  void edge(int side);

  Crossing crossing_;
  Shape shape_;
  Rng random_;
  std::unique_ptr<Model> model_;
  std::array<Wires, 2> wires_;
  std::array<Router, 2> routers_;
  std::array<std::array<int, kLanes>, 2> skew_{};
  std::array<bool, 2> retrain_{};
  std::array<uint64_t, 2> cycle_{};
  uint64_t time_ = 0;
  uint64_t next_edge_ = 0;  // of side 1's clock
};

// One million wavelets, say, over phases, skews and jitter.
struct PhaseSweep {
  int cases = 0;
  int trained = 0;
  uint64_t wavelets = 0;
  uint64_t lost = 0;
  uint64_t errors = 0;
  uint64_t wrong_frames = 0;
  int trainings = 0;
  double latency_min = 1e9;  // periods
  double latency_max = 0;
  double latency_spread = 0;  // largest difference within one case without noise
  std::string first_error;
};
PhaseSweep measure_phases(uint64_t wavelets, uint64_t seed,
                          const std::function<void(uint64_t)>& progress = nullptr);

}  // namespace ow::link

#endif  // OW_LINK_TWO_CLOCKS_H_
