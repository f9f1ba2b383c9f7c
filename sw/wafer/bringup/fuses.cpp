// SPDX-License-Identifier: Apache-2.0
// From what was found to a map, its fuses, and the verification of a part of the wafer.
#include <fmt/format.h>

#include <functional>
#include <map>

#include "ow/base/error.h"
#include "ow/firmware/selftest.h"
#include "steps.h"

namespace ow::wafer {

void collect(Probe& probe) {
  Defects& out = probe.result.defects;
  out = Defects(probe.shape);
  for (int d = 0; d < probe.shape.reticles(); ++d) {
    ReticleDefects& r = out.reticles[static_cast<size_t>(d)];
    for (int p = 0; p < probe.rows(); ++p) {
      if (!probe.usable[probe.row_index(d, p)]) {
        r.chains.push_back(p);
        continue;
      }
      for (int c = 0; c < probe.cols(); ++c) {
        if (!probe.usable_tile(d, p, c)) r.tiles.push_back({p, c});
      }
    }
    for (const auto& [reticle, wire] : probe.wires) {
      if (reticle != d) continue;
      // It does not matter in a lost tile.
      if (!probe.usable_tile(d, wire.from.row, wire.from.col) ||
          !probe.usable_tile(d, wire.to.row, wire.to.col))
        continue;
      r.wires.push_back(wire);
    }
  }
  for (const auto& [d, wire] : probe.edges) {
    if (probe.usable_tile(d, wire.tile.row, wire.tile.col)) {
      out.reticles[static_cast<size_t>(d)].edges.push_back(wire);
    }
  }
  for (const LinkState& l : probe.result.links) {
    if (l.up) continue;
    (l.south ? out.south_links : out.east_links)[static_cast<size_t>(l.reticle)].push_back(l.slot);
  }
}

// A map of the window. Links whose wires to the tiles could not be tested are used only if there is
// no other way. Then give_up_untested() has to show that they work.
Repair repair(const Probe& probe, const Window& window) {
  Defects careful = probe.result.defects;
  for (const LinkEnd& e : probe.untested) {
    const bool south = e.side == kNorth || e.side == kSouth;
    const int owner = probe.shape.link_owner(e.reticle, e.side);
    (south ? careful.south_links : careful.east_links)[static_cast<size_t>(owner)].push_back(
        e.slot);
  }
  Repair repair = repair_window(probe.shape, careful, window);
  return repair.map ? repair : repair_window(probe.shape, probe.result.defects, window);
}

namespace {

// The fuses of a tile without a connection at that side.
uint32_t closed_at(int side, uint32_t word) {
  TileFuse f = TileFuse::of(static_cast<uint16_t>(word));
  int* const skips[] = {&f.n_skip, &f.e_skip, &f.s_skip, &f.w_skip};
  *skips[side] = kNoSkip;
  return f.word();
}

}  // namespace

// Puts all tiles into reset, sets the fuses, then releases the tiles of the map.
void set_fuses(Probe& probe, const WaferMap& map, const std::vector<TileSide>& closed) {
  probe.open_batch();
  probe.each_alive([&](int d, int p, int c) {
    probe.add_command(d, p, c, true, kStationScan, 0);
    probe.add_command(d, p, c, true, kStationControl, 0);
  });
  probe.run_batch();
  probe.open_batch();
  struct Written {
    int reticle;
    Position at;
    Handle read;
    uint32_t value;
    bool tile;  // TILE_FUSE, else ROW_FUSE
  };
  std::vector<Written> written;
  for (int d = 0; d < probe.shape.reticles(); ++d) {
    ReticleFuses f = fuses(map, d);
    for (const TileSide& side : closed) {
      if (side.reticle != d) continue;
      auto& word = f.tile[static_cast<size_t>(side.at.row * probe.cols() + side.at.col)];
      word = static_cast<uint16_t>(closed_at(side.side, word));
    }
    for (int p = 0; p < probe.rows(); ++p) {
      for (int c = 0; c < probe.cols(); ++c) {
        const uint32_t fuse = f.tile[static_cast<size_t>(p * probe.cols() + c)];
        const uint32_t row_fuse = c == 0 ? f.row[static_cast<size_t>(p)] : 0;
        if (!probe.alive(d, p, c)) {
          if (fuse == 0) continue;
          throw DeviceFault(fmt::format(
              "the station of tile ({}, {}) in reticle {}, which the repair map uses, does not "
              "answer",
              p, c, d));
        }
        probe.add_command(d, p, c, true, kStationTileFuse, fuse);
        written.push_back(
            {d, {p, c}, probe.add_command(d, p, c, false, kStationTileFuse), fuse, true});
        if (c != 0) continue;
        probe.add_command(d, p, c, true, kStationRowFuse, row_fuse);
        written.push_back(
            {d, {p, c}, probe.add_command(d, p, c, false, kStationRowFuse), row_fuse, false});
      }
    }
  }
  probe.run_batch();
  for (const Written& w : written) {
    if (probe.answer(w.read) != w.value) {
      throw DeviceFault(fmt::format("the fuses of tile ({}, {}) in reticle {} do not hold 0x{:04x}",
                                    w.at.row, w.at.col, w.reticle, w.value));
    }
  }
  probe.open_batch();
  for (const Written& w : written) {
    if (!w.tile || w.value == 0) continue;
    probe.add_command(w.reticle, w.at.row, w.at.col, true, kStationControl, kStationRun);
  }
  probe.run_batch();
  probe.chain.wait_cycles(16);
}

// Every tile of a map sends words to each of its logical neighbours, over the connections that the
// fuses make. The chains load, start and read.
Verified verify_neighbours(Probe& probe, const WaferMap& map, uint32_t colours) {
  const Window& w = map.window;
  const uint32_t order = probe.options.selftest.image.symbol("ow_selftest_order");
  const uint32_t result = probe.options.selftest.image.symbol("ow_selftest_result");
  struct Place {
    int reticle = 0;
    Position at;
  };
  const auto place = [&](const Position& logical) {
    Place p;
    p.at = map.physical(logical.row, logical.col, &p.reticle);
    return p;
  };
  const auto name = [&](const Place& p) {
    return static_cast<uint32_t>(probe.index(p.reticle, p.at.row, p.at.col));
  };
  const auto every = [&](const std::function<void(const Position&, const Place&)>& call) {
    for (int row = w.row; row < w.row + w.rows; ++row) {
      for (int col = w.col; col < w.col + w.cols; ++col) call({row, col}, place({row, col}));
    }
  };
  probe.open_batch();
  every([&](const Position&, const Place& p) {
    probe.add_command(p.reticle, p.at.row, p.at.col, true, kStationControl,
                      kStationRun | kStationTest);
  });
  probe.run_batch();
  probe.open_batch();
  every([&](const Position& at, const Place& p) {
    probe.add_write(p.reticle, p.at.row, p.at.col, order,
                    {OW_SELFTEST_ROUTER, name(p), static_cast<uint32_t>((at.row + at.col) & 1),
                     colours, ow_selftest_slot(probe.options.tile.small_tile)});
  });
  probe.run_batch();
  probe.run_exchange(result, colours);
  probe.open_batch();
  std::map<size_t, Handle> reads;
  every([&](const Position&, const Place& p) {
    reads[name(p)] = probe.add_read(p.reticle, p.at.row, p.at.col, result, 6);
  });
  probe.run_batch();
  Verified out;
  every([&](const Position& at, const Place& p) {
    const Handle& read = reads.at(name(p));
    if (probe.word(read, 0, 6) != OW_SELFTEST_DONE + OW_SELFTEST_ROUTER) {
      out.failures.push_back({at, at});
      return;
    }
    static const int kDown[] = {-1, 0, 1, 0}, kRight[] = {0, 1, 0, -1};
    for (int side = 0; side < 4; ++side) {
      const Position from{at.row + kDown[side], at.col + kRight[side]};
      if (from.row < w.row || from.row >= w.row + w.rows || from.col < w.col ||
          from.col >= w.col + w.cols)
        continue;
      const auto to = static_cast<uint32_t>((side + 2) & 3);
      if (probe.word(read, 2 + side, 6) == ow_selftest_heard(name(place(from)), to, colours)) {
        ++out.wavelets;
      } else {
        out.failures.push_back({from, at});
      }
    }
  });
  return out;
}

std::string Verified::Failure::text() const {
  if (from == to) {
    return fmt::format("logical tile ({}, {}) does not end its test", to.row, to.col);
  }
  return fmt::format("no word from logical tile ({}, {}) reaches ({}, {})", from.row, from.col,
                     to.row, to.col);
}

}  // namespace ow::wafer
