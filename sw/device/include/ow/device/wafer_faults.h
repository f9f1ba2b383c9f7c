// SPDX-License-Identifier: Apache-2.0
// Faults that a simulated wafer is made with: what is really broken. Bring-up does not see this; it
// has to find out.
#ifndef OW_DEVICE_WAFER_FAULTS_H_
#define OW_DEVICE_WAFER_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/device/wafer_shape.h"
#include "ow/isa/isa.h"

namespace ow::wafer {

struct TileFault {
  enum class Kind {
    Silent,   // all that the tile sends to its neighbours is 0
    Babble,   // random words go out instead
    Memory,   // a cell of the SRAM is stuck, cannot change, or depends on another one
    Register  // a flip-flop is stuck
  };
  // What the other cell, the aggressor, does to a cell of the SRAM.
  enum class Coupling {
    None,    // there is none: the cell is stuck
    State,   // while the aggressor holds `when`, the cell holds `value`
    Set,     // when the aggressor changes to `when`, the cell becomes `value`
    Invert,  // when the aggressor changes to `when`, the cell inverts
    Hold     // while the aggressor holds `when`, the cell cannot change to `value`
  };
  int reticle = 0;
  Position at;
  Kind kind = Kind::Silent;
  int bank = 0, row = 0;  // memory
  std::string name;       // register: the end of its name in the model, as far as it is needed
  int bit = 0;
  bool value = false;
  Coupling coupling = Coupling::None;  // of a memory cell, with a cell of the same bank
  int other_row = 0, other_bit = 0;
  bool when = false;
  std::string where = {};  // its line in a file, for what only a tile's model refuses; or empty
};

// A bit of one direction of a connection between two tiles is stuck.
struct WireFault {
  int reticle = 0;
  Position from;
  Position to;
  int bit = 0;  // 0 to 44
  bool value = false;
};

// The same of a connection between a tile of an edge and the link in one of its slots; inward: from
// the link to the tile.
struct EdgeFault {
  int reticle = 0;
  EdgeWire wire;
  bool inward = false;
  int bit = 0;  // 0 to 44
  bool value = false;
};

// A lane of a reticle-crossing link is stuck: of the link in `slot` of the reticle's east (or
// south) edge, in the direction out of the reticle or into it.
struct LaneFault {
  int reticle = 0;
  bool south = false;
  int slot = 0;
  bool inward = false;
  int lane = 0;  // 0 to 67
  bool value = false;
};

// A station of a chain is dead: its lines are stuck or carry noise, its fuses stay blank.
struct StationFault {
  enum class Kind { Silent, StuckOne, Babble };
  int reticle = 0;
  Position at;
  Kind kind = Kind::Silent;
};

struct Faults {
  std::vector<TileFault> tiles;
  std::vector<WireFault> wires;
  std::vector<EdgeFault> edges;
  std::vector<LaneFault> lanes;
  std::vector<StationFault> stations;

  bool empty() const { return count() == 0; }
  size_t count() const {
    return tiles.size() + wires.size() + edges.size() + lanes.size() + stations.size();
  }
  // BadInput, naming the fault, if the wafer has no such place.
  void check(const Shape& shape) const;
  // What a right bring-up finds: the tiles, wires, links and chains that cannot be used.
  Defects expected(const Shape& shape) const;
  // The same with the broken connections to links that are up but whose station at that end does
  // not answer: a bring-up finds one of these only if a map would use it.
  Defects unusable(const Shape& shape) const;

 private:
  Defects defects(const Shape& shape, bool unasked) const;
};

// What a bring-up has found against what is broken.
struct Judgement {
  bool exact = false;  // all that has to be avoided, and nothing that works
  // Stuck flip-flops of which the self-test sees nothing: their tiles are not given up, though
  // connections of theirs may be. Without them what was found is exact.
  size_t unseen = 0;
  bool right() const { return exact || unseen > 0; }
};
Judgement judge_defects(const Shape& shape, const Faults& faults, const Defects& found);

// A register, or an array of them, of the tile's model: each element has so many flip-flops and
// stands so many bits after the one before.
struct Register {
  std::string name;
  int elements = 1;
  int bits = 1;
  int stride = 8;
};

// `count` faults of random kinds (docs/wafer.md has their shares) and places. The same seed gives
// the same faults everywhere. Cells of memory are those of `tile`; stuck flip-flops are drawn from
// all of `registers`, each as likely as any other.
Faults random_faults(const Shape& shape, int count, const isa::Configuration& tile,
                     const std::vector<Register>& registers, uint64_t seed);

}  // namespace ow::wafer

#endif  // OW_DEVICE_WAFER_FAULTS_H_
