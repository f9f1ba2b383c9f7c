// SPDX-License-Identifier: Apache-2.0
// Every connection between the tiles of an edge and its links, both ways: the station of the tile
// and the link each send a pattern and then its complement, while the tiles are in reset.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ow/base/rng.h"
#include "steps.h"

namespace ow::wafer {
namespace {

// Words of a link's status that are commands or show its tile's edge (docs/links.md), and the
// pattern of its test.
constexpr uint32_t kLinkEdgeLow = isa::link::EdgeLow::kAddress,
                   kLinkEdgeHigh = isa::link::EdgeHigh::kAddress;
constexpr uint32_t kLinkTest = isa::link::TestOn::kAddress,
                   kLinkTestInverted = isa::link::TestInvert::kAddress,
                   kLinkTestOff = isa::link::TestOff::kAddress;
constexpr uint64_t kLinkPattern = uint64_t{isa::kEdgePatternHigh} << 32 | isa::kEdgePatternLow;

class EdgeScan {
 public:
  explicit EdgeScan(Probe& probe) : probe_(probe) {}

  void run() {
    find_ends();
    if (ends_.empty()) return;
    command(kLinkTest);
    probe_.open_batch();
    probe_.each_alive(
        [&](int d, int p, int c) { probe_.add_command(d, p, c, true, kStationScan, kScanEnable); });
    probe_.run_batch();
    const int rounds = std::max(rounds_of(kNorth), rounds_of(kEast));
    for (int round = 0; round < rounds; ++round) {
      join(round);
      set_muxes(round);
      for (int turn = 0; turn < 2; ++turn) exchange(round, turn);
    }
    probe_.open_batch();
    part();
    probe_.each_alive([&](int d, int p, int c) {
      if (c == 0) probe_.add_command(d, p, c, true, kStationRowFuse, 0);
      probe_.add_command(d, p, c, true, kStationScan, 0);
    });
    probe_.run_batch();
    command(kLinkTestOff);
  }

 private:
  struct Joined {
    EdgeWire wire;
    LinkEnd end;
  };
  // `far` rows or columns are between the tile and the edge; the slot is shifted by `shift`.
  struct Offset {
    int far = 0;
    int shift = 0;
  };

  static bool vertical(int side) { return side == kNorth || side == kSouth; }
  int rounds_of(int side) const {
    const int sc = probe_.shape.spare_cols, sr = probe_.shape.spare_rows;
    return vertical(side) ? (sr + 1) * (2 * sc + 1) : (sc + 1) * (2 * sr + 1);
  }
  Offset offset(int round, int side) const {
    const int shifts = 2 * (vertical(side) ? probe_.shape.spare_cols : probe_.shape.spare_rows) + 1;
    return {round / shifts, round % shifts - (shifts - 1) / 2};
  }

  bool link_up(int d, int side, int slot) const {
    const int owner = probe_.shape.link_owner(d, side);
    return std::any_of(
        probe_.result.links.begin(), probe_.result.links.end(), [&](const LinkState& l) {
          return l.up && l.reticle == owner && l.south == vertical(side) && l.slot == slot;
        });
  }

  // The ends of links that are up, and those whose stations do not answer.
  void find_ends() {
    for (int d = 0; d < probe_.shape.reticles(); ++d) {
      for (int side = 0; side < 4; ++side) {
        if (!Defects::has_links(probe_.shape, d, side)) continue;
        for (int slot = 0; slot < (vertical(side) ? probe_.cols() : probe_.rows()); ++slot) {
          const LinkEnd e = probe_.link_end(d, side, slot);
          if (!link_up(d, side, slot)) continue;
          (probe_.alive(d, e.at.row, e.at.col) ? ends_ : probe_.untested).push_back(e);
        }
      }
    }
  }

  void command(uint32_t word) {
    probe_.open_batch();
    for (const LinkEnd& e : ends_) probe_.add_link(e, word);
    probe_.run_batch();
  }

  // Finds the tile that each link is joined to in this round.
  void join(int round) {
    joined_.clear();
    for (const LinkEnd& e : ends_) {
      if (round >= rounds_of(e.side)) continue;
      const auto [far, shift] = offset(round, e.side);
      const int line = e.slot - shift;
      EdgeWire w;
      w.side = e.side;
      w.slot = e.slot;
      w.tile = e.side == kNorth   ? Position{far, line}
               : e.side == kEast  ? Position{line, probe_.cols() - 1 - far}
               : e.side == kSouth ? Position{probe_.rows() - 1 - far, line}
                                  : Position{line, far};
      if (probe_.shape.joined(w) && probe_.alive(e.reticle, w.tile.row, w.tile.col)) {
        joined_.push_back({w, e});
      }
    }
  }

  // Parts all tiles from the links. Each row's commands run in order. Otherwise a pattern of a tile
  // whose muxes are still those of the last round could reach another link when the row moves to
  // another slot. A link that is not in its test, because its station does not answer, would take
  // the pattern for wavelets and lose their credits.
  void part() {
    probe_.each_alive(
        [&](int d, int p, int c) { probe_.add_command(d, p, c, true, kStationTileFuse, 0); });
  }

  void set_muxes(int round) {
    tile_fuses_.clear();
    std::map<size_t, uint32_t> row_fuses;
    for (const Joined& j : joined_) {
      const Position& at = j.wire.tile;
      TileFuse fuse;
      fuse.n_skip = fuse.e_skip = fuse.s_skip = fuse.w_skip = kNoSkip;
      TileFuse& f =
          tile_fuses_.emplace(probe_.index(j.end.reticle, at.row, at.col), fuse).first->second;
      f.enable = true;
      uint32_t& row = row_fuses[probe_.row_index(j.end.reticle, at.row)];
      const auto [far, shift] = offset(round, j.wire.side);
      switch (j.wire.side) {
        case kNorth:
          f.n_skip = far;
          f.n_shift = shift;
          break;
        case kEast:
          f.e_skip = far;
          row |= isa::RowFuse::ESlot::put(shift);
          break;
        case kSouth:
          f.s_skip = far;
          f.s_shift = shift;
          break;
        default:
          f.w_skip = far;
          row |= isa::RowFuse::WSlot::put(shift);
          break;
      }
    }
    probe_.open_batch();
    part();
    probe_.each_alive([&](int d, int p, int c) {
      if (c == 0) {
        const auto row = row_fuses.find(probe_.row_index(d, p));
        probe_.add_command(d, p, c, true, kStationRowFuse,
                           row == row_fuses.end() ? 0 : row->second);
      }
      const auto fuse = tile_fuses_.find(probe_.index(d, p, c));
      if (fuse != tile_fuses_.end()) {
        probe_.add_command(d, p, c, true, kStationTileFuse, fuse->second.word());
      }
    });
    probe_.run_batch();
  }

  uint64_t pattern(int round, int turn, int d, const Position& at) const {
    const uint64_t x = mix64(static_cast<uint64_t>(probe_.index(d, at.row, at.col)) * 64 +
                             static_cast<uint64_t>(32 + round));
    return (turn == 0 ? x : ~x) & kWordMask;
  }

  // Tiles and links send, and what has arrived at either end is compared.
  void exchange(int round, int turn) {
    command(turn == 0 ? kLinkTest : kLinkTestInverted);
    probe_.open_batch();
    for (const auto& tile : tile_fuses_) {
      const int d = probe_.reticle_of(tile.first);
      const Position at = probe_.position_of(tile.first);
      const uint64_t x = pattern(round, turn, d, at);
      probe_.add_command(d, at.row, at.col, true, kStationPatternLow, static_cast<uint32_t>(x));
      probe_.add_command(d, at.row, at.col, true, kStationPatternHigh,
                         static_cast<uint32_t>(x >> 32));
    }
    probe_.run_batch();
    probe_.open_batch();
    std::vector<std::pair<Handle, Handle>> reads;
    for (const Joined& j : joined_) {
      const int d = j.end.reticle, side = j.wire.side;
      const Position& at = j.wire.tile;
      const Handle in = probe_.add_command(d, at.row, at.col, false, kStationCapture + 2 * side);
      probe_.add_command(d, at.row, at.col, false, kStationCapture + 2 * side + 1);
      reads.emplace_back(in, probe_.add_link(j.end, kLinkEdgeLow));
      probe_.add_link(j.end, kLinkEdgeHigh);
    }
    probe_.run_batch();
    const auto word = [&](const Handle& low, size_t step) {
      return uint64_t{probe_.answer(low.after(step)).value_or(0)} << 32 |
             probe_.answer(low).value_or(0);
    };
    for (size_t i = 0; i < joined_.size(); ++i) {
      const Joined& j = joined_[i];
      const uint64_t sent = pattern(round, turn, j.end.reticle, j.wire.tile);
      compare(j, word(reads[i].first, 1) ^ (turn == 0 ? kLinkPattern : ~kLinkPattern & kWordMask),
              word(reads[i].second, 2) ^ rotated(sent, 11 * j.wire.side));
    }
  }

  // Records the bits that arrived wrong at the tile, at the link.
  void compare(const Joined& j, uint64_t wrong_in, uint64_t wrong_out) {
    const int d = j.end.reticle;
    probe_.result.wires_scanned += 2;
    if ((wrong_in | wrong_out) == 0 || !probe_.edges.insert({d, j.wire}).second) return;
    const uint64_t wrong = wrong_out != 0 ? wrong_out : wrong_in;
    int bit = 0;
    while ((wrong >> bit & 1) == 0) ++bit;
    static const char* const kSides[] = {"north", "east", "south", "west"};
    probe_.result.findings.push_back(
        {d, j.wire.tile,
         fmt::format("wire {} link {} of the {} edge: bit {} arrives wrong",
                     wrong_out != 0 ? "to" : "from", j.wire.slot, kSides[j.wire.side], bit)});
  }

  Probe& probe_;
  std::vector<LinkEnd> ends_;
  std::vector<Joined> joined_;             // in this round
  std::map<size_t, TileFuse> tile_fuses_;  // of the tiles that are joined
};

}  // namespace

void scan_edges(Probe& probe) {
  probe.begin("wires to the links");
  EdgeScan(probe).run();
}

}  // namespace ow::wafer
