// SPDX-License-Identifier: Apache-2.0
// The wires of a reticle as its fuses select them: rtl/reticle/ow_reticle_mesh.sv in C++.
#ifndef OW_DEVICE_RETICLE_MESH_H_
#define OW_DEVICE_RETICLE_MESH_H_

#include <cstdint>
#include <vector>

#include "ow/device/wafer_shape.h"

namespace ow::wafer {

// Sides in the order of the router's ports.
constexpr int kNorth = 0, kEast = 1, kSouth = 2, kWest = 3;

// Places where words leave or arrive: the four sides of each physical tile (tile * 4 + side), then
// the slots of the reticle's four edges. As a source an edge slot is what comes in there, as a sink
// what goes out.
class Places {
 public:
  explicit Places(const Shape& shape)
      : rows_(shape.physical_rows()), cols_(shape.physical_cols()) {}
  int tiles() const { return rows_ * cols_; }
  int tile(int row, int col, int side) const { return (row * cols_ + col) * 4 + side; }
  int slots(int side) const { return side == kNorth || side == kSouth ? cols_ : rows_; }
  int edge(int side, int slot) const {
    int at = 4 * tiles() + slot;
    for (int s = 0; s < side; ++s) at += slots(s);
    return at;
  }
  int count() const { return 4 * tiles() + 2 * (rows_ + cols_); }
  bool is_edge(int place) const { return place >= 4 * tiles(); }

 private:
  int rows_;
  int cols_;
};

// A source that a sink hears. A sink of a tile hears one source at most; an edge slot that several
// name hears all of them, as the OR of their words.
struct Connection {
  int source = 0;
  int sink = 0;
  bool operator==(const Connection& o) const { return source == o.source && sink == o.sink; }
  bool operator<(const Connection& o) const {
    return sink != o.sink ? sink < o.sink : source < o.source;
  }
};

// Fuses by physical tile (tile_fuse_t) and by physical row (row_fuse_t), any value; sorted by sink.
std::vector<Connection> connections(const Shape& shape, const std::vector<uint16_t>& tile_fuse,
                                    const std::vector<uint8_t>& row_fuse);

// Fields of a tile's fuses (TILE_FUSE in docs/bring-up.md).
struct TileFuse {
  bool enable = false;
  int w_skip = 0, e_skip = 0;
  int n_skip = 0, n_shift = 0;
  int s_skip = 0, s_shift = 0;

  static TileFuse of(uint16_t word);
  uint16_t word() const;
};
constexpr int kNoSkip = 3;  // a skip that no wire has

}  // namespace ow::wafer

#endif  // OW_DEVICE_RETICLE_MESH_H_
