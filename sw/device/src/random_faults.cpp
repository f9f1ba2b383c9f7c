// SPDX-License-Identifier: Apache-2.0
// Faults drawn at random, for campaigns.
#include <algorithm>
#include <set>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/device/wafer_faults.h"
#include "ow/isa/isa.h"

namespace ow::wafer {
namespace {

constexpr int kLinkBits = isa::Link::kBits, kGroupLanes = isa::kGroupLanes;

class Draw {
 public:
  Draw(const Shape& shape, const isa::Configuration& tile, const std::vector<Register>& registers,
       uint64_t seed)
      : shape_(shape),
        banks_(static_cast<int>(tile.sram_banks)),
        bank_rows_(static_cast<int>(tile.sram_bytes / (isa::kBankWordBytes * tile.sram_banks))),
        registers_(registers),
        random_(seed) {
    for (const Register& r : registers) flip_flops_ += r.elements * r.bits;
    if (flip_flops_ == 0) throw BadInput("random faults: there are no registers to draw from");
  }

  // Adds a fault, or several lanes of one link; false if the reticle that was drawn has no place
  // for it.
  bool add(Faults* out) {
    const int d = below(shape_.reticles());
    const int kind = below(12);
    const bool neighbours = shape_.physical_rows() * shape_.physical_cols() > 1;
    const bool links = shape_.reticles() > 1;
    if (kind < 6) {
      out->tiles.push_back(tile_fault(d, kind));
    } else if (kind < 8 && neighbours) {
      out->wires.push_back(wire_fault(d));
    } else if (kind == 8 && links) {
      out->edges.push_back(edge_fault(d));
    } else if (kind < 11 && links) {
      return add_lanes(d, out);
    } else {
      const Position at = tile();
      const StationFault::Kind kinds[] = {StationFault::Kind::Silent, StationFault::Kind::StuckOne,
                                          StationFault::Kind::Babble};
      out->stations.push_back({d, at, kinds[below(3)]});
    }
    return true;
  }

 private:
  Position tile() {
    const int row = below(shape_.physical_rows());
    return {row, below(shape_.physical_cols())};
  }
  int below(int n) { return static_cast<int>(random_.below(static_cast<uint64_t>(n))); }
  bool coin() { return below(2) != 0; }

  TileFault tile_fault(int d, int kind) {
    TileFault f;
    f.reticle = d;
    f.at = tile();
    if (kind < 3) {
      memory(kind > 0, &f);
    } else if (kind == 3) {
      flip_flop(&f);
    } else {
      f.kind = kind == 4 ? TileFault::Kind::Silent : TileFault::Kind::Babble;
    }
    return f;
  }

  // A stuck cell, or a coupled pair: in the same word, in neighbouring ones, or anywhere in the
  // bank.
  void memory(bool coupled, TileFault* f) {
    f->kind = TileFault::Kind::Memory;
    f->bank = below(banks_);
    f->row = below(bank_rows_);
    f->bit = below(64);
    f->value = coin();
    if (!coupled) return;
    const TileFault::Coupling all[] = {TileFault::Coupling::State, TileFault::Coupling::Set,
                                       TileFault::Coupling::Invert, TileFault::Coupling::Hold};
    f->coupling = all[below(4)];
    const int where = below(3);
    f->other_row = where == 0 ? f->row : where == 1 ? (f->row + 1) % bank_rows_ : below(bank_rows_);
    f->other_bit = where == 0 ? (f->bit + 1 + below(63)) % 64 : below(64);
    f->when = coin();
    if (f->other_row == f->row && f->other_bit == f->bit) f->other_bit ^= 1;
  }

  void flip_flop(TileFault* f) {
    f->kind = TileFault::Kind::Register;
    int n = below(flip_flops_);
    const auto r = std::find_if(registers_.begin(), registers_.end(), [&n](const Register& r) {
      const int size = r.elements * r.bits;
      if (n < size) return true;
      n -= size;
      return false;
    });
    f->name = r->name;
    f->bit = n / r->bits * r->stride + n % r->bits;
    f->value = coin();
  }

  // Any wire: pairs are drawn until one is joined.
  WireFault wire_fault(int d) {
    WireFault f;
    f.reticle = d;
    const auto joined = [&] {
      return shape_.joined(Wire{std::min(f.from, f.to), std::max(f.from, f.to)});
    };
    do {
      f.from = tile();
      f.to = tile();
    } while (!joined());
    f.bit = below(kLinkBits);
    f.value = coin();
    return f;
  }

  EdgeFault edge_fault(int d) {
    EdgeFault f;
    f.reticle = d;
    do {
      f.wire.side = below(4);
      f.wire.tile = tile();
      f.wire.slot = below(std::max(shape_.physical_rows(), shape_.physical_cols()));
    } while (!shape_.joined(f.wire) || !Defects::has_links(shape_, d, f.wire.side));
    f.inward = coin();
    f.bit = below(kLinkBits);
    f.value = coin();
    return f;
  }

  // One to four lanes of a group: up to two are repaired in the link.
  bool add_lanes(int d, Faults* out) {
    LaneFault f;
    f.reticle = d;
    const bool east = d % shape_.reticle_cols + 1 < shape_.reticle_cols;
    const bool south = d / shape_.reticle_cols + 1 < shape_.reticle_rows;
    if (!east && !south) return false;
    f.south = south && (!east || coin());
    f.slot = below(f.south ? shape_.physical_cols() : shape_.physical_rows());
    f.inward = coin();
    const int group = below(2), lanes = 1 + below(4);
    std::set<int> chosen;
    while (static_cast<int>(chosen.size()) < lanes) {
      chosen.insert(group * kGroupLanes + below(kGroupLanes));
    }
    for (const int lane : chosen) {
      f.lane = lane;
      f.value = coin();
      out->lanes.push_back(f);
    }
    return true;
  }

  const Shape shape_;
  int banks_;
  int bank_rows_;
  const std::vector<Register>& registers_;
  int flip_flops_ = 0;
  Rng random_;
};

}  // namespace

Faults random_faults(const Shape& shape, int count, const isa::Configuration& tile,
                     const std::vector<Register>& registers, uint64_t seed) {
  Draw draw(shape, tile, registers, seed);
  Faults out;
  for (int i = 0; i < count;) i += draw.add(&out) ? 1 : 0;
  return out;
}

}  // namespace ow::wafer
