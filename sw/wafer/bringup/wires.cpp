// SPDX-License-Identifier: Apache-2.0
// Every wire between tiles, in both directions and with every setting of the muxes: each station
// sends a pattern of its own and then its complement, while the tiles are in reset.
#include <fmt/format.h>

#include <algorithm>

#include "ow/base/rng.h"
#include "steps.h"

namespace ow::wafer {
namespace {

// A setting of the muxes of all tiles at once: the horizontal ones skip `skip` columns, the
// vertical ones `up` rows with a shift to the side.
struct Round {
  int number = 0;
  int skip = 0;
  int up = 0;
  int shift = 0;
};

class WireScan {
 public:
  explicit WireScan(Probe& probe) : probe_(probe) {}

  void run() {
    const int sc = probe_.shape.spare_cols, sr = probe_.shape.spare_rows;
    const int shifts = 2 * sc + 1, vertical = (sr + 1) * shifts, horizontal = sc + 1;
    for (int n = 0; n < std::max(vertical, horizontal); ++n) {
      const Round round{n, n % horizontal, n % vertical / shifts, n % vertical % shifts - sc};
      set_muxes(round);
      for (int turn = 0; turn < 2; ++turn) {
        send(round, turn);
        listen(round, turn);
      }
    }
    probe_.open_batch();
    probe_.each_alive([&](int d, int p, int c) {
      probe_.add_command(d, p, c, true, kStationScan, 0);
      probe_.add_command(d, p, c, true, kStationTileFuse, 0);
    });
    probe_.run_batch();
  }

 private:
  struct Heard {
    int reticle;
    Position from;
    Position to;
    int side;
    Handle low;
  };

  // The tile that is heard at a side of a tile in this round; false if there is none.
  bool source(const Round& round, int p, int c, int side, Position* at) const {
    switch (side) {
      case kNorth:
        *at = {p - 1 - round.up, c + round.shift};
        break;
      case kEast:
        *at = {p, c + 1 + round.skip};
        break;
      case kSouth:
        *at = {p + 1 + round.up, c + round.shift};
        break;
      default:
        *at = {p, c - 1 - round.skip};
        break;
    }
    return at->row >= 0 && at->row < probe_.rows() && at->col >= 0 && at->col < probe_.cols();
  }

  uint64_t pattern(const Round& round, int turn, int d, const Position& at) const {
    const uint64_t x = mix64(static_cast<uint64_t>(probe_.index(d, at.row, at.col)) * 64 +
                             static_cast<uint64_t>(round.number));
    return (turn == 0 ? x : ~x) & kWordMask;
  }

  void set_muxes(const Round& round) {
    probe_.open_batch();
    probe_.each_alive([&](int d, int p, int c) {
      TileFuse f;
      f.enable = true;
      Position at;
      f.n_skip = source(round, p, c, kNorth, &at) ? round.up : kNoSkip;
      f.s_skip = source(round, p, c, kSouth, &at) ? round.up : kNoSkip;
      f.e_skip = source(round, p, c, kEast, &at) ? round.skip : kNoSkip;
      f.w_skip = source(round, p, c, kWest, &at) ? round.skip : kNoSkip;
      f.n_shift = f.s_shift = round.shift;
      probe_.add_command(d, p, c, true, kStationTileFuse, f.word());
    });
    probe_.run_batch();
  }

  void send(const Round& round, int turn) {
    probe_.open_batch();
    probe_.each_alive([&](int d, int p, int c) {
      const uint64_t x = pattern(round, turn, d, {p, c});
      probe_.add_command(d, p, c, true, kStationPatternLow, static_cast<uint32_t>(x));
      probe_.add_command(d, p, c, true, kStationPatternHigh, static_cast<uint32_t>(x >> 32));
      if (round.number == 0 && turn == 0)
        probe_.add_command(d, p, c, true, kStationScan, kScanEnable);
    });
    probe_.run_batch();
  }

  void listen(const Round& round, int turn) {
    std::vector<Heard> all;
    probe_.open_batch();
    probe_.each_alive([&](int d, int p, int c) {
      for (int side = 0; side < 4; ++side) {
        Position at;
        if (!source(round, p, c, side, &at) || !probe_.alive(d, at.row, at.col)) continue;
        const Handle low = probe_.add_command(d, p, c, false, kStationCapture + 2 * side);
        probe_.add_command(d, p, c, false, kStationCapture + 2 * side + 1);
        all.push_back({d, at, {p, c}, side, low});
      }
    });
    probe_.run_batch();
    for (const Heard& h : all) compare(h, pattern(round, turn, h.reticle, h.from));
  }

  void compare(const Heard& h, uint64_t sent) {
    const auto low = probe_.answer(h.low), high = probe_.answer(h.low.after(1));
    const uint64_t expected = rotated(sent, 11 * ((h.side + 2) & 3));
    ++probe_.result.wires_scanned;
    if (low && high && (uint64_t{*high} << 32 | *low) == expected) return;
    if (!probe_.wires.insert({h.reticle, Probe::wire_of(h.from, h.to)}).second) return;
    const uint64_t wrong = expected ^ (uint64_t{high.value_or(0)} << 32 | low.value_or(0));
    int bit = 0;
    while ((wrong >> bit & 1) == 0 && bit + 1 < isa::Link::kBits) ++bit;
    probe_.result.findings.push_back(
        {h.reticle, h.from,
         fmt::format("wire to tile ({}, {}): bit {} arrives wrong", h.to.row, h.to.col, bit)});
  }

  Probe& probe_;
};

}  // namespace

void scan_wires(Probe& probe) {
  probe.begin("wires");
  WireScan(probe).run();
}

}  // namespace ow::wafer
