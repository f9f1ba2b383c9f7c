// SPDX-License-Identifier: Apache-2.0
// The shape of a wafer, and what can be broken on it. docs/wafer.md says how the parts are wired.
#ifndef OW_DEVICE_WAFER_SHAPE_H_
#define OW_DEVICE_WAFER_SHAPE_H_

#include <string>
#include <vector>

namespace ow::wafer {

struct EdgeWire;
struct Wire;

// A rectangle of reticles, each of which presents rows x cols logical tiles and holds
// (rows + spare_rows) x (cols + spare_cols) physical ones. Ranges: 1 to 1024 reticles and logical
// rows or columns in each direction, 0 to 2 spares.
struct Shape {
  int reticle_rows = 1;
  int reticle_cols = 1;
  int rows = 2;
  int cols = 2;
  int spare_rows = 1;
  int spare_cols = 1;
  std::string file = {};  // that it was read from; empty: none

  // As errors name it.
  std::string name() const { return file.empty() ? "wafer" : file + ": wafer"; }

  int physical_rows() const { return rows + spare_rows; }
  int physical_cols() const { return cols + spare_cols; }
  int reticles() const { return reticle_rows * reticle_cols; }
  int logical_rows() const { return reticle_rows * rows; }
  int logical_cols() const { return reticle_cols * cols; }
  // Whether muxes join two tiles, of which `from` is west or north of `to`, or a tile to a slot of
  // its reticle's edge.
  bool joined(const Wire& w) const;
  bool joined(const EdgeWire& w) const;
  // The reticle among whose east_links (south_links) those of a reticle's side are.
  int link_owner(int reticle, int side) const {
    return side == 0 ? reticle - reticle_cols : side == 3 ? reticle - 1 : reticle;
  }
  // BadInput, naming the field and its range.
  void check() const;
};

// A physical position within a reticle, or a logical one; row 0 is north, column 0 is west.
struct Position {
  int row = 0;
  int col = 0;
  bool operator==(const Position& o) const { return row == o.row && col == o.col; }
  bool operator<(const Position& o) const { return row != o.row ? row < o.row : col < o.col; }
};

// A connection between two physical tiles of one reticle, both directions taken as one; `from` is
// west or north of `to`. It is a branch of the wires that leave `from` (and of those that leave
// `to`), so it can break without its tiles.
struct Wire {
  Position from;
  Position to;
  bool operator==(const Wire& o) const { return from == o.from && to == o.to; }
  bool operator<(const Wire& o) const { return from == o.from ? to < o.to : from < o.from; }
};

// A connection between a tile and a link slot of its reticle's edge, both directions taken as one.
struct EdgeWire {
  int side = 0;  // of the reticle: 0 north, 1 east, 2 south, 3 west
  Position tile;
  int slot = 0;
  bool operator==(const EdgeWire& o) const {
    return side == o.side && tile == o.tile && slot == o.slot;
  }
  bool operator<(const EdgeWire& o) const {
    return side != o.side ? side < o.side : !(tile == o.tile) ? tile < o.tile : slot < o.slot;
  }
};

// What bring-up has found in one reticle.
struct ReticleDefects {
  std::vector<Position> tiles;  // fail their self-test, or do not answer
  std::vector<Wire> wires;
  std::vector<int> chains;  // physical rows whose test-access chain is broken
  std::vector<EdgeWire> edges;
  bool empty() const { return tiles.empty() && wires.empty() && chains.empty() && edges.empty(); }
};

// What bring-up has found on the wafer. Link slots number the reticle-crossing links of one edge
// from 0: rows + spare_rows of them on an east edge, cols + spare_cols on a south edge.
struct Defects {
  std::vector<ReticleDefects> reticles;      // row by row
  std::vector<std::vector<int>> east_links;  // of each reticle: slots that are down
  std::vector<std::vector<int>> south_links;

  explicit Defects(const Shape& shape);
  // Whether the reticle has a neighbour at that side, and so links.
  static bool has_links(const Shape& shape, int reticle, int side);
  // BadInput for a position, wire or slot that the shape does not have.
  void check(const Shape& shape) const;
  size_t count() const;
};

}  // namespace ow::wafer

#endif  // OW_DEVICE_WAFER_SHAPE_H_
