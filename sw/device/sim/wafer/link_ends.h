// SPDX-License-Identifier: Apache-2.0
// The links of a simulated wafer: a Verilated end at each slot of two facing reticles, and the
// lanes between the ends.
#ifndef OW_SIM_WAFER_LINK_ENDS_H_
#define OW_SIM_WAFER_LINK_ENDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "Vow_link_wafer.h"
#include "model.h"
#include "ow/device/wafer_faults.h"
#include "wires.h"

namespace ow::wafer {

// A station reads a register of the link at a side of its tile.
struct StatRequest {
  bool read = false;
  int side = 0;
  int addr = 0;
};

class LinkEnds {
 public:
  using Link = Vow_link_wafer;

  LinkEnds(const WireLayout& layout, sim::Context* context);

  void break_lane(const LaneFault& f);
  // Resets all ends; faults remain.
  void reset();

  // One cycle, with the requests of the stations in it.
  void clock(uint64_t cycle, const std::vector<StatRequest>& asked, Wires* wires);

  // The answer of the link at a side of a station's tile; 0 if there is no link.
  uint32_t stat(size_t station, int side) const;
  // The answer of the link at this place, towards the tile; 0 if there is no link.
  uint64_t sends(size_t place) const { return sends_[place]; }
  bool move() const { return move_; }
  uint64_t evaluations() const { return evaluations_; }

 private:
  using Lanes = std::array<uint32_t, 3>;

  struct End {
    sim::Model<Link> model;
    size_t place = 0;  // edge slot: its output is the link's input
    size_t station = 0;
    int side = 0;
    size_t peer = 0;
    bool idle = false;
    bool was_up = false;
    uint64_t still = 0;            // cycles without a word or a frame
    uint64_t sends = 0;            // towards the tile
    std::array<Lanes, 2> lanes{};  // driven, by parity of the cycle
    bool faulty = false;
    Lanes zeros{}, ones{};  // of the lanes that it hears
  };

  void add(int reticle, int side, int slot, sim::Context* context);
  static void start(sim::Model<Link>* model);
  Lanes heard(const End& end) const;
  void clock_end(End* end, uint64_t cycle, const Lanes& heard, uint64_t word,
                 const StatRequest& request, bool asked);

  const WireLayout& layout_;
  std::vector<End> ends_;  // two by two
  std::vector<std::array<int, 4>> of_station_;
  std::vector<uint64_t> sends_;  // by place
  size_t now_ = 0;               // of End::lanes
  bool move_ = false;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_LINK_ENDS_H_
