// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/link/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ow/base/error.h"
#include "ow/measure/link/pair.h"

namespace ow::link {
namespace {

void use_spares(Pair* pair, int spares, const Shape& shape) {
  for (int side = 0; side < 2; ++side) {
    for (int g = 0; g < shape.groups; ++g) {
      for (int i = 0; i < spares; ++i) {
        const int lane = (5 + shape.group_lanes() / 2 * i + side) % shape.group_lanes();
        pair->wires(side).set_fault(g * kGroupLanes + lane, Fault::Stuck1);
      }
    }
  }
}

void must_train(Pair* pair) {
  if (!pair->train(60000)) throw DeviceFault("link: it did not come up");
}

std::string list(const std::vector<int>& lanes) { return fmt::format("{}", fmt::join(lanes, " ")); }

}  // namespace

Rate measure_rate(int colour, int blocked, int spares_used, uint64_t cycles, uint64_t seed,
                  const Shape& shape) {
  Pair pair(seed, shape);
  use_spares(&pair, spares_used, shape);
  must_train(&pair);
  Rate r;
  r.colour = colour;
  r.blocked = blocked;
  r.spares_used = spares_used;
  const uint32_t own = 1u << colour;
  uint32_t others = 0;
  for (int c = 0, n = 0; c < kColours && n < blocked; ++c) {
    if (c == colour || (shape.all_colours() >> c & 1) == 0) continue;
    others |= 1u << c;
    ++n;
  }
  // Each other colour in turn runs alone at full rate and is then blocked, which is the worst that
  // can be in the buffers. At the end all are offered together.
  const auto slices = static_cast<uint64_t>(shape.slices());
  for (int side = 0; side < 2; ++side) pair.router(side).offered = others;
  pair.run(200 * slices);
  for (int c = 0; c < kColours; ++c) {
    if ((others >> c & 1) == 0) continue;
    for (int side = 0; side < 2; ++side) pair.router(side).offered = 1u << c;
    pair.run(60 * slices);
    for (int side = 0; side < 2; ++side) pair.router(side).blocked |= 1u << c;
    pair.run(60 * slices);
  }
  for (int side = 0; side < 2; ++side) pair.router(side).offered = others | own;
  pair.run(300 * slices);
  const uint64_t before = pair.router(0).taken(colour);
  pair.router(0).reset_latency();
  pair.run(cycles);
  r.cycles = cycles;
  r.wavelets = pair.router(0).taken(colour) - before;
  r.latency_min = pair.router(0).latency_min();
  r.latency_max = pair.router(0).latency_max();
  if (!pair.drain()) {
    r.errors = 1;
    r.first_error = "wavelets were lost";
  }
  r.errors += pair.errors();
  if (pair.errors() != 0) r.first_error = pair.first_error();
  return r;
}

Rate measure_latency(int spares_used, uint64_t seed, const Shape& shape) {
  Pair pair(seed, shape);
  use_spares(&pair, spares_used, shape);
  must_train(&pair);
  Rate r;
  r.spares_used = spares_used;
  pair.run(4 * static_cast<uint64_t>(shape.slices()));  // to the first frame in which both are up
  for (int side = 0; side < 2; ++side) pair.router(side).reset_latency();
  const uint64_t start = pair.cycle();
  const int apart = 30 * shape.slices();
  for (int c = 0; c < kColours; ++c) {
    if ((shape.all_colours() >> c & 1) == 0) continue;
    for (int gap = apart; gap < apart + 16; ++gap) {
      for (int side = 0; side < 2; ++side) pair.router(side).offered = 1u << c;
      pair.step();
      for (int side = 0; side < 2; ++side) pair.router(side).offered = 0;
      pair.run(static_cast<uint64_t>(gap));
    }
  }
  r.cycles = pair.cycle() - start;
  r.wavelets = pair.router(0).taken();
  r.latency_min = std::min(pair.router(0).latency_min(), pair.router(1).latency_min());
  r.latency_max = std::max(pair.router(0).latency_max(), pair.router(1).latency_max());
  r.errors = pair.errors() + (pair.drain() ? 0 : 1);
  r.first_error = pair.first_error();
  return r;
}

Window measure_window(uint64_t seed, const Shape& shape) {
  Window w;
  Pair pair(seed, shape);
  must_train(&pair);
  for (int side = 0; side < 2; ++side) pair.router(side).offered = shape.all_colours();
  const auto slices = static_cast<uint64_t>(shape.slices());
  pair.run(2000 * slices);
  const uint64_t gap = 400 * slices;
  for (int i = 0; i < 50; ++i) {
    const uint64_t clean = pair.router(1).taken();
    pair.run(gap);
    const uint64_t full = pair.router(1).taken() - clean;
    Lanes mask;
    // Only data lanes are wanted here: the last two lanes are unused spares.
    const int lane = i % shape.group_lanes();
    mask.group[0] = uint64_t{1} << (lane < shape.data ? lane : 0);
    pair.run(static_cast<uint64_t>(i % 7));
    const uint64_t before = pair.router(1).taken();
    pair.wires(0).flip_next(mask);
    pair.run(gap);
    ++w.errors;
    w.frames_lost += (full - (pair.router(1).taken() - before)) / 2;
  }
  return w;
}

double wrong_frame_probability(double ber) { return -std::expm1(kFrameBits * std::log1p(-ber)); }
double formula(double p, double window) { return (1 - p) / (1 + (window - 1) * p); }

Noise measure_noise(const std::string& name, double ber, double bursts, uint64_t retrain_every,
                    uint64_t wavelets, uint64_t seed, const ProgressFunction& progress,
                    const Shape& shape) {
  Noise n;
  n.slices = shape.slices();
  n.name = name;
  n.bit_error_rate = ber;
  n.bursts = bursts;
  n.retrain_every = retrain_every;
  Pair pair(seed, shape);
  for (int side = 0; side < 2; ++side) {
    pair.wires(side).set_noise(ber);
    pair.wires(side).set_bursts(bursts);
  }
  must_train(&pair);
  for (int side = 0; side < 2; ++side) pair.router(side).offered = shape.all_colours();
  pair.run(1000);
  uint64_t next_training = pair.cycle() + retrain_every;
  int side = 0;
  uint64_t stalled = 0;
  uint64_t last = 0;
  while (true) {
    const uint64_t taken = pair.router(0).taken() + pair.router(1).taken();
    if (taken >= wavelets) break;
    if (taken == last && ++stalled > 200) {
      n.first_error = "nothing came out for 200,000 cycles";
      ++n.errors;
      break;
    }
    if (taken != last) stalled = 0;
    last = taken;
    if (progress) progress(taken);
    const bool up = pair.up(0) && pair.up(1);
    pair.run(1000);
    if (up && pair.up(0) && pair.up(1)) {
      n.cycles_up += 1000;
      n.wavelets_up += pair.router(0).taken() + pair.router(1).taken() - taken;
    }
    if (retrain_every != 0 && pair.cycle() >= next_training) {
      pair.retrain(side);
      side ^= 1;
      next_training = pair.cycle() + retrain_every;
    }
  }
  if (!pair.drain(400000)) n.lost = pair.router(0).sent() + pair.router(1).sent();
  n.wavelets = pair.router(0).taken() + pair.router(1).taken();
  if (n.lost != 0) n.lost -= std::min(n.lost, n.wavelets);
  n.errors += pair.errors();
  if (pair.errors() != 0) n.first_error = pair.first_error();
  for (int s = 0; s < 2; ++s) {
    const Status status = pair.status(s);
    n.wrong_frames += status.wrong_frames;
    n.replays += status.replays;
    n.trainings += status.trainings;
    n.bits_flipped += pair.wires(s).bits_flipped();
    n.bursts_made += pair.wires(s).bursts();
  }
  return n;
}

Repairs measure_repairs(int group, int stride, uint64_t beats, uint64_t seed,
                        const ProgressFunction& progress, const Shape& shape) {
  const auto slices = static_cast<uint64_t>(shape.slices());
  Repairs r;
  static const Fault kFaults[] = {Fault::Stuck0, Fault::Stuck1, Fault::Inverted};
  int number = 0;
  for (int a = 0; a < shape.group_lanes(); ++a) {
    for (int b = a + 1; b < shape.group_lanes(); ++b, ++number) {
      if (number % stride != 0) continue;
      ++r.cases;
      Pair pair(seed + static_cast<uint64_t>(number), shape);
      const int la = group * kGroupLanes + a;
      const int lb = group * kGroupLanes + b;
      std::string kind;
      if (number % 5 == 3) {
        pair.wires(0).set_fault(la, Fault::BridgedAnd, lb);
        kind = "bridged";
      } else if (number % 5 == 4) {
        pair.wires(0).set_fault(la, Fault::Intermittent, 0, 0.5);
        pair.wires(0).set_fault(lb, Fault::Intermittent, 0, 0.5);
        kind = "intermittent";
      } else {
        pair.wires(0).set_fault(la, kFaults[number % 5 % 3]);
        pair.wires(0).set_fault(lb, kFaults[(number / 5) % 3]);
        kind = "stuck or inverted";
      }
      const auto fail = [&](const std::string& why) {
        r.failed.push_back(fmt::format("lanes {} and {} ({}): {}", la, lb, kind, why));
      };
      const uint64_t start = pair.cycle();
      if (!pair.train(60000)) {
        fail(fmt::format("not up, reasons {} and {}, faulty {}", pair.status(0).reason,
                         pair.status(1).reason, list(pair.status(1).faulty)));
        continue;
      }
      r.longest_training = std::max(r.longest_training, pair.cycle() - start);
      for (int side = 0; side < 2; ++side) pair.router(side).offered = shape.all_colours();
      pair.run(200 * slices);
      // An intermittent lane may have to be found by its errors first.
      if (kind == "intermittent") {
        pair.run(60000);
        while (!(pair.up(0) && pair.up(1)) && pair.cycle() < start + 200000) pair.run(200);
        pair.run(200 * slices);
      }
      const uint64_t span =
          slices * (kind == "intermittent" ? std::max<uint64_t>(beats, 3000) : beats);
      const uint64_t before = pair.router(1).taken();
      pair.run(span);
      const double rate = static_cast<double>(slices * (pair.router(1).taken() - before)) /
                          static_cast<double>(span);
      r.slowest = std::min(r.slowest, rate);
      const std::vector<int> found = pair.status(1).faulty;
      const bool drained = pair.drain();
      r.wavelets += pair.router(0).taken() + pair.router(1).taken();
      r.errors += pair.errors() + (drained ? 0 : 1);
      if (!drained || pair.errors() != 0) {
        fail(pair.first_error().empty() ? "wavelets were lost" : pair.first_error());
      } else if (kind == "intermittent" ? std::count(found.begin(), found.end(), la) +
                                                  std::count(found.begin(), found.end(), lb) !=
                                              static_cast<std::ptrdiff_t>(found.size())
                                        : found != std::vector<int>{la, lb}) {
        // An intermittent lane that is a spare and not in use need not have been found.
        fail(fmt::format("found {}", list(found)));
      } else if (rate < 1.0) {
        fail(fmt::format("{} wavelets in the time of a beat", rate));
      } else {
        ++r.repaired;
      }
      if (progress) progress(static_cast<uint64_t>(number));
    }
  }
  return r;
}

Refusals measure_refusals(int cases, uint64_t seed, const ProgressFunction& progress,
                          const Shape& shape) {
  Refusals r;
  // So few that most lanes still carry markers and messages.
  const int most = shape.lanes() * 6 / 17;
  Rng random(seed);
  for (int i = 0; i < cases; ++i) {
    ++r.cases;
    Pair pair(seed + static_cast<uint64_t>(i), shape);
    const int group = i % shape.groups;
    const int count = 3 + i / shape.groups % std::min(8, most - 2);
    std::vector<int> lanes;
    while (static_cast<int>(lanes.size()) < count) {
      const int lane = group * kGroupLanes +
                       static_cast<int>(random.below(static_cast<uint32_t>(shape.group_lanes())));
      if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end()) lanes.push_back(lane);
    }
    std::sort(lanes.begin(), lanes.end());
    const bool later = i % 3 == 2;  // in mid-transfer instead of from the start
    const auto strike = [&] {
      for (const int lane : lanes) {
        pair.wires(0).set_fault(lane, random.below(2) != 0 ? Fault::Stuck1 : Fault::Inverted);
      }
    };
    if (!later) strike();
    for (int side = 0; side < 2; ++side) pair.router(side).offered = shape.all_colours();
    if (later) {
      pair.train();
      pair.run(500);
      strike();
    }
    for (int k = 0; k < 400; ++k) pair.run(100);
    const uint64_t taken = pair.router(0).taken() + pair.router(1).taken();
    const uint64_t active = pair.lanes_active(0) + pair.lanes_active(1);
    pair.run(3000);
    const uint64_t leaked = pair.router(0).taken() + pair.router(1).taken() - taken +
                            (later ? 0 : taken) + pair.lanes_active(0) + pair.lanes_active(1) -
                            active;
    r.wavelets_leaked += leaked;
    const Status s0 = pair.status(0);
    const Status s1 = pair.status(1);
    if (!pair.up(0) && !pair.up(1) && s1.reason == kTooManyLanes && s0.reason == kPeerDown &&
        s1.faulty == lanes && leaked == 0 && pair.errors() == 0) {
      ++r.refused;
    } else {
      r.failed.push_back(
          fmt::format("lanes {}{}: reasons {} and {}, found {}, up {} {}, {} leaked, {}",
                      list(lanes), later ? " (later)" : "", s0.reason, s1.reason, list(s1.faulty),
                      pair.up(0), pair.up(1), leaked, pair.first_error()));
    }
    if (progress) progress(static_cast<uint64_t>(i));
  }
  return r;
}

}  // namespace ow::link
