// SPDX-License-Identifier: Apache-2.0
#include "link_ends.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "Vow_link_wafer_internals.h"

namespace ow::wafer {

namespace {

constexpr int kResetCycles = 4;
constexpr uint64_t kStill = 256;  // longer than a frame waits before it is sent again

// Where the tile of an edge slot stands.
Position beside(const Shape& shape, int side, int slot) {
  switch (side) {
    case kNorth:
      return {0, slot};
    case kEast:
      return {slot, shape.physical_cols() - 1};
    case kSouth:
      return {shape.physical_rows() - 1, slot};
    default:
      return {slot, 0};
  }
}

}  // namespace

LinkEnds::LinkEnds(const WireLayout& layout, sim::Context* context) : layout_(layout) {
  sim::check_internals<Link>();
  of_station_.assign(layout.tiles(), {-1, -1, -1, -1});
  sends_.assign(layout.count(), 0);
  const Shape& shape = layout.shape;
  for (int d = 0; d < shape.reticles(); ++d) {
    const int y = d / shape.reticle_cols, x = d % shape.reticle_cols;
    for (int r = 0; x + 1 < shape.reticle_cols && r < shape.physical_rows(); ++r) {
      add(d, kEast, r, context);
      add(d + 1, kWest, r, context);
    }
    for (int c = 0; y + 1 < shape.reticle_rows && c < shape.physical_cols(); ++c) {
      add(d, kSouth, c, context);
      add(d + shape.reticle_cols, kNorth, c, context);
    }
  }
}

void LinkEnds::add(int reticle, int side, int slot, sim::Context* context) {
  const size_t index = ends_.size();
  End end{sim::Model<Link>(context, fmt::format("link_{}", index))};
  end.place = layout_.place(static_cast<size_t>(reticle), layout_.places.edge(side, slot));
  end.station = layout_.tile(reticle, beside(layout_.shape, side, slot));
  end.side = side;
  end.peer = index ^ 1;
  of_station_[end.station][static_cast<size_t>(side)] = static_cast<int>(index);
  start(&end.model);
  ends_.push_back(std::move(end));
}

void LinkEnds::start(sim::Model<Link>* model) {
  Link* m = model->get();
  m->enable_i = 1;
  m->retrain_i = 0;
  m->cycle_i = 0;
  m->tile_i = 0;
  m->stat_re_i = 0;
  m->stat_addr_i = 0;
  std::memset(m->lane_i.data(), 0, sizeof(m->lane_i));
  model->reset(kResetCycles);
  m->rst_i = 0;
}

void LinkEnds::reset() {
  for (End& end : ends_) {
    start(&end.model);
    end.idle = end.was_up = false;
    end.still = 0;
    end.sends = sends_[end.place] = 0;
    end.lanes = {};
  }
  move_ = false;
}

void LinkEnds::break_lane(const LaneFault& f) {
  const int d = f.inward  ? f.reticle
                : f.south ? f.reticle + layout_.shape.reticle_cols
                          : f.reticle + 1;
  const int side = f.south ? (f.inward ? kSouth : kNorth) : (f.inward ? kEast : kWest);
  const size_t at = layout_.place(static_cast<size_t>(d), layout_.places.edge(side, f.slot));
  for (End& end : ends_) {
    if (end.place != at) continue;
    end.faulty = true;
    (f.value ? end.ones : end.zeros)[static_cast<size_t>(f.lane / 32)] |= 1u << f.lane % 32;
  }
}

uint32_t LinkEnds::stat(size_t station, int side) const {
  const int index = of_station_[station][static_cast<size_t>(side)];
  return index < 0 ? 0 : ends_[static_cast<size_t>(index)].model->stat_o;
}

LinkEnds::Lanes LinkEnds::heard(const End& end) const {
  Lanes lanes = ends_[end.peer].lanes[now_];
  for (size_t k = 0; k < lanes.size() && end.faulty; ++k) {
    lanes[k] = (lanes[k] & ~end.zeros[k]) | end.ones[k];
  }
  return lanes;
}

void LinkEnds::clock(uint64_t cycle, const std::vector<StatRequest>& asked, Wires* wires) {
  move_ = false;
  for (End& end : ends_) {
    const uint64_t word = wires->at(end.place);
    const Lanes lanes = heard(end);
    const StatRequest& request = asked[end.station];
    const bool for_this = request.read && request.side == end.side;
    // An idle end drives a constant: nothing, or the pattern of its test, in which it does not look
    // at the word.
    if (end.idle && (word == 0 || end.sends != 0) && lanes == Lanes{} && !for_this) {
      end.lanes[now_ ^ 1] = {};
      ++end.still;
    } else {
      clock_end(&end, cycle, lanes, word, request, for_this);
      move_ |= end.was_up && end.still < kStill && !end.idle;
    }
    if (end.sends != 0) wires->talk(end.place, end.sends);
  }
  now_ ^= 1;
}

void LinkEnds::clock_end(End* end, uint64_t cycle, const Lanes& heard, uint64_t word,
                         const StatRequest& request, bool asked) {
  Link* m = end->model.get();
  ++evaluations_;
  m->cycle_i = static_cast<uint8_t>(cycle & 1);
  m->tile_i = word;
  std::memcpy(m->lane_i.data(), heard.data(), sizeof(heard));
  m->stat_re_i = asked;
  m->stat_addr_i = static_cast<uint8_t>(request.addr);
  end->model.clock();
  // What it has just heard is in the first stage of its synchroniser, which idle_o leaves out.
  end->idle = m->idle_o != 0 && !asked && heard == Lanes{};
  end->was_up |= m->up_o != 0;
  end->sends = m->tile_o;
  sends_[end->place] = end->sends;
  Lanes& driven = end->lanes[now_ ^ 1];
  std::memcpy(driven.data(), m->lane_o.data(), sizeof(driven));
  const bool moved = (word | end->sends) != 0 || driven != Lanes{};
  end->still = moved ? 0 : end->still + 1;
}

}  // namespace ow::wafer
