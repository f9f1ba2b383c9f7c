// SPDX-License-Identifier: Apache-2.0
// Faults drawn at random, for campaigns.
#include <algorithm>
#include <set>

#include "ow/base/error.h"
#include "ow/isa/isa.h"
#include "ow/wafer/faults.h"

namespace ow::wafer {
namespace {

constexpr int kLinkBits = isa::Link::kBits, kGroupLanes = isa::kGroupLanes;

// xorshift64*, so that a seed means the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {
    for (int i = 0; i < 4; ++i) next();
  }
  int below(int n) { return static_cast<int>((next() >> 32) * static_cast<uint64_t>(n) >> 32); }

 private:
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  uint64_t state_;
};

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
    const int d = random_.below(shape_.reticles());
    const int kind = random_.below(12);
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
      out->stations.push_back({d, at, kinds[random_.below(3)]});
    }
    return true;
  }

 private:
  Position tile() {
    const int row = random_.below(shape_.physical_rows());
    return {row, random_.below(shape_.physical_cols())};
  }
  bool coin() { return random_.below(2) != 0; }

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
    f->bank = random_.below(banks_);
    f->row = random_.below(bank_rows_);
    f->bit = random_.below(64);
    f->value = coin();
    if (!coupled) return;
    const TileFault::Coupling all[] = {TileFault::Coupling::State, TileFault::Coupling::Set,
                                       TileFault::Coupling::Invert, TileFault::Coupling::Hold};
    f->coupling = all[random_.below(4)];
    const int where = random_.below(3);
    f->other_row = where == 0   ? f->row
                   : where == 1 ? (f->row + 1) % bank_rows_
                                : random_.below(bank_rows_);
    f->other_bit = where == 0 ? (f->bit + 1 + random_.below(63)) % 64 : random_.below(64);
    f->when = coin();
    if (f->other_row == f->row && f->other_bit == f->bit) f->other_bit ^= 1;
  }

  void flip_flop(TileFault* f) {
    f->kind = TileFault::Kind::Register;
    int n = random_.below(flip_flops_);
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
    f.bit = random_.below(kLinkBits);
    f.value = coin();
    return f;
  }

  EdgeFault edge_fault(int d) {
    EdgeFault f;
    f.reticle = d;
    do {
      f.wire.side = random_.below(4);
      f.wire.tile = tile();
      f.wire.slot = random_.below(std::max(shape_.physical_rows(), shape_.physical_cols()));
    } while (!shape_.joined(f.wire) || !Defects::has_links(shape_, d, f.wire.side));
    f.inward = coin();
    f.bit = random_.below(kLinkBits);
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
    f.slot = random_.below(f.south ? shape_.physical_cols() : shape_.physical_rows());
    f.inward = coin();
    const int group = random_.below(2), lanes = 1 + random_.below(4);
    std::set<int> chosen;
    while (static_cast<int>(chosen.size()) < lanes) {
      chosen.insert(group * kGroupLanes + random_.below(kGroupLanes));
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
  Random random_;
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
