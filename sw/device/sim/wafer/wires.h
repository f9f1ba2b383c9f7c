// SPDX-License-Identifier: Apache-2.0
// The wires between the tiles of a simulated wafer and at its reticles' edges, as the fuses switch
// them. They hold what each place hears in this cycle and in the next, with the faults of the
// wires.
#ifndef OW_SIM_WAFER_WIRES_H_
#define OW_SIM_WAFER_WIRES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ow/device/reticle_mesh.h"
#include "ow/device/wafer_faults.h"
#include "ow/device/wafer_shape.h"

namespace ow::wafer {

// The noise of broken parts: one sequence for all of them, the same in every run.
class Noise {
 public:
  uint64_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  uint64_t state_ = 0x9E3779B97F4A7C15u;
};

// Numbering: tiles reticle by reticle, row by row; places as in Places, reticle by reticle.
class WireLayout {
 public:
  explicit WireLayout(const Shape& shape) : shape(shape), places(shape) {}

  const Shape shape;
  const Places places;

  size_t tiles() const { return reticles() * tiles_of_reticle(); }
  size_t count() const { return reticles() * places_of_reticle(); }
  size_t reticles() const { return static_cast<size_t>(shape.reticles()); }
  size_t cols() const { return static_cast<size_t>(shape.physical_cols()); }
  size_t rows() const { return static_cast<size_t>(shape.physical_rows()); }  // of a reticle
  size_t tiles_of_reticle() const { return static_cast<size_t>(places.tiles()); }
  size_t places_of_reticle() const { return static_cast<size_t>(places.count()); }

  size_t place(size_t reticle, int local) const {
    return reticle * places_of_reticle() + static_cast<size_t>(local);
  }
  size_t tile(int reticle, const Position& p) const {
    return static_cast<size_t>(reticle) * tiles_of_reticle() +
           static_cast<size_t>(p.row * shape.physical_cols() + p.col);
  }
  size_t place_of_tile(size_t tile, int side) const {
    const size_t n = tiles_of_reticle();
    return place(tile / n, static_cast<int>(tile % n) * 4 + side);
  }
  bool is_edge(size_t place) const {
    return places.is_edge(static_cast<int>(place % places_of_reticle()));
  }
  // Tile and side of a place that is no edge.
  size_t tile_at(size_t place) const {
    return place / places_of_reticle() * tiles_of_reticle() + place % places_of_reticle() / 4;
  }
  int side_at(size_t place) const { return static_cast<int>(place % places_of_reticle() % 4); }
};

class Wires {
 public:
  explicit Wires(const WireLayout& layout);

  void break_wire(const WireFault& f);
  void break_edge(const EdgeFault& f);

  // Switches all wires: disconnect(), then connect() for every reticle with its fuses.
  void disconnect();
  void connect(size_t reticle, const std::vector<uint16_t>& tile_fuse,
               const std::vector<uint8_t>& row_fuse);

  // This cycle.
  const uint64_t* at_tile(size_t tile) const {  // by side
    return &words_[now_][layout_.place_of_tile(tile, 0)];
  }
  uint64_t at(size_t place) const { return words_[now_][place]; }
  bool silent() const { return touched_[now_].empty(); }
  void emit(size_t source, uint64_t word) { emit(source, word, now_); }

  // A word from a source is heard in the next cycle.
  void talk(size_t source, uint64_t word) { talkers_.push_back({source, word}); }
  bool talked() const { return !talkers_.empty(); }
  // The next cycle begins. sent(source): the word on a source's wires, whether it sends or not.
  void advance(const std::function<uint64_t(size_t)>& sent);

 private:
  struct Talker {
    size_t place;
    uint64_t word;
  };
  // A direction of a connection with stuck bits, by places within a reticle.
  struct WireBreak {
    int source;
    int sink;
    int bit;
    bool value;
  };
  struct Stuck {
    size_t source;
    size_t sink;
    uint64_t zeros = 0, ones = 0;
  };

  void set_sink(size_t sink, uint64_t word, int buffer);
  void emit(size_t source, uint64_t word, int buffer);

  const WireLayout& layout_;
  std::vector<uint64_t> words_[2];             // at each place as a sink, this cycle and the next
  std::vector<size_t> touched_[2];             // places whose word is not zero
  std::vector<std::vector<size_t>> fan_;       // sinks of each source
  std::vector<std::vector<WireBreak>> stuck_;  // by reticle
  std::vector<Stuck> stuck_now_;               // in the wires as they are switched now
  std::vector<Talker> talkers_;
  int now_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_WIRES_H_
