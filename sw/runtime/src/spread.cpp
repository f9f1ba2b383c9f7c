// SPDX-License-Identifier: Apache-2.0
#include "spread.h"

#include <fmt/format.h>

#include "openwafer/error.h"

namespace ow {

Spread::Spread(const ElfExport& array, const Rect& rect, const Mapping& mapping)
    : rect_(rect), mapping_(mapping), dims_(array.dims) {
  const int n = static_cast<int>(dims_.size());
  const std::string what = fmt::format("{} {}: ", array.name, array.shape());
  if (mapping.row_dim >= n || mapping.col_dim >= n || mapping.row_dim < -1 ||
      mapping.col_dim < -1) {
    throw BadInput(fmt::format("{}the mapping names dimensions {} and {} of {}", what,
                               mapping.row_dim, mapping.col_dim, n));
  }
  if (mapping.row_dim >= 0 && mapping.row_dim == mapping.col_dim &&
      mapping.by_row != mapping.by_col) {
    throw BadInput(
        fmt::format("{}dimension {} runs over rows and columns: both are blocks or both "
                    "are cyclic",
                    what, mapping.row_dim));
  }
  for (int d = 0; d < n; ++d) {
    host_.push_back(size_t{dims_[static_cast<size_t>(d)]} * tiles_of(d));
  }
  if (mapping.shape.empty()) return;
  if (mapping.shape.size() != host_.size()) {
    throw BadInput(
        fmt::format("{}the mapping's shape has {} dimensions", what, mapping.shape.size()));
  }
  for (size_t d = 0; d < host_.size(); ++d) {
    if (mapping.shape[d] < 1 || mapping.shape[d] > host_[d]) {
      throw BadInput(fmt::format("{}{} along dimension {} of the mapping's shape: must be 1 to {}",
                                 what, mapping.shape[d], d, host_[d]));
    }
  }
  host_ = mapping.shape;
}

uint32_t Spread::tiles_of(int dim) const {
  return (dim == mapping_.row_dim ? static_cast<uint32_t>(rect_.rows) : 1) *
         (dim == mapping_.col_dim ? static_cast<uint32_t>(rect_.cols) : 1);
}

size_t Spread::size() const {
  size_t n = mapping_.each ? static_cast<size_t>(rect_.rows) * static_cast<size_t>(rect_.cols) : 1;
  for (const size_t length : host_) n *= length;
  return n;
}

size_t Spread::tile_size() const {
  size_t n = 1;
  for (const uint32_t length : dims_) n *= length;
  return n;
}

// If a dimension runs over both, tiles are numbered row by row.
size_t Spread::place(int dim, uint32_t i, int r, int c) const {
  const bool by_row = dim == mapping_.row_dim;
  const bool by_col = dim == mapping_.col_dim;
  const size_t tile = by_row && by_col ? static_cast<size_t>(r) * static_cast<size_t>(rect_.cols) +
                                             static_cast<size_t>(c)
                      : by_row ? static_cast<size_t>(r)
                      : by_col ? static_cast<size_t>(c)
                               : 0;
  const Distribution how = by_row ? mapping_.by_row : mapping_.by_col;
  return how == Distribution::Cyclic && (by_row || by_col)
             ? size_t{i} * tiles_of(dim) + tile
             : tile * dims_[static_cast<size_t>(dim)] + i;
}

std::vector<size_t> Spread::of(int r, int c) const {
  std::vector<size_t> at(tile_size());
  const size_t each =
      size() /
      (mapping_.each ? static_cast<size_t>(rect_.rows) * static_cast<size_t>(rect_.cols) : 1);
  const size_t base = mapping_.each ? static_cast<size_t>(r * rect_.cols + c) * each : 0;
  std::vector<uint32_t> index(dims_.size(), 0);
  for (size_t& element : at) {
    size_t host = 0;
    bool there = true;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const size_t along = place(static_cast<int>(d), index[d], r, c);
      there = there && along < host_[d];
      host = host * host_[d] + along;
    }
    element = there ? base + host : kNone;
    for (size_t d = dims_.size(); d-- > 0;) {
      if (++index[d] < dims_[d]) break;
      index[d] = 0;
    }
  }
  return at;
}

bool Spread::any(int r, int c) const {
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (place(static_cast<int>(d), 0, r, c) >= host_[d]) return false;
  }
  return true;
}

}  // namespace ow
