// SPDX-License-Identifier: Apache-2.0
// The simulated wafer (ow/sim/wafer.h): tiles, stations and links, and the wires between them,
// cycle by cycle.
#ifndef OW_SIM_WAFER_WAFER_DEVICE_H_
#define OW_SIM_WAFER_WAFER_DEVICE_H_

#include <fmt/format.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "link_ends.h"
#include "ow/base/error.h"
#include "ow/sim/sim_device.h"
#include "ow/sim/wafer.h"
#include "room.h"
#include "stations.h"
#include "wafer_tiles.h"
#include "wires.h"

namespace ow::wafer {

// BadInput if the shape is invalid or needs more than this machine can hold.
inline void check_room(const Shape& shape, size_t tile_bytes) {
  shape.check();
  sim::check_room(shape.name(),
                  static_cast<double>(shape.reticles()) * shape.physical_rows() *
                      static_cast<double>(shape.physical_cols()),
                  tile_bytes);
}

class SimulatedWafer : public WaferDevice {
 public:
  using MakeTiles = std::function<std::unique_ptr<WaferTiles>(const WireLayout& layout,
                                                              sim::Context* context, Noise* noise)>;

  SimulatedWafer(const Shape& shape, const Faults& faults, const MakeTiles& make_tiles)
      : WaferDevice(grid_of(shape)),
        layout_(shape),
        wires_(layout_),
        links_(layout_, context_for(&context_, shape, faults)),
        stations_(layout_, &context_, &noise_),
        tiles_(make_tiles(layout_, &context_, &noise_)) {
    make_ports();
    break_things(faults);
    tiles_->form();
    switch_wires();
  }

  std::string description() const override {
    const Shape& s = layout_.shape;
    return fmt::format("{} wafer, {} x {} reticles of {} x {} tiles and {} x {} spare",
                       tiles_->description(), s.reticle_rows, s.reticle_cols, s.rows, s.cols,
                       s.spare_rows, s.spare_cols);
  }
  uint64_t evaluations() const override { return tiles_->evaluations(); }
  SimCounts counts() const override {
    return {tiles_->evaluations(), stations_.evaluations(), links_.evaluations()};
  }

  void check_idle() override { tiles_->check_idle(); }
  std::vector<ChainPins>& pins() override { return stations_.pins(); }
  const Shape& wafer_shape() const override { return layout_.shape; }
  void wait_cycles(uint64_t cycles) override {
    tiles_->join();
    for (uint64_t i = 0; i < cycles; ++i) step();
  }

  // Links come last: by then no word of a tile is on its way into one.
  bool reset() override {
    context_.enter();
    stations_.reset();
    switch_wires();
    tiles_due_ = true;
    constexpr int kTilesStop = 16;
    for (int i = 0; i < kTilesStop; ++i) step();
    links_.reset();
    return true;
  }

  void run_chains(std::vector<ChainJob>* jobs) override {
    tiles_->join();
    drive_chains(
        layout_.shape, &stations_.pins(), [this] { step(); }, jobs);
  }

 protected:
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override {
    context_.enter();
    for (const PortPlace& p : ports_at_) {
      if (in[p.port] != 0) wires_.emit(p.place, in[p.port]);
    }
    tiles_due_ |= stations_.clock(*tiles_, links_, wires_);
    clock_tiles(cycle);
    tiles_due_ |= stations_.publish_control();
    links_.clock(cycle, stations_.requests(), &wires_);
    stations_.publish_requests();
    switch_wires();
    wires_.advance([this](size_t source) { return sent(source); });
    for (const PortPlace& p : ports_at_) out[p.port] = wires_.at(p.place);
  }

  bool grid_quiet() const override {
    return tiles_->quiet() && stations_.quiet() && !links_.move() && wires_.silent();
  }

 private:
  // A port of the device, and its slot at an edge of the wafer.
  struct PortPlace {
    int port;
    size_t place;
  };

  static GridShape grid_of(const Shape& shape) {
    shape.check();
    // Addresses of the test-access chain; 255 is for all stations.
    if (shape.physical_cols() > 255) {
      throw BadInput(fmt::format("{}: physical columns of a reticle must be at most 255, not {}",
                                 shape.name(), shape.physical_cols()));
    }
    return {shape.logical_rows(), shape.logical_cols()};
  }

  // Prepares the models; BadInput if the faults name something that does not exist.
  static sim::Context* context_for(sim::Context* context, const Shape& shape,
                                   const Faults& faults) {
    faults.check(shape);
    context->enter();
    // A broken part sends words that violate the assertions of its neighbours.
    context->assertOn(faults.empty());
    return context;
  }

  // The edges of the wafer: logical row or column i has slot i.
  void make_ports() {
    const Shape& s = layout_.shape;
    const auto add = [&](Side side, int index, int reticle, int slot) {
      const int at = layout_.places.edge(static_cast<int>(side), slot);
      ports_at_.push_back(
          {ports_.port(side, index), layout_.place(static_cast<size_t>(reticle), at)});
    };
    const int last_row = (s.reticle_rows - 1) * s.reticle_cols;
    for (int c = 0; c < shape_.cols; ++c) {
      add(Side::North, c, c / s.cols, c % s.cols);
      add(Side::South, c, last_row + c / s.cols, c % s.cols);
    }
    for (int r = 0; r < shape_.rows; ++r) {
      const int first = r / s.rows * s.reticle_cols;
      add(Side::West, r, first, r % s.rows);
      add(Side::East, r, first + s.reticle_cols - 1, r % s.rows);
    }
  }

  void break_things(const Faults& faults) {
    for (const TileFault& f : faults.tiles) {
      try {
        tiles_->break_tile(layout_.tile(f.reticle, f.at), f);
      } catch (const BadInput& e) {
        const int cols = layout_.shape.reticle_cols;
        throw BadInput(fmt::format("fault of tile ({}, {}) of reticle ({}, {}): {}", f.at.row,
                                   f.at.col, f.reticle / cols, f.reticle % cols, e.what()));
      }
    }
    for (const StationFault& f : faults.stations) stations_.break_station(f);
    for (const WireFault& f : faults.wires) wires_.break_wire(f);
    for (const EdgeFault& f : faults.edges) wires_.break_edge(f);
    for (const LaneFault& f : faults.lanes) links_.break_lane(f);
  }

  void clock_tiles(uint64_t cycle) {
    if (!tiles_due_ && wires_.silent()) return;
    tiles_due_ = tiles_->clock(cycle, stations_, &wires_);
    for (size_t i = 0; i < layout_.tiles(); ++i) {
      const auto* pattern = stations_.pattern(i);
      const std::array<uint64_t, 4>& words = pattern != nullptr ? *pattern : tiles_->sends(i);
      for (size_t side = 0; side < words.size(); ++side) {
        if (words[side] == 0) continue;
        wires_.talk(layout_.place_of_tile(i, static_cast<int>(side)), words[side]);
      }
    }
    tiles_due_ |= wires_.talked();
  }

  void switch_wires() {
    if (!stations_.fuses_changed()) return;
    wires_.disconnect();
    for (size_t d = 0; d < layout_.reticles(); ++d) {
      wires_.connect(d, stations_.tile_fuses(d), stations_.row_fuses(d));
    }
  }

  // The words on the wires of a tile's side or of a link.
  uint64_t sent(size_t source) const {
    if (layout_.is_edge(source)) return links_.sends(source);
    const size_t tile = layout_.tile_at(source);
    const auto* pattern = stations_.pattern(tile);
    const auto side = static_cast<size_t>(layout_.side_at(source));
    return pattern != nullptr ? (*pattern)[side] : tiles_->sends(tile)[side];
  }

  const WireLayout layout_;
  sim::Context context_;
  Noise noise_;
  Wires wires_;
  LinkEnds links_;
  Stations stations_;
  std::unique_ptr<WaferTiles> tiles_;
  std::vector<PortPlace> ports_at_;
  bool tiles_due_ = true;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_WAFER_DEVICE_H_
