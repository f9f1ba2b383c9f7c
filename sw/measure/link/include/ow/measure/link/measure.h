// SPDX-License-Identifier: Apache-2.0
// The measurements of `ow bench link`.
#ifndef OW_LINK_MEASURE_H_
#define OW_LINK_MEASURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ow/measure/link/pair.h"

namespace ow::link {

using ProgressFunction = std::function<void(uint64_t done)>;

// All functions here measure a link of `shape`. This one: one colour alone, or one colour while all
// others are blocked, over clean lanes, with `spares_used` spare lanes of each group in use in both
// directions.
struct Rate {
  int colour = 0;
  int blocked = 0;
  int spares_used = 0;
  uint64_t cycles = 0;
  uint64_t wavelets = 0;  // of the colour, in one direction
  uint64_t latency_min = 0;
  uint64_t latency_max = 0;
  uint64_t errors = 0;
  std::string first_error;
  double rate() const { return static_cast<double>(wavelets) / static_cast<double>(cycles); }
};
Rate measure_rate(int colour, int blocked, int spares_used, uint64_t cycles, uint64_t seed,
                  const Shape& shape = kFull);
// Latency of single wavelets of all colours, at both parities, on a link that is otherwise idle.
Rate measure_latency(int spares_used, uint64_t seed, const Shape& shape = kFull);

// Frames that one wrong frame costs: the round trip, W in the formula.
struct Window {
  uint64_t errors = 0;       // wrong frames made, far apart
  uint64_t frames_lost = 0;  // frames less than without them
  double frames() const { return static_cast<double>(frames_lost) / static_cast<double>(errors); }
};
Window measure_window(uint64_t seed, const Shape& shape = kFull);

struct Noise {
  std::string name;
  double bit_error_rate = 0;
  double bursts = 0;           // a cycle and direction
  uint64_t retrain_every = 0;  // cycles; 0: never
  uint64_t wavelets = 0;       // both directions, checked
  uint64_t lost = 0;
  uint64_t errors = 0;  // wrong, doubled or out of order
  std::string first_error;
  uint64_t cycles_up = 0;    // of the measurement
  uint64_t wavelets_up = 0;  // both directions, in those
  uint64_t bits_flipped = 0;
  uint64_t bursts_made = 0;
  uint64_t wrong_frames = 0;
  uint64_t replays = 0;
  int trainings = 0;
  int slices = 1;
  double goodput() const {  // of the wavelets that a link without noise carries
    return slices * static_cast<double>(wavelets_up) / (2.0 * static_cast<double>(cycles_up));
  }
};
// All colours backlogged in both directions until `wavelets` have come out.
Noise measure_noise(const std::string& name, double bit_error_rate, double bursts,
                    uint64_t retrain_every, uint64_t wavelets, uint64_t seed,
                    const ProgressFunction& progress = nullptr, const Shape& shape = kFull);
double wrong_frame_probability(double bit_error_rate);
double formula(double p, double window);

// Pairs of lanes of a group that fail: stuck at 0, stuck at 1, inverted, bridged and so on, in
// turn. The link must train around them, name the right lanes in its status and run at full rate.
struct Repairs {
  int cases = 0;
  int repaired = 0;
  uint64_t wavelets = 0;
  uint64_t errors = 0;
  double slowest = 1;             // wavelets in the time of a beat
  uint64_t longest_training = 0;  // cycles from the fault to up
  std::vector<std::string> failed;
};
Repairs measure_repairs(int group, int stride, uint64_t beats, uint64_t seed,
                        const ProgressFunction& progress = nullptr, const Shape& shape = kFull);

// More faulty lanes than spares: both ends must be down, name the lanes and send no wavelet.
struct Refusals {
  int cases = 0;
  int refused = 0;
  uint64_t wavelets_leaked = 0;
  std::vector<std::string> failed;
};
Refusals measure_refusals(int cases, uint64_t seed, const ProgressFunction& progress = nullptr,
                          const Shape& shape = kFull);

}  // namespace ow::link

#endif  // OW_LINK_MEASURE_H_
