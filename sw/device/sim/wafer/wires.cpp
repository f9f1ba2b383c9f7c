// SPDX-License-Identifier: Apache-2.0
#include "wires.h"

namespace ow::wafer {

namespace {

// The side at which a connection leaves its tile: along the row, or up or down.
int side_towards(const Position& from, const Position& to) {
  if (from.row == to.row) return from.col < to.col ? kEast : kWest;
  return from.row < to.row ? kSouth : kNorth;
}

}  // namespace

Wires::Wires(const WireLayout& layout) : layout_(layout) {
  for (auto& words : words_) words.assign(layout.count(), 0);
  fan_.resize(layout.count());
  stuck_.resize(layout.reticles());
}

void Wires::break_wire(const WireFault& f) {
  const int out = side_towards(f.from, f.to);
  stuck_[static_cast<size_t>(f.reticle)].push_back(
      {layout_.places.tile(f.from.row, f.from.col, out),
       layout_.places.tile(f.to.row, f.to.col, (out + 2) & 3), f.bit, f.value});
}

void Wires::break_edge(const EdgeFault& f) {
  const int tile = layout_.places.tile(f.wire.tile.row, f.wire.tile.col, f.wire.side);
  const int slot = layout_.places.edge(f.wire.side, f.wire.slot);
  stuck_[static_cast<size_t>(f.reticle)].push_back(
      {f.inward ? slot : tile, f.inward ? tile : slot, f.bit, f.value});
}

void Wires::disconnect() {
  stuck_now_.clear();
  for (auto& sinks : fan_) sinks.clear();
}

void Wires::connect(size_t reticle, const std::vector<uint16_t>& tile_fuse,
                    const std::vector<uint8_t>& row_fuse) {
  for (const Connection& c : connections(layout_.shape, tile_fuse, row_fuse)) {
    Stuck stuck{layout_.place(reticle, c.source), layout_.place(reticle, c.sink), 0, 0};
    for (const WireBreak& f : stuck_[reticle]) {
      if (f.source != c.source || f.sink != c.sink) continue;
      (f.value ? stuck.ones : stuck.zeros) |= uint64_t{1} << f.bit;
    }
    if ((stuck.ones | stuck.zeros) != 0) {
      stuck_now_.push_back(stuck);
    } else {
      fan_[stuck.source].push_back(stuck.sink);
    }
  }
}

void Wires::set_sink(size_t sink, uint64_t word, int buffer) {
  uint64_t& at = words_[buffer][sink];
  if (at == 0) touched_[buffer].push_back(sink);
  at |= word;
}

void Wires::emit(size_t source, uint64_t word, int buffer) {
  for (const size_t sink : fan_[source]) set_sink(sink, word, buffer);
}

void Wires::advance(const std::function<uint64_t(size_t)>& sent) {
  const int next = now_ ^ 1;
  for (const Talker& t : talkers_) emit(t.place, t.word, next);
  talkers_.clear();
  for (const Stuck& stuck : stuck_now_) {
    const uint64_t word = (sent(stuck.source) & ~stuck.zeros) | stuck.ones;
    if (word != 0) set_sink(stuck.sink, word, next);
  }
  for (const size_t place : touched_[now_]) words_[now_][place] = 0;
  touched_[now_].clear();
  now_ = next;
}

}  // namespace ow::wafer
