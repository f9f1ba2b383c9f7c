// SPDX-License-Identifier: Apache-2.0
// The stations of a simulated wafer, one per tile, and the test-access chains along the rows of the
// reticles.
#ifndef OW_SIM_WAFER_STATIONS_H_
#define OW_SIM_WAFER_STATIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "Vow_station.h"
#include "link_ends.h"
#include "model.h"
#include "ow/device/test_chain.h"
#include "ow/device/wafer_faults.h"
#include "wires.h"

namespace ow::wafer {

// What a station's registers tell its tile.
struct Control {
  bool reset = true;
  bool test = false;
  bool request = false;
  uint64_t word = 0;
  bool operator==(const Control& o) const {
    return reset == o.reset && test == o.test && request == o.request && word == o.word;
  }
};

// What a tile answers its station.
struct Answer {
  bool ready = false;
  bool valid = false;
  uint64_t word = 0;
};

class Tiles {
 public:
  virtual ~Tiles() = default;
  virtual Answer answer(size_t tile) const = 0;
};

class Stations {
 public:
  using Station = Vow_station;

  Stations(const WireLayout& layout, sim::Context* context, Noise* noise);

  void break_station(const StationFault& f);
  // Resets all stations; faults remain.
  void reset();

  // One cycle of all stations. True if it requires that tiles are clocked in this cycle.
  bool clock(const Tiles& tiles, const LinkEnds& links, const Wires& wires);
  // Computes the stations' registers for the next cycle, after tiles and links were clocked with
  // the old ones. True if tiles must be clocked in the next cycle.
  bool publish_control();
  void publish_requests();

  const Control& control(size_t i) const { return stations_[i].control; }
  bool takes(size_t i) const { return stations_[i].take; }
  // What a scanning station sends instead of its tile, by side; nullptr if it does not scan.
  const std::array<uint64_t, 4>* pattern(size_t i) const {
    return stations_[i].scan ? &stations_[i].pattern : nullptr;
  }
  const std::vector<StatRequest>& requests() const { return requests_; }
  std::vector<ChainPins>& pins() { return pins_; }

  // True, once, after fuses have changed.
  bool fuses_changed();
  std::vector<uint16_t> tile_fuses(size_t reticle) const;
  std::vector<uint8_t> row_fuses(size_t reticle) const;

  bool quiet() const;
  uint64_t evaluations() const { return evaluations_; }

 private:
  struct State {
    explicit State(sim::Model<Station> m) : model(std::move(m)) {}
    sim::Model<Station> model;
    Control control;    // in this cycle
    bool take = false;  // the tile's answer word is taken in this cycle
    bool scan = false;
    std::array<uint64_t, 4> pattern{};
    bool east = false, west = false;  // its lines in this cycle
    bool next_east = false, next_west = false;
    bool heard = false;  // something on its tile's wires in the last cycle
    int idle = 0;        // cycles in which nothing came
    uint16_t tile_fuse = 0;
    uint8_t row_fuse = 0;
    bool dead = false;
    StationFault::Kind fault = StationFault::Kind::Silent;
  };
  // What comes in on a station's four lines.
  struct Lines {
    bool east_near, east_skip, west_near, west_skip;
    bool any() const { return east_near || east_skip || west_near || west_skip; }
  };

  void add(size_t index, sim::Context* context);
  static void start(sim::Model<Station>* model);
  Lines lines(size_t row, size_t col) const;
  bool wakes(State* s, const Lines& in);
  bool clock_station(size_t index, const Lines& in, const Answer& tile, const LinkEnds& links,
                     const Wires& wires);
  bool scan(State* s);
  void move_lines();

  const WireLayout& layout_;
  Noise& noise_;
  std::vector<State> stations_;
  std::vector<StatRequest> requests_;  // of each, in this cycle
  std::vector<ChainPins> pins_;
  std::vector<size_t> changed_;  // clocked in this cycle
  bool fuses_changed_ = true;
  uint64_t silent_cycles_ = 0;  // since the host drove a one into a chain
  int awake_ = 0;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_STATIONS_H_
