// SPDX-License-Identifier: Apache-2.0
#include "ow/device/wafer_shape.h"

#include <fmt/format.h>

#include <cstdlib>

#include "ow/base/error.h"

namespace ow::wafer {
namespace {

void check_range(const char* field, int value, int low, int high) {
  if (value < low || value > high) {
    throw BadInput(fmt::format("wafer: {} must be from {} to {}, not {}", field, low, high, value));
  }
}

}  // namespace

void Shape::check() const {
  check_range("reticle rows", reticle_rows, 1, 1024);
  check_range("reticle columns", reticle_cols, 1, 1024);
  check_range("rows of a reticle", rows, 1, 1024);
  check_range("columns of a reticle", cols, 1, 1024);
  check_range("spare rows", spare_rows, 0, 2);
  check_range("spare columns", spare_cols, 0, 2);
}

bool Shape::joined(const Wire& w) const {
  const int down = w.to.row - w.from.row, right = w.to.col - w.from.col;
  if (down == 0) return right >= 1 && right <= 1 + spare_cols;
  return down >= 1 && down <= 1 + spare_rows && std::abs(right) <= spare_cols;
}

bool Shape::joined(const EdgeWire& w) const {
  if (w.tile.row < 0 || w.tile.row >= physical_rows() || w.tile.col < 0 ||
      w.tile.col >= physical_cols() || w.side < 0 || w.side > 3) {
    return false;
  }
  const bool column = w.side == 0 || w.side == 2;
  const int lines = column ? physical_cols() : physical_rows();
  const int depth = w.side == 0   ? w.tile.row
                    : w.side == 1 ? physical_cols() - 1 - w.tile.col
                    : w.side == 2 ? physical_rows() - 1 - w.tile.row
                                  : w.tile.col;
  const int shift = w.slot - (column ? w.tile.col : w.tile.row);
  return w.slot >= 0 && w.slot < lines && depth <= (column ? spare_rows : spare_cols) &&
         std::abs(shift) <= (column ? spare_cols : spare_rows);
}

bool Defects::has_links(const Shape& shape, int reticle, int side) {
  const int y = reticle / shape.reticle_cols, x = reticle % shape.reticle_cols;
  switch (side) {
    case 0:
      return y > 0;
    case 1:
      return x + 1 < shape.reticle_cols;
    case 2:
      return y + 1 < shape.reticle_rows;
    default:
      return x > 0;
  }
}

Defects::Defects(const Shape& shape)
    : reticles(static_cast<size_t>(shape.reticles())),
      east_links(static_cast<size_t>(shape.reticles())),
      south_links(static_cast<size_t>(shape.reticles())) {}

void Defects::check(const Shape& shape) const {
  const auto count = static_cast<size_t>(shape.reticles());
  if (reticles.size() != count || east_links.size() != count || south_links.size() != count) {
    throw BadInput(fmt::format("defects: {} reticles, the wafer has {}", reticles.size(), count));
  }
  for (size_t d = 0; d < count; ++d) {
    const std::string where =
        fmt::format("defects: reticle ({}, {})", d / shape.reticle_cols, d % shape.reticle_cols);
    const auto tile = [&](const Position& p) {
      if (p.row < 0 || p.row >= shape.physical_rows() || p.col < 0 ||
          p.col >= shape.physical_cols()) {
        throw BadInput(fmt::format("{}: tile ({}, {}) is outside its {} x {} physical tiles", where,
                                   p.row, p.col, shape.physical_rows(), shape.physical_cols()));
      }
    };
    for (const Position& p : reticles[d].tiles) tile(p);
    for (const Wire& w : reticles[d].wires) {
      tile(w.from);
      tile(w.to);
      if (!shape.joined(w)) {
        throw BadInput(fmt::format("{}: there is no wire from ({}, {}) to ({}, {})", where,
                                   w.from.row, w.from.col, w.to.row, w.to.col));
      }
    }
    for (int row : reticles[d].chains) tile({row, 0});
    for (const EdgeWire& w : reticles[d].edges) {
      tile(w.tile);
      if (!shape.joined(w) || !has_links(shape, static_cast<int>(d), w.side)) {
        throw BadInput(fmt::format("{}: there is no wire from ({}, {}) to link {} of side {}",
                                   where, w.tile.row, w.tile.col, w.slot, w.side));
      }
    }
    const auto slots = [&](const std::vector<int>& down, int limit, bool inside, const char* side) {
      for (int slot : down) {
        if (!inside || slot < 0 || slot >= limit) {
          throw BadInput(fmt::format("{}: no link {} on its {} edge ({} links)", where, slot, side,
                                     inside ? limit : 0));
        }
      }
    };
    slots(east_links[d], shape.physical_rows(),
          static_cast<int>(d) % shape.reticle_cols + 1 < shape.reticle_cols, "east");
    slots(south_links[d], shape.physical_cols(),
          static_cast<int>(d) / shape.reticle_cols + 1 < shape.reticle_rows, "south");
  }
}

size_t Defects::count() const {
  size_t n = 0;
  for (const ReticleDefects& r : reticles) {
    n += r.tiles.size() + r.wires.size() + r.chains.size() + r.edges.size();
  }
  for (const auto& links : east_links) n += links.size();
  for (const auto& links : south_links) n += links.size();
  return n;
}

}  // namespace ow::wafer
